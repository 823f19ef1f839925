package program

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spvsim/internal/suite"
	"spvsim/isa"
	"spvsim/spirv/asm"
	"spvsim/spirv/validate"
)

// graphModule assembles a module of the front end's graphs.
func graphModule(t *testing.T, name string) *validate.Module {
	t.Helper()
	src := suite.Must(os.ReadFile(filepath.Join("frontend", "testdata", "graph", name+".spvasm")))(t)
	raw := suite.Must(asm.Assemble(src, name))(t)
	m := suite.Must(validate.Check(raw))(t)
	return m
}

func lowerNode(t *testing.T, m *validate.Module, entry string, wave int) *Program {
	t.Helper()
	p, err := Lower(m, Options{Entry: entry, Strings: map[uint32]string{7: "bins"}, Target: Target{WaveSize: wave}})
	if err != nil {
		t.Fatalf("%s: %v", entry, err)
	}
	return p
}

var described = map[string]string{
	"minimal": `node "split" index 0: static 1x1x1 workgroups, no input, local size 4x1x1
  output 0 -> "square"[0..0]: up to 4 payloads of 4 bytes
node "square" index 0: static 1x1x1 workgroups, payload of 4 bytes, local size 1x1x1, not dispatched by the host
`,
	"coalesce": `node "fill" index 0: static 2x1x1 workgroups, no input, local size 80x1x1
  output 0 -> "bins"[0..0]: up to 6 payloads of 16 bytes
  output 1 -> "bins"[0..0]: up to 6 payloads of 16 bytes for each invocation, within the limits of output 0
node "count" index 0: coalescing, up to 4 payloads of 16 bytes, local size 4x1x1
`,
	"recursion": `node "halve" index 3: dynamic up to 4x4x1 workgroups, payload of 12 bytes (workgroups at byte 4: 2 x 16 bits), local size 1x1x1, up to 2 recursions
  output 0 -> "halve"[3..3] sparse: up to 2 payloads of 12 bytes
  output 1 -> "sum"[0..] sparse: up to 1 payload of 12 bytes with finish tracking
node "sum" index 0: dynamic up to 64x1x1 workgroups, payload of 12 bytes with finish tracking (workgroups at byte 4: 1 x 32 bits), local size 1x1x1, not dispatched by the host
node "watch" index 0: dynamic up to 64x1x1 workgroups, payload of 12 bytes with finish tracking (workgroups at byte 4: 1 x 32 bits), local size 1x1x1, shares the input of "sum" index 0, not dispatched by the host
`,
	"dxc": `node "root_main" index 0: dynamic up to 16x1x1 workgroups, payload of 8 bytes (workgroups at byte 4: 1 x 32 bits), local size 8x1x1
  output 0 -> "leaf"[0]: up to 8 payloads of 8 bytes for the workgroup and for each invocation
  output 1 -> "gone"[0..15] sparse: up to 1 payload of 8 bytes
node "leaf_main" index 0: coalescing, up to 1 payload of 8 bytes, local size 1x1x1
`,
	"mesh": `node "seed" index 0: static 1x1x1 workgroups, no input, local size 2x1x1
  output 0 -> "strip"[0..0]: up to 1 payload of 4 bytes for each invocation
node "strip" index 0: mesh, static 2x1x1 workgroups, payload of 4 bytes, local size 3x1x1, up to 3 vertices and 1 primitives
`,
}

func TestDescribeNode(t *testing.T) {
	for name, want := range described {
		t.Run(name, func(t *testing.T) {
			m := graphModule(t, name)
			var got strings.Builder
			for _, e := range m.EntryPoints {
				p := lowerNode(t, m, e.Name, 32)
				if n, size, err := Interface(m, Options{Entry: e.Name}); err != nil || n == nil || size != p.LocalSize || len(n.Outputs) != len(p.Node.Outputs) {
					t.Errorf("interface of %s: %+v, %v, %v", e.Name, n, size, err)
				}
				got.WriteString(DescribeNode(e.Name, p.Node.ShaderIndex, p.LocalSize, p.Node))
			}
			if diff := cmp.Diff(want, got.String()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// guidePath is the guide, whose example is the module that the tests run.
const guidePath = "../docs/graphs/writing.md"

func TestGuideShowsTheModuleThatRuns(t *testing.T) {
	guide := suite.Must(os.ReadFile(guidePath))(t)
	src := suite.Must(os.ReadFile("frontend/testdata/graph/minimal.spvasm"))(t)
	for what, text := range map[string]string{"module": string(src), "description": described["minimal"]} {
		if !strings.Contains(string(guide), "```\n"+text+"```\n") {
			t.Errorf("%s does not show the %s as the tests have it", guidePath, what)
		}
	}
}

// The machine sees the operations on payloads in order: nothing crosses them,
// and the wave's stores are done before it hands payloads over.
func TestPayloadsKeepTheirOrder(t *testing.T) {
	for _, wave := range []int{32, 64} {
		p := lowerNode(t, graphModule(t, "dxc"), "root_main", wave)
		var order []string
		for i := range p.Insts {
			in := &p.Insts[i]
			switch {
			case in.Op >= isa.PayloadAlloc && in.Op <= isa.PayloadFinish || in.Op == isa.MemoryBarrier:
				order = append(order, in.Op.String())
				if in.Op != isa.MemoryBarrier && in.Exec != nil {
					t.Errorf("%s does not go to the machine", in.Op)
				}
			case in.Mem != nil && in.Mem.Payload && in.Op == isa.Store:
				order = append(order, "store")
			}
		}
		want := []string{"payload_alloc", "store", "store", "memory_barrier", "payload_enqueue",
			"payload_alloc_lane", "store", "memory_barrier", "payload_enqueue"}
		if diff := cmp.Diff(want, order); diff != "" {
			t.Error(diff)
		}
	}
}

// The inputs of a node at its start are preset, not computed.
func TestNodePresets(t *testing.T) {
	p := lowerNode(t, graphModule(t, "recursion"), "halve", 32)
	preset := map[isa.Op]bool{}
	for i := range p.Prologue {
		preset[p.Prologue[i].Op] = true
	}
	for _, op := range []isa.Op{isa.PayloadIn, isa.RemainingRecursion, isa.ShaderIndex} {
		if !preset[op] {
			t.Errorf("%s is not preset", op)
		}
	}
	for i := range p.Insts {
		if in := &p.Insts[i]; in.Mem != nil && in.Mem.Payload && in.Op == isa.Load && !in.Mem.Scalar {
			t.Errorf("%s: the input is uniform and not written, yet it is not loaded by the scalar unit", isa.Disasm(in))
		}
	}
}

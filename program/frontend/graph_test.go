package frontend

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spvsim/internal/oracle"
	"spvsim/internal/suite"
	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/program/opt"
	"spvsim/spirv"
	"spvsim/spirv/asm"
	"spvsim/spirv/validate"
)

// assemble checks the graph module with a name.
func assemble(t testing.TB, name string) *validate.Module {
	t.Helper()
	src := suite.Must(os.ReadFile(filepath.Join("testdata", "graph", name+".spvasm")))(t)
	return assembleText(t, string(src))
}

func rawModule(t testing.TB, src string) *spirv.Module {
	t.Helper()
	raw := suite.Must(asm.Assemble([]byte(src), "graph"))(t)
	return raw
}

func assembleText(t testing.TB, src string) *validate.Module {
	t.Helper()
	m := suite.Must(validate.Check(rawModule(t, src)))(t)
	return m
}

// node translates one entry point of a graph module.
func node(t testing.TB, m *validate.Module, opt Options) *ir.Func {
	t.Helper()
	if opt.WaveSize == 0 {
		opt.WaveSize = 32
	}
	f := suite.Must(Build(m, opt))(t)
	if err := ir.Verify(f); err != nil {
		var s strings.Builder
		ir.Print(&s, f)
		t.Fatalf("%v\n%s", err, s.String())
	}
	return f
}

func TestNodeMetadata(t *testing.T) {
	compute := spirv.ExecutionModelGLCompute
	for _, c := range []struct {
		module, entry string
		opt           Options
		want          ir.Node
	}{
		{"minimal", "split", Options{}, ir.Node{
			Model: compute, Launch: ir.Static, Workgroups: [3]uint32{1, 1, 1}, APIEntry: true,
			Outputs: []ir.Output{{PayloadType: ir.PayloadType{Bytes: 4, Align: 4, MaxPayloads: 4, IsArray: true},
				Node: "square", ArraySize: 1, Sized: true, SharesLimits: -1, Workgroup: true}},
		}},
		{"minimal", "square", Options{}, ir.Node{
			Model: compute, Launch: ir.Static, Workgroups: [3]uint32{1, 1, 1},
			Input: &ir.PayloadType{Bytes: 4, Align: 4, MaxPayloads: 1},
		}},
		{"coalesce", "fill", Options{Strings: map[uint32]string{7: "bins"}}, ir.Node{
			Model: compute, Launch: ir.Static, Workgroups: [3]uint32{2, 1, 1}, APIEntry: true,
			Outputs: []ir.Output{
				{PayloadType: ir.PayloadType{Bytes: 16, Align: 4, MaxPayloads: 6, IsArray: true}, Node: "bins", ArraySize: 1, Sized: true, SharesLimits: -1, Workgroup: true},
				{PayloadType: ir.PayloadType{Bytes: 16, Align: 4, MaxPayloads: 2, IsArray: true}, Node: "bins", ArraySize: 1, Sized: true, SharesLimits: 0, Invocation: true},
			},
		}},
		{"coalesce", "count", Options{}, ir.Node{
			Model: compute, Launch: ir.Coalescing, APIEntry: true,
			Input: &ir.PayloadType{Bytes: 16, Align: 4, MaxPayloads: 4, IsArray: true},
		}},
		{"recursion", "halve", Options{}, ir.Node{
			Model: compute, Workgroups: [3]uint32{4, 4, 1}, MaxRecursion: 2, Recursive: true, APIEntry: true, ShaderIndex: 3, HasShaderIndex: true,
			Input: &ir.PayloadType{Bytes: 12, Align: 4, MaxPayloads: 1, Indirect: &ir.Indirect{Offset: 4, Components: 2, Bits: 16}},
			Outputs: []ir.Output{
				{PayloadType: ir.PayloadType{Bytes: 12, Align: 4, MaxPayloads: 2, IsArray: true, Indirect: &ir.Indirect{Offset: 4, Components: 2, Bits: 16}},
					Node: "halve", BaseIndex: 3, ArraySize: 4, Sized: true, Sparse: true, SharesLimits: -1, Workgroup: true},
				{PayloadType: ir.PayloadType{Bytes: 12, Align: 4, MaxPayloads: 1, IsArray: true, TrackFinish: true, Indirect: &ir.Indirect{Offset: 4, Components: 1, Bits: 32}},
					Node: "sum", Sparse: true, SharesLimits: -1, Workgroup: true},
			},
		}},
		{"recursion", "watch", Options{}, ir.Node{
			Model: compute, Workgroups: [3]uint32{64, 1, 1}, SharesInput: &ir.NodeRef{Name: "sum"},
			Input: &ir.PayloadType{Bytes: 12, Align: 4, MaxPayloads: 1, TrackFinish: true, Indirect: &ir.Indirect{Offset: 4, Components: 1, Bits: 32}},
		}},
		{"dxc", "root_main", Options{}, ir.Node{
			Model: compute, Workgroups: [3]uint32{16, 1, 1}, APIEntry: true, HasShaderIndex: true,
			Input: &ir.PayloadType{Bytes: 8, Align: 4, MaxPayloads: 1, IsArray: true, Indirect: &ir.Indirect{Offset: 4, Components: 1, Bits: 32}},
			Outputs: []ir.Output{
				{PayloadType: ir.PayloadType{Bytes: 8, Align: 4, MaxPayloads: 8, IsArray: true}, Node: "leaf", SharesLimits: -1, Workgroup: true, Invocation: true},
				{PayloadType: ir.PayloadType{Bytes: 8, Align: 4, MaxPayloads: 1, IsArray: true}, Node: "gone", ArraySize: 16, Sized: true, Sparse: true, SharesLimits: -1},
			},
		}},
		{"dxc", "leaf_main", Options{}, ir.Node{
			Model: compute, Launch: ir.Coalescing, APIEntry: true, HasShaderIndex: true,
			Input: &ir.PayloadType{Bytes: 8, Align: 4, MaxPayloads: 1, IsArray: true},
		}},
	} {
		t.Run(c.module+"/"+c.entry, func(t *testing.T) {
			c.opt.Entry = c.entry
			f := node(t, assemble(t, c.module), c.opt)
			if f.Node == nil {
				t.Fatal("no node")
			}
			for i := range f.Node.Outputs {
				f.Node.Outputs[i].SPIRV = 0 // the assembler's choice
			}
			if diff := cmp.Diff(c.want, *f.Node); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestOrdinaryShadersAreNoNodes(t *testing.T) {
	if f := build(t, "testdata/saxpy.spv", Options{}); f.Node != nil {
		t.Errorf("saxpy has node %+v", f.Node)
	}
}

// payloadWords are 32-bit words as bytes.
func payloadWords(list ...uint32) []byte {
	var data []byte
	for _, w := range list {
		data = binary.LittleEndian.AppendUint32(data, w)
	}
	return data
}

// place maps an entry point to a node.
type place struct {
	entry, name string
	index       uint32
}

// A graphCase is a module, the payloads that the host starts, and the words that the buffer must hold at the end.
type graphCase struct {
	module  string
	nodes   []place
	strings map[uint32]string
	records []oracle.Record
	want    []uint32
	stats   []oracle.NodeStats
}

var graphCases = []graphCase{
	{
		module: "minimal", nodes: []place{{"split", "split", 0}, {"square", "square", 0}},
		records: []oracle.Record{{Node: "split", Count: 1}},
		want:    []uint32{1, 4, 9, 16},
		stats:   []oracle.NodeStats{{Payloads: 1, Workgroups: 1}, {Payloads: 4, Workgroups: 4}},
	},
	{
		// Each workgroup of "fill": g+2 payloads {16, lane, g}, and for each of 80
		// lanes {lane, 0, 0} and {64, 0, g}; the consumer counts by number mod 16,
		// and lengths by g. 325 payloads go in fours, the last, whose g is 1, alone.
		module: "coalesce", nodes: []place{{"fill", "fill", 0}, {"count", "bins", 0}},
		strings: map[uint32]string{7: "bins"},
		records: []oracle.Record{{Node: "fill", Count: 1}},
		want:    []uint32{175, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 4 * 242, 4*83 - 3},
		stats:   []oracle.NodeStats{{Payloads: 1, Workgroups: 2}, {Payloads: 325, Workgroups: 82}},
	},
	{
		module: "recursion", nodes: []place{{"halve", "halve", 3}, {"sum", "sum", 0}, {"watch", "watch", 0}},
		records: []oracle.Record{{Node: "halve", Index: 3, Count: 1, Data: payloadWords(0, 1|1<<16, 8)}},
		want:    []uint32{28, 4, 16, 7},
		stats:   []oracle.NodeStats{{Payloads: 7, Workgroups: 7}, {Payloads: 4, Workgroups: 8}, {Payloads: 4, Workgroups: 8}},
	},
	{
		// Two workgroups of "send" by the first record, none by the second, four by
		// the third. Each sends {8, {lane, 9, 3}, {{lane, 2}, {2, lane}}} for both
		// lanes, and each lane three empty payloads.
		module: "handles", nodes: []place{{"send", "send", 0}, {"take", "take", 0}, {"ping", "ping", 0}},
		records: []oracle.Record{{Node: "send", Count: 3, Stride: 12, Data: payloadWords(1, 2, 1, 7, 0, 7, 2, 1, 2)}},
		want:    []uint32{6 * 16, 6, 6 * 18, 6 * 6, 6, 0, 0, 0, 36},
		stats:   []oracle.NodeStats{{Payloads: 3, Workgroups: 6}, {Payloads: 12, Workgroups: 12}, {Payloads: 36, Workgroups: 5}},
	},
	{
		// Two records by stride; the second repeats nothing of the first. Each lane i
		// sends {base+i, 8} for the workgroup and {i+16, 1} for itself, from each
		// workgroup of its record: one of the first, two of the second.
		module: "dxc", nodes: []place{{"root_main", "root", 0}, {"leaf_main", "leaf", 0}},
		records: []oracle.Record{{Node: "root", Count: 2, Stride: 12, Data: payloadWords(0, 1, 99, 8, 2)}},
		want: []uint32{8, 8, 8, 8, 8, 8, 8, 8, 16, 16, 16, 16, 16, 16, 16, 16,
			3, 3, 3, 3, 3, 3, 3, 3},
		stats: []oracle.NodeStats{{Payloads: 2, Workgroups: 3}, {Payloads: 48, Workgroups: 48}},
	},
}

func (c *graphCase) run(t *testing.T, wave int, optimise bool) {
	t.Helper()
	m := assemble(t, c.module)
	out := make([]byte, 4*128)
	g := oracle.Graph{WaveSize: wave}
	for _, n := range c.nodes {
		f := node(t, m, Options{Entry: n.entry, WaveSize: wave, Strings: c.strings})
		if optimise {
			opt.Run(f, opt.Options{WaveSize: wave})
			suite.OK(t, ir.Verify(f))
		}
		p := oracle.NodeProgram{Name: n.name, Index: n.index, Func: f}
		for range f.Bindings {
			p.Descriptors = append(p.Descriptors, oracle.Descriptor{Data: out})
		}
		g.Nodes = append(g.Nodes, p)
	}
	stats := suite.Must(oracle.RunGraph(g, c.records))(t)
	want := payloadWords(append(c.want, make([]uint32, 128-len(c.want))...)...)
	if diff := cmp.Diff(want, out); diff != "" {
		for i := range 32 {
			t.Logf("word %d: %d", i, binary.LittleEndian.Uint32(out[4*i:]))
		}
		t.Errorf("buffer differs: %s", diff)
	}
	if diff := cmp.Diff(c.stats, stats.Nodes); diff != "" {
		t.Error(diff)
	}
}

// Each graph gives the same buffer as it is and optimised, for both wave
// sizes.
func TestGraphs(t *testing.T) {
	for _, c := range graphCases {
		t.Run(c.module, func(t *testing.T) {
			for _, wave := range []int{32, 64} {
				for _, optimise := range []bool{false, true} {
					c.run(t, wave, optimise)
				}
			}
		})
	}
}

// opsOf counts the operations of a function.
func opsOf(f *ir.Func) map[isa.Op]int {
	n := map[isa.Op]int{}
	for _, b := range f.Blocks {
		for _, v := range b.Code {
			n[v.Op]++
		}
	}
	return n
}

// The handle of an array goes through Function variables and calls, and comes
// out as a value: optimised code has no scratch left, one allocation each, and
// accesses payload memory directly.
func TestHandlesBecomeValues(t *testing.T) {
	f := node(t, assemble(t, "dxc"), Options{Entry: "root_main"})
	opt.Run(f, opt.Options{WaveSize: 32})
	n := opsOf(f)
	for _, b := range f.Blocks {
		for _, v := range b.Code {
			if v.Op == isa.PayloadEnqueue && v.SPIRV == 0 {
				t.Error("an enqueue does not tell which array")
			}
		}
	}
	for op, want := range map[isa.Op]int{isa.PayloadAlloc: 1, isa.PayloadAllocLane: 1, isa.PayloadEnqueue: 2,
		isa.PayloadLength: 1, isa.PayloadValid: 1, isa.PayloadElem: 3} {
		if n[op] != want {
			t.Errorf("%d of %s, want %d", n[op], op, want)
		}
	}
	for _, b := range f.Blocks {
		for _, v := range b.Code {
			if v.Mem != nil && v.Mem.Space == isa.SpaceScratch {
				t.Errorf("scratch access %s", v)
			}
			if v.Mem != nil && (v.Mem.Space == isa.SpaceFlat) != v.Mem.Payload {
				t.Errorf("%s: flat access, payload %v", v, v.Mem.Payload)
			}
		}
	}
}

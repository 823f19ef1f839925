package validate

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"spvsim/spirv"
)

// A drawnGraph is nodes by number: whom each sends to, and which may enqueue to themselves.
type drawnGraph struct {
	to       [][]bool
	recursed []bool
}

func drawGraph(r *rand.Rand, nodes int) *drawnGraph {
	g := &drawnGraph{}
	dense := 1 + r.IntN(4)
	for range nodes {
		row := make([]bool, nodes)
		for k := range row {
			row[k] = r.IntN(8) < dense
		}
		g.to, g.recursed = append(g.to, row), append(g.recursed, r.IntN(2) == 0)
	}
	return g
}

// text returns a module of the graph: node i is the entry point "n" and its number.
func (g *drawnGraph) text() string {
	var entries, modes, types, functions strings.Builder
	for i, row := range g.to {
		fmt.Fprintf(&entries, "OpEntryPoint GLCompute %%n%d \"n%[1]d\" %%input\n", i)
		fmt.Fprintf(&modes, "OpExecutionMode %%n%d LocalSize 1 1 1\nOpExecutionModeId %%n%[1]d StaticNumWorkgroupsAMDX %%u1 %%u1 %%u1\n", i)
		if g.recursed[i] {
			fmt.Fprintf(&modes, "OpExecutionModeId %%n%d MaxNodeRecursionAMDX %%u1\n", i)
		}
		fmt.Fprintf(&types, "%%name%d = OpConstantStringAMDX \"n%[1]d\"\n%%list%[1]d = OpTypeNodePayloadArrayAMDX %%payload\n%%p%[1]d = OpTypePointer NodePayloadAMDX %%list%[1]d\n", i)
		fmt.Fprintf(&functions, "%%n%d = OpFunction %%void None %%fn\n%%l%[1]d = OpLabel\n", i)
		for k, sends := range row {
			if sends {
				fmt.Fprintf(&functions, "%%out%d_%d = OpAllocateNodePayloadsAMDX %%p%[2]d %%u2 %%u1 %%u0\nOpEnqueueNodePayloadsAMDX %%out%[1]d_%[2]d\n", i, k)
			}
		}
		functions.WriteString("OpReturn\nOpFunctionEnd\n")
	}
	for i := range g.to {
		fmt.Fprintf(&modes, "OpDecorateId %%list%d NodeMaxPayloadsAMDX %%u1\nOpDecorateId %%list%[1]d PayloadNodeNameAMDX %%name%[1]d\nOpDecorateId %%list%[1]d PayloadNodeArraySizeAMDX %%u1\n", i)
	}
	ordered := strings.Split(modes.String(), "OpDecorateId")
	return "OpCapability Shader\nOpCapability ShaderEnqueueAMDX\nOpExtension \"SPV_AMDX_shader_enqueue\"\nOpMemoryModel Logical GLSL450\n" + entries.String() + ordered[0] +
		"OpMemberDecorate %payload 0 Offset 0\nOpDecorate %payload Block\nOpDecorateId" + strings.Join(ordered[1:], "OpDecorateId") +
		"%void = OpTypeVoid\n%uint = OpTypeInt 32 0\n%fn = OpTypeFunction %void\n%u0 = OpConstant %uint 0\n%u1 = OpConstant %uint 1\n%u2 = OpConstant %uint 2\n%payload = OpTypeStruct %uint\n" +
		types.String() + "%p_payload = OpTypePointer NodePayloadAMDX %payload\n%input = OpVariable %p_payload NodePayloadAMDX\n" + functions.String()
}

// circles reports whether payloads may cycle without end: from a node to itself where that declares no recursion, or
// over others.
func (g *drawnGraph) circles() bool {
	n := len(g.to)
	reach := make([][]bool, n)
	for i := range reach {
		reach[i] = append([]bool(nil), g.to[i]...)
		if g.to[i][i] && !g.recursed[i] {
			return true
		}
	}
	for k := range n {
		for i := range n {
			for j := range n {
				reach[i][j] = reach[i][j] || reach[i][k] && reach[k][j]
			}
		}
	}
	for i := range n {
		for j := range i {
			if reach[i][j] && reach[j][i] {
				return true
			}
		}
	}
	return false
}

// A graph is refused where payloads may come round without end, and only there.
func TestCyclesOfNodes(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	of := map[bool]int{}
	for range 120 {
		g := drawGraph(r, 1+r.IntN(5))
		m, err := Check(assemble(t, g.text()))
		if err != nil {
			t.Fatal(err, g.text())
		}
		err = CheckGraph(nodesOf(m))
		if cyclic := err != nil && strings.Contains(err.Error(), "(rule graph-cycle)"); cyclic != g.circles() || cyclic != (err != nil) {
			t.Errorf("%v: %v", g, err)
		}
		of[err == nil]++
	}
	if of[true] < 20 || of[false] < 20 {
		t.Errorf("%d graphs pass and %d don't: too few of one kind", of[true], of[false])
	}
}

// As many nodes share an input as may, the one whose it is among them.
func TestNodesThatShareAnInput(t *testing.T) {
	for sharing, good := range map[int]bool{1: true, 2: true, maxSharing - 1: true, maxSharing: false, maxSharing + 1: false} {
		nodes := graphOf(t)
		for i := range nodes {
			if nodes[i].Name == "peer" {
				for n := 1; n < sharing; n++ {
					other := nodes[i]
					other.Name = fmt.Sprint("peer", n)
					nodes = append(nodes, other)
				}
				break
			}
		}
		if err := CheckGraph(nodes); (err == nil) != good {
			t.Errorf("%d nodes beside the one whose input it is: %v", sharing, err)
		}
	}
}

// A node shares neither its own input nor one that is shared itself.
func TestWhoseInputIsShared(t *testing.T) {
	node := func(nodes []GraphNode, name string) *GraphNode {
		for i := range nodes {
			if nodes[i].Name == name {
				return &nodes[i]
			}
		}
		t.Fatalf("no node %q", name)
		return nil
	}
	nodes := graphOf(t)
	node(nodes, "take").Name = "other"
	peer := node(nodes, "peer")
	peer.Name = "take"
	if err := CheckGraph(nodes); err == nil || !strings.Contains(err.Error(), "shares its input with itself") {
		t.Errorf("a node that shares its own input: %v", err)
	}
	nodes = graphOf(t)
	second := *node(nodes, "peer")
	second.Name = "second"
	of := second.Entry.Mode(spirv.ExecutionModeSharesInputWithAMDX).Args[0]
	second.Strings = map[spirv.ID]string{spirv.ID(of): "peer"}
	if err := CheckGraph(append(nodes, second)); err == nil || !strings.Contains(err.Error(), "which shares another's itself") {
		t.Errorf("a node that shares the input of one that shares: %v", err)
	}
}

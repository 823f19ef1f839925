package experiments

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"spvsim/program/ir"
)

// A randomNode is a family of nodes of one name: one entry point at one or more indexes.
type randomNode struct {
	number    int
	launch    ir.LaunchKind
	local     uint32
	max       uint32    // payloads of a coalescing workgroup
	grid      [3]uint32 // of static nodes; the maximum of dynamic ones
	parts     int       // components of the dispatch size in a payload
	half      bool      // which are 16 bits wide
	indexes   []uint32
	recursion uint32
	padding   uint32 // words that fill the payload up
	track     bool
	empty     bool // no input variable
	shares    *randomNode
	host      uint32 // payloads that the host sends
	outputs   []randomOutput
}

// A randomOutput is an output of a node to another, or to itself.
type randomOutput struct {
	to    *randomNode
	lane  bool // an array for each invocation
	max   uint32
	spare uint32 // payloads are sent with a chance of 1 in this number
	// share is the earlier output whose limits it shares, or -1.
	share int
	id    string
}

func (n *randomNode) name() string { return fmt.Sprintf("n%d", n.number) }

func (n *randomNode) sparse() bool {
	return n.span() > uint32(len(n.indexes)) || n.indexes[0] > 0 && len(n.indexes) > 1
}

// single reports one node at an index above 0: payloads for it have no array size, as the nodes below the size would have to exist.
func (n *randomNode) single() bool { return len(n.indexes) == 1 && n.indexes[0] > 0 }

// span returns the number of indexes from the first to the last.
func (n *randomNode) span() uint32 { return n.indexes[len(n.indexes)-1] - n.indexes[0] + 1 }

// words of the payload before its dispatch size.
const seedWord, sumWord, padWord, sizeWord = 0, 1, 2, 3

// randomNodes draws a graph: each node sends to later ones, and perhaps to itself.
func randomNodes(r *rand.Rand) []*randomNode {
	var nodes []*randomNode
	for i := range 2 + r.IntN(4) {
		nodes = append(nodes, drawNode(r, i))
	}
	nodes[0].host = 1 + r.Uint32N(3)
	for i, n := range nodes {
		if i > 0 && r.IntN(5) == 0 && !n.track {
			n.host = r.Uint32N(3)
		}
		if i > 1 && r.IntN(4) == 0 {
			n.share(r, nodes[1+r.IntN(i-1)])
		}
	}
	for i, n := range nodes {
		n.connect(r, nodes[i+1:])
	}
	return nodes
}

func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

func drawNode(r *rand.Rand, i int) *randomNode {
	n := &randomNode{number: i, launch: pick(r, ir.Dynamic, ir.Static, ir.Coalescing), local: pick(r, uint32(1), 3, 8, 33, 40),
		indexes: []uint32{r.Uint32N(3)}, padding: pick(r, uint32(1), 1, 3, 8)}
	switch n.launch {
	case ir.Coalescing:
		n.max = 1 + r.Uint32N(n.local+2) // sometimes more than its invocations
	case ir.Static:
		n.grid = [3]uint32{1 + r.Uint32N(2), 1, 1 + r.Uint32N(2)}
	case ir.Dynamic:
		n.grid = [3]uint32{2, 2, 1}
		n.parts, n.half = 1+r.IntN(3), r.IntN(3) == 0
	}
	n.track = i > 0 && n.launch != ir.Coalescing && r.IntN(2) == 0
	n.empty = i > 0 && n.launch == ir.Static && !n.track && r.IntN(4) == 0
	for i > 0 && r.IntN(3) == 0 {
		n.indexes = append(n.indexes, n.indexes[len(n.indexes)-1]+1+r.Uint32N(2))
	}
	if len(n.indexes) == 1 && r.IntN(3) == 0 {
		n.recursion = 1 + r.Uint32N(3)
	}
	return n
}

// share makes the node share another's input, if both can.
func (n *randomNode) share(r *rand.Rand, base *randomNode) {
	if base.shares != nil || base.empty || base.launch == ir.Coalescing || n.launch == ir.Coalescing {
		return
	}
	kept := randomNode{number: n.number, launch: ir.Static, local: n.local, grid: n.grid, indexes: n.indexes[:1], shares: base,
		padding: base.padding, parts: base.parts, half: base.half}
	if base.launch == ir.Dynamic && r.IntN(2) == 0 {
		kept.launch, kept.grid = ir.Dynamic, base.grid
	}
	*n = kept
	base.indexes = base.indexes[:1]
}

// input is the node whose payloads this one reads.
func (n *randomNode) input() *randomNode {
	if n.shares != nil {
		return n.shares
	}
	return n
}

func (n *randomNode) connect(r *rand.Rand, later []*randomNode) {
	for _, to := range later {
		if to.shares == nil && r.IntN(3) > 0 && len(n.outputs) < 3 {
			n.send(r, to)
		}
	}
	if n.recursion > 0 && n.shares == nil {
		n.send(r, n)
	}
}

func (n *randomNode) send(r *rand.Rand, to *randomNode) {
	o := randomOutput{to: to, lane: r.IntN(2) == 0, max: 1 + r.Uint32N(3), share: -1, spare: 1}
	if o.lane {
		o.spare = 1 + n.local*2/3
	}
	if n.launch == ir.Coalescing {
		o.lane = n.max <= n.local && r.IntN(2) == 0
		if o.max = 1; !o.lane {
			o.max = n.max // one for each received payload
		}
	}
	if p := len(n.outputs) - 1; p >= 0 && n.launch != ir.Coalescing && r.IntN(3) == 0 {
		if before := &n.outputs[p]; before.share < 0 && before.lane == o.lane {
			before.max = max(before.max, 2*o.max) // each may use half of it
			o.share = p
		}
	}
	n.outputs = append(n.outputs, o)
}

// most returns the largest number of payloads of the output: half of a shared limit.
func (n *randomNode) most(i int) uint32 {
	o := &n.outputs[i]
	for k := range n.outputs {
		if n.outputs[k].share == i {
			return o.max / 2
		}
	}
	return o.max
}

// declare writes types and decorations.
func (n *randomNode) declare(b *moduleText) {
	id := n.name()
	if n.shares == nil && !n.empty {
		n.declarePayload(b, id)
	}
	in := n.input().name()
	if !n.empty {
		typ := "s_" + in
		if n.launch == ir.Coalescing {
			typ = "in_" + id
			fmt.Fprintf(&b.decorations, "OpDecorateId %%in_%s NodeMaxPayloadsAMDX %s\n", id, b.u(n.max))
			fmt.Fprintf(&b.types, "%%in_%s = OpTypeNodePayloadArrayAMDX %%s_%s\n", id, id)
		}
		fmt.Fprintf(&b.types, "%%p_i_%s = OpTypePointer NodePayloadAMDX %%%s\n%%i_%s = OpVariable %%p_i_%s NodePayloadAMDX\n", id, typ, id, id)
	}
	n.declareEntry(b, id)
}

func (n *randomNode) declarePayload(b *moduleText, id string) {
	size, end := "%uint", 12+4*n.padding
	scalar, bytes := "%uint", uint32(4)
	if n.half {
		scalar, bytes = "%ushort", 2
	}
	members := fmt.Sprintf("%%uint %%uint %%pad_%s", id)
	fmt.Fprintf(&b.decorations, "OpMemberDecorate %%s_%s 0 Offset 0\nOpMemberDecorate %%s_%s 1 Offset 4\nOpMemberDecorate %%s_%s 2 Offset 12\n", id, id, id)
	fmt.Fprintf(&b.decorations, "OpDecorate %%pad_%s ArrayStride 4\n", id)
	fmt.Fprintf(&b.types, "%%pad_%s = OpTypeArray %%uint %s\n", id, b.u(n.padding))
	if n.launch == ir.Dynamic {
		end += bytes // off the vector's own alignment
		size = scalar
		if n.parts > 1 {
			size = fmt.Sprintf("%s%d", scalar, n.parts)
		}
		members += " " + size
		fmt.Fprintf(&b.decorations, "OpMemberDecorate %%s_%s 3 Offset %d\nOpMemberDecorate %%s_%s 3 PayloadDispatchIndirectAMDX\n", id, end, id)
	}
	if n.track {
		fmt.Fprintf(&b.decorations, "OpDecorate %%s_%s TrackFinishWritingAMDX\n", id)
	}
	fmt.Fprintf(&b.types, "%%s_%s = OpTypeStruct %s\n", id, members)
}

func (n *randomNode) declareEntry(b *moduleText, id string) {
	input := "%i_" + id
	if n.empty {
		input = ""
	}
	fmt.Fprintf(&b.entries, "OpEntryPoint GLCompute %%%s \"%s\" %%lane %%me %%left %%group %s %%out\n", id, id, input)
	fmt.Fprintf(&b.modes, "OpExecutionMode %%%s LocalSize %d 1 1\n", id, n.local)
	grid := fmt.Sprintf("%s %s %s\n", b.u(n.grid[0]), b.u(n.grid[1]), b.u(n.grid[2]))
	switch n.launch {
	case ir.Coalescing:
		fmt.Fprintf(&b.modes, "OpExecutionMode %%%s CoalescingAMDX\n", id)
	case ir.Static:
		fmt.Fprintf(&b.modes, "OpExecutionModeId %%%s StaticNumWorkgroupsAMDX %s", id, grid)
	case ir.Dynamic:
		fmt.Fprintf(&b.modes, "OpExecutionModeId %%%s MaxNumWorkgroupsAMDX %s", id, grid)
	}
	if n.recursion > 0 {
		fmt.Fprintf(&b.modes, "OpExecutionModeId %%%s MaxNodeRecursionAMDX %s\n", id, b.u(n.recursion))
	}
	if n.host == 0 {
		fmt.Fprintf(&b.modes, "OpExecutionModeId %%%s IsApiEntryAMDX %%false\n", id)
	}
	if n.shares != nil {
		fmt.Fprintf(&b.modes, "OpExecutionModeId %%%s SharesInputWithAMDX %s %s\n", id, b.name(n.shares), b.u(n.shares.indexes[0]))
	}
}

// name is the string constant with a node's name.
func (b *moduleText) name(n *randomNode) string {
	id := "%name_" + n.name()
	if !strings.Contains(b.types.String(), id+" =") {
		fmt.Fprintf(&b.types, "%s = OpConstantStringAMDX \"%s\"\n", id, n.name())
	}
	return id
}

func (n *randomNode) declareOutputs(b *moduleText) {
	for i := range n.outputs {
		o := &n.outputs[i]
		o.id = fmt.Sprintf("%%o_%s_%d", n.name(), i)
		d := func(decoration, value string) {
			fmt.Fprintf(&b.decorations, "OpDecorateId %s %s %s\n", o.id, decoration, value)
		}
		d("NodeMaxPayloadsAMDX", b.u(o.max))
		d("PayloadNodeNameAMDX", b.name(o.to))
		d("PayloadNodeBaseIndexAMDX", b.u(o.to.indexes[0]))
		if !o.to.single() {
			d("PayloadNodeArraySizeAMDX", b.u(o.to.indexes[0]+o.to.span()))
		}
		if o.to.sparse() {
			fmt.Fprintf(&b.decorations, "OpDecorate %s PayloadNodeSparseArrayAMDX\n", o.id)
		}
		if o.share >= 0 {
			d("NodeSharesPayloadLimitsWithAMDX", n.outputs[o.share].id)
		}
		payload := "%s_" + o.to.name()
		if o.to.empty {
			payload = "%none"
		}
		fmt.Fprintf(&b.types, "%s = OpTypeNodePayloadArrayAMDX %s\n%s_p = OpTypePointer NodePayloadAMDX %s\n", o.id, payload, o.id, o.id)
	}
}

// randomModule is the text of a module with the entry points of all nodes.
func randomModule(nodes []*randomNode) string {
	b := newModuleText()
	for i := range uint32(4) {
		b.u(i)
	}
	b.types.WriteString("%none = OpTypeStruct\n")
	for _, n := range nodes {
		n.declare(b)
	}
	for _, n := range nodes {
		n.declareOutputs(b)
	}
	for _, n := range nodes {
		n.write(b)
	}
	return b.String()
}

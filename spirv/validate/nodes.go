package validate

import (
	"errors"
	"fmt"
	"strings"

	"spvsim/spirv"
)

// A GraphNode is an entry point of a validated module, with its name and index in an execution graph.
type GraphNode struct {
	Name   string
	Index  uint32
	Module *Module
	Entry  *EntryPoint
	// Strings holds the values of specialized OpSpecConstantStringAMDX, by id. Absent ones keep their defaults.
	Strings map[spirv.ID]string
	// Input names the variable that is the input payload if the module leaves it open: by name or id, or NoInput.
	Input string
}

// maxSharing is the most nodes that may share one input.
const maxSharing = 256

// A NodeFault is a violation of a rule by the nodes of a graph together.
type NodeFault struct {
	Node  string
	Index uint32
	Rule  string
	VUID  string // of the corresponding valid usage statement of Vulkan; empty: none
	Text  string
}

func (f NodeFault) Error() string {
	text := fmt.Sprintf("graph: node %q index %d: %s (rule %s)", f.Node, f.Index, f.Text, f.Rule)
	if f.VUID != "" {
		text += " " + f.VUID
	}
	return text
}

// Unwrap makes the fault an ErrInvalid.
func (f NodeFault) Unwrap() error { return ErrInvalid }

// graphRules has a row for each rule of linked modules.
var graphRules = []struct {
	name, sentence string
	check          func(g *nodeGraph)
}{
	{"graph-unique", "[VUID-VkExecutionGraphPipelineCreateInfoAMDX-None-09134] There must be no two nodes in the pipeline that share both the same shader name and index.", (*nodeGraph).unique},
	{"graph-size", "[VUID-VkExecutionGraphPipelineCreateInfoAMDX-None-09135] There must be no two nodes in the pipeline that share the same shader name and have input payload declarations with different sizes.", (*nodeGraph).sizes},
	{"graph-model", "[VUID-VkExecutionGraphPipelineCreateInfoAMDX-None-09136] There must be no two nodes in the pipeline that share the same name but have different execution models.", (*nodeGraph).models},
	{"graph-coalescing", "[VUID-VkExecutionGraphPipelineCreateInfoAMDX-CoalescedInputCountAMDX-09137] There must be no two nodes in the pipeline that share the same name where one includes CoalescedInputCountAMDX [revision 2: CoalescingAMDX] and the other does not.",
		agreeIn(spirv.ExecutionModeCoalescingAMDX)},
	{"graph-static", "[VUID-VkExecutionGraphPipelineCreateInfoAMDX-StaticNumWorkgroupsAMDX-09138] There must be no two nodes in the pipeline that share the same name where one includes StaticNumWorkgroupsAMDX and the other does not.",
		agreeIn(spirv.ExecutionModeStaticNumWorkgroupsAMDX)},
	{"graph-target", "[VUID-VkExecutionGraphPipelineCreateInfoAMDX-flags-10184] If not specified [PayloadNodeSparseArrayAMDX], all node indexes between 0 and the PayloadNodeArraySizeAMDX value must be valid nodes in the graph.", (*nodeGraph).targets},
	{"graph-finish", "If the payload enqueued for a node is using a structure decorated with this value [TrackFinishWritingAMDX], the input payload in the NodePayloadAMDX storage class in the receiving node must use a structure decorated with it as well.", (*nodeGraph).finish},
	{"graph-payload", "[VUID-VkExecutionGraphPipelineCreateInfoAMDX-PayloadNodeNameAMDX-09139] The size of the output payload must match the size of the input payload in the matching node.", (*nodeGraph).payloads},
	{"graph-shares", "[SharesInputWithAMDX] Declare that this shader is paired with another node, such that it will be dispatched with the same input payload when the identified node is dispatched.", (*nodeGraph).sharedInputs},
	{"graph-cycle", "[MaxNodeRecursionAMDX] Maximum number of times a node can enqueue payloads for itself.", (*nodeGraph).cycles},
}

type nodeKey struct {
	name  string
	index uint32
}

type nodeGraph struct {
	nodes   []GraphNode
	indexOf map[nodeKey]int
	named   map[string][]int
	edges   [][]output // by node
	inputs  map[*Module][]Input
	faults  []error
	rule    string
	vuid    string
}

// An output is a payload type that a node allocates, with its target node.
type output struct {
	array      *Type
	name       string
	base, size number // of the node indexes
	sized      bool
	sparse     bool
	to         []int
}

// A number is the value of a constant, unless a job may specialize it.
type number struct {
	value uint32
	fixed bool
}

// allowsIndex reports whether payloads may be allocated for a node index, as far as the array's constants are known.
func (o *output) allowsIndex(index uint32) bool {
	if o.base.fixed && (index < o.base.value || !o.sized && !o.sparse && index != o.base.value) {
		return false
	}
	return !o.size.fixed || index < o.size.value
}

// CheckGraph tests the rules that modules linked to a graph can break
// together. The error joins all faults, each a NodeFault.
func CheckGraph(nodes []GraphNode) error {
	g := &nodeGraph{nodes: nodes, indexOf: map[nodeKey]int{}, named: map[string][]int{}, edges: make([][]output, len(nodes)), inputs: map[*Module][]Input{}}
	for i, n := range nodes {
		if g.inputs[n.Module] == nil {
			g.inputs[n.Module] = n.Module.Inputs(nodes)
		}
		if _, taken := g.indexOf[nodeKey{n.Name, n.Index}]; !taken {
			g.indexOf[nodeKey{n.Name, n.Index}] = i
		}
		g.named[n.Name] = append(g.named[n.Name], i)
	}
	for i := range nodes {
		g.edges[i] = g.outputs(&nodes[i])
	}
	for _, rule := range graphRules {
		g.rule, g.vuid = rule.name, statement(rule.sentence)
		rule.check(g)
	}
	return errors.Join(g.faults...)
}

// statement returns the number of Vulkan's statement that a sentence begins with.
func statement(sentence string) string {
	number, _, _ := strings.Cut(strings.TrimPrefix(sentence, "["), "]")
	if strings.HasPrefix(number, "VUID-") {
		return number
	}
	return ""
}

func (g *nodeGraph) fault(i int, format string, args ...any) {
	if len(g.faults) < MaxFaults {
		g.faults = append(g.faults, NodeFault{g.nodes[i].Name, g.nodes[i].Index, g.rule, g.vuid, fmt.Sprintf(format, args...)})
	}
}

// text returns the value of a string constant for a node.
func (n *GraphNode) text(id uint32) string {
	if s, ok := n.Strings[spirv.ID(id)]; ok {
		return s
	}
	s, _ := spirv.DecodeString(n.Module.Def(spirv.ID(id)).Operands)
	return s
}

// outputs finds the payload types that a node allocates, in the order of its
// code.
func (g *nodeGraph) outputs(n *GraphNode) []output {
	var list []output
	seen := map[*Type]bool{}
	m := n.Module
	for _, f := range m.callTree(n.Entry.Func) {
		for _, b := range f.Blocks {
			for i := range b.Code {
				in := &b.Code[i]
				if in.Op != spirv.OpAllocateNodePayloadsAMDX || seen[m.Type(in.Type).Elem] {
					continue
				}
				seen[m.Type(in.Type).Elem] = true
				list = append(list, g.output(n, m.Type(in.Type).Elem))
			}
		}
	}
	return list
}

func (g *nodeGraph) output(n *GraphNode, array *Type) output {
	m := n.Module
	o := output{array: array, sparse: m.Decorated(array.ID, spirv.DecorationPayloadNodeSparseArrayAMDX)}
	if id, ok := m.Decoration(array.ID, spirv.DecorationPayloadNodeNameAMDX); ok {
		o.name = n.text(id)
	}
	o.base = number{fixed: true}
	if id, ok := m.Decoration(array.ID, spirv.DecorationPayloadNodeBaseIndexAMDX); ok {
		o.base.value, o.base.fixed = m.constantValue(id)
	}
	if id, ok := m.Decoration(array.ID, spirv.DecorationPayloadNodeArraySizeAMDX); ok {
		o.sized = true
		o.size.value, o.size.fixed = m.constantValue(id)
	}
	for _, i := range g.named[o.name] {
		if o.allowsIndex(g.nodes[i].Index) {
			o.to = append(o.to, i)
		}
	}
	return o
}

// input returns the type of a payload that a node takes, nil if it has none.
func (g *nodeGraph) input(n *GraphNode) *Type {
	for i, in := range g.inputs[n.Module] {
		if &n.Module.EntryPoints[i] != n.Entry || in.Variable == 0 {
			continue
		}
		t := n.Module.TypeOf(in.Variable).Elem
		if t.Kind == KindNodePayloadArray {
			t = t.Elem
		}
		return t
	}
	return nil
}

func (m *Module) bytes(t *Type) uint64 {
	l := &layout{m: m, r: &report{}, done: map[*Type]bool{}, sizes: map[*Type]uint64{}, aligns: map[*Type]uint32{}}
	return l.size(t, nil)
}

func (g *nodeGraph) unique() {
	for i, n := range g.nodes {
		if g.indexOf[nodeKey{n.Name, n.Index}] != i {
			g.fault(i, "another node has that name and index")
		}
	}
}

func (n *GraphNode) launchKind() string {
	switch {
	case n.Entry.Mode(spirv.ExecutionModeCoalescingAMDX) != nil:
		return "coalescing"
	case n.Entry.Mode(spirv.ExecutionModeStaticNumWorkgroupsAMDX) != nil:
		return "static"
	}
	return "dynamic"
}

// eachNamesake visits the nodes that have the name of an earlier one, with that.
func (g *nodeGraph) eachNamesake(visit func(i int, n, first *GraphNode)) {
	for i := range g.nodes {
		if n := &g.nodes[i]; g.named[n.Name][0] != i {
			visit(i, n, &g.nodes[g.named[n.Name][0]])
		}
	}
}

func (g *nodeGraph) sizes() {
	g.eachNamesake(func(i int, n, first *GraphNode) {
		if a, b := g.input(n), g.input(first); a != nil && b != nil && n.Module.bytes(a) != first.Module.bytes(b) {
			g.fault(i, "payload of %d bytes: that of index %d has %d", n.Module.bytes(a), first.Index, first.Module.bytes(b))
		}
	})
}

func (g *nodeGraph) models() {
	g.eachNamesake(func(i int, n, first *GraphNode) {
		if n.Entry.Model != first.Entry.Model {
			g.fault(i, "execution model %s: index %d has %s", n.Entry.Model, first.Index, first.Entry.Model)
		}
	})
}

// agreeIn returns the rule that nodes of one name have an execution mode all or none.
func agreeIn(mode spirv.ExecutionMode) func(*nodeGraph) {
	return func(g *nodeGraph) {
		g.eachNamesake(func(i int, n, first *GraphNode) {
			if (n.Entry.Mode(mode) == nil) != (first.Entry.Mode(mode) == nil) {
				g.fault(i, "launch is %s: that of index %d is %s", n.launchKind(), first.Index, first.launchKind())
			}
		})
	}
}

func (g *nodeGraph) targets() {
	for i := range g.nodes {
		for _, o := range g.edges[i] {
			if o.sparse {
				continue
			}
			if len(g.named[o.name]) == 0 && !(o.size.fixed && o.size.value == 0) {
				g.fault(i, "payloads are for %q, which is not a node of the graph", o.name)
				continue
			}
			first, end := uint32(0), o.size.value
			if !o.sized && o.base.fixed {
				first, end = o.base.value, o.base.value+1
			}
			for x := first; x < end; x++ {
				if _, ok := g.indexOf[nodeKey{o.name, x}]; !ok {
					g.fault(i, "payloads may be for %q index %d, which is not a node of the graph", o.name, x)
					break
				}
			}
		}
	}
}

// eachEdge visits the possible targets of a node's payloads that have an input.
func (g *nodeGraph) eachEdge(visit func(i int, o *output, to int, input *Type)) {
	for i := range g.nodes {
		for n := range g.edges[i] {
			for _, to := range g.edges[i][n].to {
				if input := g.input(&g.nodes[to]); input != nil {
					visit(i, &g.edges[i][n], to, input)
				}
			}
		}
	}
}

func (g *nodeGraph) finish() {
	g.eachEdge(func(i int, o *output, to int, input *Type) {
		sent := g.nodes[i].Module.Decorated(o.array.Elem.ID, spirv.DecorationTrackFinishWritingAMDX)
		if !sent {
			return
		}
		if !g.nodes[to].Module.Decorated(input.ID, spirv.DecorationTrackFinishWritingAMDX) {
			g.fault(i, "payloads for %q have TrackFinishWritingAMDX, and that node's input has not", o.name)
		}
		for s := range g.nodes {
			n := &g.nodes[s]
			if with, ok := n.sharesWith(); !ok || with != (nodeKey{g.nodes[to].Name, g.nodes[to].Index}) {
				continue
			}
			if shared := g.input(n); shared != nil && !n.Module.Decorated(shared.ID, spirv.DecorationTrackFinishWritingAMDX) {
				g.fault(i, "payloads for %q have TrackFinishWritingAMDX, and the input of %q index %d, which shares it, has not", o.name, n.Name, n.Index)
			}
		}
	})
}

// sharesWith returns the node whose input a node shares, if it shares any.
func (n *GraphNode) sharesWith() (k nodeKey, ok bool) {
	mode := n.Entry.Mode(spirv.ExecutionModeSharesInputWithAMDX)
	if mode == nil {
		return k, false
	}
	k.name = n.text(mode.Args[0])
	k.index, _ = n.Module.constantValue(mode.Args[1])
	return k, true
}

func (g *nodeGraph) payloads() {
	g.eachEdge(func(i int, o *output, to int, input *Type) {
		if a, b := g.nodes[i].Module.bytes(o.array.Elem), g.nodes[to].Module.bytes(input); a != b {
			g.fault(i, "payloads for %q have %d bytes: the input of index %d has %d", o.name, a, g.nodes[to].Index, b)
		}
	})
}

func (g *nodeGraph) sharedInputs() {
	sharing := map[nodeKey]int{}
	for i := range g.nodes {
		n := &g.nodes[i]
		k, shares := n.sharesWith()
		if !shares {
			continue
		}
		base, ok := g.indexOf[k]
		switch sharing[k]++; {
		case !ok:
			g.fault(i, "shares the input of %q index %d, which is not a node of the graph", k.name, k.index)
		case base == i:
			g.fault(i, "shares its input with itself")
		case g.nodes[base].Entry.Mode(spirv.ExecutionModeSharesInputWithAMDX) != nil:
			g.fault(i, "shares the input of %q index %d, which shares another's itself", k.name, k.index)
		case sharing[k] >= maxSharing:
			g.fault(i, "more than %d nodes share the input of %q index %d", maxSharing, k.name, k.index)
		}
	}
}

// cycles finds nodes that enqueue to themselves without recursion, and cycles
// of more nodes than one, which no limit bounds.
func (g *nodeGraph) cycles() {
	state := make([]int8, len(g.nodes))
	var visit func(i int)
	visit = func(i int) {
		state[i] = callOpen
		for _, o := range g.edges[i] {
			for _, to := range o.to {
				switch {
				case to == i:
					if g.nodes[i].Entry.Mode(spirv.ExecutionModeMaxNodeRecursionAMDX) == nil {
						g.fault(i, "enqueues payloads for itself, and has no MaxNodeRecursionAMDX")
					}
				case state[to] == callOpen:
					g.fault(i, "payloads for %q index %d make a cycle of nodes", g.nodes[to].Name, g.nodes[to].Index)
				case state[to] == 0:
					visit(to)
				}
			}
		}
		state[i] = callDone
	}
	for i := range g.nodes {
		if state[i] == 0 {
			visit(i)
		}
	}
}

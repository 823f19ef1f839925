package graph

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"spvsim/cu"
	"spvsim/program"
	"spvsim/scheduler"
)

// ErrGraph reports nodes that do not form a valid execution graph.
var ErrGraph = errors.New("scheduler: execution graph")

// What an implementation must at least offer, and what this one offers (V: Vulkan, VK_AMDX_shader_enqueue).
const (
	maxOutputs       = 256
	maxAxis          = 65535 // resident workgroups
	maxWorkgroups    = 1<<24 - 1
	maxSharing       = 256 // nodes that share one input, including its owner
	payloadAlignment = 16  // bytes; payloads take multiples of it
)

// A Node is an entry point at its place in a graph.
type Node struct {
	Graph   string // name of its graph; empty: the job has one graph
	Name    string
	Index   uint32
	Shader  string // file, for messages
	Program *program.Program
	Launch  *cu.KernelLaunch // what its workgroups run; nil in a graph that does not run
	// Priority orders nodes under queue.arbitration priority: higher values first.
	Priority int

	meta     program.Node
	id       int
	label    string // of a node in a graph
	size     uint32 // bytes of a payload
	indirect *program.Indirect
	outputs  []output
	base     *Node   // node whose input it shares, or nil
	sharers  []*Node // nodes that share its input
	sharer   int     // index in base.sharers
	stages   []*stage
}

// An output is a type of payloads that a node allocates, with the nodes that they can reach.
type output struct {
	*program.Output
	targets map[uint32]*Node // by index, BaseIndex included; never iterated
	list    []*Node          // in the order of the graph
	root    int              // output whose NodeMaxPayloadsAMDX counts
	limit   uint64           // payloads of one workgroup, over all outputs of the root
	stride  uint32           // bytes that a payload takes in the pool
}

// A stage is a node at one level of recursion.
type stage struct {
	*Node
	id        int
	remaining uint32
	level     int    // from 1; outputs go to larger levels
	worst     uint64 // bytes that one workgroup may allocate
	feeders   []int  // stages whose payloads may lead to it, directly or not
}

// A Graph is a checked set of nodes.
type Graph struct {
	Nodes  []*Node
	stages []*stage
	Depth  int
	worst  []uint64 // by level: largest stage.worst
	deeper []uint64 // by level: sum of worst over the deeper ones
	byRef  map[program.NodeRef]*Node
	limits scheduler.GraphLimits
}

// String is the node's name, its index, and its graph where there are several.
func (n *Node) String() string {
	if n.label != "" {
		return n.label
	}
	return newLabel(n)
}

func newLabel(n *Node) string {
	if n.Graph != "" {
		return fmt.Sprintf("%s.%s[%d]", n.Graph, n.Name, n.Index)
	}
	return fmt.Sprintf("%s[%d]", n.Name, n.Index)
}

// PayloadBytes returns the size of the node's payloads.
func (n *Node) PayloadBytes() uint32 { return n.size }

// Dispatchable returns why the host may not dispatch the node, or nil.
func (n *Node) Dispatchable() error {
	switch {
	case n.base != nil:
		return graphError("node %v shares the input of %v: the host can't dispatch it", n, n.base)
	case !n.meta.APIEntry:
		return graphError("node %v is not for the host to dispatch: its IsApiEntryAMDX is false", n)
	}
	return nil
}

// Outputs lists the nodes that the node may enqueue to, in the order of the graph.
func (n *Node) Outputs() (list []*Node) {
	seen := map[*Node]bool{}
	for i := range n.outputs {
		for _, t := range n.outputs[i].list {
			if !seen[t] {
				seen[t] = true
				list = append(list, t)
			}
		}
	}
	return list
}

// NewGraph connects nodes and checks them against each other and against limits.
func NewGraph(nodes []*Node, limits scheduler.GraphLimits) (*Graph, error) {
	g := &Graph{Nodes: nodes, limits: limits, byRef: map[program.NodeRef]*Node{}}
	for _, step := range []func() error{g.identify, g.connectSharers, g.connect, g.assignLevels, g.checkLimits} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	g.computeReserves()
	return g, nil
}

func graphError(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrGraph, fmt.Sprintf(format, args...))
}

// Find returns the node of a name and index, or nil.
func (g *Graph) Find(name string, index uint32) *Node {
	return g.byRef[program.NodeRef{Name: name, Index: index}]
}

// identify fills in what entry points leave out, and checks that names are unique.
func (g *Graph) identify() error {
	var errs []error
	for i, n := range g.Nodes {
		n.id, n.label = i, newLabel(n)
		ref := program.NodeRef{Name: n.Name, Index: n.Index}
		if g.byRef[ref] != nil {
			errs = append(errs, graphError("found two nodes %v: want one", n))
		}
		g.byRef[ref] = n
		n.meta = program.Node{APIEntry: true}
		if n.Program.Node != nil {
			n.meta = *n.Program.Node
		}
		n.describeInput()
	}
	return errors.Join(append(errs, g.checkSameNames())...)
}

// describeInput sets the payload of a node. A dynamic node without declared input has a payload of three counts.
func (n *Node) describeInput() {
	n.outputs = make([]output, len(n.meta.Outputs))
	switch in := n.meta.Input; {
	case in != nil:
		n.size, n.indirect = in.Bytes, in.Indirect
		if n.meta.Launch == program.Dynamic && in.Indirect == nil {
			n.indirect = &program.Indirect{} // no component: all counts are 1
		}
	case n.meta.Launch == program.Dynamic:
		n.size, n.indirect = 12, &program.Indirect{Components: 3, Bits: 32}
	}
}

// checkSameNames checks that nodes of one name agree in model, payload size and launch kind.
func (g *Graph) checkSameNames() error {
	first := map[string]*Node{}
	for _, n := range g.Nodes {
		f := first[n.Name]
		if f == nil {
			first[n.Name] = n
			continue
		}
		for _, c := range []struct {
			what string
			same bool
		}{
			{"execution model", n.meta.Model == f.meta.Model},
			{fmt.Sprintf("payload size (%d and %d bytes)", f.size, n.size), n.size == f.size},
			{fmt.Sprintf("launch kind (%v and %v)", f.meta.Launch, n.meta.Launch), n.meta.Launch == f.meta.Launch},
		} {
			if !c.same {
				return graphError("nodes %v and %v differ in %s", f, n, c.what)
			}
		}
	}
	return nil
}

// connectSharers connects nodes that share an input to the node that owns it.
func (g *Graph) connectSharers() error {
	for _, n := range g.Nodes {
		ref := n.meta.SharesInput
		if ref == nil {
			continue
		}
		if n.base = g.byRef[*ref]; n.base != nil && n.meta.Input == nil && n.meta.Launch != program.Dynamic {
			n.size = n.base.size // it does not read the payload
		}
		switch {
		case n.base == nil:
			return graphError("node %v shares the input of %s[%d], which is not in the graph", n, ref.Name, ref.Index)
		case n.base == n || n.base.meta.SharesInput != nil:
			return graphError("node %v shares the input of %v, which has none of its own", n, n.base)
		case n.size != n.base.size:
			return graphError("node %v shares the input of %v, but its payload has %d bytes, not %d", n, n.base, n.size, n.base.size)
		case n.meta.MaxRecursion > 0:
			return graphError("node %v shares an input and can't be recursive", n)
		case n.meta.Input != nil && n.base.meta.Input != nil && n.meta.Input.TrackFinish != n.base.meta.Input.TrackFinish:
			return graphError("node %v and %v, whose input it shares, do not agree in TrackFinishWritingAMDX", n, n.base)
		}
		n.sharer = len(n.base.sharers)
		if n.base.sharers = append(n.base.sharers, n); len(n.base.sharers) == maxSharing {
			return graphError("more than %d nodes share the input of %v", maxSharing, n.base)
		}
	}
	return nil
}

// connect finds the target nodes of each output.
func (g *Graph) connect() error {
	var errs []error
	for _, n := range g.Nodes {
		for i := range n.outputs {
			o := &n.outputs[i]
			o.Output, o.targets, o.root = &n.meta.Outputs[i], map[uint32]*Node{}, i
			if k := o.SharesLimits; k >= 0 && k < len(n.outputs) {
				o.root = k
			}
			o.stride = (o.Bytes + payloadAlignment - 1) / payloadAlignment * payloadAlignment
			o.stride = max(o.stride, payloadAlignment)
			g.connectTargets(o)
			errs = append(errs, g.checkOutput(n, o))
		}
		g.setLimits(n)
	}
	return errors.Join(errs...)
}

func (g *Graph) connectTargets(o *output) {
	for _, t := range g.Nodes {
		if t.Name == o.Node && o.AllowsIndex(t.Index) {
			o.targets[t.Index] = t
			o.list = append(o.list, t)
		}
	}
}

func (g *Graph) checkOutput(n *Node, o *output) error {
	if o.MaxPayloads == 0 {
		return graphError("node %v: the NodeMaxPayloadsAMDX of its output to %s is 0", n, o.Node)
	}
	for _, t := range o.list {
		need := t.size
		if t.indirect != nil && t.meta.Input == nil {
			need = 12
		}
		switch {
		case t.base != nil:
			return graphError("node %v enqueues to %v, which shares the input of %v", n, t, t.base)
		case t.meta.Input != nil && t.meta.Input.Bytes != o.Bytes || o.Bytes < need:
			return graphError("node %v enqueues payloads of %d bytes to %v, whose payload has %d", n, o.Bytes, t, t.size)
		case t.meta.Input != nil && t.meta.Input.TrackFinish != o.TrackFinish:
			return graphError("node %v and its target %v do not agree in TrackFinishWritingAMDX", n, t)
		case t == n && !n.meta.Recursive:
			return graphError("node %v enqueues to itself without MaxNodeRecursionAMDX", n)
		}
	}
	return g.checkIndexes(n, o)
}

// checkIndexes checks that an array of nodes that is not sparse has a node for each index from 0 to its size, also
// below its base index; and that an output without a size has its one node.
func (g *Graph) checkIndexes(n *Node, o *output) error {
	first, end := uint32(0), o.ArraySize
	switch {
	case o.Sparse:
		return nil
	case o.Single():
		first, end = o.BaseIndex, o.BaseIndex+1
	}
	for i := first; i < end; i++ {
		if g.byRef[program.NodeRef{Name: o.Node, Index: i}] == nil {
			return graphError("node %v enqueues to %s[%d], which is not in the graph (nor is the array sparse)", n, o.Node, i)
		}
	}
	return nil
}

// setLimits works out how many payloads one workgroup may allocate, of all outputs that share a limit:
// NodeMaxPayloadsAMDX once for arrays of the workgroup, and once for each invocation if invocations allocate; at most
// the machine's limit of a workgroup.
func (g *Graph) setLimits(n *Node) {
	local := n.Program.LocalSize
	lanes := uint64(local[0]) * uint64(local[1]) * uint64(local[2])
	for i := range n.outputs {
		o := &n.outputs[i]
		times := uint64(0)
		if o.Invocation {
			times = lanes
		}
		if o.Workgroup || times == 0 {
			times++
		}
		r := &n.outputs[o.root]
		r.limit = max(r.limit, min(uint64(r.MaxPayloads)*times, uint64(g.limits.MaxPayloads)))
	}
}

// assignLevels gives each stage a level: one more than the largest level of the stages that lead to it.
func (g *Graph) assignLevels() error {
	starts := make([]int, len(g.Nodes))
	state := make([]int, len(g.Nodes)) // 0: new, 1: on the path, 2: done
	producers := g.producers()
	maxDepth := g.limits.MaxDepth
	deepest := uint32(maxDepth + 1)
	var visit func(n *Node, path []string) error
	visit = func(n *Node, path []string) error {
		path = append(path, n.String())
		if state[n.id] == 1 {
			return graphError("nodes enqueue in a cycle: %s", strings.Join(path, " from "))
		}
		if state[n.id] == 2 {
			return nil
		}
		state[n.id], starts[n.id] = 1, 1
		for _, p := range producers[n.id] {
			if err := visit(p, path); err != nil {
				return err
			}
			starts[n.id] = max(starts[n.id], starts[p.id]+int(min(p.entry().meta.MaxRecursion, deepest))+1)
		}
		state[n.id] = 2
		return nil
	}
	for _, n := range g.Nodes {
		if err := visit(n, nil); err != nil {
			return err
		}
		if last := starts[n.id] + int(min(n.entry().meta.MaxRecursion, deepest)); last > maxDepth {
			return graphError("node %v reaches depth %d: want at most %d, recursion counted (queue.max_depth)", n, last, maxDepth)
		}
	}
	g.makeStages(starts)
	g.findFeeders()
	return nil
}

// producers lists for each node the other nodes that enqueue to it or to the node whose input it shares.
func (g *Graph) producers() [][]*Node {
	list := make([][]*Node, len(g.Nodes))
	for _, n := range g.Nodes {
		for _, t := range n.Outputs() {
			if t == n {
				continue
			}
			list[t.id] = append(list[t.id], n)
			for _, s := range t.sharers {
				list[s.id] = append(list[s.id], n)
			}
		}
	}
	return list
}

func (g *Graph) makeStages(starts []int) {
	for _, n := range g.Nodes {
		levels, start := n.entry().meta.MaxRecursion, starts[n.id]
		n.stages = make([]*stage, levels+1)
		for i := range n.stages {
			remaining := levels - uint32(i)
			s := &stage{Node: n, id: len(g.stages), remaining: remaining, level: start + i}
			s.worst = g.allowance(n, remaining > 0).memory
			n.stages[remaining] = s
			g.stages = append(g.stages, s)
			g.Depth = max(g.Depth, s.level)
		}
	}
}

// findFeeders finds for each stage the stages whose payloads may lead to it.
func (g *Graph) findFeeders() {
	direct := make([][]int, len(g.stages))
	for _, s := range g.stages {
		for i := range s.outputs {
			for _, t := range s.outputs[i].list {
				if to := s.next(t); to != nil {
					direct[to.id] = append(direct[to.id], s.id)
					for _, other := range t.sharers {
						direct[other.stages[to.remaining].id] = append(direct[other.stages[to.remaining].id], s.id)
					}
				}
			}
		}
	}
	for _, s := range g.stages {
		seen := make([]bool, len(g.stages))
		for list := direct[s.id]; len(list) > 0; list = list[1:] {
			if f := list[0]; !seen[f] {
				seen[f] = true
				s.feeders = append(s.feeders, f)
				list = append(list, direct[f]...)
			}
		}
	}
}

// next returns the stage of a node that payloads from this stage go to; nil: the recursion is spent.
func (s *stage) next(t *Node) *stage {
	switch {
	case t != s.Node:
		return t.stages[len(t.stages)-1]
	case s.remaining == 0:
		return nil
	}
	return t.stages[s.remaining-1]
}

// An allowance is the most that one workgroup of a node may allocate.
type allowance struct {
	payloads uint64
	bytes    uint64 // of the payloads, each as large as the largest type that shares the limit
	memory   uint64 // that they take in the pool, in multiples of payloadAlignment
}

// allowance adds up the limits of a node's outputs, at most to the machine's limits of a workgroup. Outputs to the
// node itself do not count if recursive is false.
func (g *Graph) allowance(n *Node, recursive bool) (sum allowance) {
	strides, empty := map[uint32]uint64{}, uint64(0) // number of payloads by stride, and of those that may have no bytes
	for _, r := range n.roots(recursive) {
		limit := n.outputs[r.output].limit
		sum.payloads += limit
		sum.bytes += limit * uint64(r.bytes)
		strides[r.stride] += limit
		if r.empty {
			empty += limit
		}
	}
	sum.payloads = min(sum.payloads, uint64(g.limits.MaxPayloads))
	sum.bytes = min(sum.bytes, uint64(g.limits.MaxPayloadBytes))
	left := sum.payloads
	for _, stride := range slices.Backward(slices.Sorted(maps.Keys(strides))) { // largest payloads first
		count := min(strides[stride], left)
		sum.memory += count * uint64(stride)
		left -= count
	}
	// Rounding adds all of payloadAlignment to a payload without bytes, and at most 1 less to others.
	sum.memory = min(sum.memory, sum.bytes+sum.payloads*(payloadAlignment-1)+min(empty, sum.payloads))
	return sum
}

// A root is an output whose limit counts, with the largest payload of the outputs that share the limit.
type root struct {
	output        int
	bytes, stride uint32
	empty         bool // one of them has payloads without bytes
}

func (n *Node) roots(recursive bool) (list []root) {
	for i := range n.outputs {
		o := &n.outputs[i]
		if !recursive && len(o.list) == 1 && o.list[0] == n {
			continue
		}
		k := slices.IndexFunc(list, func(r root) bool { return r.output == o.root })
		if k < 0 {
			k, list = len(list), append(list, root{output: o.root})
		}
		list[k].bytes, list[k].stride = max(list[k].bytes, o.Bytes), max(list[k].stride, o.stride)
		list[k].empty = list[k].empty || o.Bytes == 0
	}
	return list
}

// checkLimits checks each node against the limits of the machine. NodeMaxPayloadsAMDX counts once for each output: how
// many invocations allocate shows only at run time.
func (g *Graph) checkLimits() error {
	var errs []error
	for _, n := range g.Nodes {
		check := func(what string, got, most uint64) {
			if got > most {
				errs = append(errs, graphError("node %v: %d %s: want at most %d", n, got, what, most))
			}
		}
		bytes, count := uint64(0), uint64(0)
		for _, r := range n.roots(true) {
			most := uint64(n.outputs[r.output].MaxPayloads)
			count += most
			bytes += most * uint64(r.bytes)
		}
		check("outputs", uint64(len(n.outputs)), maxOutputs)
		check("bytes of payloads in one workgroup", bytes, uint64(g.limits.MaxPayloadBytes))
		check("payloads in one workgroup", count, uint64(g.limits.MaxPayloads))
		if n.meta.Launch == program.Static {
			errs = append(errs, checkGrid(n, n.meta.Workgroups))
		}
	}
	return errors.Join(errs...)
}

func checkGrid(n *Node, grid [3]uint32) error {
	total := uint64(1)
	for i, size := range grid {
		if size > maxAxis {
			return graphError("node %v: %d workgroups in %c: want at most %d", n, size, 'x'+i, maxAxis)
		}
		total *= uint64(size)
	}
	if total > maxWorkgroups {
		return graphError("node %v: %d workgroups: want at most %d", n, total, maxWorkgroups)
	}
	return nil
}

// computeReserves works out the memory that must stay free while a workgroup of each level starts.
func (g *Graph) computeReserves() {
	g.worst, g.deeper = make([]uint64, g.Depth+2), make([]uint64, g.Depth+2)
	for _, s := range g.stages {
		g.worst[s.level] = max(g.worst[s.level], s.worst)
	}
	for l := g.Depth; l >= 0; l-- {
		g.deeper[l] = g.deeper[l+1] + g.worst[l+1]
	}
}

// MinimumBytes returns the payload memory with which the graph always finishes: the largest allowance of a workgroup,
// summed over all levels.
func (g *Graph) MinimumBytes() uint64 { return g.deeper[0] }

// maximumCap bounds MaximumBytes where the graph sets no bound. Knob.
const maximumCap = 256 << 20

// MaximumBytes returns the most payload memory that a dispatch of that many payloads to each node can use.
func (g *Graph) MaximumBytes(counts map[*Node]uint64) uint64 {
	total := 0.0
	payloads := make([]float64, len(g.stages))
	for level := 1; level <= g.Depth; level++ {
		for _, s := range g.stages {
			if s.level != level {
				continue
			}
			if s.remaining == uint32(len(s.stages)-1) {
				payloads[s.id] += float64(counts[s.entry()])
			}
			groups := payloads[s.id] * s.mostGroups()
			total += groups * float64(s.worst)
			for i := range s.outputs {
				s.addPayloads(&s.outputs[i], groups, payloads)
			}
		}
	}
	return uint64(min(max(total, float64(g.MinimumBytes())), max(maximumCap, float64(g.MinimumBytes()))))
}

// entry returns the node that the host dispatches to start this one.
func (n *Node) entry() *Node {
	if n.base != nil {
		return n.base
	}
	return n
}

// mostGroups returns the most workgroups that one payload may start.
func (n *Node) mostGroups() float64 {
	w := n.meta.Workgroups
	switch {
	case n.meta.Launch == program.Coalescing:
		return 1
	case w == [3]uint32{}:
		return maxWorkgroups
	}
	return float64(w[0]) * float64(w[1]) * float64(w[2])
}

// addPayloads adds the payloads of an output to the stages that it reaches.
func (s *stage) addPayloads(o *output, groups float64, payloads []float64) {
	n := groups * float64(s.outputs[o.root].limit)
	for _, t := range o.list {
		to := t.stages[len(t.stages)-1]
		if t == s.Node {
			if s.remaining == 0 {
				continue
			}
			to = t.stages[s.remaining-1]
		}
		payloads[to.id] = min(payloads[to.id]+n, math.MaxFloat32)
		for _, sharer := range t.sharers {
			payloads[sharer.stages[to.remaining].id] = payloads[to.id]
		}
	}
}

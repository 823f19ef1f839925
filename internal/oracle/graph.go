package oracle

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"spvsim/program/ir"
)

// ErrGraph is wrapped by every violation of the rules of execution graphs by a graph or a shader in it.
var ErrGraph = errors.New("execution graph")

// A NodeProgram is an entry point with its name and index in a graph.
type NodeProgram struct {
	Name  string
	Index uint32
	Func  *ir.Func
	// Descriptors and Push are as in Dispatch.
	Descriptors []Descriptor
	Push        []byte
}

// A Record starts payloads of a node from the host: Count of them, each Stride
// bytes after the one before; a stride of 0 repeats the first.
type Record struct {
	Node   string
	Index  uint32
	Count  int
	Data   []byte
	Stride int
}

// A Graph is the input of RunGraph.
type Graph struct {
	Nodes    []NodeProgram
	WaveSize int
	Regions  []Region
	Print    func(format string, args []uint64)
	// MaxSteps bounds the blocks of a workgroup, as in Dispatch, and MaxWorkgroups the workgroups of a run; 0 means
	// 1e6.
	MaxSteps, MaxWorkgroups int
	// Coalesce bounds the payloads of one coalescing workgroup, below the limit of the node; 0 means no bound.
	Coalesce int
}

// NodeStats counts the payloads and workgroups of one node.
type NodeStats struct{ Payloads, Workgroups int }

// GraphStats counts the events of a run.
type GraphStats struct {
	Stats
	Nodes   []NodeStats // in the order of Graph.Nodes
	Dropped int         // payload arrays allocated and never enqueued
	// Depth is the longest chain of nodes, the entry counted as 1.
	Depth int
}

// A payload is one record in payload memory.
type payload struct {
	data   []byte
	owner  *workgroup // the workgroup that allocated it, until it is enqueued
	launch *launch    // the launch whose input it is
	host   bool       // it came from the host
	// Workgroups that can access it, and those that have finished writing.
	groups   int
	finished map[*workgroup]bool
	freed    bool
}

// An array is the payload array of a handle.
type array struct {
	elems  []int // numbers of payloads
	output *ir.Output
	target *nodeRun
	level  int // recursion levels left to the target
	depth  int
	perSet bool // allocated by one invocation
	queued bool
}

// A nodeRun is the state of a node while its graph runs.
type nodeRun struct {
	NodeProgram
	number  int
	node    *ir.Node
	m       *machine
	sharers []*nodeRun // nodes that get the same payloads
}

// A launch is the start of a node's workgroups for one or more payloads.
type launch struct {
	node   *nodeRun
	input  uint64 // handle
	level  int
	depth  int
	group  *workgroup
	groups [3]uint32
}

// A ticket is a payload in the queue of its node.
type ticket struct {
	to           *nodeRun
	payload      int
	level, depth int
}

type graphRun struct {
	g        *Graph
	nodes    []*nodeRun
	payloads []*payload
	arrays   []*array
	queue    []ticket
	total    int
	stats    GraphStats
}

// RunGraph interprets a graph one payload after the other: those of the host first, in order, then the others in the
// order of their enqueues. Payloads of a coalescing node that wait at the same time are launched together.
func RunGraph(g Graph, records []Record) (GraphStats, error) {
	r := &graphRun{g: &g, stats: GraphStats{Nodes: make([]NodeStats, len(g.Nodes))}}
	g.MaxWorkgroups, g.MaxSteps = cmp.Or(g.MaxWorkgroups, 1e6), cmp.Or(g.MaxSteps, 1e6)
	if err := r.link(); err != nil {
		return r.stats, err
	}
	for _, rec := range records {
		if err := r.dispatch(rec); err != nil {
			return r.stats, err
		}
	}
	for len(r.queue) > 0 {
		if err := r.start(r.dequeue()); err != nil {
			return r.stats, err
		}
	}
	return r.stats, nil
}

// link finds the nodes and those that share inputs.
func (r *graphRun) link() error {
	for i, p := range r.g.Nodes {
		if r.find(p.Name, p.Index) != nil {
			return fmt.Errorf("%w: two nodes are %q index %d", ErrGraph, p.Name, p.Index)
		}
		n := &nodeRun{NodeProgram: p, number: i, node: p.Func.Node}
		if n.node == nil {
			n.node = &ir.Node{APIEntry: true}
		}
		n.m = newMachine(p.Func, &Dispatch{WaveSize: r.g.WaveSize, Descriptors: p.Descriptors, Push: p.Push,
			Regions: r.g.Regions, Print: r.g.Print, MaxSteps: r.g.MaxSteps})
		n.m.graph = r
		r.nodes = append(r.nodes, n)
	}
	for _, n := range r.nodes {
		if s := n.node.SharesInput; s != nil {
			base := r.find(s.Name, s.Index)
			if base == nil || base == n {
				return fmt.Errorf("%w: %s shares the input of %q index %d, which is not another node", ErrGraph, n, s.Name, s.Index)
			}
			base.sharers = append(base.sharers, n)
		}
	}
	return nil
}

func (n *nodeRun) String() string { return fmt.Sprintf("node %q index %d", n.Name, n.Index) }

func (r *graphRun) find(name string, index uint32) *nodeRun {
	i := slices.IndexFunc(r.nodes, func(n *nodeRun) bool { return n.Name == name && n.Index == index })
	if i < 0 {
		return nil
	}
	return r.nodes[i]
}

// countBytes is the size of the payload of a dynamic node without input variable: three counts of 32 bits.
const countBytes = 12

// payloadBytes returns the size of a node's payloads.
func (n *nodeRun) payloadBytes() int {
	switch {
	case n.node.Input != nil:
		return int(n.node.Input.Bytes)
	case n.node.Launch == ir.Dynamic:
		return countBytes
	}
	return 0
}

func (r *graphRun) dispatch(rec Record) error {
	n := r.find(rec.Node, rec.Index)
	if n == nil || !n.node.APIEntry || n.node.SharesInput != nil {
		return fmt.Errorf("%w: %q index %d is not a node that the host can dispatch", ErrGraph, rec.Node, rec.Index)
	}
	size := n.payloadBytes()
	for i := range rec.Count {
		at := i * rec.Stride
		if at+size > len(rec.Data) {
			return fmt.Errorf("%w: payload %d of %s: bytes %d to %d of %d", ErrGraph, i, n, at, at+size, len(rec.Data))
		}
		r.payloads = append(r.payloads, &payload{data: append([]byte(nil), rec.Data[at:at+size]...), host: true})
		r.push(ticket{n, len(r.payloads) - 1, int(n.node.MaxRecursion), 1})
	}
	return nil
}

func (r *graphRun) push(t ticket) {
	r.queue = append(r.queue, t)
	r.stats.Nodes[t.to.number].Payloads++
	r.stats.Depth = max(r.stats.Depth, t.depth)
}

// dequeue removes the first payload from the queue, and for a coalescing node those that can be launched with it.
func (r *graphRun) dequeue() []ticket {
	first := r.queue[0]
	space := 1
	if n := first.to.node; n.Launch == ir.Coalescing {
		space = 1 << 30
		if n.Input != nil {
			space = int(n.Input.MaxPayloads)
		}
		if r.g.Coalesce > 0 {
			space = min(space, r.g.Coalesce)
		}
	}
	if space == 1 {
		r.queue = r.queue[1:]
		return []ticket{first}
	}
	var taken []ticket
	rest := make([]ticket, 0, len(r.queue))
	for _, t := range r.queue {
		if len(taken) < space && t.to == first.to && t.level == first.level {
			taken = append(taken, t)
		} else {
			rest = append(rest, t)
		}
	}
	r.queue = rest
	return taken
}

// start runs a node on payloads, then the nodes that share them.
func (r *graphRun) start(tickets []ticket) error {
	first := tickets[0]
	a := &array{}
	for _, t := range tickets {
		a.elems = append(a.elems, t.payload)
		first.depth = max(first.depth, t.depth)
	}
	r.arrays = append(r.arrays, a)
	handle := uint64(len(r.arrays))
	var launches []*launch
	for _, n := range append([]*nodeRun{first.to}, first.to.sharers...) {
		l := &launch{node: n, input: handle, depth: first.depth}
		if n == first.to {
			l.level = first.level // nodes that share its payloads are not recursive
		}
		launches = append(launches, l)
		var err error
		if l.groups, err = n.size(r.payloads[a.elems[0]].data); err != nil {
			return err
		}
		for _, i := range a.elems {
			r.payloads[i].groups += int(l.groups[0]) * int(l.groups[1]) * int(l.groups[2])
		}
	}
	for _, l := range launches {
		n := l.node
		if n != first.to {
			r.stats.Nodes[n.number].Payloads += len(tickets)
		}
		if err := r.workgroups(l, a); err != nil {
			return err
		}
	}
	for _, p := range a.elems {
		r.payloads[p].freed = true
		r.payloads[p].data = nil
	}
	return nil
}

func (r *graphRun) workgroups(l *launch, a *array) error {
	n := l.node
	for _, i := range a.elems {
		r.payloads[i].launch, r.payloads[i].owner = l, nil
	}
	n.m.launch, n.m.d.Groups = l, l.groups
	before := n.m.stats
	err := each3(l.groups, func(id [3]uint32) error {
		if r.total++; r.total > r.g.MaxWorkgroups {
			return fmt.Errorf("%w: more than %d workgroups", ErrSteps, r.g.MaxWorkgroups)
		}
		r.stats.Nodes[n.number].Workgroups++
		return r.endGroup(n, l, n.m.workgroup(id))
	})
	r.stats.Blocks += n.m.stats.Blocks - before.Blocks
	r.stats.OutOfBounds += n.m.stats.OutOfBounds - before.OutOfBounds
	return err
}

func each3(n [3]uint32, f func(id [3]uint32) error) error {
	for z := range n[2] {
		for y := range n[1] {
			for x := range n[0] {
				if err := f([3]uint32{x, y, z}); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// size returns the number of workgroups of a payload.
func (n *nodeRun) size(data []byte) ([3]uint32, error) {
	one := [3]uint32{1, 1, 1}
	switch {
	case n.node.Launch == ir.Coalescing:
		return one, nil
	case n.node.Launch == ir.Static:
		return n.node.Workgroups, nil
	}
	at := ir.Indirect{Components: 3, Bits: 32}
	if n.node.Input != nil {
		if n.node.Input.Indirect == nil {
			return one, nil
		}
		at = *n.node.Input.Indirect
	}
	size := one
	for i := range size[:at.Components] {
		first, end := at.ComponentBytes(i)
		var word [4]byte
		copy(word[:], data[first:end])
		size[i] = binary.LittleEndian.Uint32(word[:])
		if most := n.node.Workgroups[i]; most != 0 && size[i] > most {
			return size, fmt.Errorf("%w: %s: a payload asks for %d workgroups in dimension %d, at most %d are declared", ErrGraph, n, size[i], i, most)
		}
	}
	return size, nil
}

// endGroup queues the payloads that a workgroup enqueued and drops its others.
func (r *graphRun) endGroup(n *nodeRun, l *launch, runErr error) error {
	if runErr != nil {
		return fmt.Errorf("%s: %w", n, runErr)
	}
	for _, h := range l.group.queued {
		a := r.arrays[h-1]
		for _, p := range a.elems {
			r.payloads[p].owner = nil
			r.push(ticket{a.target, p, a.level, a.depth})
		}
	}
	for _, h := range l.group.handles {
		if a := r.arrays[h-1]; !a.queued {
			r.stats.Dropped++
			for _, p := range a.elems {
				r.payloads[p].freed = true
			}
		}
	}
	return nil
}

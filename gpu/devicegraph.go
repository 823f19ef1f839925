package gpu

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"spvsim/account"
	"spvsim/config"
	"spvsim/cu"
	"spvsim/mem"
	"spvsim/program"
	"spvsim/program/ir"
	"spvsim/scheduler/graph"
	"spvsim/spirv/validate"
)

// A Graph is an execution graph that a device can run.
type Graph struct {
	graph    *graph.Graph
	codes    *graphJob            // what its jobs have in common
	jobs     map[uint64]*graphJob // by bytes of scratch memory
	programs []*program.Program
}

// A GraphNode is a node of an execution graph. Without a name it has that of its entry point, without an index the shader's.
type GraphNode struct {
	KernelSetup
	Name     string
	Index    uint32
	HasIndex bool
	// Program, if not nil, is used instead of lowering the node; it was lowered among the same nodes.
	Program *program.Program
}

// Graph lowers nodes and connects them.
func (d *Device) Graph(list []GraphNode) (*Graph, error) {
	d.kernels.Lock()
	defer d.kernels.Unlock()
	var linked []validate.GraphNode
	for i := range list {
		n := &list[i]
		node := validate.GraphNode{Name: n.Name, Index: n.Index, Module: n.Module, Entry: entryPoint(n.Module, n.Entry)}
		if node.Entry == nil {
			return nil, fmt.Errorf("nodes[%d]: found no entry point %q: want one of %s", i, n.Entry, entryNames(n.Module))
		}
		node.Name = cmp.Or(node.Name, node.Entry.Name)
		linked = append(linked, node)
	}
	g := &Graph{codes: &graphJob{repeat: 1}, jobs: map[uint64]*graphJob{}}
	var nodes []*graph.Node
	for i := range list {
		n, err := d.graphNode(&list[i], linked)
		if err != nil {
			return nil, fmt.Errorf("nodes[%d]: %w", i, err)
		}
		nodes = append(nodes, n)
		g.programs = append(g.programs, n.Program)
		linked[i].Name, linked[i].Index = n.Name, n.Index
		g.codes.codes = append(g.codes.codes, n.Launch.Code)
	}
	err := validate.CheckGraph(linked)
	if err == nil {
		g.graph, err = graph.NewGraph(nodes, d.Machine().Queue.GraphLimits)
	}
	return g, err
}

// graphNode lowers a node among the others.
func (d *Device) graphNode(n *GraphNode, linked []validate.GraphNode) (*graph.Node, error) {
	p := d.r.programs
	n.WaveSize = cmp.Or(n.WaveSize, d.Machine().WaveSize)
	prog, err := n.Program, error(nil)
	if prog == nil {
		prog, err = program.Lower(n.Module, program.Options{
			Entry: n.Entry, Specialization: n.Specialization, Nodes: linked, Target: p.target(n.WaveSize),
		})
	}
	if err != nil {
		return nil, err
	}
	made, err := p.placeCode(prog)
	if err != nil {
		return nil, err
	}
	d.lowered = append(d.lowered, made)
	for i := range prog.Bindings {
		if prog.Bindings[i].Kind == ir.MeshOutput {
			return nil, fmt.Errorf("%w: %s is a mesh node: a device has nowhere to draw", errGraph, prog.Name)
		}
	}
	l := &cu.KernelLaunch{Code: made.code, Resources: made.resources, Bindings: &mem.Bindings{}}
	return newNode(l, n.Name, prog.Name, n.Index, n.HasIndex), nil
}

// Node returns the number of a node, by which dispatches name it; -1: there is none.
func (g *Graph) Node(name string, index uint32) int {
	return slices.IndexFunc(g.graph.Nodes, func(n *graph.Node) bool { return n.Name == name && n.Index == index })
}

// Name returns the name and the index of a node by its number.
func (g *Graph) Name(node int) (string, uint32) {
	n := g.graph.Nodes[node]
	return n.Name, n.Index
}

// Programs returns the programs of the nodes, in their order.
func (g *Graph) Programs() []*program.Program { return g.programs }

// ScratchBytes returns the least scratch memory that the graph needs, and the most that it can use: the machine's queue.scratch_bytes, or
// least if that is more.
func (d *Device) ScratchBytes(g *Graph) (least, most uint64) {
	least = g.graph.MinimumScratch(graph.OnChip(&d.Machine().WorkSpec))
	return least, max(least, uint64(d.Machine().Queue.ScratchBytes))
}

// GraphInput has the first payloads of a dispatch of a graph: given by the caller, or as infos in device memory.
type GraphInput struct {
	Entries []GraphEntry
	// Infos are Count infos, Stride bytes apart, at an address; CountInfo is the address of such a description. 0: neither.
	Infos         uint64
	Count         uint32
	Stride        uint64
	CountInfo     uint64
	InfosInMemory bool // Infos is to be read
}

// A GraphEntry is payloads for one node.
type GraphEntry struct {
	Node     int
	Count    uint32
	Payloads []byte
	Stride   uint64
}

// A GraphDispatch is one of an execution graph. Elements gives the descriptors of each program.
type GraphDispatch struct {
	Name     string
	Untimed  bool // runs functional
	Graph    *Graph
	Scratch  uint64 // bytes
	Input    GraphInput
	Elements func(*program.Program) [][]mem.Descriptor
	Push     []byte
}

// RunGraph executes a dispatch of a graph to its end.
func (d *Device) RunGraph(ctx context.Context, x *GraphDispatch) (*account.Counts, error) {
	if err := d.applyChanges(); err != nil {
		return nil, err
	}
	l, err := d.graphLaunch(x)
	if err != nil {
		return nil, err
	}
	counts, err := d.launch(ctx, l, false, x.Untimed)
	d.r.machine.Serve()
	return counts, err
}

// graphLaunch returns the launch of a dispatch, whose nodes are bound when it begins.
func (d *Device) graphLaunch(x *GraphDispatch) (*jobLaunch, error) {
	job, err := d.graphJob(x)
	if err != nil {
		return nil, err
	}
	entry := graphEntry{resolve: func() ([]graph.Entry, error) { return x.entries(d.r.machine.Store) }}
	work := &graphWork{graphJob: job, entries: []graphEntry{entry}, bind: func() error { return d.bindGraph(x) }}
	return &jobLaunch{step: x.Name, kind: fmt.Sprintf("%p", x.Graph), mode: d.r.launchMode(""), work: work}, nil
}

// bindGraph sets the bindings of a graph's nodes for a dispatch.
func (d *Device) bindGraph(x *GraphDispatch) (err error) {
	for _, n := range x.Graph.graph.Nodes {
		if n.Launch.Scratch, err = d.scratchFor(n.Program); err != nil {
			return err
		}
		b := mem.Bindings{Names: n.Program.Bindings, PushAddr: d.push.Addr, Push: make([]byte, max(int(n.Program.PushBytes), len(x.Push)))}
		copy(b.Push, x.Push)
		for _, elements := range x.Elements(n.Program) {
			b.Bind(elements...)
		}
		if err := d.r.programs.bindConstants(d.r.machine.Store, n.Program, "", &b); err != nil {
			return err
		}
		*n.Launch.Bindings = b
	}
	return nil
}

// graphJob puts a graph on the machine, once for each size of its scratch memory.
func (d *Device) graphJob(x *GraphDispatch) (*graphJob, error) {
	if have := x.Graph.jobs[x.Scratch]; have != nil {
		return have, nil
	}
	r := d.r
	job := &graphJob{graph: x.Graph.graph, repeat: 1, scratch: x.Scratch, codes: x.Graph.codes.codes}
	if r.launchMode("") != config.ModeFunctional {
		if err := job.placeOn(r.machine, r.setup.Machine); err != nil {
			return nil, err
		}
	}
	x.Graph.jobs[x.Scratch] = job
	return job, nil
}

// entries returns the entries that the dispatch starts with, read when it begins.
func (x *GraphDispatch) entries(s *mem.Store) (list []graph.Entry, err error) {
	g, in := x.Graph.graph, &x.Input
	if in.InfosInMemory {
		at := infoList{in.Count, in.Infos, in.Stride}
		if in.CountInfo != 0 {
			if at, err = countInfo(s, in.CountInfo); err != nil {
				return nil, err
			}
		}
		return at.entries(g, s)
	}
	for i := range in.Entries {
		e := &in.Entries[i]
		if e.Node < 0 || e.Node >= len(g.Nodes) {
			return nil, fmt.Errorf("found node %d: want less than %d, the number of nodes of the graph", e.Node, len(g.Nodes))
		}
		n := g.Nodes[e.Node]
		if err := n.Dispatchable(); err != nil {
			return nil, err
		}
		list = append(list, graph.Entry{Node: n, Count: uint64(e.Count), Data: e.Payloads, Stride: int(e.Stride)})
	}
	return list, nil
}

// PayloadBytes returns the size of a payload of a node.
func (g *Graph) PayloadBytes(node int) uint64 {
	if node < 0 || node >= len(g.graph.Nodes) {
		return 0
	}
	return uint64(g.graph.Nodes[node].PayloadBytes())
}

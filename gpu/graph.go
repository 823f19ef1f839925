package gpu

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"spvsim/config"
	"spvsim/cu"
	"spvsim/gpu/machine"
	"spvsim/internal/lists"
	"spvsim/scheduler/graph"
	"spvsim/simd"
	"spvsim/spirv"
	"spvsim/spirv/validate"
)

// A graphJob is an execution graph of a job, ready to run.
type graphJob struct {
	name       string
	graph      *graph.Graph
	run        *graph.Run
	entries    []graphEntry // of the job's graph; steps have their own
	repeat     int
	scratch    uint64           // bytes
	functional *functionalGraph // built when it is first run functional
	codes      []*simd.Code
}

// errGraph reports that a job's graph is not valid.
var errGraph = errors.New("gpu: graph")

// prepareGraphs lowers and connects the job's graphs.
func (r *runner) prepareGraphs() error {
	list, err := r.setup.Job.GraphWork()
	for i := range list {
		if err == nil {
			err = r.prepareGraph(&list[i])
		}
	}
	return err
}

// prepareGraph lowers all nodes, connects them and lays the host's payloads out.
func (r *runner) prepareGraph(work *config.GraphWork) (err error) {
	g := &graphJob{name: work.Name, repeat: work.Repeat}
	r.graphs = append(r.graphs, g)
	if r.programs.nodes, err = r.linkedNodes(work); err != nil {
		return err
	}
	nodes, err := r.graphNodes(g, work)
	if err != nil {
		return err
	}
	if err := r.checkLinked(nodes); err != nil {
		return err
	}
	r.checkPriorities(nodes)
	if g.graph, err = graph.NewGraph(nodes, r.setup.Machine.Queue.GraphLimits); err != nil {
		return err
	}
	g.scratch = uint64(r.setup.Machine.Queue.ScratchBytes)
	if work.Scratch >= 0 {
		g.scratch = uint64(work.Scratch)
	}
	g.entries, err = r.entries(g, work.Dispatches)
	return err
}

func (g *graphJob) placeOn(m *machine.Machine, spec *config.Machine) (err error) {
	g.run, err = graph.NewRun(g.graph, &spec.WorkSpec, graph.Parts{
		Engine: m.Engine, Array: m.Array, Dispatcher: m.Dispatcher, Limits: m.Limits, Hierarchy: m.Hierarchy, Store: m.Store,
		Shared: m.Shared, FetchPath: m.FetchPath,
		Commands: graph.CommandProcessor{
			Packet: uint64(spec.FrontEnd.PacketCycles + spec.FrontEnd.LaunchCycles), Open: spec.FrontEnd.OpenPerPipe, Outstanding: spec.FrontEnd.MostOutstanding, Transfer: m.TransferCycles,
		},
	}, g.scratch)
	return err
}

func (r *runner) graphNodes(g *graphJob, work *config.GraphWork) ([]*graph.Node, error) {
	var nodes []*graph.Node
	known := map[*simd.Code]bool{}
	for i := range work.Nodes {
		n := &work.Nodes[i]
		r.resources.mesh = meshOf(work, n)
		l, _, err := r.kernels.launch(&n.Launch)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", n.Path, err)
		}
		if len(r.graphs) > 1 { // another graph may run the same program at the same time
			l.Code = r.programs.stepCode(l.Code, "graph "+g.name)
		}
		node := newNode(&l, n.Name, n.Shader, n.Index, n.HasIndex)
		node.Graph, node.Priority = g.name, n.Priority
		nodes = append(nodes, node)
		if !known[l.Code] {
			known[l.Code] = true
			g.codes = append(g.codes, l.Code)
		}
	}
	return nodes, nil
}

// linkedNodes lists the nodes as the job describes them; their modules may add names and indexes.
func (r *runner) linkedNodes(work *config.GraphWork) ([]validate.GraphNode, error) {
	var list []validate.GraphNode
	for i := range work.Nodes {
		n := &work.Nodes[i]
		m, err := r.programs.module(&n.Launch)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", n.Path, err)
		}
		strings, err := stringConstants(m, n.Strings)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", n.Path, err)
		}
		node := validate.GraphNode{Name: n.Name, Index: n.Index, Module: m, Entry: entryPoint(m, n.Entry), Strings: byResultID(m, strings), Input: n.Input}
		if node.Name == "" && node.Entry != nil {
			node.Name = node.Entry.Name
		}
		list = append(list, node)
	}
	return list, nil
}

// checkLinked tests the rules that modules break only together.
func (r *runner) checkLinked(nodes []*graph.Node) error {
	for i, n := range nodes {
		r.programs.nodes[i].Name, r.programs.nodes[i].Index = n.Name, n.Index
	}
	return validate.CheckGraph(r.programs.nodes)
}

// checkPriorities warns about priorities of nodes that the machine ignores.
func (r *runner) checkPriorities(nodes []*graph.Node) {
	m := r.setup.Machine
	for _, n := range nodes {
		switch {
		case n.Priority == 0 || graph.NodePriorities(&m.WorkSpec):
		case m.Queue.Arbitration == "priority":
			r.programs.warn("node %v: its priority does nothing under scheduler.kind %s, which arbitrates between no nodes", n, m.Scheduler.Kind)
			return
		default:
			r.programs.warn("node %v: its priority does nothing under queue.arbitration %s: it acts under priority", n, m.Queue.Arbitration)
			return
		}
	}
}

// entryPoint returns the entry point of that name, or the only one for an empty name; nil: there is none.
func entryPoint(m *validate.Module, name string) *validate.EntryPoint {
	if name == "" && len(m.EntryPoints) == 1 {
		return &m.EntryPoints[0]
	}
	return lists.Find(m.EntryPoints, func(e *validate.EntryPoint) bool { return e.Name == name })
}

// byResultID turns values by SpecId into values by the id of the constant.
func byResultID(m *validate.Module, values map[uint32]string) map[spirv.ID]string {
	out := map[spirv.ID]string{}
	for i := range m.Raw.Instructions {
		in := &m.Raw.Instructions[i]
		if in.Op != spirv.OpSpecConstantStringAMDX {
			continue
		}
		if id, ok := m.Decoration(in.Result, spirv.DecorationSpecId); ok {
			if v, ok := values[id]; ok {
				out[in.Result] = v
			}
		}
	}
	return out
}

// meshOf returns the job's mesh outputs of one node; without a name, the entry point is the name.
func meshOf(work *config.GraphWork, n *config.GraphNode) []config.MeshTarget {
	name := cmp.Or(n.Name, n.Entry)
	list := []config.MeshTarget{}
	for _, t := range work.MeshOutputs {
		if (name == "" || t.Node == name) && t.Index == n.Index {
			list = append(list, t)
		}
	}
	return list
}

// DescribeGraph writes the execution graph of a job: its nodes, edges, limits
// and memory, or a picture for Graphviz.
func DescribeGraph(w io.Writer, s Setup, dot bool) error {
	if !s.Job.IsGraph() {
		return inputError(fmt.Errorf("%w: found none in job %s: want nodes, and a dispatch to them (graph)", errGraph, s.Job.Name))
	}
	r, err := prepareRunner(context.Background(), s)
	if err != nil {
		return inputError(err)
	}
	for _, g := range r.graphs {
		d := &graph.Description{Name: s.Job.Name, Entries: dispatched(r, g), OnChip: graph.OnChip(&s.Machine.WorkSpec), Scratch: g.scratch, Spec: &s.Machine.WorkSpec}
		if g.name != "" {
			d.Name += "." + g.name
		}
		write := g.graph.WriteText
		if dot {
			write = g.graph.WriteDOT
		}
		if err := write(w, d); err != nil {
			return err
		}
	}
	return nil
}

// dispatched returns the entries that the job dispatches to a graph, as far as they are known before the run.
func dispatched(r *runner, g *graphJob) (entries []graph.Entry) {
	for i := range r.launches {
		if w, ok := r.launches[i].work.(*graphWork); ok && w.graphJob == g && (i == 0 || !r.onlyGraph()) { // repetitions start the same again
			entries = append(entries, staticEntries(w.entries)...)
		}
	}
	return entries
}

// graphOf returns the graph of the job that a list of payloads is dispatched to.
func graphOf(graphs []*graphJob, list []config.PayloadDispatch) *graphJob {
	i := slices.IndexFunc(graphs, func(g *graphJob) bool { return g.name == list[0].Graph })
	return graphs[i] // which the job's rules have seen to
}

// newNode returns a node; one without a name or an index has those of its entry point.
func newNode(l *cu.KernelLaunch, name, shader string, index uint32, hasIndex bool) *graph.Node {
	prog := l.Code.Program
	if !hasIndex && prog.Node != nil {
		index = prog.Node.ShaderIndex
	}
	return &graph.Node{Name: cmp.Or(name, prog.Name), Index: index, Shader: shader, Program: prog, Launch: l}
}

// entries lays out what the host dispatches to a graph.
func (r *runner) entries(g *graphJob, dispatches []config.PayloadDispatch) ([]graphEntry, error) {
	var list []graphEntry
	for i := range dispatches {
		d := &dispatches[i]
		if d.Indirect != nil {
			list = append(list, r.indirect(g.graph, d.Indirect))
			continue
		}
		n := g.graph.Find(d.Node, d.Index)
		if n == nil {
			return nil, fmt.Errorf("%w[%d]: found %s[%d]: want the name and index of a node", errGraph, i, d.Node, d.Index)
		}
		if err := n.Dispatchable(); err != nil {
			return nil, fmt.Errorf("%w[%d]: %w", errGraph, i, err)
		}
		e, err := r.entry(n, d)
		if err != nil {
			return nil, fmt.Errorf("%w[%d]: node %v: %w", errGraph, i, n, err)
		}
		list = append(list, e)
	}
	return list, nil
}

// staticEntries returns the entries whose nodes and counts are known before the run.
func staticEntries(list []graphEntry) (out []graph.Entry) {
	for i := range list {
		if list[i].Node != nil {
			out = append(out, list[i].Entry)
		}
	}
	return out
}

func (r *runner) entry(n *graph.Node, d *config.PayloadDispatch) (graphEntry, error) {
	if d.Buffer != "" {
		return r.fromBuffer(n, d)
	}
	size, stride := uint64(n.PayloadBytes()), uint64(d.Stride)
	if d.Stride < 0 {
		stride = size
	}
	count, bytes := d.Count, uint64(len(d.Data.Bytes))
	if !d.HasCount && d.HasData && stride > 0 {
		count = bytes / stride
	}
	e := graphEntry{Entry: graph.Entry{Node: n, Count: count, Data: d.Data.Bytes, Stride: int(stride)}}
	if err := payloadSizes(d, size); err != nil {
		return e, err
	}
	switch {
	case size > 0 && !d.HasData && count > 0:
		return e, fmt.Errorf("missing: want payloads or data, as its payload has %d bytes", size)
	case count > 0 && (count-1)*stride+size > bytes:
		return e, fmt.Errorf("found %d bytes of data: want %d payloads of %d bytes, %d bytes apart", bytes, count, size, stride)
	}
	config.Content{Bytes: e.Data, Addresses: d.Data.Addresses}.Resolve(r.resources.address)
	return e, nil
}

// payloadSizes returns an error if payloads are not as long as those of the node.
func payloadSizes(d *config.PayloadDispatch, size uint64) error {
	for i, n := range d.Lengths {
		if uint64(n) != size {
			return fmt.Errorf("payloads[%d]: found %d bytes: want %d", i, n, size)
		}
	}
	bytes := uint64(len(d.Data.Bytes))
	if d.Lengths != nil || !d.HasData {
		return nil
	}
	switch stride := uint64(max(d.Stride, 0)); {
	case d.Stride < 0 && size == 0 && bytes > 0:
		return fmt.Errorf("found %d bytes of data: want none, as the payload is empty", bytes)
	case d.Stride < 0 && size > 0 && bytes%size != 0:
		return fmt.Errorf("found %d bytes of data: want payloads of %d bytes", bytes, size)
	case d.Stride < 0 && d.HasCount && bytes != d.Count*size:
		return fmt.Errorf("found %d bytes of data: want %d payloads of %d bytes", bytes, d.Count, size)
	case d.Stride == 0 && bytes != size:
		return fmt.Errorf("found %d bytes of data: want one payload of %d bytes", bytes, size)
	case d.Stride > 0 && d.HasCount && bytes > d.Count*max(stride, size):
		return fmt.Errorf("found %d bytes of data: want %d payloads, %d bytes apart", bytes, d.Count, stride)
	}
	return nil
}

// stringConstants returns the job's values of string constants by SpecId.
func stringConstants(m *validate.Module, values []config.NameString) (map[uint32]string, error) {
	out := map[uint32]string{}
	for _, v := range values {
		found := false
		for i := range m.Raw.Instructions {
			in := &m.Raw.Instructions[i]
			id, ok := m.Decoration(in.Result, spirv.DecorationSpecId)
			if in.Op != spirv.OpSpecConstantStringAMDX || !ok {
				continue
			}
			if v.Name == "" && id == v.ID || v.Name != "" && m.Name(in.Result) == v.Name {
				out[id], found = v.Value, true
			}
		}
		if !found {
			return nil, fmt.Errorf("strings: found id %d, name %q: want those of an OpSpecConstantStringAMDX of the module", v.ID, v.Name)
		}
	}
	return out, nil
}

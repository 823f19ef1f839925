package gpu

import (
	"cmp"
	"context"
	"fmt"

	"spvsim/account"
	"spvsim/cu"
	"spvsim/gpu/concurrent"
	"spvsim/gpu/functional"
	"spvsim/gpu/machine"
	"spvsim/scheduler"
	"spvsim/scheduler/graph"
	"spvsim/simd"
)

// A graphWork is one dispatch of an execution graph.
type graphWork struct {
	*graphJob
	entries    []graphEntry
	dispatched []graph.Entry // entries of the current dispatch
	lastRun    *graph.Run    // on which it ran last, with time or without
	beginCheck func()        // of a dispatch in a queue; nil: it is not checked
	bind       func() error  // hands the nodes what the dispatch binds; nil: they have it
}

// bindAndRead binds the nodes and reads the entries.
func (g *graphWork) bindAndRead() (list []graph.Entry, err error) {
	if g.bind != nil {
		err = g.bind()
	}
	if err == nil {
		list, err = resolveEntries(g.entries)
	}
	return list, err
}

func (g *graphWork) Prepare() (bool, error)          { return true, nil }
func (g *graphWork) Arguments() (addr, bytes uint64) { return 0, 0 }

// timed runs the dispatch. Entries are read from buffers when it begins, as memory holds them then.
func (g *graphWork) timed(t *timing, step string, p scheduler.WorkgroupRange, follows bool) (*account.Counts, error) {
	c, err := t.run(step, g, p, follows)
	if err == nil {
		g.lastRun.Charge(&c.Slots, t.now)
	}
	return c, err
}

func (g *graphWork) functional(u *functionalRunner, _ scheduler.WorkgroupRange, warm bool) (*account.Counts, error) {
	list, err := g.bindAndRead()
	if err != nil {
		return nil, err
	}
	d, err := g.functionalRun(u.machine, &u.guard.setup.Machine.WorkSpec)
	if err != nil {
		return nil, err
	}
	for l, k := range d.kernels {
		k.Check = l.Check
	}
	g.lastRun = d.Run()
	d.Dispatch(list)
	o := u.options(g.smallestNeed(u.machine.Limits))
	o.Payloads = d
	u.warmCaches(&o, warm)
	return u.counts(func() (*functional.Counts, error) { return d.runAll(u.guard.ctx, u.machine, o) })
}

// smallestNeed returns the resources of a workgroup of the node that has the highest occupancy.
func (g *graphJob) smallestNeed(limits *cu.Limits) (need cu.Resources) {
	for _, n := range g.graph.Nodes {
		if need.Waves == 0 || n.Launch.Resources.Occupancy(limits) > need.Occupancy(limits) {
			need = n.Launch.Resources
		}
	}
	return need
}

func (g *graphWork) Count(c *account.Counts, _ scheduler.WorkgroupRange) {
	c.Graph = g.lastRun.Counts()
	c.Workgroups, c.Waves = g.lastRun.Totals()
	if f := c.Functional; f != nil {
		f.Workgroups, f.Waves = c.Workgroups, c.Waves
	}
}

// ClassKey: dispatches of the same entries.
func (g *graphWork) ClassKey() (text string) {
	for i := range g.entries {
		text += fmt.Sprintf(" %v %d", g.entries[i].Node, g.entries[i].Count)
	}
	return text
}

func (g *graphWork) Workgroups() (uint64, bool)     { return 0, false }
func (g *graphWork) Resources() cu.Resources        { return cu.Resources{} }
func (g *graphWork) Codes() []*simd.Code            { return g.graphJob.codes }
func (g *graphWork) Finished() (bool, uint64)       { return g.run.Finished() }
func (g *graphWork) Progress() (_, _, _ uint64)     { return g.run.Progress() }
func (g *graphWork) Close(end uint64) (_, _ uint64) { return end, end }
func (g *graphWork) LaunchCycles() uint64           { return g.run.LaunchCycles() }
func (g *graphWork) Waiting() string                { return "; " + g.run.Waiting() }
func (g *graphWork) WaveOwner(w *simd.Wave) string  { return "node " + graph.NodeOf(w) + ", " }

func (g *graphWork) Open(m *machine.Machine, _ scheduler.WorkgroupRange) error {
	m.Serve(g.run)
	return g.readEntries()
}

// readEntries binds the nodes and reads the entries of a dispatch on the machine.
func (g *graphWork) readEntries() (err error) {
	g.lastRun = g.run
	g.dispatched, err = g.bindAndRead()
	return err
}

func (g *graphWork) Start(now uint64, _ scheduler.WorkgroupRange, _ bool) {
	g.run.Dispatch(now, g.dispatched)
}

// Kernel, Graph and StartConcurrent implement concurrent.QueuedWork.
func (g *graphWork) Kernel() *cu.KernelLaunch { return nil }
func (g *graphWork) Graph() *graph.Run        { return g.run }

func (g *graphWork) StartConcurrent(l *concurrent.QueuedLaunch, at concurrent.LaunchStart) error {
	for _, n := range g.graph.Nodes {
		n.Launch.Footprint, n.Launch.Traffic = l.Footprint, l.Traffic
	}
	if err := g.readEntries(); err != nil {
		return err
	}
	if g.beginCheck != nil {
		g.beginCheck()
	}
	l.OpenGraph(at, g.run, g.dispatched)
	return nil
}

// functionalRun returns the graph for functional runs, built when it is first used.
func (g *graphJob) functionalRun(m *machine.Machine, spec *scheduler.WorkSpec) (*functionalGraph, error) {
	if g.functional != nil {
		return g.functional, nil
	}
	run, err := graph.NewDirect(g.graph, spec, m.Store, g.scratch)
	if err != nil {
		return nil, err
	}
	g.functional = &functionalGraph{Direct: run, kernels: map[*cu.KernelLaunch]*functional.Kernel{}}
	for _, n := range g.graph.Nodes {
		g.functional.kernels[n.Launch] = functionalKernel(n.Launch)
	}
	return g.functional, nil
}

// A functionalGraph hands the workgroups of a graph to a functional run.
type functionalGraph struct {
	*graph.Direct
	kernels map[*cu.KernelLaunch]*functional.Kernel
}

// Next implements functional.WorkSource.
func (d *functionalGraph) Next(nothingElse bool) (*functional.Kernel, functional.Workgroup, bool, bool) {
	l, wg, s := d.Direct.Next(nothingElse)
	if s != graph.Found {
		return nil, functional.Workgroup{}, false, s == graph.Later
	}
	return d.kernels[l], functional.Workgroup{Index: wg.Index, ID: wg.ID, Count: wg.Count, Node: wg.Node}, true, false
}

// WorkgroupEnded implements functional.WorkSource.
func (d *functionalGraph) WorkgroupEnded(wg *functional.Workgroup) { d.Direct.WorkgroupEnded(wg.Index) }

// runAll runs what was dispatched to its end.
func (d *functionalGraph) runAll(ctx context.Context, m *machine.Machine, o functional.Options) (*functional.Counts, error) {
	d.SingleThreaded = o.Threads == 1
	c, err := functional.RunWork(ctx, m.Store, d, o)
	err = cmp.Or(err, d.Err())
	if err == nil && d.Stuck() {
		err = fmt.Errorf("%w; %s", ErrDeadlock, d.Run().Waiting())
	}
	return c, err
}

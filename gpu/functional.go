package gpu

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"spvsim/account"
	"spvsim/config"
	"spvsim/cu"
	"spvsim/functional"
	"spvsim/isa"
	"spvsim/mem"
	"spvsim/program"
	"spvsim/scheduler"
)

// mode is how a launch runs: as the setup says, else the step, else the job.
func (r *runner) mode(step string) string {
	return cmp.Or(r.setup.Mode, step, r.setup.Job.Mode, config.ModeTimed)
}

// modes words how the job ran, where not all of it was timed.
func (r *runner) modes() string {
	var list []string
	add := func(mode string) {
		if !slices.Contains(list, mode) {
			list = append(list, mode)
		}
	}
	for i := range r.launches {
		add(r.launches[i].mode)
	}
	if r.graph != nil && len(r.launches) == 0 {
		add(r.mode(""))
	}
	if len(list) == 1 && list[0] == config.ModeTimed {
		list[0] = ""
		if r.window != nil {
			list[0] = "timed in part"
		}
	}
	return strings.Join(list, ", ")
}

// kernel is what a functional run needs of a launch.
func kernel(l *cu.Launch) *functional.Kernel {
	return &functional.Kernel{Program: l.Code.Program, Bindings: l.Bindings, Scratch: l.Scratch}
}

// functionalOptions are those of every functional run of the job.
func (r *runner) functionalOptions(need cu.Need) functional.Options {
	m := r.setup.Machine
	return functional.Options{
		Threads: r.setup.Threads, Cache: &r.untimedCache, Resident: max(need.Occupancy(r.machine.limits), 1) * m.Units(),
		Print: func(at uint64, p *program.Program, st *isa.State, in *isa.Inst) { r.printed(at, p, st, in) },
		Watch: r.watchFunctional, Clock: r.untimed, ClockMHz: m.ClockMHz, ClockBits: m.ClockBits,
	}
}

// functional runs a part of a launch without time; warm: bringing its lines into the caches.
func (r *runner) functional(l *launch, part scheduler.Part, warm bool) error {
	c, err := r.untimedPart(l, part, warm)
	if c != nil {
		r.add(l.step, c)
	}
	return err
}

// untimedPart is functional, with the counts handed back.
func (r *runner) untimedPart(l *launch, part scheduler.Part, warm bool) (*account.Counts, error) {
	if l.graph != nil {
		return r.functionalGraph(l.graph, warm)
	}
	if l.draw != nil && part.First == 0 {
		l.draw.begin()
	}
	o := r.functionalOptions(l.Need)
	if warm && part.First == 0 {
		r.machine.hierarchy.KernelBoundary()
	}
	r.warm(&o, warm)
	r.launched = part.End - part.First
	g := &functional.Grid{Kernel: kernel(&l.Launch), Groups: l.NumWorkgroups, Base: l.Base, Fragments: l.Fragments, First: part.First, End: part.End}
	c, err := r.untimedCounts(func() (*functional.Counts, error) { return functional.Run(r.ctx, r.machine.store, g, o) })
	if part.First > 0 {
		c.Launches = 0 // counted with the first part
	} else if l.draw != nil {
		c.Fragments = &l.draw.counts
	}
	if part.First > 0 || part.End < groups(l.NumWorkgroups) {
		c.Functional.Launches = 0 // others of its workgroups are timed
	}
	return c, err
}

// warm has a functional run bring its lines into the caches of the compute units
// that its workgroups would go to in turn. A memory of Akita's has none to bring them into.
func (r *runner) warm(o *functional.Options, warm bool) {
	fast, ok := r.machine.hierarchy.(*mem.Fast)
	if !warm || !ok {
		return
	}
	m := r.setup.Machine
	engines, units := uint64(m.ShaderEngines), uint64(m.ComputeUnits)
	o.Warm = fast
	o.Unit = func(wg *functional.Workgroup) int { return int(wg.Index%engines*units + wg.Index/engines%units) }
}

// untimedCounts runs something without time and counts it.
func (r *runner) untimedCounts(run func() (*functional.Counts, error)) (*account.Counts, error) {
	before := r.machine.store.Faults.Count
	did, err := run()
	r.untimed += did.Total()
	r.ldsFaults = append(r.ldsFaults, did.Faults...)
	for prog, issues := range did.Issues {
		r.programs.executed(prog, issues)
	}
	c := &account.Counts{Launches: 1, Workgroups: did.Workgroups, Waves: did.Waves, ByClass: did.Instructions,
		OutOfBounds: r.machine.store.Faults.Count - before + did.LDSFaults}
	c.Functional = &account.FunctionalCounts{Launches: 1, Workgroups: did.Workgroups, Waves: did.Waves, ByClass: did.Instructions,
		Moved: account.MovedBytes{Read: did.Moved[mem.Read], Written: did.Moved[mem.Write], Atomic: did.Moved[mem.Atomic], LDS: did.LDS}}
	return c, r.untimedError(err)
}

// untimedError gives an error of a functional run the words of this package's.
func (r *runner) untimedError(err error) error {
	if err != nil && r.ctx.Err() != nil {
		return &interrupted{fmt.Sprintf("after %d instructions", r.untimed), r.ctx.Err()}
	}
	return err
}

// executed adds to how often a program's instructions were executed.
func (p *programs) executed(prog *program.Program, issues []uint64) {
	for _, l := range p.order {
		if l.code.Program != prog {
			continue
		}
		for i, n := range issues {
			l.code.Counts[i].Issues += n
		}
	}
}

// watchFunctional looks now and then whether to go on, and tells how far the run is.
func (r *runner) watchFunctional(p functional.Progress) error {
	if err := r.hostLimits(); err != nil {
		return fmt.Errorf("%w; %d of %d workgroups ended, %d have begun", err, p.Ended, r.launched, p.Running)
	}
	if s := r.setup.Stalled; s != nil {
		r.slow(p.Ended, func() string {
			return fmt.Sprintf("(%d instructions); %d of %d workgroups ended, %d have begun", p.Instructions, p.Ended, r.launched, p.Running)
		})
	}
	if r.setup.Progress != nil {
		r.progress.Cycle, r.progress.Instructions = r.now, r.issued+p.Instructions
		r.progress.Nanoseconds = r.now * 1000 / uint64(r.setup.Machine.ClockMHz)
		r.progress.Ended, r.progress.Running, r.progress.Total = p.Ended, p.Running, r.launched
		r.setup.Progress(r.progress)
	}
	return nil
}

// direct is the job's graph without time, made when it is first used.
func (r *runner) direct() (*directGraph, error) {
	g := r.graph
	if g.direct != nil {
		return g.direct, nil
	}
	run, err := scheduler.NewDirect(g.graph, &r.setup.Machine.WorkSpec, r.machine.store, g.scratch)
	g.direct = &directGraph{Direct: run, kernels: map[*cu.Launch]*functional.Kernel{}}
	for _, n := range g.graph.Nodes {
		g.direct.kernels[n.Launch] = kernel(n.Launch)
	}
	return g.direct, err
}

// A directGraph hands the workgroups of a graph to a functional run.
type directGraph struct {
	*scheduler.Direct
	kernels map[*cu.Launch]*functional.Kernel
}

// Next fulfils functional.Work.
func (d *directGraph) Next(nothingElse bool) (*functional.Kernel, functional.Workgroup, bool, bool) {
	l, wg, s := d.Direct.Next(nothingElse)
	if s != scheduler.Found {
		return nil, functional.Workgroup{}, false, s == scheduler.Later
	}
	return d.kernels[l], functional.Workgroup{Index: wg.Index, ID: wg.ID, Count: wg.Count, Node: wg.Node}, true, false
}

// Ended fulfils functional.Work.
func (d *directGraph) Ended(wg *functional.Workgroup) { d.Direct.Ended(wg.Index) }

// functionalGraph runs one dispatch of the graph without time.
func (r *runner) functionalGraph(entries []graphEntry, warm bool) (*account.Counts, error) {
	list, err := ready(entries)
	if err != nil {
		return nil, err
	}
	d, err := r.direct()
	if err != nil {
		return nil, err
	}
	d.Dispatch(list)
	var need cu.Need
	for _, n := range r.graph.graph.Nodes {
		if need.Waves == 0 || n.Launch.Need.Occupancy(r.machine.limits) > need.Occupancy(r.machine.limits) {
			need = n.Launch.Need
		}
	}
	o := r.functionalOptions(need)
	o.Payloads = d
	r.warm(&o, warm)
	c, err := r.untimedCounts(func() (*functional.Counts, error) {
		c, err := functional.RunWork(r.ctx, r.machine.store, d, o)
		err = cmp.Or(err, d.Err())
		if err == nil && d.Stuck() {
			err = fmt.Errorf("%w; %s", ErrDeadlock, d.Graph().Waiting())
		}
		return c, err
	})
	c.Graph = d.Graph().Counts()
	c.Workgroups, c.Waves = d.Graph().Totals()
	c.Functional.Workgroups, c.Functional.Waves = c.Workgroups, c.Waves
	return c, err
}

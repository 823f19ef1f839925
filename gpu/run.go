package gpu

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"spvsim/account"
	"spvsim/check"
	"spvsim/config"
	"spvsim/cu"
	"spvsim/gpu/machine"
	"spvsim/gpu/sampled"
	"spvsim/spirv/validate"
)

// A runner runs one job on one machine.
type runner struct {
	executor
	setup     Setup
	guard     *guard
	machine   *machine.Machine
	resources *resources
	kernels   *kernelBuilder
	programs  *programs
	launchList
	graphs  []*graphJob
	total   int          // rounds
	window  *config.Time // nil: all is timed
	sampler *sampled.Sampler
	windows map[string]int          // number of launches by kind, for windows that time the first ones only
	queues  []account.HardwareQueue // of the last round
	checker *check.Checker          // nil: accesses are not checked
	events  eventCounter            // of parts that do not count their own; nil where not asked for

	checkpoints *checkpoints // nil: none are saved, and the run begins at the beginning
}

// newRunner does all that can fail before the first cycle.
func newRunner(ctx context.Context, s Setup) (*runner, error) {
	r, err := prepareRunner(ctx, s)
	for i := 0; err == nil && i < len(r.graphs); i++ {
		err = r.graphs[i].placeOn(r.machine, r.setup.Machine)
	}
	if err == nil {
		err = r.prepareQueues()
	}
	if err == nil {
		err = r.attach()
	}
	if err == nil {
		r.checkpoints, err = newCheckpoints(r)
	}
	return r, err
}

// prepareRunner builds the machine and lowers the job's programs.
func prepareRunner(ctx context.Context, s Setup) (*runner, error) {
	r, err := openRunner(ctx, s)
	if err != nil {
		return nil, err
	}
	if r.resources, err = newResources(s.Job, r.machine.Store, r.guard.host); err != nil {
		return nil, err
	}
	r.kernels = &kernelBuilder{r.resources, r.programs, r.machine, r.guard, map[string]*launchTemplate{}}
	if r.total, err = s.Job.Rounds(); err != nil {
		return nil, err
	}
	if r.window = s.Job.Time; s.Time != nil {
		r.window = s.Time
	}
	return r, cmp.Or(r.prepareWork(), r.checkWindow(), checkModes(r))
}

// openRunner builds the machine, with nothing in its memory and no program.
func openRunner(ctx context.Context, s Setup) (*runner, error) {
	if err := s.Machine.Validate(); err != nil {
		return nil, err // the parts trust their specs
	}
	size, err := waveSize(s.Machine, s.Job)
	if err != nil {
		return nil, err
	}
	s.Machine = s.Machine.InCoreCycles()
	r := &runner{setup: s}
	r.guard = &guard{ctx: ctx, setup: &r.setup, host: newBudget(&s.Job.Limits)}
	if err := r.guard.host.reserve(machineBytes(s.Machine), machineName(s.Machine)); err != nil {
		return nil, err
	}
	if r.machine, err = machine.New(s.Machine, printer(s.Observer)); err != nil {
		return nil, err
	}
	if s.Components && r.machine.Stuck != nil {
		c := eventCounter{}
		r.events = c
		r.machine.Engine.AcceptHook(c)
	}
	if !s.Job.IsGraph() {
		r.machine.OnChip = nil // nothing to count
	}
	r.programs = &programs{
		ctx: ctx, job: s.Job, machine: s.Machine, rules: r.machine.Rules, limits: r.machine.Limits, size: size,
		data: map[string][]byte{}, modules: map[moduleKey]*validate.Module{}, byKey: map[string]*lowered{}, adjustTarget: s.Lower, check: s.Check,
	}
	r.execute()
	r.useThreads()
	return r, nil
}

// execute makes the parts that run launches.
func (r *runner) execute() {
	r.tally = &account.Tally{}
	var joules func(*account.Counts) float64
	if e := r.setup.Machine.Energies(); e.HasTable() {
		joules = func(c *account.Counts) float64 { return e.Compute(c).Total() }
		r.tally.Watts = func(c *account.Counts) float64 { return e.Watts(e.Compute(c).Total(), c.Cycles) }
	}
	if r.setup.Check {
		r.checker = check.New()
	}
	r.timing = newTiming(r.machine, r.guard, r.tally, r.checker)
	r.functionalRunner = &functionalRunner{machine: r.machine, programs: r.programs, guard: r.guard, clock: r.timing, checker: r.checker, unit: r.setup.Machine.Dispatcher.UnitsInTurn(&r.setup.Machine.Shape)}
	r.sampler = sampled.New(sampled.Machine{Machine: r.machine, Tally: r.tally, Functional: r.functionalRunner, Joules: joules, FreeBytes: r.guard.host.free}, r.setup.Job.Sample())
}

// prepareWork prepares what the job starts. Where that is a graph without steps, each dispatch is a launch of one step.
func (r *runner) prepareWork() error {
	if err := r.prepareGraphs(); err != nil {
		return err
	}
	if r.onlyGraph() {
		once := &config.Launch{Step: "graph"}
		i := slices.IndexFunc(r.graphs, func(g *graphJob) bool { return len(g.entries) > 0 })
		for range r.graphs[i].repeat {
			l := jobLaunch{step: once.Step, mode: r.launchMode(""), from: once, work: &graphWork{graphJob: r.graphs[i], entries: r.graphs[i].entries}}
			r.recordLaunch(&l)
			r.launches = append(r.launches, l)
		}
		return nil
	}
	return r.prepareLaunches()
}

// onlyGraph reports whether the job is a graph without steps.
func (r *runner) onlyGraph() bool {
	return len(r.graphs) > 0 && len(r.setup.Job.Steps)+len(r.setup.Job.Queues) == 0
}

func (r *runner) makeWork(l *config.Launch) (launchWork, error) {
	if l.Kernel != nil {
		made, err := r.programs.kernelLaunch(l)
		if err != nil {
			return nil, err
		}
		l = made
	}
	switch {
	case len(l.Graph) > 0:
		g := graphOf(r.graphs, l.Graph)
		entries, err := r.entries(g, l.Graph)
		return &graphWork{graphJob: g, entries: entries}, err
	case cu.GridSize(l.Dispatch) > cu.MaxGridSize:
		return nil, fmt.Errorf("dispatch: found %v workgroups: want at most %d in all", l.Dispatch, uint64(cu.MaxGridSize))
	case l.Copy != nil:
		return newHostCopy(&r.setup.Machine.Host, l.Copy), nil
	case l.Synchronize:
		return &hostWait{cycles: uint64(r.setup.Machine.Host.Synchronize)}, nil
	case l.Transfer != nil:
		t, err := r.resources.transfer(l.Transfer)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.Path, err)
		}
		return t, nil
	}
	return r.kernels.makeWork(l)
}

func stepName(l *config.Launch) string {
	switch {
	case l.Step != "":
		return l.Step
	case len(l.Graph) > 0:
		return "graph"
	case l.Copy != nil:
		return "copy"
	case l.Synchronize:
		return "synchronize"
	case l.Transfer != nil:
		return "transfer"
	}
	return l.Shader
}

// launchMode returns the mode of a launch: that of the setup, else of the step, else of the job.
func (r *runner) launchMode(step string) string {
	return cmp.Or(r.setup.Mode, step, r.setup.Job.Mode, config.ModeTimed)
}

// modesText words how the job ran, where not all of it was timed.
func (r *runner) modesText() string {
	list := slices.Clone(r.modes)
	if len(list) == 1 && list[0] == config.ModeTimed {
		list[0] = ""
		if r.window != nil {
			list[0] = "timed in part"
		}
	}
	return strings.Join(list, ", ")
}

// runRounds runs the job as often as it asks; only the last round is counted.
func (r *runner) runRounds() error {
	for round := range r.total {
		r.programs.reset()
		r.traceRound(round)
		r.tally.BeginRound()
		r.sampler.BeginRound()
		r.windows = map[string]int{}
		r.guard.progress.Round, r.guard.progress.Rounds = round+1, r.total
		err := r.runRound(round)
		r.sampler.Estimate() // where the run was stopped, of what had run by then
		if err != nil {
			return runError(err)
		}
	}
	return nil
}

// runRound runs the launches of a round, one after the other.
func (r *runner) runRound(round int) error {
	follows := false // launches wait in the stream
	return r.eachLaunch(func(i, of int, l *jobLaunch) error {
		if l.once && round > 0 {
			return nil
		}
		skip, after, err := r.checkpoints.betweenLaunches(checkpointPlace{round, i, follows})
		if skip || err != nil {
			return err
		}
		follows = after
		r.guard.progress.Launch, r.guard.progress.Launches = i+1, of
		err = r.launch(l, follows)
		follows = (follows || !l.host) && !l.from.Synchronize
		return err
	})
}

// launch runs one launch to its end; follows: after another one of its round.
func (r *runner) launch(l *jobLaunch, follows bool) error {
	if g, ok := l.work.(*queueWork); ok {
		return r.runQueues(l, g, follows)
	}
	some, err := l.work.Prepare()
	switch w, parts := l.work.(residentWork); {
	case err != nil:
		return fmt.Errorf("%s: %w", l.step, err)
	case !some:
		return nil
	case l.mode == config.ModeFunctional:
		return r.runFunctional(l, allWorkgroups(l.work), false)
	case parts && l.mode == config.ModeSampled:
		return r.sampler.Run(&sampledLaunch{w, l, &r.executor}, follows)
	case parts && r.window != nil:
		return r.windowed(l, w, follows)
	}
	return r.runTimed(l, allWorkgroups(l.work), follows)
}

// useThreads gives the machine its worker threads, or warns why a run uses only one.
func (r *runner) useThreads() {
	n := r.setup.Threads
	if n < 2 {
		return
	}
	for _, why := range []struct {
		holds bool
		text  string
	}{
		{r.setup.Machine.Fetch.Enabled, "compute units share instruction caches (fetch.enabled)"},
		{r.setup.Tracer != nil, "a tracer receives all events in order"},
		{r.setup.Attach != nil, "a monitor may look at components at any time"},
		{r.setup.Components, "the work of components is counted on one"},
	} {
		if why.holds {
			r.programs.warn("threads: timed work runs on one of the %d threads: %s", n, why.text)
			return
		}
	}
	r.machine.Array.Ahead.Threads(n)
}

package gpu

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"spvsim/account"
	"spvsim/config"
	"spvsim/cu"
	"spvsim/engine"
	"spvsim/functional"
	"spvsim/isa"
	"spvsim/lds"
	"spvsim/mem"
	"spvsim/scheduler"
	"spvsim/simd"
	"spvsim/spirv/validate"
)

// A runner runs one job on one machine.
type runner struct {
	ctx       context.Context
	setup     Setup
	machine   *machine
	resources *resources
	programs  *programs
	launches  []launch
	graph     *graphJob // nil: the job has launches
	total     int       // rounds
	progress  Progress
	host      *budget
	started   time.Time // when the run began
	watched   uint64    // calls of watch
	stall     stall

	running []*simd.Code // programs of the launch

	events eventCounter // of parts that do not count their own; nil when nobody asks
	now    uint64       // cycle in which the next launch begins
	issued uint64       // instructions over all rounds
	// Of what ran without time: instructions, faults in LDS, and the workgroups of the launch that runs.
	untimed      uint64
	untimedCache functional.Cache
	ldsFaults    []lds.Fault
	launched     uint64
	window       *config.Time // nil: all is timed
	kinds        kinds        // of launches of the round, so far
	before       snapshot
	steps        []account.StepCounts // of the round that runs
	stepOf       map[string]int
}

// A launch is ready to run.
type launch struct {
	step string
	kind string           // that launches alike share, of whatever steps; empty: the step
	draw *draw            // nil: workgroups
	copy *config.CopyCall // instead of a launch; nil: none
	move *transfer        // instead of a launch; nil: none
	at   func() [3]uint32 // the workgroups of an indirect launch, when it begins; nil: they are known
	once bool
	mode string
	from *config.Launch
	cu.Launch
	graph []graphEntry // instead of Launch; nil: none
}

// newRunner does all that can fail before the first cycle.
func newRunner(ctx context.Context, s Setup) (*runner, error) {
	r, err := prepareRunner(ctx, s)
	if err == nil && r.graph != nil {
		err = r.startGraph()
	}
	if err == nil {
		err = r.attach()
	}
	return r, err
}

// prepareRunner builds the machine and lowers the job's programs.
func prepareRunner(ctx context.Context, s Setup) (*runner, error) {
	r, err := openRunner(ctx, s)
	if err != nil {
		return nil, err
	}
	if r.resources, err = newResources(s.Job, r.machine.store, r.host); err != nil {
		return nil, err
	}
	if r.total, err = s.Job.Rounds(); err != nil {
		return nil, err
	}
	if r.window = s.Job.Time; s.Time != nil {
		r.window = s.Time
	}
	return r, cmp.Or(r.prepareWork(), r.checkWindow())
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
	r := &runner{ctx: ctx, setup: s, host: newBudget(&s.Job.Limits)}
	if err := r.host.take(machineBytes(s.Machine), machineName(s.Machine)); err != nil {
		return nil, err
	}
	r.machine = newMachine(s.Machine, r.printer())
	if s.Components && r.machine.stuck != nil {
		c := eventCounter{}
		r.events = c
		r.machine.engine.AcceptHook(c)
	}
	if !s.Job.IsGraph() {
		r.machine.chip = nil // nothing to count
	}
	r.programs = &programs{
		ctx: ctx, job: s.Job, machine: s.Machine, rules: r.machine.rules, limits: r.machine.limits, size: size,
		modules: map[string]*validate.Module{}, byKey: map[string]*lowered{},
	}
	r.useThreads()
	return r, nil
}

// prepareWork prepares what the job starts.
func (r *runner) prepareWork() error {
	if r.setup.Job.IsGraph() {
		return r.prepareGraph()
	}
	list, err := r.setup.Job.Launches()
	if err != nil {
		return err
	}
	return r.prepare(list)
}

// prepare lowers the programs of all launches and binds their resources.
func (r *runner) prepare(list []config.Launch) error {
	for i := range list {
		l := &list[i]
		if len(l.Graph) > 0 {
			entries, err := r.entries(l.Graph)
			if err != nil {
				return err
			}
			r.launches = append(r.launches, launch{step: stepName(l), graph: entries, once: l.Once, mode: r.mode(l.Mode), from: l})
			continue
		}
		if groups(l.Dispatch) > maxGroups {
			return fmt.Errorf("dispatch: %v workgroups: want at most %d in all", l.Dispatch, uint64(maxGroups))
		}
		if l.Copy != nil {
			r.launches = append(r.launches, launch{step: copyName(l), copy: l.Copy, once: l.Once, mode: config.ModeTimed, from: l})
			continue
		}
		if l.Transfer != nil {
			t, err := r.resources.transfer(l.Transfer)
			if err != nil {
				return fmt.Errorf("%s: %w", l.Path, err)
			}
			r.launches = append(r.launches, launch{step: cmp.Or(l.Step, "transfer"), move: t, once: l.Once, mode: r.mode(l.Mode), from: l})
			continue
		}
		made, err := r.prepareLaunch(l)
		if err != nil {
			return err
		}
		if made.Code.Program.Node != nil {
			return fmt.Errorf("%w: %s: entry point %q is a node of an execution graph: want it among nodes, and graph instead of dispatch",
				errGraph, l.Shader, made.Code.Program.Name)
		}
		at, err := r.resources.indirect(l.Indirect)
		if err != nil {
			return fmt.Errorf("%s: %w", l.Path, err)
		}
		r.launches = append(r.launches, launch{step: stepName(l), draw: r.resources.draw, at: at, once: l.Once, mode: r.mode(l.Mode), from: l, Launch: *made})
	}
	return nil
}

// prepareLaunch lowers a program and binds its resources.
func (r *runner) prepareLaunch(l *config.Launch) (*cu.Launch, error) {
	p, err := r.programs.get(l)
	if err != nil {
		return nil, err
	}
	prog := p.code.Program
	d, err := r.resources.newDraw(l.Draw, prog)
	if err != nil {
		return nil, Named(l.Shader, err)
	}
	r.resources.draw = d
	b, err := r.resources.bind(prog, l)
	if err != nil {
		return nil, Named(l.Shader, err)
	}
	if words := int(prog.ScratchWords); words > 0 && p.scratch == nil {
		if err := r.host.take(uint64(r.machine.slots)*scratchHostBytes, "the scratch of every wave slot"); err != nil {
			return nil, err
		}
		if p.scratch, err = mem.NewScratch(r.machine.store, r.machine.slots, words, prog.WaveSize); err != nil {
			return nil, err
		}
	}
	made := &cu.Launch{Code: p.code, Need: p.need, NumWorkgroups: l.Dispatch, Base: l.Base, Bindings: b, Scratch: p.scratch}
	if d != nil {
		made.Fragments, made.NumWorkgroups = d.waves, [3]uint32{uint32(len(d.waves)), 1, 1}
	}
	return made, nil
}

// maxGroups bounds the workgroups of a launch, so that counting them can't overflow.
const maxGroups = 1 << 48

func groups(grid [3]uint32) uint64 {
	n := uint64(1)
	for _, size := range grid {
		if size == 0 {
			return 0
		}
		n *= uint64(size)
		if n > maxGroups {
			return maxGroups + 1
		}
	}
	return n
}

func copyName(l *config.Launch) string {
	if l.Step != "" {
		return l.Step
	}
	return "copy"
}

func stepName(l *config.Launch) string {
	switch {
	case l.Step != "":
		return l.Step
	case len(l.Graph) > 0:
		return "graph"
	}
	return l.Shader
}

// rounds runs the job as often as it asks; only the last round is counted.
func (r *runner) rounds() error {
	for round := range r.total {
		r.programs.reset()
		r.traceRound(round)
		r.steps, r.stepOf, r.kinds = nil, map[string]int{}, kinds{}
		r.progress.Round, r.progress.Rounds = round+1, r.total
		if r.graph != nil && len(r.launches) == 0 {
			if err := r.dispatchGraph(); err != nil {
				return runError(err)
			}
			r.estimate()
			continue
		}
		if err := r.stream(round); err != nil {
			return runError(err)
		}
		r.estimate()
	}
	return nil
}

// stream runs the launches of a round, one after the other.
func (r *runner) stream(round int) error {
	follows := false
	for i := range r.launches {
		l := &r.launches[i]
		if l.once && round > 0 {
			continue
		}
		r.progress.Launch, r.progress.Launches = i+1, len(r.launches)
		if l.copy != nil {
			r.copy(l)
			continue
		}
		if err := r.begun(l, follows); err != nil {
			return err
		}
		follows = true
	}
	return nil
}

// copy lets the time of a copy between host and device pass.
func (r *runner) copy(l *launch) {
	h := &r.setup.Machine.Host
	fixed, rate := h.ToDeviceCycles, h.ToDeviceBytes
	if l.copy.FromDevice {
		fixed, rate = h.FromDeviceCycles, h.FromDeviceBytes
	}
	r.before = r.snapshot()
	r.begin()
	end := r.now + uint64(fixed) + uint64(math.Ceil(float64(l.copy.Bytes)/rate))
	c := r.counts(end)
	c.Launches = 0
	r.add(l.step, c)
	r.now = end
}

// begun runs what a step does, now that it begins; an indirect launch of no workgroups is none.
func (r *runner) begun(l *launch, follows bool) error {
	if l.move != nil {
		r.transfer(l, follows)
		return nil
	}
	if l.at != nil {
		l.NumWorkgroups = l.at()
		switch n := groups(l.NumWorkgroups); {
		case n > maxGroups:
			return fmt.Errorf("%s: %v workgroups: want at most %d in all", l.step, l.NumWorkgroups, uint64(maxGroups))
		case n == 0:
			return nil
		}
	}
	return r.launch(l, follows)
}

// launch runs one dispatch to its end; follows: behind another one of its round.
func (r *runner) launch(l *launch, follows bool) error {
	all := scheduler.Part{End: groups(l.NumWorkgroups)}
	switch {
	case l.mode == config.ModeFunctional:
		return r.functional(l, all, false)
	case l.mode == config.ModeSampled:
		return r.sampled(l, follows)
	case r.window != nil:
		return r.windowed(l, follows)
	case l.graph != nil:
		return r.dispatchOnce(l.step, l.graph)
	}
	return r.timed(l, follows, all)
}

// timed runs a part of a dispatch to its end.
func (r *runner) timed(l *launch, follows bool, part scheduler.Part) error {
	g := r.machine
	if part.First == 0 {
		g.hierarchy.KernelBoundary()
	}
	r.serve(false)
	r.now = max(r.now, g.cycle()) // after a graph, parts of the machine may have worked on
	if l.draw != nil && part.First == 0 {
		l.draw.begin()
	}
	r.running = append(r.running[:0], l.Code)
	r.before = r.snapshot(r.running...)
	r.begin()
	r.traceLaunch(l.step)
	g.dispatcher.LaunchPart(r.now, &l.Launch, follows, part)
	finished, end, err := r.runEngine(g.dispatcher.Finished)
	if err = cmp.Or(err, r.failure(finished)); err != nil {
		ended, _, _ := g.dispatcher.Progress()
		c := r.soFar(l.Code)
		c.Workgroups, c.Waves = ended, ended*uint64(l.Need.Waves)
		r.add(l.step, c)
		return err
	}
	end = g.hierarchy.Release(end)
	r.count(l, part, end)
	r.traceEnd(end)
	r.now = max(end, g.cycle())
	return nil
}

// useThreads lets the machine have its threads, and says where it has no use for more than one.
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
		{r.setup.Tracer != nil, "a tracer hears of everything in its order"},
		{r.setup.Attach != nil, "who is attached may look at its components at any time"},
		{r.setup.Components, "what its components did is counted for one"},
		{r.setup.Job.IsGraph(), "what waves of an execution graph enqueue starts others"},
	} {
		if why.holds {
			r.programs.warn("threads: what is timed runs on one of the %d threads: %s", n, why.text)
			return
		}
	}
	r.machine.array.Ahead.Threads(n)
}

// begin starts an accounting period.
func (r *runner) begin() {
	r.machine.engine.Limit(r.limit(), r.watch)
	r.machine.array.Begin(r.now)
}

// runEngine runs until nothing is left to happen, or the run has failed. Work that ended before the limit is not
// failed by what parts of the machine, such as caches, do behind it.
func (r *runner) runEngine(result func() (finished bool, end uint64)) (finished bool, end uint64, err error) {
	defer r.machine.array.Ahead.End()
	err = r.machine.engine.Run()
	r.machine.array.Ahead.Join()
	finished, end = result()
	switch {
	case errors.Is(err, engine.ErrLimit) && finished && end < r.limit():
		err = nil
	case errors.Is(err, engine.ErrLimit):
		err = fmt.Errorf("%w: %d cycles; %s", ErrLimit, r.limit(), r.waiting())
	case errors.Is(err, ErrHostTime):
		err = fmt.Errorf("%w; %s", err, r.waiting())
	}
	return finished, end, err
}

// limit is the cycle at which the run is stopped.
func (r *runner) limit() uint64 {
	switch {
	case r.setup.MaxCycles != 0:
		return r.setup.MaxCycles
	case r.setup.Job.Limits.Cycles != 0:
		return uint64(r.setup.Job.Limits.Cycles)
	}
	return engine.Never
}

// watch looks now and then whether to go on, and tells how far the run is.
func (r *runner) watch(now uint64) error {
	r.machine.array.Ahead.Join()
	if err := r.hostLimits(); err != nil {
		return err
	}
	r.stalled(now)
	if r.setup.Progress != nil {
		r.progress.Cycle, r.progress.Nanoseconds = now, now*1000/uint64(r.setup.Machine.ClockMHz)
		r.progress.Instructions = r.instructionsSoFar()
		r.progress.Ended, r.progress.Running, r.progress.Total = r.workgroups()
		r.setup.Progress(r.progress)
	}
	if r.machine.stuck != nil && r.machine.stuck(now) {
		return fmt.Errorf("%w; %s", ErrDeadlock, r.waiting())
	}
	if r.ctx.Err() != nil {
		return &interrupted{fmt.Sprintf("in cycle %d", now), r.ctx.Err()}
	}
	return nil
}

// instructionsSoFar are those of all launches, the one that runs with them.
func (r *runner) instructionsSoFar() uint64 {
	n := r.issued
	now, before := issues(r.running), &r.before.byClass
	for i := range now {
		n += now[i] - before[i]
	}
	return n
}

// failure says that the machine stopped before the launch had ended.
func (r *runner) failure(finished bool) error {
	if finished {
		return nil
	}
	return fmt.Errorf("%w; %s", ErrDeadlock, r.waiting())
}

// A snapshot is the machine's cumulative counters at one time.
type snapshot struct {
	byClass [isa.NumClasses]uint64
	lds     account.LDSCounts
	levels  []account.Level
	faults  uint64
}

func (r *runner) snapshot(codes ...*simd.Code) snapshot {
	s := snapshot{byClass: issues(codes), levels: r.machine.levels(), faults: r.machine.faults()}
	for _, c := range codes { // whose counts issues has gathered
		n := c.LDS()
		s.lds.Add(&n)
	}
	return s
}

// issues counts the instructions that programs issued so far, by class.
func issues(codes []*simd.Code) (by [isa.NumClasses]uint64) {
	for _, c := range codes {
		c.Gather()
		for i := range c.Counts {
			by[c.Program.Insts[i].Class] += c.Counts[i].Issues
		}
	}
	return by
}

// count adds what a launch that ended in cycle end did to its step.
func (r *runner) count(l *launch, part scheduler.Part, end uint64) {
	c := r.counts(end, l.Code)
	c.Workgroups = r.machine.dispatcher.Placed()
	c.Waves = c.Workgroups * uint64(l.Need.Waves)
	if part.First > 0 {
		c.Launches = 0 // counted with the first part
	} else if l.draw != nil {
		c.Fragments = &l.draw.counts
	}
	r.add(l.step, c)
}

// counts is what the machine did since the snapshot before, up to cycle end.
func (r *runner) counts(end uint64, codes ...*simd.Code) *account.Counts {
	after := r.snapshot(codes...)
	c := &account.Counts{
		Launches: 1, Cycles: end - r.now,
		Slots: r.machine.array.Settle(end), Memory: after.levels, OutOfBounds: after.faults - r.before.faults,
		LDS: after.lds,
	}
	c.LDS.Subtract(&r.before.lds)
	for i := range c.ByClass {
		c.ByClass[i] = after.byClass[i] - r.before.byClass[i]
	}
	for i := range c.Memory {
		c.Memory[i].Subtract(&r.before.levels[i])
	}
	return c
}

// soFar is what a launch or graph dispatch that did not come to its end did: waves that are resident are charged up to now with what
// they wait for.
func (r *runner) soFar(codes ...*simd.Code) *account.Counts {
	end := r.machine.cycle()
	for _, u := range r.machine.array.Units {
		for _, s := range u.SIMDs {
			for _, w := range s.Waves() {
				end = max(end, w.FreeAt())
			}
		}
	}
	c := r.counts(end, codes...)
	for _, u := range r.machine.array.Units {
		for _, s := range u.SIMDs {
			for _, w := range s.Waves() {
				c.Slots[w.WaitsFor()] += end - w.FreeAt()
			}
		}
	}
	return c
}

// add adds the counts of a launch to those of its step, whose number it returns.
func (r *runner) add(step string, c *account.Counts) int {
	r.issued += c.Instructions()
	i, ok := r.stepOf[step]
	if !ok {
		i = len(r.steps)
		r.stepOf[step] = i
		r.steps = append(r.steps, account.StepCounts{Name: step})
	}
	r.steps[i].Add(c)
	return i
}

package gpu

import (
	"cmp"
	"errors"
	"fmt"

	"spvsim/account"
	"spvsim/check"
	"spvsim/energy"
	"spvsim/engine"
	"spvsim/gpu/machine"
	"spvsim/scheduler"
	"spvsim/simd"
	"spvsim/tracing/probe"
)

// A timing runs works with time, on the machine.
type timing struct {
	machine *machine.Machine
	guard   *guard
	tally   *account.Tally
	now     uint64       // cycle in which the next launch begins
	current residentWork // the work that runs; nil: none has
	running []*simd.Code // its programs
	atBegin snapshot
	// The cycle in which the last launch of workgroups ended, if there was one.
	lastWork uint64
	worked   bool
	checker  *check.Checker // nil: accesses are not checked

	// Functions that the engine calls; each is one value, as checkpoints know functions that are there before the first cycle.
	onPoll   func(now uint64) error
	onSample func(now uint64) (next uint64)
}

func newTiming(m *machine.Machine, g *guard, tally *account.Tally, c *check.Checker) *timing {
	t := &timing{machine: m, guard: g, tally: tally, checker: c}
	t.onPoll, t.onSample = t.poll, t.sampleTracer
	return t
}

// run runs a part of a work to its end.
func (t *timing) run(step string, w residentWork, p scheduler.WorkgroupRange, follows bool) (*account.Counts, error) {
	m := t.machine
	if p.First == 0 {
		m.Hierarchy.KernelBoundary()
	}
	if err := w.Open(m, p); err != nil {
		return nil, err
	}
	t.now = max(t.now, m.Cycle()) // after a graph, parts of the machine may have worked on
	t.current, t.running = w, append(t.running[:0], w.Codes()...)
	t.beginAccounting()
	t.traceLaunch(step)
	w.Start(t.now, p, follows)
	finished, end, err := t.runEngine()
	if err = cmp.Or(err, t.failure(finished)); err != nil {
		return t.partialCounts(), err
	}
	end, next := w.Close(end)
	c := t.counts(end)
	c.LaunchCycles = w.LaunchCycles()
	t.traceEnd(end)
	t.now = next
	return c, nil
}

// beginAccounting starts an accounting period.
func (t *timing) beginAccounting() {
	t.atBegin = t.snapshot(t.now)
	t.machine.Engine.Limit(t.limit(), t.onPoll)
	t.machine.Array.BeginPeriod(t.now)
}

// idle advances the time by cycles in which the compute units are idle, and counts them.
func (t *timing) idle(cycles uint64) *account.Counts {
	t.running = t.running[:0]
	t.beginAccounting()
	end := t.now + cycles
	c := t.counts(end)
	t.now = end
	return c
}

// passTransfer advances the time by that of a transfer.
func (t *timing) passTransfer(bytes uint64, follows bool) (cycles uint64) {
	cycles = t.transferCycles(bytes, follows)
	t.now = max(t.now, t.machine.Cycle()) + cycles
	return cycles
}

// transferCycles returns the time of a transfer: its launch, and its bytes over all channels at the rate that they sustain.
func (t *timing) transferCycles(bytes uint64, follows bool) uint64 {
	return t.transferCost(follows) + t.machine.TransferCycles(bytes)
}

// transferCost returns the launch cycles of a transfer.
func (t *timing) transferCost(follows bool) uint64 {
	d := &t.guard.setup.Machine.Dispatcher
	if follows {
		return uint64(d.FollowingLaunch)
	}
	return uint64(d.KernelLaunchCycles)
}

// runEngine runs until no event is left or the run has failed. Work that ended before the limit does not fail because caches or other
// parts go on after it.
func (t *timing) runEngine() (finished bool, end uint64, err error) {
	defer t.machine.Array.Ahead.End()
	err = t.machine.Engine.Run()
	t.machine.Array.Ahead.Join()
	finished, end = t.current.Finished()
	switch {
	case errors.Is(err, engine.ErrLimit) && finished && end < t.limit():
		err = nil
	case errors.Is(err, engine.ErrLimit):
		err = fmt.Errorf("%w: %d cycles; %s", ErrLimit, t.limit(), t.waiting())
	case errors.Is(err, ErrHostTime):
		err = fmt.Errorf("%w; %s", err, t.waiting())
	}
	return finished, end, err
}

// limit returns the cycle at which the run is stopped.
func (t *timing) limit() uint64 {
	s := t.guard.setup
	switch {
	case s.MaxCycles != 0:
		return s.MaxCycles
	case s.Job.Limits.Cycles != 0:
		return uint64(s.Job.Limits.Cycles)
	}
	return engine.Never
}

// poll looks now and then whether to go on, and reports how far the run is.
func (t *timing) poll(now uint64) error {
	t.machine.Array.Ahead.Join()
	if err := t.guard.checkLimits(); err != nil {
		return err
	}
	ended, running, total := t.workgroups()
	t.guard.reportStall(ended, func() string { return fmt.Sprintf("(cycle %d); %s", now, t.waiting()) })
	if t.guard.setup.Progress != nil {
		t.guard.reportProgress(now, t.instructionsSoFar(), ended, running, total)
	}
	if t.machine.Stuck != nil && t.machine.Stuck(now) {
		return fmt.Errorf("%w; %s", ErrDeadlock, t.waiting())
	}
	return t.guard.interrupted("in cycle %d", now)
}

// workgroups returns the numbers of ended, resident and all known workgroups.
func (t *timing) workgroups() (ended, running, total uint64) {
	if t.current == nil {
		return 0, 0, 0
	}
	return t.current.Progress()
}

// instructionsSoFar returns the instructions of all launches, including the current one.
func (t *timing) instructionsSoFar() uint64 {
	n := t.tally.Issued
	now, before := simd.IssuedByClass(t.running), &t.atBegin.issued.ByClass
	for i := range now {
		n += now[i] - before[i]
	}
	return n
}

// failure returns ErrDeadlock if the machine stopped before the launch had ended.
func (t *timing) failure(finished bool) error {
	if finished {
		return nil
	}
	return fmt.Errorf("%w; %s", ErrDeadlock, t.waiting())
}

// A snapshot is the machine's cumulative counters at one time.
type snapshot struct {
	issued account.Counts
	units  uint64 // cycles of compute units with a workgroup
	on     account.OnCycles
	levels []account.LevelCounts
	links  []account.LinkBytes
	faults uint64
}

func (t *timing) snapshot(now uint64) snapshot {
	return snapshot{issued: simd.IssuedCounts(t.running), units: t.machine.Array.Busy(now), on: t.machine.Array.On(now), levels: t.machine.Levels(), links: t.machine.Links(), faults: t.machine.Faults()}
}

// counts returns the difference to the snapshot atBegin, up to cycle end.
func (t *timing) counts(end uint64) *account.Counts {
	after := t.snapshot(end)
	c := &account.Counts{
		Launches: 1, Cycles: end - t.now,
		Slots: t.machine.Array.ChargeEmpty(end), Memory: after.levels, Links: after.links, OutOfBounds: after.faults - t.atBegin.faults,
		UnitCycles: after.units - t.atBegin.units,
		On:         account.OnCycles{Units: after.on.Units - t.atBegin.on.Units, Engines: after.on.Engines - t.atBegin.on.Engines},
	}
	after.issued.SubtractIssued(&t.atBegin.issued)
	c.Add(&after.issued)
	if len(t.running) > 0 {
		c.WorkCycles = c.Cycles
		t.lastWork, t.worked = end, true
	}
	c.On.Chip, c.On.Memory = t.onSince(end, c, &t.machine.Spec.Energy.Power.Chip), t.onSince(end, c, &t.machine.Spec.Energy.Power.Memory)
	for i := range c.Memory {
		c.Memory[i].Subtract(&t.atBegin.levels[i])
		c.Links[i].Read -= t.atBegin.links[i].Read
		c.Links[i].Written -= t.atBegin.links[i].Written
	}
	return c
}

// onSince returns the cycles of a period that ends now for which a part was not gated that is on while a launch runs.
func (t *timing) onSince(end uint64, c *account.Counts, p *energy.PartPower) uint64 {
	if c.WorkCycles > 0 || !t.worked {
		return c.WorkCycles
	}
	gated := t.lastWork + p.GateCycles(t.machine.Spec.ClockMHz)
	return min(gated, end) - min(gated, t.now, end)
}

// soFar returns the counts of the current work up to now, except for its slots.
func (t *timing) soFar() *account.Counts {
	now := max(t.machine.Cycle(), t.now)
	after := t.snapshot(now)
	c := &account.Counts{Cycles: now - t.now, WorkCycles: now - t.now, UnitCycles: after.units - t.atBegin.units, Memory: after.levels,
		On: account.OnCycles{Units: after.on.Units - t.atBegin.on.Units, Engines: after.on.Engines - t.atBegin.on.Engines, Chip: now - t.now, Memory: now - t.now}}
	after.issued.SubtractIssued(&t.atBegin.issued)
	c.Add(&after.issued)
	for i := range c.Memory {
		c.Memory[i].Subtract(&t.atBegin.levels[i])
	}
	return c
}

// partialCounts returns the counts of a launch or graph dispatch that was stopped. Resident waves are charged up to now with the reason
// that they wait for.
func (t *timing) partialCounts() *account.Counts {
	end := t.machine.Cycle()
	t.machine.Array.CatchUp(end + 1)
	waves := t.machine.Waves()
	for _, w := range waves {
		end = max(end, w.FreeAt())
	}
	c := t.counts(end)
	for _, w := range waves {
		c.Slots[w.WaitsFor()] += end - w.FreeAt()
	}
	return c
}

// traceLaunch notifies the tracer, if it listens by now, that a launch begins.
func (t *timing) traceLaunch(step string) {
	if to := t.machine.Array.Tracer(); to != nil {
		to.LaunchBegin(&probe.LaunchInfo{Step: step, At: t.now})
	}
}

// traceEnd notifies the tracer that a launch has ended.
func (t *timing) traceEnd(end uint64) {
	if to := t.machine.Array.Tracer(); to != nil {
		t.sampleTracer(end)
		to.LaunchEnd(end)
	}
}

// sampleTracer samples the state of the machine for the tracer.
func (t *timing) sampleTracer(now uint64) (next uint64) {
	m := t.machine
	s := probe.Sample{At: now, Levels: m.Levels(), Parts: m.Parts()}
	for _, u := range m.Array.Units {
		s.Workgroups += u.Resident()
		for _, lanes := range u.SIMDs {
			s.Waves += lanes.Resident()
		}
	}
	if g, ok := t.current.(interface{ QueueWaves() []probe.QueueWaves }); ok {
		s.Queues = g.QueueWaves()
	}
	for _, g := range m.Graphs {
		g.AddToSample(&s)
	}
	return t.guard.setup.Tracer.Sample(&s)
}

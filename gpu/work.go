package gpu

import (
	"spvsim/account"
	"spvsim/config"
	"spvsim/cu"
	"spvsim/gpu/machine"
	"spvsim/scheduler"
	"spvsim/simd"
)

// A launchWork is the work of a launch: a kernel, a draw, a graph, a transfer on the device, a copy between host and device, the queues of
// a job. It owns its state while it runs; the machine does not know it.
type launchWork interface {
	// Prepare reads the values that are known only when the work begins. It returns false if there is nothing to do.
	Prepare() (some bool, err error)
	// functional runs a part without time; warm: it brings its lines into the caches. Counts are returned with an error too.
	functional(u *functionalRunner, p scheduler.WorkgroupRange, warm bool) (*account.Counts, error)
	// timed runs a part to its end, under the name of its step; follows: after another launch of its round.
	timed(t *timing, step string, p scheduler.WorkgroupRange, follows bool) (*account.Counts, error)
	// Count completes the counts of a part that ran.
	Count(c *account.Counts, p scheduler.WorkgroupRange)
}

// A residentWork is a work with workgroups on the compute units.
type residentWork interface {
	launchWork
	// ClassKey is equal for works that a sampled run treats as one kind within a step.
	ClassKey() string
	// Workgroups returns the number of workgroups, if it is known before they run: then they may run in parts.
	Workgroups() (n uint64, known bool)
	// Resources returns what a workgroup needs of a compute unit.
	Resources() cu.Resources
	// Codes returns the programs that workgroups run.
	Codes() []*simd.Code
	// Open hands the work to the machine. Start begins it in cycle now.
	Open(m *machine.Machine, p scheduler.WorkgroupRange) error
	Start(now uint64, p scheduler.WorkgroupRange, follows bool)
	// Finished reports whether all workgroups have ended, and the cycle in which all their accesses are done. Progress returns the numbers of ended, resident and known workgroups.
	Finished() (bool, uint64)
	Progress() (ended, running, total uint64)
	// Close returns the cycle in which memory has accepted all stores of the work that ended in cycle end, and the first cycle of the next work.
	Close(end uint64) (done, next uint64)
	// LaunchCycles returns the cycles in which none of its workgroups was resident. The work has ended.
	LaunchCycles() uint64
	// Waiting lists what waits besides waves, for reports. WaveOwner names the node of a wave.
	Waiting() string
	WaveOwner(w *simd.Wave) string
}

// allWorkgroups returns the part that is a whole work.
func allWorkgroups(w launchWork) scheduler.WorkgroupRange {
	if r, ok := w.(residentWork); ok {
		n, _ := r.Workgroups()
		return scheduler.WorkgroupRange{End: n}
	}
	return scheduler.WorkgroupRange{}
}

// A jobLaunch is a work in its place in the job.
type jobLaunch struct {
	step string
	kind string // that launches alike share, of whatever steps; empty: the step
	once bool
	host bool // the host carries it out: what comes after it follows no launch
	mode string
	from *config.Launch
	work launchWork
	// number counts the launches of the job from 0.
	number int
}

// An executor runs launches, and counts them with their steps.
type executor struct {
	timing           *timing
	functionalRunner *functionalRunner
	tally            *account.Tally
}

// runLaunch runs a part of a launch with time, and completes its counts.
func (t *timing) runLaunch(l *jobLaunch, p scheduler.WorkgroupRange, follows bool) (*account.Counts, error) {
	if p.First == 0 {
		t.beginCheck(l.work, l.step)
	}
	c, err := l.work.timed(t, l.step, p, follows)
	if c != nil {
		l.work.Count(c, p)
	}
	return c, err
}

// beginCheck has the workgroups of a work checked, if any are. What was checked before it has ended.
func (t *timing) beginCheck(w launchWork, step string) {
	if t.checker != nil {
		t.checker.EndLaunches(0)
		beginCheck(t.checker, t.machine, w, step)
	}
}

// runTimed runs a part of a launch with time, and counts it with its step.
func (x *executor) runTimed(l *jobLaunch, p scheduler.WorkgroupRange, follows bool) error {
	c, err := x.timing.runLaunch(l, p, follows)
	if c != nil {
		x.tally.Add(l.step, c)
	}
	return err
}

// run runs a part of a work functional, and completes its counts, which are valid until the next run.
func (u *functionalRunner) run(w launchWork, p scheduler.WorkgroupRange, warm bool) (*account.Counts, error) {
	if c := u.checker; c != nil && p.First == 0 {
		if begun := c.Launches(); p.End == allWorkgroups(w).End {
			defer c.EndLaunches(begun)
		}
		beginCheck(c, u.machine, w, "")
	}
	c, err := w.functional(u, p, warm)
	if c != nil {
		w.Count(c, p)
	}
	return c, err
}

// runFunctional runs a part of a launch functional, and counts it with its step.
func (x *executor) runFunctional(l *jobLaunch, p scheduler.WorkgroupRange, warm bool) error {
	c, err := x.functionalRunner.run(l.work, p, warm)
	if c != nil {
		x.tally.Add(l.step, c)
	}
	return err
}

type sampledLaunch struct {
	residentWork
	launch *jobLaunch
	*executor
}

func (l *sampledLaunch) Step() string { return l.launch.step }
func (l *sampledLaunch) Kind() string { return l.launch.kind }

func (l *sampledLaunch) Kernel() *cu.KernelLaunch {
	if k, ok := l.residentWork.(*kernelWork); ok {
		return &k.KernelLaunch
	}
	return nil
}

func (l *sampledLaunch) Timed(p scheduler.WorkgroupRange, follows bool) (*account.Counts, error) {
	return l.timing.runLaunch(l.launch, p, follows)
}

func (l *sampledLaunch) Functional(p scheduler.WorkgroupRange, warm bool) (*account.Counts, error) {
	return l.functionalRunner.run(l.residentWork, p, warm)
}

func (l *sampledLaunch) Number() int            { return l.launch.number }
func (l *sampledLaunch) SoFar() *account.Counts { return l.timing.soFar() }

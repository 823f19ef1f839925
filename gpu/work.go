package gpu

import (
	"spvsim/account"
	"spvsim/config"
	"spvsim/cu"
	"spvsim/gpu/machine"
	"spvsim/scheduler"
	"spvsim/simd"
)

// A launchWork is what a launch of a job does: a kernel, a draw, a graph, a copy between host and device, a transfer on the device. What
// belongs to it while it runs is its own, and not the machine's.
type launchWork interface {
	// Prepare reads what is known only when the work begins. It says no where there is nothing to do.
	Prepare() (some bool, err error)
	// functional runs a part without time; warm: bringing its lines into the caches. What it did comes with an error too.
	functional(u *functionalRunner, p scheduler.Part, warm bool) (*account.Counts, error)
	// timed runs a part to its end, under the name of its step; follows: after another launch of its round.
	timed(t *timing, step string, p scheduler.Part, follows bool) (*account.Counts, error)
	// Count completes the counts of a part that ran.
	Count(c *account.Counts, p scheduler.Part)
}

// A residentWork is a work with workgroups on the compute units.
type residentWork interface {
	launchWork
	// ClassKey is the same for all that a sampled run takes for alike within a step.
	ClassKey() string
	// Workgroups is how many there are, where that is known before they run: then they may run in parts.
	Workgroups() (n uint64, known bool)
	// Resources is what a workgroup takes of a compute unit.
	Resources() cu.Resources
	// Codes are the programs that workgroups run.
	Codes() []*simd.Code
	// Open hands the work to the machine; start has it begin in cycle now.
	Open(m *machine.Machine, p scheduler.Part) error
	Start(now uint64, p scheduler.Part, follows bool)
	// Finished says whether all workgroups have ended, and by when all they did is done; progress, how many ended, run and are known.
	Finished() (bool, uint64)
	Progress() (ended, running, total uint64)
	// Close says by when memory has taken what the work did that ended in cycle end, and from when on the next one may begin.
	Close(end uint64) (done, next uint64)
	// LaunchCycles is the time of the work in which nothing of it was on the machine; the work has ended.
	LaunchCycles() uint64
	// Waiting says what waits beside waves, for reports; whose, what a wave belongs to.
	Waiting() string
	WaveOwner(w *simd.Wave) string
}

// allWorkgroups is all of a work.
func allWorkgroups(w launchWork) scheduler.Part {
	if r, ok := w.(residentWork); ok {
		n, _ := r.Workgroups()
		return scheduler.Part{End: n}
	}
	return scheduler.Part{}
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
func (t *timing) runLaunch(l *jobLaunch, p scheduler.Part, follows bool) (*account.Counts, error) {
	c, err := l.work.timed(t, l.step, p, follows)
	if c != nil {
		l.work.Count(c, p)
	}
	return c, err
}

// runTimed runs a part of a launch with time, and counts it with its step.
func (x *executor) runTimed(l *jobLaunch, p scheduler.Part, follows bool) error {
	c, err := x.timing.runLaunch(l, p, follows)
	if c != nil {
		x.tally.Add(l.step, c)
	}
	return err
}

// run runs a part of a work without time, and completes its counts, which are those of this run until the next one.
func (u *functionalRunner) run(w launchWork, p scheduler.Part, warm bool) (*account.Counts, error) {
	c, err := w.functional(u, p, warm)
	if c != nil {
		w.Count(c, p)
	}
	return c, err
}

// runFunctional runs a part of a launch without time, and counts it with its step.
func (x *executor) runFunctional(l *jobLaunch, p scheduler.Part, warm bool) error {
	c, err := x.functionalRunner.run(l.work, p, warm)
	if c != nil {
		x.tally.Add(l.step, c)
	}
	return err
}

// A sampledLaunch implements sampled.Launch.
type sampledLaunch struct {
	residentWork
	launch *jobLaunch
	*executor
}

func (l *sampledLaunch) Step() string { return l.launch.step }
func (l *sampledLaunch) Kind() string { return l.launch.kind }

func (l *sampledLaunch) Kernel() *cu.Launch {
	if k, ok := l.residentWork.(*kernelWork); ok {
		return &k.Launch
	}
	return nil
}

func (l *sampledLaunch) Timed(p scheduler.Part, follows bool) (*account.Counts, error) {
	return l.timing.runLaunch(l.launch, p, follows)
}

func (l *sampledLaunch) Functional(p scheduler.Part, warm bool) (*account.Counts, error) {
	return l.functionalRunner.run(l.residentWork, p, warm)
}

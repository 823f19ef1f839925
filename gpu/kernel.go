package gpu

import (
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

// A kernelWork is a grid of workgroups of one program.
type kernelWork struct {
	cu.KernelLaunch
	indirectGrid func() [3]uint32 // the workgroups of an indirect launch, when it begins; nil: they are known
	arguments    uint64           // their address
	fetchCycles  uint64           // that the launch waited for them
	machine      *machine.Machine
}

// Prepare reads the workgroups of an indirect launch; one of none does nothing.
func (k *kernelWork) Prepare() (some bool, err error) {
	if k.indirectGrid == nil {
		return true, nil
	}
	k.NumWorkgroups = k.indirectGrid()
	n := cu.GridSize(k.NumWorkgroups)
	if n > cu.MaxGridSize {
		return false, fmt.Errorf("found %v workgroups: want at most %d in all", k.NumWorkgroups, uint64(cu.MaxGridSize))
	}
	return n > 0, nil
}

func (k *kernelWork) timed(t *timing, step string, p scheduler.WorkgroupRange, follows bool) (*account.Counts, error) {
	c, err := t.run(step, k, p, follows)
	if c != nil {
		c.Workgroups, _, _ = k.Progress()
		c.Waves = c.Workgroups * uint64(k.KernelLaunch.Resources.Waves)
	}
	return c, err
}

func (k *kernelWork) functional(u *functionalRunner, p scheduler.WorkgroupRange, warm bool) (*account.Counts, error) {
	o := u.options(k.KernelLaunch.Resources)
	if warm && p.First == 0 {
		u.machine.Hierarchy.KernelBoundary()
	}
	if warm { // one workgroup after the other would bring lines in another order than with time
		o.Beside = min(o.Resident, max(besideWaves/k.KernelLaunch.Resources.Waves, 1))
	}
	u.warmCaches(&o, warm)
	u.workgroups = p.End - p.First
	g := &functional.Grid{Kernel: functionalKernel(&k.KernelLaunch), Groups: k.NumWorkgroups, Base: k.Base, Fragments: k.Fragments, First: p.First, End: p.End}
	return u.counts(func() (*functional.Counts, error) { return functional.Run(u.guard.ctx, u.machine.Store, g, o) })
}

// besideWaves bounds the waves that bring lines into the caches beside each other, so that their registers stay in the host's caches:
// docs/model/sampling.md names it.
const besideWaves = 512

// Count: parts that come later are of the launch that the first one counted.
func (k *kernelWork) Count(c *account.Counts, p scheduler.WorkgroupRange) {
	if p.First > 0 {
		c.Launches = 0
	}
	if f := c.Functional; f != nil && (p.First > 0 || p.End < cu.GridSize(k.NumWorkgroups)) {
		f.Launches = 0 // others of its workgroups are timed
	}
}

func (k *kernelWork) ClassKey() string            { return fmt.Sprintf("%d %v", k.Code.Address, k.NumWorkgroups) }
func (k *kernelWork) Workgroups() (uint64, bool)  { return cu.GridSize(k.NumWorkgroups), true }
func (k *kernelWork) Resources() cu.Resources     { return k.KernelLaunch.Resources }
func (k *kernelWork) Codes() []*simd.Code         { return []*simd.Code{k.Code} }
func (k *kernelWork) Finished() (bool, uint64)    { return k.machine.Dispatcher.Finished() }
func (k *kernelWork) Waiting() string             { return "" }
func (k *kernelWork) WaveOwner(*simd.Wave) string { return "" }
func (k *kernelWork) Progress() (_, _, _ uint64)  { return k.machine.Dispatcher.Progress() }

func (k *kernelWork) Open(m *machine.Machine, _ scheduler.WorkgroupRange) error {
	k.machine = m
	m.Serve()
	return nil
}

func (k *kernelWork) Start(now uint64, p scheduler.WorkgroupRange, follows bool) {
	if k.fetchCycles = 0; p.First == 0 {
		k.fetchCycles = k.machine.FetchArguments(now, k) - now
	}
	k.machine.Dispatcher.LaunchRange(now+k.fetchCycles, &k.KernelLaunch, follows, p)
}

func (k *kernelWork) LaunchCycles() uint64 {
	return k.fetchCycles + k.machine.Dispatcher.LaunchCycles()
}

// Arguments implements concurrent.QueuedWork.
func (k *kernelWork) Arguments() (addr, bytes uint64) {
	if k.arguments == 0 {
		return 0, 0
	}
	return k.arguments, indirectBytes
}

// Close: the next launch begins when memory has taken all stores, and parts of the machine that work on have stopped.
func (k *kernelWork) Close(end uint64) (done, next uint64) {
	done = k.machine.Hierarchy.Release(end)
	k.machine.Array.Drain(end, done)
	return done, max(done, k.machine.Cycle())
}

// Kernel, Graph and StartConcurrent implement concurrent.QueuedWork.
func (k *kernelWork) Kernel() *cu.KernelLaunch { return &k.KernelLaunch }
func (k *kernelWork) Graph() *graph.Run        { return nil }

func (k *kernelWork) StartConcurrent(l *concurrent.QueuedLaunch, at concurrent.LaunchStart) error {
	return l.OpenKernel(at, &k.KernelLaunch)
}

// A drawWork is a kernel of fragment quads.
type drawWork struct {
	kernelWork
	draw *draw
}

func (d *drawWork) timed(t *timing, step string, p scheduler.WorkgroupRange, follows bool) (*account.Counts, error) {
	d.clearAttachments(p)
	return d.kernelWork.timed(t, step, p, follows)
}

func (d *drawWork) functional(u *functionalRunner, p scheduler.WorkgroupRange, warm bool) (*account.Counts, error) {
	d.clearAttachments(p)
	return d.kernelWork.functional(u, p, warm)
}

func (d *drawWork) clearAttachments(p scheduler.WorkgroupRange) {
	if p.First == 0 {
		d.draw.clearTargets()
	}
}

func (d *drawWork) Count(c *account.Counts, p scheduler.WorkgroupRange) {
	if d.kernelWork.Count(c, p); p.First == 0 {
		c.Fragments = &d.draw.counts
	}
}

func (d *drawWork) StartConcurrent(l *concurrent.QueuedLaunch, at concurrent.LaunchStart) error {
	d.clearAttachments(l.TimedPart())
	return d.kernelWork.StartConcurrent(l, at)
}

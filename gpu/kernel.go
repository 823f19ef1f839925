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

// A kernel is a grid of workgroups of one program.
type kernel struct {
	cu.Launch
	at      func() [3]uint32 // the workgroups of an indirect launch, when it begins; nil: they are known
	machine *machine.Machine
}

// Prepare reads the workgroups of an indirect launch; one of none does nothing.
func (k *kernel) Prepare() (some bool, err error) {
	if k.at == nil {
		return true, nil
	}
	k.NumWorkgroups = k.at()
	n := cu.GridSize(k.NumWorkgroups)
	if n > cu.MaxGridSize {
		return false, fmt.Errorf("found %v workgroups: want at most %d in all", k.NumWorkgroups, uint64(cu.MaxGridSize))
	}
	return n > 0, nil
}

func (k *kernel) timed(t *timing, step string, p scheduler.Part, follows bool) (*account.Counts, error) {
	c, err := t.run(step, k, p, follows)
	if c != nil {
		c.Workgroups, _, _ = k.Progress()
		c.Waves = c.Workgroups * uint64(k.Launch.Resources.Waves)
	}
	return c, err
}

func (k *kernel) functional(u *untimed, p scheduler.Part, warm bool) (*account.Counts, error) {
	o := u.options(k.Launch.Resources)
	if warm && p.First == 0 {
		u.machine.Hierarchy.KernelBoundary()
	}
	u.warm(&o, warm)
	u.launched = p.End - p.First
	g := &functional.Grid{Kernel: functionalKernel(&k.Launch), Groups: k.NumWorkgroups, Base: k.Base, Fragments: k.Fragments, First: p.First, End: p.End}
	return u.counts(func() (*functional.Counts, error) { return functional.Run(u.guard.ctx, u.machine.Store, g, o) })
}

// Count: parts that come later are of the launch that the first one counted.
func (k *kernel) Count(c *account.Counts, p scheduler.Part) {
	if p.First > 0 {
		c.Launches = 0
	}
	if f := c.Functional; f != nil && (p.First > 0 || p.End < cu.GridSize(k.NumWorkgroups)) {
		f.Launches = 0 // others of its workgroups are timed
	}
}

func (k *kernel) Like() string                { return fmt.Sprintf("%p %v", k.Code, k.NumWorkgroups) }
func (k *kernel) Workgroups() (uint64, bool)  { return cu.GridSize(k.NumWorkgroups), true }
func (k *kernel) Resources() cu.Resources     { return k.Launch.Resources }
func (k *kernel) Codes() []*simd.Code         { return []*simd.Code{k.Code} }
func (k *kernel) Finished() (bool, uint64)    { return k.machine.Dispatcher.Finished() }
func (k *kernel) Waiting() string             { return "" }
func (k *kernel) WaveOwner(*simd.Wave) string { return "" }
func (k *kernel) Progress() (_, _, _ uint64)  { return k.machine.Dispatcher.Progress() }

func (k *kernel) Open(m *machine.Machine, _ scheduler.Part) error {
	k.machine = m
	m.Serve()
	return nil
}

func (k *kernel) Start(now uint64, p scheduler.Part, follows bool) {
	k.machine.Dispatcher.LaunchPart(now, &k.Launch, follows, p)
}

func (k *kernel) LaunchCycles() uint64 { return k.machine.Dispatcher.LaunchCycles() }

// Close: the next launch begins when memory has taken all stores, and parts of the machine that work on have stopped.
func (k *kernel) Close(end uint64) (done, next uint64) {
	done = k.machine.Hierarchy.Release(end)
	k.machine.Array.Drain(end, done)
	return done, max(done, k.machine.Cycle())
}

// Kernel, Graph and StartConcurrent implement concurrent.Work.
func (k *kernel) Kernel() *cu.Launch { return &k.Launch }
func (k *kernel) Graph() *graph.Run  { return nil }

func (k *kernel) StartConcurrent(l *concurrent.Launch, at concurrent.Opening) error {
	return l.OpenKernel(at, &k.Launch)
}

// A drawing is a kernel of fragment quads.
type drawing struct {
	kernel
	draw *draw
}

func (d *drawing) timed(t *timing, step string, p scheduler.Part, follows bool) (*account.Counts, error) {
	d.clear(p)
	return d.kernel.timed(t, step, p, follows)
}

func (d *drawing) functional(u *untimed, p scheduler.Part, warm bool) (*account.Counts, error) {
	d.clear(p)
	return d.kernel.functional(u, p, warm)
}

func (d *drawing) clear(p scheduler.Part) {
	if p.First == 0 {
		d.draw.begin()
	}
}

func (d *drawing) Count(c *account.Counts, p scheduler.Part) {
	if d.kernel.Count(c, p); p.First == 0 {
		c.Fragments = &d.draw.counts
	}
}

func (d *drawing) StartConcurrent(l *concurrent.Launch, at concurrent.Opening) error {
	d.clear(l.TimedPart())
	return d.kernel.StartConcurrent(l, at)
}

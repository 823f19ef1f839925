package scheduler

import "spvsim/cu"

// A kernel is a LaunchSource of one launch, which the host starts.
type kernel struct {
	GridLaunch
	done uint64 // end of the launch so far: of workgroups that ended, with their memory accesses, and of the launch floor
	// cost is the time until the first workgroup may be placed; worked, the end of the workgroups alone, without the
	// launch floor.
	cost, workgroupsDone uint64

	skipped uint64 // workgroups skipped
	paused  bool   // placement waits for the end of a workgroup
	WorkgroupRange
}

// A WorkgroupRange is a range of a launch's workgroups, [First, End), in the order of x, y and z.
type WorkgroupRange struct {
	First, End uint64
	// OnWorkgroupEnd is called when a workgroup ends. It returns how many workgroups to skip, and whether to hold placement
	// until another one ends. nil: neither.
	OnWorkgroupEnd func(p WorkgroupEnd) (leave uint64, hold bool)
}

// WorkgroupEnd describes a part when a workgroup ends.
type WorkgroupEnd struct {
	Now, Done          uint64 // cycle; end of the workgroup's memory accesses
	Index              uint64 // of the workgroup
	NextIndex          uint64 // index of the workgroup that is placed next
	ResidentWorkgroups uint64 // resident workgroups
	EndedWorkgroups    uint64
}

// Launch starts a kernel in cycle now. Its first workgroup is placed after kernel_launch_cycles, or
// following_launch_cycles if it follows a launch of the same stream.
func (d *Dispatcher) Launch(now uint64, l *cu.KernelLaunch, follows bool) {
	g := l.NumWorkgroups
	d.LaunchRange(now, l, follows, WorkgroupRange{End: uint64(g[0]) * uint64(g[1]) * uint64(g[2])})
}

// LaunchRange is Launch for some of the workgroups.
func (d *Dispatcher) LaunchRange(now uint64, l *cu.KernelLaunch, follows bool, part WorkgroupRange) {
	cost, floor := d.spec.KernelLaunchCycles, d.spec.LaunchFloor
	if follows {
		cost, floor = d.spec.FollowingLaunch, 0
	}
	begin := now + uint64(cost)
	k := newKernel(l, part, begin, max(begin, now+uint64(floor)))
	k.cost = uint64(cost)
	d.kernel = k
	d.Serve(k)
	if k.Total > 0 {
		d.alarm.Set(begin)
	}
}

// newKernel returns a launch on all units. Its first workgroup is placed in cycle worked or later; the launch ends in
// cycle done or later.
func newKernel(l *cu.KernelLaunch, part WorkgroupRange, worked, done uint64) *kernel {
	k := &kernel{done: done, workgroupsDone: worked, WorkgroupRange: part, GridLaunch: GridLaunch{Code: l, Engine: -1, Unit: -1, Grid: l.NumWorkgroups, Total: part.End - part.First}}
	if part.First > 0 {
		k.NextID = workgroupAt(part.First, k.Grid)
	}
	return k
}

// workgroupAt returns the id of workgroup i of a grid, with i = x + X*(y + Y*z).
func workgroupAt(i uint64, grid [3]uint32) [3]uint32 {
	x, y := uint64(grid[0]), uint64(grid[1])
	return [3]uint32{uint32(i % x), uint32(i / x % y), uint32(i / x / y)}
}

// Finished reports whether all workgroups of the kernel have ended, and the cycle by which their accesses are done.
func (d *Dispatcher) Finished() (bool, uint64) {
	return d.kernel.Finished()
}

// LaunchCycles returns the cycles of the kernel's time without its workgroups: the launch cost before, and what the
// launch floor adds after.
func (d *Dispatcher) LaunchCycles() uint64 {
	return d.kernel.cost + d.kernel.done - d.kernel.workgroupsDone
}

// PlacedWorkgroups returns the number of the kernel's workgroups that have been placed.
func (d *Dispatcher) PlacedWorkgroups() uint64 { return d.kernel.PlacedWorkgroups }

// Progress returns the kernel's workgroups that ended, those resident, and all.
func (d *Dispatcher) Progress() (ended, running, total uint64) {
	if d.kernel == nil {
		return 0, 0, 0
	}
	return d.kernel.Progress()
}

func (k *kernel) Progress() (ended, running, total uint64) {
	l := &k.GridLaunch
	return l.EndedWorkgroups, l.PlacedWorkgroups - l.EndedWorkgroups, k.Total
}

func (k *kernel) SetTag(tag int)           { k.Code.Tag = tag }
func (k *kernel) Classes() int             { return 1 }
func (k *kernel) AllPlaced() bool          { return k.PlacedWorkgroups == k.Total }
func (k *kernel) Finished() (bool, uint64) { return k.GridLaunch.EndedWorkgroups == k.Total, k.done }

func (k *kernel) Lists() int { return 1 }

func (k *kernel) Head(int) *GridLaunch {
	if k.PlacedWorkgroups == k.Total || k.paused {
		return nil
	}
	return &k.GridLaunch
}

func (k *kernel) Reserve(int) bool { return true }

func (k *kernel) PullsWork() bool { return false }

func (k *kernel) NextWorkgroup(_, _ int, wg *cu.Workgroup) {
	i := k.nextWorkgroup()
	*wg = cu.Workgroup{Index: i, ID: k.NextID, Count: k.Grid}
	for d, base := range k.Code.Base {
		wg.ID[d] += base
	}
	if k.Code.Fragments != nil {
		wg.Fragments = &k.Code.Fragments[i]
	}
	k.Advance()
}

func (k *kernel) WorkgroupEnded(now uint64, m *cu.WaveEnd) {
	k.GridLaunch.EndedWorkgroups++
	k.done, k.workgroupsDone = max(k.done, m.Done), max(k.workgroupsDone, m.Done)
	if k.OnWorkgroupEnd == nil {
		return
	}
	leave, hold := k.OnWorkgroupEnd(WorkgroupEnd{now, m.Done, m.Index, k.nextWorkgroup(), k.PlacedWorkgroups - k.GridLaunch.EndedWorkgroups, k.GridLaunch.EndedWorkgroups})
	k.skip(leave)
	k.paused = hold && k.GridLaunch.EndedWorkgroups < k.PlacedWorkgroups
}

// skip leaves out the next n workgroups.
func (k *kernel) skip(n uint64) {
	if n = min(n, k.Total-k.PlacedWorkgroups); n > 0 {
		k.skipped, k.Total = k.skipped+n, k.Total-n
		k.NextID = workgroupAt(k.nextWorkgroup(), k.Grid)
	}
}

// nextWorkgroup returns the index of the workgroup that is placed next.
func (k *kernel) nextWorkgroup() uint64 { return k.First + k.PlacedWorkgroups + k.skipped }

func (k *kernel) OnIdle(_, _ uint64) {}

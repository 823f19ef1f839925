package scheduler

import "spvsim/cu"

// A kernel is work that the host opens: one launch, without payloads.
type kernel struct {
	Launch
	done uint64 // cycle by which all that ended workgroups did is done, and the command processor its part
	// cost is the time until the first workgroup may be placed, and worked the cycle by which all that ended workgroups did is done.
	cost, worked uint64

	skipped uint64 // workgroups that were left out
	paused  bool   // none is placed before the next one has ended
	Part
}

// A Part is some workgroups of a launch: those from First to End, in the order of x, y and z.
type Part struct {
	First, End uint64
	// Next is asked whenever a workgroup has ended how many of those that would be placed next are left out, and whether none is placed
	// before the next one has ended; nil: neither.
	Next func(p Progress) (leave uint64, hold bool)
}

// Progress is how far a part is when a workgroup has ended.
type Progress struct {
	Now, Done uint64 // cycle; by when memory has done what the workgroup asked of it
	Next      uint64 // the workgroup that is placed next
	Running   uint64 // workgroups
	Ended     uint64
}

// Launch starts a kernel in cycle now: its first workgroup is placed when the
// machine's launch cost is paid. After another launch of the same stream it is
// that of a following one.
func (d *Dispatcher) Launch(now uint64, l *cu.Launch, follows bool) {
	g := l.NumWorkgroups
	d.LaunchPart(now, l, follows, Part{End: uint64(g[0]) * uint64(g[1]) * uint64(g[2])})
}

// LaunchPart is Launch for some of the workgroups.
func (d *Dispatcher) LaunchPart(now uint64, l *cu.Launch, follows bool, part Part) {
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

// newKernel is a launch on all engines and units, whose first workgroup is placed in cycle worked; it is done in cycle done at the earliest.
func newKernel(l *cu.Launch, part Part, worked, done uint64) *kernel {
	k := &kernel{done: done, worked: worked, Part: part, Launch: Launch{Code: l, Engine: -1, Unit: -1, Grid: l.NumWorkgroups, Total: part.End - part.First}}
	if part.First > 0 {
		k.NextID = workgroupAt(part.First, k.Grid)
	}
	return k
}

// workgroupAt is the id of the workgroup that comes i-th in a grid.
func workgroupAt(i uint64, grid [3]uint32) [3]uint32 {
	x, y := uint64(grid[0]), uint64(grid[1])
	return [3]uint32{uint32(i % x), uint32(i / x % y), uint32(i / x / y)}
}

// Finished says whether all workgroups of the kernel have ended, and by when all that they did is done.
func (d *Dispatcher) Finished() (bool, uint64) {
	return d.kernel.Finished()
}

// LaunchCycles is the part of the kernel's time in which none of its workgroups was on the machine: its launch cost, and what the floor of a
// launch adds at the end.
func (d *Dispatcher) LaunchCycles() uint64 { return d.kernel.cost + d.kernel.done - d.kernel.worked }

// Placed is how many workgroups of the kernel have been placed.
func (d *Dispatcher) Placed() uint64 { return d.kernel.Placed }

// Progress is the number of workgroups of the kernel that ended, of those in the compute units, and of all.
func (d *Dispatcher) Progress() (ended, running, total uint64) {
	if d.kernel == nil {
		return 0, 0, 0
	}
	return d.kernel.Progress()
}

func (k *kernel) Progress() (ended, running, total uint64) {
	l := &k.Launch
	return l.Ended, l.Placed - l.Ended, k.Total
}

func (k *kernel) SetTag(tag int)           { k.Code.Tag = tag }
func (k *kernel) Classes() int             { return 1 }
func (k *kernel) AllPlaced() bool          { return k.Placed == k.Total }
func (k *kernel) Finished() (bool, uint64) { return k.Launch.Ended == k.Total, k.done }

func (k *kernel) Lists() int { return 1 }

func (k *kernel) Head(int) *Launch {
	if k.Placed == k.Total || k.paused {
		return nil
	}
	return &k.Launch
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
	k.Launch.Ended++
	k.done, k.worked = max(k.done, m.Done), max(k.worked, m.Done)
	if k.Next == nil {
		return
	}
	leave, hold := k.Next(Progress{now, m.Done, k.nextWorkgroup(), k.Placed - k.Launch.Ended, k.Launch.Ended})
	k.skip(leave)
	k.paused = hold && k.Launch.Ended < k.Placed
}

// skip leaves out so many of those workgroups that would be placed next.
func (k *kernel) skip(n uint64) {
	if n = min(n, k.Total-k.Placed); n > 0 {
		k.skipped, k.Total = k.skipped+n, k.Total-n
		k.NextID = workgroupAt(k.nextWorkgroup(), k.Grid)
	}
}

// nextWorkgroup is the workgroup that comes next.
func (k *kernel) nextWorkgroup() uint64 { return k.First + k.Placed + k.skipped }

func (k *kernel) OnIdle(_, _ uint64) {}

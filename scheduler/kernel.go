package scheduler

import "spvsim/cu"

// A kernel is work that the host opens: one launch, without payloads.
type kernel struct {
	launch
	done uint64 // cycle by which all that ended workgroups did is done, and the command processor its part
}

// Launch starts a kernel in cycle now: its first workgroup is placed when the
// machine's launch cost is paid. Behind another launch of the same stream it is
// that of a following one.
func (d *Dispatcher) Launch(now uint64, l *cu.Launch, follows bool) {
	g := l.NumWorkgroups
	cost, floor := d.spec.KernelLaunchCycles, d.spec.LaunchFloor
	if follows {
		cost, floor = d.spec.FollowingLaunch, 0
	}
	begin := now + uint64(cost)
	k := &kernel{done: max(begin, now+uint64(floor)), launch: launch{
		code: l, engine: -1, grid: g, total: uint64(g[0]) * uint64(g[1]) * uint64(g[2]),
	}}
	d.kernel = k
	d.serve(k, 1)
	if k.total > 0 {
		d.alarm.Set(begin)
	}
}

// Finished says whether all workgroups of the kernel have ended, and by when all that they did is done.
func (d *Dispatcher) Finished() (bool, uint64) {
	return d.kernel.launch.ended == d.kernel.total, d.kernel.done
}

// Progress is the number of workgroups of the kernel that ended, of those in the compute units, and of all.
func (d *Dispatcher) Progress() (ended, running, total uint64) {
	if d.kernel == nil {
		return 0, 0, 0
	}
	l := d.kernel.launch
	return l.ended, l.placed - l.ended, d.kernel.total
}

func (k *kernel) lists() int { return 1 }

func (k *kernel) head(int) *launch {
	if k.placed == k.total {
		return nil
	}
	return &k.launch
}

func (k *kernel) reserve(*launch) bool { return true }

func (k *kernel) begin(_, _ int, wg *cu.Workgroup) {
	*wg = cu.Workgroup{Index: k.placed, ID: k.next, Count: k.grid}
	for i, base := range k.code.Base {
		wg.ID[i] += base
	}
	if k.code.Fragments != nil {
		wg.Fragments = &k.code.Fragments[k.placed]
	}
	k.advance()
}

func (k *kernel) ended(_ uint64, m *cu.WaveEnd) {
	k.launch.ended++
	k.done = max(k.done, m.Done)
}

func (k *kernel) settled(_, _ uint64) {}

package concurrent

import (
	"slices"

	"spvsim/account"
	"spvsim/simd"
)

// launchWaits are the slot cycles of a launch by reason. They are the differences of what its programs had counted when it began and
// when it ended, so they are known unless another launch ran one of these programs in between.
type launchWaits struct {
	codes  []*simd.Code // that it runs
	before account.SlotCycles
	shared bool
	list   []account.LaunchWait // nil: not known
}

// beginWaits begins a launch with its programs.
func (l *QueuedLaunch) beginWaits(codes ...*simd.Code) {
	l.launchWaits = launchWaits{codes: codes, before: simd.CyclesByReason(codes)}
	for _, o := range l.all.running {
		if slices.ContainsFunc(o.codes, func(c *simd.Code) bool { return slices.Contains(codes, c) }) {
			o.shared, l.shared = true, true
		}
	}
	l.all.running = append(l.all.running, l)
}

// endWaits ends a launch, if it has begun.
func (l *QueuedLaunch) endWaits() {
	at := slices.Index(l.all.running, l)
	if at < 0 {
		return
	}
	l.all.running = slices.Delete(l.all.running, at, at+1)
	if l.shared {
		return
	}
	l.list = []account.LaunchWait{}
	for r, n := range simd.CyclesByReason(l.codes) {
		if n -= l.before[r]; n > 0 {
			l.list = append(l.list, account.LaunchWait{Reason: account.Reason(r).String(), SlotCycles: n})
		}
	}
}

// addOfLaunches adds up traffic and waits of a queue's launches. The waits are not known if those of a launch are not.
func addOfLaunches(q *account.HardwareQueue) {
	known := true
	for i := range q.Launches {
		l := &q.Launches[i]
		for k := range l.Memory {
			m := &l.Memory[k]
			at := slices.IndexFunc(q.Memory, func(o account.LaunchTraffic) bool { return o.Level == m.Level })
			if at < 0 {
				at, q.Memory = len(q.Memory), append(q.Memory, account.LaunchTraffic{Level: m.Level})
			}
			q.Memory[at].Add(m)
		}
		known = known && (l.Waits != nil || l.Memory == nil)
		for _, w := range l.Waits {
			at := slices.IndexFunc(q.Waits, func(o account.LaunchWait) bool { return o.Reason == w.Reason })
			if at < 0 {
				at, q.Waits = len(q.Waits), append(q.Waits, account.LaunchWait{Reason: w.Reason})
			}
			q.Waits[at].SlotCycles += w.SlotCycles
		}
	}
	if !known {
		q.Waits = nil
	}
}

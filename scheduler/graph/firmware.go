package graph

import (
	"spvsim/cu"
	"spvsim/scheduler"
)

// firmware is a core that reads a ring in memory for each node, and hands what it
// finds in one to the dispatcher; or one core in each shader engine.
type firmware struct {
	pushed
	inMemory
	opener *opener
	spec   *scheduler.WorkSpec
}

func newFirmware(r *Run) (policy, error) {
	return &firmware{inMemory: r.inMemory(), opener: r.opener, spec: r.spec}, nil
}

// Enqueue takes entries of the ring with an atomic and writes them; the wave
// waits for the atomic alone.
func (f *firmware) Enqueue(now uint64, b *batch) {
	f.append(now, b, counterEntry+f.queues.queueOf(b.unit), uint64(f.spec.Queue.Latency))
}

// Start has the cores make the rings and tables of the graph ready.
func (f *firmware) Start(now uint64) {
	for _, q := range f.queues.list {
		q.shared.core.dispatch(now, uint64(f.spec.Scheduler.FirmwareDispatch))
	}
}

// Tick opens launches.
func (f *firmware) Tick(now uint64, queue int) uint64 {
	q := f.queues.list[queue]
	q.shared.turns.begin()
	defer q.shared.turns.end(q)
	return f.opener.openAll(now, queue, f.open)
}

// open spends the core's time on a node: it reads the ring and starts as many
// launches as it may at a time, or as wait.
func (f *firmware) open(now uint64, b *bin) (uint64, bool) {
	q := f.queues.list[b.queue]
	c, t := &q.shared.core, &q.shared.turns
	if c.free > now || !t.mine(q) {
		t.refuse(q)
		return max(c.free, now+1), false
	}
	t.leave(q)
	if !f.pick(now, b) {
		return cu.Never, false
	}
	c.free = cu.Never
	w := gather(now, func(at uint64) {
		done := at + uint64(f.spec.Scheduler.FirmwareCycles)
		for _, l := range c.batch {
			f.opener.ready(l, done)
		}
		c.started(done)
		q.alarm.Set(c.free)
		t.wake(c.free)
	})
	f.ring.read(now, w, f.queues.firstUnit(b.queue))
	w.close()
	return c.free, c.free <= now
}

// pick takes the launches that the core starts next. It says no when the run has failed.
func (f *firmware) pick(now uint64, b *bin) bool {
	c := &f.queues.list[b.queue].shared.core
	c.batch = c.batch[:0]
	for len(c.batch) < max(f.spec.Scheduler.FirmwareLaunches, 1) && f.opener.readyAt(b) <= now {
		l := f.opener.openLaunch(now, b)
		if l == nil {
			return false
		}
		c.batch = append(c.batch, l)
	}
	return true
}

package graph

import "spvsim/cu"

// firmware is a core that reads a ring in memory for each node, and hands what it
// finds in one to the dispatcher; or one core in each shader engine.
type firmware struct {
	pushed
	run *Run
}

func newFirmware(r *Run) (policy, error) { return &firmware{run: r}, nil }

// Allocate counts in memory.
func (f *firmware) Allocate(now uint64, unit, payloads int, done *wait) {
	f.run.memory.count(now, unit, payloads, done)
}

// Enqueue takes entries of the ring with an atomic and writes them; the wave
// waits for the atomic alone.
func (f *firmware) Enqueue(now uint64, b *batch) {
	r := f.run
	r.memory.append(now, b, counterEntry+r.queueOf(b.unit), uint64(r.spec.Queue.Latency))
}

// Start has the cores make the rings and tables of the graph ready.
func (f *firmware) Start(now uint64) {
	for _, q := range f.run.queues {
		q.shared.core.dispatch(now, uint64(f.run.spec.Scheduler.FirmwareDispatch))
	}
}

// Tick opens launches.
func (f *firmware) Tick(now uint64, queue int) uint64 {
	q := f.run.queues[queue]
	q.shared.turns.begin()
	defer q.shared.turns.end(q)
	return f.run.opener.openAll(now, queue, f.open)
}

// open spends the core's time on a node: it reads the ring and starts as many
// launches as it may at a time, or as wait.
func (f *firmware) open(now uint64, b *bin) (uint64, bool) {
	r, q := f.run, f.run.queues[b.queue]
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
		done := at + uint64(r.spec.Scheduler.FirmwareCycles)
		for _, l := range c.batch {
			r.opener.ready(l, done)
		}
		c.started(done)
		q.alarm.Set(c.free)
		t.wake(c.free)
	})
	r.memory.read(now, w, r.firstUnit(b.queue))
	w.close()
	return c.free, c.free <= now
}

// pick takes the launches that the core starts next. It says no when the run has failed.
func (f *firmware) pick(now uint64, b *bin) bool {
	r, c := f.run, &f.run.queues[b.queue].shared.core
	c.batch = c.batch[:0]
	for len(c.batch) < max(r.spec.Scheduler.FirmwareLaunches, 1) && r.opener.readyAt(b) <= now {
		l := r.opener.openLaunch(now, b)
		if l == nil {
			return false
		}
		c.batch = append(c.batch, l)
	}
	return true
}

package graph

import (
	"spvsim/cu"
	"spvsim/scheduler"
)

// firmware is a core that polls a ring in memory for each node and hands the payloads that it finds to the dispatcher.
// There is one for the machine, or one in each shader engine or compute unit.
type firmware struct {
	pushPolicy
	inMemory
	launcher *launcher
	spec     *scheduler.WorkSpec
}

func newFirmware(r *Run) (policy, error) {
	return &firmware{inMemory: r.inMemory(), launcher: r.launcher, spec: r.spec}, nil
}

// Enqueue reserves ring entries with an atomic and writes them. The wave waits for the atomic alone.
func (f *firmware) Enqueue(now uint64, b *batch) {
	f.append(now, b, counterEntry+f.queues.queueOf(b.unit), uint64(f.spec.Queue.Latency))
}

// Start has the cores set up rings and tables of the graph, for firmware_dispatch_cycles.
func (f *firmware) Start(now uint64) {
	for _, q := range f.queues.list {
		q.shared.core.bookDispatch(now, uint64(f.spec.Scheduler.FirmwareDispatch))
	}
}

// Tick starts launches while the core is free.
func (f *firmware) Tick(now uint64, queue int) uint64 {
	q := f.queues.list[queue]
	q.shared.roundRobin.beginTick()
	defer q.shared.roundRobin.endTick(q)
	return f.launcher.launchReady(now, queue, f.startBatch)
}

// startBatch has the core read a node's ring and start up to firmware_launches launches of it together.
func (f *firmware) startBatch(now uint64, b *nodeQueue) (uint64, bool) {
	q := f.queues.list[b.queue]
	c, t := &q.shared.core, &q.shared.roundRobin
	if c.freeAt > now || !t.isTurn(q) {
		t.skip(q)
		return max(c.freeAt, now+1), false
	}
	t.done(q)
	if !f.pickBatch(now, b) {
		return cu.Never, false
	}
	c.freeAt = cu.Never
	w := gather(now, func(at uint64) {
		done := at + uint64(f.spec.Scheduler.FirmwareCycles)
		for _, l := range c.batch {
			f.launcher.readyFrom(l, done)
		}
		c.finishBatch(done)
		q.alarm.Set(c.freeAt)
		t.wake(c.freeAt)
	})
	f.ring.read(now, w, f.queues.firstUnit(b.queue))
	w.close()
	return c.freeAt, c.freeAt <= now
}

// pickBatch opens the launches that the core starts next. It returns false if the run has failed.
func (f *firmware) pickBatch(now uint64, b *nodeQueue) bool {
	c := &f.queues.list[b.queue].shared.core
	c.batch = c.batch[:0]
	for len(c.batch) < max(f.spec.Scheduler.FirmwareLaunches, 1) && f.launcher.launchableAt(b) <= now {
		l := f.launcher.launch(now, b)
		if l == nil {
			return false
		}
		c.batch = append(c.batch, l)
	}
	return true
}

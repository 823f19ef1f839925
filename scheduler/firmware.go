package scheduler

import "spvsim/cu"

// firmware is a core that reads a ring in memory for each node, and hands what it
// finds in one to the dispatcher; or one core in each shader engine.
type firmware struct {
	pushed
	run   *Run
	cores []core // by queue
}

// A core is one, and what it is at.
type core struct {
	free  uint64    // cycle from which it is; cu.Never while that is not known
	batch []*launch // that it starts together
}

func newFirmware(r *Run) (policy, error) {
	return &firmware{run: r, cores: make([]core, len(r.queues))}, nil
}

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

// Start begins with idle cores, which make the rings and tables of the graph ready.
func (f *firmware) Start(now uint64) {
	for q := range f.cores {
		c := &f.cores[q]
		c.free = max(c.free, now+uint64(f.run.spec.Scheduler.FirmwareDispatch))
	}
}

// Tick opens launches.
func (f *firmware) Tick(now uint64, queue int) uint64 {
	return f.run.opener.openAll(now, queue, f.open)
}

// open spends the core's time on a node: it reads the ring and starts as many
// launches as it may at a time, or as wait.
func (f *firmware) open(now uint64, b *bin) (uint64, bool) {
	r, c := f.run, &f.cores[b.queue]
	if c.free > now {
		return c.free, false
	}
	if !f.pick(now, b) {
		return cu.Never, false
	}
	c.free = cu.Never
	q := r.queues[b.queue]
	w := gather(now, func(at uint64) {
		c.free = at + uint64(r.spec.Scheduler.FirmwareCycles)
		for _, l := range c.batch {
			r.opener.ready(l, c.free)
		}
		q.alarm.Set(c.free)
	})
	r.memory.read(now, w, r.firstUnit(b.queue))
	w.close()
	return c.free, c.free <= now
}

// pick takes the launches that the core starts next. It says no when the run has failed.
func (f *firmware) pick(now uint64, b *bin) bool {
	r, c := f.run, &f.cores[b.queue]
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

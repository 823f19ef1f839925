package scheduler

import "spvsim/cu"

// firmware is a core that reads a ring in memory and starts launches one after
// the other; or one in each shader engine.
type firmware struct {
	pushed
	run  *Run
	core []uint64 // by queue: cycle from which its core is free; cu.Never while that is not known
}

func newFirmware(r *Run) (policy, error) {
	return &firmware{run: r, core: make([]uint64, len(r.queues))}, nil
}

// Allocate counts in memory.
func (f *firmware) Allocate(now uint64, unit, payloads int, done *wait) {
	f.run.count(now, unit, payloads, done)
}

// count is what allocating payloads in memory costs: an atomic.
func (r *Run) count(now uint64, unit, payloads int, done *wait) {
	if payloads > 0 {
		r.atomic(now, done, unit, counterAlloc)
	}
	done.close()
}

// Enqueue takes entries of the ring with an atomic and writes them; the wave
// waits for the atomic alone.
func (f *firmware) Enqueue(now uint64, b *batch) {
	r := f.run
	r.append(now, b, counterEntry+r.queueOf(b.unit), uint64(r.spec.Queue.Latency))
}

// append takes entries of a queue in memory with an atomic and writes them. The
// wave waits for the atomic; both done, the payloads can be picked after latency.
func (r *Run) append(now uint64, b *batch, counter int, latency uint64) {
	all := gather(now, func(at uint64) { r.release(b, at+latency) })
	all.legs++
	taken := gather(now, func(at uint64) {
		r.counts.StallCycles += at - now
		r.accept(b, at)
		all.leg(at)
	})
	r.atomic(now, taken, b.unit, counter)
	taken.close()
	r.write(now, all, b.unit, len(b.payloads))
	all.close()
}

// Start begins with an idle core.
func (f *firmware) Start(now uint64) {
	for q := range f.core {
		f.core[q] = max(f.core[q], now)
	}
}

// Tick opens launches.
func (f *firmware) Tick(now uint64, queue int) uint64 {
	return f.run.openAll(now, queue, f.open)
}

// open spends the core's time on a launch: it reads the entry and starts it.
func (f *firmware) open(now uint64, b *bin) (uint64, bool) {
	r, core := f.run, &f.core[b.queue]
	if *core > now {
		return *core, false
	}
	l := r.openLaunch(now, b)
	if l == nil {
		return cu.Never, false
	}
	*core = cu.Never
	q := r.queues[b.queue]
	w := gather(now, func(at uint64) {
		*core = at + uint64(r.spec.Scheduler.FirmwareCycles)
		r.ready(l, *core)
		q.alarm.Set(*core)
	})
	r.read(now, w, r.firstUnit(b.queue))
	w.close()
	return *core, *core <= now
}

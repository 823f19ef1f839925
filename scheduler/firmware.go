package scheduler

// firmware is a core that reads a ring in memory and starts launches one after
// the other.
type firmware struct {
	*Run
	core []uint64 // by queue: cycle from which its core is free
}

func newFirmware(r *Run) (Scheduler, error) {
	return &firmware{Run: r, core: make([]uint64, r.queues())}, nil
}

// Allocate counts in memory.
func (f *firmware) Allocate(now uint64, unit, payloads int) uint64 {
	if payloads == 0 {
		return now
	}
	return f.atomic(now, unit, 0)
}

// Enqueue takes entries of the ring with an atomic and writes them; the wave
// waits for the atomic alone.
func (f *firmware) Enqueue(now uint64, unit, payloads int) (accepted, visible uint64) {
	accepted = f.atomic(now, unit, 1+f.queueOf(unit))
	f.queue.StallCycles += accepted - now
	return accepted, max(accepted, f.write(now, unit, payloads)) + uint64(f.spec.Queue.Latency)
}

// Start begins with an idle core.
func (f *firmware) Start(now uint64) {
	for q := range f.core {
		f.core[q] = max(f.core[q], now)
	}
}

// Ended has nothing to do: the run calls Tick.
func (f *firmware) Ended(_, _ uint64, _ int) {}

// Tick serves all queues.
func (f *firmware) Tick(now uint64) uint64 {
	next := uint64(1<<64 - 1)
	for q := range f.core {
		next = min(next, f.serve(now, q, f.openNext))
	}
	return next
}

// openNext spends the core's time on a launch.
func (f *firmware) openNext(now uint64, b *bin) (uint64, bool) {
	core := &f.core[b.queue]
	if *core > now {
		return *core, false
	}
	*core = f.read(now, f.firstUnit(b.queue)) + uint64(f.spec.Firmware)
	f.openLaunch(now, b, *core)
	return now, true
}

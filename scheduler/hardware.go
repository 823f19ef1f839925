package scheduler

func init() { Schedulers["hardware"] = newHardware }

// hardware is a queue beside the dispatcher: payloads enter through ports,
// wait in entries on chip and are launched at a rate. Entries beyond its depth
// go to memory.
type hardware struct {
	*Run
	alloc   []port
	enqueue []port
	launch  []uint64 // by queue: from when it may launch, in fractions of a cycle
	spilled []int    // by queue: payloads that wait in memory
	gap     uint64   // between launches, in fractions of a cycle
}

// A port takes payloads at a rate.
type port struct {
	free uint64 // in fractions of a cycle
	gap  uint64
}

// take books n payloads from cycle now on, and says in which cycle the last one goes in.
func (p *port) take(now uint64, n int) uint64 {
	if n == 0 {
		return now
	}
	p.free = max(p.free, now<<fraction) + uint64(n)*p.gap
	return (p.free - 1) >> fraction
}

func newPorts(queues, rate int) []port {
	list := make([]port, queues)
	for i := range list {
		list[i].gap = gap(float64(rate))
	}
	return list
}

func newHardware(r *Run) (Scheduler, error) {
	n := r.queues()
	return &hardware{Run: r, alloc: newPorts(n, r.spec.Queue.Ports), enqueue: newPorts(n, r.spec.Queue.Ports),
		launch: make([]uint64, n), spilled: make([]int, n), gap: gap(r.spec.Queue.LaunchRate)}, nil
}

// Allocate asks the queue and waits for its answer.
func (h *hardware) Allocate(now uint64, unit, payloads int) uint64 {
	at := h.alloc[h.queueOf(unit)].take(now, payloads)
	h.stall(now, at, payloads)
	return at + 2*uint64(h.spec.Queue.Latency)
}

// stall counts what a wave waits for others at a port.
func (h *hardware) stall(now, at uint64, payloads int) {
	alone := now + uint64(max(payloads-1, 0)/h.spec.Queue.Ports)
	h.queue.StallCycles += max(at, alone) - alone
}

// Enqueue holds the wave until the queue has taken the payloads: those that
// find no entry are written to memory first.
func (h *hardware) Enqueue(now uint64, unit, payloads int) (accepted, visible uint64) {
	q := h.queueOf(unit)
	accepted = h.enqueue[q].take(now, payloads)
	over := min(max(h.entries[q]-h.spilled[q]+payloads-h.spec.Queue.Depth, 0), payloads)
	if over > 0 {
		h.spilled[q] += over
		h.queue.Spills += uint64(over)
		accepted = max(accepted, h.write(now, unit, over))
	}
	h.stall(now, accepted, payloads)
	return accepted, accepted + uint64(h.spec.Queue.Latency)
}

// Start has nothing to prepare.
func (h *hardware) Start(uint64) {}

// Ended has nothing to do: the run calls Tick.
func (h *hardware) Ended(_, _ uint64, _ int) {}

// Tick serves all queues.
func (h *hardware) Tick(now uint64) uint64 {
	next := uint64(1<<64 - 1)
	for q := range h.queues() {
		next = min(next, h.serve(now, q, h.openNext))
	}
	return next
}

// openNext opens a launch at the queue's rate. Payloads that wait in memory are read back.
func (h *hardware) openNext(now uint64, b *bin) (uint64, bool) {
	q := b.queue
	if at := h.launch[q] >> fraction; at > now {
		return at, false
	}
	h.launch[q] = max(h.launch[q], now<<fraction) + h.gap
	ready := now + uint64(h.spec.Launch)
	if h.spilled[q] > 0 && b.nHosts == 0 {
		h.spilled[q]--
		ready = max(ready, h.read(now, h.firstUnit(q))+uint64(h.spec.Launch))
	}
	h.openLaunch(now, b, ready)
	return now, true
}

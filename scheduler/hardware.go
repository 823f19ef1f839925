package scheduler

import "fmt"

// hardware is a queue beside the dispatcher, or one in each shader engine:
// payloads enter through ports, wait in entries on chip and are launched at a
// rate. Entries beyond its depth go to memory.
type hardware struct {
	*Run
	queues []queue
}

// A queue is the enqueue queue's part that costs time; what waits in it is in the run's bins.
type queue struct {
	component
	alloc, enter port
	launch       port
	spilled      int // payloads that wait in memory
}

// A port takes payloads at a rate.
type port struct {
	free uint64 // from when it is free, in fractions of a cycle
	gap  uint64 // what one takes it
}

// take books n payloads from cycle now on, and says in which cycle the last one goes in.
func (p *port) take(now uint64, n int) uint64 {
	if n == 0 {
		return now
	}
	p.free = max(p.free, now<<fraction) + uint64(n)*p.gap
	return (p.free - 1) >> fraction
}

func newHardware(r *Run) (Scheduler, error) {
	h := &hardware{Run: r}
	ports, launch := port{gap: gap(float64(r.spec.Queue.Ports))}, port{gap: gap(r.spec.Queue.LaunchRate)}
	for q := range r.queues() {
		name := fmt.Sprintf("EnqueueQueue[%d]", q)
		h.queues = append(h.queues, queue{component: newComponent(name, r.spec.Dispatch.ClockMHz), alloc: ports, enter: ports, launch: launch})
	}
	return h, nil
}

// Allocate asks the queue and waits for its answer.
func (h *hardware) Allocate(now uint64, unit, payloads int) uint64 {
	at := h.queues[h.queueOf(unit)].alloc.take(now, payloads)
	h.stall(now, at, payloads)
	return at + 2*uint64(h.spec.Queue.Latency)
}

// stall counts what a wave waits for others at a port.
func (h *hardware) stall(now, at uint64, payloads int) {
	alone := now + uint64(max(payloads-1, 0)/h.spec.Queue.Ports)
	h.Run.queue.StallCycles += max(at, alone) - alone
}

// Enqueue holds the wave until the queue has taken the payloads: those that
// find no entry are written to memory first.
func (h *hardware) Enqueue(now uint64, unit, payloads int) (accepted, visible uint64) {
	q := &h.queues[h.queueOf(unit)]
	accepted = q.enter.take(now, payloads)
	waiting := h.entries[h.queueOf(unit)] - q.spilled
	over := min(max(waiting+payloads-h.spec.Queue.Depth, 0), payloads)
	if over > 0 {
		q.spilled += over
		h.Run.queue.Spills += uint64(over)
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
	for q := range h.queues {
		next = min(next, h.serve(now, q, h.openNext))
	}
	return next
}

// openNext opens a launch at the queue's rate. Payloads that wait in memory are read back.
func (h *hardware) openNext(now uint64, b *bin) (uint64, bool) {
	q := &h.queues[b.queue]
	if at := q.launch.free >> fraction; at > now {
		return at, false
	}
	q.launch.take(now, 1)
	ready := now + uint64(h.spec.Launch)
	if q.spilled > 0 && b.nHosts == 0 {
		q.spilled--
		ready = h.read(now, h.firstUnit(b.queue)) + uint64(h.spec.Launch)
	}
	h.openLaunch(now, b, ready)
	return now, true
}

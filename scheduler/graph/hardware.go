package graph

import (
	"spvsim/cu"
	"spvsim/scheduler"
)

// hardware is a queue beside the dispatcher, or one in each shader engine:
// payloads enter through ports, wait in entries on chip and are launched at a
// rate. Entries beyond its depth overflow to memory. Payloads are allocated by the
// pool, which answers after the queue's latency, there and back.
type hardware struct {
	pushed
	queues *queues
	opener *opener
	alloc  *allocator
	stats  *ledger
	spec   *scheduler.QueueSpec
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
	p.free = max(p.free, now<<scheduler.RateBits) + uint64(n)*p.gap
	return (p.free - 1) >> scheduler.RateBits
}

// portOf is a port of a queue through which payloads go, each way on its own.
func portOf(q *scheduler.QueueSpec) port { return port{gap: scheduler.RateGap(float64(q.Ports))} }

func newHardware(r *Run) (policy, error) {
	for _, q := range r.queues.list {
		q.over = newOverflow(q, r.ring, r.opener, r.spec.Scheduler.LaunchCycles)
	}
	return &hardware{queues: r.queues, opener: r.opener, alloc: r.alloc, stats: r.stats, spec: &r.spec.Queue}, nil
}

// Allocate asks the allocator.
func (h *hardware) Allocate(now uint64, unit, payloads int, done *wait) {
	h.alloc.ask(now, unit, payloads, &h.queues.of(unit).shared.alloc, done)
}

// Enqueue holds the wave until the queue has taken the payloads. The entrance is booked by the sender,
// which others keep waiting; what is taken arrives after the latency.
func (h *hardware) Enqueue(now uint64, b *batch) {
	q, n := h.queues.of(b.unit), len(b.payloads)
	in, cause := q.shared.enter.take(now, n), &h.stats.queue.StallLines
	w := gather(in, func(at uint64) {
		h.stats.stallAtPort(now, in, n, h.spec.Ports)
		h.stats.stall(cause, at-in)
		h.queues.accept(b, at)
		h.queues.release(b, at+uint64(h.spec.Latency))
	})
	if !q.over.admit(now, b, w) {
		cause = &h.stats.queue.StallFull
	}
	w.close()
}

// Tick opens launches, and reads back what will be launched next.
func (h *hardware) Tick(now uint64, queue int) uint64 {
	q := h.queues.list[queue]
	q.shared.turns.begin()
	next := h.opener.openAll(now, queue, h.open)
	q.shared.turns.end(q)
	over := q.over
	over.refill(now)
	return min(next, over.admitHeld(now))
}

// open opens a launch, at the queue's rate. It starts when its entries are on chip.
func (h *hardware) open(now uint64, b *bin) (uint64, bool) {
	q := h.queues.list[b.queue]
	s := q.shared
	if at := s.launch.free >> scheduler.RateBits; at > now || !s.turns.mine(q) {
		s.turns.refuse(q)
		return max(at, now+1), false
	}
	s.turns.leave(q)
	s.launch.take(now, 1)
	q.over.ask(now, b)
	l := h.opener.openLaunch(now, b)
	if l == nil {
		return cu.Never, false
	}
	q.over.open(now, l)
	return now, true
}

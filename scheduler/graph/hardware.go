package graph

import (
	"spvsim/cu"
	"spvsim/scheduler"
)

// hardware is a queue beside the dispatcher, or one in each shader engine or compute unit. Payloads enter through
// ports, wait in on-chip entries and are launched at a rate. Entries beyond the queue's depth spill to memory. The
// allocator answers allocations after the queue's latency in each direction.
type hardware struct {
	pushPolicy
	queues    *queues
	launcher  *launcher
	allocator *allocator
	stats     *graphStats
	spec      *scheduler.QueueSpec
}

// A port takes payloads at a rate. Times are in 1/2^RateBits cycles.
type port struct {
	freeAt uint64 // time from which it is free
	gap    uint64 // time for one payload
}

// book books the port for n payloads from cycle now on, and returns the cycle in which the last one enters.
func (p *port) book(now uint64, n int) uint64 {
	if n == 0 {
		return now
	}
	p.freeAt = max(p.freeAt, now<<scheduler.RateBits) + uint64(n)*p.gap
	return (p.freeAt - 1) >> scheduler.RateBits
}

// portOf returns a port of a queue; allocations and enqueues each have one.
func portOf(q *scheduler.QueueSpec) port { return port{gap: scheduler.RateGap(float64(q.Ports))} }

func newHardware(r *Run) (policy, error) {
	for _, q := range r.queues.list {
		q.spill = newSpillBuffer(q, r.ring, r.launcher, r.spec.Scheduler.LaunchCycles)
	}
	return &hardware{queues: r.queues, launcher: r.launcher, allocator: r.allocator, stats: r.stats, spec: &r.spec.Queue}, nil
}

// Allocate sends the allocation to the allocator.
func (h *hardware) Allocate(now uint64, unit, payloads int, done *wait) {
	h.allocator.ask(now, unit, payloads, &h.queues.of(unit).shared.alloc, done)
}

// Enqueue stalls the wave until the queue has taken its payloads, which arrive after the latency. The sender books the
// entrance, so that others wait behind it.
func (h *hardware) Enqueue(now uint64, b *batch) {
	q, n := h.queues.of(b.unit), len(b.payloads)
	in, cause := q.shared.enter.book(now, n), &h.stats.queue.StallLines
	w := gather(in, func(at uint64) {
		h.stats.stallAtPort(now, in, n, h.spec.Ports)
		h.stats.stall(cause, at-in)
		h.queues.accept(b, at)
		h.queues.release(b, at+uint64(h.spec.Latency))
	})
	if !q.spill.admit(now, b, w) {
		cause = &h.stats.queue.StallFull
	}
	w.close()
}

// Tick starts launches and reads spilled entries back.
func (h *hardware) Tick(now uint64, queue int) uint64 {
	q := h.queues.list[queue]
	q.shared.roundRobin.beginTick()
	next := h.launcher.launchReady(now, queue, h.launchOne)
	q.shared.roundRobin.endTick(q)
	over := q.spill
	over.refill(now)
	return min(next, over.admitBlocked(now))
}

// launchOne opens a launch at the queue's rate. The launch starts when its entries are on chip.
func (h *hardware) launchOne(now uint64, b *nodeQueue) (uint64, bool) {
	q := h.queues.list[b.queue]
	s := q.shared
	if at := s.launch.freeAt >> scheduler.RateBits; at > now || !s.roundRobin.isTurn(q) {
		s.roundRobin.skip(q)
		return max(at, now+1), false
	}
	s.roundRobin.done(q)
	s.launch.book(now, 1)
	q.spill.readEntries(now, b)
	l := h.launcher.launch(now, b)
	if l == nil {
		return cu.Never, false
	}
	q.spill.launchWhenRead(now, l)
	return now, true
}

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
	run *Run
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
	h := &hardware{run: r}
	line, _ := r.Hierarchy.LineBytes()
	for _, q := range r.queues {
		q.over = newOverflow(q, uint64(line))
		q.over.held.enter = &q.shared.enter
	}
	return h, nil
}

// Allocate asks the pool.
func (h *hardware) Allocate(now uint64, unit, payloads int, done *wait) {
	h.run.memory.pool.ask(now, unit, payloads, done)
}

// stallAtPort counts what a wave waits for others at a port.
func (r *Run) stallAtPort(now, at uint64, payloads int) {
	alone := now + uint64(max(payloads-1, 0)/r.spec.Queue.Ports)
	r.ledger.stall(&r.ledger.queue.StallPort, max(at, alone)-alone)
}

// Enqueue holds the wave until the queue has taken the payloads. The entrance is booked by the sender,
// which others keep waiting; what is taken arrives after the latency.
func (h *hardware) Enqueue(now uint64, b *batch) {
	r, i, n := h.run, h.run.queueOf(b.unit), len(b.payloads)
	in, cause := r.queues[i].shared.enter.take(now, n), &r.ledger.queue.StallLines
	w := gather(in, func(at uint64) {
		r.stallAtPort(now, in, n)
		r.ledger.stall(cause, at-in)
		r.accept(b, at)
		r.release(b, at+uint64(r.spec.Queue.Latency))
	})
	if !r.queues[i].over.admit(now, b, w) {
		cause = &r.ledger.queue.StallFull
	}
	w.close()
}

// Tick opens launches, and reads back what will be launched next.
func (h *hardware) Tick(now uint64, queue int) uint64 {
	q := h.run.queues[queue]
	q.shared.turns.begin()
	next := h.run.opener.openAll(now, queue, h.open)
	q.shared.turns.end(q)
	over := q.over
	over.refill(now)
	return min(next, over.admitHeld(now))
}

// open opens a launch, at the queue's rate. It starts when its entries are on chip.
func (h *hardware) open(now uint64, b *bin) (uint64, bool) {
	r, q := h.run, h.run.queues[b.queue]
	s := q.shared
	if at := s.launch.free >> scheduler.RateBits; at > now || !s.turns.mine(q) {
		s.turns.refuse(q)
		return max(at, now+1), false
	}
	s.turns.leave(q)
	s.launch.take(now, 1)
	q.over.ask(now, b)
	l := r.opener.openLaunch(now, b)
	if l == nil {
		return cu.Never, false
	}
	q.over.open(now, l)
	return now, true
}

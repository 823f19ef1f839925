package scheduler

import (
	"github.com/sarchlab/akita/v3/sim"

	"spvsim/cu"
	"spvsim/engine"
)

// maxOpen is how many launches of one bin are open at once: enough to hide the
// latency of opening them.
const maxOpen = 64

// A queue is a component in which payloads wait until the policy opens launches
// for them: the machine's enqueue queue, the one of a shader engine, a
// scheduler's core.
type queue struct {
	engine.Base
	run     *Run
	index   int
	alarm   *engine.Alarm
	port    *engine.Port
	entries int // payloads that wait, those on their way included
	batches engine.Stock[batch]
}

// A batch is the message of payloads that a wave enqueues at once. It arrives
// when they may be picked.
type batch struct {
	engine.Header
	unit     int
	payloads []int32
	accepted uint64       // cycle in which the queue has taken them; 0 before
	waiter   func(uint64) // who waits for that; nil: nobody
}

func (r *Run) newQueue(name string, index int) *queue {
	q := &queue{Base: engine.NewBase(r.Engine, name), run: r, index: index}
	q.alarm, q.port = engine.NewAlarm(&q.Base, q, false), engine.NewPort(&q.Base, q, "Enqueue")
	return q
}

// Handle fulfils sim.Handler: payloads arrive, or the policy's time has come.
func (q *queue) Handle(e sim.Event) error {
	now := q.Engine.Now()
	if b, ok := e.(*batch); ok {
		q.run.arrive(now, b)
		q.batches.Give(b)
		q.alarm.Set(now)
		return nil
	}
	if next := q.run.policy.Tick(now, q.index); next < cu.Never {
		q.alarm.Set(max(next, now+1))
	}
	return nil
}

// wake has the policy look at every queue.
func (r *Run) wake(cycle uint64) {
	for _, q := range r.queues {
		q.alarm.Set(cycle)
	}
}

// enqueue hands payloads over to the policy. It says when the wave may go on, or
// that it does not know yet.
func (r *Run) enqueue(now uint64, b *batch) (accepted uint64, known bool) {
	n := len(b.payloads)
	for _, i := range b.payloads {
		r.waiting += uint64(1 + len(r.stageOf(i).sharers))
	}
	r.flying += n
	b.accepted, b.waiter = 0, nil
	r.policy.Enqueue(now, b)
	q := r.queues[r.queueOf(b.unit)]
	q.entries += n
	r.counts.PeakDepth = max(r.counts.PeakDepth, uint64(q.entries))
	return b.accepted, b.accepted > 0
}

// stageOf is the stage that a payload is for.
func (r *Run) stageOf(i int32) *stage {
	x := &r.pool.payloads[i]
	return x.node.stages[x.remaining]
}

// accept says when the queue has taken a batch: its wave may go on.
func (r *Run) accept(b *batch, at uint64) {
	b.accepted = at
	for _, i := range b.payloads {
		r.pool.payloads[i].enqueued = at
	}
	if b.waiter != nil {
		b.waiter(at)
	}
}

// release sends a batch off, to arrive when its payloads may be picked.
func (r *Run) release(b *batch, visible uint64) {
	q := r.queues[r.queueOf(b.unit)]
	for _, i := range b.payloads {
		s := r.stageOf(i)
		r.traceEnqueued(b.accepted, b.unit, s, i)
		for _, other := range s.sharers {
			r.traceEnqueued(b.accepted, b.unit, other.stages[s.remaining], i)
		}
	}
	r.Array.Units[b.unit].Port().Post(b, q.port, visible)
}

// arrive puts the payloads of a batch into the bins of their nodes and of those
// that share their input.
func (r *Run) arrive(now uint64, b *batch) {
	r.flying -= len(b.payloads)
	engine := r.engineOf(b.unit)
	for _, i := range b.payloads {
		s := r.stageOf(i)
		r.bin(s, engine).push(i, now)
		for _, other := range s.sharers {
			r.bin(other.stages[s.remaining], engine).push(i, now)
		}
	}
}

func (b *bin) push(payload int32, since uint64) {
	b.fifo = append(b.fifo, entry{payload, since})
}

// An opener opens a launch from a bin in cycle now, or says from when it can.
type opener func(now uint64, b *bin) (at uint64, ok bool)

// openAll opens launches of one queue, in the order of arbitration, until nothing
// more can be opened in cycle now. It says when more can, if nothing happens before.
func (r *Run) openAll(now uint64, q int, open opener) uint64 {
	next := cu.Never
	for k := range r.order {
		if b := r.at(q, k); b.pending() > 0 && r.Engine.Err() == nil {
			next = min(next, r.fill(now, b, open))
		}
	}
	return next
}

// fill opens launches of a bin while it can.
func (r *Run) fill(now uint64, b *bin, open opener) uint64 {
	for len(b.opens) < maxOpen && r.Engine.Err() == nil {
		at := b.readyAt(r.window)
		if at > now {
			return at
		}
		at, ok := open(now, b)
		if !ok {
			return at
		}
	}
	return cu.Never
}

// at is the bin of a queue that comes k-th in the order of arbitration.
func (r *Run) at(q, k int) *bin {
	if r.spec.Queue.Arbitration == "round-robin" {
		k = (r.turns + k) % len(r.order)
	}
	return r.bins[q*len(r.order)+r.order[k]]
}

// lists fulfils work: a list for each bin. A policy whose workers pull leaves
// nothing to place.
func (r *Run) lists() int {
	if r.pulls {
		return 0
	}
	return len(r.bins)
}

func (r *Run) head(list int) *launch {
	b := r.at(list/len(r.order), list%len(r.order))
	if b.held || len(b.opens) == 0 {
		return nil
	}
	return b.opens[0]
}

func (r *Run) begin(list, unit int, wg *cu.Workgroup) {
	q, k := list/len(r.order), list%len(r.order)
	b := r.at(q, k)
	if len(b.opens) == maxOpen {
		r.queues[q].alarm.Set(r.Engine.Now()) // there is room for another
	}
	r.nextGroup(b, unit, wg)
	if r.spec.Queue.Arbitration == "round-robin" {
		r.turns = (r.turns + k + 1) % len(r.order)
	}
}

func (r *Run) settled(now, next uint64) { r.policy.Settled(now, next) }

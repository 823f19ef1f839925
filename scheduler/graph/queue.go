package graph

import (
	"github.com/sarchlab/akita/v3/sim"

	"spvsim/cu"
	"spvsim/engine"
)

// A queue is a component in which payloads wait until the policy opens launches
// for them: the machine's enqueue queue, the one of a shader engine, a
// scheduler's core.
type queue struct {
	engine.Base
	run     *Run
	index   int
	shared  *sharedQueue // with the queues of that index of other graphs
	alarm   *engine.Alarm
	port    *engine.Port
	entries int       // payloads that wait, those on their way included
	over    *overflow // what of it is in memory; nil: all is, or nothing
	batches engine.Stock[batch]
	taking  bool // payloads of another queue are on their way
	loots   engine.Stock[loot]
}

// A batch is the message of payloads that a wave enqueues at once. It arrives
// when they may be picked.
type batch struct {
	engine.Header
	unit     int
	payloads []int32
	accepted uint64       // cycle in which the queue has taken them; 0 before
	waiter   func(uint64) // who waits for that; nil: none
}

func (r *Run) newQueue(name string, index int) *queue {
	q := &queue{Base: engine.NewBase(r.Engine, name), run: r, index: index, shared: r.Shared.queue(&r.spec.Queue, index)}
	q.alarm, q.port = engine.NewAlarm(&q.Base, q, false), engine.NewPort(&q.Base, q, "Enqueue")
	return q
}

// Handle fulfils sim.Handler: payloads arrive, or the policy's time has come.
func (q *queue) Handle(e sim.Event) error {
	now := q.Engine.Now()
	if b, ok := e.(*batch); ok {
		q.run.arrive(now, b)
		q.batches.Give(b)
		if q.alarm.Set(now); q.run.spec.Queue.Steal > 0 {
			q.run.wake(now) // queues that have nothing may take some
		}
		return nil
	}
	switch m := e.(type) {
	case *move:
		q.over.moved(now, m)
		q.alarm.Set(now)
		return nil
	case *loot:
		q.stolen(m)
		q.alarm.Set(now)
		return nil
	}
	if next := q.run.policy.Tick(now, q.index); next < cu.Never {
		q.alarm.Set(max(next, now+1))
	}
	q.run.opener.balance(now, q.index)
	return nil
}

// left: a payload has left its entry.
func (q *queue) left(x *payload) {
	if q.entries--; q.over != nil {
		q.over.left(x)
	}
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
		s := r.stageOf(i)
		r.ledger.depth++
		r.deepen(now, s, 1)
		r.ledger.waiting += uint64(1 + len(s.sharers))
		r.ledger.enqueued(s)
		for _, other := range s.sharers {
			r.deepen(now, other.stages[s.remaining], 1)
			r.ledger.enqueued(other.stages[s.remaining])
		}
	}
	r.ledger.queue.PeakDepth = max(r.ledger.queue.PeakDepth, uint64(r.ledger.depth))
	r.ledger.flying += n
	b.accepted, b.waiter = 0, nil
	r.policy.Enqueue(now, b)
	r.queues[r.queueOf(b.unit)].entries += n
	return b.accepted, b.accepted > 0
}

// stageOf is the stage that a payload is for.
func (r *Run) stageOf(i int32) *stage {
	x := &r.memory.pool.payloads[i]
	return x.node.stages[x.remaining]
}

// accept says when the queue has taken a batch: its wave may go on.
func (r *Run) accept(b *batch, at uint64) {
	b.accepted = at
	for _, i := range b.payloads {
		r.memory.pool.payloads[i].enqueued = at
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
	r.ledger.flying -= len(b.payloads)
	queue := r.queueOf(b.unit)
	for _, i := range b.payloads {
		s := r.stageOf(i)
		own := r.opener.bin(s, queue)
		own.push(i, now)
		if r.memory.pool.payloads[i].place == inMemory {
			own.away++
		}
		r.ledger.arrived(s)
		for _, other := range s.sharers {
			r.opener.bin(other.stages[s.remaining], queue).push(i, now)
			r.ledger.arrived(other.stages[s.remaining])
		}
	}
}

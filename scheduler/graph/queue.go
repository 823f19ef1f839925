package graph

import (
	"fmt"

	"github.com/sarchlab/akita/v3/sim"

	"spvsim/cu"
	"spvsim/engine"
	"spvsim/scheduler"
)

// A queue is a component in which payloads wait until the policy launches them: the machine's enqueue queue, that of a
// shader engine or compute unit, or a scheduler core's.
type queue struct {
	engine.Base
	set           *queues
	index         int
	shared        *sharedQueue // with queues of the same index of other graphs
	alarm         *engine.Alarm
	port          *engine.Port
	entries       int          // waiting payloads, including those in flight
	spill         *spillBuffer // spilled entries; nil: the policy does not spill
	batches       engine.Pool[batch]
	stealInFlight bool // stolen payloads are in flight
	stealMessages engine.Pool[stolenPayloads]
}

// A batch is the message of payloads that a wave enqueues together. It arrives when they may be launched.
type batch struct {
	engine.Header
	unit     int
	payloads []int32
	accepted uint64       // cycle in which the queue took them; 0: not yet
	waiter   func(uint64) // called with that cycle; nil: nothing waits
}

// queues are a graph's queues on a machine, and the path of payloads from enqueue to arrival.
type queues struct {
	layout
	list       []*queue
	nodeQueues *nodeQueues
	spec       *scheduler.QueueSpec
	cus        []*cu.ComputeUnit
	pool       *pool
	stats      *graphStats
	trace      *payloadTrace
	policy     policy
	arrived    func(*batch) // called with a batch whose payloads have arrived; nil: not called
}

func newQueues(g *Graph, spec *scheduler.QueueSpec, k kind, l layout, parts *Parts, pool *pool, stats *graphStats,
	trace *payloadTrace) *queues {
	policy := "round-robin"
	if k.arbitrates {
		policy = spec.Arbitration
	}
	bins := newNodeQueues(g, l.numQueues(), policy, k.arbitrates && policy == "round-robin")
	s := &queues{layout: l, nodeQueues: bins, spec: spec, cus: parts.units(), pool: pool, stats: stats, trace: trace}
	for i := range l.numQueues() {
		name := fmt.Sprintf("%s[%d]", k.queue, i)
		q := &queue{Base: engine.NewBase(parts.Engine, name), set: s, index: i, shared: parts.Shared.queue(spec, i)}
		q.alarm, q.port = engine.NewAlarm(&q.Base, q, false), engine.NewPort(&q.Base, q, "Enqueue")
		s.list = append(s.list, q)
	}
	return s
}

func (s *queues) of(unit int) *queue { return s.list[s.queueOf(unit)] }

// Handle implements sim.Handler: a batch, a spill transfer or stolen payloads arrive, or the policy ticks.
func (q *queue) Handle(e sim.Event) error {
	now := q.Engine.Now()
	switch m := e.(type) {
	case *batch:
		q.set.arrive(now, m)
		q.batches.Release(m)
		if q.alarm.Set(now); q.set.spec.Steal > 0 {
			q.set.wake(now) // empty queues may steal
		}
		return nil
	case *spillTransfer:
		q.spill.transferDone(now, m)
		q.alarm.Set(now)
		return nil
	case *stolenPayloads:
		q.receiveStolen(m)
		q.alarm.Set(now)
		return nil
	}
	if next := q.set.policy.Tick(now, q.index); next < cu.Never {
		q.alarm.Set(max(next, now+1))
	}
	q.set.steal(now, q.index)
	return nil
}

// payloadLeft frees the entry of a payload that has been launched.
func (q *queue) payloadLeft(x *payload) {
	if q.entries--; q.spill != nil {
		q.spill.freeEntry(x)
	}
}

// wake has the policy tick at every queue in a cycle.
func (s *queues) wake(cycle uint64) {
	for _, q := range s.list {
		q.alarm.Set(cycle)
	}
}

// enqueue hands a batch to the policy. It returns the cycle in which the wave may continue, if that is known.
func (s *queues) enqueue(now uint64, b *batch) (accepted uint64, known bool) {
	n := len(b.payloads)
	for _, i := range b.payloads {
		to := s.pool.stageOf(i)
		s.stats.depth++
		s.trace.countDepth(now, to, 1)
		s.stats.waiting += uint64(1 + len(to.sharers))
		s.stats.countEnqueue(to)
		for _, other := range to.sharers {
			s.trace.countDepth(now, other.stages[to.remaining], 1)
			s.stats.countEnqueue(other.stages[to.remaining])
		}
	}
	s.stats.queue.PeakDepth = max(s.stats.queue.PeakDepth, uint64(s.stats.depth))
	s.stats.inFlight += n
	b.accepted, b.waiter = 0, nil
	s.policy.Enqueue(now, b)
	s.of(b.unit).entries += n
	return b.accepted, b.accepted > 0
}

// accept sets the cycle in which the queue takes a batch, so that its wave may continue.
func (s *queues) accept(b *batch, at uint64) {
	b.accepted = at
	for _, i := range b.payloads {
		s.pool.payloads[i].enqueued = at
	}
	if b.waiter != nil {
		b.waiter(at)
	}
}

// release sends a batch off, to arrive in the cycle in which its payloads may be launched.
func (s *queues) release(b *batch, visible uint64) {
	q := s.of(b.unit)
	for _, i := range b.payloads {
		to := s.pool.stageOf(i)
		s.trace.traceEnqueue(b.accepted, b.unit, to, i)
		for _, other := range to.sharers {
			s.trace.traceEnqueue(b.accepted, b.unit, other.stages[to.remaining], i)
		}
	}
	s.cus[b.unit].Port().Post(b, q.port, visible)
}

// arrive appends the payloads of a batch to the node queues of their stages and of the stages that share their input.
func (s *queues) arrive(now uint64, b *batch) {
	s.stats.inFlight -= len(b.payloads)
	queue := s.queueOf(b.unit)
	for _, i := range b.payloads {
		to := s.pool.stageOf(i)
		own := s.nodeQueues.of(to, queue)
		own.push(i, now)
		if s.pool.payloads[i].location == spilled {
			own.spilled++
		}
		s.stats.countArrival(to)
		for _, other := range to.sharers {
			s.nodeQueues.of(other.stages[to.remaining], queue).push(i, now)
			s.stats.countArrival(other.stages[to.remaining])
		}
	}
	if s.arrived != nil {
		s.arrived(b)
	}
}

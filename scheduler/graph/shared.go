package graph

import (
	"slices"

	"spvsim/cu"
	"spvsim/scheduler"
)

// A Shared is what the graphs of a machine have in common, by queue: the ports, the rate of launches and the cores of one machine. Graphs
// that run beside each other take turns at them, in the order in which they ask; storage is divided (see Run.shareStorage).
type Shared struct {
	queues []*sharedQueue
}

// A sharedQueue is what of one queue serves one graph at a time.
type sharedQueue struct {
	enter, alloc port // entrance of what is enqueued, and of allocations
	launch       port
	roundRobin   roundRobin // at the launch port, or the core
	core         core
}

// queue is what all graphs have in common of the queue of that index.
func (s *Shared) queue(spec *scheduler.QueueSpec, index int) *sharedQueue {
	for len(s.queues) <= index {
		s.queues = append(s.queues, &sharedQueue{enter: portOf(spec), alloc: portOf(spec), launch: port{gap: scheduler.RateGap(spec.LaunchRate)}})
	}
	return s.queues[index]
}

// roundRobin are the queues that asked for what another graph's had, in the order in which they did.
type roundRobin struct {
	waiting []*queue
	refused bool // the queue that ticks has been refused
}

// beginTick: a queue ticks.
func (t *roundRobin) beginTick() { t.refused = false }

// endTick: it has. What it asked for before and did not ask for again it does not want.
func (t *roundRobin) endTick(q *queue) {
	if !t.refused {
		t.done(q)
	}
}

// isTurn says whether the next turn is a queue's.
func (t *roundRobin) isTurn(q *queue) bool { return len(t.waiting) == 0 || t.waiting[0] == q }

// skip has a queue wait for its turn.
func (t *roundRobin) skip(q *queue) {
	if t.refused = true; !slices.Contains(t.waiting, q) {
		t.waiting = append(t.waiting, q)
	}
}

// done: a queue has had its turn, or wants none.
func (t *roundRobin) done(q *queue) {
	if i := slices.Index(t.waiting, q); i >= 0 {
		t.waiting = slices.Delete(t.waiting, i, i+1)
	}
}

// wake has all that wait ask again in a cycle.
func (t *roundRobin) wake(at uint64) {
	for _, q := range t.waiting {
		q.alarm.Set(at)
	}
}

// A core runs firmware: one for the machine, or one for each shader engine or compute unit.
type core struct {
	freeAt        uint64        // cycle from which it is; cu.Never while that is not known
	pendingCycles uint64        // cycles that it spends on dispatches after what it is at
	batch         []*nodeLaunch // that it starts together
}

// bookDispatch has the core spend cycles on a dispatch that begins in cycle now.
func (c *core) bookDispatch(now, cycles uint64) {
	if c.freeAt == cu.Never {
		c.pendingCycles += cycles
		return
	}
	c.freeAt = max(c.freeAt, now) + cycles
}

// finishBatch says from when the launches of the batch may be placed, of which the core has spent the last cycle before at.
func (c *core) finishBatch(at uint64) {
	c.freeAt, c.pendingCycles = at+c.pendingCycles, 0
}

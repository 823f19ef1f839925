package graph

import (
	"slices"

	"spvsim/cu"
	"spvsim/scheduler"
)

// A Shared is what the graphs of a machine have in common, by queue: the ports, the rate of launches and the cores of one machine. Graphs
// that run beside each other take turns at them, in the order in which they ask; storage is divided (see Run.share).
type Shared struct {
	queues []*sharedQueue
}

// A sharedQueue is what of one queue serves one graph at a time.
type sharedQueue struct {
	enter, alloc port // entrance of what is enqueued, and of allocations
	launch       port
	turns        turns // at the launch port, or the core
	core         core
}

// queue is what all graphs have in common of the queue of that index.
func (s *Shared) queue(spec *scheduler.QueueSpec, index int) *sharedQueue {
	for len(s.queues) <= index {
		s.queues = append(s.queues, &sharedQueue{enter: portOf(spec), alloc: portOf(spec), launch: port{gap: scheduler.RateGap(spec.LaunchRate)}})
	}
	return s.queues[index]
}

// turns are the queues that asked for what another graph's had, in the order in which they did.
type turns struct {
	waiting []*queue
	refused bool // the queue that ticks has been refused
}

// begin: a queue ticks.
func (t *turns) begin() { t.refused = false }

// end: it has. What it asked for before and did not ask for again it does not want.
func (t *turns) end(q *queue) {
	if !t.refused {
		t.leave(q)
	}
}

// mine says whether the next turn is a queue's.
func (t *turns) mine(q *queue) bool { return len(t.waiting) == 0 || t.waiting[0] == q }

// refuse has a queue wait for its turn.
func (t *turns) refuse(q *queue) {
	if t.refused = true; !slices.Contains(t.waiting, q) {
		t.waiting = append(t.waiting, q)
	}
}

// leave: a queue has had its turn, or wants none.
func (t *turns) leave(q *queue) {
	if i := slices.Index(t.waiting, q); i >= 0 {
		t.waiting = slices.Delete(t.waiting, i, i+1)
	}
}

// wake has all that wait ask again in a cycle.
func (t *turns) wake(at uint64) {
	for _, q := range t.waiting {
		q.alarm.Set(at)
	}
}

// A core runs firmware: one for the machine, or one for each shader engine or compute unit.
type core struct {
	free  uint64        // cycle from which it is; cu.Never while that is not known
	owes  uint64        // cycles that it spends on dispatches after what it is at
	batch []*nodeLaunch // that it starts together
}

// dispatch has the core spend cycles on a dispatch that begins in cycle now.
func (c *core) dispatch(now, cycles uint64) {
	if c.free == cu.Never {
		c.owes += cycles
		return
	}
	c.free = max(c.free, now) + cycles
}

// started says from when the launches of the batch may be placed, of which the core has spent the last cycle before at.
func (c *core) started(at uint64) {
	c.free, c.owes = at+c.owes, 0
}

package graph

import (
	"slices"

	"spvsim/cu"
	"spvsim/scheduler"
)

// A Shared is common to all graphs of a machine: the ports, launch rate and core of each queue. Concurrent graphs take
// turns at them in the order of their requests. Storage is divided instead (see Run.shareStorage).
type Shared struct {
	queues []*sharedQueue
}

// A sharedQueue is the part of a queue that serves one graph at a time.
type sharedQueue struct {
	enter, alloc port // entrances of enqueues and of allocations
	launch       port
	roundRobin   roundRobin // turns at the launch port or the core
	core         core
	reader       listReader
}

// queue returns the shared part of the queues of an index.
func (s *Shared) queue(spec *scheduler.QueueSpec, index int) *sharedQueue {
	for len(s.queues) <= index {
		s.queues = append(s.queues, &sharedQueue{enter: portOf(spec), alloc: portOf(spec), launch: port{gap: scheduler.RateGap(spec.LaunchRate)}})
	}
	return s.queues[index]
}

// A roundRobin lists the queues that wait for a turn, in the order of their requests.
type roundRobin struct {
	waiting []*queue
	refused bool // the ticking queue waits for a turn
}

// beginTick begins the tick of a queue.
func (t *roundRobin) beginTick() { t.refused = false }

// endTick ends it. A queue that did not ask for a turn again gives up its place.
func (t *roundRobin) endTick(q *queue) {
	if !t.refused {
		t.done(q)
	}
}

// isTurn reports whether a queue has the next turn.
func (t *roundRobin) isTurn(q *queue) bool { return len(t.waiting) == 0 || t.waiting[0] == q }

// skip has a queue wait for its turn.
func (t *roundRobin) skip(q *queue) {
	if t.refused = true; !slices.Contains(t.waiting, q) {
		t.waiting = append(t.waiting, q)
	}
}

// done removes a queue that has had its turn.
func (t *roundRobin) done(q *queue) {
	if i := slices.Index(t.waiting, q); i >= 0 {
		t.waiting = slices.Delete(t.waiting, i, i+1)
	}
}

// wake has all waiting queues tick in a cycle.
func (t *roundRobin) wake(at uint64) {
	for _, q := range t.waiting {
		q.alarm.Set(at)
	}
}

// A core runs firmware: one for the machine, or one for each shader engine or compute unit.
type core struct {
	freeAt        uint64        // cycle from which it is free; cu.Never: not known yet
	pendingCycles uint64        // cycles of dispatches that it runs after the current batch
	batch         []*nodeLaunch // launches that it starts together
}

// bookDispatch books the core's cycles for a dispatch that begins in cycle now.
func (c *core) bookDispatch(now, cycles uint64) {
	if c.freeAt == cu.Never {
		c.pendingCycles += cycles
		return
	}
	c.freeAt = max(c.freeAt, now) + cycles
}

// finishBatch ends the batch in cycle at.
func (c *core) finishBatch(at uint64) {
	c.freeAt, c.pendingCycles = at+c.pendingCycles, 0
}

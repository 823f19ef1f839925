package graph

import "spvsim/engine"

// Work stealing between queues: an empty queue takes up to half of a node's payloads, the youngest, from the queue
// where that node has most. They come after the latency in both directions.

// stolenPayloads is the message of payloads that a queue takes from another.
type stolenPayloads struct {
	engine.Header
	stage *stage
	list  []queuedPayload
}

// steal has an empty queue take payloads from another, unless some are in flight to it already.
func (s *queues) steal(now uint64, thief int) {
	most := s.spec.Steal
	q := s.list[thief]
	if most == 0 || len(s.list) == 1 || q.stealInFlight || !s.nodeQueues.empty(thief) {
		return
	}
	b := s.nodeQueues.stealVictim(thief)
	if b == nil {
		return
	}
	m := q.stealMessages.Acquire()
	m.stage = b.stage
	m.list = b.takeYoungest(min(most, (len(b.fifo)-b.head+1)/2), m.list[:0])
	victim := s.list[b.queue]
	victim.entries -= len(m.list)
	if victim.spill != nil {
		victim.spill.removeStolen(b, m.list)
		victim.alarm.Set(now) // entries have become free
	}
	q.stealInFlight = true
	s.stats.queue.Stolen += uint64(len(m.list))
	victim.port.Post(m, q.port, max(now+2*uint64(s.spec.Latency), q.Engine.NextSecondary()))
}

// empty reports whether nothing waits in a queue.
func (b *nodeQueues) empty(queue int) bool {
	for _, w := range b.ofQueue(queue) {
		if w.pending() > 0 {
			return false
		}
	}
	return true
}

// stealVictim returns the node queue of another queue with the most payloads, at least two. Inputs that nodes share
// stay where they are.
func (b *nodeQueues) stealVictim(thief int) (best *nodeQueue) {
	most := 1
	for _, w := range b.list {
		if w.queue == thief || w.base != nil || len(w.sharers) > 0 {
			continue
		}
		if n := len(w.fifo) - w.head; n > most {
			best, most = w, n
		}
	}
	return best
}

// takeYoungest removes the n youngest payloads.
func (b *nodeQueue) takeYoungest(n int, list []queuedPayload) []queuedPayload {
	from := len(b.fifo) - n
	list = append(list, b.fifo[from:]...)
	b.fifo = b.fifo[:from]
	b.scanned = min(b.scanned, from)
	if b.head == from {
		b.fifo, b.head, b.scanned = b.fifo[:0], 0, 0
	}
	return list
}

// receiveStolen appends stolen payloads to their node queue.
func (q *queue) receiveStolen(m *stolenPayloads) {
	q.stealInFlight = false
	b := q.set.nodeQueues.of(m.stage, q.index)
	b.fifo = append(b.fifo, m.list...)
	q.entries += len(m.list)
	if q.spill != nil {
		q.spill.addStolen(b, m.list)
	}
	q.stealMessages.Release(m)
}

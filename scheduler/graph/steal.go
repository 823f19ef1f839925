package graph

import "spvsim/engine"

// Queues of shader engines balance: one that has nothing to launch asks the one in which most payloads wait, and takes up to half of
// those of a node, the youngest, which come after the latency there and back.

// A loot is the message of payloads that a queue takes from another.
type loot struct {
	engine.Header
	stage *stage
	list  []entry
}

// balance has a queue take payloads from another, if it has nothing to launch and none are on their way to it.
func (o *opener) balance(now uint64, thief int) {
	most := o.run.spec.Queue.Steal
	q := o.run.queues[thief]
	if most == 0 || len(o.run.queues) == 1 || q.taking || !o.empty(thief) {
		return
	}
	b := o.fullest(thief)
	if b == nil {
		return
	}
	m := q.loots.Take()
	m.stage = b.stage
	m.list = b.take(min(most, (len(b.fifo)-b.head+1)/2), m.list[:0])
	victim := o.run.queues[b.queue]
	victim.entries -= len(m.list)
	if victim.over != nil {
		victim.over.taken(b, m.list)
		victim.alarm.Set(now) // entries are free
	}
	q.taking = true
	o.run.ledger.queue.Stolen += uint64(len(m.list))
	victim.port.Post(m, q.port, max(now+2*uint64(o.run.spec.Queue.Latency), o.run.Engine.Soonest()))
}

// empty says that nothing waits in a queue.
func (o *opener) empty(queue int) bool {
	n := len(o.order)
	for _, b := range o.bins[queue*n : (queue+1)*n] {
		if b.pending() > 0 {
			return false
		}
	}
	return true
}

// fullest is the bin of another queue with the most payloads, two at least. Those of inputs that nodes share stay together.
func (o *opener) fullest(thief int) (best *bin) {
	most := 1
	for _, b := range o.bins {
		if b.queue == thief || b.base != nil || len(b.sharers) > 0 {
			continue
		}
		if n := len(b.fifo) - b.head; n > most {
			best, most = b, n
		}
	}
	return best
}

// take takes the n youngest payloads out of a bin.
func (b *bin) take(n int, list []entry) []entry {
	from := len(b.fifo) - n
	list = append(list, b.fifo[from:]...)
	b.fifo = b.fifo[:from]
	b.scan = min(b.scan, from)
	if b.head == from {
		b.fifo, b.head, b.scan = b.fifo[:0], 0, 0
	}
	return list
}

// stolen puts what another queue had into this one.
func (q *queue) stolen(m *loot) {
	q.taking = false
	b := q.run.opener.bins[q.index*len(q.run.opener.order)+m.stage.id]
	b.fifo = append(b.fifo, m.list...)
	q.entries += len(m.list)
	if q.over != nil {
		q.over.given(b, m.list)
	}
	q.loots.Give(m)
}

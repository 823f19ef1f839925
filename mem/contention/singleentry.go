package contention

import (
	"slices"

	"spvsim/mem/lane"
)

// What is here is for queues of one entry. Where one request at a time holds it, the cycles in which it is held are the union of all
// spans: few, as those that wait for each other join.

// waitForOnly is wait for the only entry.
func (q *Queue) waitForOnly(at, delay uint64, full *uint64) uint64 {
	at += delay
	cycle := q.relative(at)
	free := cycle
	for i := len(q.recent) - 1; i >= 0 && cycle < q.recent[i].Until; i-- {
		if cycle >= q.recent[i].From {
			free = q.recent[i].Until
			break
		}
	}
	waited := uint64(free - cycle)
	q.acquiredAt = at + waited
	*full += waited
	return delay + waited
}

// holdOnly adds a span, in whose first cycle the entry is free, to those in which it is held.
func (q *Queue) holdOnly(h lane.Span) {
	n := len(q.recent)
	if n > 0 && q.recent[n-1].Until == h.From {
		q.recent[n-1].Until = h.Until
		return
	}
	if n == cap(q.recent) {
		q.dropPastSpans()
		n = len(q.recent)
	}
	q.maxHeld = 1
	if n == 0 || q.recent[n-1].Until < h.From {
		q.recent = append(q.recent, h)
		return
	}
	for n > 0 && h.From < q.recent[n-1].From {
		n--
	}
	if n > 0 && q.recent[n-1].Until == h.From {
		n--
		h.From = q.recent[n].From
	}
	end := n
	for ; end < len(q.recent) && q.recent[end].From <= h.Until; end++ {
		h.Until = max(h.Until, q.recent[end].Until)
	}
	if end == n {
		q.recent = slices.Insert(q.recent, n, h)
		return
	}
	q.recent[n] = h
	if end > n+1 {
		q.recent = slices.Delete(q.recent, n+1, end)
	}
}

// dropPastSpans drops those that ended before now.
func (q *Queue) dropPastSpans() {
	now, past := q.relative(*q.now), 0
	for past < len(q.recent) && q.recent[past].Until <= now {
		past++
	}
	q.recent = slices.Delete(q.recent, 0, past)
}

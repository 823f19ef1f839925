package mem

import (
	"slices"

	"spvsim/mem/dram"
)

// A queue has so many entries, each held by one request at a time. Requests take them when they arrive, and are booked in the
// order of issue: one that waits elsewhere first is booked for a later cycle, and holds nothing here until then. The zero queue
// has no limit.
type queue struct {
	entries int
	now     *uint64     // cycle of issue: none arrives before
	recent  []dram.Span // when entries are held: those that were booked last, as they came, until their order matters
	from    []uint64
	until   []uint64  // when requests take entries, and when entries are given back: each in its order
	gone    int       // the first of both, of entries that were given back before now
	place   int       // among from, of the request at hand; -1: it goes to the recent ones
	when    uint64    // that takes its entry
	full    dram.Span // no entry is free
}

func newQueue(entries int, now *uint64) queue { return queue{entries: entries, now: now} }

// open finds an entry for a request that arrives in a cycle where fewer are held than there are, whenever; it is false where that has to be
// looked at.
func (q *queue) open(at uint64) bool {
	if q.held() >= q.entries {
		return false
	}
	q.place, q.when = -1, at
	return true
}

// wait is how long a request, which would come in cycle at and has waited for delay, has waited when it has an entry. What that
// adds goes to full.
func (q *queue) wait(at, delay uint64, full *uint64) uint64 {
	if q.entries == 0 {
		return delay
	}
	waited := q.admit(at+delay) - at
	*full += waited - delay
	return waited
}

// admit is when a request that arrives in a cycle has an entry, where as many as there are may be held.
func (q *queue) admit(at uint64) uint64 {
	if q.forget(); q.spare(at) {
		q.place, q.when = -1, at
		return at
	}
	if q.sort(); q.open(at) {
		return at
	}
	came := at
	if q.full.Has(at) {
		at, came = q.full.Until, q.full.From
	}
	q.place = q.by(q.from, at)
	if q.when = q.find(at); q.when > at {
		q.full = dram.Span{From: came, Until: q.when}
	}
	return q.when
}

// spare finds without their order that fewer than all entries are held in a cycle: so many have been given back by then.
func (q *queue) spare(at uint64) bool {
	n := len(q.until) + len(q.recent) - q.entries
	return n < q.gone || n < len(q.until) && len(q.recent) < batch && q.until[n] <= at
}

// held is how many entries are held at some time, as far as that has been looked at.
func (q *queue) held() int { return len(q.recent) + len(q.until) - q.gone }

// find is when a request that arrives in a cycle has an entry, which is when fewer than all are held; its place moves on past
// those that take what is given back before.
func (q *queue) find(at uint64) uint64 {
	for q.place-q.entries >= q.gone {
		left := q.until[q.place-q.entries]
		switch {
		case left <= at:
			return at
		case q.place == len(q.from) || left < q.from[q.place]:
			return left
		}
		for at = q.from[q.place]; q.place < len(q.from) && q.from[q.place] == at; {
			q.place++
		}
	}
	return at
}

// by is how many of the times lie before the end of a cycle: all of them, or all but the last, or as halving finds.
func (q *queue) by(times []uint64, cycle uint64) int {
	high := len(times)
	for range 2 {
		if high == q.gone || times[high-1] <= cycle {
			return high
		}
		high--
	}
	low := q.gone
	for low < high {
		if m := int(uint(low+high) / 2); times[m] <= cycle {
			low = m + 1
		} else {
			high = m
		}
	}
	return low
}

// forget drops entries that were given back before now.
func (q *queue) forget() {
	now, gone := *q.now, q.gone
	for _, until := range q.until[gone:] {
		if until > now {
			break
		}
		gone++
	}
	q.gone = gone
	if len(q.until)+batch > cap(q.until) && q.gone > len(q.until)/2 {
		q.from, q.until, q.gone = q.from[:copy(q.from, q.from[q.gone:])], q.until[:copy(q.until, q.until[q.gone:])], 0
	}
}

// batch is how many recent entries are put into their order together.
const batch = 32

// sort puts the recent ones that are held yet into their order, if together all may be held.
func (q *queue) sort() {
	now := *q.now
	q.recent = slices.DeleteFunc(q.recent, func(s dram.Span) bool { return s.Until <= now })
	if 2*q.held() <= q.entries {
		return
	}
	for some := range slices.Chunk(q.recent, batch) {
		var from, until [batch]uint64
		for i, s := range some {
			before(from[:i+1], s.From)
			before(until[:i+1], s.Until)
		}
		q.from, q.until = merge(q.from, q.gone, from[:len(some)]), merge(q.until, q.gone, until[:len(some)])
	}
	q.recent = q.recent[:0]
}

// before puts a time into the last place of a list, and before those that are later.
func before(times []uint64, t uint64) {
	i := len(times) - 1
	for ; i > 0 && times[i-1] > t; i-- {
		times[i] = times[i-1]
	}
	times[i] = t
}

// merge puts times into a list from its place gone on; both are in order.
func merge(list []uint64, gone int, times []uint64) []uint64 {
	n := len(list)
	list = append(list, times...)
	for at := len(list) - 1; len(times) > 0; at-- {
		if t := times[len(times)-1]; n == gone || list[n-1] <= t {
			list[at], times = t, times[:len(times)-1]
		} else {
			list[at] = list[n-1]
			n--
		}
	}
	return list
}

// hold notes a span whose beginning has its place.
func (q *queue) hold(place int, s dram.Span) {
	q.from = insert(q.from, place, s.From)
	q.until = insert(q.until, q.by(q.until, s.Until), s.Until)
}

// enter gives the entry to the request at hand, which leaves in the given cycle: at once, it holds nothing.
func (q *queue) enter(leaves uint64) {
	switch {
	case q.entries == 0 || leaves <= q.when:
	case q.place < 0:
		q.recent = append(q.recent, dram.Span{From: q.when, Until: leaves})
	default:
		q.hold(q.place, dram.Span{From: q.when, Until: leaves})
	}
}

func insert(times []uint64, place int, t uint64) []uint64 {
	times = append(times, t)
	if place < len(times)-1 {
		copy(times[place+1:], times[place:])
		times[place] = t
	}
	return times
}

// space is how many requests that arrive from a cycle on, up to most, find an entry that is free.
func (q *queue) space(now uint64, most int) int {
	if q.entries == 0 {
		return most
	}
	first := q.gone
	for first < len(q.until) && q.until[first] <= now {
		first++
	}
	held := len(q.until) - first
	for _, s := range q.recent {
		if s.Until > now {
			held++
		}
	}
	return min(most, max(0, q.entries-held))
}

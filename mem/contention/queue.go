// Package contention holds what the requests of a memory level wait for: servers with a bandwidth, which a calendar books in
// the order of issue, and queues with a number of entries.
package contention

import (
	"math"
	"slices"

	"spvsim/mem/lane"
)

// A Queue has so many entries, each held by one request at a time. Requests take them when they arrive, and are booked in the
// order of issue: one that waits elsewhere first is booked for a later cycle, and holds nothing here until then. The zero queue
// has no limit.
type Queue struct {
	entries    int32
	maxHeld    int32       // at some time, as far as that has been looked at
	acquiredAt uint64      // the request at hand takes its entry
	ordered    bool        // it goes to those in order, not to the recent ones
	fullSpan   lane.Span   // no entry is free
	base       uint64      // cycle that times count from
	recent     []lane.Span // those that were booked last, as they came, until their order matters
	holdTimes              // a line of the host's cache from here on is not looked at while few entries are held
	now        *uint64
}

// holdTimes are when requests take entries, and when entries are given back: each in its order, as package lane wants it.
type holdTimes struct {
	first, end  int32 // those that were not given back before now, as far as that has been looked at
	from, until []uint32
}

const (
	maxTime    = math.MaxUint32 // those that are further ahead of now are as this one
	mostRecent = 128            // knob: as many as are put into their order together
	leastTimes = 2 * lane.Lead  // in a list
)

// NewQueue makes a queue of which now is the cycle of issue: no request arrives before.
func NewQueue(entries int, now *uint64) Queue { return Queue{entries: int32(entries), now: now} }

// TryAcquire finds an entry for a request that arrives in a cycle where fewer are held than there are, whenever; it is false where that has to be
// looked at.
func (q *Queue) TryAcquire(at uint64) bool {
	if q.maxHeld >= q.entries {
		return false
	}
	q.ordered, q.acquiredAt = false, at
	return true
}

// Acquire is how long a request, which would come in cycle at and has waited for delay, has waited when it has an entry. What that
// adds goes to full.
func (q *Queue) Acquire(at, delay uint64, full *uint64) uint64 {
	if q.entries == 0 {
		return delay
	}
	waited := q.acquireAt(at+delay) - at
	*full += waited - delay
	return waited
}

// acquireAt is when a request that arrives in a cycle has an entry, where as many as there are may be held.
func (q *Queue) acquireAt(at uint64) uint64 {
	cycle := q.relative(at)
	came, come := cycle, cycle
	if cycle-q.fullSpan.From < q.fullSpan.Until-q.fullSpan.From {
		came, come = q.fullSpan.From, q.fullSpan.Until
	} else if q.hasFree(cycle) || q.dropPast() && q.hasFree(cycle) {
		q.ordered, q.acquiredAt = false, at
		return at
	}
	if len(q.recent) > 0 {
		q.sort()
	}
	free := q.find(come, int(q.entries))
	if free > come {
		q.fullSpan = lane.Span{From: came, Until: free}
	}
	q.ordered, q.acquiredAt = true, at+uint64(free-cycle)
	return q.acquiredAt
}

// hasFree finds without their order that fewer than all entries are held in a cycle: so many have been given back by then.
func (q *Queue) hasFree(cycle uint32) bool {
	n := int(q.end-q.entries) + len(q.recent)
	return n < int(q.first) || n < int(q.end) && len(q.recent) < mostRecent && q.until[n] <= cycle
}

// find is when a request that arrives in a cycle has one of so many entries, which is when fewer than all are held.
func (t *holdTimes) find(at uint32, entries int) uint32 {
	place := int(t.end)
	if t.from[place-1] > at {
		return t.free(at, place-lane.Above(t.from, place, at), entries)
	}
	if place -= entries; place >= int(t.first) {
		return max(at, t.until[place])
	}
	return at
}

// free is the cycle, from one on by which requests have come up to a place, in which one more has an entry: its place moves on past those that
// take what is given back before.
func (t *holdTimes) free(at uint32, place, entries int) uint32 {
	for place-entries >= int(t.first) {
		left := t.until[place-entries]
		switch {
		case left <= at:
			return at
		case place == int(t.end) || left < t.from[place]:
			return left
		}
		for at = t.from[place]; place < int(t.end) && t.from[place] == at; {
			place++
		}
	}
	return at
}

// relative is a cycle as times are kept.
func (q *Queue) relative(cycle uint64) uint32 {
	if ahead := cycle - q.base; ahead <= maxTime {
		return uint32(ahead)
	}
	return q.rebase(cycle)
}

// rebase is since for a cycle that is far ahead of the base, which becomes now.
func (q *Queue) rebase(cycle uint64) uint32 {
	by := uint32(min(*q.now-q.base, maxTime))
	q.base = *q.now
	q.fullSpan = rebased(q.fullSpan, by)
	for i, r := range q.recent {
		q.recent[i] = rebased(r, by)
	}
	for i := range q.end {
		h := rebased(lane.Span{From: q.from[i], Until: q.until[i]}, by)
		q.from[i], q.until[i] = h.From, h.Until
	}
	return uint32(min(cycle-q.base, maxTime))
}

// rebased is the same time, counted from a later cycle.
func rebased(h lane.Span, by uint32) lane.Span {
	return lane.Span{From: h.From - min(h.From, by), Until: h.Until - min(h.Until, by)}
}

// dropPast drops entries that were given back before now. It says whether the recent ones may stay as they are: few are held, or few of them are.
func (q *Queue) dropPast() bool {
	now, n := q.relative(*q.now), 0
	for _, r := range q.recent {
		q.recent[n] = r
		if r.Until > now {
			n++
		}
	}
	q.maxHeld -= int32(len(q.recent) - n)
	q.recent = q.recent[:n]
	q.dropBefore(now)
	return 2*q.maxHeld <= q.entries || n < mostRecent/2
}

// dropBefore drops those of a time that has passed.
func (q *Queue) dropBefore(now uint32) {
	if q.first < q.end {
		first := max(q.first, q.end-int32(lane.Above(q.until, int(q.end), now)))
		q.maxHeld -= first - q.first
		q.first = first
	}
}

// sort puts the recent ones into their order.
func (q *Queue) sort() {
	q.makeSpace(len(q.recent))
	lane.InsertAll(q.from, q.until, int(q.end), q.recent)
	q.end += int32(len(q.recent))
	q.recent = q.recent[:0]
}

// insert puts an entry among those in order.
func (q *Queue) insert(h lane.Span) {
	q.makeSpace(1)
	lane.Insert(q.from, q.until, int(q.end), h.From, h.Until)
	q.end++
}

// makeSpace makes space for n more after the end, and for a word that comes after them.
func (q *Queue) makeSpace(n int) {
	if int(q.end)+n >= len(q.from) {
		q.dropBefore(q.relative(*q.now))
		q.move(n)
	}
}

// move makes space for so many more after the end, by moving all to the begin of the lists, or of longer ones where that leaves a quarter of them or less: short
// lists stay in the host's cache.
func (t *holdTimes) move(more int) {
	from, until, first, end := t.from, t.until, t.first, t.end
	if n := int(end-first) + more; lane.Lead+n+n/4 >= len(from) {
		length := max(lane.Lead+n+n/2, leastTimes)
		t.from, t.until, t.end = make([]uint32, length), make([]uint32, length), int32(length)
	}
	copy(t.from[lane.Lead:], from[first:end])
	copy(t.until[lane.Lead:], until[first:end])
	t.first, end = lane.Lead, lane.Lead+end-first
	setLast(t.from[end:t.end])
	setLast(t.until[end:t.end])
	t.end = end
}

// setLast makes times of a list the last ones.
func setLast(list []uint32) {
	for len(list) > 0 {
		list = list[copy(list, lastTimes[:]):]
	}
}

// lastTimes are copied, several at a time, where a loop would store them one by one.
var lastTimes = [leastTimes]uint32(slices.Repeat([]uint32{maxTime}, leastTimes))

// HoldUntil gives the entry to the request at hand, which leaves in the given cycle: at once, it holds nothing.
func (q *Queue) HoldUntil(leaves uint64) {
	if q.entries == 0 || leaves <= q.acquiredAt {
		return
	}
	until := q.relative(leaves)
	h := lane.Span{From: q.relative(q.acquiredAt), Until: until}
	q.maxHeld++
	if q.ordered {
		q.insert(h)
	} else {
		q.recent = append(q.recent, h)
	}
}

// FreeEntries is how many requests that arrive from a cycle on, up to most, find an entry that is free.
func (q *Queue) FreeEntries(now uint64, most int) int {
	if q.entries == 0 {
		return most
	}
	cycle, held := q.relative(now), 0
	if q.first < q.end {
		held = lane.Above(q.until, int(q.end), cycle)
	}
	for _, r := range q.recent {
		if r.Until > cycle {
			held++
		}
	}
	return min(most, max(0, int(q.entries)-held))
}

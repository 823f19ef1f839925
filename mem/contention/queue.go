// Package contention holds what the requests of a memory level wait for: servers with a bandwidth, which a calendar books in
// the order of issue, and queues with a number of entries.
package contention

import (
	"math"
	"slices"

	"spvsim/mem/lane"
)

// A Queue has a number of entries, each held by one request at a time. Requests are booked in the order of issue, not
// of arrival: one that first waits elsewhere is booked for a later cycle, and holds nothing here until then. With 2
// entries held in cycles 0 to 10 and 0 to 30, a request that arrives in cycle 5 waits 5 cycles, and one in cycle 12
// none.
//
// Each request calls Acquire, and then HoldUntil. The zero Queue has no limit.
type Queue struct {
	entries    int32
	maxHeld    int32       // upper bound of the entries held at any time; exact after dropPast
	acquiredAt uint64      // cycle in which the current request takes its entry
	ordered    bool        // its span goes to the ordered lists, not to recent
	fullSpan   lane.Span   // known span without a free entry
	droppedAt  uint32      // cycle of issue in which dropPast was called last: what has come since is given back later
	base       uint64      // cycle from which times count
	recent     []lane.Span // spans booked last, unsorted until their order matters; of a single entry all spans, apart and in order
	holdTimes              // in a line of the host's cache of its own, not read while few entries are held
	now        *uint64
}

// holdTimes are the cycles in which requests take entries and give them back, each list in its own order, with the
// padding that package lane wants.
type holdTimes struct {
	first, end  int32 // the range of entries that may still be held
	from, until []uint32
}

const (
	maxTime    = math.MaxUint32 // and all later times
	mostRecent = 128            // spans that are sorted together; only speed depends on it
	leastTimes = 2 * lane.Lead  // in a list
)

// NewQueue makes a queue. now points to the cycle of issue, before which no request arrives.
func NewQueue(entries int, now *uint64) Queue {
	return Queue{entries: int32(entries), maxHeld: -int32(1 - min(entries, 1)), now: now} // without a limit, fewer than there are
}

// Acquire returns the cycles that a request has waited when it has an entry. The request would arrive in cycle at, and
// has waited for delay before. What this adds is added to full, too. It is inlined where fewer entries are held at any
// time than there are.
func (q *Queue) Acquire(at, delay uint64, full *uint64) uint64 {
	if q.maxHeld < q.entries {
		q.ordered, q.acquiredAt = false, at+delay
		return delay
	}
	if q.entries == 1 {
		return q.waitForOnly(at, delay, full)
	}
	return q.wait(at, delay, full)
}

// wait is Acquire where all entries may be held.
func (q *Queue) wait(at, delay uint64, full *uint64) uint64 {
	if q.entries == 0 {
		return delay
	}
	at += delay
	cycle := q.relative(at)
	came, come := cycle, cycle
	if cycle-q.fullSpan.From < q.fullSpan.Until-q.fullSpan.From {
		came, come = q.fullSpan.From, q.fullSpan.Until
	} else if q.hasFree(cycle) || q.dropPast() && q.hasFree(cycle) {
		q.ordered, q.acquiredAt = false, at
		return delay
	}
	if len(q.recent) > 0 {
		q.sort()
	}
	free := q.find(come, int(q.entries))
	if free > come {
		q.fullSpan = lane.Span{From: came, Until: free}
	}
	waited := uint64(free - cycle)
	q.ordered, q.acquiredAt = true, at+waited
	*full += waited
	return delay + waited
}

// IsFull reports whether all entries are held in a cycle, so that a request that arrives then would wait. It changes
// nothing.
func (q *Queue) IsFull(at uint64) bool {
	if q.maxHeld < q.entries || q.entries == 0 {
		return false
	}
	cycle, held := uint32(min(at-q.base, maxTime)), 0
	if q.hasFree(cycle) {
		return false
	}
	if q.first < q.end { // arrivals minus departures
		held = lane.CountAbove(q.until, int(q.end), cycle) - lane.CountAbove(q.from, int(q.end), cycle)
	}
	for _, r := range q.recent {
		if r.From <= cycle && cycle < r.Until {
			held++
		}
	}
	return held >= int(q.entries)
}

// hasFree reports whether an entry is free in a cycle, where counts alone show it: at most entries-1 are given back
// later.
func (q *Queue) hasFree(cycle uint32) bool {
	n := int(q.end-q.entries) + len(q.recent)
	return n < int(q.first) || n < int(q.end) && len(q.recent) < mostRecent && q.until[n] <= cycle
}

// find returns the cycle in which a request that arrives in a cycle has one of the entries: the first one in which
// fewer are held.
func (t *holdTimes) find(at uint32, entries int) uint32 {
	place := int(t.end)
	if t.from[place-1] > at {
		return t.free(at, place-lane.CountAbove(t.from, place, at), entries)
	}
	if place -= entries; place >= int(t.first) {
		return max(at, t.until[place])
	}
	return at
}

// free returns the first cycle, from at on, in which one more request has an entry. place is the number of requests
// that have arrived by then. Requests that arrive before an entry is given back take it, and place moves on past them.
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

// relative returns a cycle counted from base.
func (q *Queue) relative(cycle uint64) uint32 {
	if ahead := cycle - q.base; ahead <= maxTime {
		return uint32(ahead)
	}
	return q.rebase(cycle)
}

// rebase is relative for a cycle far ahead: base becomes the current cycle first.
func (q *Queue) rebase(cycle uint64) uint32 {
	by := uint32(min(*q.now-q.base, maxTime))
	q.base, q.droppedAt = *q.now, maxTime
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

// rebased returns a span counted from a base that is later by some cycles.
func rebased(h lane.Span, by uint32) lane.Span {
	return lane.Span{From: h.From - min(h.From, by), Until: h.Until - min(h.Until, by)}
}

// dropPast drops entries that were given back before now, once in each cycle of issue. It reports whether a free entry may show now: what was
// recent may stay unsorted, as few entries are held, or few are left.
func (q *Queue) dropPast() bool {
	now, n := q.relative(*q.now), 0
	if now == q.droppedAt {
		return false
	}
	q.droppedAt = now
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

// dropBefore drops entries that were given back by a cycle.
func (q *Queue) dropBefore(now uint32) {
	if q.first < q.end {
		first := max(q.first, q.end-int32(lane.CountAbove(q.until, int(q.end), now)))
		q.maxHeld -= first - q.first
		q.first = first
	}
}

// sort merges the recent spans into the ordered lists.
func (q *Queue) sort() {
	q.makeSpace(len(q.recent))
	lane.InsertAll(q.from, q.until, int(q.end), q.recent)
	q.end += int32(len(q.recent))
	q.recent = q.recent[:0]
}

// insert puts a span into the ordered lists.
func (q *Queue) insert(h lane.Span) {
	q.makeSpace(1)
	lane.Insert(q.from, q.until, int(q.end), h.From, h.Until)
	q.end++
}

// makeSpace makes space for n spans after the end, and for one word of padding.
func (q *Queue) makeSpace(n int) {
	if int(q.end)+n >= len(q.from) {
		q.dropBefore(q.relative(*q.now))
		q.move(n)
	}
}

// move makes space for more spans, by moving all to the start of the lists, or of longer lists if at most a quarter
// would be free. Short lists stay in the host's cache.
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

// setLast fills a list with the last time.
func setLast(list []uint32) {
	for len(list) > 0 {
		list = list[copy(list, lastTimes[:]):]
	}
}

// lastTimes is copied in blocks, where a loop would store words one by one.
var lastTimes = [leastTimes]uint32(slices.Repeat([]uint32{maxTime}, leastTimes))

// HoldUntil lets the request that acquired last hold its entry until a cycle.
func (q *Queue) HoldUntil(leaves uint64) {
	if q.entries == 0 || leaves <= q.acquiredAt {
		return
	}
	until := q.relative(leaves)
	h := lane.Span{From: q.relative(q.acquiredAt), Until: until}
	if q.entries == 1 {
		q.holdOnly(h)
		return
	}
	q.maxHeld++
	if q.ordered {
		q.insert(h)
	} else {
		q.recent = append(q.recent, h)
	}
}

// FreeEntries returns how many requests that arrive from cycle now on, up to most, find a free entry.
func (q *Queue) FreeEntries(now uint64, most int) int {
	if q.entries == 0 {
		return most
	}
	cycle, held := q.relative(now), 0
	if q.first < q.end {
		held = lane.CountAbove(q.until, int(q.end), cycle)
	}
	for _, r := range q.recent {
		if r.Until > cycle {
			held++
		}
	}
	return min(most, max(0, int(q.entries)-held))
}

package mem

import (
	"math/bits"

	"spvsim/mem/dram"
)

// A server is a port with a bandwidth: requests queue for it.
type server struct{ free uint64 } // fixed-point cycle from which it is idle

// book takes the server for cost (fixed point) from cycle at on, and returns
// the cycles that the request waits for its turn.
func (s *server) book(at, cost uint64) (waitCycles uint64) {
	start := at << fixedShift
	if s.free <= start {
		s.free = start + cost
		return 0
	}
	waitCycles = (s.free - start) >> fixedShift
	s.free += cost
	return waitCycles
}

// A timetable is a server of a level with finite queues: requests are booked for when they come, with all that they have waited
// for. They are booked in the order of issue; one that comes before those booked earlier takes time that these have left. Time
// is cut into intervals, of each of which is known up to when it is taken, and the longest time before that in which nothing is done:
// nothing is done twice at a time.
type timetable struct {
	server
	shift uint              // log2 of an interval's fixed-point time
	taken *[intervals]taken // intervals, by their number
	base  uint64            // first interval that may be booked
	full  [intervals / 64]uint64
}

// A taken interval. One whose end lies before it begins was left by an interval long past.
type taken struct {
	until uint64    // nothing is done after it
	idle  dram.Span // before it
}

const (
	intervals   = 512
	leastCycles = 16 // of an interval, which takes at least four requests as the first one
	leastIdle   = 8  // parts of an interval: less than one of them is not worth a look
)

// book takes the server for cost (fixed point) from cycle at on, and returns the cycles that the request waits for its turn.
func (t *timetable) book(at, cost uint64) (waitCycles uint64) {
	if t.taken == nil {
		t.taken = new([intervals]taken)
		t.shift = uint(bits.Len64(max(leastCycles<<fixedShift, 4*cost) - 1))
	}
	from, shift := at<<fixedShift, t.shift&anyShift
	interval := from >> shift
	e, start := &t.taken[interval%intervals], interval<<shift
	if begin := max(from, e.until); t.has(interval) && from >= e.idle.Until && begin+cost-start < 1<<shift {
		e.begin(start)
		e.leave(begin) // most requests: after all that the interval has, and before its end
		e.until = begin + cost
		return (begin - from) >> fixedShift
	}
	return (t.take(from, cost) - cost - from) >> fixedShift
}

// take books time from a time on, and returns when the last of it ends.
func (t *timetable) take(from, cost uint64) (end uint64) {
	for interval := max(from>>t.shift, t.base); ; interval++ {
		if !t.has(interval) {
			interval = t.open(interval)
		}
		if cost, end = t.serve(interval, from, cost); cost == 0 {
			return end
		}
	}
}

// serve books what an interval has left of a time from another one on. It returns what it has not, and when the last of what it has ends.
func (t *timetable) serve(interval, from, cost uint64) (rest, end uint64) {
	e, start := &t.taken[interval%intervals], interval<<t.shift
	e.begin(start)
	next := start + 1<<t.shift
	if from = max(from, start); from < e.idle.Until {
		cost, end = e.fill(from, cost)
	}
	if cost > 0 && e.until < next {
		cost, end = e.extend(from, cost, next)
	}
	if e.until == next && e.idle.Until-e.idle.From < (next-start)/leastIdle {
		t.full[interval/64%(intervals/64)] |= 1 << (interval % 64)
	}
	return cost, end
}

// begin makes one of an interval that begins at a time, if nothing of it is taken.
func (e *taken) begin(start uint64) {
	if e.until < start {
		*e = taken{until: start}
	}
}

// extend takes time after all that is taken, before the interval ends.
func (e *taken) extend(from, cost, next uint64) (rest, end uint64) {
	begin := max(from, e.until)
	e.leave(begin)
	e.until = min(begin+cost, next)
	return begin + cost - e.until, e.until
}

// leave keeps the time from the last that is taken up to a time, if it is the longest in which nothing is done.
func (e *taken) leave(begin uint64) {
	if begin-e.until > e.idle.Until-e.idle.From {
		e.idle = dram.Span{From: e.until, Until: begin}
	}
}

// fill takes idle time, and keeps the longer part of what is left of it.
func (e *taken) fill(from, cost uint64) (rest, end uint64) {
	begin := max(from, e.idle.From)
	end = min(begin+cost, e.idle.Until)
	if begin-e.idle.From > e.idle.Until-end {
		e.idle.Until = begin
	} else {
		e.idle.From = end
	}
	return begin + cost - end, end
}

// has says whether an interval may be booked and is not full.
func (t *timetable) has(interval uint64) bool {
	return interval-t.base < intervals && t.full[interval/64%(intervals/64)]>>(interval%64)&1 == 0
}

// open is the first interval from one on that is not full. Where it lies beyond the last one, the first are given up.
func (t *timetable) open(interval uint64) uint64 {
	for last := t.base + intervals; interval < last; {
		if rest := ^t.full[interval/64%(intervals/64)] >> (interval % 64); rest != 0 {
			interval = min(interval+uint64(bits.TrailingZeros64(rest)), last) // bits of later ones are those of intervals long past
			break
		}
		interval = min((interval/64+1)*64, last)
	}
	if t.base+intervals <= interval {
		t.forget(min(interval+1-intervals, t.base+intervals))
		t.base = max(t.base, interval+1-intervals)
	}
	return interval
}

// forget gives up the intervals before one, up to 64 of them at a time.
func (t *timetable) forget(before uint64) {
	for t.base < before {
		n := min(before-t.base, 64-t.base%64)
		t.full[t.base/64%(intervals/64)] &^= ^uint64(0) >> (64 - n) << (t.base % 64)
		t.base += n
	}
}

// turn books a request that would come in cycle at and has waited for delay, and returns what it has waited for when its turn
// comes. Without finite queues waits of one level and the next overlap.
func (t *timetable) turn(at, delay, cost uint64, finite bool) uint64 {
	if finite {
		return delay + t.book(at+delay, cost)
	}
	return max(delay, t.server.book(at, cost))
}

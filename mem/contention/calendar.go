package contention

import (
	"math/bits"

	"spvsim/mem/fixed"
	"spvsim/mem/lane"
)

// A Server is a port with a bandwidth: requests queue for it.
type Server struct{ free uint64 } // fixed-point cycle from which it is idle

// Book takes the server for cost (fixed point) from cycle at on, and returns
// the cycles that the request waits for its turn.
func (s *Server) Book(at, cost uint64) (waitCycles uint64) {
	start := at << fixed.Shift
	if s.free <= start {
		s.free = start + cost
		return 0
	}
	waitCycles = (s.free - start) >> fixed.Shift
	s.free += cost
	return waitCycles
}

// A Calendar is a server of a level with finite queues: requests are booked for when they come, with all that they have waited
// for. They are booked in the order of issue; one that comes before those booked earlier takes time that these have left. Time
// is cut into intervals, of each of which is known up to when it is taken, and the longest time before that in which nothing is done:
// nothing is done twice at a time.
type Calendar struct {
	Server
	shift    uint      // Log2 of an interval's fixed-point time
	slotMask uint32    // mask of the time in an interval
	end      uint64    // interval after the last one that may be booked; 0: there are none yet
	ring     *slotRing // nil: as well
}

// slotRing is what is done in the intervals that may be booked, by their number.
type slotRing struct {
	slots [intervals]slot
	full  [fullWords]uint64 // a bit for each; others have none but in the word of the first
}

// slot is what is done in an interval, in fixed-point time from its begin on.
type slot struct {
	number    uint32  // of the interval: another one's was left by one long past
	busyUntil uint32  // nothing is done after it
	gap       idleGap // before it
}

// A idleGap is a time in which nothing is done.
type idleGap struct{ from, until uint32 }

const (
	intervals     = 512
	fullWords     = 2 * intervals / 64 // as intervals need not begin with a word
	minSlotCycles = 16                 // of an interval, which takes at least four requests as the first one
	maxSlotShift  = 31                 // Log2 of fixed-point time that is kept in 32 bits
	gapParts      = 8                  // parts of an interval: less than one of them is not worth a look
)

// Book takes the server for cost (fixed point) from cycle at on, and returns the cycles that the request waits for its turn.
func (t *Calendar) Book(at, cost uint64) (waitCycles uint64) {
	from := at << fixed.Shift
	interval := from >> (t.shift & fixed.ShiftMask)
	if interval >= t.end && t.end > 0 {
		t.advance(interval)
	}
	if t.end-1-interval < intervals {
		e, in := t.slotAt(interval), uint32(from)&t.slotMask
		if in >= e.gap.until {
			if begin := max(in, e.busyUntil); uint64(begin)+cost <= uint64(t.slotMask) {
				e.noteGap(begin) // most requests: after all that the interval has, and before its end
				e.busyUntil = begin + uint32(cost)
				return uint64(begin-in) >> fixed.Shift
			}
		} else if begin := max(in, e.gap.from); uint64(begin)+cost <= uint64(e.gap.until) && e.busyUntil <= t.slotMask {
			e.fillGap(in, cost) // which is not full then either
			return uint64(begin-in) >> fixed.Shift
		}
	}
	return (t.reserveFrom(from, cost) - cost - from) >> fixed.Shift
}

// allocate begins with intervals for requests like the first one.
func (t *Calendar) allocate(cost uint64) {
	t.ring, t.end = new(slotRing), intervals
	t.shift = min(maxSlotShift, uint(bits.Len64(max(minSlotCycles<<fixed.Shift, 4*cost)-1)))
	t.slotMask = 1<<t.shift - 1
}

// slotAt is what is done in an interval that may be booked.
func (t *Calendar) slotAt(interval uint64) *slot {
	e := &t.ring.slots[interval%intervals]
	if e.number != uint32(interval) {
		*e = slot{number: uint32(interval)}
	}
	return e
}

// reserveFrom books time from a time on, and returns when the last of it ends.
func (t *Calendar) reserveFrom(from, cost uint64) (end uint64) {
	if t.ring == nil {
		t.allocate(cost)
	}
	size := uint64(t.slotMask) + 1
	for interval := max(from>>(t.shift&fixed.ShiftMask), t.end-intervals); ; interval++ {
		interval = t.firstFree(interval)
		start, e := interval<<(t.shift&fixed.ShiftMask), t.slotAt(interval)
		cost, end = e.reserve(uint32(max(from, start)-start), cost, uint32(size))
		if e.isFull(uint32(size)) {
			t.ring.full[interval/64%fullWords] |= 1 << (interval % 64)
		}
		if cost == 0 {
			return start + end
		}
	}
}

// reserve books what an interval of a size has left of a time from another one on. It returns what it has not, and when the last of what it has ends.
func (e *slot) reserve(from uint32, cost uint64, size uint32) (rest, end uint64) {
	if from < e.gap.until {
		cost, end = e.fillGap(from, cost)
	}
	if cost > 0 && e.busyUntil < size {
		cost, end = e.append(from, cost, size)
	}
	return cost, end
}

// isFull says that an interval of a size has nothing left that is worth a look.
func (e *slot) isFull(size uint32) bool {
	return e.busyUntil == size && e.gap.until-e.gap.from < size/gapParts
}

// append takes time after all that is taken, before the interval ends.
func (e *slot) append(from uint32, cost uint64, size uint32) (rest, end uint64) {
	begin := max(from, e.busyUntil)
	e.noteGap(begin)
	end = min(uint64(begin)+cost, uint64(size))
	e.busyUntil = uint32(end)
	return uint64(begin) + cost - end, end
}

// noteGap keeps the time from the last that is taken up to a time, if it is the longest in which nothing is done.
func (e *slot) noteGap(begin uint32) {
	idle := e.gap
	if begin-e.busyUntil > idle.until-idle.from {
		idle = idleGap{e.busyUntil, begin}
	}
	e.gap = idle
}

// fillGap takes idle time, and keeps the longer part of what is left of it.
func (e *slot) fillGap(from uint32, cost uint64) (rest, end uint64) {
	begin := max(from, e.gap.from)
	end = min(uint64(begin)+cost, uint64(e.gap.until))
	rest = uint64(begin) + cost - end
	if begin-e.gap.from > e.gap.until-uint32(end) {
		e.gap.until = begin
	} else {
		e.gap.from = uint32(end)
	}
	return rest, end
}

// firstFree is the first interval from one on that is not full, which may be booked from then on.
func (t *Calendar) firstFree(interval uint64) uint64 {
	t.advance(interval)
	for {
		if rest := ^t.ring.full[interval/64%fullWords] >> (interval % 64); rest != 0 {
			interval += uint64(bits.TrailingZeros64(rest))
			break
		}
		interval = (interval/64 + 1) * 64
	}
	t.advance(interval)
	return interval
}

// advance makes an interval the last one where it lies beyond that, and gives up the first ones.
func (t *Calendar) advance(interval uint64) {
	if interval < t.end {
		return
	}
	from, to := (t.end-intervals)/64, (interval+1-intervals)/64
	for w := from; w < min(to, from+fullWords); w++ {
		t.ring.full[w%fullWords] = 0
	}
	t.end = interval + 1
}

// Reserve books a request that would come in cycle at and has waited for delay, and returns what it has waited for when its turn
// comes. Without finite queues waits of one level and the next overlap.
func (t *Calendar) Reserve(at, delay, cost uint64, finite bool) uint64 {
	if finite {
		return delay + t.Book(at+delay, cost)
	}
	return max(delay, t.Server.Book(at, cost))
}

// Prefetch has the host fetch the intervals of so many cycles after one.
func (t *Calendar) Prefetch(cycle, cycles uint64) {
	if t.ring != nil {
		i := cycle << fixed.Shift >> (t.shift & fixed.ShiftMask) % intervals
		n := cycles << fixed.Shift >> (t.shift & fixed.ShiftMask)
		lane.PrefetchList(t.ring.slots[i:min(i+n+1, intervals)])
	}
}

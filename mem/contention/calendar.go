package contention

import (
	"math/bits"

	"spvsim/mem/fixed"
	"spvsim/mem/lane"
)

// A Server is a port with a bandwidth: requests queue for it in the order of booking.
type Server struct{ free uint64 } // fixed-point cycle from which it is idle

// Book reserves cost (fixed point) from cycle at on, and returns the cycles that the request waits for its turn.
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

// A Calendar reserves the bandwidth of a port whose requests are booked in the order of issue, but may arrive in
// another. A request that arrives before others booked earlier takes time that these have left.
//
// Time is divided into slots. Each slot records its last busy time and its longest idle gap before that, so a booking
// can fill a gap and no time is reserved twice. Example with slots of 16 cycles: after 4 cycles from 0 and 4 from 10,
// the slot is busy until 14 with the gap 4 to 10; a third request of 4 cycles that arrives at 2 gets 4 to 8, and leaves
// the gap 8 to 10. Time in gaps other than the longest is lost.
type Calendar struct {
	Server
	shift    uint      // log2 of an interval's fixed-point time
	slotMask uint32    // mask of the time in an interval
	end      uint64    // interval after the last one that can be booked; 0: none yet
	ring     *slotRing // nil: none yet
}

// A slotRing has the slots that can be booked, by their number.
type slotRing struct {
	slots [intervals]slot
	full  [fullWords]uint64 // a bit for each; others have none but in the word of the first
}

// A slot has what is reserved of an interval, in fixed-point time from its start.
type slot struct {
	number    uint32  // of the interval; another number: left from an earlier round
	busyUntil uint32  // nothing is reserved after it
	gap       idleGap // the longest before that
}

// An idleGap is a span in which nothing is reserved.
type idleGap struct{ from, until uint32 }

const (
	intervals     = 512
	fullWords     = 2 * intervals / 64 // as intervals need not begin with a word
	minSlotCycles = 16                 // of an interval, which takes at least four requests as the first one
	maxSlotShift  = 31                 // log2 of fixed-point time that is kept in 32 bits
	gapParts      = 8                  // parts of an interval: less than one of them is not worth a look
)

// Book reserves cost (fixed point) from cycle at on, and returns the cycles that the request waits for its turn.
func (t *Calendar) Book(at, cost uint64) (waitCycles uint64) {
	from := at << fixed.Shift
	interval := from >> (t.shift & fixed.ShiftMask)
	before := t.end - 1 - interval // intervals before the last one; not below intervals: a later one, one given up, or there are none
	if before >= intervals && interval >= t.end && t.end > 0 {
		t.advance(interval)
		before = 0
	}
	if before < intervals {
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

// allocate makes the slots, with a size for requests like the first one.
func (t *Calendar) allocate(cost uint64) {
	t.ring, t.end = new(slotRing), intervals
	t.shift = min(maxSlotShift, uint(bits.Len64(max(minSlotCycles<<fixed.Shift, 4*cost)-1)))
	t.slotMask = 1<<t.shift - 1
}

// slotAt returns the slot of an interval that can be booked.
func (t *Calendar) slotAt(interval uint64) *slot {
	e := &t.ring.slots[interval%intervals]
	if e.number != uint32(interval) {
		*e = slot{number: uint32(interval)}
	}
	return e
}

// reserveFrom reserves cost from a time on, over as many slots as it takes, and returns its end.
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

// reserve takes what the slot has left of a cost from a time on. It returns the rest of the cost, and the end of the
// reserved time.
func (e *slot) reserve(from uint32, cost uint64, size uint32) (rest, end uint64) {
	if from < e.gap.until {
		cost, end = e.fillGap(from, cost)
	}
	if cost > 0 && e.busyUntil < size {
		cost, end = e.append(from, cost, size)
	}
	return cost, end
}

// isFull reports whether the slot has no time left, or too little to be worth a search.
func (e *slot) isFull(size uint32) bool {
	return e.busyUntil == size && e.gap.until-e.gap.from < size/gapParts
}

// append reserves time after all that is reserved, up to the end of the slot.
func (e *slot) append(from uint32, cost uint64, size uint32) (rest, end uint64) {
	begin := max(from, e.busyUntil)
	e.noteGap(begin)
	end = min(uint64(begin)+cost, uint64(size))
	e.busyUntil = uint32(end)
	return uint64(begin) + cost - end, end
}

// noteGap keeps the time from busyUntil to start if it is the longest idle gap.
func (e *slot) noteGap(begin uint32) {
	idle := e.gap
	if begin-e.busyUntil > idle.until-idle.from {
		idle = idleGap{e.busyUntil, begin}
	}
	e.gap = idle
}

// fillGap reserves time in the gap, and keeps the longer part of what is left of it.
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

// firstFree returns the first slot from one on that is not full, and makes it one that can be booked.
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

// advance makes an interval the last one that can be booked, if it is later than that, and gives up the first ones.
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

// Reserve books a request that would arrive in cycle at, and has waited for delay. It returns the cycles waited when
// its turn comes. Without finite queues, waits at a level and at the next overlap.
func (t *Calendar) Reserve(at, delay, cost uint64, finite bool) uint64 {
	if finite {
		return delay + t.Book(at+delay, cost)
	}
	return max(delay, t.Server.Book(at, cost))
}

// PrefetchSlot fetches the slot of a cycle into the host's cache.
func (t *Calendar) PrefetchSlot(cycle uint64) {
	if t.ring != nil {
		i := cycle << fixed.Shift >> (t.shift & fixed.ShiftMask) % intervals
		lane.PrefetchList(t.ring.slots[i : i+1])
	}
}

// Prefetch fetches the slots of some cycles after a cycle into the host's cache.
func (t *Calendar) Prefetch(cycle, cycles uint64) {
	if t.ring != nil {
		i := cycle << fixed.Shift >> (t.shift & fixed.ShiftMask) % intervals
		n := cycles << fixed.Shift >> (t.shift & fixed.ShiftMask)
		lane.PrefetchList(t.ring.slots[i:min(i+n+1, intervals)])
	}
}

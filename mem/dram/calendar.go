package dram

import "math/bits"

// A calendar has a slot for each of the times at which something may begin, so many ahead, and says which are taken: what
// is booked later may still go first where a slot was left free.
type calendar struct {
	base uint64 // first slot that may be taken
	busy [calendarWords]uint64
}

// calendarWords times 64 slots are some microseconds of a data bus.
const calendarWords = 32

const calendarSlots = calendarWords * 64

// free is the first free slot from one on.
func (c *calendar) free(slot uint64) uint64 {
	slot = max(slot, c.base)
	for slot < c.base+calendarSlots {
		if rest := ^c.busy[slot/64%calendarWords] >> (slot % 64); rest != 0 {
			return slot + uint64(bits.TrailingZeros64(rest))
		}
		slot = (slot/64 + 1) * 64
	}
	return slot
}

// isBooked reports whether a slot is; those that have passed are.
func (c *calendar) isBooked(slot uint64) bool {
	return slot < c.base || slot < c.base+calendarSlots && c.busy[slot/64%calendarWords]>>(slot%64)&1 != 0
}

// from has a bit for each of 64 slots from one on that is taken, the first lowest.
func (c *calendar) from(slot uint64) uint64 {
	return c.word(slot/64)>>(slot%64) | c.word(slot/64+1)<<1<<(63-slot%64)
}

// word is that of 64 slots, none of them before the base.
func (c *calendar) word(i uint64) uint64 {
	if i-c.base/64 >= calendarWords {
		return 0
	}
	return c.busy[i%calendarWords]
}

// book books a slot. Where it lies beyond the last one, the first are given up.
func (c *calendar) book(slot uint64) {
	if last := slot / 64; last >= c.base/64+calendarWords {
		first := last - calendarWords + 1
		for w := c.base / 64; w < min(first, c.base/64+calendarWords); w++ {
			c.busy[w%calendarWords] = 0
		}
		c.base = first * 64
	}
	c.busy[slot/64%calendarWords] |= 1 << (slot % 64)
}

// freeRun is the first slot, from one on, from which n slots are free.
func (c *calendar) freeRun(slot, n uint64) uint64 {
	for start := c.free(slot); ; {
		end := c.nextBooked(start)
		if end-start >= n {
			return start
		}
		start = c.free(end)
	}
}

// nextBooked is the first slot from one on that is taken; where none is, one that is far away.
func (c *calendar) nextBooked(slot uint64) uint64 {
	for slot < c.base+calendarSlots {
		if rest := c.busy[slot/64%calendarWords] >> (slot % 64); rest != 0 {
			return slot + uint64(bits.TrailingZeros64(rest))
		}
		slot = (slot/64 + 1) * 64
	}
	return 1 << 62
}

// reserve takes those of n slots from one on that are free, up to 64, and returns which it took, the first lowest.
func (c *calendar) reserve(slot, n uint64) (mask uint64) {
	for i := range min(n, 64) {
		if !c.isBooked(slot + i) {
			c.book(slot + i)
			mask |= 1 << i
		}
	}
	return mask
}

// release frees slots that reserve took from one on.
func (c *calendar) release(slot, mask uint64) {
	for ; mask != 0; mask &= mask - 1 {
		if s := slot + uint64(bits.TrailingZeros64(mask)); s >= c.base && s < c.base+calendarSlots {
			c.busy[s/64%calendarWords] &^= 1 << (s % 64)
		}
	}
}

// A group has the bursts of one bank group: two of them are a distance apart, and three of them another one, where the first is no whole
// number of slots: with bursts 2.5 slots apart every second one is 3 slots after the one before.
type group struct {
	calendar
	minDistance  uint64 // slots from a burst to the next one
	pairDistance uint64 // to the one after that, if that is more than twice as much
}

// firstFit is the first slot from one on that is free in a calendar and in which a burst of the group fits.
func (g *group) firstFit(c *calendar, slot uint64) uint64 {
	if g.pairDistance > 2*g.minDistance {
		return g.firstFitOfPairs(c, slot)
	}
	slot = c.free(slot)
	next := g.next(slot)
	if next == slot {
		return slot
	}
	slot = max(next, c.base)
	if d := g.minDistance; d-1 < 16 && slot >= g.base+d { // most slots are among the next 64
		taken, near := c.from(slot), g.from(slot-d+1)
		for range 2*d - 1 {
			taken |= near
			near >>= 1
		}
		if fit := bits.TrailingZeros64(^taken); fit <= 64-int(2*d-1) {
			return slot + uint64(fit)
		}
	}
	slot = c.free(slot)
	for next = g.next(slot); next != slot; next = g.next(slot) {
		slot = c.free(next)
	}
	return slot
}

// firstFitOfPairs is firstFit where three bursts are one slot further apart than twice two are: of all slots around one that are d and 2d away, no
// two that follow each other are taken.
func (g *group) firstFitOfPairs(c *calendar, slot uint64) uint64 {
	for d := g.minDistance; ; {
		slot = c.free(max(slot, g.base))
		var near uint64 // from 2d slots before on
		if first := g.base + 2*d; slot < first {
			near = g.from(g.base) << (first - slot)
		} else {
			near = g.from(slot - 2*d)
		}
		before, after := near>>d, near>>(3*d)
		taken := c.from(slot) | before&(near|after) | after&(near>>(4*d))
		for i := d + 1; i < 3*d; i++ {
			taken |= near >> i
		}
		most := 63 - int(4*d)
		if fit := bits.TrailingZeros64(^taken); fit <= most {
			return slot + uint64(fit)
		}
		slot += uint64(most) + 1
	}
}

// next is a slot from one on, before which no burst of the group fits: that one, where it does.
func (g *group) next(slot uint64) uint64 {
	if n := 2*g.minDistance - 1; n < 64 && slot >= g.base+g.minDistance {
		first := slot - g.minDistance + 1
		if near := g.from(first) & (1<<n - 1); near != 0 {
			return first + uint64(bits.Len64(near)) - 1 + g.minDistance
		}
		return slot
	}
	if g.fitsSlow(slot) {
		return slot
	}
	return slot + 1
}

// fitsSlow reports whether a burst of the group may take a slot, one by one.
func (g *group) fitsSlow(slot uint64) bool {
	for d := uint64(0); d < g.minDistance; d++ {
		if g.isBooked(slot+d) || slot >= g.base+d && g.isBooked(slot-d) {
			return false
		}
	}
	return true
}

// slotOf is the first slot that begins at a time or later.
func slotOf(at, length uint64) uint64 { return (at + length - 1) / length }

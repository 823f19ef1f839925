package hierarchy

import (
	"iter"
	"math/bits"

	"spvsim/mem/fixed"
)

// An lru keeps the ways of each set in the order of their use: in a word with four bits for each of up to 16 ways, or
// in a ring for more.
type lru struct {
	words []uint64 // by set: its ways, the most recently used lowest, as what differs from first; nil: there are rings
	first uint64   // order of ways that were never used
	ways  int
	rings []ringLink // by set: one more than the ways, the first of them with the oldest way as the newer one
}

// A ringLink has the neighbours of a way in a ring: the way used next (for the most recently used, the oldest) and the
// way used before. n+1 is way n.
type ringLink struct{ newer, older uint16 }

const wordWays = 16

func newLRU(sets, ways int) lru {
	if ways <= wordWays {
		return lru{ways: ways, first: 0x0123456789abcdef >> (4 * uint(wordWays-ways)), words: make([]uint64, sets)}
	}
	r := lru{ways: ways, rings: make([]ringLink, sets*(ways+1))}
	for set := range sets {
		r.reset(set)
	}
	return r
}

// ring returns the ring of a set.
func (r *lru) ring(set int) []ringLink { return r.rings[set*(r.ways+1):][:r.ways+1] }

// reset makes all ways of a set unused.
func (r *lru) reset(set int) {
	if r.words != nil {
		r.words[set] = 0
		return
	}
	ring, n := r.ring(set), r.ways
	ring[0] = ringLink{newer: 1} // way 0 is the oldest
	for i := range n {
		ring[i+1] = ringLink{newer: uint16((i+1)%n + 1), older: uint16((i+n-1)%n + 1)}
	}
}

// oldest returns the least recently used way of a set, or the first of those never used.
func (r *lru) oldest(set int) int {
	if r.words != nil {
		return int((r.words[set] ^ r.first) >> (4 * uint(r.ways-1) % 64) % wordWays)
	}
	return int(r.ring(set)[0].newer) - 1
}

// newestFirst yields the ways of a set, from the most recently used on.
func (r *lru) newestFirst(set int) iter.Seq[int] {
	return func(yield func(int) bool) {
		if r.words != nil {
			for i, word := 0, r.words[set]^r.first; i < r.ways && yield(int(word%wordWays)); i++ {
				word >>= 4
			}
			return
		}
		ring := r.ring(set)
		at := ring[0].newer
		for range r.ways {
			if at = ring[at].older; !yield(int(at) - 1) {
				return
			}
		}
	}
}

// touch makes a way of a set the most recently used.
func (r *lru) touch(set, way int) {
	if r.words != nil {
		if word := r.words[set] ^ r.first; word%wordWays != uint64(way) {
			r.words[set] = toFront(word, uint64(way)) ^ r.first
		}
		return
	}
	ring, at := r.ring(set), uint16(way+1)
	oldest := ring[0].newer
	last, l := ring[oldest].older, ring[at]
	switch at {
	case oldest:
		ring[0].newer = l.newer
	case last:
	default:
		ring[l.newer].older, ring[l.older].newer = l.older, l.newer
		ring[last].newer, ring[oldest].older = at, at
		ring[at] = ringLink{newer: oldest, older: last}
	}
}

// evictOldest returns the least recently used way of a set, and makes it the most recently used.
func (r *lru) evictOldest(set int) int {
	if r.words == nil {
		first := set * (r.ways + 1)
		oldest := r.rings[first].newer
		r.rings[first].newer = r.rings[first+int(oldest)].newer // nothing else changes: after the oldest way is the most recently used
		return int(oldest) - 1
	}
	last := 4 * uint(r.ways-1) & fixed.ShiftMask
	word := r.words[set] ^ r.first
	way := word >> last % wordWays
	r.words[set] = (word<<4|way)&(wordWays<<last-1) ^ r.first
	return int(way)
}

// toFront moves the four bits that equal way to the lowest place, and those below them up by one: way 2 in 0x3210 gives
// 0x3102.
func toFront(word, way uint64) uint64 {
	const ones = 0x1111111111111111
	differ := word ^ way*ones // no bits where the way is, which the lowest borrow of the difference shows
	at := uint(bits.TrailingZeros64((differ-ones)&^differ&(8*ones))) &^ 3 & fixed.ShiftMask
	below := uint64(1)<<at - 1
	return word&^(below<<4|15) | word&below<<4 | way
}

// demoteInvalid makes invalid ways older than all valid ones, which keep their order.
func (r *lru) demoteInvalid(set int, tags []uint32) {
	held := 0
	for way, tag := range tags {
		if tag == 0 {
			r.touch(set, way)
		} else {
			held++
		}
	}
	for range held { // those before the ones touched now, in their order
		r.touch(set, r.oldest(set))
	}
}

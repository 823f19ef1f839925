package hierarchy

import (
	"math/bits"

	"spvsim/mem/fixed"
)

// An L1TLB keeps the translations of a compute unit: ranges of addresses, in sets with LRU replacement.
type L1TLB struct {
	sets   []l1TLBSet // a power of two
	high   uint       // first bit of a number that is folded into the index of its set
	last   uint8      // last place of a set
	shift  uint       // log2 of the bytes of a range
	cost   uint64     // fixed-point cycles of a miss
	second bool       // misses go to a second level
	missed []int32    // lines of the current instruction that begin a range that misses, for the second level
}

// An l1TLBSet is a ring of numbers of ranges, plus 1; 0: none.
type l1TLBSet struct {
	held  [l1TLBWays]uint64
	first uint8 // place of the most recently used; older ones follow
}

// l1TLBWays is the associativity.
const l1TLBWays = 8

// NewL1TLB returns nil where translations cost nothing.
func NewL1TLB(s *Spec) *L1TLB {
	v := &s.VectorMemory
	second := s.Translation.present()
	if v.TranslationCycles == 0 && !second {
		return nil
	}
	ways := min(v.TranslationEntries, l1TLBWays)
	sets := v.TranslationEntries / ways
	return &L1TLB{shift: fixed.Log2(v.TranslationBytes), second: second, cost: uint64(v.TranslationCycles * (1 << fixed.Shift)),
		sets: make([]l1TLBSet, sets), high: highBit(sets), last: uint8(ways - 1)}
}

// Lookup returns the cycles that the lines of an instruction, in the order of lanes, wait for misses, and the lines
// whose translation the second level is asked for. asked is valid until the next call.
func (t *L1TLB) Lookup(lines []Line) (cycles uint64, asked []int32) {
	missed, last := uint64(0), uint64(0)
	t.missed = t.missed[:0]
	for i := range lines {
		number := lines[i].Addr>>(t.shift&fixed.ShiftMask) + 1
		if number != last && !t.hit(number) {
			missed++
			if t.second {
				t.missed = append(t.missed, int32(i))
			}
		}
		last = number
	}
	return missed * t.cost >> fixed.Shift, t.missed
}

// hit looks a range up, and fills it after a miss.
func (t *L1TLB) hit(number uint64) bool {
	s := &t.sets[(number^number>>(t.high&fixed.ShiftMask))&uint64(len(t.sets)-1)]
	place := s.find(number)
	if place < 0 {
		s.first = (s.first - 1) & t.last
		s.held[s.first%l1TLBWays] = number
		return false
	}
	for at := uint8(place); at != s.first; {
		before := (at - 1) & t.last
		s.held[at%l1TLBWays] = s.held[before%l1TLBWays]
		at = before
	}
	s.held[s.first%l1TLBWays] = number
	return true
}

// find returns the place of a number, or -1.
func (s *l1TLBSet) find(number uint64) int {
	switch number {
	case s.held[0]:
		return 0
	case s.held[1]:
		return 1
	case s.held[2]:
		return 2
	case s.held[3]:
		return 3
	case s.held[4]:
		return 4
	case s.held[5]:
		return 5
	case s.held[6]:
		return 6
	case s.held[7]:
		return 7
	}
	return -1
}

// lruRanges are numbers of ranges, in sets with LRU replacement.
type lruRanges struct {
	sets fixed.Divider
	high uint // first bit of a number that is folded into the index of its set
	ways int
	held []uint64 // by set, the most recently used first: number of the range, plus 1; 0: none
}

// highBit returns the first of the higher bits of a number that are folded into the index of its set.
func highBit(sets int) uint { return uint(bits.Len(uint(sets))) }

func newLRURanges(entries, ways int) lruRanges {
	ways = min(entries, ways)
	sets := fixed.NewDivider(entries / ways)
	return lruRanges{sets: sets, high: highBit(entries / ways), ways: ways, held: make([]uint64, entries)}
}

// find looks a number up, and makes it the most recently used of its set. way is where it was, or where the replaced
// number was.
func (t *lruRanges) find(number uint64) (set, way int, found bool) {
	_, rest := t.sets.Split(number ^ number>>(t.high&fixed.ShiftMask))
	set = int(rest)
	held, moved := t.held[set*t.ways:][:t.ways], number
	for way, n := range held {
		held[way], moved = moved, n
		if n == number {
			return set, way, true
		}
	}
	return set, t.ways - 1, false
}

package mem

import "math/bits"

// translations are the addresses whose translations a compute unit keeps: so many ranges, in sets of a few of which the least
// recently used goes.
type translations struct {
	recentRanges
	shift  uint    // log2 of the bytes of a range
	cost   uint64  // fixed-point cycles of one that is not held
	second bool    // those that are not held are asked of a second level
	missed []int32 // lines of the instruction at hand that begin a range which is not held, where there is a second level
}

// translationWays is how many of them share a set.
const translationWays = 8

// newTranslations is nil where translations cost nothing.
func newTranslations(s *HierarchySpec) *translations {
	v := &s.VectorMemory
	second := s.Translation.present()
	if v.TranslationCycles == 0 && !second {
		return nil
	}
	return &translations{shift: log2(v.TranslationBytes), second: second, cost: uint64(v.TranslationCycles * (1 << fixedShift)),
		recentRanges: newRecentRanges(v.TranslationEntries, translationWays)}
}

// cycles are those that the lines of an instruction, in the order of lanes, wait for translations that are not held.
func (t *translations) cycles(lines []Line) uint64 {
	missed, last := uint64(0), uint64(0)
	t.missed = t.missed[:0]
	for i := range lines {
		number := lines[i].Addr>>t.shift + 1
		if number != last && !t.holds(number) {
			missed++
			if t.second {
				t.missed = append(t.missed, int32(i))
			}
		}
		last = number
	}
	return missed * t.cost >> fixedShift
}

// holds says whether a range's translation is held, and holds it from then on.
func (t *translations) holds(number uint64) bool {
	_, _, found := t.find(number)
	return found
}

// recentRanges are numbers of ranges, in sets of which the least recently used goes.
type recentRanges struct {
	sets divider
	high uint // from which bit of a number on it adds to its set
	ways int
	held []uint64 // by set, the most recently used first: number of the range, plus 1; 0: none
}

func newRecentRanges(entries, ways int) recentRanges {
	ways = min(entries, ways)
	sets := newDivider(entries / ways)
	return recentRanges{sets: sets, high: uint(bits.Len64(sets.n)), ways: ways, held: make([]uint64, entries)}
}

// find says whether a number is held, and holds it as the first of its set from then on. way is the place that it has left, or that of
// the one which goes.
func (t *recentRanges) find(number uint64) (set, way int, found bool) {
	_, rest := t.sets.split(number ^ number>>(t.high&anyShift))
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

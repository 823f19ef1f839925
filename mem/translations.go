package mem

import "math/bits"

// translations are the addresses whose translations a compute unit keeps: so many ranges, in sets of a few of which the least
// recently used goes.
type translations struct {
	shift uint // log2 of the bytes of a range
	sets  uint64
	ways  int
	held  []uint64 // by set, the most recently used first: number of the range, plus 1; 0: none
	cost  uint64   // fixed-point cycles of one that is not held
}

// translationWays is how many of them share a set.
const translationWays = 8

// newTranslations is nil where translations cost nothing.
func newTranslations(s *VectorMemorySpec) *translations {
	if s.TranslationCycles == 0 {
		return nil
	}
	ways := min(s.TranslationEntries, translationWays)
	sets := uint64(s.TranslationEntries / ways)
	return &translations{shift: log2(s.TranslationBytes), sets: sets, ways: ways, held: make([]uint64, sets*uint64(ways)),
		cost: uint64(s.TranslationCycles * (1 << fixedShift))}
}

// cycles are those that the lines of an instruction, in the order of lanes, wait for translations that are not held.
func (t *translations) cycles(lines []Line) uint64 {
	missed, last := uint64(0), uint64(0)
	for i := range lines {
		number := lines[i].Addr>>t.shift + 1
		if number != last && !t.find(number) {
			missed++
		}
		last = number
	}
	return missed * t.cost >> fixedShift
}

// find says whether a range's translation is held, and holds it from then on.
func (t *translations) find(number uint64) bool {
	set := (number ^ number>>uint(bits.Len64(t.sets))) % t.sets
	held := t.held[int(set)*t.ways:][:t.ways]
	way, found := t.ways-1, false
	for i, n := range held {
		if n == number {
			way, found = i, true
			break
		}
	}
	copy(held[1:way+1], held[:way])
	held[0] = number
	return found
}

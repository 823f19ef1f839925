package hierarchy

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// A unit keeps the translations that it used last, as many as it has in each set: against lists that are searched.
func TestTranslationsAreTheLastUsed(t *testing.T) {
	for _, entries := range []int{1, 2, 4, 8, 32} {
		s := tiny()
		s.VectorMemory.TranslationEntries, s.VectorMemory.TranslationCycles = entries, 1
		kept, r := NewL1TLB(&s), rand.New(rand.NewPCG(uint64(entries), 5))
		ways := min(entries, l1TLBWays)
		lists := make(map[uint64][]uint64)
		for range 4000 {
			number := 1 + r.Uint64N(3*uint64(entries)+1)<<(13*r.UintN(2))
			set := (number ^ number>>kept.high) % uint64(entries/ways)
			list := lists[set]
			at := slices.Index(list, number)
			if got := kept.hit(number); got != (at >= 0) {
				t.Fatalf("%d entries: %d is held: %v, want %v of %d", entries, number, got, at >= 0, list)
			}
			if at >= 0 {
				list = slices.Delete(list, at, at+1)
			}
			list = append([]uint64{number}, list...)
			lists[set] = list[:min(len(list), ways)]
		}
	}
}

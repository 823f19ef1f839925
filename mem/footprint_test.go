package mem

import (
	"math/rand/v2"
	"testing"

	"spvsim/mem/hierarchy"
)

// Two launches conflict at the lowest byte that one of them changes and the other touches, but by atomics both: whatever pages, words and kinds
// they touch, and whichever of them asks.
func TestConflictsOfFootprints(t *testing.T) {
	found := 0
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 11))
		const first, bytes = 1<<footprintShift - 200, 400 // over the end of a page
		var touched [2][bytes]map[hierarchy.Kind]bool
		prints := [2]*Footprint{NewFootprint(), NewFootprint()}
		for range 1 + r.IntN(8) {
			of, kind := r.IntN(2), hierarchy.Kind(r.IntN(int(hierarchy.Atomic)+1))
			from, size := r.IntN(bytes-1), 1+r.IntN(4)
			if r.IntN(4) == 0 {
				size = 1 + r.IntN(bytes-from)
			}
			size = min(size, bytes-from)
			prints[of].Add(kind, first+uint64(from), uint64(size))
			for i := range size {
				if touched[of][from+i] == nil {
					touched[of][from+i] = map[hierarchy.Kind]bool{}
				}
				touched[of][from+i][kind] = true
			}
		}
		apart := func(a, b hierarchy.Kind) bool {
			return (a != hierarchy.Read || b != hierarchy.Read) && (a != hierarchy.Atomic || b != hierarchy.Atomic)
		}
		want := -1
		for i := range bytes {
			for a := range touched[0][i] {
				for b := range touched[1][i] {
					if want < 0 && apart(a, b) {
						want = i
					}
				}
			}
		}
		for asks := range 2 {
			addr, mine, others, ok := prints[asks].Conflict(prints[1-asks])
			if ok != (want >= 0) || ok && addr != uint64(first+want) {
				t.Fatalf("seed %d: byte %d, %t; want %d", seed, int(addr)-first, ok, want)
			}
			if ok && (!touched[asks][want][mine] || !touched[1-asks][want][others] || !apart(mine, others)) {
				t.Fatalf("seed %d: kinds %d and %d at byte %d", seed, mine, others, want)
			}
		}
		if want >= 0 {
			found++
		}
	}
	if found < 50 || found > 350 {
		t.Errorf("%d of 400 conflict", found)
	}
}

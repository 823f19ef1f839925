package mem

import (
	"math/rand/v2"
	"slices"
	"testing"

	"spvsim/internal/suite"
	"spvsim/mem/hierarchy"
)

// A payload cache holds the lines of each set that were used last, as many as it has ways; stores go through and atomics go by.
func TestPayloadCacheHoldsWhatWasUsedLast(t *testing.T) {
	const line, sets = 64, 4
	c := NewPayloadCache(line*sets*payloadWays, line, 5, 64, 1)
	held := [sets][]uint64{}
	r := rand.New(rand.NewPCG(16, 16))
	for range 5000 {
		number := r.Uint64N(110)
		set := (number + 1) % sets
		at := slices.Index(held[set], number)
		hit := at >= 0
		kind := []hierarchy.Kind{hierarchy.Read, hierarchy.Write, hierarchy.Atomic}[r.IntN(3)]
		if got := c.serves(nil, kind, &hierarchy.Line{Addr: number*line + r.Uint64N(line)}); got != (hit && kind == hierarchy.Read) {
			t.Fatalf("line %d is held: %t, want %t", number, got, hit)
		}
		if kind == hierarchy.Atomic {
			continue
		}
		if hit {
			held[set] = slices.Delete(held[set], at, at+1)
		}
		held[set] = slices.Insert(held[set], 0, number)
		held[set] = held[set][:min(len(held[set]), payloadWays)]
	}
	if c.Counter.Accesses != 5000 {
		t.Errorf("%d accesses", c.Counter.Accesses)
	}
}

// Lines that on-chip payload memory answers leave a request, and what it still asks the second level for is the same lines.
func TestPayloadsAskForNoTranslation(t *testing.T) {
	store := NewStore(1 << 20)
	chip := suite.Must(store.Alloc(4096, "chip"))(t)
	chip.OnChip = true
	p := &Port{onChipMemory: NewOnChip(1, 64, 1), lanes: lanes{w: newWorkspace(), store: store}}
	far := chip.Addr + 1<<16
	r := &hierarchy.Request{Kind: hierarchy.Read, Busy: 5, Missed: []int32{0, 1, 4}}
	for _, addr := range []uint64{chip.Addr, far, chip.Addr + 64, far + 4096, far + 8192} {
		r.Lines = append(r.Lines, hierarchy.Line{Addr: addr, Bytes: 64})
	}
	if all := p.onChip(0, r); all || len(r.Lines) != 3 || !slices.Equal(r.Missed, []int32{0, 2}) {
		t.Errorf("%d lines are left, and lines %v of them ask: want 3, 0 and 2", len(r.Lines), r.Missed)
	}
}

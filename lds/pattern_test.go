package lds

import (
	"math/rand"
	"testing"

	"spvsim/isa"
)

// TestPatternsThatWereCounted: an access takes what it takes in an LDS that has seen none, wherever the same offsets lie, by any
// mapping and for lanes that leave off.
func TestPatternsThatWereCounted(t *testing.T) {
	for mapping := range Mappings {
		edit := func(s *Spec) { s.Mapping = mapping }
		r, d, st := rand.New(rand.NewSource(5)), newLDS(t, edit), newState(64)
		seen := 0
		for range 3000 {
			step, turn, from, base := []uint32{4, 8, 128, 136}[r.Intn(4)], 16<<r.Intn(2), uint32(r.Intn(200)), uint32(256*r.Intn(4))
			for l := range 64 {
				st.V[l] = from + uint32(l%turn)*step
			}
			if st.Exec = st.Full; r.Intn(3) == 0 {
				st.Exec = 0x5555555555555555
			}
			in := access([]isa.Op{isa.Load, isa.Store, isa.AtomicIAdd}[r.Intn(3)], isa.I32, 1)
			fresh := newLDS(t, edit)
			want := *fresh.Issue(0, st, base, 48<<10, in)
			if d.patterns != nil {
				seen++
			}
			if got := *d.Issue(0, st, base, 48<<10, in); got != want {
				t.Fatalf("%s: %v of offsets %v from %d on: %+v, want %+v", mapping, in.Op, st.V[:64], base, got, want)
			}
		}
		if seen == 0 {
			t.Errorf("%s: no access was counted", mapping)
		}
	}
}

// TestPatternsAreCountedOnce: where words that follow each other lie in banks that do, a pattern is counted once, wherever it lies.
func TestPatternsAreCountedOnce(t *testing.T) {
	d, st, in := newLDS(t, nil), newState(64), access(isa.Load, isa.I32, 1)
	for from := range uint32(100) {
		for l := range st.V[:64] {
			st.V[l] = 4*from + uint32(l)*128
		}
		if d.Issue(0, st, 256*(from%3), 48<<10, in); d.count.age != 2 {
			t.Fatalf("from %d on: %d phases were counted, want 2", from, d.count.age)
		}
	}
}

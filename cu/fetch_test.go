package cu

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sarchlab/akita/v3/sim"

	"spvsim/engine"
	"spvsim/simd"
)

// An instruction cache holds of each set the lines that were entered last, as a list in the order of use says.
func TestInstructionCachesKeepWhatWasUsedLast(t *testing.T) {
	const lineBytes, hit, miss = 64, 3, 40
	for _, shape := range []struct{ lines, ways int }{{8, 1}, {8, 2}, {8, 8}, {12, 4}, {1, 1}} {
		f := newInstructionCache(engine.New(1*sim.GHz), "Fetch", &simd.FetchSpec{Enabled: true, Bytes: shape.lines * lineBytes, LineBytes: lineBytes, Ways: shape.ways, HitCycles: hit, MissCycles: miss})
		r := rand.New(rand.NewPCG(uint64(shape.lines), uint64(shape.ways)))
		sets := make([][]uint32, shape.lines/shape.ways)
		hits, misses := uint64(0), uint64(0)
		for range 600 {
			line := 1 + r.Uint32N(uint32(2*shape.lines))
			set := &sets[int(line)%len(sets)]
			want := uint64(miss)
			if at := slices.Index(*set, line); at >= 0 {
				want = hit
				*set = slices.Delete(*set, at, at+1)
				hits++
			} else {
				misses++
			}
			if *set = append(*set, line); len(*set) > shape.ways {
				*set = (*set)[1:]
			}
			if got := f.fetchLine(line); got != want {
				t.Fatalf("%+v: line %d takes %d cycles, want %d", shape, line, got, want)
			}
		}
		if f.Hits != hits || f.Misses != misses {
			t.Errorf("%+v: %d hits and %d misses, want %d and %d", shape, f.Hits, f.Misses, hits, misses)
		}
	}
	if f := newInstructionCache(engine.New(1*sim.GHz), "None", &simd.FetchSpec{Bytes: 4096, LineBytes: 64, Ways: 4, HitCycles: 3, MissCycles: 40}); f.fetchLine(1) != 0 || f.Misses != 0 {
		t.Error("a fetch that takes no time takes some")
	}
}

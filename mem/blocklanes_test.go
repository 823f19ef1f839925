package mem

import (
	"math/rand/v2"
	"testing"

	"spvsim/mem/fixed"
	"spvsim/mem/lane"
)

// TestBlocksOfLanesAsByLane compares the short way of counting blocks with the one lane by lane: random rules, and
// lanes in a few lines, in several calls for one instruction.
func TestBlocksOfLanesAsByLane(t *testing.T) {
	r := rand.New(rand.NewPCG(45, 1))
	for i := range 20000 {
		var c, want coalescer
		c.blockShift = 2 + r.UintN(6)
		c.lanesPerCycle = fixed.NewDivider(1 + r.IntN(64))
		c.scatter = scatterRule{r.IntN(6), uint64(r.IntN(3))}
		if c.scatter.lanes == 0 || r.IntN(2) == 0 {
			c.scatter.banks = 1 << r.UintN(4)
		}
		want.blockShift, want.lanesPerCycle, want.scatter = c.blockShift, c.lanesPerCycle, c.scatter
		bytes := uint64(1) << r.UintN(5)
		var w lane.Addresses
		reach := 1 + r.UintN(300)
		for l := range w.Offsets {
			w.Offsets[l] = uint32(uint64(r.UintN(reach)) * bytes)
		}
		exec, split := r.Uint64(), r.UintN(64)
		for _, lanes := range []uint64{exec & (1<<split - 1), exec &^ (1<<split - 1)} {
			if lanes != 0 {
				c.countBlocksOfLanes(4096, &w, lanes, bytes)
				want.countBlocksByLane(4096, &w, lanes, bytes)
			}
		}
		if c.blocks != want.blocks {
			t.Fatalf("case %d: %d blocks, lane by lane %d (block of %d bytes, %d bytes a lane, %+v)", i, c.blocks, want.blocks, 1<<c.blockShift, bytes, c.scatter)
		}
	}
}

package simd

import (
	"math/rand/v2"
	"testing"

	"spvsim/isa"
)

// What was issued from a cycle on is what a list of all cycles says, however far apart they are and in whichever order SIMDs come to them.
func TestRecent(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 5))
	for range 200 {
		x := NewRecent(60) // that is 64
		at, all := uint64(r.IntN(5)), map[uint64][isa.NumClasses]uint64{}
		for range 100 {
			at += uint64([]int{0, 1, 1, 3, 40, 64, 500}[r.IntN(7)])
			cycle := at - min(at, uint64(r.IntN(100)))
			class := isa.Class(r.IntN(int(isa.NumClasses)))
			x.add(cycle, class)
			issued := all[cycle]
			issued[class]++
			all[cycle] = issued
			from, want := at-min(at, uint64(r.IntN(60))), [isa.NumClasses]uint64{}
			for c, issued := range all {
				for class, n := range issued {
					if c >= from {
						want[class] += n
					}
				}
			}
			if got := x.IssuedFrom(from); got != want {
				t.Fatalf("%v issued from cycle %d on, the last in cycle %d: want %v", got, from, at, want)
			}
		}
	}
}

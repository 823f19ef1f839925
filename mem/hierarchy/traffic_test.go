package hierarchy

import (
	"math/rand/v2"
	"testing"
)

// Traffic of a launch is what its own requests had each level move: of two that take turns the sums are what the levels count.
func TestTrafficIsOfItsOwnRequests(t *testing.T) {
	f := newTiny(t, nil)
	r := rand.New(rand.NewPCG(17, 17))
	var of [2]Traffic
	for n := range uint64(400) {
		i := r.IntN(2)
		of[i].before = f.counts(of[i].before[:0])
		f.Access(1000*n, request(i, []Kind{Read, Write}[r.IntN(2)], 4096+64*r.Uint64N(60)))
		of[i].End(f)
	}
	for i, c := range f.Counters() {
		if a, b := of[0].Levels[i], of[1].Levels[i]; a.Bytes+b.Bytes != c.Bytes || a.Written+b.Written != c.Written || a.Level != c.Level || c.Level != "scalar_l1" && (a.Bytes == 0 || b.Bytes == 0) {
			t.Errorf("%s: %d and %d bytes of %d, %d and %d written of %d", c.Level, a.Bytes, b.Bytes, c.Bytes, a.Written, b.Written, c.Written)
		}
	}
}

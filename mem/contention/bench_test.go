package contention

import (
	"math/rand/v2"
	"testing"
)

// What an entry of a queue costs: requests that come nearly in order, a few hundred cycles each, most of them without a wait.
func BenchmarkQueue(b *testing.B) {
	r, now, full := rand.New(rand.NewPCG(1, 1)), uint64(0), uint64(0)
	var jitter [1024]uint64
	for i := range jitter {
		jitter[i] = r.Uint64N(30)
	}
	q := NewQueue(1024, &now)
	for i := range b.N {
		now += 2
		at := now + 100 + jitter[i%1024]
		q.HoldUntil(at + q.Acquire(at, 0, &full) + 300 + jitter[(i+7)%1024])
	}
}

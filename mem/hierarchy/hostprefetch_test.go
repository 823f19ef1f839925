package hierarchy

import (
	"math/rand/v2"
	"testing"
)

// That lines are looked for ahead changes nothing of when they are there, of hits and of misses: with lines of the next level that are as long, longer
// and shorter, with pages at random places, and whatever is asked for in between.
func TestLinesLookedForAheadAreThoseAskedFor(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 31))
		s := tiny()
		s.VectorL1.LineBytes, s.L2.LineBytes, s.Memory.PageBytes = 64<<r.IntN(2), 64<<r.IntN(2), 4096*r.IntN(2)
		if r.IntN(2) == 0 && s.VectorL1.LineBytes == 128 {
			s.VectorL1.SectorBytes = 64
		}
		plain, ahead := NewAnalytic(&s, tinyShape()), NewAnalytic(&s, tinyShape())
		for n := range uint64(80) {
			q := gathered(r, s.VectorL1.LineBytes)
			if c := ahead.front(q); c.prefetcher == nil {
				c.prefetcher = newLookupPrefetcher(c.level, c.next.level)
			}
			again := *q
			if x, y := *plain.Access(20*n, q), *ahead.Access(20*n, &again); x != y {
				t.Fatalf("seed %d: request %d is answered by %+v, looked for ahead by %+v", seed, n, x, y)
			}
		}
		for i, c := range plain.Counters() {
			if got := ahead.Counters()[i]; got != c {
				t.Errorf("seed %d: %+v, looked for ahead %+v", seed, c, got)
			}
		}
	}
}

// gathered is a load or a store of up to 20 lines.
func gathered(r *rand.Rand, line int) *Request {
	q := &Request{CU: r.IntN(4), Kind: Kind(r.IntN(2)), Busy: 1 + r.Uint64N(60)}
	for range 1 + r.IntN(20) {
		q.Lines = append(q.Lines, Line{Addr: uint64(line) * (64 + r.Uint64N(4000)), Bytes: 4, Words: 1 << r.IntN(line/4)})
	}
	return q
}

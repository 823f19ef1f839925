package hierarchy

import (
	"math/rand/v2"
	"testing"
)

// Accesses without time that are put back leave no trace: not in what caches hold, and not in when later accesses are answered.
func TestPutBackLeavesNoTrace(t *testing.T) {
	for name, edit := range map[string]func(s *Spec){
		"as it is":  nil,
		"eager":     func(s *Spec) { s.L2.Write = WriteEager },
		"random":    func(s *Spec) { s.L2.Replacement = ReplaceRandom },
		"many ways": func(s *Spec) { s.L2.Bytes, s.L2.Ways = 32*64, 32 },
		"sectors":   func(s *Spec) { s.L2.LineBytes, s.L2.SectorBytes = 128, 64 },
	} {
		for seed := range uint64(8) {
			a, b := newTiny(t, edit), newTiny(t, edit)
			r := rand.New(rand.NewPCG(seed, 29))
			for n := range uint64(60) {
				if n%6 == 5 {
					b.Snapshot()
					for range r.IntN(40) {
						b.Warm(anyRequest(r))
					}
					b.Restore()
				}
				q := anyRequest(r)
				again := *q
				again.Lines = append([]Line(nil), q.Lines...)
				if x, y := *a.Access(1000*(n+1), q), *b.Access(1000*(n+1), &again); x != y {
					t.Fatalf("%s, seed %d: access %d is answered by %+v, without what was put back by %+v", name, seed, n, y, x)
				}
			}
			for i, l := range a.levels {
				if at := l.differs(b.levels[i]); at != "" {
					t.Errorf("%s, seed %d: %s differs in its %s", name, seed, l.Name, at)
				}
			}
		}
	}
}

// anyRequest is a load, a store or an atomic of one of 40 lines, or of a part of one.
func anyRequest(r *rand.Rand) *Request {
	q := request(r.IntN(4), []Kind{Read, Write, Atomic}[r.IntN(3)], 4096+64*r.Uint64N(40))
	if r.IntN(3) == 0 {
		q.Lines[0].Bytes, q.Lines[0].Words = 16, 0xf
	}
	return q
}

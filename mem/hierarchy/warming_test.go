package hierarchy

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// What loads and stores, of parts of lines too, leave in the caches without time is what they leave with time, one after the other: the same lines in the same places, with
// the same words, and the same of them dirty.
func TestWarmedCachesAreThoseOfTimedRuns(t *testing.T) {
	for name, edit := range map[string]func(s *Spec){
		"as it is":      nil,
		"through":       func(s *Spec) { s.L2.Write = WriteThrough },
		"not allocated": func(s *Spec) { s.L2.WriteAllocate = false },
		"eager":         func(s *Spec) { s.L2.Write = WriteEager },
		"L1s keep":      func(s *Spec) { s.VectorL1.Write, s.VectorL1.WriteAllocate = WriteBack, true },
		"L1s allocate":  func(s *Spec) { s.VectorL1.WriteAllocate = true },
		"two L2s":       func(s *Spec) { s.L2.SharedBy = 2 },
		"larger lines":  func(s *Spec) { s.L2.LineBytes = 128 },
		"smaller lines": func(s *Spec) { s.L2.LineBytes = 32 },
		"sectors":       func(s *Spec) { s.L2.LineBytes, s.L2.SectorBytes = 128, 64 },
		"a third level": func(s *Spec) {
			s.MemorySide = s.L2
			s.MemorySide.SharedBy, s.MemorySide.Bytes, s.MemorySide.Ways = 0, 4096, 4
		},
		"slices": func(s *Spec) { s.L2.Slices, s.L2.Ways, s.L2.InterleaveBytes, s.L2.HashSets = 2, 2, 256, true },
	} {
		kinds := []Kind{Read, Write}
		if name == "sectors" { // of which stores are parts
			kinds = kinds[:1]
		}
		for seed := range uint64(4) {
			timed, warmed := newTiny(t, edit), newTiny(t, edit)
			r := rand.New(rand.NewPCG(seed, 13))
		rounds:
			for n := range uint64(300) {
				q := request(r.IntN(4), kinds[r.IntN(len(kinds))], 4096+64*r.Uint64N(40))
				switch {
				case q.Kind == Read && r.IntN(4) == 0:
					q.Scalar = true
				case r.IntN(8) == 0:
					q.Coherent = true
				}
				again := *q
				again.Lines = slices.Clone(q.Lines)
				timed.Access(100000*(n+1), q)
				warmed.Warm(&again)
				for i, l := range timed.levels {
					if at := l.differs(warmed.levels[i]); at != "" {
						t.Errorf("%s, seed %d: after request %d, %+v, %s differs in its %s", name, seed, n, again, l.Name, at)
						break rounds
					}
				}
			}
		}
	}
}

// differs says in what the caches of a level are unlike those of the same level of another hierarchy.
func (l *level) differs(o *level) string {
	for i, c := range l.caches {
		d := o.caches[i]
		if c == nil || d == nil {
			if c != d {
				return "instances"
			}
			continue
		}
		for k := range c.slices {
			a, b := &c.slices[k], &d.slices[k]
			if !slices.Equal(a.tags, b.tags) {
				return "lines"
			}
			for n := range a.lines {
				if a.lines[n].dirty() != b.lines[n].dirty() {
					return "dirty lines"
				}
				if a.tags[n] != 0 && (a.lines[n].full() != b.lines[n].full() || c.valid(a, n) != d.valid(b, n)) {
					return "words"
				}
			}
		}
	}
	return ""
}

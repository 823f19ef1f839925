package hierarchy

import (
	"math"
	"testing"

	"spvsim/internal/spec"
)

// walkHits reads so many lines in a row over and over, and returns the share of hits once the cache is warm.
func walkHits(replacement string, ways, lines int) float64 {
	s, shape := DefaultSpec(), &spec.Shape{ShaderEngines: 1, ComputeUnits: 1, ClockMHz: 1000}
	s.VectorL1.Ways, s.VectorL1.Replacement = ways, replacement
	f := NewAnalytic(&s, shape)
	const rounds = 40
	now := uint64(0)
	var before Counter
	for r := range 2 * rounds {
		if r == rounds {
			before = f.Counters()[0]
		}
		for l := range lines {
			now += 1000
			f.Access(now, &Request{Kind: Read, Busy: 1, Lines: []Line{{Addr: uint64(l * s.VectorL1.LineBytes), Bytes: 4}}})
		}
	}
	c := f.Counters()[0]
	return float64(c.Hits-before.Hits) / float64(c.Accesses-before.Accesses)
}

// A walk over f times what a cache of many ways has hits h of it under random replacement: each miss drops one line in so many, and
// (1-h)f misses come until a line is read again, so that h = exp(-(1-h)f). The least recently used is gone each time.
func TestWalkUnderRandomReplacement(t *testing.T) {
	const ways, lines = 32, 256 // of 16 KB in lines of 64 bytes
	for _, c := range []struct{ over, hits float64 }{{1.25, 0.63}, {1.5, 0.42}, {2, 0.20}} {
		n := int(lines * c.over)
		want := c.hits
		for range 100 {
			want = math.Exp(-(1 - want) * c.over)
		}
		if math.Abs(want-c.hits) > 0.01 {
			t.Errorf("h = exp(-(1-h) %g) is %g, want %g", c.over, want, c.hits)
		}
		if got := walkHits(ReplaceRandom, ways, n); math.Abs(got-want) > 0.05 {
			t.Errorf("%d lines of %d under random replacement: %g hits, want %g", n, lines, got, want)
		}
		if got := walkHits("lru", ways, n); got != 0 {
			t.Errorf("%d lines of %d: %g hits with the least recently used replaced, want none", n, lines, got)
		}
	}
	if got := walkHits(ReplaceRandom, ways, lines); got != 1 {
		t.Errorf("%d lines of %d: %g hits, want all", lines, lines, got)
	}
}

// Two caches of the same history replace the same lines.
func TestRandomReplacementIsTheSameEachTime(t *testing.T) {
	if a, b := walkHits(ReplaceRandom, 4, 300), walkHits(ReplaceRandom, 4, 300); a != b {
		t.Errorf("%g and %g hits of the same walk", a, b)
	}
}

package tracing

import "testing"

// A star matches one letter or more, including dots; the rest of a path must equal the pattern.
func TestPatternsOfPaths(t *testing.T) {
	for _, c := range []struct {
		pattern, path string
		want          bool
	}{
		{"cycles", "cycles", true}, {"cycles", "cycle", false}, {"cycles", "cycles.x", false}, {"memory.*.hits", "memory.l2.hits", true}, {"memory.*.hits", "memory.a.b.hits", true},
		{"memory.*.hits", "memory..hits", false}, {"memory.*.hits", "memory.hits", false}, {"memory.*.hits", "memory.l2.misses", false}, {"memory.*.hits", "lds.l2.hits", false},
		{"nodes.*", "nodes.a[0]", true}, {"nodes.*", "nodes.", false}, {"*.cycles", "x.cycles", true}, {"*.cycles", ".cycles", false},
	} {
		if got := matches(c.pattern, c.path); got != c.want {
			t.Errorf("%q for %q: %t", c.path, c.pattern, got)
		}
	}
}

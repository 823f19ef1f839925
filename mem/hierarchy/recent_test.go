package hierarchy

import (
	"math/rand/v2"
	"testing"
)

// Lines that are put back are found again, up to the ways of a set, and those that came before the cycle are not.
func TestRecentLinesArePutBack(t *testing.T) {
	for seed := range uint64(20) {
		f := newTiny(t, nil)
		r := rand.New(rand.NewPCG(seed, 49))
		for n := range uint64(100) {
			f.Access(1000*(n+1), anyRequest(r))
		}
		var all, none, late RecentLines
		f.Recent(&all, 0)
		if f.Recent(&none, 1<<40); len(none.list) != 0 {
			t.Fatalf("%d lines came after the end", len(none.list))
		}
		f.Recent(&none, 0)
		if f.Recent(&late, 90_000); len(none.list) != len(all.list) {
			t.Fatalf("a second list has %d lines, the first one %d", len(none.list), len(all.list))
		}
		if len(late.list) == 0 || len(late.list) >= len(all.list) {
			t.Fatalf("%d of %d lines came in the last tenth", len(late.list), len(all.list))
		}
		for range 400 { // other lines come without time, in the place of all
			q := anyRequest(r)
			q.Lines[0].Addr += 1 << 20
			f.Warm(q)
		}
		all.Reinsert()
		for i := range all.list {
			x := &all.list[i]
			way := x.lookup.find()
			if way < 0 {
				t.Fatalf("seed %d: a line of %s is not there", seed, x.cache.Name)
			}
			if got := *x.lookup.line(way); got.ready() != x.line.ready() || x.cache.valid(x.lookup.slice, x.lookup.first+way) != x.words {
				t.Errorf("seed %d: a line of %s is %x, was %x", seed, x.cache.Name, got, x.line)
			}
		}
	}
}

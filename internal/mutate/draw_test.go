package main

import (
	"slices"
	"testing"
)

// A seed draws the same each time, another one others; what doesn't compile is replaced by what the seed draws next.
func TestDraw(t *testing.T) {
	all := make([]change, 100)
	for i := range all {
		all[i] = change{file: "p/a.go", line: i, source: []byte("+"), to: 1, text: "-"}
	}
	c := choice{n: 10, seed: 3}
	a, b := c.draw(all), c.draw(all)
	if len(a.now) != 10 || len(a.next) != 90 || !slices.Equal(a.now, b.now) {
		t.Errorf("drew %v, then %v", a.now, b.now)
	}
	if c.seed = 4; slices.Equal(a.now, c.draw(all).now) {
		t.Errorf("another seed draws %v too", a.now)
	}
	bad := map[int]bool{a.now[2]: true, a.now[7]: true}
	next := slices.Clone(a.next)
	a.without(bad)
	if len(a.now) != 10 || !slices.Equal(a.now[8:], next[:2]) || len(a.next) != 88 || slices.ContainsFunc(a.now, func(n int) bool { return bad[n] }) {
		t.Errorf("without %v: %v, and %d more", bad, a.now, len(a.next))
	}
	if all := (&choice{}).draw(all); len(all.now) != 100 || len(all.next) != 0 {
		t.Errorf("drew %d of 100", len(all.now))
	}
	if at := (&choice{n: 1, at: "a.go:7"}).draw(all); len(at.now) != 11 { // 7 and 70 to 79
		t.Errorf("drew %v at a place", at.now)
	}
	all2 := draw{now: []int{5, 6}, next: []int{7}}
	all2.without(map[int]bool{5: true, 6: true})
	if !slices.Equal(all2.now, []int{7}) || len(all2.next) != 0 {
		t.Errorf("with one left: %+v", all2)
	}
}

func TestTally(t *testing.T) {
	y := newTally()
	for _, o := range []outcome{noticed, noticed, survives, late, equal} {
		y.count("p", o)
	}
	if y.noticed["p"] != 2 || y.total["p"] != 4 {
		t.Errorf("%d of %d, want 2 of 4", y.noticed["p"], y.total["p"])
	}
	if y.report(50) != nil || y.report(51) == nil || newTally().report(90) != nil {
		t.Error("half of the changes are not half")
	}
}

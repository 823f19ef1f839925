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
	c := choice{n: 10}
	if err := c.seeds.Set("3,4,3"); err != nil || c.seeds.String() != "3 4 3" || c.seeds.Set("3,x") == nil {
		t.Fatalf("seeds %v, %v", c.seeds, err)
	}
	c.seeds = seeds{3, 4, 3}
	list := c.draws(all)
	a, b := list[0], list[1]
	if len(a.now) != 10 || len(a.next) != 90 || !slices.Equal(a.now, list[2].now) || slices.Equal(a.now, b.now) {
		t.Errorf("drew %v, %v, %v", a.now, b.now, list[2].now)
	}
	if n := drawn(list); len(n) > 20 || len(n) < 11 || !slices.IsSorted(n) {
		t.Errorf("all together %v", n)
	}
	bad := map[int]bool{a.now[2]: true, a.now[7]: true, a.next[1]: true}
	next := []int{a.next[0], a.next[2]}
	a.without(bad)
	if len(a.now) != 10 || !slices.Equal(a.now[8:], next) || len(a.next) != 87 || slices.ContainsFunc(a.now, func(n int) bool { return bad[n] }) {
		t.Errorf("without %v: %v, and %d more", bad, a.now, len(a.next))
	}
	if all := (&choice{}).draws(all)[0]; len(all.now) != 100 || len(all.next) != 0 {
		t.Errorf("drew %d of 100", len(all.now))
	}
	if at := (&choice{n: 1, at: "a.go:7"}).draws(all)[0]; len(at.now) != 11 { // 7 and 70 to 79
		t.Errorf("drew %v at a place", at.now)
	}
	last := draw{now: []int{5, 6}, next: []int{7}}
	last.without(map[int]bool{5: true, 6: true})
	if !slices.Equal(last.now, []int{7}) || len(last.next) != 0 {
		t.Errorf("with one left: %+v", last)
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
	if y.share() != 50 || y.enough(50) != nil || y.enough(51) == nil || newTally().enough(90) != nil {
		t.Errorf("%v %% of 4", y.share())
	}
	if got, want := y.String(), "2 of 4 noticed, 50.0 %"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

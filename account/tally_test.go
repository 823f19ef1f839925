package account

import (
	"testing"

	"spvsim/isa"
)

// A tally counts launches by their steps, in the order in which these came first, and all instructions; of launches that overlap the counts are of all together.
func TestTallyOfSteps(t *testing.T) {
	counts := func(n uint64) *Counts {
		c := &Counts{Cycles: 10 * n}
		c.ByClass[isa.ClassVALU32] = n
		return c
	}
	x := &Tally{}
	for range 2 {
		x.BeginRound()
		for i, c := range []struct {
			step string
			want int
		}{{"a", 0}, {"b", 1}, {"a", 0}, {"c", 2}, {"b", 1}} {
			if got := x.Add(c.step, counts(uint64(i+1))); got != c.want {
				t.Errorf("step %s is number %d, want %d", c.step, got, c.want)
			}
		}
		if a := x.Find("a"); a.Cycles != 40 || a.Instructions() != 4 || x.Find("d") != nil || x.Step("b").Cycles != 70 || len(x.Steps) != 3 || x.Whole != nil {
			t.Errorf("%+v, %+v", a, x.Steps)
		}
		before := x.Find("c").Cycles
		whole := counts(100)
		if x.AddConcurrent(whole); x.Whole != whole || x.Step("c").Cycles != before {
			t.Errorf("all together: %+v, step c %+v", x.Whole, x.Step("c"))
		}
	}
	if x.Issued != 2*(15+100) {
		t.Errorf("%d instructions in two rounds, want 230", x.Issued)
	}
}

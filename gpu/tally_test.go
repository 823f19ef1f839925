package gpu

import (
	"math/rand/v2"
	"testing"

	"spvsim/account"
	"spvsim/isa"
)

// A launch's pieces are as long as the mean but for a quarter, and none at the end is shorter than that.
func TestLengthsOfPieces(t *testing.T) {
	d := &division{sampler: &sampler{draw: rand.New(rand.NewPCG(1, 1))}, all: 100000, piece: 1000}
	at, sum, n := uint64(0), uint64(0), uint64(0)
	for at < d.all {
		end := d.ending(at)
		if length := end - at; end > d.all || end < d.all && (length < 750 || length > 1250 || d.all-end < 500) || end == d.all && length > 1750 {
			t.Fatalf("a piece from %d to %d of %d", at, end, d.all)
		}
		sum, n, at = sum+end-at, n+1, end
	}
	if mean := sum / n; mean < 900 || mean > 1100 {
		t.Errorf("pieces are %d workgroups in the mean", mean)
	}
}

// A tally counts launches by their steps, in the order in which these came first, and all instructions; of launches that overlap the counts are of all together.
func TestTallyOfSteps(t *testing.T) {
	counts := func(n uint64) *account.Counts {
		c := &account.Counts{Cycles: 10 * n}
		c.ByClass[isa.ClassVALU32] = n
		return c
	}
	x := &tally{}
	for range 2 {
		x.begin()
		for i, c := range []struct {
			step string
			want int
		}{{"a", 0}, {"b", 1}, {"a", 0}, {"c", 2}, {"b", 1}} {
			if got := x.add(c.step, counts(uint64(i+1))); got != c.want {
				t.Errorf("step %s is number %d, want %d", c.step, got, c.want)
			}
		}
		if so := x.soFarOf("a"); so.cycles != 40 || so.instructions() != 4 || x.soFarOf("d") != (stepSoFar{}) || x.step("b").Cycles != 70 || len(x.steps) != 3 || x.whole != nil {
			t.Errorf("%+v, %+v", so, x.steps)
		}
		before := x.soFarOf("c")
		whole := counts(100)
		if x.all(whole); x.whole != whole || x.step("c").Cycles != before.cycles {
			t.Errorf("all together: %+v, step c %+v", x.whole, x.step("c"))
		}
	}
	if x.issued != 2*(15+100) {
		t.Errorf("%d instructions in two rounds, want 230", x.issued)
	}
	so, earlier := x.soFarOf("b"), stepSoFar{}
	earlier.byClass[isa.ClassVALU32] = 7
	if m := so.mixSince(&earlier); m != mixOf(&[isa.NumClasses]uint64{}) {
		t.Errorf("nothing since has the mix %v", m)
	}
}

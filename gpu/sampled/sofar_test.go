package sampled

import (
	"math/rand/v2"
	"testing"

	"spvsim/account"
	"spvsim/isa"
)

// A launch's pieces are as long as the mean but for a quarter, and none at the end is shorter than that.
func TestLengthsOfPieces(t *testing.T) {
	d := &division{Sampler: &Sampler{draw: rand.New(rand.NewPCG(1, 1))}, all: 100000, piece: 1000}
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

// What a step did so far is nothing where nothing of it was counted, and so is the mix of what it did since then.
func TestStepSoFar(t *testing.T) {
	x := &account.Tally{}
	x.BeginRound()
	c := &account.Counts{Cycles: 40}
	c.ByClass[isa.ClassVALU32] = 7
	x.Add("b", c)
	so, earlier := soFarOf(x, "b"), stepSoFar{}
	if so.cycles != 40 || so.instructions() != 7 || soFarOf(x, "d") != (stepSoFar{}) || len(x.Steps) != 1 {
		t.Errorf("%+v of %+v", so, x.Steps)
	}
	earlier.byClass[isa.ClassVALU32] = 7
	if m := so.mixSince(&earlier); m != mixOf(&[isa.NumClasses]uint64{}) {
		t.Errorf("nothing since has the mix %v", m)
	}
}

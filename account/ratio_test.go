package account

import (
	"math"
	"testing"
)

// unit is one that took 100 cycles, of which some are more than by its stratum's ratio.
func unit(launch int, first uint64, more float64) SampledUnit {
	return SampledUnit{Stratum: "a", Launch: launch, First: first, Weight: 1, Instructions: 1000, Timed: 100, Residual: more}
}

// The closed forms of docs/model/sampling.md, with numbers worked out by hand.
func TestIntervalOfRatios(t *testing.T) {
	run := func(cycles uint64, half float64, units ...SampledUnit) *Counts {
		return &Counts{Cycles: cycles, Estimate: &Estimate{Half: half, Units: units, Common: 0.8 * half, Degrees: 5}}
	}
	all := 4 * 2 * 0.0004 // of the prior
	for name, c := range map[string]struct {
		x, of *Counts
		share float64
	}{
		"the same units are slow":   {run(2000, 60, unit(0, 0, 10), unit(0, 100, -10)), run(1000, 40, unit(0, 0, 10), unit(0, 100, -10)), 0.125},
		"other units are slow":      {run(2000, 60, unit(0, 0, 10), unit(0, 100, -10)), run(1000, 40, unit(0, 0, -10), unit(0, 100, 10)), (0.125*all + 0.08) / (all + 0.04)},
		"units of other launches":   {run(2000, 60, unit(0, 0, 10), unit(0, 100, -10)), run(1000, 40, unit(1, 0, 10), unit(1, 100, -10)), (0.125*all + 0.04) / (all + 0.04)},
		"no units":                  {run(2000, 60), run(1000, 40), 0.125},
		"one is nearer than others": {run(2000, 60, unit(0, 0, 10), unit(0, 90, -10)), run(1000, 40, unit(0, 100, 0)), (0.125*all + 0.02) / (all + 0.02)},
	} {
		ratio, low, high := c.x.Ratio(c.of)
		shared := 1 - min(c.share, 1)
		f := 25.0 * 25 / (9*9 + 16*16) * 5 / (1 + shared*shared) // the halves are 0.03 and 0.04, with 5 degrees each
		half := math.Hypot(math.Sqrt(c.share)*0.6*0.05*Quantile(f)/2.571, (0.125+math.Ln2)*0.8*0.05)
		if ratio != 2 || math.Abs(low-2*math.Exp(-half)) > 1e-12 || math.Abs(high-2*math.Exp(half)) > 1e-12 {
			t.Errorf("%s: %g in %g to %g, want 2 with %g", name, ratio, low, high, half)
		}
	}
	if ratio, low, high := (&Counts{Cycles: 3}).Ratio(&Counts{Cycles: 4}); ratio != 0.75 || low != 0.75 || high != 0.75 {
		t.Errorf("of timed runs: %g in %g to %g", ratio, low, high)
	}
}

// The degrees of freedom of a sum of equal parts add, and those of one dominant part are its own.
func TestDegreesOfEstimates(t *testing.T) {
	part := func(half, degrees float64) *Estimate { return &Estimate{Half: half, Degrees: degrees} }
	for _, c := range []struct {
		a, b *Estimate
		want float64
	}{{part(2, 5), part(2, 7), 4 * 4 / (4.0/5 + 4.0/7)}, {part(3, 5), part(0, 9), 5}, {part(0, 0), part(0, 0), 0}} {
		if c.a.Add(c.b); math.Abs(c.a.Degrees-c.want) > 1e-12 {
			t.Errorf("%g degrees, want %g", c.a.Degrees, c.want)
		}
	}
	for degrees, want := range map[float64]float64{0: 12.706, 1.9: 12.706, 10: 2.228, 1e9: 2.042} {
		if got := Quantile(degrees); got != want {
			t.Errorf("quantile of %g degrees %g, want %g", degrees, got, want)
		}
	}
}

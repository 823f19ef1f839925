package account

import (
	"math"
	"testing"
)

// unit is one of 1000 instructions.
func unit(launch int, first uint64, timed float64) SampledUnit {
	return SampledUnit{Stratum: "a", Launch: launch, First: first, Weight: 1, Instructions: 1000, Timed: timed}
}

// The closed forms of docs/model/sampling.md, with numbers worked out by hand.
func TestIntervalOfRatios(t *testing.T) {
	run := func(cycles uint64, half float64, units ...SampledUnit) *Counts {
		return &Counts{Cycles: cycles, Estimate: &Estimate{Half: half, Units: units, Common: 0.8 * half}}
	}
	all := 4 * 2 * 0.0004 // of the prior
	for name, c := range map[string]struct {
		x, of *Counts
		share float64
	}{
		"the same units are slow":   {run(2000, 60, unit(0, 0, 220), unit(0, 100, 180)), run(1000, 40, unit(0, 0, 110), unit(0, 100, 90)), 0.125 * all / (all + 0.04)},
		"other units are slow":      {run(2000, 60, unit(0, 0, 220), unit(0, 100, 180)), run(1000, 40, unit(0, 0, 90), unit(0, 100, 110)), (0.125*all + 0.08) / (all + 0.04)},
		"units of other launches":   {run(2000, 60, unit(0, 0, 220), unit(0, 100, 180)), run(1000, 40, unit(1, 0, 110), unit(1, 100, 90)), (0.125*all + 0.04) / (all + 0.04)},
		"no units":                  {run(2000, 60), run(1000, 40), 0.125},
		"one is nearer than others": {run(2000, 60, unit(0, 0, 220), unit(0, 90, 180)), run(1000, 40, unit(0, 100, 100)), (0.125*all + 0.01 + 0.01) / (all + 0.01 + 0.01)},
	} {
		ratio, low, high := c.x.Ratio(c.of)
		half := math.Hypot(math.Sqrt(c.share)*0.6*0.05, (0.125+math.Ln2)*0.8*0.05) // the halves are 0.03 and 0.04
		if ratio != 2 || math.Abs(low-2*math.Exp(-half)) > 1e-12 || math.Abs(high-2*math.Exp(half)) > 1e-12 {
			t.Errorf("%s: %g in %g to %g, want 2 with %g", name, ratio, low, high, half)
		}
	}
	if ratio, low, high := (&Counts{Cycles: 3}).Ratio(&Counts{Cycles: 4}); ratio != 0.75 || low != 0.75 || high != 0.75 {
		t.Errorf("of timed runs: %g in %g to %g", ratio, low, high)
	}
}

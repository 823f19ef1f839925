package sampled

import (
	"math"
	"testing"

	"spvsim/config"
)

// Launches that take 1000 cycles and a tenth of a cycle for an instruction cost that, whatever their size;
// those that take their instructions' time alone, a line or not, cost the rate.
func TestLaunchesOfDifferentSize(t *testing.T) {
	for _, c := range []struct {
		samples         []sample
		n, instructions float64
		cycles, half    float64
	}{
		{[]sample{{1100, 1000}, {1200, 2000}, {1400, 4000}, {1800, 8000}}, 10, 20000, 12000, 0},
		{[]sample{{100, 1000}, {200, 2000}, {400, 4000}, {800, 8000}}, 10, 20000, 2000, 0},
		// three samples are too few for a line
		{[]sample{{1100, 1000}, {1200, 2000}, {1400, 4000}}, 1, 1000, (1100.0 + 1200 + 1400) / 7, math.NaN()},
		// off by -1, 1, 1, -1 from 1000 + x, whose middle is 25: the line is the same, and 4.303 * sqrt(2) * sqrt(1/4 + 1 + 15^2/500)
		{[]sample{{1009, 10}, {1021, 20}, {1031, 30}, {1039, 40}}, 1, 40, 1040, 4.303 * math.Sqrt2 * math.Sqrt(0.25+1+225.0/500)},
		// smaller launches take longer: no line
		{[]sample{{400, 100}, {300, 200}, {200, 300}, {100, 400}}, 1, 250, 250, math.NaN()},
	} {
		a := &alike{Sampling: config.DefaultSampling(), samples: c.samples}
		cycles, half := a.cost(c.n, c.instructions)
		if math.Abs(cycles-c.cycles) > 1e-6 || math.Abs(half-c.half) > 1e-3 {
			t.Errorf("%v: %g +- %g, want %g +- %g", c.samples, cycles, half, c.cycles, c.half)
		}
	}
}

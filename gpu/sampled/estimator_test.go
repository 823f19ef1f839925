package sampled

import (
	"math"
	"math/rand/v2"
	"testing"

	"spvsim/config"
)

// population returns one stratum of random units with y = 3 × cost × (1 ± spread), one sample drawn from each block,
// and the true sum of the others.
func population(r *rand.Rand, units, block int, spread float64) (s strata, truth float64) {
	s = strata{Sampling: config.DefaultSampling(), name: "test", maxBlock: block}
	h := s.stratumOf(&signature{mix: mix{1: 1}, demand: demand{1: 1}})
	for first := 0; first < units; first += block {
		pick, sum := first+r.IntN(block), 0.0
		var x sample
		for i := first; i < first+block; i++ {
			cost := 50 + 100*r.Float64()
			y := cost * 3 * (1 + spread*r.NormFloat64())
			if sum++; i == pick {
				x = sample{counted: []float64{0, y}, size: cost}
				continue
			}
			truth += y
			h.untimedByStep[0] = h.untimedByStep[0].plus(total{1, cost, cost})
		}
		x.blockUnits = sum
		h.samples = append(h.samples, x)
	}
	return s, truth
}

// For normally distributed ratios the estimate is unbiased, and 95 % of the intervals contain the true value.
func TestIntervalsOfPopulations(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 9))
	const populations = 4000
	inside, bias, scaled := 0, 0.0, 0.0
	for range populations {
		s, truth := population(r, 80, 10, 0.05)
		s.Weight, s.Spread = 1, 0.05
		e := s.estimateOf(s.list[0], s.list[0].untimed(), cyclesAt)
		var all sum
		all.add(e)
		if math.Abs(e.value-truth) <= all.halfWidth(0) {
			inside++
		}
		bias += e.value/truth - 1
		scaled += (e.value - truth) * (e.value - truth) / e.variance
	}
	if share := float64(inside) / populations; share < 0.935 || share > 0.975 {
		t.Errorf("%.1f %% of the intervals hold, want 95", 100*share)
	}
	if bias /= populations; math.Abs(bias) > 0.001 {
		t.Errorf("the estimate is %.3f %% off in the mean", 100*bias)
	}
	t.Logf("mean of squared error over variance %.3f", scaled/populations)
}

// The closed forms of docs/model/sampling.md, with numbers computed by hand.
func TestEstimatorClosedForm(t *testing.T) {
	s := strata{Sampling: config.DefaultSampling()}
	s.Weight, s.Spread = 2, 0.1
	h := s.stratumOf(&signature{mix: mix{1: 1}, demand: demand{1: 1}})
	h.samples = []sample{{counted: []float64{0, 100}, size: 50, blockUnits: 2}, {counted: []float64{0, 400}, size: 100, blockUnits: 3}}
	e := s.estimateOf(h, total{10, 1000, 1000}, cyclesAt)
	// R = (2*100 + 3*400)/(2*50 + 3*100) = 3.5; squares 2*(100*1.5^2 + 300*0.5^2)/400 = 1.5 about it, 1.5/12.25 of R^2, one degree.
	v := (2*0.01 + 1.5/12.25) / 3
	s2 := (1.5 + 2*12.25*v) / 3
	want := 1e6 * s2 * (1/1.6 + 75.0/1000) // n' = 400^2/(100^2 + 300^2)
	if e.value != 3500 || math.Abs(e.variance-want) > 1e-6*want || e.degrees != 3 {
		t.Errorf("%+v, want 3500, %g, 3 degrees", e, want)
	}
}

// The certain unit counts in the ratio until two others were drawn.
func TestCertainUnits(t *testing.T) {
	s := strata{Sampling: config.DefaultSampling(), maxBlock: 8}
	h := s.stratumOf(&signature{mix: mix{1: 1}, demand: demand{1: 1}})
	for i, want := range []float64{9, 5, 2} { // of costs 9, 1 and 3: blocks of 1, then of 2, of which the last one is not complete
		for !s.draw(h, 1) {
		}
		cost := []float64{9, 1, 3}[i]
		h.block.next = h.block.length // blocks of one weight
		s.add(h, sample{counted: []float64{0, cost}, size: 1}, 1)
		h.samples[i].blockUnits = 1
		if got := h.ratio(cyclesAt); got != want {
			t.Errorf("after %d units: %g, want %g", i+1, got, want)
		}
	}
	if squares, degrees := h.squares(cyclesAt); squares != 2 || degrees != 1 || h.effectiveSamples() != 2 {
		t.Errorf("squares %g of %g degrees, %g units", squares, degrees, h.effectiveSamples())
	}
}

// Sums have Satterthwaite's degrees of freedom: those of equal variances add, and a dominant variance decides.
func TestDegreesOfSums(t *testing.T) {
	var equal, one sum
	equal.add(estimate{variance: 4, degrees: 5})
	equal.add(estimate{variance: 4, degrees: 5})
	if got, want := equal.halfWidth(0), 2.228*math.Sqrt(8); math.Abs(got-want) > 1e-9 {
		t.Errorf("%g, want %g of ten degrees", got, want)
	}
	one.add(estimate{value: 100, variance: 4, degrees: 2, unsampled: 3})
	if got, want := one.halfWidth(0.04), math.Hypot(2*4.303, 5); math.Abs(got-want) > 1e-9 {
		t.Errorf("%g, want %g", got, want)
	}
}

// Every unit of a block is drawn with equal probability.
func TestUniformDraw(t *testing.T) {
	var drawn [8]int
	for i := range 8000 {
		s := strata{Sampling: config.DefaultSampling(), kindNumber: i, maxBlock: 8}
		h := s.stratumOf(&signature{mix: mix{1: 1}, demand: demand{1: 1}})
		for range 2 {
			h.samples = append(h.samples, sample{counted: []float64{0, 1}, size: 1, blockUnits: 1})
		}
		h.block = block{length: 4, next: 4}
		for i := range drawn {
			if s.draw(h, 1) {
				drawn[i]++
			}
		}
	}
	for i, n := range drawn {
		if n < 850 || n > 1150 {
			t.Errorf("unit %d is drawn %d times of 8000, want about 1000", i, n)
		}
	}
}

// No unit is drawn among the number that unitsAhead returns, and the next one is, unless a new block begins there.
func TestUnitsAhead(t *testing.T) {
	s := strata{Sampling: config.DefaultSampling(), name: "test", maxBlock: 16}
	h := s.stratumOf(&signature{mix: mix{1: 1}, demand: demand{1: 1}})
	for drawn := 0; drawn < 20; {
		ahead, pending := s.unitsAhead(h), h.block.next <= h.block.pick
		for range ahead {
			if s.draw(h, 1) {
				t.Fatalf("a unit is drawn of %d that come before", ahead)
			}
		}
		if !pending {
			continue // to the end of the block: the next one may be drawn
		}
		if !s.draw(h, 1) {
			t.Fatalf("the unit after %d is not drawn", ahead)
		}
		s.add(h, sample{counted: []float64{0, 1 + float64(drawn%3)/10}, size: 1}, 1)
		drawn++
	}
}

// Variances of independent sums add, and a scaled sum has a scaled interval.
func TestScaledSums(t *testing.T) {
	part := func(value, variance, degrees, unseen float64) (s sum) {
		s.add(estimate{value, variance, degrees, unseen})
		return s
	}
	x, y := part(100, 9, 5, 1), part(10, 4, 5, 0.5)
	x.addScaled(&y, 2)
	if want := part(120, 25, 25*25/(81.0/5+256.0/5), 2); x.value != want.value || x.unsampled != want.unsampled || math.Abs(x.halfWidth(0)-want.halfWidth(0)) > 1e-12 {
		t.Errorf("sum of %g +- %g, want %g +- %g", x.value, x.halfWidth(0), want.value, want.halfWidth(0))
	}
}

// A window that was drawn in another stratum represents itself alone: the block's own unit remains to be timed, with the
// block's weight.
func TestMovedWindows(t *testing.T) {
	s := strata{Sampling: config.DefaultSampling(), maxBlock: 8}
	h := s.stratumOf(&signature{mix: mix{1: 1}, demand: demand{1: 1}})
	moved := func(y float64) { s.addMoved(h, sample{counted: []float64{0, y}, size: 1}, 1) }
	for i := 0; len(h.samples) < 2; i++ {
		if s.draw(h, 1) {
			s.add(h, sample{counted: []float64{0, 1}, size: 1}, 1)
		}
	}
	for h.block.next < h.block.length {
		s.draw(h, 1)
	}
	s.currentBlock(h).pick = 3
	h.block.length = 4
	for range 2 {
		s.draw(h, 1)
	}
	moved(7)
	if h.block.timed {
		t.Error("a moved window is the sample of a block that has begun")
	}
	for !s.draw(h, 1) {
	}
	s.add(h, sample{counted: []float64{0, 1}, size: 1}, 1)
	weights := map[float64][]float64{}
	for _, x := range h.samples {
		weights[x.counted[cyclesAt]] = append(weights[x.counted[cyclesAt]], x.blockUnits)
	}
	if w := weights[7]; len(w) != 1 || w[0] != 1 {
		t.Errorf("weights of the moved window %v, want 1", w)
	}
	if w := weights[1]; len(w) != 3 || w[2] != 4 {
		t.Errorf("weights of the stratum's own samples %v, want 4 at last", w)
	}
}

// A stratum without samples is estimated by the nearest one's ratio over both sizes; by the first launch, whose distance
// is unknown, while there is none.
func TestStrataWithoutSamples(t *testing.T) {
	s := strata{Sampling: config.DefaultSampling()}
	s.Demand, s.firstLaunch = 0.2, sample{counted: []float64{0, 30}, instructions: 10}
	h := s.stratumOf(&signature{mix: mix{1: 1}, demand: demand{1: 1}})
	if e, want := s.estimateOf(h, total{1, 500, 100}, cyclesAt), (estimate{value: 300, unsampled: 150}); e != want {
		t.Errorf("by the first launch %+v, want %+v", e, want)
	}
	near := s.stratumOf(&signature{mix: mix{1: 1}, demand: demand{1: 2}})
	near.samples = []sample{{counted: []float64{0, 400}, size: 100, blockUnits: 1}}
	// R = 4 an instruction: 400 of 100 instructions, and 1000 of a cost of 500 at 2 an instruction. Demands differ by 1/2 of
	// 0.2: distance 2.5, of which the limit makes 1/2 of the mean.
	if e := s.estimateOf(h, total{1, 500, 100}, cyclesAt); e.value != 700 || e.unsampled != 300+700*0.5/2 {
		t.Errorf("%+v, want 700 +- 475", e)
	}
}

package sampled

import (
	"math"

	"spvsim/account"
)

// An estimated is a value with its variance, the degrees of freedom of that, and the half-width of what no sample shows, such as that of a stratum
// without samples.
type estimate struct{ value, variance, degrees, unsampled float64 }

// estimateOf estimates what units of a stratum came to that were not timed, of one of the numbers in a vector.
func (s *strata) estimateOf(h *stratum, t total, at int) estimate {
	if t.units == 0 {
		return estimate{}
	}
	near, distance := h, 0.0
	if len(h.samples) == 0 {
		near, distance = s.nearest(&h.signature, true)
	}
	if near == nil {
		return s.estimateByFirst(t, at)
	}
	r, size, otherSize := near.ratio(at), t.instructions, t.cost/near.signature.cost()
	if s.launches {
		size, otherSize = t.cost, t.instructions*near.signature.cost()
	}
	e := estimate{value: r * size}
	squares, degrees := s.dispersion(near, at)
	e.variance = size * size * squares / degrees * (1/near.effectiveSamples() + min(1, near.meanSize()/size))
	e.degrees = degrees
	if distance > 0 {
		other := r * otherSize
		e.unsampled = math.Abs(other-e.value)/2 + math.Abs(e.value)*min(distance*s.Demand, 1)/2
		e.value = (e.value + other) / 2
	}
	return e
}

// estimateByFirst estimates by the only launch that was timed.
func (s *strata) estimateByFirst(t total, at int) estimate {
	if s.firstLaunch.instructions == 0 {
		return estimate{}
	}
	value := s.firstLaunch.counted[at] / s.firstLaunch.instructions * t.instructions
	return estimate{value: value, unsampled: math.Abs(value) / 2}
}

// weight is that of a sample: the size of all units of its block, if they are like it.
func (x *sample) weight() float64 { return x.blockUnits * x.size }

// ratio is that of a counted number to the size.
func (h *stratum) ratio(at int) float64 {
	list, sum, weights := h.ratioSamples(), 0.0, 0.0
	for i := range list {
		x := &list[i]
		sum, weights = sum+x.blockUnits*x.counted[at], weights+x.weight()
	}
	return sum / weights
}

// effective is the number of samples of equal weight that have the variance of these.
func (h *stratum) effectiveSamples() float64 {
	list, sum, squares := h.ratioSamples(), 0.0, 0.0
	for i := range list {
		w := list[i].weight()
		sum, squares = sum+w, squares+w*w
	}
	return sum * sum / squares
}

func (h *stratum) meanSize() float64 {
	list, sum := h.ratioSamples(), 0.0
	for i := range list {
		sum += list[i].size
	}
	return sum / float64(len(list))
}

// squares is the sum of squares of the samples' ratios about that of the stratum, each by its weight, and their degrees of freedom.
func (h *stratum) squares(at int) (sum, degrees float64) {
	list, r, weights := h.ratioSamples(), h.ratio(at), 0.0
	for i := range list {
		x := &list[i]
		d := x.counted[at]/x.size - r
		sum, weights = sum+x.weight()*d*d, weights+x.weight()
	}
	n := float64(len(list))
	return sum / weights * n, n - 1
}

// dispersion moderates the sum of squares of a stratum by the relative one of all strata, which is moderated by the expected one.
func (s *strata) dispersion(h *stratum, at int) (squares, degrees float64) {
	w := float64(s.Weight)
	all, n := s.Spread*s.Spread*w, w
	for _, o := range s.list {
		if len(o.samples) == 0 {
			continue
		}
		own, f := o.squares(at)
		if r := o.ratio(at); r != 0 {
			all, n = all+own/(r*r), n+f
		}
	}
	own, f := h.squares(at)
	r := h.ratio(at)
	return own + w*all/n*r*r, f + w
}

// A sum adds estimates of strata that were sampled independently.
type sum struct{ value, variance, byDegrees, unsampled float64 }

func (s *sum) add(e estimate) {
	s.value, s.unsampled = s.value+e.value, s.unsampled+e.unsampled
	if e.variance > 0 {
		s.variance, s.byDegrees = s.variance+e.variance, s.byDegrees+e.variance*e.variance/e.degrees
	}
}

// plus adds so many times another sum.
func (s *sum) addScaled(o *sum, factor float64) {
	square := factor * factor
	s.value, s.unsampled = s.value+o.value*factor, s.unsampled+o.unsampled*math.Abs(factor)
	s.variance, s.byDegrees = s.variance+o.variance*square, s.byDegrees+o.byDegrees*square*square
}

// half is half the width of the interval, with Satterthwaite's degrees of freedom; bias is the relative error that all samples may share.
func (s *sum) halfWidth(bias float64) float64 {
	sampling := 0.0
	if s.variance > 0 {
		sampling = quantile(s.variance*s.variance/s.byDegrees) * math.Sqrt(s.variance)
	}
	return math.Hypot(sampling, math.Hypot(bias*s.value, s.unsampled))
}

// student has the quantiles of Student's distribution for 95 % on two sides, by degrees of freedom from 1 on.
var student = []float64{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
	2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042}

// quantile is that of so many degrees of freedom, rounded down.
func quantile(degrees float64) float64 {
	return student[min(max(int(degrees+1e-9), 1), len(student))-1]
}

// Places of numbers in a vector: energy, and then what account.Counts.EachTimed lists, the cycles first.
const (
	joulesAt = iota
	cyclesAt
)

// vector lists the numbers of counts that only timed work has. The energy is without that of time.
func (s *Sampler) vector(c *account.Counts) []float64 {
	v := []float64{0}
	if s.machine.Joules != nil {
		v[joulesAt] = s.machine.Joules(c) - s.joulesOfTime(c)
	}
	c.EachTimed(func(_ string, n *uint64) { v = append(v, float64(*n)) })
	return v
}

// joulesOfTime is the energy that a machine would need for as long if nothing ran on it.
func (s *Sampler) joulesOfTime(c *account.Counts) float64 {
	if s.machine.Joules == nil {
		return 0
	}
	return s.machine.Joules(&account.Counts{Cycles: c.Cycles, UnitCycles: c.UnitCycles, WorkCycles: c.WorkCycles, On: c.On})
}

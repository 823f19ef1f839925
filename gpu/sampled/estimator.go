package sampled

import (
	"math"

	"spvsim/account"
)

// An estimate has a value, its variance with the degrees of freedom, and a half-width for errors that no variance
// covers, such as that of a stratum without samples (u in docs/model/sampling.md).
type estimate struct{ value, variance, degrees, unsampled float64 }

// estimateOf estimates count `at` of a stratum's untimed units t by the combined ratio estimator, with t's size N:
//
//	Y = R N    V = N² s² (1/n' + min(1, n̄/N))
//
// A stratum without samples uses R of the nearest one with samples, over instructions and over predicted cost. The
// value is the mean Y of the two estimates, and with δ the distance of the strata
//
//	u = |Y₁ − Y₂|/2 + |Y| min(δ demand, 1)/2
//
// While no stratum has samples, R is that of the kind's first launch an instruction, and δ is infinite.
func (s *strata) estimateOf(h *stratum, t total, at int) estimate {
	if t.units == 0 {
		return estimate{}
	}
	near, distance := h, 0.0
	if len(h.samples) == 0 {
		near, distance = s.nearest(&h.signature, true)
	}
	if near == nil && s.firstLaunch.instructions == 0 {
		return estimate{}
	}
	if near == nil {
		y := s.firstLaunch.counted[at] / s.firstLaunch.instructions * t.instructions
		return extrapolated(estimate{}, y, y, 1)
	}
	r, size, otherSize := near.ratio(at), t.instructions, t.cost/near.signature.cost()
	if s.launches {
		size, otherSize = t.cost, t.instructions*near.signature.cost()
	}
	e := estimate{value: r * size}
	squares, degrees := s.dispersion(near, at)
	e.variance = size * size * squares / degrees * (1/near.effectiveSamples() + min(1, near.meanSize()/size))
	e.degrees = degrees
	if near != h {
		e = extrapolated(e, e.value, r*otherSize, min(distance*s.Demand, 1))
	}
	return e
}

// extrapolated sets the value and u of a stratum without samples from its two estimates and the share by which its demand
// may differ from that of the samples.
func extrapolated(e estimate, first, second, share float64) estimate {
	e.value = (first + second) / 2
	e.unsampled = math.Abs(first-second)/2 + math.Abs(e.value)*share/2
	return e
}

// weight returns w_i = L_i n_i, the size of the block if all its units are of the sample's size.
func (x *sample) weight() float64 { return x.blockUnits * x.size }

// ratio returns R = Σ L_i y_i / Σ L_i n_i of count `at`.
func (h *stratum) ratio(at int) float64 {
	list, sum, weights := h.ratioSamples(), 0.0, 0.0
	for i := range list {
		x := &list[i]
		sum, weights = sum+x.blockUnits*x.counted[at], weights+x.weight()
	}
	return sum / weights
}

// residual returns L_i (y_i − R n_i) of a sample's cycles, the error that it brings into the estimate; 0 of the certain one
// that the ratio excludes.
func (h *stratum) residual(i int) float64 {
	if i < len(h.samples)-len(h.ratioSamples()) {
		return 0
	}
	x := &h.samples[i]
	return x.blockUnits * (x.counted[cyclesAt] - h.ratio(cyclesAt)*x.size)
}

// effectiveSamples returns n' = (Σ w)² / Σ w², the number of equally weighted samples with the same variance (Kish's
// effective sample size). Weights 100 and 300 give 400²/100000 = 1.6.
func (h *stratum) effectiveSamples() float64 {
	list, sum, squares := h.ratioSamples(), 0.0, 0.0
	for i := range list {
		w := list[i].weight()
		sum, squares = sum+w, squares+w*w
	}
	return sum * sum / squares
}

// meanSize returns n̄, the mean size of the samples.
func (h *stratum) meanSize() float64 {
	list, sum := h.ratioSamples(), 0.0
	for i := range list {
		sum += list[i].size
	}
	return sum / float64(len(list))
}

// squares returns q = n Σ w_i (y_i/n_i − R)² / Σ w_i over the n samples, and the n − 1 degrees of freedom.
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

// dispersion returns q + weight R² v and its degrees of freedom n − 1 + weight: a stratum's sum of squares, moderated
// by the relative variance within all strata,
//
//	v = (weight spread² + Σ q/R²) / (weight + Σ (n − 1))
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

// A sum adds estimates of strata with independent samples. byDegrees is Σ V²/f.
type sum struct{ value, variance, byDegrees, unsampled float64 }

func (s *sum) add(e estimate) {
	s.value, s.unsampled = s.value+e.value, s.unsampled+e.unsampled
	if e.variance > 0 {
		s.variance, s.byDegrees = s.variance+e.variance, s.byDegrees+e.variance*e.variance/e.degrees
	}
}

// addScaled adds factor × another, independent sum.
func (s *sum) addScaled(o *sum, factor float64) {
	square := factor * factor
	s.value, s.unsampled = s.value+o.value*factor, s.unsampled+o.unsampled*math.Abs(factor)
	s.variance, s.byDegrees = s.variance+o.variance*square, s.byDegrees+o.byDegrees*square*square
}

// degrees returns Satterthwaite's degrees of freedom V² / Σ(V²/f), the maximum without variance.
func (s *sum) degrees() float64 {
	if s.variance == 0 {
		return account.MaxDegrees
	}
	return s.variance * s.variance / s.byDegrees
}

// halfWidth returns the half-width of the 95 % interval, where bias is the relative error common to all samples, and f'
// has Satterthwaite's degrees of freedom:
//
//	half² = t²(f') V + (bias Y)² + u²    f' = V² / Σ(V²/f)
func (s *sum) halfWidth(bias float64) float64 {
	return math.Hypot(account.Quantile(s.degrees())*math.Sqrt(s.variance), math.Hypot(bias*s.value, s.unsampled))
}

// Indices into a vector: energy, then the counts of account.Counts.EachTimed, cycles first.
const (
	joulesAt = iota
	cyclesAt
)

// vector returns the numbers that only timed runs have: joules of events, then all of EachTimed.
func (s *Sampler) vector(c *account.Counts) []float64 {
	v := []float64{0}
	if s.machine.Joules != nil {
		v[joulesAt] = s.machine.Joules(c) - s.machine.joulesOfTime(c)
	}
	c.EachTimed(func(_ string, n *uint64) { v = append(v, float64(*n)) })
	return v
}

// joulesOfTime returns the energy of an idle machine over the durations of c. It is proportional to time, so it is
// estimated from the cycles.
func (m *Machine) joulesOfTime(c *account.Counts) float64 {
	if m.Joules == nil {
		return 0
	}
	return m.Joules(&account.Counts{Cycles: c.Cycles, UnitCycles: c.UnitCycles, WorkCycles: c.WorkCycles, On: c.On})
}

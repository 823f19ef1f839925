package account

import "math"

// Ratio returns the ratio of the cycles of two runs of a job, and its interval: docs/model/sampling.md has the formula.
func (c *Counts) Ratio(of *Counts) (ratio, low, high float64) {
	ratio = float64(c.Cycles) / float64(of.Cycles)
	apart := min(priorShare+math.Abs(math.Log(ratio)), 1) // share of the common error that is another one on the other machine
	s1, b1 := c.relativeHalves()
	s2, b2 := of.relativeHalves()
	half := math.Hypot(math.Sqrt(differingShare(c.units(), of.units()))*math.Hypot(s1, s2), apart*math.Hypot(b1, b2))
	return ratio, ratio * math.Exp(-half), ratio * math.Exp(half)
}

func (c *Counts) units() []SampledUnit {
	if c.Estimate == nil {
		return nil
	}
	return c.Estimate.Units
}

// relativeHalves are the half-widths, as shares of the cycles, of what differs between samples and of what is common to them.
func (c *Counts) relativeHalves() (sampling, common float64) {
	e := c.Estimate
	if e == nil {
		return 0, 0
	}
	n := float64(c.Cycles)
	return math.Sqrt(max(e.Half*e.Half-e.Common*e.Common, 0)) / n, e.Common / n
}

// Prior of the share of the variance that two machines do not have in common, and the units that it counts for.
const (
	priorShare  = 0.125
	priorUnits  = 4
	priorSpread = 0.02 // relative standard deviation of a unit
)

// differingShare is the share of the variance of two times that their ratio has: less than 1 where the same units are slow on both machines.
func differingShare(x, of []SampledUnit) float64 {
	all := float64(priorUnits * 2 * priorSpread * priorSpread)
	differ := priorShare * all
	a, b := deviations(x), deviations(of)
	matched := make([]bool, len(of))
	for i := range x {
		j := nearestUnit(&x[i], of)
		if j < 0 || nearestUnit(&of[j], x) != i {
			differ, all = differ+a[i]*a[i], all+a[i]*a[i]
			continue
		}
		matched[j] = true
		differ, all = differ+(a[i]-b[j])*(a[i]-b[j]), all+a[i]*a[i]+b[j]*b[j]
	}
	for j, m := range matched {
		if !m {
			differ, all = differ+b[j]*b[j], all+b[j]*b[j]
		}
	}
	return differ / all
}

// deviations are the relative differences of units' cycles of an instruction from those of their stratum.
func deviations(list []SampledUnit) (d []float64) {
	type total struct{ cycles, instructions float64 }
	strata := map[string]total{}
	for i := range list {
		u := &list[i]
		t := strata[u.Stratum]
		strata[u.Stratum] = total{t.cycles + u.Weight*u.Timed, t.instructions + u.Weight*float64(u.Instructions)}
	}
	for i := range list {
		u := &list[i]
		t := strata[u.Stratum]
		d = append(d, u.Timed/float64(u.Instructions)*t.instructions/t.cycles-1)
	}
	return d
}

// nearestUnit is the place of the unit of the same launch that begins nearest; -1: there is none.
func nearestUnit(u *SampledUnit, list []SampledUnit) int {
	best, distance := -1, math.Inf(1)
	for i := range list {
		if d := math.Abs(float64(list[i].First) - float64(u.First)); list[i].Launch == u.Launch && d < distance {
			best, distance = i, d
		}
	}
	return best
}

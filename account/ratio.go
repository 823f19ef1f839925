package account

import "math"

// Ratio returns the ratio of the cycles of two runs of a job, and its interval: docs/model/sampling.md has the formula.
func (c *Counts) Ratio(of *Counts) (ratio, low, high float64) {
	ratio = float64(c.Cycles) / float64(of.Cycles)
	apart := min(priorShare+math.Abs(math.Log(ratio)), 1) // share of the common error that is another one on the other machine
	v1, f1, b1 := c.relative()
	v2, f2, b2 := of.relative()
	share := differingShare(c.units(), of.units())
	shared := 1 - min(share, 1) // correlation of the units' deviations
	f := degreesOfSum(v1, f1, v2, f2) / (1 + shared*shared)
	half := math.Hypot(Quantile(f)*math.Sqrt(share*(v1+v2)), apart*math.Hypot(b1, b2))
	return ratio, ratio * math.Exp(-half), ratio * math.Exp(half)
}

func (c *Counts) units() []SampledUnit {
	if c.Estimate == nil {
		return nil
	}
	return c.Estimate.Units
}

// relative returns the variance of the cycles by the choice of samples, with its degrees of freedom, and the half-width of
// the error common to all samples, as shares of the cycles.
func (c *Counts) relative() (variance, degrees, common float64) {
	e := c.Estimate
	if e == nil {
		return 0, 0, 0
	}
	n := float64(c.Cycles)
	deviation := e.sampling() / Quantile(e.Degrees) / n
	return deviation * deviation, e.Degrees, e.Common / n
}

// Prior of the share of the variance that two machines do not have in common, which is the least share too, and the units
// that it counts for.
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
	for i := range x {
		j := nearestUnit(&x[i], of)
		if all += a[i] * a[i]; j >= 0 && nearestUnit(&of[j], x) == i {
			all, differ = all+b[j]*b[j], differ+(a[i]-b[j])*(a[i]-b[j])
			b[j] = 0
			continue
		}
		differ += a[i] * a[i]
	}
	for _, d := range b { // of units without a partner
		differ, all = differ+d*d, all+d*d
	}
	return max(differ/all, priorShare)
}

// deviations are the units' residuals, as multiples of the mean cycles that a unit represents.
func deviations(list []SampledUnit) (d []float64) {
	cycles := 0.0
	for i := range list {
		cycles += list[i].Weight * list[i].Timed
	}
	for i := range list {
		d = append(d, list[i].Residual*float64(len(list))/cycles)
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

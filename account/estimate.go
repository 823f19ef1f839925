package account

import (
	"math"
	"slices"
)

// An Estimate is the uncertainty of cycles of which only a part was timed.
type Estimate struct {
	Cycles     uint64        // the part of all cycles that was not timed
	Half       float64       // half the width of the interval that contains the true number with Confidence, in cycles
	Common     float64       // of that, what is common to all samples
	Degrees    float64       // degrees of freedom of the rest; 0: there is none
	Halves     []Half        // of all that EachTimed lists
	JoulesHalf float64       // of the energy
	Units      []SampledUnit // that were timed
	// NotSampled lists instructions unlike all timed ones: their cycles are extrapolated from the nearest.
	NotSampled []NotSampled
}

// A SampledUnit is a launch, or a window of one, that a sample was taken of.
type SampledUnit struct {
	Stratum      string  `json:"stratum" doc:"step, kind of units and number of the stratum"`
	Launch       int     `json:"launch" doc:"launch of the job, counted from 0"`
	First        uint64  `json:"workgroup" doc:"workgroup with which a window begins; 0 for a launch"`
	Weight       float64 `json:"weight" unit:"units" doc:"units of the block that it was drawn from"`
	Instructions uint64  `json:"instructions" unit:"instructions" doc:"wave instructions issued"`
	Predicted    float64 `json:"predicted" unit:"cycles" doc:"cost that the run without time predicts"`
	Timed        float64 `json:"timed" unit:"cycles" doc:"cycles that it took"`
	Residual     float64 `json:"residual" unit:"cycles" doc:"weight times the cycles that it took more than by its stratum's ratio"`
}

// NotSampled is a number of instructions of which no sample was taken.
type NotSampled struct {
	Instructions uint64 `json:"instructions" unit:"instructions" doc:"wave instructions of the stratum"`
	Reason       string `json:"because" doc:"how they differ from all that was timed"`
}

// Half is half the width of the interval of one of the counts.
type Half struct {
	Name string
	Half float64
}

// Durations is how many of the counts that EachTimed lists are times of the machine or of its parts: they are the first ones.
const Durations = 7

// EachTimed calls do with each count that only timed work has, except for slot cycles: the cycles first.
func (c *Counts) EachTimed(do func(name string, n *uint64)) {
	do("cycles", &c.Cycles)
	do("unit_cycles", &c.UnitCycles)
	do("work_cycles", &c.WorkCycles)
	do("on.units", &c.On.Units)
	do("on.engines", &c.On.Engines)
	do("on.chip", &c.On.Chip)
	do("on.memory", &c.On.Memory)
	do("lds.accesses", &c.LDS.Accesses)
	do("lds.passes", &c.LDS.Passes)
	do("lds.conflict_passes", &c.LDS.ConflictPasses)
	for i := range c.Memory {
		l := &c.Memory[i]
		for _, n := range []struct {
			name string
			n    *uint64
		}{
			{"accesses", &l.Accesses}, {"hits", &l.Hits}, {"in_flight", &l.InFlight}, {"misses", &l.Misses}, {"bytes", &l.Bytes},
			{"written", &l.Written}, {"writebacks", &l.Writebacks}, {"full_cycles", &l.FullCycles},
		} {
			do(l.Name+"."+n.name, n.n)
		}
	}
}

// Confidence is the confidence level of intervals.
const Confidence = 0.95

// Add adds a later estimate. Both may err in the same direction.
func (e *Estimate) Add(o *Estimate) {
	e.Degrees = degreesOfSum(e.sampling(), e.Degrees, o.sampling(), o.Degrees)
	e.Cycles += o.Cycles
	e.Half += o.Half
	e.Common += o.Common
	e.JoulesHalf += o.JoulesHalf
	for i := range o.Halves {
		if len(e.Halves) < len(o.Halves) {
			e.Halves = slices.Clone(o.Halves)
			break
		}
		e.Halves[i].Half += o.Halves[i].Half
	}
	e.Units = append(e.Units, o.Units...)
	for _, n := range o.NotSampled {
		e.notSampled(n)
	}
}

// sampling returns the half-width of what is not common to all samples.
func (e *Estimate) sampling() float64 { return math.Sqrt(max(e.Half*e.Half-e.Common*e.Common, 0)) }

// degreesOfSum returns Satterthwaite's degrees of freedom of a sum of two, (v + w)² / (v²/f + w²/g).
func degreesOfSum(v, f, w, g float64) float64 {
	switch {
	case v == 0 && w == 0:
		return max(f, g)
	case v == 0 || f == 0:
		return g
	case w == 0 || g == 0:
		return f
	}
	return (v + w) * (v + w) / (v*v/f + w*w/g)
}

// MaxDegrees is the limit of degrees of freedom; errors that no sample shows have as many.
const MaxDegrees = 30

// student lists the two-sided 95 % quantiles of Student's t distribution for 1 to MaxDegrees degrees of freedom.
var student = [MaxDegrees]float64{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
	2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042}

// Quantile returns the quantile of Student's t distribution for Confidence and degrees of freedom, rounded down and
// limited to
// 1 to MaxDegrees.
func Quantile(degrees float64) float64 {
	return student[min(max(int(degrees+1e-9), 1), MaxDegrees)-1]
}

// notSampled adds to the instructions that were not sampled for one reason.
func (e *Estimate) notSampled(n NotSampled) {
	for i := range e.NotSampled {
		if e.NotSampled[i].Reason == n.Reason {
			e.NotSampled[i].Instructions += n.Instructions
			return
		}
	}
	e.NotSampled = append(e.NotSampled, n)
}

// Interval returns the confidence interval of the cycles.
func (c *Counts) Interval() (low, high float64) {
	if c.Estimate == nil {
		return float64(c.Cycles), float64(c.Cycles)
	}
	// The timed part is certain.
	return max(float64(c.Cycles)-c.Estimate.Half, float64(c.Cycles-c.Estimate.Cycles)), float64(c.Cycles) + c.Estimate.Half
}

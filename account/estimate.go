package account

// An Estimate is the uncertainty of cycles of which only a part was timed.
type Estimate struct {
	Cycles uint64  // the part of all cycles that was not timed
	Half   float64 // half the width of the interval that contains the true number with Confidence, in cycles
	// NotSampled lists instructions unlike all timed ones: their cycles are extrapolated from the nearest.
	NotSampled []NotSampled
}

// NotSampled is a number of instructions of which no sample was taken.
type NotSampled struct {
	Instructions uint64 `json:"instructions"`
	Reason       string `json:"because"`
}

// Confidence is the confidence level of intervals.
const Confidence = 0.95

// Add adds a later estimate. Both may err in the same direction.
func (e *Estimate) Add(o *Estimate) {
	e.Cycles += o.Cycles
	e.Half += o.Half
	for _, n := range o.NotSampled {
		e.notSampled(n)
	}
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

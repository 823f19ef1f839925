package account

// An Estimate is how sure cycles are of which only a part was timed.
type Estimate struct {
	Cycles uint64  // of all, those that were not timed
	Half   float64 // half the width of the interval in which the true number is with Confidence, in cycles
	// NotSampled is what is unlike all that was timed: its cycles are taken from what is nearest to it.
	NotSampled []NotSampled
}

// NotSampled is instructions of which no sample was taken.
type NotSampled struct {
	Instructions uint64 `json:"instructions"`
	Because      string `json:"because"`
}

// Confidence is that of intervals.
const Confidence = 0.95

// Add adds a later estimate. Both may err in the same direction.
func (e *Estimate) Add(o *Estimate) {
	e.Cycles += o.Cycles
	e.Half += o.Half
	for _, n := range o.NotSampled {
		e.notSampled(n)
	}
}

// notSampled adds to what was not sampled for one reason.
func (e *Estimate) notSampled(n NotSampled) {
	for i := range e.NotSampled {
		if e.NotSampled[i].Because == n.Because {
			e.NotSampled[i].Instructions += n.Instructions
			return
		}
	}
	e.NotSampled = append(e.NotSampled, n)
}

// Interval is where the true number of cycles is.
func (c *Counts) Interval() (low, high float64) {
	if c.Estimate == nil {
		return float64(c.Cycles), float64(c.Cycles)
	}
	// What was timed is certain.
	return max(float64(c.Cycles)-c.Estimate.Half, float64(c.Cycles-c.Estimate.Cycles)), float64(c.Cycles) + c.Estimate.Half
}

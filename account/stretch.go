package account

import "math"

// Stretch multiplies the times that energy depends on by a factor, and leaves the events: the same work at another speed.
func (c *Counts) Stretch(factor float64) {
	for _, n := range []*uint64{&c.Cycles, &c.WorkCycles, &c.UnitCycles} {
		*n = uint64(math.Round(float64(*n) * factor))
	}
}

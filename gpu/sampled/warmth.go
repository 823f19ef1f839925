package sampled

import (
	"spvsim/mem/hierarchy"
)

// A warmth says whether the last level of the caches holds what it would if all had been timed.
type warmth struct {
	capacity float64 // bytes
	line     float64 // bytes
	bytes    float64 // that came since behaviour changed
	asked    float64 // bytes
	enough   bool
}

// Constants of warming, as docs/model/sampling.md gives them.
const (
	full    = 1.2  // sizes of the last level that came in, after which nothing older is left; sets do not fill evenly
	filling = 0.01 // share of lookups that miss, up to which all lines that are needed are there
)

// begin: what comes behaves in another way.
func (w *warmth) begin() { w.bytes, w.asked, w.enough = 0, 0, false }

// turned says whether nothing is left of what the last level held, or hardly any of it would be by now if it were not asked for again and again.
func (w *warmth) turned() bool {
	return w.bytes >= full*w.capacity || w.asked >= 2*full*w.capacity
}

// brought takes down what workgroups brought in: when that is as much as there is space, nothing of before is left, and when it is hardly
// anything of what they asked for, that is there.
func (w *warmth) brought(by *hierarchy.WarmingStats) {
	last := len(by.Fills) - 1
	if last < 0 {
		return
	}
	bytes := float64(by.Fills[last]) * w.line
	w.bytes, w.asked = w.bytes+bytes, w.asked+float64(by.Lookups[last])*w.line
	w.enough = w.enough || bytes <= filling*float64(by.Lookups[last])*w.line || w.turned()
}

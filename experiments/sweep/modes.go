package sweep

import (
	"slices"
	"strings"

	"spvsim/config"
)

// timePaths are the statistics that a functional run lacks.
var timePaths = []string{"cycles", "seconds", "occupancy", "slot_cycles", "lds", "memory"}

// timeless reports whether the statistics are of a functional run, which lacks the path.
func timeless(stats any, path string) bool {
	mode, _ := lookup(stats, "mode")
	first, _, _ := strings.Cut(path, ".")
	return mode == config.ModeFunctional && slices.Contains(timePaths, first)
}

// A modeColumn is a column about the uncertainty of a row's statistics.
type modeColumn struct {
	name, path   string
	fallbackPath string // path of the statistic to use if that one is missing
	none         any    // and where neither is
}

var modeColumns = []modeColumn{
	{"mode", "mode", "", config.ModeTimed},
	{"timed_share", "timed_share", "", 1.0},
	{"cycles_low", "estimate.low", "cycles", nil},
	{"cycles_high", "estimate.high", "cycles", nil},
	{"confidence", "estimate.confidence", "", nil},
}

// modes adds how the points ran, where not all of them were timed as a whole.
func (b *rowsBuilder) modes() {
	if !slices.ContainsFunc(b.stats, func(s any) bool { _, ok := lookup(s, "mode"); return ok }) {
		return
	}
	for _, c := range modeColumns {
		if b.table.column(c.name) == nil {
			b.addColumn(c.name, func(row int) any { return c.valueIn(b.stats[row]) })
		}
	}
	if slices.ContainsFunc(b.stats, func(s any) bool { _, ok := lookup(s, "estimate.low"); return ok }) {
		b.ratios()
	}
}

func (c *modeColumn) valueIn(stats any) any {
	if stats == nil {
		return nil
	}
	for _, path := range []string{c.path, c.fallbackPath} {
		if v, ok := lookup(stats, path); ok && path != "" {
			return v
		}
	}
	return c.none
}

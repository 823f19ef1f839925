package report

import (
	"encoding/json"
	"fmt"
	"html/template"
	"slices"

	"spvsim/account"
	"spvsim/tracing/profile"
)

// unitsOf are the units that a sampled run timed, from the statistics.
func unitsOf(p *profile.Profile) []account.SampledUnit {
	var stats struct {
		Estimate struct{ Units []account.SampledUnit }
	}
	if json.Unmarshal(p.Stats, &stats) != nil {
		return nil
	}
	return stats.Estimate.Units
}

// sampleFigure draws the predicted against the timed cost of each unit; nil: none has both.
func sampleFigure(list []account.SampledUnit) *figure {
	list = slices.DeleteFunc(slices.Clone(list), func(u account.SampledUnit) bool { return u.Predicted <= 0 || u.Timed <= 0 })
	if len(list) == 0 {
		return nil
	}
	var strata []string
	var keys []key
	for i := range list {
		if name := list[i].Stratum; !slices.Contains(strata, name) {
			keys = append(keys, markerKey(len(strata), name))
			strata = append(strata, name)
		}
	}
	f := draw("Units of the sample", "Each mark is a launch, or a window of one, that was timed: its predicted cost, by which units are chosen, against the cycles that it took. Where the marks of a stratum are on a line parallel to the one drawn, prediction "+
		"and time are in one ratio, and its interval is narrow.", keys, func(width float64) template.HTML { return drawUnits(width, list, strata) })
	return &f
}

func drawUnits(width float64, list []account.SampledUnit, strata []string) template.HTML {
	var xs, ys []float64
	for i := range list {
		xs, ys = append(xs, list[i].Predicted), append(ys, list[i].Timed)
	}
	pl := newPlot(width, min(width*0.62, 430), "units of the sample: timed against predicted cycles")
	x, y := newLogAxis(xs), newLogAxis(ys)
	pl.logAxes(x, y, "predicted cycles", "timed cycles")
	if from, to := max(x.from, y.from), min(x.to, y.to); from < to { // where both are equal
		place := func(e float64) (float64, float64) {
			return pl.x((e - x.from) / (x.to - x.from)), pl.y((e - y.from) / (y.to - y.from))
		}
		x1, y1 := place(from)
		x2, y2 := place(to)
		pl.line(x1, y1, x2, y2, "peak")
	}
	for i := range list {
		u := &list[i]
		k := slices.Index(strata, u.Stratum)
		pl.marker(k, pl.x(x.position(u.Predicted)), pl.y(y.position(u.Timed)), levelClass(k)+" mark",
			fmt.Sprintf("%s: launch %d, workgroup %d, of %s units; %s cycles predicted, %s timed", u.Stratum, u.Launch, u.First, shortNumber(u.Weight), shortNumber(u.Predicted), shortNumber(u.Timed)))
	}
	return pl.done()
}

// levelClass is the colour of a marker.
func levelClass(i int) string { return className("l", i%len(markers)) }

// markerKey explains a marker.
func markerKey(i int, name string) key {
	return key{Class: levelClass(i), Name: name, Marker: template.HTML(fmt.Sprintf(`<svg viewBox="-7 -7 14 14" class="shape"><path d="%s" class="%s mark"/></svg>`, markers[i%len(markers)], levelClass(i)))}
}

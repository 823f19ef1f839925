package plots

import (
	"cmp"
	"fmt"
	"math"
	"sort"

	"spvsim/internal/lists"
)

// summaryNames are the names of a summary's category.
var summaryNames = map[string]string{"geomean": "geometric mean", "mean": "mean", "median": "median", "min": "lowest", "max": "highest", "sum": "sum"}

// summarize appends a category with one bar per series, the summary of its bars.
func (b *builder) summarize() error {
	how := combines[b.f.Summary]
	if how == nil {
		return nil
	}
	at := float64(len(b.chart.X.Categories))
	b.chart.X.Categories = append(b.chart.X.Categories, summaryNames[b.f.Summary])
	for i := range b.chart.Panels {
		for k := range b.chart.Panels[i].Series {
			s := &b.chart.Panels[i].Series[k]
			values := lists.Map(s.Points, func(p Point) float64 { return p.Y })
			sort.Float64s(values)
			y := how(values)
			if math.IsNaN(y) {
				return b.f.fail("summary", ErrRange, fmt.Sprintf("a geometric mean of %g in %s: want bars above 0", values[0], cmp.Or(s.Name, "the figure")))
			}
			s.Points = append(s.Points, Point{X: at, Y: y, Low: y, High: y, Rows: len(values)})
		}
	}
	return nil
}

package plots

import (
	"fmt"
	"slices"
	"strings"

	"spvsim/internal/lists"
)

// pool records the axes in which rows at one place differ although the figure does not pool them by name: a swept
// parameter that the figure ignores would vanish in a mean. An axis that a named one determines, as one zipped with it,
// counts as named.
func (b *builder) pool(obs []observation) {
	over := b.namedPools()
	for _, c := range b.axisColumns() {
		if slices.Contains(b.pooled, c.Name) || slices.Contains(b.f.Band.Over, c.Name) {
			continue
		}
		first := map[string]int{}
		for _, o := range obs {
			key := joinCells(over, o.row)
			if other, ok := first[key]; !ok {
				first[key] = o.row
			} else if c.compare(other, o.row) != 0 {
				b.pooled = append(b.pooled, c.Name)
				break
			}
		}
	}
}

func joinCells(columns []*Column, row int) string {
	words := lists.Map(columns, func(c *Column) string { return c.text(row) })
	return strings.Join(words, "\x00")
}

func (b *builder) namedPools() (list []*Column) {
	return lists.Map(b.f.Band.Over, func(name string) *Column { return b.t.Column(name) })
}

// axisColumns returns the varied columns of a table: in one that a sweep wrote, those between point and status. It
// returns nil for other tables.
func (b *builder) axisColumns() (list []*Column) {
	names := b.t.Names()
	from, to := slices.Index(names, "point"), slices.Index(names, "status")
	if from < 0 || to < from {
		return nil
	}
	list = append(list, lists.Map(names[from+1:to], b.t.Column)...)
	return list
}

// warnOfPools adds the warning about the axes that pool recorded.
func (b *builder) warnOfPools() error {
	if len(b.pooled) > 0 {
		slices.Sort(b.pooled)
		names := strings.Join(b.pooled, ", ")
		b.chart.Warnings = append(b.chart.Warnings,
			fmt.Sprintf("rows that differ in %s become one point: name what is pooled (band: {over: %s}), or keep fewer rows by where:", names, names))
	}
	return nil
}

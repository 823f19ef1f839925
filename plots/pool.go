package plots

import (
	"fmt"
	"slices"
	"strings"
)

// pool notes the axes over which rows at one place differ and that the figure does not say it pools: a swept parameter that
// it forgets would vanish in a mean. An axis that follows from those named is named with them, as one that is zipped with them.
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
	words := make([]string, len(columns))
	for i, c := range columns {
		words[i] = c.text(row)
	}
	return strings.Join(words, "\x00")
}

func (b *builder) namedPools() (list []*Column) {
	for _, name := range b.f.Band.Over {
		list = append(list, b.t.Column(name))
	}
	return list
}

// axisColumns are what a table says it varies: in one that a sweep wrote, the columns between point and status. Of other tables
// nothing is known.
func (b *builder) axisColumns() (list []*Column) {
	names := b.t.Names()
	from, to := slices.Index(names, "point"), slices.Index(names, "status")
	if from < 0 || to < from {
		return nil
	}
	for _, name := range names[from+1 : to] {
		list = append(list, b.t.Column(name))
	}
	return list
}

// warnOfPools says what pool noted.
func (b *builder) warnOfPools() error {
	if len(b.pooled) > 0 {
		slices.Sort(b.pooled)
		names := strings.Join(b.pooled, ", ")
		b.chart.Warnings = append(b.chart.Warnings,
			fmt.Sprintf("rows that differ in %s become one point: name what is pooled (band: {over: %s}), or keep fewer rows by where:", names, names))
	}
	return nil
}

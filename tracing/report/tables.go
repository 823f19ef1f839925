package report

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strconv"

	"spvsim/account"
	"spvsim/tracing/profile"
)

func className(kind string, i int) string { return kind + strconv.Itoa(i) }

// levelKeys are the levels that have points.
func levelKeys(p *profile.Profile, points []rooflinePoint) (list []key) {
	for l := range p.Levels {
		if used(points, l) {
			marker := fmt.Sprintf(`<svg viewBox="-7 -7 14 14" class="shape"><path d="%s" class="l%d mark"/></svg>`, markers[l%len(markers)], l)
			list = append(list, key{className("l", l), p.Levels[l].Name, template.HTML(marker)})
		}
	}
	return list
}

// A pointRow is a point of the roofline as text.
type pointRow struct{ Step, Level, Bytes, Intensity, Rate, Bound, Share string }

func pointRows(points []rooflinePoint) (list []pointRow) {
	for _, p := range points {
		list = append(list, pointRow{p.Step, p.Level, short(float64(p.Bytes)), short(p.Intensity), short(p.Rate), short(p.Bound), percent(p.Rate, p.Bound)})
	}
	return list
}

// A kernelRow is a program in a step as text.
type kernelRow struct {
	Step, Name, Waves, Instructions, Operations string
	Shares                                      []string
}

func kernels(p *profile.Profile) (list []kernelRow) {
	for i := range p.Kernels {
		k := &p.Kernels[i]
		row := kernelRow{Step: k.Step, Name: k.Name, Waves: grouped(k.Waves), Instructions: grouped(k.Instructions), Operations: short(float64(k.Operations))}
		total := float64(k.Slots.Total())
		for r := range account.Empty {
			row.Shares = append(row.Shares, percent(float64(k.Slots[r]), total))
		}
		list = append(list, row)
	}
	return list
}

// A listing is a program with where its time went.
type listing struct {
	Name  string
	Open  bool
	Hot   []listingRow // the instructions that cost most
	Lines []listingRow
}

// A listingRow is an instruction.
type listingRow struct {
	PC                            int
	ID, Line, Class, Text, Issues string
	Cycles, Share                 string
	Why                           string
	Bars                          []bar
}

// A bar is a part of the line that shows an instruction's cost.
type bar struct {
	Class string
	Width template.CSS
}

// hottest is how many instructions are shown before the whole listing.
const hottest = 10

func newListing(l *profile.Listing) listing {
	out := listing{Name: l.Name}
	var total, most uint64
	for i := range l.Lines {
		n := l.Lines[i].Cycles.Total()
		total, most = total+n, max(most, n)
	}
	for i := range l.Lines {
		out.Lines = append(out.Lines, newRow(i, &l.Lines[i], total, most))
	}
	order := make([]int, len(l.Lines))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(l.Lines[b].Cycles.Total(), l.Lines[a].Cycles.Total()) })
	for _, i := range order[:min(hottest, len(order))] {
		if l.Lines[i].Cycles.Total() > 0 {
			out.Hot = append(out.Hot, out.Lines[i])
		}
	}
	return out
}

func newRow(pc int, l *profile.Line, total, most uint64) listingRow {
	n := l.Cycles.Total()
	row := listingRow{PC: pc, Class: l.Class, Text: l.Text, Issues: grouped(l.Issues), Cycles: grouped(n), Share: percent(float64(n), float64(total))}
	if l.ID != 0 {
		row.ID = fmt.Sprintf("%%%d", l.ID)
	}
	if l.Line != 0 {
		row.Line = fmt.Sprint(l.Line)
	}
	var first uint64
	for r, c := range l.Cycles {
		if c == 0 {
			continue
		}
		if c > first {
			first, row.Why = c, account.Reason(r).String()
		}
		row.Bars = append(row.Bars, bar{className("b", r), template.CSS(fmt.Sprintf("width:%.2f%%", 100*float64(c)/float64(most)))})
	}
	return row
}

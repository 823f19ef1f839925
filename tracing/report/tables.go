package report

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strconv"

	"spvsim/account"
	"spvsim/tracing"
	"spvsim/tracing/profile"
)

func className(kind string, i int) string { return kind + strconv.Itoa(i) }

// levelKeys are the levels that have points.
func levelKeys(p *profile.Profile, points []rooflinePoint) (list []key) {
	for l := range p.Levels {
		if used(points, l) {
			list = append(list, markerKey(l, p.Levels[l].Name))
		}
	}
	return list
}

// A pointRow is a point of the roofline as text.
type pointRow struct{ Step, Level, Bytes, Intensity, Rate, Bound, Share string }

func pointRows(points []rooflinePoint) (list []pointRow) {
	for _, p := range points {
		list = append(list, pointRow{p.Step, p.Level, shortNumber(float64(p.Bytes)), shortNumber(p.Intensity), shortNumber(p.Rate), shortNumber(p.Bound), percent(p.Rate, p.Bound)})
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
		row := kernelRow{Step: k.Owner(), Name: k.Name, Waves: grouped(k.Waves), Instructions: grouped(k.Instructions), Operations: shortNumber(float64(k.Operations))}
		row.Shares = sharesOf(&k.Slots, &p.Total)
		list = append(list, row)
	}
	return list
}

// A nodeRow is a node of an execution graph as text: its latencies, and its part of the critical path.
type nodeRow struct{ Name, Payloads, Groups, Wait, Start, Launches, Path, Share, Parts string }

func nodes(p *profile.Profile) (list []nodeRow) {
	three := func(w account.WaitSummary) string {
		return grouped(uint64(w.P50)) + " / " + grouped(uint64(w.P95)) + " / " + grouped(uint64(w.Max))
	}
	total := uint64(0)
	for i := range p.Graph {
		total += p.Graph[i].Path.Cycles()
	}
	for i := range p.Graph {
		n := &p.Graph[i]
		list = append(list, nodeRow{n.Name, grouped(n.Payloads), grouped(n.Workgroups), three(n.Wait), three(n.Start), grouped(n.Path.Launches),
			grouped(n.Path.Cycles()), percent(float64(n.Path.Cycles()), float64(total)),
			grouped(n.Path.Wait) + " / " + grouped(n.Path.Start) + " / " + grouped(n.Path.Run)})
	}
	return list
}

// A listing is a program with where its time went.
type listing struct {
	Name   string
	File   string      // of the shader's text; empty: the module has none
	Source []sourceRow // by line of that
	LDS    bool        // some access the LDS
	Hot    rows        // the instructions that cost most
	Lines  rows
	Energy string // of all its instructions; empty: not known
}

// rows are instructions of a listing, with the columns that it has.
type rows struct {
	Lanes, Unit, LDS, Energy, Source bool
	Accesses, Live                   bool
	List                             []listingRow
}

// A listingRow is an instruction.
type listingRow struct {
	PC                            int
	ID, Line, Class, Text, Issues string
	Source                        string // text of the line
	Lanes                         string // share of the lanes that were active
	Unit                          string // cycles of its unit that an access took
	CacheLines, Sectors           string // of an access
	LineBytes                     string // that lanes move in a line
	Live                          string // registers, vector and scalar
	Passes, Conflicts             string // of the LDS
	Energy                        string
	cost
}

// A cost is the slot-cycles of a part.
type cost struct {
	Cycles, Share   string
	Reason, Meaning string // the reason of most of them
	Bars            []bar
}

// A bar is a part of the line that shows a cost.
type bar struct {
	Class, Title string
	Width        template.CSS
}

// hottest is the number of instructions that are shown before the complete listing.
const hottest = 10

func newListing(l *profile.Listing) listing {
	out := listing{Name: l.Name, File: sourceFile(l), Source: sourceRows(l)}
	text := texts(l)
	var total, most uint64
	joules := 0.0
	for i := range l.Lines {
		n := l.Lines[i].Cycles.Total()
		total, most = total+n, max(most, n)
		joules += l.Lines[i].Joules
		out.Lines.LDS = out.Lines.LDS || l.Lines[i].LDSPasses > 0
		out.Lines.Lanes = out.Lines.Lanes || l.Lines[i].IdleLanes > 0
		out.Lines.Unit = out.Lines.Unit || l.Lines[i].UnitCycles > 0
		out.Lines.Accesses = out.Lines.Accesses || l.Lines[i].CacheLines > 0
		out.Lines.Live = out.Lines.Live || l.Lines[i].LiveVector+l.Lines[i].LiveScalar > 0
	}
	if out.Lines.Energy = joules > 0; out.Lines.Energy {
		out.Energy = tracing.JoulesText(joules)
	}
	out.Lines.Source = len(text) > 0
	out.Hot = out.Lines
	for i := range l.Lines {
		row := newRow(i, &l.Lines[i], total, most)
		row.Source = text[l.Lines[i].Line]
		if n := l.Lines[i].Issues * uint64(l.WaveSize); n > 0 {
			row.Lanes = percent(float64(n-min(l.Lines[i].IdleLanes, n)), float64(n))
		}
		out.Lines.List = append(out.Lines.List, row)
	}
	order := make([]int, len(l.Lines))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(l.Lines[b].Cycles.Total(), l.Lines[a].Cycles.Total()) })
	for _, i := range order[:min(hottest, len(order))] {
		if l.Lines[i].Cycles.Total() > 0 {
			out.Hot.List = append(out.Hot.List, out.Lines.List[i])
		}
	}
	return out
}

func newRow(pc int, l *profile.Line, total, most uint64) listingRow {
	row := listingRow{PC: pc, ID: tracing.IDText(l.ID), Line: tracing.LineText(l.Line), Class: l.Class, Text: l.Text, Issues: grouped(l.Issues), cost: newCost(&l.Cycles, total, most)}
	if l.Joules > 0 {
		row.Energy = tracing.JoulesText(l.Joules)
	}
	if l.UnitCycles > 0 && l.Issues > 0 {
		row.Unit = shortNumber(float64(l.UnitCycles) / float64(l.Issues))
	}
	if l.CacheLines > 0 && l.Accesses > 0 {
		row.CacheLines = shortNumber(float64(l.CacheLines) / float64(l.Accesses))
		if l.Sectors > 0 { // older files have none
			row.Sectors = shortNumber(float64(l.Sectors) / float64(l.Accesses))
		}
		row.LineBytes = shortNumber(float64(l.AccessBytes) / float64(l.CacheLines))
	}
	if l.LiveVector+l.LiveScalar > 0 {
		row.Live = fmt.Sprintf("%d, %d", l.LiveVector, l.LiveScalar)
	}
	if l.LDSPasses > 0 {
		row.Passes, row.Conflicts = grouped(l.LDSPasses), grouped(l.Conflicts)
	}
	return row
}

// newCost shows cycles as a share of a total, with bars that are as long as the most of their table.
func newCost(cycles *account.SlotCycles, total, most uint64) cost {
	n := cycles.Total()
	out := cost{Cycles: grouped(n), Share: percent(float64(n), float64(total))}
	var first uint64
	for r, c := range cycles {
		if c == 0 {
			continue
		}
		reason := account.Reason(r)
		if c > first {
			first, out.Reason, out.Meaning = c, reason.String(), reason.Meaning()
		}
		out.Bars = append(out.Bars, newBar(r, c, n, most))
	}
	return out
}

// newBar is the part of a reason, n of all cycles of its row.
func newBar(reason int, n, all, most uint64) bar {
	return bar{className("b", reason), fmt.Sprintf("%s %s", account.Reason(reason), percent(float64(n), float64(all))),
		template.CSS(fmt.Sprintf("width:%.2f%%", 100*float64(n)/float64(most)))}
}

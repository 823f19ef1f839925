// Package report renders profiles as an HTML page: pictures and tables that need neither a network nor a script.
//
// The package does not know how a profile is made.
package report

import (
	_ "embed" // the page's template and style
	"fmt"
	"html/template"
	"io"
	"slices"
	"sync"

	"spvsim/account"
	"spvsim/tracing/profile"
)

//go:embed page.html
var pageText string

//go:embed style.css
var styleText string

// page is read when the first report is made.
var page = sync.OnceValue(func() *template.Template { return template.Must(template.New("page").Parse(pageText)) })

// Widths of the two forms of each picture, in pixels: the page shows the one that fits, so that texts keep their size
// on a narrow screen.
const (
	wide   = 908
	narrow = 340
)

// A figure is a picture in both widths.
type figure struct {
	Title, Text  string
	Wide, Narrow template.HTML
	Keys         []key
}

// A key explains a colour.
type key struct {
	Class, Name string
	Meaning     string        // shown where the pointer rests on it
	Marker      template.HTML // of points; empty for areas
}

// draw draws a picture in both widths.
func draw(title, text string, keys []key, f func(width float64) template.HTML) figure {
	return figure{title, text, f(wide), f(narrow), keys}
}

// A run is one profile in the page's form.
type run struct {
	ID        int
	Name      string // that distinguishes it from the other runs
	Profile   *profile.Profile
	Facts     []fact
	Parts     []partRow
	WhatIf    *whatIfTable
	Latency   *figure
	Latencies []latencyRow
	Lifetime  *figure // of workgroups
	Lifetimes []latencyRow
	Stacks    []figure
	Time      []figure
	Maps      []figure
	Roofline  *figure
	Sample    *figure // of a sampled run
	Points    []pointRow
	Kernels   []kernelRow
	Nodes     []nodeRow
	Launches  *launchTable
	Reasons   []reason
	ByReason  []reasonRow
	Resources []resourceRow
	Levels    []levelRow
	LDS       *ldsTable
	Settings  []setting
	Stats     []statRow
	Listings  []listing
}

// A reason heads a column, with its meaning shown where the pointer rests on it.
type reason struct{ Name, Meaning string }

// reasons returns the stall reasons of resident waves that occur in the total: the columns of the tables.
func reasons(total *account.SlotCycles) (list []reason) {
	for r := range account.Empty {
		if total[r] > 0 {
			list = append(list, reason{r.String(), r.Meaning()})
		}
	}
	return list
}

// sharesOf returns a part's values in those columns, as shares of its resident slot-cycles.
func sharesOf(part, total *account.SlotCycles) (list []string) {
	resident := float64(part.Total() - part[account.Empty])
	for r := range account.Empty {
		if total[r] > 0 {
			list = append(list, percent(float64(part[r]), resident))
		}
	}
	return list
}

// A setting is a field that something set over the preset, or a parameter of the job.
type setting struct{ Path, Value, By string }

type fact struct{ Name, Value, More string }

// Write writes a page of the profiles.
func Write(w io.Writer, list []*profile.Profile) error { return WritePrograms(w, nil, list) }

// WritePrograms writes a page of the work of applications, and of profiles.
func WritePrograms(w io.Writer, programs []*Program, list []*profile.Profile) error {
	view := struct {
		Style      template.CSS
		Programs   []*program
		Runs       []run
		Glossary   []term
		Comparison *comparison
	}{Style: template.CSS(styleText), Glossary: glossary()}
	for i, p := range programs {
		view.Programs = append(view.Programs, newProgram(i+1, p))
	}
	for i, p := range list {
		view.Runs = append(view.Runs, newRun(i+1, p))
	}
	if len(list) > 1 {
		view.Comparison = compare(list)
		for i := range view.Runs {
			view.Runs[i].Name = view.Comparison.Names[i]
		}
	}
	return page().Execute(w, view)
}

func newRun(id int, p *profile.Profile) run {
	r := run{ID: id, Name: p.Job, Profile: p, Facts: facts(p), Parts: partRows(p), WhatIf: newWhatIfTable("", p.WhatIf), Latency: accessLatencies(p), Latencies: latencyRows(p.Latencies), Lifetime: workgroupLifetimes(p), Lifetimes: latencyRows(p.Lifetimes), Stacks: slotFigures(p), Time: time(p), Maps: mapFigures(p), Kernels: kernels(p),
		Reasons: reasons(&p.Total), ByReason: reasonRows(p), Resources: needRows(p), Levels: levelRows(p), LDS: newLDS(p), Nodes: nodes(p), Launches: launches(p), Sample: sampleFigure(unitsOf(p)), Stats: statRows(p.Stats)}
	for _, s := range p.Overrides {
		r.Settings = append(r.Settings, setting(s))
	}
	for i := range p.Listings {
		r.Listings = append(r.Listings, newListing(&p.Listings[i]))
	}
	if points := roofline(p); len(points) > 0 && p.Peak > 0 {
		f := draw("Roofline", "Operations of vector lanes (a multiply-add is two) against the bytes that each level moved. A point near its line is bound by that level; near the top, by the vector units.",
			levelKeys(p, points), func(width float64) template.HTML { return drawRoofline(width, p, points) })
		r.Roofline, r.Points = &f, pointRows(points)
	}
	return r
}

// launching describes the share of launch costs in the run's time if it is large.
func launching(p *profile.Profile) string {
	if p.Launch == 0 {
		return ""
	}
	return fmt.Sprintf("; launch costs: %s of these cycles", grouped(p.Launch))
}

// limited says what the power limit did to the clock.
func limited(p *profile.Profile) string {
	if p.Limited == "" {
		return ""
	}
	return "; " + p.Limited
}

// facts are the numbers at the top.
func facts(p *profile.Profile) []fact {
	var instructions, waves, operations uint64
	for i := range p.Kernels {
		instructions += p.Kernels[i].Instructions
		waves += p.Kernels[i].Waves
		operations += p.Kernels[i].Operations
	}
	cycles := float64(p.Cycles)
	total := float64(p.Total.Total())
	return []fact{
		{"time", grouped(p.Cycles), "cycles, " + shortNumber(cycles/float64(p.ClockMHz)) + " µs" + launching(p) + limited(p)},
		{"waves", grouped(waves), grouped(uint64(p.Slots)) + " slots"},
		{"instructions", shortNumber(float64(instructions)), shortNumber(float64(instructions)/cycles) + " a cycle"},
		{"operations", shortNumber(float64(operations)), percent(float64(operations)/cycles, p.Peak) + " of the peak"},
		{"occupancy", percent(total-float64(p.Total[account.Empty]), total), "of the wave slots, over the run"},
		{"issued", percent(float64(p.Total[account.Issued]), total-float64(p.Total[account.Empty])), "of the cycles of resident waves"},
	}
}

// reasonKeys are the reasons that are there.
func reasonKeys(there *account.SlotCycles) (list []key) {
	for r, n := range there {
		if n > 0 && account.Reason(r) != account.Empty {
			list = append(list, key{Class: className("r", r), Name: account.Reason(r).String(), Meaning: account.Reason(r).Meaning()})
		}
	}
	return list
}

func slotFigures(p *profile.Profile) []figure {
	rows := []stackRow{{"whole machine, with empty slots", p.Total}}
	for i := range p.Kernels {
		k := &p.Kernels[i]
		if i == maxKernels {
			break
		}
		name := k.Name
		if len(p.Steps) > 1 || k.Launch != "" {
			name = k.Owner() + ": " + name
		}
		rows = append(rows, stackRow{name, k.Slots})
	}
	total := make([]account.SlotCycles, p.Engines*p.Units)
	for i := range p.Steps {
		for u := range total {
			total[u].Add(&p.Steps[i].Units[u])
		}
	}
	list := []figure{
		draw("Slot-cycles by program", "Each cycle of each wave slot is charged to one reason: the wave issued, or it waited for what the colour says.", reasonKeys(&p.Total),
			func(width float64) template.HTML { return stack(width, rows) }),
		draw("Slot-cycles by compute unit", "The rest of each column is empty slots. Lines part shader engines.", reasonKeys(&p.Total),
			func(width float64) template.HTML { return units(width, p, total) }),
	}
	if len(p.Steps) < 2 {
		return list
	}
	for i := range min(len(p.Steps), maxKernels) {
		s := &p.Steps[i]
		list = append(list, draw("Compute units in step "+s.Name, "", nil, func(width float64) template.HTML { return units(width, p, s.Units) }))
	}
	return list
}

// maxKernels bounds the programs and steps in pictures; the table has all.
const maxKernels = 24

func time(p *profile.Profile) []figure {
	s := &p.Series
	var slots []curve
	for r, row := range s.Slots {
		if slices.Max(row) > 0 {
			slots = append(slots, curve{account.Reason(r).String(), className("r", r), rate(p, row)})
		}
	}
	list := []figure{draw("Resident waves", "Occupancy over time by what the waves did. Of "+grouped(uint64(p.Slots))+" wave slots.", reasonKeys(&p.Total),
		func(width float64) template.HTML { return overTime(width, 240, p, "waves", true, slots) })}
	list = append(list, queues(p)...)
	for l, row := range s.Levels {
		if slices.Max(row) > 0 {
			list = append(list, bandwidth(p, l))
		}
	}
	if watts := p.Watts(); watts != nil {
		list = append(list, power(p, watts))
	}
	return append(list, draw("Instructions", "Wave instructions issued a cycle, over the whole machine.", nil, func(width float64) template.HTML {
		return overTime(width, 150, p, "instructions a cycle", false, []curve{{"instructions", "r0", rate(p, s.Issued)}})
	}))
}

// power is the picture of the power over time, by groups of parts where the file has them.
func power(p *profile.Profile, watts []float64) figure {
	curves, keys := []curve{{"power", "l0", watts}}, []key(nil)
	groups := p.GroupWatts()
	if groups != nil {
		curves = nil
	}
	for g := range groups {
		class := className("l", g)
		curves, keys = append(curves, curve{groups[g].Name, class, groups[g].Watts}), append(keys, key{Class: class, Name: groups[g].Name})
	}
	return draw("Power", "Watts over the whole machine: instructions at their mean energy, traffic by the bytes of its level, clocks and leakage by what is on. Bytes are counted when an access issues: a burst shows more than is taken at once.", keys,
		func(width float64) template.HTML { return overTime(width, 190, p, "W", groups != nil, curves) })
}

// mostCurves bounds the nodes with a curve: it is the number of colour classes. The others are only in the total.
const mostCurves = 5

// queues draws the payload queue of an execution graph; none if no payload waited.
func queues(p *profile.Profile) (list []figure) {
	s := &p.Series
	if slices.Max(s.Queue) == 0 {
		return nil
	}
	curves := []curve{{"all payloads", "l0", floats(s.Depth)}}
	keys := []key{{Class: "l0", Name: "all payloads"}}
	for i, n := range s.Nodes[:min(len(s.Nodes), mostCurves)] {
		if len(s.Nodes) > 1 {
			curves = append(curves, curve{n.Name, className("l", i+1), floats(n.Depth)})
			keys = append(keys, key{Class: className("l", i+1), Name: n.Name})
		}
	}
	list = append(list, draw("Payloads that wait", fmt.Sprintf("The depth of the enqueue queue: payloads enqueued by shaders and not launched yet, the most in every %d cycles. At most %d waited (graph.queue.peak_depth).",
		s.BinCycles, slices.Max(s.Depth)), keys, func(width float64) template.HTML {
		return overTime(width, 170, p, "payloads", false, curves)
	}))
	if len(s.Payloads) > 0 && slices.Max(s.Payloads) > 0 {
		list = append(list, draw("Payload memory", "Bytes that payloads have, from their allocation until the last workgroup that reads them has ended.", nil, func(width float64) template.HTML {
			return overTime(width, 120, p, "bytes", false, []curve{{"bytes", "l0", rate(p, s.Payloads)}})
		}))
	}
	return list
}

// bandwidth is the picture of one level.
func bandwidth(p *profile.Profile, l int) figure {
	level := &p.Levels[l]
	text := fmt.Sprintf("%s bytes in all, %s of the %s a cycle that the level can move.", shortNumber(float64(level.Bytes)),
		percent(float64(level.Bytes)/float64(p.Cycles), level.BytesPerCycle), shortNumber(level.BytesPerCycle))
	if row := rate(p, p.Series.Levels[l]); slices.Max(row) > level.BytesPerCycle {
		text += " Bytes are counted when an access issues: a burst may show more than the level moves, and takes until later."
	}
	return draw("Bandwidth of "+level.Name, text, nil, func(width float64) template.HTML {
		return overTime(width, 120, p, "bytes a cycle", false, []curve{{level.Name, className("l", l), rate(p, p.Series.Levels[l])}})
	})
}

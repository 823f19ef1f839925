package report

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"

	"spvsim/account"
	"spvsim/tracing"
)

// A Program holds an application's work, by pipeline.
type Program struct {
	Name      string
	Machines  []string
	Levels    []string // of memory, which bytes are indexed by
	Pipelines []Pipeline
	Lacks     []string // missing parts of the page, with the reason
	Compared  []tracing.ComparedDispatch
}

// A Pipeline is all work of one pipeline, or of one kind of transfer.
type Pipeline struct {
	Name, Kind string
	Items      []WorkItem
}

// WorkItem is one dispatch, graph or transfer.
type WorkItem struct {
	Number              uint64
	Name, Queue, Groups string
	Microseconds, Half  float64 // Half: half the width of the time's interval; 0: it was timed
	Untimed             bool    // functional
	Concurrent          bool    // its time is also in that of the launches that it overlapped with, which have a line of their own, with memory and slots
	// Cycles in which its packet became the first of its queue, in which its dependences had completed, and of its end;
	// and the time from its first workgroup to its end.
	Packet, Ready, End, Busy uint64
	Instructions             uint64
	OutOfBounds              uint64 // accesses
	Slots                    account.SlotCycles
	Levels                   []uint64 // bytes

	overlapMicroseconds float64 // of a sum: microseconds of the overlapping ones
}

// mostWork bounds the lines of a pipeline's dispatches.
const mostWork = 200

// A program is a Program as the page shows it.
type program struct {
	ID        int
	Name, Sub string
	Facts     []fact
	Stacks    *figure
	Reasons   []reason
	Levels    []string
	Pipelines []pipeline
	Lacks     []string
	Overlap   bool // some launches were concurrent: lines have their cycles
	WhatIf    []*whatIfTable
	Note      string // on the gains of all tables
}

// A pipeline is a Pipeline as text.
type pipeline struct {
	Name, Kind, Times, Time, Share string
	Min, Mean, Max, Interval       string
	Instructions, OutOfBounds      string
	Shares                         []string
	Items                          []workRow
	More                           string // number of dispatches without a line
}

// A workRow is a piece of work as text.
type workRow struct {
	Number                                                    uint64
	Name, Queue, Groups, Time, Interval, Instructions, Reason string
	Meaning                                                   string // of the reason
	Bars                                                      []bar
	Cycles                                                    []string // for concurrent launches: packet, begin, end, busy
	Levels                                                    []string
}

// sum adds up the work of a pipeline.
func (p *Pipeline) sum() (s WorkItem) {
	for i := range p.Items {
		w := &p.Items[i]
		s.Microseconds += w.Microseconds
		if w.Concurrent {
			s.overlapMicroseconds += w.Microseconds
		}
		s.Half += w.Half
		s.Instructions += w.Instructions
		s.OutOfBounds += w.OutOfBounds
		s.Slots.Add(&w.Slots)
	}
	return s
}

func newProgram(id int, p *Program) *program {
	out := &program{ID: id, Name: p.Name, Levels: p.Levels, Lacks: p.Lacks}
	var total WorkItem
	times, untimed := 0, 0
	for i := range p.Pipelines {
		s := p.Pipelines[i].sum()
		total.Microseconds += s.Microseconds - s.overlapMicroseconds
		total.Half += s.Half
		total.Instructions += s.Instructions
		total.OutOfBounds += s.OutOfBounds
		total.Slots.Add(&s.Slots)
		if p.Pipelines[i].Kind != "overlap" {
			times += len(p.Pipelines[i].Items)
		}
		for k := range p.Pipelines[i].Items {
			if p.Pipelines[i].Items[k].Untimed {
				untimed++
			}
		}
	}
	for i, m := range p.Machines {
		out.Sub += map[bool]string{true: "on ", false: ", "}[i == 0] + m
	}
	out.Facts = programFacts(p, &total, times, untimed)
	out.Reasons = reasons(&total.Slots)
	for i := range p.Pipelines {
		out.Overlap = out.Overlap || p.Pipelines[i].Kind == "overlap"
	}
	for i := range p.Pipelines {
		out.Pipelines = append(out.Pipelines, newPipeline(&p.Pipelines[i], &total, out.Overlap))
	}
	out.Stacks = pipelineStacks(p, &total.Slots)
	out.Note = tracing.WhatIfNote
	for i := range p.Compared {
		d := &p.Compared[i]
		out.WhatIf = append(out.WhatIf, newWhatIfTable(fmt.Sprintf("%s: %s cycles from cold caches", d.Name, d.Statistics.CyclesText()), d.Statistics.WhatIf))
	}
	return out
}

func programFacts(p *Program, total *WorkItem, times, untimed int) []fact {
	more := "simulated"
	if total.Half > 0 {
		more = "± " + shortNumber(total.Half) + " µs, in part estimated"
	}
	slots := float64(total.Slots.Total())
	list := []fact{
		{"time", shortNumber(total.Microseconds), "µs, " + more},
		{"pipelines", grouped(uint64(len(p.Pipelines))), "and kinds of transfers"},
		{"work", grouped(uint64(times)), "dispatches and transfers"},
		{"instructions", shortNumber(float64(total.Instructions)), "of waves"},
		{"occupancy", percent(slots-float64(total.Slots[account.Empty]), slots), "of the wave slots, in dispatches"},
	}
	if untimed > 0 {
		list = append(list, fact{"functional", grouped(uint64(untimed)), "dispatches"})
	}
	if total.OutOfBounds > 0 {
		list = append(list, fact{"out of bounds", grouped(total.OutOfBounds), "accesses, read as zero or dropped"})
	}
	return list
}

// pipelineStacks draws the slot-cycles of the longest pipelines' resident waves; nil if nothing was timed.
func pipelineStacks(p *Program, total *account.SlotCycles) *figure {
	var rows []stackRow
	for i := range p.Pipelines {
		s := p.Pipelines[i].sum()
		s.Slots[account.Empty] = 0
		if s.Slots.Total() > 0 && len(rows) < maxKernels {
			rows = append(rows, stackRow{p.Pipelines[i].Name, s.Slots})
		}
	}
	if len(rows) == 0 {
		return nil
	}
	f := draw("Slot-cycles by pipeline", "What the waves of each pipeline did, the pipeline that takes longest first. Each cycle of each wave is charged to one reason.",
		reasonKeys(total), func(width float64) template.HTML { return stack(width, rows) })
	return &f
}

func newPipeline(p *Pipeline, all *WorkItem, cycles bool) pipeline {
	s := p.sum()
	out := pipeline{Name: p.Name, Kind: p.Kind, Times: grouped(uint64(len(p.Items))), Time: shortNumber(s.Microseconds), Share: percent(s.Microseconds, all.Microseconds),
		Instructions: grouped(s.Instructions)}
	longer := func(a, b WorkItem) int { return cmp.Compare(a.Microseconds, b.Microseconds) }
	out.Min, out.Max = shortNumber(slices.MinFunc(p.Items, longer).Microseconds), shortNumber(slices.MaxFunc(p.Items, longer).Microseconds)
	out.Mean = shortNumber(s.Microseconds / float64(len(p.Items)))
	if s.Half > 0 {
		out.Interval = "± " + shortNumber(s.Half)
	}
	if s.OutOfBounds > 0 {
		out.OutOfBounds = grouped(s.OutOfBounds)
	}
	out.Shares = sharesOf(&s.Slots, &all.Slots)
	for i := range min(len(p.Items), mostWork) {
		out.Items = append(out.Items, newWork(&p.Items[i], cycles))
	}
	if more := len(p.Items) - mostWork; more > 0 {
		out.More = fmt.Sprintf("%d later ones are left out here; the file of rows has all.", more)
	}
	return out
}

func newWork(w *WorkItem, cycles bool) workRow {
	row := workRow{Number: w.Number, Name: w.Name, Queue: w.Queue, Groups: w.Groups, Time: shortNumber(w.Microseconds), Instructions: grouped(w.Instructions)}
	switch {
	case w.Untimed:
		row.Time = "functional"
	case w.Half > 0:
		row.Interval = "± " + shortNumber(w.Half)
	}
	resident := w.Slots.Total() - w.Slots[account.Empty]
	most := uint64(0)
	for r, n := range w.Slots {
		if n == 0 || account.Reason(r) == account.Empty {
			continue
		}
		if n > most {
			most, row.Reason, row.Meaning = n, fmt.Sprintf("%s %s", account.Reason(r), percent(float64(n), float64(resident))), account.Reason(r).Meaning()
		}
		row.Bars = append(row.Bars, newBar(r, n, resident, resident))
	}
	if cycles {
		row.Cycles = []string{grouped(w.Packet), grouped(w.Ready), grouped(w.End), grouped(w.Busy)}
	}
	for _, n := range w.Levels {
		text := shortNumber(float64(n))
		if w.Concurrent {
			text = "–"
		}
		row.Levels = append(row.Levels, text)
	}
	return row
}

package rows

import (
	"fmt"
	"slices"

	"spvsim/tracing/report"
)

// Page returns a program's report: its work by pipeline, the longest first, and the parts that are missing.
func (f *File) Page(name string, lacks ...string) *report.Program {
	p := &report.Program{Name: name, Levels: f.Levels, Lacks: lacks}
	for i := range f.Rows {
		if m := f.Rows[i].Machine; m != "" && !slices.Contains(p.Machines, m) {
			p.Machines = append(p.Machines, m)
		}
	}
	for _, g := range f.groups(func(r *Row) string { return r.Pipeline }) {
		line := report.Pipeline{Name: g.Name, Kind: g.Kind}
		for _, i := range g.rows {
			line.Items = append(line.Items, f.Rows[i].workItem())
		}
		p.Pipelines = append(p.Pipelines, line)
	}
	return p
}

func (r *Row) workItem() report.WorkItem {
	w := report.WorkItem{
		Number: r.Number, Name: r.Name, Queue: r.Queue, Microseconds: r.Microseconds, Untimed: r.Cycles == 0 && r.Kind != "transfer",
		Instructions: r.Instructions, OutOfBounds: r.OutOfBounds, Slots: r.Slots, Levels: r.Levels, Concurrent: r.isConcurrent(),
		Packet: r.Packet, Ready: r.Begin, End: r.Begin + r.Cycles, Busy: r.Busy,
	}
	if r.Kind == "dispatch" {
		w.Groups = fmt.Sprintf("%d × %d × %d", r.Groups[0], r.Groups[1], r.Groups[2])
	}
	if r.Cycles > 0 {
		w.Half = r.Half * r.Microseconds / float64(r.Cycles)
	}
	return w
}

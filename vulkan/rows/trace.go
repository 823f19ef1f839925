package rows

import (
	"fmt"
	"io"
	"strings"

	"spvsim/account"
	"spvsim/tracing/perfetto"
)

// WriteTrace writes a trace for Perfetto's programs: each device a process, each of its queues a track.
func (f *File) WriteTrace(w io.Writer, name string) error {
	return perfetto.WriteProgram(w, f.processes(name))
}

func (f *File) processes(name string) (list []perfetto.Process) {
	at := map[[2]uint64]int{}
	tracks := map[string]uint64{}
	for i := range f.Rows {
		r := &f.Rows[i]
		key := [2]uint64{r.Process, r.Device}
		n, known := at[key]
		if !known {
			n = len(list)
			at[key] = n
			list = append(list, perfetto.Process{Name: fmt.Sprintf("%s on %s", name, r.Machine), ClockMHz: r.ClockMHz})
		}
		work := r.trace(f.Levels)
		work.Queue = r.track(tracks)
		list[n].Items = append(list[n].Items, work)
	}
	return list
}

// track returns the first track of its queue that is idle when the row begins; ends holds the last end of each track.
func (r *Row) track(ends map[string]uint64) string {
	for n := 1; ; n++ {
		name := r.Queue
		switch {
		case r.Kind == overlap:
			name = "all beside each other"
		case n > 1:
			name = fmt.Sprintf("%s, beside %d", r.Queue, n-1)
		}
		key := fmt.Sprintf("%d %d %s", r.Process, r.Device, name)
		if ends[key] <= r.Begin {
			ends[key] = r.Begin + r.Cycles
			return name
		}
	}
}

// trace is the row as a piece of work on its queue's track.
func (r *Row) trace(levels []string) perfetto.WorkItem {
	w := perfetto.WorkItem{Kind: r.Kind, Name: r.Pipeline, From: r.Begin, To: r.Begin + r.Cycles}
	if labels, ok := strings.CutSuffix(r.Name, "/"+r.Pipeline); ok {
		w.Labels = strings.Split(labels, "/")
	}
	add := func(name string, v uint64, counter bool) {
		if v > 0 {
			w.Numbers = append(w.Numbers, perfetto.Number{Name: name, Value: v, Counter: counter})
		}
	}
	for i, axis := range []string{"x", "y", "z"} {
		add("workgroups "+axis, r.Groups[i], false)
	}
	if r.isConcurrent() {
		add("cycles since its packet was the first of its queue", r.Begin+r.Cycles-r.Packet, false)
		add("cycles since its first workgroup", r.Busy, false)
	}
	add("estimated cycles", r.Estimated, false)
	add("bytes", r.TransferBytes, false)
	add("waves", r.Waves, false)
	add("instructions", r.Instructions, true)
	add("LDS passes", r.LDSPasses, true)
	add("LDS conflict passes", r.LDSConflicts, false)
	add("accesses out of bounds", r.OutOfBounds, false)
	for reason, n := range r.Slots {
		if account.Reason(reason) != account.Empty {
			add("slot-cycles "+account.Reason(reason).String(), n, false)
		}
	}
	for i, name := range levels {
		add(name+", bytes", r.Levels[i], true)
	}
	return w
}

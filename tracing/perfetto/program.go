package perfetto

import (
	"fmt"
	"io"

	"google.golang.org/protobuf/encoding/protowire"
)

// A Process is one device of an application's process: the work of its queues in simulated time.
type Process struct {
	Name     string
	ClockMHz float64
	Items    []WorkItem
}

// WorkItem is a dispatch, graph or transfer of a queue. Work of one queue is in order and does not overlap.
type WorkItem struct {
	Queue, Kind, Name string
	Labels            []string // around it, the outermost first
	From, To          uint64   // cycles
	Numbers           []Number
}

// A Number is a property of a piece of work; a counter is drawn over time as well, per cycle.
type Number struct {
	Name    string
	Value   uint64
	Counter bool
}

// WriteProgram writes a trace of an application: for each process a track for each queue, with nested labels around the
// work, and counters.
func WriteProgram(w io.Writer, list []Process) error {
	p := &programWriter{out: newPackets(w, 1)}
	for i := range list {
		p.process(i, &list[i])
	}
	return p.out.close()
}

// A programWriter writes a complete program: in the order of tracks, as Perfetto sorts by time itself.
type programWriter struct {
	out    packets
	tracks uint64
}

func (p *programWriter) process(i int, x *Process) {
	id := p.declare(0, "", descriptorProcess, appendString(appendUint(nil, processID, uint64(i+1)), processName,
		fmt.Sprintf("%s at %g MHz: 1 ns of this trace is 1 cycle", x.Name, x.ClockMHz)))
	queues := map[string]*queueTrack{}
	var order []*queueTrack
	counters := map[string]uint64{}
	for k := range x.Items {
		work := &x.Items[k]
		q := queues[work.Queue]
		if q == nil {
			q = &queueTrack{id: p.declare(id, "queue "+work.Queue, 0, nil)}
			queues[work.Queue], order = q, append(order, q)
		}
		p.writeItem(q, work)
		p.count(id, counters, work)
	}
	for _, q := range order {
		p.endLabels(q, 0)
	}
}

// declare describes a track below another and returns its number; field with more, if not nil, is a further field of
// its description.
func (p *programWriter) declare(parent uint64, name string, field protowire.Number, more []byte) uint64 {
	p.tracks++
	d := appendUint(nil, descriptorUUID, p.tracks)
	if name != "" {
		d = appendString(d, descriptorName, name)
	}
	if more != nil {
		d = appendMessage(d, field, more)
	}
	if parent != 0 {
		d = appendUint(d, descriptorParent, parent)
	}
	p.out.descriptor(d)
	return p.tracks
}

// A queueTrack shows a queue's work, inside of the labels that are open.
type queueTrack struct {
	id     uint64
	labels []string
	last   uint64 // cycle in which its last work ended
}

// endLabels ends labels until only the first so many are open.
func (p *programWriter) endLabels(q *queueTrack, keep int) {
	for len(q.labels) > keep {
		p.out.beginEvent(q.last, typeEnd, q.id)
		p.out.end()
		q.labels = q.labels[:len(q.labels)-1]
	}
}

func (p *programWriter) writeItem(q *queueTrack, w *WorkItem) {
	same := 0
	for same < len(q.labels) && same < len(w.Labels) && q.labels[same] == w.Labels[same] {
		same++
	}
	p.endLabels(q, same)
	for _, name := range w.Labels[same:] {
		p.slice(q, w.From, "label", name)
		p.out.end()
		q.labels = append(q.labels, name)
	}
	p.slice(q, w.From, w.Kind, w.Name)
	for _, n := range w.Numbers {
		p.out.number(n.Name, n.Value)
	}
	p.out.end()
	q.last = max(w.To, w.From)
	p.out.beginEvent(q.last, typeEnd, q.id)
	p.out.end()
}

func (p *programWriter) slice(q *queueTrack, at uint64, category, name string) {
	p.out.beginEvent(at, typeBegin, q.id)
	p.out.category(category)
	p.out.name(name)
}

// count draws a work's counters: their mean over its time, and nothing after it.
func (p *programWriter) count(process uint64, counters map[string]uint64, w *WorkItem) {
	if w.To <= w.From {
		return
	}
	for _, n := range w.Numbers {
		if !n.Counter {
			continue
		}
		id := counters[n.Name]
		if id == 0 {
			id = p.declare(process, n.Name+" a cycle", descriptorCounter, appendUint(nil, counterUnit, unitCount))
			counters[n.Name] = id
		}
		for _, at := range []struct {
			cycle uint64
			value float64
		}{{w.From, float64(n.Value) / float64(w.To-w.From)}, {w.To, 0}} {
			p.out.beginEvent(at.cycle, typeCounter, id)
			p.out.event = appendDouble(p.out.event, eventDouble, at.value)
			p.out.end()
		}
	}
}

package perfetto

import (
	"cmp"
	"slices"

	"spvsim/tracing/probe"
)

// A hardwareQueue is the tracks of one.
type hardwareQueue struct {
	id       uint64
	spans    map[string]*track // by kind, for spans that do not overlap
	launches lanes
	waves    counter
}

// hardwareQueue returns the queue of a name, and describes it on first use.
func (w *Writer) hardwareQueue(name string) *hardwareQueue {
	q := w.hardware[name]
	if q == nil {
		q = &hardwareQueue{id: w.declare(w.process, "queue %s", name), spans: map[string]*track{}, launches: lanes{kind: "launches"}}
		q.waves.id = w.declareCounter("waves of queue "+name, unitCount)
		if w.hardware == nil {
			w.hardware = map[string]*hardwareQueue{}
		}
		w.hardware[name] = q
	}
	return q
}

// QueueLaunches implements probe.QueueTracer.
func (w *Writer) QueueLaunches(list []probe.QueueLaunch) {
	for i := range list {
		l := &list[i]
		w.queueSpan(l, "waits", l.Packet, l.Ready)
		w.queueSpan(l, "packets", l.Read, l.Dispatched)
	}
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b probe.QueueLaunch) int { return cmp.Compare(a.FirstPlaced, b.FirstPlaced) })
	for i := range list {
		w.queueLaunch(&list[i])
	}
}

// queueSpan writes a phase of a packet: the packets of a queue do not overlap.
func (w *Writer) queueSpan(l *probe.QueueLaunch, kind string, from, to uint64) {
	if _, _, ok := w.cut(from, to); !ok {
		return
	}
	q := w.hardwareQueue(l.Queue)
	t := q.spans[kind]
	if t == nil {
		t = &track{id: w.declare(q.id, "%s", kind)}
		q.spans[kind] = t
	}
	w.slice(t, from, to, kind, l.Name)
}

// queueLaunch writes the execution of a launch: the launches of a queue may overlap.
func (w *Writer) queueLaunch(l *probe.QueueLaunch) {
	if _, _, ok := w.cut(l.FirstPlaced, l.Done); !ok {
		return
	}
	q := w.hardwareQueue(l.Queue)
	on, _ := w.lane(q.id, &q.launches, l.FirstPlaced)
	on.busy = l.Done
	w.slice(&on.track, l.FirstPlaced, l.Done, "launches", l.Name)
	w.bounded()
}

package perfetto

import "spvsim/probe"

// A hardwareQueue is the tracks of one.
type hardwareQueue struct {
	id       uint64
	spans    map[string]*track // by kind, of those that do not overlap
	launches lanes
	waves    counter
}

// hardwareQueue is the one of a name, described when first asked for.
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

// QueueSpan fulfils probe.QueueTracer.
func (w *Writer) QueueSpan(s *probe.QueueSpan) {
	if _, _, ok := w.cut(s.From, s.To); !ok {
		return
	}
	q := w.hardwareQueue(s.Queue)
	if s.Kind != "launches" {
		t := q.spans[s.Kind]
		if t == nil {
			t = &track{id: w.declare(q.id, "%s", s.Kind)}
			q.spans[s.Kind] = t
		}
		w.slice(t, s.From, s.To, s.Kind, s.Name)
		return
	}
	l := q.launches.take(s.From)
	if l.id == 0 {
		l.id = w.declare(q.id, "launches %02d", len(q.launches.lanes)-1)
	}
	l.busy = s.To
	w.slice(&l.track, s.From, s.To, s.Kind, s.Name)
	w.bounded()
}

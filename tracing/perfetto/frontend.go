package perfetto

import "spvsim/tracing/probe"

// A frontEnd is the tracks of what the front end does for records.
type frontEnd struct {
	id    uint64 // 0: not described yet
	kinds map[string]*lanes
}

// FrontEnd implements probe.FrontEndTracer. What takes less than a cycle is shown as one.
func (w *Writer) FrontEnd(s *probe.FrontEndSpan) {
	to := max(s.To, s.From+1)
	if _, _, ok := w.cut(s.From, to); !ok {
		return
	}
	f := &w.frontEnd
	if f.id == 0 {
		f.id, f.kinds = w.declare(w.process, "front end"), map[string]*lanes{}
	}
	l := f.kinds[s.Kind]
	if l == nil {
		l = &lanes{kind: s.Kind}
		f.kinds[s.Kind] = l
	}
	on, _ := w.lane(f.id, l, s.From)
	on.busy = to
	w.slice(&on.track, s.From, to, s.Kind, s.Name)
	w.bounded()
}

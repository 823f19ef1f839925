package probe

import "spvsim/account"

// Join combines several Tracers into one; nil if there are none.
func Join(list ...Tracer) Tracer {
	var kept tracers
	for _, t := range list {
		if t != nil {
			kept = append(kept, sampledTracer{Tracer: t})
		}
	}
	switch len(kept) {
	case 0:
		return nil
	case 1:
		return kept[0].Tracer
	}
	return kept
}

// sampledTracer records the cycle of its tracer's next sample.
type sampledTracer struct {
	Tracer
	next uint64
}

type tracers []sampledTracer

func (t tracers) forEach(tell func(x Tracer)) {
	for i := range t {
		tell(t[i].Tracer)
	}
}

func (t tracers) RunBegin(g *Geometry) {
	t.forEach(func(x Tracer) { x.RunBegin(g) })
}

func (t tracers) LaunchBegin(l *LaunchInfo) {
	t.forEach(func(x Tracer) { x.LaunchBegin(l) })
}

func (t tracers) LaunchEnd(end uint64) {
	t.forEach(func(x Tracer) { x.LaunchEnd(end) })
}

func (t tracers) WorkgroupBegin(g *Workgroup) {
	t.forEach(func(x Tracer) { x.WorkgroupBegin(g) })
}

func (t tracers) WorkgroupEnd(at uint64, unit int, index uint64) {
	t.forEach(func(x Tracer) { x.WorkgroupEnd(at, unit, index) })
}

func (t tracers) WaveBegin(w *Wave) {
	t.forEach(func(x Tracer) { x.WaveBegin(w) })
}

func (t tracers) WaveEnd(at uint64, p WaveSlotID) {
	t.forEach(func(x Tracer) { x.WaveEnd(at, p) })
}

func (t tracers) Issue(is *Issue) {
	t.forEach(func(x Tracer) { x.Issue(is) })
}

func (t tracers) Waited(from, to uint64, p WaveSlotID, why account.Reason) {
	t.forEach(func(x Tracer) { x.Waited(from, to, p, why) })
}

func (t tracers) Memory(a *Access) {
	t.forEach(func(x Tracer) { x.Memory(a) })
}

func (t tracers) LDS(a *Access) {
	t.forEach(func(x Tracer) { x.LDS(a) })
}

func (t tracers) AccessDone(at uint64, unit int, id uint64) {
	t.forEach(func(x Tracer) { x.AccessDone(at, unit, id) })
}

func (t tracers) Enqueued(p *PayloadWait) {
	t.forEach(func(x Tracer) { x.Enqueued(p) })
}

func (t tracers) Picked(p *PayloadWait) {
	t.forEach(func(x Tracer) { x.Picked(p) })
}

// Depth implements DepthTracer for the tracers that implement it.
func (t tracers) Depth(d *PayloadDepth) {
	t.forEach(func(x Tracer) {
		if q, ok := x.(DepthTracer); ok {
			q.Depth(d)
		}
	})
}

// FrontEnd implements FrontEndTracer for the tracers that implement it.
func (t tracers) FrontEnd(s *FrontEndSpan) {
	t.forEach(func(x Tracer) {
		if q, ok := x.(FrontEndTracer); ok {
			q.FrontEnd(s)
		}
	})
}

// QueueLaunches implements QueueTracer for the tracers that implement it.
func (t tracers) QueueLaunches(list []QueueLaunch) {
	t.forEach(func(x Tracer) {
		if q, ok := x.(QueueTracer); ok {
			q.QueueLaunches(list)
		}
	})
}

// Sample passes the sample to the tracers that are due.
func (t tracers) Sample(s *Sample) uint64 {
	next := Unknown
	for i := range t {
		if t[i].next <= s.At {
			t[i].next = t[i].Tracer.Sample(s)
		}
		next = min(next, t[i].next)
	}
	return next
}

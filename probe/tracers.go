package probe

import (
	"spvsim/account"
)

// Join makes one Tracer of several: nil of none.
func Join(list ...Tracer) Tracer {
	var kept tracers
	for _, t := range list {
		if t != nil {
			kept = append(kept, joined{Tracer: t})
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

// joined remembers when its tracer wants a sample.
type joined struct {
	Tracer
	next uint64
}

type tracers []joined

func (t tracers) Begin(g *Geometry) {
	for i := range t {
		t[i].Begin(g)
	}
}

func (t tracers) LaunchBegin(l *Launch) {
	for i := range t {
		t[i].LaunchBegin(l)
	}
}

func (t tracers) LaunchEnd(end uint64) {
	for i := range t {
		t[i].LaunchEnd(end)
	}
}

func (t tracers) WorkgroupBegin(g *Workgroup) {
	for i := range t {
		t[i].WorkgroupBegin(g)
	}
}

func (t tracers) WorkgroupEnd(at uint64, unit int, index uint64) {
	for i := range t {
		t[i].WorkgroupEnd(at, unit, index)
	}
}

func (t tracers) WaveBegin(w *Wave) {
	for i := range t {
		t[i].WaveBegin(w)
	}
}

func (t tracers) WaveEnd(at uint64, p Place) {
	for i := range t {
		t[i].WaveEnd(at, p)
	}
}

func (t tracers) Issue(is *Issue) {
	for i := range t {
		t[i].Issue(is)
	}
}

func (t tracers) Waited(from, to uint64, p Place, why account.Reason) {
	for i := range t {
		t[i].Waited(from, to, p, why)
	}
}

func (t tracers) Memory(a *Access) {
	for i := range t {
		t[i].Memory(a)
	}
}

func (t tracers) LDS(a *Access) {
	for i := range t {
		t[i].LDS(a)
	}
}

func (t tracers) AccessDone(at uint64, unit int, id uint64) {
	for i := range t {
		t[i].AccessDone(at, unit, id)
	}
}

func (t tracers) Enqueued(p *PayloadWait) {
	for i := range t {
		t[i].Enqueued(p)
	}
}

func (t tracers) Picked(p *PayloadWait) {
	for i := range t {
		t[i].Picked(p)
	}
}

// Sample asks those whose time has come.
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

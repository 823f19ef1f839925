package cu

import (
	"sync/atomic"

	"spvsim/engine"
	"spvsim/isa"
	"spvsim/mem"
	"spvsim/simd"
)

// Loads of memory that the launch does not write may issue ahead of the engine:
// their values are there whenever one looks, and their time is not known before
// the engine's thread has booked them, in their order, which takes them at
// least what a hit takes. So far the unit goes on.

// outbox is the number of loads of a unit that may wait for the engine.
const outbox = 32

// loads are those of a unit that were issued ahead of the engine. Who runs the
// unit puts them in, the engine's thread books them, and who runs the unit
// then tells their waves.
type loads struct {
	port     *port
	threads  []*mem.Workspace // by thread, of all units
	prepared []prepared       // by wave slot
	list     [outbox]load

	_      [64]byte
	issued atomic.Uint64
	_      [56]byte
	booked atomic.Uint64
	_      [56]byte

	// For who runs the unit.
	known   uint64 // told
	horizon uint64 // the cycle before which none that is not known is done
	scalars int    // not known: whether they wait for free miss entries neither
	room    int    // lines that may miss without having to
	// Of the loads that were asked about in the same cycle.
	asked, askedLines int
	askedScalar       bool
}

// A prepared load is that of the wave in a slot which it is at.
type prepared struct {
	made bool
	load mem.Early
}

// A load was issued ahead of the engine.
type load struct {
	cycle  uint64
	least  uint64 // the cycle before which it is not done
	ticket simd.Ticket
	load   mem.Early
	timing mem.Timing
}

// newLoads is nil where the unit's memory does not know at once what an access takes.
func newLoads(m Memory, threads []*mem.Workspace, slots int) *loads {
	p, ok := m.(*port)
	if !ok || !p.port.Ahead() {
		return nil
	}
	return &loads{port: p, threads: threads, prepared: make([]prepared, slots), horizon: Never}
}

// begin looks at what the unit may do ahead of the engine from cycle now on.
func (l *loads) begin(now uint64) {
	l.room = l.port.port.Room(now)
	for n := l.booked.Load(); n < l.issued.Load(); n++ {
		l.room -= l.at(n).lines()
	}
}

func (l *loads) at(n uint64) *load { return &l.list[n%outbox] }

// lines are those that may take a miss entry of the vector cache.
func (r *load) lines() int { return vectorLines(&r.load) }

func vectorLines(e *mem.Early) int {
	if e.Scalar {
		return 0
	}
	return len(e.Lines)
}

// ask begins a look at the loads of another cycle.
func (l *loads) ask() { l.asked, l.askedLines, l.askedScalar = 0, 0, false }

// may says whether a prepared load may issue with those that were asked about before.
func (l *loads) may(e *mem.Early) bool {
	if e.Scalar && (l.scalars > 0 || l.askedScalar) {
		return false
	}
	l.asked++
	l.askedLines += vectorLines(e)
	l.askedScalar = l.askedScalar || e.Scalar
	return l.issued.Load()-l.known+uint64(l.asked) <= outbox && l.askedLines <= l.room
}

// issue takes a prepared load; what the wave's slot keeps instead is to be written over.
func (l *loads) issue(now uint64, t simd.Ticket, p *prepared) simd.Booking {
	n := l.issued.Load()
	r := l.at(n)
	r.load, p.load, p.made = p.load, r.load, false
	r.cycle, r.ticket = now, t
	ready := now + l.port.port.Least(r.load.Scalar)
	r.least = ready + t.Latency()
	l.horizon = min(l.horizon, r.least)
	l.room -= r.lines()
	if r.load.Scalar {
		l.scalars++
	}
	l.issued.Store(n + 1)
	return simd.Booking{Ready: ready, Free: now + r.load.Busy(), Early: true}
}

// first is the cycle of the first load that is to be booked: for the engine's thread.
func (l *loads) first() uint64 {
	n := l.booked.Load()
	if n == l.issued.Load() {
		return Never
	}
	return l.at(n).cycle
}

// book books the loads of cycle now: for the engine's thread.
func (l *loads) book(now uint64) {
	for n := l.booked.Load(); n < l.issued.Load() && l.at(n).cycle == now; n++ {
		r := l.at(n)
		r.timing = l.port.port.Book(now, &r.load)
		l.booked.Store(n + 1)
	}
}

// hear tells the waves of loads that have been booked.
func (l *loads) hear() {
	booked := l.booked.Load()
	if l.known == booked {
		return
	}
	for ; l.known < booked; l.known++ {
		r := l.at(l.known)
		if r.load.Scalar {
			l.scalars--
		}
		r.ticket.Occupy(r.cycle + r.timing.Busy)
		r.ticket.Known(r.timing.Ready)
	}
	l.horizon = Never
	for n := booked; n < l.issued.Load(); n++ {
		l.horizon = min(l.horizon, l.at(n).least)
	}
}

// Early fulfils simd.Env.
func (u *ComputeUnit) Early(w *simd.Wave, in *isa.Inst) bool {
	l := u.loads
	slot := u.slot(w)
	p := &l.prepared[slot]
	if !p.made {
		pc, _ := w.Where()
		p.made = u.launches[slot].steady[pc] && l.port.port.Prepare(l.threads[u.shared.Worker], &w.State, &l.port.env[slot], in, &p.load)
	}
	return p.made && l.may(&p.load)
}

// load issues a prepared load: ahead of the engine, or in its turn.
func (u *ComputeUnit) load(now uint64, w *simd.Wave, p *prepared) simd.Booking {
	if u.early {
		return u.loads.issue(now, w.Ticket(), p)
	}
	p.made = false
	t := u.loads.port.port.Book(now, &p.load)
	return simd.Booking{Ready: t.Ready, Free: now + t.Busy}
}

// loading readies a launch of which a workgroup comes, and the unit, for loads ahead of the engine.
func (a *Array) loading(u *ComputeUnit, l *Launch) {
	u.shared.Early = u.loads != nil && a.payloads == nil
	if u.shared.Early && l != a.steady {
		a.steady = l
		l.steady = l.Bindings.Steady(l.Code.Program.Insts)
	}
}

// book books the unit's loads of cycle now, hear takes what has become known of them, and first is the cycle in which the
// engine's thread has to book the next.
func (u *ComputeUnit) book(now uint64) {
	if u.loads != nil {
		u.loads.book(now)
	}
}

func (u *ComputeUnit) hear() {
	if u.loads != nil {
		u.loads.hear()
	}
}

func (u *ComputeUnit) first() uint64 {
	if u.loads == nil {
		return engine.Never
	}
	return u.loads.first()
}

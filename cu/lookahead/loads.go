package lookahead

import (
	"sync/atomic"

	"spvsim/engine"
	"spvsim/internal/timing"
	"spvsim/isa"
	"spvsim/mem"
	"spvsim/simd"
)

// Loads of memory that the launch does not write may issue ahead of the engine:
// their values are there whenever one looks, and their time is not known before
// the engine's thread has booked them, in their order, which takes them at
// least what a hit takes. So far the unit goes on.

// maxOutstanding is the number of loads of a unit that may wait for the engine.
const maxOutstanding = 32

// loads are the outstanding loads of a unit. Who runs the unit puts them in, the
// engine's thread books them, and who runs the unit then completes them.
type loads struct {
	port     *mem.Port
	spaces   []*mem.Workspace // by thread, of all units
	prepared []prepared       // by wave slot
	list     [maxOutstanding]load

	_      [64]byte
	issued atomic.Uint64
	_      [56]byte
	booked atomic.Uint64
	_      [56]byte

	// For the caller that runs the unit.
	completed uint64 // loads so far
	horizon   uint64 // the cycle before which none that is outstanding is done
	scalars   int    // outstanding: whether they wait for free miss entries is not known either
	misses    int    // lines that may miss without having to wait for a free entry
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
	answer timing.Response
}

// LoadsOf says through which port the unit's waves load, in so many slots.
func (r *Runner) LoadsOf(p *mem.Port, slots int) {
	if p.Ahead() {
		r.port, r.slots = p, slots
	}
}

// LoadsAhead says that loads of the unit may issue ahead of the engine.
func (r *Runner) LoadsAhead() bool { return r.loads != nil }

func newLoads(p *mem.Port, spaces []*mem.Workspace, slots int) *loads {
	return &loads{port: p, spaces: spaces, prepared: make([]prepared, slots), horizon: engine.Never}
}

// begin looks at what the unit may do ahead of the engine from cycle now on.
func (l *loads) begin(now uint64) {
	l.misses = l.port.FreeMisses(now)
	for n := l.booked.Load(); n < l.issued.Load(); n++ {
		l.misses -= l.at(n).lines()
	}
}

func (l *loads) at(n uint64) *load { return &l.list[n%maxOutstanding] }

// lines are those that may take a miss entry of the vector cache.
func (r *load) lines() int { return vectorLines(&r.load) }

func vectorLines(e *mem.Early) int {
	if e.Scalar {
		return 0
	}
	return len(e.Lines)
}

// before says that no outstanding load is done by a cycle, and begins a look at the loads of that cycle.
func (l *loads) before(cycle uint64) bool {
	l.asked, l.askedLines, l.askedScalar = 0, 0, false
	return cycle < l.horizon
}

// may says whether a prepared load may issue with those that were asked about before.
func (l *loads) may(e *mem.Early) bool {
	if e.Scalar && (l.scalars > 0 || l.askedScalar) {
		return false
	}
	l.asked++
	l.askedLines += vectorLines(e)
	l.askedScalar = l.askedScalar || e.Scalar
	return l.issued.Load()-l.completed+uint64(l.asked) <= maxOutstanding && l.askedLines <= l.misses
}

// MayLoad says whether the load that the wave in a slot is at may issue ahead of
// the engine, with those that were asked about in the same cycle; it may have its values
// then. Steady: it loads what the launch does not write.
func (r *Runner) MayLoad(slot int, steady bool, st *isa.State, env *mem.Env, in *isa.Inst) bool {
	l := r.loads
	p := &l.prepared[slot]
	if !p.made {
		p.made = steady && l.port.Prepare(l.spaces[r.worker], st, env, in, &p.load)
	}
	return p.made && l.may(&p.load)
}

// Load issues the load that the wave in a slot is at, if it was prepared: ahead of the engine, or in its turn.
func (r *Runner) Load(now uint64, slot int, w *simd.Wave) (b simd.Booking, ok bool) {
	p := &r.loads.prepared[slot]
	if !p.made {
		return b, false
	}
	r.loads.port.IssuePrepared(&p.load)
	if r.ahead {
		return r.loads.issue(now, w.Ticket(), p), true
	}
	p.made = false
	t := r.loads.port.Book(now, &p.load)
	return simd.Booking{Ready: t.ReadyAt, Free: t.UnitFreeAt, Full: t.StallCycles, FullOf: t.StallReason}, true
}

// issue takes a prepared load; what the wave's slot keeps instead is to be written over.
func (l *loads) issue(now uint64, t simd.Ticket, p *prepared) simd.Booking {
	n := l.issued.Load()
	r := l.at(n)
	r.load, p.load, p.made = p.load, r.load, false
	r.cycle, r.ticket = now, t
	ready := now + l.port.Least(r.load.Scalar)
	r.least = ready + t.Latency()
	l.horizon = min(l.horizon, r.least)
	l.misses -= r.lines()
	if r.load.Scalar {
		l.scalars++
	}
	l.issued.Store(n + 1)
	return simd.Booking{Ready: ready, Free: now + r.load.Busy(), Outstanding: true}
}

// unbooked is the cycle of the first load that is to be booked: for the engine's thread.
func (r *Runner) unbooked() uint64 {
	if r.loads == nil {
		return engine.Never
	}
	l := r.loads
	n := l.booked.Load()
	if n == l.issued.Load() {
		return engine.Never
	}
	return l.at(n).cycle
}

// book books the loads of cycle now: for the engine's thread.
func (r *Runner) book(now uint64) {
	if r.loads == nil {
		return
	}
	l := r.loads
	for n := l.booked.Load(); n < l.issued.Load() && l.at(n).cycle == now; n++ {
		o := l.at(n)
		o.answer = *l.port.Book(now, &o.load)
		l.booked.Store(n + 1)
	}
}

// learn completes the loads that have been booked.
func (r *Runner) learn() {
	if r.loads != nil {
		r.loads.complete()
	}
}

func (l *loads) complete() {
	booked := l.booked.Load()
	if l.completed == booked {
		return
	}
	for ; l.completed < booked; l.completed++ {
		r := l.at(l.completed)
		if r.load.Scalar {
			l.scalars--
		}
		r.ticket.Occupy(r.answer.UnitFreeAt)
		r.ticket.Known(r.answer.ReadyAt)
	}
	l.horizon = engine.Never
	for n := booked; n < l.issued.Load(); n++ {
		l.horizon = min(l.horizon, l.at(n).least)
	}
}

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
	prepared []preparedSlot   // by wave slot
	list     [maxOutstanding]load

	_           [64]byte
	issuedCount atomic.Uint64
	_           [56]byte
	bookedCount atomic.Uint64
	_           [56]byte

	// For the caller that runs the unit.
	completedCount uint64 // loads so far
	horizon        uint64 // the cycle before which none that is outstanding is done
	scalars        int    // outstanding: whether they wait for free miss entries is not known either
	misses         int    // lines that may miss without having to wait for a free entry
	// Of the loads that were asked about in the same cycle.
	queriedLoads, queriedLines int
	queriedScalar              bool

	response timing.Response // to the last load that was issued ahead
}

// A preparedSlot load is that of the wave in a slot which it is at.
type preparedSlot struct {
	valid bool
	load  mem.Early
}

// A load was issued ahead of the engine.
type load struct {
	cycle     uint64
	notBefore uint64 // the cycle before which it is not done
	ticket    simd.Ticket
	load      mem.Early
	response  timing.Response
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
	return &loads{port: p, spaces: spaces, prepared: make([]preparedSlot, slots), horizon: engine.Never}
}

// beginAhead looks at what the unit may do ahead of the engine from cycle now on.
func (l *loads) beginAhead(now uint64) {
	l.misses = l.port.FreeMisses(now)
	for n := l.bookedCount.Load(); n < l.issuedCount.Load(); n++ {
		l.misses -= l.entry(n).lines()
	}
}

func (l *loads) entry(n uint64) *load { return &l.list[n%maxOutstanding] }

// lines are those that may take a miss entry of the vector cache.
func (r *load) lines() int { return vectorLines(&r.load) }

func vectorLines(e *mem.Early) int {
	if e.Scalar {
		return 0
	}
	return len(e.Lines)
}

// beforeCompletion says that no outstanding load is done by a cycle, and begins a look at the loads of that cycle.
func (l *loads) beforeCompletion(cycle uint64) bool {
	l.queriedLoads, l.queriedLines, l.queriedScalar = 0, 0, false
	return cycle < l.horizon
}

// mayIssue says whether a prepared load may issue with those that were asked about before.
func (l *loads) mayIssue(e *mem.Early) bool {
	if e.Scalar && (l.scalars > 0 || l.queriedScalar) {
		return false
	}
	l.queriedLoads++
	l.queriedLines += vectorLines(e)
	l.queriedScalar = l.queriedScalar || e.Scalar
	return l.issuedCount.Load()-l.completedCount+uint64(l.queriedLoads) <= maxOutstanding && l.queriedLines <= l.misses
}

// MayLoad says whether the load that the wave in a slot is at may issue ahead of
// the engine, with those that were asked about in the same cycle; it may have its values
// then. Steady: it loads what the launch does not write.
func (r *Runner) MayLoad(slot int, steady bool, st *isa.State, env *mem.Env, in *isa.Inst) bool {
	l := r.loads
	p := &l.prepared[slot]
	if !p.valid {
		p.valid = steady && l.port.Prepare(l.spaces[r.worker], st, env, in, &p.load)
	}
	return p.valid && l.mayIssue(&p.load)
}

// Load issues the load that the wave in a slot is at, ahead of the engine or in its turn; nil: it was not prepared.
func (r *Runner) Load(now uint64, slot int, w *simd.Wave) *timing.Response {
	p := &r.loads.prepared[slot]
	if !p.valid {
		return nil
	}
	r.loads.port.IssuePrepared(&p.load)
	if r.ahead {
		return r.loads.issue(now, w.Ticket(), p)
	}
	p.valid = false
	return r.loads.port.Book(now, &p.load)
}

// issue takes a prepared load; what the wave's slot keeps instead is to be written over.
func (l *loads) issue(now uint64, t simd.Ticket, p *preparedSlot) *timing.Response {
	n := l.issuedCount.Load()
	r := l.entry(n)
	r.load, p.load, p.valid = p.load, r.load, false
	r.cycle, r.ticket = now, t
	ready := now + l.port.Least(r.load.Scalar)
	r.notBefore = ready + t.Latency()
	l.horizon = min(l.horizon, r.notBefore)
	l.misses -= r.lines()
	if r.load.Scalar {
		l.scalars++
	}
	l.issuedCount.Store(n + 1)
	l.response = timing.Response{ReadyAt: ready, UnitFreeAt: now + r.load.Busy(), Completion: timing.ByEngine}
	return &l.response
}

// unbooked is the cycle of the first load that is to be booked: for the engine's thread.
func (r *Runner) unbooked() uint64 {
	if r.loads == nil {
		return engine.Never
	}
	l := r.loads
	n := l.bookedCount.Load()
	if n == l.issuedCount.Load() {
		return engine.Never
	}
	return l.entry(n).cycle
}

// bookLoads books the loads of cycle now: for the engine's thread.
func (r *Runner) bookLoads(now uint64) {
	if r.loads == nil {
		return
	}
	l := r.loads
	for n := l.bookedCount.Load(); n < l.issuedCount.Load() && l.entry(n).cycle == now; n++ {
		o := l.entry(n)
		o.response = *l.port.Book(now, &o.load)
		l.bookedCount.Store(n + 1)
	}
}

// completeLoads completes the loads that have been booked.
func (r *Runner) completeLoads() {
	if r.loads != nil {
		r.loads.complete()
	}
}

func (l *loads) complete() {
	booked := l.bookedCount.Load()
	if l.completedCount == booked {
		return
	}
	for ; l.completedCount < booked; l.completedCount++ {
		r := l.entry(l.completedCount)
		if r.load.Scalar {
			l.scalars--
		}
		r.ticket.Occupy(r.response.UnitFreeAt)
		r.ticket.CompleteByEngine(r.response.ReadyAt)
	}
	l.horizon = engine.Never
	for n := booked; n < l.issuedCount.Load(); n++ {
		l.horizon = min(l.horizon, l.entry(n).notBefore)
	}
}

package lookahead

import (
	"sync/atomic"

	"spvsim/engine"
	"spvsim/internal/timing"
	"spvsim/isa"
	"spvsim/mem"
	"spvsim/simd"
)

// Loads from memory that the launch does not write may issue ahead of the engine.
// Their values do not depend on the time. The cycle of their completion is known
// when the engine's thread has booked them, in their order; it is no earlier than
// that of a hit, and up to there the unit runs ahead.

// maxOutstanding is the number of loads of a unit that may wait for the engine.
const maxOutstanding = 32

// loads are the outstanding loads of a unit. The thread that runs the unit adds and completes them, and the engine's thread books them in between.
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
	completedCount uint64 // of loads
	horizon        uint64 // no outstanding load is done before this cycle
	scalars        int    // outstanding scalar loads, of which it is not known whether they wait for a free MSHR
	misses         int    // lines that may miss before one has to wait for a free MSHR
	// Of the loads that were asked about in the same cycle.
	queriedLoads, queriedLines int
	queriedScalar              bool

	response timing.Response // to the last load that was issued ahead
}

// A preparedSlot holds the prepared load of the wave in a slot.
type preparedSlot struct {
	valid bool
	load  mem.PreparedLoad
}

// A load is a load issued ahead of the engine.
type load struct {
	cycle     uint64
	notBefore uint64 // the cycle before which it is not done
	ticket    simd.Ticket
	load      mem.PreparedLoad
	response  timing.Response
}

// LoadsOf sets the port and the number of slots of the unit's loads.
func (r *Runner) LoadsOf(p *mem.Port, slots int) {
	if p.PreparesLoads() {
		r.port, r.slots = p, slots
	}
}

// LoadsAhead reports whether loads of the unit may issue ahead of the engine.
func (r *Runner) LoadsAhead() bool { return r.loads != nil }

func newLoads(p *mem.Port, spaces []*mem.Workspace, slots int) *loads {
	return &loads{port: p, spaces: spaces, prepared: make([]preparedSlot, slots), horizon: engine.Never}
}

// beginAhead counts the lines that may miss from cycle now on.
func (l *loads) beginAhead(now uint64) {
	l.misses = l.port.FreeMSHRs(now)
	for n := l.bookedCount.Load(); n < l.issuedCount.Load(); n++ {
		l.misses -= l.entry(n).lines()
	}
}

func (l *loads) entry(n uint64) *load { return &l.list[n%maxOutstanding] }

// lines returns how many lines of the load may take an MSHR of the vector cache.
func (r *load) lines() int { return vectorLines(&r.load) }

func vectorLines(e *mem.PreparedLoad) int {
	if e.Scalar {
		return 0
	}
	return len(e.Lines)
}

// beforeCompletion reports whether a cycle is before the completion of all outstanding loads, and resets the count of the loads queried in a cycle.
func (l *loads) beforeCompletion(cycle uint64) bool {
	l.queriedLoads, l.queriedLines, l.queriedScalar = 0, 0, false
	return cycle < l.horizon
}

// mayIssue reports whether a prepared load may issue, together with those queried before in this cycle.
func (l *loads) mayIssue(e *mem.PreparedLoad) bool {
	if e.Scalar && (l.scalars > 0 || l.queriedScalar) {
		return false
	}
	l.queriedLoads++
	l.queriedLines += vectorLines(e)
	l.queriedScalar = l.queriedScalar || e.Scalar
	return l.issuedCount.Load()-l.completedCount+uint64(l.queriedLoads) <= maxOutstanding && l.queriedLines <= l.misses
}

// MayLoad reports whether the next load of the wave in a slot may issue ahead of
// the engine, with those queried before in the same cycle. If true, the load has written its registers.
// readOnly: the launch writes nothing that it loads.
func (r *Runner) MayLoad(slot int, steady bool, st *isa.State, env *mem.WaveBindings, in *isa.Inst) bool {
	l := r.loads
	p := &l.prepared[slot]
	if !p.valid {
		p.valid = steady && l.port.PrepareLoad(l.spaces[r.worker], st, env, in, &p.load)
	}
	return p.valid && l.mayIssue(&p.load)
}

// Load issues the next load of the wave in a slot, ahead of the engine or in its turn; nil: it was not prepared.
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
	return r.loads.port.BookPrepared(now, &p.load)
}

// issue appends a prepared load to the outstanding ones. The slot gets the memory of an old one in exchange.
func (l *loads) issue(now uint64, t simd.Ticket, p *preparedSlot) *timing.Response {
	n := l.issuedCount.Load()
	r := l.entry(n)
	r.load, p.load, p.valid = p.load, r.load, false
	r.cycle, r.ticket = now, t
	ready := now + l.port.MinLoadCycles(r.load.Scalar)
	r.notBefore = ready + t.Latency()
	l.horizon = min(l.horizon, r.notBefore)
	l.misses -= r.lines()
	if r.load.Scalar {
		l.scalars++
	}
	l.issuedCount.Store(n + 1)
	l.response = timing.Response{ReadyAt: ready, UnitFreeAt: now + r.load.Busy(), Busy: r.load.Busy(), Completion: timing.ByEngine}
	return &l.response
}

// unbooked returns the cycle of the first load that is not booked yet: for the engine's thread.
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
		o.response = *l.port.BookPrepared(now, &o.load)
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

// Package lookahead runs units of the machine ahead of the engine: conservative
// lookahead, as in parallel discrete-event simulation. A unit says until which
// cycle nothing from outside reaches it, and for each cycle whether others
// could see what it does there. Up to the first cycle in which they could, its
// turns need no events, and any thread may run them: which one does, and when,
// changes no result.
//
// Threads, queues and what they share are here and nowhere else in the machine.
// The package does not know what a unit does in a turn.
package lookahead

import (
	"github.com/sarchlab/akita/v3/sim"

	"spvsim/engine"
	"spvsim/mem"
)

// A Unit is a part of the machine that has turns in cycles of its own. One thread
// at a time calls it.
type Unit interface {
	// Next is the first cycle in which the unit has something to do; engine.Never if there is none.
	Next() uint64
	// Bound is the first cycle in which something from outside may reach the unit; 0 where each of its turns must be an event.
	Bound() uint64
	// Local says of a cycle, which is Next, that no other part can see what the unit does in it.
	Local(cycle uint64) bool
	// Advance does the unit's work of a cycle, if it has any, and says what is Next then.
	Advance(cycle uint64) (next uint64)
	// CountIn says in which copy of the programs' counts the unit counts from now on.
	CountIn(copy int)
}

// MaxAhead bounds how many cycles a unit goes ahead, so that limits and whoever watches the run come to their right.
const MaxAhead = 1024

// minHandOff is the least number of cycles for which a unit is given to the workers.
const minHandOff = 4

// Units are those that run ahead of one engine.
type Units struct {
	engine  *engine.Engine
	runners []*Runner
	pool    *pool // nil: the engine's thread is the only one
}

// New is without units.
func New(e *engine.Engine) *Units { return &Units{engine: e} }

// A Runner runs one unit: in events of the engine, and ahead of it.
type Runner struct {
	unit        Unit
	all         *Units
	alarm       *engine.Alarm
	port        *mem.Port // of which loads may issue ahead; nil: none may
	slots       int       // of waves that load there
	loads       *loads    // nil: none issue ahead
	ahead       bool      // of the engine, at the moment
	cyclesAhead uint64    // ahead of the engine so far
	status
}

// Add takes a unit in. Handler is who calls Turn when its alarm rings.
func (a *Units) Add(u Unit, b *engine.Base, handler sim.Handler) *Runner {
	r := &Runner{unit: u, all: a, alarm: engine.NewAlarm(b, handler, true)}
	a.runners = append(a.runners, r)
	return r
}

// Threads says how many threads run units, the engine's among them.
func (a *Units) Threads(n int) {
	a.End()
	a.pool = nil
	for _, r := range a.runners {
		r.loads = nil
	}
	if n < 2 {
		return
	}
	a.pool = &pool{workers: n - 1}
	spaces := make([]*mem.Workspace, n) // by thread
	for i := range spaces {
		spaces[i] = mem.NewWorkspace()
	}
	for _, r := range a.runners {
		if r.port != nil {
			r.loads = newLoads(r.port, spaces, r.slots)
		}
	}
}

// Copies is how many copies of the programs' counts units count in.
func (a *Units) Copies() int {
	if a.pool == nil {
		return 1
	}
	return a.pool.workers + 1
}

// WorkerCycles is how many turns threads beside the engine's ran so far; none may be at work.
func (a *Units) WorkerCycles() uint64 {
	if a.pool == nil {
		return 0
	}
	return a.pool.workerCycles.Load()
}

// Join takes all units back, for a look at them.
func (a *Units) Join() {
	if a.pool == nil || !a.pool.busy {
		return
	}
	for _, r := range a.runners {
		r.Join()
	}
}

// End takes all units back and ends the workers.
func (a *Units) End() {
	if a.pool == nil || !a.pool.busy {
		return
	}
	a.Join()
	a.pool.stopWorkers()
}

// CyclesAhead is how many turns the unit had ahead of the engine.
func (r *Runner) CyclesAhead() uint64 { return r.cyclesAhead }

// RunEvent is the event of the unit's alarm: its work of the cycle, and of the cycles
// after it in which nothing can reach it nor other parts can see what it does.
func (r *Runner) RunEvent(now uint64) {
	if r.all.pool == nil {
		next := r.unit.Advance(now)
		r.alarm.Set(r.runAlone(next, r.bound(now)))
		return
	}
	if r.isAhead(now) {
		return
	}
	r.Join()
	r.bookLoads(now)
	r.completeLoads()
	r.unit.Advance(now)
	r.goAhead(now)
	r.Plan()
}

// goAhead runs the unit ahead on this thread, or gives it to the workers.
func (r *Runner) goAhead(now uint64) {
	p, until := r.all.pool, r.bound(now)
	if r.loads != nil {
		r.loads.beginAhead(now)
	}
	if !p.starved() {
		r.runAhead(until)
	}
	if p.starved() {
		r.handOff(until)
	}
}

// bound is the cycle before which the unit may go ahead.
func (r *Runner) bound(now uint64) uint64 {
	e := r.all.engine
	if e.NumHooks() > 0 {
		return 0
	}
	return min(r.unit.Bound(), now+MaxAhead, e.Unseen())
}

// runAlone goes ahead where there is one thread, from the next cycle in which the unit has something to do, and returns the one that is next then.
func (r *Runner) runAlone(next, until uint64) uint64 {
	for next < until && r.unit.Local(next) {
		next = r.unit.Advance(next)
		r.cyclesAhead++
	}
	return next
}

// local says that no other part can see what the unit does in a cycle, which is its next.
func (r *Runner) local(cycle uint64) bool {
	if r.loads != nil && !r.loads.beforeCompletion(cycle) {
		return false
	}
	return r.unit.Local(cycle)
}

// handOff gives the unit to the workers where that is worth it, and comes again in
// the cycle in which it would have had its next turn.
func (r *Runner) handOff(until uint64) {
	if next := r.unit.Next(); next+minHandOff <= until && r.local(next) && r.all.pool.enqueue(r, until) {
		r.alarm.Set(min(next, r.unbooked()))
	}
}

// Plan sets the alarm to the next cycle in which the unit has something to do, unless a worker has it.
func (r *Runner) Plan() {
	if !r.lent {
		r.alarm.Set(min(r.unit.Next(), r.unbooked()))
	}
}

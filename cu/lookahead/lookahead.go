// Package lookahead runs units of the machine ahead of the engine: conservative
// lookahead, as in parallel discrete-event simulation (Chandy and Misra 1979). It
// is there for the host's speed only.
//
// The law by which it changes no result: a unit reports a cycle before which
// nothing from outside reaches it (Bound), and for each cycle whether other parts
// can observe what it does there (Local). Up to the first cycle that they can, its
// work depends on its own state alone, and needs no events. Which thread does it,
// and when, makes no difference. Its counts go to a copy for each thread, which are
// added up at the end.
//
// The tests: TestGoingAheadChangesNothing, TestThreadsChangeNothing,
// TestThreadsChangeNothingInGraphs and TestDrawnJobsGoAhead in package internal/systemtest.
//
// All of the machine's threads and queues between threads are in this package.
package lookahead

import (
	"github.com/sarchlab/akita/v3/sim"

	"spvsim/engine"
	"spvsim/mem"
)

// A Unit is a part of the machine that runs in cycles of its own. One thread
// at a time calls it.
type Unit interface {
	// Next returns the first cycle in which the unit has something to do; engine.Never if there is none.
	Next() uint64
	// Bound returns the first cycle in which something from outside may reach the unit; 0: each of its cycles must be an event.
	Bound() uint64
	// Local reports whether no other part can observe what the unit does in a cycle, which is Next.
	Local(cycle uint64) bool
	// Advance does the unit's work of a cycle, if it has any, and returns the following Next.
	Advance(cycle uint64) (next uint64)
	// CountIn sets the copy of the programs' counts that the unit counts in from now on.
	CountIn(copy int)
}

// MaxAhead bounds how many cycles a unit runs ahead, so that limits and samplers are served in time.
const MaxAhead = 1024

// minHandOff is the least number of cycles for which a unit is handed to the workers.
const minHandOff = 4

// Units run ahead of one engine.
type Units struct {
	engine  *engine.Engine
	runners []*Runner
	pool    *pool // nil: the engine's thread is the only one
}

// New makes a set without units.
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

// Add adds a unit. Handler calls RunEvent when its alarm rings.
func (a *Units) Add(u Unit, b *engine.Base, handler sim.Handler) *Runner {
	r := &Runner{unit: u, all: a, alarm: engine.NewAlarm(b, handler, true)}
	a.runners = append(a.runners, r)
	return r
}

// Threads sets how many threads run units, the engine's among them.
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

// Copies returns how many copies of the programs' counts units count in.
func (a *Units) Copies() int {
	if a.pool == nil {
		return 1
	}
	return a.pool.workers + 1
}

// WorkerCycles returns how many cycles of units the workers ran so far; none may be at work.
func (a *Units) WorkerCycles() uint64 {
	if a.pool == nil {
		return 0
	}
	return a.pool.workerCycles.Load()
}

// Join takes all units back from the workers.
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

// CyclesAhead returns how many cycles the unit ran ahead of the engine.
func (r *Runner) CyclesAhead() uint64 { return r.cyclesAhead }

// RunEvent handles the unit's alarm: it does the unit's work of the cycle, and of the cycles
// after it that nothing reaches from outside and no other part observes.
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

// goAhead runs the unit ahead on this thread, or hands it to the workers.
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

// bound returns the cycle before which the unit may run ahead.
func (r *Runner) bound(now uint64) uint64 {
	e := r.all.engine
	if e.NumHooks() > 0 {
		return 0
	}
	return min(r.unit.Bound(), now+MaxAhead, e.NextObservation())
}

// runAlone runs the unit ahead where there is one thread, from the unit's next cycle on, and returns the one that is next then.
func (r *Runner) runAlone(next, until uint64) uint64 {
	for next < until && r.unit.Local(next) {
		next = r.unit.Advance(next)
		r.cyclesAhead++
	}
	return next
}

// local reports whether no other part can observe what the unit does in its next cycle.
func (r *Runner) local(cycle uint64) bool {
	if r.loads != nil && !r.loads.beforeCompletion(cycle) {
		return false
	}
	return r.unit.Local(cycle)
}

// handOff hands the unit to the workers if it may run ahead for long enough, and sets the alarm to
// the cycle in which it would have had its next event.
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

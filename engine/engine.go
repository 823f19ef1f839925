// Package engine is a discrete-event engine with integer time, behind Akita's
// interface: Akita's components, tracers and monitor run on it unchanged.
//
// Time is counted in cycles of one clock. What is planned lies in a calendar, a
// slot for each of the next cycles; what is farther away waits in a heap. Within
// a cycle the primary phase comes before the secondary one, and in each phase
// first what was scheduled, in the order in which it was, then the alarms, by
// their rank. Nothing is allocated for an alarm, nor for a message that its
// sender uses again.
//
// The package does not know what its components do.
package engine

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/sarchlab/akita/v3/sim"
)

// Never is later than every cycle that a run can reach.
const Never = uint64(1) << 58

const (
	// horizon is the number of cycles that the calendar shows.
	horizon = 1024
	// watchEvery is the number of busy cycles between two calls of the watch.
	watchEvery = 1 << 12
	phases     = 2
)

// ErrLimit says that the run reached the cycle at which it had to stop.
var ErrLimit = errors.New("engine: cycle limit reached")

// ErrPast says that something was scheduled for a time that is over.
var ErrPast = errors.New("engine: event in the past")

// An Engine runs events in the order of their cycles. It fulfils sim.Engine and
// must be used from one goroutine; only Pause, Continue and CurrentTime may be
// called from others.
type Engine struct {
	sim.HookableBase
	freq sim.Freq
	now  uint64
	time atomic.Uint64 // bits of the time in seconds, for other goroutines

	phases [phases]phase
	busy   [horizon / 64]uint64 // slots in which something is planned
	cells  []cell
	idle   int32 // first cell that is not in use
	far    later // scheduled events beyond the horizon
	split  later // scheduled events between two cycles
	order  uint64
	late   bool // the secondary phase of the cycle has begun
	early  bool // something has been planned for a primary phase since it ran last: perhaps for that of the cycle

	limit   uint64
	watch   func(now uint64) error
	turns   uint64
	handled uint64 // events and alarms
	sample  func(now uint64) (next uint64)
	sampled uint64 // cycle from which sample is to be called
	err     error

	work   sync.Mutex  // held while the engine runs, or by who paused it
	wanted atomic.Bool // somebody wants to hold it
	held   atomic.Bool
	ends   []sim.SimulationEndHandler
}

// A phase of the calendar.
type phase struct {
	alarms []*Alarm
	words  int // of a slot's bit set
	set    []uint64
	events [horizon]fifo
}

// A fifo is events in the order in which they were scheduled, as numbers of
// cells; 0 is none.
type fifo struct{ first, last int32 }

// A cell holds one event of a fifo. All fifos share the cells.
type cell struct {
	event sim.Event
	next  int32
}

// New makes an engine whose cycles are those of a clock.
func New(freq sim.Freq) *Engine {
	return &Engine{freq: freq, cells: make([]cell, 1, 64), limit: Never, sampled: Never, watch: func(uint64) error { return nil }}
}

// Now is the cycle that the engine is in.
func (e *Engine) Now() uint64 { return e.now }

// Soonest is the first cycle that has its secondary phase before it still: this
// one, unless that has begun.
func (e *Engine) Soonest() uint64 {
	if e.late {
		return e.now + 1
	}
	return e.now
}

// Freq is the clock.
func (e *Engine) Freq() sim.Freq { return e.freq }

// CurrentTime is the time that the engine is in, in seconds.
func (e *Engine) CurrentTime() sim.VTimeInSec {
	return sim.VTimeInSec(math.Float64frombits(e.time.Load()))
}

// Seconds is the time of a cycle, as Akita's clocks count it.
func (e *Engine) Seconds(cycle uint64) sim.VTimeInSec {
	return sim.VTimeInSec(float64(cycle) / float64(e.freq))
}

// Limit sets the cycle at which a run ends with ErrLimit, and who is asked now
// and then whether to go on; an error of his ends the run.
func (e *Engine) Limit(cycle uint64, watch func(now uint64) error) {
	e.limit, e.watch = cycle, watch
}

// Sample has f called at the first busy cycle from cycle on, before its events;
// f says from which cycle on it wants to be called again.
func (e *Engine) Sample(cycle uint64, f func(now uint64) (next uint64)) {
	e.sampled, e.sample = cycle, f
}

// Unseen is the cycle before which only events look at the machine: where the run
// ends at the latest, or is sampled.
func (e *Engine) Unseen() uint64 { return min(e.limit, e.sampled) }

// Handled is how many events the engine ran so far, alarms and messages among them.
func (e *Engine) Handled() uint64 { return e.handled }

// Err is what stopped the run, if anything did.
func (e *Engine) Err() error { return e.err }

// Fail stops the run after the event at hand; the first error stays.
func (e *Engine) Fail(err error) {
	if e.err == nil {
		e.err = err
	}
}

// Clear forgets the error of the last run, before the next.
func (e *Engine) Clear() { e.err = nil }

// Schedule fulfils sim.Engine. An event that is not at a cycle of the clock runs
// between two of them.
func (e *Engine) Schedule(event sim.Event) {
	t := event.Time()
	cycles := float64(t) * float64(e.freq)
	cycle := math.Round(cycles)
	if math.IsNaN(cycles) || cycle < 0 || cycle >= float64(Never) {
		e.Fail(fmt.Errorf("%w: at %v s", ErrPast, float64(t)))
		return
	}
	if math.Abs(cycles-cycle) > onCycle {
		e.order++
		e.split.push(planned{time: t, order: e.order, event: event})
		return
	}
	e.At(uint64(cycle), event)
}

// onCycle is how far from a cycle, in cycles, an event may be to count as at it.
// Times are float64 seconds: after 2^40 cycles their error is below 2^-11.
const onCycle = 1.0 / 1024

// At schedules an event for a cycle, whatever its Time says.
func (e *Engine) At(cycle uint64, event sim.Event) {
	if cycle < e.now {
		e.Fail(fmt.Errorf("%w: cycle %d, in cycle %d", ErrPast, cycle, e.now))
		return
	}
	if cycle-e.now >= horizon {
		e.order++
		e.far.push(planned{cycle: cycle, order: e.order, event: event})
		return
	}
	e.enter(cycle, event)
}

// enter puts an event into the calendar.
func (e *Engine) enter(cycle uint64, event sim.Event) {
	p := 0
	if event.IsSecondary() {
		p = 1
	}
	e.early = e.early || p == 0
	slot := cycle % horizon
	e.append(&e.phases[p].events[slot], event)
	e.busy[slot>>6] |= 1 << (slot & 63)
}

// append puts an event at the end of a fifo.
func (e *Engine) append(f *fifo, event sim.Event) {
	i := e.idle
	if i == 0 {
		i = int32(len(e.cells))
		e.cells = append(e.cells, cell{})
	} else {
		e.idle = e.cells[i].next
	}
	e.cells[i] = cell{event: event}
	if f.first == 0 {
		f.first = i
	} else {
		e.cells[f.last].next = i
	}
	f.last = i
}

// take takes the first event out of a fifo that has one.
func (e *Engine) take(f *fifo) sim.Event {
	i := f.first
	c := &e.cells[i]
	event := c.event
	f.first = c.next
	*c = cell{next: e.idle}
	e.idle = i
	return event
}

// Run fulfils sim.Engine: it runs all events, until none is left or an error
// stops it. Errors of handlers do, unlike with Akita's own engines.
func (e *Engine) Run() error {
	e.work.Lock()
	defer e.work.Unlock()
	for e.err == nil {
		e.yield()
		cycle := e.next()
		if e.runSplit(cycle) {
			continue
		}
		if cycle >= Never {
			break
		}
		if err := e.check(cycle); err != nil {
			e.Fail(err)
			break
		}
		e.advance(cycle)
		e.runCycle()
	}
	return e.err
}

// check says whether the run may enter a cycle.
func (e *Engine) check(cycle uint64) error {
	if cycle >= e.limit {
		return fmt.Errorf("%w: %d cycles", ErrLimit, e.limit)
	}
	if e.turns++; e.turns%watchEvery == 0 {
		return e.watch(cycle)
	}
	return nil
}

// advance moves time to a cycle: what the horizon reaches now enters the calendar.
func (e *Engine) advance(cycle uint64) {
	e.now, e.late = cycle, false
	e.time.Store(math.Float64bits(float64(e.Seconds(cycle))))
	for len(e.far.list) > 0 && e.far.list[0].cycle-cycle < horizon {
		p := e.far.pop()
		if a, ok := p.event.(*Alarm); !ok {
			e.enter(p.cycle, p.event)
		} else if a.cycle == p.cycle && a.placed == Never {
			e.place(a)
		}
	}
	if cycle >= e.sampled {
		e.sampled = e.sample(cycle)
	}
}

// runCycle runs what is planned for the cycle, what is added to it while it runs
// included.
func (e *Engine) runCycle() {
	slot := int(e.now % horizon)
	e.runEarly(slot)
	for e.late = true; e.err == nil && e.step(&e.phases[1], slot); {
		if e.early {
			e.runEarly(slot)
		}
	}
	e.busy[slot>>6] &^= 1 << (slot & 63)
}

// runEarly runs what is planned for the primary phase.
func (e *Engine) runEarly(slot int) {
	for e.early = false; e.err == nil && e.step(&e.phases[0], slot); {
	}
}

// step runs one event or alarm of a phase in the cycle at hand, if there is one.
func (e *Engine) step(ph *phase, slot int) bool {
	if f := &ph.events[slot&(horizon-1)]; f.first != 0 {
		event := e.take(f)
		e.handle(event, event.Handler())
		return true
	}
	for w := range ph.words {
		word := &ph.set[slot*ph.words+w]
		if *word == 0 {
			continue
		}
		a := ph.alarms[w<<6+bits.TrailingZeros64(*word)]
		*word &= *word - 1
		if a.placed == e.now {
			e.ring(a)
		}
		return true
	}
	return false
}

// handle runs an event and notifies the hooks.
func (e *Engine) handle(event sim.Event, by sim.Handler) {
	e.handled++
	if e.NumHooks() == 0 {
		if err := by.Handle(event); err != nil {
			e.Fail(err)
		}
		return
	}
	e.InvokeHook(sim.HookCtx{Domain: e, Pos: sim.HookPosBeforeEvent, Item: event})
	if e.err != nil {
		return // a hook may stop the run
	}
	if err := by.Handle(event); err != nil {
		e.Fail(err)
	}
	e.InvokeHook(sim.HookCtx{Domain: e, Pos: sim.HookPosAfterEvent, Item: event})
}

// next is the first cycle from now on in which something is planned.
func (e *Engine) next() uint64 {
	from := int(e.now % horizon)
	for i := range len(e.busy) + 1 {
		w := (from>>6 + i) % len(e.busy)
		word := e.busy[w]
		switch i {
		case 0:
			word &= ^uint64(0) << (from & 63)
		case len(e.busy):
			word &= 1<<(from&63) - 1
		}
		for ; word != 0; word &= word - 1 {
			slot := w<<6 + bits.TrailingZeros64(word)
			cycle := e.now + uint64((slot-from+horizon)%horizon)
			if e.holds(slot, cycle) {
				return cycle
			}
			e.busy[slot>>6] &^= 1 << (slot & 63)
		}
	}
	for len(e.far.list) > 0 {
		p := &e.far.list[0]
		if a, ok := p.event.(*Alarm); !ok || a.cycle == p.cycle {
			return p.cycle
		}
		e.far.pop() // an alarm that has been set to an earlier cycle since
	}
	return Never
}

// holds says whether something is still planned for the cycle of a slot, and
// drops alarms that have been set to earlier cycles since.
func (e *Engine) holds(slot int, cycle uint64) bool {
	for p := range e.phases {
		ph := &e.phases[p]
		if ph.events[slot].first != 0 {
			return true
		}
		set := ph.set[slot*ph.words : (slot+1)*ph.words]
		for w, word := range set {
			for ; word != 0; word &= word - 1 {
				if ph.alarms[w<<6+bits.TrailingZeros64(word)].placed == cycle {
					return true
				}
			}
			set[w] = 0
		}
	}
	return false
}

// runSplit runs the first event that lies between two cycles, if it comes before
// the given cycle.
func (e *Engine) runSplit(cycle uint64) bool {
	if len(e.split.list) == 0 || cycle < Never && e.split.list[0].time >= e.Seconds(cycle) {
		return false
	}
	p := e.split.pop()
	e.advance(max(e.now, uint64(float64(p.time)*float64(e.freq))))
	e.time.Store(math.Float64bits(float64(p.time)))
	e.handle(p.event, p.event.Handler())
	return true
}

// Pause fulfils sim.Engine: it returns when no event runs, and none does until Continue.
func (e *Engine) Pause() {
	if e.held.Swap(true) {
		return
	}
	e.wanted.Store(true)
	e.work.Lock()
	e.wanted.Store(false)
}

// Continue fulfils sim.Engine.
func (e *Engine) Continue() {
	if e.held.Swap(false) {
		e.work.Unlock()
	}
}

// yield lets somebody pause the engine who wants to.
func (e *Engine) yield() {
	for e.wanted.Load() {
		e.work.Unlock()
		runtime.Gosched()
		e.work.Lock()
	}
}

// RegisterSimulationEndHandler fulfils sim.Engine.
func (e *Engine) RegisterSimulationEndHandler(h sim.SimulationEndHandler) {
	e.ends = append(e.ends, h)
}

// Finished fulfils sim.Engine.
func (e *Engine) Finished() {
	for _, h := range e.ends {
		h.Handle(e.CurrentTime())
	}
}

// Package engine is a discrete-event engine with integer time, behind Akita's interface: Akita's components, tracers
// and monitor run on it unchanged.
//
// Time is counted in cycles of one clock. Planned events are in a calendar with a slot for each of the next cycles;
// events beyond that horizon are in a heap. Within a cycle the primary phase precedes the secondary one, and in each
// phase scheduled events run first, in the order of their scheduling, then the alarms, by rank. Alarms, and messages
// that their sender reuses, cause no allocation.
//
// The package does not know the work of its components.
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

// ErrLimit means that the run reached its cycle limit.
var ErrLimit = errors.New("engine: cycle limit reached")

// ErrPast means that an event was scheduled for a time in the past.
var ErrPast = errors.New("engine: event in the past")

// An Engine runs events in the order of their cycles. It implements sim.Engine and must be used from one goroutine;
// only Pause, Continue and CurrentTime may be called from others.
type Engine struct {
	sim.HookableBase
	freq sim.Freq
	now  uint64
	time atomic.Uint64 // bits of the time in seconds, for other goroutines

	phases         [phases]phase
	busy           [horizon / 64]uint64 // bit set of the slots with events
	cells          []cell
	idle           int32     // first cell that is not in use
	beyondHorizon  eventHeap // scheduled events beyond the horizon
	split          eventHeap // scheduled events between two cycles
	order          uint64
	inSecondary    bool // the secondary phase of the cycle has begun
	primaryPending bool // something has been planned for a primary phase since it ran last: perhaps for that of the cycle

	limit      uint64
	onCheck    func(now uint64) error
	busyCycles uint64
	handled    uint64 // events and alarms
	sample     func(now uint64) (next uint64)
	sampled    uint64 // cycle from which sample is to be called
	err        error

	running        sync.Mutex  // held while the engine runs, or while it is paused
	pauseRequested atomic.Bool // another goroutine wants to hold it
	paused         atomic.Bool
	endHandlers    []sim.SimulationEndHandler
}

// A phase of the calendar.
type phase struct {
	alarms []*Alarm
	words  int // of a slot's bit set
	set    []uint64
	events [horizon]fifo
}

// A fifo is a list of events in the order of their scheduling, as numbers of cells; 0 is none.
type fifo struct{ first, last int32 }

// A cell holds one event of a fifo. All fifos share the cells.
type cell struct {
	event sim.Event
	next  int32
}

// New creates an engine with the cycles of a clock.
func New(freq sim.Freq) *Engine {
	return &Engine{freq: freq, cells: make([]cell, 1, 64), limit: Never, sampled: Never, onCheck: func(uint64) error { return nil }}
}

// Now is the cycle that the engine is in.
func (e *Engine) Now() uint64 { return e.now }

// NextSecondary is the first cycle that has its secondary phase before it still: this
// one, unless that has begun.
func (e *Engine) NextSecondary() uint64 {
	if e.inSecondary {
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

// Limit sets the cycle at which a run ends with ErrLimit, and a function that is called now and then; its error ends
// the run.
func (e *Engine) Limit(cycle uint64, watch func(now uint64) error) {
	e.limit, e.onCheck = cycle, watch
}

// Sample makes the engine call f at the first busy cycle from cycle on, before its events; f returns the cycle of its
// next call.
func (e *Engine) Sample(cycle uint64, f func(now uint64) (next uint64)) {
	e.sampled, e.sample = cycle, f
}

// NextObservation returns the cycle before which only events observe the machine: the next sample, or the limit of the run.
func (e *Engine) NextObservation() uint64 { return min(e.limit, e.sampled) }

// Handled returns the number of events so far, including alarms and messages.
func (e *Engine) Handled() uint64 { return e.handled }

// Err returns the error that stopped the run, if any.
func (e *Engine) Err() error { return e.err }

// Fail stops the run after the current event; the first error is kept.
func (e *Engine) Fail(err error) {
	if e.err == nil {
		e.err = err
	}
}

// Clear forgets the error of the last run, before the next.
func (e *Engine) Clear() { e.err = nil }

// Schedule implements sim.Engine. An event that is not at a cycle of the clock runs between two of them.
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
	e.ScheduleAt(uint64(cycle), event)
}

// onCycle is the tolerance, in cycles, within which an event counts as at a cycle. Times are float64 seconds: after
// 2^40 cycles their error is below 2^-11.
const onCycle = 1.0 / 1024

// ScheduleAt schedules an event for a cycle, regardless of its Time.
func (e *Engine) ScheduleAt(cycle uint64, event sim.Event) {
	if cycle < e.now {
		e.Fail(fmt.Errorf("%w: cycle %d, in cycle %d", ErrPast, cycle, e.now))
		return
	}
	if cycle-e.now >= horizon {
		e.order++
		e.beyondHorizon.push(planned{cycle: cycle, order: e.order, event: event})
		return
	}
	e.insertEvent(cycle, event)
}

// insertEvent adds an event to the calendar.
func (e *Engine) insertEvent(cycle uint64, event sim.Event) {
	p := 0
	if event.IsSecondary() {
		p = 1
	}
	e.primaryPending = e.primaryPending || p == 0
	slot := cycle % horizon
	e.append(&e.phases[p].events[slot], event)
	e.busy[slot>>6] |= 1 << (slot & 63)
}

// append adds an event at the end of a fifo.
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

// popFirst removes the first event of a nonempty fifo.
func (e *Engine) popFirst(f *fifo) sim.Event {
	i := f.first
	c := &e.cells[i]
	event := c.event
	f.first = c.next
	*c = cell{next: e.idle}
	e.idle = i
	return event
}

// Run implements sim.Engine: it runs all events, until none is left or an error stops it. Unlike in Akita's own
// engines, errors of handlers stop it.
func (e *Engine) Run() error {
	e.running.Lock()
	defer e.running.Unlock()
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

// check returns an error if the run must not enter a cycle.
func (e *Engine) check(cycle uint64) error {
	if cycle >= e.limit {
		return fmt.Errorf("%w: %d cycles", ErrLimit, e.limit)
	}
	if e.busyCycles++; e.busyCycles%watchEvery == 0 {
		return e.onCheck(cycle)
	}
	return nil
}

// advance moves time to a cycle: events within the horizon move from the heap to the calendar.
func (e *Engine) advance(cycle uint64) {
	e.now, e.inSecondary = cycle, false
	e.time.Store(math.Float64bits(float64(e.Seconds(cycle))))
	for len(e.beyondHorizon.list) > 0 && e.beyondHorizon.list[0].cycle-cycle < horizon {
		p := e.beyondHorizon.pop()
		if a, ok := p.event.(*Alarm); !ok {
			e.insertEvent(p.cycle, p.event)
		} else if a.cycle == p.cycle && a.slotCycle == Never {
			e.placeAlarm(a)
		}
	}
	if cycle >= e.sampled {
		e.sampled = e.sample(cycle)
	}
}

// runCycle runs the events of the cycle, including those that are added to it while it runs.
func (e *Engine) runCycle() {
	slot := int(e.now % horizon)
	e.runEarly(slot)
	for e.inSecondary = true; e.err == nil && e.runNext(&e.phases[1], slot); {
		if e.primaryPending {
			e.runEarly(slot)
		}
	}
	e.busy[slot>>6] &^= 1 << (slot & 63)
}

// runEarly runs the events of the primary phase.
func (e *Engine) runEarly(slot int) {
	for e.primaryPending = false; e.err == nil && e.runNext(&e.phases[0], slot); {
	}
}

// runNext runs one event or alarm of a phase in the current cycle, if there is one.
func (e *Engine) runNext(ph *phase, slot int) bool {
	if f := &ph.events[slot&(horizon-1)]; f.first != 0 {
		event := e.popFirst(f)
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
		if a.slotCycle == e.now {
			e.fire(a)
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

// next returns the first cycle from now on with an event.
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
			if e.hasEvent(slot, cycle) {
				return cycle
			}
			e.busy[slot>>6] &^= 1 << (slot & 63)
		}
	}
	for len(e.beyondHorizon.list) > 0 {
		p := &e.beyondHorizon.list[0]
		if a, ok := p.event.(*Alarm); !ok || a.cycle == p.cycle {
			return p.cycle
		}
		e.beyondHorizon.pop() // an alarm that has been set to an earlier cycle since
	}
	return Never
}

// hasEvent reports whether an event is still planned for the cycle of a slot, and removes alarms that have been moved to
// earlier cycles since.
func (e *Engine) hasEvent(slot int, cycle uint64) bool {
	for p := range e.phases {
		ph := &e.phases[p]
		if ph.events[slot].first != 0 {
			return true
		}
		set := ph.set[slot*ph.words : (slot+1)*ph.words]
		for w, word := range set {
			for ; word != 0; word &= word - 1 {
				if ph.alarms[w<<6+bits.TrailingZeros64(word)].slotCycle == cycle {
					return true
				}
			}
			set[w] = 0
		}
	}
	return false
}

// runSplit runs the first event between two cycles, if it precedes the given cycle.
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

// Pause implements sim.Engine: it returns when no event runs, and none does until Continue.
func (e *Engine) Pause() {
	if e.paused.Swap(true) {
		return
	}
	e.pauseRequested.Store(true)
	e.running.Lock()
	e.pauseRequested.Store(false)
}

// Continue implements sim.Engine.
func (e *Engine) Continue() {
	if e.paused.Swap(false) {
		e.running.Unlock()
	}
}

// yield lets another goroutine pause the engine.
func (e *Engine) yield() {
	for e.pauseRequested.Load() {
		e.running.Unlock()
		runtime.Gosched()
		e.running.Lock()
	}
}

// RegisterSimulationEndHandler implements sim.Engine.
func (e *Engine) RegisterSimulationEndHandler(h sim.SimulationEndHandler) {
	e.endHandlers = append(e.endHandlers, h)
}

// Finished implements sim.Engine.
func (e *Engine) Finished() {
	for _, h := range e.endHandlers {
		h.Handle(e.CurrentTime())
	}
}

package engine

import (
	"fmt"

	"github.com/sarchlab/akita/v3/sim"
)

// A Base is the common part of this engine's components: Akita's name, hooks and ports, and the counts of their work.
// Components embed it and handle their alarms and messages in Handle.
type Base struct {
	*sim.ComponentBase
	Engine   *Engine
	activity ActivityCounts
	ports    []*Port
}

// ActivityCounts holds the counts of a component.
type ActivityCounts struct {
	Events   uint64 // handled by the engine: alarms that rang, messages that arrived
	Ahead    uint64 // turns that needed no event, as no other part could observe them (package lookahead)
	Calls    uint64 // messages that were handed over within a cycle, without an event
	Sent     uint64 // messages sent as events
	Received uint64 // messages received as events
	// Reservations are the uses that were booked without an event: time is reserved at
	// the component when it is known at once.
	Reservations uint64
}

// A CountingComponent is a component that counts its work.
type CountingComponent interface {
	sim.Component
	Activity() ActivityCounts
}

// NewBase returns the base of a component.
func NewBase(e *Engine, name string) Base {
	return Base{ComponentBase: sim.NewComponentBase(name), Engine: e}
}

// Activity returns the component's counts so far.
func (b *Base) Activity() ActivityCounts {
	w := b.activity
	for _, p := range b.ports {
		w.Calls += p.calls
	}
	return w
}

// CountReservation counts a use that needs no event.
func (b *Base) CountReservation() { b.activity.Reservations++ }

// NotifyRecv implements sim.Component: messages of this engine go to Handle.
func (*Base) NotifyRecv(sim.VTimeInSec, sim.Port) {}

// NotifyPortFree implements sim.Component: ports of this engine are never full.
func (*Base) NotifyPortFree(sim.VTimeInSec, sim.Port) {}

// An Alarm is the next event of a component, and has its own slot in the calendar: at most one is planned, and setting
// it to an earlier cycle moves it. It implements sim.Event.
type Alarm struct {
	base      *Base
	handler   sim.Handler
	cycle     uint64 // cycle that it is set for; Never: not set
	slotCycle uint64 // cycle of the calendar slot that holds it; Never beyond the horizon
	phase     uint8
	rank      int
}

// NewAlarm creates an alarm of a component. Alarms of one cycle and phase ring in the order of their creation.
func NewAlarm(b *Base, handler sim.Handler, secondary bool) *Alarm {
	a := &Alarm{base: b, handler: handler, cycle: Never, slotCycle: Never}
	if secondary {
		a.phase = 1
	}
	ph := &b.Engine.phases[a.phase]
	a.rank = len(ph.alarms)
	ph.alarms = append(ph.alarms, a)
	if words := (len(ph.alarms) + 63) / 64; words > ph.words {
		ph.grow(words)
	}
	return a
}

// grow enlarges the set of each slot.
func (p *phase) grow(words int) {
	set := make([]uint64, horizon*words)
	for slot := range horizon {
		copy(set[slot*words:], p.set[slot*p.words:(slot+1)*p.words])
	}
	p.set, p.words = set, words
}

// Set has the alarm ring in a cycle, which must not be over, unless it rings
// earlier already.
func (a *Alarm) Set(cycle uint64) {
	if cycle < a.cycle {
		a.cycle = cycle
		a.base.Engine.placeAlarm(a)
	}
}

// Cycle returns the cycle that the alarm is set for, or Never.
func (a *Alarm) Cycle() uint64 { return a.cycle }

// Time implements sim.Event.
func (a *Alarm) Time() sim.VTimeInSec { return a.base.Engine.CurrentTime() }

// Handler implements sim.Event.
func (a *Alarm) Handler() sim.Handler { return a.handler }

// IsSecondary implements sim.Event.
func (a *Alarm) IsSecondary() bool { return a.phase == 1 }

// placeAlarm enters the alarm into the calendar, or into the heap beyond the horizon.
func (e *Engine) placeAlarm(a *Alarm) {
	if a.cycle < e.now {
		e.Fail(fmt.Errorf("%w: %s asks for cycle %d, in cycle %d", ErrPast, a.base.Name(), a.cycle, e.now))
		return
	}
	if a.cycle-e.now >= horizon {
		a.slotCycle = Never
		e.order++
		e.beyondHorizon.push(planned{cycle: a.cycle, order: e.order, event: a})
		return
	}
	a.slotCycle = a.cycle
	e.primaryPending = e.primaryPending || a.phase == 0
	p, slot := &e.phases[a.phase], int(a.cycle%horizon)
	p.set[slot*p.words+a.rank>>6] |= 1 << (a.rank & 63)
	e.busy[slot>>6] |= 1 << (slot & 63)
}

// fire runs an alarm at the cycle of its slot.
func (e *Engine) fire(a *Alarm) {
	a.slotCycle, a.cycle = Never, Never
	a.base.activity.Events++
	e.handle(a, a.handler)
}

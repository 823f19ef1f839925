package engine

import (
	"fmt"

	"github.com/sarchlab/akita/v3/sim"
)

// A Base is what components of this engine have in common: Akita's name, hooks
// and ports, and the counts of what they did. Components embed it and handle
// their alarms and messages in Handle.
type Base struct {
	*sim.ComponentBase
	Engine *Engine
	work   Work
	ports  []*Port
}

// Work is what a component did so far.
type Work struct {
	Events   uint64 // that the engine handled: alarms that rang, messages that came
	Ahead    uint64 // turns that needed no event, as no other part could observe them (package lookahead)
	Calls    uint64 // messages that were handed over within a cycle, without an event
	Sent     uint64 // messages that came as events
	Received uint64 // messages that came as events
	// Booked are the uses that were booked without an event: time is reserved at
	// the component when it is known at once.
	Booked uint64
}

// A Worker is a component that counts its work.
type Worker interface {
	sim.Component
	Work() Work
}

// NewBase makes the base of a component.
func NewBase(e *Engine, name string) Base {
	return Base{ComponentBase: sim.NewComponentBase(name), Engine: e}
}

// Work is what the component did so far.
func (b *Base) Work() Work {
	w := b.work
	for _, p := range b.ports {
		w.Calls += p.calls
	}
	return w
}

// Booked counts a use that needs no event.
func (b *Base) Booked() { b.work.Booked++ }

// NotifyRecv fulfils sim.Component: messages of this engine come to Handle.
func (*Base) NotifyRecv(sim.VTimeInSec, sim.Port) {}

// NotifyPortFree fulfils sim.Component: ports of this engine are never full.
func (*Base) NotifyPortFree(sim.VTimeInSec, sim.Port) {}

// An Alarm is the next event of a component, in a place of its own: at most one
// is planned, and setting it to an earlier cycle moves it. It fulfils sim.Event.
type Alarm struct {
	base    *Base
	handler sim.Handler
	cycle   uint64 // it is set for; Never when it is not
	placed  uint64 // cycle of the calendar slot in which it waits; Never beyond the horizon
	phase   uint8
	rank    int
}

// NewAlarm makes an alarm of a component. Alarms of one cycle and phase ring in
// the order in which they were made.
func NewAlarm(b *Base, handler sim.Handler, secondary bool) *Alarm {
	a := &Alarm{base: b, handler: handler, cycle: Never, placed: Never}
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

// grow gives each slot a set of more words.
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
		a.base.Engine.place(a)
	}
}

// Cycle is the one that the alarm is set for, or Never.
func (a *Alarm) Cycle() uint64 { return a.cycle }

// Time fulfils sim.Event.
func (a *Alarm) Time() sim.VTimeInSec { return a.base.Engine.CurrentTime() }

// Handler fulfils sim.Event.
func (a *Alarm) Handler() sim.Handler { return a.handler }

// IsSecondary fulfils sim.Event.
func (a *Alarm) IsSecondary() bool { return a.phase == 1 }

// place puts the alarm into the calendar, or with what waits for the horizon.
func (e *Engine) place(a *Alarm) {
	if a.cycle < e.now {
		e.Fail(fmt.Errorf("%w: %s asks for cycle %d, in cycle %d", ErrPast, a.base.Name(), a.cycle, e.now))
		return
	}
	if a.cycle-e.now >= horizon {
		a.placed = Never
		e.order++
		e.far.push(planned{cycle: a.cycle, order: e.order, event: a})
		return
	}
	a.placed = a.cycle
	e.early = e.early || a.phase == 0
	p, slot := &e.phases[a.phase], int(a.cycle%horizon)
	p.set[slot*p.words+a.rank>>6] |= 1 << (a.rank & 63)
	e.busy[slot>>6] |= 1 << (slot & 63)
}

// ring runs an alarm whose slot has come.
func (e *Engine) ring(a *Alarm) {
	a.placed, a.cycle = Never, Never
	a.base.work.Events++
	e.handle(a, a.handler)
}

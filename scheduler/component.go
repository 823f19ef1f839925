package scheduler

import (
	"github.com/sarchlab/akita/v3/sim"

	"spvsim/cu"
)

// component is the dispatcher's part that Akita knows: its name, its events.
type component struct {
	*sim.ComponentBase
	engine    sim.Engine
	freq      sim.Freq
	spare     []*tick
	scheduled uint64 // cycle of the next event that is not stale
}

func newComponent(name string, clockMHz int) component {
	return component{
		ComponentBase: sim.NewComponentBase(name),
		freq:          sim.Freq(clockMHz) * sim.MHz,
		scheduled:     cu.Never,
	}
}

// Bind gives the dispatcher its engine and its compute units.
func (d *Dispatcher) Bind(e sim.Engine, c *cu.Cluster) { d.component.engine, d.cluster = e, c }

// NotifyRecv fulfils sim.Component: compute units are called, not sent messages.
func (component) NotifyRecv(sim.VTimeInSec, sim.Port) {}

// NotifyPortFree fulfils sim.Component.
func (component) NotifyPortFree(sim.VTimeInSec, sim.Port) {}

// A tick is the dispatcher's event; it comes before the compute units' work of the same cycle.
type tick struct {
	cycle   uint64
	time    sim.VTimeInSec
	handler sim.Handler
}

func (t *tick) Time() sim.VTimeInSec { return t.time }
func (t *tick) Handler() sim.Handler { return t.handler }
func (t *tick) IsSecondary() bool    { return false }

// wake asks for a tick in the given cycle, unless an earlier one is planned.
func (d *Dispatcher) wake(cycle uint64) {
	if cycle >= d.scheduled {
		return
	}
	var t *tick
	if n := len(d.spare); n > 0 {
		t, d.spare = d.spare[n-1], d.spare[:n-1]
	} else {
		t = &tick{handler: d}
	}
	t.cycle, t.time = cycle, cu.Seconds(cycle, d.freq)
	d.scheduled = cycle
	d.component.engine.Schedule(t)
}

// Handle fulfils sim.Handler. Events overtaken by an earlier one are stale.
func (d *Dispatcher) Handle(e sim.Event) error {
	t := e.(*tick)
	cycle := t.cycle
	d.spare = append(d.spare, t)
	if cycle == d.scheduled {
		d.scheduled = cu.Never
		d.tick(cycle)
	}
	return nil
}

package scheduler

import (
	"github.com/sarchlab/akita/v3/sim"

	"spvsim/cu"
)

// component is the part of a dispatcher or scheduler that Akita knows: its name, its events.
type component struct {
	*sim.ComponentBase
	engine    sim.Engine
	freq      sim.Freq
	spare     []*tick
	scheduled uint64           // cycle of the next event that is not stale
	work      func(now uint64) // what an event is for
}

func newComponent(name string, clockMHz int) component {
	return component{
		ComponentBase: sim.NewComponentBase(name),
		freq:          sim.Freq(clockMHz) * sim.MHz,
		scheduled:     cu.Never,
	}
}

// Bind gives the dispatcher its engine and its compute units.
func (d *Dispatcher) Bind(e sim.Engine, c *cu.Cluster) {
	d.component.engine, d.cluster, d.work = e, c, d.tick
}

// NotifyRecv fulfils sim.Component: compute units are called, not sent messages.
func (*component) NotifyRecv(sim.VTimeInSec, sim.Port) {}

// NotifyPortFree fulfils sim.Component.
func (*component) NotifyPortFree(sim.VTimeInSec, sim.Port) {}

// A tick is the component's event; it comes before the compute units' work of the same cycle.
type tick struct {
	cycle   uint64
	time    sim.VTimeInSec
	handler sim.Handler
}

func (t *tick) Time() sim.VTimeInSec { return t.time }
func (t *tick) Handler() sim.Handler { return t.handler }
func (t *tick) IsSecondary() bool    { return false }

// wake asks for a tick in the given cycle, unless an earlier one is planned.
func (c *component) wake(cycle uint64) {
	if cycle >= c.scheduled {
		return
	}
	var t *tick
	if n := len(c.spare); n > 0 {
		t, c.spare = c.spare[n-1], c.spare[:n-1]
	} else {
		t = &tick{handler: c}
	}
	t.cycle, t.time = cycle, cu.Seconds(cycle, c.freq)
	c.scheduled = cycle
	c.engine.Schedule(t)
}

// Handle fulfils sim.Handler. Events overtaken by an earlier one are stale.
func (c *component) Handle(e sim.Event) error {
	t := e.(*tick)
	cycle := t.cycle
	c.spare = append(c.spare, t)
	if cycle == c.scheduled {
		c.scheduled = cu.Never
		c.work(cycle)
	}
	return nil
}

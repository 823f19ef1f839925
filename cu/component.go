package cu

import (
	"github.com/sarchlab/akita/v3/sim"
)

// component gives a part its name and hooks. Compute units are driven by their
// cluster: they have neither events nor ports of their own.
type component struct{ *sim.ComponentBase }

func newComponent(name string) component {
	return component{sim.NewComponentBase(name)}
}

// Handle fulfils sim.Handler: the part schedules no events.
func (component) Handle(sim.Event) error { return nil }

// NotifyRecv fulfils sim.Component: the part has no ports.
func (component) NotifyRecv(sim.VTimeInSec, sim.Port) {}

// NotifyPortFree fulfils sim.Component: the part has no ports.
func (component) NotifyPortFree(sim.VTimeInSec, sim.Port) {}

// A tick is the cluster's event for one cycle. It is secondary: components with
// events of their own (dispatcher, memory) go first in a cycle.
type tick struct {
	cycle   uint64
	time    sim.VTimeInSec
	handler *Cluster
}

func (t *tick) Time() sim.VTimeInSec { return t.time }
func (t *tick) Handler() sim.Handler { return t.handler }
func (t *tick) IsSecondary() bool    { return true }

// schedule asks the engine for an event in the given cycle, reusing one that has passed.
func (c *Cluster) schedule(cycle uint64) {
	var t *tick
	if n := len(c.spare); n > 0 {
		t, c.spare = c.spare[n-1], c.spare[:n-1]
	} else {
		t = &tick{handler: c}
	}
	t.cycle, t.time = cycle, Seconds(cycle, c.freq)
	c.engine.Schedule(t)
}

// Seconds is the engine's time of a cycle.
func Seconds(cycle uint64, freq sim.Freq) sim.VTimeInSec {
	return sim.VTimeInSec(float64(cycle) / float64(freq))
}

// Handle fulfils sim.Handler. An event is stale when an earlier one was asked
// for after it: that one has done or replanned its work.
func (c *Cluster) Handle(e sim.Event) error {
	t := e.(*tick)
	cycle := t.cycle
	c.spare = append(c.spare, t)
	if cycle == c.scheduled {
		c.scheduled = never
		c.run(cycle)
	}
	return nil
}

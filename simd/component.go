package simd

import "github.com/sarchlab/akita/v3/sim"

// component gives the SIMD its name and hooks among the machine's parts. Its
// turns are calls of its compute unit's event: one unit's work of one cycle.
type component struct{ *sim.ComponentBase }

func newComponent(name string) component {
	return component{sim.NewComponentBase(name)}
}

// Handle implements sim.Handler: a SIMD schedules no events.
func (component) Handle(sim.Event) error { return nil }

// NotifyRecv implements sim.Component: a SIMD has no ports.
func (component) NotifyRecv(sim.VTimeInSec, sim.Port) {}

// NotifyPortFree implements sim.Component: a SIMD has no ports.
func (component) NotifyPortFree(sim.VTimeInSec, sim.Port) {}

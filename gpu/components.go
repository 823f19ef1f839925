package gpu

import (
	"github.com/sarchlab/akita/v3/sim"

	"spvsim/engine"
	"spvsim/mem"
)

// components are the parts of the machine, the front of it first.
func (r *runner) components() []sim.Component {
	g := r.machine
	list := []sim.Component{g.dispatcher}
	if r.graph != nil {
		list = append(list, r.graph.run.Components()...)
	}
	for i, u := range g.array.Units {
		list = append(list, u)
		for _, s := range u.SIMDs {
			list = append(list, s)
		}
		list = append(list, g.lds[i])
	}
	list = append(list, g.array.InstructionCaches()...)
	return append(list, g.levelParts...)
}

// A Component is a part of the machine, and what it did in a run.
type Component struct {
	Name string
	engine.Work
}

// Components are the parts of the machine with what they did, those without any
// work included. A SIMD's turns are within its compute unit's events.
func (r *runner) work() (list []Component) {
	parts := r.components()
	if a, ok := r.machine.hierarchy.(*mem.Akita); ok {
		parts = append(parts, a.Components()...)
	}
	for _, p := range parts {
		c := Component{Name: p.Name()}
		switch w := p.(type) {
		case engine.Worker:
			c.Work = w.Work()
		default:
			c.Work.Events = r.events[p.Name()]
		}
		list = append(list, c)
	}
	return list
}

// eventCounter counts events by the name of their handler: those of Akita's own parts, which do not.
type eventCounter map[string]uint64

// Func fulfils sim.Hook.
func (c eventCounter) Func(ctx sim.HookCtx) {
	if ctx.Pos != sim.HookPosBeforeEvent {
		return
	}
	if n, ok := ctx.Item.(sim.Event).Handler().(sim.Named); ok {
		c[n.Name()]++
	}
}

package gpu

import (
	"maps"
	"slices"

	"github.com/sarchlab/akita/v3/sim"

	"spvsim/engine"
	"spvsim/mem"
)

// components are the parts of the machine, the front of it first.
func (r *runner) components() []sim.Component {
	g := r.machine
	list := []sim.Component{g.dispatcher}
	if len(r.launches) == 1 {
		if all, ok := r.launches[0].work.(*group); ok {
			list = append(list, all.processor.Components()...)
		}
	}
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

// parts is what the parts of the machine did, those without any work included:
// SIMDs, whose turns are within their compute unit's, among them. Akita's
// parts do not count their events: a hook does, also for its connections.
func (r *runner) parts() (list []Component) {
	all, known := r.components(), map[string]bool{}
	if a, ok := r.machine.hierarchy.(*mem.Akita); ok {
		all = append(all, a.Components()...)
	}
	for _, p := range all {
		c := Component{Name: p.Name()}
		known[c.Name] = true
		switch w := p.(type) {
		case engine.Worker:
			c.Work = w.Work()
		default:
			c.Work.Events = r.events[p.Name()]
		}
		list = append(list, c)
	}
	for _, name := range slices.Sorted(maps.Keys(r.events)) {
		if !known[name] {
			list = append(list, Component{Name: name, Work: engine.Work{Events: r.events[name]}})
		}
	}
	return list
}

// eventCounter counts the events of Akita's own parts, which do not, by the name of their handler.
type eventCounter map[string]uint64

// Func fulfils sim.Hook.
func (c eventCounter) Func(ctx sim.HookCtx) {
	if ctx.Pos != sim.HookPosBeforeEvent {
		return
	}
	switch h := ctx.Item.(sim.Event).Handler().(type) {
	case engine.Worker, *engine.Port:
	case sim.Named:
		c[h.Name()]++
	}
}

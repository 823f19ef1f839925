package gpu

import (
	"maps"
	"slices"
	"strings"

	"spvsim/mem/akita"

	"github.com/sarchlab/akita/v3/sim"

	"spvsim/energy"
	"spvsim/engine"
)

// components lists the components of the machine, its front end first.
func (r *runner) components() []sim.Component {
	g := r.machine
	list := []sim.Component{g.Dispatcher}
	if len(r.launches) == 1 {
		if all, ok := r.launches[0].work.(*queueWork); ok {
			list = append(list, all.Components()...)
		}
	}
	for _, g := range r.graphs {
		list = append(list, g.run.Components()...)
	}
	for i, u := range g.Array.Units {
		list = append(list, u)
		for _, s := range u.SIMDs {
			list = append(list, s)
		}
		list = append(list, g.LDS[i])
	}
	list = append(list, g.Array.InstructionCaches()...)
	return append(list, g.LevelParts...)
}

// A Component is a part of the machine, and what it did in a run.
type Component struct {
	Name string
	engine.ActivityCounts
	Joules float64 // its share of the energy of its kind
}

// energyParts are the parts of the energy that components take, by a word of their name.
var energyParts = map[string][]energy.Part{
	"SIMD": {energy.Fetch, energy.Vector, energy.Matrix, energy.Scalar, energy.Registers}, "CU": {energy.Units}, "LDS": {energy.LDS},
	"VectorL1": {energy.VectorL1}, "ScalarL1": {energy.ScalarL1}, "ShaderArray": {energy.ShaderArray}, "L2": {energy.L2},
	"MemorySide": {energy.MemorySide}, "Memory": {energy.Memory, energy.Idle}, "PayloadPool": {energy.Payloads},
	"EnqueueQueue": {energy.Queue}, "SchedulerCore": {energy.Queue}, "Dispatcher": {energy.Dispatch},
}

// componentKind returns the last word of a component's name that energyParts has; empty: none.
func componentKind(name string) string {
	words := strings.Split(name, ".")
	for _, w := range slices.Backward(words) {
		w, _, _ = strings.Cut(w, "[")
		if energyParts[w] != nil {
			return w
		}
	}
	return ""
}

// shareEnergy divides the energy of each kind of component evenly among its components, as it is counted by kind.
func shareEnergy(list []Component, e *energy.Energy) {
	number := map[string]int{}
	for i := range list {
		number[componentKind(list[i].Name)]++
	}
	for i := range list {
		kind := componentKind(list[i].Name)
		for _, p := range energyParts[kind] {
			list[i].Joules += e.Joules[p] / float64(number[kind])
		}
	}
}

// componentWork lists the components of the machine with their work, idle ones included. SIMDs are among them, though their turns are
// part of their compute unit's. Akita's components do not count their events: a hook counts them, and those of its connections.
func (r *runner) componentWork() (list []Component) {
	all, known := r.components(), map[string]bool{}
	if a, ok := r.machine.Hierarchy.(*akita.Memory); ok {
		all = append(all, a.Components()...)
	}
	for _, p := range all {
		c := Component{Name: p.Name()}
		known[c.Name] = true
		switch w := p.(type) {
		case engine.CountingComponent:
			c.ActivityCounts = w.Activity()
		default:
			c.ActivityCounts.Events = r.events[p.Name()]
		}
		list = append(list, c)
	}
	for _, name := range slices.Sorted(maps.Keys(r.events)) {
		if !known[name] {
			list = append(list, Component{Name: name, ActivityCounts: engine.ActivityCounts{Events: r.events[name]}})
		}
	}
	return list
}

// eventCounter counts the events of Akita's own parts, which do not, by the name of their handler.
type eventCounter map[string]uint64

// Func implements sim.Hook.
func (c eventCounter) Func(ctx sim.HookCtx) {
	if ctx.Pos != sim.HookPosBeforeEvent {
		return
	}
	switch h := ctx.Item.(sim.Event).Handler().(type) {
	case engine.CountingComponent, *engine.Port:
	case sim.Named:
		c[h.Name()]++
	}
}

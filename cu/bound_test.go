package cu

import (
	"testing"

	"github.com/sarchlab/akita/v3/sim"

	"spvsim/engine"
	"spvsim/lds"
	"spvsim/tracing/probe"
)

type hook struct{}

func (hook) Func(sim.HookCtx) {}

// idle is a graph and a tracer.
type idle struct {
	Payloads
	probe.Tracer
}

// A unit's turns are events as soon as one part could see the difference; otherwise it may go ahead until the next workgroup comes.
func TestBound(t *testing.T) {
	s := lds.DefaultSpec()
	for name, c := range map[string]struct {
		do   func(u *ComputeUnit, l *lds.Component)
		want uint64
	}{
		"nothing":      {func(*ComputeUnit, *lds.Component) {}, Never},
		"a graph":      {func(u *ComputeUnit, _ *lds.Component) { u.units.payloads = idle{} }, Never},
		"a tracer":     {func(u *ComputeUnit, _ *lds.Component) { u.units.trace.to, u.units.trace.ordered = idle{}, true }, 0},
		"a cache":      {func(u *ComputeUnit, _ *lds.Component) { u.instructionCache.ways = 1 }, 0},
		"a port hook":  {func(u *ComputeUnit, _ *lds.Component) { u.banks.AcceptHook(hook{}) }, 0},
		"connected":    {func(u *ComputeUnit, _ *lds.Component) { u.port.SetConnection(&sim.DirectConnection{}) }, 0},
		"an LDS hook":  {func(_ *ComputeUnit, l *lds.Component) { l.AcceptHook(hook{}) }, 0},
		"one comes":    {func(u *ComputeUnit, _ *lds.Component) { u.arrivals = []uint64{70, 80} }, 70},
		"one may come": {func(u *ComputeUnit, _ *lds.Component) { u.lastRelease, u.units.dispatcher = 1, full{} }, 9},
	} {
		e := engine.New(1 * sim.GHz)
		l := lds.NewComponent(e, "LDS", &s, 1)
		u := &ComputeUnit{Base: engine.NewBase(e, "Unit"), units: &ComputeUnits{}, ldsInterface: ldsInterface{lds: l}, instructionCache: &instructionCache{}}
		u.port = engine.NewPort(&u.Base, u, "Work")
		u.banks = engine.NewPort(&u.Base, u, "Banks")
		c.do(u, l)
		u.units.dispatcher = full{}
		if got := u.Bound(); got != c.want {
			t.Errorf("%s: bound %d, want %d", name, got, c.want)
		}
	}
}

// full is a dispatcher that places nothing; what it placed would take nine cycles.
type full struct{ Dispatcher }

func (full) MayPlace(int) bool        { return false }
func (full) PlacementLatency() uint64 { return 9 }

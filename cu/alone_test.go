package cu

import (
	"testing"

	"github.com/sarchlab/akita/v3/sim"

	"spvsim/engine"
	"spvsim/lds"
	"spvsim/probe"
)

type hook struct{}

func (hook) Func(sim.HookCtx) {}

// nothing is a graph and a tracer that nobody asks anything.
type nothing struct {
	Payloads
	probe.Tracer
}

// A unit's turns are those of the engine as soon as one thing could tell the difference; otherwise it is alone until
// the next workgroup comes, the run ends, or it has gone far enough.
func TestAlone(t *testing.T) {
	s := lds.DefaultSpec()
	for name, c := range map[string]struct {
		do   func(u *ComputeUnit, l *lds.Component)
		want uint64
	}{
		"nothing":      {func(*ComputeUnit, *lds.Component) {}, maxAhead},
		"a graph":      {func(u *ComputeUnit, _ *lds.Component) { u.array.payloads = nothing{} }, 0},
		"a tracer":     {func(u *ComputeUnit, _ *lds.Component) { u.array.trace.to = nothing{} }, 0},
		"a cache":      {func(u *ComputeUnit, _ *lds.Component) { u.fetch.ways = 1 }, 0},
		"a hook":       {func(u *ComputeUnit, _ *lds.Component) { u.Engine.AcceptHook(hook{}) }, 0},
		"an LDS hook":  {func(_ *ComputeUnit, l *lds.Component) { l.AcceptHook(hook{}) }, 0},
		"one comes":    {func(u *ComputeUnit, _ *lds.Component) { u.coming = []uint64{70, 80} }, 70},
		"the run ends": {func(u *ComputeUnit, _ *lds.Component) { u.Engine.Limit(500, func(uint64) error { return nil }) }, 500},
		"one may come": {func(u *ComputeUnit, _ *lds.Component) { u.freed, u.array.placing = 1, 9 }, 9},
	} {
		e := engine.New(1 * sim.GHz)
		l := lds.NewComponent(e, "LDS", &s)
		u := &ComputeUnit{Base: engine.NewBase(e, "Unit"), array: &Array{}, lds: l, fetch: &fetch{}}
		c.do(u, l)
		if u.freed == 0 {
			u.array.dispatcher = full{}
		}
		if got := u.alone(); got != c.want {
			t.Errorf("%s: alone until %d, want %d", name, got, c.want)
		}
	}
}

// full is a dispatcher that places nothing.
type full struct{ Dispatcher }

func (full) MayPlace(int) bool { return false }

package lds

import (
	"testing"

	"github.com/sarchlab/akita/v3/sim"

	"spvsim/engine"
	"spvsim/isa"
)

type collect struct{ seen []Access }

func (c *collect) Func(ctx sim.HookCtx) { c.seen = append(c.seen, ctx.Item.(Access)) }

// A taker is a compute unit that takes answers.
type taker struct {
	engine.Base
	port *engine.Port
	at   []uint64
}

func (t *taker) Handle(e sim.Event) error {
	t.at = append(t.at, e.(interface{ Arrives() uint64 }).Arrives())
	return nil
}

type answer struct{ engine.Header }

func newTaker(e *engine.Engine) *taker {
	t := &taker{Base: engine.NewBase(e, "Unit")}
	t.port = engine.NewPort(&t.Base, t, "Work")
	return t
}

// The hooks see every access with its time, and the answer comes when it has left the banks.
func TestComponentTellsHooks(t *testing.T) {
	e := engine.New(1 * sim.GHz)
	c := newComponent(e)
	unit := newTaker(e)
	st := newState(64)
	stride(st, 128)
	r := &Request{State: st, Size: 64 << 10, Inst: access(isa.Load, isa.I32, 1), Answer: &answer{}, To: unit.port}
	h := &collect{}
	c.AcceptHook(h)
	unit.port.Deliver(r, c.Port(), 0)
	if len(h.seen) != 1 || h.seen[0] != (Access{0, r.Inst, *r.Response}) || r.Response.ConflictPasses != 62 {
		t.Fatalf("hooks saw %+v, want cycle 0 with %+v", h.seen, *r.Response)
	}
	if c.DeliverUntil(c.NextCompletion() - 1); len(unit.at) != 0 {
		t.Errorf("an answer came in %v, before its access had left", unit.at)
	}
	c.DeliverUntil(c.NextCompletion())
	if len(unit.at) != 1 || unit.at[0] != r.Response.ReadyAt {
		t.Errorf("answers came in %v, want one in %d", unit.at, r.Response.ReadyAt)
	}
	if got, want := c.Activity(), (engine.ActivityCounts{Calls: 1}); got != want {
		t.Errorf("work %+v, want %+v", got, want)
	}
}

func TestAccessAllocatesNothing(t *testing.T) {
	e := engine.New(1 * sim.GHz)
	c := newComponent(e)
	unit := newTaker(e)
	st := newState(64)
	r := &Request{State: st, Size: 64 << 10, Inst: access(isa.Load, isa.I32, 1), Answer: &answer{}, To: unit.port}
	unit.at = make([]uint64, 0, 1<<10)
	run := func() {
		unit.port.Deliver(r, c.Port(), 0)
		c.DeliverUntil(c.NextCompletion())
	}
	if n := testing.AllocsPerRun(100, run); n != 0 {
		t.Errorf("%v allocations an access with no observer", n)
	}
}

func newComponent(e *engine.Engine) *Component {
	s := DefaultSpec()
	return NewComponent(e, "LDS", &s)
}

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

// Accesses of SIMDs that issue in turns follow each other without a pause, though one issues a cycle before the pipe is free; what is one
// after the other by itself stays so.
func TestAnAccessMayIssueInTheLastCycleOfAnother(t *testing.T) {
	s := DefaultSpec()
	for cadence, first := range map[int]uint64{1: 8, 4: 7} {
		e := engine.New(1 * sim.GHz)
		c := NewComponent(e, "LDS", &s, cadence)
		unit := newTaker(e)
		st := newState(64)
		stride(st, 16)
		r := &Request{State: st, Size: 64 << 10, Inst: access(isa.Load, isa.I32, 4), Answer: &answer{}, To: unit.port}
		alone, at := uint64(0), uint64(0)
		for i := range uint64(10) {
			r.Cycle = at
			unit.port.Deliver(r, c.Port(), at)
			if i == 0 {
				alone = r.Response.ReadyAt
			}
			if got, want := r.Response.ReadyAt, alone+8*i; got != want {
				t.Errorf("cadence %d: access %d has left in cycle %d, want %d", cadence, i, got, want)
			}
			if at = r.Response.UnitFreeAt; at != 8*i+first {
				t.Errorf("cadence %d: the next after access %d issues in cycle %d, want %d", cadence, i, at, 8*i+first)
			}
		}
	}
}

func newComponent(e *engine.Engine) *Component {
	s := DefaultSpec()
	return NewComponent(e, "LDS", &s, 1)
}

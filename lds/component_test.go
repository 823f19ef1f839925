package lds

import (
	"testing"

	"github.com/sarchlab/akita/v3/sim"

	"spvsim/isa"
)

type collect struct{ seen []Access }

func (c *collect) Func(ctx sim.HookCtx) { c.seen = append(c.seen, ctx.Item.(Access)) }

func TestComponentTellsHooks(t *testing.T) {
	c, err := NewComponent("LDS", DefaultSpec())
	if err != nil {
		t.Fatal(err)
	}
	st := newState(64)
	stride(st, 128)
	in := access(isa.Load, isa.I32, 1)
	if n := testing.AllocsPerRun(20, func() { c.Issue(1, st, 0, 64<<10, in) }); n != 0 {
		t.Errorf("%v allocations with nobody listening", n)
	}
	h := &collect{}
	c.AcceptHook(h)
	want := c.Issue(7, st, 0, 64<<10, in)
	if len(h.seen) != 1 || h.seen[0] != (Access{7, in, want}) || want.ConflictPasses != 62 {
		t.Errorf("hooks saw %+v, want cycle 7 with %+v", h.seen, want)
	}
}

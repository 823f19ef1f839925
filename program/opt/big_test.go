package opt

import (
	"testing"

	"spvsim/isa"
	"spvsim/program/ir"
)

// straight is one block of n rounds of load, compute and store.
func straight(t *testing.T, n int) *ir.Func {
	b := newBuilder(t)
	lane := b.op(isa.Shl, isa.I32, b.op(isa.LocalIDX, isa.I32), b.c(2))
	x := lane
	for i := range n {
		m := word(i % 3)
		m.Offset = uint32(i%97) * 8
		x = b.op(isa.IMul, isa.I32, b.op(isa.IAdd, isa.I32, x, b.load(m, x)), b.c(uint64(i)))
		b.store(m, b.op(isa.IAdd, isa.I32, lane, x), x)
	}
	b.ret()
	return b.f
}

// nested is n branches, one in the other, each with a variable of its own.
func nested(t *testing.T, n int) *ir.Func {
	b := newBuilder(t)
	x := b.op(isa.LocalIDX, isa.I32)
	var merges []*ir.Block
	for i := range n {
		l := &ir.Local{ID: i, Slots: []isa.Type{isa.I32}, SlotWords: 1}
		b.f.Locals = append(b.f.Locals, l)
		b.store(slot(l, 0), x)
		bs := b.blocks(2)
		b.cond(b.op(isa.ULt, isa.I32, x, b.c(uint64(i))), bs[0], bs[1], bs[1])
		merges = append(merges, bs[1])
		b.at(bs[0])
		b.store(slot(l, 0), b.op(isa.IMul, isa.I32, x, x))
	}
	for i := n - 1; i >= 0; i-- {
		b.jump(merges[i])
		b.at(merges[i])
		b.store(word(0), x, b.load(slot(b.f.Locals[i], 0)))
	}
	b.ret()
	return b.f
}

// Large functions, and deep ones, end: a pass whose time grew with the cube of
// the size would outlast the test's time limit.
func TestLargeFunctionsEnd(t *testing.T) {
	for _, c := range []struct {
		name string
		f    *ir.Func
	}{{"straight", straight(t, 4000)}, {"nested", nested(t, 1000)}} {
		before := c.f.NumValues()
		Run(c.f, Options{})
		t.Logf("%s: %d values, then %d", c.name, before, c.f.NumValues())
	}
}

package opt

import (
	"testing"

	"spvsim/isa"
	"spvsim/program/ir"
)

// A loop that sums its counter in a variable: for (i = 0; i < limit; i++) s += i.
func sumLoop(t *testing.T, limit func(b *builder) *ir.Value) (*builder, *ir.Value) {
	b := newBuilder(t)
	l := &ir.Local{ID: 0, Slots: []isa.Type{isa.I32, isa.I32}, SlotWords: 1}
	b.f.Locals = append(b.f.Locals, l)
	bs := b.blocks(4)
	header, body, cont, merge := bs[0], bs[1], bs[2], bs[3]
	n := limit(b)
	b.store(slot(l, 0), b.c(0))
	b.store(slot(l, 1), b.c(0))
	b.jump(header)
	b.at(header)
	header.Continue = cont
	b.cond(b.op(isa.ULt, isa.I32, b.load(slot(l, 0)), n), body, merge, merge)
	b.at(body)
	b.store(slot(l, 1), b.op(isa.IAdd, isa.I32, b.load(slot(l, 1)), b.load(slot(l, 0))))
	b.jump(cont)
	b.at(cont)
	b.store(slot(l, 0), b.op(isa.IAdd, isa.I32, b.load(slot(l, 0)), b.c(1)))
	b.jump(header)
	b.at(merge)
	st := b.store(word(0), b.op(isa.LocalIndex, isa.I32), b.load(slot(l, 1)))
	b.ret()
	return b, st
}

func TestPromoteLoop(t *testing.T) {
	b, st := sumLoop(t, func(b *builder) *ir.Value { return b.op(isa.NumWorkgroupsX, isa.I32) })
	for _, p := range []func(*ir.Func, Options) bool{cleanup, gatherConstants, promote, cleanup} {
		p(b.f, Options{})
	}
	if n := count(b.f, isa.Load); n != 0 {
		t.Errorf("%d loads left, want none", n)
	}
	if n := count(b.f, isa.Phi); n != 2 {
		t.Errorf("%d phis, want one for the counter and one for the sum", n)
	}
	if sum := st.Args[1]; sum.Op != isa.Phi {
		t.Errorf("stored value is %v, want a phi", sum.Op)
	}
}

func TestPromoteKeepsDynamicRange(t *testing.T) {
	b := newBuilder(t)
	l := &ir.Local{ID: 0, Slots: []isa.Type{isa.I32, isa.I32, isa.I32, isa.I32}, SlotWords: 1}
	b.f.Locals = append(b.f.Locals, l)
	for i := range uint32(4) {
		b.store(slot(l, i), b.c(uint64(i)+10))
	}
	dynamic := slot(l, 1)
	dynamic.Low, dynamic.High = 1, 3
	b.store(word(0), b.op(isa.LocalIndex, isa.I32), b.load(dynamic, b.op(isa.LocalIDX, isa.I32)))
	first := b.store(word(1), b.op(isa.LocalIndex, isa.I32), b.load(slot(l, 0)))
	b.ret()
	gatherConstants(b.f, Options{})
	promote(b.f, Options{})
	if n := count(b.f, isa.Store); n != 4 {
		t.Errorf("%d stores, want 2 to scratch and 2 to buffers", n)
	}
	if !isConst(first.Args[1], 10) {
		t.Errorf("slot 0 is read as %v, want the constant 10", first.Args[1].Op)
	}
}

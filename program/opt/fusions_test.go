package opt

import (
	"testing"

	"spvsim/isa"
	"spvsim/program/ir"
)

// Two operations of integers become the one of three operands, a scalar one with them where an instruction reads two scalars;
// the clamp of a range is the middle, that of an empty range is not.
func TestThreeOperands(t *testing.T) {
	all := Options{LshlAdd: true, Add3: true, Xor3: true, TwoScalars: true}
	ops := func(ops ...isa.Op) []isa.Op { return ops }
	for _, c := range []struct {
		inner, outer, want isa.Op
		by, high           uint64
	}{
		{isa.IAdd, isa.Shl, isa.AddLshl, 0, 2}, {isa.And, isa.Or, isa.AndOr, 0, 3}, {isa.Or, isa.Or, isa.Or3, 0, 1 << 31}, {isa.Xor, isa.Xor, isa.Xor3, 0, 1 << 31},
		{isa.UMin, isa.UMin, isa.UMin3, 0, 77}, {isa.SMax, isa.SMax, isa.SMax3, 0, 77},
		{isa.SMax, isa.SMin, isa.SMid3, 0xffffff9c, 100}, {isa.UMax, isa.UMin, isa.UMid3, 10, 200}, {isa.UMax, isa.UMin, isa.UMin, 200, 10},
	} {
		b := newBuilder(t)
		x := b.load(word(1), b.op(isa.Shl, isa.I32, b.op(isa.LocalIDX, isa.I32), b.c(6)))
		other := b.op(isa.LaneID, isa.I32)
		if c.by != 0 {
			other = b.c(c.by)
		}
		v := b.op(c.outer, isa.I32, b.op(c.inner, isa.I32, x, other), b.c(c.high))
		b.store(word(0), b.op(isa.Shl, isa.I32, b.op(isa.LocalIDX, isa.I32), b.c(7)), v)
		b.ret()
		Run(b.f, all)
		if n := count(b.f, c.want); n != 1 {
			t.Errorf("%v of %v: %d of %v, want one:\n%s", c.outer, c.inner, n, c.want, printed(b.f))
		}
	}
	for scalars, want := range map[bool][]isa.Op{true: ops(isa.LshlAdd), false: ops(isa.Shl, isa.IAdd)} {
		b := newBuilder(t)
		v := b.op(isa.IAdd, isa.I32, b.op(isa.Shl, isa.I32, b.op(isa.WorkgroupIDX, isa.I32), b.c(8)), b.op(isa.LocalIDX, isa.I32))
		b.store(word(0), b.c(0), v)
		b.ret()
		o := all
		o.TwoScalars = scalars
		Run(b.f, o)
		for _, op := range want {
			if count(b.f, op) != 1 {
				t.Errorf("two scalars %v: want one %v:\n%s", scalars, op, printed(b.f))
			}
		}
	}
}

// The first words of push constants are preset where buffers are descriptors; the rest is loaded.
func TestPushWords(t *testing.T) {
	for _, pointers := range []bool{false, true} {
		b := newBuilder(t)
		b.f.Bindings = []ir.Binding{{Kind: ir.StorageBuffer, Count: 1, Writes: true}}
		sum := b.op(isa.LocalIDX, isa.I32)
		for i := range uint64(mostPushWords + 2) {
			m := word(0)
			m.Space, m.Object = isa.SpacePush, -1
			sum = b.op(isa.Xor, isa.I32, sum, b.load(m, b.c(8*i)))
		}
		b.store(word(0), b.c(0), sum)
		b.ret()
		Run(b.f, Options{SelectBuffers: pointers})
		words, loads := mostPushWords, 2
		if pointers {
			words, loads = 0, mostPushWords+2
		}
		if n, m := count(b.f, isa.PushWord), count(b.f, isa.Load); n != words || m != loads {
			t.Errorf("pointers %v: %d words and %d loads, want %d and %d:\n%s", pointers, n, m, words, loads, printed(b.f))
		}
	}
}

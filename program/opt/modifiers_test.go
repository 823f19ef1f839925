package opt

import (
	"testing"

	"spvsim/isa"
	"spvsim/program/ir"
)

// optimised builds an expression of two loaded floats, stores it and optimises.
func optimised(t *testing.T, expression func(b *builder, x, y *ir.Value) *ir.Value) *ir.Func {
	b := newBuilder(t)
	at := b.op(isa.Shl, isa.I32, b.op(isa.LocalIDX, isa.I32), b.c(3))
	load := func(offset uint32) *ir.Value {
		m := word(0)
		m.Elem, m.ReadOnly, m.Offset = isa.F32, true, offset
		return b.load(m, at)
	}
	m := word(1)
	m.Elem = isa.F32
	b.store(m, at, expression(b, load(0), load(4)))
	b.ret()
	b.f.Bindings = []ir.Binding{{Count: 1}, {Binding: 1, Count: 1, Writes: true}}
	Run(b.f, Options{WaveSize: 64})
	return b.f
}

// operationsOf counts the f32 operations that are left.
func operationsOf(f *ir.Func) int {
	n := 0
	eachValue(f, func(v *ir.Value) {
		if v.T == isa.F32 && v.Mem == nil && !literal(v) && v.Op != isa.Proj {
			n++
		}
	})
	return n
}

// Signs and clamps cost nothing where an encoding has them.
func TestSignsAndClampsAreFree(t *testing.T) {
	f32 := isa.F32
	for _, c := range []struct {
		name       string
		expression func(b *builder, x, y *ir.Value) *ir.Value
		want       int
	}{
		{"x * -y", func(b *builder, x, y *ir.Value) *ir.Value { return b.op(isa.FMul, f32, x, b.op(isa.FNeg, f32, y)) }, 1},
		{"|x| + -|y|", func(b *builder, x, y *ir.Value) *ir.Value {
			return b.op(isa.FAdd, f32, b.op(isa.FAbs, f32, x), b.op(isa.FNeg, f32, b.op(isa.FAbs, f32, y)))
		}, 1},
		{"x - x*y", func(b *builder, x, y *ir.Value) *ir.Value { return b.op(isa.FSub, f32, x, b.op(isa.FMul, f32, x, y)) }, 1},
		{"a root, whose expansion has no signs", func(b *builder, x, _ *ir.Value) *ir.Value { return b.op(isa.Sqrt, f32, b.op(isa.FAbs, f32, x)) }, 2},
		{"clamp(x + y, 0, 1)", func(b *builder, x, y *ir.Value) *ir.Value {
			return b.op(isa.FMin, f32, b.op(isa.FMax, f32, b.op(isa.FAdd, f32, x, y), b.ct(f32, 0)), b.ct(f32, one32))
		}, 1},
		{"clamp(x, 0, 1)", func(b *builder, x, _ *ir.Value) *ir.Value {
			return b.op(isa.FMin, f32, b.op(isa.FMax, f32, x, b.ct(f32, 0)), b.ct(f32, one32))
		}, 1},
		{"clamp(x, 2, 5)", func(b *builder, x, _ *ir.Value) *ir.Value {
			return b.op(isa.FMin, f32, b.op(isa.FMax, f32, x, b.ct(f32, 0x40000000)), b.ct(f32, 0x40a00000))
		}, 1},
		{"clamp(x, 5, 2)", func(b *builder, x, _ *ir.Value) *ir.Value {
			return b.op(isa.FMin, f32, b.op(isa.FMax, f32, x, b.ct(f32, 0x40a00000)), b.ct(f32, 0x40000000))
		}, 2},
		{"-(x * y)", func(b *builder, x, y *ir.Value) *ir.Value { return b.op(isa.FNeg, f32, b.op(isa.FMul, f32, x, y)) }, 1},
		{"max(min(x + y, 1), 0), which makes 1 of a NaN", func(b *builder, x, y *ir.Value) *ir.Value {
			return b.op(isa.FMax, f32, b.op(isa.FMin, f32, b.op(isa.FAdd, f32, x, y), b.ct(f32, one32)), b.ct(f32, 0))
		}, 3},
	} {
		if f := optimised(t, c.expression); operationsOf(f) != c.want {
			t.Errorf("%s: %d operations, want %d\n%s", c.name, operationsOf(f), c.want, printed(f))
		}
	}
}

package frontend

import (
	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/spirv"
)

func (b *maths) logicalEqual() {
	b.perComponent(2, func(a []*ir.Value) *ir.Value {
		return b.op(isa.Not, isa.Bool, b.op(isa.Xor, isa.Bool, a[0], a[1]))
	})
}

func (b *maths) ordered(want bool) {
	b.perComponent(2, func(a []*ir.Value) *ir.Value {
		nan := b.op(isa.Or, isa.Bool, b.compare(isa.IsNan, a[0].R, a[0]), b.compare(isa.IsNan, a[1].R, a[1]))
		if want {
			return b.op(isa.Not, isa.Bool, nan)
		}
		return nan
	})
}

// join combines leaves by a two-source operation.
func (b *maths) join(op isa.Op, leaves []*ir.Value) *ir.Value {
	if len(leaves) == 0 {
		b.invalid("no components")
	}
	v := leaves[0]
	for _, w := range leaves[1:] {
		v = b.op(op, v.R, v, w)
	}
	return v
}

// selects carries out OpSelect: one condition for all, or one a component.
func (b *maths) selects() {
	cond, x, y := b.leaves(b.arg(0)), b.leaves(b.arg(1)), b.leaves(b.arg(2))
	if len(x) != len(y) || len(cond) != 1 && len(cond) != len(x) {
		b.invalid("a selection of %d, %d and %d components", len(cond), len(x), len(y))
	}
	out := make([]*ir.Value, len(x))
	for i := range out {
		c := cond[0]
		if len(cond) > 1 {
			c = cond[i]
		}
		out[i] = b.selectValue(c, x[i], y[i])
	}
	b.set(out...)
}

func (b *maths) bitCount() {
	t := b.comp(b.resultType())
	b.perComponent(1, func(a []*ir.Value) *ir.Value {
		return b.widen(b.op(isa.BitCount, a[0].R, a[0]), t)
	})
}

func (b *maths) bitFieldInsert() {
	t := b.comp(b.resultType())
	offset, count := b.widen(b.scalarOf(b.arg(2)), t), b.widen(b.scalarOf(b.arg(3)), t)
	b.perComponent(2, func(a []*ir.Value) *ir.Value {
		return b.op(isa.BitFieldInsert, t, a[0], a[1], offset, count)
	})
}

func bitField(op isa.Op) row[*maths] {
	return pure(func(b *maths) {
		t := b.comp(b.resultType())
		offset, count := b.widen(b.scalarOf(b.arg(1)), t), b.widen(b.scalarOf(b.arg(2)), t)
		b.perComponent(1, func(a []*ir.Value) *ir.Value { return b.op(op, t, a[0], offset, count) })
	})
}

func (b *maths) floatConvert() {
	mode := b.roundingMode()
	if mode != spirv.FPRoundingModeRTE && !b.isKernel() {
		b.unsupported("rounding mode %s", mode)
	}
	t, saturate := b.comp(b.resultType()), b.m.Decorated(b.in.Result, spirv.DecorationSaturatedToLargestFloat8NormalConversionEXT)
	b.perComponent(1, func(a []*ir.Value) *ir.Value {
		if a[0].R == t {
			return a[0]
		}
		v := b.rounded(isa.FConvert, a[0], t, mode)
		if saturate {
			v.Imm = isa.Saturate
		}
		return v
	})
}

// bitcast regroups bits: leaves of one width become leaves of another, low
// bits first. Scalars of one width need no operation: a type is a way to use a
// register.
func (b *maths) bitcast() {
	if c := b.coop(b.resultType()); c != nil {
		b.perComponent(1, func(a []*ir.Value) *ir.Value { return b.retype(a[0], c.elem) })
		return
	}
	from := b.leaves(b.arg(0))
	types := b.leafTypes(b.resultType())
	if len(types) == 0 || len(from) == 0 {
		b.invalid("no bits")
	}
	b.define(val{leaves: b.recast(from, types)})
}

func (b *maths) recast(from []*ir.Value, types leafList) []*ir.Value {
	have, want := int(from[0].R.Bits()), int(types[0].Bits())
	if have*len(from) != want*len(types) || have == 1 || want == 1 {
		b.invalid("a cast of %d x %d bits to %d x %d", len(from), have, len(types), want)
	}
	out := make([]*ir.Value, 0, len(types))
	for i, t := range types {
		switch {
		case have == want:
			out = append(out, b.retype(from[i], t))
		case have < want:
			n := want / have
			out = append(out, b.retype(b.packInteger(from[i*n:(i+1)*n]), t))
		default:
			n := have / want
			out = append(out, b.retype(b.cut(from[i/n], i%n, uint(want)), t))
		}
	}
	return out
}

// packInteger makes one integer of several, low bits first.
func (b *maths) packInteger(parts []*ir.Value) *ir.Value {
	width := parts[0].R.Bits()
	if width == 32 {
		return b.emit(isa.Pack64, isa.I64, isa.I64, b.retype(parts[0], isa.I32), b.retype(parts[1], isa.I32))
	}
	if n := 32 / int(width); len(parts) > n {
		return b.packInteger([]*ir.Value{b.packInteger(parts[:n]), b.packInteger(parts[n:])})
	}
	t := isa.IntType(width * uint(len(parts)))
	v := b.widen(b.retype(parts[0], isa.IntType(width)), t)
	for i, p := range parts[1:] {
		p = b.widen(b.retype(p, isa.IntType(width)), t)
		v = b.op(isa.Or, t, v, b.op(isa.Shl, t, p, b.constant(t, uint64(width)*uint64(i+1))))
	}
	return v
}

// cut takes the i-th part of width bits.
func (b *maths) cut(v *ir.Value, i int, width uint) *ir.Value {
	v = b.retype(v, isa.IntType(v.R.Bits()))
	if v.R == isa.I64 {
		half, per := isa.Lo32, 32/int(width)
		if i >= per {
			half = isa.Hi32
		}
		word := b.emit(half, isa.I32, isa.I32, v)
		word.From = isa.I64
		if width == 32 {
			return word
		}
		return b.cut(word, i%per, width)
	}
	if i > 0 {
		v = b.op(isa.Shr, v.R, v, b.constant(v.R, uint64(i)*uint64(width)))
	}
	return b.widen(v, isa.IntType(width))
}

// pair computes a structure of two results, component by component.
func (b *maths) pair(low, high isa.Op) {
	x, y := b.leaves(b.arg(0)), b.leaves(b.arg(1))
	first := b.zip([][]*ir.Value{x, y}, func(a []*ir.Value) *ir.Value { return b.op(low, a[0].R, a[0], a[1]) })
	second := b.zip([][]*ir.Value{x, y}, func(a []*ir.Value) *ir.Value { return b.op(high, a[0].R, a[0], a[1]) })
	b.set(append(first, second...)...)
}

// dot returns the sum of products, first component first.
func (b *maths) dot(x, y []*ir.Value) *ir.Value {
	products := b.zip([][]*ir.Value{x, y}, func(a []*ir.Value) *ir.Value { return b.op(isa.FMul, a[0].R, a[0], a[1]) })
	return b.join(isa.FAdd, products)
}

// mixedFloatDot translates the dot products of SPV_VALVE_mixed_float_dot_product, of n components to a sum of the given
// width. Those of bfloat16 and of 8-bit floats are a fused step in 32 bits for each component, in order; a sum of 16
// bits is rounded at the end. RDNA 3 has one instruction for two components of bfloat16 and RDNA 4 for four of 8 bits
// (v_dot2_f32_bf16, v_dot4_f32_fp8_fp8); here they cost the sequence too.
func (b *maths) mixedFloatDot(n int, bits uint) {
	x, y, c := b.leaves(b.arg(0)), b.leaves(b.arg(1)), b.scalarOf(b.arg(2))
	acc := b.comp(b.resultType())
	if len(x) != n || len(y) != n || acc != c.R || acc.Bits() != bits || bits == 16 && acc != x[0].R {
		b.invalid("a dot product of %d and %d components with a sum of type %s and a result of type %s: want %d, and %d bits", len(x), len(y), c.R, acc, n, bits)
	}
	if x[0].R == isa.F16 && y[0].R == isa.F16 {
		b.set(b.op(isa.FDot2, acc, b.halfPair(b.arg(0)), b.halfPair(b.arg(1)), c))
		return
	}
	sum := b.floatTo(c, isa.F32)
	for i := range x {
		sum = b.op(isa.Fma, isa.F32, b.floatTo(x[i], isa.F32), b.floatTo(y[i], isa.F32), sum)
	}
	b.set(b.floatTo(sum, acc))
}

// floatTo converts a float to another float type.
func (b *maths) floatTo(v *ir.Value, t isa.Type) *ir.Value {
	if v.R == t {
		return v
	}
	return b.conv(isa.FConvert, v.R, t, v)
}

// halfPair packs a vector of two 16-bit floats into one register.
func (b *maths) halfPair(id spirv.ID) *ir.Value {
	v := b.leaves(id)
	if len(v) != 2 || v[0].R != isa.F16 {
		b.invalid("%%%d is not a vector of two 16-bit floats", id)
	}
	return b.packHalves(v)
}

// packHalves packs two 16-bit floats into one register.
func (b *maths) packHalves(v []*ir.Value) *ir.Value {
	return b.op(isa.Pack16, isa.I32, b.retype(v[0], isa.I16), b.retype(v[1], isa.I16))
}

func (b *maths) extend(list []*ir.Value, to isa.Type, signed bool) []*ir.Value {
	op := isa.UConvert
	if signed {
		op = isa.SConvert
	}
	out := make([]*ir.Value, len(list))
	for i, v := range list {
		if out[i] = v; v.R != to {
			out[i] = b.conv(op, v.R, to, v)
		}
	}
	return out
}

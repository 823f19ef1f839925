package frontend

import (
	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/spirv"
)

// The integer functions of SPV_INTEL_shader_integer_functions2, made of
// operations that never leave the type's range.

// pairwise computes each component of the result from two of its type's width.
func pairwise(f func(b *maths, t isa.Type, x, y *ir.Value) *ir.Value) row[*maths] {
	return pure(func(b *maths) {
		t := b.comp(b.resultType())
		b.perComponent(2, func(a []*ir.Value) *ir.Value { return f(b, t, a[0], a[1]) })
	})
}

func intelRows() map[spirv.Op]row[*maths] {
	return map[spirv.Op]row[*maths]{
		spirv.OpUCountLeadingZerosINTEL:  pure((*maths).leadingZeros),
		spirv.OpUCountTrailingZerosINTEL: pure((*maths).trailingZeros),
		spirv.OpAbsISubINTEL:             distance(isa.SMax, isa.SMin),
		spirv.OpAbsUSubINTEL:             distance(isa.UMax, isa.UMin),
		spirv.OpIAddSatINTEL:             pairwise((*maths).addSaturated),
		spirv.OpISubSatINTEL:             pairwise((*maths).subSaturated),
		spirv.OpUAddSatINTEL:             pairwise((*maths).addSaturatedUnsigned),
		spirv.OpUSubSatINTEL: pairwise(func(b *maths, t isa.Type, x, y *ir.Value) *ir.Value {
			return b.op(isa.ISub, t, b.op(isa.UMax, t, x, y), y)
		}),
		spirv.OpIAverageINTEL:        average(isa.And, isa.Sar, isa.IAdd),
		spirv.OpUAverageINTEL:        average(isa.And, isa.Shr, isa.IAdd),
		spirv.OpIAverageRoundedINTEL: average(isa.Or, isa.Sar, isa.ISub),
		spirv.OpUAverageRoundedINTEL: average(isa.Or, isa.Shr, isa.ISub),
		spirv.OpIMul32x16INTEL:       mul16(isa.SConvert),
		spirv.OpUMul32x16INTEL:       mul16(isa.UConvert),
	}
}

func (b *maths) leadingZeros() {
	b.perComponent(1, func(a []*ir.Value) *ir.Value {
		t := a[0].R // FindUMsb is -1 for zero
		return b.op(isa.ISub, t, b.constant(t, uint64(t.Bits()-1)), b.op(isa.FindUMsb, t, a[0]))
	})
}

func (b *maths) trailingZeros() {
	b.perComponent(1, func(a []*ir.Value) *ir.Value {
		t := a[0].R // FindILsb is the largest number for zero
		return b.op(isa.UMin, t, b.op(isa.FindILsb, t, a[0]), b.constant(t, uint64(t.Bits())))
	})
}

// distance translates to |x - y| as an unsigned number, which holds every distance.
func distance(high, low isa.Op) row[*maths] {
	return pairwise(func(b *maths, t isa.Type, x, y *ir.Value) *ir.Value {
		return b.op(isa.ISub, t, b.op(high, t, x, y), b.op(low, t, x, y))
	})
}

// average translates to (x+y)>>1, as the common bits plus half of the differing ones, or, rounded up, as all bits minus
// half of the differing ones.
func average(bits, shift, combine isa.Op) row[*maths] {
	return pairwise(func(b *maths, t isa.Type, x, y *ir.Value) *ir.Value {
		others := b.op(shift, t, b.op(isa.Xor, t, x, y), b.constant(t, 1))
		return b.op(combine, t, b.op(bits, t, x, y), others)
	})
}

// addSaturated overflows where both operands have the sign that the sum lacks.
func (b *maths) addSaturated(t isa.Type, x, y *ir.Value) *ir.Value {
	sum := b.op(isa.IAdd, t, x, y)
	return b.clampSign(t, x, sum, b.op(isa.And, t, b.op(isa.Xor, t, x, sum), b.op(isa.Xor, t, y, sum)))
}

// addSaturatedUnsigned holds x where it can grow by y.
func (b *maths) addSaturatedUnsigned(t isa.Type, x, y *ir.Value) *ir.Value {
	return b.op(isa.IAdd, t, b.op(isa.UMin, t, x, b.op(isa.Not, t, y)), y)
}

// subSaturated overflows where the operands' signs differ and x's is lost.
func (b *maths) subSaturated(t isa.Type, x, y *ir.Value) *ir.Value {
	rest := b.op(isa.ISub, t, x, y)
	return b.clampSign(t, x, rest, b.op(isa.And, t, b.op(isa.Xor, t, x, y), b.op(isa.Xor, t, x, rest)))
}

// clampSign returns result or, where overflow is negative, the end of the range on x's side.
func (b *maths) clampSign(t isa.Type, x, result, overflow *ir.Value) *ir.Value {
	end := b.op(isa.Xor, t, b.op(isa.Sar, t, x, b.constant(t, uint64(t.Bits()-1))), b.constant(t, t.Mask()>>1))
	return b.selectValue(b.compare(isa.SLt, t, overflow, b.constant(t, 0)), end, result)
}

// mul16 multiplies by the low 16 bits of y, extended.
func mul16(extend isa.Op) row[*maths] {
	return pairwise(func(b *maths, t isa.Type, x, y *ir.Value) *ir.Value {
		if t != isa.I32 {
			b.invalid("a result of %s, want 32 bits", t)
		}
		half := b.conv(isa.UConvert, t, isa.I16, y)
		return b.op(isa.IMul, t, x, b.conv(extend, isa.I16, t, half))
	})
}

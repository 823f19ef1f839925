package frontend

import (
	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/spirv"
)

// kernelRows covers the conversions and tests that only kernels have.
func kernelRows() map[spirv.Op]row[*maths] {
	return map[spirv.Op]row[*maths]{
		spirv.OpSatConvertSToU: pure(func(b *maths) { b.saturatingConvert(true, false) }),
		spirv.OpSatConvertUToS: pure(func(b *maths) { b.saturatingConvert(false, true) }),
		spirv.OpIsFinite: pure(func(b *maths) {
			b.perComponent(1, func(a []*ir.Value) *ir.Value {
				return b.compare(isa.FOrdLt, a[0].R, b.magnitude(a[0]), b.infinity(a[0].R))
			})
		}),
		spirv.OpIsNormal: pure(func(b *maths) {
			b.perComponent(1, func(a []*ir.Value) *ir.Value {
				x, t := b.magnitude(a[0]), a[0].R
				least := b.compare(isa.FOrdLe, t, b.constant(t, 1<<mantissaBits[t]), x)
				return b.op(isa.And, isa.Bool, least, b.compare(isa.FOrdLt, t, x, b.infinity(t)))
			})
		}),
		spirv.OpSignBitSet: pure(func(b *maths) {
			b.perComponent(1, func(a []*ir.Value) *ir.Value {
				t := isa.IntType(a[0].R.Bits())
				return b.compare(isa.SLt, t, b.retype(a[0], t), b.constant(t, 0))
			})
		}),
	}
}

var mantissaBits = map[isa.Type]uint{isa.F16: 10, isa.F32: 23, isa.F64: 52}

func (b *maths) magnitude(x *ir.Value) *ir.Value { return b.op(isa.FAbs, x.R, x) }

func (b *maths) infinity(t isa.Type) *ir.Value {
	m := mantissaBits[t]
	return b.constant(t, (1<<(t.Bits()-1)-1)>>m<<m)
}

// saturatingConvert carries out a conversion of integers that keeps to the range of the result.
func (b *maths) saturatingConvert(fromSigned, toSigned bool) {
	t := b.comp(b.resultType())
	b.perComponent(1, func(a []*ir.Value) *ir.Value { return b.saturated(a[0], t, fromSigned, toSigned) })
}

func (b *maths) saturated(v *ir.Value, t isa.Type, fromSigned, toSigned bool) *ir.Value {
	from := v.R
	greatest, least := t.Mask(), uint64(0)
	if toSigned {
		greatest = t.Mask() >> 1
		least = ^greatest
	}
	above, below := isa.UMin, isa.UMax
	if fromSigned {
		above, below = isa.SMin, isa.SMax
	}
	if greatest < from.Mask()>>1 || !fromSigned && greatest < from.Mask() {
		v = b.op(above, from, v, b.constant(from, greatest))
	}
	if fromSigned && (!toSigned || t.Bits() < from.Bits()) {
		v = b.op(below, from, v, b.constant(from, least))
	}
	return b.extend([]*ir.Value{v}, t, fromSigned)[0]
}

// integerConvert carries out OpUConvert and OpSConvert.
func (b *maths) integerConvert(signed bool) {
	if b.m.Decorated(b.in.Result, spirv.DecorationSaturatedConversion) {
		b.saturatingConvert(signed, signed)
		return
	}
	t := b.comp(b.resultType())
	b.perComponent(1, func(a []*ir.Value) *ir.Value { return b.extend(a[:1], t, signed)[0] })
}

// roundings has the operation that rounds to an integer, for each rounding mode.
var roundings = map[spirv.FPRoundingMode]isa.Op{
	spirv.FPRoundingModeRTE: isa.RoundEven, spirv.FPRoundingModeRTZ: isa.Trunc, spirv.FPRoundingModeRTP: isa.Ceil, spirv.FPRoundingModeRTN: isa.Floor,
}

// toInteger carries out OpConvertFToU and OpConvertFToS: towards zero, or by the rounding mode of the result. Either saturates.
func (b *maths) toInteger(op isa.Op) {
	t := b.comp(b.resultType())
	mode, rounds := b.m.Decoration(b.in.Result, spirv.DecorationFPRoundingMode)
	b.perComponent(1, func(a []*ir.Value) *ir.Value {
		x := a[0]
		if rounds && spirv.FPRoundingMode(mode) != spirv.FPRoundingModeRTZ {
			x = b.op(roundings[spirv.FPRoundingMode(mode)], x.R, x)
		}
		return b.conv(op, x.R, t, x)
	})
}

// fromInteger carries out OpConvertUToF and OpConvertSToF.
func (b *maths) fromInteger(op isa.Op) {
	t, mode := b.comp(b.resultType()), b.roundingMode()
	b.perComponent(1, func(a []*ir.Value) *ir.Value { return b.rounded(op, a[0], t, mode) })
}

// roundingMode returns that of the current instruction's result.
func (b *maths) roundingMode() spirv.FPRoundingMode {
	mode, ok := b.m.Decoration(b.in.Result, spirv.DecorationFPRoundingMode)
	if !ok {
		return spirv.FPRoundingModeRTE
	}
	return spirv.FPRoundingMode(mode)
}

// rounded converts a value to a float. Conversions round to nearest; for the other modes, the neighbour of the result is taken
// where the result lies on the wrong side. Both are compared as doubles, which hold every float and integers of 32 bits.
func (b *maths) rounded(op isa.Op, v *ir.Value, t isa.Type, mode spirv.FPRoundingMode) *ir.Value {
	r := b.conv(op, v.R, t, v)
	if mode == spirv.FPRoundingModeRTE {
		return r
	}
	if v.R == isa.I64 {
		b.unsupported("rounding mode %s from integers of 64 bits", mode)
	}
	exact, have := v, b.floatTo(r, isa.F64)
	if v.R != isa.F64 {
		exact = b.conv(op, v.R, isa.F64, v)
	}
	wrong := b.compare(isa.FOrdLt, isa.F64, exact, have) // too large
	switch mode {
	case spirv.FPRoundingModeRTP:
		wrong = b.compare(isa.FOrdLt, isa.F64, have, exact)
	case spirv.FPRoundingModeRTZ:
		wrong = b.compare(isa.FOrdLt, isa.F64, b.magnitude(exact), b.magnitude(have))
	}
	n := isa.IntType(t.Bits())
	number := b.retype(r, n)
	negative := b.compare(isa.SLt, n, number, b.constant(n, 0))
	up := b.selectValue(negative, b.constant(n, ^uint64(0)), b.constant(n, 1)) // to the next float above
	if mode == spirv.FPRoundingModeRTN {
		up = b.op(isa.INeg, n, up)
	}
	if mode == spirv.FPRoundingModeRTZ {
		up = b.constant(n, ^uint64(0))
	}
	return b.retype(b.selectValue(wrong, b.op(isa.IAdd, n, number, up), number), t)
}

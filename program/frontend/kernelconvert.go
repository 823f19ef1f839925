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

// fromInteger carries out OpConvertUToF and OpConvertSToF, which round to nearest.
func (b *maths) fromInteger(op isa.Op) {
	b.wantNearest()
	t := b.comp(b.resultType())
	b.perComponent(1, func(a []*ir.Value) *ir.Value { return b.conv(op, a[0].R, t, a[0]) })
}

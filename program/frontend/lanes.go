package frontend

import (
	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/spirv"
)

// maths holds the operations on values: arithmetic, bits, conversions,
// composites and the functions of GLSL.std.450. Most go component by component.
type maths struct{ *values }

// lanes1 applies a one-source operation to each component.
func lanes1(op isa.Op) row[*maths] {
	return pure(func(b *maths) {
		t := b.comp(b.resultType())
		b.perComponent(1, func(a []*ir.Value) *ir.Value { return b.op(op, t, a[0]) })
	})
}

// lanes2 applies a two-source operation to each component.
func lanes2(op isa.Op) row[*maths] {
	return pure(func(b *maths) {
		t := b.comp(b.resultType())
		b.perComponent(2, func(a []*ir.Value) *ir.Value { return b.op(op, t, a[0], a[1]) })
	})
}

// shift is lanes2 whose second source may have another width.
func shift(op isa.Op) row[*maths] {
	return pure(func(b *maths) {
		t := b.comp(b.resultType())
		b.perComponent(2, func(a []*ir.Value) *ir.Value { return b.op(op, t, a[0], b.widen(a[1], t)) })
	})
}

// widen zero-extends or cuts an integer.
// compare applies a comparison to each component; swap exchanges the sources.
func compare(op isa.Op, swap bool) row[*maths] {
	return pure(func(b *maths) {
		b.perComponent(2, func(a []*ir.Value) *ir.Value {
			if swap {
				a[0], a[1] = a[1], a[0]
			}
			return b.compare(op, a[0].R, a[0], a[1])
		})
	})
}

// test applies a one-source test to each component.
func test(op isa.Op) row[*maths] {
	return pure(func(b *maths) {
		b.perComponent(1, func(a []*ir.Value) *ir.Value { return b.compare(op, a[0].R, a[0]) })
	})
}

// perComponent computes the result component by component from n operands.
func (b *maths) perComponent(n int, f func(a []*ir.Value) *ir.Value) {
	operands := make([][]*ir.Value, n)
	for i := range operands {
		operands[i] = b.elements(b.arg(i))
		b.sameElements(b.arg(i))
	}
	b.setElements(b.zip(operands, f)...)
}

// zip applies f to the components of operands of one length.
func (b *maths) zip(operands [][]*ir.Value, f func(a []*ir.Value) *ir.Value) []*ir.Value {
	args := make([]*ir.Value, len(operands))
	n := len(operands[0])
	return b.components(n, func(i int) *ir.Value {
		for j, list := range operands {
			if len(list) != n {
				b.invalid("operands of %d and %d components", len(list), n)
			}
			args[j] = list[i]
		}
		return f(args)
	})
}

// components calls f for each component of a vector: the values that it emits belong to that.
func (b *maths) components(n int, f func(i int) *ir.Value) []*ir.Value {
	out := make([]*ir.Value, n)
	for i := range out {
		b.component = uint8(i)
		out[i] = f(i)
	}
	b.component = 0
	return out
}

func arithmeticRows() map[spirv.Op]row[*maths] {
	return map[spirv.Op]row[*maths]{
		spirv.OpIAdd:    lanes2(isa.IAdd),
		spirv.OpISub:    lanes2(isa.ISub),
		spirv.OpIMul:    lanes2(isa.IMul),
		spirv.OpUDiv:    lanes2(isa.UDiv),
		spirv.OpSDiv:    lanes2(isa.SDiv),
		spirv.OpUMod:    lanes2(isa.UMod),
		spirv.OpSRem:    lanes2(isa.SRem),
		spirv.OpSMod:    lanes2(isa.SMod),
		spirv.OpSNegate: lanes1(isa.INeg),
		spirv.OpFNegate: lanes1(isa.FNeg),
		spirv.OpFAdd:    lanes2(isa.FAdd),
		spirv.OpFSub:    lanes2(isa.FSub),
		spirv.OpFMul:    lanes2(isa.FMul),
		spirv.OpFDiv:    lanes2(isa.FDiv),
		spirv.OpFRem:    lanes2(isa.FRem),
		spirv.OpFMod:    lanes2(isa.FMod),
		spirv.OpFmaKHR: pure(func(b *maths) {
			b.perComponent(3, func(a []*ir.Value) *ir.Value { return b.op(isa.Fma, a[0].R, a[0], a[1], a[2]) })
		}),
	}
}

func bitRows() map[spirv.Op]row[*maths] {
	return map[spirv.Op]row[*maths]{
		spirv.OpBitwiseAnd:           lanes2(isa.And),
		spirv.OpBitwiseOr:            lanes2(isa.Or),
		spirv.OpBitwiseXor:           lanes2(isa.Xor),
		spirv.OpNot:                  lanes1(isa.Not),
		spirv.OpLogicalAnd:           lanes2(isa.And),
		spirv.OpLogicalOr:            lanes2(isa.Or),
		spirv.OpLogicalNot:           lanes1(isa.Not),
		spirv.OpLogicalEqual:         pure(func(b *maths) { b.logicalEqual() }),
		spirv.OpLogicalNotEqual:      lanes2(isa.Xor),
		spirv.OpShiftLeftLogical:     shift(isa.Shl),
		spirv.OpShiftRightLogical:    shift(isa.Shr),
		spirv.OpShiftRightArithmetic: shift(isa.Sar),
		spirv.OpBitReverse:           lanes1(isa.BitReverse),
		spirv.OpBitCount:             pure((*maths).bitCount),
		spirv.OpBitFieldInsert:       pure((*maths).bitFieldInsert),
		spirv.OpBitFieldSExtract:     bitField(isa.BitFieldSExtract),
		spirv.OpBitFieldUExtract:     bitField(isa.BitFieldUExtract),
	}
}

func compareRows() map[spirv.Op]row[*maths] {
	return map[spirv.Op]row[*maths]{
		spirv.OpIEqual:                 compare(isa.IEq, false),
		spirv.OpINotEqual:              compare(isa.INe, false),
		spirv.OpULessThan:              compare(isa.ULt, false),
		spirv.OpULessThanEqual:         compare(isa.ULe, false),
		spirv.OpUGreaterThan:           compare(isa.ULt, true),
		spirv.OpUGreaterThanEqual:      compare(isa.ULe, true),
		spirv.OpSLessThan:              compare(isa.SLt, false),
		spirv.OpSLessThanEqual:         compare(isa.SLe, false),
		spirv.OpSGreaterThan:           compare(isa.SLt, true),
		spirv.OpSGreaterThanEqual:      compare(isa.SLe, true),
		spirv.OpFOrdEqual:              compare(isa.FOrdEq, false),
		spirv.OpFOrdNotEqual:           compare(isa.FOrdNe, false),
		spirv.OpFOrdLessThan:           compare(isa.FOrdLt, false),
		spirv.OpFOrdLessThanEqual:      compare(isa.FOrdLe, false),
		spirv.OpFOrdGreaterThan:        compare(isa.FOrdLt, true),
		spirv.OpFOrdGreaterThanEqual:   compare(isa.FOrdLe, true),
		spirv.OpFUnordEqual:            compare(isa.FUnordEq, false),
		spirv.OpFUnordNotEqual:         compare(isa.FUnordNe, false),
		spirv.OpFUnordLessThan:         compare(isa.FUnordLt, false),
		spirv.OpFUnordLessThanEqual:    compare(isa.FUnordLe, false),
		spirv.OpFUnordGreaterThan:      compare(isa.FUnordLt, true),
		spirv.OpFUnordGreaterThanEqual: compare(isa.FUnordLe, true),
		spirv.OpIsNan:                  test(isa.IsNan),
		spirv.OpIsInf:                  test(isa.IsInf),
		spirv.OpOrdered:                pure(func(b *maths) { b.ordered(true) }),
		spirv.OpUnordered:              pure(func(b *maths) { b.ordered(false) }),
		spirv.OpLessOrGreater:          compare(isa.FOrdNe, false),
		spirv.OpAny:                    pure(func(b *maths) { b.set(b.join(isa.Or, b.leaves(b.arg(0)))) }),
		spirv.OpAll:                    pure(func(b *maths) { b.set(b.join(isa.And, b.leaves(b.arg(0)))) }),
		spirv.OpSelect:                 pure((*maths).selects),
	}
}

func convertRows() map[spirv.Op]row[*maths] {
	return map[spirv.Op]row[*maths]{
		spirv.OpConvertFToU:   pure(func(b *maths) { b.toInteger(isa.FToU) }),
		spirv.OpConvertFToS:   pure(func(b *maths) { b.toInteger(isa.FToS) }),
		spirv.OpConvertSToF:   pure(func(b *maths) { b.fromInteger(isa.SToF) }),
		spirv.OpConvertUToF:   pure(func(b *maths) { b.fromInteger(isa.UToF) }),
		spirv.OpUConvert:      pure(func(b *maths) { b.integerConvert(false) }),
		spirv.OpSConvert:      pure(func(b *maths) { b.integerConvert(true) }),
		spirv.OpFConvert:      pure((*maths).floatConvert),
		spirv.OpQuantizeToF16: lanes1(isa.QuantizeF16),

		spirv.OpIAddCarry:    pure(func(b *maths) { b.pair(isa.IAdd, isa.UAddCarry) }),
		spirv.OpISubBorrow:   pure(func(b *maths) { b.pair(isa.ISub, isa.USubBorrow) }),
		spirv.OpUMulExtended: pure(func(b *maths) { b.pair(isa.IMul, isa.UMulHi) }),
		spirv.OpSMulExtended: pure(func(b *maths) { b.pair(isa.IMul, isa.SMulHi) }),

		spirv.OpSDot:        pure(func(b *maths) { b.intDot(signedDot, false) }),
		spirv.OpUDot:        pure(func(b *maths) { b.intDot(unsignedDot, false) }),
		spirv.OpSUDot:       pure(func(b *maths) { b.intDot(mixedDot, false) }),
		spirv.OpSDotAccSat:  pure(func(b *maths) { b.intDot(signedDot, true) }),
		spirv.OpUDotAccSat:  pure(func(b *maths) { b.intDot(unsignedDot, true) }),
		spirv.OpSUDotAccSat: pure(func(b *maths) { b.intDot(mixedDot, true) }),

		spirv.OpFDot2MixAcc32VALVE: pure(func(b *maths) { b.mixedFloatDot(2, 32) }),
		spirv.OpFDot2MixAcc16VALVE: pure(func(b *maths) { b.mixedFloatDot(2, 16) }),
		spirv.OpFDot4MixAcc32VALVE: pure(func(b *maths) { b.mixedFloatDot(4, 32) }),

		spirv.OpDot:           pure(func(b *maths) { b.set(b.dot(b.leaves(b.arg(0)), b.leaves(b.arg(1)))) }),
		spirv.OpExpectKHR:     pure(func(b *maths) { b.set(b.leaves(b.arg(0))...) }),
		spirv.OpAssumeTrueKHR: pure(func(b *maths) {}),
	}
}

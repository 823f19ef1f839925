package isa

import (
	"math"

	"spvsim/spirv"
)

// Conversions.
const (
	// Conversions from Inst.From to Inst.T.
	UConvert Op = endComparisons + iota // zero-extend or truncate
	SConvert                            // sign-extend or truncate
	FConvert                            // round to nearest even
	FToU                                // towards zero; saturates, NaN becomes 0
	FToS
	UToF
	SToF

	endConversions
)

var convertRows = []Row{
	{UConvert, "uconvert", alu, convert, salu, meanUConvert, core(spirv.OpUConvert)},
	{SConvert, "sconvert", alu, convert, salu, meanSConvert, core(spirv.OpSConvert)},
	{FConvert, "fconvert", cvt, convert, pure, meanFConvert, core(spirv.OpFConvert).merge(glsl(spirv.GLSLstd450PackHalf2x16, spirv.GLSLstd450UnpackHalf2x16))},
	{FToU, "ftou", cvt, convert, pure, meanFToU, core(spirv.OpConvertFToU)},
	{FToS, "ftos", cvt, convert, pure, meanFToS, core(spirv.OpConvertFToS)},
	{UToF, "utof", cvt, convert, pure, meanUToF, core(spirv.OpConvertUToF)},
	{SToF, "stof", cvt, convert, pure, meanSToF, core(spirv.OpConvertSToF)},
}

// Meanings that mix types.

func meanFma(t, _ Type, _, a, b, c, _ uint64) uint64 {
	sum := fma(t, FloatOf(t, a), FloatOf(t, b), FloatOf(t, c))
	if sum != sum {
		return fmaNaN(t, a, b, c)
	}
	return FloatBits(t, sum)
}

// meanFDot2 fuses each product with the sum so far, in order of the components: SPV_VALVE_mixed_float_dot_product
// leaves order and precision open, and V_DOT2_F32_F16 does so (RDNA3 ISA).
func meanFDot2(t, _ Type, _, a, b, c, _ uint64) uint64 {
	sum := FloatOf(t, c)
	for _, shift := range [2]uint{0, 16} {
		sum = FloatOf(t, FloatBits(t, addToOdd(HalfToFloat64(a>>shift&0xffff)*HalfToFloat64(b>>shift&0xffff), sum)))
	}
	return FloatBits(t, sum)
}

func meanLdexp(t, _ Type, _, a, b, _, _ uint64) uint64 {
	return FloatBits(t, math.Ldexp(FloatOf(t, a), int(int32(b))))
}

func meanFrexpExp(t, _ Type, _, a, _, _, _ uint64) uint64 {
	_, exp := math.Frexp(FloatOf(t, a))
	return uint64(uint32(exp))
}

func meanUConvert(t, _ Type, _, a, _, _, _ uint64) uint64 { return a & t.Mask() }

func meanSConvert(t, from Type, _, a, _, _, _ uint64) uint64 {
	return uint64(signed(a, from.Bits())) & t.Mask()
}

// Saturate is the Imm of an FConvert that clamps the result to the largest number: see smallBits.
const Saturate = 1

func meanFConvert(t, from Type, imm, a, _, _, _ uint64) uint64 {
	if imm == Saturate && floatForms[t].mantissa != 0 {
		return smallBits(t, FloatOf(from, a), true)
	}
	return FloatBits(t, FloatOf(from, a))
}

func meanFToU(t, from Type, _, a, _, _, _ uint64) uint64 { return ftou(FloatOf(from, a), t.Bits()) }

func meanFToS(t, from Type, _, a, _, _, _ uint64) uint64 {
	return ftos(FloatOf(from, a), t.Bits()) & t.Mask()
}

func meanUToF(t, _ Type, _, a, _, _, _ uint64) uint64 { return utof(t, a) }

func meanSToF(t, from Type, _, a, _, _, _ uint64) uint64 { return stof(t, signed(a, from.Bits())) }

func mov(a, _, _ uint64) uint64 { return a }

func choose(a, b, c uint64) uint64 {
	if a != 0 {
		return b
	}
	return c
}

func pack64(lo, hi, _ uint64) uint64 { return lo | hi<<32 }

func pack8(a, b, c, d uint64) uint64 { return a | b<<8 | c<<16 | d<<24 }

func pack16(lo, hi, _ uint64) uint64 { return lo&0xffff | hi<<16 }

func meanUnpack16(_, _ Type, imm, a, _, _, _ uint64) uint64 { return a >> (16 * (imm & 1)) & 0xffff }

func hi32(a, _, _ uint64) uint64 { return a >> 32 }

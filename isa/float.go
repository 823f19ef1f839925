package isa

import (
	"math"

	"spvsim/spirv"
)

// Operations on floats.
const (
	// Floating point, T one of F16, F32, F64.
	FAdd Op = endIntegers + iota
	FSub
	FMul
	FDiv
	FRem // sign of a
	FMod // sign of b
	FNeg
	FAbs
	FSign
	FMin // NaN handling as IEEE minNum: the other operand
	FMax
	FMin3 // of three; with a NaN, FMid3 returns the least of the others
	FMax3
	FMid3
	Floor
	Ceil
	Trunc
	Round // halves away from zero
	RoundEven
	Fract
	Sqrt
	Rsq
	Exp
	Exp2
	Log
	Log2
	Pow
	Sin
	Cos
	Tan
	Asin
	Acos
	Atan
	Sinh
	Cosh
	Tanh
	Asinh
	Acosh
	Atanh
	Atan2     // atan2(a, b): a is y
	Fma       // a*b + c with one rounding
	Ldexp     // a * 2^b; b is I32
	FrexpMant // mantissa in [0.5, 1)
	FrexpExp  // exponent as I32; T is the type of a
	QuantizeF16
	IsNan // result Bool
	IsInf // result Bool
	Rcp   // 1/a (formed where a reciprocal is asked for)
	FDot2 // c + a.x*b.x, then + a.y*b.y, each step rounded once; a and b are I32 that hold two F16; T = F32 or F16
	// Cube maps: the face that direction (a, b, c) points to, and the coordinates
	// on it. T = F32.
	CubeID // 0 to 5: +x, -x, +y, -y, +z, -z
	CubeSC
	CubeTC
	CubeMA // twice the length along the major axis: v_cubema with the free |x| of the instruction that reads it
	FClass // Bool: a is of one of the kinds in Imm, see FClassNaN
	// Steps of a division that is rounded once; T = F32.
	DivScale  // a, which is the divisor b or the dividend c, scaled for the steps
	DivScaled // divisor a, dividend b -> Bool: the quotient has to be scaled back; DivScale writes it, too
	DivFmas   // a*b + c, scaled back if d, a Bool, is true
	DivFixup  // the quotient a of divisor b and dividend c, or a result that the steps do not give

	endFloats
)

var floatingRows = []Row{
	{FAdd, "fadd", addF, binary, comm, float2(fadd), core(spirv.OpFAdd)},
	{FSub, "fsub", addF, binary, pure, float2(fsub), core(spirv.OpFSub)},
	{FMul, "fmul", mulF, binary, comm, float2(fmul), core(spirv.OpFMul)},
	{FDiv, "fdiv", transF, binary, costly, float2(fdiv), core(spirv.OpFDiv)},
	{FRem, "frem", transF, binary, costly, float2(math.Mod), core(spirv.OpFRem)},
	{FMod, "fmod", transF, binary, costly, float2(fmod), core(spirv.OpFMod)},
	{FNeg, "fneg", addF, unary, pure, int1(fneg), core(spirv.OpFNegate)},
	{FAbs, "fabs", addF, unary, pure, int1(fabs), glsl(spirv.GLSLstd450FAbs)},
	{FSign, "fsign", addF, unary, pure, float1(fsign), glsl(spirv.GLSLstd450FSign)},
	{FMin, "fmin", addF, binary, comm, float2(MinNum), glsl(spirv.GLSLstd450FMin, spirv.GLSLstd450NMin, spirv.GLSLstd450FClamp, spirv.GLSLstd450NClamp)},
	{FMax, "fmax", addF, binary, comm, float2(MaxNum), glsl(spirv.GLSLstd450FMax, spirv.GLSLstd450NMax, spirv.GLSLstd450FClamp, spirv.GLSLstd450NClamp)},
	{FMin3, "fmin3", addF, ternary, comm, float3(fmin3), trinary(spirv.AMDShaderTrinaryMinmaxFMin3AMD)},
	{FMax3, "fmax3", addF, ternary, comm, float3(fmax3), trinary(spirv.AMDShaderTrinaryMinmaxFMax3AMD)},
	{FMid3, "fmid3", addF, ternary, comm, float3(fmid3), trinary(spirv.AMDShaderTrinaryMinmaxFMid3AMD)},
	{Floor, "floor", addF, unary, pure, float1(math.Floor), glsl(spirv.GLSLstd450Floor)},
	{Ceil, "ceil", addF, unary, pure, float1(math.Ceil), glsl(spirv.GLSLstd450Ceil)},
	{Trunc, "trunc", addF, unary, pure, float1(math.Trunc), glsl(spirv.GLSLstd450Trunc, spirv.GLSLstd450Modf, spirv.GLSLstd450ModfStruct)},
	{Round, "round", addF, unary, pure, float1(math.Round), glsl(spirv.GLSLstd450Round)},
	{RoundEven, "roundeven", addF, unary, pure, float1(math.RoundToEven), glsl(spirv.GLSLstd450RoundEven)},
	{Fract, "fract", addF, unary, pure, float1(fract), glsl(spirv.GLSLstd450Fract)},
	{Sqrt, "sqrt", transF, unary, costly, float1(math.Sqrt), glsl(spirv.GLSLstd450Sqrt)},
	{Rsq, "rsq", transF, unary, costly, float1(rsq), glsl(spirv.GLSLstd450InverseSqrt)},
	{Exp, "exp", transF, unary, costly, float1(math.Exp), glsl(spirv.GLSLstd450Exp)},
	{Exp2, "exp2", transF, unary, costly, float1(math.Exp2), glsl(spirv.GLSLstd450Exp2)},
	{Log, "log", transF, unary, costly, float1(math.Log), glsl(spirv.GLSLstd450Log)},
	{Log2, "log2", transF, unary, costly, float1(math.Log2), glsl(spirv.GLSLstd450Log2)},
	{Pow, "pow", transF, binary, costly, float2(math.Pow), glsl(spirv.GLSLstd450Pow)},
	{Sin, "sin", transF, unary, costly, float1(math.Sin), glsl(spirv.GLSLstd450Sin)},
	{Cos, "cos", transF, unary, costly, float1(math.Cos), glsl(spirv.GLSLstd450Cos)},
	{Tan, "tan", transF, unary, costly, float1(math.Tan), glsl(spirv.GLSLstd450Tan)},
	{Asin, "asin", transF, unary, costly, float1(math.Asin), glsl(spirv.GLSLstd450Asin)},
	{Acos, "acos", transF, unary, costly, float1(math.Acos), glsl(spirv.GLSLstd450Acos)},
	{Atan, "atan", transF, unary, costly, float1(math.Atan), glsl(spirv.GLSLstd450Atan)},
	{Sinh, "sinh", transF, unary, costly, float1(math.Sinh), glsl(spirv.GLSLstd450Sinh)},
	{Cosh, "cosh", transF, unary, costly, float1(math.Cosh), glsl(spirv.GLSLstd450Cosh)},
	{Tanh, "tanh", transF, unary, costly, float1(math.Tanh), glsl(spirv.GLSLstd450Tanh)},
	{Asinh, "asinh", transF, unary, costly, float1(math.Asinh), glsl(spirv.GLSLstd450Asinh)},
	{Acosh, "acosh", transF, unary, costly, float1(math.Acosh), glsl(spirv.GLSLstd450Acosh)},
	{Atanh, "atanh", transF, unary, costly, float1(math.Atanh), glsl(spirv.GLSLstd450Atanh)},
	{Atan2, "atan2", transF, binary, costly, float2(math.Atan2), glsl(spirv.GLSLstd450Atan2)},
	{Fma, "fma", fmaF, ternary, comm, meanFma, glsl(spirv.GLSLstd450Fma)},
	{Ldexp, "ldexp", mulF, sig(OfT, OfT, OfI32), pure, meanLdexp, glsl(spirv.GLSLstd450Ldexp)},
	{FrexpMant, "frexp_mant", addF, unary, pure, float1(frexpMant), glsl(spirv.GLSLstd450Frexp, spirv.GLSLstd450FrexpStruct)},
	{FrexpExp, "frexp_exp", addF, sig(OfI32, OfT), pure, meanFrexpExp, glsl(spirv.GLSLstd450Frexp, spirv.GLSLstd450FrexpStruct)},
	{QuantizeF16, "quantize_f16", cvt, unary, pure, float1(quantize16), core(spirv.OpQuantizeToF16)},
	{IsNan, "isnan", addF, question, pure, floatTest(math.IsNaN), core(spirv.OpIsNan)},
	{IsInf, "isinf", addF, question, pure, floatTest(isInf), core(spirv.OpIsInf)},
	{Rcp, "rcp", transF, unary, pure, float1(rcp), specNote("reciprocal of the major axis in CubeFaceCoordAMD")},
	{FDot2, "fdot2", sameClass(ClassPacked16), sig(OfT, OfI32, OfI32, OfT), pure, meanFDot2, core(spirv.OpFDot2MixAcc32VALVE, spirv.OpFDot2MixAcc16VALVE)},
	{CubeID, "cube_id", addF, ternary, pure, cube(cubeID), specNote("CubeFaceIndexAMD")},
	{CubeSC, "cube_sc", addF, ternary, pure, cube(cubeSC), specNote("CubeFaceCoordAMD")},
	{CubeTC, "cube_tc", addF, ternary, pure, cube(cubeTC), specNote("CubeFaceCoordAMD")},
	{CubeMA, "cube_ma", addF, ternary, pure, cube(cubeMA), specNote("CubeFaceCoordAMD")},
	{FClass, "fclass", addF, question, pure, meanFClass, specNote("precise square roots, sines and powers")},
	{DivScale, "div_scale", fmaF, ternary, pure, widthless(divScale), specNote("precise division")},
	{DivScaled, "div_scaled", noClass, sig(OfBool, OfT, OfT), pure, widthless(divScaled), specNote("the mask that div_scale writes beside its result")},
	{DivFmas, "div_fmas", fmaF, sig(OfT, OfT, OfT, OfT, OfBool), pure, widthless4(divFmas), specNote("precise division")},
	{DivFixup, "div_fixup", fmaF, ternary, pure, widthless(divFixup), specNote("precise division")},
}

// The meaning of floating-point operations: functions on float64, which hold
// every value of the narrower types exactly. The caller rounds the result to
// the type. For + - * / and square root that second rounding is innocuous: 53
// bits are more than twice 24 plus one (S. Figueroa, "When is double rounding
// innocuous?", 1995).

// FloatOf returns the value of the bits of a float of type t.
func FloatOf(t Type, bits uint64) float64 {
	switch t {
	case F32:
		return float64(math.Float32frombits(uint32(bits)))
	case F16:
		return HalfToFloat64(bits)
	case BF16, E4M3, E5M2:
		return smallFloat(t, bits)
	}
	return math.Float64frombits(bits)
}

// FloatBits returns the bits of f, rounded to nearest even, as a float of type t.
func FloatBits(t Type, f float64) uint64 {
	switch t {
	case F32:
		return uint64(math.Float32bits(float32(f)))
	case F16:
		return HalfFromFloat64(f)
	case BF16, E4M3, E5M2:
		return smallBits(t, f, false)
	}
	return math.Float64bits(f)
}

func fadd(a, b float64) float64 { return a + b }
func fsub(a, b float64) float64 { return a - b }
func fmul(a, b float64) float64 { return a * b }
func fdiv(a, b float64) float64 { return a / b }

func fmod(a, b float64) float64 {
	r := math.Mod(a, b)
	if r != 0 && (r < 0) != (b < 0) {
		r += b
	}
	return r
}

func fneg(a uint64, w uint) uint64 { return a ^ 1<<(w-1) }
func fabs(a uint64, w uint) uint64 { return a &^ (1 << (w - 1)) }

func fsign(a float64) float64 {
	switch {
	case a > 0:
		return 1
	case a < 0:
		return -1
	}
	return 0
}

// MinNum is IEEE 754-2008 minNum: of a number and a NaN, it returns the number.
func MinNum(a, b float64) float64 {
	switch {
	case a != a:
		return b
	case b != b:
		return a
	}
	return math.Min(a, b)
}

// MaxNum is IEEE 754-2008 maxNum: of a number and a NaN, it returns the number.
func MaxNum(a, b float64) float64 {
	switch {
	case a != a:
		return b
	case b != b:
		return a
	}
	return math.Max(a, b)
}

func fmin3(a, b, c float64) float64 { return MinNum(MinNum(a, b), c) }
func fmax3(a, b, c float64) float64 { return MaxNum(MaxNum(a, b), c) }

// fmid3 returns the median; with a NaN, the result of fmin3 (RDNA ISA, V_MED3_F32).
func fmid3(a, b, c float64) float64 {
	if a != a || b != b || c != c {
		return fmin3(a, b, c)
	}
	return math.Max(math.Min(a, b), math.Min(math.Max(a, b), c))
}

func fract(a float64) float64 { return a - math.Floor(a) }
func rsq(a float64) float64   { return 1 / math.Sqrt(a) }

// fma rounds a*b + c once to type t. For the narrower types the product is
// exact in float64 and the sum is rounded to odd, which the rounding to t that
// follows can't distinguish from the exact sum.
func fma(t Type, a, b, c float64) float64 {
	if t == F64 {
		return math.FMA(a, b, c)
	}
	return addToOdd(a*b, c)
}

// addToOdd returns p + c rounded to odd: of the two neighbours of an inexact sum, the one with an odd significand.
func addToOdd(p, c float64) float64 {
	s := p + c
	if s-s != 0 { // infinity or NaN
		return s
	}
	v := s - p
	rest := (p - (s - v)) + (c - v) // the rounding error of the sum, exactly (Knuth's TwoSum)
	bits := math.Float64bits(s)
	if rest == 0 || bits&1 != 0 {
		return s
	}
	if (rest > 0) == (s > 0) {
		return math.Float64frombits(bits + 1)
	}
	return math.Float64frombits(bits - 1)
}

func frexpMant(a float64) float64 {
	m, _ := math.Frexp(a)
	return m
}

func quantize16(a float64) float64 {
	h := HalfFromFloat64(a)
	if h&0x7c00 == 0 {
		h &= 0x8000
	}
	return HalfToFloat64(h)
}

func isInf(a float64) bool { return math.IsInf(a, 0) }

// ftou converts towards zero, saturating at the largest integer of w bits.
func ftou(f float64, w uint) uint64 {
	switch {
	case !(f > 0): // NaN too
		return 0
	case f >= math.Ldexp(1, int(w)):
		return ^uint64(0) >> (64 - w)
	}
	return uint64(f)
}

// ftos converts towards zero, saturating at both ends of w bits.
func ftos(f float64, w uint) uint64 {
	limit := math.Ldexp(1, int(w)-1)
	switch {
	case f != f:
		return 0
	case f >= limit:
		return 1<<(w-1) - 1
	case f < -limit:
		return 1 << (w - 1)
	}
	return uint64(int64(f))
}

// utof rounds once: 64-bit integers are not converted to float32 through float64. (Those that are inexact in float64
// are infinite in float16.)
func utof(t Type, a uint64) uint64 {
	if t == F32 {
		return uint64(math.Float32bits(float32(a)))
	}
	return FloatBits(t, float64(a))
}

func stof(t Type, a int64) uint64 {
	if t == F32 {
		return uint64(math.Float32bits(float32(a)))
	}
	return FloatBits(t, float64(a))
}

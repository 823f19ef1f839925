package isa

import (
	"math"
	"math/bits"

	"spvsim/spirv"
)

// Integer operations.
const (
	// Integer arithmetic, any integer T; results wrap.
	IAdd Op = endValues + iota
	ISub
	IMul
	UMulHi // high half of the double-width product
	SMulHi
	UDiv // 0 for division by zero
	SDiv // 0 for division by zero; the most negative value for overflow
	UMod // 0 for division by zero
	SRem // sign of a; 0 for division by zero
	SMod // sign of b; 0 for division by zero
	// DivSelect is the last selection of an expanded division: a ? b : c, but 0 if the divisor d is zero. Hardware has
	// the same selection, and its result for a divisor of zero is undefined; the defined value costs nothing.
	DivSelect
	INeg
	UAddCarry  // 1 when a+b overflows T, else 0
	USubBorrow // 1 when a<b, else 0
	UMin
	UMax
	SMin
	SMax
	UMin3 // the minimum, maximum and median of three
	UMax3
	UMid3
	SMin3
	SMax3
	SMid3
	SAbs
	SSign
	UMul24  // low 32 bits of the product of the lowest 24 of a and b (formed by expansions; T = I32)
	IMad    // a*b + c (formed by optimisation; T = I32)
	LshlAdd // (a << b) + c (formed by optimisation; T = I32)
	IAdd3   // a + b + c (formed by optimisation; T = I32)
	LshlOr  // (a << b) | c (formed by optimisation; T = I32)
	AddLshl // (a + b) << c (formed by optimisation; T = I32)
	AndOr   // (a & b) | c (formed by optimisation; T = I32)
	Or3     // a | b | c (formed by optimisation; T = I32)
	Xor3    // a ^ b ^ c (formed by optimisation; T = I32)
	// Dot products: c plus the products of the four bytes, or two halves, of a and
	// b; T = I32. The sum wraps, or is held in the range of its type (Sat).
	SDot4
	UDot4
	SUDot4 // a is signed, b is not, c is
	SDot2
	UDot2
	SDot4Sat
	UDot4Sat
	SUDot4Sat
	SDot2Sat
	UDot2Sat

	// Bits, any integer T. And, Or, Xor, Not also take Bool (lane masks or
	// uniform truth values).
	And
	Or
	Xor
	Not
	Shl // shift amounts are taken modulo the width of T
	Shr // logical
	Sar // arithmetic
	BitCount
	BitReverse
	BitFieldInsert   // four sources: base, insert, offset, count
	BitFieldSExtract // base, offset, count
	BitFieldUExtract // base, offset, count
	FindILsb         // all ones when a is zero
	FindSMsb         // all ones when a is 0 or -1
	FindUMsb         // all ones when a is zero

	endIntegers
)

var integerRows = []Row{
	{IAdd, "iadd", alu, binary, saluC, int2(iadd), core(spirv.OpIAdd, spirv.OpIAddCarry)},
	{ISub, "isub", alu, binary, salu, int2(isub), core(spirv.OpISub, spirv.OpISubBorrow)},
	{IMul, "imul", mulInt, binary, saluC, int2(imul), core(spirv.OpIMul, spirv.OpUMulExtended, spirv.OpSMulExtended)},
	{UMulHi, "umulhi", mulInt, binary, saluC, int2(umulhi), core(spirv.OpUMulExtended)},
	{SMulHi, "smulhi", mulInt, binary, saluC, int2(smulhi), core(spirv.OpSMulExtended)},
	{UDiv, "udiv", mulInt, binary, costlySALU, int2(udiv), core(spirv.OpUDiv)},
	{SDiv, "sdiv", mulInt, binary, costlySALU, int2(sdiv), core(spirv.OpSDiv)},
	{UMod, "umod", mulInt, binary, costlySALU, int2(umod), core(spirv.OpUMod)},
	{SRem, "srem", mulInt, binary, costlySALU, int2(srem), core(spirv.OpSRem)},
	{SMod, "smod", mulInt, binary, costlySALU, int2(smod), core(spirv.OpSMod)},
	{DivSelect, "div_select", alu, sig(OfT, OfBool, OfT, OfT, OfT), salu, widthless4(divSelect), specNote("formed by the expansion of divisions")},
	{INeg, "ineg", alu, unary, salu, int1(ineg), core(spirv.OpSNegate)},
	{UAddCarry, "uaddcarry", alu, binary, saluC, int2(uaddcarry), core(spirv.OpIAddCarry)},
	{USubBorrow, "usubborrow", alu, binary, salu, int2(usubborrow), core(spirv.OpISubBorrow)},
	{UMin, "umin", alu, binary, saluC, int2(umin), glsl(spirv.GLSLstd450UMin, spirv.GLSLstd450UClamp)},
	{UMax, "umax", alu, binary, saluC, int2(umax), glsl(spirv.GLSLstd450UMax, spirv.GLSLstd450UClamp)},
	{SMin, "smin", alu, binary, saluC, int2(smin), glsl(spirv.GLSLstd450SMin, spirv.GLSLstd450SClamp)},
	{SMax, "smax", alu, binary, saluC, int2(smax), glsl(spirv.GLSLstd450SMax, spirv.GLSLstd450SClamp)},
	{UMin3, "umin3", alu, ternary, comm, int3(three(umin, umin)), trinary(spirv.AMDShaderTrinaryMinmaxUMin3AMD)},
	{UMax3, "umax3", alu, ternary, comm, int3(three(umax, umax)), trinary(spirv.AMDShaderTrinaryMinmaxUMax3AMD)},
	{UMid3, "umid3", alu, ternary, comm, int3(middle(umin, umax)), trinary(spirv.AMDShaderTrinaryMinmaxUMid3AMD)},
	{SMin3, "smin3", alu, ternary, comm, int3(three(smin, smin)), trinary(spirv.AMDShaderTrinaryMinmaxSMin3AMD)},
	{SMax3, "smax3", alu, ternary, comm, int3(three(smax, smax)), trinary(spirv.AMDShaderTrinaryMinmaxSMax3AMD)},
	{SMid3, "smid3", alu, ternary, comm, int3(middle(smin, smax)), trinary(spirv.AMDShaderTrinaryMinmaxSMid3AMD)},
	{SAbs, "sabs", alu, unary, salu, int1(sabs), glsl(spirv.GLSLstd450SAbs)},
	{SSign, "ssign", alu, unary, salu, int1(ssign), glsl(spirv.GLSLstd450SSign)},
	{UMul24, "umul24", alu, binary, comm, int2(umul24), specNote("formed by expansions")},
	{IMad, "imad", mulInt, ternary, saluC, int3(imad), specNote("formed by optimisation")},
	{LshlAdd, "lshladd", alu, ternary, salu, int3(lshladd), specNote("formed by optimisation")},
	{IAdd3, "iadd3", alu, ternary, saluC, int3(iadd3), specNote("formed by optimisation")},
	{LshlOr, "lshlor", alu, ternary, salu, int3(lshlor), specNote("formed by optimisation")},
	{AddLshl, "addlshl", alu, ternary, saluC, int3(addlshl), specNote("formed by optimisation")},
	{AndOr, "andor", alu, ternary, saluC, int3(andor), specNote("formed by optimisation")},
	{Or3, "or3", alu, ternary, saluC, int3(or3), specNote("formed by optimisation")},
	{Xor3, "xor3", alu, ternary, saluC, int3(xor3), specNote("formed by optimisation")},

	{SDot4, "sdot4", dot, ternary, comm | FlagDot, intDot{8, true, true}.wrapped, core(spirv.OpSDot)},
	{UDot4, "udot4", dot, ternary, comm | FlagDot, intDot{8, false, false}.wrapped, core(spirv.OpUDot)},
	{SUDot4, "sudot4", dot, ternary, pure | FlagDot, intDot{8, true, false}.wrapped, core(spirv.OpSUDot)},
	{SDot2, "sdot2", dot, ternary, comm | FlagDot, intDot{16, true, true}.wrapped, core(spirv.OpSDot)},
	{UDot2, "udot2", dot, ternary, comm | FlagDot, intDot{16, false, false}.wrapped, core(spirv.OpUDot)},
	{SDot4Sat, "sdot4_sat", dot, ternary, comm, intDot{8, true, true}.saturated, core(spirv.OpSDotAccSat)},
	{UDot4Sat, "udot4_sat", dot, ternary, comm, intDot{8, false, false}.saturated, core(spirv.OpUDotAccSat)},
	{SUDot4Sat, "sudot4_sat", dot, ternary, pure, intDot{8, true, false}.saturated, core(spirv.OpSUDotAccSat)},
	{SDot2Sat, "sdot2_sat", dot, ternary, comm, intDot{16, true, true}.saturated, core(spirv.OpSDotAccSat)},
	{UDot2Sat, "udot2_sat", dot, ternary, comm, intDot{16, false, false}.saturated, core(spirv.OpUDotAccSat)},

	{And, "and", alu, binary, saluC, int2(and), core(spirv.OpBitwiseAnd, spirv.OpLogicalAnd)},
	{Or, "or", alu, binary, saluC, int2(or), core(spirv.OpBitwiseOr, spirv.OpLogicalOr)},
	{Xor, "xor", alu, binary, saluC, int2(xor), core(spirv.OpBitwiseXor, spirv.OpLogicalNotEqual)},
	{Not, "not", alu, unary, salu, int1(not), core(spirv.OpNot, spirv.OpLogicalNot)},
	{Shl, "shl", shift, binary, salu, int2(shl), core(spirv.OpShiftLeftLogical)},
	{Shr, "shr", shift, binary, salu, int2(shr), core(spirv.OpShiftRightLogical)},
	{Sar, "sar", shift, binary, salu, int2(sar), core(spirv.OpShiftRightArithmetic)},
	{BitCount, "bitcount", alu, unary, salu, int1(bitcount), core(spirv.OpBitCount)},
	{BitReverse, "bitreverse", alu, unary, salu, int1(bitreverse), core(spirv.OpBitReverse)},
	{BitFieldInsert, "bitfield_insert", alu, sig(OfT, OfT, OfT, OfT, OfT), salu, int4(bitinsert), core(spirv.OpBitFieldInsert)},
	{BitFieldSExtract, "bitfield_sextract", alu, ternary, salu, int3(bitsextract), core(spirv.OpBitFieldSExtract)},
	{BitFieldUExtract, "bitfield_uextract", alu, ternary, salu, int3(bituextract), core(spirv.OpBitFieldUExtract)},
	{FindILsb, "findilsb", alu, unary, salu, int1(findilsb), glsl(spirv.GLSLstd450FindILsb)},
	{FindSMsb, "findsmsb", alu, unary, salu, int1(findsmsb), glsl(spirv.GLSLstd450FindSMsb)},
	{FindUMsb, "findumsb", alu, unary, salu, int1(findumsb), glsl(spirv.GLSLstd450FindUMsb)},
}

// The meaning of integer operations: functions of canonical operands and the
// width w in bits (8 to 64; the logical ones also 1, for Bool). The caller
// truncates the result to the width.

// signed returns a sign-extended from w bits.
func signed(a uint64, w uint) int64 { return int64(a<<(64-w)) >> (64 - w) }

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func iadd(a, b uint64, _ uint) uint64 { return a + b }
func isub(a, b uint64, _ uint) uint64 { return a - b }
func imul(a, b uint64, _ uint) uint64 { return a * b }
func ineg(a uint64, _ uint) uint64    { return -a }

func umulhi(a, b uint64, w uint) uint64 {
	hi, lo := bits.Mul64(a, b)
	if w == 64 {
		return hi
	}
	return lo >> w
}

func smulhi(a, b uint64, w uint) uint64 {
	if w < 64 {
		return uint64(signed(a, w)*signed(b, w)) >> w
	}
	hi, _ := bits.Mul64(a, b)
	return hi - b*(a>>63) - a*(b>>63)
}

func udiv(a, b uint64, _ uint) uint64 {
	if b == 0 {
		return 0
	}
	return a / b
}

func umod(a, b uint64, _ uint) uint64 {
	if b == 0 {
		return 0
	}
	return a % b
}

func sdiv(a, b uint64, w uint) uint64 {
	if b == 0 {
		return 0
	}
	return uint64(signed(a, w) / signed(b, w))
}

func srem(a, b uint64, w uint) uint64 {
	if b == 0 {
		return 0
	}
	return uint64(signed(a, w) % signed(b, w))
}

func smod(a, b uint64, w uint) uint64 {
	r := srem(a, b, w)
	if r != 0 && (int64(r) < 0) != (signed(b, w) < 0) {
		r += uint64(signed(b, w))
	}
	return r
}

// divSelect is choose, but returns 0 for a divisor of zero.
func divSelect(a, b, c, divisor uint64) uint64 {
	if divisor == 0 {
		return 0
	}
	return choose(a, b, c)
}

func uaddcarry(a, b uint64, w uint) uint64 {
	sum, carry := bits.Add64(a, b, 0)
	if w == 64 {
		return carry
	}
	return sum >> w
}

func usubborrow(a, b uint64, _ uint) uint64 { return truth(a < b) }

func umin(a, b uint64, _ uint) uint64 { return min(a, b) }
func umax(a, b uint64, _ uint) uint64 { return max(a, b) }
func smin(a, b uint64, w uint) uint64 { return uint64(min(signed(a, w), signed(b, w))) }
func smax(a, b uint64, w uint) uint64 { return uint64(max(signed(a, w), signed(b, w))) }

// An extreme is one of umin, umax, smin and smax.
type extreme = func(a, b uint64, w uint) uint64

func three(inner, outer extreme) func(a, b, c uint64, w uint) uint64 {
	return func(a, b, c uint64, w uint) uint64 { return outer(inner(a, b, w), c, w) }
}

// middle returns the median of three.
func middle(low, high extreme) func(a, b, c uint64, w uint) uint64 {
	return func(a, b, c uint64, w uint) uint64 { return high(low(a, b, w), low(high(a, b, w), c, w), w) }
}

func sabs(a uint64, w uint) uint64 {
	if s := signed(a, w); s < 0 {
		return uint64(-s)
	}
	return a
}

func ssign(a uint64, w uint) uint64 {
	s := signed(a, w)
	return uint64(s>>63) | truth(s > 0)
}

func umul24(a, b uint64, w uint) uint64 { return (a & 0xffffff) * (b & 0xffffff) }

func imad(a, b, c uint64, _ uint) uint64    { return a*b + c }
func lshladd(a, b, c uint64, w uint) uint64 { return shl(a, b, w) + c }
func iadd3(a, b, c uint64, _ uint) uint64   { return a + b + c }
func lshlor(a, b, c uint64, w uint) uint64  { return shl(a, b, w) | c }
func addlshl(a, b, c uint64, w uint) uint64 { return shl(a+b, c, w) }
func andor(a, b, c uint64, _ uint) uint64   { return a&b | c }
func or3(a, b, c uint64, _ uint) uint64     { return a | b | c }
func xor3(a, b, c uint64, _ uint) uint64    { return a ^ b ^ c }

// An intDot is a dot product of the parts of two words, each of the given width.
type intDot struct {
	bits             uint
	signedA, signedB bool
}

// sum returns the exact sum of c and the products: it takes 34 bits at the most.
func (p intDot) sum(a, b, c uint64) int64 {
	sum := lowBits(c, 32, p.signedA)
	for at := uint(0); at < 32; at += p.bits {
		sum += lowBits(a>>at, p.bits, p.signedA) * lowBits(b>>at, p.bits, p.signedB)
	}
	return sum
}

// lowBits returns the low w bits of x as a number.
func lowBits(x uint64, w uint, sign bool) int64 {
	if sign {
		return signed(x, w)
	}
	return int64(x & (1<<w - 1))
}

func (p intDot) wrapped(_, _ Type, _, a, b, c, _ uint64) uint64 {
	return uint64(p.sum(a, b, c)) & math.MaxUint32
}

func (p intDot) saturated(_, _ Type, _, a, b, c, _ uint64) uint64 {
	low, high := int64(0), int64(math.MaxUint32)
	if p.signedA {
		low, high = math.MinInt32, math.MaxInt32
	}
	return uint64(min(max(p.sum(a, b, c), low), high)) & math.MaxUint32
}

// The dot products of bytes for the loops over lanes.

func sdot4(x, y uint32) uint32 {
	return uint32(int32(int8(x))*int32(int8(y)) + int32(int8(x>>8))*int32(int8(y>>8)) +
		int32(int8(x>>16))*int32(int8(y>>16)) + (int32(x)>>24)*(int32(y)>>24))
}

func udot4(x, y uint32) uint32 {
	return x&0xff*(y&0xff) + x>>8&0xff*(y>>8&0xff) + x>>16&0xff*(y>>16&0xff) + x>>24*(y>>24)
}

func sudot4(x, y uint32) uint32 {
	return uint32(int32(int8(x))*int32(y&0xff) + int32(int8(x>>8))*int32(y>>8&0xff) +
		int32(int8(x>>16))*int32(y>>16&0xff) + (int32(x)>>24)*int32(y>>24))
}

func and(a, b uint64, _ uint) uint64 { return a & b }
func or(a, b uint64, _ uint) uint64  { return a | b }
func xor(a, b uint64, _ uint) uint64 { return a ^ b }
func not(a uint64, _ uint) uint64    { return ^a }

func shl(a, b uint64, w uint) uint64 { return a << (b & uint64(w-1)) }
func shr(a, b uint64, w uint) uint64 { return a >> (b & uint64(w-1)) }
func sar(a, b uint64, w uint) uint64 { return uint64(signed(a, w) >> (b & uint64(w-1))) }

func bitcount(a uint64, _ uint) uint64   { return uint64(bits.OnesCount64(a)) }
func bitreverse(a uint64, w uint) uint64 { return bits.Reverse64(a) >> (64 - w) }

// field returns the mask of count bits from offset on, cut at the width, and the
// offset and count that remain.
func field(offset, count uint64, w uint) (mask, off, n uint64) {
	off = min(offset, uint64(w))
	n = min(count, uint64(w)-off)
	return (uint64(1)<<n - 1) << off, off, n
}

func bitinsert(base, insert, offset, count uint64, w uint) uint64 {
	mask, off, _ := field(offset, count, w)
	return base&^mask | insert<<off&mask
}

func bituextract(base, offset, count uint64, w uint) uint64 {
	mask, off, _ := field(offset, count, w)
	return (base & mask) >> off
}

func bitsextract(base, offset, count uint64, w uint) uint64 {
	mask, off, n := field(offset, count, w)
	if n == 0 {
		return 0
	}
	return uint64(signed((base&mask)>>off, uint(n)))
}

func findilsb(a uint64, _ uint) uint64 {
	if a == 0 {
		return ^uint64(0)
	}
	return uint64(bits.TrailingZeros64(a))
}

func findumsb(a uint64, _ uint) uint64 { return uint64(bits.Len64(a)) - 1 }

func findsmsb(a uint64, w uint) uint64 {
	s := signed(a, w)
	return uint64(bits.Len64(uint64(s^s>>63))) - 1
}

package isa

import "math"

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

func fordeq(a, b float64) bool   { return a == b }
func fordne(a, b float64) bool   { return a < b || a > b }
func fordlt(a, b float64) bool   { return a < b }
func fordle(a, b float64) bool   { return a <= b }
func funordeq(a, b float64) bool { return !fordne(a, b) }
func funordne(a, b float64) bool { return a != b }
func funordlt(a, b float64) bool { return !(a >= b) }
func funordle(a, b float64) bool { return !(a > b) }

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

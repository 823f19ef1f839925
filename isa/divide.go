package isa

import "math"

// The steps of a division of f32 that is rounded once (RDNA 2 ISA, V_DIV_SCALE_F32, V_DIV_FMAS_F32, V_DIV_FIXUP_F32):
// if the quotient, or a step towards it, would leave the range of f32, the operands are scaled by 2^64 or 2^-64, and
// the last fused step scales back. The fixup returns quotients that no step can.

// scaleBy is an exponent that division scales by.
const scaleBy = 64

// A divScaling holds the powers of two by which a pair of operands is scaled, and whether the quotient has to be scaled
// back.
type divScaling struct {
	den, num int
	back     bool
}

func scalingOf(den, num uint64) divScaling {
	d, n := math.Abs(FloatOf(F32, den)), math.Abs(FloatOf(F32, num))
	const tiny = 0x1p-126
	switch exponents := exponent32(num) - exponent32(den); {
	case d == 0 || n == 0 || exponent32(den) == 255 || exponent32(num) == 255:
		return divScaling{}
	case exponents >= 96:
		return divScaling{den: scaleBy, back: true}
	case d < tiny:
		return divScaling{den: scaleBy, num: scaleBy}
	case 1/d < tiny && n/d < tiny:
		return divScaling{den: -scaleBy, back: true}
	case 1/d < tiny:
		return divScaling{den: -scaleBy, num: -scaleBy}
	case n/d < tiny:
		return divScaling{num: scaleBy, back: true}
	case exponent32(num) <= 23:
		return divScaling{den: scaleBy, num: scaleBy}
	}
	return divScaling{}
}

func exponent32(bits uint64) int { return int(bits >> 23 & 0xff) }

// divScale returns operand a, which is den or num, scaled.
func divScale(a, den, num uint64) uint64 {
	s := scalingOf(den, num)
	by := s.num
	if a == den {
		by = s.den
	}
	if zero := den<<1&F32.Mask() == 0 || num<<1&F32.Mask() == 0; zero {
		return FloatBits(F32, math.NaN())
	}
	return FloatBits(F32, math.Ldexp(FloatOf(F32, a), by))
}

func divScaled(den, num, _ uint64) uint64 { return truth(scalingOf(den, num).back) }

// divFmas returns a*b + c, scaled back before rounding.
func divFmas(a, b, c, scaled uint64) uint64 {
	sum := fma(F32, FloatOf(F32, a), FloatOf(F32, b), FloatOf(F32, c))
	switch {
	case scaled == 0:
	case exponent32(c) > 127:
		sum = math.Ldexp(sum, scaleBy)
	default:
		sum = math.Ldexp(sum, -scaleBy)
	}
	return FloatBits(F32, sum)
}

// divFixup returns the quotient q of num and den, or the results that the steps do not give: for zeros, infinities and
// NaNs, above the largest and below the smallest number.
func divFixup(q, den, num uint64) uint64 {
	d, n := FloatOf(F32, den), FloatOf(F32, num)
	sign := math.Copysign(1, d) * math.Copysign(1, n)
	switch {
	case n != n || d != d || n == 0 && d == 0 || math.IsInf(n, 0) && math.IsInf(d, 0):
		return FloatBits(F32, math.NaN())
	case d == 0 || math.IsInf(n, 0):
		return FloatBits(F32, math.Inf(int(sign)))
	case n == 0 || math.IsInf(d, 0) || exponent32(num)-exponent32(den) < -150:
		return FloatBits(F32, math.Copysign(0, sign))
	case FloatOf(F32, q) != FloatOf(F32, q): // a step exceeded the largest number
		return FloatBits(F32, math.Inf(int(sign)))
	}
	return FloatBits(F32, math.Copysign(FloatOf(F32, q), sign))
}

// Kinds of numbers, as bits of FClass's Imm (V_CMP_CLASS_F32); of the others none is asked for.
const (
	FClassNaN     = 0x003
	FClassMinus   = 0x004 // infinity
	FClassZero    = 0x060
	FClassPlus    = 0x200 // infinity
	fclassOfZero  = 0x040
	fclassOfMinus = 0x020
)

func meanFClass(t, _ Type, imm, a, _, _, _ uint64) uint64 {
	f, kind := FloatOf(t, a), uint64(0)
	switch {
	case f != f:
		kind = FClassNaN
	case math.IsInf(f, 1):
		kind = FClassPlus
	case math.IsInf(f, -1):
		kind = FClassMinus
	case f == 0 && math.Signbit(f):
		kind = fclassOfMinus
	case f == 0:
		kind = fclassOfZero
	}
	return truth(kind&imm != 0)
}

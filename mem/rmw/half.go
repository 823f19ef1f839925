package rmw

import "math"

// HalfToFloat converts the bits of an IEEE half to float32; every half has one.
func HalfToFloat(h uint16) float32 {
	sign := uint32(h>>15) << 31
	exp := uint32(h>>10) & 31
	man := uint32(h) & 0x3ff
	switch {
	case exp == 31:
		return math.Float32frombits(sign | 0xff<<23 | man<<13)
	case exp != 0:
		return math.Float32frombits(sign | (exp+112)<<23 | man<<13)
	}
	v := float32(man) * (1.0 / (1 << 24))
	return math.Float32frombits(sign | math.Float32bits(v))
}

// FloatToHalf rounds to the nearest half, ties to even.
func FloatToHalf(v float64) uint16 { return uint16(SmallFloat(v, 5, 10, true)) }

// SmallFloat rounds v to the nearest float of expBits and manBits, ties to
// even, with a sign bit on top when signed. Without one, negative values become
// zero. Too large values become infinity.
func SmallFloat(v float64, expBits, manBits uint, signed bool) uint32 {
	var sign uint32
	if signed && math.Signbit(v) {
		sign = 1 << (expBits + manBits)
	}
	inf := uint32(1<<expBits-1) << manBits
	switch {
	case v != v:
		return sign | inf | 1<<(manBits-1)
	case v < 0 && !signed:
		return 0
	case math.IsInf(v, 0):
		return sign | inf
	}
	return sign | min(inf, roundMagnitude(math.Abs(v), expBits, manBits))
}

// roundMagnitude gives exponent and mantissa of v >= 0. A mantissa that rounds
// up carries into the exponent, which is what the encoding wants.
func roundMagnitude(v float64, expBits, manBits uint) uint32 {
	bias := 1<<(expBits-1) - 1
	_, e := math.Frexp(v)
	exp := max(e-1, 1-bias)
	if v == 0 || exp > bias {
		return zeroOrInf(v, expBits, manBits)
	}
	units := uint32(math.RoundToEven(math.Ldexp(v, int(manBits)-exp)))
	return uint32(exp+bias-1)<<manBits + units
}

func zeroOrInf(v float64, expBits, manBits uint) uint32 {
	if v == 0 {
		return 0
	}
	return uint32(1<<expBits-1) << manBits
}

// UnsignedFloat reads a float without sign of expBits and manBits.
func UnsignedFloat(bits uint32, expBits, manBits uint) float64 {
	bias := 1<<(expBits-1) - 1
	exp := int(bits>>manBits) & (1<<expBits - 1)
	man := float64(bits & (1<<manBits - 1))
	switch {
	case exp == 1<<expBits-1 && man != 0:
		return math.NaN()
	case exp == 1<<expBits-1:
		return math.Inf(1)
	case exp == 0:
		return math.Ldexp(man, 1-bias-int(manBits))
	}
	return math.Ldexp(man+float64(uint64(1)<<manBits), exp-bias-int(manBits))
}

package isa

import "math"

// Floats of 8 and 16 bits other than IEEE's binary16: bfloat16 (SPV_KHR_bfloat16), and E4M3 and E5M2 (SPV_EXT_float8),
// as in the OCP 8-bit floating point specification.

// A floatForm is the encoding of a small float.
type floatForm struct {
	mantissa uint // bits
	bias     int
	// infinite: the largest exponent encodes infinities and NaNs, as in IEEE 754. Otherwise it encodes numbers too, and
	// only all ones are a NaN.
	infinite bool
}

var floatForms = [...]floatForm{
	BF16: {mantissa: 7, bias: 127, infinite: true},
	E4M3: {mantissa: 3, bias: 7},
	E5M2: {mantissa: 2, bias: 15, infinite: true},
}

// smallFloat returns the exact value of the bits of a small float. A NaN keeps its
// payload, in the upper bits.
func smallFloat(t Type, bits uint64) float64 {
	f, w := floatForms[t], t.Bits()
	sign := bits >> (w - 1) << 63
	exp, mant := int(bits&(t.Mask()>>1)>>f.mantissa), bits&(1<<f.mantissa-1)
	switch {
	case f.isSpecial(t, bits&(t.Mask()>>1)):
		return math.Float64frombits(sign | 0x7ff<<52 | mant<<(52-f.mantissa))
	case exp == 0:
		v := math.Ldexp(float64(mant), 1-f.bias-int(f.mantissa))
		return math.Float64frombits(math.Float64bits(v) | sign)
	}
	return math.Float64frombits(sign | uint64(exp-f.bias+1023)<<52 | mant<<(52-f.mantissa))
}

// isSpecial reports the magnitude of an infinity or a NaN.
func (f floatForm) isSpecial(t Type, magnitude uint64) bool {
	if f.infinite {
		return magnitude >= t.Mask()>>1>>f.mantissa<<f.mantissa
	}
	return magnitude == t.Mask()>>1
}

// largest returns the magnitude of the largest number.
func (f floatForm) largest(t Type) uint64 {
	if f.infinite {
		return t.Mask()>>1>>f.mantissa<<f.mantissa - 1
	}
	return t.Mask()>>1 - 1
}

// smallBits rounds once, to nearest even. Numbers that are too large become an infinity, or a NaN if the type has none;
// with saturate, they and infinities become the largest number (SaturatedToLargestFloat8NormalConversionEXT). A NaN
// becomes quiet and keeps its sign and the upper bits of its payload.
func smallBits(t Type, v float64, saturate bool) uint64 {
	f, b := floatForms[t], math.Float64bits(v)
	sign, mant := b>>63<<(t.Bits()-1), b&(1<<52-1)
	if v != v {
		quiet := t.Mask() >> 1 >> (f.mantissa - 1) << (f.mantissa - 1)
		if !f.infinite {
			quiet = t.Mask() >> 1
		}
		return sign | quiet | mant>>(52-f.mantissa)
	}
	m := f.round(int(b>>52&0x7ff)-1023, mant)
	if m > f.largest(t) {
		m = f.largest(t)
		if !saturate {
			m++
		}
	}
	return sign | m
}

// round returns the bits of 1.mant * 2^exp, without sign; for numbers that are too large, any value above the largest.
func (f floatForm) round(exp int, mant uint64) uint64 {
	const beyond = 1 << 20
	switch least := 1 - f.bias; {
	case exp > f.bias+1:
		return beyond
	case exp >= least: // a carry out of the mantissa moves on to the exponent
		return shiftToEven(uint64(exp+f.bias)<<52|mant, 52-f.mantissa)
	case exp >= least-int(f.mantissa)-1:
		return shiftToEven(1<<52|mant, 52-f.mantissa+uint(least-exp))
	}
	return 0
}

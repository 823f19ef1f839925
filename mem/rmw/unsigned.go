package rmw

import "math"

// ToUnsignedFloat rounds v to the nearest float without sign of expBits and
// manBits, ties to even. Negative values become zero, too large ones infinity.
func ToUnsignedFloat(v float64, expBits, manBits uint) uint32 {
	inf := uint32(1<<expBits-1) << manBits
	switch {
	case v != v:
		return inf | 1<<(manBits-1)
	case v <= 0:
		return 0
	case math.IsInf(v, 0):
		return inf
	}
	return min(inf, roundMagnitude(v, expBits, manBits))
}

// roundMagnitude gives exponent and mantissa of v > 0, of which the exponent may be too large. A mantissa that rounds
// up carries into it, which is what the encoding wants.
func roundMagnitude(v float64, expBits, manBits uint) uint32 {
	bias := 1<<(expBits-1) - 1
	_, e := math.Frexp(v)
	exp := max(e-1, 1-bias)
	units := uint32(math.RoundToEven(math.Ldexp(v, int(manBits)-exp)))
	return uint32(exp+bias-1)<<manBits + units
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

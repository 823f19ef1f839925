package isa

import "math"

// HalfToFloat64 returns the exact value of the bits of a 16-bit float. A NaN keeps its payload, in the upper bits.
func HalfToFloat64(h uint64) float64 {
	exp, mant := h>>10&0x1f, h&0x3ff
	sign := h & 0x8000 << 48
	switch exp {
	case 0:
		f := float64(mant) * 0x1p-24
		return math.Float64frombits(math.Float64bits(f) | sign)
	case 0x1f:
		return math.Float64frombits(sign | 0x7ff<<52 | mant<<42)
	}
	return math.Float64frombits(sign | (exp+1023-15)<<52 | mant<<42)
}

// HalfFromFloat64 rounds once, to nearest even, to the bits of a 16-bit float. A NaN becomes quiet and keeps its sign and the upper
// bits of its payload, as IEEE 754-2019 (6.2.3) recommends; SPIR-V and Vulkan leave payloads open.
func HalfFromFloat64(f float64) uint64 {
	b := math.Float64bits(f)
	sign, exp, mant := b>>48&0x8000, int(b>>52&0x7ff)-1023, b&(1<<52-1)
	switch {
	case exp == 1024 && mant != 0: // NaN, made quiet
		return sign | 0x7e00 | mant>>42
	case exp > 15:
		return sign | 0x7c00
	case exp >= -14: // a carry out of the mantissa moves on to the exponent, and to infinity
		return sign | shiftToEven(uint64(exp+15)<<52|mant, 42)
	case exp >= -25:
		return sign | shiftToEven(1<<52|mant, uint(28-exp))
	}
	return sign
}

// shiftToEven returns v >> n, rounded to nearest even.
func shiftToEven(v uint64, n uint) uint64 {
	rest, half := v&(1<<n-1), uint64(1)<<(n-1)
	v >>= n
	if rest > half || rest == half && v&1 != 0 {
		v++
	}
	return v
}

// half returns the value of the bits of a 16-bit float; float32 holds all of them.
func half(h uint32) float32 {
	const bias = (127 - 15) << 23
	w := h & 0x7fff << 13
	switch w & 0x0f800000 {
	case 0x0f800000: // infinity, NaN
		w += bias + (128-16)<<23
	case 0: // zero, subnormal: as if it had the hidden bit, which is then subtracted
		w = word32(float(w+bias+1<<23) - float(bias+1<<23))
	default:
		w += bias
	}
	return float(w | h&0x8000<<16)
}

// HalfToFloat32 returns the exact value of the bits of a 16-bit float, for memory: a signalling NaN stays one.
func HalfToFloat32(h uint16) float32 { return half(uint32(h)) }

// toHalf rounds to the bits of a 16-bit float. For + - * of such floats the
// rounding to float32 before is innocuous: 24 bits are twice 11 plus two.
func toHalf(f float32) uint32 { return uint32(HalfFromFloat64(float64(f))) }

func fmaHalf(x, y, z uint32) uint32 {
	sum := addToOdd(float64(half(x))*float64(half(y)), float64(half(z)))
	if sum != sum {
		return uint32(fmaNaN(F16, uint64(x), uint64(y), uint64(z)))
	}
	return uint32(HalfFromFloat64(sum))
}

package isa

import "math"

// fmaRowGo is d = a*b + c with one rounding in each lane. The product is exact
// in float64 and the sum is rounded there; that matters only where the sum fell
// on the middle between two floats (the low 29 bits of its significand are
// 1000...) or below the normal floats, where the middles lie elsewhere. Rows
// with such a lane, which are rare, are computed again with care.
func fmaRowGo(d, a, b, c []uint32) {
	var out [64]uint32 // d may be one of the sources
	a, b, c = a[:len(d)], b[:len(d)], c[:len(d)]
	doubt := uint64(0)
	for i := range d {
		sum := float64(float(a[i]))*float64(float(b[i])) + float64(float(c[i]))
		s := math.Float64bits(sum)
		doubt |= truth(s&(1<<29-1) == 1<<28) | truth(s<<1-1 < (1023-126)<<53-1) | truth(sum != sum)
		out[i&63] = word32(float32(sum))
	}
	if doubt != 0 {
		for i := range d {
			out[i&63] = word32(fma32(float(a[i]), float(b[i]), float(c[i])))
		}
	}
	copy(d, out[:])
}

// fmaNaN is what a*b + c is where that is no number: the first operand that is
// a NaN, made quiet, and else the NaN without payload, as the instructions of
// x86 have it (Intel SDM volume 1, tables 4-7 and 14-17).
func fmaNaN(a, b, c uint32) uint32 {
	for _, x := range [3]uint32{a, b, c} {
		if x<<1 > 0xff<<24 {
			return x | 1<<22
		}
	}
	return 0xffc00000
}

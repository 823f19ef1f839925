package isa

import "math"

// fmaRowGo computes d = a*b + c with one rounding in each lane. The product is exact in float64, where the sum is
// rounded. That differs from one rounding only if the sum in float64 is half-way between two floats (the low 29 bits of
// its significand are 1000...) or below the normal floats, where the half-way points differ. Rows with such a lane,
// which are rare, are computed again exactly.
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

// fmaNaN returns a*b + c of type t where that is a NaN: the first operand that is a NaN, made quiet, otherwise the
// negative NaN without payload. Rows on amd64 with FMA instructions give the same, as TestEveryHostGivesTheSameFloats
// shows; other widths, and hosts without those instructions, use this function.
func fmaNaN(t Type, a, b, c uint64) uint64 {
	quiet := quietNaNs[t]
	infinity := quiet & (quiet << 1)
	for _, x := range [3]uint64{a, b, c} {
		if x &= t.Mask(); x&(t.Mask()>>1) > infinity {
			return x | quiet
		}
	}
	return quiet | (t.Mask() ^ t.Mask()>>1)
}

// fma64 returns x*y + z on the bits of 64-bit floats.
func fma64(x, y, z uint64) uint64 {
	sum := math.FMA(double(x), double(y), double(z))
	if sum != sum {
		return fmaNaN(F64, x, y, z)
	}
	return word64(sum)
}

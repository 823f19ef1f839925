package isa

import (
	"math"
	"testing"
)

// Floats become integers towards zero, and the nearest there is beyond both ends: at each end itself, and one step to both sides of it.
func TestConversionsSaturateAtTheirEnds(t *testing.T) {
	for _, w := range []uint{8, 16, 32, 64} {
		mask, top := ^uint64(0)>>(64-w), math.Ldexp(1, int(w))
		half := top / 2
		below := func(f float64) float64 { return math.Nextafter(f, 0) }
		for _, c := range []struct {
			f    float64
			u, s uint64
		}{
			{f: top, u: mask, s: mask >> 1}, {f: 2 * top, u: mask, s: mask >> 1}, {f: math.Inf(1), u: mask, s: mask >> 1},
			{f: half, u: 1 << (w - 1), s: mask >> 1}, {f: below(half), u: uint64(below(half)), s: uint64(below(half))},
			{f: -half, u: 0, s: 1 << (w - 1)}, {f: -2 * half, u: 0, s: 1 << (w - 1)}, {f: -below(half), u: 0, s: uint64(-int64(below(half))) & mask},
			{f: math.NaN(), u: 0, s: 0}, {f: 0.9, u: 0, s: 0}, {f: -0.9, u: 0, s: 0}, {f: -1, u: 0, s: mask},
		} {
			if u, s := ftou(c.f, w)&mask, ftos(c.f, w)&mask; u != c.u || s != c.s {
				t.Errorf("%g as %d bits: %#x and %#x, want %#x and %#x", c.f, w, u, s, c.u, c.s)
			}
		}
	}
}

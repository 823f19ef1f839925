package isa

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

var smallFormats = []struct {
	t             Type
	mantissa      int
	bias          int
	infinity, max uint64 // infinity 0: none
	nan           uint64
}{
	{BF16, 7, 127, 0x7f80, 0x7f7f, 0x7fc0},
	{E4M3, 3, 7, 0, 0x7e, 0x7f},
	{E5M2, 2, 15, 0x7c, 0x7b, 0x7e},
}

// definition returns the value of bits by the definition of the format: sign,
// exponent and fraction as numbers.
func definition(bits uint64, width uint, mantissa, bias int) float64 {
	fraction := float64(bits&(1<<mantissa-1)) / float64(int(1)<<mantissa)
	exp := int(bits>>mantissa) & (1<<(int(width)-1-mantissa) - 1)
	v := math.Pow(2, float64(exp-bias)) * (1 + fraction)
	if exp == 0 {
		v = math.Pow(2, float64(1-bias)) * fraction
	}
	if bits>>(width-1) != 0 {
		v = -v
	}
	return v
}

func TestEveryValueOfASmallFloatIsThatOfItsDefinition(t *testing.T) {
	for _, f := range smallFormats {
		for bits := range f.t.Mask() + 1 {
			got, magnitude := FloatOf(f.t, bits), bits&(f.t.Mask()>>1)
			switch {
			case magnitude == f.infinity && f.infinity != 0:
				if !math.IsInf(got, 1-2*int(bits>>(f.t.Bits()-1))) {
					t.Errorf("%s %#x = %v: want an infinity", f.t, bits, got)
				}
			case magnitude > f.max:
				if got == got {
					t.Errorf("%s %#x = %v: want a NaN", f.t, bits, got)
				}
			default:
				want := definition(bits, f.t.Bits(), f.mantissa, f.bias)
				if got != want || math.Signbit(got) != math.Signbit(want) {
					t.Errorf("%s %#x = %v: want %v", f.t, bits, got, want)
				}
			}
			if back := FloatBits(f.t, got); got == got && back != bits {
				t.Errorf("%s %#x comes back as %#x", f.t, bits, back)
			}
		}
	}
}

// nearest looks the result up among all numbers of the format: the nearest, of
// two the even one; past the middle between the largest and the number that
// would follow it, what overflow gives.
func nearest(values []float64, x, beyond float64, overflow uint64) uint64 {
	i, _ := slices.BinarySearch(values, x)
	switch {
	case i < len(values) && values[i] == x:
		return uint64(i)
	case i == len(values):
		last := uint64(len(values) - 1)
		if middle := (values[last] + beyond) / 2; x > middle || x == middle && last%2 == 1 {
			return overflow
		}
		return last
	}
	below, above := x-values[i-1], values[i]-x
	if below < above || below == above && (i-1)%2 == 0 {
		return uint64(i - 1)
	}
	return uint64(i)
}

func TestConversionToSmallFloatsRoundsToTheNearestNumber(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 1))
	for _, f := range smallFormats {
		var values []float64
		for bits := range f.max + 1 {
			values = append(values, definition(bits, f.t.Bits(), f.mantissa, f.bias))
		}
		beyond := definition(f.max+1, f.t.Bits(), f.mantissa, f.bias)
		check := func(x float64) {
			want := nearest(values, x, beyond, f.max+1)
			if got := FloatBits(f.t, x); got != want {
				t.Errorf("%s of %v = %#x: want %#x", f.t, x, got, want)
			}
			if got := FloatBits(f.t, -x); got != want|(f.t.Mask()+1)/2 {
				t.Errorf("%s of %v = %#x: want %#x with a sign", f.t, -x, got, want)
			}
			if got := Eval(FConvert, f.t, F64, Saturate, math.Float64bits(x)); got != min(want, f.max) {
				t.Errorf("%s of %v, saturating, = %#x: want %#x", f.t, x, got, min(want, f.max))
			}
		}
		for i, v := range values[:len(values)-1] {
			middle := (v + values[i+1]) / 2
			for _, x := range []float64{v, middle, math.Nextafter(middle, 0), math.Nextafter(middle, math.Inf(1))} {
				check(x)
			}
		}
		last := values[len(values)-1]
		for _, x := range []float64{last, (last + beyond) / 2, math.Nextafter((last+beyond)/2, 0), beyond, 4 * beyond, math.Inf(1)} {
			check(x)
		}
		for range 20000 {
			check(math.Ldexp(rng.Float64(), rng.IntN(300)-160))
		}
	}
}

func TestNaNsOfSmallFloats(t *testing.T) {
	for _, f := range smallFormats {
		for _, imm := range []uint64{0, Saturate} {
			if got := Eval(FConvert, f.t, F32, imm, 0x7fc00000); got != f.nan {
				t.Errorf("%s of a NaN = %#x: want %#x", f.t, got, f.nan)
			}
		}
	}
}

package gpu

import (
	"fmt"
	"math"
)

func init() {
	columns := make([]float64, 40)
	for i, f := range unaryFunctions {
		columns[i] = f.ulps
	}
	x := reals(most)
	x[0], x[1], x[2] = 0, 0.5, -2
	unary := make([][40]float32, most)
	for i := range unary {
		p := float64(float32(math.Abs(float64(x[i])) + 0x1p-20))
		for k, f := range unaryFunctions {
			unary[i][k] = float32(f.of(float64(x[i]), p))
		}
	}
	y := reals(most + 1)
	y[7], y[8] = 3, 3
	wide := vectorsOf(reals(4 * (most + 1)))
	positive := func(i int) float64 { return float64(float32(math.Abs(float64(x[i])) + 0.5)) }
	kernelTopics["floats"] = []kernelCase{
		{entry: "unary", global: []int{most}, arguments: []any{x, left{want: unary, ulps: columns}}},
		{entry: "binary", global: []int{most}, arguments: []any{y, left{want: binaryFunctions(y),
			ulps: []float64{16, 16, 16, 6, 4, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 16, 0, 0, 4, 0, 0, 2.5, 0, 16}, skipped: cancelled(y)}}},
		{entry: "pointers", global: []int{most}, arguments: []any{y, left{want: made(most, func(i int) [8]float32 { return partsOf(y[i], y[i+1]) }),
			ulps: []float64{0, 0, 0, 0, 0, 4, 4, 0}}, leaves(made(most, func(i int) [4]int32 { return wholesOf(y[i], y[i+1]) }))}},
		{entry: "quick", global: []int{most}, arguments: []any{x, left{ulps: []float64{8192}, want: made(most, func(i int) (o [12]float32) {
			p := positive(i)
			tenth := float64(float32(p * float64(float32(0.1))))
			for k, v := range []float64{math.Sqrt(p), 1 / math.Sqrt(p), 1 / p, 1 / p, math.Exp(tenth), math.Exp2(tenth), math.Log(p + 1), math.Log2(p + 1),
				math.Sqrt(p), 1 / p, math.Exp(tenth), math.Sqrt(p)} {
				o[k] = float32(v)
			}
			return o
		})}}},
		{entry: "geometry", global: []int{most}, arguments: []any{wide, left{ulps: []float64{64, 8, 16, 8192}, want: made(most, func(i int) [4]float32 {
			a, b := wide[i], wide[i+1]
			dot, square, between := 0.0, 0.0, 0.0
			for k := range 4 {
				dot += float64(a[k]) * float64(b[k])
				between += (float64(a[k]) - float64(b[k])) * (float64(a[k]) - float64(b[k]))
				if k < 3 {
					square += float64(a[k]) * float64(a[k])
				}
			}
			return [4]float32{float32(dot), float32(math.Sqrt(square)), float32(math.Sqrt(between)), float32(math.Hypot(float64(a[0]), float64(a[1])))}
		}), skipped: func(i int) bool { return i%4 == 0 && nearZero(wide[i/4], wide[i/4+1]) }},
			left{ulps: []float64{64}, want: crossed(wide), skipped: func(i int) bool { return i%8 < 4 && smallCross(wide[i/8], wide[i/8+1], i%8) }}}},
	}
}

// nearZero reports that the terms of a dot product cancel, so that its error is that of the terms.
func nearZero(a, b [4]float32) bool {
	sum, size := 0.0, 0.0
	for k := range 4 {
		sum += float64(a[k]) * float64(b[k])
		size += math.Abs(float64(a[k]) * float64(b[k]))
	}
	return math.Abs(sum) < size/16
}

func smallCross(a, b [4]float32, k int) bool {
	if k == 3 {
		return false
	}
	p, q := (k+1)%3, (k+2)%3
	u, v := float64(a[p])*float64(b[q]), float64(a[q])*float64(b[p])
	return math.Abs(u-v) < (math.Abs(u)+math.Abs(v))/16
}

func crossed(v [][4]float32) [][4]float32 {
	return made(2*(len(v)-1), func(i int) (o [4]float32) {
		a, b := v[i/2], v[i/2+1]
		length := 0.0
		for k := range 4 {
			length += float64(a[k]) * float64(a[k])
		}
		for k := range 4 {
			switch p, q := (k+1)%3, (k+2)%3; {
			case i%2 == 1:
				o[k] = float32(float64(a[k]) / math.Sqrt(length))
			case k < 3:
				o[k] = float32(float64(a[p])*float64(b[q]) - float64(a[q])*float64(b[p]))
			}
		}
		return o
	})
}

// rounded is a product in single precision, as the kernel passes it to a function.
func rounded(x float64, by float32) float64 { return float64(float32(x) * by) }

// unaryFunctions are the columns of the kernel unary, with the bounds of the OpenCL C specification ("Relative Error as
// ULPs"); lgamma has none there, and sign, degrees and radians are common functions.
var unaryFunctions = []struct {
	of   func(x, p float64) float64
	ulps float64
}{
	{func(x, p float64) float64 { return math.Sqrt(p) }, 3}, {func(x, p float64) float64 { return 1 / math.Sqrt(p) }, 2},
	{func(x, p float64) float64 { return math.Exp(x) }, 3}, {func(x, p float64) float64 { return math.Exp2(x) }, 3},
	{func(x, p float64) float64 { return math.Pow(10, rounded(x, 0.1)) }, 3}, {func(x, p float64) float64 { return math.Expm1(x) }, 3},
	{func(x, p float64) float64 { return math.Log(p) }, 3}, {func(x, p float64) float64 { return math.Log2(p) }, 3},
	{func(x, p float64) float64 { return math.Log10(p) }, 3}, {func(x, p float64) float64 { return math.Log1p(p) }, 2},
	{func(x, p float64) float64 { return math.Sin(x) }, 4}, {func(x, p float64) float64 { return math.Cos(x) }, 4}, {func(x, p float64) float64 { return math.Tan(x) }, 5},
	{func(x, p float64) float64 { return math.Asin(rounded(x, 0.01)) }, 4}, {func(x, p float64) float64 { return math.Acos(rounded(x, 0.01)) }, 4},
	{func(x, p float64) float64 { return math.Atan(x) }, 5}, {func(x, p float64) float64 { return math.Sinh(rounded(x, 0.2)) }, 4},
	{func(x, p float64) float64 { return math.Cosh(rounded(x, 0.2)) }, 4}, {func(x, p float64) float64 { return math.Tanh(x) }, 5},
	{func(x, p float64) float64 { return math.Asinh(x) }, 4}, {func(x, p float64) float64 { return math.Acosh(float64(1 + float32(p))) }, 4},
	{func(x, p float64) float64 { return math.Atanh(rounded(x, 0.01)) }, 5}, {func(x, p float64) float64 { return math.Cbrt(x) }, 2},
	{func(x, p float64) float64 { return math.Floor(x) }, 0}, {func(x, p float64) float64 { return math.Ceil(x) }, 0}, {func(x, p float64) float64 { return math.Trunc(x) }, 0},
	{func(x, p float64) float64 { return math.RoundToEven(x) }, 0}, {func(x, p float64) float64 { return math.Round(x) }, 0},
	{func(x, p float64) float64 { return math.Abs(x) }, 0}, {func(x, p float64) float64 { return signOf(x) }, 0},
	{func(x, p float64) float64 { return x * 180 / math.Pi }, 2}, {func(x, p float64) float64 { return x * math.Pi / 180 }, 2},
	{func(x, p float64) float64 { return math.Erf(rounded(x, 0.1)) }, 16}, {func(x, p float64) float64 { return math.Erfc(rounded(x, 0.1)) }, 16},
	{func(x, p float64) float64 { return math.Gamma(float64(float32(rounded(p, 0.1)) + 1)) }, 17},
	{func(x, p float64) float64 { v, _ := math.Lgamma(float64(float32(p) + 3)); return v }, 64},
	{func(x, p float64) float64 { return sinPi(x) }, 4}, {func(x, p float64) float64 { return sinPi(x + 0.5) }, 4},
	{func(x, p float64) float64 { return math.Logb(p) }, 0}, {func(x, p float64) float64 { return 1 / x }, 2.5},
}

func signOf(x float64) float64 {
	if x == 0 {
		return x
	}
	return math.Copysign(1, x)
}

// sinPi reduces exactly, so that whole numbers give zero.
func sinPi(x float64) float64 {
	switch r := math.Mod(x, 2); {
	case r == 0 || r == 1 || r == -1:
		return 0
	case r == 0.5 || r == -1.5:
		return 1
	case r == 1.5 || r == -0.5:
		return -1
	default:
		return math.Sin(math.Pi * r)
	}
}

func binaryFunctions(in []float32) [][24]float32 {
	return made(len(in)-1, func(i int) (o [24]float32) {
		x, y := float64(in[i]), float64(in[i+1])
		p, tenth := float64(float32(math.Abs(x)+0x1p-20)), rounded(y, 0.1)
		next := float64(math.Nextafter32(in[i], in[i+1]))
		edge := min(max((x+2)/5, 0), 1)
		greater, smaller := max(x, y), min(x, y)
		if math.Abs(x) > math.Abs(y) {
			greater, smaller = x, y
		} else if math.Abs(y) > math.Abs(x) {
			greater, smaller = y, x
		}
		for k, v := range []float64{math.Pow(p, tenth), math.Pow(p, tenth), math.Pow(x, float64(i%5-2)), math.Atan2(x, y), math.Hypot(x, y),
			math.Mod(x, y), math.Remainder(x, y), min(x, y), max(x, y), max(x-y, 0), math.Copysign(x, y), next, math.Ldexp(x, i%9-4),
			x + (y-x)*0.25, oneIf(y >= x, 1.0), edge * edge * (3 - 2*edge), min(max(x, -1), 2), math.FMA(x, y, 1), x*y + 1, greater, smaller,
			x / y, math.Mod(y, x), math.Cbrt(p)} {
			o[k] = float32(v)
		}
		return o
	})
}

// cancelled skips the columns of mix and mad where their terms cancel, and the edge of smoothstep, whose error is that of
// the terms.
func cancelled(in []float32) func(i int) bool {
	return func(i int) bool {
		x, y := float64(in[i/24]), float64(in[i/24+1])
		switch i % 24 {
		case 13:
			return math.Abs(0.75*x+0.25*y) < (math.Abs(x)+math.Abs(y))/16
		case 15:
			return x > -2 && x < -1.5
		case 18:
			return math.Abs(x*y+1) < 0.5
		}
		return false
	}
}

func partsOf(x, y float32) [8]float32 {
	floor := float32(math.Floor(float64(x)))
	whole, fraction := math.Modf(float64(x))
	mantissa, _ := math.Frexp(float64(x))
	sin, cos := math.Sincos(float64(x))
	return [8]float32{min(x-floor, 0x1.fffffep-1), floor, float32(fraction), float32(whole), float32(mantissa), float32(sin), float32(cos), float32(math.Remainder(float64(x), float64(y)))}
}

func wholesOf(x, y float32) [4]int32 {
	_, exponent := math.Frexp(float64(x))
	quotient := math.Abs(math.RoundToEven(float64(x) / float64(y)))
	low := int32(math.Mod(quotient, 128))
	if math.Signbit(float64(x)) != math.Signbit(float64(y)) {
		low = -low
	}
	return [4]int32{int32(exponent), low & 7, int32(math.Ilogb(float64(x))), 1}
}

func init() {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	special := []float32{0, float32(math.Copysign(0, -1)), 1, -1, nan, inf, -inf, 1e-40, -1e-40, 2, math.MaxFloat32, math.SmallestNonzeroFloat32, 0.5}
	f := made(most+4, func(i int) float32 { return special[noise(i/2)%uint32(len(special))] })
	isNaN := func(x float32) bool { return x != x }
	finite := func(x float32) bool { return !isNaN(x) && x != inf && x != -inf }
	flag := func(list ...bool) (n int32) {
		for i, b := range list {
			n |= oneIf(b, int32(1)<<i)
		}
		return n
	}
	v, w := vectorsOf(f), noises(most+1)
	longs := made(most+1, func(i int) int64 { return int64(uint64(noise(i))<<32 | uint64(noise(i+7))) })
	kernelTopics["relations"] = []kernelCase{
		{entry: "scalars", global: []int{most}, arguments: []any{f, leaves(made(most, func(i int) [4]int32 {
			a, b := f[i], f[i+1]
			normal := finite(a) && math.Abs(float64(a)) >= 0x1p-126
			three := math.Float32bits(3)
			return [4]int32{flag(isNaN(a), a == inf || a == -inf, finite(a), normal, math.Signbit(float64(a))),
				flag(a == b, a != b, a > b, a < b, a <= b, a >= b),
				flag(!isNaN(a) && !isNaN(b), isNaN(a) || isNaN(b), a < b || a > b, a == b, a != b, !(a < b)),
				int32(math.Float32bits(a)&^three | math.Float32bits(b)&three)}
		}))}},
		{entry: "vectors", global: []int{len(v) - 1}, arguments: []any{v, leaves(made(len(v)-1, func(i int) (o int4) {
			some, all := false, true
			for k := range 4 {
				o[k] = -oneIf(v[i][k] < v[i+1][k], int32(1)) - 2*oneIf(isNaN(v[i][k]), int32(1))
				some, all = some || v[i][k] > v[i+1][k], all && finite(v[i][k])
			}
			o[0] += oneIf(some, int32(1))
			o[1] += oneIf(all, int32(1))
			return o
		})), leaves(made(len(v)-1, func(i int) (o float4) {
			for k := range 4 {
				if o[k] = v[i][k]; isNaN(v[i][k]) || math.Float32bits(v[i+1][k])&2 != 0 {
					o[k] = v[i+1][k]
				}
			}
			return o
		}))}},
		{entry: "scalar_select", global: []int{most}, arguments: []any{longs, leaves(made(most, func(i int) int64 {
			a, b := longs[i], longs[i+1]
			const mask = 0x00ff00ff00ff00ff
			first, last := a, int8(a)
			if b != 0 {
				first = b
			}
			if a&1 != 0 {
				last = int8(b)
			}
			return first + (a&^mask | b&mask) + int64(last)
		}))}},
		{entry: "of_integers", global: []int{most}, arguments: []any{w, leaves(made(most, func(i int) [3]int32 {
			a, b := w[i], w[i+1]
			return [3]int32{flag(int32(a) >= int32(b)), flag(a >= b), flag(int32(a) >= int32(b) && b >= 77)}
		}))}},
	}
}

func init() {
	w := ints(384)
	fold := func(list []int32, start int32, f func(a, b int32) int32) int32 {
		for _, v := range list {
			start = f(start, v)
		}
		return start
	}
	add := func(a, b int32) int32 { return a + b }
	seven := func(list []int32) []int32 {
		return []int32{fold(list, 0, add), -fold(list, 0, add), min(fold(list, 0, func(a, b int32) int32 { return min(a, b) }), 0),
			fold(list, 0, func(a, b int32) int32 { return max(a, b) }), fold(list, -1, func(a, b int32) int32 { return a & (b | 0xff00) }),
			fold(list, 0, func(a, b int32) int32 { return a | b&0xff0f }), fold(list, 0, func(a, b int32) int32 { return a ^ b }), int32(len(list))}
	}
	least, largest := uint32(math.MaxUint32), uint32(0)
	for _, v := range w {
		least, largest = min(least, uint32(v)), max(largest, uint32(v))
	}
	longs := made(most, func(i int) int64 { return int64(uint64(noise(i))<<32 | uint64(noise(i+7))) })
	sums := []int64{0, math.MinInt64, 0}
	for _, v := range longs {
		sums[0], sums[1], sums[2] = sums[0]+v, max(sums[1], v), sums[2]^v
	}
	quarters := made(most, func(i int) float32 { return float32(noise(i)%64) / 4 })
	total := float32(0)
	for _, v := range quarters {
		total += v // exact
	}
	everySeen := made(most+1, func(i int) int32 { return 1 })
	kernelTopics["atomics"] = []kernelCase{
		{entry: "global_ints", global: []int{384}, arguments: []any{w, left{from: []int32{0, 0, 0, 0, -1, 0, 0, 0, 0}, want: append(seven(w), -384)},
			left{from: []uint32{math.MaxUint32, 0, 5}, want: []uint32{least, largest, 5 + 3*384}}}},
		{entry: "local_ints", global: []int{384}, arguments: []any{w, leaves(append(append(seven(w[:128]), seven(w[128:256])...), seven(w[256:])...))}},
		{entry: "unique", global: []int{most}, arguments: []any{leaves([]int32{2 * most}), left{want: make([]int32, 2*most), skipped: func(int) bool { return true }}}},
		// All but the last value are seen by the next one that exchanges.
		{entry: "exchanged", global: []int{most}, arguments: []any{left{want: []int32{0}, skipped: func(int) bool { return true }}, leaves([]float32{2.5}),
			left{want: everySeen, skipped: func(i int) bool { return i > 0 }}, fmt.Sprint(most)}},
		{entry: "summed", global: []int{most}, arguments: []any{quarters, leaves([]float32{total})}},
		{entry: "wide", global: []int{most}, arguments: []any{longs, left{from: []int64{0, math.MinInt64, 0}, want: sums}}},
	}
	f := vectorsOf(reals(1200))
	n := small(1152)
	b := le(noises(152))
	kernelTopics["copies"] = []kernelCase{
		{entry: "both_ways", global: []int{192}, arguments: []any{f, leaves(made(1200, func(i int) float32 { return f[i/4][i%4] * 2 }))}},
		{entry: "strided", global: []int{192}, arguments: []any{n, leaves(made(192, func(i int) int32 {
			group, lane := 384*(i/64), i%64
			return n[group+3*lane] - n[group+192+3*(63-lane)]
		}))}},
		{entry: "bytes", global: []int{192}, arguments: []any{b, leaves(made(600, func(i int) byte {
			if i%200 == 199 {
				return 0
			}
			return b[i-i%200+1+198-i%200]
		}))}},
	}
	kernelTopics["barriers"] = []kernelCase{
		{entry: "reversed", global: []int{384}, local: []int{96}, arguments: []any{w, leaves(reversed(w, 96)), "{local: 384}", "{local: 96}"}},
		{entry: "reversed", after: " short", global: []int{384}, local: []int{100}, arguments: []any{w, leaves(reversed(w, 100)), "{local: 400}", "{local: 100}"}},
		{entry: "reduced", global: []int{256}, arguments: []any{w[:256], leaves([]int32{fold(w[:256], 0, add)})}},
		{entry: "fenced", global: []int{most}, arguments: []any{leaves(made(most, func(i int) int32 { return int32(3 * i) })), leaves(made(most, func(int) int32 { return 1 })),
			leaves(made(most, func(i int) int32 { return int32(3*i + 1) }))}},
		{entry: "through_global", global: []int{256}, arguments: []any{leaves(made(256, func(i int) int32 { return int32(i * i) })), leaves(made(256, func(i int) int32 {
			at := int32(i ^ 63)
			return at * at
		}))}},
	}
}

// reversed is what the kernel of that name leaves: the last group may be short.
func reversed(in []int32, size int) []int32 {
	return made(3*len(in), func(at int) int32 {
		i, round := at/3, at%3
		first := i - i%size
		own := min(size, len(in)-first)
		lane := i - first
		v := in[first+own-1-lane] + int32(round)
		if in[first+(lane+round)%own]&1 != 0 {
			v *= 3
		}
		return v
	})
}

func init() {
	w := small(600)
	longs := made(most, func(i int) int64 {
		return []int64{-5, 0x100000000, 77, 3, 4, 77 + 256, 0x1000000fb, -1}[noise(i)%8]
	})
	exits := made(most, func(i int) int32 { return []int32{7, -3, 950, 12, 300, 41, 5, 880, 1, 2, 3, 4}[noise(i)%12] })
	kernelTopics["control"] = []kernelCase{
		{entry: "dense", global: []int{600}, arguments: mapped(w, func(v int32) int32 {
			switch v & 7 {
			case 0:
				return v + 1
			case 1:
				return v*3 ^ 5
			case 2:
				return v ^ 5
			case 3:
				if v&16 == 0 {
					v -= 9
				}
				return v
			case 4, 5:
				return 100 - v
			}
			return v + 100
		})},
		{entry: "sparse", global: []int{most}, arguments: mapped(longs, func(v int64) int32 {
			return map[int64]int32{-5: 11, 0x100000000: 2, 77: 23, 3: 0, 4: 9, 77 + 256: 29, 0x1000000fb: 19, -1: 9}[v]
		})},
		{entry: "exits", global: []int{most}, arguments: []any{exits, leaves(made(most, func(i int) int32 {
			sum, k := int32(0), i
			done := false
			for ; k < most && !done; k++ {
				v := exits[k]
				if v == 7 {
					break
				}
				if v < 0 {
					continue
				}
				if v > 900 {
					sum = -sum
					break
				}
				if sum += v; sum > 2000 {
					done = true
					break
				}
			}
			return (sum+oneIf(!done, int32(1000000)))*2 + int32(k&1)
		})), fmt.Sprint(most)}},
		{entry: "nested", global: []int{most}, arguments: []any{w, leaves(made(most, func(i int) int32 { return nestedLoops(w, i) }))}},
		{entry: "returns", global: []int{most}, arguments: []any{w, leaves(made(most, func(i int) int32 {
			for k := range 20 {
				switch v := w[i+k]; {
				case v%7 == 0:
					return int32(k)
				case v%9 == 0:
					return -1
				}
			}
			return 99
		}))}},
		{entry: "conditions", global: []int{most}, arguments: []any{w, leaves(made(most, func(i int) int32 { return conditions(w[i], w[i+1], w[i+2]) }))}},
		{entry: "collatz", global: []int{600}, arguments: mapped(w, func(n int32) int32 {
			steps := int32(0)
			for v := uint32(n&0xfff) + 1; v != 1 && steps < 100; steps++ {
				if v&1 != 0 {
					v = 3*v + 1
				} else {
					v /= 2
				}
			}
			return steps
		})},
	}
}

func nestedLoops(w []int32, i int) int32 {
	found := int32(-1)
	for a := range 10 {
		for b := range 10 {
			v := w[(i+a*b)%500]
			if v%11 == 3 {
				return int32(100*a + b)
			}
			if v%5 == 2 {
				break
			}
		}
		if w[(i+a)%500]%13 == 0 {
			found--
		}
	}
	return found
}

func conditions(a, b, c int32) (r int32) {
	if a > 0 && b/(a|1) > 2 || c&3 != 0 && (a^b)&1 != 0 {
		r = 1
	}
	if a >= b && b >= c && a != c {
		r |= 2
	}
	switch {
	case a < b && b < c:
		r |= 4
	case a < b:
		r |= 8
	case c < a:
		r |= 16
	default:
		r |= 32
	}
	for {
		if r += 64; r%5 == 0 || r >= 2000 {
			return r
		}
	}
}

func init() {
	w := made(330, func(i int) int32 { return int32(noise(i) % 50) })
	kernelTopics["calls"] = []kernelCase{
		{entry: "calls", global: []int{320}, arguments: []any{w, leaves(made(320, func(i int) int32 {
			lane := i & 63
			sum := int32(0)
			for k := range 4 {
				if w[i+k] == 0 {
					sum = -sum
					break
				}
				sum += w[i+k]
			}
			low, high := min(w[i], w[i+1]), max(w[i], w[i+1])
			return w[i] + int32(lane*lane) + sum + w[i] + w[i^1] + high - low + int32(2+2*lane)
		}))}},
		{entry: "first", global: []int{320}, arguments: mapped(w[:320], func(v int32) int32 { return v*v + 1 })},
	}
	kernelTopics["places"] = []kernelCase{
		placesCase("", []int{10, 6, 4}, []int{4, 3, 2}, nil),
		placesCase(" offset", []int{13, 5, 1}, []int{8, 1, 1}, []int{3, 0, 70}),
		placesCase(" of two dimensions", []int{37, 9}, []int{16, 4}, []int{5, 6}),
		placesCase(" of one dimension", []int{150}, nil, nil),
		{entry: "counted", global: []int{1000}, local: []int{192}, arguments: []any{leaves([]uint32{1000}), leaves(made(1000, func(i int) uint32 {
			return uint32(min(192, 1000-i+i%192))
		}))}},
	}
}

// placesCase has what OpenCL's functions of work-items return.
func placesCase(name string, global, local, offset []int) kernelCase {
	filled := func(list []int, with int) [3]int {
		out := [3]int{with, with, with}
		copy(out[:], list)
		return out
	}
	g, o, l := filled(global, 1), filled(offset, 0), filled(local, 1)
	if local == nil {
		l = [3]int{min(256, g[0]), 1, 1}
	}
	joined := func(v [3]int) uint32 { return uint32(v[0] + 100*v[1] + 10000*v[2]) }
	out := make([][12]uint32, g[0]*g[1]*g[2])
	for i := range out {
		at := [3]int{i % g[0], i / g[0] % g[1], i / g[0] / g[1]}
		var id, lane, group, size, groups [3]int
		for d := range 3 {
			id[d], lane[d], group[d] = at[d]+o[d], at[d]%l[d], at[d]/l[d]
			size[d], groups[d] = min(l[d], g[d]-group[d]*l[d]), (g[d]+l[d]-1)/l[d]
		}
		d := (at[0] + at[1] + at[2]) % 3
		out[i] = [12]uint32{joined(id), joined(lane), joined(group), joined(size), joined(groups), joined(g), joined(o), uint32(len(global)),
			uint32(at[0] + at[1] + at[2]), uint32(id[d]), uint32(size[d] + 100*group[d]), 7}
	}
	return kernelCase{entry: "places", after: name, global: global, local: local, offset: offset, arguments: []any{leaves(out), fmt.Sprint(g[0]), fmt.Sprint(g[1])}}
}

func init() {
	w := small(384)
	cells := []int32{0, math.MinInt32, math.MaxInt32, 0, 0, -1, 0, 0, 0, 0}
	want := append([]int32{}, cells...)
	for _, v := range w {
		want[0] -= v
		want[1], want[2] = max(want[1], v), min(want[2], v)
		want[3], want[4], want[5] = want[3]^v, want[4]|v&0xff, want[5]&(v|0xf)
	}
	want[7], want[9] = 1, 9
	kernelTopics["newer"] = []kernelCase{
		{entry: "ordered", global: []int{384}, local: []int{96}, arguments: []any{w, left{from: cells, want: want, skipped: func(i int) bool { return i == 6 }},
			leaves(made(384, func(int) int32 { return 5 + 2*96 }))}},
		{entry: "of_groups", global: []int{384}, arguments: []any{w, leaves(made(384, func(i int) [8]int32 {
			group := w[i&^127 : i&^127+128]
			o := [8]int32{1: math.MinInt32, 2: math.MaxInt32, 6: 2, 7: math.MinInt32}
			for k, v := range group {
				o[0], o[1], o[2] = o[0]+v, max(o[1], v), min(o[2], v)
				if k <= i&127 {
					o[3], o[7] = o[3]+v, max(o[7], v)
				}
				if v > 990 {
					o[6] |= 1
				}
				if v <= -999 {
					o[6] &^= 2
				}
			}
			o[4], o[5] = o[3]-w[i], group[77]
			return o
		}))}},
		{entry: "generic_pointers", global: []int{most}, arguments: []any{leaves(made(most, func(i int) int32 { return int32(i + 1 + 3*i + 1 + i + 1 + 3*i + 1) }))}},
		{entry: "linear", global: []int{37, 5}, local: []int{16, 2}, offset: []int{3, 4}, arguments: []any{leaves(made(37*5, func(i int) int32 {
			x, y := i%37, i/37
			return int32(y%2*min(16, 37-x+x%16) + x%16 + 16000)
		})), "37"}},
	}

}

func init() {
	w := noises(most)
	kernelTopics["variables"] = []kernelCase{
		{entry: "counted", global: []int{most}, arguments: mapped(w, func(v uint32) uint32 { return 3 * v })},
		{entry: "told", global: []int{most}, arguments: []any{leaves(made(most, func(i int) uint32 {
			switch {
			case i < 16:
				return 0
			case i == 16:
				return 5
			}
			return math.Float32bits(float32(i&3 + 1))
		}))}},
		{entry: "initial", global: []int{most}, arguments: []any{leaves(made(most, func(i int) int64 {
			tag, x, y, wide := 7, 1, 2, -3
			if i&1 == 1 {
				tag, x, y, wide = 9, 4, 5, 6
			}
			return int64(tag + x*100 + y*10000 + wide + (i&3+1)*1000000 + 5)
		}))}},
		{entry: "placed", global: []int{most}, arguments: []any{leaves(made(most, func(i int) int64 { return []int64{203013, 404006}[i&1] }))}},
	}
}

package gpu

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"
)

// Vectors of three have the place of four.
type (
	int4   [4]int32
	uint4  [4]uint32
	float4 [4]float32
)

// The cases' sizes are rarely multiples of a workgroup, so that the last one is short.
const most = 300

func ints(n int) []int32 { return made(n, func(i int) int32 { return int32(noise(i)) }) }

// small are integers of -1000 to 999.
func small(n int) []int32 { return made(n, func(i int) int32 { return int32(noise(i)%2000) - 1000 }) }

func vectorsOf[T any](list []T) [][4]T {
	return made(len(list)/4, func(i int) [4]T { return [4]T(list[4*i:]) })
}

func oneIf[T cmp.Ordered](b bool, one T) (v T) {
	if b {
		v = one
	}
	return v
}

func init() {
	w := noises(2*most + 8)
	swapped := func(v uint32) uint32 { return bits.ReverseBytes32(v) }
	at64 := func(v []uint32, i int) uint64 { return uint64(v[i]) | uint64(v[i+1])<<32 }
	kernelTopics["pointers"] = []kernelCase{
		{entry: "swap_bytes", global: []int{most}, arguments: mapped(w[:most], swapped)},
		{entry: "wider", global: []int{most}, arguments: []any{w, leaves(made(most, func(i int) uint64 { return at64(w, 2*i) + 1 }))}},
		{entry: "float_bits", global: []int{most}, arguments: mapped(reals(most), func(x float32) uint32 { return math.Float32bits(-x) })},
		{entry: "local_views", global: []int{256}, arguments: []any{w[:256], leaves(localViews(w[:256]))}},
		{entry: "private_views", global: []int{most}, arguments: []any{w[:most], leaves(privateViews(w[:most]))}},
		{entry: "constant_views", global: []int{most}, arguments: mapped(w[:most], func(v uint32) uint32 {
			table := le([]uint32{0x01020304, 0x11121314, 0x21222324, 0x31323334, 0x41424344, 0x51525354, 0x61626364, 0x71727374})
			return uint32(table[v&31]) + binary.LittleEndian.Uint32(table[8*(v&3)+3:])
		})},
		{entry: "differences", global: []int{most}, arguments: []any{w[:most], leaves(made(most, func(i int) int32 {
			end, sum := min(i+5, most), uint32(0)
			for _, v := range w[i:end] {
				sum += v
			}
			return int32(sum) + int32(most-end) + oneIf(end == most, int32(1)) + int32(4*(end-i))
		})), fmt.Sprint(most)}},
		{entry: "rounded_up", global: []int{most}, arguments: []any{w, leaves(made(most, func(i int) uint32 { return w[(i+3)&^3] }))}},
		{entry: "chosen", global: []int{most}, arguments: []any{w[:most], w[most : 2*most], leaves(made(most, func(i int) uint32 {
			a, b := w[:most], w[most:2*most]
			p := b
			if a[i]&1 != 0 {
				p = a
			}
			return p[i/2+int(b[i]>>1&1)]
		}))}},
		{entry: "chosen_private", global: []int{most}, arguments: mapped(w[:most], func(v uint32) uint32 {
			all := []uint32{1, 2, 3, 4, 5, 6, 7, 8}
			all[4*(v&1)+v>>1&3] = v
			return dotted(all, 1, 2, 3, 4, 5, 6, 7, 8)
		})},
		{entry: "of_pointers", global: []int{most}, arguments: []any{w[:most], w[most : 2*most], leaves(made(most, func(i int) (sum uint32) {
			rows := [][]uint32{w[:most], w[most : 2*most], w[1:most]}
			for k := range 3 {
				sum = 3*sum + rows[(i+k)%3][i/2]
			}
			return sum
		}))}},
	}
}

func dotted(v []uint32, by ...uint32) (sum uint32) {
	for i := range v {
		sum += v[i] * by[i]
	}
	return sum
}

func localViews(in []uint32) []uint32 {
	out := make([]uint32, len(in))
	for group := 0; group < len(in); group += 64 {
		b := le(in[group : group+64])
		shorts := func(i int) uint32 { return uint32(binary.LittleEndian.Uint16(b[2*i:])) }
		sums := made(64, func(lane int) uint32 { return uint32(b[lane]) + uint32(b[255-lane]) + shorts(lane) + shorts(127-lane) })
		for lane, sum := range sums {
			b[4*lane+1] = byte(sum)
			binary.LittleEndian.PutUint16(b[4*lane+2:], uint16(sum>>1))
		}
		for lane := range 64 {
			out[group+lane] = binary.LittleEndian.Uint32(b[4*(lane^1):])
		}
	}
	return out
}

func privateViews(in []uint32) []uint32 {
	return made(len(in), func(i int) uint32 {
		b := le(in[i])
		b[i&3] += 7
		at := 2 * (^i & 1)
		binary.LittleEndian.PutUint16(b[at:], binary.LittleEndian.Uint16(b[at:])^0x55aa)
		values := made(4, func(k int) uint32 { return math.Float32bits(float32(int(1) << k)) })
		values[i&3] = binary.LittleEndian.Uint32(b)
		return values[i&3] + values[(i+1)&3]
	})
}

func init() {
	sixteens := made(most, func(i int) [16]uint32 { return [16]uint32(noises(16 * most)[16*i:]) })
	eights := made(most, func(i int) [8]int16 { return [8]int16(made(8, func(k int) int16 { return int16(noise(8*i + k)) })) })
	w := ints(3 * most)
	v := vectorsOf(small(4 * most))
	f := vectorsOf(made(4*most, func(i int) float32 { return reals(4 * most)[i] * 40 }))
	threes := made(most, func(i int) [3]int32 { return [3]int32(w[3*i:]) })
	b := made(most, func(i int) [16]uint8 { return [16]uint8(le(noises(4 * most)[4*i : 4*i+4])) })
	d := made(most, func(i int) [4]float64 {
		return [4]float64{float64(w[3*i]), float64(w[3*i+1]) / 7, float64(w[3*i+2]) * 1e9, 5}
	})
	kernelTopics["vectors"] = []kernelCase{
		{entry: "reversed", global: []int{most}, arguments: mapped(sixteens, func(v [16]uint32) (o [16]uint32) {
			v[3], v[7], v[11] = v[15], v[14], v[13]
			for i := range o {
				o[i] = v[15-i]
			}
			return o
		})},
		{entry: "parts", global: []int{most}, arguments: mapped(eights, func(v [8]int16) (o [8]int16) {
			for i := range 4 {
				o[i], o[4+i] = v[4+i]+v[2*i], v[2*i+1]-v[i]
			}
			o[1], o[7] = o[7], o[1]
			return o
		})},
		{entry: "threes", global: []int{most}, arguments: []any{w, leaves(made(most, func(i int) [3]int32 {
			return [3]int32{threes[i][1] + 1, threes[i][2] + 1, threes[i][0] + 1}
		})), left{want: made(most, func(i int) int4 { return int4{threes[i][2], 2 * threes[i][0], 3 * threes[i][1]} }), skipped: fourth}}},
		{entry: "third", global: []int{most}, arguments: mapped(v, func(v [4]int32) int32 { return v[0] + 2*v[1] + 4*v[2] })},
		{entry: "compared", global: []int{most}, arguments: mapped(v, func(v [4]int32) (o int4) {
			wzyx := [4]int32{v[3], v[2], v[1], v[0]}
			yxwz := [4]int32{wzyx[1], wzyx[0], wzyx[3], wzyx[2]}
			some, all := false, true
			for i := range 4 {
				o[i] = -oneIf(v[i] > wzyx[i], int32(1)) - 2*oneIf(v[i] == yxwz[i], int32(1)) + wzyx[i]
				if v[i] < 0 {
					o[i] += v[i] - wzyx[i]
				}
				some, all = some || v[i] > 100, all && v[i] > -1000
			}
			return int4{o[0] + oneIf(some, int32(1)), o[1] + oneIf(all, int32(1)), o[2] + oneIf(v[0] == 0, int32(1)), o[3] + ^v[1]}
		})},
		{entry: "indexed", global: []int{most}, arguments: []any{f, leaves(made(most, func(i int) float32 {
			v := f[i]
			v[i&3] *= 2
			return v[i>>1&3]
		}))}},
		{entry: "converted", global: []int{most}, arguments: []any{f, leaves(made(4*most, func(i int) int8 {
			return int8(min(max(math.Trunc(float64(f[i/4][i%4])), -128), 127))
		})), leaves(made(4*most, func(i int) int32 { return int32(math.RoundToEven(float64(f[i/4][i%4]))) })),
			leaves(made(4*most, func(i int) uint16 { return uint16(max(math.Ceil(float64(f[i/4][i%4])), 0)) }))}},
		{entry: "reinterpreted", global: []int{most}, arguments: mapped(vectorsOf(ints(4*most)), func(v [4]int32) (o [8]int16) {
			for i := range 8 {
				word := uint32(v[i/2])
				o[i] = int16(word >> (16 * (i % 2)))
				if i%2 == 0 {
					o[i] += int16(word >> 16)
				}
			}
			return o
		})},
		{entry: "shuffled", global: []int{most}, arguments: []any{vectorsOf(noises(4 * most)), leaves(made(most, func(i int) (o uint4) {
			v := vectorsOf(noises(4 * most))[i]
			for k, at := range []int{3, 0, 1, 2} {
				o[k] = v[v[at]&3]
			}
			return o
		})), leaves(made(most, func(i int) (o [8]uint32) {
			v := vectorsOf(noises(4 * most))[i]
			for k, at := range []int{0, 1, 2, 3, 3, 2, 1, 0} {
				m := v[at] & 7
				o[k] = v[m&3] + m>>2
			}
			return o
		}))}},
		{entry: "sums", global: []int{most}, arguments: mapped(b, func(b [16]uint8) (sum uint32) {
			for _, v := range b {
				sum += 3 * uint32(v)
			}
			return sum
		})},
		{entry: "doubles3", global: []int{most}, arguments: []any{d, left{want: made(most, func(i int) [4]float64 {
			return [4]float64{d[i][1]*2 - d[i][0], d[i][2]*2 - d[i][1], d[i][0]*2 - d[i][2]}
		}), skipped: fourth}}},
	}
}

// fourth skips the padding of vectors of three.
func fourth(i int) bool { return i%4 == 3 }

func init() {
	bytes, shorts := le(noises(most)), made(most+16, func(i int) int16 { return int16(noise(i)) })
	longs := made(most+1, func(i int) int64 { return int64(uint64(noise(i))<<32 | uint64(noise(i+7))) })
	halves := made(most&^3, func(i int) uint16 { return uint16(i * 218) }) // positive, infinity and NaN at the end
	floats := append(reals(most-8), 0, float32(math.Copysign(0, -1)), 65519, 65520, -1e6, 1e-8, 5.9e-8, float32(math.Inf(1)))
	toHalf := func(mode int) left {
		return leaves(made(most, func(i int) uint16 { return halfBits(float64(floats[i]), mode) }))
	}
	kernelTopics["loads"] = []kernelCase{
		{entry: "shifted", global: []int{most}, arguments: []any{bytes, leaves(made(most, func(i int) [4]byte {
			b := bytes[3*i+1:]
			return [4]byte{b[3], b[2], b[1], b[0]}
		}))}},
		{entry: "sixteen", global: []int{most}, arguments: []any{shorts, leaves(append([]int16{0}, made(8*most, func(i int) int16 {
			return shorts[i/8+i%8] + shorts[i/8+i%8+8]
		})...))}},
		{entry: "pairs", global: []int{most / 2}, arguments: []any{reals(most), leaves(append([]float32{0}, made(most, func(i int) float32 { return reals(most)[i^1] })...))}},
		{entry: "longs", global: []int{most}, arguments: []any{longs, leaves(made(2*most, func(i int) int64 { return longs[i/2+i%2] * 3 }))}},
		{entry: "halves", global: []int{len(halves)}, arguments: mapped(halves, fromHalf)},
		{entry: "halves4", global: []int{len(halves) / 4}, arguments: []any{halves, leaves(made(len(halves), func(i int) float32 { return fromHalf(halves[i]) }))}},
		{entry: "to_halves", global: []int{most}, arguments: []any{floats, toHalf(0), toHalf(-1), toHalf(1), toHalf(2)}},
		{entry: "of_local", global: []int{256}, arguments: []any{bytes[:768], leaves(made(768, func(i int) byte {
			item := i / 3
			return bytes[3*(item-item%64+63-item%64)+i%3]
		}))}},
	}
}

// fromHalf is the value of a half.
func fromHalf(h uint16) float32 {
	sign, exponent, fraction := float64(1), int(h>>10&31), float64(h&1023)/1024
	if h>>15 != 0 {
		sign = -1
	}
	switch {
	case exponent == 31 && fraction != 0:
		return float32(math.NaN())
	case exponent == 31:
		return float32(sign * math.Inf(1))
	case exponent == 0:
		return float32(sign * math.Ldexp(fraction, -14))
	}
	return float32(sign * math.Ldexp(1+fraction, exponent-15))
}

// halfBits rounds to a half: to the nearest (0), down (-1), up (1) or towards zero (2).
func halfBits(v float64, mode int) uint16 {
	sign := uint16(0)
	if math.Signbit(v) {
		sign, v = 0x8000, -v
		if mode == 1 || mode == -1 {
			mode = -mode
		}
	}
	if math.IsInf(v, 0) {
		return sign | 0x7c00
	}
	scale := -24 // of the last place
	if v >= 0x1p-14 {
		scale = math.Ilogb(v) - 10
	}
	n := math.Ldexp(v, -scale)
	switch mode {
	case 0:
		n = math.RoundToEven(n)
	case 1:
		n = math.Ceil(n)
	default:
		n = math.Floor(n)
	}
	v = math.Ldexp(n, scale)
	switch {
	case v < 0x1p-14:
		return sign | uint16(n)
	case v >= 65536 && (mode == 0 || mode == 1):
		return sign | 0x7c00
	case v >= 65536:
		return sign | 0x7bff
	}
	e := math.Ilogb(v)
	return sign | uint16(e+15)<<10 | uint16(math.Ldexp(v, 10-e))&1023
}

type kernelRecord struct {
	Tag    int8
	_      [7]byte
	Weight float64
	Shape  [3]int16
	_      [2]byte
}

type kernelParticle struct {
	At [3]float32
	_  [4]byte
	ID int32
	_  [12]byte
}

type kernelBoth struct {
	R kernelRecord
	_ [8]byte
	P [2]kernelParticle
}

func init() {
	records := made(most, func(i int) kernelRecord {
		return kernelRecord{Tag: int8(noise(i)), Weight: float64(noise(i+1)) / 3, Shape: [3]int16{int16(noise(i + 2)), int16(i), -5}}
	})
	particles := made(most, func(i int) kernelParticle {
		return kernelParticle{At: [3]float32{float32(i), float32(noise(i) % 100), 3}, ID: int32(i)}
	})
	boths := made(most/2, func(i int) kernelBoth {
		return kernelBoth{R: records[i], P: [2]kernelParticle{particles[i], particles[i+1]}}
	})
	numbers := made(most, func(i int) [24]int32 { return [24]int32(ints(24 * most)[24*i:]) })
	w := small(most + 8)
	kernelTopics["structs"] = []kernelCase{
		{entry: "by_value", global: []int{most}, arguments: []any{"[-3, 2.5, [4, 5, -6]]", "{u8: [7, 8, 1, 0, 0]}", leaves(made(most, func(i int) float64 {
			return -3 + 2.5*float64(i) + []float64{4, 5, -6}[i%3] + 7 + 264 + 1 + 2*2 + 4*3 + 9
		})), "{f32: [1, 2, 3, 0, 1.26e-44, 0, 0, 0]}"}},
		{entry: "in_memory", global: []int{most}, arguments: []any{records, leaves(made(most, func(i int) kernelRecord {
			r := records[i]
			r.Tag++
			r.Weight *= 2
			r.Shape[i%3]--
			return r
		}))}},
		{entry: "packed_in_memory", global: []int{most}, arguments: []any{made(most, func(i int) [5]byte { return [5]byte(le(uint8(i), noise(i))) }),
			leaves(made(most, func(i int) [5]byte { return [5]byte(le(uint8(noise(i)>>24), noise(i)+uint32(uint8(i)))) }))}},
		{entry: "nested", global: []int{most / 2}, arguments: []any{boths, leaves(made(most/2, func(i int) kernelBoth {
			b := boths[i]
			other := b.P[^i&1].At
			b.P[i&1].At, b.P[i&1].ID = [3]float32{other[2], other[1], other[0]}, int32(b.R.Shape[1])
			return b
		}))}},
		{entry: "copied", global: []int{most}, arguments: []any{numbers, leaves(made(most, func(i int) [24]int32 {
			v := numbers[i]
			v[i%24]++
			return v
		}))}},
		{entry: "in_local", global: []int{288}, arguments: []any{particles[:288], leaves(made(288, func(i int) kernelParticle { return particles[i^31] }))}},
		{entry: "returned", global: []int{most}, arguments: []any{leaves(made(most, func(i int) int32 { return 5*int32(i&63) + 6 }))}},
		{entry: "zeroed", global: []int{most}, arguments: []any{w, leaves(made(most, func(i int) (sum int32) {
			for k := range 5 {
				sum += (w[i+k] & 15) * int32(k+1)
			}
			return sum
		}))}},
	}
	for i := range kernelTopics["structs"] {
		c := &kernelTopics["structs"][i]
		switch c.entry { // what pads members is not a value
		case "in_memory":
			skip(c, 1, func(at int) bool { return at%24 > 0 && at%24 < 8 || at%24 >= 22 })
		case "nested":
			skip(c, 1, func(at int) bool {
				at %= 96
				return at > 0 && at < 8 || at >= 22 && at < 32 || at >= 32 && ((at%32) >= 12 && at%32 < 16 || at%32 >= 20)
			})
		case "in_local":
			skip(c, 1, func(at int) bool { return at%32 >= 12 && at%32 < 16 || at%32 >= 20 })
		}
	}
}

// skip leaves out bytes of an argument.
func skip(c *kernelCase, argument int, which func(i int) bool) {
	l := c.arguments[argument].(left)
	l.want, l.skipped = le(l.want), which
	c.arguments[argument] = l
}

func init() {
	chars := made(most+1, func(i int) int8 { return int8(noise(i)) })
	shorts := made(most+1, func(i int) int16 { return int16(noise(i)) })
	longs := made(most+1, func(i int) int64 { return int64(uint64(noise(i))<<32|uint64(noise(i+7))) >> (i % 40) })
	w := ints(most + 1)
	f := made(most, func(i int) float32 { return reals(most)[i] * 15 })
	kernelTopics["narrow"] = []kernelCase{
		{entry: "chars", global: []int{most}, arguments: append([]any{chars}, narrow(chars[:most], chars[1:], 2, 1, func(a int8) int32 { return 0 })...)},
		{entry: "uchars", global: []int{most}, arguments: append([]any{le(chars)}, narrow(le(chars[:most]), le(chars[1:]), 2, 1, func(a uint8) int32 { return 0 })...)},
		{entry: "shorts", global: []int{most}, arguments: append([]any{shorts}, narrow(shorts[:most], shorts[1:], 3, 2, func(a int16) int32 { return int32(uint16(a)) })...)},
		{entry: "longs", global: []int{most}, arguments: []any{longs, leaves(made(most, func(i int) [4]int64 {
			a, b := longs[i], longs[i+1]
			return [4]int64{a*b + a>>(b&63) - b<<(a&63), a / (b>>40 | 1), a % (b>>13 | 1),
				oneIf(a < b, int64(1)) + 2*oneIf(uint64(a) < uint64(b), int64(1)) + int64(uint64(a)/(uint64(b)|1)) + int64(uint64(a)>>60) + int64(int32(a)) + int64(int16(b))}
		}))}},
		{entry: "bools", global: []int{most}, arguments: []any{w, leaves(made(most, func(i int) uint8 {
			a, b := w[i] > 0, w[i+1]&4 != 0
			return oneIf(a && b, uint8(1)) + oneIf(a || b, uint8(2)) + oneIf(a != b, uint8(4)) + oneIf(!a, uint8(8))
		}))}},
		{entry: "conversions", global: []int{most}, arguments: mapped(f, func(f float32) [8]int32 {
			sat := func(v, least, most float64) int32 { return int32(min(max(v, least), most)) }
			x := float64(f)
			return [8]int32{int32(int8(x)), int32(int16(x)), int32(uint8(math.Abs(x))), sat(math.Trunc(float64(f*2)), -128, 127),
				sat(math.RoundToEven(float64(f*1000)), -32768, 32767), int32(int64(f) * 3), sat(math.Trunc(x), 0, 255), int32(math.Floor(x))}
		})},
		{entry: "saturated", global: []int{most}, arguments: []any{longs[:most], leaves(made(most, func(i int) [4]int32 {
			v := longs[i] >> (i & 63)
			unsigned := int32(math.MaxInt32)
			if uint64(v) < math.MaxInt32 {
				unsigned = int32(v)
			}
			return [4]int32{int32(min(max(v, math.MinInt32), math.MaxInt32)), int32(uint32(min(max(v, 0), math.MaxUint32))),
				int32(min(max(v, -32768), 32767)) + int32(min(max(v, 0), 255)), unsigned}
		}))}},
	}
}

// narrow computes what the kernels of short integers leave.
func narrow[T int8 | uint8 | int16](a, b []T, right, shifted int, more func(T) int32) []any {
	out, wide := make([]T, len(a)), make([]int32, len(a))
	for i := range a {
		x, y := a[i], b[i]
		x = x*5 + y
		y = T(y>>right) - T(x<<shifted)
		out[i] = x ^ y
		d := int32(y | 1)
		wide[i] = int32(x)/d + int32(x)%d + oneIf(x < y, int32(1)) + more(x)
	}
	return []any{leaves(out), leaves(wide)}
}

func init() {
	h := made(most+4, func(i int) uint16 { return halfBits(float64(reals(most + 4)[i]), 0) })
	value := func(i int) float64 { return float64(fromHalf(h[i])) }
	kernelTopics["halves"] = []kernelCase{
		{entry: "arithmetic", global: []int{most}, arguments: []any{h, leaves(made(most, func(i int) [4]uint16 {
			a, b := value(i), value(i+1)
			return [4]uint16{halfBits(a+b, 0), halfBits(a*b, 0), halfBits(a-1.5, 0), halfBits(max(a, b), 0)}
		}))}},
		{entry: "vectors", global: []int{most / 4}, arguments: []any{h, leaves(made(most, func(i int) uint16 { return halfBits(value(i&^3+3-i%4)+value(i), 0) })),
			leaves(made(most, func(i int) int32 { return -oneIf(value(i) < value(i^1), int32(1)) }))}},
		{entry: "converted", global: []int{most}, arguments: []any{h, leaves(made(most, func(i int) float32 { return fromHalf(h[i]) * 3 })),
			leaves(made(most, func(i int) int32 { return int32(fromHalf(h[i])) }))}},
		{entry: "from", global: []int{most}, arguments: mapped(small(most), func(v int32) uint16 { return halfBits(float64(v), 0) })},
	}
	d := made(most+1, func(i int) float64 { return float64(int32(noise(i))) / float64(noise(i+5)>>12+1) })
	kernelTopics["doubles"] = []kernelCase{
		{entry: "arithmetic", global: []int{most}, arguments: []any{d, left{ulps: []float64{0, 0, 0, 0, 0, 0, 0, 0}, want: made(most, func(i int) [8]float64 {
			a, b := d[i], d[i+1]
			last := -b
			if a < b {
				last = a
			}
			return [8]float64{a + b, a * b, a / b, math.FMA(a, b, 1), math.Sqrt(math.Abs(a)), math.Floor(a) + math.Ceil(b) + math.Trunc(a), min(a, b) - max(a, 1), last}
		})}}},
		{entry: "converted", global: []int{most}, arguments: []any{d[:most], leaves(made(most, func(i int) int64 { return int64(d[i]) })),
			leaves(made(most, func(i int) float32 { return float32(d[i]) })),
			leaves(made(most, func(i int) float64 {
				return float64(uint64(math.Abs(d[i]))*3) + float64(int32(d[i])) + float64(float32(d[i]))
			}))}},
		{entry: "functions", global: []int{most}, arguments: []any{made(most, func(i int) float64 { return math.Mod(d[i], 50) }),
			left{ulps: []float64{3, 3, 8, 16}, want: made(most, func(i int) [4]float64 {
				x := math.Mod(d[i], 50)
				return [4]float64{math.Exp(x * 0.01), math.Log(math.Abs(x) + 0.5), math.Sin(x) + 2, math.Pow(math.Abs(x)+0.1, 1.5)}
			})}}},
	}
}

func init() {
	w := small(8 * most)
	kernelTopics["privates"] = []kernelCase{
		{entry: "sorted", global: []int{most}, arguments: []any{w, leaves(made(most, func(i int) [8]int32 {
			v := [8]int32(w[8*i:])
			slices.Sort(v[:])
			return v
		}))}},
		{entry: "stack", global: []int{most}, arguments: []any{w[:most], leaves(made(most, func(i int) (visited int32) {
			nodes := []int32{w[i] & 15}
			for len(nodes) > 0 {
				node := nodes[len(nodes)-1]
				nodes = nodes[:len(nodes)-1]
				visited = visited*3 + node
				if 2*node+2 < 60 && len(nodes) < 22 {
					nodes = append(nodes, 2*node+1)
					if node&1 != 0 {
						nodes = append(nodes, 2*node+2)
					}
				}
			}
			return visited
		}))}},
		{entry: "squares", global: []int{most}, arguments: []any{w[:most+8], leaves(made(most, func(i int) (sum int32) {
			for k := range 6 {
				at := w[i+k]
				y, x := (at&0x7fffffff)%5, (at>>4&0x7ffffff)%7
				sum = 5*sum + int32(int8(w[i]>>x^y))
			}
			return sum
		}))}},
		{entry: "entries", global: []int{most}, arguments: []any{w[:most+4], leaves(made(most, func(i int) int64 {
			key := func(k int) int64 { return int64(w[i+k]) << k }
			at := int(w[i] & 3)
			last := key(3)
			if w[i+1]&3 == 3 {
				last = key(at)
			}
			return key(at) + int64(at)*int64(int16(w[i])) + last + int64(int16(w[i]))
		}))}},
		{entry: "vectors", global: []int{most}, arguments: []any{w[:most+4], leaves(made(most, func(i int) float32 {
			k := float32(w[i+1] & 3)
			y := float32(w[i] & 255)
			if w[i]>>3&3 == w[i+1]&3 {
				y += 0.5
			}
			return k + 2*y + 4*k*k + 8
		}))}},
	}
	u := noises(most)
	primes, others := []int32{2, 3, 5, 7, 11, 13, 17, 19, 23, 29}, []int32{100, 200, 300, 400}
	kernelTopics["tables"] = []kernelCase{
		{entry: "numbers", global: []int{most}, arguments: mapped(u, func(v uint32) int32 {
			n := int32(4*(v/10%3) + v&3 + 1)
			if n%2 == 0 {
				n = -n
			}
			return primes[v%10] + n
		})},
		{entry: "vectors", global: []int{most}, arguments: mapped(u, func(v uint32) float32 {
			n := float32(4 * (v % 3))
			return n + 1 + 10*(n+2) + 100*(n+3) + 1000*(n+4)
		})},
		{entry: "structures", global: []int{most}, arguments: mapped(u, func(v uint32) float64 {
			k := v % 3
			return []float64{0.5, -0.5, 2400}[k] + float64('a'+4*k+v&3) + []float64{0xdef0, 42}[v>>5&1]
		})},
		{entry: "chosen", global: []int{most}, arguments: mapped(u, func(v uint32) (sum int32) {
			list := others
			if v&8 != 0 {
				list = primes
			}
			for k := range v&3 + 1 {
				sum += list[k]
			}
			return sum
		})},
		{entry: "argument", global: []int{most}, arguments: []any{reals(8), []int4{{1, 2, 3, 4}, {5, 6, 700, 8}}, u, leaves(made(most, func(i int) float32 {
			return reals(8)[u[i]&7] + float32([]int32{3, 700}[u[i]>>3&1])
		}))}},
		{entry: "placed", global: []int{most}, arguments: mapped(u, func(v uint32) int32 {
			return primes[3+v>>1&3] + []int32{others[1+v>>3&1], 2 * primes[5+v>>3&1]}[v&1]
		})},
		{entry: "placed_or_given", global: []int{most}, arguments: []any{[]int32{1000, 2000, 3000, 4000}, u, leaves(made(most, func(i int) int32 {
			v := u[i]
			return []int32{primes[3+v>>1&3], 1000 * int32(v>>1&3+1)}[v&1] + []int32{others[1+v>>3&1], primes[5+v>>3&1]}[v>>4&1]
		}))}},
		{entry: "absent", global: []int{most}, arguments: mapped(u, func(v uint32) int32 { return []int32{-1, 3, 200, 3}[v&3] })},
	}
}

func init() {
	kernelTopics["integers"] = []kernelCase{
		integerCase[int8]("char", 8), integerCase[uint8]("uchar", 8), integerCase[int16]("short", 16), integerCase[uint16]("ushort", 16),
		integerCase[int32]("int", 32), integerCase[uint32]("uint", 32), integerCase[int64]("long", 64), integerCase[uint64]("ulong", 64),
	}
	w := ints(most + 2)
	shorts := vectorsOf(made(4*most, func(i int) int16 { return int16(noise(i)) }))
	sat := func(v, least, most int64) int64 { return min(max(v, least), most) }
	kernelTopics["integers"] = append(kernelTopics["integers"],
		kernelCase{entry: "products", global: []int{most}, arguments: []any{w, leaves(made(most, func(i int) [8]int32 {
			a, b, c := int64(w[i]), int64(w[i+1]), int64(w[i+2])
			difference := a - b
			if difference < 0 {
				difference = -difference
			}
			return [8]int32{int32(a*b>>32) + int32(c), int32(sat(a*b+c, math.MinInt32, math.MaxInt32)), int32((a >> 8) * (b >> 8)), int32((a>>8)*(b>>8) + c),
				int32(max(a, -a)), int32(difference), int32(uint32(int16(a))<<16 | uint32(uint16(b))),
				int32(uint32(min(uint64(uint32(a))*uint64(b&15)+uint64(uint32(c)), math.MaxUint32)))}
		}))}},
		kernelCase{entry: "vectors", global: []int{most}, arguments: []any{shorts, leaves(made(4*most, func(i int) int16 {
			a, b := int64(shorts[i/4][i%4]), int64(shorts[i/4][3-i%4])
			return int16(sat(a+b, -32768, 32767)) ^ int16(bits.RotateLeft16(uint16(a), 3))
		})), leaves(made(4*most, func(i int) int32 {
			a, b := int32(shorts[i/4][i%4]), int32(shorts[i/4][3-i%4])
			return int32(uint32(a)<<16|uint32(uint16(b))) + max(a-b, b-a)
		}))}})
}

// integerCase computes with 128 bits, so that nothing overflows before it should.
func integerCase[T int8 | uint8 | int16 | uint16 | int32 | uint32 | int64 | uint64](name string, width int) kernelCase {
	in := made(most+1, func(i int) T {
		switch i % 13 {
		case 0:
			return 0
		case 1:
			return ^T(0)
		case 2:
			return T(1) << (width - 1)
		case 3:
			return T(1)<<(width-1) - 1
		}
		return T(uint64(noise(i))<<32 | uint64(noise(i+3)))
	})
	signed := ^T(0) < 0
	out := made(most, func(i int) [8]T {
		a, b := in[i], in[i+1]
		least, largest := T(0), ^T(0)
		if signed {
			least, largest = T(1)<<(width-1), T(1)<<(width-1)-1
		}
		sum, difference := a+b, a-b
		switch {
		case b > 0 && sum < a:
			sum = largest
		case b < 0 && sum > a:
			sum = least
		}
		switch {
		case b > 0 && difference > a:
			difference = least
		case b < 0 && difference < a:
			difference = largest
		}
		ua, ub := uint64(a)<<(64-width)>>(64-width), uint64(b)<<(64-width)>>(64-width)
		high, low := bits.Mul64(ua, ub)
		product := T(high)
		switch {
		case width < 64 && signed:
			product = T(int64(a) * int64(b) >> width)
		case width < 64:
			product = T(low >> width)
		case signed: // of the signed numbers, modulo 2^128
			product -= b*oneIf(a < 0, T(1)) + a*oneIf(b < 0, T(1))
		}
		by := int(ub % uint64(width))
		turned := T(ua<<by | ua>>(width-by))
		if by == 0 {
			turned = a
		}
		return [8]T{sum, difference, a&b + (a^b)>>1, (a | b) - (a^b)>>1, product, turned, T(bits.LeadingZeros64(ua) - (64 - width)),
			T(bits.OnesCount64(ua)) + max(a, b) - min(a, 7) + min(max(b, 1), 9)}
	})
	return kernelCase{entry: "saturate_" + name, global: []int{most}, arguments: []any{in, leaves(out)}}
}

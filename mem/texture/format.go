package texture

import (
	"encoding/binary"
	"math"
	"strings"

	"spvsim/isa"
	"spvsim/mem/rmw"
)

// A codec turns the bits of one component into a value and back. Values are
// float32 bits for the float kinds, sign- or zero-extended integers for the
// others.
type codec struct {
	float  bool
	decode func(raw uint64, bits uint) uint64
	encode func(v uint64, bits uint) uint64
}

var (
	asFloat  = &codec{true, decodeFloat, encodeFloat}
	asSrgb   = &codec{true, decodeSrgb, encodeSrgb}
	asShared = &codec{float: true} // of three components at once: sharedTexel
	asUnorm  = &codec{true, decodeUnorm, encodeUnorm}
	asSnorm  = &codec{true, decodeSnorm, encodeSnorm}
	asUfloat = &codec{true, decodeUfloat, encodeUfloat}
	asSint   = &codec{false, decodeSint, encodeInt}
	asUint   = &codec{false, decodeUint, encodeInt}
)

// A Format is a texel format: components of the given bits, packed from bit 0.
type Format struct {
	Name  string // as SPIR-V spells it
	Value uint32 // SPIR-V ImageFormat
	Bytes int
	bits  []uint
	codec *codec
	order []uint8 // which component each of the bits' fields is; nil: red first
}

func of(bits uint, n int) []uint {
	list := make([]uint, n)
	for i := range list {
		list[i] = bits
	}
	return list
}

// formats has a row for each SPIR-V ImageFormat, in the order of their values
// from 1 (SPIR-V 1.6, section 3.11).
var formats = []Format{
	{"Rgba32f", 1, 16, of(32, 4), asFloat, nil},
	{"Rgba16f", 2, 8, of(16, 4), asFloat, nil},
	{"R32f", 3, 4, of(32, 1), asFloat, nil},
	{"Rgba8", 4, 4, of(8, 4), asUnorm, nil},
	{"Rgba8Snorm", 5, 4, of(8, 4), asSnorm, nil},
	{"Rg32f", 6, 8, of(32, 2), asFloat, nil},
	{"Rg16f", 7, 4, of(16, 2), asFloat, nil},
	{"R11fG11fB10f", 8, 4, []uint{11, 11, 10}, asUfloat, nil},
	{"R16f", 9, 2, of(16, 1), asFloat, nil},
	{"Rgba16", 10, 8, of(16, 4), asUnorm, nil},
	{"Rgb10A2", 11, 4, []uint{10, 10, 10, 2}, asUnorm, nil},
	{"Rg16", 12, 4, of(16, 2), asUnorm, nil},
	{"Rg8", 13, 2, of(8, 2), asUnorm, nil},
	{"R16", 14, 2, of(16, 1), asUnorm, nil},
	{"R8", 15, 1, of(8, 1), asUnorm, nil},
	{"Rgba16Snorm", 16, 8, of(16, 4), asSnorm, nil},
	{"Rg16Snorm", 17, 4, of(16, 2), asSnorm, nil},
	{"Rg8Snorm", 18, 2, of(8, 2), asSnorm, nil},
	{"R16Snorm", 19, 2, of(16, 1), asSnorm, nil},
	{"R8Snorm", 20, 1, of(8, 1), asSnorm, nil},
	{"Rgba32i", 21, 16, of(32, 4), asSint, nil},
	{"Rgba16i", 22, 8, of(16, 4), asSint, nil},
	{"Rgba8i", 23, 4, of(8, 4), asSint, nil},
	{"R32i", 24, 4, of(32, 1), asSint, nil},
	{"Rg32i", 25, 8, of(32, 2), asSint, nil},
	{"Rg16i", 26, 4, of(16, 2), asSint, nil},
	{"Rg8i", 27, 2, of(8, 2), asSint, nil},
	{"R16i", 28, 2, of(16, 1), asSint, nil},
	{"R8i", 29, 1, of(8, 1), asSint, nil},
	{"Rgba32ui", 30, 16, of(32, 4), asUint, nil},
	{"Rgba16ui", 31, 8, of(16, 4), asUint, nil},
	{"Rgba8ui", 32, 4, of(8, 4), asUint, nil},
	{"R32ui", 33, 4, of(32, 1), asUint, nil},
	{"Rgb10a2ui", 34, 4, []uint{10, 10, 10, 2}, asUint, nil},
	{"Rg32ui", 35, 8, of(32, 2), asUint, nil},
	{"Rg16ui", 36, 4, of(16, 2), asUint, nil},
	{"Rg8ui", 37, 2, of(8, 2), asUint, nil},
	{"R16ui", 38, 2, of(16, 1), asUint, nil},
	{"R8ui", 39, 1, of(8, 1), asUint, nil},
	{"R64ui", 40, 8, of(64, 1), asUint, nil},
	{"R64i", 41, 8, of(64, 1), asSint, nil},
}

// blueFirst and alphaFirst are orders of components from bit 0 on.
var (
	blueFirst  = []uint8{2, 1, 0, 3}
	alphaFirst = []uint8{3, 0, 1, 2} // of VK_FORMAT_B4G4R4A4_UNORM_PACK16, whose name begins at the highest bit
)

// sampledFormats are those of images that shaders sample and fetch from, and that
// SPIR-V has no name for, as no shader writes them (Vulkan 1.3, "Format Definition").
var sampledFormats = []Format{
	{"Rgba8Srgb", 0, 4, of(8, 4), asSrgb, nil},
	{"Rg8Srgb", 0, 2, of(8, 2), asSrgb, nil},
	{"R8Srgb", 0, 1, of(8, 1), asSrgb, nil},
	{"Bgra8", 0, 4, of(8, 4), asUnorm, blueFirst},
	{"Bgra8Snorm", 0, 4, of(8, 4), asSnorm, blueFirst},
	{"Bgra8i", 0, 4, of(8, 4), asSint, blueFirst},
	{"Bgra8ui", 0, 4, of(8, 4), asUint, blueFirst},
	{"Bgra8Srgb", 0, 4, of(8, 4), asSrgb, blueFirst},
	{"Bgr10A2", 0, 4, []uint{10, 10, 10, 2}, asUnorm, blueFirst},
	{"Bgr10a2ui", 0, 4, []uint{10, 10, 10, 2}, asUint, blueFirst},
	{"Bgr5A1", 0, 2, []uint{5, 5, 5, 1}, asUnorm, blueFirst},
	{"Bgr565", 0, 2, []uint{5, 6, 5}, asUnorm, blueFirst},
	{"Rgb5A1", 0, 2, []uint{5, 5, 5, 1}, asUnorm, nil},
	{"Argb4", 0, 2, of(4, 4), asUnorm, alphaFirst},
	{"Bgra4", 0, 2, of(4, 4), asUnorm, blueFirst},
	{"Rgba4", 0, 2, of(4, 4), asUnorm, nil},
	{"A8", 0, 1, of(8, 1), asUnorm, []uint8{3}},
	{"Rgb9E5", 0, 4, []uint{9, 9, 9}, asShared, nil},
}

// FormatByName finds a format by its name, SPIR-V's where it has one, in any letter case.
func FormatByName(name string) (*Format, bool) {
	for _, list := range [][]Format{formats, sampledFormats} {
		for i := range list {
			if strings.EqualFold(list[i].Name, name) {
				return &list[i], true
			}
		}
	}
	return nil, false
}

// Stored reports whether shaders write texels of the format, for which SPIR-V has a name.
func (f *Format) Stored() bool { return f.Value != 0 }

// normalized reports components from 0 or -1 to 1.
func (f *Format) normalized() bool { return f.codec == asUnorm || f.codec == asSnorm }

// Decode splits the bytes of a texel into values; missing components are 0, and
// 1 for the fourth.
func (f *Format) Decode(b []byte) (v [4]uint64) {
	v[3] = f.one()
	if f.codec == asShared {
		sharedTexel(&v, binary.LittleEndian.Uint32(b))
		return v
	}
	at := uint(0)
	for i, n := range f.bits {
		k := f.component(i)
		v[k] = f.codecOf(k).decode(field(b, at, n), n)
		at += n
	}
	return v
}

// one is a component of 1.
func (f *Format) one() uint64 {
	if f.codec.float {
		return uint64(math.Float32bits(1))
	}
	return 1
}

// component is which one the i-th field of a texel holds.
func (f *Format) component(i int) int {
	if f.order == nil {
		return i
	}
	return int(f.order[i])
}

// has reports whether a component is among those that the format holds.
func (f *Format) has(component int) bool {
	for i := range f.bits {
		if f.component(i) == component {
			return true
		}
	}
	return false
}

// codecOf is that of a component: alpha is linear where colours are not.
func (f *Format) codecOf(component int) *codec {
	if f.codec == asSrgb && component == 3 {
		return asUnorm
	}
	return f.codec
}

// Border is a texel of components that are each 0 or 1; those that the format lacks are as in its texels.
func (f *Format) Border(components *[4]uint32) (v [4]uint64) {
	for k, c := range components {
		if !f.has(k) {
			c = uint32(k) / 3
		}
		v[k] = uint64(c)
		if f.codec.float {
			v[k] = uint64(math.Float32bits(float32(c)))
		}
	}
	return v
}

// Encode packs values into the bytes of a texel.
func (f *Format) Encode(b []byte, v *[4]uint64) {
	if f.codec == asShared {
		binary.LittleEndian.PutUint32(b, toShared(v))
		return
	}
	var words [2]uint64
	at := uint(0)
	for i, n := range f.bits {
		k := f.component(i)
		words[at/64] |= (f.codecOf(k).encode(v[k], n) & (^uint64(0) >> (64 - n))) << (at % 64)
		at += n
	}
	var raw [16]byte
	binary.LittleEndian.PutUint64(raw[:], words[0])
	binary.LittleEndian.PutUint64(raw[8:], words[1])
	copy(b, raw[:])
}

// field is n bits of b from bit at on; no field crosses 64 bits.
func field(b []byte, at, n uint) uint64 {
	var raw [8]byte
	copy(raw[:], b[at/64*8:])
	return binary.LittleEndian.Uint64(raw[:]) >> (at % 64) & (^uint64(0) >> (64 - n))
}

func decodeFloat(raw uint64, bits uint) uint64 {
	if bits == 16 {
		return uint64(math.Float32bits(isa.HalfToFloat32(uint16(raw))))
	}
	return raw
}

func encodeFloat(v uint64, bits uint) uint64 {
	if bits == 16 {
		return isa.HalfFromFloat64(float64(math.Float32frombits(uint32(v))))
	}
	return v
}

func decodeUfloat(raw uint64, bits uint) uint64 {
	return uint64(math.Float32bits(float32(rmw.UnsignedFloat(uint32(raw), 5, bits-5))))
}

func encodeUfloat(v uint64, bits uint) uint64 {
	return uint64(rmw.ToUnsignedFloat(float64(math.Float32frombits(uint32(v))), 5, bits-5))
}

func decodeUnorm(raw uint64, bits uint) uint64 {
	return uint64(math.Float32bits(float32(float64(raw) / float64(uint64(1)<<bits-1))))
}

func encodeUnorm(v uint64, bits uint) uint64 {
	return uint64(math.RoundToEven(clampNaN(v, 0) * float64(uint64(1)<<bits-1)))
}

// decodeSnorm has two codes for -1, as the Vulkan specification asks.
func decodeSnorm(raw uint64, bits uint) uint64 {
	s := float64(int64(raw<<(64-bits)) >> (64 - bits))
	return uint64(math.Float32bits(float32(max(-1, s/float64(uint64(1)<<(bits-1)-1)))))
}

func encodeSnorm(v uint64, bits uint) uint64 {
	return uint64(int64(math.RoundToEven(clampNaN(v, -1) * float64(uint64(1)<<(bits-1)-1))))
}

// The transfer function of sRGB and its inverse (Khronos Data Format 1.3, section 13.3.2).
func decodeSrgb(raw uint64, bits uint) uint64 {
	c := float64(raw) / float64(uint64(1)<<bits-1)
	if c <= 0.04045 {
		c /= 12.92
	} else {
		c = math.Pow((c+0.055)/1.055, 2.4)
	}
	return uint64(math.Float32bits(float32(c)))
}

func encodeSrgb(v uint64, bits uint) uint64 {
	c := clampNaN(v, 0)
	if c <= 0.0031308 {
		c *= 12.92
	} else {
		c = 1.055*math.Pow(c, 1/2.4) - 0.055
	}
	return uint64(math.RoundToEven(c * float64(uint64(1)<<bits-1)))
}

// Of three components with one exponent each has 9 bits of mantissa, which stand
// for 0 to 511/512, and the exponent's 5 bits a bias of 15 (Vulkan 1.3, "RGB to
// Shared Exponent Conversion").
const (
	sharedMantissa = 9
	sharedBias     = 15
	sharedHighest  = 31
)

func sharedTexel(v *[4]uint64, raw uint32) {
	exponent := int(raw>>(3*sharedMantissa)) - sharedBias - sharedMantissa
	for k := range 3 {
		mantissa := raw >> (sharedMantissa * k) & (1<<sharedMantissa - 1)
		v[k] = uint64(math.Float32bits(float32(math.Ldexp(float64(mantissa), exponent))))
	}
}

func toShared(v *[4]uint64) (raw uint32) {
	most := math.Ldexp(1<<sharedMantissa-1, sharedHighest-sharedBias-sharedMantissa)
	var c [3]float64
	for k := range c {
		if c[k] = float64(math.Float32frombits(uint32(v[k]))); !(c[k] > 0) { // NaN is 0
			c[k] = 0
		}
		c[k] = min(c[k], most)
	}
	largest := max(c[0], c[1], c[2])
	exponent := 0
	if largest > 0 {
		exponent = max(0, math.Ilogb(largest)+1+sharedBias)
	}
	scaled := func(x float64) uint32 {
		return uint32(math.Floor(math.Ldexp(x, sharedMantissa+sharedBias-exponent) + 0.5))
	}
	if scaled(largest) == 1<<sharedMantissa {
		exponent++
	}
	for k := range c {
		raw |= scaled(c[k]) << (sharedMantissa * k)
	}
	return raw | uint32(exponent)<<(3*sharedMantissa)
}

// clampNaN is the float clamped to [low, 1]; NaN becomes 0.
func clampNaN(v uint64, low float64) float64 {
	f := float64(math.Float32frombits(uint32(v)))
	if f != f {
		return 0
	}
	return min(1, max(low, f))
}

func decodeSint(raw uint64, bits uint) uint64 { return uint64(int64(raw<<(64-bits)) >> (64 - bits)) }
func decodeUint(raw uint64, _ uint) uint64    { return raw }
func encodeInt(v uint64, _ uint) uint64       { return v }

// ToElement converts a component's value to the bits of a register of type t.
func (f *Format) ToElement(v uint64, t isa.Type) uint64 {
	if f.codec.float && t.IsFloat() && t != isa.F32 {
		return isa.FloatBits(t, float64(math.Float32frombits(uint32(v))))
	}
	return v & t.Mask()
}

// FromElement is the inverse: a register's bits to a component's value.
func (f *Format) FromElement(v uint64, t isa.Type) uint64 {
	if f.codec.float && t.IsFloat() && t != isa.F32 {
		return uint64(math.Float32bits(float32(isa.FloatOf(t, v))))
	}
	return v
}

// Saturate brings integers of 32 bits into the range of narrower components, as OpenCL C asks ("Conversion rules for
// signed and unsigned 8-bit, 16-bit and 32-bit integers"); to Vulkan, what does not fit is undefined.
func (f *Format) Saturate(v *[4]uint64) {
	if f.codec != asSint && f.codec != asUint || f.bits[0] >= 32 {
		return
	}
	for i, n := range f.bits {
		k, most := f.component(i), uint64(1)<<n-1
		if f.codec == asSint {
			v[k] = uint64(min(max(int64(int32(v[k])), -int64(most/2)-1), int64(most/2)))
		} else {
			v[k] = min(v[k], most)
		}
	}
}

// Pack is a texel of the given components: the bits of floats, or integers.
func (f *Format) Pack(components [4]uint32) []byte {
	var v [4]uint64
	for i, c := range components {
		v[i] = uint64(c)
		if f.codec == asSint {
			v[i] = uint64(int64(int32(c)))
		}
	}
	b := make([]byte, f.Bytes)
	f.Encode(b, &v)
	return b
}

// IsFloat reports whether components are floats, which filters average.
func (f *Format) IsFloat() bool { return f.codec.float }

package mem

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
	{"Rgba32f", 1, 16, of(32, 4), asFloat},
	{"Rgba16f", 2, 8, of(16, 4), asFloat},
	{"R32f", 3, 4, of(32, 1), asFloat},
	{"Rgba8", 4, 4, of(8, 4), asUnorm},
	{"Rgba8Snorm", 5, 4, of(8, 4), asSnorm},
	{"Rg32f", 6, 8, of(32, 2), asFloat},
	{"Rg16f", 7, 4, of(16, 2), asFloat},
	{"R11fG11fB10f", 8, 4, []uint{11, 11, 10}, asUfloat},
	{"R16f", 9, 2, of(16, 1), asFloat},
	{"Rgba16", 10, 8, of(16, 4), asUnorm},
	{"Rgb10A2", 11, 4, []uint{10, 10, 10, 2}, asUnorm},
	{"Rg16", 12, 4, of(16, 2), asUnorm},
	{"Rg8", 13, 2, of(8, 2), asUnorm},
	{"R16", 14, 2, of(16, 1), asUnorm},
	{"R8", 15, 1, of(8, 1), asUnorm},
	{"Rgba16Snorm", 16, 8, of(16, 4), asSnorm},
	{"Rg16Snorm", 17, 4, of(16, 2), asSnorm},
	{"Rg8Snorm", 18, 2, of(8, 2), asSnorm},
	{"R16Snorm", 19, 2, of(16, 1), asSnorm},
	{"R8Snorm", 20, 1, of(8, 1), asSnorm},
	{"Rgba32i", 21, 16, of(32, 4), asSint},
	{"Rgba16i", 22, 8, of(16, 4), asSint},
	{"Rgba8i", 23, 4, of(8, 4), asSint},
	{"R32i", 24, 4, of(32, 1), asSint},
	{"Rg32i", 25, 8, of(32, 2), asSint},
	{"Rg16i", 26, 4, of(16, 2), asSint},
	{"Rg8i", 27, 2, of(8, 2), asSint},
	{"R16i", 28, 2, of(16, 1), asSint},
	{"R8i", 29, 1, of(8, 1), asSint},
	{"Rgba32ui", 30, 16, of(32, 4), asUint},
	{"Rgba16ui", 31, 8, of(16, 4), asUint},
	{"Rgba8ui", 32, 4, of(8, 4), asUint},
	{"R32ui", 33, 4, of(32, 1), asUint},
	{"Rgb10a2ui", 34, 4, []uint{10, 10, 10, 2}, asUint},
	{"Rg32ui", 35, 8, of(32, 2), asUint},
	{"Rg16ui", 36, 4, of(16, 2), asUint},
	{"Rg8ui", 37, 2, of(8, 2), asUint},
	{"R16ui", 38, 2, of(16, 1), asUint},
	{"R8ui", 39, 1, of(8, 1), asUint},
	{"R64ui", 40, 8, of(64, 1), asUint},
	{"R64i", 41, 8, of(64, 1), asSint},
}

// FormatByName finds a format by its SPIR-V name, in any letter case.
func FormatByName(name string) (*Format, bool) {
	for i := range formats {
		if strings.EqualFold(formats[i].Name, name) {
			return &formats[i], true
		}
	}
	return nil, false
}

// normalized reports components from 0 or -1 to 1.
func (f *Format) normalized() bool { return f.codec == asUnorm || f.codec == asSnorm }

// texel splits the bytes of a texel into values; missing components are 0, and
// 1 for the fourth.
func (f *Format) texel(b []byte) (v [4]uint64) {
	v[3] = 1
	if f.codec.float {
		v[3] = uint64(math.Float32bits(1))
	}
	at := uint(0)
	for i, n := range f.bits {
		v[i] = f.codec.decode(field(b, at, n), n)
		at += n
	}
	return v
}

// border is a texel of components that are each 0 or 1; those that the format lacks are as in its texels.
func (f *Format) border(components *[4]uint32) (v [4]uint64) {
	for k, c := range components {
		if k >= len(f.bits) {
			c = uint32(k) / 3
		}
		v[k] = uint64(c)
		if f.codec.float {
			v[k] = uint64(math.Float32bits(float32(c)))
		}
	}
	return v
}

// setTexel packs values into the bytes of a texel.
func (f *Format) setTexel(b []byte, v *[4]uint64) {
	var words [2]uint64
	at := uint(0)
	for i, n := range f.bits {
		words[at/64] |= (f.codec.encode(v[i], n) & (^uint64(0) >> (64 - n))) << (at % 64)
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

// toElem converts a component's value to the bits of a register of type t.
func (f *Format) toElem(v uint64, t isa.Type) uint64 {
	if f.codec.float && t.IsFloat() && t != isa.F32 {
		return isa.FloatBits(t, float64(math.Float32frombits(uint32(v))))
	}
	return v & t.Mask()
}

// fromElem is the inverse: a register's bits to a component's value.
func (f *Format) fromElem(v uint64, t isa.Type) uint64 {
	if f.codec.float && t.IsFloat() && t != isa.F32 {
		return uint64(math.Float32bits(float32(isa.FloatOf(t, v))))
	}
	return v
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
	f.setTexel(b, &v)
	return b
}

package frontend

import (
	"encoding/binary"
	"math"
	"math/bits"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spvsim/internal/oracle"
)

func outOnly(n int) func() map[uint32][]oracle.Descriptor {
	return func() map[uint32][]oracle.Descriptor {
		return map[uint32][]oracle.Descriptor{0: buffer(make([]byte, n))}
	}
}

var one = [3]uint32{1, 1, 1}

var shaderCases = []shaderCase{
	{name: "control", groups: [3]uint32{2, 1, 1}, bind: outOnly(120 * 12), want: wantControl},
	{name: "subgroup", groups: one, bind: outOnly(64 * 32 * 4), want: wantSubgroup},
	{name: "atomics", groups: [3]uint32{2, 1, 1}, bind: bindAtomics, want: wantAtomics},
	{name: "special", groups: one, bind: outOnly(4 * 6 * 6),
		spec: map[uint32]uint64{0: 6, 1: 1, 2: uint64(math.Float32bits(2.5)), 3: uint64(uint32(0xfffffff7)), 10: 3, 11: 2},
		want: wantSpecial},
	{name: "aliased", groups: one, bind: outOnly(64), want: wantAliased},
	{name: "types", groups: one, bind: bindTypes, out: 1, want: wantTypes},
	{name: "matrix", groups: one, bind: bindMatrix, out: 1, want: wantMatrix},
	{name: "arrays", groups: one, bind: bindArrays, out: 1, want: wantArrays},
	{name: "address", groups: one, bind: outOnly(16), push: append(pair64(0x1_0000_0000), pair64(0x2_0000_0000)...),
		regions: regionsAddress, want: wantAddress},
	{name: "images", groups: one, bind: bindImages, out: 5, want: wantImages, also: checkImages},
	{name: "pointers", groups: one, bind: bindPointers, out: 2, want: wantPointers},
	{name: "groups", groups: one, bind: outOnly(100 * 32), want: wantGroups},
	{name: "functions", groups: one, bind: bindFunctions, out: 1, want: wantFunctions},
}

func pair64(x uint64) []byte { return binary.LittleEndian.AppendUint64(nil, x) }

func early(i uint32) uint32 {
	for k := uint32(0); k < 10; k++ {
		if k == i%7 {
			continue
		}
		if k*k > i {
			return k
		}
		for j := uint32(0); j < k; j++ {
			if i == j*k+3 {
				return 100 + j
			}
			if j > 4 {
				break
			}
		}
	}
	return 77
}

func choose(i uint32) uint32 {
	switch i % 8 {
	case 0:
		return 11
	case 1:
		return 10
	case 2, 3:
		if i > 32 {
			return 100
		}
		return 1100
	case 5:
		return 5 + early(i)
	}
	return 9
}

func wantControl(int) []uint32 {
	var out []uint32
	for i := range uint32(120) {
		n, x := uint32(0), i+1
		for {
			if x&1 == 0 {
				x >>= 1
			} else {
				x = 3*x + 1
			}
			if n++; x == 1 || n >= 200 {
				break
			}
		}
		out = append(out, choose(i), n, early(i*3))
	}
	return out
}

func flag(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// wantSubgroup computes what each lane sees from its wave's lanes directly.
func wantSubgroup(wave int) []uint32 {
	out := make([]uint32, 64*32)
	for i := range 64 {
		l, base := uint32(i%wave), i/wave*wave
		size := uint32(wave)
		at := func(lane uint32, f func(uint32) uint32) uint32 {
			if lane >= size {
				return 0
			}
			return f(lane)
		}
		id := func(x uint32) uint32 { return x }
		exclusive, scan, thirds := uint32(0), uint32(0), uint32(0)
		for k := range l {
			exclusive = max(exclusive, k^5)
			scan += k
			thirds += flag(k%3 == 0)
		}
		parity := uint32(0)
		for k := l & 1; k < size && l&1 != 0; k += 2 {
			parity += k
		}
		quad := l &^ 3
		below, own := uint32(uint64(1)<<l-1), uint32(uint64(1)<<l)
		row := []uint32{
			size * (size + 1) / 2, scan + l, exclusive, quad*4 + 6,
			(size + 2) / 3, thirds, thirds + flag(l%3 == 0), 21, 19,
			flag(l == 0 || l == 2), flag(l >= 4 && l < 8), 21, 9,
			at(l^3, id), at(l^8, id), at(l-2, id), at(l+2, id),
			quad + 2, l ^ 1, l ^ 2, l ^ 3, 3, flag(l == 0),
			below + own*2, size + 1000*uint32(base/wave) + 100000*uint32(64/wave), parity,
			2, math.Float32bits(3), ^below ^ (below | own),
		}
		copy(out[i*32:], row)
	}
	return out
}

func bindAtomics() map[uint32][]oracle.Descriptor {
	w := make([]uint32, 16)
	w[1], w[5] = 1000, 0xffffffff
	return map[uint32][]oracle.Descriptor{0: buffer(words(w...))}
}

func wantAtomics(int) []uint32 {
	w := make([]uint32, 16)
	var wide uint64
	for i := range uint32(128) {
		w[0] += i
		w[7] ^= i
		wide += uint64(i) << 33
	}
	low := int32(-127)
	w[1], w[2], w[3], w[4] = 5, 132, uint32(low), 0
	w[5], w[6], w[8], w[9] = 0xffff0000, 0xffff, 42, 3*128
	w[10], w[11], w[12], w[13], w[14] = uint32(wide), uint32(wide>>32), math.Float32bits(64), w[0], 7
	return w
}

func wantSpecial(int) []uint32 {
	var out []uint32
	for range 6 {
		q := int32(-36)/5 + 0
		out = append(out, 11*6, 50, uint32(q), 302, 1, 12)
	}
	return out[:36]
}

func wantAliased(int) []uint32 {
	var out []uint32
	for i := range uint32(8) {
		k := i & 3 * 2
		out = append(out, k*k, (k+1)*(k+1))
	}
	return out
}

type mixed struct {
	a int8
	b uint16
	c float32
	d int64
	e float64
	f [3]uint8
}

var mixeds = []mixed{
	{-5, 300, 1.5, -1000, 2.25, [3]uint8{250, 3, 7}}, {0, 65535, -2, 9, 8.5, [3]uint8{1, 2, 3}},
	{127, 0, 0.25, 1 << 40, -1024, [3]uint8{0, 255, 255}}, {-128, 7, 100, -(1 << 50), 1e6, [3]uint8{9, 9, 9}},
	{1, 1, 1, 1, 1, [3]uint8{1, 1, 1}}, {2, 2, 2, 2, 2, [3]uint8{2, 2, 2}},
	{3, 3, 3, 3, 3, [3]uint8{3, 3, 3}}, {4, 40000, 4, 4, 4, [3]uint8{4, 4, 4}},
}

// halves holds the bits of the 16-bit floats that mixeds uses.
var halves = map[float32]uint16{1.5: 0x3e00, -2: 0xc000, 0.25: 0x3400, 100: 0x5640, 1: 0x3c00, 2: 0x4000, 3: 0x4200, 4: 0x4400}

// bindTypes packs the structures by the scalar layout: 0, 2, 4, 8, 16, 24; 32
// bytes each.
func bindTypes() map[uint32][]oracle.Descriptor {
	in := make([]byte, 32*len(mixeds))
	for i, m := range mixeds {
		b := in[32*i:]
		b[0] = byte(m.a)
		binary.LittleEndian.PutUint16(b[2:], m.b)
		binary.LittleEndian.PutUint16(b[4:], halves[m.c])
		binary.LittleEndian.PutUint64(b[8:], uint64(m.d))
		binary.LittleEndian.PutUint64(b[16:], math.Float64bits(m.e))
		copy(b[24:], m.f[:])
	}
	return map[uint32][]oracle.Descriptor{0: buffer(in), 1: buffer(make([]byte, 48*len(mixeds)))}
}

func wantTypes(int) []uint32 {
	var out []byte
	for _, m := range mixeds {
		s := int16(m.b) - 7
		by := int64(m.a)
		if by == 0 {
			by = 1
		}
		packed := uint32(m.b) | uint32(uint16(s))<<16
		for _, x := range []int64{
			int64(m.a)*3 + int64(m.b), int64(s) << 1, int64(m.f[0] + m.f[1]*m.f[2]), m.d / by,
			int64(m.e * float64(m.c)), int64(m.c*2) + int64(packed),
		} {
			out = append(out, pair64(uint64(x))...)
		}
	}
	return toWords(out)
}

// The uniform block of matrix.comp: r is row-major, c column-major, both with
// 16 bytes a vector; w is two row-major 2x4 matrices; scale has 16 bytes an
// element.
func bindMatrix() map[uint32][]oracle.Descriptor {
	u := make([]float32, 12+12+32+12)
	for i := range 3 {
		for j := range 3 {
			u[4*i+j] = matR[i][j]
			u[12+4*j+i] = matC[i][j]
		}
		u[56+4*i] = float32(i + 1)
	}
	for m := range 2 {
		for row := range 4 {
			for column := range 2 {
				u[24+16*m+4*row+column] = float32(100*m + 10*column + row)
			}
		}
	}
	return map[uint32][]oracle.Descriptor{0: buffer(floats(u...)), 1: buffer(make([]byte, 4*39))}
}

// By row and column.
var (
	matR = [3][3]float32{{1, 2, 3}, {4, 5, 6}, {7, 8, 10}}
	matC = [3][3]float32{{2, 0, 1}, {0, 4, 0}, {1, 0, 2}}
)

func wantMatrix(int) []uint32 {
	var out []float32
	v := [3]float32{1, 2, 3}
	for i := range 3 {
		out = append(out, matR[i][0]*v[0]+matR[i][1]*v[1]+matR[i][2]*v[2])
	}
	for j := range 3 {
		out = append(out, v[0]*matC[0][j]+v[1]*matC[1][j]+v[2]*matC[2][j])
	}
	var p [3][3]float32
	for i := range 3 {
		for j := range 3 {
			for k := range 3 {
				p[i][j] += matR[i][k] * matC[k][j]
			}
		}
	}
	for j := range 3 {
		out = append(out, p[0][j], p[1][j], p[2][j])
	}
	for j := range 3 {
		out = append(out, p[1][j]*3)
	}
	out = append(out, 1, 0, 0, 0, 1, 0, 0, 0, 1)
	out = append(out, 12, 112, 1)
	out = append(out, 6, 12, 18, 1*5*matC[0][1], 2*5*matC[1][1], 3*5*matC[2][1])
	for i := range 3 {
		out = append(out, matC[i][0]*2+matR[i][0])
	}
	return toWords(floats(out...))
}

func counted(from, n uint32) []byte {
	w := make([]uint32, n)
	for i := range w {
		w[i] = from + uint32(i)
	}
	return words(w...)
}

func bindArrays() map[uint32][]oracle.Descriptor {
	return map[uint32][]oracle.Descriptor{
		0: {{Data: counted(1000, 16)}, {Data: counted(2000, 17)}, {Data: counted(3000, 18)}},
		1: buffer(make([]byte, 16*8*4)),
		2: {{Data: counted(70, 4)}, {Data: counted(80, 4)}},
	}
}

func wantArrays(int) []uint32 {
	table := [8]uint32{3, 1, 4, 1, 5, 9, 2, 6}
	var out []uint32
	for i := range uint32(16) {
		who := i // the item that is picked: globals[1] is the own one
		if i&1 == 0 {
			who = 15 - i
		}
		p := [3]uint32{2 * who, 4 * who, 6 * who}
		p[i%3]++
		out = append(out, p[0], p[1], p[2], table[(who+i&3)&7]+who&1*100)
		out = append(out, (i%3+1)*1000+i, 18+16+i%3, 70+10*(i&1)+1, 0)
	}
	return out
}

func regionsAddress() []oracle.Region {
	nodes := make([]byte, 64)
	for i := range 4 {
		next := uint64(0x1_0000_0000) + uint64((i+1)%4)*16
		binary.LittleEndian.PutUint64(nodes[16*i:], next)
		copy(nodes[16*i+8:], words(uint32(i+1), uint32(i+2)))
	}
	return []oracle.Region{{Base: 0x1_0000_0000, Data: nodes}, {Base: 0x2_0000_0000, Data: counted(500, 16)}}
}

func wantAddress(int) []uint32 {
	var out []uint32
	for i := range uint32(4) {
		out = append(out, 500+i+4)
	}
	return out
}

// bindImages fills what images.comp reads.
func bindImages() map[uint32][]oracle.Descriptor {
	image := func(x, y uint32) (*oracle.Texels, []oracle.Descriptor) {
		t := oracle.NewTexels(x, y, 1)
		return t, []oracle.Descriptor{{Image: t}}
	}
	source, sourceD := image(8, 4)
	for i := range source.Data {
		for c := range 4 {
			source.Data[i][c] = uint64(math.Float32bits(float32(100*c + i)))
		}
	}
	texels, texelsD := image(11, 1)
	for i := range texels.Data {
		texels.Data[i][1] = uint64(7 * i)
	}
	_, counts := image(4, 1)
	_, target := image(8, 4)
	_, line := image(8, 1)
	return map[uint32][]oracle.Descriptor{
		0: counts, 1: sourceD, 2: target, 3: texelsD, 4: line, 5: buffer(make([]byte, 128)),
	}
}

// checkImages compares what images.comp wrote to its images.
func checkImages(t *testing.T, bound map[uint32][]oracle.Descriptor) {
	t.Helper()
	texels := func(binding uint32) [][4]uint64 { return bound[binding][0].Image.(*oracle.Texels).Data }
	want := make([][4]uint64, 32)
	for i := range want {
		from, x, y := 31-i, i%8, i/8
		for c := range 4 {
			v := 100*(3-c) + from + [4]int{x, y}[c]
			want[i][c] = uint64(math.Float32bits(float32(v)))
		}
	}
	if diff := cmp.Diff(want, texels(2)); diff != "" {
		t.Errorf("target (-want +got):\n%s", diff)
	}
	for i, v := range texels(0) {
		if v[0] != 8 {
			t.Errorf("count %d is %d, want 8", i, v[0])
		}
	}
}

func wantImages(int) []uint32 {
	out := make([]uint32, 32)
	for i := range out {
		out[i] = 804 + 11*10000 + 1000000
	}
	return out
}

func bindPointers() map[uint32][]oracle.Descriptor {
	return map[uint32][]oracle.Descriptor{
		0: buffer(counted(100, 9)), 1: buffer(counted(200, 9)), 2: buffer(make([]byte, 32)),
	}
}

func wantPointers(int) []uint32 {
	var out []uint32
	for i := range uint32(8) {
		v := 200 + i
		if i&1 != 0 {
			v = 100 + i
		}
		if i > 3 {
			out = append(out, (v+1+(7-i)*(7-i))*16+1)
		} else {
			out = append(out, (v+i*i)*16+16)
		}
	}
	return out
}

func wantGroups(int) []uint32 {
	var out []uint32
	for i := range uint32(100) {
		excl := uint32(0)
		if i > 0 {
			excl = i - 1
		}
		// packed is 3, -2, 2, -1; factor is 5, 4, -3, 1.
		dot := int32(3*5 - 2*4 - 2*3 - 1)
		out = append(out, 4950, i*(i+1)/2, excl, 2, 70*70, uint32(dot), math.MaxInt32, 0)
	}
	return out
}

var (
	inFloats = []float32{-3.75, 10, 3, 4, 2.5, float32(math.NaN()), float32(math.Inf(1)), 0}
	inWords  = []uint32{0x80c03c12, 0x00012340, 0xfffffff0, 3, 0, 0, 0, 0}
)

func bindFunctions() map[uint32][]oracle.Descriptor {
	return map[uint32][]oracle.Descriptor{
		0: buffer(append(floats(inFloats...), words(inWords...)...)), 1: buffer(make([]byte, 4*64)),
	}
}

func wantFunctions(int) []uint32 {
	var out []uint32
	f := func(x float64) { out = append(out, math.Float32bits(float32(x))) }
	u := func(x uint32) { out = append(out, x) }
	i := func(x int32) { out = append(out, uint32(x)) }
	a, b, c := inWords[0], inWords[1], inWords[2]
	f(-0.75)
	f(-3)
	f(0.625)
	u(4)
	f(80)
	u(0x4900_c380)        // 10 and -3.75 as 16-bit floats
	f(-192.0 / (1 << 24)) // a subnormal 16-bit float
	u(0xffff8000)
	u(0x20008001)
	f(float64(a>>16&0xff) / 255)
	f(-1)
	u(6)
	u(16)
	i(16)
	u(uint32(bits.OnesCount32(a)))
	u(bits.Reverse32(b))
	u(a >> 4 & 0xff)
	i(int32(a) >> 24)
	u(a&^0xffff00 | b<<8&0xffff00)
	sum, carry := bits.Add32(a, c, 0)
	u(sum)
	u(carry)
	u(b - a)
	u(1)
	hi, lo := bits.Mul32(a, c)
	u(hi)
	u(lo)
	signed := int64(int32(a)) * int64(int32(c))
	u(uint32(signed >> 32))
	u(uint32(signed))
	f(5)
	f(5)
	f(3 + 8 + 3)
	f(3)
	f(0.6)
	f(1)
	f(1)
	f(-2)
	f(3.25)
	f(1)
	f(0.75 * 0.75 * 1.5)
	f(1)
	i(-5)
	f(-1)
	f(0.25)
	f(0.25)
	f(1.75)
	f(2)
	f(3)
	f(0.5)
	f(143.2394487827058)
	f(14.5)
	i(2) // -7 modulo 3: the sign of the divisor
	i(-7 / 3)
	u(a % 3)
	u(1)
	u(1)
	f(1)
	i(-int32(a))
	u(1)
	return append(out, make([]uint32, 64-len(out))...)
}

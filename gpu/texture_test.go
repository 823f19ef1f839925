package gpu

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"spvsim/internal/suite"
)

// A referenceTexture is an image as the reference keeps it: rows, planes, samples and layers of each level.
type referenceTexture struct {
	side    [3]int // of the first level
	samples int
	layers  int
	texels  [][4]float64
	wrap    [3]string
}

func (x *referenceTexture) size(level int) (s [3]int) {
	for k := range s {
		s[k] = max(x.side[k]>>level, 1)
	}
	return s
}

func (x *referenceTexture) texel(level, layer, sample int, at [3]int) [4]float64 {
	first := 0
	for l := range level {
		s := x.size(l)
		first += s[0] * s[1] * s[2] * x.samples * x.layers
	}
	s := x.size(level)
	plane := layer*x.samples + sample
	return x.texels[first+((plane*s[2]+at[2])*s[1]+at[1])*s[0]+at[0]]
}

// wrapped is the texel after the address modes.
func (x *referenceTexture) wrapped(level, layer int, at [3]int) [4]float64 {
	s := x.size(level)
	for k := range at {
		if x.wrap[k] == "border" && (at[k] < 0 || at[k] >= s[k]) {
			return [4]float64{1, 0, 0, 1} // white, of one component
		}
		if s[k] == 1 && x.wrap[k] == "" {
			at[k] = 0
		} else {
			at[k] = wrapped[x.wrap[k]](at[k], s[k])
		}
	}
	return x.texel(level, layer, 0, at)
}

// linear mixes along x, then y, then z; see changes each texel before.
func (x *referenceTexture) linear(level, layer int, u [3]float64, move [3]int, see func([4]float64) [4]float64) [4]float64 {
	var mix func(k int, at [3]int) [4]float64
	mix = func(k int, at [3]int) (out [4]float64) {
		if k < 0 {
			return see(x.wrapped(level, layer, at))
		}
		if x.wrap[k] == "" { // no such dimension
			return mix(k-1, at)
		}
		pos := u[k]*float64(x.size(level)[k]) - 0.5
		at[k] = int(math.Floor(pos)) + move[k]
		low := mix(k-1, at)
		at[k]++
		high := mix(k-1, at)
		for c := range out {
			out[c] = low[c] + (high[c]-low[c])*(pos-math.Floor(pos))
		}
		return out
	}
	return mix(2, [3]int{})
}

// gathered are component c of the texels (0, 1), (1, 1), (1, 0), (0, 0) of the footprint.
func (x *referenceTexture) gathered(layer int, u [3]float64, move [4][2]int, c int) (out [4]float64) {
	for k, d := range [4][2]int{{0, 1}, {1, 1}, {1, 0}, {0, 0}} {
		at := [3]int{}
		for a := range 2 {
			at[a] = int(math.Floor(u[a]*float64(x.side[a])-0.5)) + d[a] + move[k][a]
		}
		out[k] = x.wrapped(0, layer, at)[c]
	}
	return out
}

func (x *referenceTexture) nearest(level, layer int, u [3]float64) [4]float64 {
	at := [3]int{}
	for k := range at {
		at[k] = int(math.Floor(u[k] * float64(x.size(level)[k])))
	}
	return x.wrapped(level, layer, at)
}

func same(t [4]float64) [4]float64 { return t }

// passes is the comparison less of a reference with the depth of a texel.
func passes(reference float64) func([4]float64) [4]float64 {
	return func(t [4]float64) [4]float64 {
		if reference < t[0] {
			return [4]float64{1}
		}
		return [4]float64{}
	}
}

// face is a face of a cube and the coordinates on it, by the table of the Vulkan specification.
func face(d [3]float64) (n int, u [3]float64) {
	a := [3]float64{math.Abs(d[0]), math.Abs(d[1]), math.Abs(d[2])}
	var s, t, m float64
	switch {
	case a[2] >= a[0] && a[2] >= a[1] && d[2] >= 0:
		n, s, t, m = 4, d[0], -d[1], a[2]
	case a[2] >= a[0] && a[2] >= a[1]:
		n, s, t, m = 5, -d[0], -d[1], a[2]
	case a[1] >= a[0] && d[1] >= 0:
		n, s, t, m = 2, d[0], d[2], a[1]
	case a[1] >= a[0]:
		n, s, t, m = 3, d[0], -d[2], a[1]
	case d[0] >= 0:
		n, s, t, m = 0, -d[2], -d[1], a[0]
	default:
		n, s, t, m = 1, d[2], -d[1], a[0]
	}
	return n, [3]float64{(s/m + 1) / 2, (t/m + 1) / 2}
}

const texturesJob = `
shader: textures.spv
buffers:
  - {set: 0, binding: 0, name: in, data: {type: f32, values: [%s]}}
  - {set: 0, binding: 1, name: out, data: {zero: 49152}}
  - {set: 0, binding: 2, name: vol, image: {format: Rgba32f, width: 8, height: 4, depth: 8, mips: data, data: {random: {seed: 1, count: 1172}}}}
  - {set: 0, binding: 3, name: cubes, image: {format: R32f, width: 4, height: 4, layers: 18, data: {random: {seed: 2, count: 288}}}}
  - {set: 0, binding: 4, name: line, image: {format: R32f, width: 16, data: {random: {seed: 3, count: 16}}}}
  - {set: 0, binding: 5, index: 0, name: plane0, image: {format: Rgba32f, width: 8, height: 8, data: {random: {seed: 4, count: 256}}}}
  - {set: 0, binding: 5, index: 1, name: plane1, image: {format: Rgba32f, width: 8, height: 4, data: {random: {seed: 5, count: 128}}}}
  - {set: 0, binding: 5, index: 2, name: plane2, image: {format: Rgba32f, width: 4, height: 8, data: {random: {seed: 6, count: 128}}}}
  - {set: 0, binding: 7, index: 0, name: combo0, image: {format: Rgba32f, width: 16, height: 8, mips: data, data: {random: {seed: 7, count: 684}}}}
  - {set: 0, binding: 7, index: 1, name: combo1, image: {format: Rgba32f, width: 16, height: 16, mips: data, data: {random: {seed: 8, count: 1364}}}}
  - {set: 0, binding: 8, name: shadow, image: {format: R32f, width: 8, height: 8, data: {random: {seed: 9, count: 64}}}}
  - {set: 0, binding: 9, name: shadows, image: {format: R32f, width: 8, height: 8, layers: 3, data: {random: {seed: 10, count: 192}}}}
  - {set: 0, binding: 10, name: around, image: {format: R32f, width: 4, height: 4, layers: 6, data: {random: {seed: 11, count: 96}}}}
  - {set: 0, binding: 11, name: ms, image: {format: Rgba32f, width: 8, height: 4, samples: 4, data: {random: {seed: 12, count: 512}}}}
  - {set: 0, binding: 12, name: msi, image: {format: Rgba32f, width: 8, height: 8, samples: 2, data: {random: {seed: 13, count: 512}}}}
  - {set: 0, binding: 13, name: msa, image: {format: R32i, width: 8, height: 4, layers: 2, samples: 4, data: {iota: i32, count: 256, start: -100}}}
  - {set: 0, binding: 14, name: lines, image: {format: R32f, width: 16, layers: 3, data: {random: {seed: 14, count: 48}}}}
  - {set: 0, binding: 17, name: counts, image: {format: R32ui, width: 8, height: 4, samples: 2}}
  - {set: 0, binding: 18, name: sides, image: {format: R32f, width: 4, height: 4, layers: 12, data: {random: {seed: 15, count: 192}}}}
samplers:
  - {set: 0, binding: 2, wrap: [repeat, mirror, clamp]}
  - {set: 0, binding: 3, filter: nearest, mip: nearest}
  - {set: 0, binding: 4, wrap: [mirror]}
  - {set: 0, binding: 6, index: 0, wrap: [clamp]}
  - {set: 0, binding: 6, index: 1, filter: nearest, wrap: [mirror]}
  - {set: 0, binding: 7, index: 0, wrap: [repeat]}
  - {set: 0, binding: 7, index: 1, filter: nearest, mip: nearest, wrap: [clamp]}
  - {set: 0, binding: 8, compare: less, wrap: [repeat]}
  - {set: 0, binding: 9, compare: less, filter: nearest, wrap: [clamp]}
  - {set: 0, binding: 10, compare: less, filter: nearest}
  - {set: 0, binding: 13}
  - {set: 0, binding: 14, wrap: [border], border: white}
  - {set: 0, binding: 15, wrap: [clamp]}
  - {set: 0, binding: 16, filter: nearest, wrap: [clamp]}
dispatch: [4]
`

// texturesSetup is the job on positions from -1 to 2, which lie exactly half way nowhere.
func texturesSetup(t *testing.T, machine string) (Setup, []float64) {
	t.Helper()
	r := rand.New(rand.NewPCG(5, 6))
	var list []string
	var in []float64
	for range 512 {
		v := float32(r.Float64()*3-1) + 1./8192
		list, in = append(list, fmt.Sprint(v)), append(in, float64(v))
	}
	return setupBeside(t, os.DirFS("testdata/textures"), fmt.Sprintf(texturesJob, strings.Join(list, ", ")), machine), in
}

// textureOf reads a buffer of one or four floats a texel.
func textureOf(b []byte, components int, samples, layers int, wrap string, side ...int) *referenceTexture {
	x := &referenceTexture{side: [3]int{1, 1, 1}, samples: samples, layers: layers}
	for k, s := range side {
		x.side[k], x.wrap[k] = s, wrap
	}
	for at := 0; at+4*components <= len(b); at += 4 * components {
		texel := [4]float64{0, 0, 0, 1}
		for c := range components {
			texel[c] = float64(math.Float32frombits(binary.LittleEndian.Uint32(b[at+4*c:])))
		}
		x.texels = append(x.texels, texel)
	}
	return x
}

type textureSet struct {
	vol, cubes, line, shadow, shadows, around, ms, msi, lines, sides *referenceTexture
	plane                                                            [3]*referenceTexture
	combo                                                            [2]*referenceTexture
}

func textureSetOf(r *Result, msi []byte) (s textureSet) {
	s.vol = textureOf(r.named("vol"), 4, 1, 1, "", 8, 4, 8)
	s.vol.wrap = [3]string{"repeat", "mirror", "clamp"}
	s.cubes = textureOf(r.named("cubes"), 1, 1, 18, "clamp", 4, 4)
	s.line = textureOf(r.named("line"), 1, 1, 1, "mirror", 16)
	for k, side := range [3][2]int{{8, 8}, {8, 4}, {4, 8}} {
		s.plane[k] = textureOf(r.named(fmt.Sprint("plane", k)), 4, 1, 1, "clamp", side[:]...)
	}
	s.combo[0] = textureOf(r.named("combo0"), 4, 1, 1, "repeat", 16, 8)
	s.combo[1] = textureOf(r.named("combo1"), 4, 1, 1, "clamp", 16, 16)
	s.shadow = textureOf(r.named("shadow"), 1, 1, 1, "repeat", 8, 8)
	s.shadows = textureOf(r.named("shadows"), 1, 1, 3, "clamp", 8, 8)
	s.around = textureOf(r.named("around"), 1, 1, 6, "clamp", 4, 4)
	s.ms = textureOf(r.named("ms"), 4, 4, 1, "clamp", 8, 4)
	s.msi = textureOf(msi, 4, 2, 1, "clamp", 8, 8)
	s.lines = textureOf(r.named("lines"), 1, 1, 3, "border", 16)
	s.sides = textureOf(r.named("sides"), 1, 1, 12, "clamp", 4, 4)
	return s
}

func blend(a, b [4]float64, f float64) (out [4]float64) {
	for c := range out {
		out[c] = a[c] + (b[c]-a[c])*f
	}
	return out
}

// volume is a trilinear sample between two levels.
func (s *textureSet) volume(u [3]float64, lambda float64) [4]float64 {
	d := min(max(lambda, 0), 3)
	low := int(d)
	return blend(s.vol.linear(low, 0, u, [3]int{}, same), s.vol.linear(min(low+1, 3), 0, u, [3]int{}, same), d-float64(low))
}

func every(x, y int) [4][2]int { return [4][2]int{{x, y}, {x, y}, {x, y}, {x, y}} }

// want has the results of an invocation, in the order of the shader.
func (s *textureSet) want(i int, q []float64) (out [24][4]float64) {
	u := [3]float64(q[:3])
	uv, w := [3]float64{q[0], q[1]}, q[3]
	at := [3]int{i % 8, i / 8 % 4}
	out[0] = s.volume(u, 2*w)
	f, on := face(u)
	layer := int(min(max(math.RoundToEven(float64(float32(i%5)*0.5-0.2)), 0), 2))
	out[1] = s.cubes.nearest(0, 6*layer+f, on)
	out[2] = s.line.linear(0, 0, u, [3]int{}, same)
	plane := s.plane[i/2%3]
	if i%2 == 0 {
		out[3] = plane.linear(0, 0, uv, [3]int{}, same)
	} else {
		plane.wrap = [3]string{"mirror", "mirror"}
		out[3] = plane.nearest(0, 0, uv)
		plane.wrap = [3]string{"clamp", "clamp"}
	}
	if i/5%2 == 0 {
		out[4] = blend(s.combo[0].linear(0, 0, uv, [3]int{}, same), s.combo[0].linear(1, 0, uv, [3]int{}, same), 0.25)
	} else {
		out[4] = s.combo[1].nearest(0, 0, uv)
	}
	lit := s.shadow.linear(0, 0, uv, [3]int{}, passes(w))[0]
	out[5] = [4]float64{lit, lit, passes(w)(s.shadows.nearest(0, i%3, uv))[0], lit}
	out[6] = s.combo[0].gathered(0, uv, every(0, 0), 2)
	out[7] = s.combo[0].gathered(0, uv, every(-3, 2), 1)
	for k, o := range [4][2]int{{0, 0}, {-4, 1}, {2, 3}, {7, -8}} {
		out[8][k] = s.combo[0].gathered(0, uv, every(o[0], o[1]), 0)[3]
	}
	for k, d := range s.shadow.gathered(0, uv, every(0, 0), 0) {
		out[9][k] = passes(w)([4]float64{d})[0]
	}
	x := s.combo[1]
	out[10] = x.wrapped(1, 0, [3]int{int(math.Floor(u[0]*8)) + 2, int(math.Floor(u[1]*8)) - 1})
	out[11] = x.texel(1, 0, 0, at)
	out[12] = s.ms.texel(0, 0, i%4, at)
	out[13] = [4]float64{4, 2, 4, 3}
	out[14] = s.msi.texel(0, 0, i%2, at)
	out[15] = s.combo[0].gathered(0, uv, every(i%5-2, i%7-3), 3)
	out[16] = [4]float64{float64(-100 + ((i%2*4+i%4)*4+at[1])*8 + at[0]), 0, 0, 1}
	out[17] = s.vol.linear(0, 0, u, [3]int{-1, 2, 1}, same)
	out[18] = s.volume(u, 2)
	out[19] = s.lines.linear(0, min(i%4, 2), [3]float64{q[1]}, [3]int{}, same)
	for k, d := range s.shadows.gathered(i%3, uv, every(0, 0), 0) {
		out[20][k] = passes(w)([4]float64{d})[0]
	}
	first := x.texel(0, 0, 0, [3]int{at[0] + 1, at[1] + 2})
	out[21] = [4]float64{passes(w)(s.around.nearest(0, f, on))[0], first[0], first[1], first[2]}
	out[22] = s.plane[0].linear(0, 0, uv, [3]int{}, same)
	for c, x := range s.plane[0].nearest(0, 0, uv) {
		out[22][c] -= x
	}
	out[23] = [4]float64{s.sides.texel(0, i%12, 0, [3]int{at[0] & 3, at[1] & 3})[0], 1, 2, 2}
	return out
}

// Samplers in arrays, volumes, cube arrays, lines, comparisons, gathers, offsets and samples, on some lanes only, against a reference.
func TestTextures(t *testing.T) {
	for _, machine := range bothWaves {
		setup, in := texturesSetup(t, machine)
		r := suite.Must(Run(context.Background(), setup))(t)
		start := suite.Must(setup.Job.Buffers[14].Bytes())(t)
		set := textureSetOf(r, start)
		out := floats(r.named("out"))
		for i := range 128 {
			want := set.want(i, in[4*i:][:4])
			if i%3 == 1 {
				want = [24][4]float64{}
			}
			for k, w := range want {
				for c := range w {
					if got := float64(out[(24*i+k)*4+c]); math.Abs(got-w[c]) > 2e-5 {
						t.Fatalf("%s: invocation %d at %v, result %d, component %d: %g, want %g", machine, i, in[4*i:][:4], k, c, got, w[c])
					}
				}
			}
		}
		checkSampleStores(t, floats(r.named("msi")))
		checkSampleAtomics(t, words(r.named("counts")))
	}
}

// checkSampleStores: each sample of the lower half holds the number of an invocation that wrote there.
func checkSampleStores(t *testing.T, texels []float32) {
	t.Helper()
	for sample := range 2 {
		for y := range 4 {
			for x := range 8 {
				got := int(texels[((sample*8+y+4)*8+x)*4])
				if got%8 != x || got/8%4 != y || got%2 != sample || got%3 == 1 {
					if x%2 == sample { // invocation and sample are both even or both odd
						t.Errorf("sample %d of (%d, %d) holds %d", sample, x, y+4, got)
					}
				}
			}
		}
	}
}

// checkSampleAtomics: each sample counts the invocations that added to it.
func checkSampleAtomics(t *testing.T, counts []uint32) {
	t.Helper()
	var want [64]uint32
	for i := range 128 {
		if i%3 != 1 {
			want[i%2*32+i/8%4*8+i%8]++
		}
	}
	if !slices.Equal(counts, want[:]) {
		t.Errorf("atomics on samples: %v, want %v", counts, want)
	}
}

func TestTextureRefusals(t *testing.T) {
	setup, _ := texturesSetup(t, "rdna3-rx7900xtx")
	for i := range setup.Job.Samplers {
		setup.Job.Samplers[i].Compare = ""
	}
	if _, err := Run(context.Background(), setup); err == nil || !strings.Contains(err.Error(), "found no compare: want one") {
		t.Errorf("comparison by a sampler that does not compare: %v", err)
	}
}

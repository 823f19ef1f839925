package gpu

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"spvsim/internal/suite"
)

// A pyramid is an image with its levels of detail, as the reference keeps it.
type pyramid []level

type level struct {
	w, h   int
	texels [][4]float64
}

// newPyramid halves by the mean of 2x2; the sides are powers of two.
func newPyramid(w, h int, data []float32) (p pyramid) {
	first := level{w, h, make([][4]float64, w*h)}
	for i := range first.texels {
		for k := range 4 {
			first.texels[i][k] = float64(data[4*i+k])
		}
	}
	for p = append(p, first); w > 1 || h > 1; {
		from := p[len(p)-1]
		w, h = max(w/2, 1), max(h/2, 1)
		next := level{w, h, make([][4]float64, w*h)}
		for y := range h {
			for x := range w {
				fx, fy := from.w/w, from.h/h
				for k := range 4 {
					sum := 0.0
					for dy := range fy {
						for dx := range fx {
							sum += from.texels[(y*fy+dy)*from.w+x*fx+dx][k]
						}
					}
					next.texels[y*w+x][k] = sum / float64(fx*fy)
				}
			}
		}
		p = append(p, next)
	}
	return p
}

// wrapped are the address modes by the formulas of the Vulkan specification.
var wrapped = map[string]func(i, n int) int{
	"repeat": func(i, n int) int { return i - n*int(math.Floor(float64(i)/float64(n))) },
	"mirror": func(i, n int) int {
		mirror := func(a int) int {
			if a >= 0 {
				return a
			}
			return -(1 + a)
		}
		return n - 1 - mirror(i-2*n*int(math.Floor(float64(i)/float64(2*n)))-n)
	},
	"clamp":  func(i, n int) int { return max(0, min(n-1, i)) },
	"border": func(i, _ int) int { return i },
}

type filtering struct{ filter, mip, wrap string }

func (f filtering) texel(l level, x, y int) [4]float64 {
	return l.texels[wrapped[f.wrap](y, l.h)*l.w+wrapped[f.wrap](x, l.w)]
}

func (f filtering) level(l level, u, v float64) (out [4]float64) {
	if f.filter == "nearest" {
		return f.texel(l, int(math.Floor(u*float64(l.w))), int(math.Floor(v*float64(l.h))))
	}
	x, y := u*float64(l.w)-0.5, v*float64(l.h)-0.5
	ix, iy := int(math.Floor(x)), int(math.Floor(y))
	ax, ay := x-math.Floor(x), y-math.Floor(y)
	t00, t10, t01, t11 := f.texel(l, ix, iy), f.texel(l, ix+1, iy), f.texel(l, ix, iy+1), f.texel(l, ix+1, iy+1)
	for k := range out {
		upper := t00[k] + ax*(t10[k]-t00[k])
		lower := t01[k] + ax*(t11[k]-t01[k])
		out[k] = upper + ay*(lower-upper)
	}
	return out
}

// accessed is the level that a lambda reads.
func (f filtering) accessed(p pyramid, lambda float64) float64 {
	d := min(max(lambda, 0), float64(len(p)-1))
	if f.mip == "nearest" {
		return math.Round(d) // never asked half way
	}
	return d
}

func (f filtering) at(p pyramid, u, v, lambda float64) (out [4]float64) {
	d := f.accessed(p, lambda)
	low := int(d)
	a, b := f.level(p[low], u, v), f.level(p[min(low+1, len(p)-1)], u, v)
	for k := range out {
		out[k] = a[k]*(1-(d-float64(low))) + b[k]*(d-float64(low))
	}
	return out
}

const sampleJob = `
shader: sample.spv
buffers:
%s  - {set: 0, binding: 0, name: tex, image: {format: Rgba32f, width: 32, height: 16, mips: auto, data: {random: {seed: 3, count: 2048}}}}
samplers: [{set: 0, binding: 0, filter: %s, mip: %s, wrap: [%s]}]
draw:
  positions: {type: f32, values: [0, 0, 0, 1, 32, 0, 0, 1, 0, 32, 0, 1]}
  attributes: [{location: 0, components: 2, data: {type: f32, values: [%v, %v, %v, %v, %v, %v]}}]
  color:
%s`

// A textured draw against a reference: every filter, wrap and way to choose the
// level of detail, magnified and minified.
func TestSampledImages(t *testing.T) {
	buffers, color := images("Rgba32f", "Rgba32f", "Rgba32f", "Rgba32f", "Rgba32f", "Rgba32f")
	for _, f := range []filtering{
		{"linear", "linear", "repeat"}, {"nearest", "nearest", "clamp"}, {"linear", "nearest", "mirror"}, {"nearest", "linear", "repeat"},
		{"linear", "linear", "clamp"}, {"nearest", "nearest", "mirror"},
	} {
		for _, slope := range [][4]float64{{3. / 64, 1. / 64, -1. / 64, 3. / 32}, {1. / 128, 0, 0, 1. / 64}, {5. / 16, 1. / 8, 1. / 32, 7. / 16}} {
			from := [2]float64{-0.75 + 3./1024, -1.25 + 5./1024} // no sample falls between two texels
			text := fmt.Sprintf(sampleJob, buffers, f.filter, f.mip, f.wrap, from[0], from[1],
				from[0]+32*slope[0], from[1]+32*slope[1], from[0]+32*slope[2], from[1]+32*slope[3], color)
			for _, machine := range bothWaves {
				checkSamples(t, drawn(t, text, machine), f, from, slope)
			}
		}
	}
}

func checkSamples(t *testing.T, r *Result, f filtering, from [2]float64, slope [4]float64) {
	t.Helper()
	p := newPyramid(32, 16, floats(r.named("tex"))[:2048])
	lambda := math.Log2(max(math.Hypot(slope[0]*32, slope[1]*16), math.Hypot(slope[2]*32, slope[3]*16)))
	graded := math.Log2(max(0.125*32, 0.03125*16))
	var out [6][]float32
	for i := range out {
		out[i] = floats(r.named(fmt.Sprintf("o%d", i)))
	}
	for y := range 16 {
		for x := range 16 {
			u := from[0] + slope[0]*(float64(x)+0.5) + slope[2]*(float64(y)+0.5)
			v := from[1] + slope[1]*(float64(x)+0.5) + slope[3]*(float64(y)+0.5)
			fetched := p[2].texels[(y&3)*p[2].w+x&3]
			want := [6][4]float64{f.at(p, u, v, lambda), {f.accessed(p, lambda), lambda, 6, 8}, f.at(p, u, v, lambda+0.75), f.at(p, u, v, 1.25), f.at(p, u, v, graded), fetched}
			for i, w := range want {
				for k := range 4 {
					if got := float64(out[i][4*(16*y+x)+k]); math.Abs(got-w[k]) > 2e-5 {
						t.Fatalf("%v, slope %v: pixel (%d, %d), output %d: component %d is %g, want %g", f, slope, x, y, i, k, got, w[k])
					}
				}
			}
		}
	}
}

// Trilinear filtering takes the texture unit twice as long as bilinear filtering,
// two quads a cycle half as long, and texels of 16 bytes four times as long as those of 4.
func TestTextureUnit(t *testing.T) {
	unit := func(format, mip string, set ...string) uint64 {
		text := fmt.Sprintf(`
shader: separate.spv
buffers:
  - {unbound: true, name: o0, image: {format: Rgba8, width: 256, height: 256}}
  - {set: 0, binding: 0, name: tex, image: {format: %s, width: 4, height: 4, layers: 6, mips: auto}}
samplers: [{set: 0, binding: 1, mip: %s, min_lod: 0.5}]
draw:
  positions: {type: f32, values: [0, 0, 0, 1, 512, 0, 0, 1, 0, 512, 0, 1]}
  attributes: [{location: 0, components: 3, data: {type: f32, values: [1, 0, 0, 1, 0.1, 0, 1, 0, 0.1]}}]
  color: [{location: 0, buffer: o0}]
`, format, mip)
		set = append(set, "shader_engines=1", "compute_units=1", "texture.texel_bytes=4", "vector_memory.lines_per_cycle=64", "vector_l1.bytes_per_cycle=65536")
		r := suite.Must(Run(context.Background(), drawSetup(t, text, "rdna3-rx7900xtx", set...)))(t)
		return r.Stats.Cycles
	}
	const quads = 256 * 256 / 4
	for _, c := range []struct {
		name   string
		cycles uint64
		passes uint64
	}{
		{"bilinear", unit("Rgba8", "nearest", "texture.quads_per_cycle=1"), quads},
		{"trilinear", unit("Rgba8", "linear", "texture.quads_per_cycle=1"), 2 * quads},
		{"trilinear, two quads a cycle", unit("Rgba8", "linear", "texture.quads_per_cycle=2"), quads},
		{"bilinear, wide texels", unit("Rgba32f", "nearest"), 4 * quads},
	} {
		// The unit is the bottleneck: exports take one more cycle for each quad at most.
		if c.cycles < c.passes || c.cycles > c.passes+quads+5000 {
			t.Errorf("%s: %d cycles, the texture unit needs %d", c.name, c.cycles, c.passes)
		}
	}
}

// Each face of a cube holds its number: a direction reads that of its face, and
// between two faces the filter mixes them.
func TestCubeFaces(t *testing.T) {
	var faces []string
	for f := range 6 {
		faces = append(faces, fmt.Sprintf("{type: f32, values: [%d], count: 16}", f))
	}
	read := func(x, y, z float64) float32 {
		r := drawn(t, fmt.Sprintf(`
shader: separate.spv
buffers:
  - {unbound: true, name: o0, image: {format: R32f, width: 2, height: 2}}
  - {set: 0, binding: 0, name: tex, image: {format: R32f, width: 4, height: 4, layers: 6, data: {parts: [%s]}}}
samplers: [{set: 0, binding: 1}]
draw:
  positions: {type: f32, values: [0, 0, 0, 1, 4, 0, 0, 1, 0, 4, 0, 1]}
  attributes: [{location: 0, components: 3, data: {type: f32, values: [%[2]v, %[3]v, %[4]v], count: 9}}]
  color: [{location: 0, buffer: o0}]
`, strings.Join(faces, ", "), x, y, z), "rdna3-rx7900xtx")
		return floats(r.named("o0"))[0]
	}
	for _, c := range []struct{ x, y, z, want float64 }{
		{1, 0, 0, 0}, {-2, 0.5, 0.5, 1}, {0.3, 1, 0.2, 2}, {0, -1, 0.4, 3}, {0.5, 0.5, 3, 4}, {0, 0, -1, 5},
		// An instant to the +x side of the edge with +z: half of each.
		{1, 0, 0.99999, 2}, {1, 0.99999, 0, 1}, {-0.99999, 0, -1, 3},
	} {
		if got := read(c.x, c.y, c.z); math.Abs(float64(got)-c.want) > 1e-4 {
			t.Errorf("direction (%g, %g, %g) reads %g, want %g", c.x, c.y, c.z, got, c.want)
		}
	}
}

package gpu

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/color"
	"image/png"
	"math"
	"os"
	"strings"
	"testing"

	"spvsim/config"
	"spvsim/internal/suite"
	"spvsim/program"
	"spvsim/program/ir"
	"spvsim/tracing"
)

// drawSetup is a job beside the modules of testdata/draw.
func drawSetup(t testing.TB, text, machine string, set ...string) Setup {
	t.Helper()
	return setupBeside(t, os.DirFS("testdata/draw"), text, machine, set...)
}

func drawn(t testing.TB, text, machine string) *Result {
	t.Helper()
	r := suite.Must(Run(context.Background(), drawSetup(t, text, machine)))(t)
	return r
}

// named is a buffer of a result.
func (r *Result) named(name string) []byte {
	for i := range r.Buffers {
		if r.Buffers[i].Name == name {
			return r.Buffers[i].Bytes
		}
	}
	return nil
}

func floats(b []byte) []float32 {
	var out []float32
	for _, w := range words(b) {
		out = append(out, math.Float32frombits(w))
	}
	return out
}

// images are attachments of 16 x 16 texels, by location.
func images(formats ...string) (buffers, color string) {
	for i, f := range formats {
		buffers += fmt.Sprintf("  - {unbound: true, name: o%d, image: {format: %s, width: 16, height: 16}}\n", i, f)
		color += fmt.Sprintf("    - {location: %d, buffer: o%d, clear: [0]}\n", i, i)
	}
	return buffers, color
}

var bothWaves = []string{"rdna3-rx7900xtx", "gcn3-r9nano"}

// inTriangle is an independent test of a pixel's centre by the signs of three
// cross products; points on an edge must not come up where it is used.
func inTriangle(c [6]float64, x, y int) bool {
	px, py := float64(x)+0.5, float64(y)+0.5
	side := func(i, j int) float64 { return (c[2*j]-c[2*i])*(py-c[2*i+1]) - (c[2*j+1]-c[2*i+1])*(px-c[2*i]) }
	a, b, d := side(0, 1), side(1, 2), side(2, 0)
	return a > 0 && b > 0 && d > 0 || a < 0 && b < 0 && d < 0
}

// A triangle drawn small to large: quads, covered pixels and helper lanes are
// those that counting pixel by pixel gives, and the share of helpers falls.
func TestHelperLanesFallWithTheTriangle(t *testing.T) {
	last := 1.0
	for _, size := range []float64{2, 4, 8, 16, 32, 64, 128} {
		c := [6]float64{1 + 77.0/256, 2 + 25.0/256, 1 + 77.0/256 + size, 2 + 179.0/256, 1 + 231.0/256, 2 + 25.0/256 + 0.875*size} // sub-pixels, so that nothing is rounded
		quads, covered := uint64(0), uint64(0)
		for y := 0; y < 160; y += 2 {
			for x := 0; x < 160; x += 2 {
				n := uint64(0)
				for k := range 4 {
					if inTriangle(c, x+k%2, y+k/2) {
						n++
					}
				}
				if covered += n; n > 0 {
					quads++
				}
			}
		}
		f := drawn(t, fmt.Sprintf(`
shader: kill.spv
buffers:
  - {set: 0, binding: 0, name: data, data: {zero: 8}}
  - {unbound: true, name: o0, image: {format: Rgba8, width: 160, height: 160}}
draw:
  positions: {type: f32, values: [%v, %v, 0, 1, %v, %v, 0, 1, %v, %v, 0, 1]}
  color: [{location: 0, buffer: o0}]
expect: [{buffer: data, u32: [%d]}]
`, c[0], c[1], c[2], c[3], c[4], c[5], covered), "rdna3-rx7900xtx").Stats.Fragments
		if f.Quads != quads || f.Covered != covered || f.HelperLanes != 4*quads-covered {
			t.Errorf("size %g: %+v, counted %d quads, %d pixels", size, *f, quads, covered)
		}
		if share := f.HelperShare(); share >= last {
			t.Errorf("size %g: %g of the lanes are helpers, %g at half the size", size, share, last)
		} else {
			last = share
		}
	}
	if last > 0.05 {
		t.Errorf("%g of the lanes of a large triangle are helpers", last)
	}
}

// On linear functions with slopes that are sums of few powers of two, every
// derivative is exact, for all pixels of a triangle, at its edges too.
func TestDerivativesOfLinearFunctions(t *testing.T) {
	buffers, color := images("Rgba32f", "Rgba32f")
	for _, machine := range bothWaves {
		r := drawn(t, `
shader: derive.spv
buffers:
`+buffers+`
draw:
  positions: {type: f32, values: [0.5, 0.5, 0, 1, 16.5, 0.5, 0, 2, 0.5, 16.5, 0, 4]}
  attributes: [{location: 0, components: 2, data: {type: f32, values: [1, 2, 5, 10, 3, -6]}}]
  color:
`+color, machine)
		a, b := floats(r.named("o0")), floats(r.named("o1"))
		seen := 0
		for y := range 16 {
			for x := range 16 {
				at := 4 * (16*y + x)
				if !inTriangle([6]float64{0.49, 0.49, 16.5, 0.49, 0.49, 16.5}, x, y) || x+y >= 15 {
					continue
				}
				seen++
				// 4 over 16 pixels along x, 2 along y; 8 and -8.
				wantA := [4]float32{0.25, 0.125, 0.5, -0.5}
				wantB := [4]float32{0.375, 1 + 0.25*float32(x) + 0.125*float32(y), 2 + 0.5*float32(x) - 0.5*float32(y), 0}
				if [4]float32(a[at:]) != wantA || [4]float32(b[at:]) != wantB {
					t.Fatalf("%s: pixel (%d, %d): %v %v, want %v %v", machine, x, y, a[at:at+4], b[at:at+4], wantA, wantB)
				}
			}
		}
		if seen < 100 {
			t.Errorf("%d pixels looked at", seen)
		}
	}
}

// Inputs by their decorations, against interpolation written out.
func TestInterpolation(t *testing.T) {
	buffers, color := images("Rgba32f", "Rgba32ui", "Rgba32f")
	r := drawn(t, `
shader: inputs.spv
buffers:
`+buffers+`
draw:
  front: clockwise
  positions: {type: f32, values: [0, 0, 0.25, 1, 30, 0, 0.5, 3, 0, 30, 0.75, 5]}
  attributes:
    - {location: 0, components: 2, data: {type: f32, values: [0, 1, 1, 0, 2, 5]}}
    - {location: 1, components: 2, integer: true, data: {values: [7, 8, 9, 10, 11, 12]}}
    - {location: 2, components: 1, data: {type: f32, values: [10, 20, 40]}}
  color:
`+color, "rdna3-rx7900xtx")
	a, b, c := floats(r.named("o0")), words(r.named("o1")), floats(r.named("o2"))
	for y := range 14 {
		for x := range 14 {
			at := 4 * (16*y + x)
			i, j := (float64(x)+0.5)/30, (float64(y)+0.5)/30
			w := [3]float64{(1 - i - j), i / 3, j / 5}
			rw := w[0] + w[1] + w[2]
			want := [8]float64{(w[1] + 2*w[2]) / rw, (w[0] + 5*w[2]) / rw, 10 + 10*i + 30*j, 0,
				float64(x) + 0.5, float64(y) + 0.5, 0.25 + 0.25*i + 0.5*j, rw}
			for k, got := range append(append([]float32(nil), a[at:at+4]...), c[at:at+4]...) {
				if math.Abs(float64(got)-want[k]) > 1e-5*max(1, math.Abs(want[k])) {
					t.Fatalf("pixel (%d, %d): component %d is %g, want %g", x, y, k, got, want[k])
				}
			}
			if [4]uint32(b[at:]) != [4]uint32{7, 8, 1, 0} {
				t.Fatalf("pixel (%d, %d): flat inputs, facing and helper: %v", x, y, b[at:at+4])
			}
		}
	}
}

const eight = `
  positions: {type: f32, values: [0, 0, 0.5, 1, 9, 0, 0.5, 1, 0, 9, 0.5, 1]}
  color: [{location: 0, buffer: o0, clear: [0.5]}]
`

// Lanes that demote themselves write nothing more, and derivatives go on.
func TestDemote(t *testing.T) {
	buffers, _ := images("Rgba32f")
	for _, machine := range bothWaves {
		r := drawn(t, "shader: demote.spv\nbuffers:\n  - {set: 0, binding: 0, name: data, data: {zero: 1036}}\n"+buffers+"draw:"+eight, machine)
		data, color := words(r.named("data")), floats(r.named("o0"))
		covered, stayed := uint32(0), uint32(0)
		for y := range 16 {
			for x := range 16 {
				in := inTriangle([6]float64{-0.01, -0.01, 9.001, 0, 0, 9.001}, x, y) && x+y < 8
				want, stored := float32(0.5), uint32(0)
				if in {
					covered++
				}
				if in && x%2 == 0 {
					want, stored = 3, 1
					stayed++
				}
				if got := color[4*(16*y+x)]; got != want {
					t.Errorf("%s: pixel (%d, %d) is %g, want %g", machine, x, y, got, want)
				}
				if got := data[3+16*y+x]; got != stored {
					t.Errorf("%s: pixel (%d, %d) stored %d, want %d", machine, x, y, got, stored)
				}
			}
		}
		if got := [3]uint32(data); got != [3]uint32{covered, stayed, 0} {
			t.Errorf("%s: %v lanes started, stayed, wrote as helpers: want %d, %d, 0", machine, got, covered, stayed)
		}
	}
}

// Helpers take part in operations of subgroups or not, as the machine says, and always in those of quads: without them, sums over lanes
// are those of the pixels that are covered and not demoted.
func TestSubgroupsWithoutHelpers(t *testing.T) {
	buffers, _ := images("Rgba32f")
	covered, stayed := uint32(0), uint32(0)
	for i := range 256 {
		if x, y := i%16, i/16; x+y < 8 {
			covered++
			stayed += uint32(1 - x%2)
		}
	}
	for _, machine := range bothWaves {
		for _, helpers := range []string{"active", "inactive"} {
			s := drawSetup(t, "shader: helpers.spv\nbuffers:\n  - {set: 0, binding: 0, name: data, data: {zero: 28}}\n"+buffers+"draw:"+eight, machine, "subgroup_helpers="+helpers)
			r := suite.Must(Run(context.Background(), s))(t)
			got, waves := [7]uint32(words(r.named("data"))), uint32(r.Stats.Waves)
			want := [7]uint32{covered, covered, waves, 0, covered, 2 * covered, stayed}
			if helpers == "inactive" && got != want {
				t.Errorf("%s: ballots, sums, firsts, votes, scans, quads and what is left after a demotion are %v, want %v", machine, got, want)
			}
			if helpers == "active" && (got[1] <= covered || got[3] == 0 || got[5] != 2*covered || got[6] <= stayed) {
				t.Errorf("%s: with helpers sums, votes, quads and what is left are %v: want more than %v", machine, got, want)
			}
		}
	}
}

// Invocations that a function discards end without an export.
func TestKill(t *testing.T) {
	buffers, _ := images("R32f")
	r := drawn(t, "shader: kill.spv\nbuffers:\n  - {set: 0, binding: 0, name: data, data: {zero: 8}}\n"+buffers+"draw:"+eight, "rdna3-rx7900xtx")
	color, covered, stayed := floats(r.named("o0")), uint32(0), uint32(0)
	for i, got := range color {
		x, y := i%16, i/16
		want := float32(0.5)
		if x+y < 8 {
			covered++
			if x%3 != 0 {
				stayed++
			} else if got != want {
				t.Errorf("pixel (%d, %d) is %g", x, y, got)
			}
		}
	}
	if got := words(r.named("data")); got[0] != covered || got[1] != stayed {
		t.Errorf("%v started and stayed, want %d, %d", got, covered, stayed)
	}
}

// Overlapping triangles: the last one stays without a depth test, the nearest
// with it, whether the shader may discard or not; discarded fragments hide nothing.
func TestOrderAndDepth(t *testing.T) {
	buffers, _ := images("R32f")
	for _, c := range []struct {
		depth string
		kept  float32 // where no invocation is discarded
		holes float32
	}{{"none", 0.75, 9}, {"less", 0.25, 9}} {
		r := drawn(t, "shader: kill.spv\nbuffers:\n  - {set: 0, binding: 0, name: data, data: {zero: 8}}\n"+buffers+`draw:
  depth: `+c.depth+`
  positions: {type: f32, values: [0, 0, 0.5, 1, 40, 0, 0.5, 1, 0, 40, 0.5, 1,  0, 0, 0.25, 1, 40, 0, 0.25, 1, 0, 40, 0.25, 1,  0, 0, 0.75, 1, 40, 0, 0.75, 1, 0, 40, 0.75, 1]}
  color: [{location: 0, buffer: o0, clear: [9]}]
`, "rdna3-rx7900xtx")
		for i, got := range floats(r.named("o0")) {
			want := c.kept
			if i%16%3 == 0 {
				want = c.holes
			}
			if got != want {
				t.Fatalf("depth %s: pixel (%d, %d) is %g, want %g", c.depth, i%16, i/16, got, want)
			}
		}
	}
}

func TestDrawRefusals(t *testing.T) {
	buffers, _ := images("R32f")
	job := "shader: kill.spv\nbuffers:\n  - {set: 0, binding: 0, name: data, data: {zero: 8}}\n" + buffers + "draw:" + eight
	for _, c := range []struct{ from, to, want string }{
		{"9, 0, 0.5, 1", "9, 0, 0.5, 0", "w = 0"},
		{"location: 0, buffer: o0", "location: 3, buffer: o0", "want an attachment at location 0"},
		{"draw:", "dispatch: [1]\nx:", ""},
		{"kill.spv", "sample.spv", "want values for the shader's input at location 0"},
	} {
		text := strings.Replace(job, c.from, c.to, 1)
		if c.want == "" {
			text = text[:strings.Index(text, "\nx:")]
			c.want = errNoDraw.Error()
		}
		_, err := Run(context.Background(), drawSetup(t, text, "rdna3-rx7900xtx"))
		if !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.want, err)
		}
	}
}

// A draw shows in the statistics, and its image as a picture.
func TestDrawIsShown(t *testing.T) {
	r := drawn(t, `
shader: inputs.spv
buffers:
  - {unbound: true, name: o0, image: {format: Rgba8, width: 16, height: 16}}
  - {unbound: true, name: o1, image: {format: Rgba32ui, width: 16, height: 16}}
  - {unbound: true, name: o2, image: {format: Rgba32f, width: 16, height: 16}}
draw:
  positions: {type: f32, values: [0, 0, 0, 1, 2.5, 0, 0, 1, 0, 2.5, 0, 1]}
  attributes:
    - {location: 0, components: 2, data: {type: f32, values: [1], count: 6}}
    - {location: 1, components: 2, integer: true, data: {values: [0], count: 6}}
    - {location: 2, components: 1, data: {type: f32, values: [0.2], count: 3}}
  color:
    - {location: 0, buffer: o0, clear: [0, 0, 1, 1]}
    - {location: 1, buffer: o1}
    - {location: 2, buffer: o2}
`, "gcn3-r9nano")
	var stats, picture bytes.Buffer
	suite.OK(t, tracing.WriteJSON(&stats, r.Stats))
	// The centres of 3 pixels of one quad are inside.
	flat := strings.Join(strings.Fields(stats.String()), "")
	if want := `"fragments":{"primitives":1,"quads":1,"covered":3,"helper_lanes":1,"helper_share":0.25,"rejected":0}`; !strings.Contains(flat, want) {
		t.Errorf("statistics without %s:\n%s", want, flat)
	}
	suite.OK(t, r.Buffers[0].WritePNG(&picture))
	p := suite.Must(png.Decode(&picture))(t)
	for at, want := range map[[2]int]color.NRGBA{{0, 0}: {255, 255, 51, 0}, {1, 1}: {0, 0, 255, 255}} {
		if got := color.NRGBAModel.Convert(p.At(at[0], at[1])); got != want {
			t.Errorf("pixel %v of the picture is %v, want %v", at, got, want)
		}
	}
	if err := r.Buffers[1].WritePNG(&picture); err == nil {
		t.Error("a picture of integers")
	}
}

// A shader's input components come from the attribute of their location, vertex by vertex; those that it does not have are zero.
func TestComponentsOfAttributes(t *testing.T) {
	const vertices = 3
	for components := 1; components <= 4; components++ {
		a := config.DrawAttribute{Location: 2, Components: components}
		for i := range vertices * components {
			a.Bits = append(a.Bits, uint32(100+i))
		}
		other := func(location uint32) config.DrawAttribute {
			return config.DrawAttribute{Location: location, Components: 4, Bits: make([]uint32, 4*vertices)}
		}
		d := &draw{call: &config.DrawCall{Attributes: []config.DrawAttribute{other(1), a, other(3)}}, prog: &program.Program{Fragment: &ir.Fragment{}}}
		for c := range 4 {
			d.prog.Fragment.Inputs = append(d.prog.Fragment.Inputs, ir.Input{Location: 2, Component: uint32(c), Float: true})
		}
		suite.OK(t, d.bindInputs())
		for v := range vertices {
			for c := range 4 {
				want := uint32(0)
				if c < components {
					want = a.Bits[v*components+c]
				}
				if got := d.slots[c].value(uint32(v)); got != want {
					t.Errorf("%d components, vertex %d: component %d is %d, want %d", components, v, c, got, want)
				}
			}
		}
	}
}

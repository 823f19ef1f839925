package gpu

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"spvsim/config"
)

// multisampled lists attachments of 16 x 16 texels with samples, cleared to -1.
func multisampled(n, samples int) (buffers, color string) {
	for i := range n {
		buffers += fmt.Sprintf("  - {unbound: true, name: o%d, image: {format: Rgba32f, width: 16, height: 16, samples: %d}}\n", i, samples)
		color += fmt.Sprintf("    - {location: %d, buffer: o%d, clear: [-1, -1, -1, -1]}\n", i, i)
	}
	return buffers, color
}

// standard are the sample locations of the Vulkan specification, in pixels.
var standard = map[int][][2]float64{
	1: {{0.5, 0.5}},
	2: {{0.75, 0.75}, {0.25, 0.25}},
	4: {{0.375, 0.125}, {0.875, 0.375}, {0.125, 0.625}, {0.625, 0.875}},
	8: {{0.5625, 0.3125}, {0.4375, 0.6875}, {0.8125, 0.5625}, {0.3125, 0.1875}, {0.1875, 0.8125}, {0.0625, 0.4375}, {0.6875, 0.9375}, {0.9375, 0.0625}},
}

// A corner is one of a triangle: x, y, z, w.
type corner [4]float64

// weights are those of the corners at a position: in screen space, and perspective correct.
func weights(c [3]corner, x, y float64) (linear, correct [3]float64) {
	area := func(ax, ay, bx, by, cx, cy float64) float64 { return (bx-ax)*(cy-ay) - (cx-ax)*(by-ay) }
	whole := area(c[0][0], c[0][1], c[1][0], c[1][1], c[2][0], c[2][1])
	sum := 0.0
	for k := range 3 {
		a, b := c[(k+1)%3], c[(k+2)%3]
		linear[k] = area(x, y, a[0], a[1], b[0], b[1]) / whole
		correct[k] = linear[k] / c[k][3]
		sum += correct[k]
	}
	for k := range correct {
		correct[k] /= sum
	}
	return linear, correct
}

func inside(linear [3]float64) bool { return linear[0] > 0 && linear[1] > 0 && linear[2] > 0 }

// mixed is the k-th component of an attribute at weights.
func mixed(w [3]float64, values []float64, components, k int) float64 {
	return w[0]*values[k] + w[1]*values[components+k] + w[2]*values[2*components+k]
}

func near(got float32, want float64) bool {
	return math.Abs(float64(got)-want) <= 3e-5*max(1, math.Abs(want))
}

func checkTexel(t *testing.T, what string, got []float32, want [4]float64) {
	t.Helper()
	for k := range want {
		if !near(got[k], want[k]) {
			t.Fatalf("%s: component %d is %g, want %g", what, k, got[k], want[k])
		}
	}
}

func list(v []float64) string { return strings.ReplaceAll(fmt.Sprint(v), " ", ", ") }

var bent = [3]corner{{1.2, 0.3, 0.25, 1}, {15.1, 2.6, 0.5, 3}, {3.4, 15.2, 0.75, 2}}

func positions(c [3]corner) string {
	var v []float64
	for _, p := range c {
		v = append(v, p[:]...)
	}
	return "{type: f32, values: " + list(v) + "}"
}

// onGrid rounds corners to the 1/256 of a pixel that the rasteriser works in.
func onGrid(c [3]corner) [3]corner {
	for i := range c {
		for k := range 2 {
			c[i][k] = math.RoundToEven(float64(float32(c[i][k]))*256) / 256
		}
	}
	return c
}

var pairs = []float64{1, 2, -3, 5, 7, 0.5}

func TestPoints(t *testing.T) {
	buffers, color := multisampled(2, 1)
	at := []float64{4, 4, 0.5, 1, 9.25, 6.5, 0.5, 2, 12, 12.25, 0.25, 1}
	sizes := []float64{5, 7.5, 1}
	for _, machine := range bothWaves {
		r := drawn(t, "shader: points.spv\nbuffers:\n"+buffers+"draw:\n  topology: points\n  positions: {type: f32, values: "+list(at)+
			"}\n  point_sizes: {type: f32, values: "+list(sizes)+"}\n  attributes: [{location: 0, components: 4, data: {iota: f32, count: 12}}]\n  color:\n"+color, machine)
		a, b := floats(r.named("o0")), floats(r.named("o1"))
		for y := range 16 {
			for x := range 16 {
				wantA, wantB := [4]float64{-1, -1, -1, -1}, [4]float64{-1, -1, -1, -1}
				for p, size := range sizes {
					s, q := (float64(x)+0.5-at[4*p])/size+0.5, (float64(y)+0.5-at[4*p+1])/size+0.5
					if s >= 0 && s < 1 && q >= 0 && q < 1 {
						n := float64(4 * p)
						wantA, wantB = [4]float64{s, q, float64(p), 1}, [4]float64{n, n + 1, n + 2, n + 3}
					}
				}
				what := fmt.Sprintf("%s: pixel (%d, %d)", machine, x, y)
				checkTexel(t, what, a[4*(16*y+x):], wantA)
				checkTexel(t, what, b[4*(16*y+x):], wantB)
			}
		}
		if r.Stats.Fragments.Primitives != 3 {
			t.Errorf("%d points", r.Stats.Fragments.Primitives)
		}
	}
}

// eachCovered visits the pixels whose centre the triangle covers.
func eachCovered(c [3]corner, do func(x, y int, linear, correct [3]float64)) {
	for y := range 16 {
		for x := range 16 {
			if linear, correct := weights(c, float64(x)+0.5, float64(y)+0.5); inside(linear) {
				do(x, y, linear, correct)
			}
		}
	}
}

func TestInputsInStructures(t *testing.T) {
	buffers, color := multisampled(2, 1)
	first, scale := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, []float64{2, 4, -8}
	r := drawn(t, "shader: structs.spv\nbuffers:\n"+buffers+"draw:\n  positions: "+positions(bent)+`
  attributes:
    - {location: 0, components: 4, data: {type: f32, values: `+list(first)+`}}
    - {location: 1, components: 1, integer: true, data: {values: [77, 5, 6]}}
    - {location: 4, components: 2, data: {type: f32, values: `+list(pairs)+`}}
    - {location: 6, components: 2, data: {type: f32, values: `+list(pairs)+`}}
    - {location: 7, components: 1, data: {type: f32, values: `+list(scale)+`}}
    - {location: 8, components: 1, data: {type: f32, values: [10, 20, 30]}}
  color:
`+color, "rdna3-rx7900xtx")
	a, b := floats(r.named("o0")), floats(r.named("o1"))
	eachCovered(onGrid(bent), func(x, y int, linear, correct [3]float64) {
		what := fmt.Sprintf("pixel (%d, %d)", x, y)
		checkTexel(t, what, a[4*(16*y+x):], [4]float64{mixed(correct, first, 4, 0), mixed(correct, first, 4, 1), mixed(linear, pairs, 2, 0), mixed(linear, pairs, 2, 1)})
		last := mixed(correct, scale, 1, 0)
		if x%2 == 1 {
			last = mixed(correct, []float64{10, 20, 30}, 1, 0)
		}
		checkTexel(t, what, b[4*(16*y+x):], [4]float64{mixed(correct, pairs, 2, 0), mixed(correct, pairs, 2, 1), last, 77})
	})
}

func TestBarycentrics(t *testing.T) {
	buffers, color := multisampled(3, 1)
	for _, machine := range bothWaves {
		r := drawn(t, "shader: corners.spv\nbuffers:\n"+buffers+"draw:\n  positions: "+positions(bent)+`
  attributes:
    - {location: 0, components: 2, data: {type: f32, values: `+list(pairs)+`}}
    - {location: 1, components: 1, integer: true, data: {values: [3, 5, 6]}}
  color:
`+color, machine)
		a, b, c := floats(r.named("o0")), floats(r.named("o1")), floats(r.named("o2"))
		eachCovered(onGrid(bent), func(x, y int, linear, correct [3]float64) {
			what := fmt.Sprintf("%s: pixel (%d, %d)", machine, x, y)
			checkTexel(t, what, a[4*(16*y+x):], [4]float64{correct[0], correct[1], correct[2], pairs[0]})
			checkTexel(t, what, b[4*(16*y+x):], [4]float64{linear[0], linear[1], linear[2], pairs[3]})
			checkTexel(t, what, c[4*(16*y+x):], [4]float64{pairs[4], pairs[5], 53, 6})
		})
	}
}

// A pixel as the reference sees it: the mask of covered samples, and the centroid.
func covered(c [3]corner, samples, x, y int) (mask int, cx, cy float64) {
	cx, cy = float64(x)+0.5, float64(y)+0.5
	list := standard[samples]
	for n := range list {
		if linear, _ := weights(c, float64(x)+list[n][0], float64(y)+list[n][1]); inside(linear) {
			mask |= 1 << n
		}
	}
	for n := range list {
		if mask>>n&1 != 0 && mask != 1<<samples-1 {
			return mask, float64(x) + list[n][0], float64(y) + list[n][1]
		}
	}
	return mask, cx, cy
}

// Where in the pixel inputs are read: at its centre, a covered sample, a sample by number, an offset. All covered samples get
// the pixel's colour.
func TestPlacesOfInterpolation(t *testing.T) {
	c := onGrid(bent)
	for _, samples := range []int{1, 2, 4, 8} {
		for _, machine := range bothWaves {
			buffers, color := multisampled(4, samples)
			r := drawn(t, "shader: places.spv\nbuffers:\n"+buffers+"draw:\n  positions: "+positions(bent)+`
  attributes:
    - {location: 0, components: 2, data: {type: f32, values: `+list(pairs)+`}}
    - {location: 1, components: 2, data: {type: f32, values: `+list(pairs)+`}}
    - {location: 2, components: 2, data: {type: f32, values: `+list(pairs)+`}}
  color:
`+color, machine)
			for y := range 16 {
				for x := range 16 {
					checkPlaces(t, r, c, samples, x, y)
				}
			}
		}
	}
}

func checkPlaces(t *testing.T, r *Result, c [3]corner, samples, x, y int) {
	t.Helper()
	mask, cx, cy := covered(c, samples, x, y)
	px, py := float64(x)+0.5, float64(y)+0.5
	both := func(linear bool, x, y float64) (float64, float64) {
		l, w := weights(c, x, y)
		if linear {
			w = l
		}
		return mixed(w, pairs, 2, 0), mixed(w, pairs, 2, 1)
	}
	var want [4][4]float64
	want[0][0], want[0][1] = both(false, px, py)
	want[0][2], want[0][3] = both(false, cx, cy)
	want[1][0], want[1][1] = both(false, px+0.25, py-0.375)
	want[1][2], want[1][3] = both(true, px+px/64, py+py/64)
	want[2][0], want[2][1] = both(false, cx, cy)
	at := [2]float64{px, py} // a sample that does not exist
	if n := x & 3; n < samples {
		at = [2]float64{float64(x) + standard[samples][n][0], float64(y) + standard[samples][n][1]}
	}
	want[2][2], want[2][3] = both(true, at[0], at[1])
	want[3] = [4]float64{want[0][3], float64(mask), 0, 1}
	for i := range want {
		texels := floats(r.named(fmt.Sprint("o", i)))
		for n := range samples {
			w := want[i]
			if mask>>n&1 == 0 {
				w = [4]float64{-1, -1, -1, -1}
			}
			checkTexel(t, fmt.Sprintf("%d samples: sample %d of (%d, %d), output %d", samples, n, x, y, i), texels[4*(256*n+16*y+x):], w)
		}
	}
}

// A shader that reads an input at its sample runs once for each.
func TestSampleShading(t *testing.T) {
	c := onGrid(bent)
	for _, samples := range []int{1, 4, 8} {
		buffers, color := multisampled(2, samples)
		r := drawn(t, "shader: persample.spv\nbuffers:\n"+buffers+"draw:\n  positions: "+positions(bent)+`
  attributes:
    - {location: 0, components: 2, data: {type: f32, values: `+list(pairs)+`}}
    - {location: 1, components: 2, data: {type: f32, values: `+list(pairs)+`}}
  color:
`+color, "rdna3-rx7900xtx")
		a, b, count := floats(r.named("o0")), floats(r.named("o1")), uint64(0)
		for y := range 16 {
			for x := range 16 {
				mask, _, _ := covered(c, samples, x, y)
				_, centre := weights(c, float64(x)+0.5, float64(y)+0.5)
				for n, at := range standard[samples] {
					wantA, wantB := [4]float64{-1, -1, -1, -1}, [4]float64{-1, -1, -1, -1}
					if mask>>n&1 != 0 {
						_, w := weights(c, float64(x)+at[0], float64(y)+at[1])
						wantA = [4]float64{mixed(w, pairs, 2, 0), mixed(w, pairs, 2, 1), at[0], at[1]}
						wantB = [4]float64{mixed(centre, pairs, 2, 0), float64(n), float64(int(1) << n), float64(x) + at[0]}
						count++
					}
					what := fmt.Sprintf("%d samples: sample %d of (%d, %d)", samples, n, x, y)
					checkTexel(t, what, a[4*(256*n+16*y+x):], wantA)
					checkTexel(t, what, b[4*(256*n+16*y+x):], wantB)
				}
			}
		}
		if r.Stats.Fragments.Covered != count {
			t.Errorf("%d samples: %d invocations, want %d", samples, r.Stats.Fragments.Covered, count)
		}
	}
}

// Two triangles that cross in depth: each sample keeps the nearer one, and a pixel that has no sample left is not shaded.
func TestDepthOfSamples(t *testing.T) {
	two := [2][3]corner{{{0.1, 0.2, 0.1, 1}, {15.7, 0.6, 0.9, 1}, {1.3, 15.4, 0.4, 1}}, {{15.1, 15.3, 0.2, 1}, {15.6, 0.1, 0.3, 1}, {0.2, 3.1, 0.8, 1}}}
	for _, samples := range []int{1, 4} {
		buffers, color := multisampled(2, samples)
		var at []float64
		for i := range two {
			for _, p := range two[i] {
				at = append(at, p[:]...)
			}
			two[i] = onGrid(two[i])
		}
		r := drawn(t, "shader: points.spv\nbuffers:\n"+buffers+"draw:\n  depth: less\n  positions: {type: f32, values: "+list(at)+
			"}\n  attributes: [{location: 0, components: 4, data: {iota: f32, count: 24}}]\n  color:\n"+color, "rdna3-rx7900xtx")
		texels, seen, rejected := floats(r.named("o0")), [2]int{}, uint64(0)
		for y := range 16 {
			for x := range 16 {
				covered, left := false, false // of the second triangle's samples
				for n, s := range standard[samples] {
					best, want := math.Inf(1), -1.0
					for i := range two {
						w, _ := weights(two[i], float64(x)+s[0], float64(y)+s[1])
						if z := w[0]*two[i][0][2] + w[1]*two[i][1][2] + w[2]*two[i][2][2]; inside(w) && z < best {
							best, want = z, float64(i)
						}
						covered = covered || i == 1 && inside(w)
					}
					left = left || want == 1
					got := texels[4*(256*n+16*y+x):]
					if float64(got[2]) != want || want >= 0 && (got[0] != 0 || got[1] != 0) {
						t.Fatalf("%d samples: sample %d of (%d, %d) is of triangle %g at point %v, want %g", samples, n, x, y, got[2], got[:2], want)
					}
					if want >= 0 {
						seen[int(want)]++
					}
				}
				if covered && !left {
					rejected++
				}
			}
		}
		if slices.Min(seen[:]) < 20 || rejected < 20 || r.Stats.Fragments.Rejected != rejected {
			t.Errorf("samples of each triangle: %v; %d pixels were rejected, want %d", seen, r.Stats.Fragments.Rejected, rejected)
		}
	}
}

func TestDualSource(t *testing.T) {
	buffers, _ := multisampled(2, 1)
	job := "shader: dual.spv\nbuffers:\n" + buffers + "draw:\n  positions: " + positions(bent) + "\n  color:\n    - {location: 0, buffer: o0}\n"
	for _, second := range []string{"", "    - {location: 0, index: 1, buffer: o1}\n"} {
		r := drawn(t, job+second, "rdna3-rx7900xtx")
		a, b := floats(r.named("o0")), floats(r.named("o1"))
		eachCovered(onGrid(bent), func(x, y int, _, _ [3]float64) {
			at := 4 * (16*y + x)
			px, py := float32(x)+0.5, float32(y)+0.5
			want := [4]float32{3, py, px, 1}
			if second == "" {
				want = [4]float32{}
			}
			if a[at] != px || a[at+1] != py || [4]float32(b[at:]) != want {
				t.Fatalf("pixel (%d, %d): %v and %v, want %v", x, y, a[at:at+4], b[at:at+4], want)
			}
		})
	}
}

// An element of an array of samplers, offsets in texels and comparisons, at the level of detail of the quad.
func TestImplicitLevels(t *testing.T) {
	buffers, color := multisampled(2, 1)
	r := drawn(t, "shader: implicit.spv\nbuffers:\n"+buffers+`  - {set: 0, binding: 0, name: tex, image: {format: Rgba32f, width: 16, height: 16, data: {random: {seed: 21, count: 1024}}}}
  - {set: 0, binding: 2, name: shadow, image: {format: R32f, width: 8, height: 8, data: {random: {seed: 22, count: 64}}}}
samplers:
  - {set: 0, binding: 1, index: 0, wrap: [repeat]}
  - {set: 0, binding: 1, index: 1, filter: nearest, wrap: [repeat]}
  - {set: 0, binding: 2, compare: greater-or-equal, wrap: [clamp]}
draw:
  positions: {type: f32, values: [0, 0, 0, 1, 32, 0, 0, 1, 0, 32, 0, 1]}
  attributes: [{location: 0, components: 2, data: {type: f32, values: [-0.51, -0.27, 1.47, -0.17, -0.43, 1.71]}}]
  color:
`+color, "rdna3-rx7900xtx")
	tex, shadow := textureOf(r.named("tex"), 4, 1, 1, "repeat", 16, 16), textureOf(r.named("shadow"), 1, 1, 1, "clamp", 8, 8)
	a, b := floats(r.named("o0")), floats(r.named("o1"))
	lit := func(u [3]float64, move [3]int, reference float64) float64 {
		return shadow.linear(0, 0, u, move, func(texel [4]float64) [4]float64 {
			if reference >= texel[0] {
				return [4]float64{1}
			}
			return [4]float64{}
		})[0]
	}
	for y := range 16 {
		for x := range 16 {
			i, j := (float64(x)+0.5)/32, (float64(y)+0.5)/32
			u := [3]float64{-0.51 + 1.98*i + 0.08*j, -0.27 + 0.1*i + 1.98*j}
			want := tex.linear(0, 0, u, [3]int{3, -2}, same)
			if y/2%2 == 1 {
				want = tex.wrapped(0, 0, [3]int{int(math.Floor(u[0]*16)) + 3, int(math.Floor(u[1]*16)) - 2})
			}
			what := fmt.Sprintf("pixel (%d, %d)", x, y)
			checkTexel(t, what, a[4*(16*y+x):], want)
			checkTexel(t, what, b[4*(16*y+x):], [4]float64{lit(u, [3]int{}, 0.5), lit(u, [3]int{}, 0.5), lit(u, [3]int{}, 0.75), lit(u, [3]int{1, 1}, 0.5)})
		}
	}
}

func TestSampleAndPointRefusals(t *testing.T) {
	one, _ := multisampled(2, 1)
	four, color := multisampled(2, 4)
	sixteen, _ := multisampled(2, 16)
	mixedSamples := strings.Replace(four, "samples: 4", "samples: 2", 1)
	for text, want := range map[string]string{
		"shader: dual.spv\nbuffers:\n" + sixteen + "draw:\n  positions: " + positions(bent) + "\n  color:\n" + color:                                                                                    "found 16 samples: want 1, 2, 4 or 8",
		"shader: points.spv\nbuffers:\n" + mixedSamples + "draw:\n  positions: " + positions(bent) + "\n  attributes: [{location: 0, components: 4, data: {iota: f32, count: 12}}]\n  color:\n" + color: "found 4 samples: want 2",
		"shader: dual.spv\nbuffers:\n" + one + "draw:\n  positions: " + positions(bent) + "\n  point_sizes: {type: f32, values: [1, 1, 1]}\n  color:\n" + color:                                         "topology is triangles",
		"shader: dual.spv\nbuffers:\n" + one + "draw:\n  topology: points\n  positions: " + positions(bent) + "\n  point_sizes: {type: f32, values: [1, -2, 1]}\n  color:\n" + color:                    "size -2",
		"shader: dual.spv\nbuffers:\n" + one + "draw:\n  topology: points\n  positions: " + positions(bent) + "\n  point_sizes: {type: f32, values: [1]}\n  color:\n" + color:                           "want 3",
	} {
		if err := drawError(t, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want one that says %q", err, want)
		}
	}
}

func drawError(t *testing.T, text string) error {
	t.Helper()
	job, err := config.ParseJob(os.DirFS("testdata/draw"), "job.yaml", []byte(text))
	if err != nil {
		return err
	}
	m, err := config.LoadMachine(config.Request{Machine: "rdna3-rx7900xtx", Job: job})
	if err != nil {
		t.Fatal(err)
	}
	_, err = Run(context.Background(), Setup{Machine: m, Job: job})
	return err
}

package raster

import (
	"cmp"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// inside is an independent test by areas, in exact rational numbers: a point is
// in the triangle when the three triangles that it makes with the edges add up
// to the whole. Points on an edge count when the inside lies to the right of it
// or, for a level edge, below: a point an instant to the right and below decides.
func inside(v [3]Vertex, x, y int, at Location) bool {
	px, py := big.NewRat(int64(x)*subPixels+at.X, subPixels), big.NewRat(int64(y)*subPixels+at.Y, subPixels)
	tiny := big.NewRat(1, 1<<40) // far below what two different edges can differ by
	px.Add(px, tiny)
	py.Add(py, new(big.Rat).Mul(tiny, tiny))
	whole := areaOf(rat(v[0]), rat(v[1]), rat(v[2]))
	sum := new(big.Rat)
	p := [2]*big.Rat{px, py}
	for i := range 3 {
		sum.Add(sum, areaOf(p, rat(v[i]), rat(v[(i+1)%3])))
	}
	return sum.Cmp(whole) == 0
}

func rat(v Vertex) [2]*big.Rat {
	return [2]*big.Rat{big.NewRat(fixed(v.X), subPixels), big.NewRat(fixed(v.Y), subPixels)}
}

func areaOf(a, b, c [2]*big.Rat) *big.Rat {
	sub := func(x, y *big.Rat) *big.Rat { return new(big.Rat).Sub(x, y) }
	mul := func(x, y *big.Rat) *big.Rat { return new(big.Rat).Mul(x, y) }
	s := sub(mul(sub(b[0], a[0]), sub(c[1], a[1])), mul(sub(c[0], a[0]), sub(b[1], a[1])))
	return s.Abs(s)
}

const side = 16

// coverage lists the pixels covered, by quads.
func coverage(t *testing.T, v [3]Vertex) (pixels [side][side]int, quads int) {
	t.Helper()
	tri, ok, err := Setup(v)
	if err != nil {
		t.Fatal(err)
	}
	if !ok {
		return pixels, 0
	}
	tri.Quads(side, side, func(q Quad) {
		quads++
		for k := range 4 {
			if q.Cover>>k&1 != 0 {
				pixels[int(q.Y)+k/2][int(q.X)+k%2]++
			}
		}
	})
	return pixels, quads
}

func corner(t *rapid.T, name string) Vertex {
	// Coarse steps put many corners and edges exactly on pixel centres.
	step := rapid.SampledFrom([]float64{0.5, 0.25, 1.0 / subPixels}).Draw(t, name+" step")
	n := int(20 / step)
	return Vertex{X: float64(rapid.IntRange(-n/4, n).Draw(t, name+" x")) * step, Y: float64(rapid.IntRange(-n/4, n).Draw(t, name+" y")) * step, W: 1}
}

func TestCoverageIsThatOfAreas(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		v := [3]Vertex{corner(r, "a"), corner(r, "b"), corner(r, "c")}
		got, _ := coverage(t, v)
		flat := areaOf(rat(v[0]), rat(v[1]), rat(v[2])).Sign() == 0
		for y := range side {
			for x := range side {
				want := 0
				if !flat && inside(v, x, y, centre) {
					want = 1
				}
				if got[y][x] != want {
					r.Fatalf("pixel (%d, %d) of %v: covered %d times, want %d", x, y, v, got[y][x], want)
				}
			}
		}
	})
}

// Triangles that share an edge cover each pixel of their union once.
func TestSharedEdgesCoverOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		m := Vertex{X: float64(r.IntN(2*side)) / 2, Y: float64(r.IntN(2*side)) / 2, W: 1}
		box := [4]Vertex{{0, 0, 0, 1}, {side, 0, 0, 1}, {side, side, 0, 1}, {0, side, 0, 1}}
		var sum [side][side]int
		for i := range 4 {
			got, _ := coverage(t, [3]Vertex{m, box[i], box[(i+1)%4]})
			for y := range side {
				for x := range side {
					sum[y][x] += got[y][x]
				}
			}
		}
		for y := range side {
			for x := range side {
				if sum[y][x] != 1 {
					t.Fatalf("fan around (%g, %g): pixel (%d, %d) is covered %d times", m.X, m.Y, x, y, sum[y][x])
				}
			}
		}
	}
}

func TestPointInterpolatesTheCorners(t *testing.T) {
	v := [3]Vertex{{0.5, 0.5, 0.25, 1}, {8.5, 0.5, 0.5, 2}, {0.5, 8.5, 0.75, 4}}
	tri, _, err := Setup(v)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []Point{{0, 0, 0, 0, 0.25, 1}, {1, 0, 1, 0, 0.5, 0.5}, {0, 1, 0, 1, 0.75, 0.25}} {
		if got := tri.AtCentre(int(v[i].X), int(v[i].Y)); got != want {
			t.Errorf("corner %d: %+v, want %+v", i, got, want)
		}
	}
	// Half way along the first edge 1/w is 0.75, so that corner 1 has the weight 0.5*0.5/0.75.
	if got := tri.AtCentre(4, 0); got.LinearI != 0.5 || got.RW != 0.75 || got.I != 0.25/0.75 {
		t.Errorf("half way: %+v", got)
	}
}

func TestFacing(t *testing.T) {
	// To the right, then down: clockwise on a screen; Vulkan's area
	// -1/2 * sum(x_i*y_i+1 - x_i+1*y_i) is negative.
	tri, _, _ := Setup([3]Vertex{{0, 0, 0, 1}, {8, 0, 0, 1}, {8, 8, 0, 1}})
	if tri.CounterClockwise {
		t.Error("clockwise corners count as counter-clockwise")
	}
	tri, _, _ = Setup([3]Vertex{{0, 0, 0, 1}, {8, 8, 0, 1}, {8, 0, 0, 1}})
	if !tri.CounterClockwise {
		t.Error("counter-clockwise corners count as clockwise")
	}
}

func TestRefusals(t *testing.T) {
	const most = maxCoordinate
	for v, good := range map[Vertex]bool{
		{0, 0, 0, 0}: false, {0, 0, 0, -1}: false, {0, 0, 0, 0.5}: true,
		{most, 0, 0, 1}: true, {0, -most, 0, 1}: true, {most + 1, 0, 0, 1}: false, {-most - 1, 0, 0, 1}: false, {0, most + 1, 0, 1}: false, {0, -most - 1, 0, 1}: false,
		{math.Inf(1), 0, 0, 1}: false, {0, math.Inf(-1), 0, 1}: false, {0, 0, math.Inf(1), 1}: false, {0, 0, 0, math.Inf(1)}: false,
	} {
		for i := range 3 {
			corners := [3]Vertex{{1, 1, 0, 1}, {8, 0, 0, 1}, {0, 8, 0, 1}}
			corners[i] = v
			if _, _, err := Setup(corners); (err == nil) != good {
				t.Errorf("corner %d at %v: %v", i, v, err)
			}
		}
		if _, _, err := SetupPoint(v, 1); (err == nil) != good {
			t.Errorf("a point at %v: %v", v, err)
		}
	}
	if _, _, err := Setup([3]Vertex{{math.NaN(), 0, 0, 1}, {8, 0, 0, 1}, {0, 8, 0, 1}}); err == nil {
		t.Error("a corner that is not a number is accepted")
	}
	for size, good := range map[float64]bool{0: true, most: true, -0.5: false, most + 1: false, math.NaN(): false} {
		if _, _, err := SetupPoint(Vertex{W: 1}, size); (err == nil) != good {
			t.Errorf("a point of %g pixels: %v", size, err)
		}
	}
	if _, ok, err := Setup([3]Vertex{{0, 0, 0, 1}, {4, 4, 0, 1}, {8, 8, 0, 1}}); ok || err != nil {
		t.Errorf("a triangle without area: %v, %v", ok, err)
	}
}

// A point is the pixels whose centres are in its square: left and top edges count, right and bottom ones don't. It has its vertex' depth and w
// everywhere.
func TestPointsAreSquares(t *testing.T) {
	for _, c := range []struct{ x, y, size float64 }{{4, 5, 1}, {4.5, 5.5, 1}, {4.5, 5.5, 3}, {8, 8, 4}, {7.25, 3.75, 2.5}, {0, 0, 6}, {8, 8, 0}, {8.5, 8.5, 0.25}, {15, 2, 5}} {
		p, ok, err := SetupPoint(Vertex{X: c.x, Y: c.y, Z: 0.25, W: 4}, c.size)
		if err != nil || ok != (c.size > 0) {
			t.Fatalf("%+v: %v, %v", c, ok, err)
		}
		covered := map[[2]int]bool{}
		if ok {
			p.Quads(side, side, func(q Quad) {
				for k := range 4 {
					if q.Cover>>k&1 != 0 {
						covered[[2]int{int(q.X) + k%2, int(q.Y) + k/2}] = true
					}
				}
			})
		}
		within := func(from float64, pixel int) bool {
			return from-c.size/2 <= float64(pixel)+0.5 && float64(pixel)+0.5 < from+c.size/2
		}
		for y := range side {
			for x := range side {
				if want := within(c.x, x) && within(c.y, y); covered[[2]int{x, y}] != want {
					t.Errorf("%+v: pixel (%d, %d) is covered: %t, want %t", c, x, y, !want, want)
				}
			}
		}
		if got := p.AtCentre(3, 4); got.Z != 0.25 || got.RW != 0.25 {
			t.Errorf("%+v: depth %g and 1/w %g, want 0.25 both", c, got.Z, got.RW)
		}
	}
}

// The samples are where Vulkan's table of standard locations has them, in pixels from the upper left corner.
func TestStandardSampleLocations(t *testing.T) {
	for n, want := range map[int][][2]float64{
		1: {{0.5, 0.5}},
		2: {{0.75, 0.75}, {0.25, 0.25}},
		4: {{0.375, 0.125}, {0.875, 0.375}, {0.125, 0.625}, {0.625, 0.875}},
		8: {{0.5625, 0.3125}, {0.4375, 0.6875}, {0.8125, 0.5625}, {0.3125, 0.1875}, {0.1875, 0.8125}, {0.0625, 0.4375}, {0.6875, 0.9375}, {0.9375, 0.0625}},
		3: {},
	} {
		list := Locations(n)
		if len(list) != len(want) {
			t.Fatalf("%d samples have %d locations", n, len(list))
		}
		for i, l := range list {
			if x, y := l.Offset(); x+0.5 != want[i][0] || y+0.5 != want[i][1] {
				t.Errorf("sample %d of %d is at (%g, %g), want %v", i, n, x+0.5, y+0.5, want[i])
			}
		}
	}
}

// Each quad of a picture that has a covered sample comes once, tile after tile and row after row, with the samples whose places are in the triangle: none outside of
// the picture, whose sides are odd.
func TestSamplesOfAPicture(t *testing.T) {
	const width, height = 13, 11
	r := rand.New(rand.NewPCG(3, 4))
	for range 4 {
		var v [3]Vertex
		for i := range v {
			v[i] = Vertex{X: float64(r.IntN(4*30)-40) / 4, Y: float64(r.IntN(4*30)-40) / 4, W: 1}
		}
		tri, ok, err := Setup(v)
		if err != nil || !ok {
			continue
		}
		samples := []int{1, 2, 4, 8}[r.IntN(4)]
		tri.Multisample(samples)
		var got, want []Quad
		tri.Quads(width, height, func(q Quad) { got = append(got, q) })
		for _, place := range quadsOf(width, height) {
			q := Quad{X: int32(place[0]), Y: int32(place[1])}
			for k := range 4 {
				x, y := place[0]+k%2, place[1]+k/2
				for n, at := range Locations(samples) {
					if x < width && y < height && inside(v, x, y, at) {
						q.Samples[k] |= 1 << n
						q.Cover |= 1 << k
					}
				}
			}
			if q.Cover != 0 {
				want = append(want, q)
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%v, %d samples: %v, want %v", v, samples, got, want)
		}
	}
}

// quadsOf are the quads of a picture in the order of their tiles.
func quadsOf(width, height int) (list [][2]int) {
	for y := 0; y < height; y += 2 {
		for x := 0; x < width; x += 2 {
			list = append(list, [2]int{x, y})
		}
	}
	slices.SortStableFunc(list, func(a, b [2]int) int {
		return cmp.Or(cmp.Compare(a[1]/tile, b[1]/tile), cmp.Compare(a[0]/tile, b[0]/tile))
	})
	return list
}

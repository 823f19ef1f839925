// Package raster finds the pixels and samples that triangles and points in
// screen space cover, as 2x2 quads with their helper pixels, in the order in
// which hardware would shade them.
//
// It does not know shaders, attributes beyond the weights of the corners, waves
// or time. Triangles are not clipped: a corner behind the eye is an error.
package raster

import (
	"errors"
	"fmt"
	"math"
)

// subPixelBits is the precision to which corners are rounded: 1/256 of a pixel
// (Vulkan's subPixelPrecisionBits of AMD's drivers is 8).
const subPixelBits = 8

const (
	subPixels = 1 << subPixelBits
	half      = subPixels / 2
	// maxCoordinate keeps the edge functions far within 64 bits, in pixels.
	maxCoordinate = 1 << 16
	// tile is the side of the blocks in which pixels are walked, in pixels.
	tile = 8
)

// ErrTriangle and ErrPoint say that one can't be drawn.
var (
	ErrTriangle = errors.New("raster: triangle")
	ErrPoint    = errors.New("raster: point")
)

// A Vertex is a corner in screen space: x to the right and y down in pixels, z
// the depth, w the clip-space w that attributes are divided by.
type Vertex struct{ X, Y, Z, W float64 }

// A Primitive is a triangle or a point, set up for walking. Its corners are
// rounded to sub-pixels.
type Primitive struct {
	left, top, right, bottom int64 // sub-pixels
	edges                    []edge
	second, third            edge // weights of those corners, times the area
	area                     float64
	z, rw                    [3]float64
	// CounterClockwise as Vulkan counts it: by the sign of the area in
	// framebuffer coordinates, of which y points down.
	CounterClockwise bool
	samples          []Location
}

// An edge is a*x + b*y + c over sub-pixel positions; the top-left rule is in c.
type edge struct {
	a, b, c int64
	bias    int64 // 0 for a top or left edge, whose own points count, else -1
}

func (e *edge) distance(x, y int64) int64 { return e.a*x + e.b*y + e.c }

// exactly is at for any position; for whole sub-pixels float64 holds all of it.
func (e *edge) exactly(x, y float64) float64 { return float64(e.a)*x + float64(e.b)*y + float64(e.c) }

// Setup prepares a triangle; ok is false when it has no area.
func Setup(v [3]Vertex) (t *Primitive, ok bool, err error) {
	t = &Primitive{edges: make([]edge, 3)}
	var x, y [3]int64
	for i, c := range v {
		if err := check(c); err != nil {
			return nil, false, fmt.Errorf("%w: corner %d: %w", ErrTriangle, i, err)
		}
		x[i], y[i] = fixed(c.X), fixed(c.Y)
		t.z[i], t.rw[i] = c.Z, 1/c.W
	}
	for i := range t.edges { // opposite to the corner of the same index; positive inside
		t.edges[i] = lineThrough(x[(i+1)%3], y[(i+1)%3], x[(i+2)%3], y[(i+2)%3])
	}
	area := t.edges[0].distance(x[0], y[0])
	if area == 0 {
		return nil, false, nil
	}
	t.CounterClockwise = area < 0
	for i := range t.edges {
		t.edges[i].orient(area < 0)
	}
	t.second, t.third, t.area = t.edges[1], t.edges[2], math.Abs(float64(area))
	t.left, t.right = min(x[0], x[1], x[2]), max(x[0], x[1], x[2])
	t.top, t.bottom = min(y[0], y[1], y[2]), max(y[0], y[1], y[2])
	return t, true, nil
}

// SetupPoint prepares a point: a square around a vertex, size pixels wide. Its
// other corners have no weight.
func SetupPoint(v Vertex, size float64) (t *Primitive, ok bool, err error) {
	if err := check(v); err != nil {
		return nil, false, fmt.Errorf("%w: %w", ErrPoint, err)
	}
	if !(size >= 0 && size <= maxCoordinate) {
		return nil, false, fmt.Errorf("%w: size %g: want 0 to %d pixels", ErrPoint, size, maxCoordinate)
	}
	t = &Primitive{area: 1, z: [3]float64{v.Z, v.Z, v.Z}, rw: [3]float64{1 / v.W, 1 / v.W, 1 / v.W}}
	t.left, t.right = fixed(v.X-size/2), fixed(v.X+size/2)
	t.top, t.bottom = fixed(v.Y-size/2), fixed(v.Y+size/2)
	t.edges = []edge{{a: 1, c: -t.left}, {a: -1, c: t.right}, {b: 1, c: -t.top}, {b: -1, c: t.bottom}}
	for i := range t.edges {
		t.edges[i].orient(false)
	}
	return t, t.left < t.right && t.top < t.bottom, nil
}

func check(v Vertex) error {
	for _, f := range []float64{v.X, v.Y, v.Z, v.W} {
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return fmt.Errorf("(%g, %g, %g, %g) is not finite", v.X, v.Y, v.Z, v.W)
		}
	}
	if math.Abs(v.X) > maxCoordinate || math.Abs(v.Y) > maxCoordinate {
		return fmt.Errorf("(%g, %g) is further than %d pixels from the origin", v.X, v.Y, maxCoordinate)
	}
	if v.W <= 0 {
		return fmt.Errorf("w = %g: triangles are not clipped, want w above 0", v.W)
	}
	return nil
}

func fixed(x float64) int64 { return int64(math.RoundToEven(x * subPixels)) }

// lineThrough is the line from p to q.
func lineThrough(px, py, qx, qy int64) edge {
	return edge{a: py - qy, b: qx - px, c: px*qy - qx*py}
}

// orient makes the inside positive, and finds whether the edge's own points
// count: with y down, a left edge has its inside to the right (a > 0), a top
// edge is level and has its inside below (b > 0).
func (e *edge) orient(flip bool) {
	if flip {
		e.a, e.b, e.c = -e.a, -e.b, -e.c
	}
	if !(e.a > 0 || e.a == 0 && e.b > 0) {
		e.bias = -1
	}
}

func (t *Primitive) covers(x, y int, at Location) bool {
	px, py := int64(x)*subPixels+at.X, int64(y)*subPixels+at.Y
	for i := range t.edges {
		if e := &t.edges[i]; e.distance(px, py)+e.bias < 0 {
			return false
		}
	}
	return true
}

// A Location is a place in a pixel, in sub-pixels from its upper left corner.
type Location struct{ X, Y int64 }

var centre = Location{half, half}

// Offset is the location in pixels from the centre.
func (l Location) Offset() (x, y float64) {
	return float64(l.X-half) / subPixels, float64(l.Y-half) / subPixels
}

// Locations are those of the samples of a pixel by their number (Vulkan 1.3,
// "Standard sample locations"); nil for other numbers than 1, 2, 4 and 8.
func Locations(samples int) []Location { return locations[samples] }

// locations holds sixteenths of a pixel, times 16 sub-pixels.
var locations = map[int][]Location{
	1: {centre},
	2: {{12 * 16, 12 * 16}, {4 * 16, 4 * 16}},
	4: {{6 * 16, 2 * 16}, {14 * 16, 6 * 16}, {2 * 16, 10 * 16}, {10 * 16, 14 * 16}},
	8: {{9 * 16, 5 * 16}, {7 * 16, 11 * 16}, {13 * 16, 9 * 16}, {5 * 16, 3 * 16}, {3 * 16, 13 * 16}, {1 * 16, 7 * 16}, {11 * 16, 15 * 16}, {15 * 16, 1 * 16}},
}

// Multisample makes Quads test several samples of each pixel, one of 1, 2, 4 and 8.
func (t *Primitive) Multisample(samples int) { t.samples = locations[samples] }

// A Point is what a primitive says of a position, inside or outside of it.
type Point struct {
	// I and J are the weights of the second and the third corner, perspective
	// correct; LinearI and LinearJ those in screen space.
	I, J, LinearI, LinearJ float64
	Z                      float64
	RW                     float64 // 1/w
}

// AtCentre interpolates at a pixel's centre.
func (t *Primitive) AtCentre(x, y int) Point { return t.AtPosition(float64(x)+0.5, float64(y)+0.5) }

// AtPosition interpolates at a position in pixels.
func (t *Primitive) AtPosition(x, y float64) Point {
	i, j := t.second.exactly(x*subPixels, y*subPixels)/t.area, t.third.exactly(x*subPixels, y*subPixels)/t.area
	p := Point{LinearI: i, LinearJ: j}
	p.Z = t.z[0] + i*(t.z[1]-t.z[0]) + j*(t.z[2]-t.z[0])
	if t.rw[0] == t.rw[1] && t.rw[0] == t.rw[2] {
		p.RW, p.I, p.J = t.rw[0], i, j
		return p
	}
	wi, wj := i*t.rw[1], j*t.rw[2]
	p.RW = (1-i-j)*t.rw[0] + wi + wj
	p.I, p.J = wi/p.RW, wj/p.RW
	return p
}

// A Quad is 2x2 pixels, the first at even X and Y. Bit k of Cover is the pixel
// (X + k%2, Y + k/2), of which bit n of Samples[k] is sample n.
type Quad struct {
	X, Y    int32
	Cover   uint8
	Samples [4]uint16
}

// Quads calls do for each quad of which a sample within width x height pixels is
// covered, in tiles of 8x8 pixels from the top left.
func (t *Primitive) Quads(width, height int, do func(Quad)) {
	if t.samples == nil {
		t.Multisample(1)
	}
	x0, x1 := bounds(t.left, t.right, width)
	y0, y1 := bounds(t.top, t.bottom, height)
	for ty := y0 &^ (tile - 1); ty < y1; ty += tile {
		for tx := x0 &^ (tile - 1); tx < x1; tx += tile {
			t.tile(tx, ty, width, height, do)
		}
	}
}

// bounds are the pixels from the first to the one after the last that a corner
// is in, within 0..size.
func bounds(low, high int64, size int) (from, to int) {
	low, high = low>>subPixelBits, high>>subPixelBits+1
	return int(min(max(low, 0), int64(size))), int(max(min(high, int64(size)), 0))
}

func (t *Primitive) tile(tx, ty, width, height int, do func(Quad)) {
	for y := ty; y < min(ty+tile, height); y += 2 {
		for x := tx; x < min(tx+tile, width); x += 2 {
			q := Quad{X: int32(x), Y: int32(y)}
			for k := range 4 {
				px, py := x+k%2, y+k/2
				if px >= width || py >= height {
					continue
				}
				if q.Samples[k] = t.sampled(px, py); q.Samples[k] != 0 {
					q.Cover |= 1 << k
				}
			}
			if q.Cover != 0 {
				do(q)
			}
		}
	}
}

// sampled are the samples of a pixel that the primitive covers.
func (t *Primitive) sampled(x, y int) (mask uint16) {
	for n, at := range t.samples {
		if t.covers(x, y, at) {
			mask |= 1 << n
		}
	}
	return mask
}

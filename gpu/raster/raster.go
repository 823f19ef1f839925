// Package raster rasterizes triangles and points in screen space: it finds the
// pixels and samples that they cover, as 2x2 quads with helper pixels, in tile
// order.
//
// It does not know shaders, attributes beyond the barycentric weights of the
// corners, waves or time. Triangles are not clipped: a corner with w <= 0 is an
// error.
package raster

import (
	"errors"
	"fmt"
	"math"
)

// subPixelBits is the precision of corners: they are rounded to 1/256 of a pixel
// (AMD's drivers report 8 as Vulkan's subPixelPrecisionBits).
const subPixelBits = 8

const (
	subPixels = 1 << subPixelBits
	half      = subPixels / 2
	// maxCoordinate bounds coordinates, in pixels, so that edge functions do not overflow 64 bits.
	maxCoordinate = 1 << 16
	// tile is the width and height of a tile, in pixels. Pixels are visited tile by tile.
	tile = 8
)

// ErrTriangle and ErrPoint report primitives that can't be drawn.
var (
	ErrTriangle = errors.New("raster: triangle")
	ErrPoint    = errors.New("raster: point")
)

// A Vertex is a corner in screen space: x (to the right) and y (down) in pixels,
// the depth z, and the clip-space w, by which attributes are divided.
type Vertex struct{ X, Y, Z, W float64 }

// A Primitive is a triangle or a point after setup. Its corners are rounded to
// sub-pixels.
type Primitive struct {
	left, top, right, bottom int64 // sub-pixels
	edges                    []edge
	second, third            edge // barycentric weights of these corners, times area
	area                     float64
	z, rw                    [3]float64
	// CounterClockwise is the facing as Vulkan defines it: by the sign of the area
	// in framebuffer coordinates, with y down.
	CounterClockwise bool
	samples          []Location
}

// An edge is the edge function a*x + b*y + c of sub-pixel positions, positive
// inside. A position is covered if the value plus bias is at least 0.
type edge struct {
	a, b, c int64
	bias    int64 // top-left rule: 0 for a top or left edge, whose points are covered; otherwise -1
}

func (e *edge) distance(x, y int64) int64 { return e.a*x + e.b*y + e.c }

// exactly evaluates the edge function at any position. At whole sub-pixels float64 is exact.
func (e *edge) exactly(x, y float64) float64 { return float64(e.a)*x + float64(e.b)*y + float64(e.c) }

// Setup sets a triangle up. ok is false if it has no area.
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
	for i := range t.edges { // edge i is opposite to corner i
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

// SetupPoint sets a point up: a square of size pixels around a vertex. The vertex
// has weight 1 everywhere. ok is false if the square has no area.
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

// lineThrough returns the edge function of the line from p to q.
func lineThrough(px, py, qx, qy int64) edge {
	return edge{a: py - qy, b: qx - px, c: px*qy - qx*py}
}

// orient makes the inside positive, and sets the bias of the top-left rule: with y
// down, a left edge has its inside to the right (a > 0), and a top edge is level
// with its inside below (a = 0, b > 0).
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

// A Location is a position in a pixel, in sub-pixels from its upper left corner.
type Location struct{ X, Y int64 }

var centre = Location{half, half}

// Offset returns the location relative to the pixel's centre, in pixels.
func (l Location) Offset() (x, y float64) {
	return float64(l.X-half) / subPixels, float64(l.Y-half) / subPixels
}

// Locations returns the locations of a pixel's samples (Vulkan 1.3, "Standard
// sample locations"); nil unless their number is 1, 2, 4 or 8.
func Locations(samples int) []Location { return locations[samples] }

// locations by number of samples. Vulkan gives them in sixteenths of a pixel, which are 16 sub-pixels each.
var locations = map[int][]Location{
	1: {centre},
	2: {{12 * 16, 12 * 16}, {4 * 16, 4 * 16}},
	4: {{6 * 16, 2 * 16}, {14 * 16, 6 * 16}, {2 * 16, 10 * 16}, {10 * 16, 14 * 16}},
	8: {{9 * 16, 5 * 16}, {7 * 16, 11 * 16}, {13 * 16, 9 * 16}, {5 * 16, 3 * 16}, {3 * 16, 13 * 16}, {1 * 16, 7 * 16}, {11 * 16, 15 * 16}, {15 * 16, 1 * 16}},
}

// Multisample sets the number of samples of each pixel that Quads tests: 1, 2, 4 or 8.
func (t *Primitive) Multisample(samples int) { t.samples = locations[samples] }

// A Point has a primitive's interpolated values at a position, inside or outside
// of the primitive.
type Point struct {
	// I and J are the perspective-correct weights of the second and the third
	// corner; LinearI and LinearJ are their weights in screen space.
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

// A Quad has the coverage of 2x2 pixels, the first at even X and Y. Bit k of Cover
// is set if pixel (X + k%2, Y + k/2) is covered; bit n of Samples[k], if its sample n
// is.
type Quad struct {
	X, Y    int32
	Cover   uint8
	Samples [4]uint16
}

// Quads calls do for each quad with a covered sample within width x height pixels,
// in tiles of 8x8 pixels from the top left.
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

// bounds returns the range of pixels [from, to) between two sub-pixel coordinates,
// within 0..size.
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

// sampled returns the samples of a pixel that the primitive covers, as a mask.
func (t *Primitive) sampled(x, y int) (mask uint16) {
	for n, at := range t.samples {
		if t.covers(x, y, at) {
			mask |= 1 << n
		}
	}
	return mask
}

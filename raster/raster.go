// Package raster finds the pixels that triangles in screen space cover, as 2x2
// quads with their helper pixels, in the order in which hardware would shade
// them.
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
	one  = 1 << subPixelBits
	half = one / 2
	// maxCoordinate keeps the edge functions far within 64 bits, in pixels.
	maxCoordinate = 1 << 16
	// tile is the side of the blocks in which pixels are walked, in pixels.
	tile = 8
)

// ErrTriangle says that a triangle can't be drawn.
var ErrTriangle = errors.New("raster: triangle")

// A Vertex is a corner in screen space: x to the right and y down in pixels, z
// the depth, w the clip-space w that attributes are divided by.
type Vertex struct{ X, Y, Z, W float64 }

// A Triangle is set up for walking. Its corners are rounded to sub-pixels.
type Triangle struct {
	x, y  [3]int64
	edges [3]edge // opposite to the corner of the same index; positive inside
	area  float64 // twice the area, in square sub-pixels, positive
	z, rw [3]float64
	// CounterClockwise as Vulkan counts it: by the sign of the area in
	// framebuffer coordinates, of which y points down.
	CounterClockwise bool
}

// An edge is a*x + b*y + c over sub-pixel positions; the top-left rule is in c.
type edge struct {
	a, b, c int64
	bias    int64 // 0 for a top or left edge, whose own points count, else -1
}

func (e *edge) at(x, y int64) int64 { return e.a*x + e.b*y + e.c }

// Setup prepares a triangle; ok is false when it has no area.
func Setup(v [3]Vertex) (t *Triangle, ok bool, err error) {
	t = &Triangle{}
	for i, c := range v {
		if err := check(c); err != nil {
			return nil, false, fmt.Errorf("%w: corner %d: %w", ErrTriangle, i, err)
		}
		t.x[i], t.y[i] = fixed(c.X), fixed(c.Y)
		t.z[i], t.rw[i] = c.Z, 1/c.W
	}
	for i := range t.edges {
		t.edges[i] = between(t.x[(i+1)%3], t.y[(i+1)%3], t.x[(i+2)%3], t.y[(i+2)%3])
	}
	area := t.edges[0].at(t.x[0], t.y[0])
	if area == 0 {
		return nil, false, nil
	}
	t.CounterClockwise = area < 0
	for i := range t.edges {
		t.edges[i].orient(area < 0)
	}
	t.area = math.Abs(float64(area))
	return t, true, nil
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

func fixed(x float64) int64 { return int64(math.RoundToEven(x * one)) }

// between is the line from p to q.
func between(px, py, qx, qy int64) edge {
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

// Covers reports that the pixel's centre is in the triangle.
func (t *Triangle) Covers(x, y int) bool {
	px, py := centre(x), centre(y)
	for i := range t.edges {
		if e := &t.edges[i]; e.at(px, py)+e.bias < 0 {
			return false
		}
	}
	return true
}

func centre(p int) int64 { return int64(p)*one + half }

// A Point is what a triangle says of a pixel's centre, inside or outside of it.
type Point struct {
	// I and J are the weights of the second and the third corner, perspective
	// correct; LinearI and LinearJ those in screen space.
	I, J, LinearI, LinearJ float64
	Z                      float64
	RW                     float64 // 1/w
}

// At interpolates at a pixel's centre.
func (t *Triangle) At(x, y int) Point {
	px, py := centre(x), centre(y)
	i := float64(t.edges[1].at(px, py)) / t.area
	j := float64(t.edges[2].at(px, py)) / t.area
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
// (X + k%2, Y + k/2).
type Quad struct {
	X, Y  int32
	Cover uint8
}

// Quads calls do for each quad of which a pixel within width x height is
// covered, in tiles of 8x8 pixels from the top left.
func (t *Triangle) Quads(width, height int, do func(Quad)) {
	x0, x1 := bounds(&t.x, width)
	y0, y1 := bounds(&t.y, height)
	for ty := y0 &^ (tile - 1); ty < y1; ty += tile {
		for tx := x0 &^ (tile - 1); tx < x1; tx += tile {
			t.tile(tx, ty, width, height, do)
		}
	}
}

// bounds are the pixels from the first to the one after the last that a corner
// is in, within 0..size.
func bounds(at *[3]int64, size int) (from, to int) {
	low, high := min(at[0], at[1], at[2])>>subPixelBits, max(at[0], at[1], at[2])>>subPixelBits+1
	return int(min(max(low, 0), int64(size))), int(max(min(high, int64(size)), 0))
}

func (t *Triangle) tile(tx, ty, width, height int, do func(Quad)) {
	for y := ty; y < min(ty+tile, height); y += 2 {
		for x := tx; x < min(tx+tile, width); x += 2 {
			q := Quad{X: int32(x), Y: int32(y)}
			for k := range 4 {
				px, py := x+k%2, y+k/2
				if px < width && py < height && t.Covers(px, py) {
					q.Cover |= 1 << k
				}
			}
			if q.Cover != 0 {
				do(q)
			}
		}
	}
}

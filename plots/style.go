package plots

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// House style: lengths in points at print size.
const (
	textSize   = vg.Length(8)
	smallSize  = vg.Length(7) // ticks' labels, texts among the data
	axisWidth  = vg.Length(0.6)
	gridWidth  = vg.Length(0.4)
	lineWidth  = vg.Length(1.2)
	thinWidth  = vg.Length(0.8)
	tickLength = vg.Length(3)
	markRadius = vg.Length(2.1)
	gap        = vg.Length(3) // between a thing and its label
)

var (
	ink       = color.NRGBA{0x20, 0x20, 0x20, 0xff}
	faintInk  = color.NRGBA{0x60, 0x60, 0x60, 0xff}
	gridColor = color.NRGBA{0xe2, 0xe2, 0xe2, 0xff}
)

// look distinguishes a series from the others: by colour, marker, dash and hatch, each of which suffices.
type look struct {
	color  color.NRGBA
	marker marker
	dash   []vg.Length // nil: solid
	hatch  []float64   // angles of the hatch's lines, degrees
}

// looks has the colours of Okabe and Ito (2008), those that are weak on white last.
var looks = []look{
	{color.NRGBA{0x00, 0x72, 0xb2, 0xff}, disc, nil, nil},
	{color.NRGBA{0xd5, 0x5e, 0x00, 0xff}, square, []vg.Length{4, 1.6}, []float64{45}},
	{color.NRGBA{0x00, 0x9e, 0x73, 0xff}, triangle, []vg.Length{1.2, 1.4}, []float64{-45}},
	{color.NRGBA{0xcc, 0x79, 0xa7, 0xff}, diamond, []vg.Length{5, 1.5, 1.2, 1.5}, []float64{90}},
	{color.NRGBA{0xe6, 0x9f, 0x00, 0xff}, triangleDown, []vg.Length{7, 2}, []float64{0}},
	{color.NRGBA{0x56, 0xb4, 0xe9, 0xff}, pentagon, []vg.Length{3, 1.2, 1.2, 1.2, 1.2, 1.2}, []float64{45, -45}},
	{color.NRGBA{0x00, 0x00, 0x00, 0xff}, plus, []vg.Length{2.2, 1.2}, []float64{0, 90}},
	{color.NRGBA{0xf0, 0xe4, 0x42, 0xff}, cross, []vg.Length{8, 1.5, 2, 1.5}, []float64{20}},
}

// rgb is an opaque colour by its 24 bits.
func rgb(v uint32) color.NRGBA {
	return color.NRGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 0xff}
}

// palettes replace the colours of the looks: Tol's schemes bright and muted (SRON/EPS/TN/09-002), which colour-blind
// readers can distinguish, and greys for print.
var palettes = map[string][]color.NRGBA{
	"bright": {rgb(0x4477aa), rgb(0xee6677), rgb(0x228833), rgb(0xccbb44), rgb(0x66ccee), rgb(0xaa3377), rgb(0xbbbbbb), rgb(0x000000)},
	"muted":  {rgb(0x332288), rgb(0xcc6677), rgb(0x117733), rgb(0xddcc77), rgb(0x88ccee), rgb(0x882255), rgb(0x44aa99), rgb(0x999933)},
	"grey":   {rgb(0x1a1a1a), rgb(0x7a7a7a), rgb(0x454545), rgb(0xa6a6a6), rgb(0x606060), rgb(0xc2c2c2), rgb(0x303030), rgb(0x909090)},
}

// lookOf returns the look of a series in the figure's palette.
func (f *Figure) lookOf(i int) look {
	l := lookOf(i)
	if p, ok := palettes[f.Palette]; ok {
		l.color = p[i%len(p)]
	}
	return l
}

// lookOf repeats the looks; past their end the marker and dash are shifted against the colour.
func lookOf(i int) look {
	l := looks[i%len(looks)]
	if round := i / len(looks); round > 0 {
		other := looks[(i+3*round)%len(looks)]
		l.marker, l.dash, l.hatch = other.marker, other.dash, other.hatch
	}
	return l
}

func (l look) line() draw.LineStyle {
	return draw.LineStyle{Color: l.color, Width: lineWidth, Dashes: l.dash}
}

// bandColor is a series' colour as a ground for its line.
func bandColor(l look) color.NRGBA {
	col := l.color
	col.A = 0x38
	return col
}

func solid(c color.Color, width vg.Length) draw.LineStyle {
	return draw.LineStyle{Color: c, Width: width}
}

// blend mixes a colour with white; opaque tints look the same in every format.
func blend(c color.NRGBA, strength float64) color.NRGBA {
	mix := func(v uint8) uint8 { return uint8(math.Round(255 - strength*(255-float64(v)))) }
	return color.NRGBA{mix(c.R), mix(c.G), mix(c.B), 0xff}
}

// marker is an outline about a point, and whether it can be filled.
type marker struct {
	corners []vg.Point // of a marker of radius 1; nil: a circle
	strokes bool       // pairs of corners are lines
}

var (
	disc         = marker{}
	square       = marker{corners: corners(4, 45, 1.2)}
	triangle     = marker{corners: corners(3, 90, 1.3)}
	diamond      = marker{corners: corners(4, 0, 1.3)}
	triangleDown = marker{corners: corners(3, -90, 1.3)}
	pentagon     = marker{corners: corners(5, 90, 1.15)}
	plus         = marker{corners: []vg.Point{{X: -1.2}, {X: 1.2}, {Y: -1.2}, {Y: 1.2}}, strokes: true}
	cross        = marker{corners: []vg.Point{{X: -1, Y: -1}, {X: 1, Y: 1}, {X: -1, Y: 1}, {X: 1, Y: -1}}, strokes: true}
)

func corners(n int, first, radius float64) []vg.Point {
	pts := make([]vg.Point, n)
	for i := range pts {
		angle := (first + 360*float64(i)/float64(n)) * math.Pi / 180
		pts[i] = vg.Point{X: vg.Length(radius * math.Cos(angle)), Y: vg.Length(radius * math.Sin(angle))}
	}
	return pts
}

func (m marker) path(at vg.Point, r vg.Length) vg.Path {
	if m.corners == nil {
		return circle(at, r)
	}
	var p vg.Path
	for i, c := range m.corners {
		pt := at.Add(c.Scale(r))
		if i == 0 || m.strokes && i%2 == 0 {
			p.Move(pt)
		} else {
			p.Line(pt)
		}
	}
	if !m.strokes {
		p.Close()
	}
	return p
}

// circle is four curves: the formats' arcs differ.
func circle(at vg.Point, r vg.Length) vg.Path {
	const k = 0.5522847 // control point of a quarter circle
	pt := func(x, y float64) vg.Point { return at.Add(vg.Point{X: r * vg.Length(x), Y: r * vg.Length(y)}) }
	var p vg.Path
	p.Move(pt(1, 0))
	p.CubeTo(pt(1, k), pt(k, 1), pt(0, 1))
	p.CubeTo(pt(-k, 1), pt(-1, k), pt(-1, 0))
	p.CubeTo(pt(-1, -k), pt(-k, -1), pt(0, -1))
	p.CubeTo(pt(k, -1), pt(1, -k), pt(1, 0))
	p.Close()
	return p
}

// draw fills the marker, with a thin white rim that separates it from the background, or draws its outline, so that the
// background stays visible.
func (m marker) draw(c draw.Canvas, at vg.Point, r vg.Length, col color.Color, open bool) {
	path := m.path(at, r)
	switch {
	case m.strokes:
		c.SetLineStyle(solid(col, 1))
		c.Stroke(path)
	case open:
		c.SetLineStyle(solid(col, 0.9))
		c.Stroke(path)
	default:
		c.SetColor(col)
		c.Fill(path)
		c.SetLineStyle(solid(color.White, 0.3))
		c.Stroke(path)
	}
}

// sequential is viridis (van der Walt and Smith, 2015) at nine places: even in lightness, for the colour-blind too.
var sequential = []color.NRGBA{
	{0x44, 0x01, 0x54, 0xff}, {0x47, 0x2d, 0x7b, 0xff}, {0x3b, 0x52, 0x8b, 0xff}, {0x2c, 0x72, 0x8e, 0xff}, {0x21, 0x91, 0x8c, 0xff},
	{0x28, 0xae, 0x80, 0xff}, {0x5e, 0xc9, 0x62, 0xff}, {0xad, 0xdc, 0x30, 0xff}, {0xfd, 0xe7, 0x25, 0xff},
}

// diverging runs from vermilion over white to blue.
var diverging = []color.NRGBA{
	{0xa0, 0x41, 0x00, 0xff}, {0xd5, 0x5e, 0x00, 0xff}, {0xee, 0xb5, 0x90, 0xff}, {0xff, 0xff, 0xff, 0xff},
	{0x90, 0xc0, 0xdd, 0xff}, {0x00, 0x72, 0xb2, 0xff}, {0x00, 0x45, 0x6e, 0xff},
}

// shade is the colour at a place from 0 to 1.
func shade(ramp []color.NRGBA, at float64) color.NRGBA {
	at = math.Max(0, math.Min(1, at)) * float64(len(ramp)-1)
	i := min(int(at), len(ramp)-2)
	t := at - float64(i)
	mix := func(a, b uint8) uint8 { return uint8(math.Round(float64(a) + t*(float64(b)-float64(a)))) }
	a, b := ramp[i], ramp[i+1]
	return color.NRGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 0xff}
}

// isDark reports whether white text reads better on a colour than black.
func isDark(c color.NRGBA) bool {
	return 0.299*float64(c.R)+0.587*float64(c.G)+0.114*float64(c.B) < 140
}

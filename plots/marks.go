package plots

import (
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// kindRow describes a kind of figure.
type kindRow struct {
	points  func(b *builder, obs []observation) ([]Point, error)
	marks   func(c *Chart, p *Panel) []plotFunc
	extent  func(p Point) (low, high float64) // of y
	zero    bool                              // y begins at 0
	swatch  bool                              // the legend shows areas, not lines
	aspect  float64                           // of a panel, height to width
	noGridX bool

	combines bool // rows at one place become one point
}

// kinds is set in init, as its functions refer to it.
var kinds map[string]kindRow

func init() {
	kinds = map[string]kindRow{
		"line":     {points: (*builder).combined, combines: true, marks: lineMarks, extent: bandExtent, aspect: 0.62},
		"bar":      {points: (*builder).combined, combines: true, marks: barMarks, extent: bandExtent, zero: true, swatch: true, aspect: 0.58, noGridX: true},
		"stacked":  {points: (*builder).combined, combines: true, marks: stackMarks, extent: bandExtent, zero: true, swatch: true, aspect: 0.58, noGridX: true},
		"box":      {points: (*builder).boxes, marks: boxMarks, extent: boxExtent, swatch: true, aspect: 0.58, noGridX: true},
		"heatmap":  {points: (*builder).combined, combines: true, marks: heatMarks, extent: yExtent, aspect: 0.7, noGridX: true},
		"scatter":  {points: (*builder).everyRow, marks: scatterMarks, extent: bandExtent, aspect: 0.75},
		"timeline": {points: (*builder).everyRow, marks: spanMarks, extent: yExtent, swatch: true, aspect: 0.5},
		"roofline": {points: (*builder).everyRow, marks: roofMarks, extent: yExtent, aspect: 0.66},
	}
}

func yExtent(p Point) (low, high float64)   { return p.Y, p.Y }
func boxExtent(p Point) (low, high float64) { return p.Values[0], p.Values[len(p.Values)-1] }

func bandExtent(p Point) (low, high float64) {
	if p.Low == 0 && p.High == 0 {
		return p.Y, p.Y
	}
	return min(p.Low, p.Y), max(p.High, p.Y)
}

// axes are the axes of a panel.
type axes struct{ X, Y scale }

// plotFunc draws marks on a panel's canvas.
type plotFunc func(c draw.Canvas, p *axes)

// pointAt returns a point's position on the canvas. Values that a log axis can't show are at its lower end.
func pointAt(c draw.Canvas, p *axes, x, y float64) vg.Point {
	return vg.Point{X: c.X(p.X.norm(x)), Y: c.Y(p.Y.norm(y))}
}

// inSight reports whether a place is on the canvas, up to the rounding of logarithms at its ends.
func inSight(c draw.Canvas, p vg.Point) bool {
	const slack = 1e-6 // points
	return p.X >= c.Min.X-slack && p.X <= c.Max.X+slack && p.Y >= c.Min.Y-slack && p.Y <= c.Max.Y+slack
}

func rectangle(a, b vg.Point) []vg.Point {
	return []vg.Point{a, {X: b.X, Y: a.Y}, b, {X: a.X, Y: b.Y}}
}

// groupWidth is the share of a category's width that its bars cover.
const groupWidth = 0.78

// slot is the place of a series' bar at a category: its left and right end.
func slot(x float64, i, n int) (left, right float64) {
	w := groupWidth / float64(n)
	left = x - groupWidth/2 + float64(i)*w
	return left, left + w
}

func barMarks(c *Chart, p *Panel) []plotFunc {
	return []plotFunc{func(dc draw.Canvas, pl *axes) {
		for _, s := range p.Series {
			for _, pt := range s.Points {
				left, right := slot(pt.X, s.Index, len(c.series))
				drawBar(dc, pl, c.figure.lookOf(s.Index), left, right, barBase(pl), pt.Y)
				if s.Band {
					whiskerAt(dc, pl, (left+right)/2, pt.Low, pt.High, 1.8, ink)
				}
				if c.figure.Cells {
					drawBarValue(dc, c.font(), pl, (left+right)/2, max(pt.Y, pt.High), pt.Y)
				}
			}
		}
		if barBase(pl) == 0 && pl.Y.low < 0 {
			zero := pointAt(dc, pl, pl.X.low, 0)
			dc.StrokeLine2(solid(ink, axisWidth), dc.Min.X, zero.Y, dc.Max.X, zero.Y)
		}
	}}
}

func barBase(p *axes) float64 {
	if p.Y.isLog() {
		return p.Y.low
	}
	return 0
}

func drawBarValue(c draw.Canvas, f *family, p *axes, x, top, value float64) {
	c.SetColor(ink)
	label := strconv.FormatFloat(value, 'g', 3, 64)
	f.write(c, minus(label), pointAt(c, p, x, math.Max(top, 0)).Add(vg.Point{Y: 2}), 6, atBottom, 0)
}

func drawBar(c draw.Canvas, p *axes, l look, left, right, low, high float64) {
	pts := c.ClipPolygonXY(rectangle(pointAt(c, p, left, low), pointAt(c, p, right, high)))
	if len(pts) == 0 {
		return
	}
	drawArea(c, l, pts)
}

// drawArea fills a rectangle with a series' colour and hatch.
func drawArea(c draw.Canvas, l look, pts []vg.Point) {
	c.FillPolygon(l.color, pts)
	box := bounds(pts)
	for _, angle := range l.hatch {
		drawHatch(c, box, angle, hatchColor(l.color))
	}
	c.StrokeLines(solid(color.White, 0.4), append(pts, pts[0]))
}

func hatchColor(on color.NRGBA) color.NRGBA {
	if isDark(on) {
		return color.NRGBA{0xff, 0xff, 0xff, 0xb0}
	}
	return color.NRGBA{0xff, 0xff, 0xff, 0xd0}
}

func bounds(pts []vg.Point) vg.Rectangle {
	r := vg.Rectangle{Min: pts[0], Max: pts[0]}
	for _, p := range pts {
		r.Min = vg.Point{X: min(r.Min.X, p.X), Y: min(r.Min.Y, p.Y)}
		r.Max = vg.Point{X: max(r.Max.X, p.X), Y: max(r.Max.Y, p.Y)}
	}
	return r
}

// hatchPitch is the distance of a hatch's lines, points.
const hatchPitch = 3.2

// drawHatch draws parallel lines; they are counted from the figure's corner, so that neighbours' lines meet.
func drawHatch(c draw.Canvas, box vg.Rectangle, degrees float64, col color.Color) {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	dir, normal := vg.Point{X: vg.Length(cos), Y: vg.Length(sin)}, vg.Point{X: vg.Length(-sin), Y: vg.Length(cos)}
	low, high := math.Inf(1), math.Inf(-1)
	for _, p := range rectangle(box.Min, box.Max) {
		d := float64(p.Dot(normal))
		low, high = math.Min(low, d), math.Max(high, d)
	}
	clip := draw.Canvas{Canvas: c.Canvas, Rectangle: box}
	reach := dir.Scale(5000) // points: beyond any figure
	for i := math.Ceil(low / hatchPitch); i*hatchPitch < high; i++ {
		foot := normal.Scale(vg.Length(i * hatchPitch))
		clip.StrokeLines(solid(col, 0.5), clip.ClipLinesXY([]vg.Point{foot.Sub(reach), foot.Add(reach)})...)
	}
}

// whiskerAt draws an error bar between two values of y.
func whiskerAt(c draw.Canvas, p *axes, x, low, high float64, half vg.Length, col color.Color) {
	a, b := pointAt(c, p, x, low), pointAt(c, p, x, high)
	drawWhisker(c, a.X, a.Y, b.Y, half, col)
}

// drawWhisker is an error bar with caps of some half width in points.
func drawWhisker(c draw.Canvas, x, low, high, half vg.Length, col color.Color) {
	lines := [][]vg.Point{{{X: x, Y: low}, {X: x, Y: high}}, {{X: x - half, Y: low}, {X: x + half, Y: low}}, {{X: x - half, Y: high}, {X: x + half, Y: high}}}
	c.StrokeLines(solid(col, 0.7), c.ClipLinesXY(lines...)...)
}

func stackMarks(c *Chart, p *Panel) []plotFunc {
	return []plotFunc{func(dc draw.Canvas, pl *axes) {
		for _, s := range p.Series {
			for _, pt := range s.Points {
				if pt.High > pt.Low {
					left, right := slot(pt.X, 0, 1)
					drawBar(dc, pl, c.figure.lookOf(s.Index), left, right, pt.Low, pt.High)
				}
			}
		}
	}}
}

func boxMarks(c *Chart, p *Panel) []plotFunc {
	return []plotFunc{func(dc draw.Canvas, pl *axes) {
		for _, s := range p.Series {
			for _, pt := range s.Points {
				left, right := slot(pt.X, s.Index, len(c.series))
				inset := (right - left) * 0.12
				drawBox(dc, pl, c.figure.lookOf(s.Index), left+inset, right-inset, pt.Values)
			}
		}
	}}
}

// drawBox draws quartiles and median, whiskers to the last values within 1.5 interquartile ranges (Tukey), the rest as points.
func drawBox(c draw.Canvas, p *axes, l look, left, right float64, values []float64) {
	q1, q2, q3 := quantile(values, 0.25), quantile(values, 0.5), quantile(values, 0.75)
	low, high := whiskers(values, q1, q3)
	middle := (left + right) / 2
	half := (pointAt(c, p, right, q2).X - pointAt(c, p, left, q2).X) / 4
	whiskerAt(c, p, middle, low, q1, half, l.color)
	whiskerAt(c, p, middle, q3, high, half, l.color)
	pts := c.ClipPolygonXY(rectangle(pointAt(c, p, left, q1), pointAt(c, p, right, q3)))
	if len(pts) > 0 {
		drawPaleArea(c, l, pts)
	}
	a, b := pointAt(c, p, left, q2), pointAt(c, p, right, q2)
	c.StrokeLines(solid(ink, 1.2), c.ClipLinesXY([]vg.Point{a, b})...)
	for _, v := range values {
		if pt := pointAt(c, p, middle, v); (v < low || v > high) && inSight(c, pt) {
			l.marker.draw(c, pt, 1.4, l.color, true)
		}
	}
}

func drawPaleArea(c draw.Canvas, l look, pts []vg.Point) {
	c.FillPolygon(blend(l.color, 0.35), pts)
	for _, angle := range l.hatch {
		drawHatch(c, bounds(pts), angle, blend(l.color, 0.8))
	}
	c.StrokeLines(solid(l.color, thinWidth), append(pts, pts[0]))
}

func whiskers(values []float64, q1, q3 float64) (low, high float64) {
	reach := 1.5 * (q3 - q1)
	low, high = q1, q3
	for _, v := range values {
		if v >= q1-reach {
			low = min(low, v)
		}
		if v <= q3+reach {
			high = max(high, v)
		}
	}
	return low, high
}

func scatterMarks(c *Chart, p *Panel) []plotFunc {
	return []plotFunc{func(dc draw.Canvas, pl *axes) {
		if c.figure.Identity {
			drawMultiple(dc, pl, 1, identityStyle)
		}
		if f := c.figure.Within; f > 1 {
			drawMultiple(dc, pl, f, withinStyle)
			drawMultiple(dc, pl, 1/f, withinStyle)
		}
		drawPoints(dc, pl, p, c.figure)
	}}
}

// drawMultiple draws the line y = f x: on axes of one scale it is straight.
func drawMultiple(dc draw.Canvas, pl *axes, f float64, style draw.LineStyle) {
	low, high := min(pl.X.low, pl.Y.low), max(pl.X.high, pl.Y.high)
	line := []vg.Point{pointAt(dc, pl, low, f*low), pointAt(dc, pl, high, f*high)}
	dc.StrokeLines(style, dc.ClipLinesXY(line)...)
}

func drawPoints(c draw.Canvas, p *axes, panel *Panel, f *Figure) {
	for _, s := range panel.Series {
		l := f.lookOf(s.Index)
		for _, pt := range s.Points {
			if s.Band {
				whiskerAt(c, p, pt.X, pt.Low, pt.High, 1.5, l.color)
			}
			if place := pointAt(c, p, pt.X, pt.Y); inSight(c, place) {
				l.marker.draw(c, place, markRadius, l.color, false)
			}
		}
	}
}

// heatMarks fill the cells; cells without a row stay grey.
func heatMarks(c *Chart, p *Panel) []plotFunc {
	return []plotFunc{func(dc draw.Canvas, pl *axes) {
		dc.FillPolygon(color.NRGBA{0xd8, 0xd8, 0xd8, 0xff}, rectangle(dc.Min, dc.Max))
		s := c.shades()
		for _, series := range p.Series {
			for _, pt := range series.Points {
				col := s.color(pt.Value)
				a, b := pointAt(dc, pl, pt.X-0.5, pt.Y-0.5), pointAt(dc, pl, pt.X+0.5, pt.Y+0.5)
				dc.FillPolygon(col, rectangle(a, b))
				dc.StrokeLines(solid(color.White, 0.3), append(rectangle(a, b), a))
				if c.figure.Cells {
					drawCell(dc, c.font(), a, b, col, pt.Value)
				}
			}
		}
	}}
}

func drawCell(c draw.Canvas, f *family, a, b vg.Point, on color.NRGBA, value float64) {
	c.SetColor(ink)
	if isDark(on) {
		c.SetColor(color.White)
	}
	label := minus(strconv.FormatFloat(value, 'g', 3, 64))
	if math.Abs(value) >= 1000 && math.Abs(value) < 1e5 {
		label = minus(strconv.FormatFloat(value, 'f', 0, 64))
	}
	size := smallSize
	if w := f.width(label, size); w > (b.X-a.X)*0.9 {
		size *= (b.X - a.X) * 0.9 / w
	}
	const readable = 2 // points; smaller is a smudge
	if size = min(size, (b.Y-a.Y)*0.9); size >= readable {
		f.write(c, label, a.Add(b).Scale(0.5), size, atCenter, 0)
	}
}

// spanHeight is the share of a lane's height that its spans cover.
const spanHeight = 0.7

func spanMarks(c *Chart, p *Panel) []plotFunc {
	return []plotFunc{func(dc draw.Canvas, pl *axes) {
		for _, s := range p.Series {
			l := c.figure.lookOf(s.Index)
			for _, pt := range s.Points {
				pts := dc.ClipPolygonXY(rectangle(pointAt(dc, pl, pt.X, pt.Y-spanHeight/2), pointAt(dc, pl, pt.End, pt.Y+spanHeight/2)))
				if len(pts) > 0 {
					drawArea(dc, l, pts)
					drawSpanText(dc, c.font(), l, bounds(pts), pt.Text)
				}
			}
		}
	}}
}

// drawSpanText writes a text that fits into its span, on a ground of the span's colour.
func drawSpanText(c draw.Canvas, f *family, l look, box vg.Rectangle, text string) {
	const size = 6.5
	w := f.width(text, size)
	if text == "" || w+3 > box.Size().X || size > box.Size().Y {
		return
	}
	middle := box.Min.Add(box.Max).Scale(0.5)
	half := vg.Point{X: w/2 + 1.2, Y: size*f.capHeight/2 + 1}
	c.FillPolygon(l.color, rectangle(middle.Sub(half), middle.Add(half)))
	c.SetColor(ink)
	if isDark(l.color) {
		c.SetColor(color.White)
	}
	f.write(c, text, middle, size, atCenter, 0)
}

func roofMarks(c *Chart, p *Panel) []plotFunc {
	return []plotFunc{func(dc draw.Canvas, pl *axes) {
		for _, r := range c.figure.Roofs {
			a, b := c.roofLine(r, pl)
			dc.StrokeLines(solid(faintInk, 1), dc.ClipLinesXY([]vg.Point{pointAt(dc, pl, a.x, a.y), pointAt(dc, pl, b.x, b.y)})...)
		}
		drawPoints(dc, pl, p, c.figure)
	}}
}

type xy struct{ x, y float64 }

// roofLine ends a slope at the highest peak, and begins a peak at the steepest slope.
func (c *Chart) roofLine(r Roof, p *axes) (from, to xy) {
	peak, bandwidth := c.highestRoofs()
	if r.Peak > 0 {
		start := p.X.low
		if bandwidth > 0 {
			start = max(start, r.Peak/bandwidth)
		}
		return xy{start, r.Peak}, xy{p.X.high, r.Peak}
	}
	end := p.X.high
	if peak > 0 {
		end = peak / r.Bandwidth
	}
	return xy{p.X.low, p.X.low * r.Bandwidth}, xy{end, end * r.Bandwidth}
}

func (c *Chart) highestRoofs() (peak, bandwidth float64) {
	for _, r := range c.figure.Roofs {
		peak, bandwidth = max(peak, r.Peak), max(bandwidth, r.Bandwidth)
	}
	return peak, bandwidth
}

// shades turn values into colours.
type shades struct {
	scale
	ramp []color.NRGBA
}

func (c *Chart) shades() shades {
	s := shades{c.shadeScale(), sequential}
	if c.figure.Value.Center != nil {
		s.ramp = diverging
	}
	s.scale = newScale(s.kind, s.low, s.high)
	return s
}

// shadeScale returns the range of the values, with the ends that the figure sets, and symmetric about its centre if it
// has one.
func (c *Chart) shadeScale() scale {
	v := c.figure.Value
	s := scale{kind: c.value.Scale, low: math.Inf(1), high: math.Inf(-1)}
	for _, p := range c.Panels {
		for _, series := range p.Series {
			for _, pt := range series.Points {
				s.low, s.high = min(s.low, pt.Value), max(s.high, pt.Value)
			}
		}
	}
	if v.Min != nil {
		s.low = *v.Min
	}
	if v.Max != nil {
		s.high = *v.Max
	}
	if v.Center != nil {
		return s.balanced(*v.Center)
	}
	return s
}

func (s shades) color(v float64) color.NRGBA { return shade(s.ramp, s.norm(v)) }

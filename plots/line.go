package plots

import (
	"cmp"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"spvsim/internal/lists"
)

func lineMarks(c *Chart, p *Panel) []plotFunc {
	if c.figure.Lines == "off" {
		return []plotFunc{func(dc draw.Canvas, a *axes) { drawApart(dc, a, c, p) }}
	}
	var bands, lines []plotFunc
	for _, s := range p.Series {
		if s.Band {
			bands = append(bands, func(dc draw.Canvas, a *axes) { drawBand(dc, a, s, c.figure) })
		}
		lines = append(lines, func(dc draw.Canvas, a *axes) { drawLine(dc, a, s, c.figure) })
	}
	return append(bands, lines...)
}

func drawBand(c draw.Canvas, p *axes, s Series, f *Figure) {
	var lower, upper []vg.Point
	for _, pt := range s.Points {
		lower, upper = append(lower, pointAt(c, p, pt.X, pt.Low)), append(upper, pointAt(c, p, pt.X, pt.High))
	}
	lower, upper = stepped(lower, f.Step), stepped(upper, f.Step)
	for i := len(lower) - 1; i >= 0; i-- {
		upper = append(upper, lower[i])
	}
	c.FillPolygon(bandColor(f.lookOf(s.Index)), c.ClipPolygonXY(upper))
}

// stepped keeps each y until the next x.
func stepped(pts []vg.Point, step bool) []vg.Point {
	if !step {
		return pts
	}
	var out []vg.Point
	for i, p := range pts {
		if i > 0 {
			out = append(out, vg.Point{X: p.X, Y: pts[i-1].Y})
		}
		out = append(out, p)
	}
	return out
}

func drawLine(c draw.Canvas, p *axes, s Series, f *Figure) {
	pts := placesOf(c, p, s)
	l := f.lookOf(s.Index)
	c.StrokeLines(l.line(), c.ClipLinesXY(stepped(pts, f.Step))...)
	if !wantMarkers(f, pts) {
		return
	}
	for _, pt := range pts {
		if inSight(c, pt) {
			l.marker.draw(c, pt, markRadius, l.color, false)
		}
	}
}

func placesOf(c draw.Canvas, p *axes, s Series) []vg.Point {
	return lists.Map(s.Points, func(pt Point) vg.Point { return pointAt(c, p, pt.X, pt.Y) })
}

// wantMarkers reports whether markers would be distinguishable: three radii apart on average.
func wantMarkers(f *Figure, pts []vg.Point) bool {
	if f.Lines == "off" || f.Markers == "on" || f.Markers == "off" || len(pts) < 2 {
		return f.Lines == "off" || f.Markers != "off"
	}
	return (pts[len(pts)-1].X-pts[0].X)/vg.Length(len(pts)-1) > 3*markRadius
}

// dataPoint is a point of a figure without lines, at its place on the canvas.
type dataPoint struct {
	at    vg.Point
	point Point
	from  *Series
}

// drawApart draws points without lines. On an axis of categories, overlapping points are spread side by side; on an
// axis of numbers they keep their place, which is their value.
func drawApart(c draw.Canvas, p *axes, chart *Chart, panel *Panel) {
	var marks []dataPoint
	for i := range panel.Series {
		s := &panel.Series[i]
		for k, place := range placesOf(c, p, *s) {
			marks = append(marks, dataPoint{place, s.Points[k], s})
		}
	}
	if chart.X.Scale == "category" {
		spreadMarks(marks)
	}
	for _, m := range marks {
		l := chart.figure.lookOf(m.from.Index)
		if m.from.Band {
			low, high := pointAt(c, p, m.point.X, m.point.Low).Y, pointAt(c, p, m.point.X, m.point.High).Y
			drawWhisker(c, m.at.X, low, high, 1.5, l.color)
		}
		if inSight(c, m.at) {
			l.marker.draw(c, m.at, markRadius, l.color, false)
		}
	}
}

// spreadMarks moves marks of one x that touch each other apart, in the order of their series.
func spreadMarks(marks []dataPoint) {
	slices.SortStableFunc(marks, func(a, b dataPoint) int {
		return cmp.Or(cmp.Compare(a.point.X, b.point.X), cmp.Compare(a.at.Y, b.at.Y))
	})
	for start := 0; start < len(marks); {
		end := start + 1
		for end < len(marks) && marks[end].point.X == marks[start].point.X && marks[end].at.Y-marks[end-1].at.Y < 2*markRadius {
			end++
		}
		group := marks[start:end]
		slices.SortStableFunc(group, func(a, b dataPoint) int { return cmp.Compare(a.from.Index, b.from.Index) })
		for i := range group {
			group[i].at.X += (vg.Length(i) - vg.Length(len(group)-1)/2) * 2 * markRadius
		}
		start = end
	}
}

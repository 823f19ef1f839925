package plots

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"sort"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"spvsim/internal/spec"
)

// referenceLook distinguishes reference points: open black markers.
func referenceLook(i int) look {
	l := looks[(i+1)%5] // the markers that can be open; the disc is the first series'
	l.color, l.dash = ink, nil
	return l
}

// isIn reports whether an annotation belongs to a panel.
func (c *Chart) isIn(a Annotation, p *Panel) bool {
	return a.Facet == "" || p.Name == a.Facet || p.Row == a.Facet || strings.HasSuffix(p.Name, " = "+a.Facet)
}

// referenceDashes distinguish lines with a source, in the order of the figure.
var referenceDashes = [][]vg.Length{{1, 1.5}, {6, 2}, {6, 1.5, 1, 1.5}, {3, 1, 3, 3}}

// referenceLine returns the style of a line: each line with a source, which the legend names, has its own.
func (c *Chart) referenceLine(index int) draw.LineStyle {
	style := draw.LineStyle{Color: faintInk, Width: thinWidth, Dashes: []vg.Length{3, 2}}
	if !c.figure.Annotations[index].inLegend() {
		return style
	}
	n := 0
	for i := range index {
		if a := c.figure.Annotations[i]; a.isLine() && a.inLegend() {
			n++
		}
	}
	style.Color, style.Dashes = ink, referenceDashes[n%len(referenceDashes)]
	return style
}

func (a *Annotation) isLine() bool { return a.VLine != nil || a.HLine != nil && a.Crossing == nil }

// inLegend reports whether the legend names an annotation: reference points, and lines with a source.
func (a *Annotation) inLegend() bool { return len(a.Points) > 0 || a.isLine() && a.Source != "" }

// name returns the text of the legend's entry.
func (a *Annotation) name() string {
	if a.Text != "" && a.Source != "" {
		return a.Text + " (" + a.Source + ")"
	}
	return cmp.Or(a.Text, a.Source)
}

func drawReferenceLine(c draw.Canvas, p *axes, a Annotation, style draw.LineStyle) {
	if a.VLine != nil {
		x := pointAt(c, p, *a.VLine, p.Y.low).X
		c.StrokeLines(style, c.ClipLinesXY([]vg.Point{{X: x, Y: c.Min.Y}, {X: x, Y: c.Max.Y}})...)
	}
	if a.HLine != nil && a.Crossing == nil {
		y := pointAt(c, p, p.X.low, *a.HLine).Y
		c.StrokeLines(style, c.ClipLinesXY([]vg.Point{{X: c.Min.X, Y: y}, {X: c.Max.X, Y: y}})...)
	}
}

// drawAnnotations draws reference points and texts over the marks, each text where it covers least.
func (l *layout) drawAnnotations(c draw.Canvas, p *pane, k *inkCanvas) {
	n := 0
	for _, a := range l.c.figure.Annotations {
		if len(a.Points) > 0 {
			if l.c.isIn(a, p.panel) {
				drawReferencePoints(c, p, k, a, referenceLook(n))
			}
			n++
		}
	}
	for _, r := range l.c.figure.Roofs {
		l.drawRoofName(c, p, k, r)
	}
	for _, a := range l.c.figure.Annotations {
		if l.c.isIn(a, p.panel) {
			l.drawAnnotation(c, p, k, a)
		}
	}
	if l.c.Kind == "scatter" || l.c.Kind == "roofline" {
		drawPointTexts(c, p, k)
	}
}

// referenceRadius is larger than a series' marks, which stay in sight within.
const referenceRadius = markRadius + 1.5

func drawReferencePoints(c draw.Canvas, p *pane, k *inkCanvas, a Annotation, look look) {
	for _, pt := range a.Points {
		place := pointAt(c, p.axes, pt[0], pt[1])
		if inSight(c, place) {
			look.marker.draw(c, place, referenceRadius, look.color, true)
			look.marker.draw(k.on(p.rect), place, referenceRadius, look.color, true)
		}
	}
}

func (l *layout) drawAnnotation(c draw.Canvas, p *pane, k *inkCanvas, a Annotation) {
	switch {
	case a.inLegend(): // its text is there
	case a.VLine != nil:
		label(c, k, p.rect, a.Text, besideVertical(p.rect, pointAt(c, p.axes, *a.VLine, p.axes.Y.low).X))
	case a.Crossing != nil:
		l.drawCrossing(c, p, k, a)
	case a.HLine != nil:
		label(c, k, p.rect, a.Text, besideHorizontal(p.rect, pointAt(c, p.axes, p.axes.X.low, *a.HLine).Y))
	case a.X != nil && a.Y != nil:
		align := alignment{map[string]vg.Length{"center": 0.5, "right": 1}[a.Align], 0.5}
		label(c, k, p.rect, a.Text, []candidate{{at: pointAt(c, p.axes, *a.X, *a.Y), align: align}})
	}
}

// candidate is a possible position of a label.
type candidate struct {
	at    vg.Point
	align alignment
	far   int // penalty for the distance from the point, in cells of ink
}

// besideVertical are places to the right and left of a line, from the top.
func besideVertical(r vg.Rectangle, x vg.Length) []candidate {
	var out []candidate
	for i := range 12 {
		y := r.Max.Y - 5 - vg.Length(i)*(r.Size().Y-10)/12
		out = append(out, candidate{at: vg.Point{X: x + 2.5, Y: y}, align: atLeft}, candidate{at: vg.Point{X: x - 2.5, Y: y}, align: atRight})
	}
	return out
}

// besideHorizontal are places over and under a line, from the right.
func besideHorizontal(r vg.Rectangle, y vg.Length) []candidate {
	var out []candidate
	for i := range 12 {
		x := r.Max.X - 1 - vg.Length(i)*r.Size().X/14
		out = append(out, candidate{at: vg.Point{X: x, Y: y + 2.5}, align: alignment{1, 0}}, candidate{at: vg.Point{X: x, Y: y - 2.5}, align: alignment{1, 1}})
	}
	return out
}

// A crossing's number may cover so many cells of ink before it moves a step away from its ring; a point's name, which
// would hide other points, may cover none.
const (
	crossingNearness = 20
	pointNearness    = 0
)

// candidatesAround are places about a point, near before far.
func candidatesAround(pt vg.Point, nearness int) []candidate {
	var out []candidate
	for i, distance := range []vg.Length{4, 8, 13} {
		d := distance * 0.75
		for _, c := range []candidate{
			{at: vg.Point{X: distance}, align: atLeft}, {at: vg.Point{X: -distance}, align: atRight}, {at: vg.Point{Y: distance}, align: atBottom}, {at: vg.Point{Y: -distance}, align: atTop},
			{at: vg.Point{X: d, Y: d}, align: alignment{0, 0}}, {at: vg.Point{X: d, Y: -d}, align: alignment{0, 1}},
			{at: vg.Point{X: -d, Y: d}, align: alignment{1, 0}}, {at: vg.Point{X: -d, Y: -d}, align: alignment{1, 1}},
		} {
			out = append(out, candidate{at: pt.Add(c.at), align: c.align, far: i * nearness})
		}
	}
	return out
}

// box returns the rectangle that a text covers at the position.
func (p candidate) box(f *family, text string, size vg.Length) vg.Rectangle {
	w, h := f.width(text, size), f.height(text, size)
	low := p.at.Sub(vg.Point{X: p.align.x * w, Y: p.align.y * h})
	return vg.Rectangle{Min: low.Sub(vg.Point{X: 0.5, Y: size * f.descent}), Max: low.Add(vg.Point{X: w + 0.5, Y: h + 0.5})}
}

// onText is the penalty for covering another text, in cells of marks: both would be unreadable.
const onText = 500

// label writes a text at the candidate that covers least and is inside the frame.
func label(c draw.Canvas, k *inkCanvas, frame vg.Rectangle, text string, places []candidate) {
	best, covered := places[0], math.MaxInt
	for _, p := range places {
		box := p.box(k.font, text, smallSize)
		n := k.count(box) + onText*k.textsUnder(box)
		if box.Min.X < frame.Min.X || box.Max.X > frame.Max.X-1 || box.Min.Y < frame.Min.Y || box.Max.Y > frame.Max.Y+4 {
			n += 10_000
		}
		if n+p.far < covered {
			best, covered = p, n+p.far
		}
	}
	if covered > best.far && covered < 10_000 { // it covers marks: a white background keeps it readable
		box := best.box(k.font, text, smallSize)
		c.FillPolygon(color.NRGBA{0xff, 0xff, 0xff, 0xc8}, rectangle(box.Min, box.Max))
	}
	c.SetColor(ink)
	k.font.write(c, text, best.at, smallSize, best.align, 0)
	if text != "" {
		box := best.box(k.font, text, smallSize)
		k.addInk(box)
		k.texts = append(k.texts, box)
	}
}

func drawPointTexts(c draw.Canvas, p *pane, k *inkCanvas) {
	for _, s := range p.panel.Series {
		for _, pt := range s.Points {
			if place := pointAt(c, p.axes, pt.X, pt.Y); pt.Text != "" && inSight(c, place) {
				label(c, k, p.rect, pt.Text, candidatesAround(place, pointNearness))
			}
		}
	}
}

// drawRoofName writes a roof's name along it, over the part that is in sight.
func (l *layout) drawRoofName(c draw.Canvas, p *pane, k *inkCanvas, r Roof) {
	from, to := l.c.roofLine(r, p.axes)
	lines := c.ClipLinesXY([]vg.Point{pointAt(c, p.axes, from.x, from.y), pointAt(c, p.axes, to.x, to.y)})
	if len(lines) == 0 || r.Name == "" {
		return
	}
	a, b := lines[0][0], lines[0][len(lines[0])-1]
	d := b.Sub(a)
	angle := math.Atan2(float64(d.Y), float64(d.X))
	normal := vg.Point{X: vg.Length(-math.Sin(angle)), Y: vg.Length(math.Cos(angle))}.Scale(2.5)
	if r.Peak > 0 {
		label(c, k, p.rect, r.Name, overHorizontal(a.X, b.X, a.Y))
		return
	}
	c.SetColor(ink)
	place, align := a.Add(d.Scale(0.06)).Add(normal), alignment{0, 0}
	k.font.write(c, r.Name, place, smallSize, align, angle*180/math.Pi)
	markAlong(k, place, vg.Length(angle), k.font.width(r.Name, smallSize), align.x)
}

// overHorizontal are places over a line, then under it, from its right end.
func overHorizontal(left, right, y vg.Length) []candidate {
	var out []candidate
	for _, c := range []candidate{{at: vg.Point{Y: 2.5}, align: alignment{1, 0}}, {at: vg.Point{Y: -2.5}, align: alignment{1, 1}}} {
		for i := range 10 {
			x := right - 2 - vg.Length(i)*(right-left)/12
			out = append(out, candidate{at: vg.Point{X: x, Y: y + c.at.Y}, align: c.align})
		}
	}
	return out
}

// markAlong notes a turned text.
func markAlong(k *inkCanvas, at vg.Point, angle, width, before vg.Length) {
	dir := vg.Point{X: vg.Length(math.Cos(float64(angle))), Y: vg.Length(math.Sin(float64(angle)))}
	for s := -before * width; s <= (1-before)*width; s += inkCell {
		p := at.Add(dir.Scale(s))
		k.addInk(vg.Rectangle{Min: p, Max: p.Add(vg.Point{X: 2, Y: smallSize * k.font.capHeight})})
	}
}

// drawCrossing rings the places where two series cross, or one crosses a level.
func (l *layout) drawCrossing(c draw.Canvas, p *pane, k *inkCanvas, a Annotation) {
	for _, x := range l.c.crossings(p.panel, a) {
		place := pointAt(c, p.axes, x.x, x.y)
		if !inSight(c, place) {
			continue
		}
		drawDropLine(c, place)
		drawDropLine(k.on(p.rect), place)
		disc.draw(c, place, markRadius+1, ink, true)
		disc.draw(k.on(p.rect), place, markRadius+1, ink, true)
		text := strings.ReplaceAll(cmp.Or(a.Text, "%x"), "%x", placeNumber(x.x))
		label(c, k, p.rect, text, candidatesAround(place, crossingNearness))
	}
}

func drawDropLine(c draw.Canvas, from vg.Point) {
	c.StrokeLines(draw.LineStyle{Color: faintInk, Width: 0.5, Dashes: []vg.Length{1.2, 1.6}}, []vg.Point{from, {X: from.X, Y: c.Min.Y}})
}

// placeNumber has three digits at most, as a crossing is read between points.
func placeNumber(x float64) string {
	if x >= 1000 {
		digits := math.Pow(10, math.Floor(math.Log10(x))-2)
		return strconv.FormatFloat(math.Round(x/digits)*digits, 'f', 0, 64)
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}

// crossings finds where series cross, read along straight lines between points as the axes show them.
func (c *Chart) crossings(p *Panel, a Annotation) []xy {
	first, y := c.line(p, a.Crossing[0]), scale{kind: c.Y.Scale}
	second := func(x float64) (float64, bool) { return y.unit(valueOf(a.HLine)), true }
	if len(a.Crossing) == 2 {
		other := c.line(p, a.Crossing[1])
		second = func(x float64) (float64, bool) { return interpolate(other, x) }
		first = withPlaces(first, other)
	}
	var out []xy
	last, lastX, have := 0.0, 0.0, false
	for _, pt := range first {
		other, ok := second(pt.x)
		if !ok { // before the other begins or after it ends
			continue
		}
		d := pt.y - other
		if have && (last < 0 && d >= 0 || last > 0 && d <= 0) {
			x := lastX + (pt.x-lastX)*last/(last-d)
			atY, _ := interpolate(first, x)
			out = append(out, xy{scale{kind: c.X.Scale}.value(x), y.value(atY)})
		}
		last, lastX, have = d, pt.x, true
	}
	return out
}

func valueOf(v *float64) float64 {
	if v == nil {
		return 0
	}
	return *v
}

// line returns the points of a series on the axes; its name may be the rows' or the displayed one.
func (c *Chart) line(p *Panel, name string) []xy {
	var out []xy
	for _, s := range p.Series {
		if s.Name == name || c.series[s.Index].value == name {
			for _, pt := range s.Points {
				out = append(out, xy{scale{kind: c.X.Scale}.unit(pt.X), scale{kind: c.Y.Scale}.unit(pt.Y)})
			}
		}
	}
	return out
}

// interpolate reads a line, whose places ascend.
func interpolate(line []xy, x float64) (float64, bool) {
	i := sort.Search(len(line), func(i int) bool { return line[i].x >= x })
	switch {
	case i == len(line):
		return 0, false
	case line[i].x == x:
		return line[i].y, true
	case i == 0:
		return 0, false
	}
	p, q := line[i], line[i-1]
	return q.y + (p.y-q.y)*(x-q.x)/(p.x-q.x), true
}

// withPlaces adds to a line the x of another line's points within its range, interpolated.
func withPlaces(line, other []xy) []xy {
	out := append([]xy(nil), line...)
	for _, p := range other {
		if y, ok := interpolate(line, p.x); ok {
			out = append(out, xy{p.x, y})
		}
	}
	sortByX(out)
	return out
}

// checkAnnotations refuses names that nothing drawn has.
func (b *builder) checkAnnotations() error {
	for i, a := range b.f.Annotations {
		path := fmt.Sprintf("annotations[%d]", i)
		if err := b.checkPlaces(path, &b.chart.figure.Annotations[i]); err != nil {
			return err
		}
		for _, name := range a.Crossing {
			if err := b.checkCrossing(path+".crossing", name); err != nil {
				return err
			}
		}
		found := a.Facet == ""
		var names []string
		for j := range b.chart.Panels {
			found = found || b.chart.isIn(a, &b.chart.Panels[j])
			names = append(names, b.chart.Panels[j].Name)
		}
		if !found {
			return b.f.fail(path+".facet", ErrEmpty, fmt.Sprintf("no panel is named %s%s", a.Facet, spec.Hint(a.Facet, names)))
		}
	}
	return nil
}

// checkPlaces refuses an annotation where its axis shows nothing.
func (b *builder) checkPlaces(path string, a *Annotation) error {
	type coordinate struct {
		path, kind string
		v          *float64
	}
	x, y := b.chart.X.Scale, b.chart.Y.Scale
	coordinates := []coordinate{{".x", x, a.X}, {".y", y, a.Y}, {".vline", x, a.VLine}, {".hline", y, a.HLine}}
	for i, p := range a.Points {
		at := fmt.Sprintf(".points[%d]", i)
		coordinates = append(coordinates, coordinate{at, x, &p[0]}, coordinate{at, y, &p[1]})
	}
	for _, p := range coordinates {
		if p.v == nil {
			continue
		}
		if text := refusal(p.kind, *p.v); text != "" {
			return b.f.fail(path+p.path, ErrRange, "found "+text)
		}
	}
	return nil
}

func (b *builder) checkCrossing(path, name string) error {
	var names []string
	for _, s := range b.chart.series {
		if s.value == name || s.name == name {
			return nil
		}
		names = append(names, s.value)
	}
	return b.f.fail(path, ErrEmpty, fmt.Sprintf("no series is named %s%s", name, spec.Hint(name, names)))
}

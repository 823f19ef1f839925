package plots

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// chooseLayout chooses where the legend is and lays the figure out for it.
func (c *Chart) chooseLayout(style string) (*layout, vg.Point) {
	place := cmp.Or(c.figure.Legend.Place, "auto")
	if c.drawsDirect() {
		if l := c.directLayout(style); place == "direct" || l.check() == nil && l.endsApart() { // the error is reported when it is drawn
			return l, vg.Point{}
		}
	}
	if len(c.entries(place)) == 0 {
		place = "none"
	}
	outside := "bottom"
	if style == "page" && len(c.Panels) == 1 {
		outside = "right"
	}
	if place != "auto" && place != "inside" {
		return c.newLayout(style, place, false), vg.Point{}
	}
	l := c.newLayout(style, "inside", false)
	if l.check() != nil { // the error is reported when it is drawn
		return l, vg.Point{}
	}
	covered, at := math.MaxInt, vg.Point{}
	w, h := l.legendSize()
	for _, p := range l.panes {
		k := newInk(l.font, l.size.X, l.size.Y)
		l.drawData(k.on(p.rect), p, k)
		frame := vg.Rectangle{Min: p.rect.Min.Add(vg.Point{X: gap, Y: gap}), Max: p.rect.Max.Sub(vg.Point{X: gap})}
		if pt, n := k.emptiest(frame, w, h); n < covered {
			covered, at = n, pt
		}
	}
	// The legend applies to all panels: with several it is better outside of them.
	if place == "auto" && (covered > 0 || len(l.panes) > 1) || covered == math.MaxInt {
		return c.newLayout(style, outside, false), vg.Point{}
	}
	return l, at
}

// draw draws the whole figure.
func (l *layout) draw(vc vg.Canvas, legendAt vg.Point) {
	c := draw.Canvas{Canvas: vc, Rectangle: vg.Rectangle{Max: l.size}}
	c.FillPolygon(color.White, rectangle(c.Min, c.Max))
	for i, p := range l.panes {
		k := newInk(l.font, l.size.X, l.size.Y)
		l.drawGrid(p.canvas(vc), p)
		areas := kinds[l.c.Kind].swatch || gridless[l.c.Kind]
		if !areas { // markers and lines are over the axes, areas under them
			l.drawAxes(p.canvas(vc), p)
		}
		l.drawData(p.canvas(vc), p, k)
		if areas {
			l.drawAxes(p.canvas(vc), p)
		}
		c.SetColor(ink)
		l.drawNames(c, p, i)
		if l.direct && l.endsRow(i) {
			l.drawDirect(c, i)
		}
	}
	l.drawLabels(c)
	if l.c.Kind == "heatmap" {
		l.drawColorBar(c)
	}
	l.drawLegend(c, legendAt)
}

// drawNames writes a panel's name over it; in a grid, names of columns over the first row, and names of rows next to
// the last column.
func (l *layout) drawNames(c draw.Canvas, p *pane, i int) {
	if !l.c.isGrid() || i < l.columns {
		l.font.write(c, p.panel.Name, vg.Point{X: (p.rect.Min.X + p.rect.Max.X) / 2, Y: p.rect.Max.Y + 4}, textSize, atBottom, 0)
	}
	if l.c.isGrid() && (i+1)%l.columns == 0 {
		l.font.write(c, p.panel.Row, vg.Point{X: p.rect.Max.X + 4, Y: (p.rect.Min.Y + p.rect.Max.Y) / 2}, textSize, atBottom, -90)
	}
}

// gridless are kinds whose marks cover the background, so that a grid would not be visible.
var gridless = map[string]bool{"heatmap": true}

func (l *layout) drawGrid(c draw.Canvas, p *pane) {
	if gridless[l.c.Kind] {
		return
	}
	style := solid(gridColor, gridWidth)
	for _, t := range p.xt {
		if x := c.X(p.axes.X.norm(t.Value)); t.Label != "" && !kinds[l.c.Kind].noGridX {
			c.StrokeLine2(style, x, c.Min.Y, x, c.Max.Y)
		}
	}
	for _, t := range p.yt {
		if y := c.Y(p.axes.Y.norm(t.Value)); t.Label != "" && l.c.Kind != "timeline" {
			c.StrokeLine2(style, c.Min.X, y, c.Max.X, y)
		}
	}
}

// drawData draws the marks and the annotations, and records the covered cells in k.
func (l *layout) drawData(c draw.Canvas, p *pane, k *inkCanvas) {
	c.Rectangle = p.rect
	for i, a := range l.c.figure.Annotations {
		if l.c.isIn(a, p.panel) {
			drawReferenceLine(c, p.axes, a, l.c.referenceLine(i))
			drawReferenceLine(k.on(p.rect), p.axes, a, l.c.referenceLine(i))
		}
	}
	for _, m := range kinds[l.c.Kind].marks(l.c, p.panel) {
		m(c, p.axes)
		m(k.on(p.rect), p.axes)
	}
	l.drawAnnotations(c, p, k)
}

func (l *layout) drawAxes(c draw.Canvas, p *pane) {
	line := solid(ink, axisWidth)
	c.StrokeLines(line, []vg.Point{{X: c.Min.X, Y: c.Max.Y}, c.Min, {X: c.Max.X, Y: c.Min.Y}})
	if p.axes.Y.isCut() {
		drawCut(c)
	}
	if l.c.Kind == "heatmap" {
		c.StrokeLines(line, []vg.Point{{X: c.Min.X, Y: c.Max.Y}, c.Max, {X: c.Max.X, Y: c.Min.Y}})
	}
	c.SetColor(ink)
	for _, t := range p.xt {
		l.drawXTick(c, t, c.X(p.axes.X.norm(t.Value)), p.showX)
	}
	for _, t := range p.yt {
		y := c.Y(p.axes.Y.norm(t.Value))
		if l.c.Y.Scale != "category" {
			c.StrokeLine2(line, c.Min.X-lengthOf(t), y, c.Min.X, y)
		}
		if p.showY {
			l.font.write(c, t.Label, vg.Point{X: c.Min.X - tickSpace, Y: y}, smallSize, atRight, 0)
		}
	}
}

// drawCut marks the foot of an axis that does not reach 0: two strokes across it, with the axis left out between them.
func drawCut(c draw.Canvas) {
	const foot, apart, reach, rise = 3.2, 1.9, 2.4, 0.9 // points
	low, high := vg.Point{X: c.Min.X, Y: c.Min.Y + foot}, vg.Point{X: c.Min.X, Y: c.Min.Y + foot + apart}
	across := vg.Point{X: reach, Y: rise}
	c.FillPolygon(color.White, []vg.Point{low.Sub(across), low.Add(across), high.Add(across), high.Sub(across)})
	for _, at := range []vg.Point{low, high} {
		c.StrokeLines(solid(ink, axisWidth), []vg.Point{at.Sub(across), at.Add(across)})
	}
}

func lengthOf(t plot.Tick) vg.Length {
	if t.Label == "" {
		return tickLength * 0.55
	}
	return tickLength
}

func (l *layout) drawXTick(c draw.Canvas, t plot.Tick, x vg.Length, label bool) {
	if l.c.X.Scale != "category" || l.c.Kind == "line" {
		c.StrokeLine2(solid(ink, axisWidth), x, c.Min.Y-lengthOf(t), x, c.Min.Y)
	}
	switch {
	case !label:
	case l.angle != 0:
		l.font.write(c, t.Label, vg.Point{X: x + 2, Y: c.Min.Y - tickSpace}, smallSize, alignment{1, 1}, l.angle)
	default:
		l.font.write(c, t.Label, vg.Point{X: x, Y: c.Min.Y - tickSpace}, smallSize, atTop, 0)
	}
}

// drawLabels writes the title and the axes' labels, which the panels share.
func (l *layout) drawLabels(c draw.Canvas) {
	area := l.area()
	middle := area.Min.Add(area.Max).Scale(0.5)
	c.SetColor(ink)
	l.font.write(c, l.c.Title, vg.Point{X: middle.X, Y: l.size.Y - edge}, textSize, atTop, 0)
	l.font.write(c, l.yLabel, vg.Point{X: edge, Y: keepInside(middle.Y, l.font.width(l.yLabel, textSize), l.size.Y)}, textSize, alignment{0.5, 1}, 90)
	x := keepInside(middle.X, l.font.width(l.xLabel, textSize), l.size.X)
	l.font.write(c, l.xLabel, vg.Point{X: x, Y: area.Min.Y - l.tickHeight() - gap}, textSize, atTop, 0)
}

// keepInside moves the middle of something long so that its ends stay in the figure.
func keepInside(middle, length, size vg.Length) vg.Length {
	return max(min(middle, size-edge-length/2), edge+length/2)
}

// barSteps are the shades of a bar of colours.
const barSteps = 128

func (l *layout) drawColorBar(c draw.Canvas) {
	area := l.area()
	x := area.Max.X + l.overhang() + barSpace - 1
	h := area.Size().Y / barSteps
	for i := range barSteps {
		y := area.Min.Y + vg.Length(i)*h
		top := min(y+h*1.6, area.Max.Y) // overlaps: no seams
		c.FillPolygon(shade(l.shades.ramp, (float64(i)+0.5)/barSteps), rectangle(vg.Point{X: x, Y: y}, vg.Point{X: x + barWidth, Y: top}))
	}
	box := rectangle(vg.Point{X: x, Y: area.Min.Y}, vg.Point{X: x + barWidth, Y: area.Max.Y})
	c.StrokeLines(solid(ink, axisWidth), append(box, box[0]))
	right := x + barWidth
	for _, t := range l.keys {
		y := area.Min.Y + area.Size().Y*vg.Length(l.shades.norm(t.Value))
		c.StrokeLine2(solid(ink, axisWidth), right, y, right+lengthOf(t), y)
		l.font.write(c, t.Label, vg.Point{X: right + tickSpace, Y: y}, smallSize, atLeft, 0)
	}
	l.font.write(c, l.c.value.Label, vg.Point{X: right + tickSpace + l.widest(l.keys) + gap + 2, Y: (area.Min.Y + area.Max.Y) / 2}, textSize, alignment{0.5, 1}, 90)
}

// entry is one line of the legend.
type entry struct {
	text   string
	series int // its index
	look   look
	line   bool
	band   bool
	marker bool
	swatch bool
	open   bool            // a reference point
	style  *draw.LineStyle // of a line that is not a series
}

// entries are the series that are drawn, and the sources of reference points.
func (c *Chart) entries(place string) []entry {
	var out []entry
	for i, s := range c.series {
		if s.name != "" && c.isDrawn(i) {
			kind := kinds[c.Kind]
			out = append(out, entry{text: s.label(), series: i, look: c.figure.lookOf(i), line: c.Kind == "line" && c.figure.Lines != "off", marker: !kind.swatch, swatch: kind.swatch})
		}
	}
	if c.Kind == "stacked" && (place == "inside" || place == "right") { // top to bottom, as the bars are stacked
		slices.Reverse(out)
	}
	return append(out, c.referenceEntries()...)
}

// identityStyle is the style of the line y = x.
var identityStyle = draw.LineStyle{Color: faintInk, Width: thinWidth, Dashes: []vg.Length{3, 2}}

// withinStyle is the style of the lines of a factor about it.
var withinStyle = draw.LineStyle{Color: faintInk, Width: thinWidth, Dashes: []vg.Length{1, 2}}

// referenceEntries returns the entries of annotations, which have no rows.
func (c *Chart) referenceEntries() (out []entry) {
	if c.figure.Identity {
		out = append(out, entry{text: "equal", style: &identityStyle})
	}
	if f := c.figure.Within; f > 1 {
		out = append(out, entry{text: fmt.Sprintf("factor of %g", f), style: &withinStyle})
	}
	n := 0
	for i := range c.figure.Annotations {
		a := &c.figure.Annotations[i]
		switch {
		case len(a.Points) > 0:
			out = append(out, entry{text: a.name(), look: referenceLook(n), marker: true, open: true})
			n++
		case a.inLegend():
			style := c.referenceLine(i)
			out = append(out, entry{text: a.name(), style: &style})
		}
	}
	return out
}

// completeEntries adds the markers and bands of lines to their entries.
func (l *layout) completeEntries() {
	for i := range l.entries {
		e := &l.entries[i]
		if !e.line {
			continue
		}
		e.marker = false
		for _, p := range l.panes {
			for _, s := range p.panel.Series {
				if s.Index == e.series {
					c := draw.Canvas{Rectangle: p.rect}
					e.marker = e.marker || wantMarkers(l.c.figure, placesOf(c, p.axes, s))
					e.band = s.Band
				}
			}
		}
	}
}

func (c *Chart) isDrawn(series int) bool {
	for _, p := range c.Panels {
		for _, s := range p.Series {
			if s.Index == series {
				return true
			}
		}
	}
	return false
}

// Lengths within a legend, points.
const (
	sampleWidth  = vg.Length(17)
	entryHeight  = vg.Length(10.5)
	entryGap     = vg.Length(11)
	legendInset  = vg.Length(3)
	sampleMargin = vg.Length(4)
)

func (e entry) sample() vg.Length {
	if e.line || e.style != nil {
		return sampleWidth
	}
	return sampleWidth / 2
}

// legendGrid returns the width of a legend's columns, their number, and the width of a title before them.
func (l *layout) legendGrid() (width vg.Length, columns, rows int, title vg.Length) {
	for _, e := range l.entries {
		width = max(width, e.sample()+sampleMargin+l.font.width(e.text, smallSize)+entryGap)
	}
	n := len(l.entries)
	columns = cmp.Or(l.c.figure.Legend.Columns, 1)
	if l.place == "bottom" || l.place == "top" {
		if t := l.c.figure.Legend.Title; t != "" {
			title = l.font.width(t, smallSize) + entryGap
		}
		most := max(int((l.size.X-2*edge-title+entryGap)/max(width, 1)), 1)
		if given := l.c.figure.Legend.Columns; given > 0 {
			most = min(most, given)
		}
		columns = most
	}
	columns = max(min(columns, n), 1)
	rows = (n + columns - 1) / columns
	if rows > 0 {
		columns = (n + rows - 1) / rows
	}
	return width, columns, rows, title
}

func (l *layout) legendSize() (w, h vg.Length) {
	width, columns, rows, title := l.legendGrid()
	w = width*vg.Length(columns) - entryGap + title
	h = entryHeight * vg.Length(rows)
	if t := l.c.figure.Legend.Title; t != "" && title == 0 {
		h += entryHeight
		w = max(w, l.font.width(t, smallSize))
	}
	if l.place == "inside" {
		w, h = w+2*legendInset, h+legendInset
	}
	return w, h
}

// legendCorner is the upper left corner.
func (l *layout) legendCorner(inside vg.Point) vg.Point {
	w, h := l.legendSize()
	area := l.area()
	middle := (area.Min.X + area.Max.X) / 2
	centred := max(min(middle-w/2, l.size.X-edge-w), edge)
	switch l.place {
	case "right":
		return vg.Point{X: l.size.X - edge - w, Y: area.Max.Y}
	case "top":
		y := l.size.Y - edge
		if l.c.Title != "" {
			y -= l.font.height(l.c.Title, textSize) + gap + 2
		}
		return vg.Point{X: centred, Y: y}
	case "bottom":
		return vg.Point{X: centred, Y: edge + h}
	}
	return inside.Add(vg.Point{X: legendInset, Y: h - legendInset/2})
}

func (l *layout) drawLegend(c draw.Canvas, inside vg.Point) {
	if l.place == "none" || len(l.entries) == 0 {
		return
	}
	corner := l.legendCorner(inside)
	if l.place == "inside" {
		w, h := l.legendSize()
		c.FillPolygon(color.NRGBA{0xff, 0xff, 0xff, 0xd8}, rectangle(inside, inside.Add(vg.Point{X: w, Y: h})))
	}
	width, columns, _, title := l.legendGrid()
	c.SetColor(ink)
	if t := l.c.figure.Legend.Title; t != "" {
		l.font.write(c, t, corner.Sub(vg.Point{Y: entryHeight / 2}), smallSize, atLeft, 0)
		if title == 0 {
			corner.Y -= entryHeight
		}
	}
	for i, e := range l.entries {
		e.draw(c, l.font, corner.Add(vg.Point{X: title + width*vg.Length(i%columns), Y: -entryHeight * (vg.Length(i/columns) + 0.5)}))
	}
}

// draw draws the sample with its left middle at a point.
func (e entry) draw(c draw.Canvas, f *family, at vg.Point) {
	end := at.Add(vg.Point{X: e.sample()})
	middle := at.Add(end).Scale(0.5)
	switch {
	case e.swatch:
		drawArea(c, e.look, rectangle(at.Sub(vg.Point{Y: 3}), end.Add(vg.Point{Y: 3})))
	case e.line:
		if e.band {
			c.FillPolygon(bandColor(e.look), rectangle(at.Sub(vg.Point{Y: 3}), end.Add(vg.Point{Y: 3})))
		}
		c.StrokeLines(e.look.line(), []vg.Point{at, end})
	case e.style != nil:
		c.StrokeLines(*e.style, []vg.Point{at, end})
	}
	switch {
	case e.open:
		e.look.marker.draw(c, middle, referenceRadius, e.look.color, true)
	case e.marker:
		e.look.marker.draw(c, middle, markRadius, e.look.color, false)
	}
	c.SetColor(ink)
	f.write(c, e.text, end.Add(vg.Point{X: sampleMargin}), smallSize, atLeft, 0)
}

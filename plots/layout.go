package plots

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"spvsim/internal/lists"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// styleWidths are the widths of a column and of the text of a page in two-column papers.
var styleWidths = map[string]vg.Length{"column": 3.33 * vg.Inch, "page": 7 * vg.Inch}

// Lengths between the parts of a figure, points.
const (
	edge       = vg.Length(3) // around everything
	panelGap   = vg.Length(11)
	stripSpace = textSize + 5 // for the name of a panel
	tickSpace  = tickLength + 2
	pageRatio  = 0.62 // height to width of one panel across a page is less than in a column
	laneHeight = vg.Length(14)
	barSpace   = vg.Length(9) // between the panels and a bar of colours
	barWidth   = vg.Length(8)
	labelAngle = 35             // degrees of long categories
	labelGap   = vg.Length(2.5) // between categories' names
)

// pane is a panel with its axes and its place.
type pane struct {
	panel        *Panel
	axes         *axes
	rect         vg.Rectangle
	xt, yt       []plot.Tick
	showX, showY bool // tick labels
}

// layout is a figure with everything in its place.
type layout struct {
	c             *Chart
	size          vg.Point
	columns, rows int
	panes         []*pane
	place         string // of the legend
	entries       []entry
	direct        bool // lines have their names at their ends
	font          *family
	angle         float64 // of x tick labels, degrees
	keys          []plot.Tick
	shades        shades

	xLabel, yLabel string // in two lines when they are long

	left, right, top, bottom vg.Length // margins around the panels
	gapX, gapY               vg.Length
	panelW, panelH           vg.Length
}

// isGrid reports whether the panels form rows and columns.
func (c *Chart) isGrid() bool { return c.figure.Facets.Rows != "" }

// newLayout computes all positions; place is the legend's, which takes space unless it is inside or none. With direct, the legend
// has only what is not a line.
func (c *Chart) newLayout(style, place string, direct bool) *layout {
	f := c.figure
	l := &layout{c: c, font: c.font(), place: place, direct: direct}
	if l.entries = c.referenceEntries(); !direct {
		l.entries = c.entries(place)
	}
	l.size.X = styleWidths[style]
	if f.WidthIn > 0 {
		l.size.X = vg.Length(f.WidthIn) * vg.Inch
	}
	l.columns = min(len(c.Panels), cmp.Or(f.Facets.Columns, map[string]int{"column": 2, "page": 3}[style]))
	if c.isGrid() {
		l.columns = c.gridColumns
	}
	l.rows = (len(c.Panels) + l.columns - 1) / l.columns
	if f.Facets.Columns == 0 && !c.isGrid() { // as few columns as the rows need: four panels are two by two
		l.columns = (len(c.Panels) + l.rows - 1) / l.rows
	}
	l.addPanes()
	if f.Kind == "heatmap" {
		l.shades = c.shades()
	}
	l.panelW, l.panelH = l.size.X/vg.Length(l.columns)*0.8, 120
	for range 3 { // margins depend on ticks, which depend on the remaining space
		l.chooseTicks()
		l.measure()
		l.panelW = (l.size.X - l.left - l.right - l.gapX*vg.Length(l.columns-1)) / vg.Length(l.columns)
		l.panelH = l.height(style)
	}
	l.chooseTicks()
	l.size.Y = l.top + l.bottom + l.panelH*vg.Length(l.rows) + l.gapY*vg.Length(l.rows-1)
	l.setRects()
	l.completeEntries()
	return l
}

// Least size of a panel, and largest of a figure, points.
const (
	leastPanel = vg.Length(12)
	largestFig = 60 * vg.Inch
)

// check refuses a figure whose labels, legend or number of panels leave too little space for the panels.
func (l *layout) check() error {
	switch {
	case l.panelW < leastPanel || l.panelH < leastPanel:
		return l.c.figure.fail("", ErrLimit, fmt.Sprintf("labels, legend and %d panels leave no space: want a wider figure (style: page, width_in), fewer panels or shorter names", len(l.panes)))
	case l.size.Y > largestFig:
		return l.c.figure.fail("", ErrLimit, fmt.Sprintf("it would be %.0f inches high: want fewer panels or shorter names", l.size.Y/vg.Inch))
	case l.direct && l.checkDirect() != "":
		return l.c.figure.fail("legend", ErrLimit, "found direct, and "+l.checkDirect()+": want another place of the legend")
	}
	return nil
}

// height returns the height of a panel: from the figure's height, or by the kind's proportions.
func (l *layout) height(style string) vg.Length {
	f := l.c.figure
	if f.HeightIn > 0 {
		all := vg.Length(f.HeightIn)*vg.Inch - l.top - l.bottom - l.gapY*vg.Length(l.rows-1)
		return max(all/vg.Length(l.rows), 20)
	}
	if lanes := len(l.c.Y.Categories); f.Kind == "timeline" {
		return min(max(laneHeight*vg.Length(lanes), 50), 400)
	}
	if f.Kind == "scatter" && f.Identity {
		return min(l.panelW, 260)
	}
	h := l.panelW * vg.Length(kinds[f.Kind].aspect)
	if style == "page" && l.columns == 1 {
		h *= pageRatio
	}
	return h
}

func (l *layout) addPanes() {
	share := cmp.Or(l.c.figure.Facets.Share, "both")
	shareX, shareY := share == "both" || share == "x", share == "both" || share == "y"
	for i := range l.c.Panels {
		p := &pane{panel: &l.c.Panels[i]}
		p.showX = !shareX || i+l.columns >= len(l.c.Panels)
		p.showY = !shareY || i%l.columns == 0
		l.panes = append(l.panes, p)
	}
	for i, p := range l.panes {
		own := l.c.Panels[i : i+1]
		xOf, yOf := own, own
		if shareX {
			xOf = l.c.Panels
		}
		if shareY {
			yOf = l.c.Panels
		}
		if len(own[0].Series) == 0 { // an empty panel of a grid
			xOf, yOf = l.c.Panels, l.c.Panels
		}
		p.axes = l.c.axesOf(xOf, yOf)
	}
}

// axesOf returns the axes of some panels: the range of their data, with the ends that the figure sets.
func (c *Chart) axesOf(xOf, yOf []Panel) *axes {
	f := c.figure
	x, y := c.dataRange(xOf, true), c.dataRange(yOf, false)
	if f.Identity {
		x = x.join(y)
		y = x
	}
	a := &axes{c.X.scaleOver(x, c.Kind, false), c.Y.scaleOver(y, c.Kind, f.Cells || f.Kind == "roofline")}
	switch {
	case c.Kind == "timeline":
		a.X.low, a.X.high = x.low, x.high
		a.Y.inverted = true
	case f.Percent:
		a.Y.low, a.Y.high = 0, 100
	case f.Identity && c.X.Scale == c.Y.Scale:
		a.X = a.Y
	}
	f.X.fix(&a.X)
	f.Y.fix(&a.Y)
	return a
}

// fix sets the ends that the file gives. If all data are beyond a single given end, they are out of sight.
func (a *Axis) fix(s *scale) {
	if s.kind == "category" {
		return
	}
	if a.Min != nil {
		s.low = *a.Min
	}
	if a.Max != nil {
		s.high = *a.Max
	}
	if s.low >= s.high || s.isPoint() { // it keeps to the one end
		switch {
		case a.Max == nil && a.Min != nil:
			_, s.high = rangeAround(s.kind, s.low)
		case a.Min == nil && a.Max != nil:
			s.low, _ = rangeAround(s.kind, s.high)
		}
	}
	*s = newScale(s.kind, s.low, s.high)
}

// interval is a range of data.
type interval struct{ low, high float64 }

func (r interval) join(o interval) interval { return interval{min(r.low, o.low), max(r.high, o.high)} }
func (r interval) add(v float64) interval   { return r.join(interval{v, v}) }

// dataRange covers the points of some panels and the figure's additions to them.
func (c *Chart) dataRange(panels []Panel, isX bool) interval {
	r := interval{math.Inf(1), math.Inf(-1)}
	extent := kinds[c.Kind].extent
	for _, p := range panels {
		for _, s := range p.Series {
			for _, pt := range s.Points {
				switch low, high := extent(pt); {
				case !isX && isLog(c.Y.Scale) && low <= 0: // a band is cut off at the axis
					r = r.add(pt.Y)
					r = r.add(max(high, pt.Y))
				case !isX:
					r = r.join(interval{low, high})
				case c.Kind == "timeline":
					r = r.join(interval{pt.X, pt.End})
				default:
					r = r.add(pt.X)
				}
			}
		}
	}
	return c.annotatedRange(r, isX)
}

func (c *Chart) annotatedRange(r interval, isX bool) interval {
	for _, a := range c.figure.Annotations {
		for _, p := range a.Points {
			r = r.add(map[bool]float64{true: p[0], false: p[1]}[isX])
		}
		if a.VLine != nil && isX {
			r = r.add(*a.VLine)
		}
		if a.HLine != nil && !isX {
			r = r.add(*a.HLine)
		}
	}
	peak, bandwidth := c.highestRoofs()
	if peak > 0 && !isX {
		r = r.add(peak)
	}
	if peak > 0 && bandwidth > 0 && isX { // the ridge, with some space about it
		r = r.add(peak / bandwidth * 4)
		r = r.add(peak / bandwidth / 4)
	}
	return r
}

// scaleOver is a scale with space about the data.
func (d *Dimension) scaleOver(r interval, kind string, forText bool) scale {
	s, zero := scale{kind: d.Scale, low: r.low, high: r.high}, kinds[kind].zero
	switch {
	case s.kind == "category":
		return scale{kind: s.kind, low: -0.5, high: float64(len(d.Categories)) - 0.5}
	case s.isPoint() && !zero:
		return newScale(s.kind, s.low, s.low)
	case s.isLog():
		padded := s.padded(0.04)
		if zero {
			padded.low = max(barFoot(s.kind, s.low), nearestEnd)
		}
		return padded
	case zero:
		s.low, s.high = min(s.low, 0), max(s.high, 0)
		if s.isPoint() {
			s.high = 1
		}
	case s.low >= 0 && s.low < s.high/2:
		s.low = 0
	}
	if forText {
		return s.padded(0.1)
	}
	return s.padded(0.05)
}

func (l *layout) chooseTicks() {
	f := l.c.figure
	across, upwards := side{l.font, l.panelW, false}, side{l.font, l.panelH, true}
	for _, p := range l.panes {
		p.xt = p.axes.X.ticksInSight(l.c.X, f.X.Ticks, across)
		p.yt = p.axes.Y.ticksInSight(l.c.Y, f.Y.Ticks, upwards)
	}
	l.angle = 0
	if l.c.X.Scale == "category" {
		l.turnLabels()
	}
	if l.c.Kind == "heatmap" {
		l.keys = l.shades.ticksInSight(l.c.value, nil, side{l.font, l.panelH*vg.Length(l.rows) + l.gapY*vg.Length(l.rows-1), true})
	}
}

// turnLabels breaks long categories into two lines, or turns them all.
func (l *layout) turnLabels() {
	space := l.panelW/vg.Length(max(len(l.c.X.Categories), 1))*labelled(l.panes[0].xt) - labelGap
	fits := true
	for _, t := range l.panes[0].xt {
		fits = fits && l.font.width(l.font.breakLabel(t.Label, smallSize, space), smallSize) <= space
	}
	if !fits {
		l.angle = labelAngle
		return
	}
	for _, p := range l.panes {
		for i := range p.xt {
			p.xt[i].Label = l.font.breakLabel(p.xt[i].Label, smallSize, space)
		}
	}
}

// labelled returns the number of ticks that share the space of labels.
func labelled(ticks []plot.Tick) vg.Length {
	n := lists.Count(ticks, func(t plot.Tick) bool { return t.Label != "" })
	return vg.Length(len(ticks)) / vg.Length(max(n, 1))
}

// breakLabel breaks a text that is too wide at the space nearest its middle.
func (f *family) breakLabel(s string, size, space vg.Length) string {
	if f.width(s, size) <= space {
		return s
	}
	best := -1
	for i, r := range s {
		if r == ' ' && (best < 0 || abs(2*i-len(s)) < abs(2*best-len(s))) {
			best = i
		}
	}
	if best < 0 {
		return s
	}
	return s[:best] + "\n" + s[best+1:]
}

func abs(n int) int { return max(n, -n) }

// measure computes the margins.
func (l *layout) measure() {
	c, f := l.c, l.c.figure
	yWidth, xHeight := l.tickWidth(), l.tickHeight()
	l.left = edge + yWidth
	l.yLabel = l.font.breakLabel(c.Y.Label, textSize, l.panelH*vg.Length(l.rows)+l.gapY*vg.Length(l.rows-1)+l.bottom/2)
	l.xLabel = l.font.breakLabel(c.X.Label, textSize, l.panelW*vg.Length(l.columns)+l.gapX*vg.Length(l.columns-1)+l.left/2)
	if c.Y.Label != "" {
		l.left += l.font.height(l.yLabel, textSize) + textSize*l.font.descent + gap + 1
	}
	l.bottom = edge + xHeight
	if c.X.Label != "" {
		l.bottom += l.font.height(l.xLabel, textSize) + textSize*l.font.descent + gap + 1
	}
	l.top, l.right = edge+smallSize*l.font.capHeight/2, edge+l.overhang()
	if f.Title != "" {
		l.top += l.font.height(f.Title, textSize) + gap + 2
	}
	l.gapX, l.gapY = panelGap, panelGap
	if f.Facets.Column != "" {
		l.top += stripSpace - smallSize*l.font.capHeight/2
		if !c.isGrid() { // whose columns have their names over the first row
			l.gapY += stripSpace - 4
		}
	}
	if c.isGrid() {
		l.right += stripSpace
	}
	share := cmp.Or(f.Facets.Share, "both")
	if share == "none" || share == "x" {
		l.gapX += yWidth
	}
	if share == "none" || share == "y" {
		l.gapY += xHeight
	}
	if l.direct {
		l.right = max(l.right, edge+l.directWidth())
	}
	if c.Kind == "heatmap" {
		l.right += barSpace + barWidth + tickSpace + l.widest(l.keys) + gap + textSize + 2
	}
	l.measureLegend()
}

func (l *layout) measureLegend() {
	w, h := l.legendSize()
	switch l.place {
	case "right":
		l.right += w + 2*gap
	case "bottom":
		l.bottom += h + gap + 1
	case "top":
		l.top += h + gap
	}
}

func (l *layout) widest(ticks []plot.Tick) vg.Length {
	w := vg.Length(0)
	for _, t := range ticks {
		w = max(w, l.font.width(t.Label, smallSize))
	}
	return w
}

func (l *layout) tickWidth() vg.Length {
	w := vg.Length(0)
	for _, p := range l.panes {
		w = max(w, l.widest(p.yt))
	}
	return w + tickSpace
}

func (l *layout) tickHeight() vg.Length {
	h := smallSize * l.font.capHeight
	sin := vg.Length(math.Sin(l.angle * math.Pi / 180))
	for _, p := range l.panes {
		for _, t := range p.xt {
			h = max(h, l.font.height(t.Label, smallSize)+l.font.width(t.Label, smallSize)*sin)
		}
		if strings.Contains(labelsText(p.xt), "^{") {
			h = max(h, smallSize*(l.font.capHeight+0.2))
		}
	}
	return h + tickSpace + 1
}

func labelsText(ticks []plot.Tick) string {
	var s strings.Builder
	for _, t := range ticks {
		s.WriteString(t.Label)
	}
	return s.String()
}

// overhang returns how far the last labels of x extend beyond the panels.
func (l *layout) overhang() vg.Length {
	most := vg.Length(1)
	if l.c.figure.X.Max != nil { // a marker may be at the end
		most = markReach - edge
	}
	if l.angle != 0 {
		return most
	}
	for i, p := range l.panes {
		if !l.endsRow(i) {
			continue
		}
		for _, t := range p.xt {
			most = max(most, l.panelW*vg.Length(p.axes.X.norm(t.Value)-1)+l.font.width(t.Label, smallSize)/2)
		}
	}
	return most
}

func (l *layout) setRects() {
	for i, p := range l.panes {
		column, row := i%l.columns, i/l.columns
		low := vg.Point{
			X: l.left + vg.Length(column)*(l.panelW+l.gapX),
			Y: l.size.Y - l.top - l.panelH - vg.Length(row)*(l.panelH+l.gapY),
		}
		p.rect = vg.Rectangle{Min: low, Max: low.Add(vg.Point{X: l.panelW, Y: l.panelH})}
	}
}

// area is the rectangle around all panels.
func (l *layout) area() vg.Rectangle {
	return vg.Rectangle{
		Min: vg.Point{X: l.left, Y: l.bottom},
		Max: vg.Point{X: l.size.X - l.right, Y: l.size.Y - l.top},
	}
}

// markReach is how far a reference point's marker reaches from its place, with half of its line, points.
const markReach = referenceRadius*1.3 + 0.5

func (p *pane) canvas(c vg.Canvas) draw.Canvas { return draw.Canvas{Canvas: c, Rectangle: p.rect} }

package plots

import (
	"cmp"
	"fmt"
	"image/color"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// maxDirect is the number of lines up to which names at their ends are read faster than a legend.
const maxDirect = 5

// Lengths of names at the ends of lines.
const (
	leaderWidth = vg.Length(9)            // from the end of a line to its name, points
	directLine  = smallSize * lineSpacing // height of a line of text
	nameShare   = 0.2                     // of the figure's width; longer names are broken at a space
	directShare = 0.3                     // of the figure's width, at most, for all names
)

// directName is the name of a line at its end.
type directName struct {
	text  string
	color color.NRGBA
	from  vg.Point  // the end of the line
	y     vg.Length // middle of the text
}

// isLine is false of the title.
func (n directName) isLine() bool { return n.from != (vg.Point{}) }

// drawsDirect reports whether the figure may name its lines at their ends: as it says, or if it says nothing and the lines are few.
func (c *Chart) drawsDirect() bool {
	place := cmp.Or(c.figure.Legend.Place, "auto")
	if place == "direct" {
		return true
	}
	n := 0
	for i, s := range c.series {
		if s.name != "" && c.isDrawn(i) {
			n++
		}
	}
	return place == "auto" && c.Kind == "line" && c.figure.Lines != "off" && n > 0 && n <= maxDirect
}

// directLayout is the layout with names at the ends of lines. A legend below the panels keeps what is not a line.
func (c *Chart) directLayout(style string) *layout {
	place := "none"
	if len(c.referenceEntries()) > 0 {
		place = "bottom"
	}
	return c.newLayout(style, place, true)
}

// directText is a line's name, in two lines if it is long.
func (l *layout) directText(s *Series) string {
	return l.font.breakLabel(l.c.series[s.Index].label(), smallSize, l.size.X*nameShare)
}

// directWidth is the space that names take to the right of the panels, with the lines to them.
func (l *layout) directWidth() vg.Length {
	w := l.font.width(l.c.figure.Legend.Title, smallSize)
	for _, p := range l.panes {
		for i := range p.panel.Series {
			w = max(w, l.font.width(l.directText(&p.panel.Series[i]), smallSize))
		}
	}
	return leaderWidth + w
}

// endsRow reports whether a pane is the last one of its row, whose right side has the names.
func (l *layout) endsRow(i int) bool { return (i+1)%l.columns == 0 || i+1 == len(l.panes) }

// directNames places the names of a pane's lines: each as near to the end of its line as the others allow. ok is false if a line
// of the row has no end in this pane, or if the names have no space.
func (l *layout) directNames(i int) (names []directName, ok bool) {
	p := l.panes[i]
	named := map[int]bool{}
	for k := range p.panel.Series {
		s := &p.panel.Series[k]
		if end, seen := lastInSight(p, s); seen {
			named[s.Index] = true
			col := l.c.figure.lookOf(s.Index).color
			names = append(names, directName{text: l.directText(s), color: col, from: end, y: end.Y})
		}
	}
	for k := i - i%l.columns; k <= i; k++ {
		for _, s := range l.panes[k].panel.Series {
			if !named[s.Index] {
				return nil, false
			}
		}
	}
	slices.SortStableFunc(names, func(a, b directName) int { return -cmp.Compare(a.from.Y, b.from.Y) })
	if t := l.c.figure.Legend.Title; t != "" && len(names) > 0 {
		names = slices.Insert(names, 0, directName{text: t, color: ink, y: names[0].y + directLine})
	}
	return names, l.spread(names, p.rect)
}

// lastInSight is the last point of a line that its pane shows.
func lastInSight(p *pane, s *Series) (vg.Point, bool) {
	c := draw.Canvas{Rectangle: p.rect}
	for i := len(s.Points) - 1; i >= 0; i-- {
		if at := pointAt(c, p.axes, s.Points[i].X, s.Points[i].Y); inSight(c, at) {
			return at, true
		}
	}
	return vg.Point{}, false
}

// spread moves names, which descend, apart: by the least squares of their ways, which the mean of each group that touches gives
// (pool adjacent violators). It reports whether they have space beside the panel.
func (l *layout) spread(names []directName, rect vg.Rectangle) bool {
	half := func(n directName) vg.Length {
		return (l.font.height(n.text, smallSize) + directLine - smallSize*l.font.capHeight) / 2
	}
	type group struct {
		first, n int
		top, sum vg.Length // of the first name's middle: sum over the names
	}
	offsets := make([]vg.Length, len(names)) // of each middle under the first one's, if all touch
	var groups []group
	for i, n := range names {
		if i > 0 {
			offsets[i] = offsets[i-1] + half(names[i-1]) + half(n)
		}
		g := group{first: i, n: 1, sum: n.y + offsets[i]}
		g.top = g.sum
		for len(groups) > 0 && groups[len(groups)-1].top < g.top {
			last := groups[len(groups)-1]
			groups = groups[:len(groups)-1]
			g = group{first: last.first, n: last.n + g.n, sum: last.sum + g.sum}
			g.top = g.sum / vg.Length(g.n)
		}
		groups = append(groups, g)
	}
	for _, g := range groups {
		for i := g.first; i < g.first+g.n; i++ {
			names[i].y = g.top - offsets[i]
		}
	}
	return keepWithin(names, half, rect)
}

// keepWithin moves names that are beyond a panel's upper or lower end back, and what they meet with them.
func keepWithin(names []directName, half func(directName) vg.Length, rect vg.Rectangle) bool {
	limit := rect.Max.Y + smallSize/2
	for i := range names {
		names[i].y = min(names[i].y, limit-half(names[i]))
		limit = names[i].y - half(names[i])
	}
	limit = rect.Min.Y - smallSize/2
	for i := len(names) - 1; i >= 0; i-- {
		names[i].y = max(names[i].y, limit+half(names[i]))
		limit = names[i].y + half(names[i])
	}
	return limit <= rect.Max.Y+smallSize
}

// endsApart reports whether a reader without colours can tell which name belongs to which line.
func (l *layout) endsApart() bool {
	for i := range l.panes {
		names, _ := l.directNames(i)
		names = slices.DeleteFunc(names, func(n directName) bool { return !n.isLine() })
		for k := 1; k < len(names) && l.endsRow(i); k++ {
			if names[k-1].from.Y-names[k].from.Y < markRadius {
				return false
			}
		}
	}
	return true
}

// checkDirect returns why names at the ends of lines can't be drawn; empty: they can.
func (l *layout) checkDirect() string {
	if l.directWidth() > l.size.X*directShare {
		return "the names are too long for the ends of the lines"
	}
	for i := range l.panes {
		if _, ok := l.directNames(i); l.endsRow(i) && !ok {
			return fmt.Sprintf("the last panel of a row does not have the end of each line, or too little height for %d names", len(l.panes[i].panel.Series))
		}
	}
	return ""
}

// drawDirect writes the names of lines at their ends, in the colours of the lines, darker: thin letters are pale.
func (l *layout) drawDirect(c draw.Canvas, i int) {
	names, _ := l.directNames(i)
	x := l.panes[i].rect.Max.X + leaderWidth
	for _, n := range names {
		col := n.color
		if n.isLine() {
			style := solid(col, gridWidth*1.5)
			c.StrokeLines(style, []vg.Point{{X: n.from.X + markRadius + 1, Y: n.from.Y}, {X: max(n.from.X+markRadius+1, x-leaderWidth/2), Y: n.from.Y}, {X: x - 1.5, Y: n.y}})
		}
		c.SetColor(darker(col))
		l.font.write(c, n.text, vg.Point{X: x, Y: n.y}, smallSize, atLeft, 0)
	}
	c.SetColor(ink)
}

// darker is a colour with two thirds of its light.
func darker(c color.NRGBA) color.NRGBA {
	part := func(v uint8) uint8 { return uint8(uint(v) * 2 / 3) }
	return color.NRGBA{part(c.R), part(c.G), part(c.B), c.A}
}

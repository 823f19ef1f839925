package plots

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"spvsim/internal/suite"
)

// pathCanvas keeps the areas that are filled, by their corners, and the lines.
type pathCanvas struct {
	*inkCanvas
	areas, lines [][]vg.Point
}

func (c *pathCanvas) Fill(p vg.Path)   { c.areas = append(c.areas, polygon(p)) }
func (c *pathCanvas) Stroke(p vg.Path) { c.lines = append(c.lines, polygon(p)) }

// unitAxes are axes on which a number is a hundredth of the canvas.
func unitAxes(x string) (*axes, vg.Rectangle) {
	a := &axes{X: scale{kind: x, high: 100}, Y: scale{kind: "linear", high: 100}}
	return a, vg.Rectangle{Max: vg.Point{X: 100, Y: 100}}
}

// drawnMarks returns the areas and lines of a figure's first panel, on the given axes.
func drawnMarks(t *testing.T, rows, figure string) *pathCanvas {
	t.Helper()
	c := suite.Must(chartOf(t, rows, figure))(t)
	k := &pathCanvas{inkCanvas: newInk(c.font(), 100, 100)}
	a, r := unitAxes(c.X.Scale)
	for _, m := range kinds[c.Kind].marks(c, &c.Panels[0]) {
		m(draw.Canvas{Canvas: k, Rectangle: r}, a)
	}
	return k
}

// hasArea reports whether the areas include a rectangle with these corners.
func hasArea(areas [][]vg.Point, left, low, right, high float64) bool {
	return slices.ContainsFunc(areas, func(p []vg.Point) bool {
		b := bounds(p)
		return near(b.Min.X, vg.Length(left)) && near(b.Min.Y, vg.Length(low)) && near(b.Max.X, vg.Length(right)) && near(b.Max.Y, vg.Length(high))
	})
}

// Bars, parts of stacks, boxes, cells and spans cover the area of their values.
func TestMarksCoverTheirValues(t *testing.T) {
	const half = groupWidth / 2
	for _, c := range []struct {
		rows, figure string
		want         [][4]float64
		areas        int
	}{
		{"n,s,t\nu,a,20\nu,b,30\nv,a,40\nv,b,50\n", "{kind: bar, x: n, y: t, series: s}",
			[][4]float64{{-half, 0, 0, 20}, {0, 0, half, 30}, {1 - half, 0, 1, 40}, {1, 0, 1 + half, 50}}, 4},
		{"n,s,t\nu,a,20\nu,b,30\nv,a,40\nv,b,0\n", "{kind: stacked, x: n, y: t, series: s}",
			[][4]float64{{-half, 0, half, 20}, {-half, 20, half, 50}, {1 - half, 0, 1 + half, 40}}, 3},
		{"n,s,t\nu,a,20\nu,b,60\nv,a,40\nv,b,0\n", "{kind: stacked, x: n, y: t, series: s, percent: true}",
			[][4]float64{{-half, 0, half, 25}, {-half, 25, half, 100}, {1 - half, 0, 1 + half, 100}}, 3},
		{"n,t\nu,10\nu,20\nu,30\nu,40\nu,50\n", "{kind: box, x: n, y: t}", [][4]float64{{-half + 0.12*groupWidth, 20, half - 0.12*groupWidth, 40}}, 1},
		{"a,b,v\n3,5,1\n7,9,2\n", "{kind: heatmap, x: {column: a}, y: {column: b}, value: v}", [][4]float64{{-0.5, -0.5, 0.5, 0.5}, {0.5, 0.5, 1.5, 1.5}}, 3},
		{"lane,from,to\np,10,30\nq,40,90\n", "{kind: timeline, x: from, y: lane, end: to}",
			[][4]float64{{10, -spanHeight / 2, 30, spanHeight / 2}, {40, 1 - spanHeight/2, 90, 1 + spanHeight/2}}, 2},
	} {
		k := drawnMarks(t, c.rows, c.figure)
		for _, w := range c.want { // within the panel
			if !hasArea(k.areas, max(w[0], 0), max(w[1], 0), w[2], w[3]) && !hasArea(k.areas, w[0], w[1], w[2], w[3]) {
				t.Errorf("%s: nothing covers %v: %v", c.figure, w, k.areas)
			}
		}
		if len(k.areas) != c.areas {
			t.Errorf("%s: %d areas, want %d", c.figure, len(k.areas), c.areas)
		}
	}
}

// A whisker is a line between two values with a cap at either.
func TestWhiskers(t *testing.T) {
	k := &pathCanvas{inkCanvas: newInk(nil, 100, 100)}
	a, r := unitAxes("linear")
	whiskerAt(draw.Canvas{Canvas: k, Rectangle: r}, a, 50, 20, 70, 3, ink)
	for _, w := range [][4]float64{{50, 20, 50, 70}, {47, 20, 53, 20}, {47, 70, 53, 70}} {
		if !hasArea(k.lines, w[0], w[1], w[2], w[3]) {
			t.Errorf("no line %v among %v", w, k.lines)
		}
	}
	for _, c := range []struct {
		values    []float64
		low, high float64
	}{{[]float64{1, 2, 3, 4, 5}, 1, 5}, {[]float64{-4, 1, 2, 3, 4, 5, 11}, -4, 8.5}, {[]float64{0, 10, 20, 30, 70}, 0, 30}, {[]float64{0, 10, 20, 30, 60}, 0, 60}} {
		q1, q3 := quantile(c.values, 0.25), quantile(c.values, 0.75)
		low, high := whiskers(c.values, q1, q3)
		wantLow, wantHigh := math.Inf(1), math.Inf(-1)
		for _, v := range c.values {
			if v >= q1-1.5*(q3-q1) && v <= q3+1.5*(q3-q1) {
				wantLow, wantHigh = min(wantLow, v), max(wantHigh, v)
			}
		}
		if low != min(wantLow, q1) || high != max(wantHigh, q3) {
			t.Errorf("%v: whiskers to %g and %g, want %g and %g", c.values, low, high, wantLow, wantHigh)
		}
	}
}

// Overlapping marks of one place are spread side by side about it, in the order of their series; others keep their
// place.
func TestMarksThatTouchStandApart(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for range 200 {
		var series [6]Series
		var marks []dataPoint
		groups := map[[2]int][]int{} // series by the x and y of their marks: marks of one y touch, those of different y do not
		for i := range series {
			series[i].Index = i
			for x := range 3 {
				y := r.IntN(3)
				marks = append(marks, dataPoint{vg.Point{X: vg.Length(40 * x), Y: vg.Length(y)*10 + vg.Length(r.Float64())}, Point{X: float64(x)}, &series[i]})
				groups[[2]int{x, y}] = append(groups[[2]int{x, y}], i)
			}
		}
		r.Shuffle(len(marks), func(i, j int) { marks[i], marks[j] = marks[j], marks[i] })
		spreadMarks(marks)
		for _, m := range marks {
			x, y := int(m.point.X), int(m.at.Y/10)
			g := groups[[2]int{x, y}]
			k := slices.Index(g, m.from.Index)
			if want := vg.Length(40*x) + (vg.Length(k)-vg.Length(len(g)-1)/2)*2*markRadius; !near(m.at.X, want) {
				t.Fatalf("series %d of %v at %d is at %v, want %v", m.from.Index, g, x, m.at.X, want)
			}
		}
	}
}

// Markers are drawn if they are more than three radii apart on average; a figure may override that.
func TestMarkersWhereTheyStandApart(t *testing.T) {
	for _, c := range []struct {
		lines, markers string
		n              int
		apart          vg.Length
		want           bool
	}{
		{"", "", 5, 3*markRadius + 0.01, true}, {"", "", 5, 3 * markRadius, false}, {"", "", 2, 100, true}, {"", "", 2, 1, false}, {"", "", 1, 0, true}, {"", "", 0, 0, true},
		{"", "on", 5, 0.1, true}, {"", "off", 5, 100, false}, {"off", "", 5, 0.1, true}, {"off", "off", 5, 0.1, true}, {"off", "on", 1, 0, true}, {"", "off", 1, 0, false},
	} {
		pts := make([]vg.Point, c.n)
		for i := range pts {
			pts[i].X = 7 + vg.Length(i)*c.apart
		}
		if got := wantMarkers(&Figure{Lines: c.lines, Markers: c.markers}, pts); got != c.want {
			t.Errorf("%+v: %t", c, got)
		}
	}
}

// A step keeps each y until the next x.
func TestLineSteps(t *testing.T) {
	pts := []vg.Point{{X: 1, Y: 5}, {X: 3, Y: 7}, {X: 4, Y: 2}}
	want := []vg.Point{{X: 1, Y: 5}, {X: 3, Y: 5}, {X: 3, Y: 7}, {X: 4, Y: 7}, {X: 4, Y: 2}}
	if got := stepped(pts, true); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := stepped(pts, false); !slices.Equal(got, pts) {
		t.Errorf("without steps: %v", got)
	}
}

// The ink of a convex area is the cells whose centre is inside, and those that its outline crosses; the ink of a line,
// the cells that it crosses. Ink is counted within a rectangle; outside of the figure there is none.
func TestInkCells(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	place := func() vg.Point {
		return vg.Point{X: vg.Length(r.Float64()*120 - 10), Y: vg.Length(r.Float64()*90 - 10)}
	}
	for range 200 {
		k := newInk(nil, 100, 70)
		if k.columns != 51 || k.rows != 36 {
			t.Fatalf("%d by %d cells", k.columns, k.rows)
		}
		corners := []vg.Point{place(), place(), place()}
		if r.IntN(2) == 0 {
			corners = rectangle(corners[0], corners[1])
		}
		var p vg.Path
		p.Move(corners[0])
		for _, c := range corners[1:] {
			p.Line(c)
		}
		p.Close()
		k.Fill(p)
		for row := range k.rows {
			for column := range k.columns {
				middle := vg.Point{X: (vg.Length(column) + 0.5) * inkCell, Y: (vg.Length(row) + 0.5) * inkCell}
				used, away := k.used[row*k.columns+column], outsideOf(corners, middle)
				if away <= 0 && !used || away > inkCell && used {
					t.Fatalf("corners %v: the cell about %v, %v outside: %t", corners, middle, away, used)
				}
			}
		}
		a, b := place(), place()
		box := vg.Rectangle{Min: vg.Point{X: min(a.X, b.X), Y: min(a.Y, b.Y)}, Max: vg.Point{X: max(a.X, b.X), Y: max(a.Y, b.Y)}}
		want := 0
		for i, used := range k.used {
			x, y := vg.Length(i%k.columns)*inkCell, vg.Length(i/k.columns)*inkCell
			if used && x <= box.Max.X && x+inkCell > box.Min.X && y <= box.Max.Y && y+inkCell > box.Min.Y {
				want++
			}
		}
		if got := k.count(box); got != want {
			t.Fatalf("%d cells under %v, want %d", got, box, want)
		}
	}
	k := newInk(nil, 100, 70)
	k.segment(vg.Point{X: 3, Y: 5}, vg.Point{X: 3, Y: 65})
	k.segment(vg.Point{X: 11, Y: 33}, vg.Point{X: 91, Y: 33})
	for i, used := range k.used {
		column, row := i%k.columns, i/k.columns
		if want := column == 1 && row >= 2 && row <= 32 || row == 16 && column >= 5 && column <= 45; used != want {
			t.Errorf("column %d, row %d: %t", column, row, used)
		}
	}
	frame := vg.Rectangle{Max: vg.Point{X: 100, Y: 70}}
	if at, n := k.emptiest(frame, 30, 20); n != 0 || k.count(vg.Rectangle{Min: at, Max: at.Add(vg.Point{X: 30, Y: 20})}) != 0 {
		t.Errorf("a place at %v covers %d cells", at, n)
	}
	if _, n := k.emptiest(frame, 101, 20); n != math.MaxInt {
		t.Error("what is wider than the frame has a place")
	}
	k.texts = []vg.Rectangle{{Min: vg.Point{X: 10, Y: 10}, Max: vg.Point{X: 30, Y: 20}}}
	for _, c := range []struct {
		x, y vg.Length
		want int
	}{{12, 12, 1}, {0, 12, 0}, {1, 12, 1}, {30, 12, 0}, {29, 12, 1}, {12, 0, 0}, {12, 1, 1}, {12, 20, 0}, {12, 19, 1}} {
		if got := k.textsUnder(vg.Rectangle{Min: vg.Point{X: c.x, Y: c.y}, Max: vg.Point{X: c.x + 10, Y: c.y + 10}}); got != c.want {
			t.Errorf("a box at %v, %v is on %d texts", c.x, c.y, got)
		}
	}
}

// outsideOf returns the distance of a point from a convex area; negative inside.
func outsideOf(corners []vg.Point, p vg.Point) vg.Length {
	inside, away := true, vg.Length(math.Inf(1))
	turn := 0.0
	for i, a := range corners {
		b := corners[(i+1)%len(corners)]
		d, e := b.Sub(a), p.Sub(a)
		cross := float64(d.X*e.Y - d.Y*e.X)
		if turn == 0 {
			turn = cross
		}
		inside = inside && cross*turn > 0
		s := max(0, min(1, d.Dot(e)/max(d.Dot(d), 1e-9)))
		q := e.Sub(d.Scale(s))
		away = min(away, vg.Length(math.Hypot(float64(q.X), float64(q.Y))))
	}
	if inside {
		return -away
	}
	return away
}

// A glyph's outline is at its position and size, with y upwards; a quadratic curve equals the cubic one through the
// same points.
func TestOutlinesOfGlyphs(t *testing.T) {
	point := func(x, y int) fixed.Point26_6 { return fixed.Point26_6{X: fixed.I(x), Y: fixed.I(y)} }
	segment := func(op sfnt.SegmentOp, args ...fixed.Point26_6) sfnt.Segment {
		s := sfnt.Segment{Op: op}
		copy(s.Args[:], args)
		return s
	}
	var path vg.Path
	addGlyph(&path, sfnt.Segments{
		segment(sfnt.SegmentOpMoveTo, point(0, 0)), segment(sfnt.SegmentOpLineTo, point(10, -20)), segment(sfnt.SegmentOpQuadTo, point(16, -20), point(16, -26)),
		segment(sfnt.SegmentOpCubeTo, point(1, -2), point(3, -4), point(5, -6)), segment(sfnt.SegmentOpMoveTo, point(8, 8)),
	}, vg.Point{X: 100, Y: 50}, 0.5)
	at := func(x, y vg.Length) vg.Point { return vg.Point{X: 100 + x/2, Y: 50 + y/2} }
	want := vg.Path{
		{Type: vg.MoveComp, Pos: at(0, 0)}, {Type: vg.LineComp, Pos: at(10, 20)}, {Type: vg.CurveComp, Control: []vg.Point{at(14, 20), at(16, 22)}, Pos: at(16, 26)},
		{Type: vg.CurveComp, Control: []vg.Point{at(1, 2), at(3, 4)}, Pos: at(5, 6)}, {Type: vg.CloseComp}, {Type: vg.MoveComp, Pos: at(8, -8)}, {Type: vg.CloseComp},
	}
	same := func(a, b vg.Point) bool { return near(a.X, b.X) && near(a.Y, b.Y) }
	if len(path) != len(want) {
		t.Fatalf("%d components: %v", len(path), path)
	}
	for i, w := range want {
		if g := path[i]; g.Type != w.Type || !same(g.Pos, w.Pos) || !slices.EqualFunc(g.Control, w.Control, same) {
			t.Errorf("component %d: %+v, want %+v", i, g, w)
		}
	}
}

// A PNG records its size on paper: 300 dots per inch, in a chunk after its header.
func TestResolutionOfPNG(t *testing.T) {
	data := drawn(t, build(t, "line"), "png", "column")
	chunk := data[33:]
	if n := binary.BigEndian.Uint32(chunk); n != 9 || string(chunk[4:8]) != "pHYs" {
		t.Fatalf("after the header is %q", chunk[:8])
	}
	x, y, unit, sum := binary.BigEndian.Uint32(chunk[8:]), binary.BigEndian.Uint32(chunk[12:]), chunk[16], binary.BigEndian.Uint32(chunk[17:])
	if want := uint32(math.Round(300 / 0.0254)); x != want || y != want || unit != 1 || sum != crc32.ChecksumIEEE(chunk[4:17]) {
		t.Errorf("%d by %d dots a unit of %d, sum %#x", x, y, unit, sum)
	}
}

// EPS has the header of the format, each path as its operators, and the page's end.
func TestEPSIsWhole(t *testing.T) {
	c := newEPS(100.5, 70)
	c.SetLineWidth(0.5)
	c.SetLineDash([]vg.Length{3, 2}, 1)
	c.Push()
	c.Translate(vg.Point{X: 5, Y: 6})
	c.Rotate(math.Pi / 2)
	c.Scale(2, 3)
	var p vg.Path
	p.Move(vg.Point{X: 1, Y: 2})
	p.Line(vg.Point{X: 3.14159, Y: 4})
	p.CubeTo(vg.Point{X: 5, Y: 6}, vg.Point{X: 7, Y: 8}, vg.Point{X: 9, Y: 10})
	p.Close()
	c.Stroke(p)
	c.Fill(p[:2])
	c.Pop()
	c.SetColor(nil)
	var out bytes.Buffer
	suite.Must(c.WriteTo(&out))(t)
	want := strings.Join([]string{
		"%!PS-Adobe-3.0 EPSF-3.0", "%%BoundingBox: 0 0 101 70", "%%HiResBoundingBox: 0 0 100.5 70", "%%Creator: spvsim", "%%LanguageLevel: 2", "%%Pages: 1", "%%EndComments", "%%Page: 1 1",
		"0.5 setlinewidth", "[3 2 ] 1 setdash", "gsave", "5 6 translate", "90 rotate", "2 3 scale",
		"newpath", "1 2 moveto", "3.142 4 lineto", "5 6 7 8 9 10 curveto", "closepath", "stroke", "newpath", "1 2 moveto", "3.142 4 lineto", "fill", "grestore", "0 0 0 setrgbcolor", "showpage", "%%EOF", "",
	}, "\n")
	if out.String() != want {
		t.Errorf("%s\nwant\n%s", out.String(), want)
	}
}

// Labels of ticks, side by side or stacked, have a gap between each other.
func TestLabelsFit(t *testing.T) {
	f := build(t, "line").font()
	for _, vertical := range []bool{false, true} {
		need := func(a, b string) vg.Length { return (f.width(a, smallSize)+f.width(b, smallSize))/2 + 5 }
		if vertical {
			need = func(a, b string) vg.Length { return smallSize + 3 }
		}
		for _, labels := range [][2]string{{"1", "2"}, {"1000", "20000"}, {"", "5"}} {
			s := scale{kind: "linear", high: 1}
			ticks := []plot.Tick{{Value: 0, Label: labels[0]}, {Value: 0.2}, {Value: 1, Label: labels[1]}}
			for by, want := range map[vg.Length]bool{-0.01: labels[0] == "", 0.01: true} {
				if got := s.fit(ticks, side{f, need(labels[0], labels[1]) + by, vertical}); got != want {
					t.Errorf("%q, vertical %t, %v more than they need: %t", labels, vertical, by, got)
				}
			}
		}
	}
}

// All labels of an axis have one suffix and as many decimals as the numbers need.
func TestLabelsOfNumbers(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   string
	}{
		{[]float64{0, 1, 2}, "0 1 2"}, {[]float64{0, 0.5, 1}, "0 0.5 1.0"}, {[]float64{-0.25, 0, 0.25}, "–0.25 0 0.25"}, {[]float64{0, 5000, 9999}, "0 5000 9999"},
		{[]float64{0, 5000, 10000}, "0 5k 10k"}, {[]float64{500, 10500}, "0.5k 10.5k"}, {[]float64{0, 999000}, "0 999k"}, {[]float64{0, 1e6}, "0 1M"}, {[]float64{25e8, 5e9}, "2.5G 5.0G"},
		{[]float64{1e12, 3e12}, "1T 3T"}, {[]float64{1e15, 2e15}, "1·10^{15} 2·10^{15}"}, {[]float64{999e12}, "999T"}, {[]float64{0, 5e-4}, "0 5·10^{–4}"}, {[]float64{0.001, 0.002}, "0.001 0.002"},
		{[]float64{0}, "0"}, {[]float64{0.1234567}, "0.123457"},
	} {
		if got := strings.Join(linearLabels(c.values), " "); got != c.want {
			t.Errorf("%v: %s, want %s", c.values, got, c.want)
		}
	}
}

// A linear axis has about the requested number of ticks, from its first to its last round number, each 1, 2 or 5 times
// a power of ten from the next.
func TestTicksAreRound(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for range 500 {
		low := (r.Float64() - 0.5) * math.Pow(10, float64(r.IntN(6)))
		s := scale{kind: "linear", low: low, high: low + (0.1+r.Float64())*math.Pow(10, float64(r.IntN(6)-2))}
		n := 2 + r.IntN(9)
		ticks := s.linearTicks(n)
		step := niceStep(s.span() / float64(n))
		mantissa := step / math.Pow(10, math.Floor(math.Log10(step)+1e-9))
		if d := math.Abs(mantissa-1) * math.Abs(mantissa-2) * math.Abs(mantissa-5); d > 1e-6 || step < s.span()/float64(n)*0.999 || step > 2.6*s.span()/float64(n) {
			t.Fatalf("%d ticks from %g to %g are %g apart", n, s.low, s.high, step)
		}
		for i, tick := range ticks {
			if k := tick.Value / step; math.Abs(k-math.Round(k)) > 1e-6 || i > 0 && math.Abs(tick.Value-ticks[i-1].Value-step) > 1e-6*step {
				t.Fatalf("ticks %v, %g apart", ticks, step)
			}
		}
		if len(ticks) > 0 && (ticks[0].Value-step > s.low+1e-6*step || ticks[len(ticks)-1].Value+step < s.high-1e-6*step) || len(ticks) == 0 && step < s.span() {
			t.Fatalf("ticks %v from %g to %g", ticks, s.low, s.high)
		}
	}
}

// An axis leaves space around its data, except at 0 if it begins there: bars do, and data whose low end is near 0.
func TestAxisPadding(t *testing.T) {
	for _, c := range []struct {
		kind, scale    string
		low, high      float64
		text           bool
		wantLow, wantH float64
	}{
		{"line", "linear", 10, 20, false, 9.5, 20.5}, {"line", "linear", 9, 20, false, 0, 21}, {"line", "linear", 0, 20, false, 0, 21}, {"line", "linear", -10, 10, false, -11, 11},
		{"line", "linear", 10, 20, true, 9, 21}, {"line", "linear", -20, 0, false, -21, 0}, {"bar", "linear", 10, 20, false, 0, 21}, {"bar", "linear", -20, -10, false, -21, 0},
		{"bar", "linear", 0, 0, false, 0, 1.05}, {"line", "linear", 8, 8, false, 4, 12}, {"line", "linear", 0, 0, false, -0.5, 0.5}, {"line", "log10", 10, 1000, false, 10 / math.Pow(100, 0.04), 1000 * math.Pow(100, 0.04)},
		{"line", "log2", 4, 4.5, false, 4 / 1.05, 4.5 * 1.05}, {"bar", "log10", 20, 2000, false, 10, 2000 * math.Pow(100, 0.04)}, {"bar", "log2", 8, 64, false, 4, 64 * math.Pow(8, 0.04)},
	} {
		s := (&Dimension{Scale: c.scale}).scaleOver(interval{c.low, c.high}, c.kind, c.text)
		if math.Abs(s.low-c.wantLow) > 1e-9*math.Max(1, c.high) || math.Abs(s.high-c.wantH) > 1e-9*c.wantH {
			t.Errorf("%s, %s from %g to %g: %g to %g, want %g to %g", c.kind, c.scale, c.low, c.high, s.low, s.high, c.wantLow, c.wantH)
		}
	}
	if s := (&Dimension{Scale: "category", Categories: make([]string, 4)}).scaleOver(interval{}, "bar", false); s.low != -0.5 || s.high != 3.5 {
		t.Errorf("four categories: %+v", s)
	}
}

// The axes include added lines and points, and the ridge of a roofline.
func TestAxesReachWhatIsAdded(t *testing.T) {
	for add, want := range map[string][4]float64{
		"":                               {1, 2, 5, 6},
		"{vline: 9}":                     {1, 9, 5, 6},
		"{hline: 1}":                     {1, 2, 1, 6},
		"{hline: 11}":                    {1, 2, 5, 11},
		"{points: [[0, 9]], source: m}":  {0, 2, 5, 9},
		"{x: 100, y: 100, text: a text}": {1, 2, 5, 6},
	} {
		c := suite.Must(chartOf(t, "a,b\n1,5\n2,6\n", "{kind: line, x: a, y: b, annotations: ["+add+"]}"))(t)
		if x, y := c.dataRange(c.Panels, true), c.dataRange(c.Panels, false); [4]float64{x.low, x.high, y.low, y.high} != want {
			t.Errorf("%s: %v and %v, want %v", add, x, y, want)
		}
	}
	c := suite.Must(chartOf(t, "a,b\n1,5\n2,6\n", "{kind: roofline, x: a, y: b, roofs: [{peak: 100}, {bandwidth: 5}, {bandwidth: 2}]}"))(t)
	if x, y := c.dataRange(c.Panels, true), c.dataRange(c.Panels, false); x != (interval{1, 80}) || y != (interval{5, 100}) {
		t.Errorf("a ridge at 20: %v and %v", x, y)
	}
}

// The values between min and max are visible, inclusively; a figure without visible content is refused.
func TestVisibleRange(t *testing.T) {
	for _, c := range []struct {
		x, y string
		ok   bool
	}{
		{"{column: a, min: 2}", "b", true}, {"{column: a, min: 2.001}", "b", false}, {"{column: a, max: 1}", "b", true}, {"{column: a, max: 0.999}", "b", false},
		{"a", "{column: b, min: 6}", true}, {"a", "{column: b, min: 6.001}", false}, {"a", "{column: b, max: 5}", true}, {"a", "{column: b, max: 4.999}", false},
	} {
		_, err := chartOf(t, "a,b\n1,5\n2,6\n", "{kind: scatter, x: "+c.x+", y: "+c.y+"}")
		if (err == nil) != c.ok {
			t.Errorf("x: %s, y: %s: %v", c.x, c.y, err)
		}
	}
	for end, ok := range map[string]bool{"min: 30": true, "min: 30.001": false, "max: 10": true, "max: 9.999": false, "min: 20": true} {
		if _, err := chartOf(t, "a,b,c\np,10,30\n", "{kind: timeline, x: {column: b, "+end+"}, y: a, end: c}"); (err == nil) != ok {
			t.Errorf("a span from 10 to 30, %s: %v", end, err)
		}
	}
}

// Margins, panels and gaps add up to the figure's size; the legend is inside the figure, and outside of the panels
// unless placed inside.
func TestPartsMakeUpTheFigure(t *testing.T) {
	for _, name := range figures {
		for _, place := range []string{"right", "bottom", "top", "inside", "none"} {
			f, table := load(t, name)
			f.Legend.Place = place
			if name != "line" {
				f.Legend.Title = "Title"
			}
			c := suite.Must(Build(f, table))(t)
			for _, style := range Styles {
				l, inside := c.chooseLayout(style)
				if err := l.testParts(inside); err != nil {
					t.Errorf("%s, %s, legend %s: %v", name, style, place, err)
				}
			}
		}
	}
}

// testParts reports parts of a figure that overlap, or leave it.
func (l *layout) testParts(inside vg.Point) error {
	columns, rows := vg.Length(l.columns), vg.Length(l.rows)
	if all := l.left + columns*l.panelW + (columns-1)*l.gapX + l.right; !near(all, l.size.X) {
		return fmt.Errorf("the parts are %v wide, the figure is %v", all, l.size.X)
	}
	if all := l.bottom + rows*l.panelH + (rows-1)*l.gapY + l.top; !near(all, l.size.Y) {
		return fmt.Errorf("the parts are %v high, the figure is %v", all, l.size.Y)
	}
	area := l.area()
	for i, p := range l.panes {
		column, row := vg.Length(i%l.columns), vg.Length(i/l.columns)
		at := vg.Point{X: area.Min.X + column*(l.panelW+l.gapX), Y: area.Max.Y - (row+1)*l.panelH - row*l.gapY}
		if !near(p.rect.Min.X, at.X) || !near(p.rect.Min.Y, at.Y) || !near(p.rect.Size().X, l.panelW) || !near(p.rect.Size().Y, l.panelH) {
			return fmt.Errorf("panel %d is %v, want it at %v", i, p.rect, at)
		}
	}
	if l.place == "none" || len(l.entries) == 0 {
		return nil
	}
	w, h := l.legendSize()
	corner := l.legendCorner(inside)
	box := vg.Rectangle{Min: vg.Point{X: corner.X, Y: corner.Y - h}, Max: vg.Point{X: corner.X + w, Y: corner.Y}}
	width, count, lines, title := l.legendGrid()
	if most := width*vg.Length(count) - entryGap + title; most > w+0.01 || entryHeight*vg.Length(lines) > h+0.01 || count*lines < len(l.entries) || (count-1)*lines >= len(l.entries) {
		return fmt.Errorf("%d entries in %d columns of %d", len(l.entries), count, lines)
	}
	in := box.Min.X >= -0.01 && box.Max.X <= l.size.X+0.01 && box.Min.Y >= -0.01 && box.Max.Y <= l.size.Y+0.01
	beside := box.Min.X >= area.Max.X-0.01 || box.Max.Y <= area.Min.Y+0.01 || box.Min.Y >= area.Max.Y-0.01
	if !in && l.place != "inside" || beside == (l.place == "inside") {
		return fmt.Errorf("the legend is at %v, the panels are at %v of %v", box, area, l.size)
	}
	return nil
}

// Annotations apply to the panels that they select by name, row or value.
func TestAnnotationsAreOfTheirPanels(t *testing.T) {
	c := &Chart{}
	p := &Panel{Name: "kernel = sum", Row: "big"}
	for facet, want := range map[string]bool{"": true, "kernel = sum": true, "sum": true, "big": true, "um": false, "kernel": false, "small": false} {
		if got := c.isIn(Annotation{Facet: facet}, p); got != want {
			t.Errorf("of %q: %t", facet, got)
		}
	}
	for facet, ok := range map[string]bool{"x": true, "y": true, "z": true, "w": false} {
		_, err := chartOf(t, "a,b,c\n1,5,x\n2,6,y\n2,6,z\n", "{kind: line, x: a, y: b, facets: c, annotations: [{hline: 1, facet: "+facet+"}]}")
		if (err == nil) != ok {
			t.Errorf("a facet %s: %v", facet, err)
		}
	}
}

// An annotation has one form, with the keys of that form alone; the legend names reference points, and lines with a
// source.
func TestFormsOfAnnotations(t *testing.T) {
	one := 1.0
	for mask := range 1 << 9 {
		has := func(i int) bool { return mask>>i&1 != 0 }
		var a Annotation
		for i, p := range []**float64{&a.VLine, &a.HLine, &a.X, &a.Y} {
			if has(i) {
				*p = &one
			}
		}
		if has(4) {
			a.Points = [][]float64{{1, 2}}
		}
		series := 0
		if has(5) {
			series++
		}
		if has(6) {
			series++
		}
		if series > 0 {
			a.Crossing = []string{"a", "b"}[:series]
		}
		if has(7) {
			a.Text = "text"
		}
		if has(8) {
			a.Source = "source"
		}
		vline, hline, x, y, points := has(0), has(1), has(2), has(3), has(4)
		forms := 0
		for _, f := range []bool{vline, hline && series == 0, points, series > 0, x || y} {
			if f {
				forms++
			}
		}
		ok := forms == 1 && (!x && !y || x && y && a.Text != "") && (!points || a.Text+a.Source != "") && (series != 1 || hline)
		faults := 0
		a.check("annotations[0]", func(string, error, string, ...any) { faults++ })
		if (faults == 0) != ok {
			t.Errorf("%+v: %d faults", a, faults)
		}
		if !ok {
			continue
		}
		line := vline || hline && series == 0
		if a.isLine() != line || a.inLegend() != (points || line && a.Source != "") {
			t.Errorf("%+v: a line %t, in the legend %t", a, a.isLine(), a.inLegend())
		}
		if want := map[[2]bool]string{{true, true}: "text (source)", {true, false}: "text", {false, true}: "source"}[[2]bool{has(7), has(8)}]; a.name() != want {
			t.Errorf("%+v is named %q, want %q", a, a.name(), want)
		}
	}
	for _, peak := range []float64{0, lowestRoof, 1} {
		for _, bandwidth := range []float64{0, lowestRoof, 1} {
			f := &Figure{Kind: "roofline", Roofs: []Roof{{Peak: peak, Bandwidth: bandwidth}}, lines: map[string]int{"x": 1, "y": 1, "roofs": 1}}
			f.X.Column, f.Y.Column = "a", "b"
			if err := f.check(); (err == nil) != ((peak == 1) != (bandwidth == 1)) {
				t.Errorf("a roof of peak %g and bandwidth %g: %v", peak, bandwidth, err)
			}
		}
	}
}

// Where two lines of straight parts cross, both have the same value, and they cross wherever they change sides.
func TestCrossingsLieOnBothLines(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	for range 100 {
		var rows strings.Builder
		rows.WriteString("x,y,s\n")
		for _, s := range "ab" {
			at := float64(r.IntN(5))
			for range 2 + r.IntN(6) {
				fmt.Fprintf(&rows, "%g,%g,%c\n", at, 1+r.Float64(), s)
				at += 0.5 + r.Float64()
			}
		}
		c := suite.Must(chartOf(t, rows.String(), "{kind: line, x: x, y: y, series: s}"))(t)
		p := &c.Panels[0]
		a, b := c.line(p, "a"), c.line(p, "b")
		got := c.crossings(p, Annotation{Crossing: []string{"a", "b"}})
		for _, x := range got {
			y1, ok1 := interpolate(a, x.x)
			y2, ok2 := interpolate(b, x.x)
			if !ok1 || !ok2 || math.Abs(y1-y2) > 1e-9 || math.Abs(x.y-y1) > 1e-9 {
				t.Fatalf("a crossing at %v: the lines are at %g and %g", x, y1, y2)
			}
		}
		changes, last := 0, 0.0
		for at := 0.0; at < 20; at += 1.0 / 512 {
			y1, ok1 := interpolate(a, at)
			y2, ok2 := interpolate(b, at)
			if !ok1 || !ok2 {
				continue
			}
			if d := y1 - y2; d*last < 0 {
				changes++
				last = d
			} else if d != 0 {
				last = d
			}
		}
		if len(got) < changes || len(got) > changes+2 { // two crossings may lie between two sampled places
			t.Fatalf("%d crossings, %d changes of sides", len(got), changes)
		}
	}
}

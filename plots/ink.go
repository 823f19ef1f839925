package plots

import (
	"image"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// inkCanvas notes which cells of a figure are drawn on, so that legends and labels find an empty place. Turning and scaling
// are not followed: only marks among the data are drawn on it, which are upright.
type inkCanvas struct {
	font          *family
	columns, rows int
	used          []bool
	texts         []vg.Rectangle // labels among the data
}

// inkCell is the width of a cell, points.
const inkCell = vg.Length(2)

func newInk(f *family, w, h vg.Length) *inkCanvas {
	k := &inkCanvas{font: f, columns: int(w/inkCell) + 1, rows: int(h/inkCell) + 1}
	k.used = make([]bool, k.columns*k.rows)
	return k
}

func (k *inkCanvas) SetLineWidth(vg.Length)                  {}
func (k *inkCanvas) SetLineDash([]vg.Length, vg.Length)      {}
func (k *inkCanvas) SetColor(color.Color)                    {}
func (k *inkCanvas) Rotate(float64)                          {}
func (k *inkCanvas) Translate(vg.Point)                      {}
func (k *inkCanvas) Scale(x, y float64)                      {}
func (k *inkCanvas) Push()                                   {}
func (k *inkCanvas) Pop()                                    {}
func (k *inkCanvas) DrawImage(r vg.Rectangle, _ image.Image) { k.addInk(r) }
func (k *inkCanvas) FillString(f font.Face, p vg.Point, s string) {
	k.addInk(vg.Rectangle{Min: p.Add(vg.Point{Y: -f.Font.Size * k.font.descent}), Max: p.Add(vg.Point{X: f.Width(s), Y: f.Font.Size * k.font.capHeight})})
}

func cellOf(x vg.Length) int { return int(math.Floor(float64(x / inkCell))) }

func (k *inkCanvas) set(column, row int) {
	if column >= 0 && column < k.columns && row >= 0 && row < k.rows {
		k.used[row*k.columns+column] = true
	}
}

func (k *inkCanvas) addInk(r vg.Rectangle) {
	for row := cellOf(r.Min.Y); row <= cellOf(r.Max.Y); row++ {
		for column := cellOf(r.Min.X); column <= cellOf(r.Max.X); column++ {
			k.set(column, row)
		}
	}
}

// count is the number of used cells under a rectangle.
func (k *inkCanvas) count(r vg.Rectangle) int {
	n := 0
	for row := max(0, cellOf(r.Min.Y)); row <= min(k.rows-1, cellOf(r.Max.Y)); row++ {
		for column := max(0, cellOf(r.Min.X)); column <= min(k.columns-1, cellOf(r.Max.X)); column++ {
			if k.used[row*k.columns+column] {
				n++
			}
		}
	}
	return n
}

// textsUnder is the number of labels that a rectangle would cover a part of.
func (k *inkCanvas) textsUnder(r vg.Rectangle) int {
	n := 0
	for _, t := range k.texts {
		if r.Min.X < t.Max.X && t.Min.X < r.Max.X && r.Min.Y < t.Max.Y && t.Min.Y < r.Max.Y {
			n++
		}
	}
	return n
}

// polygon returns a path's corners; it replaces curves by their ends, as they occur only in markers.
func polygon(p vg.Path) []vg.Point {
	var pts []vg.Point
	for _, comp := range p {
		switch comp.Type {
		case vg.MoveComp, vg.LineComp, vg.CurveComp:
			pts = append(pts, comp.Pos)
		case vg.CloseComp:
			pts = append(pts, pts[0])
		}
	}
	return pts
}

func (k *inkCanvas) Stroke(p vg.Path) {
	var from vg.Point
	for _, comp := range p {
		if comp.Type == vg.LineComp || comp.Type == vg.CurveComp {
			k.segment(from, comp.Pos)
		}
		from = comp.Pos
	}
}

func (k *inkCanvas) segment(a, b vg.Point) {
	steps := int(math.Max(math.Abs(float64(b.X-a.X)), math.Abs(float64(b.Y-a.Y)))/float64(inkCell)*2) + 1
	steps = min(steps, 4*(k.columns+k.rows))
	for i := range steps + 1 {
		t := vg.Length(i) / vg.Length(steps)
		k.set(cellOf(a.X+t*(b.X-a.X)), cellOf(a.Y+t*(b.Y-a.Y)))
	}
}

// Fill marks the cells whose middle is inside, by the even-odd rule, and the outline.
func (k *inkCanvas) Fill(p vg.Path) {
	k.Stroke(p)
	pts := polygon(p)
	if len(pts) == 0 {
		return
	}
	box := bounds(pts)
	var crossings []vg.Length
	for row := max(0, cellOf(box.Min.Y)); row <= min(k.rows-1, cellOf(box.Max.Y)); row++ {
		crossings = crossingsAt(pts, (vg.Length(row)+0.5)*inkCell, crossings[:0])
		for i := 0; i+1 < len(crossings); i += 2 {
			for column := cellOf(crossings[i] + inkCell/2); column <= cellOf(crossings[i+1]-inkCell/2); column++ {
				k.set(column, row)
			}
		}
	}
}

// crossingsAt are the places, ascending, where a polygon's sides cross a horizontal line.
func crossingsAt(pts []vg.Point, y vg.Length, into []vg.Length) []vg.Length {
	for i := range pts {
		a, b := pts[i], pts[(i+1)%len(pts)]
		if (a.Y > y) != (b.Y > y) {
			into = append(into, a.X+(y-a.Y)*(b.X-a.X)/(b.Y-a.Y))
		}
	}
	slices.Sort(into)
	return into
}

// emptiest returns the place inside a frame where a box covers least; it prefers corners, then edges.
func (k *inkCanvas) emptiest(frame vg.Rectangle, w, h vg.Length) (at vg.Point, covered int) {
	covered = math.MaxInt
	roomX, roomY := frame.Size().X-w, frame.Size().Y-h
	if roomX < 0 || roomY < 0 {
		return frame.Min, covered
	}
	for _, f := range places {
		p := frame.Min.Add(vg.Point{X: roomX * f.X, Y: roomY * f.Y})
		if n := k.count(vg.Rectangle{Min: p, Max: p.Add(vg.Point{X: w, Y: h})}); n < covered {
			at, covered = p, n
		}
	}
	return at, covered
}

// places are fractions of the space that is left in a frame.
var places = func() []vg.Point {
	pts := []vg.Point{{X: 0, Y: 1}, {X: 1, Y: 1}, {X: 1, Y: 0}, {X: 0, Y: 0}, {X: 0.5, Y: 1}, {X: 0.5, Y: 0}, {X: 0, Y: 0.5}, {X: 1, Y: 0.5}}
	for y := vg.Length(1); y >= -0.01; y -= 0.1 {
		for x := vg.Length(0); x <= 1.01; x += 0.1 {
			pts = append(pts, vg.Point{X: x, Y: y})
		}
	}
	return pts
}()

func (k *inkCanvas) on(r vg.Rectangle) draw.Canvas { return draw.Canvas{Canvas: k, Rectangle: r} }

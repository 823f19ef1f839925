package plots

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"

	"spvsim/internal/suite"
)

// A placedText is a text's middle, and its turn in degrees.
type placedText struct {
	text    string
	at      vg.Point
	degrees float64
}

// placesCanvas notes where texts are, turned ones as well.
type placesCanvas struct {
	*inkCanvas
	origin vg.Point // of the last translation
	turn   float64
	texts  []placedText
}

func (c *placesCanvas) Translate(p vg.Point)   { c.origin = p }
func (c *placesCanvas) Rotate(radians float64) { c.turn = radians }
func (c *placesCanvas) Pop()                   { c.origin, c.turn = vg.Point{}, 0 }

func (c *placesCanvas) FillString(f font.Face, p vg.Point, s string) {
	x, y := p.X+f.Width(s)/2, p.Y+f.Font.Size*c.font.capHeight/2
	sin, cos := vg.Length(math.Sin(c.turn)), vg.Length(math.Cos(c.turn))
	at := c.origin.Add(vg.Point{X: x*cos - y*sin, Y: x*sin + y*cos})
	c.texts = append(c.texts, placedText{s, at, math.Round(c.turn * 180 / math.Pi)})
}

// find returns the placed text with that wording, which must be unique.
func (c *placesCanvas) find(t *testing.T, text string) placedText {
	t.Helper()
	i := slices.IndexFunc(c.texts, func(p placedText) bool { return p.text == text })
	if i < 0 {
		t.Fatalf("no text %q among %v", text, c.texts)
	}
	return c.texts[i]
}

func near(a, b vg.Length) bool { return math.Abs(float64(a-b)) < 0.01 }

// Names of columns are centred over the panels of the first row, and names of rows turned and centred at the right edge
// of the last column; the title and the axes' labels are centred over all panels, and a tick's label is at its value.
func TestTextPositions(t *testing.T) {
	c := suite.Must(chartOf(t, sweepRows, "kind: line\nx: {column: threads, label: below}\ny: {column: time, label: beside}\ntitle: Title\nfacets: {column: machine, rows: kernel, names: {sum: the sum}}\nfilter: machine != 'mid' || kernel == 'copy'"))(t)
	for _, style := range Styles {
		l, at := c.chooseLayout(style)
		k := &placesCanvas{inkCanvas: newInk(l.font, l.size.X, l.size.Y)}
		l.draw(k, at)
		capital := func(size vg.Length) vg.Length { return size * l.font.capHeight / 2 }
		first, last := l.panes[0].rect, l.panes[len(l.panes)-1].rect
		for i, name := range []string{"zen", "arc", "mid"} {
			r, got := l.panes[i].rect, k.find(t, name)
			if !near(got.at.X, (r.Min.X+r.Max.X)/2) || !near(got.at.Y, r.Max.Y+4+capital(textSize)) || got.degrees != 0 {
				t.Errorf("%s: column %s is at %v, its panel at %v", style, name, got, r)
			}
		}
		for i, name := range []string{"copy", "the sum"} {
			r, got := l.panes[3*i+2].rect, k.find(t, name)
			if !near(got.at.Y, (r.Min.Y+r.Max.Y)/2) || got.at.X < r.Max.X || got.at.X > r.Max.X+4+textSize || got.degrees != -90 {
				t.Errorf("%s: row %s is at %v, its panel at %v", style, name, got, r)
			}
		}
		for name, axis := range map[string]byte{"Title": 'x', "below": 'x', "beside": 'y'} {
			got := k.find(t, name)
			if axis == 'x' && !near(got.at.X, (first.Min.X+last.Max.X)/2) || axis == 'y' && (!near(got.at.Y, (last.Min.Y+first.Max.Y)/2) || got.degrees != 90 || got.at.X > first.Min.X) {
				t.Errorf("%s: %s is at %v, panels from %v to %v", style, name, got, first, last)
			}
		}
		if title, below := k.find(t, "Title"), k.find(t, "below"); title.at.Y < first.Max.Y || below.at.Y > last.Min.Y {
			t.Errorf("%s: title at %v, label of x at %v", style, title, below)
		}
		l.testTicks(t, style, k)
	}
}

// testTicks checks that the labels of x are under their values in the last row, and those of y next to theirs in the
// first column.
func (l *layout) testTicks(t *testing.T, style string, k *placesCanvas) {
	t.Helper()
	labels := 0
	for i, p := range l.panes {
		for _, tick := range p.xt {
			x := p.rect.Min.X + vg.Length(p.axes.X.norm(tick.Value))*p.rect.Size().X
			under := slices.ContainsFunc(k.texts, func(e placedText) bool {
				return e.text == tick.Label && near(e.at.X, x) && e.at.Y < p.rect.Min.Y && e.at.Y > p.rect.Min.Y-2*smallSize
			})
			if want := p.showX && tick.Label != ""; under != want {
				t.Errorf("%s: panel %d has %q of x: %v, want %v", style, i, tick.Label, under, want)
			}
			if under {
				labels++
			}
		}
		for _, tick := range p.yt {
			y := p.rect.Min.Y + vg.Length(p.axes.Y.norm(tick.Value))*p.rect.Size().Y
			end := p.rect.Min.X - tickSpace - l.font.width(tick.Label, smallSize)/2
			beside := slices.ContainsFunc(k.texts, func(e placedText) bool { return e.text == tick.Label && near(e.at.X, end) && near(e.at.Y, y) })
			if want := p.showY && tick.Label != ""; beside != want {
				t.Errorf("%s: panel %d has %q of y: %v, want %v", style, i, tick.Label, beside, want)
			}
			if beside {
				labels++
			}
		}
	}
	if labels < 8 {
		t.Errorf("%s: %d labels of ticks", style, labels)
	}
}

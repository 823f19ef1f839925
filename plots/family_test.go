package plots

import (
	"bytes"
	"math"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"

	"spvsim/internal/suite"
)

var fontNames = []string{"sans", "serif", "mono"}

// A family's metrics are those of the whole font: heights of letters, and widths of texts as the sum of their letters'.
func TestFamiliesMeasureTheirFonts(t *testing.T) {
	for _, name := range fontNames {
		f := families[name]
		whole := suite.Must(opentype.Parse(f.data))(t)
		var buf sfnt.Buffer
		glyph := func(r rune) (fixed.Rectangle26_6, float64) {
			id, err1 := whole.GlyphIndex(&buf, r)
			box, advance, err2 := whole.GlyphBounds(&buf, id, fixed.I(1000), 0)
			if id == 0 || err1 != nil || err2 != nil {
				t.Fatal(name, string(r), err1, err2)
			}
			return box, float64(advance) / 64000
		}
		h, _ := glyph('H')
		g, _ := glyph('g')
		if above := -float64(h.Min.Y) / 64000; math.Abs(above-float64(f.capHeight)) > 0.01 {
			t.Errorf("%s: capitals are %.3f high, taken for %.3f", name, above, f.capHeight)
		}
		if below := float64(g.Max.Y) / 64000; math.Abs(below-float64(f.descent)) > 0.01 {
			t.Errorf("%s: letters reach %.3f under the line, taken for %.3f", name, below, f.descent)
		}
		for _, text := range []string{"million cycles", "WAVES", "0.125", "λ ≤ 10"} {
			want := 0.0
			for _, r := range text {
				_, w := glyph(r)
				want += w
			}
			if got := float64(f.width(text, 100)) / 100; math.Abs(got-want) > 0.002*float64(len(text)) {
				t.Errorf("%s: %q is %.3f wide, want %.3f", name, text, got, want)
			}
		}
	}
	mono := families["mono"]
	if a, b := mono.width("iiii", 8), mono.width("MMMM", 8); a != b {
		t.Errorf("mono: iiii is %v wide, MMMM %v", a, b)
	}
}

const fontFigure = "kind: line\ntitle: 'Hits ≤ λ, 10⁻²'\nx: {column: a, label: plain}\ny: b\n"

// The figure's font applies to all of its texts, in every format; the default is sans.
func TestFontIsThatOfAllTexts(t *testing.T) {
	draws := map[string]map[string][]byte{}
	for _, name := range append(fontNames, "") {
		line := "font: " + name + "\n"
		if name == "" {
			line = ""
		}
		c := suite.Must(chartOf(t, "a,b\n1,2\n2,3\n", fontFigure+line))(t)
		draws[name] = map[string][]byte{}
		for _, format := range Formats {
			draws[name][format] = drawn(t, c, format, "column")
		}
	}
	families := regexp.MustCompile(`font-family:(Liberation [A-Z][a-z]+)`)
	baseFonts := regexp.MustCompile(`/BaseFont /(Liberation[A-Z][a-z]+)`)
	for _, format := range Formats {
		if !bytes.Equal(draws[""][format], draws["sans"][format]) {
			t.Errorf("%s: a figure without a font is not in sans", format)
		}
		for i, name := range fontNames {
			if next := fontNames[(i+1)%3]; bytes.Equal(draws[name][format], draws[next][format]) {
				t.Errorf("%s: %s looks like %s", format, name, next)
			}
		}
	}
	for name, word := range map[string]string{"sans": "Sans", "serif": "Serif", "mono": "Mono"} {
		found := families.FindAllStringSubmatch(string(draws[name]["svg"]), -1)
		found = append(found, baseFonts.FindAllStringSubmatch(string(draws[name]["pdf"]), -1)...)
		if len(found) < 5 {
			t.Errorf("%s: %d fonts are named", name, len(found))
		}
		for _, f := range found {
			if strings.ReplaceAll(f[1], " ", "") != "Liberation"+word {
				t.Errorf("%s: %s", name, f[0])
			}
		}
	}
	_, err := Read("f.yaml", []byte("kind: line\nx: a\ny: b\nfont: serfi\n"))
	if err == nil || !strings.Contains(err.Error(), "f.yaml:4") || !strings.Contains(err.Error(), "serif") {
		t.Errorf("%v: want the line and the nearest font", err)
	}
}

// textCanvas notes where upright texts are.
type textCanvas struct {
	*inkCanvas
	depth  int
	turned bool
	boxes  []vg.Rectangle
	words  []string
}

func (c *textCanvas) Push()          { c.depth++ }
func (c *textCanvas) Rotate(float64) { c.turned = true }
func (c *textCanvas) Pop() {
	c.depth--
	c.turned = c.turned && c.depth > 0
}

func (c *textCanvas) FillString(f font.Face, p vg.Point, s string) {
	if c.turned || strings.TrimSpace(s) == "" {
		return
	}
	size := f.Font.Size
	c.boxes = append(c.boxes, vg.Rectangle{Min: p, Max: p.Add(vg.Point{X: f.Width(s), Y: size * c.font.capHeight})})
	c.words = append(c.words, s)
}

// In each font texts neither overlap nor leave the figure: ticks, legends and margins follow the font's widths.
func TestTextsInEachFontLieApart(t *testing.T) {
	for _, figure := range figures {
		for _, name := range fontNames {
			for _, style := range Styles {
				c := build(t, figure)
				c.figure.Font = name
				l, at := c.chooseLayout(style)
				k := &textCanvas{inkCanvas: newInk(l.font, l.size.X, l.size.Y)}
				l.draw(k, at)
				for i, box := range k.boxes {
					if box.Min.X < 0 || box.Max.X > l.size.X || box.Min.Y < 0 || box.Max.Y > l.size.Y {
						t.Errorf("%s in %s, %s: %q is not in the figure", figure, name, style, k.words[i])
					}
					if k.inkCanvas.texts = k.boxes[:i]; k.textsUnder(box) > 0 {
						t.Errorf("%s in %s, %s: %q is on another text", figure, name, style, k.words[i])
					}
				}
			}
		}
	}
}

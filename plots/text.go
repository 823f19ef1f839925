package plots

import (
	"math"
	"strings"
	"sync"

	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/text/encoding/charmap"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Texts are set in Liberation Sans, which is the width of Helvetica. ^{...} raises and _{...} lowers what is in braces.

// Proportions of the font to its size.
const (
	capHeight   = 0.69
	descent     = 0.21
	lineSpacing = 1.2
	raised      = 0.36 // rise of ^{}
	lowered     = -0.14
	scriptScale = 0.72
)

// face is made once: the characters of the code page; the faces of each size share its bytes.
var face = sync.OnceValue(func() *font.Cache {
	parsed, err := opentype.Parse(subsetFont(liberationsansregular.TTF, codePageRunes()))
	if err != nil {
		panic("plots: the built-in font: " + err.Error())
	}
	f := font.Font{Typeface: "Liberation", Variant: "Sans"}
	return font.NewCache(font.Collection{{Font: f, Face: parsed}})
})

func codePageRunes() []rune {
	var runes []rune
	for b := 0x20; b < 0x100; b++ {
		if r := codePage.DecodeByte(byte(b)); r >= 0x20 && (r < 0x7f || r >= 0xa0) && r != '\ufffd' {
			runes = append(runes, r)
		}
	}
	return runes
}

func faceOf(size vg.Length) *font.Face {
	f := face().Lookup(font.Font{Typeface: "Liberation", Variant: "Sans"}, size)
	return &f
}

// span is a run of text of one size and height.
type span struct {
	text  string
	scale vg.Length
	rise  vg.Length // to the size
}

func spans(s string) []span {
	var out []span
	for s != "" {
		at := strings.IndexAny(s, "^_")
		for at >= 0 && (at+1 >= len(s) || s[at+1] != '{' || !strings.Contains(s[at:], "}")) {
			next := strings.IndexAny(s[at+1:], "^_")
			if next < 0 {
				at = -1
				break
			}
			at += 1 + next
		}
		if at < 0 {
			return append(out, span{s, 1, 0})
		}
		if at > 0 {
			out = append(out, span{s[:at], 1, 0})
		}
		end := at + strings.IndexByte(s[at:], '}')
		rise := vg.Length(raised)
		if s[at] == '_' {
			rise = lowered
		}
		out = append(out, span{s[at+2 : end], scriptScale, rise})
		s = s[end+1:]
	}
	return out
}

func lineWidthOf(line string, size vg.Length) vg.Length {
	w := vg.Length(0)
	for _, s := range spans(line) {
		w += faceOf(size * s.scale).Width(s.text)
	}
	return w
}

func textWidth(s string, size vg.Length) vg.Length {
	w := vg.Length(0)
	for _, line := range strings.Split(s, "\n") {
		w = max(w, lineWidthOf(line, size))
	}
	return w
}

// textHeight is from the top of the first line's capitals to the last line's base.
func textHeight(s string, size vg.Length) vg.Length {
	return size*capHeight + size*lineSpacing*vg.Length(strings.Count(s, "\n"))
}

// Alignments say what part of a text is at its point: as fractions of its box.
type alignment struct{ x, y vg.Length }

var (
	atLeft   = alignment{0, 0.5}
	atCenter = alignment{0.5, 0.5}
	atRight  = alignment{1, 0.5}
	atTop    = alignment{0.5, 1}
	atBottom = alignment{0.5, 0}
)

// setText draws a text turned by degrees about its point.
func setText(c draw.Canvas, s string, at vg.Point, size vg.Length, a alignment, degrees float64) {
	if s == "" {
		return
	}
	s = standIns.Replace(s)
	if degrees != 0 {
		c.Push()
		defer c.Pop()
		c.Translate(at)
		c.Rotate(degrees * math.Pi / 180)
		at = vg.Point{}
	}
	y := at.Y + textHeight(s, size)*(1-a.y) - size*capHeight
	for _, line := range strings.Split(s, "\n") {
		x := at.X - a.x*lineWidthOf(line, size)
		for _, run := range spans(line) {
			f := faceOf(size * run.scale)
			text := strings.TrimLeft(run.text, " ") // SVG drops spaces at the beginning
			x += f.Width(run.text[:len(run.text)-len(text)])
			c.FillString(*f, vg.Point{X: x, Y: y + size*run.rise}, text)
			x += f.Width(text)
		}
		y -= size * lineSpacing
	}
}

// codePage is the encoding of the PDF's font: what it lacks is refused in every format, so that all show the same.
var codePage = charmap.Windows1252

// stand-ins for characters that the code page lacks and that look like one it has.
var standIns = strings.NewReplacer("−", "–", "μ", "µ", "∙", "·", "⋅", "·")

func encodeText(s string) (string, rune) {
	s = standIns.Replace(s)
	out := make([]byte, 0, len(s))
	for _, r := range s {
		b, ok := codePage.EncodeRune(r)
		if !ok {
			return "", r
		}
		out = append(out, b)
	}
	return string(out), 0
}

package plots

import (
	"strings"
	"sync"

	"codeberg.org/go-fonts/liberation/liberationmonoregular"
	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"codeberg.org/go-fonts/liberation/liberationserifregular"
	"golang.org/x/image/font/opentype"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// family is a font with the metrics of its texts. All are Liberation fonts, with the widths of Helvetica, Times and
// Courier.
type family struct {
	variant            font.Variant
	data               []byte
	capHeight, descent vg.Length // to the size: of capitals over the line, of letters under it

	// Fonts are built once, and the faces of all sizes share their bytes: plain has the characters of the code page,
	// which suffice for nearly all figures, bigger also Greek, Latin of central Europe and mathematical signs.
	plain, bigger func() *font.Cache
}

// families by their names in a figure's file; the default is sans.
var families = map[string]*family{
	"":      sans,
	"sans":  sans,
	"serif": newFamily("Serif", liberationserifregular.TTF, 0.66, 0.22),
	"mono":  newFamily("Mono", liberationmonoregular.TTF, 0.66, 0.21),
}

var sans = newFamily("Sans", liberationsansregular.TTF, 0.69, 0.21)

const (
	plainName  = "Liberation"
	biggerName = "LiberationGreek" // a second font in the figure's file, as it has more characters
)

func newFamily(variant font.Variant, data []byte, capHeight, descent vg.Length) *family {
	f := &family{variant: variant, data: data, capHeight: capHeight, descent: descent}
	f.plain = sync.OnceValue(func() *font.Cache { return f.subset(plainName, codePageRunes(), "") })
	f.bigger = sync.OnceValue(func() *font.Cache { return f.subset(biggerName, append(codePageRunes(), biggerRunes()...), " Greek") })
	return f
}

func (f *family) subset(name font.Typeface, runes []rune, suffix string) *font.Cache {
	parsed, err := opentype.Parse(subsetFont(f.data, runes, suffix))
	if err != nil {
		panic("plots: the built-in font: " + err.Error())
	}
	return font.NewCache(font.Collection{{Font: font.Font{Typeface: name, Variant: f.variant}, Face: parsed}})
}

// face returns the face for a text: the plain one if it has all of the characters.
func (f *family) face(text string, size vg.Length) font.Face {
	if strings.ContainsFunc(text, func(r rune) bool { return isBigger()[r] }) {
		return f.bigger().Lookup(font.Font{Typeface: biggerName, Variant: f.variant}, size)
	}
	return f.plain().Lookup(font.Font{Typeface: plainName, Variant: f.variant}, size)
}

func (f *family) lineWidth(line string, size vg.Length) vg.Length {
	w := vg.Length(0)
	for _, s := range spans(line) {
		face := f.face(s.text, size*s.scale)
		w += face.Width(s.text)
	}
	return w
}

func (f *family) width(s string, size vg.Length) vg.Length {
	w := vg.Length(0)
	for _, line := range strings.Split(s, "\n") {
		w = max(w, f.lineWidth(line, size))
	}
	return w
}

// height is the distance from the top of the first line's capitals to the last line's baseline.
func (f *family) height(s string, size vg.Length) vg.Length {
	return size*f.capHeight + size*lineSpacing*vg.Length(strings.Count(s, "\n"))
}

// font is the family of all of a figure's texts.
func (c *Chart) font() *family { return families[c.figure.Font] }

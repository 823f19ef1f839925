package plots

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"

	"spvsim/internal/suite"
)

// TestSubsetDrawsTheSameGlyphs compares each character's outline and width with the whole font's; with -short, of some
// characters.
func TestSubsetDrawsTheSameGlyphs(t *testing.T) {
	few := func(all []rune) (list []rune) {
		for i, r := range all {
			if i%9 == 0 || !testing.Short() {
				list = append(list, r)
			}
		}
		return list
	}
	for _, f := range []*family{families["sans"], families["serif"], families["mono"]} {
		testSubset(t, f, few(codePageRunes()), "")
		testSubset(t, f, few(append(codePageRunes(), biggerRunes()...)), " Greek")
	}
}

func testSubset(t *testing.T, f *family, runes []rune, suffix string) {
	t.Helper()
	const share = 5 // of the whole font's bytes, 1 in so many
	data := subsetFont(f.data, runes, suffix)
	if len(data) > len(f.data)/share {
		t.Errorf("%d bytes of %d", len(data), len(f.data))
	}
	if got := checksum(data); got != 0xb1b0afba {
		t.Errorf("checksum of the file: %#x", got)
	}
	small, err1 := opentype.Parse(data)
	whole, err2 := opentype.Parse(f.data)
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	if name, err := small.Name(nil, sfnt.NameIDFamily); err != nil || name != "Liberation "+string(f.variant)+suffix {
		t.Errorf("family %q, %v", name, err)
	}
	for _, r := range runes {
		a, widthA := outlineOf(t, small, r)
		b, widthB := outlineOf(t, whole, r)
		if diff := cmp.Diff(b, a); diff != "" || widthA != widthB {
			t.Errorf("%q: width %v, want %v\n%s", r, widthA, widthB, diff)
		}
	}
	if id, err := small.GlyphIndex(new(sfnt.Buffer), 'Ж'); err == nil && id != 0 {
		t.Errorf("a character that was not asked for is glyph %d", id)
	}
}

func outlineOf(t *testing.T, f *sfnt.Font, r rune) (sfnt.Segments, fixed.Int26_6) {
	t.Helper()
	var buf sfnt.Buffer
	id, err := f.GlyphIndex(&buf, r)
	if err != nil || id == 0 {
		t.Fatalf("%q: glyph %d: %v", r, id, err)
	}
	width := suite.Must(f.GlyphAdvance(&buf, id, 1000, 0))(t)
	segments, err := f.LoadGlyph(&buf, id, 1000, nil)
	if err != nil {
		t.Fatalf("%q: %v", r, err)
	}
	return append(sfnt.Segments(nil), segments...), width
}

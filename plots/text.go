package plots

import (
	"math"
	"strings"
	"sync"

	"golang.org/x/text/encoding/charmap"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Texts are set in the figure's font. ^{...} raises and _{...} lowers the text in braces.

// Proportions to the size of the font.
const (
	lineSpacing = 1.2
	raised      = 0.36 // rise of ^{}
	lowered     = -0.14
	scriptScale = 0.72
)

// biggerRunes are the characters of the fonts that the code page lacks.
func biggerRunes() []rune {
	runes := []rune("≤≥≠≈≡√∞∑∏∂∆∫←↑→↓↔∩′″⁄ℓ")
	for _, block := range [][2]rune{{'Ā', 'ſ'}, {'Α', 'Ρ'}, {'Σ', 'ώ'}} {
		for r := block[0]; r <= block[1]; r++ {
			if _, ok := codePage.EncodeRune(r); !ok {
				runes = append(runes, r)
			}
		}
	}
	return runes
}

var isBigger = sync.OnceValue(func() map[rune]bool {
	set := map[rune]bool{}
	for _, r := range biggerRunes() {
		set[r] = true
	}
	return set
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

// span is a run of text of one size and height.
type span struct {
	text  string
	scale vg.Length
	rise  vg.Length // to the size
}

func spans(s string) []span {
	s = raiseScripts(standIns.Replace(s))
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

// An alignment is the part of a text's box that is at its point, in fractions of the box.
type alignment struct{ x, y vg.Length }

var (
	atLeft   = alignment{0, 0.5}
	atCenter = alignment{0.5, 0.5}
	atRight  = alignment{1, 0.5}
	atTop    = alignment{0.5, 1}
	atBottom = alignment{0.5, 0}
)

// write draws a text turned by degrees about its point.
func (f *family) write(c draw.Canvas, s string, at vg.Point, size vg.Length, a alignment, degrees float64) {
	if s == "" {
		return
	}
	if degrees != 0 {
		c.Push()
		defer c.Pop()
		c.Translate(at)
		c.Rotate(degrees * math.Pi / 180)
		at = vg.Point{}
	}
	y := at.Y + f.height(s, size)*(1-a.y) - size*f.capHeight
	for _, line := range strings.Split(s, "\n") {
		x := at.X - a.x*f.lineWidth(line, size)
		for _, run := range spans(line) {
			face := f.face(run.text, size*run.scale)
			text := strings.TrimLeft(run.text, " ") // SVG drops spaces at the beginning
			x += face.Width(run.text[:len(run.text)-len(text)])
			c.FillString(face, vg.Point{X: x, Y: y + size*run.rise}, text)
			x += face.Width(text)
		}
		y -= size * lineSpacing
	}
}

// codePage is the encoding of the PDF's font.
var codePage = charmap.Windows1252

// standIns replace characters that the code page lacks with similar ones.
var standIns = strings.NewReplacer("−", "–", "μ", "µ", "∙", "·", "⋅", "·")

// scripts are raised and lowered characters, of which the font has a few: all are set as plain characters, smaller.
var scripts = map[rune]struct {
	mark, plain rune
}{}

func init() {
	for _, row := range []struct {
		mark          rune
		from, plainly string
	}{{'^', "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ", "0123456789+−=()ni"}, {'_', "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₙₓ", "0123456789+−=()nx"}} {
		plain := []rune(row.plainly)
		for i, r := range []rune(row.from) {
			scripts[r] = struct{ mark, plain rune }{row.mark, plain[i]}
		}
	}
}

// raiseScripts turns runs of raised and lowered characters into ^{} and _{}. Where all of them are of the code page, as in mm², they stay.
func raiseScripts(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool {
		_, ok := codePage.EncodeRune(r)
		return !ok && scripts[r].mark != 0
	}) {
		return s
	}
	var out strings.Builder
	open := rune(0)
	for _, r := range s {
		x := scripts[r]
		if open != 0 && x.mark != open {
			out.WriteByte('}')
		}
		if x.mark != 0 && x.mark != open {
			out.WriteString(string(x.mark) + "{")
		}
		if open = x.mark; x.mark != 0 {
			r = x.plain
		}
		out.WriteRune(r)
	}
	if open != 0 {
		out.WriteByte('}')
	}
	return standIns.Replace(out.String())
}

// encoded returns a text in the encoding of the PDF's font; ok is false if the encoding lacks a character.
func encoded(s string) (text string, ok bool) {
	out := make([]byte, 0, len(s))
	for _, r := range s {
		b, ok := codePage.EncodeRune(r)
		if !ok {
			return "", false
		}
		out = append(out, b)
	}
	return string(out), true
}

// unknown is the first character of a text that the figure's font lacks; 0: it has all.
func unknown(s string) rune {
	for _, span := range spans(s) {
		for _, r := range span.text {
			if _, ok := codePage.EncodeRune(r); !ok && !isBigger()[r] {
				return r
			}
		}
	}
	return 0
}

package report

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"strconv"
	"strings"
)

// A drawing is an SVG picture of a given width and height in pixels. Its colours are classes of the page, so that they
// follow its light or dark theme.
type drawing struct {
	strings.Builder
	width, height float64
}

func newDrawing(width, height float64, label string) *drawing {
	d := &drawing{width: width, height: height}
	fmt.Fprintf(d, `<svg viewBox="0 0 %s %s" role="img" aria-label="%s">`, num(width), num(height), html.EscapeString(label))
	return d
}

func (d *drawing) done() template.HTML {
	d.WriteString("</svg>")
	return template.HTML(d.String()) // texts were escaped where they were written
}

// num writes a coordinate.
func num(x float64) string { return strconv.FormatFloat(math.Round(x*10)/10, 'f', -1, 64) }

// rect draws a rectangle; a title is shown where the pointer rests on it.
func (d *drawing) rect(x, y, w, h float64, class, title string) {
	fmt.Fprintf(d, `<rect x="%s" y="%s" width="%s" height="%s" class="%s"`, num(x), num(y), num(max(w, 0)), num(max(h, 0)), class)
	if title == "" {
		d.WriteString("/>")
		return
	}
	fmt.Fprintf(d, "><title>%s</title></rect>", html.EscapeString(title))
}

func (d *drawing) line(x1, y1, x2, y2 float64, class string) {
	fmt.Fprintf(d, `<path d="M%s %sL%s %s" class="%s"/>`, num(x1), num(y1), num(x2), num(y2), class)
}

// Anchors of texts.
const (
	start  = "start"
	middle = "middle"
	end    = "end"
)

func (d *drawing) text(x, y float64, anchor, class, s string) {
	fmt.Fprintf(d, `<text x="%s" y="%s" text-anchor="%s" class="%s">%s</text>`, num(x), num(y), anchor, class, html.EscapeString(s))
}

// path draws a line through points, closed for an area.
func (d *drawing) path(points [][2]float64, closed bool, class, title string) {
	d.WriteString(`<path d="`)
	for i, p := range points {
		d.WriteString(map[bool]string{true: "M", false: "L"}[i == 0] + num(p[0]) + " " + num(p[1]))
	}
	if closed {
		d.WriteByte('Z')
	}
	fmt.Fprintf(d, `" class="%s"><title>%s</title></path>`, class, html.EscapeString(title))
}

// markers are shapes around the origin, so that series differ without colour as well.
var markers = []string{
	"M0-5A5 5 0 1 1 0 5A5 5 0 1 1 0-5Z", "M-4.5-4.5H4.5V4.5H-4.5Z", "M0-6L5.5 4.5H-5.5Z",
	"M0-6L6 0L0 6L-6 0Z", "M0 6L5.5-4.5H-5.5Z", "M-2-5.5H2V-2H5.5V2H2V5.5H-2V2H-5.5V-2H-2Z",
}

func (d *drawing) marker(i int, x, y float64, class, title string) {
	fmt.Fprintf(d, `<path transform="translate(%s %s)" d="%s" class="%s"><title>%s</title></path>`, num(x), num(y),
		markers[i%len(markers)], class, html.EscapeString(title))
}

// ticks are round numbers from 0 on, about n of them, that reach top.
func ticks(top float64, n int) []float64 {
	if top <= 0 {
		return []float64{0, 1}
	}
	step := math.Pow(10, math.Floor(math.Log10(top/float64(n))))
	for _, f := range []float64{1, 2, 5, 10} {
		if top/(step*f) <= float64(n) {
			step *= f
			break
		}
	}
	var list []float64
	for i := 0; ; i++ {
		list = append(list, float64(i)*step)
		if float64(i)*step >= top*(1-1e-9) {
			return list
		}
	}
}

// shortNumber writes a number with three digits and a prefix.
func shortNumber(x float64) string {
	prefix := ""
	for _, p := range []string{"k", "M", "G", "T"} {
		if math.Abs(x) < 1000 {
			break
		}
		x, prefix = x/1000, p
	}
	digits := 0
	if a := math.Abs(x); x != math.Trunc(x) && a < 100 {
		digits = 1
		if a < 10 {
			digits = 2
		}
	}
	if a := math.Abs(x); a > 0 && a < 0.01 {
		return strconv.FormatFloat(x, 'g', 2, 64)
	}
	s := strconv.FormatFloat(x, 'f', digits, 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s + prefix
}

// grouped writes a count with its digits in groups of three.
func grouped(n uint64) string {
	s := strconv.FormatUint(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "\u202f" + s[i:]
	}
	return s
}

func percent(part, whole float64) string {
	if whole == 0 {
		return "–"
	}
	return strconv.FormatFloat(100*part/whole, 'f', 1, 64) + "%"
}

// shortened cuts a text that is longer than n letters.
func shortened(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

package plots

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image/color"
	"io"
	"runtime"
	"sort"
	"strings"
	"sync"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"

	"spvsim/internal/fault"
	"spvsim/internal/lists"
	"spvsim/internal/spec"
)

// Formats that a chart can be written in.
var Formats = []string{"svg", "pdf", "png", "eps"}

// Usual are the default formats.
var Usual = Formats[:3]

// Styles of a figure: widths of 3.33 and 7 inches.
var Styles = []string{"column", "page"}

// pngDPI is the resolution of PNG, dots an inch.
const pngDPI = 300

// sheet is a canvas that can be written.
type sheet interface {
	vg.Canvas
	io.WriterTo
}

var sheets = map[string]func(w, h vg.Length) sheet{
	"svg": func(w, h vg.Length) sheet { return vgsvg.NewWith(vgsvg.UseWH(w, h), vgsvg.EmbedFonts(true)) },
	"pdf": func(w, h vg.Length) sheet { return newPDF(w, h) },
	"eps": func(w, h vg.Length) sheet { return newEPS(w, h) },
	"png": func(w, h vg.Length) sheet {
		return vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(pngDPI))}
	},
}

// Draw draws the chart in a format and a style; an empty style is the figure's, or else column.
func (c *Chart) Draw(format, style string) ([]byte, error) {
	newSheet, ok := sheets[format]
	if !ok {
		return nil, &Error{Msg: fmt.Sprintf("no format %q: want one of %s%s", format, strings.Join(Formats, ", "), spec.Hint(format, Formats)), Kind: ErrRange}
	}
	style = cmp.Or(style, cmp.Or(c.figure.Style, "column"))
	if _, ok := styleWidths[style]; !ok {
		return nil, &Error{Msg: fmt.Sprintf("no style %q: want one of %s%s", style, strings.Join(Styles, ", "), spec.Hint(style, Styles)), Kind: ErrRange}
	}
	l, legendAt := c.chooseLayout(style)
	if err := l.check(); err != nil {
		return nil, err
	}
	data, err := l.render(newSheet, legendAt)
	if err != nil {
		return nil, &Error{File: c.figure.File, Msg: fmt.Sprintf("can't be drawn as %s: %v", format, err), Kind: ErrDraw}
	}
	if format == "png" {
		data = withResolution(data)
	}
	return data, nil
}

// render draws on a new sheet. The libraries of the formats panic on errors of files (fonts of a PDF pass through the
// temporary folder): render returns such a panic as an error. Faults of the Go runtime remain panics.
func (l *layout) render(newSheet func(w, h vg.Length) sheet, legendAt vg.Point) (data []byte, err error) {
	defer func() {
		fault := recover()
		if _, ours := fault.(runtime.Error); ours {
			panic(fault)
		}
		if fault != nil {
			data, err = nil, fmt.Errorf("%v", fault)
		}
	}()
	s := newSheet(l.size.X, l.size.Y)
	l.draw(s, legendAt)
	var out bytes.Buffer
	_, err = s.WriteTo(&out)
	return out.Bytes(), err
}

// withResolution inserts the chunk with the resolution of a PNG after its header.
func withResolution(data []byte) []byte {
	const header = 8 + 12 + 13 // signature, IHDR
	const perMetre = 11811     // 300 dots an inch
	chunk := []byte("pHYs")
	chunk = binary.BigEndian.AppendUint32(chunk, perMetre)
	chunk = binary.BigEndian.AppendUint32(chunk, perMetre)
	chunk = append(chunk, 1) // metres
	out := append([]byte(nil), data[:header]...)
	out = binary.BigEndian.AppendUint32(out, uint32(len(chunk)-4))
	out = append(out, chunk...)
	out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(chunk))
	return append(out, data[header:]...)
}

// pdfCanvas passes texts to vgpdf in its font's encoding, and colours in its range.
type pdfCanvas struct{ *vgpdf.Canvas }

// pdfDate is the date in every PDF, so that the same rows give the same bytes.
var pdfDate = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

var fixPDF = sync.OnceFunc(func() {
	fpdf.SetDefaultCreationDate(pdfDate)
	fpdf.SetDefaultModificationDate(pdfDate)
	fpdf.SetDefaultCatalogSort(true)
})

func newPDF(w, h vg.Length) *pdfCanvas {
	fixPDF()
	return &pdfCanvas{vgpdf.New(w, h)}
}

func (c *pdfCanvas) FillString(f font.Face, at vg.Point, s string) {
	if text, ok := encoded(s); ok {
		c.Canvas.FillString(f, at, text)
		return
	}
	c.Fill(outline(f, at, s)) // the PDF's fonts have 8 bits a character
}

// straight is a colour that answers without its parts multiplied by its opacity, which vgpdf would apply twice.
type straight struct{ color.NRGBA }

func (s straight) RGBA() (r, g, b, a uint32) {
	return uint32(s.R) * 0x101, uint32(s.G) * 0x101, uint32(s.B) * 0x101, uint32(s.A) * 0x101
}

func (c *pdfCanvas) SetColor(col color.Color) {
	if col == nil {
		col = color.Black
	}
	c.Canvas.SetColor(straight{color.NRGBAModel.Convert(col).(color.NRGBA)})
}

// checkTexts refuses characters that the font can't show, by name.
func (b *builder) checkTexts() error {
	for _, t := range b.chart.texts() {
		if i := strings.IndexFunc(t, fault.IsControl); i >= 0 {
			return b.f.fail("", ErrText, fmt.Sprintf("%q: a control character can't be set", t))
		}
		if r := unknown(t); r != 0 {
			return b.f.fail("", ErrText, fmt.Sprintf("%q: character %q (U+%04X) is not in the figure's font, which has Latin, Greek and signs of mathematics", t, r, r))
		}
	}
	return nil
}

// texts are all that a figure writes, but for numbers.
func (c *Chart) texts() []string {
	f := c.figure
	out := []string{c.Title, c.X.Label, c.Y.Label, c.value.Label, f.Legend.Title}
	out = append(append(out, c.X.Categories...), c.Y.Categories...)
	out = append(out, lists.Map(c.series, func(s levelValue) string { return s.name })...)
	for _, a := range f.Annotations {
		out = append(out, a.Text, a.Source)
	}
	out = append(out, lists.Map(f.Roofs, func(r Roof) string { return r.Name })...)
	for _, p := range c.Panels {
		out = append(out, p.Name, p.Row)
		for _, s := range p.Series {
			out = append(out, lists.Map(s.Points, func(pt Point) string { return pt.Text })...)
		}
	}
	return out
}

func sortByX(pts []xy) {
	sort.SliceStable(pts, func(i, j int) bool { return pts[i].x < pts[j].x })
}

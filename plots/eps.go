package plots

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"io"
	"math"
	"strconv"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// epsCanvas writes Encapsulated PostScript (Adobe's specification 3.0). Texts are outlines, so that no font is needed;
// the format has no transparency, so that colours are mixed with white. It writes no date: the same figure gives the
// same bytes.
type epsCanvas struct {
	bytes.Buffer
	size vg.Point
}

func newEPS(w, h vg.Length) *epsCanvas {
	c := &epsCanvas{size: vg.Point{X: w, Y: h}}
	fmt.Fprintf(c, "%%!PS-Adobe-3.0 EPSF-3.0\n%%%%BoundingBox: 0 0 %d %d\n%%%%HiResBoundingBox: 0 0 %s %s\n", int(math.Ceil(float64(w))), int(math.Ceil(float64(h))), coordinate(w), coordinate(h))
	c.WriteString("%%Creator: spvsim\n%%LanguageLevel: 2\n%%Pages: 1\n%%EndComments\n%%Page: 1 1\n")
	return c
}

// coordinate has enough digits for print: a thousandth of a point.
func coordinate(v vg.Length) string {
	return strconv.FormatFloat(math.Round(float64(v)*1000)/1000, 'f', -1, 64)
}

func (c *epsCanvas) op(name string, args ...vg.Length) {
	for _, a := range args {
		c.WriteString(coordinate(a) + " ")
	}
	c.WriteString(name + "\n")
}

func (c *epsCanvas) SetLineWidth(w vg.Length) { c.op("setlinewidth", w) }

func (c *epsCanvas) SetLineDash(pattern []vg.Length, offset vg.Length) {
	c.WriteString("[")
	for _, p := range pattern {
		c.WriteString(coordinate(p) + " ")
	}
	c.WriteString("] ")
	c.op("setdash", offset)
}

func (c *epsCanvas) SetColor(col color.Color) {
	if col == nil {
		col = color.Black
	}
	n := color.NRGBAModel.Convert(col).(color.NRGBA)
	n = blend(n, float64(n.A)/255)
	c.op("setrgbcolor", vg.Length(n.R)/255, vg.Length(n.G)/255, vg.Length(n.B)/255)
}

func (c *epsCanvas) Rotate(radians float64) {
	fmt.Fprintf(c, "%s rotate\n", strconv.FormatFloat(radians*180/math.Pi, 'f', -1, 64))
}
func (c *epsCanvas) Translate(p vg.Point)   { c.op("translate", p.X, p.Y) }
func (c *epsCanvas) Scale(x, y float64)     { c.op("scale", vg.Length(x), vg.Length(y)) }
func (c *epsCanvas) Push()                  { c.op("gsave") }
func (c *epsCanvas) Pop()                   { c.op("grestore") }
func (c *epsCanvas) Size() (w, h vg.Length) { return c.size.X, c.size.Y }

func (c *epsCanvas) Stroke(p vg.Path) {
	c.trace(p)
	c.op("stroke")
}

func (c *epsCanvas) Fill(p vg.Path) {
	c.trace(p)
	c.op("fill")
}

func (c *epsCanvas) trace(p vg.Path) {
	c.op("newpath")
	for _, s := range p {
		switch s.Type {
		case vg.MoveComp:
			c.op("moveto", s.Pos.X, s.Pos.Y)
		case vg.LineComp:
			c.op("lineto", s.Pos.X, s.Pos.Y)
		case vg.CurveComp:
			c.op("curveto", s.Control[0].X, s.Control[0].Y, s.Control[1].X, s.Control[1].Y, s.Pos.X, s.Pos.Y)
		case vg.CloseComp:
			c.op("closepath")
		default: // arcs: no figure uses them, as formats differ in them
			panic(fmt.Sprintf("plots: a path's component of type %d", s.Type))
		}
	}
}

func (c *epsCanvas) FillString(f font.Face, at vg.Point, s string) { c.Fill(outline(f, at, s)) }

func (c *epsCanvas) DrawImage(vg.Rectangle, image.Image) {
	panic("plots: figures have no images")
}

// WriteTo ends the page and writes all.
func (c *epsCanvas) WriteTo(w io.Writer) (int64, error) {
	c.WriteString("showpage\n%%EOF\n")
	n, err := w.Write(c.Bytes())
	return int64(n), err
}

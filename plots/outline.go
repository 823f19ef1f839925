package plots

import (
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// outline is a text as the outlines of its characters, for formats, or characters, without a font of their own.
func outline(f font.Face, at vg.Point, s string) vg.Path {
	var buf sfnt.Buffer
	var path vg.Path
	units := f.Face.UnitsPerEm()
	scale := f.Font.Size / vg.Length(units)
	for _, r := range s {
		id, err := f.Face.GlyphIndex(&buf, r)
		if err != nil {
			panic("plots: the built-in font: " + err.Error())
		}
		segments, err := f.Face.LoadGlyph(&buf, id, fixed.I(int(units)), nil)
		if err != nil {
			panic("plots: the built-in font: " + err.Error())
		}
		addGlyph(&path, segments, at, scale)
		at.X += f.Width(string(r))
	}
	return path
}

// addGlyph adds a glyph's outline, whose y grows downwards.
func addGlyph(path *vg.Path, segments sfnt.Segments, at vg.Point, scale vg.Length) {
	place := func(p fixed.Point26_6) vg.Point {
		return vg.Point{X: at.X + scale*vg.Length(p.X)/64, Y: at.Y - scale*vg.Length(p.Y)/64}
	}
	open := false
	var from vg.Point
	for _, s := range segments {
		to := place(s.Args[0])
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			if open {
				path.Close()
			}
			path.Move(to)
			open = true
		case sfnt.SegmentOpLineTo:
			path.Line(to)
		case sfnt.SegmentOpQuadTo: // as a cubic one, which all formats have
			c, end := to, place(s.Args[1])
			path.CubeTo(from.Add(c.Sub(from).Scale(2.0/3)), end.Add(c.Sub(end).Scale(2.0/3)), end)
			to = end
		case sfnt.SegmentOpCubeTo:
			to = place(s.Args[2])
			path.CubeTo(place(s.Args[0]), place(s.Args[1]), to)
		}
		from = to
	}
	if open {
		path.Close()
	}
}

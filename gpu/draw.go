package gpu

import (
	"errors"
	"fmt"
	"image/png"
	"io"
	"math"

	"spvsim/account"
	"spvsim/config"
	"spvsim/isa"
	"spvsim/mem"
	"spvsim/program"
	"spvsim/program/ir"
	"spvsim/raster"
)

// maxDrawWaves bounds the waves of a draw, of which each takes 2.5 KB of host memory.
const maxDrawWaves = 1 << 18

// A draw is a list of triangles, rasterised: its quads by wave.
type draw struct {
	call   *config.DrawCall
	prog   *program.Program
	width  int
	height int
	color  []attachment
	slots  []slot // of the shader's inputs

	waves  []isa.Fragments
	quads  int // in the last wave
	lanes  int
	counts account.FragmentCounts
	depth  []float32 // of the early test; nil: none
}

// An attachment is an image that the draw writes.
type attachment struct {
	*config.DrawColor
	buffer *mem.Buffer
	view   mem.Descriptor
}

// A slot says where an input component comes from; attribute nil: nowhere, it is zero.
type slot struct {
	attribute *config.DrawAttribute
	component int
	float     bool
}

var errNoDraw = errors.New("a fragment shader is started by a draw, and nothing else is")

// newDraw rasterises a draw for a program.
func (r *resources) newDraw(call *config.DrawCall, prog *program.Program) (*draw, error) {
	if (call != nil) != (prog.Fragment != nil) {
		return nil, errNoDraw
	}
	if call == nil {
		return nil, nil
	}
	d := &draw{call: call, prog: prog, width: call.Width, height: call.Height, lanes: prog.WaveSize}
	if err := errors.Join(d.attach(r), d.bindInputs()); err != nil {
		return nil, err
	}
	if call.Depth && (!prog.Fragment.Discards || prog.Fragment.EarlyTests) {
		d.depth = make([]float32, d.width*d.height)
		for i := range d.depth {
			d.depth[i] = float32(math.Inf(1))
		}
	}
	return d, d.rasterise()
}

// attach finds the images of the attachments.
func (d *draw) attach(r *resources) error {
	for i := range d.call.Color {
		c := &d.call.Color[i]
		a := attachment{DrawColor: c}
		for k := range r.job.Buffers {
			if r.job.Buffers[k].Name == c.Buffer {
				a.buffer, a.view = r.buffers[k], r.views[k]
			}
		}
		if a.view.Image == nil {
			return fmt.Errorf("draw.color[%d]: %q is no image", i, c.Buffer)
		}
		im := a.view.Image
		im.Tiled = true
		if d.width == 0 {
			d.width = int(im.Width)
		}
		if d.height == 0 {
			d.height = int(im.Height)
		}
		if d.width > int(im.Width) || d.height > int(im.Height) {
			return fmt.Errorf("draw.color[%d]: the image has %d x %d texels, the viewport %d x %d", i, im.Width, im.Height, d.width, d.height)
		}
		a.view.Target = mem.NewTarget(d.width, d.height, d.call.Depth)
		d.color = append(d.color, a)
	}
	return nil
}

// output is the attachment of a location.
func (d *draw) output(want *ir.Binding) ([]mem.Descriptor, error) {
	for i := range d.color {
		if d.color[i].Location == want.Binding {
			return []mem.Descriptor{d.color[i].view}, nil
		}
	}
	return nil, fmt.Errorf("draw.color: no attachment is at location %d, which the shader writes (%s)", want.Binding, want.Name)
}

// begin clears the attachments.
func (d *draw) begin() {
	for i := range d.color {
		a := &d.color[i]
		a.view.Target.Reset()
		if a.Clear != nil {
			a.view.Image.Fill(a.view.Bytes, a.Clear)
		}
	}
}

// bindInputs finds the attribute of each input component. Components that an attribute does not have are zero.
func (d *draw) bindInputs() error {
	for _, in := range d.prog.Fragment.Inputs {
		var s *slot
		for k := range d.call.Attributes {
			if a := &d.call.Attributes[k]; a.Location == in.Location {
				s = &slot{component: int(in.Component), float: in.Float, attribute: a}
			}
		}
		if s == nil {
			return fmt.Errorf("draw.attributes: nothing is given for the shader's input at location %d", in.Location)
		}
		if s.attribute.Integer == in.Float {
			return fmt.Errorf("draw.attributes: location %d: the shader and the draw disagree whether it is an integer", in.Location)
		}
		if s.component >= s.attribute.Components {
			s.attribute = nil
		}
		d.slots = append(d.slots, *s)
	}
	return nil
}

// value is the bits of a component of a vertex.
func (s *slot) value(vertex uint32) uint32 {
	if s.attribute == nil {
		return 0
	}
	return s.attribute.Bits[int(vertex)*s.attribute.Components+s.component]
}

func (d *draw) rasterise() error {
	index := uint32(0)
	for y := range d.call.CopiesY {
		for x := range d.call.CopiesX {
			for i := 0; i < len(d.call.Indices); i += 3 {
				if err := d.triangle(d.call.Indices[i:][:3], index, float64(x)*d.call.DX, float64(y)*d.call.DY); err != nil {
					return fmt.Errorf("draw: triangle %d: %w", i/3, err)
				}
				index++
			}
		}
	}
	return nil
}

// triangle adds the quads of one triangle, moved by dx and dy.
func (d *draw) triangle(corners []uint32, index uint32, dx, dy float64) error {
	var v [3]raster.Vertex
	for i, c := range corners {
		p := d.call.Positions[4*c:][:4]
		v[i] = raster.Vertex{X: float64(p[0]) + dx, Y: float64(p[1]) + dy, Z: float64(p[2]), W: float64(p[3])}
	}
	t, ok, err := raster.Setup(v)
	if err != nil || !ok {
		return err
	}
	prim := &isa.Primitive{Index: index, Params: d.params(corners)}
	seen := false
	t.Quads(d.width, d.height, func(q raster.Quad) {
		if q.Cover &= d.passes(t, q); q.Cover != 0 && err == nil {
			seen = true
			err = d.add(t, q, prim)
		}
	})
	if seen {
		d.counts.Primitives++
	}
	return err
}

// params are the values at the first corner and the differences to the others.
func (d *draw) params(corners []uint32) [][3]uint32 {
	out := make([][3]uint32, len(d.slots))
	for i := range d.slots {
		s := &d.slots[i]
		first := s.value(corners[0])
		out[i][0] = first
		for k := 1; k < 3 && s.float; k++ {
			out[i][k] = math.Float32bits(math.Float32frombits(s.value(corners[k])) - math.Float32frombits(first))
		}
	}
	return out
}

// passes are the pixels of a quad that pass the depth test before shading.
func (d *draw) passes(t *raster.Triangle, q raster.Quad) (mask uint8) {
	if d.depth == nil {
		return 15
	}
	for k := range 4 {
		if q.Cover>>k&1 == 0 {
			continue
		}
		x, y := int(q.X)+k%2, int(q.Y)+k/2
		at := &d.depth[y*d.width+x]
		if z := float32(t.At(x, y).Z); z < *at {
			*at = z
			mask |= 1 << k
		} else {
			d.counts.Rejected++
		}
	}
	return mask
}

// add puts a quad into the last wave, or a new one.
func (d *draw) add(t *raster.Triangle, q raster.Quad, prim *isa.Primitive) error {
	if len(d.waves) == 0 || d.quads == d.lanes/4 {
		if len(d.waves) == maxDrawWaves {
			return fmt.Errorf("more than %d waves", maxDrawWaves)
		}
		d.waves, d.quads = append(d.waves, isa.Fragments{}), 0
	}
	w := &d.waves[len(d.waves)-1]
	first := 4 * d.quads
	w.Prims[d.quads] = prim
	w.Exec |= 15 << first
	w.Helpers |= uint64(^q.Cover&15) << first
	if t.CounterClockwise != d.call.ClockwiseFront {
		w.Front |= 15 << first
	}
	for k := range 4 {
		fragment(w, first+k, t, int(q.X)+k%2, int(q.Y)+k/2)
		d.counts.Covered += uint64(q.Cover >> k & 1)
	}
	d.quads++
	d.counts.Quads++
	d.counts.HelperLanes = 4*d.counts.Quads - d.counts.Covered
	return nil
}

// fragment fills in what a lane starts with.
func fragment(w *isa.Fragments, l int, t *raster.Triangle, x, y int) {
	p := t.At(x, y)
	w.X[l], w.Y[l] = uint16(x), uint16(y)
	for k, v := range [4]float64{float64(x) + 0.5, float64(y) + 0.5, p.Z, p.RW} {
		w.Coord[k][l] = float32(v)
	}
	for k, v := range [4]float64{p.I, p.J, p.LinearI, p.LinearJ} {
		w.Weights[k][l] = float32(v)
	}
}

// WritePNG writes the buffer's image, its first level and layer.
func (b *Buffer) WritePNG(w io.Writer) error {
	if b.image == nil {
		return fmt.Errorf("%s is no image", b.Name)
	}
	p, err := b.image.Picture(b.Bytes)
	if err != nil {
		return fmt.Errorf("%s: %w", b.Name, err)
	}
	return png.Encode(w, p)
}

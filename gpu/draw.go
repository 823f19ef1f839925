package gpu

import (
	"cmp"
	"errors"
	"fmt"
	"image/png"
	"io"
	"math"

	"spvsim/account"
	"spvsim/config"
	"spvsim/gpu/raster"
	"spvsim/isa"
	"spvsim/mem"
	"spvsim/program"
	"spvsim/program/ir"
)

// maxDrawWaves bounds the waves of a draw, of which each takes 3.2 KB of host memory.
const maxDrawWaves = 1 << 18

// A draw is a list of primitives, rasterised: its quads by wave.
type draw struct {
	call   *config.DrawCall
	prog   *program.Program
	width  int
	height int
	color  []attachment

	samples   int
	locations [][2]float32 // of the samples, from a pixel's centre
	slots     []slot       // of the shader's inputs

	waves  []isa.Fragments
	quads  int // in the last wave
	lanes  int
	counts account.FragmentCounts
	depth  []float32 // of the early test, by pixel and sample; nil: none
}

// An attachment is an image that the draw writes.
type attachment struct {
	*config.DrawColor
	buffer *mem.Buffer
	view   mem.Descriptor
}

// A slot is the source of an input component; attribute nil: none, the component is zero.
type slot struct {
	attribute *config.DrawAttribute
	component int
	float     bool
	byCorner  bool
}

var errNoDraw = errors.New("found a draw without a fragment shader, or a fragment shader without a draw: want both")

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
		d.depth = make([]float32, d.width*d.height*d.samples)
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
			return fmt.Errorf("draw.color[%d]: found %q, which is not an image: want the name of an image", i, c.Buffer)
		}
		im := a.view.Image
		im.Tiled = true
		d.width = cmp.Or(d.width, int(im.Width))
		d.height = cmp.Or(d.height, int(im.Height))
		if d.width > int(im.Width) || d.height > int(im.Height) {
			return fmt.Errorf("draw.color[%d]: found an image of %d x %d texels: want at least the viewport, %d x %d", i, im.Width, im.Height, d.width, d.height)
		}
		if err := d.sampled(int(max(im.Samples, 1)), c); err != nil {
			return fmt.Errorf("draw.color[%d]: %w", i, err)
		}
		a.view.Target = mem.NewTarget(d.width, d.height, d.samples, d.call.Depth)
		d.color = append(d.color, a)
	}
	return nil
}

// sampled sets the number of samples by an attachment.
func (d *draw) sampled(samples int, c *config.DrawColor) error {
	list := raster.Locations(samples)
	if list == nil {
		return fmt.Errorf("%q: found %d samples: want 1, 2, 4 or 8", c.Buffer, samples)
	}
	if d.samples != 0 && d.samples != samples {
		return fmt.Errorf("%q: found %d samples: want %d, as another attachment has", c.Buffer, samples, d.samples)
	}
	if d.samples == samples {
		return nil
	}
	d.samples = samples
	for _, l := range list {
		x, y := l.Offset()
		d.locations = append(d.locations, [2]float32{float32(x), float32(y)})
	}
	return nil
}

// output returns the attachment of a location.
func (d *draw) output(want *ir.Binding) ([]mem.Descriptor, error) {
	location, index := ir.SplitColorBinding(want.Binding)
	for i := range d.color {
		if d.color[i].Location == location && d.color[i].Index == index {
			return []mem.Descriptor{d.color[i].view}, nil
		}
	}
	if index != 0 { // without blending nothing reads the second source
		return []mem.Descriptor{{}}, nil
	}
	return nil, fmt.Errorf("draw.color: missing: want an attachment at location %d, which the shader writes (%s)", location, want.Name)
}

// clearTargets clears the attachments.
func (d *draw) clearTargets() {
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
				s = &slot{component: int(in.Component), float: in.Float, byCorner: in.ByCorner, attribute: a}
			}
		}
		if s == nil {
			return fmt.Errorf("draw.attributes: missing: want values for the shader's input at location %d", in.Location)
		}
		if s.attribute.Integer == in.Float {
			return fmt.Errorf("draw.attributes: location %d: found integer: %t: want %t, as in the shader", in.Location, in.Float, !in.Float)
		}
		if s.component >= s.attribute.Components {
			s.attribute = nil
		}
		d.slots = append(d.slots, *s)
	}
	return nil
}

// value returns the bits of a component of a vertex.
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
			n := d.call.Corners()
			for i := 0; i < len(d.call.Indices); i += n {
				if err := d.primitive(d.call.Indices[i:][:n], index, float64(x)*d.call.DX, float64(y)*d.call.DY); err != nil {
					return fmt.Errorf("draw: primitive %d: %w", i/n, err)
				}
				index++
			}
		}
	}
	return nil
}

// A shape is a primitive as its fragments are made from it.
type shape struct {
	*raster.Primitive
	prim  *isa.Primitive
	front bool
	// Of a point, its upper left corner and its size in pixels.
	x, y, size float64
}

// setup prepares a primitive, moved by dx and dy.
func (d *draw) setup(corners []uint32, dx, dy float64) (s shape, ok bool, err error) {
	var v [3]raster.Vertex
	for i, c := range corners {
		p := d.call.Positions[4*c:][:4]
		v[i] = raster.Vertex{X: float64(p[0]) + dx, Y: float64(p[1]) + dy, Z: float64(p[2]), W: float64(p[3])}
	}
	if !d.call.Points {
		s.Primitive, ok, err = raster.Setup(v)
		s.front = ok && s.CounterClockwise != d.call.ClockwiseFront
		return s, ok, err
	}
	s.size, s.front = 1, true
	if d.call.PointSizes != nil {
		s.size = float64(d.call.PointSizes[corners[0]])
	}
	s.x, s.y = v[0].X-s.size/2, v[0].Y-s.size/2
	s.Primitive, ok, err = raster.SetupPoint(v[0], s.size)
	return s, ok, err
}

// primitive adds the quads of one primitive.
func (d *draw) primitive(corners []uint32, index uint32, dx, dy float64) error {
	s, ok, err := d.setup(corners, dx, dy)
	if err != nil || !ok {
		return err
	}
	s.Multisample(d.samples)
	s.prim = &isa.Primitive{Index: index, Params: d.params(corners), PointAt: s.pointAt}
	seen := false
	s.Quads(d.width, d.height, func(q raster.Quad) {
		if d.passes(&s, &q); q.Cover != 0 && err == nil {
			seen = true
			err = d.shade(&s, q)
		}
	})
	if seen {
		d.counts.Primitives++
	}
	return err
}

// pointAt returns the depth and the barycentric coordinates of the primitive at a position in pixels.
func (s *shape) pointAt(x, y float64) isa.SurfacePoint {
	p := s.AtPosition(x, y)
	return isa.SurfacePoint{Weights: [4]float64{p.I, p.J, p.LinearI, p.LinearJ}, Depth: p.Z}
}

// shade adds a quad, or one for each sample that is covered where samples are
// shaded by themselves.
func (d *draw) shade(s *shape, q raster.Quad) error {
	if !d.prog.Fragment.PerSample {
		return d.add(s, q, -1)
	}
	for n := range d.samples {
		one := raster.Quad{X: q.X, Y: q.Y}
		for k := range 4 {
			one.Samples[k] = q.Samples[k] & (1 << n)
			if one.Samples[k] != 0 {
				one.Cover |= 1 << k
			}
		}
		if one.Cover == 0 {
			continue
		}
		if err := d.add(s, one, n); err != nil {
			return err
		}
	}
	return nil
}

// params returns the values at the first corner and the differences to the other two, or the values at each corner.
func (d *draw) params(corners []uint32) [][3]uint32 {
	out := make([][3]uint32, len(d.slots))
	for i := range d.slots {
		s := &d.slots[i]
		first := s.value(corners[0])
		out[i][0] = first
		for k := 1; k < len(corners); k++ {
			switch out[i][k] = s.value(corners[k]); {
			case s.byCorner:
			case s.float:
				out[i][k] = math.Float32bits(math.Float32frombits(out[i][k]) - math.Float32frombits(first))
			default:
				out[i][k] = 0
			}
		}
	}
	return out
}

// passes removes the samples of a quad that the early depth test rejects.
func (d *draw) passes(s *shape, q *raster.Quad) {
	if d.depth == nil {
		return
	}
	for k := range 4 {
		if q.Cover>>k&1 == 0 {
			continue
		}
		x, y := int(q.X)+k%2, int(q.Y)+k/2
		for n := range d.samples {
			if q.Samples[k]>>n&1 != 0 && !d.nearest(s, x, y, n) {
				q.Samples[k] &^= 1 << n
			}
		}
		if q.Samples[k] == 0 {
			q.Cover &^= 1 << k
			d.counts.Rejected++
		}
	}
}

// nearest reports that a sample is the nearest one so far, and remembers it.
func (d *draw) nearest(s *shape, x, y, sample int) bool {
	at := d.locations[sample]
	z := float32(s.AtPosition(float64(x)+0.5+float64(at[0]), float64(y)+0.5+float64(at[1])).Z)
	to := &d.depth[(y*d.width+x)*d.samples+sample]
	if z < *to {
		*to = z
		return true
	}
	return false
}

// add puts a quad into the last wave, or a new one. sample is the sample that it shades, negative if it shades whole pixels.
func (d *draw) add(s *shape, q raster.Quad, sample int) error {
	if len(d.waves) == 0 || d.quads == d.lanes/4 {
		if len(d.waves) == maxDrawWaves {
			return fmt.Errorf("found more than %d waves: want a smaller draw", maxDrawWaves)
		}
		d.waves, d.quads = append(d.waves, isa.Fragments{Locations: d.locations}), 0
	}
	w := &d.waves[len(d.waves)-1]
	first := 4 * d.quads
	w.Prims[d.quads] = s.prim
	w.Exec |= 15 << first
	w.Helpers |= uint64(^q.Cover&15) << first
	if s.front {
		w.Front |= 15 << first
	}
	for k := range 4 {
		w.Cover[first+k], w.Sample[first+k] = q.Samples[k], uint8(max(sample, 0))
		d.fragment(w, first+k, s, int(q.X)+k%2, int(q.Y)+k/2, max(sample, 0), sample >= 0)
		d.counts.Covered += uint64(q.Cover >> k & 1)
	}
	d.quads++
	d.counts.Quads++
	d.counts.HelperLanes = 4*d.counts.Quads - d.counts.Covered
	return nil
}

// fragment fills in what a lane starts with: the position is the pixel's centre,
// or that of the sample that is shaded alone.
func (d *draw) fragment(w *isa.Fragments, l int, s *shape, x, y, sample int, alone bool) {
	centre := s.AtCentre(x, y)
	p, px, py := centre, float64(x)+0.5, float64(y)+0.5
	if alone {
		at := d.locations[sample]
		px, py = px+float64(at[0]), py+float64(at[1])
		p = s.AtPosition(px, py)
	}
	w.X[l], w.Y[l] = uint16(x), uint16(y)
	for k, v := range [4]float64{px, py, p.Z, p.RW} {
		w.Coord[k][l] = float32(v)
	}
	for k, v := range [4]float64{centre.I, centre.J, centre.LinearI, centre.LinearJ} {
		w.Weights[k][l] = float32(v)
	}
	if s.size > 0 {
		w.Point[0][l], w.Point[1][l] = float32((px-s.x)/s.size), float32((py-s.y)/s.size)
	}
}

// WritePNG writes the buffer's image, its first level and layer.
func (b *Buffer) WritePNG(w io.Writer) error {
	if b.image == nil {
		return fmt.Errorf("%s: found a buffer: want an image", b.Name)
	}
	p, err := b.image.Picture(b.Bytes)
	if err != nil {
		return fmt.Errorf("%s: %w", b.Name, err)
	}
	return png.Encode(w, p)
}

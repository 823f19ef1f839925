package config

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"spvsim/internal/lists"
)

// Draw is a list of triangles or points in screen space, shaded by the job's fragment shader. Colour attachments are images among the job's
// buffers.
type Draw struct {
	Width      Expr        `yaml:"width" unit:"pixels" doc:"width of the viewport; left out: the first attachment's"`
	Height     Expr        `yaml:"height" unit:"pixels" doc:"height of the viewport; left out: the first attachment's"`
	Positions  *Data       `yaml:"positions" doc:"x, y, z and w of each vertex as f32: x to the right and y down in pixels, z the depth from 0 (near) to 1, w the clip-space w, above 0"`
	Indices    *Data       `yaml:"indices" doc:"vertex indices as u32, three for each triangle or one for each point; left out: the vertices in order"`
	Topology   string      `yaml:"topology" enum:"triangles|points" doc:"triangles: three vertices make a triangle; points: each vertex is a point, drawn as a square around it; left out: triangles"`
	PointSizes *Data       `yaml:"point_sizes" unit:"pixels" doc:"width of each vertex's point as f32; left out: 1"`
	Attributes []Attribute `yaml:"attributes" doc:"values of the vertices for the shader's inputs; the shader says how each is interpolated"`
	Copies     *Copies     `yaml:"copies" doc:"repeats the triangles side by side"`
	Front      string      `yaml:"front" enum:"counter-clockwise|clockwise" doc:"winding of triangles that face the viewer, on the screen; left out: counter-clockwise"`
	Depth      string      `yaml:"depth" enum:"none|less" doc:"depth test, with a depth buffer that is clear when a draw begins; less: keeps the nearest fragment, and of equal ones the first; left out: none"`
	Color      []Color     `yaml:"color" doc:"colour attachments"`
}

// Attribute is the values of one input location.
type Attribute struct {
	Location   uint32 `yaml:"location" doc:"location of the shader's input"`
	Components int    `yaml:"components" range:"1..4" doc:"components of each vertex's value"`
	Integer    bool   `yaml:"integer" doc:"whether the values are 32-bit integers instead of f32"`
	Data       *Data  `yaml:"data" doc:"the values, vertex by vertex"`
}

// Copies draws the triangles X times Y times.
type Copies struct {
	X  Expr `yaml:"x" doc:"copies along x; left out: 1"`
	Y  Expr `yaml:"y" doc:"copies along y; left out: 1"`
	DX Expr `yaml:"dx" unit:"pixels" doc:"distance along x"`
	DY Expr `yaml:"dy" unit:"pixels" doc:"distance along y"`
}

// Color is one colour attachment.
type Color struct {
	Location uint32 `yaml:"location" doc:"location of the shader's output"`
	Index    uint32 `yaml:"index" range:"0..1" doc:"source of a dual-source output, 0 or 1; nothing is blended, so the second source has its own image, or is dropped"`
	Buffer   string `yaml:"buffer" doc:"name of the buffer that is the image; all images of a draw have the same number of samples, 1, 2, 4 or 8, and the draw has as many"`
	Clear    []Expr `yaml:"clear" items:"1..4" doc:"value of all texels before the draw; left out: texels keep the values that earlier steps left"`
}

// A DrawCall is a Draw with all expressions evaluated.
type DrawCall struct {
	Width, Height  int // 0: the attachment's
	Positions      []float32
	Points         bool // not triangles
	PointSizes     []float32
	Indices        []uint32
	Attributes     []DrawAttribute
	CopiesX        int
	CopiesY        int
	DX, DY         float64
	ClockwiseFront bool
	Depth          bool
	Color          []DrawColor
}

// Corners is the number of vertices of a primitive.
func (c *DrawCall) Corners() int {
	if c.Points {
		return 1
	}
	return 3
}

func (c *DrawCall) primitives() string {
	if c.Points {
		return "points"
	}
	return "triangles"
}

// A DrawAttribute holds the bits of one location: Components values per vertex.
type DrawAttribute struct {
	Location   uint32
	Components int
	Integer    bool
	Bits       []uint32
}

// A DrawColor is a colour attachment; Clear is nil when it is not cleared.
type DrawColor struct {
	Location uint32
	Index    uint32
	Buffer   string
	Clear    []float64
}

// Limits of a draw: a side of the viewport, and triangles.
const (
	maxViewport  = 16384
	maxTriangles = 1 << 22
)

// drawProblems checks the fields that do not depend on loop variables.
func (j *Job) drawProblems(d *Draw, at string) []problem {
	if d == nil {
		return nil
	}
	var ps []problem
	data := func(d *Data, at string, needed bool) {
		if d != nil {
			ps = append(ps, dataProblems(d, at, j)...)
		} else if needed {
			ps = append(ps, problem{at, "missing: want data", ErrMissing})
		}
	}
	data(d.Positions, at+".positions", true)
	data(d.Indices, at+".indices", false)
	data(d.PointSizes, at+".point_sizes", false)
	if d.PointSizes != nil && d.Topology != "points" {
		ps = append(ps, problem{at + ".point_sizes", "found sizes of points, where the topology is triangles: want topology: points", ErrRange})
	}
	for i := range d.Attributes {
		p := indexPath(at+".attributes", i)
		data(d.Attributes[i].Data, p+".data", true)
		if d.Attributes[i].Components < 1 {
			ps = append(ps, problem{p + ".components", "missing: want 1 to 4", ErrMissing})
		}
	}
	if len(d.Color) == 0 {
		ps = append(ps, problem{at + ".color", "missing: want at least one colour attachment", ErrMissing})
	}
	for i := range d.Color {
		ps = append(ps, j.colorProblems(d, i, indexPath(at+".color", i))...)
	}
	return ps
}

func (j *Job) colorProblems(d *Draw, i int, at string) []problem {
	c := &d.Color[i]
	ps := j.bufferProblems(c.Buffer, at+".buffer")
	for k := range j.Buffers {
		if b := &j.Buffers[k]; b.Name == c.Buffer && b.Image == nil {
			ps = append(ps, problem{at + ".buffer", fmt.Sprintf("found %q, which is not an image: want the name of an image", c.Buffer), ErrReference})
		}
	}
	for k := range d.Color[:i] {
		if d.Color[k].Location == c.Location && d.Color[k].Index == c.Index || d.Color[k].Buffer == c.Buffer {
			ps = append(ps, problem{at, "found the location and index, or the buffer, of another attachment: want others", ErrRange})
		}
	}
	return ps
}

// call works a draw out.
func (j *Job) call(d *Draw, s scope) (*DrawCall, error) {
	out := &DrawCall{ClockwiseFront: d.Front == "clockwise", Depth: d.Depth == "less", Points: d.Topology == "points"}
	w, err1 := d.Width.evalInt(s, 0, 0, maxViewport)
	h, err2 := d.Height.evalInt(s, 0, 0, maxViewport)
	out.Width, out.Height = int(w), int(h)
	err1, err2 = underKey("width", err1), underKey("height", err2)
	positions, err3 := j.floats(d.Positions, s, "positions")
	out.Positions = positions
	if err := cmp.Or(err1, err2, err3, j.callIndices(d, s, out), j.callPoints(d, s, out), j.callCopies(d, s, out)); err != nil {
		return nil, err
	}
	return out, cmp.Or(j.callAttributes(d, s, out), j.callColor(d, s, out))
}

// words generates data as 32-bit words.
func (j *Job) words(d *Data, s scope, name string) ([]uint32, error) {
	c, err := j.content(d, s, maxDataBytes)
	switch {
	case err != nil:
		return nil, underKey(name, err)
	case len(c.Bytes)%4 != 0:
		return nil, fmt.Errorf("%s: found %d bytes: want a multiple of 4, as values have 32 bits", name, len(c.Bytes))
	}
	out := make([]uint32, len(c.Bytes)/4)
	for i := range out {
		out[i] = binary.LittleEndian.Uint32(c.Bytes[4*i:])
	}
	return out, nil
}

func (j *Job) floats(d *Data, s scope, name string) ([]float32, error) {
	bits, err := j.words(d, s, name)
	out := lists.Map(bits, math.Float32frombits)
	return out, err
}

func (j *Job) callPoints(d *Draw, s scope, out *DrawCall) (err error) {
	if d.PointSizes == nil {
		return nil
	}
	out.PointSizes, err = j.floats(d.PointSizes, s, "point_sizes")
	if want := len(out.Positions) / 4; err == nil && len(out.PointSizes) != want {
		err = fmt.Errorf("point_sizes: found %d numbers: want %d, one for each vertex", len(out.PointSizes), want)
	}
	return err
}

func (j *Job) callIndices(d *Draw, s scope, out *DrawCall) (err error) {
	vertices := len(out.Positions) / 4
	if len(out.Positions)%4 != 0 {
		return fmt.Errorf("positions: found %d numbers: want four for each vertex", len(out.Positions))
	}
	if d.Indices == nil {
		for i := range vertices {
			out.Indices = append(out.Indices, uint32(i))
		}
	} else if out.Indices, err = j.words(d.Indices, s, "indices"); err != nil {
		return err
	}
	n := len(out.Indices)
	if !out.Points && n%3 != 0 {
		return fmt.Errorf("found %d vertices of triangles: want a multiple of 3", n)
	}
	if n/out.Corners() > maxTriangles {
		return fmt.Errorf("found %d %s: want at most %d", n/out.Corners(), out.primitives(), maxTriangles)
	}
	for _, i := range out.Indices {
		if int(i) >= vertices {
			return fmt.Errorf("indices: found %d: want less than %d, the number of vertices", i, vertices)
		}
	}
	return nil
}

func (j *Job) callCopies(d *Draw, s scope, out *DrawCall) error {
	out.CopiesX, out.CopiesY = 1, 1
	if d.Copies == nil {
		return nil
	}
	x, err1 := d.Copies.X.evalInt(s, 1, 0, maxTriangles)
	y, err2 := d.Copies.Y.evalInt(s, 1, 0, maxTriangles)
	dx, err3 := d.Copies.DX.eval(s, Number{})
	dy, err4 := d.Copies.DY.eval(s, Number{})
	out.CopiesX, out.CopiesY, out.DX, out.DY = int(x), int(y), dx.AsFloat(), dy.AsFloat()
	if err := cmp.Or(underKey("x", err1), underKey("y", err2), underKey("dx", err3), underKey("dy", err4)); err != nil {
		return underKey("copies", err)
	}
	if x*y*int64(len(out.Indices)/out.Corners()) > maxTriangles {
		return fmt.Errorf("copies: found more than %d %s in all: want fewer", maxTriangles, out.primitives())
	}
	return nil
}

func (j *Job) callAttributes(d *Draw, s scope, out *DrawCall) error {
	for i := range d.Attributes {
		a := &d.Attributes[i]
		bits, err := j.words(a.Data, s, fmt.Sprintf("attributes[%d]", i))
		if err != nil {
			return err
		}
		if want := len(out.Positions) / 4 * a.Components; len(bits) != want {
			return fmt.Errorf("attributes[%d]: found %d numbers: want %d, %d for each vertex", i, len(bits), want, a.Components)
		}
		out.Attributes = append(out.Attributes, DrawAttribute{a.Location, a.Components, a.Integer, bits})
	}
	return nil
}

func (j *Job) callColor(d *Draw, s scope, out *DrawCall) error {
	for i := range d.Color {
		c := DrawColor{Location: d.Color[i].Location, Index: d.Color[i].Index, Buffer: d.Color[i].Buffer}
		for _, e := range d.Color[i].Clear {
			v, err := e.eval(s, Number{})
			if err != nil {
				return underKey(indexPath("color", i)+".clear", err)
			}
			c.Clear = append(c.Clear, v.AsFloat())
		}
		out.Color = append(out.Color, c)
	}
	return nil
}

// Sampler describes how the shader samples images. A combined image sampler has an image and a sampler at one set and
// binding.
type Sampler struct {
	Set     uint32   `yaml:"set" doc:"descriptor set"`
	Binding uint32   `yaml:"binding" doc:"binding"`
	Index   uint32   `yaml:"index" doc:"element of a descriptor array"`
	Filter  string   `yaml:"filter" enum:"nearest|linear" doc:"filter within a level of detail; left out: linear"`
	Magnify string   `yaml:"magnify" enum:"nearest|linear" doc:"filter where the image is magnified; left out: as filter"`
	Mip     string   `yaml:"mip" enum:"nearest|linear" doc:"filter between levels of detail; left out: linear"`
	Wrap    []string `yaml:"wrap" items:"1..3" enum:"repeat|mirror|clamp|border|mirror-once" doc:"what coordinates outside of the image mean, along u, v and w; with fewer than three, the last one is also for the others; left out: repeat"`
	Border  string   `yaml:"border" enum:"transparent|black|white" doc:"colour beyond the border, where wrap is border; left out: transparent black"`
	Texels  bool     `yaml:"unnormalized" doc:"whether coordinates count texels"`
	Compare string   `yaml:"compare" enum:"never|less|equal|less-or-equal|greater|not-equal|greater-or-equal|always" doc:"depth comparison: when the reference passes against the image's depth; left out: the sampler does not compare"`
	Bias    float64  `yaml:"bias" range:"-16..16" doc:"added to the level of detail"`
	MinLod  float64  `yaml:"min_lod" range:"0..1000" doc:"lowest level of detail"`
	MaxLod  float64  `yaml:"max_lod" range:"0..1000" doc:"highest level of detail; 0: no limit"`
}

// imageLevels is the number of levels of detail of an image.
func (im *Image) imageLevels(s scope, out *Shape) error {
	out.Levels = 1
	if im.Mips == "" || im.Mips == "none" {
		if im.Levels != "" {
			return errors.New("levels: found levels of an image without mips: want mips: auto or data")
		}
		return nil
	}
	if out.Samples > 1 {
		return errors.New("mips: found a multisampled image, which has one level: want none")
	}
	full := int64(1)
	for side := max(out.Width, out.Height, out.Depth); side > 1; side /= 2 {
		full++
	}
	n, err := im.Levels.evalInt(s, full, 1, full)
	if err != nil {
		return underKey("levels", err)
	}
	out.Levels = int(n)
	return nil
}

package isa

import (
	"math"
	"math/bits"

	"spvsim/spirv"
)

// Operations of fragment shaders.
const (
	// Fragment shaders: inputs of a wave of quads, see Fragments.
	FragCoord      Op = endPayloads + iota // F32: Imm-th component of the pixel's position: x, y, z, 1/w
	Barycentric                            // F32: a weight, see Fragments.Weights; Imm is a WeightImm
	BarycentricAt                          // F32: Imm-th weight at a, b F32 from the pixel's centre, in pixels
	SampleOffset                           // F32: x (Imm 0) or y (1) of sample a I32 from the pixel's centre, in pixels
	SampleIndex                            // I32: the sample that the lane shades alone, 0 when it shades a pixel
	SampleCover                            // I32: mask of the samples that the lane shades
	PointCoord                             // F32: Imm-th coordinate in the point, 0 in other primitives
	FrontFacing                            // Bool
	HelperLane                             // Bool: a helper from the start
	PrimitiveIndex                         // I32
	InterpFlat                             // an input component at a corner, Imm a CornerImm; T any 32-bit type
	InterpP1                               // a F32 weight of the second corner: Imm-th input component so far
	InterpP2                               // a F32 weight of the third corner, b F32 the result of InterpP1
	IsHelper                               // Bool: the lane is a helper now
	Demote                                 // the active lanes become helpers

	endFragments
)

var fragmentRows = []Row{
	{FragCoord, "frag_coord", vector, constant, ident, nil, specNote("BuiltIn FragCoord")},
	{Barycentric, "barycentric", vector, constant, ident, nil, specNote("interpolation of inputs with a Location")},
	{BarycentricAt, "barycentric_at", vector, binary, ident, nil, glsl(spirv.GLSLstd450InterpolateAtOffset, spirv.GLSLstd450InterpolateAtSample)},
	{SampleOffset, "sample_offset", vector, sig(OfT, OfI32), ident, nil, specNote("BuiltIn SamplePosition, and interpolation at a sample")},
	{SampleIndex, "sample_index", vector, word, ident, nil, specNote("BuiltIn SampleId")},
	{SampleCover, "sample_cover", vector, word, ident, nil, specNote("BuiltIn SampleMask")},
	{PointCoord, "point_coord", vector, constant, ident, nil, specNote("BuiltIn PointCoord")},
	{FrontFacing, "front_facing", scalar, sig(OfBool), ident, nil, specNote("BuiltIn FrontFacing")},
	{HelperLane, "helper_lane", scalar, sig(OfBool), ident, nil, specNote("BuiltIn HelperInvocation")},
	{PrimitiveIndex, "primitive_index", vector, word, ident, nil, specNote("BuiltIn PrimitiveId")},
	{InterpFlat, "interp_flat", vector, constant, ident, nil, specNote("inputs decorated Flat")},
	{InterpP1, "interp_p1", vector, unary, ident, nil, specNote("interpolation of inputs with a Location")},
	{InterpP2, "interp_p2", vector, binary, ident, nil, specNote("interpolation of inputs with a Location")},
	{IsHelper, "is_helper", scalar, sig(OfBool), effect | FlagPerLane, nil, core(spirv.OpIsHelperInvocationEXT)},
	{Demote, "demote", scalar, none, effect, nil, core(spirv.OpDemoteToHelperInvocation)},
}

// Fragments holds the quads that a wave of a fragment shader starts with. Lanes 4k to 4k+3 are quad k: upper left,
// upper right, lower left, lower right.
type Fragments struct {
	Exec    uint64 // lanes of quads
	Helpers uint64 // lanes among them whose pixels the primitive does not cover
	Front   uint64 // lanes of primitives that face the viewer

	X, Y  [64]uint16     // the pixel
	Coord [4][64]float32 // x and y of its centre, or of the sample that is shaded alone, depth, 1/w
	// Weights of the second and the third corner: perspective correct, then in
	// screen space.
	Weights [4][64]float32
	Point   [2][64]float32 // the place in a point, 0 to 1 from its upper left corner
	Prims   [16]*Primitive // by quad

	// Locations holds the positions of a pixel's samples, x and y from its centre in pixels. Cover holds the samples of
	// the lane's pixel that the lane shades, and Sample the one that it shades alone.
	Locations [][2]float32
	Cover     [64]uint16
	Sample    [64]uint8
}

// A SurfacePoint holds the values of a primitive at a position: the weights of the second and the third corner, as in
// Fragments, and the depth.
type SurfacePoint struct {
	Weights [4]float64
	Depth   float64
}

// A Primitive is a triangle as its fragments use it.
type Primitive struct {
	Index uint32 // in the draw
	// Params holds, for each input component, the bits of the first corner's value and, as float32, the differences of
	// the second and the third corner to it; for a component that is read by corner, the bits of all three.
	Params [][3]uint32
	// PointAt returns the values at a position in pixels; nil: all are zero.
	PointAt func(x, y float64) SurfacePoint
}

// A WeightPosition is the position in the pixel at which weights are computed.
type WeightPosition uint8

// Places. The centroid is the pixel's centre if all its samples are covered or
// none is, else the first sample that is covered.
const (
	AtCentre WeightPosition = iota
	AtCentroid
	AtSample
)

// WeightImm packs the number of a weight and its position.
func WeightImm(weight int, at WeightPosition) uint64 { return uint64(weight) | uint64(at)<<2 }

// CornerImm packs an input component and the corner whose value is read.
func CornerImm(component, corner int) uint64 { return uint64(component) | uint64(corner)<<cornerShift }

const (
	cornerShift   = 32
	componentMask = 1<<cornerShift - 1
)

var noParam [3]uint32

// noFragments is the value for a wave without fragments.
var noFragments = func() *Fragments {
	f := &Fragments{}
	for i := range f.Prims {
		f.Prims[i] = &Primitive{}
	}
	return f
}()

func (st *State) fragments() *Fragments {
	if st.Fragments == nil {
		return noFragments
	}
	return st.Fragments
}

// param returns the input component that an instruction names; components that the draw does not define are zero.
func (f *Fragments) param(in *Inst, lane int) *[3]uint32 {
	p, n := f.Prims[lane/4], in.Imm&componentMask
	if n < uint64(len(p.Params)) {
		return &p.Params[n]
	}
	return &noParam
}

// surfacePoint returns the values of the lane's primitive at a position, x and y from the pixel's centre.
func (f *Fragments) surfacePoint(lane int, x, y float64) SurfacePoint {
	if p := f.Prims[lane/4]; p.PointAt != nil {
		return p.PointAt(float64(f.X[lane])+0.5+x, float64(f.Y[lane])+0.5+y)
	}
	return SurfacePoint{}
}

// Depth returns the depth of a sample of the lane's pixel.
func (f *Fragments) Depth(lane, sample int) float32 {
	if len(f.Locations) < 2 {
		return f.Coord[2][lane]
	}
	at := f.location(sample)
	return float32(f.surfacePoint(lane, float64(at[0]), float64(at[1])).Depth)
}

// location returns the position of a sample; the centre for one that does not exist.
func (f *Fragments) location(sample int) [2]float32 {
	if uint(sample) < uint(len(f.Locations)) {
		return f.Locations[sample]
	}
	return [2]float32{}
}

// centroid returns the position of AtCentroid.
func (f *Fragments) centroid(lane int) [2]float32 {
	if c := f.Cover[lane]; c != 0 && bits.OnesCount16(c) < len(f.Locations) {
		return f.location(bits.TrailingZeros16(c))
	}
	return [2]float32{}
}

func barycentric(f *Fragments, in *Inst, lane int) uint32 {
	weight := in.Imm & 3
	var at [2]float32
	switch WeightPosition(in.Imm >> 2) {
	case AtCentre:
		return math.Float32bits(f.Weights[weight][lane])
	case AtCentroid:
		at = f.centroid(lane)
	case AtSample:
		at = f.location(int(f.Sample[lane]))
	}
	return math.Float32bits(float32(f.surfacePoint(lane, float64(at[0]), float64(at[1])).Weights[weight]))
}

// barycentricAt writes the Imm-th weight at x and y from the pixel's centre.
func barycentricAt(st *State, in *Inst) {
	dst, f := st.row(in.Dst, 0), st.fragments()
	for mask := st.Exec; mask != 0; mask &= mask - 1 {
		l := bits.TrailingZeros64(mask)
		s := f.surfacePoint(l, FloatOf(F32, st.Source(in, 0, l)), FloatOf(F32, st.Source(in, 1, l)))
		dst[l] = math.Float32bits(float32(s.Weights[in.Imm&3]))
	}
}

// sampleOffset writes the position of a sample, x or y from the pixel's centre.
func sampleOffset(st *State, in *Inst) {
	dst, f := st.row(in.Dst, 0), st.fragments()
	for mask := st.Exec; mask != 0; mask &= mask - 1 {
		l := bits.TrailingZeros64(mask)
		dst[l] = math.Float32bits(f.location(int(uint32(st.Source(in, 0, l))))[in.Imm&1])
	}
}

// perFragment32 computes 32 bits for each active lane.
func perFragment32(value func(f *Fragments, in *Inst, lane int) uint32) func(*State, *Inst) {
	return func(st *State, in *Inst) {
		dst, f := st.row(in.Dst, 0), st.fragments()
		for mask := st.Exec; mask != 0; mask &= mask - 1 {
			l := bits.TrailingZeros64(mask)
			dst[l] = value(f, in, l)
		}
	}
}

// laneBits returns a truth value that the wave holds as a mask.
func laneBits(mask func(st *State) uint64) func(*State, *Inst) {
	return func(st *State, in *Inst) { st.setMask(in.Dst, mask(st)) }
}

// Interpolation computes value + weight * difference, each step rounded once, as the two instructions of the hardware
// do.
func interpP1(st *State, in *Inst) {
	dst, f := st.row(in.Dst, 0), st.fragments()
	for mask := st.Exec; mask != 0; mask &= mask - 1 {
		l := bits.TrailingZeros64(mask)
		p := f.param(in, l)
		dst[l] = stepped(uint32(st.Source(in, 0, l)), p[1], p[0])
	}
}

func interpP2(st *State, in *Inst) {
	dst, f := st.row(in.Dst, 0), st.fragments()
	for mask := st.Exec; mask != 0; mask &= mask - 1 {
		l := bits.TrailingZeros64(mask)
		dst[l] = stepped(uint32(st.Source(in, 0, l)), f.param(in, l)[2], uint32(st.Source(in, 1, l)))
	}
}

// stepped returns weight * slope + from on the bits of float32.
func stepped(weight, slope, from uint32) uint32 {
	product := float64(math.Float32frombits(weight)) * float64(math.Float32frombits(slope))
	return math.Float32bits(float32(product + float64(math.Float32frombits(from))))
}

package isa

import (
	"math"
	"math/bits"
)

// Fragments are the quads that a wave of a fragment shader starts with. Lanes
// 4k to 4k+3 are quad k: upper left, upper right, lower left, lower right.
type Fragments struct {
	Exec    uint64 // lanes of quads
	Helpers uint64 // of them, those at pixels that the primitive does not cover
	Front   uint64 // of primitives that face the viewer

	X, Y  [64]uint16     // the pixel
	Coord [4][64]float32 // x and y of its centre, depth, 1/w
	// Weights of the second and the third corner: perspective correct, then in
	// screen space.
	Weights [4][64]float32
	Prims   [16]*Primitive // by quad
}

// A Primitive is a triangle as its fragments see it.
type Primitive struct {
	Index uint32 // in the draw
	// Params has for each input component the bits of the first corner's value
	// and, as float32, what the second and the third corner have more.
	Params [][3]uint32
}

var noParam [3]uint32

// noFragments are the fragments of a wave that has none.
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

// param is the input component that an instruction names; components that the
// draw does not give are zero.
func (f *Fragments) param(in *Inst, lane int) *[3]uint32 {
	p := f.Prims[lane/4]
	if in.Imm < uint64(len(p.Params)) {
		return &p.Params[in.Imm]
	}
	return &noParam
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

// laneBits is a truth value that the wave holds as a mask.
func laneBits(mask func(st *State) uint64) func(*State, *Inst) {
	return func(st *State, in *Inst) { st.setMask(in.Dst, mask(st)) }
}

// Interpolation is value + weight * difference, each step rounded once, as the
// two instructions of the hardware do it.
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

// stepped is weight * slope + from on the bits of float32.
func stepped(weight, slope, from uint32) uint32 {
	product := float64(math.Float32frombits(weight)) * float64(math.Float32frombits(slope))
	return math.Float32bits(float32(product + float64(math.Float32frombits(from))))
}

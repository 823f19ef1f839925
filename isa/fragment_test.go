package isa

import (
	"math"
	"testing"
)

// fragmentLanes are quads of a wave in which each lane, primitive and sample has numbers of its own, exact in float32.
func fragmentLanes() *Fragments {
	f := &Fragments{Front: 0xf0f0, Helpers: 0x1234, Locations: [][2]float32{{-0.25, 0.125}, {0.25, 0.375}, {-0.375, -0.125}, {0.5, -0.5}}}
	for l := range 32 {
		f.X[l], f.Y[l] = uint16(2*(l/4)+l%2), uint16(10+l%4/2)
		f.Cover[l], f.Sample[l] = uint16(l%16), uint8(l%5)
		for k := range 4 {
			f.Coord[k][l], f.Weights[k][l] = float32(100*k+l), float32(1000*k+l)
		}
		f.Point[0][l], f.Point[1][l] = float32(l)/32, 1-float32(l)/32
	}
	for q := range f.Prims {
		p := &Primitive{Index: uint32(70 + q)}
		for c := range 3 {
			p.Params = append(p.Params, [3]uint32{math.Float32bits(float32(q + c)), math.Float32bits(float32(2*q + 1)), math.Float32bits(float32(c) + 0.5)})
		}
		if q != 3 {
			p.PointAt = func(x, y float64) SurfacePoint {
				return SurfacePoint{Weights: [4]float64{x, y, x + y, x - y}, Depth: 2*x + y + float64(q)}
			}
		}
		f.Prims[q] = p
	}
	return f
}

// fragmentPlace returns the weights and the depth of a lane, at x and y from its pixel's centre, as in fragmentLanes.
func fragmentPlace(f *Fragments, l int, x, y float64) (weights [4]float64, depth float64) {
	if l/4 == 3 {
		return weights, 0
	}
	x, y = x+float64(f.X[l])+0.5, y+float64(f.Y[l])+0.5
	return [4]float64{x, y, x + y, x - y}, 2*x + y + float64(l/4)
}

// sampleAt returns the position of a sample: the centre for one that does not exist.
func sampleAt(f *Fragments, n int) (x, y float64) {
	if n >= len(f.Locations) {
		return 0, 0
	}
	return float64(f.Locations[n][0]), float64(f.Locations[n][1])
}

// centroidOf returns the centre where all four samples are covered or none is, else the first that is.
func centroidOf(f *Fragments, l int) (x, y float64) {
	for n := range 4 {
		if f.Cover[l]>>n&1 != 0 && f.Cover[l] != 15 {
			return sampleAt(f, n)
		}
	}
	return 0, 0
}

// A fragmentCase is an operation with its result in a lane; its sources, unless given, are laneX and laneY.
type fragmentCase struct {
	in   Inst
	want func(l int) float64
}

func laneX(l int) float64 { return float64(l%7) / 8 }
func laneY(l int) float64 { return float64(l%3)/4 - 1 }

// interpolations are those of weights and of input components.
func interpolations(f *Fragments) (list []fragmentCase) {
	for k := range 4 {
		list = append(list,
			fragmentCase{Inst{Op: FragCoord, Imm: uint64(k)}, func(l int) float64 { return float64(100*k + l) }},
			fragmentCase{Inst{Op: Barycentric, Imm: WeightImm(k, AtCentre)}, func(l int) float64 { return float64(1000*k + l) }},
			fragmentCase{Inst{Op: Barycentric, Imm: WeightImm(k, AtCentroid)}, func(l int) float64 { x, y := centroidOf(f, l); w, _ := fragmentPlace(f, l, x, y); return w[k] }},
			fragmentCase{Inst{Op: Barycentric, Imm: WeightImm(k, AtSample)}, func(l int) float64 { x, y := sampleAt(f, l%5); w, _ := fragmentPlace(f, l, x, y); return w[k] }},
			fragmentCase{Inst{Op: BarycentricAt, Imm: uint64(k)}, func(l int) float64 { w, _ := fragmentPlace(f, l, laneX(l), laneY(l)); return w[k] }})
	}
	for c := range 3 {
		corners := func(l int) [3]float64 { return [3]float64{float64(l/4 + c), float64(2*(l/4) + 1), float64(c) + 0.5} }
		list = append(list,
			fragmentCase{Inst{Op: InterpP1, Imm: uint64(c)}, func(l int) float64 { p := corners(l); return laneX(l)*p[1] + p[0] }},
			fragmentCase{Inst{Op: InterpP2, Imm: uint64(c)}, func(l int) float64 { return laneX(l)*corners(l)[2] + laneY(l) }})
		for corner := range 3 {
			list = append(list, fragmentCase{Inst{Op: InterpFlat, Imm: CornerImm(c, corner)}, func(l int) float64 { return corners(l)[corner] }})
		}
	}
	return append(list, fragmentCase{Inst{Op: InterpP1, Imm: 3}, func(int) float64 { return 0 }}) // the draw gives three
}

// numbersOfFragments lists the values that a lane has of its samples, its primitive and its position in a point.
func numbersOfFragments(f *Fragments) (list []fragmentCase) {
	for k := range 2 {
		list = append(list,
			fragmentCase{Inst{Op: PointCoord, Imm: uint64(k)}, func(l int) float64 { return [2]float64{float64(l) / 32, 1 - float64(l)/32}[k] }},
			fragmentCase{Inst{Op: SampleOffset, Imm: uint64(k), Src: [4]Reg{V(3)}}, func(l int) float64 { x, y := sampleAt(f, l%6); return [2]float64{x, y}[k] }})
	}
	return append(list,
		fragmentCase{Inst{Op: SampleIndex, T: I32}, func(l int) float64 { return float64(l % 5) }},
		fragmentCase{Inst{Op: SampleCover, T: I32}, func(l int) float64 { return float64(l % 16) }},
		fragmentCase{Inst{Op: PrimitiveIndex, T: I32}, func(l int) float64 { return float64(70 + l/4) }})
}

// check carries an operation out on some lanes.
func (c *fragmentCase) check(t *testing.T, f *Fragments) {
	st := NewState(32, 8, 4)
	st.Fragments, st.Exec = f, 0x5a5af0ff
	in := c.in
	in.Dst = V(0)
	if in.T == Void {
		in.T = F32
	}
	if in.Src[0].Kind == None {
		in.Src = [4]Reg{V(1), V(2)}
	}
	for l := range 32 {
		for row, w := range []uint32{0xdead, math.Float32bits(float32(laneX(l))), math.Float32bits(float32(laneY(l))), uint32(l % 6)} {
			st.row(V(row), 0)[l] = w
		}
	}
	Resolve(&in)
	in.Exec(st, &in)
	for l := range 32 {
		want := uint32(0xdead)
		if st.Exec>>l&1 != 0 && in.T == F32 {
			want = math.Float32bits(float32(c.want(l)))
		} else if st.Exec>>l&1 != 0 {
			want = uint32(c.want(l))
		}
		if got := st.row(V(0), 0)[l]; got != want && (got^want != 1<<31 || got<<1 != 0) { // zeros of either sign
			t.Errorf("%s %#x: lane %d has %#x, want %#x", Disasm(&in), in.Imm, l, got, want)
		}
	}
}

// Each operation of fragments gives active lanes the values of their own quad, primitive and samples, and leaves the
// others alone.
func TestOperationsOfFragments(t *testing.T) {
	f := fragmentLanes()
	for _, c := range append(interpolations(f), numbersOfFragments(f)...) {
		c.check(t, f)
	}
}

// The depth of a sample is that of its place, and that of the fragment where a pixel has one sample.
func TestDepthsOfSamples(t *testing.T) {
	f := fragmentLanes()
	for l := range 32 {
		for n := range 5 {
			x, y := sampleAt(f, n)
			if _, depth := fragmentPlace(f, l, x, y); f.Depth(l, n) != float32(depth) {
				t.Errorf("lane %d, sample %d: depth %g, want %g", l, n, f.Depth(l, n), depth)
			}
		}
	}
	f.Locations = f.Locations[:1]
	if got := f.Depth(5, 0); got != f.Coord[2][5] {
		t.Errorf("depth of a pixel with one sample: %g, want %g", got, f.Coord[2][5])
	}
}

// The masks of a wave's lanes, and the effect of a demotion.
func TestMasksOfFragments(t *testing.T) {
	f := fragmentLanes()
	st := NewState(32, 4, 4)
	st.Fragments, st.Helpers = f, 0x1000
	for op, want := range map[Op]uint64{FrontFacing: 0xf0f0, HelperLane: 0x1234, IsHelper: 0x1000} {
		in := &Inst{Op: op, T: Bool, Dst: S(1)}
		Resolve(in)
		in.Exec(st, in)
		if st.S[1] != want&st.Exec {
			t.Errorf("%s: %#x, want %#x", op, st.S[1], want)
		}
	}
	st.Exec = 0x0ff0
	demote := &Inst{Op: Demote}
	Resolve(demote)
	demote.Exec(st, demote)
	if st.Helpers != 0x1ff0 {
		t.Errorf("helpers after a demotion: %#x", st.Helpers)
	}
}

// Swizzles take from each lane the one that their selectors or masks name, within quads and within halves of a wave.
func TestSelectorsOfSwizzles(t *testing.T) {
	st := NewState(64, 4, 4)
	for l := range 64 {
		st.row(V(1), 0)[l] = uint32(1000 + l)
	}
	run := func(op Op, imm uint64, want func(l uint32) uint32) {
		in := &Inst{Op: op, T: I32, Dst: V(0), Src: [4]Reg{V(1)}, Imm: imm}
		Resolve(in)
		in.Exec(st, in)
		for l := range uint32(64) {
			if got := st.row(V(0), 0)[l]; got != 1000+want(l) {
				t.Fatalf("%s %#x: lane %d takes from %d, want %d", op, imm, l, got-1000, want(l))
			}
		}
	}
	for n := range uint32(256) {
		from := [4]uint32{n & 3, n >> 2 & 3, n >> 4 & 3, n >> 6}
		run(SwizzleQuad, QuadImm(from), func(l uint32) uint32 { return l/4*4 + from[l%4] })
	}
	for n := range uint32(500) {
		and, or, xor := n*7%32, n*5%32, n*3%32
		run(SwizzleMasked, MaskImm(and, or, xor), func(l uint32) uint32 { return l/32*32 + (l%32&and | or) ^ xor })
	}
}

package isa

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A cubeFace is a row of the table of cube map faces in the OpenGL 4.6
// specification (8.13, "Cube Map Texture Selection"): where each coordinate of
// the face comes from, as an axis and a sign.
type cubeFace struct {
	sc, tc, ma  int // axis
	sSign, tSig float64
	sign        float64 // of the major axis
}

var cubeFaces = [6]cubeFace{
	{sc: 2, tc: 1, ma: 0, sSign: -1, tSig: -1, sign: 1},
	{sc: 2, tc: 1, ma: 0, sSign: 1, tSig: -1, sign: -1},
	{sc: 0, tc: 2, ma: 1, sSign: 1, tSig: 1, sign: 1},
	{sc: 0, tc: 2, ma: 1, sSign: 1, tSig: -1, sign: -1},
	{sc: 0, tc: 1, ma: 2, sSign: 1, tSig: -1, sign: 1},
	{sc: 0, tc: 1, ma: 2, sSign: -1, tSig: -1, sign: -1},
}

// faceOf follows the text of v_cubeid_f32: z if it is at least as long as both
// others, else y if at least as long as x, else x.
func faceOf(p [3]float64) int {
	x, y, z := math.Abs(p[0]), math.Abs(p[1]), math.Abs(p[2])
	major := 0
	if y >= x {
		major = 1
	}
	if z >= x && z >= y {
		major = 2
	}
	if p[major] < 0 {
		return 2*major + 1
	}
	return 2 * major
}

func checkCube(t *testing.T, p [3]float64) {
	t.Helper()
	var args [3]uint64
	for i := range p {
		args[i] = FloatBits(F32, p[i])
	}
	face := faceOf(p)
	f := cubeFaces[face]
	want := map[Op]float64{CubeID: float64(face), CubeSC: f.sSign * p[f.sc], CubeTC: f.tSig * p[f.tc], CubeMA: 2 * p[f.ma] * f.sign}
	for _, op := range []Op{CubeID, CubeSC, CubeTC, CubeMA} {
		if got := FloatOf(F32, Eval(op, F32, Void, 0, args[:]...)); got != want[op] {
			t.Errorf("%s%v = %v, want %v", op, p, got, want[op])
		}
	}
}

// All directions with components -2 to 2 hold every face's middle, all twelve
// edges, all eight corners and the origin.
func TestCubeFacesEdgesAndTies(t *testing.T) {
	seen := map[int]bool{}
	for x := -2.0; x <= 2; x++ {
		for y := -2.0; y <= 2; y++ {
			for z := -2.0; z <= 2; z++ {
				checkCube(t, [3]float64{x, y, z})
				seen[faceOf([3]float64{x, y, z})] = true
			}
		}
	}
	if len(seen) != 6 {
		t.Errorf("faces seen: %v", seen)
	}
}

func TestCubeOfAnyDirection(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for range 2000 {
		var p [3]float64
		for i := range p {
			p[i] = float64(float32(r.NormFloat64()))
		}
		checkCube(t, p)
	}
}

// Ties go to z, then to y, as the ISA document orders them.
func TestCubeTies(t *testing.T) {
	for _, c := range []struct {
		p    [3]float64
		face float64
	}{
		{[3]float64{1, 1, 1}, 4}, {[3]float64{1, 1, -1}, 5}, {[3]float64{1, 1, 0}, 2}, {[3]float64{1, -1, 0}, 3},
		{[3]float64{-1, 0, 1}, 4}, {[3]float64{0, 0, 0}, 4}, {[3]float64{1, 0, 0}, 0}, {[3]float64{-1, 0.5, 0.5}, 1},
	} {
		got := FloatOf(F32, Eval(CubeID, F32, Void, 0, FloatBits(F32, c.p[0]), FloatBits(F32, c.p[1]), FloatBits(F32, c.p[2])))
		if got != c.face {
			t.Errorf("%v: face %v, want %v", c.p, got, c.face)
		}
	}
}

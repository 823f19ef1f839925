package texture

import "math"

// A Wrap is an address mode: the meaning of coordinates outside of the image.
type Wrap uint8

// Address modes, by Vulkan's names REPEAT, MIRRORED_REPEAT, CLAMP_TO_EDGE, CLAMP_TO_BORDER and MIRROR_CLAMP_TO_EDGE.
const (
	WrapRepeat Wrap = iota
	WrapMirror
	WrapClamp
	WrapBorder
	WrapMirrorOnce
)

// texel brings a texel index into 0..size-1, or leaves it outside where the border is.
func (w Wrap) texel(i, size int) int {
	switch w {
	case WrapRepeat:
		return ((i % size) + size) % size
	case WrapMirror:
		m := ((i % (2 * size)) + 2*size) % (2 * size)
		return min(m, 2*size-1-m)
	case WrapBorder:
		return i
	case WrapMirrorOnce:
		i = max(i, -1-i)
	}
	return min(max(i, 0), size-1)
}

// A Sampler filters an image: linearly or with the nearest texel where the image is magnified (Mag), minified (Min),
// and between levels of detail (Mip).
type Sampler struct {
	MagLinear, MinLinear, MipLinear bool
	Wrap                            [3]Wrap
	Bias, MinLod, MaxLod            float64
	Border                          [4]uint32 // components of what is outside, each 0 or 1
	Unnormalized                    bool      // coordinates count texels
	// Compare is true where the reference passes against a depth; nil: the sampler
	// does not compare, and no reference passes.
	Compare func(reference, depth float64) bool
}

// A WeightedLevel is a level of detail to read, with its weight.
type WeightedLevel struct {
	Level  uint32
	Weight float64
}

// ChooseLevels finds the levels for a level of detail lambda (Vulkan 1.3, "Image
// Level(s) Selection"): one, or two with their weights.
func (s *Sampler) ChooseLevels(lambda float64, levels uint32) (list [2]WeightedLevel, n int, linear bool) {
	if lambda != lambda { // from coordinates that are no numbers
		lambda = 0
	}
	lambda = min(max(lambda, s.MinLod), s.MaxLod)
	linear = s.MinLinear
	if !(lambda > 0) {
		linear = s.MagLinear
	}
	d := min(max(lambda, 0), float64(levels-1))
	if !s.MipLinear {
		list[0] = WeightedLevel{uint32(math.Ceil(d+0.5) - 1), 1}
		return list, 1, linear
	}
	low := math.Floor(d)
	list[0] = WeightedLevel{uint32(low), 1 - (d - low)}
	if d == low {
		return list, 1, linear
	}
	list[1] = WeightedLevel{uint32(low) + 1, d - low}
	return list, 2, linear
}

// levelOfDetail returns lambda before bias and clamping: log2 of the longer side of the pixel's footprint, in texels of
// the first level.
func levelOfDetail(dx, dy, size [3]float64) float64 {
	length := func(d [3]float64) float64 { return math.Hypot(math.Hypot(d[0]*size[0], d[1]*size[1]), d[2]*size[2]) }
	return math.Log2(max(length(dx), length(dy)))
}

// faces of a cube map: which component of the direction is the major axis, and
// which, with which signs, are s and t (Vulkan 1.3, "Cube Map Face Selection").
var faces = [6]struct {
	major, s, t             int
	majorSign, sSign, tSign float64
}{
	{0, 2, 1, 1, -1, -1}, {0, 2, 1, -1, 1, -1},
	{1, 0, 2, 1, 1, 1}, {1, 0, 2, -1, 1, -1},
	{2, 0, 1, 1, 1, -1}, {2, 0, 1, -1, -1, -1},
}

// faceOf returns the face of a direction; ties go to z, then y.
func faceOf(d [3]float64) int {
	ax, ay, az := math.Abs(d[0]), math.Abs(d[1]), math.Abs(d[2])
	axis := 0
	switch {
	case az >= ax && az >= ay:
		axis = 2
	case ay >= ax:
		axis = 1
	}
	if d[axis] < 0 {
		return 2*axis + 1
	}
	return 2 * axis
}

// onFace returns the coordinates of a direction on a face, 0 to 1 within it.
func onFace(face int, d [3]float64) [3]float64 {
	f := &faces[face]
	m := 2 * math.Abs(d[f.major])
	return [3]float64{f.sSign*d[f.s]/m + 0.5, f.tSign*d[f.t]/m + 0.5}
}

// faceSlope returns the change of the coordinates on the face of direction d when the direction changes by e.
func faceSlope(face int, d, e [3]float64) [3]float64 {
	f := &faces[face]
	m, dm := f.majorSign*d[f.major], f.majorSign*e[f.major]
	slope := func(i int, sign float64) float64 { return sign * (e[i]*m - d[i]*dm) / (2 * m * m) }
	return [3]float64{slope(f.s, f.sSign), slope(f.t, f.tSign)}
}

// direction returns the direction of a position on a face, which may lie beyond the face's edges.
func direction(face int, s, t float64) (d [3]float64) {
	f := &faces[face]
	d[f.major] = f.majorSign
	d[f.s], d[f.t] = f.sSign*(2*s-1), f.tSign*(2*t-1)
	return d
}

// overEdge returns the texel of a neighbouring face for a texel beyond an edge.
func overEdge(face, x, y, size int) (int, int, int) {
	d := direction(face, (float64(x)+0.5)/float64(size), (float64(y)+0.5)/float64(size))
	to := faceOf(d)
	st := onFace(to, d)
	place := func(c float64) int { return min(max(int(c*float64(size)), 0), size-1) }
	return to, place(st[0]), place(st[1])
}

package texture

import (
	"math"

	"spvsim/isa"
)

// A Sample is a position on an image, with a sampler: what one lane asks of the texture unit.
type Sample struct {
	Image   *Image
	Sampler *Sampler
	Dims    int     // coordinates on the image or the face
	Lambda  float64 // level of detail
	Compare bool    // with a reference

	cube      bool
	at        [3]float64 // on the image or the face, 0 to 1
	layer     int        // of the image; of a cube's, the face counts
	move      [3]int     // in texels
	reference float64    // of a comparison
}

// NewSample makes the sample of an instruction.
func NewSample(m *isa.Mem, image *Image, sampler *Sampler) Sample {
	return Sample{Image: image, Sampler: sampler, cube: m.Dim == dimCube, Dims: dimensions[m.Dim]}
}

// SetOffset sets the offset in texels, a signed byte for each coordinate.
func (s *Sample) SetOffset(word uint32) {
	for k := range s.move {
		s.move[k] = int(int8(word >> (8 * k)))
	}
}

// CompareWith sets the reference of a comparison.
func (s *Sample) CompareWith(reference float64) {
	if s.Image.Format.normalized() { // as the depths are
		reference = min(max(reference, 0), 1)
	}
	s.Compare, s.reference = true, reference
}

// Locate finds the position on the image or on a face of it, the layer, and the level of detail where it comes from derivatives.
func (s *Sample) Locate(m *isa.Mem, at [4]float64, dx, dy [3]float64) {
	s.at = [3]float64(at[:3])
	if s.cube {
		d := s.at
		s.layer = faceOf(d)
		s.at = onFace(s.layer, d)
		dx, dy = faceSlope(s.layer, d, dx), faceSlope(s.layer, d, dy)
	}
	if m.Sample != isa.SampleLod {
		s.Lambda = levelOfDetail(dx, dy, s.size(0))
	}
	switch {
	case m.Arrayed && s.cube:
		s.pickLayer(at[3])
	case m.Arrayed:
		s.pickLayer(at[s.Dims])
	}
}

// size returns the texels of a level in each dimension; 1 in those that the image lacks.
func (s *Sample) size(level uint32) [3]float64 {
	w, h, d := s.Image.LevelExtent(level)
	return [3]float64{float64(w), float64(h), float64(d)}
}

// scale returns the factors from coordinates to texels of a level.
func (s *Sample) scale(level uint32) [3]float64 {
	if s.Sampler.Unnormalized {
		return [3]float64{1, 1, 1}
	}
	return s.size(level)
}

// pickLayer adds the layer of an array, which of cubes has six faces.
func (s *Sample) pickLayer(at float64) {
	each := 1
	if s.cube {
		each = 6
	}
	last := int(s.Image.Layers)/each - 1
	s.layer += each * int(min(max(math.RoundToEven(at), 0), float64(max(last, 0))))
}

// Footprint returns the first of the texels that a linear filter mixes, and the distance of the position beyond its
// centre, in texels.
func (s *Sample) Footprint(level uint32) (low [3]int, beyond [3]float64) {
	size := s.scale(level)
	for k := range s.Dims {
		u := s.at[k]*size[k] - 0.5
		low[k], beyond[k] = whole(u), u-math.Floor(u)
	}
	return low, beyond
}

// Nearest returns the texel with the nearest centre.
func (s *Sample) Nearest(level uint32) (at [3]int) {
	size := s.scale(level)
	for k := range s.Dims {
		at[k] = whole(s.at[k] * size[k])
	}
	return at
}

// Wrap returns x, y, z and plane of a texel, after offset and address mode; inside is false where the border is read.
func (s *Sample) Wrap(at [3]int, level uint32) (texel [4]uint32, inside bool) {
	w, h, d := s.Image.LevelExtent(level)
	size := [3]int{int(w), int(h), int(d)}
	layer := s.layer
	if s.cube && (at[0] < 0 || at[1] < 0 || at[0] >= size[0] || at[1] >= size[1]) {
		face, x, y := overEdge(layer%6, min(max(at[0], -1), size[0]), min(max(at[1], -1), size[1]), size[0])
		layer, at[0], at[1] = layer-layer%6+face, x, y
	}
	texel = [4]uint32{3: uint32(layer)}
	for k := range s.Dims {
		i := s.Sampler.Wrap[k].texel(at[k]+s.move[k], size[k])
		if i < 0 || i >= size[k] {
			return texel, false
		}
		texel[k] = uint32(i)
	}
	return texel, true
}

// Read returns a texel as the shader sees it, after comparison and swizzle.
func (s *Sample) Read(texel [4]uint64) [4]uint64 { return s.Image.Swizzled(s.compared(texel)) }

// compared is the texel, or whether the reference passes against it: against what a sampler reads that does not compare, none does.
func (s *Sample) compared(texel [4]uint64) [4]uint64 {
	if !s.Compare {
		return texel
	}
	result := float32(0)
	if s.Sampler.Compare != nil && s.Sampler.Compare(s.reference, float64(math.Float32frombits(uint32(texel[0])))) {
		result = 1
	}
	return [4]uint64{uint64(math.Float32bits(result))}
}

// whole is the floor as an integer; far coordinates and NaN stay within what
// address arithmetic can do.
func whole(x float64) int {
	if x != x {
		return 0
	}
	return int(min(max(math.Floor(x), -1<<30), 1<<30))
}

func AddWeighted(sum *[4]float64, texel [4]uint64, weight float64) {
	for k := range sum {
		sum[k] += weight * float64(math.Float32frombits(uint32(texel[k])))
	}
}

// AccessedLevel is the level of detail that is read, with a fraction between levels.
func (s *Sampler) AccessedLevel(lambda float64, levels uint32) float64 {
	d := min(max(lambda, s.MinLod), s.MaxLod)
	d = min(max(d, 0), float64(levels-1))
	if !s.MipLinear {
		return math.Ceil(d+0.5) - 1
	}
	return d
}

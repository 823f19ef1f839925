package mem

import (
	"math"
	"math/bits"

	"spvsim/internal/timing"
	"spvsim/isa"
	"spvsim/mem/fixed"
	"spvsim/mem/lane"
)

// A sample is what one lane asks of the texture unit.
type sample struct {
	lane    int
	image   *Image
	sampler *Sampler
	base    uint64 // device address
	bytes   []byte
	dims    int        // of the image or the face
	at      [3]float64 // on the image or the face, 0 to 1
	layer   int        // of the image; of a cube's, the face counts
	cube    bool
	lambda  float64

	move      [3]int  // in texels
	reference float64 // of a comparison
	compare   bool
}

// sample carries out a sampling instruction, quad by quad. The level of detail
// is one for the quad where it comes from the quad's coordinates; those of lanes
// that are not active count as they are in the registers.
func (p *Port) sample(now uint64, st *isa.State, env *Env, in *isa.Inst) *timing.Response {
	p.begin(in.Mem, Read)
	passes := 0
	for first := 0; first < st.Lanes; first += 4 {
		if st.Exec>>first&15 != 0 {
			passes += p.tex.sampleQuad(st, env, in, first)
		}
	}
	return p.filtered(now, in.Mem, passes)
}

// sampleQuad returns the passes that the quad takes through the filter.
func (u *texture) sampleQuad(st *isa.State, env *Env, in *isa.Inst, first int) (passes int) {
	for l := first; l < first+4; l++ {
		if st.Exec>>l&1 == 0 {
			continue
		}
		s := u.sampleOf(st, env, in, l)
		var v [4]uint64
		n := 1
		if s.image == nil {
			u.lanes.fault(st, in, "image sample", l)
		} else {
			v, n = u.answer(&s, st, in, l)
		}
		passes = max(passes, n)
		for k := range v {
			lane.Set(st, lane.Result(in, k), l, false, v[k])
		}
	}
	return passes
}

// answer gives the results of a lane, and the passes through the filter.
func (u *texture) answer(s *sample, st *isa.State, in *isa.Inst, l int) ([4]uint64, int) {
	if in.Op == isa.ImageGather {
		return u.gatherTexels(s, in)
	}
	s.lambda += s.bias(st, in, l)
	return u.filter(s, lane.Element(in))
}

// bias is what sampler and shader add to the level of detail.
func (s *sample) bias(st *isa.State, in *isa.Inst, l int) float64 {
	bias := s.sampler.Bias
	if in.Mem.Sample == isa.SampleBias {
		bias += number(st, in.Mem.Data[0], l)
	}
	return bias
}

func number(st *isa.State, r isa.Reg, l int) float64 {
	return float64(math.Float32frombits(uint32(lane.Value(st, r, l, false))))
}

// sampleOf resolves the image, the position and the level of detail of a lane.
// The image is nil where nothing is bound.
func (u *texture) sampleOf(st *isa.State, env *Env, in *isa.Inst, l int) (s sample) {
	m := in.Mem
	d, binding := env.descriptor(m, uint32(lane.Value(st, m.BindingIndex, l, false)))
	with := env.sampler(m, uint32(lane.Value(st, m.SamplerIndex, l, false)))
	u.lanes.bound = env.Bindings
	u.lanes.w.mem[l], u.lanes.w.off[l], u.lanes.w.addr[l], u.lanes.w.bind[l] = nil, 0, d.Addr, binding
	if d.Image == nil || with == nil {
		return s
	}
	s = sample{lane: l, image: d.Image, sampler: with, base: d.Addr, bytes: d.Bytes, cube: m.Dim == dimCube, dims: int(dimensions[m.Dim])}
	s.options(st, m, l)
	at := position(st, m, l)
	var dx, dy [3]float64
	switch m.Sample {
	case isa.SampleLod:
		s.lambda = number(st, m.Data[0], l)
	case isa.SampleGrad:
		for k := range 3 {
			dx[k], dy[k] = number(st, m.Data[k], l), number(st, in.Src[k], l)
		}
	default:
		first := l &^ 3
		from, right, down := position(st, m, first), position(st, m, first+1), position(st, m, first+2)
		for k := range 3 {
			dx[k], dy[k] = right[k]-from[k], down[k]-from[k]
		}
	}
	s.place([3]float64(at[:3]), dx, dy, m.Sample != isa.SampleLod)
	switch {
	case m.Arrayed && s.cube:
		s.pickLayer(at[3])
	case m.Arrayed:
		s.pickLayer(at[s.dims])
	}
	return s
}

// options are the offset in texels and the reference of a comparison.
func (s *sample) options(st *isa.State, m *isa.Mem, l int) {
	word := uint32(lane.Value(st, m.TexelOffset, l, false))
	for k := range s.move {
		s.move[k] = int(int8(word >> (8 * k)))
	}
	if s.compare = m.Reference.Kind != isa.None; !s.compare {
		return
	}
	s.reference = number(st, m.Reference, l)
	if s.image.Format.normalized() { // as the depths are
		s.reference = min(max(s.reference, 0), 1)
	}
}

func position(st *isa.State, m *isa.Mem, l int) (at [4]float64) {
	for k := range at {
		at[k] = number(st, m.Coords[k], l)
	}
	return at
}

// place finds the position on the image or on a face of it, and the level of
// detail where it comes from derivatives.
func (s *sample) place(at, dx, dy [3]float64, derive bool) {
	s.at = at
	if s.cube {
		s.layer = faceOf(at)
		s.at = onFace(s.layer, at)
		dx, dy = faceSlope(s.layer, at, dx), faceSlope(s.layer, at, dy)
	}
	if derive {
		s.lambda = levelOfDetail(dx, dy, s.size(0))
	}
}

// size is that of a level, in texels; 1 in dimensions that the image lacks.
func (s *sample) size(level uint32) [3]float64 {
	w, h := s.image.levelSize(level)
	return [3]float64{float64(w), float64(h), float64(s.image.levelDepth(level))}
}

// scale is what coordinates are multiplied with to count texels of a level.
func (s *sample) scale(level uint32) [3]float64 {
	if s.sampler.Unnormalized {
		return [3]float64{1, 1, 1}
	}
	return s.size(level)
}

// pickLayer adds the layer of an array, which of cubes has six faces.
func (s *sample) pickLayer(at float64) {
	each := 1
	if s.cube {
		each = 6
	}
	last := int(s.image.Layers)/each - 1
	s.layer += each * int(min(max(math.RoundToEven(at), 0), float64(max(last, 0))))
}

// filter reads and weighs the texels. It returns the bits of four components of
// type t and the passes through the filter.
func (u *texture) filter(s *sample, t isa.Type) (v [4]uint64, passes int) {
	levels, n, linear := s.sampler.choose(s.lambda, max(s.image.Levels, 1))
	f := s.image.Format
	if !f.codec.float { // integers are not filtered
		v = u.nearest(s, levels[0].level)
		for k := range v {
			v[k] = f.toElem(v[k], t)
		}
		return v, u.spec.passes(1, f.Bytes)
	}
	var sum [4]float64
	for _, level := range levels[:n] {
		u.level(s, level, linear, &sum)
	}
	for k := range v {
		v[k] = f.toElem(uint64(math.Float32bits(float32(sum[k]))), t)
	}
	return v, u.spec.passes(n, f.Bytes)
}

// gatherTexels answers with a component of the four texels that a filter would mix, or
// with their comparisons, from the lower left one against the clock.
func (u *texture) gatherTexels(s *sample, in *isa.Inst) (v [4]uint64, passes int) {
	low, _ := s.footprint(0)
	t, f := lane.Element(in), s.image.Format
	component := in.Imm
	if s.compare {
		component = 0
	}
	for k, at := range [4][2]int{{0, 1}, {1, 1}, {1, 0}, {0, 0}} {
		texel := u.fetch(s, [3]int{low[0] + at[0], low[1] + at[1]}, 0)
		v[k] = f.toElem(texel[component], t)
	}
	return v, u.spec.passes(1, f.Bytes)
}

// footprint is the first of the texels that a filter mixes, and by how much the
// position lies beyond its centre, in texels.
func (s *sample) footprint(level uint32) (low [3]int, beyond [3]float64) {
	size := s.scale(level)
	for k := range s.dims {
		u := s.at[k]*size[k] - 0.5
		low[k], beyond[k] = whole(u), u-math.Floor(u)
	}
	return low, beyond
}

// level adds one level of detail: one texel, or two in each dimension.
func (u *texture) level(s *sample, level sampleLevel, linear bool, sum *[4]float64) {
	if !linear {
		add(sum, u.nearest(s, level.level), level.weight)
		return
	}
	low, beyond := s.footprint(level.level)
	for k := range 1 << s.dims {
		at, weight := low, 1.0
		for d := range s.dims {
			if k>>d&1 != 0 {
				at[d], weight = at[d]+1, weight*beyond[d]
			} else {
				weight *= 1 - beyond[d]
			}
		}
		add(sum, u.fetch(s, at, level.level), weight*level.weight)
	}
}

func (u *texture) nearest(s *sample, level uint32) [4]uint64 {
	size := s.scale(level)
	var at [3]int
	for k := range s.dims {
		at[k] = whole(s.at[k] * size[k])
	}
	return u.fetch(s, at, level)
}

// whole is the floor as an integer; far coordinates and NaN stay within what
// address arithmetic can do.
func whole(x float64) int {
	if x != x {
		return 0
	}
	return int(min(max(math.Floor(x), -1<<30), 1<<30))
}

func add(sum *[4]float64, texel [4]uint64, weight float64) {
	for k := range sum {
		sum[k] += weight * float64(math.Float32frombits(uint32(texel[k])))
	}
}

// fetch reads a texel, after moving and wrapping; a comparison gives 0 or 1.
func (u *texture) fetch(s *sample, at [3]int, level uint32) [4]uint64 {
	w, h := s.image.levelSize(level)
	size := [3]int{int(w), int(h), int(s.image.levelDepth(level))}
	layer := s.layer
	if s.cube && (at[0] < 0 || at[1] < 0 || at[0] >= size[0] || at[1] >= size[1]) {
		face, x, y := overEdge(layer%6, min(max(at[0], -1), size[0]), min(max(at[1], -1), size[1]), size[0])
		layer, at[0], at[1] = layer-layer%6+face, x, y
	}
	texel := [4]uint32{3: uint32(layer)}
	for k := range s.dims {
		i := s.sampler.Wrap[k].place(at[k]+s.move[k], size[k])
		if i < 0 || i >= size[k] {
			return s.read(s.image.Format.border(&s.sampler.Border))
		}
		texel[k] = uint32(i)
	}
	off, ok := s.image.texelAt(&texel, level)
	if !ok {
		return [4]uint64{}
	}
	bytes := s.image.Format.Bytes
	u.lanes.w.add(s.lane, s.base+s.image.place(&texel, level, off), uint32(bytes))
	return s.read(s.image.Format.texel(s.bytes[off:][:bytes]))
}

// read is what the shader gets of a texel.
func (s *sample) read(texel [4]uint64) [4]uint64 { return s.image.swizzled(s.compared(texel)) }

// compared is the texel, or whether the reference passes against it: against what a sampler reads that does not compare, none does.
func (s *sample) compared(texel [4]uint64) [4]uint64 {
	if !s.compare {
		return texel
	}
	result := float32(0)
	if s.sampler.Compare != nil && s.sampler.Compare(s.reference, float64(math.Float32frombits(uint32(texel[0])))) {
		result = 1
	}
	return [4]uint64{uint64(math.Float32bits(result))}
}

// passes of one quad through the filter.
func (t *TextureSpec) passes(levels, texelBytes int) int {
	n := 1
	if levels > 1 {
		n = t.TrilinearPasses
	}
	return n * max(fixed.CeilDiv(texelBytes, t.TexelBytes), 1)
}

// filtered asks the hierarchy for the lines; the texture unit is taken for the
// passes of all quads.
func (p *Port) filtered(now uint64, m *isa.Mem, passes int) *timing.Response {
	r := p.sendRequestWith(now, m, Read, max(1, uint64(fixed.CeilDiv(passes, p.tex.spec.QuadsPerCycle)), p.path.lines.Ceil(len(p.lanes.w.lines))))
	r.ReadyAt += uint64(p.tex.spec.LatencyCycles)
	return r
}

// queryLod answers OpImageQueryLod: the level that would be read, and lambda.
func (p *Port) queryLod(now uint64, st *isa.State, env *Env, in *isa.Inst) *timing.Response {
	p.begin(in.Mem, Read)
	for mask := st.Exec; mask != 0; mask &= mask - 1 {
		l := bits.TrailingZeros64(mask)
		s := p.tex.sampleOf(st, env, in, l)
		var level, lambda float64
		if s.image != nil {
			lambda = s.lambda + s.sampler.Bias // the sampler's limits do not count
			level = s.sampler.accessed(lambda, max(s.image.Levels, 1))
		}
		for k, v := range [2]float64{level, lambda} {
			lane.Set(st, lane.Result(in, k), l, false, uint64(math.Float32bits(float32(v))))
		}
	}
	return p.answer(now, now+uint64(p.tex.spec.LatencyCycles), uint64(max(1, fixed.CeilDiv(st.Lanes/4, p.tex.spec.QuadsPerCycle))))
}

// accessed is the level of detail that is read, with a fraction between levels.
func (s *Sampler) accessed(lambda float64, levels uint32) float64 {
	d := min(max(lambda, s.MinLod), s.MaxLod)
	d = min(max(d, 0), float64(levels-1))
	if !s.MipLinear {
		return math.Ceil(d+0.5) - 1
	}
	return d
}

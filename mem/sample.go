package mem

import (
	"math"
	"math/bits"

	"spvsim/isa"
	"spvsim/mem/lane"
)

// A sample is what one lane asks of the texture unit.
type sample struct {
	image   *Image
	sampler *Sampler
	base    uint64 // device address
	bytes   []byte
	at      [2]float64 // on the image or the face, 0 to 1
	layer   int        // or face
	cube    bool
	lambda  float64
}

// sample carries out a sampling instruction, quad by quad. The level of detail
// is one for the quad where it comes from the quad's coordinates; those of lanes
// that are not active count as they stand in the registers.
func (p *Port) sample(now uint64, st *isa.State, env *Env, in *isa.Inst) Timing {
	p.begin(in.Mem)
	passes := 0
	for first := 0; first < st.Lanes; first += 4 {
		if st.Exec>>first&15 != 0 {
			passes += p.sampleQuad(st, env, in, first)
		}
	}
	return p.filtered(now, in.Mem, passes)
}

// sampleQuad returns the passes that the quad takes through the filter.
func (p *Port) sampleQuad(st *isa.State, env *Env, in *isa.Inst, first int) (passes int) {
	for l := first; l < first+4; l++ {
		if st.Exec>>l&1 == 0 {
			continue
		}
		s := p.sampleOf(st, env, in, l)
		var v [4]uint64
		n := 1
		if s.image == nil {
			p.fault(st, in, "image sample", l)
		} else {
			s.lambda += s.bias(st, in, l)
			v, n = p.filter(&s, lane.Element(in))
		}
		passes = max(passes, n)
		for k := range v {
			lane.Set(st, lane.Result(in, k), l, false, v[k])
		}
	}
	return passes
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
func (p *Port) sampleOf(st *isa.State, env *Env, in *isa.Inst, l int) (s sample) {
	m := in.Mem
	d, binding := env.descriptor(m, uint32(lane.Value(st, m.BindingIndex, l, false)))
	with := env.sampler(m, uint32(lane.Value(st, m.SamplerIndex, l, false)))
	p.w.mem[l], p.w.off[l], p.w.bind[l] = nil, 0, binding
	if d.Image == nil || with == nil {
		return s
	}
	s = sample{image: d.Image, sampler: with, base: d.Addr, bytes: d.Bytes, cube: m.Dim == dimCube}
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
	s.place(at, dx, dy, m.Sample != isa.SampleLod)
	if m.Arrayed {
		layer := math.RoundToEven(at[2])
		s.layer = int(min(max(layer, 0), float64(d.Image.Layers-1)))
	}
	return s
}

func position(st *isa.State, m *isa.Mem, l int) (at [3]float64) {
	for k := range at {
		at[k] = number(st, m.Coords[k], l)
	}
	return at
}

// place finds the position on the image or on a face of it, and the level of
// detail where it comes from derivatives.
func (s *sample) place(at, dx, dy [3]float64, derive bool) {
	x, y := [2]float64{dx[0], dx[1]}, [2]float64{dy[0], dy[1]}
	s.at = [2]float64{at[0], at[1]}
	if s.cube {
		s.layer = faceOf(at)
		s.at = onFace(s.layer, at)
		x, y = faceSlope(s.layer, at, dx), faceSlope(s.layer, at, dy)
	}
	if derive {
		s.lambda = levelOfDetail(x, y, s.image.Width, s.image.Height)
	}
}

// filter reads and weighs the texels. It returns the bits of four components of
// type t and the passes through the filter.
func (p *Port) filter(s *sample, t isa.Type) (v [4]uint64, passes int) {
	levels, n, linear := s.sampler.choose(s.lambda, max(s.image.Levels, 1))
	f := s.image.Format
	if !f.codec.float { // integers are not filtered
		v = p.nearest(s, levels[0].level)
		for k := range v {
			v[k] = f.toElem(v[k], t)
		}
		return v, p.tex.passes(1, f.Bytes)
	}
	var sum [4]float64
	for _, level := range levels[:n] {
		p.level(s, level, linear, &sum)
	}
	for k := range v {
		v[k] = f.toElem(uint64(math.Float32bits(float32(sum[k]))), t)
	}
	return v, p.tex.passes(n, f.Bytes)
}

// level adds one level of detail: one texel or four.
func (p *Port) level(s *sample, level sampleLevel, linear bool, sum *[4]float64) {
	if !linear {
		add(sum, p.nearest(s, level.level), level.weight)
		return
	}
	w, h := s.image.levelSize(level.level)
	u, v := s.at[0]*float64(w)-0.5, s.at[1]*float64(h)-0.5
	x, y := whole(u), whole(v)
	fx, fy := u-math.Floor(u), v-math.Floor(v)
	for k, weight := range [4]float64{(1 - fx) * (1 - fy), fx * (1 - fy), (1 - fx) * fy, fx * fy} {
		add(sum, p.fetch(s, x+k&1, y+k>>1, level.level), weight*level.weight)
	}
}

func (p *Port) nearest(s *sample, level uint32) [4]uint64 {
	w, h := s.image.levelSize(level)
	return p.fetch(s, whole(s.at[0]*float64(w)), whole(s.at[1]*float64(h)), level)
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

// fetch reads a texel, after wrapping.
func (p *Port) fetch(s *sample, x, y int, level uint32) [4]uint64 {
	w, h := s.image.levelSize(level)
	layer := s.layer
	if s.cube && (x < 0 || y < 0 || x >= int(w) || y >= int(h)) {
		layer, x, y = overEdge(layer, min(max(x, -1), int(w)), min(max(y, -1), int(h)), int(w))
	}
	x, y = s.sampler.Wrap[0].place(x, int(w)), s.sampler.Wrap[1].place(y, int(h))
	at := [4]uint32{uint32(x), uint32(y), 0, uint32(layer)}
	off, ok := s.image.texelAt(&at, level)
	if !ok {
		return [4]uint64{}
	}
	size := s.image.Format.Bytes
	p.w.add(s.base+s.image.place(&at, level, off), uint32(size))
	return s.image.Format.texel(s.bytes[off:][:size])
}

// passes of one quad through the filter.
func (t *TextureSpec) passes(levels, texelBytes int) int {
	n := 1
	if levels > 1 {
		n = max(t.TrilinearPasses, 1)
	}
	return n * max(ceilDiv(texelBytes, max(t.TexelBytes, 1)), 1)
}

// filtered asks the hierarchy for the lines; the texture unit is taken for the
// passes of all quads.
func (p *Port) filtered(now uint64, m *isa.Mem, passes int) Timing {
	t := p.finishBusy(now, m, Read, uint64(max(1, ceilDiv(passes, max(p.tex.QuadsPerCycle, 1)), ceilDiv(len(p.w.lines), p.path.LinesPerCycle))))
	t.Ready += uint64(p.tex.LatencyCycles)
	return t
}

// queryLod answers OpImageQueryLod: the level that would be read, and lambda.
func (p *Port) queryLod(now uint64, st *isa.State, env *Env, in *isa.Inst) Timing {
	p.begin(in.Mem)
	for mask := st.Exec; mask != 0; mask &= mask - 1 {
		l := bits.TrailingZeros64(mask)
		s := p.sampleOf(st, env, in, l)
		var level, lambda float64
		if s.image != nil {
			lambda = s.lambda + s.sampler.Bias // the sampler's limits do not count
			level = s.sampler.accessed(lambda, max(s.image.Levels, 1))
		}
		for k, v := range [2]float64{level, lambda} {
			lane.Set(st, lane.Result(in, k), l, false, uint64(math.Float32bits(float32(v))))
		}
	}
	return Timing{Ready: now + uint64(p.tex.LatencyCycles), Busy: uint64(max(1, ceilDiv(st.Lanes/4, max(p.tex.QuadsPerCycle, 1))))}
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

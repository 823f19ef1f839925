package mem

import (
	"math"
	"math/bits"

	"spvsim/internal/timing"
	"spvsim/isa"
	"spvsim/mem/fixed"
	"spvsim/mem/hierarchy"
	"spvsim/mem/lane"
	"spvsim/mem/texture"
)

type laneSample struct {
	texture.Sample
	lane  int
	addr  uint64 // device address
	bytes []byte
}

// sample carries out a sampling instruction, quad by quad. The level of detail
// is one for the quad where it comes from the quad's coordinates; those of lanes
// that are not active count as they are in the registers.
func (p *Port) sample(now uint64, st *isa.State, env *WaveBindings, in *isa.Inst) *timing.Response {
	p.beginAccess(in.Mem, hierarchy.Read)
	passes := 0
	for first := 0; first < st.Lanes; first += 4 {
		if st.Exec>>first&15 != 0 {
			passes += p.textureUnit.sampleQuad(st, env, in, first)
		}
	}
	return p.sendSampleRequest(now, in.Mem, passes)
}

// sampleQuad returns the passes that the quad takes through the filter.
func (u *textureUnit) sampleQuad(st *isa.State, env *WaveBindings, in *isa.Inst, first int) (passes int) {
	for l := first; l < first+4; l++ {
		if st.Exec>>l&1 == 0 {
			continue
		}
		s := u.sampleOf(st, env, in, l)
		var v [4]uint64
		n := 1
		if s.Image == nil {
			u.lanes.fault(st, in, "image sample", l)
		} else {
			v, n = u.sampleLane(&s, st, in, l)
		}
		passes = max(passes, n)
		for k := range v {
			lane.Set(st, lane.Result(in, k), l, false, v[k])
		}
	}
	return passes
}

// sampleLane returns the results of a lane, and its passes through the filter.
func (u *textureUnit) sampleLane(s *laneSample, st *isa.State, in *isa.Inst, l int) ([4]uint64, int) {
	if in.Op == isa.ImageGather {
		return u.gatherTexels(s, in)
	}
	s.Lambda += s.bias(st, in, l)
	return u.filter(s, lane.Element(in))
}

// bias returns what sampler and shader add to the level of detail.
func (s *laneSample) bias(st *isa.State, in *isa.Inst, l int) float64 {
	bias := s.Sampler.Bias
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
func (u *textureUnit) sampleOf(st *isa.State, env *WaveBindings, in *isa.Inst, l int) (s laneSample) {
	m := in.Mem
	d, binding := env.descriptor(m, uint32(lane.Value(st, m.BindingIndex, l, false)))
	with := env.sampler(m, uint32(lane.Value(st, m.SamplerIndex, l, false)))
	u.lanes.bindings = env.Bindings
	u.lanes.w.mem[l], u.lanes.w.offset[l], u.lanes.w.addr[l], u.lanes.w.binding[l] = nil, 0, d.Addr, binding
	if d.Image == nil || with == nil {
		return s
	}
	s = laneSample{Sample: texture.NewSample(m, d.Image, with), lane: l, addr: d.Addr, bytes: d.Bytes}
	s.SetOffset(uint32(lane.Value(st, m.TexelOffset, l, false)))
	if m.Reference.Kind != isa.None {
		s.CompareWith(number(st, m.Reference, l))
	}
	at := position(st, m, l)
	var dx, dy [3]float64
	switch m.Sample {
	case isa.SampleLod:
		s.Lambda = number(st, m.Data[0], l)
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
	s.Locate(m, at, dx, dy)
	return s
}

func position(st *isa.State, m *isa.Mem, l int) (at [4]float64) {
	for k := range at {
		at[k] = number(st, m.Coords[k], l)
	}
	return at
}

// filter reads and weighs the texels. It returns the bits of four components of
// type t and the passes through the filter.
func (u *textureUnit) filter(s *laneSample, t isa.Type) (v [4]uint64, passes int) {
	levels, n, linear := s.Sampler.ChooseLevels(s.Lambda, max(s.Image.Levels, 1))
	f := s.Image.Format
	if !f.IsFloat() { // integers are not filtered
		v = u.fetch(s, s.Nearest(levels[0].Level), levels[0].Level)
		for k := range v {
			v[k] = f.ToElement(v[k], t)
		}
		return v, u.passes(1, f.Bytes)
	}
	var sum [4]float64
	for _, level := range levels[:n] {
		u.level(s, level, linear, &sum)
	}
	for k := range v {
		v[k] = f.ToElement(uint64(math.Float32bits(float32(sum[k]))), t)
	}
	return v, u.passes(n, f.Bytes)
}

// gatherTexels answers with a component of the four texels that a filter would mix, or
// with their comparisons, from the lower left one against the clock.
func (u *textureUnit) gatherTexels(s *laneSample, in *isa.Inst) (v [4]uint64, passes int) {
	low, _ := s.Footprint(0)
	t, f := lane.Element(in), s.Image.Format
	component := in.Imm
	if s.Compare {
		component = 0
	}
	for k, at := range [4][2]int{{0, 1}, {1, 1}, {1, 0}, {0, 0}} {
		texel := u.fetch(s, [3]int{low[0] + at[0], low[1] + at[1]}, 0)
		v[k] = f.ToElement(texel[component], t)
	}
	return v, u.passes(1, f.Bytes)
}

// level adds one level of detail: one texel, or two in each dimension.
func (u *textureUnit) level(s *laneSample, level texture.WeightedLevel, linear bool, sum *[4]float64) {
	if !linear {
		texture.AddWeighted(sum, u.fetch(s, s.Nearest(level.Level), level.Level), level.Weight)
		return
	}
	low, beyond := s.Footprint(level.Level)
	for k := range 1 << s.Dims {
		at, weight := low, 1.0
		for d := range s.Dims {
			if k>>d&1 != 0 {
				at[d], weight = at[d]+1, weight*beyond[d]
			} else {
				weight *= 1 - beyond[d]
			}
		}
		texture.AddWeighted(sum, u.fetch(s, at, level.Level), weight*level.Weight)
	}
}

// fetch reads a texel, after moving and wrapping; a comparison gives 0 or 1.
func (u *textureUnit) fetch(s *laneSample, at [3]int, level uint32) [4]uint64 {
	texel, inside := s.Wrap(at, level)
	if !inside {
		return s.Read(s.Image.Format.Border(&s.Sampler.Border))
	}
	off, ok := s.Image.Texel(level, texel)
	if !ok {
		return [4]uint64{}
	}
	bytes := s.Image.Format.Bytes
	u.lanes.w.add(s.lane, s.addr+s.Image.TiledOffset(&texel, level, off), uint32(bytes))
	return s.Read(s.Image.Format.Decode(s.bytes[off:][:bytes]))
}

// passes returns the passes of one quad through the filter.
func (u *textureUnit) passes(levels, texelBytes int) int {
	n := 1
	if levels > 1 {
		n = u.spec.TrilinearPasses
	}
	return n * max(fixed.CeilDiv(texelBytes, u.spec.TexelBytes), 1)
}

// sendSampleRequest asks the hierarchy for the lines. The texture unit is occupied for the passes of all quads.
func (p *Port) sendSampleRequest(now uint64, m *isa.Mem, passes int) *timing.Response {
	r := p.sendRequestWith(now, m, hierarchy.Read, max(1, uint64(fixed.CeilDiv(passes, p.textureUnit.spec.QuadsPerCycle)), p.path.lines.Ceil(len(p.lanes.w.lines))))
	r.ReadyAt += uint64(p.textureUnit.spec.LatencyCycles)
	return r
}

// queryLod answers OpImageQueryLod: the level that would be read, and lambda.
func queryLod(p *Port, now uint64, st *isa.State, env *WaveBindings, in *isa.Inst) *timing.Response {
	p.beginAccess(in.Mem, hierarchy.Read)
	for mask := st.Exec; mask != 0; mask &= mask - 1 {
		l := bits.TrailingZeros64(mask)
		s := p.textureUnit.sampleOf(st, env, in, l)
		var level, lambda float64
		if s.Image != nil {
			lambda = s.Lambda + s.Sampler.Bias // the sampler's limits do not count
			level = s.Sampler.AccessedLevel(lambda, max(s.Image.Levels, 1))
		}
		for k, v := range [2]float64{level, lambda} {
			lane.Set(st, lane.Result(in, k), l, false, uint64(math.Float32bits(float32(v))))
		}
	}
	return p.respond(now, now+uint64(p.textureUnit.spec.LatencyCycles), uint64(max(1, fixed.CeilDiv(st.Lanes/4, p.textureUnit.spec.QuadsPerCycle))))
}

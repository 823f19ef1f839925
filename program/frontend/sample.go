package frontend

import (
	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/spirv"
	"spvsim/spirv/validate"
)

// samplers reads images through samplers.
type samplers struct{ *images }

// Sampled images: operations of the texture unit.

func sampleRows() map[spirv.Op]row[*samplers] {
	plain, projective := sampling{}, sampling{projective: true}
	compared, both := sampling{compare: true}, sampling{projective: true, compare: true}
	return map[spirv.Op]row[*samplers]{
		spirv.OpSampledImage:                   {translate: (*samplers).sampledImage},
		spirv.OpImageSampleImplicitLod:         plain.row(),
		spirv.OpImageSampleExplicitLod:         plain.row(),
		spirv.OpImageSampleProjImplicitLod:     projective.row(),
		spirv.OpImageSampleProjExplicitLod:     projective.row(),
		spirv.OpImageSampleDrefImplicitLod:     compared.row(),
		spirv.OpImageSampleDrefExplicitLod:     compared.row(),
		spirv.OpImageSampleProjDrefImplicitLod: both.row(),
		spirv.OpImageSampleProjDrefExplicitLod: both.row(),
		spirv.OpImageGather:                    {translate: func(b *samplers) { b.gather(false) }},
		spirv.OpImageDrefGather:                {translate: func(b *samplers) { b.gather(true) }},
		spirv.OpImageQueryLod:                  {translate: (*samplers).queryLod},
	}
}

// sampledImage joins an image and a sampler.
func (b *samplers) sampledImage() {
	p, s := b.image(b.arg(0)), b.ptr(b.arg(1))
	if s.typ.Kind != validate.KindSampler {
		b.invalid("%%%d is not a sampler", b.arg(1))
	}
	if s.array || s.dynamic {
		b.unsupported("a whole array of samplers as a value")
	}
	p.sampler, p.sindex = s.binding+1, s.bindex
	if b.isKernel() { // whose images may be read without sampler, too
		b.f.Bindings[p.binding].Kind = ir.SampledImage
	}
	b.define(val{ptr: &p})
}

// sampled returns the sampled image that an id names, in a form that can be sampled.
func (b *samplers) sampled(id spirv.ID) pointer {
	p := b.image(id)
	switch {
	case p.sampler == 0:
		b.invalid("%%%d has no sampler", id)
	case p.typ.Multisampled:
		b.invalid("%%%d is multisampled: it can be fetched from, not sampled", id)
	case p.dynamic:
		b.unsupported("sampling an image that a pointer chooses at run time")
	case p.typ.Dim > spirv.DimCube: // the values above are dimensions that no sampler supports
		b.unsupported("sampling images of Dim %s", p.typ.Dim)
	}
	b.f.Bindings[p.sampler-1].Samples = true
	return p
}

// A sampling is a kind of instruction that reads through a sampler.
type sampling struct{ projective, compare bool }

func (s sampling) row() row[*samplers] {
	return row[*samplers]{translate: func(b *samplers) { b.sample(s) }}
}

// A texelRequest holds the operands of such an instruction.
type texelRequest struct {
	p           pointer
	coordinates []*ir.Value // coordinates

	kind      isa.SampleKind
	extra     []*ir.Value // bias, level or derivatives
	reference *ir.Value   // of a comparison
	offset    *ir.Value   // in texels, packed
	imm       uint64
}

// position sets the coordinates and, for comparisons, the reference: operand 2. Those of projective instructions are
// divided by the component after them (Vulkan 1.3, "Projection Operation").
func (b *samplers) position(r *texelRequest, s sampling) {
	n := r.p.typ.Coordinates()
	if r.p.typ.Arrayed {
		n++
	}
	if s.compare {
		r.reference = b.floats(b.arg(2), 1)[0]
		b.f.Bindings[r.p.sampler-1].Compares = true
	}
	if !s.projective {
		r.coordinates = b.sampledCoordinates(b.arg(1), n)
		return
	}
	v := b.floats(b.arg(1), n+1)
	for _, x := range v[:n] {
		r.coordinates = append(r.coordinates, b.op(isa.FDiv, isa.F32, x, v[n]))
	}
	if s.compare {
		r.reference = b.op(isa.FDiv, isa.F32, r.reference, v[n])
	}
}

const offsetOperands = spirv.ImageOperandsConstOffset | spirv.ImageOperandsOffset

// options reads the image operands from operand i on.
func (b *samplers) options(r *texelRequest, i int) {
	with := b.imageOperands(i, spirv.ImageOperandsBias|spirv.ImageOperandsLod|spirv.ImageOperandsGrad|offsetOperands)
	if ids := with[spirv.ImageOperandsBias]; ids != nil {
		r.kind, r.extra = isa.SampleBias, b.floats(ids[0], 1)
	}
	if ids := with[spirv.ImageOperandsLod]; ids != nil {
		r.kind, r.extra = isa.SampleLod, b.floats(ids[0], 1)
	}
	if ids := with[spirv.ImageOperandsGrad]; ids != nil {
		n := r.p.typ.Coordinates()
		r.kind, r.extra = isa.SampleGrad, append(append([]*ir.Value(nil), b.floats(ids[0], n)...), b.floats(ids[1], n)...)
	}
	b.offsets(r, with)
}

func (b *samplers) offsets(r *texelRequest, with map[spirv.ImageOperands][]spirv.ID) {
	for _, o := range []spirv.ImageOperands{spirv.ImageOperandsConstOffset, spirv.ImageOperandsOffset} {
		if ids := with[o]; ids != nil {
			r.offset = b.packOffset(b.leaves(ids[0]))
		}
	}
}

// packOffset packs offsets in texels into the bytes of a word, the texture unit's form.
func (b *samplers) packOffset(list []*ir.Value) *ir.Value {
	word := b.i32(0)
	for k, v := range list[:min(len(list), 3)] {
		if !v.R.IsInt() {
			b.invalid("an offset of type %s", v.R)
		}
		part := b.op(isa.And, isa.I32, b.widen(v, isa.I32), b.i32(0xff))
		word = b.op(isa.Or, isa.I32, word, b.op(isa.Shl, isa.I32, part, b.i32(uint32(8*k))))
	}
	return word
}

func (b *samplers) needDerivatives() {
	if !b.derivatives {
		b.invalid("an implicit level of detail needs a fragment shader or a derivative group")
	}
}

func (b *samplers) sample(s sampling) {
	r := texelRequest{p: b.sampled(b.arg(0))}
	b.position(&r, s)
	first := 2
	if s.compare {
		first++
	}
	b.options(&r, first)
	op := isa.ImageSampleLod
	if r.kind == isa.SampleImplicit || r.kind == isa.SampleBias {
		op = isa.ImageSample
		b.needDerivatives()
	}
	b.texels(b.request(op, &r), s.compare)
}

// texels sets the result to the four components, or to the one of a comparison.
func (b *samplers) texels(v *ir.Value, compare bool) {
	want := 4
	if compare {
		want = 1
	}
	types := b.leafTypes(b.resultType())
	if len(types) != want || types[0] != v.Mem.Elem && !asHalves(types[0], v.Mem.Elem) {
		b.invalid("a texel of %s as %d scalars", v.Mem.Elem, len(types))
	}
	b.results(v, want)
}

// asHalves reports a result in halves of a texel in floats, which kernels ask for.
func asHalves(result, texel isa.Type) bool { return result == isa.F16 && texel == isa.F32 }

// request emits an operation that reads through a sampler.
func (b *samplers) request(op isa.Op, r *texelRequest) *ir.Value {
	elem := isa.F32
	if op != isa.ImageQueryLod {
		elem = b.texelType(r.p, b.comp(b.resultType()))
	}
	if asHalves(elem, isa.F32) && b.isKernel() {
		elem = isa.F32
	}
	if elem != isa.F32 && elem != isa.I32 {
		b.unsupported("sampling an image of %s", elem)
	}
	m, args := b.mem(r.p, elem, 0, 4)
	p := r.p
	p.coords = r.coordinates
	b.imageMem(m, p)
	extra := append([]*ir.Value(nil), r.extra...)
	for _, o := range []struct {
		v    *ir.Value
		flag *bool
	}{{r.reference, &m.Compare}, {r.p.sindex, &m.SamplerIndexed}, {r.offset, &m.Offsets}} {
		if o.v != nil {
			*o.flag, extra = true, append(extra, o.v)
		}
	}
	m.Sampling, m.Sampler, m.Sample, m.Extra = true, r.p.sampler-1, r.kind, uint8(len(extra))
	v := b.emit(op, elem, isa.Void, append(append(args, r.coordinates...), extra...)...)
	v.Mem, v.Imm = m, r.imm
	return v
}

func (b *samplers) results(v *ir.Value, n int) {
	out := make([]*ir.Value, n)
	for i := range out {
		out[i] = b.proj(v, i, v.Mem.Elem)
		if t := b.comp(b.resultType()); asHalves(t, v.Mem.Elem) {
			out[i] = b.conv(isa.FConvert, v.Mem.Elem, t, out[i])
		}
	}
	b.set(out...)
}

// gather reads a component of four texels, or compares them.
func (b *samplers) gather(compare bool) {
	r := texelRequest{p: b.sampled(b.arg(0)), kind: isa.SampleLod}
	b.position(&r, sampling{compare: compare})
	if !compare {
		if r.imm = b.constBits(b.arg(2)); r.imm > 3 {
			b.invalid("component %d of a texel", r.imm)
		}
	}
	with := b.imageOperands(3, offsetOperands|spirv.ImageOperandsConstOffsets)
	if ids := with[spirv.ImageOperandsConstOffsets]; ids != nil {
		b.gatherApart(&r, ids[0])
		return
	}
	b.offsets(&r, with)
	r.extra = []*ir.Value{b.constant(isa.F32, 0)}
	b.texels(b.request(isa.ImageGather, &r), false)
}

// gatherApart gathers once for each of four offsets, and takes the texel at the
// offset itself, which is the last of a gather.
func (b *samplers) gatherApart(r *texelRequest, offsets spirv.ID) {
	list := b.leaves(offsets)
	if len(list) != 8 {
		b.invalid("ConstOffsets of %d numbers, want 8", len(list))
	}
	r.extra = []*ir.Value{b.constant(isa.F32, 0)}
	out := make([]*ir.Value, 4)
	for k := range out {
		r.offset = b.packOffset(list[2*k : 2*k+2])
		v := b.request(isa.ImageGather, r)
		out[k] = b.proj(v, 3, v.Mem.Elem)
	}
	b.set(out...)
}

func (b *samplers) queryLod() {
	r := texelRequest{p: b.sampled(b.arg(0))}
	b.needDerivatives()
	r.coordinates = b.floats(b.arg(1), r.p.typ.Coordinates())
	b.results(b.request(isa.ImageQueryLod, &r), 2)
}

package frontend

import (
	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/spirv"
	"spvsim/spirv/validate"
)

// Sampled images: what the texture unit does.

func sampleRows() map[spirv.Op]row {
	return map[spirv.Op]row{
		spirv.OpSampledImage:               {do: (*builder).sampledImage},
		spirv.OpImageSampleImplicitLod:     {do: func(b *builder) { b.sample(false) }},
		spirv.OpImageSampleExplicitLod:     {do: func(b *builder) { b.sample(false) }},
		spirv.OpImageSampleProjImplicitLod: {do: func(b *builder) { b.sample(true) }},
		spirv.OpImageSampleProjExplicitLod: {do: func(b *builder) { b.sample(true) }},
		spirv.OpImageQueryLod:              {do: (*builder).queryLod},
	}
}

// sampledImage joins an image and a sampler.
func (b *builder) sampledImage() {
	p, s := b.image(b.arg(0)), b.ptr(b.arg(1))
	if s.typ.Kind != validate.KindSampler {
		b.invalid("%%%d is no sampler", b.arg(1))
	}
	if s.bindex != nil || s.array || s.dynamic {
		b.unsupported("an array of samplers")
	}
	p.sampler = s.binding + 1
	b.define(val{ptr: &p})
}

// sampled is the sampled image that an id names, in a form that can be sampled.
func (b *builder) sampled(id spirv.ID) pointer {
	p := b.image(id)
	switch {
	case p.sampler == 0:
		b.invalid("%%%d has no sampler", id)
	case p.dynamic:
		b.unsupported("sampling an image that a pointer chooses at run time")
	case p.typ.Dim != spirv.Dim2D && p.typ.Dim != spirv.DimCube:
		b.unsupported("sampling images of Dim %s", p.typ.Dim)
	case p.typ.Dim == spirv.DimCube && p.typ.Arrayed:
		b.unsupported("sampling arrays of cube images")
	}
	b.f.Bindings[p.sampler-1].Samples = true
	return p
}

// places is the number of coordinates of a position, the layer of an array not
// counted.
func places(p pointer) int {
	if p.typ.Dim == spirv.DimCube {
		return 3
	}
	return 2
}

// floats are n components of a value.
func (b *builder) floats(id spirv.ID, n int) []*ir.Value {
	v := b.leaves(id)
	if len(v) < n {
		b.invalid("%%%d has %d components, want %d", id, len(v), n)
	}
	for _, x := range v[:n] {
		if x.R != isa.F32 {
			b.unsupported("coordinates of type %s", x.R)
		}
	}
	return v[:n]
}

// position are the coordinates of a sample. Projective ones are divided by the
// last component.
func (b *builder) position(p pointer, id spirv.ID, projective bool) []*ir.Value {
	n := places(p)
	if p.typ.Arrayed {
		n++
	}
	if !projective {
		return b.floats(id, n)
	}
	v := b.floats(id, n+1)
	out := make([]*ir.Value, n)
	for i := range out {
		out[i] = b.op(isa.FDiv, isa.F32, v[i], v[n])
	}
	return out
}

// A choice is how image operands choose the level of detail.
type choice struct {
	kind  isa.SampleKind
	extra []*ir.Value
}

// sampleOperands reads the image operands from operand i on.
func (b *builder) sampleOperands(p pointer, i int) (c choice) {
	if i >= len(b.in.Operands) {
		return c
	}
	mask := spirv.ImageOperands(b.in.Operands[i])
	const known = spirv.ImageOperandsBias | spirv.ImageOperandsLod | spirv.ImageOperandsGrad |
		spirv.ImageOperandsSignExtend | spirv.ImageOperandsZeroExtend
	if mask&^known != 0 {
		b.unsupported("image operands %s", mask&^known)
	}
	switch n := places(p); {
	case mask&spirv.ImageOperandsBias != 0:
		return choice{isa.SampleBias, b.floats(b.arg(i+1), 1)}
	case mask&spirv.ImageOperandsLod != 0:
		return choice{isa.SampleLod, b.floats(b.arg(i+1), 1)}
	case mask&spirv.ImageOperandsGrad != 0:
		extra := append([]*ir.Value(nil), b.floats(b.arg(i+1), n)...)
		return choice{isa.SampleGrad, append(extra, b.floats(b.arg(i+2), n)...)}
	}
	return c
}

func (b *builder) needDerivatives() {
	if !b.derivatives {
		b.invalid("an implicit level of detail needs a fragment shader or a derivative group")
	}
}

func (b *builder) sample(projective bool) {
	p := b.sampled(b.arg(0))
	c := b.sampleOperands(p, 2)
	op := isa.ImageSampleLod
	if c.kind == isa.SampleImplicit || c.kind == isa.SampleBias {
		op = isa.ImageSample
		b.needDerivatives()
	}
	v := b.sampling(op, p, b.position(p, b.arg(1), projective), c, b.scalar(p.typ.Elem))
	types := b.leafTypes(b.resultType())
	if len(types) != 4 || types[0] != v.Mem.Elem {
		b.invalid("a texel of %s as %d scalars", v.Mem.Elem, len(types))
	}
	b.results(v, 4)
}

func (b *builder) sampling(op isa.Op, p pointer, at []*ir.Value, c choice, elem isa.Type) *ir.Value {
	if elem != isa.F32 && elem != isa.I32 {
		b.unsupported("sampling an image of %s", elem)
	}
	m, args := b.mem(p, elem, 0, 4)
	p.coords = at
	b.imageMem(m, p)
	m.Sampling, m.Sampler, m.Sample, m.Extra = true, p.sampler-1, c.kind, uint8(len(c.extra))
	v := b.emit(op, elem, isa.Void, append(append(args, at...), c.extra...)...)
	v.Mem = m
	return v
}

func (b *builder) results(v *ir.Value, n int) {
	out := make([]*ir.Value, n)
	for i := range out {
		out[i] = b.proj(v, i, v.Mem.Elem)
	}
	b.set(out...)
}

func (b *builder) queryLod() {
	p := b.sampled(b.arg(0))
	b.needDerivatives()
	b.results(b.sampling(isa.ImageQueryLod, p, b.floats(b.arg(1), places(p)), choice{}, isa.F32), 2)
}

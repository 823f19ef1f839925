package frontend

import (
	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/spirv"
	"spvsim/spirv/kernel"
)

// imageArgument binds the image that is argument i: set 0, binding i.
func (b *images) imageArgument(i int, a *kernel.Argument) pointer {
	d := ir.Binding{Binding: uint32(i), Count: 1, Kind: ir.StorageImage, Name: a.Name}
	if a.Type.Dim == spirv.DimBuffer {
		d.Kind = ir.TexelBuffer
	}
	b.f.Bindings = append(b.f.Bindings, d)
	n := len(b.f.Bindings) - 1
	return pointer{typ: a.Type, space: isa.SpaceImage, align: 4, binding: n, object: n}
}

// kernelSampledImage joins an image and a sampler that the kernel declares.
func (b *samplers) kernelSampledImage() {
	p, s := b.image(b.arg(0)), b.ptr(b.arg(1))
	if s.literal == nil {
		b.unsupported("a sampler that is not a constant")
	}
	p.literal = s.literal
	b.define(val{ptr: &p})
}

// kernelSample reads the texel that a sampler without filter chooses.
func (b *samplers) kernelSample(s sampling) {
	p := b.image(b.arg(0))
	if p.literal == nil || s.projective || s.compare || p.typ.Arrayed || p.typ.Dim > spirv.Dim3D {
		b.unsupported("this sampling in a kernel")
	}
	mode, normalized := spirv.SamplerAddressingMode(p.literal.Operands[0]), p.literal.Operands[1] != 0
	coords := b.leaves(b.arg(1))
	n := p.typ.Coordinates()
	if len(coords) < n {
		b.invalid("%d coordinates for an image of %d dimensions", len(coords), n)
	}
	if coords[0].R.IsFloat() && spirv.SamplerFilterMode(p.literal.Operands[2]) == spirv.SamplerFilterModeLinear {
		b.unsupported("the filter mode Linear in a kernel")
	}
	for i, x := range coords[:n] {
		p.coords = append(p.coords, b.texelCoordinate(p, i, x, mode, normalized))
	}
	m, args := b.mem(p, b.comp(b.resultType()), 0, 4)
	b.imageMem(m, p)
	b.setTexel(m, append(args, p.coords...))
}

// texelCoordinate returns the i-th coordinate of a texel (OpenCL C, "Image Read Functions", addressing and filter modes).
func (b *samplers) texelCoordinate(p pointer, i int, x *ir.Value, mode spirv.SamplerAddressingMode, normalized bool) *ir.Value {
	p.coords = nil
	m, args := b.mem(p, isa.I32, 0, 1)
	b.imageMem(m, p)
	size := b.emit(isa.ImageSize, isa.I32, isa.I32, args...)
	size.Mem, size.Imm = m, uint64(i)
	if x.R.IsFloat() {
		if mode == spirv.SamplerAddressingModeRepeat {
			x = b.op(isa.FSub, x.R, x, b.op(isa.Floor, x.R, x))
		}
		if normalized {
			x = b.op(isa.FMul, x.R, x, b.conv(isa.UToF, isa.I32, x.R, size))
		}
		x = b.conv(isa.FToS, x.R, isa.I32, b.op(isa.Floor, x.R, x))
	}
	switch mode {
	case spirv.SamplerAddressingModeClampToEdge, spirv.SamplerAddressingModeRepeat:
		last := b.op(isa.ISub, isa.I32, size, b.i32(1))
		return b.op(isa.SMin, isa.I32, b.op(isa.SMax, isa.I32, x, b.i32(0)), last)
	case spirv.SamplerAddressingModeRepeatMirrored:
		b.unsupported("the addressing mode %s in a kernel", mode)
	}
	return x // outside of the image: the border, which is 0
}

package frontend

import (
	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/spirv"
	"spvsim/spirv/kernel"
	"spvsim/spirv/validate"
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

// samplerArgument binds the sampler that is argument i: set 0, binding i.
func (b *values) samplerArgument(i int, a *kernel.Argument) pointer {
	return b.samplerPointer(a.Type, ir.Binding{Binding: uint32(i), Count: 1, Kind: ir.Sampler, Name: a.Name})
}

func (b *values) samplerPointer(t *validate.Type, d ir.Binding) pointer {
	b.f.Bindings = append(b.f.Bindings, d)
	return pointer{typ: t, space: isa.SpaceImage, binding: len(b.f.Bindings) - 1}
}

// addressModes are the words of ir.FixedSampler. What None reads outside of an image is undefined (OpenCL C).
var addressModes = map[spirv.SamplerAddressingMode]string{
	spirv.SamplerAddressingModeNone: "border", spirv.SamplerAddressingModeClamp: "border", spirv.SamplerAddressingModeClampToEdge: "clamp",
	spirv.SamplerAddressingModeRepeat: "repeat", spirv.SamplerAddressingModeRepeatMirrored: "mirror",
}

// constantSampler binds a sampler that the module declares, after the kernel's arguments.
func (b *values) constantSampler(id spirv.ID) pointer {
	if p, ok := b.kernels.samplers[id]; ok {
		return p
	}
	def := b.m.Def(id)
	if def == nil || def.Op != spirv.OpConstantSampler {
		b.invalid("%%%d is not a sampler", id)
	}
	fixed := &ir.FixedSampler{Wrap: addressModes[spirv.SamplerAddressingMode(def.Operands[0])], Unnormalized: def.Operands[1] == 0,
		Linear: spirv.SamplerFilterMode(def.Operands[2]) == spirv.SamplerFilterModeLinear}
	at := len(b.kernels.face.Arguments) + len(b.kernels.samplers)
	p := b.samplerPointer(b.m.Type(def.Type), ir.Binding{Binding: uint32(at), Count: 1, Kind: ir.Sampler, Name: b.m.Name(id), Fixed: fixed})
	b.kernels.samplers[id] = p
	return p
}

// sampledCoordinates are the first n coordinates of a sample as floats. OpenCL C takes integers for texels, too.
func (b *samplers) sampledCoordinates(id spirv.ID, n int) []*ir.Value {
	list := b.leaves(id)
	if !b.isKernel() || len(list) < n || !list[0].R.IsInt() {
		return b.floats(id, n)
	}
	out := make([]*ir.Value, n)
	for i := range out {
		out[i] = b.conv(isa.SToF, list[i].R, isa.F32, list[i])
	}
	return out
}

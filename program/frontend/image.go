package frontend

import (
	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/spirv"
	"spvsim/spirv/validate"
)

// images holds storage images, texel buffers, and the parts shared with sampled images.
type images struct{ *pointers }

func imageRows() map[spirv.Op]row[*images] {
	return map[spirv.Op]row[*images]{
		spirv.OpImage:             {translate: (*images).load0},
		spirv.OpImageRead:         {translate: (*images).imageRead},
		spirv.OpImageFetch:        {translate: (*images).imageRead},
		spirv.OpImageWrite:        {translate: (*images).imageWrite},
		spirv.OpImageTexelPointer: {translate: (*images).texelPointer},
		spirv.OpImageQuerySize:    {translate: (*images).imageSize},
		spirv.OpImageQuerySizeLod: {translate: (*images).imageSizeLod},
		spirv.OpImageQueryLevels:  {translate: (*images).imageLevels},
		spirv.OpImageQuerySamples: {translate: (*images).imageSamples},
	}
}

// load0 hands an image on: a sampled texel buffer holds nothing but its image.
func (b *images) load0() {
	p := b.image(b.arg(0))
	b.define(val{ptr: &p})
}

func (b *images) image(id spirv.ID) pointer {
	p := b.ptr(id)
	t := p.typ
	if t.Kind == validate.KindSampledImage {
		t = t.Elem
	}
	if p.space != isa.SpaceImage || t.Kind != validate.KindImage || p.array {
		b.invalid("%%%d is not an image", id)
	}
	p.typ = t
	return p
}

// imageMem completes the description of an access to an image.
func (b *images) imageMem(m *ir.Mem, p pointer) {
	m.Coords, m.Texture = uint8(len(p.coords)), p.texture
	if p.typ.Kind == validate.KindImage { // else a texel pointer, which has it
		m.Texture = textureOf(p.typ)
	}
}

func textureOf(t *validate.Type) isa.Texture {
	return isa.Texture{ImageFormat: uint32(t.Format), Dim: uint8(t.Dim), Arrayed: t.Arrayed, Multisampled: t.Multisampled}
}

// coordinates returns the integer coordinates of an access.
func (b *images) coordinates(id spirv.ID) []*ir.Value {
	var out []*ir.Value
	for _, v := range b.leaves(id) {
		if !v.R.IsInt() {
			b.unsupported("image coordinates that are not integers")
		}
		out = append(out, b.widen(v, isa.I32))
	}
	if len(out) > 3 {
		out = out[:3]
	}
	return out
}

// operandIDs holds the number of ids of each image operand, in the order of the ids (SPIR-V specification, section
// 3.14).
var operandIDs = []struct {
	bit spirv.ImageOperands
	ids int
}{
	{spirv.ImageOperandsBias, 1}, {spirv.ImageOperandsLod, 1}, {spirv.ImageOperandsGrad, 2}, {spirv.ImageOperandsConstOffset, 1},
	{spirv.ImageOperandsOffset, 1}, {spirv.ImageOperandsConstOffsets, 1}, {spirv.ImageOperandsSample, 1},
	{spirv.ImageOperandsMakeTexelAvailable, 1}, {spirv.ImageOperandsMakeTexelVisible, 1},
	{spirv.ImageOperandsNonPrivateTexel, 0}, {spirv.ImageOperandsVolatileTexel, 0}, {spirv.ImageOperandsSignExtend, 0},
	{spirv.ImageOperandsZeroExtend, 0}, {spirv.ImageOperandsNontemporal, 0},
}

// ignoredOperands change nothing here: sign, and memory-model bits.
const ignoredOperands = spirv.ImageOperandsNonPrivateTexel | spirv.ImageOperandsVolatileTexel | spirv.ImageOperandsSignExtend |
	spirv.ImageOperandsZeroExtend | spirv.ImageOperandsMakeTexelAvailable | spirv.ImageOperandsMakeTexelVisible | spirv.ImageOperandsNontemporal

// imageOperands returns the ids of the image operands from operand i on. It refuses operands that have an effect and
// are not known to the caller.
func (b *images) imageOperands(i int, known spirv.ImageOperands) map[spirv.ImageOperands][]spirv.ID {
	out := map[spirv.ImageOperands][]spirv.ID{}
	if i >= len(b.in.Operands) {
		return out
	}
	mask := spirv.ImageOperands(b.in.Operands[i])
	if rest := mask &^ (ignoredOperands | known); rest != 0 {
		b.unsupported("image operands %s", rest)
	}
	i++
	for _, o := range operandIDs {
		if mask&o.bit == 0 {
			continue
		}
		out[o.bit] = nil
		for range o.ids {
			out[o.bit] = append(out[o.bit], b.arg(i))
			i++
		}
	}
	return out
}

// constOr returns the value of a constant, or other.
func (b *images) constOr(id spirv.ID, other uint64) uint64 {
	if v := b.scalarOf(id); v.Op == isa.Const {
		return v.Imm
	}
	return other
}

// texelType is the type of an image's components. Those of kernels' images, which have no type of their own, have that of
// the access.
func (b *images) texelType(p pointer, accessed isa.Type) isa.Type {
	if p.typ.Elem.Kind == validate.KindVoid {
		return accessed
	}
	return b.scalar(p.typ.Elem)
}

// texel describes an access to a texel of four components, whose image operands begin at operand i.
func (b *images) texel(p pointer, elem isa.Type, i int, known spirv.ImageOperands) (*ir.Mem, []*ir.Value) {
	elem = b.texelType(p, elem)
	with := b.imageOperands(i, known|spirv.ImageOperandsSample)
	p.coords = b.coordinates(b.arg(1))
	for _, o := range []spirv.ImageOperands{spirv.ImageOperandsConstOffset, spirv.ImageOperandsOffset} {
		if ids := with[o]; ids != nil {
			p.coords = b.offsetCoordinates(p.coords, ids[0])
		}
	}
	p.coords = append(p.coords, b.sampleOf(p.typ, with)...)
	level := with[spirv.ImageOperandsLod]
	if level != nil && b.constOr(level[0], 1) != 0 {
		p.coords = append(p.coords, b.widen(b.scalarOf(level[0]), isa.I32))
	}
	m, args := b.mem(p, elem, 0, 4)
	b.imageMem(m, p)
	m.Level = level != nil && b.constOr(level[0], 1) != 0
	return m, append(args, p.coords...)
}

// offsetCoordinates adds offsets in texels to the first coordinates.
func (b *images) offsetCoordinates(coords []*ir.Value, id spirv.ID) []*ir.Value {
	out := append([]*ir.Value(nil), coords...)
	for k, v := range b.leaves(id) {
		if k >= len(out) || !v.R.IsInt() {
			b.invalid("%%%d is not an offset for %d coordinates", id, len(coords))
		}
		out[k] = b.op(isa.IAdd, isa.I32, out[k], b.resize(v, b.typeOf(id).Component(), isa.I32))
	}
	return out
}

// sampleOf returns the number of the sample that an access names; none unless the image is multisampled.
func (b *images) sampleOf(t *validate.Type, with map[spirv.ImageOperands][]spirv.ID) []*ir.Value {
	ids := with[spirv.ImageOperandsSample]
	if t.Multisampled != (ids != nil) {
		b.invalid("the image operand Sample goes with multisampled images")
	}
	if ids == nil {
		return nil
	}
	return []*ir.Value{b.widen(b.scalarOf(ids[0]), isa.I32)}
}

func (b *images) imageRead() {
	p := b.image(b.arg(0))
	m, args := b.texel(p, b.comp(b.resultType()), 2, spirv.ImageOperandsLod|spirv.ImageOperandsConstOffset|spirv.ImageOperandsOffset)
	b.setTexel(m, args)
}

// setTexel sets the result to the texel that an access reads.
func (b *images) setTexel(m *ir.Mem, args []*ir.Value) {
	v := b.emit(isa.ImageLoad, m.Elem, isa.Void, args...)
	v.Mem = m
	types := b.leafTypes(b.resultType())
	if len(types) > 4 || len(types) == 0 || types[0] != m.Elem {
		b.invalid("a texel of %s as %d scalars", m.Elem, len(types))
	}
	out := make([]*ir.Value, len(types))
	for i := range out {
		out[i] = b.proj(v, i, m.Elem)
	}
	b.set(out...)
}

func (b *images) imageWrite() {
	p := b.image(b.arg(0))
	m, args := b.texel(p, b.comp(b.typeOf(b.arg(2))), 3, spirv.ImageOperandsLod)
	if m.Level {
		b.unsupported("a store to another level of detail than the first")
	}
	data := b.leaves(b.arg(2))
	for i := range 4 {
		switch {
		case i >= len(data) || i >= m.Channels(): // what the format does not have is not computed (Mesa: nir_opt_shrink_stores)
			args = append(args, b.constant(m.Elem, 0))
		case data[i].R != m.Elem:
			b.invalid("a texel of %s written as %s", m.Elem, data[i].R)
		default:
			args = append(args, data[i])
		}
	}
	b.emit(isa.ImageStore, m.Elem, isa.Void, args...).Mem = m
	b.wrote(p)
}

func (b *images) texelPointer() {
	p := b.image(b.arg(0))
	if p.typ.Elem.Kind == validate.KindVoid || b.resultType().Kind != validate.KindPointer {
		b.invalid("no texel pointer")
	}
	p.coords, p.texture = b.coordinates(b.arg(1)), textureOf(p.typ)
	if p.typ.Multisampled {
		p.coords = append(p.coords, b.widen(b.scalarOf(b.arg(2)), isa.I32))
	}
	p.typ = b.resultType().Elem
	b.define(val{ptr: &p})
}

// imageSize sets the result to the size in texels, one component a dimension.
func (b *images) imageSize() { b.set(b.imageSizeOf(b.image(b.arg(0)), 0)...) }

func (b *images) imageSizeOf(p pointer, level uint64) []*ir.Value {
	types := b.leafTypes(b.resultType())
	out := make([]*ir.Value, len(types))
	for i, t := range types {
		m, args := b.mem(p, isa.I32, 0, 1)
		b.imageMem(m, p)
		v := b.emit(isa.ImageSize, isa.I32, isa.I32, args...)
		v.Mem, v.Imm = m, uint64(i)|level<<isa.ImageLevelShift
		out[i] = b.widen(v, t)
	}
	return out
}

// imageSizeLod sets the result to the size of a level of detail. A constant level is passed to the query. Otherwise
// each side of the first level is halved as often as the level says, and is at least one texel (Vulkan 1.3, "Image Mip
// Level Sizing"). The number of layers stays.
func (b *images) imageSizeLod() {
	const most = 31 // levels of an image of 2^32 texels a side
	p := b.image(b.arg(0))
	if level := b.constOr(b.arg(1), most+1); level <= most {
		b.set(b.imageSizeOf(p, level)...)
		return
	}
	sizes := b.imageSizeOf(p, 0)
	level := b.op(isa.UMin, isa.I32, b.widen(b.scalarOf(b.arg(1)), isa.I32), b.constant(isa.I32, most))
	sides := len(sizes)
	if p.typ.Arrayed {
		sides--
	}
	for i, v := range sizes[:sides] {
		by := level
		if v.R != isa.I32 {
			by = b.widen(level, v.R)
		}
		sizes[i] = b.op(isa.UMax, v.R, b.op(isa.Shr, v.R, v, by), b.constant(v.R, 1))
	}
	b.set(sizes...)
}

func (b *images) imageLevels() { b.imageNumber(isa.ImageSize, isa.ImageLevels) }

func (b *images) imageSamples() { b.imageNumber(isa.ImageSamples, 0) }

// imageNumber asks for one number of an image.
func (b *images) imageNumber(op isa.Op, imm uint64) {
	p := b.image(b.arg(0))
	m, args := b.mem(p, isa.I32, 0, 1)
	b.imageMem(m, p)
	v := b.emit(op, isa.I32, isa.I32, args...)
	v.Mem, v.Imm = m, imm
	b.set(b.widen(v, b.comp(b.resultType())))
}

func (b *images) bindImage(in *spirv.Instruction, t *validate.Type) {
	image := t
	if isArray(t) {
		image = t.Elem
	}
	combined := image.Kind == validate.KindSampledImage
	if combined {
		image = image.Elem
	}
	if image.Kind == validate.KindSampler {
		b.bind(in, pointer{typ: t, space: isa.SpaceImage, array: isArray(t), binding: b.binding(in, ir.Sampler, t)})
		return
	}
	if image.Kind != validate.KindImage {
		return
	}
	kind := ir.StorageImage
	switch {
	case image.Dim == spirv.DimBuffer:
		kind = ir.TexelBuffer
	case image.Sampled == 1:
		kind = ir.SampledImage
	}
	p := pointer{typ: t, space: isa.SpaceImage, array: isArray(t), align: 4}
	if combined && kind == ir.SampledImage {
		p.sampler = b.binding(in, ir.Sampler, t) + 1
	}
	p.binding = b.binding(in, kind, t)
	p.object = b.bindingObject(p.binding)
	if b.m.Decorated(in.Result, spirv.DecorationAliased) {
		p.object = -1
	}
	b.bind(in, p)
}

package frontend

import (
	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/spirv"
	"spvsim/spirv/validate"
)

func imageRows() map[spirv.Op]row {
	return map[spirv.Op]row{
		spirv.OpImage:             {do: (*builder).load0},
		spirv.OpImageRead:         {do: (*builder).imageRead},
		spirv.OpImageFetch:        {do: (*builder).imageRead},
		spirv.OpImageWrite:        {do: (*builder).imageWrite},
		spirv.OpImageTexelPointer: {do: (*builder).texelPointer},
		spirv.OpImageQuerySize:    {do: (*builder).imageSize},
		spirv.OpImageQuerySizeLod: {do: (*builder).imageSizeLod},
		spirv.OpImageQueryLevels:  {do: (*builder).imageLevels},
		spirv.OpImageQuerySamples: {do: func(b *builder) { b.image(b.arg(0)); b.set(b.i32(1)) }},
	}
}

// load0 hands an image on: a sampled texel buffer holds nothing but its image.
func (b *builder) load0() {
	p := b.image(b.arg(0))
	b.define(val{ptr: &p})
}

// image is the image that an id names.
func (b *builder) image(id spirv.ID) pointer {
	p := b.ptr(id)
	t := p.typ
	if t.Kind == validate.KindSampledImage {
		t = t.Elem
	}
	if p.space != isa.SpaceImage || t.Kind != validate.KindImage || p.array {
		b.invalid("%%%d is no image", id)
	}
	if t.Multisampled {
		b.unsupported("multisampled images")
	}
	p.typ = t
	return p
}

// imageMem completes the description of an access to an image.
func (b *builder) imageMem(m *ir.Mem, p pointer) {
	m.Coords = uint8(len(p.coords))
	m.ImageFormat, m.Dim, m.Arrayed = uint32(p.typ.Format), uint8(p.typ.Dim), p.typ.Arrayed
	if p.typ.Kind != validate.KindImage { // a texel pointer
		m.ImageFormat, m.Dim, m.Arrayed = p.format, p.dim, p.arrayed
	}
}

// coordinates are the integer coordinates of an access.
func (b *builder) coordinates(id spirv.ID) []*ir.Value {
	var out []*ir.Value
	for _, v := range b.leaves(id) {
		if !v.R.IsInt() {
			b.unsupported("image coordinates that are no integers")
		}
		out = append(out, b.widen(v, isa.I32))
	}
	if len(out) > 3 {
		out = out[:3]
	}
	return out
}

// imageOperands accepts the image operands from operand i on that change
// nothing here, sign and memory-model bits, and gives the level of detail, nil
// for the first.
func (b *builder) imageOperands(i int) *ir.Value {
	if i >= len(b.in.Operands) {
		return nil
	}
	mask := spirv.ImageOperands(b.in.Operands[i])
	i++
	const ignored = spirv.ImageOperandsNonPrivateTexel | spirv.ImageOperandsVolatileTexel | spirv.ImageOperandsSignExtend |
		spirv.ImageOperandsZeroExtend | spirv.ImageOperandsMakeTexelAvailable | spirv.ImageOperandsMakeTexelVisible
	if rest := mask &^ (ignored | spirv.ImageOperandsLod); rest != 0 {
		b.unsupported("image operands %s", rest)
	}
	if mask&spirv.ImageOperandsLod == 0 || b.constOr(b.arg(i), 1) == 0 {
		return nil
	}
	return b.widen(b.leaf(b.arg(i)), isa.I32)
}

// constOr is the value of a constant, or other.
func (b *builder) constOr(id spirv.ID, other uint64) uint64 {
	if v := b.leaf(id); v.Op == isa.Const {
		return v.Imm
	}
	return other
}

// texel describes an access to a texel of four components.
func (b *builder) texel(p pointer, coords spirv.ID) (*ir.Mem, []*ir.Value) {
	p.coords = b.coordinates(coords)
	m, args := b.mem(p, b.scalar(p.typ.Elem), 0, 4)
	b.imageMem(m, p)
	return m, append(args, p.coords...)
}

func (b *builder) imageRead() {
	p := b.image(b.arg(0))
	level := b.imageOperands(2)
	m, args := b.texel(p, b.arg(1))
	if level != nil {
		m.Level, m.Coords, args = true, m.Coords+1, append(args, level)
	}
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

func (b *builder) imageWrite() {
	p := b.image(b.arg(0))
	if b.imageOperands(3) != nil {
		b.unsupported("a store to another level of detail than the first")
	}
	m, args := b.texel(p, b.arg(1))
	data := b.leaves(b.arg(2))
	for i := range 4 {
		switch {
		case i >= len(data):
			args = append(args, b.cnst(m.Elem, 0))
		case data[i].R != m.Elem:
			b.invalid("a texel of %s written as %s", m.Elem, data[i].R)
		default:
			args = append(args, data[i])
		}
	}
	b.emit(isa.ImageStore, m.Elem, isa.Void, args...).Mem = m
	b.wrote(p)
}

func (b *builder) texelPointer() {
	p := b.image(b.arg(0))
	if p.typ.Elem.Kind == validate.KindVoid || b.resultType().Kind != validate.KindPointer {
		b.invalid("no texel pointer")
	}
	p.coords = b.coordinates(b.arg(1))
	p.format, p.dim, p.arrayed = uint32(p.typ.Format), uint8(p.typ.Dim), p.typ.Arrayed
	p.typ = b.resultType().Elem
	b.define(val{ptr: &p})
}

// imageSize gives the size in texels, one component a dimension.
func (b *builder) imageSize() { b.imageSizeOf(0) }

func (b *builder) imageSizeOf(level uint64) {
	p := b.image(b.arg(0))
	types := b.leafTypes(b.resultType())
	out := make([]*ir.Value, len(types))
	for i, t := range types {
		m, args := b.mem(p, isa.I32, 0, 1)
		b.imageMem(m, p)
		v := b.emit(isa.ImageSize, isa.I32, isa.I32, args...)
		v.Mem, v.Imm = m, uint64(i)|level<<isa.ImageLevelShift
		out[i] = b.widen(v, t)
	}
	b.set(out...)
}

func (b *builder) imageSizeLod() {
	const most = 31 // levels of an image of 2^32 texels a side
	level := b.constOr(b.arg(1), most+1)
	if level > most {
		b.unsupported("the size of a level of detail that is no constant")
	}
	b.imageSizeOf(level)
}

func (b *builder) imageLevels() {
	p := b.image(b.arg(0))
	m, args := b.mem(p, isa.I32, 0, 1)
	b.imageMem(m, p)
	v := b.emit(isa.ImageSize, isa.I32, isa.I32, args...)
	v.Mem, v.Imm = m, isa.ImageLevels
	b.set(b.widen(v, b.comp(b.resultType())))
}

package frontend

import (
	"spvsim/isa"
	"spvsim/spirv"
	"spvsim/spirv/kernel"
	"spvsim/spirv/validate"
)

// A layout is the part of a pointee's memory layout that its type does not determine.
type layout struct {
	// natural: the layout of Workgroup variables without explicit layout: scalars tightly packed, each aligned to its
	// size.
	natural   bool
	matStride uint32 // bytes between columns (rows if rowMajor); 0 if unknown
	rowMajor  bool
	vecStride uint32 // bytes between the components of a vector; 0: contiguous
	// opencl: the layout of OpenCL C. Such memory is addressed by bytes in every space.
	opencl bool
}

// layouts lays types out in memory.
type layouts struct {
	*maths
	shapes         map[layoutKey]*shape
	naturalOffsets map[spirv.ID][]uint32 // by structure: the offsets of its members, without decorations
	places         kernel.Layout         // of OpenCL C's types
}

type layoutKey struct {
	id     spirv.ID
	layout layout
}

// A chunk is a run of scalars that are contiguous in memory.
type chunk struct {
	off uint32 // bytes
	t   isa.Type
	n   uint8
}

// A shape is the size, alignment and contents of a type in memory.
type shape struct {
	size, align uint32
	chunks      []chunk // in the order of the type's leaves
}

// shape lays a type out.
func (b *layouts) shape(t *validate.Type, lay layout) *shape {
	key := layoutKey{t.ID, lay}
	if s := b.shapes[key]; s != nil {
		return s
	}
	s := b.layOut(t, lay)
	if lay.opencl {
		s.size, s.align = b.placeOf(t)
	}
	b.shapes[key] = s
	b.account(len(s.chunks))
	return s
}

func (b *layouts) layOut(t *validate.Type, lay layout) *shape {
	switch t.Kind {
	case validate.KindBool, validate.KindInt, validate.KindFloat:
		n := memBytes(b.scalar(t))
		return &shape{size: n, align: n, chunks: []chunk{{t: b.scalar(t), n: 1}}}
	case validate.KindVector:
		return b.vectorShape(t, lay)
	case validate.KindMatrix, validate.KindArray:
		return b.repeatShape(t, lay)
	case validate.KindStruct:
		return b.structShape(t, lay)
	case validate.KindPointer:
		list := b.leafTypes(t)
		n := memBytes(list[0])
		return &shape{size: n * uint32(len(list)), align: n, chunks: []chunk{{t: list[0], n: uint8(len(list))}}}
	case validate.KindOther:
		list := b.leafTypes(t) // refuses others than events
		return &shape{chunks: []chunk{{t: list[0], n: 1}}}
	}
	b.unsupported("type %%%d (%s) in memory", t.ID, t.Def.Op)
	return nil
}

// memBytes returns the size of a scalar in memory; booleans are 32-bit words.
func memBytes(t isa.Type) uint32 {
	if t == isa.Bool {
		return 4
	}
	return uint32(t.Bits() / 8)
}

func (b *layouts) vectorShape(t *validate.Type, lay layout) *shape {
	c := b.scalar(t.Elem)
	n := memBytes(c)
	stride := n
	if lay.vecStride != 0 {
		stride = lay.vecStride
	}
	s := &shape{align: n, size: stride*uint32(t.Count-1) + n}
	if stride == n && (t.Count <= 4 || lay.opencl) {
		for i := uint32(0); i < uint32(t.Count); i += 4 {
			s.chunks = append(s.chunks, chunk{off: i * n, t: c, n: uint8(min(uint32(t.Count)-i, 4))})
		}
		return s
	}
	for i := range uint32(t.Count) {
		s.chunks = append(s.chunks, chunk{off: i * stride, t: c, n: 1})
	}
	return s
}

// repeatShape lays out the columns of a matrix or the elements of an array.
func (b *layouts) repeatShape(t *validate.Type, lay layout) *shape {
	stride, inner := b.element(t, lay)
	elem := b.shape(t.Elem, inner)
	n := b.count(t)
	b.leafTypes(t) // refuses types that are too large
	s := &shape{align: elem.align, chunks: make([]chunk, 0, n*len(elem.chunks))}
	for i := uint32(0); len(elem.chunks) > 0 && i < uint32(n); i++ { // however many elements it has of nothing
		for _, c := range elem.chunks {
			c.off += i * stride
			s.chunks = append(s.chunks, c)
		}
	}
	s.size = uint32(n-1)*stride + elem.size
	if t.Kind == validate.KindArray {
		s.size = uint32(n) * stride
	}
	return s
}

// element returns the bytes between the elements of an array or the columns of a
// matrix, and the layout within one.
func (b *layouts) element(t *validate.Type, lay layout) (stride uint32, inner layout) {
	inner = lay
	if t.Kind == validate.KindMatrix {
		return b.column(t, lay)
	}
	if lay.opencl {
		stride, _ = b.placeOf(t.Elem)
		return stride, inner
	}
	if !lay.natural {
		stride, ok := b.m.Decoration(t.ID, spirv.DecorationArrayStride)
		if !ok || stride == 0 {
			b.invalid("array type %%%d has no ArrayStride", t.ID)
		}
		return stride, inner
	}
	return uint32(b.bulkSize(t.Elem)), inner
}

func (b *layouts) column(t *validate.Type, lay layout) (stride uint32, inner layout) {
	inner = layout{natural: lay.natural}
	comp := memBytes(b.comp(t))
	if lay.rowMajor {
		inner.vecStride = lay.matStride
		return comp, inner
	}
	if lay.matStride != 0 {
		return lay.matStride, inner
	}
	return comp * uint32(t.Elem.Count), inner
}

// roundUp rounds n up to a multiple of align, which need be no power of two.
func roundUp(n, align uint32) uint32 {
	if align == 0 {
		return n
	}
	return (n + align - 1) / align * align
}

func (b *layouts) structShape(t *validate.Type, lay layout) *shape {
	s := &shape{align: 1}
	for i, m := range t.Members {
		off, inner := b.member(t, i, lay)
		if m.Kind == validate.KindRuntimeArray {
			b.unsupported("a value of a structure with a runtime array")
		}
		part := b.shape(m, inner)
		for _, c := range part.chunks {
			c.off += off
			s.chunks = append(s.chunks, c)
		}
		b.limitLeaves(len(s.chunks))
		s.align = max(s.align, part.align)
		s.size = max(s.size, off+part.size)
	}
	if lay.natural {
		s.size = roundUp(s.size, s.align)
	}
	return s
}

// member returns the byte offset of a structure's member and its layout.
func (b *layouts) member(t *validate.Type, i int, lay layout) (off uint32, inner layout) {
	if lay.opencl {
		return b.memberPlaces(t)[i], lay
	}
	if lay.natural {
		return b.natural(t)[i], lay
	}
	off, ok := b.m.MemberDecoration(t.ID, i, spirv.DecorationOffset)
	if !ok {
		b.invalid("member %d of %%%d has no Offset", i, t.ID)
	}
	inner.matStride, _ = b.m.MemberDecoration(t.ID, i, spirv.DecorationMatrixStride)
	inner.rowMajor = b.m.MemberDecorated(t.ID, i, spirv.DecorationRowMajor)
	return off, inner
}

// natural puts the members of a structure one after the other.
func (b *layouts) natural(t *validate.Type) []uint32 {
	if list, ok := b.naturalOffsets[t.ID]; ok {
		return list
	}
	list, end := make([]uint32, len(t.Members)), uint32(0)
	for i, m := range t.Members {
		if m.Kind == validate.KindRuntimeArray {
			b.unsupported("a value of a structure with a runtime array")
		}
		part := b.shape(m, layout{natural: true})
		list[i] = roundUp(end, part.align)
		end = list[i] + part.size
	}
	b.naturalOffsets[t.ID] = list
	return list
}

// bulkSize returns the natural size of a type. Arrays may have more elements than a value can have scalars.
func (b *layouts) bulkSize(t *validate.Type) uint64 {
	if t.Kind != validate.KindArray {
		s := b.shape(t, layout{natural: true})
		return uint64(roundUp(s.size, s.align))
	}
	elem := b.bulkSize(t.Elem)
	return min(elem*uint64(b.count(t)), 1<<32)
}

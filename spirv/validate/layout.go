package validate

import (
	"sort"

	"spvsim/spirv"
)

// laidOut lists the storage classes whose composites have explicit layouts (section 2.16.2, with the extensions).
var laidOut = set(spirv.StorageClassStorageBuffer, spirv.StorageClassUniform, spirv.StorageClassPushConstant,
	spirv.StorageClassPhysicalStorageBuffer, spirv.StorageClassNodePayloadAMDX)

// layouts tests the layout of the pointees of variables and physical pointers, and the form of structures.
func layouts(m *Module, r *report) {
	l := &layout{m: m, r: r, done: map[*Type]bool{}, sizes: map[*Type]uint64{}, aligns: map[*Type]uint32{}}
	for i := range m.Raw.Instructions {
		in := &m.Raw.Instructions[i]
		t := m.TypeOf(in.Result)
		switch {
		case in.Op == spirv.OpVariable && (laidOut[t.Storage] || m.WorkgroupBlock(t)):
			l.root(t)
		case in.Op == spirv.OpTypePointer && m.Type(in.Result).Storage == spirv.StorageClassPhysicalStorageBuffer:
			l.root(m.Type(in.Result))
		case in.Op == spirv.OpAllocateNodePayloadsAMDX && t.Kind == KindPointer:
			l.root(t)
		}
	}
}

// WorkgroupBlock reports whether a pointer's pointee is a Workgroup block with explicit layout. Only with the
// capability does Block have this meaning: without it the compiler lays the type out, and blocks share no bytes.
func (m *Module) WorkgroupBlock(p *Type) bool {
	return m.Has(spirv.CapabilityWorkgroupMemoryExplicitLayoutKHR) && m.blockInWorkgroup(p)
}

// blockInWorkgroup reports a pointer to a Workgroup structure that is decorated as a Block.
func (m *Module) blockInWorkgroup(p *Type) bool {
	return p.Storage == spirv.StorageClassWorkgroup && p.Elem != nil && m.Decorated(p.Elem.ID, spirv.DecorationBlock)
}

type layout struct {
	m      *Module
	r      *report
	done   map[*Type]bool
	sizes  map[*Type]uint64
	aligns map[*Type]uint32
}

// root takes the pointee of a pointer. An array outside of a block is one of
// resources, and has no stride.
func (l *layout) root(p *Type) {
	t := p.Elem
	for t != nil && (t.Kind == KindArray || t.Kind == KindRuntimeArray) && p.Storage != spirv.StorageClassPhysicalStorageBuffer {
		t = t.Elem
	}
	if t != nil && t.Kind == KindNodePayloadArray {
		t = t.Elem
	}
	if t != nil {
		l.check(t)
	}
}

// check tests a type and its parts, once.
func (l *layout) check(t *Type) {
	if l.done[t] {
		return
	}
	l.done[t] = true
	switch t.Kind {
	case KindBool:
		l.r.faultAt(t.Def, "layout", "a boolean has no layout, and is in memory that needs one")
	case KindVector:
		l.check(t.Elem)
	case KindArray, KindRuntimeArray:
		l.check(t.Elem)
		l.array(t)
	case KindStruct:
		for _, p := range t.Members {
			l.check(p)
		}
		l.structure(t)
	}
}

func (l *layout) array(t *Type) {
	stride, ok := l.m.Decoration(t.ID, spirv.DecorationArrayStride)
	switch {
	case !ok:
		l.r.faultAt(t.Def, "layout", "the array has no ArrayStride")
	case stride == 0:
		l.r.faultAt(t.Def, "layout", "ArrayStride is 0")
	case t.Elem.Kind != KindMatrix && uint64(stride) < l.size(t.Elem, nil):
		l.r.faultAt(t.Def, "layout", "ArrayStride %d: an element takes %d bytes", stride, l.size(t.Elem, nil))
	case stride%l.align(t.Elem) != 0:
		l.r.faultAt(t.Def, "layout", "ArrayStride %d: want a multiple of %d", stride, l.align(t.Elem))
	}
}

type span struct {
	from, to uint64
	member   int
}

func (l *layout) structure(t *Type) {
	spans := make([]span, 0, len(t.Members))
	for i, p := range t.Members {
		d := l.m.MemberDecorations(t.ID, i)
		offset, ok := firstArg(d, spirv.DecorationOffset)
		if !ok {
			if _, builtin := find(d, spirv.DecorationBuiltIn); !builtin {
				l.r.faultAt(t.Def, "layout", "member %d has no Offset", i)
			}
			continue
		}
		if offset%l.align(p) != 0 {
			l.r.faultAt(t.Def, "layout", "member %d: Offset %d: want a multiple of %d", i, offset, l.align(p))
		}
		l.matrix(t, i, d)
		spans = append(spans, span{uint64(offset), uint64(offset) + l.size(p, d), i})
	}
	l.overlaps(t, spans)
}

// matrix tests the layout of a member that is, or is an array of, matrices.
func (l *layout) matrix(t *Type, i int, d []Decoration) {
	p := t.Members[i]
	for p.Kind == KindArray || p.Kind == KindRuntimeArray {
		p = p.Elem
	}
	if p.Kind != KindMatrix {
		return
	}
	_, rows := find(d, spirv.DecorationRowMajor)
	_, columns := find(d, spirv.DecorationColMajor)
	stride, ok := firstArg(d, spirv.DecorationMatrixStride)
	switch {
	case rows == columns:
		l.r.faultAt(t.Def, "layout", "member %d: want one of RowMajor and ColMajor", i)
	case !ok:
		l.r.faultAt(t.Def, "layout", "member %d has no MatrixStride", i)
	case stride == 0 || stride%l.align(p) != 0:
		l.r.faultAt(t.Def, "layout", "member %d: MatrixStride %d: want a multiple of %d", i, stride, l.align(p))
	}
}

// overlaps tests spans in the order of their offsets, which is most often the
// order of the members.
func (l *layout) overlaps(t *Type, spans []span) {
	sort.SliceStable(spans, func(i, j int) bool { return spans[i].from < spans[j].from })
	for i := 1; i < len(spans); i++ {
		if a, b := spans[i-1], spans[i]; b.from < a.to {
			l.r.faultAt(t.Def, "layout", "member %d, at %d, overlaps member %d, at %d to %d", b.member, b.from, a.member, a.from, a.to-1)
		}
	}
}

// align returns the scalar alignment of a type in bytes: the width of its widest
// scalar.
func (l *layout) align(t *Type) uint32 {
	switch {
	case t.Kind == KindStruct:
		return l.structAlign(t)
	case t.Kind == KindPointer:
		return 8
	case t.Scalar():
		return max(1, uint32(t.Width)/8)
	case t.Elem != nil && t.Kind != KindImage && t.Kind != KindSampledImage:
		return l.align(t.Elem)
	}
	return 1
}

// structAlign caches its results: structures may contain one another many times.
func (l *layout) structAlign(t *Type) uint32 {
	if n, ok := l.aligns[t]; ok {
		return n
	}
	widest := uint32(1)
	for _, p := range t.Members {
		widest = max(widest, l.align(p))
	}
	l.aligns[t] = widest
	return widest
}

// size returns the length of a type in bytes; a runtime array has none. Matrices
// need the decorations of their member.
func (l *layout) size(t *Type, d []Decoration) uint64 {
	switch t.Kind {
	case KindInt, KindFloat:
		return uint64(t.Width) / 8
	case KindPointer:
		return 8
	case KindVector:
		return uint64(t.Count) * l.size(t.Elem, nil)
	case KindMatrix:
		return l.matrixSize(t, d)
	case KindArray:
		return l.arraySize(t, d)
	case KindStruct:
		return l.structSize(t)
	}
	return 0
}

func (l *layout) matrixSize(t *Type, d []Decoration) uint64 {
	stride, _ := firstArg(d, spirv.DecorationMatrixStride)
	n, length := t.Count, l.size(t.Elem, nil)
	if _, rows := find(d, spirv.DecorationRowMajor); rows {
		n, length = t.Elem.Count, uint64(t.Count)*l.size(t.Elem.Elem, nil)
	}
	return uint64(n-1)*uint64(stride) + length
}

func (l *layout) arraySize(t *Type, d []Decoration) uint64 {
	stride, _ := l.m.Decoration(t.ID, spirv.DecorationArrayStride)
	n := uint64(t.Count)
	if def := l.m.Def(t.CountID); n == 0 && len(def.Operands) > 0 && def.Op == spirv.OpSpecConstant {
		n = uint64(def.Operands[0])
	}
	if n == 0 {
		return 0
	}
	return (n-1)*uint64(stride) + l.size(t.Elem, d)
}

func (l *layout) structSize(t *Type) uint64 {
	if n, ok := l.sizes[t]; ok {
		return n
	}
	l.sizes[t] = 0
	var end uint64
	for i, p := range t.Members {
		d := l.m.MemberDecorations(t.ID, i)
		offset, _ := firstArg(d, spirv.DecorationOffset)
		end = max(end, uint64(offset)+l.size(p, d))
	}
	l.sizes[t] = end
	return end
}

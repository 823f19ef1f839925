package kernel

import (
	"spvsim/spirv"
	"spvsim/spirv/validate"
)

// A Layout places types in memory as OpenCL C does: every type at its natural alignment, a vector of three components
// in the place of one of four.
type Layout struct {
	Module   *validate.Module
	Physical int // bits of an address

	extents map[spirv.ID]extent // structures: a module may nest one in many places
}

type extent struct {
	size, align uint64
	ok          bool
}

// Extent returns the bytes of a type and its alignment; false: the type has no size.
func (l *Layout) Extent(t *validate.Type) (size, align uint64, ok bool) { return l.extentWithin(t, 0) }

// maxDepth and maxTypeBytes bound nested types, so that a small hostile module costs little.
const (
	maxDepth     = 64
	maxTypeBytes = 1 << 40
)

func (l *Layout) extentWithin(t *validate.Type, depth int) (size, align uint64, ok bool) {
	if t == nil || depth > maxDepth {
		return 0, 0, false
	}
	switch t.Kind {
	case validate.KindInt, validate.KindFloat:
		size = uint64(t.Width / 8)
		return size, size, size > 0
	case validate.KindPointer:
		size = uint64(l.Physical / 8)
		return size, size, true
	case validate.KindVector:
		size, _, ok = l.extentWithin(t.Elem, depth+1)
		n := uint64(t.Count)
		if n == 3 {
			n = 4
		}
		return size * n, size * n, ok && n > 0
	case validate.KindArray:
		size, align, ok = l.extentWithin(t.Elem, depth+1)
		n := uint64(t.Count)
		if !ok || n == 0 || size > maxTypeBytes/n {
			return 0, 0, false
		}
		return size * n, align, true
	case validate.KindStruct:
		e, known := l.extents[t.ID]
		if !known {
			_, e.size, e.align, e.ok = l.members(t, depth)
			if l.extents == nil {
				l.extents = map[spirv.ID]extent{}
			}
			l.extents[t.ID] = e
		}
		return e.size, e.align, e.ok
	}
	return 0, 0, false
}

// Members returns the offsets of a structure's members; false: one has no size.
func (l *Layout) Members(t *validate.Type) (offsets []uint64, ok bool) {
	offsets, _, _, ok = l.members(t, 0)
	return offsets, ok
}

func (l *Layout) members(t *validate.Type, depth int) (offsets []uint64, size, align uint64, ok bool) {
	packed := l.Module.Decorated(t.ID, spirv.DecorationCPacked)
	align = 1
	for _, member := range t.Members {
		n, a, ok := l.extentWithin(member, depth+1)
		if !ok || size > maxTypeBytes {
			return nil, 0, 0, false
		}
		if packed {
			a = 1
		}
		size = (size + a - 1) / a * a
		offsets = append(offsets, size)
		size, align = size+n, max(align, a)
	}
	return offsets, (size + align - 1) / align * align, align, true
}

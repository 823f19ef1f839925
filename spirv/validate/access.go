package validate

import (
	"spvsim/spirv"
	"spvsim/spirv/grammar"
)

// alignment tests the memory operands of an access: an alignment is a power of two, and accesses of
// PhysicalStorageBuffer have one (sections 2.16.1, 3.26). at is the first memory operand; pointers are the pointers
// that the operands apply to.
func (v *valueCheck) alignment(o []uint32, at int, pointers ...uint32) {
	aligned := false
	if at < len(o) && spirv.MemoryAccess(o[at])&spirv.MemoryAccessAligned != 0 {
		aligned = true
		// The parameters follow in the order of their bits, and Volatile, which is lower, has none.
		// A compiler in use writes 0 where it knows no alignment.
		if n := o[at+1]; n&(n-1) != 0 {
			v.r.faultAt(v.in, "alignment", "Aligned %d: want a power of two", n)
		}
	}
	for _, id := range pointers {
		if t := v.m.TypeOf(spirv.ID(id)); !aligned && t != nil && t.Kind == KindPointer && t.Storage == spirv.StorageClassPhysicalStorageBuffer {
			v.r.faultAt(v.in, "alignment", "%%%d points to PhysicalStorageBuffer: want Aligned among the memory operands", id)
		}
	}
}

// secondAccess returns the position of a copy's second memory operands, for the source. The first then apply to the
// target alone.
func secondAccess(o []uint32, at int) int {
	if at >= len(o) {
		return at
	}
	next := at + 1
	for bits := o[at]; bits != 0; bits &= bits - 1 {
		if e := grammar.KindMemoryAccess.Lookup(bits & -bits); e != nil {
			next += len(e.Parameters)
		}
	}
	return next
}

func (v *valueCheck) copyAlignment(o []uint32, at int) {
	second := secondAccess(o, at)
	if second >= len(o) {
		v.alignment(o, at, o[0], o[1])
		return
	}
	v.alignment(o, at, o[0])
	v.alignment(o, second, o[1])
}

// heldPointer tests a variable that holds a pointer: in logical addressing only
// pointers that VariablePointers makes values may be held, and only where a
// lane keeps them (section 2.16.1).
func (v *valueCheck) heldPointer(t *Type) {
	p := heldPointer(t.Elem, map[*Type]bool{})
	if p == nil || p.Storage == spirv.StorageClassPhysicalStorageBuffer || v.m.Kernels() {
		return
	}
	switch {
	case !v.m.mayBeValue(p):
		v.r.faultAt(v.in, "held-pointers", "a variable of pointers to %s: in logical addressing they are not values without variable pointers", p.Storage)
	case t.Storage != spirv.StorageClassFunction && t.Storage != spirv.StorageClassPrivate:
		v.r.faultAt(v.in, "held-pointers", "a variable of pointers in %s: want Function or Private", t.Storage)
	}
}

// heldPointer returns the first pointer that a value of a type holds, or nil.
func heldPointer(t *Type, seen map[*Type]bool) *Type {
	if t == nil || seen[t] {
		return nil
	}
	seen[t] = true
	switch t.Kind {
	case KindPointer:
		return t
	case KindArray, KindRuntimeArray:
		return heldPointer(t.Elem, seen)
	case KindStruct:
		for _, member := range t.Members {
			if p := heldPointer(member, seen); p != nil {
				return p
			}
		}
	}
	return nil
}

// blocks tests that no structure which is a Block holds another (section 3.20).
func (v *valueCheck) blocks([]uint32) {
	t := v.m.Type(v.in.Result)
	if !v.m.block(t) {
		return
	}
	for i, member := range t.Members {
		if inner := v.m.innerBlock(member, map[*Type]bool{}); inner != nil {
			v.r.faultAt(v.in, "nested-blocks", "member %d holds %%%d: a Block within a Block", i, inner.ID)
		}
	}
}

func (m *Module) block(t *Type) bool {
	return m.Decorated(t.ID, spirv.DecorationBlock) || m.Decorated(t.ID, spirv.DecorationBufferBlock)
}

func (m *Module) innerBlock(t *Type, seen map[*Type]bool) *Type {
	if t == nil || seen[t] {
		return nil
	}
	seen[t] = true
	switch t.Kind {
	case KindArray, KindRuntimeArray:
		return m.innerBlock(t.Elem, seen)
	case KindStruct:
		if m.block(t) {
			return t
		}
		for _, member := range t.Members {
			if inner := m.innerBlock(member, seen); inner != nil {
				return inner
			}
		}
	}
	return nil
}

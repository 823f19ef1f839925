package frontend

import (
	"spvsim/isa"
	"spvsim/spirv"
	"spvsim/spirv/validate"
)

// ptrTo returns the pointer that an id names; an untyped one gets the pointee that the instruction names
// (SPV_KHR_untyped_pointers).
func (b *pointers) ptrTo(id spirv.ID, t *validate.Type) pointer {
	p := b.anyPtr(id)
	if b.typeOf(id).Untyped() {
		b.retarget(&p, t)
	}
	return p
}

// retarget lets a pointer point to another type at the same place.
func (b *pointers) retarget(p *pointer, t *validate.Type) {
	if p.space == isa.SpaceScratch || p.space == spaceInput || p.space == isa.SpaceImage || p.handle != nil {
		b.unsupported("an untyped pointer to memory without a layout of bytes")
	}
	if p.space == isa.SpaceLDS && p.layout.natural {
		b.unsupported("an untyped pointer to a Workgroup variable without explicit layout")
	}
	p.typ, p.layout, p.stride = t, layout{}, 0
}

// untypedChain carries out OpUntypedAccessChainKHR and OpUntypedInBoundsAccessChainKHR: the indexes walk the base type,
// whatever the base points to.
func (b *pointers) untypedChain() { b.defineUntyped(b.basedOn(), 2) }

// untypedElementChain carries out OpUntypedPtrAccessChainKHR and its twin, which step over the base first, by the ArrayStride of its type.
func (b *pointers) untypedElementChain() {
	p := b.basedOn()
	p = b.addIndex(p, b.arg(2), b.pointeeStride(b.typeOf(b.arg(1)), p), 0)
	b.defineUntyped(p, 3)
}

// basedOn returns the base pointer with the base type as pointee.
func (b *pointers) basedOn() pointer {
	p := b.anyPtr(b.arg(1))
	b.retarget(&p, b.m.Type(b.arg(0)))
	if p.array && !isArray(p.typ) {
		b.invalid("base type %%%d of an array of descriptors is not an array", p.typ.ID)
	}
	return p
}

func (b *pointers) defineUntyped(p pointer, first int) {
	for i := first; i < len(b.in.Operands); i++ {
		p = b.step(p, b.arg(i))
	}
	b.decorate(&p, b.m.Decorations(b.in.Result))
	b.define(val{ptr: &p})
}

// untypedArrayLength carries out OpUntypedArrayLengthKHR, which names the structure.
func (b *pointers) untypedArrayLength() {
	p := b.anyPtr(b.arg(1))
	b.retarget(&p, b.m.Type(b.arg(0)))
	b.lengthOf(p, int(b.arg(2)))
}

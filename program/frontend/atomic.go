package frontend

import (
	"spvsim/internal/lists"
	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/spirv"
	"spvsim/spirv/validate"
)

// atomics works on memory and on texels.
type atomics struct{ *images }

// atomicRows covers the atomics of shaders and kernels.
func atomicRows() map[spirv.Op]row[*atomics] {
	return map[spirv.Op]row[*atomics]{
		spirv.OpAtomicLoad:                {translate: func(b *atomics) { b.atomic(isa.AtomicLoad) }},
		spirv.OpAtomicStore:               {translate: (*atomics).atomicStore},
		spirv.OpAtomicExchange:            {translate: func(b *atomics) { b.atomic(isa.AtomicExchange, 3) }},
		spirv.OpAtomicCompareExchange:     {translate: (*atomics).atomicCompareExchange},
		spirv.OpAtomicCompareExchangeWeak: {translate: (*atomics).atomicCompareExchange},
		spirv.OpAtomicFlagTestAndSet:      {translate: func(b *atomics) { b.atomicFlag(isa.AtomicExchange, 1) }},
		spirv.OpAtomicFlagClear:           {translate: func(b *atomics) { b.atomicFlag(isa.AtomicStore, 0) }},
		spirv.OpAtomicIIncrement:          {translate: func(b *atomics) { b.atomic(isa.AtomicIInc) }},
		spirv.OpAtomicIDecrement:          {translate: func(b *atomics) { b.atomic(isa.AtomicIDec) }},
		spirv.OpAtomicIAdd:                {translate: func(b *atomics) { b.atomic(isa.AtomicIAdd, 3) }},
		spirv.OpAtomicISub:                {translate: func(b *atomics) { b.atomic(isa.AtomicISub, 3) }},
		spirv.OpAtomicSMin:                {translate: func(b *atomics) { b.atomic(isa.AtomicSMin, 3) }},
		spirv.OpAtomicUMin:                {translate: func(b *atomics) { b.atomic(isa.AtomicUMin, 3) }},
		spirv.OpAtomicSMax:                {translate: func(b *atomics) { b.atomic(isa.AtomicSMax, 3) }},
		spirv.OpAtomicUMax:                {translate: func(b *atomics) { b.atomic(isa.AtomicUMax, 3) }},
		spirv.OpAtomicAnd:                 {translate: func(b *atomics) { b.atomic(isa.AtomicAnd, 3) }},
		spirv.OpAtomicOr:                  {translate: func(b *atomics) { b.atomic(isa.AtomicOr, 3) }},
		spirv.OpAtomicXor:                 {translate: func(b *atomics) { b.atomic(isa.AtomicXor, 3) }},
		spirv.OpAtomicFAddEXT:             {translate: func(b *atomics) { b.atomic(isa.AtomicFAdd, 3) }},
		spirv.OpAtomicFMinEXT:             {translate: func(b *atomics) { b.atomic(isa.AtomicFMin, 3) }},
		spirv.OpAtomicFMaxEXT:             {translate: func(b *atomics) { b.atomic(isa.AtomicFMax, 3) }},
	}
}

// atomic translates an atomic with the operands pointer, scope and semantics. The operands with the indexes data
// follow.
func (b *atomics) atomic(op isa.Op, data ...int) {
	p := b.ptrTo(b.arg(0), b.resultType())
	scope, semantics := b.fenceScope(1), b.constBits(b.arg(2))
	b.release(scope, semantics)
	args := lists.Map(data, func(n int) *ir.Value { return b.scalarOf(b.arg(n)) })
	b.set(b.atomicAccess(op, p, b.comp(b.resultType()), args))
	b.acquire(scope, semantics)
}

func (b *atomics) atomicStore() {
	p := b.ptrTo(b.arg(0), b.typeOf(b.arg(3)))
	scope, semantics := b.fenceScope(1), b.constBits(b.arg(2))
	b.release(scope, semantics)
	v := b.scalarOf(b.arg(3))
	b.atomicAccess(isa.AtomicStore, p, v.R, []*ir.Value{v})
	b.acquire(scope, semantics)
}

// atomicFlag sets or clears a flag, a word that is 0 or 1.
func (b *atomics) atomicFlag(op isa.Op, to uint32) {
	p := b.ptr(b.arg(0))
	scope, semantics := b.fenceScope(1), b.constBits(b.arg(2))
	b.release(scope, semantics)
	was := b.atomicAccess(op, p, isa.I32, []*ir.Value{b.i32(to)})
	if op == isa.AtomicExchange {
		b.set(b.compare(isa.INe, isa.I32, was, b.i32(0)))
	}
	b.acquire(scope, semantics)
}

func (b *atomics) atomicCompareExchange() {
	p := b.ptrTo(b.arg(0), b.resultType())
	scope, semantics := b.fenceScope(1), b.constBits(b.arg(2))|b.constBits(b.arg(3))
	b.release(scope, semantics)
	args := []*ir.Value{b.scalarOf(b.arg(4)), b.scalarOf(b.arg(5))}
	b.set(b.atomicAccess(isa.AtomicCompareExchange, p, b.comp(b.resultType()), args))
	b.acquire(scope, semantics)
}

// release and acquire wait for the wave's memory accesses before and after an
// atomic that orders them.
func (b *atomics) release(scope, semantics uint64) {
	b.fence(scope, semantics&^uint64(spirv.MemorySemanticsAcquire))
}

func (b *atomics) acquire(scope, semantics uint64) {
	b.fence(scope, semantics&^uint64(spirv.MemorySemanticsRelease))
}

// atomicAccess emits an atomic on memory or on a texel.
func (b *atomics) atomicAccess(op isa.Op, p pointer, t isa.Type, data []*ir.Value) *ir.Value {
	b.checkAtomic(p, t)
	m, args := b.mem(p, t, 0, 1)
	m.Volatile, m.Coherent = true, true
	if p.space == isa.SpaceImage {
		b.imageMem(m, p)
		args = append(args, p.coords...)
	}
	r := t
	if op == isa.AtomicStore {
		r = isa.Void
	}
	v := b.emit(op, t, r, append(args, data...)...)
	v.Mem = m
	if op != isa.AtomicLoad {
		b.wrote(p)
	}
	return v
}

// checkAtomic refuses operands that atomics don't support.
func (b *atomics) checkAtomic(p pointer, t isa.Type) {
	switch p.space {
	case isa.SpaceBuffer, isa.SpaceFlat, isa.SpaceLDS, isa.SpaceImage:
	case isa.SpaceScratch:
		b.unsupported("an atomic on a Function or Private variable")
	default:
		b.invalid("an atomic on read-only memory")
	}
	if p.typ.Kind != validate.KindInt && p.typ.Kind != validate.KindFloat || b.comp(p.typ) != t {
		b.invalid("an atomic of %s on %%%d", t, p.typ.ID)
	}
	if t.Bits() < 32 && t != isa.F16 {
		b.unsupported("an atomic of %d bits", t.Bits())
	}
}

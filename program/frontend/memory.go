package frontend

import (
	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/spirv"
	"spvsim/spirv/validate"
)

func memoryRows() map[spirv.Op]row[*pointers] {
	return map[spirv.Op]row[*pointers]{
		spirv.OpVariable:               {translate: (*pointers).variable},
		spirv.OpLoad:                   {translate: (*pointers).load},
		spirv.OpStore:                  {translate: (*pointers).store},
		spirv.OpCopyMemory:             {translate: (*pointers).copyMemory},
		spirv.OpCopyMemorySized:        {translate: (*pointers).copyMemorySized},
		spirv.OpAccessChain:            pure((*pointers).accessChain),
		spirv.OpInBoundsAccessChain:    pure((*pointers).accessChain),
		spirv.OpPtrAccessChain:         pure((*pointers).ptrAccessChain),
		spirv.OpInBoundsPtrAccessChain: pure((*pointers).ptrAccessChain),

		spirv.OpUntypedAccessChainKHR:            {translate: (*pointers).untypedChain},
		spirv.OpUntypedInBoundsAccessChainKHR:    {translate: (*pointers).untypedChain},
		spirv.OpUntypedPtrAccessChainKHR:         {translate: (*pointers).untypedElementChain},
		spirv.OpUntypedInBoundsPtrAccessChainKHR: {translate: (*pointers).untypedElementChain},
		spirv.OpUntypedArrayLengthKHR:            {translate: (*pointers).untypedArrayLength},

		spirv.OpBitcast:          pure((*pointers).bitcast),
		spirv.OpPtrCastToGeneric: pure((*pointers).recastPointer),
		spirv.OpGenericCastToPtr: pure((*pointers).recastPointer),
		spirv.OpLifetimeStart:    {translate: func(*pointers) {}},
		spirv.OpLifetimeStop:     {translate: func(*pointers) {}},

		spirv.OpPtrEqual:      {translate: func(b *pointers) { b.ptrEqual(true) }},
		spirv.OpPtrNotEqual:   {translate: func(b *pointers) { b.ptrEqual(false) }},
		spirv.OpPtrDiff:       {translate: (*pointers).ptrDiff},
		spirv.OpArrayLength:   {translate: (*pointers).arrayLength},
		spirv.OpConvertPtrToU: pure((*pointers).pointerToInteger),
		spirv.OpConvertUToPtr: pure((*pointers).integerToPointer),
		spirv.OpMemoryBarrier: {translate: func(b *pointers) { b.fence(b.fenceScope(0), b.constBits(b.arg(1))) }},
	}
}

// glslMemory returns the instructions of GLSL.std.450 that write through a pointer.
func glslMemory() map[spirv.GLSLstd450]func(b *pointers) {
	return map[spirv.GLSLstd450]func(b *pointers){
		spirv.GLSLstd450Modf:  (*pointers).modf,
		spirv.GLSLstd450Frexp: (*pointers).frexp,
	}
}

// access holds the memory operands of an instruction.
type access struct {
	volatile, coherent bool
	align              uint32 // of the whole address, in bytes; 0: not given
}

// memoryAccess reads the optional memory operands from operand i on, and
// returns the index of the next operand.
func (b *pointers) memoryAccess(i int) (access, int) {
	var a access
	if i >= len(b.in.Operands) {
		return a, i
	}
	mask := spirv.MemoryAccess(b.in.Operands[i])
	i++
	a.volatile = mask&spirv.MemoryAccessVolatile != 0
	if mask&spirv.MemoryAccessAligned != 0 {
		a.align = uint32(b.arg(i))
		i++
	}
	for _, bit := range []spirv.MemoryAccess{spirv.MemoryAccessMakePointerAvailable, spirv.MemoryAccessMakePointerVisible} {
		if mask&bit != 0 {
			a.coherent = a.coherent || b.beyondWorkgroup(b.arg(i))
			i++
		}
	}
	const known = spirv.MemoryAccessVolatile | spirv.MemoryAccessAligned | spirv.MemoryAccessNontemporal |
		spirv.MemoryAccessMakePointerAvailable | spirv.MemoryAccessMakePointerVisible | spirv.MemoryAccessNonPrivatePointer
	if mask&^known != 0 {
		b.unsupported("memory operands %s", mask&^known)
	}
	return a, i
}

// beyondWorkgroup reports whether the invocations of a scope do not share the private caches of one compute unit.
func (b *pointers) beyondWorkgroup(scope spirv.ID) bool {
	switch spirv.Scope(b.constBits(scope)) {
	case spirv.ScopeWorkgroup, spirv.ScopeSubgroup, spirv.ScopeInvocation:
		return false
	}
	return true
}

func (a access) apply(p *pointer) {
	p.volatile = p.volatile || a.volatile
	p.coherent = p.coherent || a.coherent
	if (p.space == isa.SpaceFlat || p.layout.opencl && p.index != nil) && a.align > p.align {
		p.align = flatAlign(a.align, p.offset)
	}
}

// flatAlign returns the alignment of an address without its constant offset, if the whole address is a multiple of
// align.
func flatAlign(align, offset uint32) uint32 {
	for align > 1 && offset%align != 0 {
		align /= 2
	}
	return align
}

func (b *pointers) load() {
	if opaque(b.resultType()) {
		if v, ok := b.kernels.handles[b.arg(0)]; ok {
			b.define(v)
			return
		}
		p := b.ptr(b.arg(0))
		b.define(val{ptr: &p})
		return
	}
	p := b.ptrTo(b.arg(0), b.resultType())
	a, _ := b.memoryAccess(1)
	a.apply(&p)
	if p.typ.ID != b.in.Type {
		b.invalid("the pointer points to %%%d, not to the result type", p.typ.ID)
	}
	b.define(val{leaves: b.loadLeaves(p)})
}

func (b *pointers) store() {
	if b.isKernel() && opaque(b.typeOf(b.arg(1))) {
		b.storeHandle(b.arg(0), b.arg(1))
		return
	}
	p := b.ptrTo(b.arg(0), b.typeOf(b.arg(1)))
	a, _ := b.memoryAccess(2)
	a.apply(&p)
	leaves := b.leaves(b.arg(1))
	if n := len(b.leafTypes(p.typ)); n != len(leaves) {
		b.invalid("%d scalars stored to a type of %d", len(leaves), n)
	}
	b.storeLeaves(p, leaves)
}

// loadLeaves reads the whole pointee.
func (b *pointers) loadLeaves(p pointer) []*ir.Value {
	if p.handle != nil { // the value of a payload array is its handle
		return []*ir.Value{p.handle}
	}
	switch p.space {
	case spaceInput:
		return p.input
	case isa.SpaceScratch:
		if !p.layout.opencl {
			return b.loadSlots(p)
		}
	case isa.SpaceImage:
		b.invalid("a texel pointer takes atomic operations only")
	}
	var out []*ir.Value
	for _, c := range b.shape(p.typ, p.layout).chunks {
		out = append(out, b.loadChunk(p, c)...)
	}
	return out
}

func (b *pointers) loadChunk(p pointer, c chunk) []*ir.Value {
	if p.layout.opencl && p.space == isa.SpaceScratch {
		return b.loadBytes(p, c)
	}
	m, args := b.mem(p, memType(c.t), c.off, c.n)
	if c.n == 1 {
		v := b.emit(isa.Load, m.Elem, m.Elem, args...)
		v.Mem = m
		return []*ir.Value{b.unword(v, c.t)}
	}
	v := b.emit(isa.Load, m.Elem, isa.Void, args...)
	v.Mem = m
	out := make([]*ir.Value, c.n)
	for i := range out {
		out[i] = b.unword(b.proj(v, i, m.Elem), c.t)
	}
	return out
}

// proj returns the i-th result of a wide load.
func (b *pointers) proj(v *ir.Value, i int, t isa.Type) *ir.Value {
	r := b.emit(isa.Proj, t, t, v)
	r.Imm = uint64(i)
	return r
}

// memType returns the type of a scalar in memory.
func memType(t isa.Type) isa.Type {
	if t == isa.Bool {
		return isa.I32
	}
	return t
}

func (b *pointers) storeLeaves(p pointer, leaves []*ir.Value) {
	if p.handle != nil {
		b.unsupported("a store of a whole payload array")
	}
	switch p.space {
	case isa.SpaceScratch:
		if !p.layout.opencl {
			b.storeSlots(p, leaves)
			return
		}
	case spaceInput, isa.SpacePush, isa.SpaceImage:
		b.invalid("a store to read-only memory")
	}
	for _, c := range b.shape(p.typ, p.layout).chunks {
		b.storeChunk(p, c, leaves[:c.n])
		leaves = leaves[c.n:]
	}
}

func (b *pointers) storeChunk(p pointer, c chunk, leaves []*ir.Value) {
	if p.layout.opencl && p.space == isa.SpaceScratch {
		b.storeBytes(p, c, leaves)
		return
	}
	m, args := b.mem(p, memType(c.t), c.off, c.n)
	for _, v := range leaves {
		args = append(args, b.word(b.coerce(v, c.t)))
	}
	b.emit(isa.Store, m.Elem, isa.Void, args...).Mem = m
	b.wrote(p)
}

// mem describes an access of n elements at off bytes from a pointer, with the
// address arguments.
func (b *pointers) mem(p pointer, elem isa.Type, off uint32, n uint8) (*ir.Mem, []*ir.Value) {
	m := &ir.Mem{
		Access: isa.Access{Space: p.space, Binding: p.binding, Dynamic: p.dynamic, Offset: p.offset + off, Elem: elem, Count: n, Coherent: p.coherent, Payload: p.payload, Argument: p.argument},
		Object: p.object, Volatile: p.volatile, NonWritable: p.nonWritable, Align: max(p.align, memBytes(elem)), Arrays: p.arrays,
	}
	if p.index == nil {
		m.Align = max(m.Align, baseAlign)
	}
	var args []*ir.Value
	if p.index != nil {
		m.HasIndex = true
		args = append(args, p.index)
	}
	if p.bindex != nil {
		m.HasBindex = true
		args = append(args, p.bindex)
	}
	switch {
	case p.dynamic:
		m.Binding = 0
	case p.tabled:
		b.kernels.tables = append(b.kernels.tables, m)
	}
	m.ReadOnly = p.readOnly
	return m, args
}

// wrote records that the entry point writes through a pointer.
func (b *pointers) wrote(p pointer) {
	if p.payload {
		p.space = spacePayload
	}
	b.writes[object{p.space, p.object}] = true
}

// loadSlots reads a Function or Private variable.
func (b *pointers) loadSlots(p pointer) []*ir.Value {
	if p.elementIndex != nil {
		return []*ir.Value{b.partOf(p, b.loadSlot(p, isa.I32, 0))}
	}
	types := b.leafTypes(p.typ)
	out := make([]*ir.Value, len(types))
	for i, t := range types {
		out[i] = b.loadSlot(p, t, i)
	}
	return out
}

func (b *pointers) loadSlot(p pointer, t isa.Type, i int) *ir.Value {
	m, args := b.slot(p, t, i)
	v := b.emit(isa.Load, m.Elem, m.Elem, args...)
	v.Mem = m
	leaf := b.unword(v, t)
	b.readWritten(p, i, leaf)
	return leaf
}

// partOf returns the element of a cooperative matrix, in its register, to which a pointer points.
func (b *pointers) partOf(p pointer, word *ir.Value) *ir.Value {
	if p.elementIndex.Op == isa.Const {
		return b.elementOf(p.matrix, word, int(p.elementIndex.Imm))
	}
	bits := p.matrix.elem.Bits()
	shift := b.op(isa.IMul, isa.I32, p.elementIndex, b.i32(uint32(bits)))
	return b.retype(b.widen(b.op(isa.Shr, isa.I32, word, shift), isa.IntType(bits)), p.matrix.elem)
}

// withPart returns the register with the element replaced to which a pointer points.
func (b *pointers) withPart(p pointer, word, v *ir.Value) *ir.Value {
	c := p.matrix
	if p.elementIndex.Op == isa.Const {
		parts := make([]*ir.Value, c.PerReg)
		for i := range parts {
			parts[i] = b.elementOf(c, word, i)
		}
		parts[p.elementIndex.Imm] = v
		return b.packed(c, parts)
	}
	bits := c.elem.Bits()
	at := b.op(isa.IMul, isa.I32, p.elementIndex, b.i32(uint32(bits)))
	wide := b.widen(b.retype(b.coerce(v, c.elem), isa.IntType(bits)), isa.I32)
	return b.op(isa.BitFieldInsert, isa.I32, word, wide, at, b.i32(uint32(bits)))
}

func (b *pointers) storeSlots(p pointer, leaves []*ir.Value) {
	if p.elementIndex != nil {
		leaves = []*ir.Value{b.withPart(p, b.loadSlot(p, isa.I32, 0), leaves[0])}
		m, args := b.slot(p, isa.I32, 0)
		b.emit(isa.Store, m.Elem, isa.Void, append(args, leaves...)...).Mem = m
		b.setWritten(p, 0, b.i32(1))
		return
	}
	types := b.leafTypes(p.typ)
	if len(types) != len(leaves) {
		b.invalid("%d scalars stored to a type of %d", len(leaves), len(types))
	}
	for i, t := range types {
		m, args := b.slot(p, t, i)
		from := len(b.blk.Code)
		b.emit(isa.Store, m.Elem, isa.Void, append(args, b.word(b.coerce(leaves[i], t)))...).Mem = m
		b.storeWritten(p, i, leaves[i], from)
	}
}

// slot describes an access to the i-th scalar from a pointer to scratch.
func (b *pointers) slot(p pointer, t isa.Type, i int) (*ir.Mem, []*ir.Value) {
	m := &ir.Mem{
		Access: isa.Access{Space: isa.SpaceScratch, Offset: p.offset + uint32(i)*p.local.SlotWords, Elem: memType(t), Count: 1},
		Object: p.local.ID, Volatile: p.volatile, Align: 4 * p.local.SlotWords, Local: p.local, Arrays: p.arrays,
	}
	if p.index == nil {
		return m, nil
	}
	m.HasIndex, m.Low, m.High = true, p.low, p.high
	return m, []*ir.Value{p.index}
}

// copyMemory carries out OpCopyMemory: the target's operands come first, the
// source's may follow.
func (b *pointers) copyMemory() {
	dst, src := b.ptrTo(b.arg(0), b.typeOf(b.arg(1)).Elem), b.ptrTo(b.arg(1), b.typeOf(b.arg(0)).Elem)
	to, next := b.memoryAccess(2)
	from := to
	if next < len(b.in.Operands) {
		from, _ = b.memoryAccess(next)
	}
	to.apply(&dst)
	from.apply(&src)
	b.storeLeaves(dst, b.loadLeaves(src))
}

// copyMemorySized copies a constant number of bytes, word by word.
func (b *pointers) copyMemorySized() {
	dst, src := b.anyPtr(b.arg(0)), b.anyPtr(b.arg(1))
	to, next := b.memoryAccess(3)
	from := to
	if next < len(b.in.Operands) {
		from, _ = b.memoryAccess(next)
	}
	to.apply(&dst)
	from.apply(&src)
	if b.scalarOf(b.arg(2)).Op != isa.Const {
		b.unsupported("a sized copy of a size that is not constant")
	}
	n := b.constBits(b.arg(2))
	slots := (dst.space == isa.SpaceScratch || src.space == isa.SpaceScratch) && !b.isKernel()
	if n > 4*maxLeaves || slots || src.space == spaceInput {
		b.unsupported("a sized copy of %d bytes here", n)
	}
	b.copyBytes(dst, src, uint32(n), min(max(to.align, 4), max(from.align, 4)))
}

// copyBytes copies n bytes between addresses that are multiples of align.
func (b *pointers) copyBytes(dst, src pointer, n, align uint32) {
	for off := uint32(0); off < n; {
		t := isa.I32
		if n-off < 4 || align < 4 {
			t = isa.I8
		}
		b.storeChunk(dst, chunk{off: off, t: t, n: 1}, b.loadChunk(src, chunk{off: off, t: t, n: 1}))
		off += memBytes(t)
	}
}

// arrayLength translates OpArrayLength: the number of elements that fit the buffer.
func (b *pointers) arrayLength() {
	b.lengthOf(b.ptr(b.arg(0)), int(b.arg(1)))
}

// lengthOf sets the result to the length of the array that is member i of a pointer's structure.
func (b *pointers) lengthOf(p pointer, i int) {
	t := p.typ
	if p.space != isa.SpaceBuffer || t.Kind != validate.KindStruct || i >= len(t.Members) {
		b.unsupported("the array length of %%%d", b.arg(0))
	}
	off, _ := b.member(t, i, p.layout)
	stride, ok := b.m.Decoration(t.Members[i].ID, spirv.DecorationArrayStride)
	if !ok || stride == 0 {
		b.invalid("array type %%%d has no ArrayStride", t.Members[i].ID)
	}
	whole := p
	whole.index, whole.offset = nil, 0
	m, args := b.mem(whole, isa.I32, 0, 1)
	size := b.emit(isa.BufferSize, isa.I32, isa.I32, args...)
	size.Mem = m
	start := b.address(pointer{typ: t, space: p.space, index: p.index, offset: p.offset + off})
	space := b.op(isa.ISub, isa.I32, size, b.op(isa.UMin, isa.I32, start, size))
	b.set(b.op(isa.UDiv, isa.I32, space, b.i32(stride)))
}

// markWrites sets ReadOnly of loads and Writes of bindings, once everything
// that the entry point writes is known.
func (b *pointers) markWrites() {
	w := b.writes
	flat := w[object{isa.SpaceFlat, -1}]
	any := flat || w[object{isa.SpaceBuffer, -1}]
	anyBuffer := any
	for i := range b.f.Bindings {
		n := b.bindingObject(i)
		written := w[object{isa.SpaceBuffer, n}]
		anyBuffer = anyBuffer || written
		kind := b.f.Bindings[i].Kind
		b.f.Bindings[i].Writes = written || w[object{isa.SpaceImage, n}] || any && kind == ir.StorageBuffer
	}
	for _, blk := range b.f.Blocks {
		for _, v := range blk.Code {
			if m := v.Mem; m != nil && (v.Op == isa.Load || v.Op == isa.ImageLoad || v.Op.Has(isa.FlagSamples) && v.Op != isa.ImageQueryLod) && !m.Volatile {
				m.ReadOnly = m.ReadOnly || b.readOnly(m, any, anyBuffer)
			}
		}
	}
}

func (b *pointers) readOnly(m *ir.Mem, any, anyBuffer bool) bool {
	if m.Payload {
		return b.payloadReadOnly(m)
	}
	switch m.Space {
	case isa.SpacePush:
		return true
	case isa.SpaceFlat:
		return !anyBuffer
	case isa.SpaceBuffer:
		switch {
		case m.Object < 0:
			return !anyBuffer
		case b.f.Bindings[m.Object].Kind == ir.UniformBuffer:
			return true // whatever pointers write: Mesa's compilers reorder all of its loads as well (ACCESS_CAN_REORDER)
		}
		return !any && !b.writes[object{isa.SpaceBuffer, m.Object}]
	case isa.SpaceImage:
		return !b.writes[object{isa.SpaceImage, m.Object}] && !b.writes[object{isa.SpaceImage, -1}]
	}
	return false
}

// fence waits for the wave's memory accesses, when the semantics ask for any
// order.
func (b *pointers) fence(scope, semantics uint64) {
	if !orders(semantics) {
		return
	}
	b.emit(isa.MemoryBarrier, isa.Void, isa.Void)
	if scopes := fenceScopes(spirv.Scope(scope), spirv.MemorySemantics(semantics)); b.opt.Check && scopes != 0 {
		b.emit(isa.LaneOrder, isa.Void, isa.Void).Imm = scopes
	}
}

// fenceScope returns the scope of a memory barrier from an operand, which only programs that are checked need.
func (b *pointers) fenceScope(operand int) uint64 {
	if !b.opt.Check {
		return 0
	}
	return b.constBits(b.arg(operand))
}

// fenceScopes returns the Imm of the LaneOrder of a memory barrier.
func fenceScopes(s spirv.Scope, semantics spirv.MemorySemantics) (imm uint64) {
	const shared = spirv.MemorySemanticsUniformMemory | spirv.MemorySemanticsCrossWorkgroupMemory | spirv.MemorySemanticsImageMemory
	switch s {
	case spirv.ScopeWorkgroup:
		return 1
	case spirv.ScopeCrossDevice, spirv.ScopeDevice, spirv.ScopeQueueFamily:
		if semantics&shared != 0 {
			return 3
		}
		return 1
	}
	return 0
}

// orders reports that memory semantics ask for any order.
func orders(semantics uint64) bool {
	const order = spirv.MemorySemanticsAcquire | spirv.MemorySemanticsRelease |
		spirv.MemorySemanticsAcquireRelease | spirv.MemorySemanticsSequentiallyConsistent
	return spirv.MemorySemantics(semantics)&order != 0
}

// modf carries out Modf: the fraction, and the whole part through a pointer.
func (b *pointers) modf() {
	x := b.x(0)
	whole := b.apply(isa.Trunc, x)
	b.storeLeaves(b.ptr(b.arg(3)), whole)
	b.set(b.combine(isa.FSub, x, whole)...)
}

func (b *pointers) frexp() {
	x, p := b.x(0), b.ptr(b.arg(3))
	b.storeLeaves(p, b.exponents(x, b.comp(p.typ)))
	b.set(b.apply(isa.FrexpMant, x)...)
}

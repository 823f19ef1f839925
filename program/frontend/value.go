package frontend

import (
	"slices"

	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/spirv"
	"spvsim/spirv/validate"
)

// A val is the meaning of an id: the scalar leaves of a value in memory order, or a pointer, or an image. Pointers turn
// into leaves only where they must be values (see leavesOf).
type val struct {
	leaves []*ir.Value
	ptr    *pointer
}

// leafList is the flat form of a type.
type leafList []isa.Type

// values holds the meaning of ids: constants, and results of instructions.
type values struct {
	*core
	globals map[spirv.ID]val  // constants and module variables
	scope   map[spirv.ID]val  // values of the function being inlined; nil outside functions
	pending map[spirv.ID]bool // constants being evaluated
	leafs   map[spirv.ID]leafList
	coops   map[spirv.ID]*coop // cooperative matrix types
	total   int                // scalars of the types flattened and laid out
	kernels kernels

	// operation returns the translation of an opcode within OpSpecConstantOp, from the tables of all parts; nil if the
	// opcode is not allowed there.
	operation func(op spirv.Op) func()
}

// leafTypes returns the scalars that a value of a type consists of.
func (b *values) leafTypes(t *validate.Type) leafList {
	if list, ok := b.leafs[t.ID]; ok {
		return list
	}
	list := b.flatten(t)
	b.leafs[t.ID] = list
	b.account(len(list))
	return list
}

func (b *values) flatten(t *validate.Type) leafList {
	switch t.Kind {
	case validate.KindVoid:
		return nil
	case validate.KindBool, validate.KindInt, validate.KindFloat:
		return leafList{b.scalar(t)}
	case validate.KindVector, validate.KindMatrix, validate.KindArray:
		return b.repeat(b.leafTypes(t.Elem), b.count(t))
	case validate.KindStruct:
		var list leafList
		for _, m := range t.Members {
			list = append(list, b.leafTypes(m)...)
			b.limitLeaves(len(list))
		}
		return list
	case validate.KindPointer:
		return b.pointerLeaves(t)
	case validate.KindNodePayloadArray:
		return leafList{isa.I64} // a handle
	case validate.KindOther:
		if t.Def.Op == spirv.OpTypeEvent {
			return leafList{isa.I64} // of a copy that has been carried out: without contents
		}
	case validate.KindCooperativeMatrix:
		c := b.coop(t)
		return b.repeat(leafList{c.leaf()}, c.tiles()*c.perTile())
	}
	b.unsupported("a value of type %s %%%d", t.Def.Op, t.ID)
	return nil
}

func (b *values) limitLeaves(n int) {
	if n > maxLeaves {
		b.unsupported("a value of more than %d scalars", maxLeaves)
	}
}

// account bounds the memory that types may take.
func (b *values) account(n int) {
	if b.total += n; b.total > maxTotal {
		b.unsupported("types of more than %d scalars together", maxTotal)
	}
}

func (b *values) repeat(elem leafList, n int) leafList {
	if len(elem) > 0 && n > maxLeaves/len(elem) {
		b.limitLeaves(maxLeaves + 1)
	}
	if len(elem) == 0 {
		return nil
	}
	return slices.Repeat(elem, n)
}

// count returns the number of elements of a vector, matrix or array.
func (b *values) count(t *validate.Type) int {
	if t.Kind != validate.KindArray || t.Count > 0 {
		return t.Count
	}
	n := b.constBits(t.CountID)
	if n == 0 || n > 1<<31 {
		b.invalid("array %%%d has length %d", t.ID, int64(n))
	}
	return int(n)
}

// val looks an id up.
func (b *values) val(id spirv.ID) val {
	if v, ok := b.scope[id]; ok {
		return v
	}
	if v, ok := b.globals[id]; ok {
		return v
	}
	if b.globalConstant(id) {
		return b.globals[id]
	}
	if def := b.m.Def(id); def != nil && def.Op == spirv.OpVariable {
		b.unsupported("%%%d: %s", id, b.variableFault(def))
	}
	b.invalid("%%%d has no value here", id)
	return val{}
}

// leaves returns the scalars of a value.
func (b *values) leaves(id spirv.ID) []*ir.Value { return b.leavesOf(b.val(id)) }

func (b *values) scalarOf(id spirv.ID) *ir.Value {
	list := b.leaves(id)
	if len(list) != 1 {
		b.invalid("%%%d is not a scalar", id)
	}
	return list[0]
}

// set sets the current instruction's result to leaves.
func (b *values) set(leaves ...*ir.Value) {
	types := b.leafTypes(b.resultType())
	if len(types) != len(leaves) {
		b.invalid("%d scalars for a result of %d", len(leaves), len(types))
	}
	for i, t := range types {
		if v := b.coerce(leaves[i], t); v != leaves[i] {
			leaves = slices.Clone(leaves) // an operand may own the list
			leaves[i] = v
		}
	}
	b.define(val{leaves: leaves})
}

func (b *values) define(v val) {
	if b.scope == nil {
		b.globals[b.in.Result] = v
		return
	}
	b.scope[b.in.Result] = v
}

// constBits returns the value of an integer or boolean constant, sign-extended if
// its type is signed.
func (b *values) constBits(id spirv.ID) uint64 {
	v := b.scalarOf(id)
	if v.Op != isa.Const {
		b.invalid("%%%d is not a constant", id)
	}
	if t := b.typeOf(id); t.Kind == validate.KindInt && t.Signed {
		shift := 64 - v.R.Bits()
		return uint64(int64(v.Imm<<shift) >> shift)
	}
	return v.Imm
}

func (b *values) compositeConstruct() {
	if c := b.coop(b.resultType()); c != nil {
		b.splatConstant(c)
		return
	}
	var out []*ir.Value
	for i := range b.in.Operands {
		out = append(out, b.leaves(b.arg(i))...)
	}
	b.set(out...)
}

// replicate makes a composite whose parts all equal the one operand; a cooperative matrix has one operand in any case.
func (b *values) replicate() {
	if c := b.coop(b.resultType()); c != nil {
		b.splatConstant(c)
		return
	}
	whole, part := len(b.leafTypes(b.resultType())), b.leaves(b.arg(0))
	if len(part) == 0 || whole%len(part) != 0 {
		b.invalid("parts of %d scalars in a composite of %d", len(part), whole)
	}
	b.set(slices.Repeat(part, whole/len(part))...)
}

// once puts values that depend on nothing at the start of the entry block.
func (b *values) once(make func() []*ir.Value) []*ir.Value {
	blk, scope := b.blk, b.scope
	b.blk, b.scope = &ir.Block{}, nil
	v := make()
	b.head = append(b.head, b.blk.Code...)
	b.blk, b.scope = blk, scope
	return v
}

// onceOne is once for a single value.
func (b *values) onceOne(make func() *ir.Value) *ir.Value {
	return b.once(func() []*ir.Value { return []*ir.Value{make()} })[0]
}

// pointerLeaves returns the types of the scalars of a pointer that must be a value: a flattened descriptor index and a
// byte offset, an LDS offset, or an address.
func (b *values) pointerLeaves(t *validate.Type) leafList {
	switch t.Storage {
	case spirv.StorageClassStorageBuffer, spirv.StorageClassUniform:
		return leafList{isa.I32, isa.I32}
	case spirv.StorageClassWorkgroup:
		return leafList{isa.I32}
	case spirv.StorageClassFunction:
		if b.isKernel() {
			return leafList{isa.I32}
		}
	case spirv.StorageClassPhysicalStorageBuffer, spirv.StorageClassNodePayloadAMDX:
		return leafList{isa.I64}
	case spirv.StorageClassCrossWorkgroup, spirv.StorageClassUniformConstant:
		if b.isKernel() {
			return leafList{b.flatType()}
		}
	}
	b.unsupported("a pointer to %s as a value", t.Storage)
	return nil
}

// leavesOf returns the scalars of a value, pointers included.
func (b *values) leavesOf(v val) []*ir.Value {
	if v.ptr == nil {
		return v.leaves
	}
	p := *v.ptr
	b.knownLayout(&p)
	switch {
	case p.handle != nil:
		return []*ir.Value{p.handle}
	case p.space == isa.SpaceFlat:
		return []*ir.Value{b.widen(b.address(p), b.flatType())}
	case p.space == isa.SpaceLDS || p.local != nil && p.local == b.kernels.shared:
		return []*ir.Value{b.address(p)}
	case p.tabled && !b.kernels.constants:
		return []*ir.Value{b.widen(b.address(p), b.flatType())}
	case p.tabled:
		return []*ir.Value{b.widen(b.op(isa.IAdd, isa.I64, b.kernels.data, b.widen(b.address(p), isa.I64)), b.flatType())}
	case p.space == isa.SpaceBuffer && !p.array:
		return []*ir.Value{b.descriptor(p), b.address(p)}
	}
	b.unsupported("this pointer as a value")
	return nil
}

// knownLayout refuses pointers as values if the layout of the pointee depends on members of an enclosing structure
// (MatrixStride and RowMajor): the value has the type alone.
func (b *values) knownLayout(p *pointer) {
	t := p.typ
	for t != nil && isArray(t) {
		t = t.Elem
	}
	if p.space != isa.SpaceScratch && !p.layout.natural && t != nil && (t.Kind == validate.KindMatrix || p.layout.vecStride != 0) {
		b.unsupported("a pointer to a matrix, or to a column of one with rows, as a value")
	}
}

// flatType is the type of an address of device memory as a value.
func (b *values) flatType() isa.Type {
	if face := b.kernels.face; face != nil && face.Physical == 32 {
		return isa.I32
	}
	return isa.I64
}

// address returns the whole byte address within the pointer's space.
func (b *values) address(p pointer) *ir.Value {
	t := p.addressType()
	off := b.constant(t, uint64(p.offset))
	if p.index == nil {
		return off
	}
	index := p.index
	if p.words {
		index = b.op(isa.Shl, t, index, b.constant(t, 2))
	}
	if p.offset == 0 {
		return index
	}
	return b.op(isa.IAdd, t, index, off)
}

// descriptor returns the absolute index of the pointer's buffer in the flattened list of descriptors.
func (b *values) descriptor(p pointer) *ir.Value {
	if p.dynamic {
		return p.bindex
	}
	first := uint32(0)
	for _, d := range b.f.Bindings[:p.binding] {
		if d.Count == 0 {
			b.unsupported("a variable pointer to a descriptor after an array of run-time size")
		}
		first += d.Count
	}
	if p.bindex == nil {
		return b.i32(first)
	}
	return b.op(isa.IAdd, isa.I32, p.bindex, b.i32(first))
}

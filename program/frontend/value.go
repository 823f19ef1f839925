package frontend

import (
	"slices"

	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/spirv"
	"spvsim/spirv/validate"
)

// A val is what an id stands for: the scalar leaves of a value in memory
// order, or a pointer, or an image. Pointers turn into leaves only where they
// must be values (see leavesOf).
type val struct {
	leaves []*ir.Value
	ptr    *pointer
}

// leafList is the flat form of a type.
type leafList []isa.Type

// leafTypes returns the scalars that a value of a type consists of.
func (b *builder) leafTypes(t *validate.Type) leafList {
	if list, ok := b.leafs[t.ID]; ok {
		return list
	}
	list := b.flatten(t)
	b.leafs[t.ID] = list
	b.account(len(list))
	return list
}

func (b *builder) flatten(t *validate.Type) leafList {
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
	}
	b.unsupported("a value of type %s %%%d", t.Def.Op, t.ID)
	return nil
}

func (b *builder) limitLeaves(n int) {
	if n > maxLeaves {
		b.unsupported("a value of more than %d scalars", maxLeaves)
	}
}

// account bounds the memory that types may take.
func (b *builder) account(n int) {
	if b.total += n; b.total > maxTotal {
		b.unsupported("types of more than %d scalars together", maxTotal)
	}
}

func (b *builder) repeat(elem leafList, n int) leafList {
	if len(elem) > 0 && n > maxLeaves/len(elem) {
		b.limitLeaves(maxLeaves + 1)
	}
	if len(elem) == 0 {
		return nil
	}
	list := make(leafList, 0, n*len(elem))
	for range n {
		list = append(list, elem...)
	}
	return list
}

// scalar is the type of a scalar of the module.
func (b *builder) scalar(t *validate.Type) isa.Type {
	switch t.Kind {
	case validate.KindBool:
		return isa.Bool
	case validate.KindInt:
		return isa.IntType(uint(t.Width))
	case validate.KindFloat:
		if t.BFloat16OrOtherEncoded {
			b.unsupported("floating-point encoding of %%%d", t.ID)
		}
		return isa.FloatType(uint(t.Width))
	case validate.KindPointer:
		if t.Storage == spirv.StorageClassPhysicalStorageBuffer {
			return isa.I64
		}
	}
	b.invalid("%%%d is no scalar type", t.ID)
	return isa.Void
}

// comp is the scalar type of a scalar or vector.
func (b *builder) comp(t *validate.Type) isa.Type { return b.scalar(t.Component()) }

// count is the number of elements of a vector, matrix or array.
func (b *builder) count(t *validate.Type) int {
	if t.Kind != validate.KindArray || t.Count > 0 {
		return t.Count
	}
	n := b.constBits(t.CountID)
	if n == 0 || n > 1<<31 {
		b.invalid("array %%%d has length %d", t.ID, int64(n))
	}
	return int(n)
}

// typ is the type with an id.
func (b *builder) typ(id spirv.ID) *validate.Type {
	t := b.m.Type(id)
	if t == nil {
		b.invalid("%%%d is no type", id)
	}
	return t
}

// resultType is the type of the current instruction's result.
func (b *builder) resultType() *validate.Type { return b.typ(b.in.Type) }

// typeOf is the type of the value that an id names.
func (b *builder) typeOf(id spirv.ID) *validate.Type {
	t := b.m.TypeOf(id)
	if t == nil {
		b.invalid("%%%d is no value", id)
	}
	return t
}

// arg is the i-th operand of the current instruction, an id.
func (b *builder) arg(i int) spirv.ID {
	if i >= len(b.in.Operands) {
		b.invalid("operand %d is missing", i)
	}
	return spirv.ID(b.in.Operands[i])
}

// val looks an id up.
func (b *builder) val(id spirv.ID) val {
	if b.fr != nil {
		if v, ok := b.fr.vals[id]; ok {
			return v
		}
	}
	if v, ok := b.globals[id]; ok {
		return v
	}
	if b.constant(id) {
		return b.globals[id]
	}
	if def := b.m.Def(id); def != nil && def.Op == spirv.OpVariable {
		b.unsupported("%%%d: %s", id, b.variableFault(def))
	}
	b.invalid("%%%d has no value here", id)
	return val{}
}

// leaves returns the scalars of a value.
func (b *builder) leaves(id spirv.ID) []*ir.Value { return b.leavesOf(b.val(id)) }

// leaf returns a scalar value.
func (b *builder) leaf(id spirv.ID) *ir.Value {
	list := b.leaves(id)
	if len(list) != 1 {
		b.invalid("%%%d is no scalar", id)
	}
	return list[0]
}

// set gives the current instruction's result its leaves.
func (b *builder) set(leaves ...*ir.Value) {
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

// coerce gives a value the type that the module says it has. A width that
// differs is a fault of the module.
func (b *builder) coerce(v *ir.Value, t isa.Type) *ir.Value {
	if v.R.Bits() != t.Bits() {
		b.invalid("a value of type %s where %s is wanted", v.R, t)
	}
	return b.retype(v, t)
}

func (b *builder) define(v val) {
	if b.fr == nil {
		b.globals[b.in.Result] = v
		return
	}
	b.fr.vals[b.in.Result] = v
}

// emit appends an operation whose result has type r.
func (b *builder) emit(op isa.Op, t, r isa.Type, args ...*ir.Value) *ir.Value {
	return b.blk.Append(b.make(op, t, r, args...))
}

func (b *builder) make(op isa.Op, t, r isa.Type, args ...*ir.Value) *ir.Value {
	if b.f.NumValues() > maxValues {
		b.unsupported("the inlined function has more than %d values", maxValues)
	}
	b.checkSources(op, t, args)
	v := b.f.NewValue(op, t, r, args...)
	v.Line = b.line
	if b.in != nil {
		v.SPIRV, v.NoContract = b.nearestID(), b.noContraction(b.in.Result)
	}
	return v
}

// checkSources tests the widths of sources that the operation's row fixes: an
// operand of the wrong type must end here, not in the machine.
func (b *builder) checkSources(op isa.Op, t isa.Type, args []*ir.Value) {
	if isa.NumSources(op) != len(args) {
		return // memory, phis, projections: checked where they are made
	}
	for i, a := range args {
		want := isa.SourceType(op, i, t, isa.Void)
		if want != isa.Void && want.Bits() != a.R.Bits() {
			b.invalid("operand %d has type %s, the operation takes %s", i, a.R, want)
		}
	}
}

// nearestID is the id that listings show for the current instruction: its
// result, or what it stores to.
func (b *builder) nearestID() uint32 {
	if b.in.Result == 0 && len(b.in.Operands) > 0 && storesTo[b.in.Op] {
		return b.in.Operands[0]
	}
	return uint32(b.in.Result)
}

// storesTo lists the instructions without result whose first operand is the
// pointer or image that they write, or the payload array that they hand over.
var storesTo = map[spirv.Op]bool{
	spirv.OpEnqueueNodePayloadsAMDX: true,

	spirv.OpStore: true, spirv.OpCopyMemory: true, spirv.OpCopyMemorySized: true,
	spirv.OpAtomicStore: true, spirv.OpImageWrite: true,
}

// noContraction reports a result that may not be fused with another operation:
// decorated so, or with a floating-point mode that does not allow it.
func (b *builder) noContraction(id spirv.ID) bool {
	if id == 0 {
		return false
	}
	mode, ok := b.m.Decoration(id, spirv.DecorationFPFastMathMode)
	return b.m.Decorated(id, spirv.DecorationNoContraction) ||
		ok && spirv.FPFastMathMode(mode)&spirv.FPFastMathModeAllowContract == 0
}

// op appends an operation whose sources and result have type t.
func (b *builder) op(op isa.Op, t isa.Type, args ...*ir.Value) *ir.Value {
	return b.emit(op, t, t, args...)
}

// cmp appends a comparison of sources of type t.
func (b *builder) cmp(op isa.Op, t isa.Type, args ...*ir.Value) *ir.Value {
	return b.emit(op, t, isa.Bool, args...)
}

// conv appends a conversion.
func (b *builder) conv(op isa.Op, from, to isa.Type, a *ir.Value) *ir.Value {
	v := b.emit(op, to, to, a)
	v.From = from
	return v
}

// sel appends a selection between values of one type.
func (b *builder) sel(c, x, y *ir.Value) *ir.Value {
	return b.emit(isa.Select, x.R, x.R, c, x, y)
}

type constKey struct {
	t    isa.Type
	bits uint64
}

// cnst is the constant with the given bits.
func (b *builder) cnst(t isa.Type, bits uint64) *ir.Value {
	bits &= t.Mask()
	key := constKey{t, bits}
	if v := b.consts[key]; v != nil {
		return v
	}
	v := b.f.NewValue(isa.Const, t, t)
	v.Imm = bits
	b.consts[key] = v
	b.head = append(b.head, v)
	return v
}

func (b *builder) i32(n uint32) *ir.Value { return b.cnst(isa.I32, uint64(n)) }

func (b *builder) truth(x bool) *ir.Value {
	if x {
		return b.cnst(isa.Bool, 1)
	}
	return b.cnst(isa.Bool, 0)
}

// undef is a value without meaning.
func (b *builder) undef(t isa.Type) *ir.Value {
	key := constKey{t: t}
	if v := b.undefs[key]; v != nil {
		return v
	}
	v := b.f.NewValue(isa.Undef, t, t)
	b.undefs[key] = v
	b.head = append(b.head, v)
	return v
}

// constBits is the value of an integer or boolean constant, sign-extended if
// its type is signed.
func (b *builder) constBits(id spirv.ID) uint64 {
	v := b.leaf(id)
	if v.Op != isa.Const {
		b.invalid("%%%d is no constant", id)
	}
	if t := b.typeOf(id); t.Kind == validate.KindInt && t.Signed {
		shift := 64 - v.R.Bits()
		return uint64(int64(v.Imm<<shift) >> shift)
	}
	return v.Imm
}

// word turns a boolean into a 32-bit 0 or 1, for memory and lane exchange.
func (b *builder) word(v *ir.Value) *ir.Value {
	if v.R != isa.Bool {
		return v
	}
	return b.sel(v, b.i32(1), b.i32(0))
}

// unword is the inverse of word.
func (b *builder) unword(v *ir.Value, t isa.Type) *ir.Value {
	if t != isa.Bool {
		return v
	}
	return b.cmp(isa.INe, isa.I32, v, b.i32(0))
}

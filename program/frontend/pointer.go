package frontend

import (
	"math/bits"

	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/spirv"
	"spvsim/spirv/validate"
)

// spaceInput is the space of built-in inputs: values, not memory.
const spaceInput isa.Space = 0xff

// baseAlign is the assumed alignment of buffers and LDS variables, in bytes: every Vulkan implementation's largest
// vector.
const baseAlign = 16

// pointers holds the memory that a shader reads and writes: variables, access
// chains, loads and stores.
type pointers struct {
	*layouts
	writes  map[object]bool // objects written, by space and number
	private []initStore
	graph   graph
	written writtenState
}

// An object is memory that accesses to other objects do not overlap.
type object struct {
	space isa.Space
	n     int
}

// A pointer is the target of a pointer of the module. It is a value of the front end only.
type pointer struct {
	typ    *validate.Type // pointee
	space  isa.Space
	layout layout

	index  *ir.Value // dynamic part of the address, in bytes (words in scratch); nil if none
	offset uint32    // constant part
	align  uint32    // of index, bytes
	stride uint32    // bytes between the elements of the array that it points into; 0: unknown
	arrays [2]ir.Array

	object      int
	volatile    bool
	coherent    bool
	nonWritable bool

	// Buffers and images.
	binding int
	array   bool      // still the whole array of descriptors
	bindex  *ir.Value // element of the array; absolute if dynamic
	dynamic bool

	// Scratch.
	local     *ir.Local
	low, high uint32 // words that index can reach; high 0: no dynamic index
	words     bool   // in the layout of OpenCL: index counts words, not bytes

	tabled   bool // in the constant data of the program
	readOnly bool // nothing writes the memory while the kernel runs

	matrix       *coop     // of an element of a cooperative matrix in scratch
	elementIndex *ir.Value // index of the element in its register; nil: all

	sampler int       // of a sampled image: binding of the sampler, plus 1; 0: none
	sindex  *ir.Value // element of an array of samplers

	argument uint32 // see isa.Access

	payload bool      // payload memory, in SpaceFlat
	handle  *ir.Value // of the payload array pointed to

	input []*ir.Value // spaceInput: the leaves of the pointee
	// Texel pointers.
	coords  []*ir.Value
	texture isa.Texture
}

// ptr returns the pointer that an id names. Its type names the pointee.
func (b *pointers) ptr(id spirv.ID) pointer {
	p := b.anyPtr(id)
	if b.typeOf(id).Untyped() {
		b.unsupported("an untyped pointer as an operand of %s", b.in.Op)
	}
	return p
}

func (b *pointers) anyPtr(id spirv.ID) pointer {
	v := b.val(id)
	if v.ptr != nil {
		return *v.ptr
	}
	t := b.typeOf(id)
	if t.Kind != validate.KindPointer {
		b.invalid("%%%d is not a pointer", id)
	}
	p := b.pointerOf(t, v.leaves)
	b.decorate(&p, b.m.Decorations(id))
	return p
}

// decorate applies the memory decorations of a variable or member.
func (b *pointers) decorate(p *pointer, list []validate.Decoration) {
	for _, d := range list {
		switch d.Kind {
		case spirv.DecorationVolatile:
			p.volatile = true
		case spirv.DecorationCoherent:
			p.coherent = true
		case spirv.DecorationNonWritable:
			p.nonWritable = true
		}
	}
}

func (b *pointers) pointerOf(t *validate.Type, leaves []*ir.Value) pointer {
	p := pointer{typ: t.Elem, object: -1}
	if want := b.pointerLeaves(t); len(want) != len(leaves) {
		b.invalid("%d scalars for a pointer of %d", len(leaves), len(want))
	}
	switch t.Storage {
	case spirv.StorageClassCrossWorkgroup, spirv.StorageClassFunction, spirv.StorageClassUniformConstant:
		return b.kernelPointer(t, leaves[0])
	case spirv.StorageClassWorkgroup:
		p.space, p.index, p.align = isa.SpaceLDS, leaves[0], 1
		p.layout = layout{natural: !b.explicitLDS(), opencl: b.isKernel()}
	case spirv.StorageClassPhysicalStorageBuffer:
		p.space, p.index, p.align = isa.SpaceFlat, leaves[0], 1
	case spirv.StorageClassNodePayloadAMDX:
		return b.payloadPointerOf(t.Elem, leaves[0])
	default:
		p.space, p.dynamic, p.bindex, p.index, p.align = isa.SpaceBuffer, true, leaves[0], leaves[1], 1
	}
	b.knownLayout(&p)
	return p
}

func (p *pointer) addressType() isa.Type {
	if p.space == isa.SpaceFlat {
		return isa.I64
	}
	return isa.I32
}

// accessChain carries out OpAccessChain and OpInBoundsAccessChain.
func (b *pointers) accessChain() {
	p := b.ptr(b.arg(0))
	for i := 1; i < len(b.in.Operands); i++ {
		p = b.step(p, b.arg(i))
	}
	b.definePointer(p)
}

// ptrAccessChain carries out OpPtrAccessChain: the first index steps over the
// pointee.
func (b *pointers) ptrAccessChain() {
	p := b.ptr(b.arg(0))
	stride := b.pointeeStride(b.typeOf(b.arg(0)), p)
	p = b.addIndex(p, b.arg(1), stride, 0)
	for i := 2; i < len(b.in.Operands); i++ {
		p = b.step(p, b.arg(i))
	}
	b.definePointer(p)
}

func (b *pointers) definePointer(p pointer) {
	t := b.resultType()
	if t.Kind != validate.KindPointer || t.Untyped() || t.Elem.ID != p.typ.ID && b.leafMismatch(t.Elem, p.typ) {
		b.invalid("the result type is not a pointer to the type that the indexes reach, %%%d", p.typ.ID)
	}
	b.decorate(&p, b.m.Decorations(b.in.Result))
	b.define(val{ptr: &p})
}

// leafMismatch reports different types; aggregates declared twice are let
// pass, as some compilers do that.
func (b *pointers) leafMismatch(x, y *validate.Type) bool { return x.Kind != y.Kind }

// pointeeStride returns the distance of consecutive pointees, in bytes.
func (b *pointers) pointeeStride(t *validate.Type, p pointer) uint32 {
	if p.layout.opencl {
		n, _ := b.placeOf(p.typ)
		return n
	}
	b.wantArithmetic(t, p)
	if s, ok := b.m.Decoration(t.ID, spirv.DecorationArrayStride); ok && !p.layout.natural {
		return s
	}
	if !p.layout.natural {
		b.invalid("pointer type %%%d has no ArrayStride", t.ID)
	}
	s := b.shape(p.typ, p.layout)
	return roundUp(s.size, s.align)
}

func (b *pointers) wantArithmetic(t *validate.Type, p pointer) {
	if p.space != isa.SpaceBuffer && p.space != isa.SpaceFlat && p.space != isa.SpaceLDS || p.array {
		b.unsupported("pointer arithmetic on %s", t.Storage)
	}
}

// step goes from a pointer to a composite to one of its parts.
func (b *pointers) step(p pointer, index spirv.ID) pointer {
	if p.array {
		return b.pickDescriptor(p, index)
	}
	if p.space == spaceInput {
		return b.stepInput(p, index)
	}
	if p.typ.Kind == validate.KindNodePayloadArray {
		return b.stepPayload(p, index)
	}
	if p.space == isa.SpaceScratch && !p.layout.opencl {
		return b.stepLocal(p, index)
	}
	t := p.typ
	p.stride = 0
	switch t.Kind {
	case validate.KindStruct:
		return b.stepMember(p, index)
	case validate.KindArray, validate.KindRuntimeArray, validate.KindMatrix:
		stride, inner := b.element(t, p.layout)
		p.typ, p.layout, p.stride = t.Elem, inner, stride
		return b.stepThrough(p, t, index, stride, 0)
	case validate.KindVector:
		stride := max(p.layout.vecStride, memBytes(b.scalar(t.Elem)))
		p.typ, p.layout.vecStride = t.Elem, 0
		return b.stepThrough(p, t, index, stride, 0)
	}
	b.invalid("index %%%d into a type that has no parts, %%%d", index, t.ID)
	return p
}

func (b *pointers) memberIndex(t *validate.Type, index spirv.ID) int {
	i := b.constBits(index)
	if i >= uint64(len(t.Members)) {
		b.invalid("member %d of %%%d, which has %d", i, t.ID, len(t.Members))
	}
	return int(i)
}

func (b *pointers) stepMember(p pointer, index spirv.ID) pointer {
	t := p.typ
	i := b.memberIndex(t, index)
	off, inner := b.member(t, i, p.layout)
	p.typ, p.layout = t.Members[i], inner
	p.offset += off
	b.decorate(&p, b.m.MemberDecorations(t.ID, i))
	return p
}

// stepThrough is addIndex by an index into an array, a matrix or a vector. If the index is not constant, the pointer
// records the length.
func (b *pointers) stepThrough(p pointer, t *validate.Type, index spirv.ID, stride, words uint32) pointer {
	if t.Kind != validate.KindRuntimeArray && b.scalarOf(index).Op != isa.Const && !p.layout.opencl {
		p.arrays[1], p.arrays[0] = p.arrays[0], ir.Array{Length: uint32(b.count(t)), Stride: stride}
	}
	return b.addIndex(p, index, stride, words)
}

// pickDescriptor selects an element of an array of descriptors.
func (b *pointers) pickDescriptor(p pointer, index spirv.ID) pointer {
	p.typ, p.array = p.typ.Elem, false
	v := b.scalarOf(index)
	p.bindex = b.resize(v, b.typeOf(index), isa.I32)
	if v.Op == isa.Const && v.Imm == 0 {
		p.bindex = nil
	}
	return p
}

// addIndex adds index x stride to the address. In scratch, the unit is words, and words is the extent that the index stays
// in.
func (b *pointers) addIndex(p pointer, index spirv.ID, stride, words uint32) pointer {
	v := b.scalarOf(index)
	if v.Op == isa.Const && b.foldable(p, index, stride) {
		p.offset += uint32(b.constBits(index)) * stride
		return p
	}
	if p.layout.opencl && p.space == isa.SpaceScratch {
		return b.addBytes(p, b.resize(v, b.typeOf(index), isa.I32), stride)
	}
	if p.space == isa.SpaceScratch && p.index == nil {
		p.low, p.high = p.offset, p.offset+words
	}
	t := p.addressType()
	scaled := b.resize(v, b.typeOf(index), t)
	if stride != 1 {
		scaled = b.op(isa.IMul, t, scaled, b.constant(t, uint64(stride)))
	}
	if p.index == nil {
		p.index, p.align = scaled, 1<<min(bits.TrailingZeros32(stride), 4)
		return p
	}
	p.index = b.op(isa.IAdd, t, p.index, scaled)
	p.align = min(p.align, 1<<min(bits.TrailingZeros32(stride), 4))
	return p
}

// foldable reports whether a constant step may be added to the constant offset, which is unsigned and has 32 bits:
// always if addresses are modulo 2^32. Addresses of 64 bits are modulo 2^64, as this sum is.
func (b *pointers) foldable(p pointer, index spirv.ID, stride uint32) bool {
	return p.space != isa.SpaceFlat || b.constBits(index)*uint64(stride)+uint64(p.offset) < 1<<31
}

// resize converts an integer to another width, by the sign of its type.
func (b *pointers) resize(v *ir.Value, from *validate.Type, to isa.Type) *ir.Value {
	if v.R == to {
		return v
	}
	op := isa.UConvert
	if from.Kind == validate.KindInt && (from.Signed || b.isKernel()) { // integers of kernels have no sign, indexes have
		op = isa.SConvert
	}
	if v.Op == isa.Const {
		n := v.Imm
		if op == isa.SConvert {
			shift := 64 - v.R.Bits()
			n = uint64(int64(n<<shift) >> shift)
		}
		return b.constant(to, n)
	}
	return b.conv(op, v.R, to, v)
}

// stepLocal is step in a Function or Private variable, in words.
func (b *pointers) stepLocal(p pointer, index spirv.ID) pointer {
	t, words := p.typ, p.local.SlotWords
	switch t.Kind {
	case validate.KindStruct:
		i := b.memberIndex(t, index)
		for _, m := range t.Members[:i] {
			p.offset += uint32(len(b.leafTypes(m))) * words
		}
		p.typ = t.Members[i]
		return p
	case validate.KindArray, validate.KindMatrix, validate.KindVector:
		p.typ = t.Elem
		stride := uint32(len(b.leafTypes(t.Elem))) * words
		return b.stepThrough(p, t, index, stride, stride*uint32(b.count(t)))
	}
	if c := b.coop(t); c != nil {
		return b.stepMatrix(p, c, index)
	}
	b.invalid("index %%%d into a type that has no parts, %%%d", index, t.ID)
	return p
}

// stepMatrix goes to an element of a cooperative matrix, perhaps a part of a
// register.
func (b *pointers) stepMatrix(p pointer, c *coop, index spirv.ID) pointer {
	words, per := p.local.SlotWords, uint32(c.PerReg)
	p.matrix, p.typ = c, p.typ.Elem
	if per == 1 {
		return b.addIndex(p, index, words, words*uint32(c.elements()))
	}
	v := b.resize(b.scalarOf(index), b.typeOf(index), isa.I32)
	if v.Op == isa.Const {
		p.offset += uint32(v.Imm) / per * words
		p.elementIndex = b.i32(uint32(v.Imm) % per)
		return p
	}
	if p.index == nil {
		p.low, p.high = p.offset, p.offset+words*uint32(c.elements())/per
	}
	p.elementIndex = b.op(isa.And, isa.I32, v, b.i32(per-1))
	by := b.op(isa.IMul, isa.I32, b.op(isa.Shr, isa.I32, v, b.i32(uint32(bits.TrailingZeros32(per)))), b.i32(words))
	if p.index != nil {
		by = b.op(isa.IAdd, isa.I32, p.index, by)
	}
	p.index = by
	return p
}

// stepInput is step in an input, which is a list of values: an index that is not constant becomes a chain of
// selections.
func (b *pointers) stepInput(p pointer, index spirv.ID) pointer {
	switch p.typ.Kind {
	case validate.KindStruct:
		i := b.memberIndex(p.typ, index)
		start, t := b.leafRange(p.typ, []uint32{uint32(i)})
		p.typ, p.input = t, p.input[start:start+len(b.leafTypes(t))]
		return p
	case validate.KindVector, validate.KindArray, validate.KindMatrix:
	default:
		b.unsupported("index into input %%%d", p.typ.ID)
	}
	n := len(b.leafTypes(p.typ.Elem))
	v := b.scalarOf(index)
	p.typ = p.typ.Elem
	if v.Op == isa.Const {
		i := int(min(v.Imm, uint64(len(p.input)/n-1)))
		p.input = p.input[i*n : (i+1)*n]
		return p
	}
	p.input = b.choose(v, p.input, n)
	return p
}

// ptrEqual carries out OpPtrEqual and OpPtrNotEqual.
func (b *pointers) ptrEqual(equal bool) {
	x, y := b.leaves(b.arg(0)), b.leaves(b.arg(1))
	if len(x) != len(y) {
		b.invalid("pointers of different kinds")
	}
	all := b.truth(true)
	for i := range x {
		all = b.op(isa.And, isa.Bool, all, b.compare(isa.IEq, x[i].R, x[i], y[i]))
	}
	if !equal {
		all = b.op(isa.Not, isa.Bool, all)
	}
	b.set(all)
}

// ptrDiff carries out OpPtrDiff: the distance in elements.
func (b *pointers) ptrDiff() {
	x, y := b.anyPtr(b.arg(0)), b.anyPtr(b.arg(1))
	stride := uint32(1) // untyped pointers are into an array of bytes
	if !b.typeOf(b.arg(0)).Untyped() || !b.typeOf(b.arg(1)).Untyped() {
		stride = b.distanceStride(b.typeOf(b.arg(0)), b.ptr(b.arg(0)), b.ptr(b.arg(1)))
	}
	t := x.addressType()
	d := b.op(isa.ISub, t, b.address(x), b.address(y))
	d = b.op(isa.SDiv, t, d, b.constant(t, uint64(max(stride, 1))))
	r := b.comp(b.resultType())
	if r != t {
		d = b.conv(isa.SConvert, t, r, d)
	}
	b.set(d)
}

// distanceStride returns the stride of the array that two pointers point into. Unlike for OpPtrAccessChain, the array
// may have the ArrayStride and the pointers' type none.
func (b *pointers) distanceStride(t *validate.Type, x, y pointer) uint32 {
	b.wantArithmetic(t, x)
	if s := max(x.stride, y.stride); s != 0 {
		return s
	}
	if b.m.Decorated(t.ID, spirv.DecorationArrayStride) || x.layout.natural {
		return b.pointeeStride(t, x)
	}
	s := b.onlyStride(x.typ)
	if s == 0 {
		b.unsupported("the distance of pointers into an array whose stride is not known: their type %%%d has no ArrayStride", t.ID)
	}
	return s
}

// onlyStride returns the stride of all arrays of a type in the module; 0 if they
// differ or there are none.
func (b *pointers) onlyStride(elem *validate.Type) (only uint32) {
	for id := range spirv.ID(b.m.Raw.Bound) {
		t := b.m.Type(id)
		if t == nil || t.Kind != validate.KindArray && t.Kind != validate.KindRuntimeArray || t.Elem != elem {
			continue
		}
		s, _ := b.m.Decoration(id, spirv.DecorationArrayStride)
		if only != 0 && s != only {
			return 0
		}
		only = s
	}
	return only
}

func (b *pointers) pointerToInteger() {
	b.set(b.widen(b.scalarOf(b.arg(0)), b.comp(b.resultType())))
}

func (b *pointers) integerToPointer() {
	b.set(b.widen(b.scalarOf(b.arg(0)), b.leafTypes(b.resultType())[0]))
}

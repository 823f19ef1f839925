package validate

import (
	"slices"
	"spvsim/spirv"
)

// typeRules has a row for each operation whose types need a separate rule. The operands of OpSpecConstantOp are passed
// without its opcode.
var typeRules map[spirv.Op]func(v *valueCheck, o []uint32)

func init() {
	typeRules = map[spirv.Op]func(v *valueCheck, o []uint32){
		spirv.OpConstantTrue: (*valueCheck).boolConstant, spirv.OpConstantFalse: (*valueCheck).boolConstant,
		spirv.OpSpecConstantTrue: (*valueCheck).boolConstant, spirv.OpSpecConstantFalse: (*valueCheck).boolConstant,
		spirv.OpConstant: (*valueCheck).numberConstant, spirv.OpSpecConstant: (*valueCheck).numberConstant,
		spirv.OpConstantComposite: (*valueCheck).constituents, spirv.OpSpecConstantComposite: (*valueCheck).constituents,
		spirv.OpConstantCompositeReplicateEXT: (*valueCheck).replicatedConstant, spirv.OpSpecConstantCompositeReplicateEXT: (*valueCheck).replicatedConstant,
		spirv.OpCompositeConstructReplicateEXT: (*valueCheck).replicated,
		spirv.OpCompositeConstruct:             (*valueCheck).construct, spirv.OpCompositeExtract: (*valueCheck).extract,
		spirv.OpCompositeInsert: (*valueCheck).insert, spirv.OpVectorShuffle: (*valueCheck).shuffle,
		spirv.OpVectorExtractDynamic: (*valueCheck).extractDynamic, spirv.OpVectorInsertDynamic: (*valueCheck).insertDynamic,
		spirv.OpFunction: (*valueCheck).function, spirv.OpVariable: (*valueCheck).variable, spirv.OpLoad: (*valueCheck).load, spirv.OpStore: (*valueCheck).store,
		spirv.OpAccessChain: (*valueCheck).chain, spirv.OpInBoundsAccessChain: (*valueCheck).chain,
		spirv.OpPtrAccessChain: (*valueCheck).elementChain, spirv.OpInBoundsPtrAccessChain: (*valueCheck).elementChain,
		spirv.OpUntypedAccessChainKHR: (*valueCheck).untypedChain, spirv.OpUntypedInBoundsAccessChainKHR: (*valueCheck).untypedChain,
		spirv.OpUntypedPtrAccessChainKHR: (*valueCheck).untypedElementChain, spirv.OpUntypedInBoundsPtrAccessChainKHR: (*valueCheck).untypedElementChain,
		spirv.OpUntypedArrayLengthKHR: (*valueCheck).untypedLength, spirv.OpTypeUntypedPointerKHR: (*valueCheck).untypedStorage,
		spirv.OpArrayLength: (*valueCheck).arrayLength, spirv.OpCopyMemory: (*valueCheck).copyMemory,
		spirv.OpTypeStruct: (*valueCheck).blocks, spirv.OpCopyMemorySized: func(v *valueCheck, o []uint32) { v.copyAlignment(o, 3) },
		spirv.OpFunctionCall: (*valueCheck).call, spirv.OpReturn: (*valueCheck).returnNothing,
		spirv.OpReturnValue: (*valueCheck).returnValue, spirv.OpPhi: (*valueCheck).phi, spirv.OpSelect: (*valueCheck).selects,
		spirv.OpBitcast: (*valueCheck).bitcast, spirv.OpDot: (*valueCheck).dot, spirv.OpTranspose: (*valueCheck).transpose,
		spirv.OpEmitStreamVertex: (*valueCheck).stream, spirv.OpEndStreamPrimitive: (*valueCheck).stream,
		spirv.OpReadClockKHR: (*valueCheck).clock, spirv.OpUndef: (*valueCheck).undefined, spirv.OpConvertUToPtr: (*valueCheck).fromInteger,
		spirv.OpConvertPtrToU:            (*valueCheck).toInteger,
		spirv.OpTypeImage:                (*valueCheck).imageType,
		spirv.OpTypeCooperativeMatrixKHR: (*valueCheck).matrixDeclaration, spirv.OpCooperativeMatrixLoadKHR: (*valueCheck).matrixLoad,
		spirv.OpCooperativeMatrixStoreKHR: (*valueCheck).matrixStore, spirv.OpCooperativeMatrixMulAddKHR: (*valueCheck).matrixMulAdd,
		spirv.OpCooperativeMatrixLengthKHR: (*valueCheck).matrixLength,
		spirv.OpMatrixTimesVector:          product(fitMatrixVector), spirv.OpVectorTimesMatrix: product(fitVectorMatrix),
		spirv.OpMatrixTimesMatrix: product(fitMatrixMatrix), spirv.OpOuterProduct: product(fitOuter),
		spirv.OpIAddCarry: (*valueCheck).pairResult, spirv.OpISubBorrow: (*valueCheck).pairResult,
		spirv.OpUMulExtended: (*valueCheck).pairResult, spirv.OpSMulExtended: (*valueCheck).pairResult,
		spirv.OpUConvert: (*valueCheck).otherWidth, spirv.OpSConvert: (*valueCheck).otherWidth, spirv.OpFConvert: (*valueCheck).otherWidth,
		spirv.OpAny: (*valueCheck).vectorOperand, spirv.OpAll: (*valueCheck).vectorOperand,
		spirv.OpAtomicStore: (*valueCheck).atomicStore, spirv.OpExtInst: (*valueCheck).extended,
		spirv.OpGroupNonUniformBallot: (*valueCheck).ballot, spirv.OpSubgroupBallotKHR: (*valueCheck).ballot,
		spirv.OpGroupNonUniformPartitionEXT: (*valueCheck).ballot,
		spirv.OpPtrEqual:                    (*valueCheck).samePointers, spirv.OpPtrNotEqual: (*valueCheck).samePointers, spirv.OpPtrDiff: (*valueCheck).samePointers,
	}
	for op := spirv.OpAtomicLoad; op <= spirv.OpAtomicXor; op++ {
		if op.Grammar() != nil && op != spirv.OpAtomicStore {
			typeRules[op] = (*valueCheck).atomic
		}
	}
	for _, op := range []spirv.Op{spirv.OpAtomicFAddEXT, spirv.OpAtomicFMinEXT, spirv.OpAtomicFMaxEXT} {
		typeRules[op] = (*valueCheck).atomic
	}
}

func (v *valueCheck) function([]uint32) {
	if v.result() != v.f.Type.Elem {
		v.fault("result type %s: the function type returns %s", v.m.typeText(v.result()), v.m.typeText(v.f.Type.Elem))
	}
}

func (v *valueCheck) result() *Type { return v.m.Type(v.in.Type) }

func (v *valueCheck) boolConstant(o []uint32) {
	if v.result().Kind != KindBool {
		v.fault("result type %s: want bool", v.m.typeText(v.result()))
	}
}

func (v *valueCheck) numberConstant(o []uint32) {
	t := v.result()
	if !t.is('N') {
		v.fault("result type %s: want a number", v.m.typeText(t))
		return
	}
	if t.Width >= 32 {
		return
	}
	// The bits above the width are zeros or copies of the sign (section 2.2.1).
	want := o[0] & (1<<t.Width - 1)
	if t.Kind == KindInt && t.Signed {
		want = uint32(int32(o[0]<<(32-t.Width)) >> (32 - t.Width))
	}
	if o[0] != want {
		v.fault("the word %#x for %d bits: want %#x", o[0], t.Width, want)
	}
}

// partType returns the type of a composite's i-th part; nil past its end or if t is no
// composite. Parts of arrays of unknown length exist at any index.
func (t *Type) partType(i uint32) *Type {
	switch t.Kind {
	case KindCooperativeMatrix: // the machine determines the number of components in a lane
		return t.Elem
	case KindVector, KindMatrix, KindArray:
		if t.Count == 0 || i < uint32(t.Count) {
			return t.Elem
		}
	case KindStruct:
		if i < uint32(len(t.Members)) {
			return t.Members[i]
		}
	}
	return nil
}

// numParts counts them; -1 if it depends on a specialization constant.
func (t *Type) numParts() int {
	switch {
	case t.Kind == KindStruct:
		return len(t.Members)
	case t.Kind == KindCooperativeMatrix: // one value for all
		return 1
	case t.Kind == KindArray && t.Count == 0:
		return -1
	}
	return t.Count
}

func (t *Type) composite() bool {
	return t.Kind == KindVector || t.Kind == KindMatrix || t.Kind == KindArray || t.Kind == KindStruct || t.Kind == KindCooperativeMatrix
}

func (v *valueCheck) constituents(o []uint32) { v.parts(o, true) }

// parts tests that the operands are the parts of the result, and constants.
func (v *valueCheck) parts(o []uint32, constants bool) {
	t := v.result()
	if !t.composite() {
		if t.Kind != KindOther {
			v.fault("result type %s: want a composite", v.m.typeText(t))
		}
		return
	}
	if n := t.numParts(); n >= 0 && n != len(o) {
		v.fault("%d constituents: the type has %d", len(o), n)
		return
	}
	for i, id := range o {
		if constants && !v.constantOperand(i, id) {
			return
		}
		if v.m.TypeOf(spirv.ID(id)) != t.partType(uint32(i)) {
			v.fault("operand %d: %%%d is not of the type of the part", i, id)
			return
		}
	}
}

// constantOperand tests that an operand is a constant.
func (v *valueCheck) constantOperand(i int, id uint32) bool {
	def := v.m.Def(spirv.ID(id))
	if !constant(def.Op) && def.Op != spirv.OpUndef {
		v.fault("operand %d: %%%d is not a constant", i, id)
		return false
	}
	return true
}

func (v *valueCheck) replicatedConstant(o []uint32) {
	if v.constantOperand(0, o[0]) {
		v.replicated(o)
	}
}

// replicated wants a value of the type of each part.
func (v *valueCheck) replicated(o []uint32) {
	t := v.result()
	if !t.composite() {
		v.fault("result type %s: want a composite", v.m.typeText(t))
		return
	}
	value := v.operandType(0, o[0])
	for i := range uint32(max(t.numParts(), 1)) {
		if value != nil && t.partType(i) != value {
			v.fault("operand 0: %%%d is not of the type of part %d", o[0], i)
			return
		}
		if t.Kind != KindStruct { // the parts are of one type
			return
		}
	}
}

func (v *valueCheck) construct(o []uint32) {
	t := v.result()
	if t.Kind == KindVector {
		v.constructVector(t, o)
		return
	}
	v.parts(o, false)
}

// constructVector tests that the operands are scalars and vectors with together as many components as the type.
func (v *valueCheck) constructVector(t *Type, o []uint32) {
	n := 0
	for i, id := range o {
		p := v.operandType(i, id)
		if p == nil {
			return
		}
		if p != t.Elem && (p.Kind != KindVector || p.Elem != t.Elem) {
			v.fault("operand %d: %%%d is %s: want %s or a vector of it", i, id, v.m.typeText(p), v.m.typeText(t.Elem))
			return
		}
		n += p.components()
	}
	if n != t.Count || len(o) < 2 && !t.longVector() {
		v.fault("%d components: the type has %d", n, t.Count)
	}
}

// walk follows literal indices into a composite; nil after a fault.
func (v *valueCheck) walk(t *Type, indices []uint32) *Type {
	for _, i := range indices {
		if t.Kind == KindOther {
			return nil
		}
		p := t.partType(i)
		if p == nil {
			v.fault("index %d is not in %s", i, v.m.typeText(t))
			return nil
		}
		t = p
	}
	return t
}

func (v *valueCheck) extract(o []uint32) {
	t := v.operandType(0, o[0])
	if t == nil {
		return
	}
	if t = v.walk(t, o[1:]); t != nil && t != v.result() {
		v.fault("result type %s: the part is %s", v.m.typeText(v.result()), v.m.typeText(t))
	}
}

func (v *valueCheck) insert(o []uint32) {
	object, whole := v.operandType(0, o[0]), v.operandType(1, o[1])
	if object == nil || whole == nil {
		return
	}
	if whole != v.result() {
		v.fault("operand 1: %%%d is not of the result's type", o[1])
		return
	}
	if t := v.walk(whole, o[2:]); t != nil && t != object {
		v.fault("operand 0: %%%d is %s: the part is %s", o[0], v.m.typeText(object), v.m.typeText(t))
	}
}

func (v *valueCheck) shuffle(o []uint32) {
	t, a, b := v.result(), v.operandType(0, o[0]), v.operandType(1, o[1])
	if a == nil || b == nil {
		return
	}
	if t.Kind != KindVector || a.Kind != KindVector || b.Kind != KindVector || a.Elem != t.Elem || b.Elem != t.Elem {
		v.fault("result and operands: want vectors of one component type")
		return
	}
	if len(o)-2 != t.Count {
		v.fault("%d components: the result has %d", len(o)-2, t.Count)
	}
	for _, i := range o[2:] {
		if i != 0xFFFFFFFF && i >= uint32(a.Count+b.Count) {
			v.fault("component %d: the vectors have %d", i, a.Count+b.Count)
		}
	}
}

func (v *valueCheck) extractDynamic(o []uint32) {
	if t := v.operandType(0, o[0]); t != nil && (t.Kind != KindVector || t.Elem != v.result()) {
		v.fault("operand 0: %%%d is not a vector of the result's type", o[0])
	}
}

func (v *valueCheck) insertDynamic(o []uint32) {
	t, c := v.operandType(0, o[0]), v.operandType(1, o[1])
	if t != nil && c != nil && (t.Kind != KindVector || t.Elem != c) {
		v.fault("operand 1: %%%d is not of the vector's component type", o[1])
	}
}

func (v *valueCheck) phi(o []uint32) {
	// The preceding instruction is a phi that has been tested, or the label.
	before := v.precedingOp(v.m.definitions[v.in.Result].index)
	if before != spirv.OpPhi && before != spirv.OpLabel {
		v.fault("after %s: want the phis first in their block", before)
	}
	if v.m.definitions[v.in.Result].block == 0 {
		v.fault("a phi in the first block of a function")
	}
	v.choosesPointers()
	for i := 0; i < len(o); i += 2 {
		if v.m.TypeOf(spirv.ID(o[i])) != v.result() {
			v.fault("operand %d: %%%d is not of the result's type", i, o[i])
			return
		}
	}
	v.phiParents(o)
}

// phiParents tests that there is one pair for each block that branches here.
func (v *valueCheck) phiParents(o []uint32) {
	g := v.m.graphs[v.f.ID]
	here := v.m.definitions[v.in.Result].block
	from := map[int32]bool{}
	for i := 1; i < len(o); i += 2 {
		n, ok := g.index[spirv.ID(o[i])]
		if !ok || !slices.Contains(g.next[n], here) {
			v.fault("%%%d is not a block that branches here", o[i])
			return
		}
		from[n] = true
	}
	if want := g.incoming(here); len(from) != want || len(o) != 2*want {
		v.fault("%d pairs: %d blocks branch here", len(o)/2, want)
	}
}

func (v *valueCheck) selects(o []uint32) {
	c, a, b := v.operandType(0, o[0]), v.operandType(1, o[1]), v.operandType(2, o[2])
	t := v.result()
	if a == nil || b == nil || c == nil {
		return
	}
	if a != t || b != t {
		v.fault("operands 1 and 2: want the result's type, %s", v.m.typeText(t))
	}
	v.choosesPointers()
	if !c.is('b') || c.Kind == KindVector && (t.Kind != KindVector || c.Count != t.Count) {
		v.fault("operand 0: %%%d is %s: want a boolean, or as many as the result has components", o[0], v.m.typeText(c))
	}
	if v.m.Raw.Version >= 1<<16|4<<8 || v.m.Kernels() {
		return // llvm-spirv translates LLVM's select as it is, whatever the version of its module
	}
	if t.composite() && t.Kind != KindVector {
		v.fault("a composite result needs SPIR-V 1.4")
	}
	if t.Kind == KindVector && c.Kind != KindVector {
		v.fault("a scalar condition for a vector needs SPIR-V 1.4")
	}
}

func (v *valueCheck) bitcast(o []uint32) {
	a, t := v.operandType(0, o[0]), v.result()
	if a == nil {
		return
	}
	if a.Kind == KindPointer || t.Kind == KindPointer {
		for _, p := range []*Type{a, t} {
			if p.Kind == KindPointer && p.Storage != spirv.StorageClassPhysicalStorageBuffer && !v.m.Kernels() {
				v.fault("of a pointer to %s: want one to PhysicalStorageBuffer", p.Storage)
			}
		}
		return
	}
	if a.Kind == KindCooperativeMatrix || t.Kind == KindCooperativeMatrix {
		if a.Kind != t.Kind || v.m.shapesDiffer(a, t) || a.width() != t.width() {
			v.fault("from %s to %s: want cooperative matrices of one shape and width", v.m.typeText(a), v.m.typeText(t))
		}
		return
	}
	if !a.is('n') || !t.is('n') {
		v.fault("from %s to %s: want numbers or vectors of them", v.m.typeText(a), v.m.typeText(t))
	} else if a.width()*a.components() != t.width()*t.components() {
		v.fault("from %d bits to %d bits", a.width()*a.components(), t.width()*t.components())
	}
}

func (v *valueCheck) dot(o []uint32) {
	if t := v.m.TypeOf(spirv.ID(o[0])); t != nil && t.Component() != v.result() {
		v.fault("result type %s: want the component type of the operands", v.m.typeText(v.result()))
	}
}

// shape compares a matrix type with columns and rows; 0 is any.
func shape(t *Type, columns, rows int) bool {
	return t.Kind == KindMatrix && (columns == 0 || t.Count == columns) && (rows == 0 || t.Elem.Count == rows)
}

func (v *valueCheck) transpose(o []uint32) {
	a, t := v.operandType(0, o[0]), v.result()
	if a != nil && (a.Kind != KindMatrix || !shape(t, a.Elem.Count, a.Count) || a.Component() != t.Component()) {
		v.fault("result type %s is not the transposed one of operand 0", v.m.typeText(t))
	}
}

// product returns the rule of a product: fits reports whether the types of its operands and its result fit.
func product(fits func(a, b, t *Type) bool) func(v *valueCheck, o []uint32) {
	return func(v *valueCheck, o []uint32) {
		a, b, t := v.operandType(0, o[0]), v.operandType(1, o[1]), v.result()
		if a != nil && b != nil && !fits(a, b, t) {
			v.fault("operands and result don't fit: %s, %s, %s", v.m.typeText(a), v.m.typeText(b), v.m.typeText(t))
		}
	}
}

func fitMatrixVector(a, b, t *Type) bool {
	return a.Kind == KindMatrix && t == a.Elem && b.Kind == KindVector && b.Elem == t.Elem && b.Count == a.Count
}

func fitVectorMatrix(a, b, t *Type) bool {
	return b.Kind == KindMatrix && a == b.Elem && t.Kind == KindVector && t.Elem == a.Elem && t.Count == b.Count
}

func fitMatrixMatrix(a, b, t *Type) bool {
	return a.Kind == KindMatrix && shape(b, 0, a.Count) && shape(t, b.Count, a.Elem.Count) && t.Elem == a.Elem && b.Component() == t.Component()
}

func fitOuter(a, b, t *Type) bool {
	return t.Kind == KindMatrix && t.Elem == a && b.Kind == KindVector && b.Elem == a.Elem && b.Count == t.Count
}

// pairResult tests results that are a structure of two values.
func (v *valueCheck) pairResult(o []uint32) {
	a, b, t := v.operandType(0, o[0]), v.operandType(1, o[1]), v.result()
	if a == nil || b == nil {
		return
	}
	class := byte('i')
	if v.in.Op == spirv.OpIAddCarry || v.in.Op == spirv.OpISubBorrow {
		class = 'u'
	}
	if t.Kind != KindStruct || len(t.Members) != 2 || t.Members[0] != t.Members[1] || !t.Members[0].is(class) || a != t.Members[0] || b != a {
		v.fault("want two operands of one type, each a %s, and a structure of two of them as the result", classNames[class])
	}
}

func (v *valueCheck) otherWidth(o []uint32) {
	if a := v.m.TypeOf(spirv.ID(o[0])); a != nil && a.is('n') && v.result().is('n') && a.width() == v.result().width() && !a.Component().Encoded && !v.result().Component().Encoded {
		v.fault("the result has as many bits as the operand, %d", a.width())
	}
}

func (v *valueCheck) vectorOperand(o []uint32) {
	if a := v.m.TypeOf(spirv.ID(o[0])); a != nil && a.Kind != KindVector {
		v.fault("operand 0: %%%d is %s: want a vector", o[0], v.m.typeText(a))
	}
}

func (v *valueCheck) ballot([]uint32) {
	if t := v.result(); t.Kind != KindVector || t.Count != 4 || !t.is('u') || t.Elem.Width != 32 {
		v.fault("result type %s: want a vector of 4 uint32", v.m.typeText(t))
	}
}

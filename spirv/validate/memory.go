package validate

import (
	"slices"

	"spvsim/spirv"
)

// incoming counts the blocks that branch to a block.
func (g *graph) incoming(to int32) int {
	if g.from == nil {
		g.from = make([]int, len(g.next))
		for _, next := range g.next {
			for i, n := range next {
				if !slices.Contains(next[:i], n) {
					g.from[n]++
				}
			}
		}
	}
	return g.from[to]
}

// pointer returns the type of an operand that must be a pointer, or nil after
// a fault.
func (v *valueCheck) pointer(n int, id uint32) *Type {
	t := v.operandType(n, id)
	if t == nil {
		return nil
	}
	if t.Kind != KindPointer {
		v.fault("operand %d: %%%d is %s: want a pointer", n, id, v.m.typeText(t))
		return nil
	}
	if t.Elem == nil {
		return nil
	}
	return t
}

// samePointers tests that pointers which are compared are of one type.
func (v *valueCheck) samePointers(o []uint32) {
	a, b := v.m.TypeOf(spirv.ID(o[0])), v.m.TypeOf(spirv.ID(o[1]))
	if a == nil || b == nil {
		return
	}
	if a.Storage == spirv.StorageClassPhysicalStorageBuffer {
		v.fault("operand 0: %%%d points to %s: want a logical pointer", o[0], a.Storage)
	} else if a.Kind == KindPointer {
		v.comparable(a)
	}
	if a == b || (a.Untyped() || b.Untyped()) && a.Storage == b.Storage {
		return
	}
	v.fault("operand 1: %%%d is %s: operand 0 is %s", o[1], v.m.typeText(b), v.m.typeText(a))
}

func (v *valueCheck) variable(o []uint32) {
	t := v.result()
	if t.Kind != KindPointer {
		v.fault("result type %s: want a pointer", v.m.typeText(t))
		return
	}
	if t.Untyped() {
		v.fault("result type %s, an untyped pointer: want OpUntypedVariableKHR", v.m.typeText(t))
		return
	}
	if class := spirv.StorageClass(o[0]); class != t.Storage {
		v.fault("storage class %s: the result type's is %s", class, t.Storage)
		return
	}
	if t.Elem.Kind == KindVoid || t.Elem.Kind == KindFunction {
		v.fault("a variable of %s", v.m.typeText(t.Elem))
	}
	if p := v.m.definitions[v.in.Result]; p.function != 0 && p.block != 0 {
		v.fault("the variable is not in the first block of the function")
	}
	if t.Storage == spirv.StorageClassPhysicalStorageBuffer {
		v.fault("a variable in %s", t.Storage)
	}
	// llvm-spirv leaves casts between the variables of a kernel.
	if before := v.precedingOp(v.m.definitions[v.in.Result].index); t.Storage == spirv.StorageClassFunction && before != spirv.OpVariable && before != spirv.OpLabel && !v.m.Kernels() {
		v.fault("after %s: want the variables first in their function", before)
	}
	v.matrixPlace(t)
	v.longVectorPlace(t)
	v.heldPointer(t)
	if len(o) > 1 {
		v.initializer(t, o[1])
	}
	if t.Storage == spirv.StorageClassFunction || t.Storage == spirv.StorageClassPrivate || t.Storage == spirv.StorageClassWorkgroup {
		v.narrowVariable(t)
	}
}

// longVectorStorage lists the storage classes that may hold vectors of more than four components (SPV_EXT_long_vector,
// section 2.16.1).
var longVectorStorage = set(spirv.StorageClassFunction, spirv.StorageClassPrivate, spirv.StorageClassUniform, spirv.StorageClassWorkgroup, spirv.StorageClassStorageBuffer,
	spirv.StorageClassPhysicalStorageBuffer, spirv.StorageClassPushConstant, spirv.StorageClassShaderRecordBufferKHR, spirv.StorageClassCrossWorkgroup, spirv.StorageClassGeneric)

func (v *valueCheck) longVectorPlace(p *Type) {
	if !longVectorStorage[p.Storage] && p.Elem.holdsLongVector(map[*Type]bool{}) {
		v.fault("a vector of more than four components in %s", p.Storage)
	}
}

func (t *Type) holdsLongVector(seen map[*Type]bool) bool {
	if t == nil || seen[t] || t.Kind == KindPointer {
		return false
	}
	seen[t] = true
	return t.Kind == KindVector && t.Count > 4 || t.Elem.holdsLongVector(seen) || slices.ContainsFunc(t.Members, func(m *Type) bool { return m.holdsLongVector(seen) })
}

func (v *valueCheck) initializer(t *Type, id uint32) {
	def := v.m.Def(spirv.ID(id))
	if !constant(def.Op) && !(def.Op == spirv.OpVariable && v.m.definitions[id].function == 0) {
		v.fault("initializer %%%d is not a constant", id)
	} else if v.m.TypeOf(spirv.ID(id)) != t.Elem {
		v.fault("initializer %%%d is not of the variable's type", id)
	}
}

// narrowVariable tests that narrow types have their full capability in memory that no storage capability covers.
// Workgroup blocks have rules of their extension. In kernels Float16Buffer is for pointers to half of every storage class.
func (v *valueCheck) narrowVariable(t *Type) {
	if v.m.WorkgroupBlock(t) || v.m.Kernels() {
		return
	}
	eachScalar(t.Elem, func(s *Type) {
		if cap, ok := narrowWidths[s.Kind][s.Width]; ok && !s.Encoded && !v.m.Has(cap) {
			v.r.faultAt(v.in, "capabilities", "a variable of %s in %s needs the capability %s", v.m.typeText(s), t.Storage, cap)
		}
	})
}

// eachScalar visits the scalar types that a type is made of.
func eachScalar(t *Type, visit func(*Type)) {
	seen := map[*Type]bool{}
	var walk func(*Type)
	walk = func(t *Type) {
		if t == nil || seen[t] || t.Kind == KindPointer {
			return
		}
		seen[t] = true
		if t.Scalar() {
			visit(t)
		}
		if t.composite() || t.Kind == KindRuntimeArray || t.Kind == KindNodePayloadArray {
			walk(t.Elem)
			for _, p := range t.Members {
				walk(p)
			}
		}
	}
	walk(t)
}

func (v *valueCheck) load(o []uint32) {
	v.alignment(o, 1, o[0])
	v.accessed(o[0], v.result())
	if t := v.pointer(0, o[0]); t != nil && t.Elem != v.result() {
		v.fault("result type %s: the pointer is to %s", v.m.typeText(v.result()), v.m.typeText(t.Elem))
	}
}

// readOnly lists the storage classes that a shader can't write.
var readOnly = set(spirv.StorageClassUniformConstant, spirv.StorageClassInput, spirv.StorageClassPushConstant)

func (v *valueCheck) store(o []uint32) {
	v.alignment(o, 2, o[0])
	t, a := v.operandType(0, o[0]), v.operandType(1, o[1])
	v.accessed(o[0], a)
	if p := v.pointer(0, o[0]); p != nil && a != nil && p.Elem != a {
		v.fault("operand 1: %%%d is %s: the pointer is to %s", o[1], v.m.typeText(a), v.m.typeText(p.Elem))
	}
	if t == nil || t.Kind != KindPointer {
		return
	}
	if readOnly[t.Storage] {
		v.fault("operand 0: %%%d points to %s, which is read only", o[0], t.Storage)
	}
}

func (v *valueCheck) copyMemory(o []uint32) {
	if secondAccess(o, 2) < len(o) && v.m.Raw.Version < version14 {
		v.r.faultAt(v.in, "versions", "memory operands of the source need SPIR-V 1.4")
	}
	v.copyAlignment(o, 2)
	a, b := v.pointer(0, o[0]), v.pointer(1, o[1])
	if x, y := v.m.TypeOf(spirv.ID(o[0])), v.m.TypeOf(spirv.ID(o[1])); x != nil && y != nil && x.Untyped() && y.Untyped() {
		v.fault("from an untyped pointer to an untyped pointer: want one with a pointee type")
	}
	if a != nil && b != nil && a.Elem != b.Elem {
		v.fault("from %s to %s", v.m.typeText(b.Elem), v.m.typeText(a.Elem))
	}
	if a != nil && readOnly[a.Storage] {
		v.fault("operand 0: %%%d points to %s, which is read only", o[0], a.Storage)
	}
}

func (v *valueCheck) chain(o []uint32) { v.chainFrom(o, 1) }

func (v *valueCheck) elementChain(o []uint32) {
	if t := v.operandType(1, o[1]); t != nil && t.Kind != KindInt {
		v.fault("operand 1: %%%d is %s: want an integer", o[1], v.m.typeText(t))
	}
	if t := v.m.TypeOf(spirv.ID(o[0])); t != nil && t.Kind == KindPointer && !v.m.mayBeValue(t) {
		v.fault("operand 0: %%%d points to %s: in logical addressing it is no element of an array without variable pointers", o[0], t.Storage)
	}
	v.strides(o[0])
	v.chainFrom(o, 2)
}

func (v *valueCheck) chainFrom(o []uint32, first int) {
	if t := v.m.TypeOf(spirv.ID(o[0])); t != nil && t.Untyped() {
		v.fault("operand 0: %%%d is an untyped pointer: want OpUntypedAccessChainKHR", o[0])
		return
	}
	base, t := v.pointer(0, o[0]), v.result()
	if base == nil {
		return
	}
	if t.Kind != KindPointer || t.Untyped() || t.Storage != base.Storage {
		v.fault("result type %s: want a pointer to %s, as the base is", v.m.typeText(t), base.Storage)
		return
	}
	at := base.Elem
	for n := first; n < len(o); n++ {
		if at = v.step(at, n, o[n]); at == nil {
			return
		}
	}
	if at != t.Elem {
		v.fault("result type points to %s: the chain ends at %s", v.m.typeText(t.Elem), v.m.typeText(at))
	}
}

// step follows one index of an access chain; nil after a fault.
func (v *valueCheck) step(t *Type, n int, id uint32) *Type {
	index := v.operandType(n, id)
	if index == nil {
		return nil
	}
	if index.Kind != KindInt {
		v.fault("operand %d: %%%d is %s: want an integer", n, id, v.m.typeText(index))
		return nil
	}
	if i, ok := v.m.signedValue(spirv.ID(id)); ok && i < 0 && !v.m.Kernels() {
		v.fault("operand %d: index %%%d is %d: want none below 0", n, id, i)
		return nil
	}
	switch t.Kind {
	case KindVector, KindMatrix, KindArray, KindRuntimeArray, KindNodePayloadArray, KindCooperativeMatrix:
		return t.Elem
	case KindStruct:
		def := v.m.Def(spirv.ID(id))
		if def.Op != spirv.OpConstant {
			v.fault("operand %d: index %%%d of a structure is no OpConstant", n, id)
			return nil
		}
		if p := t.partType(def.Operands[0]); p != nil {
			return p
		}
		v.fault("operand %d: the structure has %d members, none is %d", n, len(t.Members), def.Operands[0])
		return nil
	}
	if t.Kind != KindOther {
		v.fault("operand %d: %s has no parts to index", n, v.m.typeText(t))
	}
	return nil
}

func (v *valueCheck) arrayLength(o []uint32) {
	t := v.pointer(0, o[0])
	if t == nil {
		return
	}
	n := len(t.Elem.Members)
	if t.Elem.Kind != KindStruct || int(o[1]) != n-1 || t.Elem.Members[n-1].Kind != KindRuntimeArray {
		v.fault("want the last member of a structure, a runtime array")
	}
	if r := v.result(); r.Kind != KindInt || r.Width != 32 || r.Signed {
		v.fault("result type %s: want uint32", v.m.typeText(r))
	}
}

func (v *valueCheck) atomic(o []uint32) {
	t := v.pointer(0, o[0])
	if t != nil && t.Elem != v.result() {
		v.fault("result type %s: the pointer is to %s", v.m.typeText(v.result()), v.m.typeText(t.Elem))
		return
	}
	v.atomicFloat(v.result())
	v.atomicType(v.result())
}

func (v *valueCheck) atomicStore(o []uint32) {
	t, a := v.pointer(0, o[0]), v.operandType(3, o[3])
	if a == nil {
		return
	}
	if t != nil && t.Elem != a {
		v.fault("operand 3: %%%d is %s: the pointer is to %s", o[3], v.m.typeText(a), v.m.typeText(t.Elem))
	}
	v.atomicType(a)
}

// atomicType tests the width of the accessed value: 64-bit integers need a capability, and integers below 32 bits are
// not allowed.
func (v *valueCheck) atomicType(t *Type) {
	if t.Kind != KindInt {
		return
	}
	if t.Width == 64 && !v.m.Has(spirv.CapabilityInt64Atomics) {
		v.r.faultAt(v.in, "capabilities", "a 64-bit atomic needs the capability %s", spirv.CapabilityInt64Atomics)
	}
	if t.Width < 32 {
		v.fault("an atomic operation of %s: want 32 or 64 bits", v.m.typeText(t))
	}
}

func (v *valueCheck) call(o []uint32) {
	f := v.m.Function(spirv.ID(o[0]))
	if v.result() != f.Type.Elem {
		v.fault("result type %%%d: the function returns %%%d", v.in.Type, f.Type.Elem.ID)
	}
	if t := v.result(); t.Kind == KindPointer && !v.m.mayBeValue(t) {
		v.fault("the function returns a pointer to %s: in logical addressing it is not a value without variable pointers", t.Storage)
	}
	if len(o)-1 != len(f.Type.Members) {
		v.fault("%d arguments: the function has %d parameters", len(o)-1, len(f.Type.Members))
		return
	}
	for i, want := range f.Type.Members {
		if v.m.TypeOf(spirv.ID(o[i+1])) != want {
			v.fault("operand %d: %%%d is not of the parameter's type, %%%d", i+1, o[i+1], want.ID)
		}
	}
}

func (v *valueCheck) returnNothing([]uint32) {
	if t := v.f.Type.Elem; t.Kind != KindVoid {
		v.fault("the function returns %s", v.m.typeText(t))
	}
}

func (v *valueCheck) returnValue(o []uint32) {
	if v.m.TypeOf(spirv.ID(o[0])) != v.f.Type.Elem {
		v.fault("operand 0: %%%d is not of the function's return type, %%%d", o[0], v.f.Type.Elem.ID)
	}
	if v.f.Type.Elem.Kind == KindPointer {
		v.logicalPointer("a returned pointer", v.f.Type.Elem)
	}
}

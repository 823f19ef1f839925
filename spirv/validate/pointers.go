package validate

import "spvsim/spirv"

// precedingOp returns the instruction before one, lines of the source and information
// for debuggers left out.
func (v *valueCheck) precedingOp(at int) spirv.Op {
	for at--; at >= 0; at-- {
		switch in := &v.m.Raw.Instructions[at]; in.Op {
		case spirv.OpLine, spirv.OpNoLine:
		case spirv.OpExtInst:
			if v.in.Op == spirv.OpPhi && !v.m.Kernels() || !Ignorable(v.m.imports[spirv.ID(in.Operands[0])]) {
				return in.Op
			}
		default:
			return in.Op
		}
	}
	return spirv.OpNop
}

// logicalPointer tests that pointers may be values: in logical addressing they need variable pointers, with a separate
// capability for Workgroup (section 2.16.1).
func (v *valueCheck) logicalPointer(what string, t *Type) {
	switch {
	case v.m.Kernels():
	case t.Storage == spirv.StorageClassWorkgroup && !v.m.Has(spirv.CapabilityVariablePointers):
		v.fault("%s to Workgroup: want the capability VariablePointers", what)
	case v.m.Addressing == spirv.AddressingModelLogical && !v.m.Has(spirv.CapabilityVariablePointersStorageBuffer):
		v.fault("%s, in logical addressing: want the capability VariablePointers or VariablePointersStorageBuffer", what)
	}
}

// mayBeValue reports whether logical addressing allows a pointer to be a value: one to memory of variable pointers.
func (m *Module) mayBeValue(t *Type) bool {
	if m.Kernels() {
		return true
	}
	switch t.Storage {
	case spirv.StorageClassPhysicalStorageBuffer:
		return true
	case spirv.StorageClassStorageBuffer:
		return m.Has(spirv.CapabilityVariablePointersStorageBuffer)
	case spirv.StorageClassWorkgroup:
		return m.Has(spirv.CapabilityVariablePointers)
	}
	return false
}

func (v *valueCheck) choosesPointers() {
	if t := v.result(); t.Kind == KindPointer {
		v.logicalPointer("a choice of pointers", t)
	}
}

// stridden lists the storage classes whose elements are spaced by ArrayStride.
var stridden = set(spirv.StorageClassUniform, spirv.StorageClassStorageBuffer, spirv.StorageClassPushConstant, spirv.StorageClassPhysicalStorageBuffer)

// strides tests that the base of OpPtrAccessChain has the stride of its elements.
func (v *valueCheck) strides(base uint32) {
	t := v.m.TypeOf(spirv.ID(base))
	if t == nil || t.Kind != KindPointer {
		return
	}
	if v.steps(t); !stridden[t.Storage] || v.m.Kernels() {
		return
	}
	if _, ok := v.m.Decoration(t.ID, spirv.DecorationArrayStride); !ok {
		v.fault("operand 0: the type of %%%d has no ArrayStride", base)
	}
}

func (v *valueCheck) fromInteger([]uint32) { v.physical(v.result()) }

func (v *valueCheck) toInteger(o []uint32) {
	if t := v.operandType(0, o[0]); t != nil {
		v.physical(t)
	}
}

// physical tests that a pointer is one that has an address.
func (v *valueCheck) physical(t *Type) {
	if t.Kind == KindPointer && t.Storage != spirv.StorageClassPhysicalStorageBuffer && !v.m.Kernels() {
		v.fault("a pointer to %s: want one to PhysicalStorageBuffer", t.Storage)
	}
}

// floatAtomics holds the capabilities of additions (true), and of minima and maxima, by width.
var floatAtomics = map[bool]map[int]spirv.Capability{
	true:  {16: spirv.CapabilityAtomicFloat16AddEXT, 32: spirv.CapabilityAtomicFloat32AddEXT, 64: spirv.CapabilityAtomicFloat64AddEXT},
	false: {16: spirv.CapabilityAtomicFloat16MinMaxEXT, 32: spirv.CapabilityAtomicFloat32MinMaxEXT, 64: spirv.CapabilityAtomicFloat64MinMaxEXT},
}

func (v *valueCheck) atomicFloat(t *Type) {
	if op := v.in.Op; !t.is('F') || op != spirv.OpAtomicFAddEXT && op != spirv.OpAtomicFMinEXT && op != spirv.OpAtomicFMaxEXT {
		return
	}
	if cap, ok := floatAtomics[v.in.Op == spirv.OpAtomicFAddEXT][t.Width]; ok && !v.m.Has(cap) {
		v.r.faultAt(v.in, "capabilities", "%s of %s needs the capability %s", v.in.Op, v.m.typeText(t), cap)
	}
}

// vulkanSemantics holds the bits of memory semantics that the Vulkan memory model added.
const vulkanSemantics = uint32(spirv.MemorySemanticsOutputMemory | spirv.MemorySemanticsMakeAvailable | spirv.MemorySemanticsMakeVisible | spirv.MemorySemanticsVolatile)

// specialized reports whether an instruction is a constant whose value a job may set.
func specialized(op spirv.Op) bool {
	switch op {
	case spirv.OpSpecConstant, spirv.OpSpecConstantOp, spirv.OpSpecConstantComposite, spirv.OpSpecConstantCompositeReplicateEXT, spirv.OpSpecConstantTrue, spirv.OpSpecConstantFalse:
		return true
	}
	return false
}

// scopeModel tests the rules of the memory models for scopes.
func (v *valueCheck) scopeModel(s spirv.Scope) {
	vulkan := v.m.Memory == spirv.MemoryModelVulkan
	switch {
	case s == spirv.ScopeQueueFamily && !v.m.Has(spirv.CapabilityVulkanMemoryModel):
		v.r.faultAt(v.in, "capabilities", "the scope QueueFamily needs the capability %s", spirv.CapabilityVulkanMemoryModel)
	case s == spirv.ScopeDevice && vulkan && v.in.Op != spirv.OpReadClockKHR && !v.m.Has(spirv.CapabilityVulkanMemoryModelDeviceScope):
		v.r.faultAt(v.in, "capabilities", "the scope Device needs the capability %s, with the memory model Vulkan", spirv.CapabilityVulkanMemoryModelDeviceScope)
	case v.in.Op == spirv.OpReadClockKHR && s != spirv.ScopeSubgroup && s != spirv.ScopeDevice:
		v.fault("scope %s: want Subgroup or Device", s)
	}
}

// clock tests the result of OpReadClockKHR.
func (v *valueCheck) clock([]uint32) {
	if t := v.result(); !(t.is('U') && t.Width == 64) && !(twoWords(t) && t.is('u')) {
		v.fault("result type %s: want uint64 or a vector of 2 uint32", v.m.typeText(t))
	}
}

func (v *valueCheck) undefined([]uint32) {
	if v.result().Kind == KindVoid {
		v.fault("an undefined value of void")
	}
}

// stream tests the stream of a geometry shader's vertices.
func (v *valueCheck) stream(o []uint32) {
	if def := v.m.Def(spirv.ID(o[0])); !constant(def.Op) {
		v.fault("operand 0: %%%d is not a constant", o[0])
	}
}

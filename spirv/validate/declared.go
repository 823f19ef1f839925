package validate

import "spvsim/spirv"

// Declarations that an instruction needs because of its operands' types. The grammar's capabilities belong to
// instructions and enumerants alone (capabilities.go).

// narrowResults lists the instructions whose results may be of a narrow type without the type's full capability, and
// narrowUses those whose operands may be (section 2.16.1: loads, stores, copies and conversions of the width).
var (
	narrowResults = set(spirv.OpLoad, spirv.OpCopyObject, spirv.OpFConvert, spirv.OpUConvert, spirv.OpSConvert,
		spirv.OpFunction, spirv.OpFunctionParameter, spirv.OpFunctionCall)
	narrowUses = set(spirv.OpStore, spirv.OpCopyObject, spirv.OpFConvert, spirv.OpUConvert, spirv.OpSConvert)
)

// limits returns the narrow scalar types that the module may only store.
func (m *Module) limits() map[*Type]bool {
	limited := map[*Type]bool{}
	for _, t := range m.types {
		if t == nil || t.Encoded {
			continue
		}
		// llvm-spirv declares Float16Buffer alone, and computes.
		if full, narrow := narrowWidths[t.Kind][t.Width]; narrow && !m.Has(full) && !(m.Kernels() && t.Kind == KindFloat) {
			limited[t] = true
		}
	}
	return limited
}

// narrow tests that values of narrow types without their full capability are loaded, stored, copied and converted only.
func (v *valueCheck) narrow(op spirv.Op) {
	class := op.Grammar().Class
	if len(v.limited) == 0 || declaresType(op) || class == "Annotation" || class == "Debug" ||
		op == spirv.OpExtInst && Ignorable(v.m.imports[spirv.ID(v.in.Operands[0])]) {
		return
	}
	if t := v.m.Type(v.in.Type); t != nil {
		if s := v.limitedPart(t); s != nil && (!narrowResults[op] && class != "Image" || op == spirv.OpLoad && t.composite() && t.Component() != s) {
			v.full(op, s)
			return
		}
	}
	if narrowUses[op] {
		return
	}
	_ = spirv.WalkIDs(v.in, v.ctx, func(_ int, id spirv.ID) error { // Build has walked the module
		if def := v.m.Def(id); def.Op != spirv.OpFunction && def.Type != 0 {
			if s := v.limitedPart(v.m.Type(def.Type)); s != nil {
				v.full(op, s)
			}
		}
		return nil
	})
}

// full reports that an instruction needs the full capability of a narrow type.
func (v *valueCheck) full(op spirv.Op, s *Type) {
	v.r.faultAt(v.in, "capabilities", "%s of %s needs the capability %s", op, v.m.typeText(s), narrowWidths[s.Kind][s.Width])
}

// limitedPart returns a scalar type in a value's type that is limited; nil if there is none. A pointer's pointee does not count.
func (v *valueCheck) limitedPart(t *Type) (found *Type) {
	if s, ok := v.containers[t]; ok {
		return s
	}
	eachScalar(t, func(s *Type) {
		if found == nil && v.limited[s] {
			found = s
		}
	})
	v.containers[t] = found
	return found
}

// comparable tests that pointers which are compared may be values.
func (v *valueCheck) comparable(t *Type) {
	if v.m.Kernels() {
		return
	}
	switch t.Storage {
	case spirv.StorageClassStorageBuffer, spirv.StorageClassWorkgroup:
		v.logicalPointer("a comparison of pointers", t)
	case spirv.StorageClassPhysicalStorageBuffer:
	default:
		v.fault("operand 0: a pointer to %s: want StorageBuffer or Workgroup", t.Storage)
	}
}

// steps tests that the base of OpPtrAccessChain points to a storage class whose pointers have arithmetic
// (VUID-StandaloneSpirv-Base-07650 to 07652).
func (v *valueCheck) steps(t *Type) {
	if v.m.Kernels() {
		return
	}
	switch t.Storage {
	case spirv.StorageClassStorageBuffer, spirv.StorageClassWorkgroup:
		v.logicalPointer("a step over elements", t)
	case spirv.StorageClassPhysicalStorageBuffer, spirv.StorageClassNodePayloadAMDX:
	default:
		v.fault("operand 0: a pointer to %s: want StorageBuffer, Workgroup or PhysicalStorageBuffer", t.Storage)
	}
}

// imageType tests the capability for images of 64-bit integers (OpTypeImage, section 3.31).
func (v *valueCheck) imageType([]uint32) {
	if t := v.m.Type(v.in.Result); t.Elem.Kind == KindInt && t.Elem.Width == 64 {
		v.needsCapability("an image of 64-bit integers", spirv.CapabilityInt64ImageEXT)
	}
}

func (v *valueCheck) needsCapability(what string, cap spirv.Capability) {
	if !v.m.Has(cap) {
		v.r.faultAt(v.in, "capabilities", "%s needs the capability %s", what, cap)
	}
}

// memoryModel refuses the decorations "Coherent" and "Volatile" under the Vulkan memory model, which replaces them
// (section 3.20).
func memoryModel(m *Module, r *report) {
	if m.Memory != spirv.MemoryModelVulkan {
		return
	}
	for i := range m.Raw.Instructions {
		in := &m.Raw.Instructions[i]
		switch o := in.Operands; in.Op {
		case spirv.OpDecorate:
			m.replaced(in, spirv.ID(o[0]), spirv.Decoration(o[1]), r)
		case spirv.OpMemberDecorate:
			m.replaced(in, spirv.ID(o[0]), spirv.Decoration(o[2]), r)
		}
	}
}

// replaced tests a decoration that the Vulkan memory model has operands of instructions for. Built-in inputs may be Volatile.
func (m *Module) replaced(in *spirv.Instruction, id spirv.ID, d spirv.Decoration, r *report) {
	if t := m.TypeOf(id); d == spirv.DecorationVolatile && t != nil && t.Kind == KindPointer && t.Storage == spirv.StorageClassInput {
		return
	}
	if d == spirv.DecorationCoherent || d == spirv.DecorationVolatile {
		r.faultAt(in, "decorations", "%s on %%%d, with the memory model Vulkan: want operands of the accesses", d, id)
	}
}

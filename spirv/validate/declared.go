package validate

import (
	"spvsim/spirv"
)

// What an instruction needs of the module's declarations because of the types of its operands. The grammar's capabilities are of
// instructions and enumerants alone (capabilities.go).

// narrowResults are the instructions whose results may be of a narrow type without the full capability of the type, and
// narrowUses those whose operands may be (section 2.16.1: loads, stores, copies and conversions of the width).
var (
	narrowResults = set(spirv.OpLoad, spirv.OpCopyObject, spirv.OpFConvert, spirv.OpUConvert, spirv.OpSConvert,
		spirv.OpFunction, spirv.OpFunctionParameter, spirv.OpFunctionCall)
	narrowUses = set(spirv.OpStore, spirv.OpCopyObject, spirv.OpFConvert, spirv.OpUConvert, spirv.OpSConvert)
)

// limits finds the narrow scalar types of which the module declares storage alone.
func (m *Module) limits() map[*Type]bool {
	limited := map[*Type]bool{}
	for _, t := range m.types {
		if t == nil || t.Encoded {
			continue
		}
		if full, narrow := narrowWidths[t.Kind][t.Width]; narrow && !m.Has(full) {
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
	_ = spirv.Walk(v.in, v.ctx, func(o spirv.Operand) error { // Build has walked the module
		if !o.Kind.IsID() {
			return nil
		}
		if def := v.m.Def(spirv.ID(o.Words[0])); def.Op != spirv.OpFunction && def.Type != 0 {
			if s := v.limitedPart(v.m.Type(def.Type)); s != nil {
				v.full(op, s)
			}
		}
		return nil
	})
}

// full reports that an instruction needs the full capability of a narrow type.
func (v *valueCheck) full(op spirv.Op, s *Type) {
	v.r.at(v.in, "capabilities", "%s of %s needs the capability %s", op, v.m.typeText(s), narrowWidths[s.Kind][s.Width])
}

// limitedPart is a scalar type in a value's type that is limited; nil if there is none. A pointer's pointee does not count.
func (v *valueCheck) limitedPart(t *Type) (found *Type) {
	if s, ok := v.parts[t]; ok {
		return s
	}
	eachScalar(t, func(s *Type) {
		if found == nil && v.limited[s] {
			found = s
		}
	})
	v.parts[t] = found
	return found
}

// comparable tests that pointers which are compared may be values.
func (v *valueCheck) comparable(t *Type) {
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
	switch t.Storage {
	case spirv.StorageClassStorageBuffer, spirv.StorageClassWorkgroup:
		v.logicalPointer("a step over elements", t)
	case spirv.StorageClassPhysicalStorageBuffer, spirv.StorageClassNodePayloadAMDX:
	default:
		v.fault("operand 0: a pointer to %s: want StorageBuffer, Workgroup or PhysicalStorageBuffer", t.Storage)
	}
}

// imageType tests what images of some kinds need (OpTypeImage, section 3.31).
func (v *valueCheck) imageType([]uint32) {
	t := v.m.Type(v.in.Result)
	if t.Multisampled && t.Sampled == 2 && t.Dim != spirv.DimSubpassData {
		v.needs("a multisampled storage image", spirv.CapabilityStorageImageMultisample)
	}
	if t.Elem.Kind == KindInt && t.Elem.Width == 64 {
		v.needs("an image of 64-bit integers", spirv.CapabilityInt64ImageEXT)
	}
}

func (v *valueCheck) needs(what string, cap spirv.Capability) {
	if !v.m.Has(cap) {
		v.r.at(v.in, "capabilities", "%s needs the capability %s", what, cap)
	}
}

// storageDims are the capabilities that storage images of a dimension need beyond those that sampled images of it share.
var storageDims = map[spirv.Dim]spirv.Capability{spirv.Dim1D: spirv.CapabilityImage1D, spirv.DimBuffer: spirv.CapabilityImageBuffer, spirv.DimRect: spirv.CapabilityImageRect}

// storageImage tests a read or a write of a storage image: its dimension, and that it may be without a format.
func (v *valueCheck) storageImage(o []uint32) {
	t := v.m.TypeOf(spirv.ID(o[0]))
	if t == nil || t.Kind != KindImage || t.Sampled != 2 || t.Dim == spirv.DimSubpassData {
		return
	}
	if cap, ok := storageDims[t.Dim]; ok {
		v.needs("an access of a storage image of "+t.Dim.String(), cap)
	}
	if t.Dim == spirv.DimCube && t.Arrayed {
		v.needs("an access of a storage image that is an array of cubes", spirv.CapabilityImageCubeArray)
	}
	if t.Dim == spirv.Dim2D && t.Arrayed && t.Multisampled {
		v.needs("an access of a storage image that is a multisampled array", spirv.CapabilityImageMSArray)
	}
	if t.Format == spirv.ImageFormatUnknown {
		if v.in.Op == spirv.OpImageWrite {
			v.needs("a write to an image of unknown format", spirv.CapabilityStorageImageWriteWithoutFormat)
		} else {
			v.needs("a read of an image of unknown format", spirv.CapabilityStorageImageReadWithoutFormat)
		}
	}
}

// integerDot tests which vectors a dot product takes (SPV_KHR_integer_dot_product): "either 32-bit integers (enabled by the
// DotProductInput4x8BitPacked capability) or vectors of integer type (enabled by the DotProductInput4x8Bit or
// DotProductInputAll capability)".
func (v *valueCheck) integerDot(o []uint32) {
	t := v.m.TypeOf(spirv.ID(o[0]))
	switch {
	case t == nil || v.m.Has(spirv.CapabilityDotProductInputAll) && t.Kind == KindVector:
	case t.Kind == KindInt:
		v.needs("a dot product of packed integers", spirv.CapabilityDotProductInput4x8BitPacked)
	case t.Kind == KindVector && t.Count == 4 && t.Elem.Width == 8:
		v.needs("a dot product of vectors of 4 8-bit integers", spirv.CapabilityDotProductInput4x8Bit)
	case t.Kind == KindVector:
		v.needs("a dot product of "+v.m.typeText(t), spirv.CapabilityDotProductInputAll)
	}
}

// encodedMatrices are the capabilities of cooperative matrices whose floats have an encoding of their own.
var encodedMatrices = map[spirv.FPEncoding]spirv.Capability{
	spirv.FPEncodingBFloat16KHR: spirv.CapabilityBFloat16CooperativeMatrixKHR, spirv.FPEncodingFloat8E4M3EXT: spirv.CapabilityFloat8CooperativeMatrixEXT,
	spirv.FPEncodingFloat8E5M2EXT: spirv.CapabilityFloat8CooperativeMatrixEXT,
}

// memoryModel tests what the Vulkan memory model takes the place of: "Coherent" and "Volatile" decorations (section 3.20), and that its
// capability comes with it.
func memoryModel(m *Module, r *report) {
	vulkan := m.Memory == spirv.MemoryModelVulkan
	for i := range m.Raw.Instructions {
		in := &m.Raw.Instructions[i]
		switch o := in.Operands; {
		case in.Op == spirv.OpMemoryModel && !vulkan && m.Has(spirv.CapabilityVulkanMemoryModel):
			r.at(in, "capabilities", "the memory model is %s: the capability %s wants Vulkan", m.Memory, spirv.CapabilityVulkanMemoryModel)
		case !vulkan:
		case in.Op == spirv.OpDecorate:
			m.replaced(in, spirv.ID(o[0]), spirv.Decoration(o[1]), r)
		case in.Op == spirv.OpMemberDecorate:
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
		r.at(in, "decorations", "%s on %%%d, with the memory model Vulkan: want operands of the accesses", d, id)
	}
}

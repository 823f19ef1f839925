package validate

import (
	"strings"

	"spvsim/spirv"
	"spvsim/spirv/grammar"
)

// moduleRules lists the rules of types, variables and decorations, and those of single instructions, that no table of
// types covers.
var moduleRules = []rule{
	{name: "runtime-array", sentence: "[VUID-StandaloneSpirv-OpTypeRuntimeArray-04680] OpTypeRuntimeArray must only be used for: the last member of a Block-decorated OpTypeStruct in StorageBuffer or PhysicalStorageBuffer storage class, [...] BufferBlock [...] in Uniform storage class, the outermost dimension of an arrayed variable in the StorageBuffer, Uniform, or UniformConstant storage class, [...].",
		check: runtimeArrays},
	{name: "no-layout", sentence: "[VUID-StandaloneSpirv-None-10684] [Variables of storage classes without an explicit layout: Workgroup that is no Block, UniformConstant, and Function and Private after SPIR-V 1.4,] must not be decorated [in their types] with ArrayStride, MatrixStride, Offset, Block or BufferBlock.", warning: true,
		check: eachOp(func(c *extension, in *spirv.Instruction) {
			t := c.TypeOf(in.Result)
			elem, what := c.variableMemory(t)
			if elem == nil {
				return
			}
			if laid := c.explicitLayout(elem, map[*Type]bool{}); laid != "" {
				c.faultAt(in, "%s, in %s: it has no explicit layout", laid, what)
			}
		}, spirv.OpVariable)},
	{name: "initializer-class", sentence: "[VUID-StandaloneSpirv-OpVariable-04651] Any OpVariable with an Initializer operand must have Output, Private, Function, or Workgroup as its Storage Class operand. [VUID-StandaloneSpirv-OpVariable-04734] Any OpVariable with an Initializer operand and Workgroup as its Storage Class operand must use OpConstantNull as the initializer.",
		check: eachOp(func(c *extension, in *spirv.Instruction) {
			if len(in.Operands) < 2 {
				return
			}
			switch class := spirv.StorageClass(in.Operands[0]); class {
			case spirv.StorageClassOutput, spirv.StorageClassPrivate, spirv.StorageClassFunction:
			case spirv.StorageClassWorkgroup:
				if c.Def(spirv.ID(in.Operands[1])).Op != spirv.OpConstantNull {
					c.faultAt(in, "initializer %%%d in Workgroup: want OpConstantNull", in.Operands[1])
				}
			default:
				c.faultAt(in, "an initializer in %s: want Output, Private, Function or Workgroup", class)
			}
		}, spirv.OpVariable)},
	{name: "descriptor-type", sentence: "[VUID-StandaloneSpirv-UniformConstant-04655, Uniform-06807, PushConstant-06808] UniformConstant: OpTypeImage, OpTypeSampler, OpTypeSampledImage, OpTypeAccelerationStructureKHR, or an array of one of these types. Uniform and StorageBuffer: OpTypeStruct, or an array of this type. PushConstant: OpTypeStruct.",
		check: descriptorTypes},
	{name: "bit-width", sentence: "[VUID-StandaloneSpirv-Base-04781, 10824] The Base operand of any OpBitCount, OpBitReverse, OpBitFieldInsert, OpBitFieldSExtract, or OpBitFieldUExtract instruction must be a 32-bit integer scalar or a vector of 32-bit integers [without the maintenance9 feature].", warning: true,
		check: eachOp(func(c *extension, in *spirv.Instruction) {
			if t := c.TypeOf(spirv.ID(in.Operands[0])); t.width() != 32 {
				c.faultAt(in, "operand 0: %%%d is %s: want 32-bit integers", in.Operands[0], c.typeText(t))
			}
		}, spirv.OpBitCount, spirv.OpBitReverse, spirv.OpBitFieldInsert, spirv.OpBitFieldSExtract, spirv.OpBitFieldUExtract)},
	{name: "decoration-memory", sentence: "[NoPerspective, Flat, Patch, Centroid, Sample, Restrict, Aliased, Volatile, Coherent, NonWritable, NonReadable, XfbBuffer, XfbStride, Component, Stream, RestrictPointer, AliasedPointer, PerPrimitiveEXT] Must only be applied to memory object declarations [OpVariable, OpFunctionParameter of a pointer type] or members of a structure type.",
		check: eachDecorated(func(c *extension, in *spirv.Instruction, target *spirv.Instruction, kind spirv.Decoration) {
			if !ofMemory[kind] {
				return
			}
			t := c.Type(target.Type)
			if !memoryObjects[target.Op] || t == nil || t.Kind != KindPointer {
				c.faultAt(in, "%s on %%%d: want a variable or a parameter that is a pointer", kind, target.Result)
			}
		})},
	{name: "decoration-class", sentence: "[VUID-StandaloneSpirv-Location-06672, Component] Input or Output. [DescriptorSet-06491, Binding] StorageBuffer, Uniform, or UniformConstant. [InputAttachmentIndex-06678] UniformConstant. [Flat-04670, NoPerspective, Sample, Centroid] Input or Output. [Invariant-04677] Input or Output. [PerVertexKHR-06777] Input. [Index] Output.",
		check: eachDecorated(func(c *extension, in *spirv.Instruction, target *spirv.Instruction, kind spirv.Decoration) {
			classes, ok := decorationClasses[kind]
			t := c.Type(target.Type)
			if ok && target.Op == spirv.OpVariable && t != nil && t.Kind == KindPointer && !classes[t.Storage] {
				c.faultAt(in, "%s on %%%d, in %s", kind, target.Result, t.Storage)
			}
		})},
	{name: "decoration-member", sentence: "[SpecId, Block, BufferBlock, ArrayStride, Binding, DescriptorSet, Aliased, Uniform, NoContraction, ...] [OpDecorate's alone: their targets are no members of structures].",
		check: eachOp(func(c *extension, in *spirv.Instruction) {
			if kind := spirv.Decoration(in.Operands[2]); neverMembers[kind] {
				c.faultAt(in, "%s on a member of a structure", kind)
			}
		}, spirv.OpMemberDecorate)},
	{name: "decoration-glsl", sentence: "[VUID-StandaloneSpirv-GLSLShared-04669] The GLSLShared and GLSLPacked decorations must not be used.",
		check: eachDecorated(func(c *extension, in *spirv.Instruction, _ *spirv.Instruction, kind spirv.Decoration) {
			if kind == spirv.DecorationGLSLShared || kind == spirv.DecorationGLSLPacked {
				c.faultAt(in, "%s, a layout that the compiler chooses", kind)
			}
		})},
	{name: "decoration-groups", sentence: "[OpDecorationGroup] The <id> must only be targeted by OpName, OpGroupDecorate, OpDecorate, OpDecorateId, and OpGroupMemberDecorate. [OpGroupDecorate] Decoration Group is the <id> of an OpDecorationGroup instruction. Targets [...] must not be [one; each once].",
		check: decorationGroups},
	// glslang writes 0 for code that it adds.
	{name: "debug-line", sentence: "[NonSemantic.Shader.DebugInfo.100, DebugLine] Line Start, Line End: lines, which start at 1. Line End is not before Line Start.", warning: true,
		check: func(c *extension) {
			c.eachExt("NonSemantic.Shader.DebugInfo.100", func(in *spirv.Instruction, code uint32, a []uint32) {
				if code != debugLineCode || len(a) < 3 {
					return
				}
				first, known := c.constantValue(a[1])
				last, too := c.constantValue(a[2])
				switch {
				case known && first == 0:
					c.faultAt(in, "line 0: lines start at 1")
				case known && too && last < first:
					c.faultAt(in, "lines %d to %d", first, last)
				}
			})
		}},
	{name: "built-in-type", sentence: "[VUID-WorkgroupId-WorkgroupId-04424, FragCoord-04212, ...] The variable decorated with [the built-in] must be declared as [the scalar or vector of 32-bit numbers, or the boolean, that the specification names].",
		check: builtInType},
	{name: "built-in-place", sentence: "[VUID-WorkgroupId-WorkgroupId-04423, 04422, ...] The variable decorated with [the built-in] must be declared using the Input [or Output] Storage Class. The [built-in] decoration must be used only within [its] Execution Model.",
		check: builtInPlace},
	{name: "bool-interface", sentence: "[VUID-StandaloneSpirv-Input-07290] Variables with the Input or Output storage class must not contain OpTypeBool [but built-ins].",
		check: eachOp(func(c *extension, in *spirv.Instruction) {
			t := c.TypeOf(in.Result)
			if stageClasses[t.Storage] && !c.Decorated(in.Result, spirv.DecorationBuiltIn) && c.holdsBool(t.Elem, map[*Type]bool{}) {
				c.faultAt(in, "a boolean in %s that is no built-in", t.Storage)
			}
		}, spirv.OpVariable)},
	{name: "descriptor-place", sentence: "[VUID-StandaloneSpirv-UniformConstant-06677] Variables of UniformConstant, Uniform and StorageBuffer must have DescriptorSet and Binding decorations specified. [VUID-StandaloneSpirv-PushConstant-06675, Uniform-06676] Variables of PushConstant must be identified with a Block decoration, those of Uniform and StorageBuffer with Block or BufferBlock.",
		check: descriptorPlaces},
	{name: "location", sentence: "[VUID-StandaloneSpirv-Location-04916, 04919] The Location decorations must be used on user-defined variables [of Input and Output], [or] on each member [of a] Block.",
		check: locations},
	{name: "memory-model", sentence: "[VulkanMemoryModel] Must be declared if and only if the Vulkan memory model is specified.",
		check: eachOp(func(c *extension, in *spirv.Instruction) {
			if c.Has(spirv.CapabilityVulkanMemoryModel) && c.Memory != spirv.MemoryModelVulkan {
				c.faultAt(in, "%s with the capability %s: want Vulkan", c.Memory, spirv.CapabilityVulkanMemoryModel)
			}
		}, spirv.OpMemoryModel)},
	{name: "constituents", sentence: "[OpConstantComposite] Constituents [...] must be <id>s of other constant declarations [that are not specialized] or an OpUndef.",
		check: eachOp(func(c *extension, in *spirv.Instruction) {
			for _, id := range in.Operands {
				if def := c.Def(spirv.ID(id)); specialized(def.Op) && !(def.Op == spirv.OpSpecConstantOp && c.Kernels()) { // llvm-spirv writes addresses so
					c.faultAt(in, "%%%d is a specialization constant: want OpSpecConstantComposite", id)
				}
			}
		}, spirv.OpConstantComposite)},
	{name: "decorate-string-form", sentence: "[OpDecorateString, OpMemberDecorateString] Decoration is a decoration that takes at least one Literal operand, and has only Literal string operands.",
		check: eachOp(func(c *extension, in *spirv.Instruction) {
			at := 1
			if in.Op == spirv.OpMemberDecorateString {
				at = 2
			}
			if e := grammar.KindDecoration.Lookup(in.Operands[at]); e == nil || len(e.Parameters) == 0 || e.Parameters[0].Kind != grammar.KindLiteralString {
				c.faultAt(in, "%s takes no text: want %s", spirv.Decoration(in.Operands[at]), strings.Replace(in.Op.String(), "String", "", 1))
			}
		}, spirv.OpDecorateString, spirv.OpMemberDecorateString)},
	{name: "source-continued", sentence: "[OpSourceContinued] Continue specifying the Source text from the previous instruction. [...] must follow OpSource or another OpSourceContinued.",
		check: func(c *extension) {
			for i := range c.Raw.Instructions {
				in := &c.Raw.Instructions[i]
				if in.Op == spirv.OpSourceContinued && (i == 0 || c.Raw.Instructions[i-1].Op != spirv.OpSource && c.Raw.Instructions[i-1].Op != spirv.OpSourceContinued) {
					c.faultAt(in, "no text to continue before it")
				}
			}
		}},
	{name: "matrix-type", sentence: "[BFloat16CooperativeMatrixKHR, Float8CooperativeMatrixEXT] Uses [the type] as the Component Type of OpTypeCooperativeMatrixKHR.",
		check: eachOp(func(c *extension, in *spirv.Instruction) {
			t := c.Type(in.Result).Elem
			if cap, ok := encodedMatrices[t.Encoding]; ok && t.Encoded && !c.Has(cap) {
				c.faultAt(in, "components of %s need the capability %s", c.typeText(t), cap)
			}
		}, spirv.OpTypeCooperativeMatrixKHR)},
	{name: "opaque-store", sentence: "[VUID-StandaloneSpirv-OpTypeImage-06924] Objects of OpTypeImage, OpTypeSampler, OpTypeSampledImage, [...] and arrays of these types must not be stored to or modified. [VUID-StandaloneSpirv-None-04667] Structures must not contain opaque types.",
		check: func(c *extension) {
			c.eachOp(func(in *spirv.Instruction) {
				if t := c.TypeOf(spirv.ID(in.Operands[1])); t != nil && opaque(t) {
					c.faultAt(in, "a store of %s", c.typeText(t))
				}
			}, spirv.OpStore)
			c.eachOp(func(in *spirv.Instruction) {
				for i, member := range c.Type(in.Result).Members {
					if opaque(member) {
						c.faultAt(in, "member %d is %s", i, c.typeText(member))
					}
				}
			}, spirv.OpTypeStruct)
		}},
	{name: "uniform-store", sentence: "[VUID-StandaloneSpirv-Uniform-06925] Any variable in the Uniform storage class decorated as Block must not be stored to or modified.",
		check: eachOp(func(c *extension, in *spirv.Instruction) {
			root := c.rootOf(spirv.ID(in.Operands[0]))
			if t := c.TypeOf(root.Result); root.Op == spirv.OpVariable && t.Storage == spirv.StorageClassUniform && c.Decorated(base(t.Elem).ID, spirv.DecorationBlock) {
				c.faultAt(in, "a store to %%%d, a Block in Uniform", root.Result)
			}
		}, spirv.OpStore, spirv.OpCopyMemory)},
	{name: "aligned-size", sentence: "[VUID-StandaloneSpirv-PhysicalStorageBuffer64-06314] If the pointer [...] is in PhysicalStorageBuffer, [its] alignment must be a multiple of the size of the largest scalar type of the object that [it] points to. (Or 0, which compilers write.)",
		check: eachOp(func(c *extension, in *spirv.Instruction) {
			t, at := c.TypeOf(spirv.ID(in.Operands[0])), 1
			if in.Op == spirv.OpStore {
				at = 2
			}
			if t == nil || t.Kind != KindPointer || t.Storage != spirv.StorageClassPhysicalStorageBuffer || t.Elem == nil || at+1 >= len(in.Operands) || spirv.MemoryAccess(in.Operands[at])&spirv.MemoryAccessAligned == 0 {
				return
			}
			widest := uint32(0)
			if heldPointer(t.Elem, map[*Type]bool{}) != nil {
				widest = 8
			}
			eachScalar(t.Elem, func(s *Type) { widest = max(widest, uint32(s.Width)/8) })
			if n := in.Operands[at+1]; n != 0 && n < widest {
				c.faultAt(in, "Aligned %d: the widest scalar has %d bytes", n, widest)
			}
		}, spirv.OpLoad, spirv.OpStore)},
	{name: "fast-math", sentence: "[FPFastMathMode, FPFastMathDefault] AllowTransform requires AllowContract and AllowReassoc. [FPFastMathDefault] must not include Fast. [FPFastMathMode] must not be applied to a target with NoContraction.",
		check: fastMathBits},
	{name: "physical-integers", sentence: "[VUID-StandaloneSpirv-PhysicalStorageBuffer64-04710] If the addressing model is PhysicalStorageBuffer64, [OpConvertUToPtr and OpConvertPtrToU] must have an integer of 64 bits.",
		check: eachOp(func(c *extension, in *spirv.Instruction) {
			t := c.Type(in.Type)
			if in.Op == spirv.OpConvertUToPtr {
				t = c.TypeOf(spirv.ID(in.Operands[0]))
			}
			if t != nil && t.Kind == KindInt && t.Width != 64 {
				c.faultAt(in, "an integer of %d bits: want 64", t.Width)
			}
		}, spirv.OpConvertUToPtr, spirv.OpConvertPtrToU)},
	{name: "storage-class", sentence: "[VUID-StandaloneSpirv-None-04643] Storage Class must be limited to UniformConstant, Input, Uniform, Output, Workgroup, Private, Function, PushConstant, Image, StorageBuffer, [...] PhysicalStorageBuffer, [...] or TaskPayloadWorkgroupEXT. (And NodePayloadAMDX.)",
		check: eachOp(func(c *extension, in *spirv.Instruction) {
			switch class := spirv.StorageClass(in.Operands[0]); class {
			case spirv.StorageClassCrossWorkgroup, spirv.StorageClassGeneric, spirv.StorageClassAtomicCounter:
				c.faultAt(in, "the storage class %s", class)
			}
		}, spirv.OpTypePointer)},
	{name: "encoded-dot", sentence: "[BFloat16DotProductKHR, DotProductBFloat16AccVALVE, DotProductFloat16AccFloat32VALVE, DotProductFloat16AccFloat16VALVE] Uses [the operands' type] in OpDot [OpFDot2MixAcc32VALVE, OpFDot2MixAcc16VALVE].",
		check: eachOp(func(c *extension, in *spirv.Instruction) {
			t := c.TypeOf(spirv.ID(in.Operands[0])).Component()
			cap := floatDots[in.Op][t.Encoded]
			if in.Op == spirv.OpDot && !t.Encoded || t.Width != 16 || c.Has(cap) {
				return
			}
			c.faultAt(in, "operands of %s need the capability %s", c.typeText(t), cap)
		}, spirv.OpDot, spirv.OpFDot2MixAcc32VALVE, spirv.OpFDot2MixAcc16VALVE)},
	{name: "copy-logical", sentence: "[OpCopyLogical] Operand's type must logically match Result Type [...] and must not be the same type.",
		check: eachOp(func(c *extension, in *spirv.Instruction) {
			if a, b := c.TypeOf(spirv.ID(in.Operands[0])), c.Type(in.Type); a == nil || a == b || !logicallyMatch(a, b, map[[2]*Type]bool{}) {
				c.faultAt(in, "from %s to %s", c.describe(a), c.typeText(b))
			}
		}, spirv.OpCopyLogical)},
	{name: "forward-pointer", sentence: "[OpTypeForwardPointer] Storage Class is the Storage Class of the memory holding the object pointed to [as the OpTypePointer has it].",
		check: eachOp(func(c *extension, in *spirv.Instruction) {
			if t := c.Type(spirv.ID(in.Operands[0])); t == nil || t.Kind != KindPointer || uint32(t.Storage) != in.Operands[1] {
				c.faultAt(in, "%%%d is no pointer to %s", in.Operands[0], spirv.StorageClass(in.Operands[1]))
			}
		}, spirv.OpTypeForwardPointer)},
	{name: "dot-product", sentence: "[OpSDot, OpUDot, OpSUDot, ...AccSat] Vector 1 and Vector 2 must be integer vectors of the same number of components and width, or both 32-bit integers with a Packed Vector Format. Result Type must be an integer type scalar at least as wide; of OpUDot unsigned, with unsigned vectors. [OpSUDot: Vector 2 unsigned.] Accumulator [...] must be the type of Result Type. [DotProductInputAll, DotProductInput4x8Bit, DotProductInput4x8BitPacked]",
		check: dotProducts},
}

// debugLineCode is the number of DebugLine in its set.
const debugLineCode = 103

// eachDecorated returns the rule that visits the decorations of ids by OpDecorate, with the id's definition; groups are left out.
func eachDecorated(visit func(c *extension, in, target *spirv.Instruction, kind spirv.Decoration)) func(*extension) {
	return eachOp(func(c *extension, in *spirv.Instruction) {
		if target := c.Def(spirv.ID(in.Operands[0])); target.Op != spirv.OpDecorationGroup {
			visit(c, in, target, spirv.Decoration(in.Operands[1]))
		}
	}, spirv.OpDecorate)
}

// ofMemory lists the decorations of memory object declarations.
var ofMemory = set(spirv.DecorationNoPerspective, spirv.DecorationFlat, spirv.DecorationPatch, spirv.DecorationCentroid, spirv.DecorationSample,
	spirv.DecorationRestrict, spirv.DecorationAliased, spirv.DecorationVolatile, spirv.DecorationCoherent, spirv.DecorationNonWritable, spirv.DecorationNonReadable,
	spirv.DecorationXfbBuffer, spirv.DecorationXfbStride, spirv.DecorationComponent, spirv.DecorationStream, spirv.DecorationRestrictPointer,
	spirv.DecorationAliasedPointer, spirv.DecorationPerPrimitiveEXT)

var memoryObjects = set(spirv.OpVariable, spirv.OpFunctionParameter, spirv.OpAllocateNodePayloadsAMDX)

var (
	stageClasses      = set(spirv.StorageClassInput, spirv.StorageClassOutput)
	descriptorClasses = set(spirv.StorageClassStorageBuffer, spirv.StorageClassUniform, spirv.StorageClassUniformConstant)
)

// decorationClasses maps decorations to the storage classes of their variables.
var decorationClasses = map[spirv.Decoration]map[spirv.StorageClass]bool{
	spirv.DecorationLocation: stageClasses, spirv.DecorationComponent: stageClasses, spirv.DecorationFlat: stageClasses,
	spirv.DecorationNoPerspective: stageClasses, spirv.DecorationCentroid: stageClasses, spirv.DecorationSample: stageClasses, spirv.DecorationInvariant: stageClasses,
	spirv.DecorationBinding: descriptorClasses, spirv.DecorationDescriptorSet: descriptorClasses,
	spirv.DecorationInputAttachmentIndex: set(spirv.StorageClassUniformConstant), spirv.DecorationPerVertexKHR: set(spirv.StorageClassInput),
	spirv.DecorationIndex: set(spirv.StorageClassOutput),
}

// neverMembers lists the decorations that no member of a structure may have.
var neverMembers = set(spirv.DecorationSpecId, spirv.DecorationBlock, spirv.DecorationBufferBlock, spirv.DecorationArrayStride, spirv.DecorationGLSLShared,
	spirv.DecorationGLSLPacked, spirv.DecorationCPacked, spirv.DecorationAliased, spirv.DecorationConstant, spirv.DecorationUniform, spirv.DecorationUniformId,
	spirv.DecorationSaturatedConversion, spirv.DecorationIndex, spirv.DecorationBinding, spirv.DecorationDescriptorSet, spirv.DecorationFuncParamAttr,
	spirv.DecorationFPRoundingMode, spirv.DecorationFPFastMathMode, spirv.DecorationLinkageAttributes, spirv.DecorationNoContraction,
	spirv.DecorationInputAttachmentIndex, spirv.DecorationAlignment, spirv.DecorationNoSignedWrap, spirv.DecorationNoUnsignedWrap, spirv.DecorationNonUniform,
	spirv.DecorationRestrictPointer, spirv.DecorationAliasedPointer)

func runtimeArrays(c *extension) {
	c.eachOp(func(in *spirv.Instruction) {
		t := c.Type(in.Result)
		if t.Elem != nil && t.Kind != KindStruct && t.Elem.Kind == KindRuntimeArray {
			c.faultAt(in, "an array of runtime arrays")
		}
		for i, member := range t.Members {
			switch {
			case member.Kind != KindRuntimeArray:
			case i < len(t.Members)-1:
				c.faultAt(in, "member %d is a runtime array, and not the last", i)
			case !c.block(t):
				c.faultAt(in, "member %d is a runtime array: want a structure with Block or BufferBlock", i)
			}
		}
	}, spirv.OpTypeArray, spirv.OpTypeRuntimeArray, spirv.OpTypeStruct)
	c.eachOp(func(in *spirv.Instruction) {
		t := c.TypeOf(in.Result)
		switch elem := t.Elem; {
		case elem == nil:
		case elem.Kind == KindRuntimeArray && (!descriptorClasses[t.Storage] || !c.Has(spirv.CapabilityRuntimeDescriptorArray)):
			c.faultAt(in, "a variable that is a runtime array, in %s: want descriptors, with the capability %s", t.Storage, spirv.CapabilityRuntimeDescriptorArray)
		case elem.Kind == KindStruct && len(elem.Members) > 0 && elem.Members[len(elem.Members)-1].Kind == KindRuntimeArray && t.Storage != spirv.StorageClassStorageBuffer && t.Storage != spirv.StorageClassUniform:
			c.faultAt(in, "a structure with a runtime array in %s: want StorageBuffer, PhysicalStorageBuffer or Uniform", t.Storage)
		}
	}, spirv.OpVariable)
}

// variableMemory returns the type in a variable, and its storage class, if that has no explicit layout. An array of
// descriptors holds descriptors, which have none either.
func (c *extension) variableMemory(t *Type) (elem *Type, what string) {
	switch {
	case t.Elem == nil:
	case t.Storage == spirv.StorageClassWorkgroup && !c.block(t.Elem), t.Storage == spirv.StorageClassUniformConstant,
		(t.Storage == spirv.StorageClassFunction || t.Storage == spirv.StorageClassPrivate) && c.Raw.Version > version14:
		return t.Elem, t.Storage.String()
	}
	return nil, ""
}

// explicitLayout describes the part of a type that has a decoration of an explicit layout, "" if none has.
func (c *extension) explicitLayout(t *Type, seen map[*Type]bool) string {
	if t == nil || seen[t] || t.Kind == KindPointer {
		return ""
	}
	seen[t] = true
	for _, kind := range []spirv.Decoration{spirv.DecorationBlock, spirv.DecorationBufferBlock, spirv.DecorationArrayStride} {
		if c.Decorated(t.ID, kind) {
			return kind.String() + " on " + c.typeText(t)
		}
	}
	for i := range t.Members {
		if t.Kind != KindStruct {
			break
		}
		for _, kind := range []spirv.Decoration{spirv.DecorationOffset, spirv.DecorationMatrixStride, spirv.DecorationRowMajor, spirv.DecorationColMajor} {
			if c.MemberDecorated(t.ID, i, kind) {
				return kind.String() + " in " + c.typeText(t)
			}
		}
		if text := c.explicitLayout(t.Members[i], seen); text != "" {
			return text
		}
	}
	if t.Kind == KindArray || t.Kind == KindRuntimeArray {
		return c.explicitLayout(t.Elem, seen)
	}
	return ""
}

func descriptorTypes(c *extension) {
	c.eachOp(func(in *spirv.Instruction) {
		t := c.TypeOf(in.Result)
		if t.Elem == nil {
			return
		}
		inner := base(t.Elem)
		switch t.Storage {
		case spirv.StorageClassUniformConstant:
			if inner.Kind != KindImage && inner.Kind != KindSampler && inner.Kind != KindSampledImage && inner.Kind != KindOther {
				c.faultAt(in, "a variable of %s in UniformConstant: want an image, a sampler or an array of them", c.typeText(t.Elem))
			}
		case spirv.StorageClassUniform, spirv.StorageClassStorageBuffer:
			if inner.Kind != KindStruct {
				c.faultAt(in, "a variable of %s in %s: want a structure or an array of them", c.typeText(t.Elem), t.Storage)
			}
		case spirv.StorageClassPushConstant:
			if t.Elem.Kind != KindStruct {
				c.faultAt(in, "a variable of %s in PushConstant: want a structure", c.typeText(t.Elem))
			}
		}
	}, spirv.OpVariable)
}

func decorationGroups(c *extension) {
	c.eachOp(func(in *spirv.Instruction) {
		if c.Def(spirv.ID(in.Operands[0])).Op != spirv.OpDecorationGroup {
			c.faultAt(in, "%%%d is no decoration group", in.Operands[0])
		}
		if in.Op == spirv.OpGroupMemberDecorate {
			return
		}
		seen := map[uint32]bool{}
		for _, id := range in.Operands[1:] {
			if c.Def(spirv.ID(id)).Op == spirv.OpDecorationGroup {
				c.faultAt(in, "the target %%%d is a decoration group", id)
			} else if seen[id] {
				c.faultAt(in, "the target %%%d is listed twice", id)
			}
			seen[id] = true
		}
	}, spirv.OpGroupDecorate, spirv.OpGroupMemberDecorate)
}

// dotProducts tests the integer dot products.
func dotProducts(c *extension) {
	c.eachOp(func(in *spirv.Instruction) {
		result, a, b := c.Type(in.Type), c.TypeOf(spirv.ID(in.Operands[0])), c.TypeOf(spirv.ID(in.Operands[1]))
		adds := in.Op == spirv.OpSDotAccSat || in.Op == spirv.OpUDotAccSat || in.Op == spirv.OpSUDotAccSat
		unsigned := in.Op == spirv.OpUDot || in.Op == spirv.OpUDotAccSat
		mixed := in.Op == spirv.OpSUDot || in.Op == spirv.OpSUDotAccSat
		if a == nil || b == nil || !a.is('i') || !b.is('i') {
			c.faultAt(in, "operands of %s and %s: want integers", c.describe(a), c.describe(b))
			return
		}
		packed := a.Kind == KindInt
		formatAt := 2
		if adds {
			formatAt = 3
		}
		switch {
		case !result.is('I') || unsigned && result.Signed:
			c.faultAt(in, "result type %s: want an integer, of OpUDot an unsigned one", c.typeText(result))
		case adds && c.TypeOf(spirv.ID(in.Operands[2])) != result:
			c.faultAt(in, "operand 2: %%%d is not of the result's type", in.Operands[2])
		case a.Kind != b.Kind || a.components() != b.components() || a.width() != b.width():
			c.faultAt(in, "operands of %s and %s: want as many components and bits", c.typeText(a), c.typeText(b))
		case packed && (a.Width != 32 || len(in.Operands) <= formatAt):
			c.faultAt(in, "operands of %s: want vectors, or 32-bit integers with a packed format", c.typeText(a))
		case !packed && result.Width < a.width():
			c.faultAt(in, "result type %s: want at least %d bits", c.typeText(result), a.width())
		case !packed && (unsigned && a.Component().Signed || (unsigned || mixed) && b.Component().Signed):
			c.faultAt(in, "operands of %s and %s: want unsigned integers", c.typeText(a), c.typeText(b))
		default:
			c.dotInput(in, a, packed)
		}
	}, spirv.OpSDot, spirv.OpUDot, spirv.OpSUDot, spirv.OpSDotAccSat, spirv.OpUDotAccSat, spirv.OpSUDotAccSat)
}

// dotInput tests the capability of a dot product's operands.
func (c *extension) dotInput(in *spirv.Instruction, t *Type, packed bool) {
	caps := []spirv.Capability{spirv.CapabilityDotProductInputAll}
	switch {
	case packed:
		caps = []spirv.Capability{spirv.CapabilityDotProductInput4x8BitPacked}
	case t.Count == 4 && t.width() == 8:
		caps = append(caps, spirv.CapabilityDotProductInput4x8Bit)
	}
	if !c.hasAny(caps) {
		c.faultAt(in, "operands of %s need one of the capabilities %s", c.typeText(t), capabilityNames(caps))
	}
}

// holdsBool reports a type with a boolean in it, members that are built-ins left out.
func (c *extension) holdsBool(t *Type, seen map[*Type]bool) bool {
	if t == nil || seen[t] || t.Kind == KindPointer {
		return false
	}
	seen[t] = true
	for i, member := range t.Members {
		if !c.MemberDecorated(t.ID, i, spirv.DecorationBuiltIn) && c.holdsBool(member, seen) {
			return true
		}
	}
	return t.Kind == KindBool || c.holdsBool(t.Elem, seen)
}

func descriptorPlaces(c *extension) {
	c.eachOp(func(in *spirv.Instruction) {
		t := c.TypeOf(in.Result)
		if t.Elem == nil {
			return
		}
		if t.Storage == spirv.StorageClassPushConstant && !c.Decorated(t.Elem.ID, spirv.DecorationBlock) {
			c.faultAt(in, "the structure %%%d of PushConstant has no Block", t.Elem.ID)
		}
		if !descriptorClasses[t.Storage] {
			return
		}
		for _, kind := range []spirv.Decoration{spirv.DecorationDescriptorSet, spirv.DecorationBinding} {
			if !c.Decorated(in.Result, kind) {
				c.faultAt(in, "a variable in %s without %s", t.Storage, kind)
			}
		}
		if inner := base(t.Elem); t.Storage != spirv.StorageClassUniformConstant && inner.Kind == KindStruct && !c.block(inner) {
			c.faultAt(in, "the structure %%%d of %s has neither Block nor BufferBlock", inner.ID, t.Storage)
		}
	}, spirv.OpVariable)
}

// locatedModels lists the execution models whose inputs and outputs are matched by location, and tested here.
var locatedModels = set(spirv.ExecutionModelVertex, spirv.ExecutionModelTessellationControl, spirv.ExecutionModelTessellationEvaluation,
	spirv.ExecutionModelGeometry, spirv.ExecutionModelFragment)

// locations tests that inputs and outputs which are no built-ins have a location.
func locations(c *extension) {
	for i := range c.EntryPoints {
		e := &c.EntryPoints[i]
		for _, id := range e.Interface {
			t := c.TypeOf(id)
			if !locatedModels[e.Model] || t == nil || t.Kind != KindPointer || t.Elem == nil || !stageClasses[t.Storage] || c.Decorated(id, spirv.DecorationBuiltIn) || c.Decorated(id, spirv.DecorationLocation) {
				continue
			}
			inner := base(t.Elem)
			if inner.Kind != KindStruct {
				c.faultAt(c.Def(id), "a variable in %s with neither Location nor BuiltIn, of entry point %q", t.Storage, e.Name)
				continue
			}
			for n := range inner.Members {
				if !c.MemberDecorated(inner.ID, n, spirv.DecorationBuiltIn) && !c.MemberDecorated(inner.ID, n, spirv.DecorationLocation) {
					c.faultAt(c.Def(id), "member %d of a variable in %s with neither Location nor BuiltIn, of entry point %q", n, t.Storage, e.Name)
				}
			}
		}
	}
}

// opaque reports whether a type is an image or a sampler, or an array of them.
func opaque(t *Type) bool {
	t = base(t)
	return t.Kind == KindImage || t.Kind == KindSampler || t.Kind == KindSampledImage
}

// rootOf returns the instruction from which access chains and copies derive a pointer.
func (c *extension) rootOf(id spirv.ID) *spirv.Instruction {
	for {
		switch def := c.Def(id); def.Op {
		case spirv.OpAccessChain, spirv.OpInBoundsAccessChain, spirv.OpPtrAccessChain, spirv.OpInBoundsPtrAccessChain, spirv.OpCopyObject:
			id = spirv.ID(def.Operands[0])
		default:
			return def
		}
	}
}

// fastMathBits tests the masks of fast math.
func fastMathBits(c *extension) {
	const transform, parts = spirv.FPFastMathModeAllowTransform, spirv.FPFastMathModeAllowContract | spirv.FPFastMathModeAllowReassoc
	eachDecorated(func(c *extension, in, target *spirv.Instruction, kind spirv.Decoration) {
		if kind != spirv.DecorationFPFastMathMode {
			return
		}
		if mode := spirv.FPFastMathMode(in.Operands[2]); mode&transform != 0 && mode&parts != parts {
			c.faultAt(in, "AllowTransform without AllowContract and AllowReassoc")
		}
		if c.Decorated(target.Result, spirv.DecorationNoContraction) {
			c.faultAt(in, "on %%%d, which has NoContraction", target.Result)
		}
	})(c)
	for i := range c.EntryPoints {
		for n := range c.EntryPoints[i].Modes {
			m := &c.EntryPoints[i].Modes[n]
			if m.Kind != spirv.ExecutionModeFPFastMathDefault || len(m.Args) < 2 {
				continue
			}
			value, known := c.constantValue(m.Args[1])
			switch mode := spirv.FPFastMathMode(value); {
			case known && mode&transform != 0 && mode&parts != parts:
				c.faultAtMode(m, "FPFastMathDefault: AllowTransform without AllowContract and AllowReassoc")
			case known && mode&spirv.FPFastMathModeFast != 0:
				c.faultAtMode(m, "FPFastMathDefault: Fast")
			}
		}
	}
}

// encodedMatrices maps float encodings to the capabilities of their cooperative matrices.
var encodedMatrices = map[spirv.FPEncoding]spirv.Capability{
	spirv.FPEncodingBFloat16KHR: spirv.CapabilityBFloat16CooperativeMatrixKHR, spirv.FPEncodingFloat8E4M3EXT: spirv.CapabilityFloat8CooperativeMatrixEXT,
	spirv.FPEncodingFloat8E5M2EXT: spirv.CapabilityFloat8CooperativeMatrixEXT,
}

// floatDots maps dot products to their capabilities, by whether the operands have a separate encoding.
var floatDots = map[spirv.Op]map[bool]spirv.Capability{
	spirv.OpDot:                {true: spirv.CapabilityBFloat16DotProductKHR},
	spirv.OpFDot2MixAcc32VALVE: {true: spirv.CapabilityDotProductBFloat16AccVALVE, false: spirv.CapabilityDotProductFloat16AccFloat32VALVE},
	spirv.OpFDot2MixAcc16VALVE: {true: spirv.CapabilityDotProductBFloat16AccVALVE, false: spirv.CapabilityDotProductFloat16AccFloat16VALVE},
}

// logicallyMatch compares types without their decorations (section 2.2.2): arrays and structures of the same parts. same has the
// pairs that are compared already, as structures may hold one another many times.
func logicallyMatch(a, b *Type, same map[[2]*Type]bool) bool {
	pair := [2]*Type{a, b}
	switch {
	case a == b || same[pair]:
		return true
	case a.Kind != b.Kind:
		return false
	case a.Kind == KindArray:
		same[pair] = (a.CountID == b.CountID || a.Count != 0 && a.Count == b.Count) && logicallyMatch(a.Elem, b.Elem, same)
	case a.Kind == KindStruct && len(a.Members) == len(b.Members):
		for i := range a.Members {
			if !logicallyMatch(a.Members[i], b.Members[i], same) {
				return false
			}
		}
		same[pair] = true
	}
	return same[pair]
}

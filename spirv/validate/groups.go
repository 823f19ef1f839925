package validate

import (
	"spvsim/spirv"
	"spvsim/spirv/grammar"
)

// coreRules lists sentences of the core SPIR-V specification that the tables of types and of the grammar don't cover:
// rules of group operations and of memory with narrow members.
var coreRules = []rule{
	{name: "group-scope", sentence: "[OpGroupNonUniform...] Execution [...] must be Subgroup. (OpGroupNonUniformRotateKHR: Workgroup or Subgroup. VUID-StandaloneSpirv-None-04642 has Subgroup for all.)",
		check: eachGroupOp(func(c *extension, in *spirv.Instruction) {
			s, ok := c.constantValue(in.Operands[0])
			scope := spirv.Scope(s)
			if ok && scope != spirv.ScopeSubgroup && !(scope == spirv.ScopeWorkgroup && in.Op == spirv.OpGroupNonUniformRotateKHR) {
				c.faultAt(in, "scope %s: want Subgroup", scope)
			}
		})},
	{name: "uniform-scope", sentence: "[OpGroupAll, OpGroupAny, OpGroupBroadcast, OpGroupIAdd, ...] Execution [...] must be either Workgroup or Subgroup.",
		check: eachOp(func(c *extension, in *spirv.Instruction) {
			if s, ok := c.constantValue(in.Operands[0]); ok && s != uint32(spirv.ScopeWorkgroup) && s != uint32(spirv.ScopeSubgroup) {
				c.faultAt(in, "scope %s: want Workgroup or Subgroup", spirv.Scope(s))
			}
		}, uniformGroupOps...)},
	{name: "cluster-present", sentence: "If Operation is ClusteredReduce, ClusterSize must be present.",
		check: clusterCheck(func(c *extension, in *spirv.Instruction, size uint32) {
			if size == 0 {
				c.faultAt(in, "ClusteredReduce without a cluster size")
			}
		})},
	{name: "cluster-type", sentence: "ClusterSize must be a scalar of integer type, whose Signedness operand is 0.",
		check: clusterCheck(func(c *extension, in *spirv.Instruction, size uint32) {
			if t := c.TypeOf(spirv.ID(size)); size != 0 && (t == nil || !t.is('U')) {
				c.faultAt(in, "cluster size %%%d is %s: want an unsigned integer", size, c.describe(t))
			}
		})},
	{name: "cluster-constant", sentence: "ClusterSize must come from a constant instruction.",
		check: clusterCheck(func(c *extension, in *spirv.Instruction, size uint32) {
			if size != 0 && !constant(c.Def(spirv.ID(size)).Op) {
				c.faultAt(in, "cluster size %%%d is not a constant", size)
			}
		})},
	{name: "cluster-power", sentence: "Behavior is undefined unless ClusterSize is at least 1 and a power of 2.",
		check: clusterCheck(func(c *extension, in *spirv.Instruction, size uint32) {
			if n, ok := c.constantValue(size); ok && (n == 0 || n&(n-1) != 0) {
				c.faultAt(in, "cluster size %d: want a power of two", n)
			}
		})},
	{name: "partition-ballot", sentence: "[SPV_EXT_shader_subgroup_partitioned] Ballot must be present, and a 4-component vector of 32-bit unsigned integers.",
		check: eachGroupOp(func(c *extension, in *spirv.Instruction) {
			if !partitioned(in) {
				return
			}
			if len(in.Operands) < 4 {
				c.faultAt(in, "%s without a ballot", spirv.GroupOperation(in.Operands[1]))
			} else {
				c.ballotOperand(in, in.Operands[3])
			}
		})},
	{name: "ballot-value", sentence: "[OpGroupNonUniformInverseBallot, ...BallotBitExtract, ...BallotBitCount, ...BallotFindLSB, ...BallotFindMSB] Value must be a vector of four components of integer type scalar, whose Width operand is 32 and whose Signedness operand is 0.",
		check: eachOp(func(c *extension, in *spirv.Instruction) {
			at := 1
			if in.Op == spirv.OpGroupNonUniformBallotBitCount {
				at = 2
			}
			c.ballotOperand(in, in.Operands[at])
		}, spirv.OpGroupNonUniformInverseBallot, spirv.OpGroupNonUniformBallotBitExtract, spirv.OpGroupNonUniformBallotBitCount,
			spirv.OpGroupNonUniformBallotFindLSB, spirv.OpGroupNonUniformBallotFindMSB)},
	{name: "ballot-count", sentence: "[VUID-StandaloneSpirv-OpGroupNonUniformBallotBitCount-04685] [...] Operation must be only Reduce, InclusiveScan, or ExclusiveScan.",
		check: eachOp(func(c *extension, in *spirv.Instruction) {
			if o := spirv.GroupOperation(in.Operands[1]); o > spirv.GroupOperationExclusiveScan {
				c.faultAt(in, "operation %s: want Reduce, InclusiveScan or ExclusiveScan", o)
			}
		}, spirv.OpGroupNonUniformBallotBitCount)},
	{name: "group-value", sentence: "[OpGroupNonUniformAllEqual, ...Broadcast, ...BroadcastFirst, ...Shuffle..., ...Rotate, ...Quad...] Value [Result Type] must be a scalar or vector of floating-point type, integer type, or Boolean type.",
		check: eachOp(func(c *extension, in *spirv.Instruction) {
			if t := c.TypeOf(spirv.ID(in.Operands[1])); !t.is('n') && !t.is('b') {
				c.faultAt(in, "value %%%d is %s: want a scalar or vector of numbers or booleans", in.Operands[1], c.typeText(t))
			}
		}, movedValues...)},
	{name: "group-lane", sentence: "Before version 1.5, Id [Index] must come from a constant instruction. [OpGroupNonUniformQuadSwap: Direction in every version.]",
		check: eachOp(func(c *extension, in *spirv.Instruction) {
			free := c.Raw.Version >= 1<<16|5<<8 && in.Op != spirv.OpGroupNonUniformQuadSwap
			if id := in.Operands[2]; !free && !constant(c.Def(spirv.ID(id)).Op) {
				c.faultAt(in, "operand 2: %%%d is not a constant", id)
			}
		}, spirv.OpGroupNonUniformBroadcast, spirv.OpGroupNonUniformQuadBroadcast, spirv.OpGroupNonUniformQuadSwap)},
	// An index that is no lane has no meaning, whichever sign it has.
	{name: "group-index", sentence: "Id [Mask, Delta, Index, Direction] must be a scalar of integer type, whose Signedness operand is 0.", warning: true,
		check: eachOp(func(c *extension, in *spirv.Instruction) {
			if t := c.TypeOf(spirv.ID(in.Operands[2])); t == nil || !t.is('U') {
				c.faultAt(in, "operand 2: %%%d is %s: want an unsigned integer", in.Operands[2], c.describe(t))
			}
		}, indexedValues...)},
	{name: "decorate-id-form", sentence: "[OpDecorateId] Decoration [...] takes Extra Operands that are <id>s. [OpDecorate takes those that are not.]",
		check: eachOp(func(c *extension, in *spirv.Instruction) {
			if d := spirv.Decoration(in.Operands[1]); takesIDs(grammar.KindDecoration, uint32(d)) != (in.Op == spirv.OpDecorateId) {
				c.faultAt(in, "%s takes %s", d, map[bool]string{true: "literals: want OpDecorate", false: "ids: want OpDecorateId"}[in.Op == spirv.OpDecorateId])
			}
		}, spirv.OpDecorate, spirv.OpDecorateId)},
	{name: "decorate-id-target", sentence: "[OpDecorateId] Target [...] must not be an OpDecorationGroup instruction.",
		check: eachOp(func(c *extension, in *spirv.Instruction) {
			if c.Def(spirv.ID(in.Operands[0])).Op == spirv.OpDecorationGroup {
				c.faultAt(in, "%%%d is a decoration group", in.Operands[0])
			}
		}, spirv.OpDecorateId)},
	{name: "decorate-id-operands", sentence: "[OpDecorateId] All such <id> Extra Operands must be constant instructions or OpVariable instructions. (SPV_AMDX_shader_enqueue: or types.)",
		check: eachOp(func(c *extension, in *spirv.Instruction) {
			for _, id := range decorationIDs(in) {
				if def := c.Def(spirv.ID(id)); !constantOrString(def.Op) && !onVariable.ok(c.Module, spirv.ID(id)) && c.Type(spirv.ID(id)) == nil {
					c.faultAt(in, "%%%d is neither constant nor variable", id)
				}
			}
		}, spirv.OpDecorateId)},
	// Nothing reads a decoration before the whole module is read.
	{name: "decorate-id-order", sentence: "[OpDecorateId] All <id> Extra Operands must appear before Target.", warning: true,
		check: eachOp(func(c *extension, in *spirv.Instruction) {
			target := c.Def(spirv.ID(in.Operands[0]))
			for _, id := range decorationIDs(in) {
				if c.Def(spirv.ID(id)).Word >= target.Word {
					c.faultAt(in, "%%%d is defined after %%%d", id, target.Result)
				}
			}
		}, spirv.OpDecorateId)},
	{name: "stages", sentence: "[OpEmitVertex, ...] only valid with the Geometry Execution Model. [OpKill, OpDemoteToHelperInvocation, InterpolateAt...] only valid in the Fragment Execution Model. [OpDPdx, ..., OpImageSampleImplicitLod, ...] (Fragment, or another model with a derivative group.)"},
	{name: "alignment", sentence: "[2.16.1] Any pointer operand whose Base Type is in PhysicalStorageBuffer: loads and stores must use the Aligned Memory Operand. [Aligned] The value must be a power of 2. (Or 0, which compilers write.)"},
	{name: "held-pointers", sentence: "[2.16.1] In the Logical addressing model, [...] OpVariable can allocate an object that is or contains a pointer only with variable pointers, in Function or Private."},
	{name: "nested-blocks", sentence: "[2.16.2] Structures decorated with Block or BufferBlock must not be nested within any other structure that is."},
	{name: "decorations", sentence: "[3.20] It is invalid to decorate any given <id> or structure member more than one time with the same decoration, unless explicitly allowed below for a specific decoration. (FuncParamAttr and UserSemantic are. RelaxedPrecision, NoContraction, Restrict, Coherent, Flat, Block, NoSignedWrap, NoUnsignedWrap and PayloadNodeSparseArrayAMDX, which compilers repeat, are a warning.)"},
	{name: "capabilities", sentence: "[3.31, of each capability: what] uses [it. Also by the types of operands:] 8- and 16-bit storage add loads, stores, copies and conversions of the width alone; pointers to Workgroup as values. (`TestTypesNeedWhatTheModuleDeclares`, `TestNarrowOperations`)"},
	{name: "versions", sentence: "[BufferBlock] Missing after version 1.3."},
	// The module has a meaning all the same, and older versions of spirv-val accept it; newer ones do not, for Vulkan.
	{name: "workgroup-block", sentence: "[WorkgroupMemoryExplicitLayoutKHR] Allows Workgroup storage class variables to be explicitly laid out in blocks. (Without the capability Block and Offset have no effect there: no variable shares bytes with another.)", warning: true,
		check: func(c *extension) {
			c.workgroupVariables(func(in *spirv.Instruction, t *Type) {
				if c.blockInWorkgroup(t) && !c.WorkgroupBlock(t) {
					c.faultAt(in, "the Block %%%d has no explicit layout in Workgroup: that needs the capability %s", t.Elem.ID, spirv.CapabilityWorkgroupMemoryExplicitLayoutKHR)
				}
			})
		}},
	{name: "storage-8-bit", sentence: "[StorageBuffer8BitAccess, UniformAndStorageBuffer8BitAccess, StoragePushConstant8] Uses 8-bit OpTypeInt instructions for creating scalar, vector, and composite types that become members of a block residing in [the storage class]. (Int8 is enough, as for other validators.)",
		check: func(c *extension) { c.narrowBlocks(8) }},
	{name: "storage-16-bit", sentence: "[StorageBuffer16BitAccess, UniformAndStorageBuffer16BitAccess, StoragePushConstant16, StorageInputOutput16] Uses 16-bit OpTypeFloat and OpTypeInt instructions for creating [types] that become members of a block residing in [the storage class]. (Int16 or Float16 is enough. Floats with an encoding of their own, as bfloat16, need none of these, as for other validators.)",
		check: func(c *extension) { c.narrowBlocks(16) }},
}

// coreTexts lists the rules of the specification itself, by subject.
var coreTexts = []extensionText{
	{"Group operations, narrow members, decorations by id", coreRules},
	{"Images", imageRules},
	{"Memory semantics and atomic operations", memoryRules},
	{"Types, variables, decorations and single instructions", moduleRules},
	{"Interfaces of stages", stageRules},
}

// checkCore tests coreTexts.
func checkCore(m *Module, r *report) {
	c := &extension{Module: m, r: r}
	for _, text := range coreTexts {
		for i := range text.rules {
			if c.rule = &text.rules[i]; c.rule.check != nil && !(m.Kernels() && c.rule.ofVulkan()) {
				c.rule.check(c)
			}
		}
	}
}

// uniformGroupOps lists the operations that all invocations of a scope must reach.
var uniformGroupOps = []spirv.Op{spirv.OpGroupAll, spirv.OpGroupAny, spirv.OpGroupBroadcast, spirv.OpGroupIAdd, spirv.OpGroupFAdd,
	spirv.OpGroupFMin, spirv.OpGroupUMin, spirv.OpGroupSMin, spirv.OpGroupFMax, spirv.OpGroupUMax, spirv.OpGroupSMax}

// indexedValues move the value of operand 1 by an index, operand 2.
var indexedValues = []spirv.Op{spirv.OpGroupNonUniformBroadcast, spirv.OpGroupNonUniformShuffle, spirv.OpGroupNonUniformShuffleXor,
	spirv.OpGroupNonUniformShuffleUp, spirv.OpGroupNonUniformShuffleDown, spirv.OpGroupNonUniformRotateKHR,
	spirv.OpGroupNonUniformQuadBroadcast, spirv.OpGroupNonUniformQuadSwap}

var movedValues = append([]spirv.Op{spirv.OpGroupNonUniformAllEqual, spirv.OpGroupNonUniformBroadcastFirst}, indexedValues...)

// eachGroupOp returns the rule that visits the instructions whose operand 0 is a scope that must be Subgroup: those that
// SPIR-V 1.3 added.
func eachGroupOp(visit func(c *extension, in *spirv.Instruction)) func(*extension) {
	return func(c *extension) {
		for i := range c.Raw.Instructions {
			in := &c.Raw.Instructions[i]
			g := in.Op.Grammar()
			if (g.Class == "Non-Uniform" || in.Op == spirv.OpGroupNonUniformRotateKHR) && scoped(g.Operands[0].Kind) {
				visit(c, in)
			}
		}
	}
}

// arithmeticOp reports the operations with a group operation and, perhaps, a
// cluster size or a ballot.
func arithmeticOp(op spirv.Op) bool {
	return op >= spirv.OpGroupNonUniformIAdd && op <= spirv.OpGroupNonUniformLogicalXor
}

// partitioned reports an operation on the parts that a ballot gives.
func partitioned(in *spirv.Instruction) bool {
	return arithmeticOp(in.Op) && spirv.GroupOperation(in.Operands[1]) >= spirv.GroupOperationPartitionedReduceEXT &&
		spirv.GroupOperation(in.Operands[1]) <= spirv.GroupOperationPartitionedExclusiveScanEXT
}

// clusterCheck visits the operations with a cluster, with the id of its size; 0 if the size is required and missing.
func clusterCheck(check func(c *extension, in *spirv.Instruction, size uint32)) func(*extension) {
	return eachGroupOp(func(c *extension, in *spirv.Instruction) {
		clustered := arithmeticOp(in.Op) && spirv.GroupOperation(in.Operands[1]) == spirv.GroupOperationClusteredReduce
		switch {
		case clustered && len(in.Operands) < 4:
			check(c, in, 0)
		case clustered || in.Op == spirv.OpGroupNonUniformRotateKHR && len(in.Operands) > 3:
			check(c, in, in.Operands[3])
		}
	})
}

// constantOrString reports constants, the names of nodes among them.
func constantOrString(op spirv.Op) bool {
	return constant(op) || op == spirv.OpConstantStringAMDX || op == spirv.OpSpecConstantStringAMDX
}

func (c *extension) ballotOperand(in *spirv.Instruction, id uint32) {
	t := c.TypeOf(spirv.ID(id))
	if t == nil || t.Kind != KindVector || t.Count != 4 || !t.is('u') || t.Elem.Width != 32 {
		c.faultAt(in, "ballot %%%d is %s: want a vector of 4 uint32", id, c.describe(t))
	}
}

// narrowStorage maps storage classes to the capabilities that allow narrow members in their memory, any one of them.
var narrowStorage = map[spirv.StorageClass]map[int][]spirv.Capability{
	spirv.StorageClassStorageBuffer: {8: {spirv.CapabilityStorageBuffer8BitAccess}, 16: {spirv.CapabilityStorageBuffer16BitAccess}},
	spirv.StorageClassUniform:       {8: {spirv.CapabilityUniformAndStorageBuffer8BitAccess}, 16: {spirv.CapabilityUniformAndStorageBuffer16BitAccess}},
	spirv.StorageClassPushConstant:  {8: {spirv.CapabilityStoragePushConstant8}, 16: {spirv.CapabilityStoragePushConstant16}},
	spirv.StorageClassInput:         {16: {spirv.CapabilityStorageInputOutput16}},
	spirv.StorageClassOutput:        {16: {spirv.CapabilityStorageInputOutput16}},
}

// narrowBlocks tests variables with members of a width.
func (c *extension) narrowBlocks(width int) {
	c.eachOp(func(in *spirv.Instruction) {
		t := c.TypeOf(in.Result)
		byWidth, ok := narrowStorage[t.Storage]
		if !ok {
			return
		}
		want := byWidth[width]
		if t.Storage == spirv.StorageClassUniform && c.Decorated(base(t.Elem).ID, spirv.DecorationBufferBlock) {
			want = narrowStorage[spirv.StorageClassStorageBuffer][width]
		}
		eachScalar(t.Elem, func(s *Type) {
			full, narrow := narrowWidths[s.Kind][s.Width]
			if s.Width == width && narrow && !s.Encoded && !c.Has(full) && !c.hasAny(want) {
				c.faultAt(in, "a variable of %s in %s needs one of the capabilities %s", c.typeText(s), t.Storage, capabilityNames(append(want[:len(want):len(want)], full)))
			}
		})
	}, spirv.OpVariable)
}

// base returns the element type of arrays of descriptors.
func base(t *Type) *Type {
	for t.Kind == KindArray || t.Kind == KindRuntimeArray {
		t = t.Elem
	}
	return t
}

// decorationIDs returns the id operands of an OpDecorateId's decoration; none for a decoration with literals, which
// another rule refuses.
func decorationIDs(in *spirv.Instruction) []uint32 {
	if !takesIDs(grammar.KindDecoration, in.Operands[1]) {
		return nil
	}
	return in.Operands[2:]
}

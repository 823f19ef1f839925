package frontend

import (
	"strings"
	"testing"

	"spvsim/spirv"
	"spvsim/spirv/grammar"
)

// families are prefixes of opcodes that are translated whole, but for those
// listed as refused.
var families = []string{
	"OpAtomic", "OpGroupNonUniform", "OpComposite", "OpVector", "OpMatrix", "OpBit", "OpShift", "OpLogical", "OpFOrd",
	"OpFUnord", "OpSLess", "OpULess", "OpSGreater", "OpUGreater", "OpConvert", "OpGroup", "OpPtr", "OpCopy",
}

// refused are the exceptions: Kernel's instructions, extensions of vendors, and
// what other parts of the specification need.
var refused = []string{
	"AtomicFlag", "NV", "EXT", "INTEL", "AMD", "ALTERA", "QCOM", "ARM", "HUAWEI", "CompareExchangeWeak",
	"GroupAsyncCopy", "GroupWaitEvents", "GroupDecorate", "GroupMemberDecorate", "PtrCastToGeneric",
	"GroupReserve", "GroupCommit", "QuadAll", "QuadAny", "CompositeConstructContinued", "ImageSamples",
	"AccelerationStructure",
	"CompositeConstructReplicate", "CompositeConstructCoop",
}

func TestFamiliesAreWhole(t *testing.T) {
	for i := range grammar.Ops {
		op := &grammar.Ops[i]
		if !hasPrefix(op.Name, families) || contains(op.Name, refused) {
			continue
		}
		if _, ok := rows[spirv.Op(op.Code)]; !ok {
			t.Errorf("%s has no row", op.Name)
		}
	}
}

func hasPrefix(s string, list []string) bool {
	for _, p := range list {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

func contains(s string, list []string) bool {
	for _, p := range list {
		if strings.Contains(s, p) {
			return true
		}
	}
	return false
}

// TestCensus holds the core operations that a census of 1574 public compute
// modules found in function bodies and constants.
func TestCensus(t *testing.T) {
	const census = `OpLoad OpStore OpVariable OpAccessChain OpBranchConditional OpSelectionMerge OpIAdd OpIMul OpBranch
		OpSpecConstant OpSpecConstantOp OpBitcast OpLoopMerge OpExtInst OpCompositeConstruct OpISub OpPhi
		OpConstantComposite OpFAdd OpUDiv OpFMul OpUMod OpULessThan OpIEqual OpFConvert OpSGreaterThanEqual OpBitwiseAnd
		OpLogicalNot OpControlBarrier OpSpecConstantComposite OpVectorTimesScalar OpFunctionCall OpUConvert
		OpShiftRightLogical OpUGreaterThanEqual OpBitwiseOr OpConvertSToF OpSLessThan OpShiftLeftLogical OpSDiv
		OpConvertUToF OpReturnValue OpFDiv OpVectorShuffle OpSMod OpSelect OpINotEqual OpSConvert OpFNegate
		OpCompositeExtract OpLogicalOr OpFSub OpFOrdLessThan OpVectorExtractDynamic OpAtomicCompareExchange
		OpShiftRightArithmetic OpBitCount OpConvertFToS OpDot OpLogicalAnd OpConstantTrue OpConstantFalse OpUGreaterThan
		OpNot OpFUnordNotEqual OpBitFieldUExtract OpULessThanEqual OpFOrdEqual OpFOrdGreaterThanEqual OpSpecConstantFalse
		OpVectorTimesMatrix OpSGreaterThan OpGroupNonUniformElect OpSLessThanEqual OpFOrdGreaterThan OpUMulExtended
		OpImageWrite OpAny OpAtomicOr OpAll OpBitwiseXor OpImageFetch OpAtomicIAdd OpSwitch OpGroupNonUniformIAdd
		OpGroupNonUniformBallot OpMemoryBarrier OpGroupNonUniformFAdd OpSNegate OpAtomicAnd
		OpGroupNonUniformBallotBitCount OpIAddCarry OpSMulExtended OpBitFieldSExtract OpImage
		OpGroupNonUniformBitwiseOr OpGroupNonUniformBroadcastFirst OpConvertFToU OpUnreachable OpFOrdLessThanEqual
		OpImageRead OpCopyLogical OpGroupNonUniformShuffle OpMatrixTimesVector OpGroupNonUniformAny OpImageQuerySize
		OpArrayLength OpGroupNonUniformBallotFindLSB OpGroupNonUniformFMax OpGroupNonUniformFMul OpImageQuerySizeLod
		OpCopyMemory OpCopyObject OpUndef OpConstantNull OpPtrAccessChain OpReadClockKHR OpQuantizeToF16 OpFRem OpFMod
		OpSRem OpBitReverse OpReturn OpNop OpLine OpNoLine`
	codes := map[string]spirv.Op{}
	for i := range grammar.Ops {
		codes[grammar.Ops[i].Name] = spirv.Op(grammar.Ops[i].Code)
	}
	for _, name := range strings.Fields(census) {
		op, known := codes[name]
		_, row := rows[op]
		if !known || !row && constantRows[op] == nil {
			t.Errorf("%s is not translated", name)
		}
	}
}

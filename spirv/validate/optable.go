package validate

import "spvsim/spirv"

// signatures has a row for each operation whose types follow one pattern. The result precedes the colon, and the
// operands follow it in order:
//
//	i u f n b   scalar or vector of integers, unsigned integers, floats,
//	            numbers, booleans; I U F N B scalar only; V vector of floats,
//	            M matrix, t integer scalar of 32 bits, P pointer, * anything
//
// A mark before the letter relates it to other types:
//
//	=  of the result's type              1 2  of the type of operand 0, 1
//	~  integers as wide and as many      '    integers or floats as wide and
//	   components as the result               many as operand 0 has
//	#  as many components as the result  ^    the result's component type
//
// Numbers are those of the specification's instruction lists, section 3.3.
var signatures = map[spirv.Op]string{
	spirv.OpConvertFToU: "u: #f", spirv.OpConvertFToS: "i: #f", spirv.OpConvertSToF: "f: #i", spirv.OpConvertUToF: "f: #i",
	spirv.OpUConvert: "u: #i", spirv.OpSConvert: "i: #i", spirv.OpFConvert: "f: #f", spirv.OpQuantizeToF16: "f: =f",

	spirv.OpSNegate: "i: ~i", spirv.OpFNegate: "f: =f",
	spirv.OpIAdd: "i: ~i ~i", spirv.OpISub: "i: ~i ~i", spirv.OpIMul: "i: ~i ~i",
	spirv.OpFAdd: "f: =f =f", spirv.OpFSub: "f: =f =f", spirv.OpFMul: "f: =f =f", spirv.OpFDiv: "f: =f =f",
	spirv.OpFRem: "f: =f =f", spirv.OpFMod: "f: =f =f",
	spirv.OpFmaKHR: "f: =f =f =f",
	spirv.OpUDiv:   "u: =u =u", spirv.OpUMod: "u: =u =u",
	spirv.OpSDiv: "i: ~i ~i", spirv.OpSRem: "i: ~i ~i", spirv.OpSMod: "i: ~i ~i",
	spirv.OpVectorTimesScalar: "V: =V ^F", spirv.OpMatrixTimesScalar: "M: =M ^N",
	spirv.OpDot: "F: V 1V", spirv.OpFDot2MixAcc32VALVE: "F: V 1V =F", spirv.OpFDot2MixAcc16VALVE: "F: V 1V =F", spirv.OpFDot4MixAcc32VALVE: "F: V 1V =F",
	spirv.OpUCountLeadingZerosINTEL: "u: =u", spirv.OpUCountTrailingZerosINTEL: "u: =u", spirv.OpAbsISubINTEL: "i: ~i ~i", spirv.OpAbsUSubINTEL: "u: =u =u",
	spirv.OpIAddSatINTEL: "i: =i =i", spirv.OpUAddSatINTEL: "u: =u =u", spirv.OpIAverageINTEL: "i: =i =i", spirv.OpUAverageINTEL: "u: =u =u",
	spirv.OpIAverageRoundedINTEL: "i: =i =i", spirv.OpUAverageRoundedINTEL: "u: =u =u", spirv.OpISubSatINTEL: "i: =i =i", spirv.OpUSubSatINTEL: "u: =u =u",
	spirv.OpIMul32x16INTEL: "i: =i =i", spirv.OpUMul32x16INTEL: "u: =u =u",

	spirv.OpShiftRightLogical: "i: ~i #i", spirv.OpShiftRightArithmetic: "i: ~i #i", spirv.OpShiftLeftLogical: "i: ~i #i",
	spirv.OpBitwiseOr: "i: ~i ~i", spirv.OpBitwiseXor: "i: ~i ~i", spirv.OpBitwiseAnd: "i: ~i ~i", spirv.OpNot: "i: ~i",
	spirv.OpBitFieldInsert: "i: =i =i I I", spirv.OpBitFieldSExtract: "i: =i I I", spirv.OpBitFieldUExtract: "i: =i I I",
	spirv.OpBitReverse: "i: =i", spirv.OpBitCount: "i: #i",

	spirv.OpAny: "B: b", spirv.OpAll: "B: b",
	spirv.OpIsNan: "b: #f", spirv.OpIsInf: "b: #f",
	spirv.OpLogicalEqual: "b: =b =b", spirv.OpLogicalNotEqual: "b: =b =b", spirv.OpLogicalOr: "b: =b =b",
	spirv.OpLogicalAnd: "b: =b =b", spirv.OpLogicalNot: "b: =b",
	spirv.OpIEqual: "b: #i 'i", spirv.OpINotEqual: "b: #i 'i",
	spirv.OpUGreaterThan: "b: #i 'i", spirv.OpSGreaterThan: "b: #i 'i", spirv.OpUGreaterThanEqual: "b: #i 'i",
	spirv.OpSGreaterThanEqual: "b: #i 'i", spirv.OpULessThan: "b: #i 'i", spirv.OpSLessThan: "b: #i 'i",
	spirv.OpULessThanEqual: "b: #i 'i", spirv.OpSLessThanEqual: "b: #i 'i",
	spirv.OpFOrdEqual: "b: #f 1f", spirv.OpFUnordEqual: "b: #f 1f", spirv.OpFOrdNotEqual: "b: #f 1f",
	spirv.OpFUnordNotEqual: "b: #f 1f", spirv.OpFOrdLessThan: "b: #f 1f", spirv.OpFUnordLessThan: "b: #f 1f",
	spirv.OpFOrdGreaterThan: "b: #f 1f", spirv.OpFUnordGreaterThan: "b: #f 1f", spirv.OpFOrdLessThanEqual: "b: #f 1f",
	spirv.OpFUnordLessThanEqual: "b: #f 1f", spirv.OpFOrdGreaterThanEqual: "b: #f 1f", spirv.OpFUnordGreaterThanEqual: "b: #f 1f",
	spirv.OpPtrEqual: "B: P P", spirv.OpPtrNotEqual: "B: P P", spirv.OpPtrDiff: "I: P P",

	spirv.OpDPdx: "f: =f", spirv.OpDPdy: "f: =f", spirv.OpFwidth: "f: =f", spirv.OpDPdxFine: "f: =f", spirv.OpDPdyFine: "f: =f",
	spirv.OpFwidthFine: "f: =f", spirv.OpDPdxCoarse: "f: =f", spirv.OpDPdyCoarse: "f: =f", spirv.OpFwidthCoarse: "f: =f",

	spirv.OpCopyObject: "*: =*", spirv.OpVectorExtractDynamic: "*: * I", spirv.OpVectorInsertDynamic: "*: =* * I",
	spirv.OpConvertUToPtr: "P: I", spirv.OpConvertPtrToU: "I: P",

	spirv.OpGroupNonUniformElect: "B: I", spirv.OpGroupNonUniformAll: "B: I B", spirv.OpGroupNonUniformAny: "B: I B",
	spirv.OpGroupNonUniformAllEqual: "B: I *", spirv.OpGroupNonUniformBroadcast: "*: I =* I",
	spirv.OpGroupNonUniformBroadcastFirst: "*: I =*", spirv.OpGroupNonUniformBallot: "u: I B",
	spirv.OpGroupNonUniformInverseBallot: "B: I u", spirv.OpGroupNonUniformBallotBitExtract: "B: I u I",
	spirv.OpGroupNonUniformBallotBitCount: "U: I - u", spirv.OpGroupNonUniformBallotFindLSB: "U: I u",
	spirv.OpGroupNonUniformBallotFindMSB: "U: I u", spirv.OpGroupNonUniformShuffle: "*: I =* I",
	spirv.OpGroupNonUniformShuffleXor: "*: I =* I", spirv.OpGroupNonUniformShuffleUp: "*: I =* I",
	spirv.OpGroupNonUniformShuffleDown: "*: I =* I", spirv.OpGroupNonUniformQuadBroadcast: "*: I =* I",
	spirv.OpGroupNonUniformQuadSwap: "*: I =* I", spirv.OpGroupNonUniformRotateKHR: "*: I =* I",
	spirv.OpGroupNonUniformIAdd: "i: I - =i", spirv.OpGroupNonUniformFAdd: "f: I - =f", spirv.OpGroupNonUniformIMul: "i: I - =i",
	spirv.OpGroupNonUniformFMul: "f: I - =f", spirv.OpGroupNonUniformSMin: "i: I - =i", spirv.OpGroupNonUniformUMin: "u: I - =u",
	spirv.OpGroupNonUniformFMin: "f: I - =f", spirv.OpGroupNonUniformSMax: "i: I - =i", spirv.OpGroupNonUniformUMax: "u: I - =u",
	spirv.OpGroupNonUniformFMax: "f: I - =f", spirv.OpGroupNonUniformBitwiseAnd: "i: I - =i", spirv.OpGroupNonUniformBitwiseOr: "i: I - =i",
	spirv.OpGroupNonUniformBitwiseXor: "i: I - =i", spirv.OpGroupNonUniformLogicalAnd: "b: I - =b",
	spirv.OpGroupNonUniformLogicalOr: "b: I - =b", spirv.OpGroupNonUniformLogicalXor: "b: I - =b",

	spirv.OpGroupAll: "B: I B", spirv.OpGroupAny: "B: I B", spirv.OpGroupBroadcast: "*: I =* i",
	spirv.OpGroupIAdd: "i: I - =i", spirv.OpGroupFAdd: "f: I - =f", spirv.OpGroupFMin: "f: I - =f", spirv.OpGroupUMin: "i: I - =i",
	spirv.OpGroupSMin: "i: I - =i", spirv.OpGroupFMax: "f: I - =f", spirv.OpGroupUMax: "i: I - =i", spirv.OpGroupSMax: "i: I - =i",
	spirv.OpSubgroupBallotKHR: "u: B", spirv.OpSubgroupFirstInvocationKHR: "*: =*", spirv.OpSubgroupReadInvocationKHR: "*: =* I",
	spirv.OpSubgroupAllKHR: "B: B", spirv.OpSubgroupAnyKHR: "B: B", spirv.OpSubgroupAllEqualKHR: "B: B",

	spirv.OpAtomicLoad: "N: P t t", spirv.OpAtomicExchange: "N: P t t =N", spirv.OpAtomicCompareExchange: "I: P t t t =I =I",
	spirv.OpAtomicIIncrement: "I: P t t", spirv.OpAtomicIDecrement: "I: P t t", spirv.OpAtomicIAdd: "I: P t t =I",
	spirv.OpAtomicISub: "I: P t t =I", spirv.OpAtomicSMin: "I: P t t =I", spirv.OpAtomicUMin: "I: P t t =I",
	spirv.OpAtomicSMax: "I: P t t =I", spirv.OpAtomicUMax: "I: P t t =I", spirv.OpAtomicAnd: "I: P t t =I",
	spirv.OpAtomicOr: "I: P t t =I", spirv.OpAtomicXor: "I: P t t =I", spirv.OpAtomicFAddEXT: "f: P t t =f",
	spirv.OpAtomicFMinEXT: "f: P t t =f", spirv.OpAtomicFMaxEXT: "f: P t t =f", spirv.OpAtomicStore: ": P t t N",

	spirv.OpControlBarrier: ": t t t", spirv.OpMemoryBarrier: ": t t",
	spirv.OpEmitStreamVertex: ": I", spirv.OpEndStreamPrimitive: ": I",
	spirv.OpBranchConditional: ": B", spirv.OpSwitch: ": I", spirv.OpSetMeshOutputsEXT: ": t t", spirv.OpEmitMeshTasksEXT: ": t t t",
	spirv.OpReadClockKHR: "u: t", spirv.OpIsHelperInvocationEXT: "B:",
}

// shaderSpecOps lists the operations that OpSpecConstantOp may hold in a shader, whatever capabilities the instruction
// itself needs (OpSpecConstantOp).
var shaderSpecOps = set(
	spirv.OpSConvert, spirv.OpUConvert, spirv.OpFConvert, spirv.OpSNegate, spirv.OpNot, spirv.OpIAdd, spirv.OpISub, spirv.OpIMul,
	spirv.OpUDiv, spirv.OpSDiv, spirv.OpUMod, spirv.OpSRem, spirv.OpSMod, spirv.OpShiftRightLogical, spirv.OpShiftRightArithmetic,
	spirv.OpShiftLeftLogical, spirv.OpBitwiseOr, spirv.OpBitwiseXor, spirv.OpBitwiseAnd, spirv.OpVectorShuffle, spirv.OpCompositeExtract,
	spirv.OpCompositeInsert, spirv.OpLogicalOr, spirv.OpLogicalAnd, spirv.OpLogicalNot, spirv.OpLogicalEqual, spirv.OpLogicalNotEqual,
	spirv.OpSelect, spirv.OpIEqual, spirv.OpINotEqual, spirv.OpULessThan, spirv.OpSLessThan, spirv.OpUGreaterThan,
	spirv.OpSGreaterThan, spirv.OpULessThanEqual, spirv.OpSLessThanEqual, spirv.OpUGreaterThanEqual, spirv.OpSGreaterThanEqual,
	spirv.OpQuantizeToF16, spirv.OpUMulExtended, spirv.OpSMulExtended, spirv.OpCopyLogical,
)

func set[T comparable](list ...T) map[T]bool {
	m := make(map[T]bool, len(list))
	for _, v := range list {
		m[v] = true
	}
	return m
}

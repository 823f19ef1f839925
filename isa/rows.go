package isa

import "spvsim/spirv"

// Signatures by shape.
var (
	none        = sig(OfNothing)
	constant    = sig(OfT)
	unary       = sig(OfT, OfT)
	binary      = sig(OfT, OfT, OfT)
	ternary     = sig(OfT, OfT, OfT, OfT)
	compare     = sig(OfBool, OfT, OfT)
	question    = sig(OfBool, OfT)
	convert     = sig(OfT, OfFrom)
	word        = sig(OfI32)
	clock       = sig(OfI64)
	vote        = sig(OfBool, OfBool)
	laneIndexed = sig(OfT, OfT, OfI32)
	onTruth     = sig(OfNothing, OfBool)
	maskOnly    = sig(OfI64)
	onMask      = sig(OfI64, OfI64)
	handle      = sig(OfI64)
	allocate    = sig(OfI64, OfI32, OfI32)
)

// Classes by kind of operation. Operations on Bool are one word each: lane
// masks live in scalar registers.
var (
	alu     = Classes{ClassSALU, ClassVALU32, ClassInt64, ClassVALU32, ClassVALU32, ClassInt64}
	mulInt  = Classes{Int: ClassIMul32, Int64: ClassInt64}
	shift   = Classes{Int: ClassVALU32, Int64: ClassShift64}
	addF    = Classes{F16: ClassVALU32, F32: ClassVALU32, F64: ClassF64Add}
	mulF    = Classes{F16: ClassVALU32, F32: ClassVALU32, F64: ClassF64Mul}
	fmaF    = Classes{F16: ClassVALU32, F32: ClassFMA32, F64: ClassF64Mul}
	transF  = Classes{F16: ClassTrans, F32: ClassTrans, F64: ClassF64Trans}
	compair = Classes{ClassSALU, ClassVALU32, ClassInt64, ClassVALU32, ClassVALU32, ClassF64Add}
	cvt     = sameClass(ClassCvt)
	scalar  = sameClass(ClassSALU)
	vector  = sameClass(ClassVALU32)
	dot     = sameClass(ClassDot)
	dpp     = sameClass(ClassDPP)
	swizzle = sameClass(ClassLDSSwizzle)
	lane    = sameClass(ClassReadLane)
	branch  = sameClass(ClassBranch)
	message = sameClass(ClassMessage)
	// Memory operations take their class from their space; see ClassOf.
	bySpace = sameClass(ClassVMEM)
	noClass = sameClass(ClassNone)
)

func sameClass(c Class) Classes { return Classes{c, c, c, c, c, c} }

const (
	pure        = FlagPure | FlagCheap
	salu        = pure | FlagScalarUnit
	comm        = pure | FlagCommutes
	saluC       = salu | FlagCommutes
	costly      = FlagPure
	costlySALU  = FlagPure | FlagScalarUnit
	ident       = FlagPure | FlagPerLane
	waveID      = FlagPure | FlagScalarUnit | FlagUniform
	crossLane   = FlagCrossLane
	ofWave      = FlagCrossLane | FlagUniform
	perLane     = FlagCrossLane | FlagPerLane
	load        = FlagReads
	perFragment = FlagPerLane
	store       = FlagWrites | FlagEffect
	atomic      = FlagReads | FlagWrites | FlagEffect | FlagAtomic
	effect      = FlagEffect
	flow        = FlagControl | FlagEffect
	irOnly      = pure | FlagIROnly
	sampled     = load | FlagSamples
)

// Table holds the row of each operation at the operation's number.
var Table = tableOf(valuesRows, integerRows, floatingRows, compareRows, convertRows, identityRows, crossRows, memoryRows, payloadRows, fragmentRows, flowRows)

func tableOf(groups ...[]Row) (table [NumOps]Row) {
	n := 0
	for _, group := range groups {
		n += copy(table[n:], group)
	}
	return table
}

// groupOperations returns the place of a reduction or scan: every group arithmetic
// instruction, with this group operation.
func groupOperations(op spirv.GroupOperation) SpecRef {
	return core(
		spirv.OpGroupNonUniformIAdd, spirv.OpGroupNonUniformFAdd, spirv.OpGroupNonUniformIMul, spirv.OpGroupNonUniformFMul,
		spirv.OpGroupNonUniformSMin, spirv.OpGroupNonUniformUMin, spirv.OpGroupNonUniformFMin,
		spirv.OpGroupNonUniformSMax, spirv.OpGroupNonUniformUMax, spirv.OpGroupNonUniformFMax,
		spirv.OpGroupNonUniformBitwiseAnd, spirv.OpGroupNonUniformBitwiseOr, spirv.OpGroupNonUniformBitwiseXor,
		spirv.OpGroupNonUniformLogicalAnd, spirv.OpGroupNonUniformLogicalOr, spirv.OpGroupNonUniformLogicalXor,
		spirv.OpGroupIAdd, spirv.OpGroupFAdd, spirv.OpGroupSMin, spirv.OpGroupUMin, spirv.OpGroupFMin,
		spirv.OpGroupSMax, spirv.OpGroupUMax, spirv.OpGroupFMax,
		spirv.OpGroupIAddNonUniformAMD, spirv.OpGroupFAddNonUniformAMD,
		spirv.OpGroupFMinNonUniformAMD, spirv.OpGroupUMinNonUniformAMD, spirv.OpGroupSMinNonUniformAMD,
		spirv.OpGroupFMaxNonUniformAMD, spirv.OpGroupUMaxNonUniformAMD, spirv.OpGroupSMaxNonUniformAMD,
	).merge(specNote("GroupOperation " + op.String()))
}

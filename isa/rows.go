package isa

import (
	"math"

	"spvsim/spirv"
)

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

var rows = [NumOps]Row{
	{Nop, "nop", noClass, none, pure, nil, core(spirv.OpNop, spirv.OpNoLine)},

	{Const, "const", noClass, constant, irOnly, nil, core(spirv.OpConstant, spirv.OpConstantTrue, spirv.OpConstantFalse, spirv.OpConstantNull, spirv.OpSpecConstant)},
	{Undef, "undef", noClass, constant, irOnly, nil, core(spirv.OpUndef)},
	{Phi, "phi", noClass, constant, FlagIROnly, nil, core(spirv.OpPhi)},
	{Param, "param", noClass, constant, FlagIROnly, nil, core(spirv.OpFunctionParameter)},
	{Proj, "proj", noClass, constant, irOnly, nil, core(spirv.OpCompositeExtract)},

	{Mov, "mov", alu, unary, salu, widthless(mov), core(spirv.OpCopyObject, spirv.OpBitcast)},
	{Select, "select", alu, sig(OfT, OfBool, OfT, OfT), salu, widthless(choose), core(spirv.OpSelect)},
	{ToLanes, "to_lanes", scalar, vote, pure, widthless(mov), specNote("a uniform Boolean used where lanes differ")},
	{ToScalar, "to_scalar", lane, unary, FlagPure | FlagUniform, widthless(mov), specNote("a result of the vector unit that the scalar unit goes on with")},
	{SaveLane, "save_lane", sameClass(ClassWriteLane), unary, FlagPure | FlagUniform, widthless(mov), specNote("a scalar register that is spilled to a lane of a vector register")},
	{RestoreLane, "restore_lane", lane, unary, FlagPure | FlagUniform, widthless(mov), specNote("a scalar register that was spilled, again")},
	{Pack64, "pack64", sameClass(ClassVALU32), sig(OfT, OfI32, OfI32), salu, widthless(pack64), core(spirv.OpBitcast).merge(glsl(spirv.GLSLstd450PackDouble2x32))},
	{Lo32, "lo32", sameClass(ClassVALU32), sig(OfI32, OfI64), salu, widthless(mov), core(spirv.OpBitcast).merge(glsl(spirv.GLSLstd450UnpackDouble2x32))},
	{Hi32, "hi32", sameClass(ClassVALU32), sig(OfI32, OfI64), salu, widthless(hi32), core(spirv.OpBitcast).merge(glsl(spirv.GLSLstd450UnpackDouble2x32))},
	{Pack8, "pack8", sameClass(ClassVALU32), sig(OfI32, OfI8, OfI8, OfI8, OfI8), pure, widthless4(pack8), specNote("a vector of four bytes as the one register that a dot product takes")},
	{Pack16, "pack16", noClass, sig(OfI32, OfI16, OfI16), salu, widthless(pack16), specNote("a vector of two 16-bit components as the one register that holds it")},
	{Unpack16, "unpack16", noClass, sig(OfI16, OfI32), salu, meanUnpack16, specNote("half of a register: instructions of 16 bits name it (op_sel)")},

	{IAdd, "iadd", alu, binary, saluC, int2(iadd), core(spirv.OpIAdd, spirv.OpIAddCarry)},
	{ISub, "isub", alu, binary, salu, int2(isub), core(spirv.OpISub, spirv.OpISubBorrow)},
	{IMul, "imul", mulInt, binary, saluC, int2(imul), core(spirv.OpIMul, spirv.OpUMulExtended, spirv.OpSMulExtended)},
	{UMulHi, "umulhi", mulInt, binary, saluC, int2(umulhi), core(spirv.OpUMulExtended)},
	{SMulHi, "smulhi", mulInt, binary, saluC, int2(smulhi), core(spirv.OpSMulExtended)},
	{UDiv, "udiv", mulInt, binary, costlySALU, int2(udiv), core(spirv.OpUDiv)},
	{SDiv, "sdiv", mulInt, binary, costlySALU, int2(sdiv), core(spirv.OpSDiv)},
	{UMod, "umod", mulInt, binary, costlySALU, int2(umod), core(spirv.OpUMod)},
	{SRem, "srem", mulInt, binary, costlySALU, int2(srem), core(spirv.OpSRem)},
	{SMod, "smod", mulInt, binary, costlySALU, int2(smod), core(spirv.OpSMod)},
	{DivSelect, "div_select", alu, sig(OfT, OfBool, OfT, OfT, OfT), salu, widthless4(divSelect), specNote("formed by the expansion of divisions")},
	{INeg, "ineg", alu, unary, salu, int1(ineg), core(spirv.OpSNegate)},
	{UAddCarry, "uaddcarry", alu, binary, saluC, int2(uaddcarry), core(spirv.OpIAddCarry)},
	{USubBorrow, "usubborrow", alu, binary, salu, int2(usubborrow), core(spirv.OpISubBorrow)},
	{UMin, "umin", alu, binary, saluC, int2(umin), glsl(spirv.GLSLstd450UMin, spirv.GLSLstd450UClamp)},
	{UMax, "umax", alu, binary, saluC, int2(umax), glsl(spirv.GLSLstd450UMax, spirv.GLSLstd450UClamp)},
	{SMin, "smin", alu, binary, saluC, int2(smin), glsl(spirv.GLSLstd450SMin, spirv.GLSLstd450SClamp)},
	{SMax, "smax", alu, binary, saluC, int2(smax), glsl(spirv.GLSLstd450SMax, spirv.GLSLstd450SClamp)},
	{UMin3, "umin3", alu, ternary, comm, int3(three(umin, umin)), trinary(spirv.AMDShaderTrinaryMinmaxUMin3AMD)},
	{UMax3, "umax3", alu, ternary, comm, int3(three(umax, umax)), trinary(spirv.AMDShaderTrinaryMinmaxUMax3AMD)},
	{UMid3, "umid3", alu, ternary, comm, int3(middle(umin, umax)), trinary(spirv.AMDShaderTrinaryMinmaxUMid3AMD)},
	{SMin3, "smin3", alu, ternary, comm, int3(three(smin, smin)), trinary(spirv.AMDShaderTrinaryMinmaxSMin3AMD)},
	{SMax3, "smax3", alu, ternary, comm, int3(three(smax, smax)), trinary(spirv.AMDShaderTrinaryMinmaxSMax3AMD)},
	{SMid3, "smid3", alu, ternary, comm, int3(middle(smin, smax)), trinary(spirv.AMDShaderTrinaryMinmaxSMid3AMD)},
	{SAbs, "sabs", alu, unary, salu, int1(sabs), glsl(spirv.GLSLstd450SAbs)},
	{SSign, "ssign", alu, unary, salu, int1(ssign), glsl(spirv.GLSLstd450SSign)},
	{UMul24, "umul24", alu, binary, comm, int2(umul24), specNote("formed by expansions")},
	{IMad, "imad", mulInt, ternary, saluC, int3(imad), specNote("formed by optimisation")},
	{LshlAdd, "lshladd", alu, ternary, salu, int3(lshladd), specNote("formed by optimisation")},
	{IAdd3, "iadd3", alu, ternary, saluC, int3(iadd3), specNote("formed by optimisation")},
	{LshlOr, "lshlor", alu, ternary, salu, int3(lshlor), specNote("formed by optimisation")},
	{AddLshl, "addlshl", alu, ternary, saluC, int3(addlshl), specNote("formed by optimisation")},
	{AndOr, "andor", alu, ternary, saluC, int3(andor), specNote("formed by optimisation")},
	{Or3, "or3", alu, ternary, saluC, int3(or3), specNote("formed by optimisation")},

	{SDot4, "sdot4", dot, ternary, comm | FlagDot, intDot{8, true, true}.wrapped, core(spirv.OpSDot)},
	{UDot4, "udot4", dot, ternary, comm | FlagDot, intDot{8, false, false}.wrapped, core(spirv.OpUDot)},
	{SUDot4, "sudot4", dot, ternary, pure | FlagDot, intDot{8, true, false}.wrapped, core(spirv.OpSUDot)},
	{SDot2, "sdot2", dot, ternary, comm | FlagDot, intDot{16, true, true}.wrapped, core(spirv.OpSDot)},
	{UDot2, "udot2", dot, ternary, comm | FlagDot, intDot{16, false, false}.wrapped, core(spirv.OpUDot)},
	{SDot4Sat, "sdot4_sat", dot, ternary, comm, intDot{8, true, true}.saturated, core(spirv.OpSDotAccSat)},
	{UDot4Sat, "udot4_sat", dot, ternary, comm, intDot{8, false, false}.saturated, core(spirv.OpUDotAccSat)},
	{SUDot4Sat, "sudot4_sat", dot, ternary, pure, intDot{8, true, false}.saturated, core(spirv.OpSUDotAccSat)},
	{SDot2Sat, "sdot2_sat", dot, ternary, comm, intDot{16, true, true}.saturated, core(spirv.OpSDotAccSat)},
	{UDot2Sat, "udot2_sat", dot, ternary, comm, intDot{16, false, false}.saturated, core(spirv.OpUDotAccSat)},

	{And, "and", alu, binary, saluC, int2(and), core(spirv.OpBitwiseAnd, spirv.OpLogicalAnd)},
	{Or, "or", alu, binary, saluC, int2(or), core(spirv.OpBitwiseOr, spirv.OpLogicalOr)},
	{Xor, "xor", alu, binary, saluC, int2(xor), core(spirv.OpBitwiseXor, spirv.OpLogicalNotEqual)},
	{Not, "not", alu, unary, salu, int1(not), core(spirv.OpNot, spirv.OpLogicalNot)},
	{Shl, "shl", shift, binary, salu, int2(shl), core(spirv.OpShiftLeftLogical)},
	{Shr, "shr", shift, binary, salu, int2(shr), core(spirv.OpShiftRightLogical)},
	{Sar, "sar", shift, binary, salu, int2(sar), core(spirv.OpShiftRightArithmetic)},
	{BitCount, "bitcount", alu, unary, salu, int1(bitcount), core(spirv.OpBitCount)},
	{BitReverse, "bitreverse", alu, unary, salu, int1(bitreverse), core(spirv.OpBitReverse)},
	{BitFieldInsert, "bitfield_insert", alu, sig(OfT, OfT, OfT, OfT, OfT), salu, int4(bitinsert), core(spirv.OpBitFieldInsert)},
	{BitFieldSExtract, "bitfield_sextract", alu, ternary, salu, int3(bitsextract), core(spirv.OpBitFieldSExtract)},
	{BitFieldUExtract, "bitfield_uextract", alu, ternary, salu, int3(bituextract), core(spirv.OpBitFieldUExtract)},
	{FindILsb, "findilsb", alu, unary, salu, int1(findilsb), glsl(spirv.GLSLstd450FindILsb)},
	{FindSMsb, "findsmsb", alu, unary, salu, int1(findsmsb), glsl(spirv.GLSLstd450FindSMsb)},
	{FindUMsb, "findumsb", alu, unary, salu, int1(findumsb), glsl(spirv.GLSLstd450FindUMsb)},

	{FAdd, "fadd", addF, binary, comm, float2(fadd), core(spirv.OpFAdd)},
	{FSub, "fsub", addF, binary, pure, float2(fsub), core(spirv.OpFSub)},
	{FMul, "fmul", mulF, binary, comm, float2(fmul), core(spirv.OpFMul)},
	{FDiv, "fdiv", transF, binary, costly, float2(fdiv), core(spirv.OpFDiv)},
	{FRem, "frem", transF, binary, costly, float2(math.Mod), core(spirv.OpFRem)},
	{FMod, "fmod", transF, binary, costly, float2(fmod), core(spirv.OpFMod)},
	{FNeg, "fneg", addF, unary, pure, int1(fneg), core(spirv.OpFNegate)},
	{FAbs, "fabs", addF, unary, pure, int1(fabs), glsl(spirv.GLSLstd450FAbs)},
	{FSign, "fsign", addF, unary, pure, float1(fsign), glsl(spirv.GLSLstd450FSign)},
	{FMin, "fmin", addF, binary, comm, float2(MinNum), glsl(spirv.GLSLstd450FMin, spirv.GLSLstd450NMin, spirv.GLSLstd450FClamp, spirv.GLSLstd450NClamp)},
	{FMax, "fmax", addF, binary, comm, float2(MaxNum), glsl(spirv.GLSLstd450FMax, spirv.GLSLstd450NMax, spirv.GLSLstd450FClamp, spirv.GLSLstd450NClamp)},
	{FMin3, "fmin3", addF, ternary, comm, float3(fmin3), trinary(spirv.AMDShaderTrinaryMinmaxFMin3AMD)},
	{FMax3, "fmax3", addF, ternary, comm, float3(fmax3), trinary(spirv.AMDShaderTrinaryMinmaxFMax3AMD)},
	{FMid3, "fmid3", addF, ternary, comm, float3(fmid3), trinary(spirv.AMDShaderTrinaryMinmaxFMid3AMD)},
	{Floor, "floor", addF, unary, pure, float1(math.Floor), glsl(spirv.GLSLstd450Floor)},
	{Ceil, "ceil", addF, unary, pure, float1(math.Ceil), glsl(spirv.GLSLstd450Ceil)},
	{Trunc, "trunc", addF, unary, pure, float1(math.Trunc), glsl(spirv.GLSLstd450Trunc, spirv.GLSLstd450Modf, spirv.GLSLstd450ModfStruct)},
	{Round, "round", addF, unary, pure, float1(math.Round), glsl(spirv.GLSLstd450Round)},
	{RoundEven, "roundeven", addF, unary, pure, float1(math.RoundToEven), glsl(spirv.GLSLstd450RoundEven)},
	{Fract, "fract", addF, unary, pure, float1(fract), glsl(spirv.GLSLstd450Fract)},
	{Sqrt, "sqrt", transF, unary, costly, float1(math.Sqrt), glsl(spirv.GLSLstd450Sqrt)},
	{Rsq, "rsq", transF, unary, costly, float1(rsq), glsl(spirv.GLSLstd450InverseSqrt)},
	{Exp, "exp", transF, unary, costly, float1(math.Exp), glsl(spirv.GLSLstd450Exp)},
	{Exp2, "exp2", transF, unary, costly, float1(math.Exp2), glsl(spirv.GLSLstd450Exp2)},
	{Log, "log", transF, unary, costly, float1(math.Log), glsl(spirv.GLSLstd450Log)},
	{Log2, "log2", transF, unary, costly, float1(math.Log2), glsl(spirv.GLSLstd450Log2)},
	{Pow, "pow", transF, binary, costly, float2(math.Pow), glsl(spirv.GLSLstd450Pow)},
	{Sin, "sin", transF, unary, costly, float1(math.Sin), glsl(spirv.GLSLstd450Sin)},
	{Cos, "cos", transF, unary, costly, float1(math.Cos), glsl(spirv.GLSLstd450Cos)},
	{Tan, "tan", transF, unary, costly, float1(math.Tan), glsl(spirv.GLSLstd450Tan)},
	{Asin, "asin", transF, unary, costly, float1(math.Asin), glsl(spirv.GLSLstd450Asin)},
	{Acos, "acos", transF, unary, costly, float1(math.Acos), glsl(spirv.GLSLstd450Acos)},
	{Atan, "atan", transF, unary, costly, float1(math.Atan), glsl(spirv.GLSLstd450Atan)},
	{Sinh, "sinh", transF, unary, costly, float1(math.Sinh), glsl(spirv.GLSLstd450Sinh)},
	{Cosh, "cosh", transF, unary, costly, float1(math.Cosh), glsl(spirv.GLSLstd450Cosh)},
	{Tanh, "tanh", transF, unary, costly, float1(math.Tanh), glsl(spirv.GLSLstd450Tanh)},
	{Asinh, "asinh", transF, unary, costly, float1(math.Asinh), glsl(spirv.GLSLstd450Asinh)},
	{Acosh, "acosh", transF, unary, costly, float1(math.Acosh), glsl(spirv.GLSLstd450Acosh)},
	{Atanh, "atanh", transF, unary, costly, float1(math.Atanh), glsl(spirv.GLSLstd450Atanh)},
	{Atan2, "atan2", transF, binary, costly, float2(math.Atan2), glsl(spirv.GLSLstd450Atan2)},
	{Fma, "fma", fmaF, ternary, comm, meanFma, glsl(spirv.GLSLstd450Fma)},
	{Ldexp, "ldexp", mulF, sig(OfT, OfT, OfI32), pure, meanLdexp, glsl(spirv.GLSLstd450Ldexp)},
	{FrexpMant, "frexp_mant", addF, unary, pure, float1(frexpMant), glsl(spirv.GLSLstd450Frexp, spirv.GLSLstd450FrexpStruct)},
	{FrexpExp, "frexp_exp", addF, sig(OfI32, OfT), pure, meanFrexpExp, glsl(spirv.GLSLstd450Frexp, spirv.GLSLstd450FrexpStruct)},
	{QuantizeF16, "quantize_f16", cvt, unary, pure, float1(quantize16), core(spirv.OpQuantizeToF16)},
	{IsNan, "isnan", addF, question, pure, floatTest(math.IsNaN), core(spirv.OpIsNan)},
	{IsInf, "isinf", addF, question, pure, floatTest(isInf), core(spirv.OpIsInf)},
	{Rcp, "rcp", transF, unary, pure, float1(rcp), specNote("reciprocal of the major axis in CubeFaceCoordAMD")},
	{FDot2, "fdot2", sameClass(ClassPacked16), sig(OfT, OfI32, OfI32, OfT), pure, meanFDot2, core(spirv.OpFDot2MixAcc32VALVE, spirv.OpFDot2MixAcc16VALVE)},
	{CubeID, "cube_id", addF, ternary, pure, cube(cubeID), specNote("CubeFaceIndexAMD")},
	{CubeSC, "cube_sc", addF, ternary, pure, cube(cubeSC), specNote("CubeFaceCoordAMD")},
	{CubeTC, "cube_tc", addF, ternary, pure, cube(cubeTC), specNote("CubeFaceCoordAMD")},
	{CubeMA, "cube_ma", addF, ternary, pure, cube(cubeMA), specNote("CubeFaceCoordAMD")},
	{FClass, "fclass", addF, question, pure, meanFClass, specNote("precise square roots, sines and powers")},
	{DivScale, "div_scale", fmaF, ternary, pure, widthless(divScale), specNote("precise division")},
	{DivScaled, "div_scaled", noClass, sig(OfBool, OfT, OfT), pure, widthless(divScaled), specNote("the mask that div_scale writes beside its result")},
	{DivFmas, "div_fmas", fmaF, sig(OfT, OfT, OfT, OfT, OfBool), pure, widthless4(divFmas), specNote("precise division")},
	{DivFixup, "div_fixup", fmaF, ternary, pure, widthless(divFixup), specNote("precise division")},

	{IEq, "ieq", compair, compare, saluC, intCompare(ieq), core(spirv.OpIEqual, spirv.OpLogicalEqual)},
	{INe, "ine", compair, compare, saluC, intCompare(ine), core(spirv.OpINotEqual, spirv.OpLogicalNotEqual)},
	{ULt, "ult", compair, compare, salu, intCompare(ult), core(spirv.OpULessThan, spirv.OpUGreaterThan)},
	{ULe, "ule", compair, compare, salu, intCompare(ule), core(spirv.OpULessThanEqual, spirv.OpUGreaterThanEqual)},
	{SLt, "slt", compair, compare, salu, intCompare(slt), core(spirv.OpSLessThan, spirv.OpSGreaterThan)},
	{SLe, "sle", compair, compare, salu, intCompare(sle), core(spirv.OpSLessThanEqual, spirv.OpSGreaterThanEqual)},
	{FOrdEq, "fordeq", compair, compare, comm, floatCompare(fordeq), core(spirv.OpFOrdEqual)},
	{FOrdNe, "fordne", compair, compare, comm, floatCompare(fordne), core(spirv.OpFOrdNotEqual)},
	{FOrdLt, "fordlt", compair, compare, pure, floatCompare(fordlt), core(spirv.OpFOrdLessThan, spirv.OpFOrdGreaterThan)},
	{FOrdLe, "fordle", compair, compare, pure, floatCompare(fordle), core(spirv.OpFOrdLessThanEqual, spirv.OpFOrdGreaterThanEqual)},
	{FUnordEq, "funordeq", compair, compare, comm, floatCompare(funordeq), core(spirv.OpFUnordEqual)},
	{FUnordNe, "funordne", compair, compare, comm, floatCompare(funordne), core(spirv.OpFUnordNotEqual)},
	{FUnordLt, "funordlt", compair, compare, pure, floatCompare(funordlt), core(spirv.OpFUnordLessThan, spirv.OpFUnordGreaterThan)},
	{FUnordLe, "funordle", compair, compare, pure, floatCompare(funordle), core(spirv.OpFUnordLessThanEqual, spirv.OpFUnordGreaterThanEqual)},

	{UConvert, "uconvert", alu, convert, salu, meanUConvert, core(spirv.OpUConvert)},
	{SConvert, "sconvert", alu, convert, salu, meanSConvert, core(spirv.OpSConvert)},
	{FConvert, "fconvert", cvt, convert, pure, meanFConvert, core(spirv.OpFConvert).merge(glsl(spirv.GLSLstd450PackHalf2x16, spirv.GLSLstd450UnpackHalf2x16))},
	{FToU, "ftou", cvt, convert, pure, meanFToU, core(spirv.OpConvertFToU)},
	{FToS, "ftos", cvt, convert, pure, meanFToS, core(spirv.OpConvertFToS)},
	{UToF, "utof", cvt, convert, pure, meanUToF, core(spirv.OpConvertUToF)},
	{SToF, "stof", cvt, convert, pure, meanSToF, core(spirv.OpConvertSToF)},

	{LaneID, "lane_id", vector, word, ident, nil, specNote("BuiltIn SubgroupLocalInvocationId")},
	{LocalIDX, "local_id_x", vector, word, ident | FlagLocalID, nil, specNote("BuiltIn LocalInvocationId")},
	{LocalIDY, "local_id_y", vector, word, ident | FlagLocalID, nil, specNote("BuiltIn LocalInvocationId")},
	{LocalIDZ, "local_id_z", vector, word, ident | FlagLocalID, nil, specNote("BuiltIn LocalInvocationId")},
	{LocalIndex, "local_index", vector, word, ident, nil, specNote("BuiltIn LocalInvocationIndex")},
	{WorkgroupIDX, "workgroup_id_x", alu, word, waveID | FlagWorkgroupID, nil, specNote("BuiltIn WorkgroupId")},
	{WorkgroupIDY, "workgroup_id_y", alu, word, waveID | FlagWorkgroupID, nil, specNote("BuiltIn WorkgroupId")},
	{WorkgroupIDZ, "workgroup_id_z", alu, word, waveID | FlagWorkgroupID, nil, specNote("BuiltIn WorkgroupId")},
	{NumWorkgroupsX, "num_workgroups_x", alu, word, waveID | FlagNumWorkgroups, nil, specNote("BuiltIn NumWorkgroups")},
	{NumWorkgroupsY, "num_workgroups_y", alu, word, waveID | FlagNumWorkgroups, nil, specNote("BuiltIn NumWorkgroups")},
	{NumWorkgroupsZ, "num_workgroups_z", alu, word, waveID | FlagNumWorkgroups, nil, specNote("BuiltIn NumWorkgroups")},
	{SubgroupID, "subgroup_id", alu, word, waveID, nil, specNote("BuiltIn SubgroupId")},
	{NumSubgroups, "num_subgroups", alu, word, waveID, nil, specNote("BuiltIn NumSubgroups")},
	{PushWord, "push_word", alu, constant, waveID, nil, specNote("variables of storage class PushConstant")},
	{Clock, "clock", sameClass(ClassClock), clock, FlagEffect | FlagUniform | FlagScalarUnit, nil, core(spirv.OpReadClockKHR)},
	{Realtime, "realtime", sameClass(ClassClock), clock, FlagEffect | FlagUniform | FlagScalarUnit, nil, core(spirv.OpReadClockKHR)},

	{Ballot, "ballot", scalar, sig(OfI64, OfBool), ofWave | FlagScalarUnit | FlagSubgroup, nil, core(spirv.OpGroupNonUniformBallot, spirv.OpSubgroupBallotKHR)},
	{LaneOfMask, "lane_of_mask", scalar, sig(OfBool, OfI64), ident, nil, core(spirv.OpGroupNonUniformInverseBallot, spirv.OpGroupNonUniformBallotBitExtract)},
	{Elect, "elect", scalar, sig(OfBool), perLane | FlagSubgroup, nil, core(spirv.OpGroupNonUniformElect)},
	{VoteAll, "vote_all", scalar, vote, ofWave | FlagScalarUnit | FlagSubgroup, nil, core(spirv.OpGroupNonUniformAll, spirv.OpGroupAll, spirv.OpSubgroupAllKHR)},
	{VoteAny, "vote_any", scalar, vote, ofWave | FlagScalarUnit | FlagSubgroup, nil, core(spirv.OpGroupNonUniformAny, spirv.OpGroupAny, spirv.OpSubgroupAnyKHR)},
	{VoteAllEqual, "vote_all_equal", compair, question, ofWave | FlagSubgroup, nil, core(spirv.OpGroupNonUniformAllEqual, spirv.OpSubgroupAllEqualKHR)},
	{ReadLane, "read_lane", lane, laneIndexed, ofWave | FlagSubgroup, nil, core(spirv.OpGroupNonUniformBroadcast, spirv.OpGroupBroadcast, spirv.OpSubgroupReadInvocationKHR)},
	{ReadFirstLane, "read_first_lane", lane, unary, ofWave | FlagSubgroup, nil, core(spirv.OpGroupNonUniformBroadcastFirst, spirv.OpSubgroupFirstInvocationKHR)},
	{Shuffle, "shuffle", swizzle, laneIndexed, perLane | FlagSubgroup, nil, core(spirv.OpGroupNonUniformShuffle, spirv.OpGroupNonUniformShuffleXor, spirv.OpGroupNonUniformShuffleUp, spirv.OpGroupNonUniformShuffleDown, spirv.OpGroupNonUniformRotateKHR)},
	{QuadBroadcast, "quad_broadcast", dpp, laneIndexed, perLane, nil, core(spirv.OpGroupNonUniformQuadBroadcast)},
	{QuadSwap, "quad_swap", dpp, unary, perLane, nil, core(spirv.OpGroupNonUniformQuadSwap)},
	{QuadAll, "quad_all", scalar, vote, perLane, nil, core(spirv.OpGroupNonUniformQuadAllKHR)},
	{QuadAny, "quad_any", scalar, vote, perLane, nil, core(spirv.OpGroupNonUniformQuadAnyKHR)},
	{SwizzleQuad, "swizzle_quad", dpp, unary, perLane, nil, core(spirv.OpDPdx, spirv.OpDPdy).merge(specNote("SwizzleInvocationsAMD"))},
	{SwizzleMirror, "swizzle_mirror", dpp, unary, perLane | FlagSubgroup, nil, specNote("SwizzleInvocationsMaskedAMD")},
	{SwizzleEight, "swizzle_eight", swizzle, unary, perLane | FlagSubgroup, nil, specNote("SwizzleInvocationsMaskedAMD")},
	{SwizzleSixteen, "swizzle_sixteen", swizzle, unary, perLane | FlagSubgroup, nil, specNote("SwizzleInvocationsMaskedAMD")},
	{SwizzleMasked, "swizzle_masked", swizzle, unary, perLane | FlagSubgroup, nil, specNote("SwizzleInvocationsMaskedAMD")},
	{WriteLane, "write_lane", sameClass(ClassWriteLane), sig(OfT, OfT, OfT, OfI32), ident, nil, specNote("WriteInvocationAMD")},
	{Reduce, "reduce", dpp, unary, ofWave | FlagSubgroup, nil, groupOperations(spirv.GroupOperationReduce)},
	{InclusiveScan, "inclusive_scan", dpp, unary, perLane | FlagSubgroup, nil, groupOperations(spirv.GroupOperationInclusiveScan)},
	{ExclusiveScan, "exclusive_scan", dpp, unary, perLane | FlagSubgroup, nil, groupOperations(spirv.GroupOperationExclusiveScan)},
	{MaskedBitCount, "masked_bitcount", vector, sig(OfI32, OfI64, OfI32), ident, nil, core(spirv.OpGroupNonUniformBallotBitCount)},

	{MatrixMulAdd, "matrix_mul_add", noClass, none, perLane, nil, core(spirv.OpCooperativeMatrixMulAddKHR)},

	{Load, "load", bySpace, none, load, nil, core(spirv.OpLoad, spirv.OpCopyMemory)},
	{Store, "store", bySpace, none, store, nil, core(spirv.OpStore, spirv.OpCopyMemory)},
	{AtomicLoad, "atomic_load", bySpace, none, load | effect | FlagAtomic, nil, core(spirv.OpAtomicLoad)},
	{AtomicStore, "atomic_store", bySpace, none, store | FlagAtomic, nil, core(spirv.OpAtomicStore)},
	{AtomicExchange, "atomic_exchange", bySpace, none, atomic, nil, core(spirv.OpAtomicExchange)},
	{AtomicCompareExchange, "atomic_compare_exchange", bySpace, none, atomic, nil, core(spirv.OpAtomicCompareExchange, spirv.OpAtomicCompareExchangeWeak)},
	{AtomicIAdd, "atomic_iadd", bySpace, none, atomic, nil, core(spirv.OpAtomicIAdd)},
	{AtomicISub, "atomic_isub", bySpace, none, atomic, nil, core(spirv.OpAtomicISub)},
	{AtomicSMin, "atomic_smin", bySpace, none, atomic, nil, core(spirv.OpAtomicSMin)},
	{AtomicUMin, "atomic_umin", bySpace, none, atomic, nil, core(spirv.OpAtomicUMin)},
	{AtomicSMax, "atomic_smax", bySpace, none, atomic, nil, core(spirv.OpAtomicSMax)},
	{AtomicUMax, "atomic_umax", bySpace, none, atomic, nil, core(spirv.OpAtomicUMax)},
	{AtomicAnd, "atomic_and", bySpace, none, atomic, nil, core(spirv.OpAtomicAnd)},
	{AtomicOr, "atomic_or", bySpace, none, atomic, nil, core(spirv.OpAtomicOr)},
	{AtomicXor, "atomic_xor", bySpace, none, atomic, nil, core(spirv.OpAtomicXor)},
	{AtomicIInc, "atomic_iinc", bySpace, none, atomic, nil, core(spirv.OpAtomicIIncrement)},
	{AtomicIDec, "atomic_idec", bySpace, none, atomic, nil, core(spirv.OpAtomicIDecrement)},
	{AtomicFAdd, "atomic_fadd", bySpace, none, atomic, nil, core(spirv.OpAtomicFAddEXT)},
	{AtomicFMin, "atomic_fmin", bySpace, none, atomic, nil, core(spirv.OpAtomicFMinEXT)},
	{AtomicFMax, "atomic_fmax", bySpace, none, atomic, nil, core(spirv.OpAtomicFMaxEXT)},
	{BufferSize, "buffer_size", scalar, word, FlagPure | FlagUniform, nil, core(spirv.OpArrayLength)},
	{ImageLoad, "image_load", bySpace, none, load, nil, core(spirv.OpImageRead, spirv.OpImageFetch)},
	{ImageStore, "image_store", bySpace, none, store, nil, core(spirv.OpImageWrite)},
	{ImageSize, "image_size", scalar, word, FlagPure | FlagUniform, nil, core(spirv.OpImageQuerySize, spirv.OpImageQuerySizeLod)},
	{ImageSamples, "image_samples", scalar, word, FlagPure | FlagUniform, nil, core(spirv.OpImageQuerySamples)},
	{ImageSample, "image_sample", bySpace, none, sampled | perFragment, nil, core(spirv.OpImageSampleImplicitLod, spirv.OpImageSampleProjImplicitLod, spirv.OpImageSampleDrefImplicitLod, spirv.OpImageSampleProjDrefImplicitLod)},
	{ImageSampleLod, "image_sample_lod", bySpace, none, sampled, nil, core(spirv.OpImageSampleExplicitLod, spirv.OpImageSampleProjExplicitLod, spirv.OpImageSampleDrefExplicitLod, spirv.OpImageSampleProjDrefExplicitLod)},
	{ImageGather, "image_gather", bySpace, none, sampled, nil, core(spirv.OpImageGather, spirv.OpImageDrefGather)},
	{ImageQueryLod, "image_query_lod", bySpace, none, sampled | perFragment, nil, core(spirv.OpImageQueryLod)},
	{Export, "export", bySpace, none, store, nil, specNote("variables of storage class Output with a Location")},

	{Barrier, "barrier", sameClass(ClassBarrier), none, effect | crossLane, nil, core(spirv.OpControlBarrier)},
	{MemoryBarrier, "memory_barrier", sameClass(ClassWaitcnt), none, effect, nil, core(spirv.OpMemoryBarrier)},
	{DebugPrint, "debug_print", sameClass(ClassMessage), none, effect, nil, specNote("NonSemantic.DebugPrintf")},

	{PayloadIn, "payload_in", alu, handle, waveID, nil, specNote("variables of storage class NodePayloadAMDX")},
	{PayloadElem, "payload_elem", vector, sig(OfI64, OfI64, OfI32), costlySALU, nil, specNote("access chains into OpTypeNodePayloadArrayAMDX")},
	{PayloadLength, "payload_length", vector, sig(OfI32, OfI64), costlySALU, nil, core(spirv.OpNodePayloadArrayLengthAMDX)},
	{PayloadValid, "payload_valid", scalar, sig(OfBool, OfI32), costlySALU, nil, core(spirv.OpIsNodePayloadValidAMDX)},
	{PayloadAlloc, "payload_alloc", message, allocate, effect | ofWave, nil, core(spirv.OpAllocateNodePayloadsAMDX).merge(specNote("Workgroup"))},
	{PayloadAllocLane, "payload_alloc_lane", message, allocate, effect | perLane, nil, core(spirv.OpAllocateNodePayloadsAMDX).merge(specNote("Invocation"))},
	{PayloadEnqueue, "payload_enqueue", message, sig(OfNothing, OfI64), effect | crossLane, nil, core(spirv.OpEnqueueNodePayloadsAMDX)},
	{PayloadFinish, "payload_finish", message, sig(OfBool, OfI64), effect | ofWave, nil, core(spirv.OpFinishWritingNodePayloadAMDX)},
	{RemainingRecursion, "remaining_recursion", alu, word, waveID, nil, specNote("BuiltIn RemainingRecursionLevelsAMDX")},
	{ShaderIndex, "shader_index", alu, word, waveID, nil, specNote("BuiltIn ShaderIndexAMDX")},
	{MeshGroup, "mesh_group", alu, word, waveID, nil, specNote("outputs of MeshEXT entry points")},

	{FragCoord, "frag_coord", vector, constant, ident, nil, specNote("BuiltIn FragCoord")},
	{Barycentric, "barycentric", vector, constant, ident, nil, specNote("interpolation of inputs with a Location")},
	{BarycentricAt, "barycentric_at", vector, binary, ident, nil, glsl(spirv.GLSLstd450InterpolateAtOffset, spirv.GLSLstd450InterpolateAtSample)},
	{SampleOffset, "sample_offset", vector, sig(OfT, OfI32), ident, nil, specNote("BuiltIn SamplePosition, and interpolation at a sample")},
	{SampleIndex, "sample_index", vector, word, ident, nil, specNote("BuiltIn SampleId")},
	{SampleCover, "sample_cover", vector, word, ident, nil, specNote("BuiltIn SampleMask")},
	{PointCoord, "point_coord", vector, constant, ident, nil, specNote("BuiltIn PointCoord")},
	{FrontFacing, "front_facing", scalar, sig(OfBool), ident, nil, specNote("BuiltIn FrontFacing")},
	{HelperLane, "helper_lane", scalar, sig(OfBool), ident, nil, specNote("BuiltIn HelperInvocation")},
	{PrimitiveIndex, "primitive_index", vector, word, ident, nil, specNote("BuiltIn PrimitiveId")},
	{InterpFlat, "interp_flat", vector, constant, ident, nil, specNote("inputs decorated Flat")},
	{InterpP1, "interp_p1", vector, unary, ident, nil, specNote("interpolation of inputs with a Location")},
	{InterpP2, "interp_p2", vector, binary, ident, nil, specNote("interpolation of inputs with a Location")},
	{IsHelper, "is_helper", scalar, sig(OfBool), effect | FlagPerLane, nil, core(spirv.OpIsHelperInvocationEXT)},
	{Demote, "demote", scalar, none, effect, nil, core(spirv.OpDemoteToHelperInvocation)},

	{Branch, "branch", branch, none, flow, nil, core(spirv.OpBranch)},
	{BranchTrue, "branch_true", branch, onTruth, flow, nil, core(spirv.OpBranchConditional, spirv.OpSwitch)},
	{BranchFalse, "branch_false", branch, onTruth, flow, nil, core(spirv.OpBranchConditional, spirv.OpSwitch)},
	{BranchExecZ, "branch_execz", branch, none, flow, nil, core(spirv.OpBranchConditional, spirv.OpLoopMerge)},
	{BranchExecNZ, "branch_execnz", branch, none, flow, nil, core(spirv.OpBranchConditional, spirv.OpLoopMerge)},
	{MaskZero, "mask_zero", scalar, maskOnly, flow, nil, core(spirv.OpLoopMerge, spirv.OpSelectionMerge)},
	{MaskSplit, "mask_split", scalar, sig(OfI64, OfBool), flow, nil, core(spirv.OpBranchConditional, spirv.OpSwitch)},
	{MaskPark, "mask_park", scalar, maskOnly, flow, nil, core(spirv.OpBranch)},
	{MaskJoin, "mask_join", scalar, onMask, flow, nil, core(spirv.OpLoopMerge, spirv.OpSelectionMerge)},
	{MaskKill, "mask_kill", scalar, none, flow, nil, core(spirv.OpReturn, spirv.OpKill, spirv.OpTerminateInvocation)},
	{End, "end", sameClass(ClassEnd), none, flow, nil, core(spirv.OpReturn)},

	{Micro, "micro", alu, none, effect, nil, specNote("expansion of the timing table")},
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

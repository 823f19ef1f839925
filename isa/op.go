package isa

// An Op is one wave operation. Every Op has exactly one row in Table, which holds its name, its meaning, its timing
// class and its place in the specification; nothing else switches on operations to compute values.
//
// Operations work on scalars of one lane: vectors are split when a module is lowered. An operation's Type gives the
// width and the number format; integers of 8 and 16 bits are zero-extended in a 32-bit register, 16-bit floats are
// their bits in the low half.
type Op uint16

// Operations. In the comments a, b, c are the sources in order and T is the
// type of the operation (Inst.T), which is the type of the sources unless the
// comment says otherwise.
const (
	Nop Op = iota

	// Values that exist in the intermediate form only.
	Const // Imm holds the bits, zero-extended
	Undef // any value; lowered as zero
	Phi   // one argument a predecessor, in the order of Block.Preds
	Param // unused by lowered code: placeholder while inlining
	Proj  // Imm-th result of the multi-result Args[0] (wide loads, image reads)

	// Moves.
	Mov
	Select  // a ? b : c; a is Bool, T is the type of b and c (may be Bool)
	ToLanes // uniform Bool (0 or 1) to a lane mask
	// ToScalar moves a value that is the same in all active lanes from a vector
	// register to a scalar one: v_readfirstlane. Unlike ReadFirstLane it may move.
	ToScalar
	// SaveLane copies a uniform value into a lane of a vector register, or two of them for 64 bits, and RestoreLane
	// copies it back: v_writelane, v_readlane. The contents of a lane are a word of the scalar file here, beyond the
	// registers that a wave has.
	SaveLane
	RestoreLane
	Pack64   // a: low 32 bits, b: high 32 bits; T = I64
	Lo32     // low 32 bits of a (From = I64), T = I32
	Hi32     // high 32 bits of a (From = I64), T = I32
	Pack8    // four bytes, a the lowest; T = I32
	Pack16   // a: low 16 bits, b: high 16 bits; T = I32
	Unpack16 // the Imm-th 16 bits of a; T = I32

	// Integer arithmetic, any integer T; results wrap.
	IAdd
	ISub
	IMul
	UMulHi // high half of the double-width product
	SMulHi
	UDiv // 0 for division by zero
	SDiv // 0 for division by zero; the most negative value for overflow
	UMod // 0 for division by zero
	SRem // sign of a; 0 for division by zero
	SMod // sign of b; 0 for division by zero
	// DivSelect is the last selection of an expanded division: a ? b : c, but 0 if the divisor d is zero. Hardware has
	// the same selection, and its result for a divisor of zero is undefined; the defined value costs nothing.
	DivSelect
	INeg
	UAddCarry  // 1 when a+b overflows T, else 0
	USubBorrow // 1 when a<b, else 0
	UMin
	UMax
	SMin
	SMax
	UMin3 // the minimum, maximum and median of three
	UMax3
	UMid3
	SMin3
	SMax3
	SMid3
	SAbs
	SSign
	UMul24  // low 32 bits of the product of the lowest 24 of a and b (formed by expansions; T = I32)
	IMad    // a*b + c (formed by optimisation; T = I32)
	LshlAdd // (a << b) + c (formed by optimisation; T = I32)
	IAdd3   // a + b + c (formed by optimisation; T = I32)
	LshlOr  // (a << b) | c (formed by optimisation; T = I32)
	AddLshl // (a + b) << c (formed by optimisation; T = I32)
	AndOr   // (a & b) | c (formed by optimisation; T = I32)
	Or3     // a | b | c (formed by optimisation; T = I32)
	// Dot products: c plus the products of the four bytes, or two halves, of a and
	// b; T = I32. The sum wraps, or is held in the range of its type (Sat).
	SDot4
	UDot4
	SUDot4 // a is signed, b is not, c is
	SDot2
	UDot2
	SDot4Sat
	UDot4Sat
	SUDot4Sat
	SDot2Sat
	UDot2Sat

	// Bits, any integer T. And, Or, Xor, Not also take Bool (lane masks or
	// uniform truth values).
	And
	Or
	Xor
	Not
	Shl // shift amounts are taken modulo the width of T
	Shr // logical
	Sar // arithmetic
	BitCount
	BitReverse
	BitFieldInsert   // four sources: base, insert, offset, count
	BitFieldSExtract // base, offset, count
	BitFieldUExtract // base, offset, count
	FindILsb         // all ones when a is zero
	FindSMsb         // all ones when a is 0 or -1
	FindUMsb         // all ones when a is zero

	// Floating point, T one of F16, F32, F64.
	FAdd
	FSub
	FMul
	FDiv
	FRem // sign of a
	FMod // sign of b
	FNeg
	FAbs
	FSign
	FMin // NaN handling as IEEE minNum: the other operand
	FMax
	FMin3 // of three; with a NaN, FMid3 returns the least of the others
	FMax3
	FMid3
	Floor
	Ceil
	Trunc
	Round // halves away from zero
	RoundEven
	Fract
	Sqrt
	Rsq
	Exp
	Exp2
	Log
	Log2
	Pow
	Sin
	Cos
	Tan
	Asin
	Acos
	Atan
	Sinh
	Cosh
	Tanh
	Asinh
	Acosh
	Atanh
	Atan2     // atan2(a, b): a is y
	Fma       // a*b + c with one rounding
	Ldexp     // a * 2^b; b is I32
	FrexpMant // mantissa in [0.5, 1)
	FrexpExp  // exponent as I32; T is the type of a
	QuantizeF16
	IsNan // result Bool
	IsInf // result Bool
	Rcp   // 1/a (formed where a reciprocal is asked for)
	FDot2 // c + a.x*b.x, then + a.y*b.y, each step rounded once; a and b are I32 that hold two F16; T = F32 or F16
	// Cube maps: the face that direction (a, b, c) points to, and the coordinates
	// on it. T = F32.
	CubeID // 0 to 5: +x, -x, +y, -y, +z, -z
	CubeSC
	CubeTC
	CubeMA // twice the length along the major axis: v_cubema with the free |x| of the instruction that reads it
	FClass // Bool: a is of one of the kinds in Imm, see FClassNaN
	// Steps of a division that is rounded once; T = F32.
	DivScale  // a, which is the divisor b or the dividend c, scaled for the steps
	DivScaled // divisor a, dividend b -> Bool: the quotient has to be scaled back; DivScale writes it, too
	DivFmas   // a*b + c, scaled back if d, a Bool, is true
	DivFixup  // the quotient a of divisor b and dividend c, or a result that the steps do not give

	// Comparisons: T is the type of the sources, the result is Bool.
	IEq
	INe
	ULt
	ULe
	SLt
	SLe
	FOrdEq
	FOrdNe
	FOrdLt
	FOrdLe
	FUnordEq
	FUnordNe
	FUnordLt
	FUnordLe

	// Conversions from Inst.From to Inst.T.
	UConvert // zero-extend or truncate
	SConvert // sign-extend or truncate
	FConvert // round to nearest even
	FToU     // towards zero; saturates, NaN becomes 0
	FToS
	UToF
	SToF

	// Identity of the lane and the wave. Result I32 unless said.
	LaneID   // lane within the wave
	LocalIDX // LocalInvocationId; Imm 1: four consecutive lanes are 2x2 in x and y
	LocalIDY
	LocalIDZ
	LocalIndex // LocalInvocationIndex; Imm as LocalIDX
	WorkgroupIDX
	WorkgroupIDY
	WorkgroupIDZ
	NumWorkgroupsX
	NumWorkgroupsY
	NumWorkgroupsZ
	SubgroupID // wave within the workgroup
	NumSubgroups
	PushWord // the 32 bits of push constants at byte Imm, which a wave may have from its start
	Clock    // I64: the simulated clock in cycles at issue
	Realtime // I64: a clock in nanoseconds of simulated time at issue

	// Across the lanes of a wave. Only active lanes take part.
	Ballot         // a Bool -> I64 mask of the active lanes in which a is true
	LaneOfMask     // a I64 mask -> Bool: the bit of the own lane (inverse ballot)
	Elect          // Bool: true in the lowest active lane
	VoteAll        // a Bool -> Bool
	VoteAny        // a Bool -> Bool
	VoteAllEqual   // a T -> Bool
	ReadLane       // a of lane b (b uniform); 0 when b is outside the wave or inactive
	ReadFirstLane  // a of the lowest active lane
	Shuffle        // a of lane b (b differs by lane); 0 when outside or inactive
	QuadBroadcast  // a of lane b (0..3) of the own quad
	QuadSwap       // Imm: 0 horizontal, 1 vertical, 2 diagonal
	QuadAll        // a Bool -> Bool, over the active lanes of the own quad
	QuadAny        // a Bool -> Bool, over the active lanes of the own quad
	SwizzleQuad    // a of the lane of the own quad that Imm gives, see QuadImm; 0 when inactive
	SwizzleMirror  // SwizzleMasked that moves lanes as one DPP row operation does: xor 7, 8 or 15
	SwizzleEight   // SwizzleMasked within eight lanes: DPP8 where the machine has it
	SwizzleSixteen // SwizzleMasked within sixteen lanes or across to the other sixteen: permlane where the machine has it
	SwizzleMasked  // a of lane ((l & and) | or) ^ xor of the own 32 lanes, see MaskImm; 0 when inactive
	WriteLane      // b in lane c (I32), a in the others
	Reduce         // Imm: GroupImm(operator, cluster size)
	InclusiveScan  // Imm as Reduce
	ExclusiveScan  // Imm as Reduce
	MaskedBitCount // bits of the I64 mask a below the own lane, plus b (I32): mbcnt
	// MatrixMulAdd is a product of matrices in the registers of a wave: Imm is a MatrixImm, the operands are in
	// Inst.Matrix. In the intermediate form the registers of A, of B and of C are the arguments, and those of D come
	// through Proj.
	MatrixMulAdd

	// Memory. Inst.Mem describes the access. Multi-result loads write Inst.Dst and Mem.Dsts.
	Load
	Store
	AtomicLoad
	AtomicStore
	AtomicExchange
	AtomicCompareExchange // sources: address..., value, comparator
	AtomicIAdd
	AtomicISub
	AtomicSMin
	AtomicUMin
	AtomicSMax
	AtomicUMax
	AtomicAnd
	AtomicOr
	AtomicXor
	AtomicIInc
	AtomicIDec
	AtomicFAdd
	AtomicFMin
	AtomicFMax
	BufferSize // bytes of the buffer bound at Mem.Binding; uniform I32
	ImageLoad
	ImageStore
	ImageSize    // Imm-th dimension of the image at Mem.Binding; uniform I32
	ImageSamples // samples of a texel; uniform I32
	// Sampled images: Mem.Sampler is the binding of the sampler. Four results.
	ImageSample    // level of detail from the coordinates of the quad; one more value with SampleBias
	ImageSampleLod // level of detail (SampleLod) or derivatives (SampleGrad) given
	ImageGather    // the Imm-th component of the four texels that a filter would mix
	ImageQueryLod  // two results: the level that would be read, and the one computed; reads nothing
	// Export writes four components to the colour attachment at Mem.Binding, at
	// the lane's pixel, unless a fragment that comes before it there has done so.
	Export

	// Synchronisation.
	Barrier       // control barrier of the workgroup; Imm 1: waves without an active lane take part too
	MemoryBarrier // waits until the wave's own outstanding memory accesses are done

	// Local arrays that are indexed dynamically: per-lane scratch. Mem.Space is
	// SpaceScratch; they are Load and Store.

	// Prints through the observer: Imm is the index of the format string.
	DebugPrint

	// Execution graphs. A payload array is named by a handle (I64, opaque, not
	// zero); its elements need not be contiguous.
	PayloadIn          // I64: handle of the input payload array, 0 if there is none
	PayloadElem        // a I64 handle, b I32 index -> I64 address of the element
	PayloadLength      // a I64 handle -> I32
	PayloadValid       // a I32 node index -> Bool: payloads of output Imm may be allocated for it
	PayloadAlloc       // a I32 count, b I32 node index -> I64 handle of one array of output Imm for the whole workgroup
	PayloadAllocLane   // as PayloadAlloc, one array for each active lane
	PayloadEnqueue     // a I64 handle
	PayloadFinish      // a I64 handle -> Bool: all workgroups of the payload have done so
	RemainingRecursion // I32
	ShaderIndex        // I32
	MeshGroup          // I32: number of the workgroup among those of its mesh node

	// Fragment shaders: inputs of a wave of quads, see Fragments.
	FragCoord      // F32: Imm-th component of the pixel's position: x, y, z, 1/w
	Barycentric    // F32: a weight, see Fragments.Weights; Imm is a WeightImm
	BarycentricAt  // F32: Imm-th weight at a, b F32 from the pixel's centre, in pixels
	SampleOffset   // F32: x (Imm 0) or y (1) of sample a I32 from the pixel's centre, in pixels
	SampleIndex    // I32: the sample that the lane shades alone, 0 when it shades a pixel
	SampleCover    // I32: mask of the samples that the lane shades
	PointCoord     // F32: Imm-th coordinate in the point, 0 in other primitives
	FrontFacing    // Bool
	HelperLane     // Bool: a helper from the start
	PrimitiveIndex // I32
	InterpFlat     // an input component at a corner, Imm a CornerImm; T any 32-bit type
	InterpP1       // a F32 weight of the second corner: Imm-th input component so far
	InterpP2       // a F32 weight of the third corner, b F32 the result of InterpP1
	IsHelper       // Bool: the lane is a helper now
	Demote         // the active lanes become helpers

	// Control flow of the lowered program. Masks are I64 words in scalar
	// registers.
	Branch       // to Target
	BranchTrue   // a: uniform Bool
	BranchFalse  // a: uniform Bool
	BranchExecZ  // when no lane is active
	BranchExecNZ // when a lane is active
	MaskZero     // Dst = 0
	MaskSplit    // Dst |= exec &^ a; exec &= a (a: lane mask). Imm 1 inverts a: Dst |= exec & a; exec &^= a
	MaskPark     // Dst |= exec; exec = 0
	MaskJoin     // exec |= a; a's register = 0 (Dst is the same register)
	MaskKill     // exec = 0; the lanes have ended
	End          // the wave ends

	// A timing-only micro-operation: the other steps of an operation that the
	// timing table expands. Writes nothing; the following step depends on it.
	Micro

	NumOps
)

// A Type is the type of one lane's value.
type Type uint8

// Types. Integers have no sign: operations do.
const (
	Void Type = iota
	Bool
	I8
	I16
	I32
	I64
	F16
	F32
	F64
	BF16 // bfloat16
	E4M3 // 8-bit floats
	E5M2
)

var typeNames = [...]string{"void", "bool", "i8", "i16", "i32", "i64", "f16", "f32", "f64", "bf16", "e4m3", "e5m2"}

func (t Type) String() string { return typeNames[t] }

var typeBits = [...]uint{0, 1, 8, 16, 32, 64, 16, 32, 64, 16, 8, 8}

// Bits returns the width of a value in bits (1 for Bool, 0 for Void).
func (t Type) Bits() uint { return typeBits[t] }

// IsFloat reports a floating-point type.
func (t Type) IsFloat() bool { return t >= F16 }

// IsInt reports an integer type.
func (t Type) IsInt() bool { return t >= I8 && t <= I64 }

// Rows returns the number of 32-bit vector register rows that a lane value of this
// type occupies: two for 64-bit types, one for narrower ones, none for Bool
// (lane masks live in scalar registers).
func (t Type) Rows() int {
	switch {
	case t.Bits() == 64:
		return 2
	case t.Bits() >= 8:
		return 1
	}
	return 0
}

// Mask has the low Bits() bits set.
func (t Type) Mask() uint64 {
	if t.Bits() == 64 {
		return ^uint64(0)
	}
	return 1<<t.Bits() - 1
}

// IntType returns the integer type of the given width in bits.
func IntType(bits uint) Type {
	switch bits {
	case 8:
		return I8
	case 16:
		return I16
	case 64:
		return I64
	}
	return I32
}

// FloatType returns the floating-point type of the given width in bits.
func FloatType(bits uint) Type {
	switch bits {
	case 16:
		return F16
	case 64:
		return F64
	}
	return F32
}

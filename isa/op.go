package isa

import "spvsim/spirv"

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

	endValues
)

var valuesRows = []Row{
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
}

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

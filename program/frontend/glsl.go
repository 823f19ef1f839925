package frontend

import (
	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/spirv"
	"spvsim/spirv/validate"
)

// trinaryMinMax has a row for each instruction of SPV_AMD_shader_trinary_minmax.
var trinaryMinMax = map[spirv.AMDShaderTrinaryMinmax]func(b *maths){
	spirv.AMDShaderTrinaryMinmaxFMin3AMD: plainExt(isa.FMin3, 3),
	spirv.AMDShaderTrinaryMinmaxUMin3AMD: plainExt(isa.UMin3, 3),
	spirv.AMDShaderTrinaryMinmaxSMin3AMD: plainExt(isa.SMin3, 3),
	spirv.AMDShaderTrinaryMinmaxFMax3AMD: plainExt(isa.FMax3, 3),
	spirv.AMDShaderTrinaryMinmaxUMax3AMD: plainExt(isa.UMax3, 3),
	spirv.AMDShaderTrinaryMinmaxSMax3AMD: plainExt(isa.SMax3, 3),
	spirv.AMDShaderTrinaryMinmaxFMid3AMD: plainExt(isa.FMid3, 3),
	spirv.AMDShaderTrinaryMinmaxUMid3AMD: plainExt(isa.UMid3, 3),
	spirv.AMDShaderTrinaryMinmaxSMid3AMD: plainExt(isa.SMid3, 3),
}

// x returns the i-th operand of the extended instruction, as leaves.
func (b *maths) x(i int) []*ir.Value { return b.leaves(b.arg(2 + i)) }

// ext computes the result component by component from n operands.
func (b *maths) ext(n int, f func(t isa.Type, a []*ir.Value) *ir.Value) {
	operands := make([][]*ir.Value, n)
	for i := range operands {
		operands[i] = b.x(i)
	}
	t := b.comp(b.resultType())
	b.set(b.zip(operands, func(a []*ir.Value) *ir.Value { return f(t, a) })...)
}

// plainExt translates to an operation of isa on n operands, applied to each component.
func plainExt(op isa.Op, n int) func(b *maths) {
	return func(b *maths) {
		b.ext(n, func(t isa.Type, a []*ir.Value) *ir.Value { return b.op(op, t, append([]*ir.Value(nil), a...)...) })
	}
}

// clamp translates to min(max(x, low), high).
func clamp(low, high isa.Op) func(b *maths) {
	return func(b *maths) {
		b.ext(3, func(t isa.Type, a []*ir.Value) *ir.Value { return b.op(high, t, b.op(low, t, a[0], a[1]), a[2]) })
	}
}

// expand translates to a component-wise expansion of n operands.
func expand(n int, f func(b *maths, t isa.Type, a []*ir.Value) *ir.Value) func(b *maths) {
	return func(b *maths) {
		b.ext(n, func(t isa.Type, a []*ir.Value) *ir.Value { return f(b, t, a) })
	}
}

// findBit translates to an operation with a 32-bit result for sources of any width.
func findBit(op isa.Op) func(b *maths) {
	return func(b *maths) {
		b.ext(1, func(t isa.Type, a []*ir.Value) *ir.Value {
			v := b.op(op, a[0].R, a[0])
			if v.R == t {
				return v
			}
			return b.conv(isa.SConvert, v.R, t, v) // -1 stays -1
		})
	}
}

func glslScalar() map[spirv.GLSLstd450]func(b *maths) {
	return map[spirv.GLSLstd450]func(b *maths){
		spirv.GLSLstd450Round:       plainExt(isa.Round, 1),
		spirv.GLSLstd450RoundEven:   plainExt(isa.RoundEven, 1),
		spirv.GLSLstd450Trunc:       plainExt(isa.Trunc, 1),
		spirv.GLSLstd450FAbs:        plainExt(isa.FAbs, 1),
		spirv.GLSLstd450SAbs:        plainExt(isa.SAbs, 1),
		spirv.GLSLstd450FSign:       plainExt(isa.FSign, 1),
		spirv.GLSLstd450SSign:       plainExt(isa.SSign, 1),
		spirv.GLSLstd450Floor:       plainExt(isa.Floor, 1),
		spirv.GLSLstd450Ceil:        plainExt(isa.Ceil, 1),
		spirv.GLSLstd450Fract:       plainExt(isa.Fract, 1),
		spirv.GLSLstd450Radians:     expand(1, scaleBy(0.017453292519943295)),
		spirv.GLSLstd450Degrees:     expand(1, scaleBy(57.29577951308232)),
		spirv.GLSLstd450Sin:         plainExt(isa.Sin, 1),
		spirv.GLSLstd450Cos:         plainExt(isa.Cos, 1),
		spirv.GLSLstd450Tan:         plainExt(isa.Tan, 1),
		spirv.GLSLstd450Asin:        plainExt(isa.Asin, 1),
		spirv.GLSLstd450Acos:        plainExt(isa.Acos, 1),
		spirv.GLSLstd450Atan:        plainExt(isa.Atan, 1),
		spirv.GLSLstd450Sinh:        plainExt(isa.Sinh, 1),
		spirv.GLSLstd450Cosh:        plainExt(isa.Cosh, 1),
		spirv.GLSLstd450Tanh:        plainExt(isa.Tanh, 1),
		spirv.GLSLstd450Asinh:       plainExt(isa.Asinh, 1),
		spirv.GLSLstd450Acosh:       plainExt(isa.Acosh, 1),
		spirv.GLSLstd450Atanh:       plainExt(isa.Atanh, 1),
		spirv.GLSLstd450Atan2:       plainExt(isa.Atan2, 2),
		spirv.GLSLstd450Pow:         plainExt(isa.Pow, 2),
		spirv.GLSLstd450Exp:         plainExt(isa.Exp, 1),
		spirv.GLSLstd450Log:         plainExt(isa.Log, 1),
		spirv.GLSLstd450Exp2:        plainExt(isa.Exp2, 1),
		spirv.GLSLstd450Log2:        plainExt(isa.Log2, 1),
		spirv.GLSLstd450Sqrt:        plainExt(isa.Sqrt, 1),
		spirv.GLSLstd450InverseSqrt: plainExt(isa.Rsq, 1),

		spirv.GLSLstd450Determinant:   func(b *maths) { b.set(b.determinant(b.matrix(b.arg(2)))) },
		spirv.GLSLstd450MatrixInverse: (*maths).inverse,
		spirv.GLSLstd450ModfStruct:    (*maths).modfStruct,
		spirv.GLSLstd450FrexpStruct:   (*maths).frexpStruct,
		spirv.GLSLstd450Ldexp:         (*maths).ldexp,
	}
}

func glslVector() map[spirv.GLSLstd450]func(b *maths) {
	return map[spirv.GLSLstd450]func(b *maths){
		spirv.GLSLstd450FMin:       plainExt(isa.FMin, 2),
		spirv.GLSLstd450UMin:       plainExt(isa.UMin, 2),
		spirv.GLSLstd450SMin:       plainExt(isa.SMin, 2),
		spirv.GLSLstd450FMax:       plainExt(isa.FMax, 2),
		spirv.GLSLstd450UMax:       plainExt(isa.UMax, 2),
		spirv.GLSLstd450SMax:       plainExt(isa.SMax, 2),
		spirv.GLSLstd450FClamp:     clamp(isa.FMax, isa.FMin),
		spirv.GLSLstd450UClamp:     clamp(isa.UMax, isa.UMin),
		spirv.GLSLstd450SClamp:     clamp(isa.SMax, isa.SMin),
		spirv.GLSLstd450NMin:       plainExt(isa.FMin, 2),
		spirv.GLSLstd450NMax:       plainExt(isa.FMax, 2),
		spirv.GLSLstd450NClamp:     clamp(isa.FMax, isa.FMin),
		spirv.GLSLstd450FMix:       expand(3, mix),
		spirv.GLSLstd450Step:       expand(2, step),
		spirv.GLSLstd450SmoothStep: expand(3, smoothStep),
		spirv.GLSLstd450Fma:        plainExt(isa.Fma, 3),

		spirv.GLSLstd450PackSnorm4x8:     func(b *maths) { b.packNorm(8, true) },
		spirv.GLSLstd450PackUnorm4x8:     func(b *maths) { b.packNorm(8, false) },
		spirv.GLSLstd450PackSnorm2x16:    func(b *maths) { b.packNorm(16, true) },
		spirv.GLSLstd450PackUnorm2x16:    func(b *maths) { b.packNorm(16, false) },
		spirv.GLSLstd450UnpackSnorm4x8:   func(b *maths) { b.unpackNorm(8, true) },
		spirv.GLSLstd450UnpackUnorm4x8:   func(b *maths) { b.unpackNorm(8, false) },
		spirv.GLSLstd450UnpackSnorm2x16:  func(b *maths) { b.unpackNorm(16, true) },
		spirv.GLSLstd450UnpackUnorm2x16:  func(b *maths) { b.unpackNorm(16, false) },
		spirv.GLSLstd450PackHalf2x16:     (*maths).packHalf,
		spirv.GLSLstd450UnpackHalf2x16:   (*maths).unpackHalf,
		spirv.GLSLstd450PackDouble2x32:   func(b *maths) { b.set(b.recast(b.x(0), leafList{isa.F64})...) },
		spirv.GLSLstd450UnpackDouble2x32: func(b *maths) { b.set(b.recast(b.x(0), leafList{isa.I32, isa.I32})...) },

		spirv.GLSLstd450Length:      func(b *maths) { b.set(b.length(b.x(0))) },
		spirv.GLSLstd450Distance:    func(b *maths) { b.set(b.length(b.combine(isa.FSub, b.x(0), b.x(1)))) },
		spirv.GLSLstd450Cross:       (*maths).cross,
		spirv.GLSLstd450Normalize:   (*maths).normalize,
		spirv.GLSLstd450FaceForward: (*maths).faceForward,
		spirv.GLSLstd450Reflect:     (*maths).reflect,
		spirv.GLSLstd450Refract:     (*maths).refract,

		spirv.GLSLstd450FindILsb: findBit(isa.FindILsb),
		spirv.GLSLstd450FindSMsb: findBit(isa.FindSMsb),
		spirv.GLSLstd450FindUMsb: findBit(isa.FindUMsb),
	}
}

func (b *maths) modfStruct() {
	x := b.x(0)
	whole := b.apply(isa.Trunc, x)
	b.set(append(b.combine(isa.FSub, x, whole), whole...)...)
}

// exponents returns the results of FrexpExp, converted to the integer type want.
func (b *maths) exponents(x []*ir.Value, want isa.Type) []*ir.Value {
	out := make([]*ir.Value, len(x))
	for i, v := range x {
		out[i] = b.emit(isa.FrexpExp, v.R, isa.I32, v)
		if want != isa.I32 {
			out[i] = b.conv(isa.SConvert, isa.I32, want, out[i])
		}
	}
	return out
}

func (b *maths) frexpStruct() {
	x, t := b.x(0), b.resultType()
	if t.Kind != validate.KindStruct || len(t.Members) != 2 {
		b.invalid("the result is not a structure of two members")
	}
	b.set(append(b.apply(isa.FrexpMant, x), b.exponents(x, b.comp(t.Members[1]))...)...)
}

// farExponent exceeds any exponent with an effect: the smallest and the largest double differ by less than 2200
// doublings.
const farExponent = 1 << 14

func (b *maths) ldexp() {
	b.ext(2, func(t isa.Type, a []*ir.Value) *ir.Value {
		e := a[1]
		if e.R == isa.I64 { // narrow to 32 bits, keeping sign and magnitude
			e = b.op(isa.SMin, e.R, e, b.constant(e.R, farExponent))
			e = b.op(isa.SMax, e.R, e, b.constant(e.R, -farExponent&(1<<64-1)))
		}
		if e.R != isa.I32 {
			e = b.conv(isa.SConvert, e.R, isa.I32, e)
		}
		return b.op(isa.Ldexp, t, a[0], e)
	})
}

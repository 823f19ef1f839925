package validate

import "spvsim/spirv"

// glslRules has a row for each instruction of GLSL.std.450 whose types need a rule beyond its signature.
var glslRules map[spirv.GLSLstd450]func(v *valueCheck, o []uint32)

func init() {
	glslRules = map[spirv.GLSLstd450]func(v *valueCheck, o []uint32){
		spirv.GLSLstd450FindUMsb: (*valueCheck).findsBit, spirv.GLSLstd450FindSMsb: (*valueCheck).findsBit,
		spirv.GLSLstd450Determinant: (*valueCheck).determinant, spirv.GLSLstd450MatrixInverse: (*valueCheck).inverse,
		spirv.GLSLstd450Length: (*valueCheck).dot, spirv.GLSLstd450Distance: (*valueCheck).dot,
		spirv.GLSLstd450Modf: (*valueCheck).modf, spirv.GLSLstd450Frexp: (*valueCheck).frexp,
		spirv.GLSLstd450ModfStruct: (*valueCheck).modfStruct, spirv.GLSLstd450FrexpStruct: (*valueCheck).frexpStruct,
		spirv.GLSLstd450PackDouble2x32: (*valueCheck).packDouble, spirv.GLSLstd450UnpackDouble2x32: (*valueCheck).unpackDouble,
		spirv.GLSLstd450InterpolateAtCentroid: (*valueCheck).interpolate, spirv.GLSLstd450InterpolateAtSample: (*valueCheck).interpolate,
		spirv.GLSLstd450InterpolateAtOffset: (*valueCheck).interpolateOffset,
		spirv.GLSLstd450Refract:             (*valueCheck).refractRatio,
	}
}

func (v *valueCheck) findsBit(o []uint32) {
	if t := v.operandType(0, o[0]); t != nil && t.width() != 32 {
		v.fault("operand 0: %%%d is %s: want 32-bit integers", o[0], v.m.typeText(t))
	}
}

func (t *Type) square() bool { return t.Kind == KindMatrix && t.Count == t.Elem.Count }

func (v *valueCheck) determinant(o []uint32) {
	if t := v.operandType(0, o[0]); t != nil && (!t.square() || t.Component() != v.result()) {
		v.fault("operand 0: %%%d is %s: want a square matrix of the result's type", o[0], v.m.typeText(t))
	}
}

func (v *valueCheck) inverse([]uint32) {
	if t := v.result(); !t.square() {
		v.fault("result type %s: want a square matrix", v.m.typeText(t))
	}
}

// pointee returns the pointee type of a pointer operand, or nil.
func (v *valueCheck) pointee(n int, id uint32) *Type {
	if t := v.operandType(n, id); t != nil && t.Kind == KindPointer {
		return t.Elem
	}
	return nil
}

func (v *valueCheck) modf(o []uint32) {
	if t := v.pointee(1, o[1]); t != nil && t != v.result() {
		v.fault("operand 1: %%%d points to %s: want the result's type", o[1], v.m.typeText(t))
	}
}

// exponents reports 32-bit integers, as many as a type has components; 16-bit ones too with SPV_AMD_gpu_shader_int16.
func (v *valueCheck) exponents(t, of *Type) bool {
	narrow := t.width() == 16 && v.m.Extensions["SPV_AMD_gpu_shader_int16"]
	return t.is('i') && (t.width() == 32 || narrow) && t.components() == of.components()
}

func (v *valueCheck) frexp(o []uint32) {
	if t := v.pointee(1, o[1]); t != nil && !v.exponents(t, v.result()) {
		v.fault("operand 1: %%%d points to %s: want as many 32-bit integers as the result has components", o[1], v.m.typeText(t))
	}
}

// pairOf tests an operand of floats and a result of two members, the first of
// the operand's type.
func (v *valueCheck) pairOf(o []uint32, second func(t, first *Type) bool, text string) {
	t, x := v.result(), v.operandType(0, o[0])
	if x == nil {
		return
	}
	if t.Kind != KindStruct || len(t.Members) != 2 || !t.Members[0].is('f') || !second(t.Members[1], t.Members[0]) {
		v.fault("result type %s: want a structure of floats and %s", v.m.typeText(t), text)
	} else if x != t.Members[0] {
		v.fault("operand 0: %%%d is %s: want the type of the result's first member", o[0], v.m.typeText(x))
	}
}

func (v *valueCheck) modfStruct(o []uint32) {
	v.pairOf(o, func(t, first *Type) bool { return t == first }, "the same again")
}

func (v *valueCheck) frexpStruct(o []uint32) { v.pairOf(o, v.exponents, "as many 32-bit integers") }

// twoWords reports a vector of two 32-bit integers.
func twoWords(t *Type) bool {
	return t.Kind == KindVector && t.Count == 2 && t.is('i') && t.width() == 32
}

func (v *valueCheck) packDouble(o []uint32) {
	if t := v.result(); !t.is('F') || t.Width != 64 {
		v.fault("result type %s: want float64", v.m.typeText(t))
	} else if a := v.operandType(0, o[0]); a != nil && !twoWords(a) {
		v.fault("operand 0: %%%d is %s: want a vector of 2 32-bit integers", o[0], v.m.typeText(a))
	}
}

func (v *valueCheck) unpackDouble(o []uint32) {
	if t := v.result(); !twoWords(t) {
		v.fault("result type %s: want a vector of 2 32-bit integers", v.m.typeText(t))
	} else if a := v.operandType(0, o[0]); a != nil && (!a.is('F') || a.Width != 64) {
		v.fault("operand 0: %%%d is %s: want float64", o[0], v.m.typeText(a))
	}
}

// interpolate requires 32-bit floats; SPV_AMD_gpu_shader_half_float adds 16-bit ones.
func (v *valueCheck) interpolate(o []uint32) {
	t, p := v.result(), v.operandType(0, o[0])
	if w := t.width(); w != 32 && !(w == 16 && v.m.Extensions["SPV_AMD_gpu_shader_half_float"]) {
		v.fault("result type %s: want 32-bit floats", v.m.typeText(t))
		return
	}
	if p != nil && p.Kind == KindPointer && (p.Elem != t || p.Storage != spirv.StorageClassInput) {
		v.fault("operand 0: %%%d points to %s in %s: want the result's type in Input", o[0], v.m.typeText(p.Elem), p.Storage)
	}
}

func (v *valueCheck) interpolateOffset(o []uint32) {
	v.interpolate(o)
	if t := v.operandType(1, o[1]); t != nil && !floats(t, 2) {
		v.fault("operand 1: %%%d is %s: want a vector of 2 float32", o[1], v.m.typeText(t))
	}
}

// refractRatio: the ratio may be of any width, and the compiler takes that of the vectors.
func (v *valueCheck) refractRatio(o []uint32) {
	if t := v.operandType(2, o[2]); t != nil && t != v.result().Component() {
		v.r.unsupported(v.in, "types", "operand 2: %%%d is %s: only the component type of the result is supported", o[2], v.m.typeText(t))
	}
}

package validate

import (
	"strings"

	"spvsim/spirv"
)

const glslSet = "GLSL.std.450"

// glslSignatures has a row for each instruction of GLSL.std.450 whose types follow one pattern, as in signatures.
var glslSignatures = glslRows(map[string]string{
	"f: =f": "Round RoundEven Trunc FAbs FSign Floor Ceil Fract Radians Degrees Sin Cos Tan Asin Acos Atan Sinh Cosh Tanh Asinh " +
		"Acosh Atanh Exp Log Exp2 Log2 Sqrt InverseSqrt Normalize",
	"f: =f =f":    "Atan2 Pow FMin FMax NMin NMax Step Reflect",
	"f: =f =f =f": "FClamp NClamp FMix SmoothStep Fma FaceForward",
	"f: =f =f F":  "Refract",
	"i: ~i":       "SAbs SSign FindILsb FindSMsb FindUMsb",
	"i: ~i ~i":    "UMin SMin UMax SMax",
	"i: ~i ~i ~i": "UClamp SClamp",
	"F: f":        "Length",
	"F: f 1f":     "Distance",
	"V: =V =V":    "Cross",
	"F: M":        "Determinant",
	"M: =M":       "MatrixInverse",
	"f: =f #i":    "Ldexp",
	"f: =f P":     "Modf Frexp",
	"t: f":        "PackSnorm4x8 PackUnorm4x8 PackSnorm2x16 PackUnorm2x16 PackHalf2x16",
	"V: t":        "UnpackSnorm4x8 UnpackUnorm4x8 UnpackSnorm2x16 UnpackUnorm2x16 UnpackHalf2x16",
	"f: P":        "InterpolateAtCentroid",
	"f: P t":      "InterpolateAtSample",
	"f: P V":      "InterpolateAtOffset",
})

func glslRows(rows map[string]string) map[string]signature {
	m := map[string]signature{}
	for text, names := range rows {
		result, rest, _ := strings.Cut(text, ":")
		s := signature{result: parseTerm(result)}
		for _, w := range strings.Fields(rest) {
			s.operands = append(s.operands, parseTerm(w))
		}
		for _, name := range strings.Fields(names) {
			m[name] = s
		}
	}
	return m
}

// extended tests the types of an instruction of GLSL.std.450.
func (v *valueCheck) extended(o []uint32) {
	if v.m.imports[spirv.ID(o[0])] != glslSet {
		return
	}
	if s, ok := glslSignatures[spirv.GLSLstd450(o[1]).String()]; ok {
		v.signature(spirv.OpExtInst, s, o[2:])
	}
	if rule := glslRules[spirv.GLSLstd450(o[1])]; rule != nil {
		rule(v, o[2:])
	}
}

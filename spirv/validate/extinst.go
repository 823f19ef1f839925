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

// openCLSignatures is the same for OpenCL.std. Instructions on memory, and shuffle, have rules of their own.
var openCLSignatures = glslRows(map[string]string{
	"f: =f": "acos acosh acospi asin asinh asinpi atan atanh atanpi cbrt ceil cos cosh cospi erfc erf exp exp2 exp10 expm1 fabs floor lgamma log " +
		"log2 log10 log1p logb rint round rsqrt sin sinh sinpi sqrt tan tanh tanpi tgamma trunc half_cos half_exp half_exp2 half_exp10 half_log " +
		"half_log2 half_log10 half_recip half_rsqrt half_sin half_sqrt half_tan native_cos native_exp native_exp2 native_exp10 native_log native_log2 " +
		"native_log10 native_recip native_rsqrt native_sin native_sqrt native_tan degrees radians sign normalize fast_normalize",
	"f: =f =f": "atan2 atan2pi copysign fdim fmax fmin fmod hypot maxmag minmag nextafter pow powr remainder half_divide half_powr native_divide " +
		"native_powr fmax_common fmin_common step",
	"f: =f =f =f": "fma mad fclamp mix smoothstep",
	"f: =f P":     "fract frexp lgamma_r modf sincos",
	"f: =f =f P":  "remquo",
	"f: =f #i":    "ldexp pown rootn",
	"f: ~i":       "nan",
	"i: #f":       "ilogb",
	"F: f":        "length fast_length",
	"F: f 1f":     "distance fast_distance",
	"V: =V =V":    "cross",
	"i: =i":       "s_abs u_abs clz ctz popcount",
	"i: =i =i": "s_abs_diff u_abs_diff s_add_sat u_add_sat s_hadd u_hadd s_rhadd u_rhadd s_max u_max s_min u_min s_mul_hi u_mul_hi rotate s_sub_sat u_sub_sat " +
		"s_mul24 u_mul24",
	"i: =i =i =i": "s_clamp u_clamp s_mad_hi u_mad_hi u_mad_sat s_mad_sat s_mad24 u_mad24",
	"i: #i #i":    "u_upsample s_upsample",
	"n: =n =n =n": "bitselect",
	"n: =n =n #i": "select",
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

// extended tests the types of an instruction of GLSL.std.450 or of OpenCL.std.
func (v *valueCheck) extended(o []uint32) {
	if v.m.imports[spirv.ID(o[0])] == "OpenCL.std" {
		if s, ok := openCLSignatures[spirv.OpenCLstd(o[1]).String()]; ok {
			v.signature(spirv.OpExtInst, s, o[2:])
		}
		return
	}
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

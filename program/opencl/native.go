package opencl

import (
	"math"

	"spvsim/isa"
	"spvsim/spirv"
)

// nativeRows has the forms whose precision is the machine's, and those with an error of up to 8192 ULP, which AMD's device
// libraries compute likewise.
var nativeRows = map[spirv.OpenCLstd]Row{
	spirv.OpenCLstdHalfCos:    instruction(isa.Cos),
	spirv.OpenCLstdHalfDivide: binary(code.roughQuotient),
	spirv.OpenCLstdHalfExp:    unary(roughPower(math.Log2E)),
	spirv.OpenCLstdHalfExp2:   instruction(isa.Exp2),
	spirv.OpenCLstdHalfExp10:  unary(roughPower(math.Ln10 * math.Log2E)),
	spirv.OpenCLstdHalfLog:    unary(roughLog(math.Ln2)),
	spirv.OpenCLstdHalfLog2:   instruction(isa.Log2),
	spirv.OpenCLstdHalfLog10:  unary(roughLog(math.Ln2 / math.Ln10)),
	spirv.OpenCLstdHalfPowr:   binary(code.roughPowr),
	spirv.OpenCLstdHalfRecip:  instruction(isa.Rcp),
	spirv.OpenCLstdHalfRsqrt:  instruction(isa.Rsq),
	spirv.OpenCLstdHalfSin:    instruction(isa.Sin),
	spirv.OpenCLstdHalfSqrt:   instruction(isa.Sqrt),
	spirv.OpenCLstdHalfTan:    unary(code.roughTangent),

	spirv.OpenCLstdNativeCos:    instruction(isa.Cos),
	spirv.OpenCLstdNativeDivide: binary(code.roughQuotient),
	spirv.OpenCLstdNativeExp:    unary(roughPower(math.Log2E)),
	spirv.OpenCLstdNativeExp2:   instruction(isa.Exp2),
	spirv.OpenCLstdNativeExp10:  unary(roughPower(math.Ln10 * math.Log2E)),
	spirv.OpenCLstdNativeLog:    unary(roughLog(math.Ln2)),
	spirv.OpenCLstdNativeLog2:   instruction(isa.Log2),
	spirv.OpenCLstdNativeLog10:  unary(roughLog(math.Ln2 / math.Ln10)),
	spirv.OpenCLstdNativePowr:   binary(code.roughPowr),
	spirv.OpenCLstdNativeRecip:  instruction(isa.Rcp),
	spirv.OpenCLstdNativeRsqrt:  instruction(isa.Rsq),
	spirv.OpenCLstdNativeSin:    instruction(isa.Sin),
	spirv.OpenCLstdNativeSqrt:   instruction(isa.Sqrt),
	spirv.OpenCLstdNativeTan:    unary(code.roughTangent),
}

// instruction is the row of an instruction of the machine.
func instruction(op isa.Op) Row { return unary(func(c code, x value) value { return c.native(op, x) }) }

func (c code) roughQuotient(x, y value) value { return c.mul(x, c.native(isa.Rcp, y)) }

func roughPower(log2OfBase float64) func(c code, x value) value {
	return func(c code, x value) value { return c.native(isa.Exp2, c.times(x, log2OfBase)) }
}

func roughLog(log2 float64) func(c code, x value) value {
	return func(c code, x value) value { return c.times(c.native(isa.Log2, x), log2) }
}

func (c code) roughPowr(x, y value) value {
	return c.native(isa.Exp2, c.mul(y, c.native(isa.Log2, x)))
}

func (c code) roughTangent(x value) value {
	return c.roughQuotient(c.native(isa.Sin, x), c.native(isa.Cos, x))
}

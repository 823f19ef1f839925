package opencl

import (
	"math"

	"spvsim/isa"
	"spvsim/spirv"
)

// commonRows has the instructions that need no approximation.
var commonRows = map[spirv.OpenCLstd]Row{
	spirv.OpenCLstdFabs:       plain(isa.FAbs),
	spirv.OpenCLstdCeil:       plain(isa.Ceil),
	spirv.OpenCLstdFloor:      plain(isa.Floor),
	spirv.OpenCLstdTrunc:      plain(isa.Trunc),
	spirv.OpenCLstdRound:      plain(isa.Round),
	spirv.OpenCLstdRint:       plain(isa.RoundEven),
	spirv.OpenCLstdFma:        plain(isa.Fma),
	spirv.OpenCLstdMad:        plain(isa.Fma),
	spirv.OpenCLstdFmin:       plain(isa.FMin),
	spirv.OpenCLstdFmax:       plain(isa.FMax),
	spirv.OpenCLstdFminCommon: plain(isa.FMin),
	spirv.OpenCLstdFmaxCommon: plain(isa.FMax),
	spirv.OpenCLstdFclamp:     clamp(isa.FMax, isa.FMin),
	spirv.OpenCLstdFmod:       plain(isa.FRem),
	spirv.OpenCLstdLdexp:      plain(isa.Ldexp),
	spirv.OpenCLstdCopysign:   binary(code.copySign),
	spirv.OpenCLstdFdim:       binary(code.difference),
	spirv.OpenCLstdMaxmag:     binary(func(c code, x, y value) value { return c.byMagnitude(isa.FMax, x, y) }),
	spirv.OpenCLstdMinmag:     binary(func(c code, x, y value) value { return c.byMagnitude(isa.FMin, x, y) }),
	spirv.OpenCLstdNan:        unary(code.quietNaN),
	spirv.OpenCLstdNextafter:  binary(code.next),
	spirv.OpenCLstdIlogb:      unary(code.exponent),
	spirv.OpenCLstdLogb:       unary(code.floatExponent),
	spirv.OpenCLstdFrexp:      {Operands: 1, Pointers: 1, scalar: code.frexp},
	spirv.OpenCLstdModf:       {Operands: 1, Pointers: 1, scalar: code.modf},
	spirv.OpenCLstdFract:      {Operands: 1, Pointers: 1, scalar: code.fract},
	spirv.OpenCLstdRemainder:  binary(func(c code, x, y value) value { return c.remainder(x, y)[0] }),
	spirv.OpenCLstdRemquo:     {Operands: 2, Pointers: 1, scalar: func(c code, x []value) []value { return c.remainder(x[0], x[1]) }},

	spirv.OpenCLstdDegrees:    unary(func(c code, x value) value { return c.times(x, 180/math.Pi) }),
	spirv.OpenCLstdRadians:    unary(func(c code, x value) value { return c.times(x, math.Pi/180) }),
	spirv.OpenCLstdMix:        ternary(func(c code, x, y, a value) value { return c.fma(c.sub(y, x), a, x) }),
	spirv.OpenCLstdStep:       binary(func(c code, edge, x value) value { return c.choose(c.less(x, edge), c.f(0), c.f(1)) }),
	spirv.OpenCLstdSmoothstep: ternary(code.smoothStep),
	spirv.OpenCLstdSign:       unary(func(c code, x value) value { return c.choose(c.is(x, 0), x, c.op(isa.FSign, x)) }),
}

// difference is x-y, or 0 if that is negative.
func (c code) difference(x, y value) value {
	return c.choose(c.lessEqual(x, y), c.f(0), c.sub(x, y))
}

// byMagnitude returns the operand of the larger or smaller magnitude, and fmax or fmin of equal ones.
func (c code) byMagnitude(op isa.Op, x, y value) value {
	a, b := c.abs(x), c.abs(y)
	if op == isa.FMin {
		a, b = b, a
	}
	return c.choose(c.less(b, a), x, c.choose(c.less(a, b), y, c.op(op, x, y)))
}

// mantissaBits holds the bits of a significand, the leading one not counted.
var mantissaBits = map[isa.Type]uint{isa.F16: 10, isa.F32: 23, isa.F64: 52}

func (c code) quietNaN(payload value) value {
	wide := code{c.Emitter, c.result, c.result}
	bits := mantissaBits[c.result]
	payload = wide.emit(isa.And, payload.R, payload, wide.n(1<<bits-1))
	return wide.bits(c.result, wide.emit(isa.Or, payload.R, payload, wide.n(isa.FloatBits(c.result, math.Inf(1))|1<<(bits-1))))
}

// next steps from x by one float towards y. The bits of floats of one sign are in the order of their magnitudes.
func (c code) next(x, y value) value {
	t := c.integerType()
	bits := c.integer(x)
	away := c.xor(c.less(x, y), c.negative(x)) // from zero
	step := c.emit(isa.IAdd, t, bits, c.choose(away, c.n(1), c.n(t.Mask())))
	least := c.emit(isa.Or, t, c.emit(isa.And, t, c.integer(y), c.signBit()), c.n(1))
	r := c.bits(c.t, c.choose(c.is(x, 0), least, step))
	r = c.choose(c.equal(x, y), y, r)
	return c.withNaN(c.withNaN(r, y), x)
}

// exponent returns the exponent of x as an integer: that of 0 is the least integer (FP_ILOGB0), and that of infinity and
// of NaN the greatest (FP_ILOGBNAN).
func (c code) exponent(x value) value {
	e := c.emit(isa.ISub, isa.I32, c.mantissaExponent(x), c.word(1))
	e = c.choose(c.is(x, 0), c.word(math.MinInt32), e)
	return c.choose(c.or(c.isNaN(x), c.isInf(x)), c.word(math.MaxInt32), e)
}

// mantissaExponent returns the exponent of x for a significand from 1/2 to 1.
func (c code) mantissaExponent(x value) value {
	v := c.Emit(isa.FrexpExp, c.t, isa.Void, 0, x)
	v.NoContract = true
	return v
}

func (c code) floatExponent(x value) value {
	e := c.convert(isa.SToF, c.t, c.emit(isa.ISub, isa.I32, c.mantissaExponent(x), c.word(1)))
	e = c.choose(c.is(x, 0), c.f(math.Inf(-1)), e)
	e = c.choose(c.isInf(x), c.infinity(), e)
	return c.withNaN(e, x)
}

func (c code) frexp(x []value) []value {
	return []value{c.op(isa.FrexpMant, x[0]), c.mantissaExponent(x[0])}
}

func (c code) modf(x []value) []value {
	whole := c.op(isa.Trunc, x[0])
	rest := c.choose(c.isInf(x[0]), c.f(0), c.sub(x[0], whole))
	return []value{c.withNaN(c.copySign(rest, x[0]), x[0]), whole}
}

// fract returns what floor takes away, which is less than 1.
func (c code) fract(x []value) []value {
	floor := c.op(isa.Floor, x[0])
	largest := isa.FloatOf(c.t, isa.FloatBits(c.t, 1)-1)
	rest := c.op(isa.FMin, c.sub(x[0], floor), c.f(largest))
	rest = c.choose(c.isInf(x[0]), c.f(0), rest)
	return []value{c.withNaN(c.choose(c.is(rest, 0), c.copySign(rest, x[0]), rest), x[0]), floor}
}

// remainder returns x - n*y, for the integer n that is nearest to x/y, and the sign and the lowest seven bits of n.
// Neither step rounds: after |x| modulo 128|y|, multiples of |y| are subtracted, the largest first.
func (c code) remainder(x, y value) []value {
	a, b := c.abs(x), c.abs(y)
	scaled := c.below(b, isa.FloatOf(c.t, isa.FloatBits(c.t, math.Inf(1))-1)/256)
	r := c.choose(scaled, c.op(isa.FRem, a, c.times(b, 128)), a)
	n := c.word(0)
	for bit := int64(64); bit >= 1; bit /= 2 {
		m := c.times(b, float64(bit))
		fits := c.lessEqual(m, r)
		r = c.choose(fits, c.sub(r, m), r)
		n = c.emit(isa.Or, isa.I32, n, c.choose(fits, c.word(bit), c.word(0)))
	}
	// One more if the rest is above half of y, or is half of it and n is odd.
	rest := c.sub(b, r)
	odd := c.compare(isa.INe, c.emit(isa.And, isa.I32, n, c.word(1)), c.word(0))
	up := c.or(c.less(rest, r), c.and(c.equal(rest, r), odd))
	up = c.and(up, c.not(c.isInf(b)))
	r = c.choose(up, c.neg(rest), r)
	n = c.emit(isa.And, isa.I32, c.emit(isa.IAdd, isa.I32, n, c.choose(up, c.word(1), c.word(0))), c.word(127))
	flip := c.negative(x)
	r = c.bits(c.t, c.emit(isa.Xor, c.integerType(), c.integer(r), c.emit(isa.And, c.integerType(), c.integer(x), c.signBit())))
	n = c.choose(c.xor(flip, c.negative(y)), c.emit(isa.INeg, isa.I32, n), n)
	undefined := c.or(c.or(c.isNaN(x), c.isNaN(y)), c.or(c.isInf(x), c.is(y, 0)))
	return []value{c.choose(undefined, c.nan(), r), c.choose(undefined, c.word(0), n)}
}

func (c code) smoothStep(low, high, x value) value {
	t := c.div(c.sub(x, low), c.sub(high, low))
	t = c.op(isa.FMin, c.op(isa.FMax, t, c.f(0)), c.f(1))
	return c.mul(c.mul(t, t), c.fma(c.f(-2), t, c.f(3)))
}

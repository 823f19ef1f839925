package opencl

import (
	"maps"
	"math"

	"spvsim/isa"
	"spvsim/spirv"
)

// approximated is a row whose results round: halves are computed in 32 bits.
func approximated(r Row) Row {
	r.viaFloat = true
	return r
}

func rounded(f func(c code, x value) value) Row {
	return approximated(unary(f))
}

// orOperation is an operation of isa for 32 bits, which has precise sequences, and a sequence for 64.
func orOperation(op isa.Op, wide func(c code, x value) value) func(c code, x value) value {
	return func(c code, x value) value {
		if c.t == isa.F32 {
			return c.op(op, x)
		}
		return wide(c, x)
	}
}

var mathRows = map[spirv.OpenCLstd]Row{
	spirv.OpenCLstdExp:   rounded(orOperation(isa.Exp, func(c code, x value) value { return c.exp(x, c.f(0)) })),
	spirv.OpenCLstdExp2:  rounded(orOperation(isa.Exp2, code.expOfTwo)),
	spirv.OpenCLstdExp10: rounded(code.expOfTen),
	spirv.OpenCLstdExpm1: rounded(code.expLessOne),
	spirv.OpenCLstdLog:   rounded(orOperation(isa.Log, func(c code, x value) value { return c.log(x, nil) })),
	spirv.OpenCLstdLog2:  rounded(orOperation(isa.Log2, func(c code, x value) value { return c.log(x, &log2OfE) })),
	spirv.OpenCLstdLog10: rounded(func(c code, x value) value { return c.log(x, &log10OfE) }),
	spirv.OpenCLstdLog1p: rounded(code.logOfOneMore),
	spirv.OpenCLstdPow: approximated(binary(func(c code, x, y value) value {
		if c.t == isa.F32 {
			return c.op(isa.Pow, x, y)
		}
		return c.pow(x, y)
	})),
	spirv.OpenCLstdPown:  approximated(binary(code.pown)),
	spirv.OpenCLstdPowr:  approximated(binary(code.powr)),
	spirv.OpenCLstdRootn: approximated(binary(code.rootn)),
	spirv.OpenCLstdSqrt:  rounded(code.sqrt),
	spirv.OpenCLstdRsqrt: rounded(func(c code, x value) value { return c.native(isa.Rsq, x) }),
	spirv.OpenCLstdCbrt:  rounded(code.cubeRoot),
	spirv.OpenCLstdHypot: approximated(binary(code.hypotenuse)),

	spirv.OpenCLstdSinh:  rounded(code.sinh),
	spirv.OpenCLstdCosh:  rounded(code.cosh),
	spirv.OpenCLstdTanh:  rounded(code.tanh),
	spirv.OpenCLstdAsinh: rounded(code.asinh),
	spirv.OpenCLstdAcosh: rounded(code.acosh),
	spirv.OpenCLstdAtanh: rounded(code.atanh),

	spirv.OpenCLstdErf:     rounded(code.erf),
	spirv.OpenCLstdErfc:    rounded(code.erfc),
	spirv.OpenCLstdTgamma:  rounded(code.gamma),
	spirv.OpenCLstdLgamma:  rounded(func(c code, x value) value { return c.logOfGamma(x)[0] }),
	spirv.OpenCLstdLgammaR: approximated(Row{Operands: 1, Pointers: 1, scalar: func(c code, x []value) []value { return c.logOfGamma(x[0]) }}),
}

func init() { maps.Copy(Rows, tableOf(circularRows)) }

// significand returns x as m*2^e with m from sqrt(1/2) to sqrt(2).
func (c code) significand(x value) (m, e value) {
	m, e = c.op(isa.FrexpMant, x), c.mantissaExponent(x)
	less := c.below(m, math.Sqrt2/2)
	m = c.mul(m, c.choose(less, c.f(2), c.f(1)))
	return m, c.emit(isa.ISub, isa.I32, e, c.choose(less, c.word(1), c.word(0)))
}

// splitUpper returns a constant as a number with few bits, whose products with exponents are exact, and the rest.
func (c code) splitUpper(x split) (upper, rest value) {
	bits := 16.0 // of a significand of 24
	if c.t == isa.F64 {
		bits = 40
	}
	scale := math.Ldexp(1, int(bits))
	u := math.Round(x[0]*scale) / scale
	return c.f(u), c.f(x[0] - u + x[1])
}

// logOfTwo returns the natural logarithm of x+rest, a positive number and a smaller one, in two floats: that of the
// exponent, and for the significand m, ln m = 2 artanh((m-1)/(m+1)).
func (c code) logOfTwo(x, rest value) (high, low value) {
	m, e := c.significand(x)
	rest = c.ldexp(rest, c.emit(isa.INeg, isa.I32, e))
	one := c.f(1)
	n, nRest := c.sum(c.sub(m, one), rest)
	d := c.add(m, one)
	dRest := c.add(c.sub(m, c.sub(d, one)), rest)
	r := c.native(isa.Rcp, d)
	if c.t == isa.F64 {
		r = c.div(one, d)
	}
	q := c.mul(n, r)
	left := c.add(c.fma(c.neg(q), dRest, c.fma(c.neg(q), d, n)), nRest)
	q, qRest := c.quickSum(q, c.mul(left, r))
	s := c.mul(q, q)
	t := c.mul(c.mul(q, s), c.fit(s, logarithm))
	exponent := c.convert(isa.SToF, c.t, e)
	upper, lower := c.splitUpper(logTwo)
	big, twice := c.mul(exponent, upper), c.add(q, q)
	high = c.add(big, twice)
	low = c.sub(twice, c.sub(high, big))
	return c.quickSum(high, c.add(low, c.fma(exponent, lower, c.fma(qRest, c.f(2), t))))
}

// logCases replaces the logarithm where x is no positive finite number.
func (c code) logCases(r, x value) value {
	r = c.choose(c.is(x, 0), c.f(math.Inf(-1)), r)
	r = c.choose(c.equal(x, c.infinity()), x, r)
	r = c.choose(c.below(x, 0), c.nan(), r)
	return c.withNaN(r, x)
}

// log returns the natural logarithm, or that times a constant.
func (c code) log(x value, scale *split) value {
	high, low := c.logOfTwo(x, c.f(0))
	if scale != nil {
		h, l := c.timesConstant(high, *scale)
		high, low = h, c.fma(low, c.f(scale[0]), l)
	}
	return c.logCases(c.add(high, low), x)
}

func (c code) logOfOneMore(x value) value {
	y, rest := c.sum(c.f(1), x)
	high, low := c.logOfTwo(y, c.choose(c.isInf(x), c.f(0), rest))
	return c.choose(c.is(x, 0), x, c.logCases(c.add(high, low), c.choose(c.is(x, -1), c.f(0), c.choose(c.below(x, -1), c.f(-1), c.choose(c.below(x, 1), c.withNaN(c.f(1), x), x)))))
}

// clampExponent is beyond all numbers whose exponential is neither 0 nor infinity.
func (c code) clampExponent() float64 {
	if c.t == isa.F64 {
		return 1600
	}
	return 250
}

// expParts returns e to the power of the sum of two floats as 2^n*(1+p).
func (c code) expParts(x, rest value) (n, p, pRest value) {
	most := c.clampExponent()
	inside := c.below(c.abs(x), most)
	rest = c.choose(inside, rest, c.f(0))
	x = c.op(isa.FMin, c.op(isa.FMax, x, c.f(-most)), c.f(most))
	count := c.op(isa.RoundEven, c.times(x, math.Log2E))
	upper, lower := c.splitUpper(logTwo)
	a := c.fma(c.neg(count), upper, x)
	b := c.fma(c.neg(count), lower, rest)
	t, tRest := c.sum(a, b)
	square := c.mul(t, t)
	curve := c.fma(square, c.fma(t, c.fit(t, exponential), c.f(0.5)), tRest)
	p, pRest = c.quickSum(t, curve)
	return c.convert(isa.FToS, isa.I32, count), p, pRest
}

func (c code) onePlus(p, rest value) (high, low value) {
	high, low = c.quickSum(c.f(1), p)
	return c.quickSum(high, c.add(low, rest))
}

// exp returns e to the power of the sum of two floats. Two steps scale it, so that neither rounds but the last.
func (c code) exp(x, rest value) value {
	n, p, pRest := c.expParts(x, rest)
	high, _ := c.onePlus(p, pRest)
	return c.withNaN(c.ldexp(high, n), x)
}

func (c code) expOfTwo(x value) value {
	high, low := c.timesConstant(x, logTwo)
	return c.withNaN(c.exp(high, low), x)
}

func (c code) expOfTen(x value) value {
	high, low := c.timesConstant(x, logTen)
	return c.withNaN(c.exp(high, low), x)
}

// lessOne returns e^x - 1.
func (c code) lessOne(x, rest value) value {
	n, p, pRest := c.expParts(x, rest)
	n = c.emit(isa.ISub, isa.I32, n, c.word(1))
	half := c.sub(c.ldexp(c.f(1), n), c.f(0.5))
	high, low := c.sum(half, c.ldexp(p, n))
	return c.times(c.add(high, c.add(low, c.ldexp(pRest, n))), 2)
}

func (c code) expLessOne(x value) value {
	tiny := c.below(c.abs(x), math.Ldexp(1, -60))
	large := c.above(x, 60) // the one does not count
	r := c.choose(large, c.exp(x, c.f(0)), c.lessOne(c.op(isa.FMin, x, c.f(60)), c.f(0)))
	return c.withNaN(c.choose(tiny, x, c.copySign(r, x)), x)
}

// powerOf returns e^(y*ln|x|) for y in two floats.
func (c code) powerOf(magnitude, y, yRest value) value {
	high, low := c.logOfTwo(magnitude, c.f(0))
	product, rest := c.product(y, high)
	return c.exp(product, c.add(rest, c.fma(y, low, c.mul(yRest, high))))
}

// isOdd reports an odd whole number, and whole any whole number.
func (c code) isOdd(y value) (odd, whole value) {
	half := c.times(y, 0.5)
	whole = c.equal(c.op(isa.Trunc, y), y)
	return c.and(whole, c.not(c.equal(c.op(isa.Trunc, half), half))), whole
}

// powerCases sets the sign of a power, and the results for zeros, infinities and NaNs (C11, F.9.4.4).
func (c code) powerCases(x, y, odd, whole, result value) value {
	a, b := c.abs(x), c.abs(y)
	negative := c.negative(x)
	up := c.xor(c.below(a, 1), c.above(y, 0)) // towards infinity
	atEnd := c.or(c.is(a, 0), c.isInf(x))
	result = c.choose(c.or(atEnd, c.isInf(y)), c.choose(up, c.infinity(), c.f(0)), result)
	result = c.choose(c.and(c.isInf(y), c.is(a, 1)), c.f(1), result)
	result = c.choose(c.and(negative, odd), c.neg(result), result)
	result = c.choose(c.and(c.and(negative, c.not(whole)), c.not(c.or(atEnd, c.isInf(b)))), c.nan(), result)
	result = c.choose(c.or(c.isNaN(x), c.isNaN(y)), c.nan(), result)
	return c.choose(c.or(c.is(x, 1), c.is(y, 0)), c.f(1), result)
}

func (c code) pow(x, y value) value {
	odd, whole := c.isOdd(y)
	return c.powerCases(x, y, odd, whole, c.powerOf(c.abs(x), y, c.f(0)))
}

// twoFloats returns an integer of 32 bits in two floats.
func (c code) twoFloats(n value) (high, low value) {
	upper := c.emit(isa.And, isa.I32, n, c.word(-256))
	return c.quickSum(c.convert(isa.SToF, c.t, upper), c.convert(isa.SToF, c.t, c.emit(isa.ISub, isa.I32, n, upper)))
}

func (c code) oddWord(n value) value {
	return c.compare(isa.INe, c.emit(isa.And, isa.I32, n, c.word(1)), c.word(0))
}

func (c code) pown(x, n value) value {
	high, low := c.twoFloats(n)
	yes := c.Constant(isa.Bool, 1)
	return c.powerCases(x, c.convert(isa.SToF, c.t, n), c.oddWord(n), yes, c.powerOf(c.abs(x), high, low))
}

// powr is pow for x that is not negative; it is undefined where a limit is.
func (c code) powr(x, y value) value {
	r := c.powerOf(x, y, c.f(0))
	no := c.Constant(isa.Bool, 0)
	r = c.powerCases(c.abs(x), y, no, no, r)
	undefined := c.or(c.isNaN(x), c.isNaN(y))
	undefined = c.or(undefined, c.below(x, 0))
	undefined = c.or(undefined, c.and(c.is(y, 0), c.or(c.is(x, 0), c.isInf(x))))
	undefined = c.or(undefined, c.and(c.isInf(y), c.is(x, 1)))
	return c.choose(undefined, c.nan(), r)
}

// rootn returns e^(ln|x|/n).
func (c code) rootn(x, n value) value {
	a := c.abs(x)
	high, low := c.logOfTwo(a, c.f(0))
	d, dRest := c.twoFloats(n)
	q := c.div(high, d)
	left := c.add(c.fma(c.neg(q), dRest, c.fma(c.neg(q), d, high)), low)
	r := c.exp(q, c.div(left, d))
	down := c.compare(isa.SLt, n, c.word(0))
	r = c.choose(c.is(x, 0), c.choose(down, c.infinity(), c.f(0)), r)
	r = c.choose(c.isInf(x), c.choose(down, c.f(0), c.infinity()), r)
	odd := c.oddWord(n)
	r = c.choose(odd, c.copySign(r, x), r)
	even := c.and(c.below(x, 0), c.not(odd))
	return c.choose(c.or(c.or(even, c.isNaN(x)), c.compare(isa.IEq, n, c.word(0))), c.nan(), r)
}

// cubeRoot corrects an estimate in 32 bits by Newton's method. The exponent is divided by three.
func (c code) cubeRoot(x value) value {
	s := code{c.Emitter, isa.F32, isa.F32}
	m, e := c.significand(c.abs(x))
	third := s.op(isa.RoundEven, s.times(s.convert(isa.SToF, isa.F32, e), 1.0/3))
	k := c.convert(isa.FToS, isa.I32, third)
	m = c.ldexp(m, c.emit(isa.ISub, isa.I32, e, c.emit(isa.IMul, isa.I32, k, c.word(3))))
	short := m
	if c.t == isa.F64 {
		short = c.convert(isa.FConvert, isa.F32, m)
	}
	y := s.native(isa.Exp2, s.times(s.native(isa.Log2, short), 1.0/3))
	slope := s.native(isa.Rcp, s.times(s.mul(y, y), 3))
	steps := 1
	if c.t == isa.F64 {
		y, slope, steps = c.convert(isa.FConvert, isa.F64, y), c.convert(isa.FConvert, isa.F64, slope), 2
	}
	for range steps {
		square, rest := c.product(y, y)
		over := c.fma(rest, y, c.fma(square, y, c.neg(m)))
		y = c.fma(c.neg(over), slope, y)
	}
	r := c.copySign(c.ldexp(y, k), x)
	return c.choose(c.or(c.is(x, 0), c.or(c.isInf(x), c.isNaN(x))), x, r)
}

func (c code) hypotenuse(x, y value) value {
	x, y = c.abs(x), c.abs(y)
	a, b := c.op(isa.FMax, x, y), c.op(isa.FMin, x, y)
	e := c.mantissaExponent(a)
	down := c.emit(isa.INeg, isa.I32, e)
	a, b = c.ldexp(a, down), c.ldexp(b, down)
	r := c.ldexp(c.sqrt(c.fma(a, a, c.mul(b, b))), e)
	r = c.choose(c.or(c.isNaN(x), c.isNaN(y)), c.nan(), r)
	return c.choose(c.or(c.isInf(x), c.isInf(y)), c.infinity(), r)
}

// halfExp returns e^x/2, which is finite where a hyperbolic sine is.
func (c code) halfExp(x value) value {
	n, p, pRest := c.expParts(x, c.f(0))
	high, _ := c.onePlus(p, pRest)
	return c.ldexp(high, c.emit(isa.ISub, isa.I32, n, c.word(1)))
}

// sinh is (E + E/(E+1))/2 with E = e^|x|-1, which loses nothing for small x.
func (c code) sinh(x value) value {
	a := c.abs(x)
	e := c.lessOne(a, c.f(0))
	r := c.times(c.add(e, c.div(e, c.add(e, c.f(1)))), 0.5)
	r = c.choose(c.above(a, 30), c.halfExp(a), r)
	r = c.choose(c.below(a, math.Ldexp(1, -60)), a, r)
	return c.withNaN(c.copySign(r, x), x)
}

func (c code) cosh(x value) value {
	h := c.halfExp(c.abs(x))
	return c.withNaN(c.add(h, c.div(c.f(0.25), h)), x)
}

// tanh is E/(E+2) with E = e^(2|x|)-1.
func (c code) tanh(x value) value {
	a := c.abs(x)
	e := c.lessOne(c.op(isa.FMin, c.times(a, 2), c.f(80)), c.f(0))
	r := c.div(e, c.add(e, c.f(2)))
	r = c.choose(c.below(a, math.Ldexp(1, -60)), a, r)
	return c.withNaN(c.copySign(r, x), x)
}

// farLimit is the number from which x^2+1 is x^2.
func (c code) farLimit() float64 {
	if c.t == isa.F64 {
		return 0x1p28
	}
	return 0x1p13
}

// logOfSum returns ln(1+x+y) for numbers that are not negative, or ln(2x) where far.
func (c code) logOfSum(x, y, far value) value {
	one, rest := c.sum(c.f(1), x)
	one, more := c.sum(one, y)
	high, low := c.logOfTwo(c.choose(far, x, one), c.choose(far, c.f(0), c.add(rest, more)))
	near := c.add(high, low)
	two := c.f(logTwo[0])
	h, l := c.quickSum(high, two)
	h = c.choose(c.less(high, two), c.add(two, high), h)
	return c.choose(far, c.add(h, c.add(l, low)), near)
}

// asinh is ln(1 + x + x^2/(1+sqrt(1+x^2))).
func (c code) asinh(x value) value {
	a := c.abs(x)
	far := c.above(a, c.farLimit())
	b := c.choose(far, c.f(1), a)
	square := c.mul(b, b)
	y := c.div(square, c.add(c.f(1), c.sqrt(c.add(c.f(1), square))))
	r := c.logOfSum(a, y, far)
	r = c.choose(c.below(a, math.Ldexp(1, -40)), a, r)
	return c.choose(c.or(c.isInf(x), c.isNaN(x)), x, c.copySign(r, x))
}

// acosh is ln(1 + t + sqrt(2t+t^2)) with t = x-1.
func (c code) acosh(x value) value {
	far := c.above(x, c.farLimit())
	t := c.sub(x, c.f(1))
	b := c.choose(far, c.f(1), t)
	r := c.logOfSum(c.choose(far, x, t), c.sqrt(c.fma(b, b, c.times(b, 2))), far)
	r = c.choose(c.isInf(x), x, r)
	return c.withNaN(c.choose(c.below(x, 1), c.nan(), r), x)
}

// atanh is ln(1 + 2x/(1-x))/2.
func (c code) atanh(x value) value {
	a := c.abs(x)
	y := c.div(c.times(a, 2), c.sub(c.f(1), a))
	r := c.times(c.logOfOneMore(y), 0.5)
	r = c.choose(c.below(a, math.Ldexp(1, -40)), a, r)
	return c.withNaN(c.choose(c.above(a, 1), c.nan(), c.copySign(r, x)), x)
}

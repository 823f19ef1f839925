package opencl

import (
	"math"

	"spvsim/isa"
)

// scaledErrorRest returns erfc(a)*e^(a^2) for a that is not negative.
func (c code) scaledErrorRest(a value) value {
	t := c.div(c.sub(a, c.f(4)), c.add(a, c.f(4)))
	return c.div(c.fit(t, errorRest), c.fma(c.f(2), a, c.f(1)))
}

// errorRestOf returns erfc(a) for a that is not negative. From 28 on it is 0. (J. Schonfelder, 1978: a polynomial of
// (a-4)/(a+4).)
func (c code) errorRestOf(a value) value {
	a = c.op(isa.FMin, a, c.f(28))
	square, rest := c.product(a, a)
	return c.mul(c.scaledErrorRest(a), c.exp(c.neg(square), c.neg(rest)))
}

func (c code) smallErf(x value) value { return c.mul(x, c.fit(c.mul(x, x), errorFunction)) }

func (c code) erf(x value) value {
	a := c.abs(x)
	r := c.choose(c.below(a, 1), c.smallErf(c.op(isa.FMin, a, c.f(1))), c.sub(c.f(1), c.errorRestOf(a)))
	return c.withNaN(c.copySign(r, x), x)
}

// erfc of small numbers is 1 - erf, which loses at most a bit.
func (c code) erfc(x value) value {
	a := c.abs(x)
	r := c.errorRestOfScaled(a)
	r = c.choose(c.negative(x), c.sub(c.f(2), r), r)
	r = c.choose(c.below(a, 0.5), c.sub(c.f(1), c.smallErf(c.op(isa.FMax, c.op(isa.FMin, x, c.f(0.5)), c.f(-0.5)))), r)
	return c.withNaN(r, x)
}

// errorRestOfScaled is errorRestOf with subnormal results, which round once: the exponential is not.
func (c code) errorRestOfScaled(a value) value {
	a = c.op(isa.FMin, a, c.f(28))
	square, rest := c.product(a, a)
	n, p, pRest := c.expParts(c.neg(square), c.neg(rest))
	high, _ := c.onePlus(p, pRest)
	return c.ldexp(c.mul(c.scaledErrorRest(a), high), n)
}

// start is the number from which Stirling's formula holds.
func (c code) start() int {
	if c.t == isa.F64 {
		return 10
	}
	return 4
}

// stirlingOf returns the rest of Stirling's formula.
func (c code) stirlingOf(x value) value {
	r := c.div(c.f(1), x)
	return c.mul(r, c.fit(c.mul(r, r), stirling))
}

// logGammaOf returns ln gamma(x+rest) by Stirling's formula in two floats. Its slope is near ln x - 1/(2x).
func (c code) logGammaOf(x, rest value) (high, low value) {
	h, l := c.logOfTwo(x, c.f(0))
	y := c.sub(x, c.f(0.5))
	a, aRest := c.product(y, h)
	aRest = c.fma(y, l, aRest)
	aRest = c.fma(rest, c.sub(h, c.div(c.f(0.5), x)), aRest)
	b, bRest := c.sum(a, c.neg(x))
	half, halfRest := c.split(halfLogTwoPi)
	d, dRest := c.sum(b, c.f(half))
	return c.quickSum(d, c.add(c.add(dRest, bRest), c.add(aRest, c.add(c.f(halfRest), c.stirlingOf(x)))))
}

// gammaParts returns gamma of a positive number as a quotient: the exponential of ln gamma of a number from start on,
// and the factors below it, in two floats. For large numbers the exponential is that of half the logarithm, which is
// finite, and taken twice.
func (c code) gammaParts(x value) (root, factors, factorsRest value) {
	factors, factorsRest = c.f(1), c.f(0)
	y, rest := x, c.f(0)
	for range c.start() {
		below := c.below(y, float64(c.start()))
		h, l := c.product(factors, y)
		l = c.fma(factors, rest, c.fma(factorsRest, y, l))
		factors, factorsRest = c.choose(below, h, factors), c.choose(below, l, factorsRest)
		next, more := c.sum(y, c.f(1))
		y, rest = c.choose(below, next, y), c.choose(below, c.add(rest, more), rest)
	}
	h, l := c.logGammaOf(y, rest)
	return c.exp(c.times(h, 0.5), c.times(l, 0.5)), factors, factorsRest
}

// gamma is that of |x|, or by reflection -pi/(|x| sin(pi|x|) gamma(|x|)) where x is negative.
func (c code) gamma(x value) value {
	a := c.abs(x)
	small := c.below(a, math.Ldexp(1, -60)) // gamma(x) is 1/x, to the last bit
	a = c.choose(small, c.f(1), a)
	most := 36.0
	if c.t == isa.F64 {
		most = 172
	}
	over := c.above(a, most)
	b := c.op(isa.FMin, a, c.f(2*most))
	root, factors, rest := c.gammaParts(b)
	// factors + rest in one number, as the second is an error of the last bit
	factors = c.add(factors, rest)
	positive := c.div(c.mul(root, root), factors)
	positive = c.choose(over, c.infinity(), positive)
	// -pi/(|x| sin(pi|x|) gamma(|x|))
	sin := c.circularOfHalfTurns(a)[0]
	pole := c.is(sin, 0)
	q := c.div(c.f(-math.Pi), c.mul(b, sin))
	negative := c.div(c.div(c.mul(q, factors), root), root)
	negative = c.choose(pole, c.nan(), negative)
	r := c.choose(c.negative(x), negative, positive)
	r = c.choose(small, c.div(c.f(1), x), r)
	r = c.choose(c.isInf(x), c.choose(c.negative(x), c.nan(), x), r)
	return c.withNaN(r, x)
}

// logGammaFrom returns ln gamma of a positive number: Stirling's formula, or from 1 to 2 a polynomial, from which the
// factors of others are added or taken away.
func (c code) logGammaFrom(x value) value {
	const far = 8
	high, low := c.logGammaOf(c.op(isa.FMax, x, c.f(far)), c.f(0))
	stirling := c.add(high, low)
	stirling = c.choose(c.isNaN(stirling), c.infinity(), stirling) // parts are too large, and their difference is none
	factors, y := c.f(1), x
	for range far - 2 {
		above := c.and(c.above(y, 2), c.below(x, far))
		y = c.choose(above, c.sub(y, c.f(1)), y)
		factors = c.choose(above, c.mul(factors, y), factors)
	}
	less := c.below(x, 1)
	z := c.choose(less, x, c.sub(y, c.f(1))) // y = 1+z
	z = c.op(isa.FMin, z, c.f(1))
	p := c.mul(c.mul(z, c.sub(z, c.f(1))), c.fit(c.sub(z, c.f(0.5)), logGamma))
	factors = c.choose(less, x, factors)
	h, l := c.logOfTwo(factors, c.f(0))
	h, l = c.choose(less, c.neg(h), h), c.choose(less, c.neg(l), l)
	s, sRest := c.sum(h, p)
	near := c.add(s, c.add(sRest, l))
	return c.choose(c.below(x, far), near, stirling)
}

// logOfGamma returns ln|gamma(x)| and the sign of gamma(x).
func (c code) logOfGamma(x value) []value {
	a := c.abs(x)
	infinite := c.isInf(x)
	b := c.choose(c.or(infinite, c.is(x, 0)), c.f(1), a)
	r := c.logGammaFrom(b)
	// ln(pi/(|x| |sin(pi x)|)) - ln gamma(|x|)
	sin := c.circularOfHalfTurns(b)[0]
	pole := c.is(sin, 0)
	d := c.mul(b, c.abs(sin))
	tiny := c.below(b, math.Ldexp(1, -60))
	h, l := c.logOfTwo(c.choose(c.or(pole, tiny), c.f(1), d), c.f(0))
	high, low := c.split(logPi)
	s, sRest := c.sum(c.f(high), c.neg(h))
	t, tRest := c.sum(s, c.neg(r))
	reflected := c.add(t, c.add(tRest, c.add(sRest, c.sub(c.f(low), l))))
	reflected = c.choose(tiny, r, reflected)
	reflected = c.choose(c.and(pole, c.not(tiny)), c.infinity(), reflected)
	r = c.choose(c.negative(x), reflected, r)
	r = c.choose(c.or(infinite, c.is(x, 0)), c.infinity(), r)
	odd, _ := c.isOdd(c.op(isa.Floor, x))
	minus := c.and(c.negative(x), c.or(odd, c.is(x, 0)))
	sign := c.choose(minus, c.word(-1), c.word(1))
	sign = c.choose(c.or(c.isNaN(x), c.and(c.negative(x), c.and(pole, c.not(c.or(tiny, c.is(x, 0)))))), c.word(0), sign)
	return []value{c.withNaN(r, x), sign}
}

package opt

import (
	"math"

	"spvsim/isa"
	"spvsim/program/ir"
)

// pow returns x to the power of y as e^(y*ln|x|), with the logarithm in two floats.
func (p *preciser) pow(x, y *ir.Value) *ir.Value {
	magnitude := p.abs(x)
	high, low := p.logOfTwo(magnitude)
	product := p.mul(y, high)
	rest := p.fma(y, low, p.fma(y, high, p.neg(product)))
	return p.powCases(x, y, magnitude, p.expOfTwo(product, rest))
}

// logOfTwo returns the natural logarithm of a positive number in two floats. For the significand m, between sqrt(2)/2
// and sqrt(2), ln m = 2 artanh((m-1)/(m+1)).
func (p *preciser) logOfTwo(x *ir.Value) (high, low *ir.Value) {
	m, e := p.op(isa.FrexpMant, isa.F32, x), p.op(isa.FrexpExp, isa.F32, x)
	less := p.lessThan(m, p.float(math.Sqrt2/2))
	m = p.mul(m, p.choose(less, p.float(2), p.float(1)))
	exponent := p.from(isa.SToF, isa.F32, p.op(isa.ISub, isa.I32, e, p.choose(less, p.word(1), p.word(0))))
	q, qRest := p.quotient(m)
	s := p.mul(q, q)
	t := p.mul(p.mul(q, s), p.polynomial(s, 0.29871726, 0.399775416, 0.666667759))
	// The exponent has eight bits, so that its product with 16 bits of ln 2 is exact.
	const ln2Upper, ln2Lower = 0x1.62p-1, math.Ln2 - 0x1.62p-1
	big, twice := p.mul(exponent, p.float(ln2Upper)), p.plus(q, q)
	high = p.plus(big, twice)
	low = p.minus(twice, p.minus(high, big))
	return p.sumOf(high, p.plus(low, p.fma(exponent, p.float(ln2Lower), p.fma(qRest, p.float(2), t))))
}

// sumOf returns the sum of a float and a smaller one in two floats.
func (p *preciser) sumOf(a, b *ir.Value) (high, low *ir.Value) {
	high = p.plus(a, b)
	return high, p.minus(b, p.minus(high, a))
}

// quotient returns (m-1)/(m+1) in two floats.
func (p *preciser) quotient(m *ir.Value) (high, low *ir.Value) {
	one := p.float(1)
	n, d := p.minus(m, one), p.plus(m, one)
	dRest := p.minus(m, p.minus(d, one))
	r := p.op(isa.Rcp, isa.F32, d)
	q := p.mul(n, r)
	left := p.fma(p.neg(q), dRest, p.fma(p.neg(q), d, n))
	return p.sumOf(q, p.mul(r, left))
}

// expOfTwo returns e to the power of the sum of two floats.
func (p *preciser) expOfTwo(x, rest *ir.Value) *ir.Value {
	n := p.op(isa.RoundEven, isa.F32, p.mul(x, p.float(log2OfE)))
	const ln2Upper, ln2Lower = 0x1.62p-1, math.Ln2 - 0x1.62p-1
	t := p.plus(p.fma(n, p.float(-ln2Lower), p.fma(n, p.float(-ln2Upper), x)), rest)
	z := p.polynomial(t, 1.3950601e-3, 8.36888142e-3, 4.1666206e-2, 0.166665196, 0.5)
	e := p.plus(p.fma(p.mul(t, t), z, t), p.float(1))
	e = p.op(isa.Ldexp, isa.F32, e, p.from(isa.FToS, isa.I32, n))
	return p.inRange(x, e, -104, 0x1.62e43p+6)
}

// powCases sets the sign of the result, and the results for zeros, infinities and NaNs (C11, F.9.4.4).
func (p *preciser) powCases(x, y, magnitude, result *ir.Value) *ir.Value {
	zero, one, infinity, nan := p.float(0), p.float(1), p.float(math.Inf(1)), p.bits(isa.F32, p.word(quietNaN))
	equal := func(a, b *ir.Value) *ir.Value { return p.op(isa.FOrdEq, isa.F32, a, b) }
	and := func(a, b *ir.Value) *ir.Value { return p.op(isa.And, isa.Bool, a, b) }
	or := func(a, b *ir.Value) *ir.Value { return p.op(isa.Or, isa.Bool, a, b) }
	not := func(a *ir.Value) *ir.Value { return p.op(isa.Not, isa.Bool, a) }
	half := p.mul(y, p.float(0.5))
	whole := equal(p.op(isa.Trunc, isa.F32, y), y)
	odd := and(whole, not(equal(p.op(isa.Trunc, isa.F32, half), half)))
	negative := p.op(isa.SLt, isa.I32, p.bits(isa.I32, x), p.word(0))
	sign := p.choose(and(negative, odd), p.word(signBit), p.word(0))

	up := p.op(isa.Xor, isa.Bool, p.lessThan(magnitude, one), p.lessThan(zero, y)) // towards infinity
	atEnd := or(equal(magnitude, zero), equal(magnitude, infinity))
	result = p.choose(or(atEnd, equal(p.abs(y), infinity)), p.choose(up, infinity, zero), result)
	result = p.choose(and(equal(p.abs(y), infinity), equal(magnitude, one)), one, result)
	result = p.bits(isa.F32, p.op(isa.Or, isa.I32, p.bits(isa.I32, result), sign))
	result = p.choose(and(and(negative, not(whole)), not(atEnd)), nan, result)
	result = p.choose(or(p.is(x, isa.FClassNaN), p.is(y, isa.FClassNaN)), nan, result)
	return p.choose(or(equal(x, one), equal(y, zero)), one, result)
}

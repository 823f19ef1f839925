package opencl

import (
	"math"

	"spvsim/isa"
	"spvsim/spirv"
)

var circularRows = map[spirv.OpenCLstd]Row{
	spirv.OpenCLstdSin:    rounded(orOperation(isa.Sin, func(c code, x value) value { return c.circular(x)[0] })),
	spirv.OpenCLstdCos:    rounded(orOperation(isa.Cos, func(c code, x value) value { return c.circular(x)[1] })),
	spirv.OpenCLstdTan:    rounded(func(c code, x value) value { s := c.circular(x); return c.div(s[0], s[1]) }),
	spirv.OpenCLstdSincos: approximated(Row{Operands: 1, Pointers: 1, scalar: func(c code, x []value) []value { return c.circular(x[0]) }}),
	spirv.OpenCLstdSinpi:  rounded(func(c code, x value) value { return c.circularOfHalfTurns(x)[0] }),
	spirv.OpenCLstdCospi:  rounded(func(c code, x value) value { return c.circularOfHalfTurns(x)[1] }),
	spirv.OpenCLstdTanpi:  rounded(func(c code, x value) value { s := c.circularOfHalfTurns(x); return c.div(s[0], s[1]) }),

	spirv.OpenCLstdAsin:    rounded(code.asin),
	spirv.OpenCLstdAcos:    rounded(code.acos),
	spirv.OpenCLstdAtan:    rounded(func(c code, x value) value { return c.atan2(x, c.f(1)) }),
	spirv.OpenCLstdAtan2:   approximated(binary(code.atan2)),
	spirv.OpenCLstdAsinpi:  rounded(func(c code, x value) value { return c.inHalfTurns(c.asin(x)) }),
	spirv.OpenCLstdAcospi:  rounded(func(c code, x value) value { return c.inHalfTurns(c.acos(x)) }),
	spirv.OpenCLstdAtanpi:  rounded(func(c code, x value) value { return c.inHalfTurns(c.atan2(x, c.f(1))) }),
	spirv.OpenCLstdAtan2pi: approximated(binary(func(c code, y, x value) value { return c.inHalfTurns(c.atan2(y, x)) })),
}

func (c code) inHalfTurns(x value) value {
	high, low := c.timesConstant(x, invPi)
	return c.add(high, low)
}

// circular returns sine and cosine of x: the rest after quarter turns by polynomials.
func (c code) circular(x value) []value {
	a := c.abs(x)
	limit := 0x1p17
	if c.t == isa.F64 {
		limit = 0x1p22
	}
	r := c.IfElse(c.lessEqual(c.f(limit), a), func() []value { return c.reduceLarge(a) }, func() []value { return c.reduce(a) })
	sin, cos := c.polynomials(r[0], r[1])
	sin, cos = c.quarters(sin, cos, r[2])
	sin = c.choose(c.negative(x), c.neg(sin), sin)
	undefined := c.or(c.isInf(x), c.isNaN(x))
	return []value{c.choose(undefined, c.nan(), sin), c.choose(undefined, c.nan(), cos)}
}

// circularOfHalfTurns returns sine and cosine of pi*x. The reduction to a quarter of a half turn is exact.
func (c code) circularOfHalfTurns(x value) []value {
	a := c.fma(c.f(-2), c.op(isa.Trunc, c.times(c.abs(x), 0.5)), c.abs(x))
	n := c.op(isa.RoundEven, c.times(a, 2))
	high, low := c.timesConstant(c.fma(n, c.f(-0.5), a), pi)
	sin, cos := c.polynomials(high, low)
	sin, cos = c.quarters(sin, cos, c.convert(isa.FToS, isa.I32, n))
	sin = c.choose(c.is(sin, 0), c.f(0), sin)
	cos = c.choose(c.is(cos, 0), c.f(0), cos)
	sin = c.choose(c.negative(x), c.neg(sin), sin)
	undefined := c.or(c.isInf(x), c.isNaN(x))
	return []value{c.choose(undefined, c.nan(), sin), c.choose(undefined, c.nan(), cos)}
}

// polynomials returns sine and cosine of an angle in two floats, at most an eighth of a turn.
func (c code) polynomials(r, rest value) (sin, cos value) {
	s := c.mul(r, r)
	half := c.times(s, 0.5)
	upper := c.sub(c.f(1), half)
	lower := c.sub(c.sub(c.f(1), upper), half)
	cos = c.fma(c.mul(s, s), c.fit(s, cosine), c.fma(c.neg(r), rest, lower))
	sin = c.fma(c.mul(r, s), c.fit(s, sine), rest)
	return c.add(r, sin), c.add(upper, cos)
}

// quarters turns sine and cosine by a number of quarter turns.
func (c code) quarters(sin, cos, n value) (value, value) {
	odd := c.oddWord(n)
	s, k := c.choose(odd, cos, sin), c.choose(odd, sin, cos)
	two := func(n value) value { return c.compare(isa.INe, c.emit(isa.And, isa.I32, n, c.word(2)), c.word(0)) }
	s = c.choose(two(n), c.neg(s), s)
	return s, c.choose(two(c.emit(isa.IAdd, isa.I32, n, c.word(1))), c.neg(k), k)
}

// threeParts returns a constant in three floats.
func (c code) threeParts(x split) (a, b, d float64) {
	if c.t == isa.F64 {
		return x[0], x[1], x[2]
	}
	round := func(x float64) float64 { return float64(float32(x)) }
	a = round(x[0])
	b = round(x[0] - a)
	return a, b, round(x[0] - a - b + x[1])
}

// reduce subtracts quarter turns. It returns the rest in two floats, and the number of quarters. (W. Cody, W. Waite,
// 1980; the products are exact by multiply-adds.)
func (c code) reduce(x value) []value {
	n := c.op(isa.RoundEven, c.times(x, 2/math.Pi))
	a, b, d := c.threeParts(quarterTurn)
	minus := c.neg(n)
	r := c.fma(minus, c.f(a), x)
	part, partRest := c.product(minus, c.f(b))
	high, low := c.sum(r, part)
	high, low = c.quickSum(high, c.add(low, c.fma(minus, c.f(d), partRest)))
	return []value{high, low, c.convert(isa.FToS, isa.I32, n)}
}

// reduceLarge is reduce in integers (M. Payne, R. Hanek, 1983): the significand times as many bits of 2/pi as matter for
// the quarter and its fraction. What the bits before them contribute are whole turns.
func (c code) reduceLarge(x value) []value {
	words, steps, bits := 3, 2, uint64(23)
	if c.t == isa.F64 {
		words, steps, bits = 6, 5, 52
	}
	window := c.window(c.offset(x, bits), words, steps)
	product := c.productOf(c.integerWords(x, bits), window)
	// product holds the words from the lowest; its top two bits are the quarter.
	for len(product) < 6 {
		product = append([]value{c.word(0)}, product...)
	}
	wide := func(i int) value { return c.emit(isa.Pack64, isa.I64, product[i], product[i+1]) }
	top, middle, last := wide(4), wide(2), wide(0)
	join := func(a, b value, n uint64) value {
		return c.emit(isa.Or, isa.I64, c.emit(isa.Shl, isa.I64, a, c.long(n)), c.emit(isa.Shr, isa.I64, b, c.long(64-n)))
	}
	quarter := c.emit(isa.Shr, isa.I64, top, c.long(62))
	top, middle, last = join(top, middle, 2), join(middle, last, 2), c.emit(isa.Shl, isa.I64, last, c.long(2))
	// To the nearest quarter: round up by half, and set the sign of the rest.
	sign := c.emit(isa.Sar, isa.I64, top, c.long(63))
	quarter = c.emit(isa.ISub, isa.I64, quarter, sign)
	flip := func(x value) value { return c.emit(isa.Xor, isa.I64, x, sign) }
	high, low := c.fraction(flip(top), flip(middle), flip(last))
	negative := c.compare(isa.INe, sign, c.long(0))
	a, b, _ := c.threeParts(quarterTurn)
	h, l := c.product(high, c.f(a))
	l = c.fma(high, c.f(b), c.fma(low, c.f(a), l))
	h, l = c.quickSum(h, l)
	return []value{c.choose(negative, c.neg(h), h), c.choose(negative, c.neg(l), l), c.convert(isa.UConvert, isa.I32, quarter)}
}

// leadingZeros are the zeros before the binary point in the table, so that no offset is negative.
const leadingZeros = 32

// offset returns the number of bits of the table before those that matter for x.
func (c code) offset(x value, bits uint64) value {
	high := c.integer(x)
	if c.t == isa.F64 {
		high = c.emit(isa.Hi32, isa.I32, high)
		high.From = isa.I64
		bits -= 32
	}
	exponent := c.emit(isa.Shr, isa.I32, high, c.word(int64(bits)))
	// x is an integer times 2^(exponent-bias-mantissa); of 2/pi, bits count from this less one on.
	bias := int64(127 + 23)
	if c.t == isa.F64 {
		bias = 1023 + 52
	}
	return c.emit(isa.ISub, isa.I32, exponent, c.word(bias+2-leadingZeros))
}

// window returns words of the table from a bit on, the highest first.
func (c code) window(offset value, words, steps int) []value {
	list := []value{c.word(0)}
	for _, w := range inverseQuarter {
		list = append(list, c.Constant(isa.I32, w))
	}
	index := c.emit(isa.Shr, isa.I32, offset, c.word(5))
	if c.t == isa.F32 { // indices below 8
		steps = 3
	}
	list = list[:min(len(list), words+1<<steps)]
	for bit := steps - 1; bit >= 0; bit-- {
		skip := 1 << bit
		set := c.compare(isa.INe, c.emit(isa.And, isa.I32, index, c.word(int64(skip))), c.word(0))
		next := make([]value, 0, len(list))
		for i := range min(len(list), words+skip) {
			if i+skip < len(list) {
				next = append(next, c.choose(set, list[i+skip], list[i]))
			}
		}
		list = next
	}
	shift := c.convert(isa.UConvert, isa.I64, c.emit(isa.And, isa.I32, offset, c.word(31)))
	out := make([]value, words)
	for i := range out {
		pair := c.emit(isa.Pack64, isa.I64, list[i+1], list[i])
		out[i] = c.upperHalf(c.emit(isa.Shl, isa.I64, pair, shift))
	}
	return out
}

func (c code) upperHalf(x value) value {
	v := c.Emit(isa.Hi32, isa.I32, isa.I64, 0, x)
	return v
}

func (c code) lowerHalf(x value) value { return c.Emit(isa.Lo32, isa.I32, isa.I64, 0, x) }

// integerWords returns the significand in words, the lowest first.
func (c code) integerWords(x value, bits uint64) []value {
	t := c.integerType()
	m := c.emit(isa.Or, t, c.emit(isa.And, t, c.integer(x), c.n(1<<bits-1)), c.n(1<<bits))
	if c.t == isa.F32 {
		return []value{m}
	}
	return []value{c.lowerHalf(m), c.upperHalf(m)}
}

// productOf multiplies words, the lowest first, by words, the highest first. It returns as many of the lowest words.
func (c code) productOf(factor, window []value) []value {
	n := len(window)
	sum := make([]value, n)
	for i := range sum {
		sum[i] = c.word(0)
	}
	wide := func(x value) value { return c.convert(isa.UConvert, isa.I64, x) }
	for j, f := range factor {
		carry := c.long(0)
		for i := 0; i+j < n; i++ {
			part := c.emit(isa.IMul, isa.I64, wide(f), wide(window[n-1-i]))
			part = c.emit(isa.IAdd, isa.I64, c.emit(isa.IAdd, isa.I64, part, carry), wide(sum[i+j]))
			sum[i+j], carry = c.lowerHalf(part), wide(c.upperHalf(part))
		}
	}
	return sum
}

// fraction converts a binary fraction of 192 bits to two floats.
func (c code) fraction(top, middle, last value) (high, low value) {
	zeros := c.emit(isa.ISub, isa.I64, c.long(63), c.emit(isa.FindUMsb, isa.I64, top))
	join := func(a, b value) value {
		rest := c.emit(isa.Shr, isa.I64, c.emit(isa.Shr, isa.I64, b, c.long(1)), c.emit(isa.ISub, isa.I64, c.long(63), zeros))
		return c.emit(isa.Or, isa.I64, c.emit(isa.Shl, isa.I64, a, zeros), rest)
	}
	top, middle = join(top, middle), join(middle, last)
	bits := int64(mantissaBits[c.t]) + 1
	down := c.emit(isa.INeg, isa.I32, c.convert(isa.UConvert, isa.I32, zeros))
	scaled := func(x value, weight int64) value {
		return c.ldexp(c.convert(isa.UToF, c.t, x), c.emit(isa.ISub, isa.I32, down, c.word(weight)))
	}
	first := c.emit(isa.Shr, isa.I64, top, c.long(uint64(64-bits)))
	second := c.emit(isa.Or, isa.I64, c.emit(isa.Shl, isa.I64, top, c.long(uint64(bits))), c.emit(isa.Shr, isa.I64, middle, c.long(uint64(64-bits))))
	second = c.emit(isa.Shr, isa.I64, second, c.long(uint64(64-bits)))
	return scaled(first, bits), scaled(second, 2*bits)
}

// arcSineOf returns asin of x up to 1/2 less x, by a polynomial.
func (c code) arcSineOf(x value) value {
	s := c.mul(x, x)
	return c.mul(c.mul(x, s), c.fit(s, arcSine))
}

// arcs returns asin of |x| where that is at most 1/2, else of sqrt((1-|x|)/2), in two floats.
func (c code) arcs(x value) (large, root, more value) {
	a := c.abs(x)
	large = c.above(a, 0.5)
	root = c.choose(large, c.sqrt(c.fma(c.f(-0.5), a, c.f(0.5))), a)
	return large, root, c.arcSineOf(root)
}

func (c code) asin(x value) value {
	large, root, more := c.arcs(x)
	quarter, rest := c.split(quarterTurn)
	// pi/2 - 2 asin(root)
	r := c.sub(c.f(quarter), c.sub(c.times(c.add(root, more), 2), c.f(rest)))
	return c.withNaN(c.copySign(c.choose(large, r, c.add(root, more)), x), x)
}

func (c code) acos(x value) value {
	large, root, more := c.arcs(x)
	quarter, rest := c.split(quarterTurn)
	signed := func(v value) value { return c.choose(c.negative(x), c.neg(v), v) }
	small := c.sub(c.f(quarter), c.sub(signed(root), c.sub(c.f(rest), signed(more))))
	two := c.times(c.add(root, more), 2)
	back := c.sub(c.f(2*quarter), c.sub(two, c.f(2*rest)))
	return c.withNaN(c.choose(large, c.choose(c.negative(x), back, two), small), x)
}

// atan2 is the arc tangent of a quotient up to 1, and its complements to a quarter and to half of a turn.
func (c code) atan2(y, x value) value {
	a, b := c.abs(y), c.abs(x)
	most, least := c.op(isa.FMax, a, b), c.op(isa.FMin, a, b)
	v := c.div(least, most)
	v = c.choose(c.is(most, 0), c.f(0), v)
	v = c.choose(c.isInf(least), c.f(1), v)
	s := c.mul(v, v)
	more := c.mul(c.mul(v, s), c.fit(s, arcTangent))
	quarter, rest := c.split(quarterTurn)
	r := c.add(v, more)
	r = c.choose(c.less(b, a), c.sub(c.f(quarter), c.sub(r, c.f(rest))), r)
	r = c.choose(c.negative(x), c.sub(c.f(2*quarter), c.sub(r, c.f(2*rest))), r)
	return c.withNaN(c.withNaN(c.copySign(r, y), y), x)
}

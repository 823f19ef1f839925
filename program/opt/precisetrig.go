package opt

import (
	"spvsim/isa"
	"spvsim/program/ir"
)

// largeAngle is the angle from which the reduction is done in integers, not in three floats.
const largeAngle = 0x1p17

// circular returns the sine or the cosine of x.
func (p *preciser) circular(x *ir.Value, cosine bool) *ir.Value {
	angle := p.abs(x)
	r := p.ifElse(p.op(isa.FOrdLe, isa.F32, p.float(largeAngle), angle),
		func() []*ir.Value { return p.reduceLarge(angle) },
		func() []*ir.Value { return p.reduce(angle) })
	rest, quarters := r[0], r[1]
	s := p.mul(rest, rest)
	sin := p.mul(s, p.polynomial(s, -1.95172994e-4, 8.332178e-3, -0.166666552))
	sin = p.fma(rest, sin, rest)
	cos := p.fma(s, p.polynomial(s, 2.43904506e-05, -1.38867635e-3, 4.16666232e-2, -0.5), p.float(1))
	if cosine {
		sin, cos = cos, p.neg(sin)
	}
	odd := p.op(isa.INe, isa.I32, p.op(isa.And, isa.I32, quarters, p.word(1)), p.word(0))
	result := p.bits(isa.I32, p.choose(odd, cos, sin))
	sign := p.op(isa.And, isa.I32, p.op(isa.Shl, isa.I32, quarters, p.word(30)), p.word(signBit))
	if !cosine {
		sign = p.op(isa.Xor, isa.I32, sign, p.op(isa.And, isa.I32, p.bits(isa.I32, x), p.word(signBit)))
	}
	result = p.bits(isa.F32, p.op(isa.Xor, isa.I32, result, sign))
	return p.choose(p.is(x, isa.FClassNaN|isa.FClassPlus|isa.FClassMinus), p.bits(isa.F32, p.word(quietNaN)), result)
}

const (
	signBit  = 1 << 31
	quietNaN = 0x7fc00000
)

// A quarter of a turn in three floats.
const (
	quarter, quarterRest, quarterLast = 0x1.921fb6p+0, -0x1.777a5cp-25, -0x1.ee59dap-50
	quartersOfOne                     = 0x1.45f306p-1 // quarters of a turn in 1
)

// reduce subtracts quarter turns from an angle. It returns the rest, at most an eighth of a turn, and the number of
// quarters.
func (p *preciser) reduce(x *ir.Value) []*ir.Value {
	n := p.op(isa.RoundEven, isa.F32, p.mul(x, p.float(quartersOfOne)))
	r := p.fma(n, p.float(-quarter), x)
	r = p.fma(n, p.float(-quarterRest), r)
	r = p.fma(n, p.float(-quarterLast), r)
	return []*ir.Value{r, p.from(isa.FToS, isa.I32, n)}
}

// inverseQuarter holds the first 224 bits after the binary point of 2/pi, the number of quarter turns in 1, the lowest
// words first.
var inverseQuarter = [...]uint64{0xfe5163ab, 0x3c439041, 0xdb629599, 0xf534ddc0, 0xfc2757d1, 0x4e441529, 0xa2f9836e}

// reduceLarge is reduce in integers (M. Payne, R. Hanek, 1983): it multiplies the significand by 224 bits, and keeps
// the bits around the binary point.
func (p *preciser) reduceLarge(x *ir.Value) []*ir.Value {
	word := p.bits(isa.I32, x)
	significand := p.op(isa.Or, isa.I32, p.op(isa.And, isa.I32, word, p.word(1<<23-1)), p.word(1<<23))
	product := p.timesInverse(significand)
	shift := p.op(isa.ISub, isa.I32, p.op(isa.Shr, isa.I32, word, p.word(23)), p.word(120))
	top := p.shifted(product, shift)
	turns := p.op(isa.Shr, isa.I32, top[0], p.word(30))
	// The nearest quarter: round up by half, and set the sign of the rest.
	half := p.op(isa.BitFieldUExtract, isa.I32, top[0], p.word(29), p.word(1))
	turns = p.op(isa.IAdd, isa.I32, turns, half)
	flip := p.op(isa.ISub, isa.I32, p.word(0), half)
	high := p.op(isa.Xor, isa.I32, p.join(top[0], top[1], 2), flip)
	low := p.op(isa.Xor, isa.I32, p.join(top[1], top[2], 2), flip)
	return []*ir.Value{p.fraction(high, low, half), turns}
}

// timesInverse returns the words of the product, the lowest first.
func (p *preciser) timesInverse(n *ir.Value) (words []*ir.Value) {
	wide := func(x *ir.Value) *ir.Value { return p.from(isa.UConvert, isa.I64, x) }
	factor, carry := wide(n), p.constant(isa.I64, 0)
	for _, w := range inverseQuarter {
		sum := p.op(isa.IAdd, isa.I64, p.op(isa.IMul, isa.I64, factor, p.constant(isa.I64, w)), carry)
		words = append(words, p.half(isa.Lo32, sum))
		carry = wide(p.half(isa.Hi32, sum))
	}
	return append(words, p.half(isa.Lo32, carry))
}

// shifted returns the upper three of eight words after a shift to the left by up to 134 bits.
func (p *preciser) shifted(words []*ir.Value, by *ir.Value) []*ir.Value {
	top := []*ir.Value{words[7], words[6], words[5], words[4], words[3], words[2], words[1], words[0]}
	for _, skip := range []int{2, 1, 1} {
		far := p.op(isa.ULt, isa.I32, p.word(uint64(32*skip-1)), by)
		for i := range len(top) - skip {
			top[i] = p.choose(far, top[i+skip], top[i])
		}
		top = top[:len(top)-skip]
		by = p.op(isa.ISub, isa.I32, by, p.choose(far, p.word(uint64(32*skip)), p.word(0)))
	}
	shifted := make([]*ir.Value, 3)
	for i := range shifted {
		pair := p.op(isa.Pack64, isa.I64, top[i+1], top[i])
		v := p.f.NewValue(isa.Shl, isa.I64, isa.I64, pair, p.from(isa.UConvert, isa.I64, by))
		shifted[i] = p.half(isa.Hi32, p.add(v))
	}
	return shifted
}

// join returns 32 bits of two words, starting below the highest bit.
func (p *preciser) join(high, low *ir.Value, from uint64) *ir.Value {
	return p.op(isa.Or, isa.I32, p.op(isa.Shl, isa.I32, high, p.word(from)), p.op(isa.Shr, isa.I32, low, p.word(32-from)))
}

// fraction converts a fraction of a quarter turn, in 64 bits, to an angle, computed as a sum of two floats. It is
// negative if half is one.
func (p *preciser) fraction(high, low, half *ir.Value) *ir.Value {
	zeros := p.op(isa.ISub, isa.I32, p.word(31), p.op(isa.FindUMsb, isa.I32, high))
	pair := p.op(isa.Shl, isa.I64, p.op(isa.Pack64, isa.I64, low, high), p.from(isa.UConvert, isa.I64, zeros))
	high, low = p.half(isa.Hi32, pair), p.half(isa.Lo32, pair)
	scaled := func(bits *ir.Value, weight uint64) *ir.Value {
		return p.op(isa.Ldexp, isa.F32, p.from(isa.UToF, isa.F32, bits), p.op(isa.ISub, isa.I32, p.word(-weight&(1<<32-1)), zeros))
	}
	first := scaled(p.op(isa.Shr, isa.I32, high, p.word(8)), 24)
	rest := scaled(p.join(high, low, 24), 56)
	h := p.mul(first, p.float(quarter))
	t := p.fma(first, p.float(quarter), p.neg(h))
	t = p.fma(first, p.float(quarterRest), t)
	t = p.fma(rest, p.float(quarter), t)
	sign := p.op(isa.Shl, isa.I32, half, p.word(31))
	return p.bits(isa.F32, p.op(isa.Xor, isa.I32, p.bits(isa.I32, p.plus(h, t)), sign))
}

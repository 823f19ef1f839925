package opt

import (
	"math"

	"spvsim/isa"
	"spvsim/program/ir"
)

// precise replaces operations on f32 whose instructions are approximations, or do not cover all numbers, by sequences
// as in builds of HIP and OpenCL: division and square roots rounded as in IEEE 754 (LLVM's LowerFDIV32 and
// lowerFSQRTF32), exponentials and logarithms for all numbers (lowerFEXP, lowerFLOG), and sin, cos and pow as in ROCm's
// device libraries: by reduction to an eighth of a turn and polynomials, and by a logarithm in two floats. The
// polynomials are minimax polynomials of the same degrees, computed for this package.
func precise(f *ir.Func, o Options) bool {
	if !o.Precise && !f.Kernel {
		return false
	}
	p := &preciser{newExpander(f, o)}
	p.exact = true
	return p.run(p.expansion)
}

type preciser struct{ *expander }

var preciseOps = map[isa.Op]func(p *preciser, args []*ir.Value) *ir.Value{
	isa.FDiv: func(p *preciser, a []*ir.Value) *ir.Value { return p.divide(a[0], a[1]) },
	isa.Sqrt: func(p *preciser, a []*ir.Value) *ir.Value { return p.squareRoot(a[0]) },
	isa.Exp:  func(p *preciser, a []*ir.Value) *ir.Value { return p.exp(a[0]) },
	isa.Exp2: func(p *preciser, a []*ir.Value) *ir.Value { return p.exp2(a[0]) },
	isa.Log:  func(p *preciser, a []*ir.Value) *ir.Value { return p.log(a[0]) },
	isa.Log2: func(p *preciser, a []*ir.Value) *ir.Value { return p.log2(a[0]) },
	isa.Pow:  func(p *preciser, a []*ir.Value) *ir.Value { return p.pow(a[0], a[1]) },
	isa.Sin:  func(p *preciser, a []*ir.Value) *ir.Value { return p.circular(a[0], false) },
	isa.Cos:  func(p *preciser, a []*ir.Value) *ir.Value { return p.circular(a[0], true) },
}

func (p *preciser) expansion(v *ir.Value) (expand func(v *ir.Value) *ir.Value, branches bool) {
	how := preciseOps[v.Op]
	if how == nil || v.T != isa.F32 || v.Native {
		return nil, false
	}
	return func(v *ir.Value) *ir.Value { return how(p, v.Args) }, v.Op == isa.Sin || v.Op == isa.Cos
}

// Operations on f32 and words, by short names, as the formulas below are long.

func (p *preciser) float(x float64) *ir.Value {
	return p.constant(isa.F32, uint64(math.Float32bits(float32(x))))
}
func (p *preciser) word(n uint64) *ir.Value             { return p.constant(isa.I32, n) }
func (p *preciser) mul(a, b *ir.Value) *ir.Value        { return p.op(isa.FMul, isa.F32, a, b) }
func (p *preciser) plus(a, b *ir.Value) *ir.Value       { return p.op(isa.FAdd, isa.F32, a, b) }
func (p *preciser) minus(a, b *ir.Value) *ir.Value      { return p.op(isa.FSub, isa.F32, a, b) }
func (p *preciser) fma(a, b, c *ir.Value) *ir.Value     { return p.op(isa.Fma, isa.F32, a, b, c) }
func (p *preciser) neg(a *ir.Value) *ir.Value           { return p.op(isa.FNeg, isa.F32, a) }
func (p *preciser) abs(a *ir.Value) *ir.Value           { return p.op(isa.FAbs, isa.F32, a) }
func (p *preciser) lessThan(a, b *ir.Value) *ir.Value   { return p.op(isa.FOrdLt, isa.F32, a, b) }
func (p *preciser) choose(is, a, b *ir.Value) *ir.Value { return p.op(isa.Select, a.R, is, a, b) }

// is reports that x is of one of the kinds.
func (p *preciser) is(x *ir.Value, kinds uint64) *ir.Value {
	v := p.f.NewValue(isa.FClass, isa.F32, isa.Bool, x)
	v.Imm = kinds
	return p.add(v)
}

// bits returns x as another type of 32 bits.
func (p *preciser) bits(t isa.Type, x *ir.Value) *ir.Value {
	v := p.f.NewValue(isa.Mov, t, t, x)
	return p.add(v)
}

func (p *preciser) polynomial(x *ir.Value, highest ...float64) *ir.Value {
	sum := p.float(highest[0])
	for _, c := range highest[1:] {
		sum = p.fma(x, sum, p.float(c))
	}
	return sum
}

// divide returns n/d: a quotient of scaled operands from a reciprocal, corrected twice.
func (p *preciser) divide(n, d *ir.Value) *ir.Value {
	scaledD, scaledN := p.op(isa.DivScale, isa.F32, d, d, n), p.op(isa.DivScale, isa.F32, n, d, n)
	back := p.op(isa.DivScaled, isa.F32, d, n)
	minusD := p.neg(scaledD)
	r := p.op(isa.Rcp, isa.F32, scaledD)
	r = p.fma(p.fma(minusD, r, p.float(1)), r, r)
	q := p.mul(scaledN, r)
	q = p.fma(p.fma(minusD, q, scaledN), r, q)
	q = p.op(isa.DivFmas, isa.F32, p.fma(minusD, q, scaledN), r, q, back)
	return p.op(isa.DivFixup, isa.F32, q, d, n)
}

// squareRoot takes the neighbour of the instruction's result that is nearest.
func (p *preciser) squareRoot(x *ir.Value) *ir.Value {
	small := p.lessThan(x, p.float(0x1p-96))
	x = p.choose(small, p.mul(x, p.float(0x1p32)), x)
	s := p.op(isa.Sqrt, isa.F32, x)
	next := func(by uint64) *ir.Value {
		return p.bits(isa.F32, p.op(isa.IAdd, isa.I32, p.bits(isa.I32, s), p.word(by)))
	}
	down, up := next(1<<32-1), next(1)
	tooLarge := p.op(isa.FOrdLe, isa.F32, p.fma(p.neg(down), s, x), p.float(0))
	tooSmall := p.lessThan(p.float(0), p.fma(p.neg(up), s, x))
	s = p.choose(tooSmall, up, p.choose(tooLarge, down, s))
	s = p.choose(small, p.mul(s, p.float(0x1p-16)), s)
	return p.choose(p.is(x, isa.FClassZero|isa.FClassPlus), x, s)
}

// Constants in two floats: the second is the rounding error of the first.
const (
	log2OfE, log2OfERest = 0x1.715476p+0, 0x1.4ae0cp-26
	ln2, ln2Rest         = 0x1.62e42ep-1, 0x1.efa39ep-25
)

func (p *preciser) exp(x *ir.Value) *ir.Value {
	high := p.mul(x, p.float(log2OfE))
	low := p.fma(x, p.float(log2OfERest), p.fma(x, p.float(log2OfE), p.neg(high)))
	whole := p.op(isa.RoundEven, isa.F32, high)
	e := p.op(isa.Exp2, isa.F32, p.plus(p.minus(high, whole), low))
	e = p.op(isa.Ldexp, isa.F32, e, p.from(isa.FToS, isa.I32, whole))
	return p.inRange(x, e, -0x1.9d1dap+6, 0x1.62e43p+6)
}

// inRange returns e, the exponential of x, or 0 where x is below least and infinity where it is above most.
func (p *preciser) inRange(x, e *ir.Value, least, most float64) *ir.Value {
	e = p.choose(p.lessThan(x, p.float(least)), p.float(0), e)
	return p.choose(p.lessThan(p.float(most), x), p.float(math.Inf(1)), e)
}

// exp2 keeps results from being subnormal before the last step, as the instruction has none.
func (p *preciser) exp2(x *ir.Value) *ir.Value {
	small := p.lessThan(x, p.float(-126))
	e := p.op(isa.Exp2, isa.F32, p.plus(x, p.choose(small, p.float(64), p.float(0))))
	return p.mul(e, p.choose(small, p.float(0x1p-64), p.float(1)))
}

// scaledLog2 returns the binary logarithm of x. A subnormal x, which the instruction flushes to 0, is scaled by 2^32,
// and small is set.
func (p *preciser) scaledLog2(x *ir.Value) (log, small *ir.Value) {
	small = p.lessThan(x, p.float(0x1p-126))
	x = p.mul(x, p.choose(small, p.float(0x1p32), p.float(1)))
	return p.op(isa.Log2, isa.F32, x), small
}

func (p *preciser) log2(x *ir.Value) *ir.Value {
	log, small := p.scaledLog2(x)
	return p.minus(log, p.choose(small, p.float(32), p.float(0)))
}

func (p *preciser) log(x *ir.Value) *ir.Value {
	y, small := p.scaledLog2(x)
	high := p.mul(y, p.float(ln2))
	low := p.fma(y, p.float(ln2Rest), p.fma(y, p.float(ln2), p.neg(high)))
	log := p.choose(p.lessThan(p.abs(y), p.float(math.Inf(1))), p.plus(high, low), y)
	return p.minus(log, p.choose(small, p.float(32*math.Ln2), p.float(0)))
}

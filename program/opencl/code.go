package opencl

import (
	"math"

	"spvsim/isa"
	"spvsim/program/ir"
)

// code emits operations on components of one type, by short names, as the formulas are long. None of them is fused with
// another unless it says so: sums in two floats depend on each rounding.
type code struct {
	Emitter
	t      isa.Type // of the first operand
	result isa.Type
}

type value = *ir.Value

func (c code) emit(op isa.Op, t isa.Type, args ...value) value {
	v := c.Emit(op, t, isa.Void, 0, args...)
	v.NoContract = true
	return v
}

func (c code) op(op isa.Op, args ...value) value { return c.emit(op, c.t, args...) }

// native emits an operation that stays the machine's instruction.
func (c code) native(op isa.Op, args ...value) value {
	v := c.op(op, args...)
	v.Native = true
	return v
}

func (c code) convert(op isa.Op, to isa.Type, x value) value { return c.Emit(op, to, x.R, 0, x) }

// bits returns x as another type of the same width.
func (c code) bits(t isa.Type, x value) value {
	if x.R == t {
		return x
	}
	return c.emit(isa.Mov, t, x)
}

// integer returns the bits of x as an integer.
func (c code) integer(x value) value { return c.bits(isa.IntType(x.R.Bits()), x) }

func (c code) f(x float64) value { return c.Constant(c.t, isa.FloatBits(c.t, x)) }

// n returns an integer constant of the components' width.
func (c code) n(x uint64) value { return c.Constant(c.integerType(), x) }

func (c code) integerType() isa.Type          { return isa.IntType(c.t.Bits()) }
func (c code) word(x int64) value             { return c.Constant(isa.I32, uint64(x)&(1<<32-1)) }
func (c code) long(x uint64) value            { return c.Constant(isa.I64, x) }
func (c code) add(a, b value) value           { return c.op(isa.FAdd, a, b) }
func (c code) sub(a, b value) value           { return c.op(isa.FSub, a, b) }
func (c code) mul(a, b value) value           { return c.op(isa.FMul, a, b) }
func (c code) div(a, b value) value           { return c.op(isa.FDiv, a, b) }
func (c code) fma(a, b, d value) value        { return c.op(isa.Fma, a, b, d) }
func (c code) neg(a value) value              { return c.op(isa.FNeg, a) }
func (c code) abs(a value) value              { return c.op(isa.FAbs, a) }
func (c code) sqrt(a value) value             { return c.op(isa.Sqrt, a) }
func (c code) times(a value, x float64) value { return c.mul(a, c.f(x)) }
func (c code) ldexp(a, n value) value         { return c.op(isa.Ldexp, a, n) }

func (c code) less(a, b value) value          { return c.compare(isa.FOrdLt, a, b) }
func (c code) lessEqual(a, b value) value     { return c.compare(isa.FOrdLe, a, b) }
func (c code) equal(a, b value) value         { return c.compare(isa.FOrdEq, a, b) }
func (c code) below(a value, x float64) value { return c.less(a, c.f(x)) }
func (c code) above(a value, x float64) value { return c.less(c.f(x), a) }
func (c code) is(a value, x float64) value    { return c.equal(a, c.f(x)) }

// compare compares by the type of the first operand.
func (c code) compare(op isa.Op, a ...value) value { return c.emit(op, a[0].R, a...) }

func (c code) isNaN(a value) value { return c.compare(isa.IsNan, a) }
func (c code) isInf(a value) value { return c.compare(isa.IsInf, a) }
func (c code) negative(a value) value {
	i := c.integer(a)
	return c.compare(isa.SLt, i, c.Constant(i.R, 0))
}
func (c code) and(a, b value) value { return c.emit(isa.And, isa.Bool, a, b) }
func (c code) or(a, b value) value  { return c.emit(isa.Or, isa.Bool, a, b) }
func (c code) xor(a, b value) value { return c.emit(isa.Xor, isa.Bool, a, b) }
func (c code) not(a value) value    { return c.emit(isa.Not, isa.Bool, a) }

func (c code) choose(is, a, b value) value { return c.emit(isa.Select, a.R, is, a, b) }

func (c code) infinity() value { return c.f(math.Inf(1)) }
func (c code) nan() value      { return c.f(math.NaN()) }

// signBit has the highest bit of the components set.
func (c code) signBit() value { return c.n(1 << (c.t.Bits() - 1)) }

// copySign returns the magnitude of x with the sign of y.
func (c code) copySign(x, y value) value {
	t := c.integerType()
	sign := c.emit(isa.And, t, c.integer(y), c.signBit())
	return c.bits(c.t, c.emit(isa.Or, t, c.emit(isa.And, t, c.integer(x), c.n(1<<(c.t.Bits()-1)-1)), sign))
}

// withNaN returns r, or x where that is a NaN.
func (c code) withNaN(r, x value) value { return c.choose(c.isNaN(x), x, r) }

// polynomial evaluates by Horner's rule; the coefficients start with that of the highest power.
func (c code) polynomial(x value, highest []float64) value {
	sum := c.f(highest[0])
	for _, a := range highest[1:] {
		sum = c.fma(x, sum, c.f(a))
	}
	return sum
}

// sum returns a+b in two floats, for any operands (D. Knuth's TwoSum).
func (c code) sum(a, b value) (high, low value) {
	high = c.add(a, b)
	part := c.sub(high, a)
	return high, c.add(c.sub(a, c.sub(high, part)), c.sub(b, part))
}

// quickSum returns a+b in two floats; b is the smaller (T. Dekker's Fast2Sum).
func (c code) quickSum(a, b value) (high, low value) {
	high = c.add(a, b)
	return high, c.sub(b, c.sub(high, a))
}

// product returns a*b in two floats.
func (c code) product(a, b value) (high, low value) {
	high = c.mul(a, b)
	return high, c.fma(a, b, c.neg(high))
}

// timesConstant returns a*x in two floats, for a constant in two floats.
func (c code) timesConstant(a value, x split) (high, low value) {
	h, l := c.split(x)
	high = c.mul(a, c.f(h))
	return high, c.fma(a, c.f(l), c.fma(a, c.f(h), c.neg(high)))
}

// A split is a constant as the exact sum of three doubles.
type split [3]float64

// split returns a constant in two floats.
func (c code) split(x split) (high, low float64) {
	if c.t == isa.F64 {
		return x[0], x[1]
	}
	high = float64(float32(x[0]))
	return high, float64(float32(x[0] - high + x[1]))
}

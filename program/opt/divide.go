package opt

import (
	"spvsim/isa"
	"spvsim/program/ir"
)

// divisions replaces divisions of integers, for which no AMD GPU has an instruction, by the sequences that LLVM's
// AMDGPU back end emits (AMDGPUCodeGenPrepare: expandDivRem32 and expandDivRem24; AMDGPUISelLowering: LowerUDIVREM64):
// an estimate by an f32 reciprocal, Newton steps in integers, corrections. Where buffers are descriptors, words of 64
// bits are divided as Mesa does. Subexpressions of the divisor are separate values, so that loops compute them once and
// a quotient and a remainder share them. Values must have their units (placement): for a uniform divisor the vector
// unit makes the estimate and the scalar unit computes the rest.
func divisions(f *ir.Func, o Options) bool {
	d := &divider{expander: newExpander(f, o)}
	return d.run(d.expansion)
}

type divider struct{ *expander }

// A division is the kind of an operation's result.
type division struct{ signed, remainder bool }

var divisionOps = map[isa.Op]division{
	isa.UDiv: {}, isa.UMod: {remainder: true},
	isa.SDiv: {signed: true}, isa.SRem: {signed: true, remainder: true}, isa.SMod: {signed: true, remainder: true},
}

// expansion returns the function that expands a value, nil if it is not expanded, and whether the expansion has
// branches.
func (d *divider) expansion(v *ir.Value) (expand func(v *ir.Value) *ir.Value, branches bool) {
	kind, ok := divisionOps[v.Op]
	if !ok || d.o.Divides != nil && d.o.Divides(v.Op, v.T) {
		return nil, false
	}
	return func(v *ir.Value) *ir.Value { return d.expand(kind, v.T, v.Args[0], v.Args[1]) }, d.byBits(v.T)
}

// byBits reports integers that are divided bit by bit.
func (d *divider) byBits(t isa.Type) bool { return t == isa.I64 && !d.o.SelectBuffers }

func (d *divider) expand(kind division, t isa.Type, x, y *ir.Value) *ir.Value {
	divide := d.inWords
	if t.Bits() < 32 {
		divide = d.inFloats
	}
	r := divide(kind, t, x, y)
	if d.source.Op == isa.SMod {
		r = d.signOfDivisor(t, r, y)
	}
	return r
}

// signOfDivisor adds the divisor to a remainder of the other sign.
func (d *divider) signOfDivisor(t isa.Type, r, y *ir.Value) *ir.Value {
	wrong := d.op(isa.And, isa.Bool,
		d.op(isa.SLt, t, d.op(isa.Xor, t, r, y), d.constant(t, 0)), d.op(isa.INe, t, r, d.constant(t, 0)))
	return d.op(isa.Select, t, wrong, d.op(isa.IAdd, t, r, y), r)
}

// inWords divides integers of 32 and 64 bits; signed ones as magnitudes.
func (d *divider) inWords(kind division, t isa.Type, x, y *ir.Value) *ir.Value {
	if !kind.signed {
		return d.unsigned(kind, t, x, y)
	}
	signX, x := d.magnitude(t, x)
	sign, y := d.magnitude(t, y)
	if sign = d.op(isa.Xor, t, signX, sign); kind.remainder {
		sign = signX
	}
	q := d.unsigned(kind, t, x, y)
	return d.op(isa.ISub, t, d.op(isa.Xor, t, q, sign), sign)
}

// magnitude returns the sign of x, all ones if negative, and its absolute value.
func (d *divider) magnitude(t isa.Type, x *ir.Value) (sign, abs *ir.Value) {
	if nonNegative(x, 0) {
		return d.constant(t, 0), x
	}
	sign = d.op(isa.Sar, t, x, d.constant(t, uint64(t.Bits()-1)))
	return sign, d.op(isa.Xor, t, d.op(isa.IAdd, t, x, sign), sign)
}

// nonNegative reports that x is known to have no sign: a constant, a remainder
// or a quotient of such values, bits that are masked or shifted away, a counter.
func nonNegative(x *ir.Value, depth int) bool {
	if depth > 4 {
		return false
	}
	positive := func(i int) bool { return nonNegative(x.Args[i], depth+1) }
	switch x.Op {
	case isa.Const:
		return signed(x.R, x.Imm) >= 0
	case isa.LocalIDX, isa.LocalIDY, isa.LocalIDZ, isa.LocalIndex, isa.LaneID, isa.SubgroupID:
		return true
	case isa.And:
		return positive(0) || positive(1)
	case isa.Shr:
		n := x.Args[1]
		return n.Op == isa.Const && n.Imm%uint64(x.T.Bits()) > 0 || positive(0)
	case isa.Sar, isa.SRem, isa.UDiv, isa.UMod:
		return positive(0)
	case isa.SMod:
		return positive(1)
	case isa.SDiv, isa.UMin, isa.SMin, isa.Or:
		return positive(0) && positive(1)
	case isa.UConvert:
		return x.T.Bits() > x.From.Bits()
	case isa.Phi:
		return counter(x, depth)
	}
	return false
}

// counter reports whether phi starts at a nonnegative number and is incremented by one while it is less than a limit,
// so that it can't wrap: the header's test is the only way into the body.
func counter(phi *ir.Value, depth int) bool {
	b := phi.Block
	if len(phi.Args) != 2 || b.Continue == nil || b.Term != ir.Cond || b.Cond.Op != isa.SLt || b.Cond.Args[0] != phi || b.Succs[0] == b.Merge || b.Succs[1] != b.Merge {
		return false
	}
	for i, a := range phi.Args {
		up := a.Op == isa.IAdd && a.Args[0] == phi && isConst(a.Args[1], 1)
		if up && a.Block != b {
			return nonNegative(phi.Args[1-i], depth+1)
		}
	}
	return false
}

// unsigned estimates the quotient from the reciprocal. The estimate is too small by at most two, and is corrected
// twice.
func (d *divider) unsigned(kind division, t isa.Type, x, y *ir.Value) *ir.Value {
	if d.byBits(t) {
		return d.inBits(kind, x, y)
	}
	one := d.constant(t, 1)
	q := d.op(isa.UMulHi, t, x, d.reciprocal(t, y))
	r := d.op(isa.ISub, t, x, d.op(isa.IMul, t, q, y))
	again := d.op(isa.ULe, t, y, r)
	q = d.op(isa.Select, t, again, d.op(isa.IAdd, t, q, one), q)
	r = d.op(isa.Select, t, again, d.op(isa.ISub, t, r, y), r)
	again = d.op(isa.ULe, t, y, r)
	if kind.remainder {
		return d.op(isa.DivSelect, t, again, d.op(isa.ISub, t, r, y), r, y)
	}
	return d.op(isa.DivSelect, t, again, d.op(isa.IAdd, t, q, one), q, y)
}

// reciprocal returns 2^32/y or 2^64/y, or slightly less. A Newton step z += z*(-y*z) doubles the number of correct
// bits, which is about 22 in the f32 estimate.
func (d *divider) reciprocal(t isa.Type, y *ir.Value) *ir.Value {
	estimate, steps := d.estimate32, 1
	if t == isa.I64 {
		estimate, steps = d.estimate64, 2
	}
	z, minus := estimate(y), d.op(isa.INeg, t, y)
	for range steps {
		z = d.op(isa.IAdd, t, z, d.op(isa.UMulHi, t, z, d.op(isa.IMul, t, minus, z)))
	}
	return z
}

// Factors of LLVM's estimates, slightly below the exact values, so that an estimate is never too large.
const (
	below2to32 = 0x4f7ffffe // f32: 2^32 - 512
	below2to64 = 0x5f7ffffc // f32: 2^64 - 2^42
	f2to32     = 0x4f800000
	minus2to32 = 0xcf800000
	f2toMinus  = 0x2f800000 // 2^-32
)

func (d *divider) estimate32(y *ir.Value) *ir.Value {
	inverse := d.op(isa.Rcp, isa.F32, d.from(isa.UToF, isa.F32, y))
	scaled := d.op(isa.FMul, isa.F32, inverse, d.constant(isa.F32, below2to32))
	return d.toUnit(y, d.from(isa.FToU, isa.I32, scaled))
}

func (d *divider) estimate64(y *ir.Value) *ir.Value {
	lo, hi := d.from(isa.UToF, isa.F32, d.half(isa.Lo32, y)), d.from(isa.UToF, isa.F32, d.half(isa.Hi32, y))
	inverse := d.op(isa.Rcp, isa.F32, d.op(isa.Fma, isa.F32, hi, d.constant(isa.F32, f2to32), lo))
	scaled := d.op(isa.FMul, isa.F32, inverse, d.constant(isa.F32, below2to64))
	high := d.op(isa.Trunc, isa.F32, d.op(isa.FMul, isa.F32, scaled, d.constant(isa.F32, f2toMinus)))
	low := d.op(isa.Fma, isa.F32, high, d.constant(isa.F32, minus2to32), scaled)
	return d.op(isa.Pack64, isa.I64, d.toUnit(y, d.from(isa.FToU, isa.I32, low)), d.toUnit(y, d.from(isa.FToU, isa.I32, high)))
}

// toUnit brings an estimate, which the vector unit computes, to where its
// divisor is.
func (d *divider) toUnit(y, z *ir.Value) *ir.Value {
	if !y.Uniform || d.o.ScalarFloat {
		return z
	}
	return d.op(isa.ToScalar, isa.I32, z)
}

// inFloats divides integers of 8 and 16 bits: the truncated quotient in f32 is right or too near to zero by one, which
// the remainder, exact in f32, shows.
func (d *divider) inFloats(kind division, t isa.Type, x, y *ir.Value) *ir.Value {
	toFloat, toInt := isa.UToF, isa.FToU
	if kind.signed {
		toFloat, toInt = isa.SToF, isa.FToS
	}
	fx, fy := d.from(toFloat, isa.F32, x), d.from(toFloat, isa.F32, y)
	fq := d.op(isa.Trunc, isa.F32, d.op(isa.FMul, isa.F32, fx, d.op(isa.Rcp, isa.F32, fy)))
	fr := d.op(isa.Fma, isa.F32, d.op(isa.FNeg, isa.F32, fq), fy, fx)
	again := d.op(isa.FOrdLe, isa.F32, d.op(isa.FAbs, isa.F32, fy), d.op(isa.FAbs, isa.F32, fr))
	q := d.from(isa.UConvert, t, d.from(toInt, isa.I32, fq))
	step := d.constant(t, 1)
	if kind.remainder {
		q, step = d.op(isa.ISub, t, x, d.op(isa.IMul, t, q, y)), d.op(isa.INeg, t, y)
	}
	more := d.op(isa.IAdd, t, q, step)
	if kind.signed { // away from zero: by the sign of the quotient
		sign := d.op(isa.Sar, t, d.op(isa.Xor, t, x, y), d.constant(t, uint64(t.Bits()-1)))
		step = d.op(isa.ISub, t, d.op(isa.Xor, t, step, sign), sign)
		more = d.op(isa.IAdd, t, q, step)
	}
	return d.onUnit(d.op(isa.DivSelect, t, again, more, q, y))
}

// onUnit brings a result of the vector unit to the scalar unit where the
// division was there.
func (d *divider) onUnit(v *ir.Value) *ir.Value {
	if !d.source.Uniform || d.o.ScalarFloat {
		return v
	}
	return d.op(isa.ToScalar, v.R, v)
}

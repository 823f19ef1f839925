package opt

import (
	"spvsim/isa"
	"spvsim/program/ir"
)

// inBits divides words of 64 bits as Mesa does (nir_lower_int64): one bit of the quotient at a time, from the highest.
// The quotient's upper word is other than zero only where the divisor's is zero and the dividend's is at least the
// divisor's lower one; a branch leads past it elsewhere.
func (d *divider) inBits(kind division, x, y *ir.Value) *ir.Value {
	zero := d.constant(isa.I32, 0)
	low, high := d.half(isa.Lo32, x), d.half(isa.Hi32, x)
	lowY, highY := d.half(isa.Lo32, y), d.half(isa.Hi32, y)
	large := d.op(isa.And, isa.Bool, d.op(isa.IEq, isa.I32, highY, zero), d.op(isa.ULe, isa.I32, lowY, high))
	upper := d.ifThen(large, []*ir.Value{high, zero}, func() []*ir.Value {
		b := d.newLong(isa.I32, high, lowY, zero, lowY)
		b.run(31, 0)
		return []*ir.Value{b.remainder, b.quotient}
	})
	b := d.newLong(isa.I64, d.op(isa.Pack64, isa.I64, low, upper[0]), y, zero, highY)
	b.run(31, 1)
	return d.lastBit(kind, b, upper[1], y)
}

// A longDivision is the state of a long division: a word of the quotient, and the remainder so far.
type longDivision struct {
	d                  *divider
	t                  isa.Type // of the dividend and the divisor
	remainder, divisor *ir.Value
	quotient           *ir.Value
	highest            *ir.Value // highest set bit of the divisor's upper word
}

func (d *divider) newLong(t isa.Type, rest, divisor, quotient, upper *ir.Value) *longDivision {
	return &longDivision{d: d, t: t, remainder: rest, divisor: divisor, quotient: quotient, highest: d.op(isa.FindUMsb, isa.I32, upper)}
}

// run finds the bits from one down to another.
func (b *longDivision) run(from, to int) {
	for i := from; i >= to; i-- {
		shifted := b.d.op(isa.Shl, b.t, b.divisor, b.d.constant(b.t, uint64(i)))
		fits := b.d.op(isa.ULe, b.t, shifted, b.remainder)
		if i > 0 { // else no bit is shifted out
			fits = b.d.op(isa.And, isa.Bool, fits, b.d.op(isa.SLe, isa.I32, b.highest, b.d.constant(isa.I32, uint64(31-i))))
		}
		b.remainder = b.d.op(isa.Select, b.t, fits, b.d.op(isa.ISub, b.t, b.remainder, shifted), b.remainder)
		b.quotient = b.d.op(isa.Select, isa.I32, fits, b.d.op(isa.Or, isa.I32, b.quotient, b.d.constant(isa.I32, 1<<i)), b.quotient)
	}
}

// lastBit takes the last step, with the result for a divisor of zero.
func (d *divider) lastBit(kind division, b *longDivision, upper, y *ir.Value) *ir.Value {
	fits := d.op(isa.ULe, isa.I64, y, b.remainder)
	if kind.remainder {
		return d.op(isa.DivSelect, isa.I64, fits, d.op(isa.ISub, isa.I64, b.remainder, y), b.remainder, y)
	}
	whole := func(low *ir.Value) *ir.Value { return d.op(isa.Pack64, isa.I64, low, upper) }
	more := d.op(isa.Or, isa.I32, b.quotient, d.constant(isa.I32, 1))
	return d.op(isa.DivSelect, isa.I64, fits, whole(more), whole(b.quotient), y)
}

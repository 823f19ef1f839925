package frontend

import (
	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/spirv"
	"spvsim/spirv/validate"
)

// The integer dot products of SPV_KHR_integer_dot_product.

// A dotForm is a dot product by the signs of its operands, with its operations on words of four bytes and of two
// halves, plain and saturating. No GPU of AMD multiplies halves of mixed signs.
type dotForm struct {
	signedX, signedY bool
	four, two        isa.Op
	fourSat, twoSat  isa.Op
}

var (
	signedDot   = dotForm{true, true, isa.SDot4, isa.SDot2, isa.SDot4Sat, isa.SDot2Sat}
	unsignedDot = dotForm{false, false, isa.UDot4, isa.UDot2, isa.UDot4Sat, isa.UDot2Sat}
	mixedDot    = dotForm{true, false, isa.SUDot4, isa.Nop, isa.SUDot4Sat, isa.Nop}
)

// A wordDot is a dot product of words, whose contents the operations determine.
type wordDot struct {
	x, y         *ir.Value
	op, saturate isa.Op
}

// intDot translates a dot product. Sums wrap at the result's width, except for the addition of an accumulator, which
// saturates.
func (b *maths) intDot(form dotForm, saturate bool) {
	t := b.comp(b.resultType())
	w, ok := b.wordDot(form, t)
	if ok && saturate && t == isa.I32 {
		b.set(b.op(w.saturate, t, w.x, w.y, b.scalarOf(b.arg(2))))
		return
	}
	var sum *ir.Value
	if ok {
		sum = b.op(w.op, isa.I32, w.x, w.y, b.i32(0))
		sum = b.extend([]*ir.Value{sum}, t, form.signedX)[0]
	} else {
		sum = b.dotOfParts(form, t)
	}
	switch {
	case saturate && form.signedX:
		sum = b.addSaturated(t, sum, b.scalarOf(b.arg(2)))
	case saturate:
		sum = b.addSaturatedUnsigned(t, sum, b.scalarOf(b.arg(2)))
	}
	b.set(sum)
}

// wordDot finds the operation on words with the components and the result of the instruction, if there is one. Four
// products of bytes fit in 32 bits; two products of halves may not, so a wider sum of those is computed from parts.
func (b *maths) wordDot(form dotForm, t isa.Type) (w wordDot, ok bool) {
	x, y := b.arg(0), b.arg(1)
	if b.typeOf(x).Kind == validate.KindInt {
		return wordDot{b.scalarOf(x), b.scalarOf(y), form.four, form.fourSat}, true
	}
	parts := b.leaves(x)
	switch {
	case len(parts) == 4 && parts[0].R == isa.I8:
		return wordDot{b.wordOf(isa.Pack8, x), b.wordOf(isa.Pack8, y), form.four, form.fourSat}, true
	case len(parts) == 2 && parts[0].R == isa.I16 && t.Bits() <= 32 && form.two != isa.Nop:
		return wordDot{b.wordOf(isa.Pack16, x), b.wordOf(isa.Pack16, y), form.two, form.twoSat}, true
	}
	return w, false
}

// wordOf packs a vector into one register.
func (b *maths) wordOf(op isa.Op, id spirv.ID) *ir.Value {
	return b.op(op, isa.I32, b.leaves(id)...)
}

// dotOfParts multiplies and adds component by component.
func (b *maths) dotOfParts(form dotForm, t isa.Type) *ir.Value {
	x := b.extend(b.leaves(b.arg(0)), t, form.signedX)
	y := b.extend(b.leaves(b.arg(1)), t, form.signedY)
	products := b.zip([][]*ir.Value{x, y}, func(a []*ir.Value) *ir.Value { return b.op(isa.IMul, t, a[0], a[1]) })
	return b.join(isa.IAdd, products)
}

package opt

import (
	"spvsim/isa"
	"spvsim/program/ir"
)

// dots replaces dot products of bytes where the machine has no instruction for them and buffers are descriptors. As
// Mesa (nir_opt_algebraic), it extracts the bytes, which products may share, multiplies them and adds the products in
// pairs.
func dots(f *ir.Func, o Options) bool {
	if o.SelectBuffers || o.Native == nil {
		return false
	}
	d := &dotter{newExpander(f, o)}
	return d.run(d.expansion)
}

type dotter struct{ *expander }

// A byteDot is the kind of a dot product: which operands are signed, and whether the sum saturates.
type byteDot struct{ signedA, signedB, saturates bool }

var byteDots = map[isa.Op]byteDot{
	isa.SDot4: {true, true, false}, isa.UDot4: {}, isa.SUDot4: {true, false, false},
	isa.SDot4Sat: {true, true, true}, isa.UDot4Sat: {false, false, true}, isa.SUDot4Sat: {true, false, true},
}

func (d *dotter) expansion(v *ir.Value) (expand func(v *ir.Value) *ir.Value, branches bool) {
	kind, ok := byteDots[v.Op]
	if !ok || d.o.Native(v.Op) {
		return nil, false
	}
	return func(v *ir.Value) *ir.Value { return d.expand(kind, v.Args[0], v.Args[1], v.Args[2]) }, false
}

func (d *dotter) expand(kind byteDot, a, b, c *ir.Value) *ir.Value {
	product := isa.UMul24
	if kind.signedA || kind.signedB {
		product = isa.IMul
	}
	var p [4]*ir.Value
	for i := range p {
		p[i] = d.op(product, isa.I32, d.byteOf(a, uint64(i), kind.signedA), d.byteOf(b, uint64(i), kind.signedB))
	}
	sum := d.op(isa.IAdd, isa.I32, d.op(isa.IAdd, isa.I32, p[0], p[1]), d.op(isa.IAdd, isa.I32, p[2], p[3]))
	switch {
	case !kind.saturates:
		return d.op(isa.IAdd, isa.I32, sum, c)
	case kind.signedA:
		return d.addSigned(sum, c)
	}
	more := d.op(isa.IAdd, isa.I32, sum, c)
	return d.op(isa.Select, isa.I32, d.op(isa.ULt, isa.I32, more, sum), d.constant(isa.I32, 1<<32-1), more)
}

// addSigned returns x + y, clamped to the range of 32 bits.
func (d *dotter) addSigned(x, y *ir.Value) *ir.Value {
	const least, most = 1 << 31, 1<<31 - 1
	sum := d.op(isa.IAdd, isa.I32, x, y)
	up := d.op(isa.Select, isa.I32, d.op(isa.SLt, isa.I32, sum, x), d.constant(isa.I32, most), sum)
	down := d.op(isa.Select, isa.I32, d.op(isa.SLt, isa.I32, x, sum), d.constant(isa.I32, least), sum)
	return d.op(isa.Select, isa.I32, d.op(isa.SLe, isa.I32, d.constant(isa.I32, 1), y), up, down)
}

// byteOf returns the i-th byte of a word, extended to a word.
func (d *dotter) byteOf(x *ir.Value, i uint64, signed bool) *ir.Value {
	field, shift := isa.BitFieldUExtract, isa.Shr
	if signed {
		field, shift = isa.BitFieldSExtract, isa.Sar
	}
	if i == 3 {
		return d.op(shift, isa.I32, x, d.constant(isa.I32, 24))
	}
	return d.op(field, isa.I32, x, d.constant(isa.I32, 8*i), d.constant(isa.I32, 8))
}

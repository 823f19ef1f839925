package frontend

import (
	"spvsim/internal/lists"
	"spvsim/isa"
	"spvsim/program/ir"
)

// multiplyInLanes multiplies tiles without a matrix unit. Each lane holds a column of B and some rows of the sum in it, and
// takes the row of A for an element of the sum from the lane that holds it. The result equals that of the matrix
// instructions in every bit: see isa.
func (b *matrices) multiplyInLanes(x, y, z *coop, imm isa.MatrixImm, p, q, sum []*ir.Value) []*ir.Value {
	lane := b.onceOne(func() *ir.Value { return b.emit(isa.LaneID, isa.I32, isa.I32) })
	group := b.op(isa.Shr, isa.I32, lane, b.i32(4))
	out := make([]*ir.Value, len(sum))
	for e := range out {
		row := group
		if z.Step[0] != 1 {
			row = b.op(isa.IMul, isa.I32, group, b.i32(uint32(z.Step[0])))
		}
		row = b.op(isa.IAdd, isa.I32, row, b.i32(uint32(z.Offsets[e])))
		out[e] = b.dotInLanes(x, y, z, imm, b.fromLane(p, row), q, sum[e])
	}
	return out
}

// fromLane returns the values of another lane.
func (b *matrices) fromLane(list []*ir.Value, lane *ir.Value) []*ir.Value {
	return lists.Map(list, func(v *ir.Value) *ir.Value { return b.emit(isa.Shuffle, v.R, v.R, v, lane) })
}

// dotInLanes adds the products of a row and a column to an element.
func (b *matrices) dotInLanes(x, y, z *coop, imm isa.MatrixImm, p, q []*ir.Value, sum *ir.Value) *ir.Value {
	if !z.elem.IsFloat() {
		return b.bytesInLanes(x, y, imm, p, q, sum)
	}
	wide := isa.F32
	if z.elem == isa.F64 {
		wide = isa.F64
	}
	total := b.floatTo(sum, wide)
	if x.elem == isa.F16 && y.elem == isa.F16 && wide == isa.F32 {
		for i := range p {
			total = b.op2(isa.FDot2, wide, p[i], q[i], total)
		}
		return b.floatTo(total, z.elem)
	}
	a, c := b.unpack(x, p), b.unpack(y, q)
	for k := range x.Depth {
		total = b.op(isa.Fma, wide, b.floatTo(a[k], wide), b.floatTo(c[k], wide), total)
	}
	return b.floatTo(total, z.elem)
}

// op2 emits an operation whose sources are of other types than its result.
func (b *matrices) op2(op isa.Op, t isa.Type, args ...*ir.Value) *ir.Value {
	return b.emit(op, t, t, args...)
}

// bytesInLanes is dotInLanes for integers.
func (b *matrices) bytesInLanes(x, y *coop, imm isa.MatrixImm, p, q []*ir.Value, sum *ir.Value) *ir.Value {
	if x.elem != isa.I8 || y.elem != isa.I8 || sum.R != isa.I32 {
		b.unsupported("products of %s and %s to %s in lanes", x.elem, y.elem, sum.R)
	}
	total := sum
	if imm.Saturate {
		total = b.i32(0)
	}
	for i := range p {
		total = b.dotOfBytes(imm, p[i], q[i], total)
	}
	if !imm.Saturate {
		return total
	}
	both := b.extend([]*ir.Value{sum}, isa.I64, imm.Total)
	wide := b.op(isa.IAdd, isa.I64, both[0], b.conv(isa.SConvert, isa.I32, isa.I64, total))
	return b.clampTotal(wide, imm.Total)
}

// dotOfBytes adds the products of the bytes of two registers.
func (b *matrices) dotOfBytes(imm isa.MatrixImm, x, y, total *ir.Value) *ir.Value {
	switch {
	case imm.SignedA && imm.SignedB:
		return b.op(isa.SDot4, isa.I32, x, y, total)
	case imm.SignedA:
		return b.op(isa.SUDot4, isa.I32, x, y, total)
	case imm.SignedB:
		return b.op(isa.SUDot4, isa.I32, y, x, total)
	}
	return b.op(isa.UDot4, isa.I32, x, y, total)
}

// clampTotal holds a 64-bit sum, which may be negative, in the range of 32 bits.
func (b *matrices) clampTotal(v *ir.Value, signed bool) *ir.Value {
	low, high := uint64(0), uint64(1<<32-1)
	if signed {
		low, high = ^uint64(1<<31-1), 1<<31-1
	}
	v = b.op(isa.SMax, isa.I64, v, b.constant(isa.I64, low))
	v = b.op(isa.SMin, isa.I64, v, b.constant(isa.I64, high))
	return b.conv(isa.UConvert, isa.I64, isa.I32, v)
}

package opt

import (
	"testing"

	"spvsim/isa"
	"spvsim/program/ir"
)

// floats are three words of a buffer, each lane's own.
func (b *builder) floats() (lane *ir.Value, x [3]*ir.Value) {
	lane = b.op(isa.Shl, isa.I32, b.op(isa.LocalIDX, isa.I32), b.c(4))
	for i := range x {
		m := word(0)
		m.Elem, m.Offset, m.ReadOnly = isa.F32, 4*uint32(i), true
		x[i] = b.load(m, lane)
	}
	return lane, x
}

func (b *builder) keep(binding int, lane, v *ir.Value) {
	m := word(binding)
	m.Elem = isa.F32
	b.store(m, lane, v)
}

// Two products of the same numbers become one, which an addition takes in if both of them allow it.
func TestEqualProductsContractIfBothMay(t *testing.T) {
	for _, c := range []struct {
		first, second bool // may not be taken in
		fma           int
	}{{false, false, 2}, {true, false, 0}, {false, true, 0}, {true, true, 0}} {
		b := newBuilder(t)
		lane, x := b.floats()
		for i, forbidden := range []bool{c.first, c.second} {
			product := b.op(isa.FMul, isa.F32, x[0], x[1])
			product.NoContract = forbidden
			b.keep(1+i, lane, b.op(isa.FAdd, isa.F32, product, x[1+i]))
		}
		b.ret()
		Run(b.f, Options{})
		if n := count(b.f, isa.Fma); n != c.fma || count(b.f, isa.FMul) > 1 {
			t.Errorf("%+v: %d multiplications with addition, want %d\n%s", c, n, c.fma, printed(b.f))
		}
	}
}

// The products of two sides of a branch become one, likewise.
func TestProductsOfTwoSidesContractIfBothMay(t *testing.T) {
	for _, c := range []struct {
		yes, no bool
		fma     int
	}{{false, false, 1}, {true, false, 0}, {false, true, 0}} {
		b := newBuilder(t)
		b.f.Bindings = []ir.Binding{{Count: 1}, {Count: 1, Writes: true}}
		bs := b.blocks(3)
		lane, x := b.floats()
		b.cond(b.op(isa.ULt, isa.I32, lane, b.c(320)), bs[0], bs[1], bs[2])
		var products []*ir.Value
		for i, forbidden := range []bool{c.yes, c.no} {
			b.at(bs[i])
			m := word(0)
			m.Elem, m.Offset, m.ReadOnly = isa.F32, 12, true
			address := b.op(isa.Shl, isa.I32, b.op(isa.IAdd, isa.I32, lane, b.c(uint64(7+i))), b.c(2))
			p := b.op(isa.FMul, isa.F32, b.load(m, address), x[0])
			p.NoContract = forbidden
			products = append(products, p)
			b.jump(bs[2])
		}
		b.at(bs[2])
		b.keep(1, lane, b.op(isa.FAdd, isa.F32, b.phi(isa.F32, products...), x[2]))
		b.ret()
		Run(b.f, Options{WaveSize: 64})
		if n := count(b.f, isa.Fma); n != c.fma || len(b.f.Blocks) != 1 {
			t.Errorf("%+v: %d multiplications with addition in %d blocks, want %d in 1\n%s", c, n, len(b.f.Blocks), c.fma, printed(b.f))
		}
	}
}

// A folded product may be fused no more than the product: a quotient by a power of two is one.
func TestWhatAFoldMakesKeepsContraction(t *testing.T) {
	for _, forbidden := range []bool{false, true} {
		b := newBuilder(t)
		lane, x := b.floats()
		q := b.op(isa.FDiv, isa.F32, x[0], b.ct(isa.F32, 0x40800000)) // by 4
		q.NoContract = forbidden
		b.keep(1, lane, b.op(isa.FAdd, isa.F32, q, x[1]))
		b.ret()
		Run(b.f, Options{})
		if n := count(b.f, isa.Fma); (n == 1) == forbidden || count(b.f, isa.FDiv) != 0 {
			t.Errorf("forbidden %v: %d multiplications with addition\n%s", forbidden, n, printed(b.f))
		}
	}
}

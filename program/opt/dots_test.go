package opt

import (
	"math/rand/v2"
	"testing"

	"spvsim/isa"
	"spvsim/program/ir"
)

// dotOf is a dot product of two words and a sum, expanded where the machine lacks it.
func dotOf(t *testing.T, op isa.Op, o Options) (*expansion, *ir.Value) {
	b := newBuilder(t)
	load := func() *ir.Value { return b.f.NewValue(isa.Load, isa.I32, isa.I32) }
	x, y, z := load(), load(), load()
	st := b.store(ir.Mem{Access: isa.Access{Space: isa.SpaceBuffer, Elem: isa.I32}}, b.c(0), b.op(op, isa.I32, x, y, z))
	b.ret()
	gatherConstants(b.f, Options{})
	dots(b.f, o)
	return &expansion{b.f, x, y, st.Args[1], make([]uint64, b.f.NumValues())}, z
}

// Expanded dot products of bytes equal their instructions, bit by bit, for corner cases and any words.
func TestDotsOfBytesAreExpanded(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	corners := []uint64{0, 1, 0x7f7f7f7f, 0x80808080, 0xffffffff, 0x7fffffff, 0x80000000}
	word := func() uint64 {
		if i := r.IntN(2 * len(corners)); i < len(corners) {
			return corners[i]
		}
		return uint64(r.Uint32())
	}
	for op := range byteDots {
		e, z := dotOf(t, op, Options{Native: func(isa.Op) bool { return false }})
		if count(e.f, op) > 0 {
			t.Fatalf("%v is still there", op)
		}
		for range 3000 {
			x, y, c := word(), word(), word()
			e.words[z.ID] = c
			if got, want := e.eval(x, y), isa.Eval(op, isa.I32, isa.I32, 0, x, y, c); got != want {
				t.Fatalf("%v of %#x, %#x and %#x: %#x, want %#x", op, x, y, c, got, want)
			}
		}
	}
}

// Instructions that the machine has stay, and so do all where buffers are pointers.
func TestDotsThatStay(t *testing.T) {
	for _, o := range []Options{
		{},
		{Native: func(isa.Op) bool { return true }},
		{Native: func(isa.Op) bool { return false }, SelectBuffers: true},
	} {
		if e, _ := dotOf(t, isa.SDot4, o); count(e.f, isa.SDot4) != 1 {
			t.Errorf("%+v: the product is expanded", o)
		}
	}
}

// Two products that share an operand share its bytes.
func TestDotsShareBytes(t *testing.T) {
	b := newBuilder(t)
	load := func() *ir.Value { return b.b.Append(b.f.NewValue(isa.WorkgroupIDX, isa.I32, isa.I32)) }
	x, y, z := load(), b.op(isa.LocalIDX, isa.I32), b.op(isa.LaneID, isa.I32)
	sum := b.op(isa.SDot4, isa.I32, x, y, b.c(0))
	b.store(ir.Mem{Access: isa.Access{Space: isa.SpaceBuffer, Elem: isa.I32}}, b.c(0), b.op(isa.SDot4, isa.I32, x, z, sum))
	b.ret()
	Run(b.f, Options{WaveSize: 64, Native: func(isa.Op) bool { return false }})
	if n := count(b.f, isa.BitFieldSExtract) + count(b.f, isa.Sar); n != 12 {
		t.Errorf("%d bytes are taken out of three words, want 12", n)
	}
}

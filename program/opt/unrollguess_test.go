package opt

import (
	"testing"

	"spvsim/isa"
	"spvsim/program/ir"
)

// unknownLoop adds the words of an array in LDS up to a limit that is loaded; the array has so many, the loop a step of so many.
func unknownLoop(t *testing.T, length uint32, step uint64) *ir.Func {
	b := newBuilder(t)
	bs := b.blocks(4)
	header, body, latch, end := bs[0], bs[1], bs[2], bs[3]
	zero, two := b.c(0), b.c(2)
	lane := b.op(isa.LocalIDX, isa.I32)
	limit := b.load(word(0), zero)
	b.jump(header)
	b.at(header)
	i, sum := b.phi(isa.I32, zero, nil), b.phi(isa.I32, zero, nil)
	header.Merge, header.Continue = end, latch
	header.SetSuccs(ir.Cond, b.op(isa.ULt, isa.I32, i, limit), body, end)
	b.at(body)
	at := b.op(isa.Shl, isa.I32, i, two)
	next := b.op(isa.IAdd, isa.I32, sum, b.load(ir.Mem{Access: isa.Access{Space: isa.SpaceLDS, Elem: isa.I32}, Arrays: [2]ir.Array{{Length: length, Stride: 4}}}, at))
	b.jump(latch)
	b.at(latch)
	i.Args[1], sum.Args[1] = b.op(isa.IAdd, isa.I32, i, b.c(step)), next
	b.jump(header)
	b.at(end)
	b.f.Bindings = []ir.Binding{{Count: 1}, {Count: 1}}
	b.store(word(1), b.op(isa.Shl, isa.I32, lane, two), sum)
	b.ret()
	return b.f
}

// A loop whose limit is not known has as many copies before it as the array that its counter indexes has elements for it. The
// loop itself follows, without the accesses past the array. LLVM makes no copies.
func TestLoopsThroughAnArray(t *testing.T) {
	for _, c := range []struct {
		length uint32
		step   uint64
		o      Options
		loads  int
	}{
		{8, 1, Options{}, 8}, {8, 2, Options{}, 5}, {1, 1, Options{}, 1}, {32, 1, Options{}, 32},
		{33, 1, Options{}, 1}, {0, 1, Options{}, 1}, {8, 1, Options{SelectBuffers: true}, 1}, {8, 1, Options{UnrollTrips: -1}, 1},
	} {
		f := unknownLoop(t, c.length, c.step)
		Run(f, c.o)
		loads := 0
		eachValue(f, func(v *ir.Value) {
			if v.Op == isa.Load && v.Mem.Space == isa.SpaceLDS {
				loads++
			}
		})
		if loads != c.loads || loopsLeft(f) != 1 {
			t.Errorf("an array of %d, step %d, pointers %v: %d loads and %d loops, want %d and the loop", c.length, c.step, c.o.SelectBuffers, loads, loopsLeft(f), c.loads)
		}
	}
}

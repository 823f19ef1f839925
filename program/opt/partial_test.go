package opt

import (
	"testing"

	"spvsim/isa"
	"spvsim/program/ir"
)

// As many trips become one as clang 19 makes of the same loop in OpenCL C (-O3 -mcpu=gfx942, -Rpass=loop-unroll): a divisor of
// the trips that keeps the body small.
func TestTripsOfOneIteration(t *testing.T) {
	sum := func(b *builder, i, s, lane *ir.Value) *ir.Value { // s += p[lane + i * 1024]
		at := b.op(isa.Shl, isa.I32, b.op(isa.IAdd, isa.I32, b.op(isa.Shl, isa.I32, i, b.c(10)), lane), b.c(2))
		x := b.load(word(1), at)
		x.T, x.R, x.Mem.Elem = isa.F32, isa.F32, isa.F32
		return b.op(isa.FAdd, isa.F32, s, x)
	}
	chain := func(n int) func(b *builder, i, s, lane *ir.Value) *ir.Value { // s = s * s + s, n times
		return func(b *builder, i, s, lane *ir.Value) *ir.Value {
			for range n {
				s = b.op(isa.FAdd, isa.F32, b.op(isa.FMul, isa.F32, s, s), s)
			}
			return s
		}
	}
	for _, c := range []struct {
		name  string
		trips uint64
		body  func(b *builder, i, s, lane *ir.Value) *ir.Value
		adds  int // of one trip
		want  int
	}{
		{"a sum", 256, sum, 1, 16},
		{"a sum of 250", 250, sum, 1, 10},
		{"a multiply-add", 256, chain(1), 1, 32},
		{"eight multiply-adds", 256, chain(8), 8, 8},
		{"a prime number of trips", 257, sum, 1, 1},
	} {
		for pointers, want := range map[bool]int{true: c.want, false: 1} {
			f := countedSum(t, c.trips, c.body)
			Run(f, Options{SelectBuffers: pointers, UnrollTrips: 1})
			g, adds := newGraph(f), 0
			if len(g.loops) != 1 {
				t.Fatalf("%s, pointers %v: %d loops, want 1", c.name, pointers, len(g.loops))
			}
			for _, b := range f.Blocks {
				for _, v := range b.Code {
					if g.contains(g.loops[0], b) && (v.Op == isa.FAdd || v.Op == isa.Fma) {
						adds++
					}
				}
			}
			if adds != want*c.adds {
				t.Errorf("%s, pointers %v: %d additions in the loop, want %d trips of %d", c.name, pointers, adds, want, c.adds)
			}
		}
	}
}

// countedSum changes a sum by the body in each trip, and stores it.
func countedSum(t *testing.T, trips uint64, body func(b *builder, i, s, lane *ir.Value) *ir.Value) *ir.Func {
	b := newBuilder(t)
	start, limit, lane := b.c(0), b.c(trips), b.op(isa.LocalIDX, isa.I32)
	return b.sumLoop(isa.IAdd, start, limit, lane, b.ct(isa.F32, 0x3f800000), func(i, s *ir.Value) *ir.Value { return body(b, i, s, lane) })
}

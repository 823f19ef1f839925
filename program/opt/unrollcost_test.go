package opt

import (
	"testing"

	"spvsim/isa"
	"spvsim/program/ir"
)

// loopsLeft counts those that are left.
func loopsLeft(f *ir.Func) int { return len(newGraph(f).loops) }

// countedLoop mixes the counter into the stored value, n times; each trip loads the given number of words that its
// counter indexes.
func countedLoop(t *testing.T, op isa.Op, n uint64, loads int) *ir.Func {
	b := newBuilder(t)
	start, limit := b.c(0), b.c(n)
	if op == isa.Shl {
		start, limit = b.c(1), b.c(1<<n)
	}
	lane := b.op(isa.LocalIDX, isa.I32)
	return b.sumLoop(op, start, limit, lane, lane, func(i, sum *ir.Value) *ir.Value {
		next := b.op(isa.Xor, isa.I32, b.op(isa.IMul, isa.I32, sum, lane), i)
		for range loads {
			at := b.op(isa.Shl, isa.I32, b.op(isa.IAdd, isa.I32, i, lane), b.c(2))
			next = b.op(isa.Xor, isa.I32, next, b.load(word(1), at))
		}
		return next
	})
}

// sumLoop changes a sum by the body in each trip of a loop, whose counter op changes by 1 up to a limit, and stores it.
func (b *builder) sumLoop(op isa.Op, start, limit, lane, first *ir.Value, body func(i, sum *ir.Value) *ir.Value) *ir.Func {
	bs := b.blocks(4)
	header, inside, latch, end := bs[0], bs[1], bs[2], bs[3]
	step := b.c(1)
	b.jump(header)
	b.at(header)
	i, sum := b.phi(isa.I32, start, nil), b.phi(first.R, first, nil)
	header.Merge, header.Continue = end, latch
	header.SetSuccs(ir.Cond, b.op(isa.ULt, isa.I32, i, limit), inside, end)
	b.at(inside)
	next := body(i, sum)
	b.jump(latch)
	b.at(latch)
	i.Args[1], sum.Args[1] = b.op(op, isa.I32, i, step), next
	b.jump(header)
	b.at(end)
	b.f.Bindings = []ir.Binding{{Count: 1}, {Count: 1}}
	b.store(word(0), b.op(isa.Shl, isa.I32, lane, b.c(2)), sum)
	b.ret()
	return b.f
}

// A counter that additions change is understood by both compilers, one that shifts change by LLVM alone.
func TestCountersOfUnrolledLoops(t *testing.T) {
	for _, c := range []struct {
		op   isa.Op
		o    Options
		left int
	}{
		{isa.IAdd, Options{}, 0}, {isa.IAdd, Options{SelectBuffers: true}, 0},
		{isa.Shl, Options{}, 1}, {isa.Shl, Options{SelectBuffers: true}, 0},
	} {
		f := countedLoop(t, c.op, 16, 1)
		Run(f, c.o)
		if got := loopsLeft(f); got != c.left {
			t.Errorf("%v, pointers %v: %d loops are left, want %d", c.op, c.o.SelectBuffers, got, c.left)
		}
	}
}

// 32 trips unroll and 33 do not, but where a straight body loads from memory it is 128.
func TestTripsOfUnrolledLoops(t *testing.T) {
	for _, c := range []struct {
		trips uint64
		loads int
		left  int
	}{
		{32, 0, 0}, {33, 0, 1}, {33, 1, 0}, {128, 1, 0}, {129, 1, 1},
	} {
		f := countedLoop(t, isa.IAdd, c.trips, c.loads)
		Run(f, Options{})
		if got := loopsLeft(f); got != c.left {
			t.Errorf("%d trips, %d loads: %d loops are left, want %d", c.trips, c.loads, got, c.left)
		}
	}
}

// Of a loop that the shader asks to unroll, Mesa makes as many copies as there are trips, LLVM eight times as many values as
// of others.
func TestHintedLoops(t *testing.T) {
	for _, c := range []struct {
		trips uint64
		o     Options
		left  int
	}{
		{33, Options{}, 0}, {256, Options{}, 0}, {4096, Options{}, 0}, {4097, Options{}, 1}, {256, Options{UnrollTrips: -1}, 1},
		{250, Options{SelectBuffers: true}, 0}, {257, Options{SelectBuffers: true}, 1},
	} {
		f := countedLoop(t, isa.IAdd, c.trips, 0)
		for _, l := range newGraph(f).loops {
			l.header.Unroll = 1
		}
		Run(f, c.o)
		if got := loopsLeft(f); got != c.left {
			t.Errorf("%d trips, pointers %v, %d of %d loops left", c.trips, c.o.SelectBuffers, got, c.left)
		}
	}
}

// A loop over a whole variable is unrolled up to 32 trips whatever its body costs, one over a part of it only if that is little.
func TestLoopsOverAVariable(t *testing.T) {
	for _, c := range []struct {
		trips  uint64
		length uint32
		left   int
	}{{16, 16, 0}, {32, 32, 0}, {33, 33, 1}, {16, 17, 1}, {16, 0, 1}} {
		f := longLoop(t, c.trips, c.length)
		g, u := newGraph(f), newUses(f)
		plan := mayUnroll(g, g.loops[0], u, Options{}.withDefaults())
		if got := plan.exit == nil; got != (c.left == 1) {
			t.Errorf("%d trips over an array of %d: unrolled %v", c.trips, c.length, !got)
		}
	}
}

// longLoop has a body of 60 operations, and a store to a variable at its counter.
func longLoop(t *testing.T, trips uint64, length uint32) *ir.Func {
	b := newBuilder(t)
	lane := b.op(isa.LocalIDX, isa.I32)
	return b.sumLoop(isa.IAdd, b.c(0), b.c(trips), lane, lane, func(i, sum *ir.Value) *ir.Value {
		b.store(ir.Mem{Access: isa.Access{Space: isa.SpaceScratch, Elem: isa.I32}, Arrays: [2]ir.Array{{Length: length, Stride: 4}}}, b.op(isa.Shl, isa.I32, i, b.c(2)), sum)
		for range 60 {
			sum = b.op(isa.Xor, isa.I32, b.op(isa.IMul, isa.I32, sum, lane), i)
		}
		return sum
	})
}

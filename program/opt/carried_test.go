package opt

import (
	"testing"

	"spvsim/isa"
	"spvsim/program/ir"
)

// A sum that a loop keeps in memory is loaded once, before the loop, as clang 19 does for gfx942, unless something else is
// stored or invocations meet in between, or it moves.
func TestSumsInMemoryAreCarried(t *testing.T) {
	for _, c := range []struct {
		name     string
		pointers bool
		more     func(b *builder, i, at *ir.Value)
		moves    bool
		want     int // loads in the loop
	}{
		{"a sum", true, func(*builder, *ir.Value, *ir.Value) {}, false, 1},
		{"a sum that Mesa compiles", false, func(*builder, *ir.Value, *ir.Value) {}, false, 2},
		{"another store", true, func(b *builder, i, at *ir.Value) { b.store(word(0), b.op(isa.Shl, isa.I32, i, b.c(2)), i) }, false, 2},
		{"a barrier", true, func(b *builder, i, at *ir.Value) { b.op(isa.Barrier, isa.I32) }, false, 2},
		{"a sum that moves", true, func(*builder, *ir.Value, *ir.Value) {}, true, 2},
	} {
		b := newBuilder(t)
		bs := b.blocks(4)
		header, inside, latch, end := bs[0], bs[1], bs[2], bs[3]
		zero, one := b.c(0), b.c(1)
		at, limit := b.op(isa.Shl, isa.I32, b.op(isa.LocalIDX, isa.I32), b.c(2)), b.op(isa.NumWorkgroupsX, isa.I32)
		b.jump(header)
		b.at(header)
		i := b.phi(isa.I32, zero, nil)
		header.Merge, header.Continue = end, latch
		header.SetSuccs(ir.Cond, b.op(isa.ULt, isa.I32, i, limit), inside, end)
		b.at(inside)
		place := at
		if c.moves {
			place = b.op(isa.IAdd, isa.I32, at, b.op(isa.Shl, isa.I32, i, b.c(9)))
		}
		sum := b.op(isa.IAdd, isa.I32, b.load(word(0), place), b.load(word(1), b.op(isa.IAdd, isa.I32, at, b.op(isa.Shl, isa.I32, i, b.c(10)))))
		b.store(word(0), place, sum)
		c.more(b, i, at)
		b.jump(latch)
		b.at(latch)
		i.Args[1] = b.op(isa.IAdd, isa.I32, i, one)
		b.jump(header)
		b.at(end)
		b.f.Bindings = []ir.Binding{{Count: 1}, {Count: 1}}
		b.ret()
		Run(b.f, Options{SelectBuffers: c.pointers})
		g, loads := newGraph(b.f), 0
		for _, block := range b.f.Blocks {
			for _, v := range block.Code {
				if v.Op == isa.Load && g.contains(g.loops[0], block) {
					loads++
				}
			}
		}
		if loads != c.want {
			t.Errorf("%s: %d loads in the loop, want %d", c.name, loads, c.want)
		}
	}
}

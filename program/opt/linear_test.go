package opt

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"spvsim/isa"
	"spvsim/program/ir"
)

// The search of joins finds the same with its shortcuts and block by block.
func TestShortcutsChangeNothing(t *testing.T) {
	short := 0
	rapid.Check(t, func(r *rapid.T) {
		f := program(t, r)
		Run(f, Options{WaveSize: 8})
		for _, closing := range []bool{false, true} {
			d, plain := newAnalysis(f, Options{WaveSize: 8}, closing), newAnalysis(f, Options{WaveSize: 8}, closing)
			plain.skipTo = slices.Repeat([]int{noExit}, len(plain.skipTo))
			d.run()
			plain.run()
			if !slices.Equal(d.isDiv, plain.isDiv) || !slices.Equal(d.divergentExits, plain.divergentExits) || len(d.escapes) != len(plain.escapes) {
				r.Fatalf("divergent values %v, want %v; loops %v, want %v", d.isDiv, plain.isDiv, d.divergentExits, plain.divergentExits)
			}
			short += plain.visited - d.visited
		}
	})
	if short <= 0 {
		t.Errorf("the shortcuts save %d steps", short)
	}
}

// cases is a chain of n tests, each of which leads to a case with the same operations; the values meet after it.
func cases(t *testing.T, n int) *ir.Func {
	b := newBuilder(t)
	x := b.op(isa.LocalIDX, isa.I32)
	end := b.blocks(1)[0]
	var values []*ir.Value
	for i := range n {
		bs := b.blocks(2)
		test := b.op(isa.IEq, isa.I32, x, b.c(uint64(i)))
		test.R = isa.Bool
		b.cond(test, bs[0], bs[1], nil)
		b.at(bs[0])
		values = append(values, b.op(isa.IMul, isa.I32, x, x))
		b.jump(end)
		b.at(bs[1])
	}
	values = append(values, x)
	b.jump(end)
	b.at(end)
	b.store(word(0), x, b.phi(isa.I32, values...))
	b.ret()
	return b.f
}

// The work on a switch grows as its cases do: blocks that are looked at for joins, and equal values that can't replace each other.
func TestCasesAreLookedAtOnce(t *testing.T) {
	const n = 2000
	f := cases(t, n)
	if d := analyse(f, Options{WaveSize: 64}, true); d.visited > 4*n {
		t.Errorf("%d blocks looked at, want at most %d", d.visited, 4*n)
	}
	s := newNumbering(f)
	for _, p := range s.g.pre {
		s.block(p)
	}
	if s.table.compared > 4*n {
		t.Errorf("%d values compared, want at most %d", s.table.compared, 4*n)
	}
}

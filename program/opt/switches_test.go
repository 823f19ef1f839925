package opt

import (
	"bytes"
	"testing"

	"spvsim/isa"
	"spvsim/program/ir"
)

// switched is a switch of three cases and a default, whose values meet; the second case falls through into the third one.
func switched(t *testing.T, fallsBack bool) *ir.Func {
	b := newBuilder(t)
	b.f.LocalSize = [3]uint32{8, 1, 1}
	b.f.Bindings = []ir.Binding{{Count: 1}, {Binding: 1, Count: 1, Writes: true}}
	bs := b.blocks(7)
	second, third, one, two, three, other, merge := bs[0], bs[1], bs[2], bs[3], bs[4], bs[5], bs[6]
	lane := b.op(isa.LocalIndex, isa.I32)
	at := b.op(isa.Shl, isa.I32, lane, b.c(2))
	is := func(n uint64) *ir.Value { return b.op(isa.IEq, isa.I32, lane, b.c(n)) }
	b.cond(is(1), one, second, merge)
	b.at(second)
	b.cond(b.op(isa.Or, isa.Bool, is(2), is(5)), two, third, nil)
	b.at(third)
	b.cond(is(3), three, other, nil)
	b.at(one)
	x := b.op(isa.IAdd, isa.I32, lane, b.c(100))
	b.jump(merge)
	b.at(two)
	y := b.op(isa.IMul, isa.I32, lane, b.c(7))
	b.jump(three)
	b.at(three)
	z := b.phi(isa.I32, lane, y) // from the comparison, and from the case before
	z = b.op(isa.Xor, isa.I32, z, b.c(64))
	b.jump(merge)
	b.at(other)
	w := b.op(isa.IMul, isa.I32, lane, b.c(3))
	if fallsBack {
		b.jump(one)
	} else {
		b.jump(merge)
	}
	b.at(merge)
	values := []*ir.Value{x, z}
	if !fallsBack {
		values = append(values, w)
	}
	b.store(word(1), at, b.phi(isa.I32, values...))
	b.ret()
	return b.f
}

// The cases follow one another: each comparison has a merge block of its own, and the lanes do as before.
func TestCasesFollowOneAnother(t *testing.T) {
	f := switched(t, false)
	want := interpret(t, f)
	gatherConstants(f, Options{})
	if switches(f, Options{SelectBuffers: true}) || !switches(f, Options{}) {
		t.Fatal("LLVM keeps the chain, Mesa does not")
	}
	heads := 0
	for b := f.Blocks[0]; b.Term == ir.Cond; b = b.Merge {
		if heads++; b.Succs[1] != b.Merge {
			t.Errorf("comparison %d does not go on to the block where its case ends", heads)
		}
	}
	if heads != 4 {
		t.Errorf("%d comparisons: want 4", heads)
	}
	if got := interpret(t, f); !bytes.Equal(want, got) {
		t.Error(firstDifference(want, got))
	}
}

// A switch whose default falls through into an earlier case stays a chain.
func TestCasesInAnotherOrderStay(t *testing.T) {
	f := switched(t, true)
	gatherConstants(f, Options{})
	if switches(f, Options{}) {
		t.Error("the cases follow one another")
	}
}

package opt

import (
	"testing"

	"spvsim/isa"
	"spvsim/program/ir"
)

// twoSided is a branch whose sides each load a word of their buffer, at an
// address of their own, add it to a sum and store after the branch.
func twoSided(t *testing.T, yes, no int, extra func(b *builder)) *builder {
	b := newBuilder(t)
	b.f.Bindings = []ir.Binding{{Count: 1}, {Count: 1}, {Count: 1, Writes: true}}
	bs := b.blocks(3)
	left, right, merge := bs[0], bs[1], bs[2]
	lane := b.op(isa.LocalIDX, isa.I32)
	b.cond(b.op(isa.ULt, isa.I32, lane, b.c(20)), left, right, merge)
	var sums []*ir.Value
	for i, side := range []*ir.Block{left, right} {
		b.at(side)
		if i == 1 && extra != nil {
			extra(b)
		}
		m := word([]int{yes, no}[i])
		m.ReadOnly = true
		address := b.op(isa.Shl, isa.I32, b.op(isa.IAdd, isa.I32, lane, b.c(uint64(7+i))), b.c(2))
		sums = append(sums, b.op(isa.IAdd, isa.I32, b.load(m, address), lane))
		b.jump(merge)
	}
	b.at(merge)
	b.store(word(2), b.op(isa.Shl, isa.I32, lane, b.c(2)), b.phi(isa.I32, sums...))
	b.ret()
	return b
}

// Two sides that load become one load from a selected address, of a selected
// buffer where the machine addresses buffers by pointers.
func TestSidesThatLoadBecomeOneLoad(t *testing.T) {
	for _, c := range []struct {
		name          string
		yes, no       int
		selects       bool
		loads, blocks int
	}{
		{"one buffer", 0, 0, false, 1, 1},
		{"two buffers, pointers", 0, 1, true, 1, 1},
		{"two buffers, descriptors", 0, 1, false, 2, 4},
	} {
		f := twoSided(t, c.yes, c.no, nil).f
		Run(f, Options{WaveSize: 64, SelectBuffers: c.selects})
		if got := count(f, isa.Load); got != c.loads || len(f.Blocks) != c.blocks {
			t.Errorf("%s: %d loads in %d blocks, want %d in %d\n%s", c.name, got, len(f.Blocks), c.loads, c.blocks, printed(f))
		}
	}
}

// A side with an effect stays a side.
func TestSidesWithEffectsStay(t *testing.T) {
	f := twoSided(t, 0, 0, func(b *builder) { b.store(word(2), b.c(0), b.c(1)) }).f
	Run(f, Options{WaveSize: 64})
	if got := count(f, isa.Load); got != 2 {
		t.Errorf("%d loads, want 2\n%s", got, printed(f))
	}
}

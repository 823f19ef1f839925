package opt

import (
	"testing"

	"spvsim/isa"
	"spvsim/program/ir"
)

// storeBetween loads a word of one buffer, stores to another, and loads the
// word after it, each at the same address for all lanes.
func storeBetween(t *testing.T, restrict bool) (f *ir.Func, first, second *ir.Value) {
	b := newBuilder(t)
	b.f.Bindings = []ir.Binding{{Kind: ir.StorageBuffer, Count: 1, Restrict: restrict}, {Kind: ir.StorageBuffer, Count: 1, Writes: true}}
	lane := b.op(isa.Shl, isa.I32, b.op(isa.LocalIDX, isa.I32), b.c(2))
	m := word(0)
	m.ReadOnly = true
	n := m
	first = b.load(m, b.c(0))
	b.store(word(1), lane, first)
	second = b.load(n, b.c(64))
	next := word(1)
	next.Offset = 4
	b.store(next, lane, second)
	b.ret()
	return b.f, first, second
}

// Memory that a store through another pointer may have written is read in order, and not through the scalar cache.
// Earlier loads are not affected, nor are buffers with Restrict, nor any where buffers are bound.
func TestPointersAlias(t *testing.T) {
	for _, c := range []struct {
		name               string
		pointers, restrict bool
		scalar             bool
	}{
		{"descriptors", false, false, true},
		{"pointers", true, false, false},
		{"restrict pointers", true, true, true},
	} {
		f, first, second := storeBetween(t, c.restrict)
		Run(f, Options{WaveSize: 64, SelectBuffers: c.pointers})
		if !first.Uniform || second.Uniform != c.scalar {
			t.Errorf("%s: scalar %v and %v, want true and %v\n%s", c.name, first.Uniform, second.Uniform, c.scalar, printed(f))
		}
	}
}

// An access takes the address of each lane, which has the uniform part in it, whether
// buffers are pointers or descriptors; what no lane differs in stays with the scalar unit.
func TestPointerSums(t *testing.T) {
	for _, pointers := range []bool{false, true} {
		b := newBuilder(t)
		b.f.Bindings = []ir.Binding{{Kind: ir.StorageBuffer, Count: 1}, {Kind: ir.StorageBuffer, Count: 1, Writes: true}}
		group := b.op(isa.Shl, isa.I32, b.op(isa.WorkgroupIDX, isa.I32), b.c(8))
		lane := b.op(isa.Shl, isa.I32, b.op(isa.LocalIDX, isa.I32), b.c(2))
		both := b.load(word(0), b.op(isa.IAdd, isa.I32, group, lane))
		alone := b.load(word(0), group)
		b.store(word(1), lane, b.op(isa.IAdd, isa.I32, both, alone))
		b.ret()
		Run(b.f, Options{WaveSize: 64, SelectBuffers: pointers})
		if both.Mem.HasBase || !both.Mem.HasIndex || !alone.Mem.HasBase || alone.Mem.HasIndex {
			t.Errorf("pointers %v:\n%s", pointers, printed(b.f))
		}
	}
}

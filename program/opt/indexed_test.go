package opt

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"spvsim/isa"
	"spvsim/program/ir"
)

// indexes are ways to come to an element of four words from one to the number of elements: alone, scaled, of two dimensions.
var indexes = []func(b *builder, i *ir.Value, elements uint32) *ir.Value{
	func(b *builder, i *ir.Value, n uint32) *ir.Value { return b.op(isa.UMod, isa.I32, i, b.c(uint64(4*n))) },
	func(b *builder, i *ir.Value, n uint32) *ir.Value {
		return b.op(isa.IMul, isa.I32, b.op(isa.UMod, isa.I32, i, b.c(uint64(n))), b.c(4))
	},
	func(b *builder, i *ir.Value, n uint32) *ir.Value {
		return b.op(isa.Shl, isa.I32, b.op(isa.UMod, isa.I32, i, b.c(uint64(n))), b.c(2))
	},
	func(b *builder, i *ir.Value, n uint32) *ir.Value {
		row := b.op(isa.IMul, isa.I32, b.op(isa.UMod, isa.I32, i, b.c(2)), b.c(uint64(4*(n/2))))
		column := b.op(isa.Shl, isa.I32, b.op(isa.UMod, isa.I32, b.op(isa.Shr, isa.I32, i, b.c(1)), b.c(uint64(n/2))), b.c(2))
		return b.op(isa.IAdd, isa.I32, row, column)
	},
}

// indexingLoop is a loop that writes elements of a variable at one index and adds up elements that it reads at another.
func indexingLoop(t *testing.T, elements uint32, write, read int, parts uint32) *ir.Func {
	b := newBuilder(t)
	b.f.Bindings = []ir.Binding{{Kind: ir.StorageBuffer, Count: 1, Writes: true}, {Binding: 1, Kind: ir.StorageBuffer, Count: 1}}
	local := &ir.Local{Name: "array", SlotWords: 1, Slots: make([]isa.Type, 4*elements)}
	b.f.Locals = []*ir.Local{local}
	of := func(at uint32) ir.Mem {
		return ir.Mem{Access: isa.Access{Space: isa.SpaceScratch, Elem: isa.I32, Offset: at}, Local: local, High: uint32(len(local.Slots))}
	}
	lane := b.op(isa.LocalIDX, isa.I32)
	for i := range local.Slots {
		local.Slots[i] = isa.I32
		b.store(of(uint32(i)), b.op(isa.IAdd, isa.I32, lane, b.c(uint64(i))))
	}
	bs := b.blocks(3)
	head, body, done := bs[0], bs[1], bs[2]
	b.jump(head)
	b.at(head)
	i := b.phi(isa.I32, b.c(0), nil)
	sum := b.phi(isa.I32, b.c(0), nil)
	head.Merge, head.Continue, head.Unroll = done, body, 2
	word := func(binding int, n uint32) ir.Mem {
		return ir.Mem{Access: isa.Access{Space: isa.SpaceBuffer, Elem: isa.I32, Offset: 4 * n, Binding: binding}, Object: binding}
	}
	at := b.op(isa.Shl, isa.I32, b.op(isa.IAdd, isa.I32, lane, i), b.c(2))
	x := b.load(word(1, 0), at)
	w := indexes[write](b, x, elements)
	for k := range parts {
		b.store(of(k), w, b.op(isa.IAdd, isa.I32, x, b.c(uint64(k))))
	}
	r := indexes[read](b, b.load(word(1, 3), at), elements)
	total := sum
	for k := range parts {
		total = b.op(isa.IAdd, isa.I32, b.op(isa.IMul, isa.I32, total, b.c(3)), b.load(of(k), r))
	}
	b.b.SetSuccs(ir.Cond, b.op(isa.ULt, isa.I32, i, b.c(20)), body, done)
	b.at(body)
	next := b.op(isa.IAdd, isa.I32, i, b.c(1))
	b.jump(head)
	i.Args[1], sum.Args[1] = next, total
	b.at(done)
	out := b.op(isa.Shl, isa.I32, lane, b.c(6))
	b.store(word(0, 0), out, total)
	b.ret()
	return b.f
}

// Small variables are values however they are indexed, with the same results; larger ones stay in scratch memory, as do those
// of machines whose compiler leaves them there.
func TestIndexedVariablesAreValues(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 9))
	for range 40 {
		elements, parts := 2*(1+r.Uint32N(9)), 1+r.Uint32N(4)
		write, read := r.IntN(len(indexes)), r.IntN(len(indexes))
		if write == 0 || read == 0 {
			parts = 1 // the other parts would lie beyond the last word
		}
		pointers := r.IntN(4) == 0
		name := fmt.Sprintf("%d elements, indices %d and %d, %d parts", elements, write, read, parts)
		want, err := world(indexingLoop(t, elements, write, read, parts), 1000)
		if err != nil {
			t.Fatal(name, err)
		}
		f := indexingLoop(t, elements, write, read, parts)
		Run(f, Options{WaveSize: 32, SelectBuffers: pointers})
		if err := ir.Verify(f); err != nil {
			t.Fatal(name, err)
		}
		got, err := world(f, 1000)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s, pointers %v: %s, %v", name, pointers, firstDifference(want, got), err)
		}
		if in, scratch := 4*elements <= maxIndexedWords && !pointers, usesScratch(f); in == scratch {
			t.Errorf("%s, pointers %v: scratch memory is used: %v", name, pointers, scratch)
		}
	}
}

func usesScratch(f *ir.Func) (yes bool) {
	eachValue(f, func(v *ir.Value) { yes = yes || v.Mem != nil && v.Mem.Space == isa.SpaceScratch })
	return yes
}

// Four words apart, by a multiplication or a shift, is an element; sums have the common divisor.
func TestStrideOf(t *testing.T) {
	b := newBuilder(t)
	x := b.op(isa.LocalIDX, isa.I32)
	six, eight := b.op(isa.IMul, isa.I32, x, b.c(6)), b.op(isa.Shl, isa.I32, x, b.c(3))
	for _, c := range []struct {
		v    *ir.Value
		want int
	}{{x, 1}, {six, 6}, {eight, 8}, {b.op(isa.IAdd, isa.I32, six, eight), 2}, {b.op(isa.IMul, isa.I32, b.c(5), x), 5}, {b.op(isa.IMul, isa.I32, x, b.c(1<<20)), 1}} {
		if got := strideOf(c.v); got != c.want {
			t.Errorf("%v: stride %d, want %d", c.v, got, c.want)
		}
	}
}

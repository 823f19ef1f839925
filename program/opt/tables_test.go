package opt

import (
	"encoding/binary"
	"testing"

	"spvsim/isa"
	"spvsim/program/ir"
)

// constantLoad adds a variable of constants, each stored once, and a load of it at an index that is not known.
func constantLoad(b *builder, elem isa.Type, offset uint32, values ...uint64) *ir.Value {
	l := &ir.Local{Name: "table", SlotWords: uint32(max(elem.Bits()/32, 1)), Slots: make([]isa.Type, len(values))}
	b.f.Locals = append(b.f.Locals, l)
	at := func(slot uint32) ir.Mem {
		m := ir.Mem{Access: isa.Access{Space: isa.SpaceScratch, Elem: elem, Offset: slot * l.SlotWords}, Local: l, High: uint32(len(values)) * l.SlotWords}
		return m
	}
	for i, x := range values {
		b.store(at(uint32(i)), b.ct(elem, x))
	}
	return b.load(at(offset), b.op(isa.LocalIDX, isa.I32))
}

// A variable of more than four constants is read from the program's constant data: packed, at a multiple of 16 bytes, once for equal ones, each
// element aligned to its own size whatever the index. In scratch memory the index counts words.
func TestTablesAreConstantData(t *testing.T) {
	for _, c := range []struct {
		elem    isa.Type
		shift   uint64 // of the index
		packed  int    // bytes of five
		distant uint32 // bytes from the first element to the second
	}{{isa.I8, 0, 5, 1}, {isa.I16, 1, 10, 2}, {isa.I32, 2, 20, 4}, {isa.I64, 2, 40, 8}} {
		b := newBuilder(t)
		b.f.Bindings = []ir.Binding{{Kind: ir.StorageBuffer}, {Binding: 1, Kind: ir.StorageBuffer}}
		first := constantLoad(b, c.elem, 0, 3, 1, 4, 1, 5)
		same := constantLoad(b, c.elem, 1, 3, 1, 4, 1, 5)
		other := constantLoad(b, c.elem, 0, 2, 7, 1, 8, 2)
		b.ret()
		if !tables(b.f, Options{}) {
			t.Fatalf("%v: no table was found", c.elem)
		}
		if n := count(b.f, isa.Store); n > 0 {
			t.Errorf("%v: %d stores are left", c.elem, n)
		}
		second := uint32(c.packed+15) / 16 * 16
		for v, offset := range map[*ir.Value]uint32{first: 0, same: c.distant, other: second} {
			m := v.Mem
			if m.Space != isa.SpaceBuffer || m.Binding != 2 || m.Offset != offset || !m.ReadOnly || !m.HasIndex || m.Elem != c.elem {
				t.Errorf("%v: %+v, want to read binding 2 at byte %d", c.elem, m, offset)
			}
			if size := uint32(c.elem.Bits() / 8); m.Align != size {
				t.Errorf("%v: elements are aligned to %d bytes, want %d", c.elem, m.Align, size)
			}
			if index := v.Args[0]; c.shift == 0 && index.Op != isa.LocalIDX || c.shift > 0 && (index.Op != isa.Shl || index.Args[1].Imm != c.shift) {
				t.Errorf("%v: index %v, want it shifted by %d", c.elem, index, c.shift)
			}
		}
		if got := len(b.f.Constants); got != int(second)+c.packed {
			t.Errorf("%v: %d bytes of constants, want %d", c.elem, got, int(second)+c.packed)
		}
		for i, want := range []uint64{2, 7, 1, 8, 2} {
			var word [8]byte
			copy(word[:], b.f.Constants[int(second)+i*int(c.distant):][:c.distant])
			if got := binary.LittleEndian.Uint64(word[:]); got != want {
				t.Errorf("%v: element %d is %d, want %d", c.elem, i, got, want)
			}
		}
	}
}

// Up to four constants are chosen from by a comparison fewer than there are; one with two values for an element stays in scratch memory.
func TestSmallTablesAreSelections(t *testing.T) {
	for n := 2; n <= 5; n++ {
		b := newBuilder(t)
		v := constantLoad(b, isa.I32, 0, []uint64{3, 1, 4, 1, 5}[:n]...)
		b.store(word(0), v)
		b.ret()
		tables(b.f, Options{})
		selections, loads := n-1, 0
		if n > smallTable {
			selections, loads = 0, 1
		}
		if got := count(b.f, isa.Select); got != selections || count(b.f, isa.IEq) != selections || count(b.f, isa.Load) != loads {
			t.Errorf("%d constants: %d selections and %d loads, want %d and %d", n, got, count(b.f, isa.Load), selections, loads)
		}
	}
	b := newBuilder(t)
	constantLoad(b, isa.I32, 0, 3, 1, 4, 1, 5)
	b.store(slot(b.f.Locals[0], 2), b.c(6))
	b.ret()
	if tables(b.f, Options{}) || !usesScratch(b.f) {
		t.Error("an element that is stored as 4 and as 6 became a constant")
	}
}

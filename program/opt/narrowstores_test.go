package opt

import (
	"testing"

	"spvsim/isa"
	"spvsim/program/ir"
)

// Stores of bytes and halves that fill an aligned word become one, if nothing reads or writes a part between them.
func TestNarrowStores(t *testing.T) {
	bytes := func(align uint32, offsets ...uint32) (list []ir.Mem) {
		for _, o := range offsets {
			list = append(list, narrowMem(isa.I8, o, align))
		}
		return list
	}
	for _, c := range []struct {
		name   string
		stores []ir.Mem
		read   bool // a load of a byte comes after the second store
		left   int
	}{
		{"four bytes", bytes(4, 3, 0, 1, 2), false, 1},
		{"halves", []ir.Mem{narrowMem(isa.I16, 6, 4), narrowMem(isa.I16, 4, 4)}, false, 1},
		{"three bytes", bytes(4, 0, 1, 2), false, 3},
		{"bytes of two words", bytes(4, 1, 2, 3, 4), false, 4},
		{"a byte twice", bytes(4, 0, 1, 0, 2, 3), false, 5},
		{"a byte read between", bytes(4, 0, 1, 2, 3), true, 4},
		{"no aligned word", bytes(2, 0, 1, 2, 3), false, 4},
	} {
		b := newBuilder(t)
		b.f.Bindings = []ir.Binding{{Count: 1}, {Count: 1}}
		lane := b.op(isa.Shl, isa.I32, b.op(isa.LocalIDX, isa.I32), b.c(2))
		for i, m := range c.stores {
			b.store(m, lane, b.conv(isa.UConvert, m.Elem, isa.I32, b.op(isa.IAdd, isa.I32, lane, b.c(uint64(i)))))
			if c.read && i == 1 {
				b.store(word(1), lane, b.conv(isa.UConvert, isa.I32, isa.I8, b.load(narrowMem(isa.I8, 1, 4), lane)))
			}
		}
		b.ret()
		setBlocks(b.f)
		gatherConstants(b.f, Options{})
		narrowStores(b.f, Options{})
		if err := ir.Verify(b.f); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if c.read {
			c.left++
		}
		if got := count(b.f, isa.Store); got != c.left {
			t.Errorf("%s: %d stores, want %d\n%s", c.name, got, c.left, printed(b.f))
		}
	}
}

// A byte or a half at an address that all lanes share comes through the scalar cache, in its word, where nothing writes the
// buffer and buffers are descriptors.
func TestScalarNarrowLoads(t *testing.T) {
	for _, c := range []struct {
		name             string
		elem             isa.Type
		lanes, pointers  bool // the address differs among lanes; buffers are pointers
		written, aligned bool
		scalar           bool
	}{
		{"a half", isa.I16, false, false, false, false, true},
		{"a byte", isa.I8, false, false, false, false, true},
		{"a half of a known word", isa.I16, false, false, false, true, true},
		{"of each lane", isa.I16, true, false, false, false, false},
		{"by pointers", isa.I16, false, true, false, false, false},
		{"written", isa.I16, false, false, true, false, false},
	} {
		b := newBuilder(t)
		b.f.Bindings = []ir.Binding{{Count: 1}, {Binding: 1, Count: 1, Writes: true}}
		lane := b.op(isa.Shl, isa.I32, b.op(isa.LocalIDX, isa.I32), b.c(2))
		at := b.op(isa.WorkgroupIDX, isa.I32)
		if c.lanes {
			at = b.op(isa.LocalIDX, isa.I32)
		}
		scale := uint64(c.elem.Bits() / 16)
		if c.aligned {
			scale = 2
		}
		m := narrowMem(c.elem, 2, 1)
		m.ReadOnly, m.Object = !c.written, 0
		v := b.load(m, b.op(isa.Shl, isa.I32, at, b.c(scale)))
		b.store(word(1), lane, b.conv(isa.UConvert, isa.I32, c.elem, v))
		b.ret()
		Run(b.f, Options{WaveSize: 64, SelectBuffers: c.pointers})
		scalar := false
		eachValue(b.f, func(v *ir.Value) {
			if v.Op == isa.Load {
				scalar = v.Uniform && v.Mem.Elem == isa.I32 && v.Mem.Part
			}
		})
		if scalar != c.scalar {
			t.Errorf("%s: scalar %v, want %v\n%s", c.name, scalar, c.scalar, printed(b.f))
		}
	}
}

package opt

import (
	"testing"

	"spvsim/isa"
	"spvsim/program/ir"
)

// bytes loads four bytes.
func (b *builder) bytes(m ir.Mem, address *ir.Value) []*ir.Value {
	m.Elem = isa.I8
	v := b.f.NewValue(isa.Load, isa.I8, isa.Void, address)
	b.mem(v, m, 1)
	v.Mem.Count = 4
	var list []*ir.Value
	for i := range 4 {
		p := b.f.NewValue(isa.Proj, isa.I8, isa.I8, v)
		p.Imm = uint64(i)
		list = append(list, b.b.Append(p))
	}
	return list
}

// Bytes that are only packed again are loaded as a word.
func TestByteWords(t *testing.T) {
	for _, c := range []struct {
		name  string
		m     func(m *ir.Mem)
		order [4]int
		more  bool // a byte has another use
		packs int
	}{
		{"as loaded", func(*ir.Mem) {}, [4]int{0, 1, 2, 3}, false, 0},
		{"swapped", func(*ir.Mem) {}, [4]int{1, 0, 2, 3}, false, 1},
		{"repeated", func(*ir.Mem) {}, [4]int{0, 1, 2, 2}, false, 1},
		{"another use", func(*ir.Mem) {}, [4]int{0, 1, 2, 3}, true, 1},
		{"odd address", func(m *ir.Mem) { m.Align = 1 }, [4]int{0, 1, 2, 3}, false, 1},
		{"odd offset", func(m *ir.Mem) { m.Offset = 6 }, [4]int{0, 1, 2, 3}, false, 1},
		{"volatile", func(m *ir.Mem) { m.Volatile = true }, [4]int{0, 1, 2, 3}, false, 1},
		{"coherent", func(m *ir.Mem) { m.Coherent = true }, [4]int{0, 1, 2, 3}, false, 1},
	} {
		b := newBuilder(t)
		lane := b.op(isa.LocalIDX, isa.I32)
		m := word(0)
		c.m(&m)
		list := b.bytes(m, b.op(isa.Shl, isa.I32, lane, b.c(2)))
		w := b.op(isa.Pack8, isa.I32, list[c.order[0]], list[c.order[1]], list[c.order[2]], list[c.order[3]])
		if c.more {
			b.store(word(2), lane, b.conv(isa.UConvert, isa.I32, isa.I8, list[0]))
		}
		b.store(word(1), lane, b.op(isa.SDot4, isa.I32, w, lane, b.c(0)))
		b.ret()
		Run(b.f, Options{})
		if got := count(b.f, isa.Pack8); got != c.packs {
			t.Errorf("%s: %d words packed, want %d:\n%s", c.name, got, c.packs, printed(b.f))
		}
	}
}

// A word that is taken apart and packed again is itself.
func TestPackedParts(t *testing.T) {
	for _, c := range []struct {
		op     isa.Op
		part   isa.Type
		shifts []uint64
		packs  int
	}{
		{isa.Pack8, isa.I8, []uint64{0, 8, 16, 24}, 0},
		{isa.Pack8, isa.I8, []uint64{0, 8, 16, 16}, 1},
		{isa.Pack8, isa.I8, []uint64{8, 8, 16, 24}, 1},
		{isa.Pack16, isa.I16, []uint64{0, 16}, 0},
		{isa.Pack16, isa.I16, []uint64{16, 0}, 1},
	} {
		b := newBuilder(t)
		lane := b.op(isa.LocalIDX, isa.I32)
		var parts []*ir.Value
		for _, n := range c.shifts {
			parts = append(parts, b.conv(isa.UConvert, c.part, isa.I32, b.op(isa.Shr, isa.I32, lane, b.c(n))))
		}
		w := b.op(c.op, isa.I32, parts...)
		b.store(word(1), lane, b.op(isa.SDot4, isa.I32, w, lane, b.c(0)))
		b.ret()
		Run(b.f, Options{})
		if got := count(b.f, c.op); got != c.packs {
			t.Errorf("%s of %v: %d words packed, want %d:\n%s", c.op, c.shifts, got, c.packs, printed(b.f))
		}
	}
}

// A sum goes into the product that has none yet, if nothing else wants that.
func TestDotAccumulates(t *testing.T) {
	for _, c := range []struct {
		op         isa.Op
		first      uint64 // accumulator
		shared     bool
		wantedAdds int
	}{
		{isa.SDot4, 0, false, 0}, {isa.SUDot4, 0, false, 0}, {isa.UDot2, 0, false, 0},
		{isa.SDot4, 5, false, 1}, {isa.SDot4, 0, true, 1}, {isa.SDot4Sat, 0, false, 1},
	} {
		b := newBuilder(t)
		x, y := b.op(isa.LocalIDX, isa.I32), b.op(isa.LaneID, isa.I32)
		d := b.op(c.op, isa.I32, x, y, b.c(c.first))
		b.store(word(0), x, b.op(isa.IAdd, isa.I32, y, d))
		if c.shared {
			b.store(word(1), x, d)
		}
		b.ret()
		Run(b.f, Options{})
		if got := count(b.f, isa.IAdd); got != c.wantedAdds {
			t.Errorf("%s with %d, shared %v: %d additions, want %d:\n%s", c.op, c.first, c.shared, got, c.wantedAdds, printed(b.f))
		}
	}
}

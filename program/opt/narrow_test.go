package opt

import (
	"testing"

	"spvsim/isa"
	"spvsim/program/ir"
)

// narrowMem is an element of a buffer.
func narrowMem(t isa.Type, offset, align uint32) ir.Mem {
	return ir.Mem{Access: isa.Access{Space: isa.SpaceBuffer, Elem: t, Offset: offset}, Align: align}
}

// Bytes and halves that fill an aligned word come in one load, if nothing writes between them.
func TestNarrowLoads(t *testing.T) {
	bytes := func(offsets ...uint32) (list []ir.Mem) {
		for _, o := range offsets {
			list = append(list, narrowMem(isa.I8, o, 4))
		}
		return list
	}
	halves := []ir.Mem{narrowMem(isa.I16, 6, 4), narrowMem(isa.I16, 4, 4)}
	for _, c := range []struct {
		name   string
		loads  []ir.Mem
		write  bool
		narrow bool // the loads stay
	}{
		{"four bytes", bytes(3, 0, 1, 2), false, false},
		{"halves", halves, false, false},
		{"three bytes", bytes(0, 1, 2), false, true},
		{"bytes of two words", bytes(1, 2, 3, 4), false, true},
		{"bytes, one twice", bytes(0, 1, 1, 2), false, true},
		{"bytes around a store", bytes(0, 1, 2, 3), true, true},
		{"bytes of a word that is not aligned", []ir.Mem{narrowMem(isa.I8, 0, 2), narrowMem(isa.I8, 1, 2), narrowMem(isa.I8, 2, 2), narrowMem(isa.I8, 3, 2)}, false, true},
	} {
		b := newBuilder(t)
		b.f.Bindings = []ir.Binding{{Count: 1}, {Count: 1}}
		lane := b.op(isa.Shl, isa.I32, b.op(isa.LocalIDX, isa.I32), b.c(2))
		sum := b.c(0)
		for i, m := range c.loads {
			op := []isa.Op{isa.SConvert, isa.UConvert}[i%2]
			sum = b.op(isa.IAdd, isa.I32, sum, b.conv(op, isa.I32, m.Elem, b.load(m, lane)))
			if c.write && i == 1 {
				b.store(narrowMem(isa.I8, 1, 1), lane, b.conv(isa.UConvert, isa.I8, isa.I32, sum))
			}
		}
		b.store(word(1), lane, sum)
		b.ret()
		setBlocks(b.f)
		gatherConstants(b.f, Options{})
		if got := !narrowLoads(b.f, Options{}); got != c.narrow {
			t.Errorf("%s: stay as they are: %v\n%s", c.name, got, printed(b.f))
		}
		if err := ir.Verify(b.f); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		want := 1
		if c.narrow {
			want = len(c.loads)
		}
		if got := count(b.f, isa.Load); got != want {
			t.Errorf("%s: %d loads, want %d", c.name, got, want)
		}
	}
}

package opt

import (
	"testing"

	"spvsim/isa"
	"spvsim/program/ir"
)

// A byte that is shifted out of a word and widened is one field of it; one that is used as a byte as well stays.
func TestBytesOfWordsAreFields(t *testing.T) {
	for _, c := range []struct {
		shift      uint64
		widen      isa.Op
		to         isa.Type
		kept       bool
		op         isa.Op
		firstField uint64
	}{
		{8, isa.SConvert, isa.I32, false, isa.BitFieldSExtract, 8},
		{16, isa.UConvert, isa.I32, false, isa.BitFieldUExtract, 16},
		{24, isa.SConvert, isa.I16, false, isa.BitFieldSExtract, 24},
		{0, isa.SConvert, isa.I32, false, isa.BitFieldSExtract, 0},
		{8, isa.SConvert, isa.I32, true, isa.BitFieldSExtract, 0},
	} {
		b := newBuilder(t)
		lane := b.op(isa.Shl, isa.I32, b.op(isa.LocalIDX, isa.I32), b.c(2))
		packed := b.load(word(1), lane)
		if c.shift > 0 {
			packed = b.op(isa.Shr, isa.I32, packed, b.c(c.shift))
		}
		octet := b.conv(isa.UConvert, isa.I8, isa.I32, packed)
		wide := b.conv(c.widen, c.to, isa.I8, octet)
		if c.to != isa.I32 {
			wide = b.conv(isa.SConvert, isa.I32, c.to, wide)
		}
		b.store(word(0), lane, wide)
		if c.kept {
			m := word(2)
			m.Elem = isa.I8
			b.store(m, lane, octet)
		}
		b.ret()
		Run(b.f, Options{WaveSize: 64})
		var field []uint64
		eachValue(b.f, func(v *ir.Value) {
			if v.Op == c.op {
				field = append(field, v.Args[1].Imm, v.Args[2].Imm)
			}
		})
		found := len(field) == 2 && field[0] == c.firstField && field[1] == 8
		if found == c.kept {
			t.Errorf("%+v: fields %v\n%s", c, field, printed(b.f))
		}
	}
}

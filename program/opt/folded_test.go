package opt

import (
	"testing"

	"spvsim/isa"
	"spvsim/program/ir"
)

// What the instructions that read it take in is marked; another reader keeps it an instruction.
func TestFoldedConversions(t *testing.T) {
	for _, c := range []struct {
		name    string
		o       Options
		of      func(b *builder, x *ir.Value) (converted, result *ir.Value)
		another bool // the result is stored besides
		folded  bool
	}{
		{"a truncation", Options{}, func(b *builder, x *ir.Value) (v, r *ir.Value) {
			v = b.conv(isa.UConvert, isa.I16, isa.I32, x)
			return v, b.conv(isa.SConvert, isa.I32, isa.I16, v)
		}, false, true},
		{"a byte as f32", Options{}, func(b *builder, x *ir.Value) (v, r *ir.Value) {
			v = b.op(isa.BitFieldUExtract, isa.I32, x, b.c(16), b.c(8))
			return v, b.conv(isa.UToF, isa.F32, isa.I32, v)
		}, false, true},
		{"a byte that is stored, too", Options{}, func(b *builder, x *ir.Value) (v, r *ir.Value) {
			v = b.op(isa.And, isa.I32, x, b.c(255))
			return v, b.conv(isa.UToF, isa.F32, isa.I32, v)
		}, true, false},
		{"seven bits", Options{}, func(b *builder, x *ir.Value) (v, r *ir.Value) {
			v = b.op(isa.And, isa.I32, x, b.c(127))
			return v, b.conv(isa.UToF, isa.F32, isa.I32, v)
		}, false, false},
		{"a sum times 2", Options{}, scaledSum(0x40000000), false, true},
		{"a sum times 3", Options{}, scaledSum(0x40400000), false, false},
		{"a sum times 2 by LLVM", Options{SelectBuffers: true}, scaledSum(0x40000000), false, false},
		{"packHalf2x16", Options{}, packedHalf(100), false, true},
		{"a half, packed by another operation", Options{}, packedHalf(101), false, false},
		{"packHalf2x16 by LLVM", Options{SelectBuffers: true}, packedHalf(100), false, false},
		{"a half in a sum", Options{TwoScalars: true}, halfInSum, false, true},
		{"a half in a sum, before GFX9", Options{}, halfInSum, false, false},
		{"a half in a sum by LLVM", Options{TwoScalars: true, SelectBuffers: true}, halfInSum, false, false},
		{"a half that is stored, too", Options{TwoScalars: true}, halfInSum, true, false},
	} {
		b := newBuilder(t)
		lane := b.op(isa.Shl, isa.I32, b.op(isa.LocalIDX, isa.I32), b.c(2))
		v, r := c.of(b, b.load(word(0), lane))
		m := word(1)
		m.Elem = r.R
		b.store(m, lane, r)
		if c.another {
			m := word(2)
			m.Elem = v.R
			b.store(m, lane, v)
		}
		b.ret()
		setBlocks(b.f)
		foldedConversions(b.f, c.o)
		if v.Folded != c.folded || r.Folded {
			t.Errorf("%s: folded %t, want %t; its reader %t\n%s", c.name, v.Folded, c.folded, r.Folded, printed(b.f))
		}
	}
}

func packedHalf(spirv uint32) func(b *builder, x *ir.Value) (v, r *ir.Value) {
	return func(b *builder, x *ir.Value) (v, r *ir.Value) {
		v = b.conv(isa.FConvert, isa.F16, isa.F32, b.conv(isa.UToF, isa.F32, isa.I32, x))
		v.SPIRV = 100
		half := b.conv(isa.Mov, isa.I16, isa.F16, v)
		r = b.op(isa.Pack16, isa.I32, half, half)
		half.SPIRV, r.SPIRV = 100, spirv
		return v, r
	}
}

func scaledSum(factor uint64) func(b *builder, x *ir.Value) (v, r *ir.Value) {
	return func(b *builder, x *ir.Value) (v, r *ir.Value) {
		x = b.op(isa.FAdd, isa.F32, x, x)
		v = b.op(isa.FMul, isa.F32, x, b.ct(isa.F32, factor))
		return v, b.op(isa.Sqrt, isa.F32, v)
	}
}

func halfInSum(b *builder, x *ir.Value) (v, r *ir.Value) {
	half := b.op(isa.Mov, isa.F16, b.op(isa.Unpack16, isa.I16, x))
	v = b.conv(isa.FConvert, isa.F32, isa.F16, half)
	return v, b.op(isa.FAdd, isa.F32, v, v)
}

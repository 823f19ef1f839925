package asm

import (
	"testing"

	"spvsim/spirv"
)

// Integers as text, of every width, at the ends of their ranges; bits outside of the type have no text.
func TestIntegersAsText(t *testing.T) {
	for _, c := range []struct {
		words []uint32
		n     spirv.Number
		want  string
		ok    bool
	}{
		{[]uint32{0xffff_ffff}, spirv.Number{Width: 32}, "4294967295", true},
		{[]uint32{0xffff_ffff}, spirv.Number{Width: 32, Signed: true}, "-1", true},
		{[]uint32{0x8000_0000}, spirv.Number{Width: 32, Signed: true}, "-2147483648", true},
		{[]uint32{0x7fff_ffff}, spirv.Number{Width: 32, Signed: true}, "2147483647", true},
		{[]uint32{255}, spirv.Number{Width: 8}, "255", true},
		{[]uint32{256}, spirv.Number{Width: 8}, "", false},
		{[]uint32{0xffff_ff80}, spirv.Number{Width: 8, Signed: true}, "-128", true},
		{[]uint32{127}, spirv.Number{Width: 8, Signed: true}, "127", true},
		{[]uint32{0x80}, spirv.Number{Width: 8, Signed: true}, "", false}, // its sign isn't extended
		{[]uint32{0xffff_8000}, spirv.Number{Width: 16, Signed: true}, "-32768", true},
		{[]uint32{0, 1}, spirv.Number{Width: 64}, "4294967296", true},
		{[]uint32{0, 0x8000_0000}, spirv.Number{Width: 64, Signed: true}, "-9223372036854775808", true},
		{[]uint32{0xffff_ffff, 0xffff_ffff}, spirv.Number{Width: 64, Signed: true}, "-1", true},
		{[]uint32{0xffff_ffff, 0xffff_ffff}, spirv.Number{Width: 64}, "18446744073709551615", true},
		{[]uint32{1}, spirv.Number{Width: 64}, "", false},
		{[]uint32{1, 0}, spirv.Number{Width: 32}, "", false},
		{[]uint32{1}, spirv.Number{}, "", false},
	} {
		if out, ok := appendNumber(nil, c.words, c.n); ok != c.ok || ok && string(out) != c.want {
			t.Errorf("%#x of %+v is %q, %v: want %q, %v", c.words, c.n, out, ok, c.want, c.ok)
		}
	}
}

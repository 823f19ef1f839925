package frontend

import (
	"testing"

	"spvsim/isa"
)

// A swizzle by masks is the narrowest operation that moves its lanes: within quads, mirrored in 8 or 16 lanes or by halves of 16, within 8, from
// one half of 32 each, or any.
func TestNarrowestSwizzle(t *testing.T) {
	stay := func(and, or, xor, size uint32) bool {
		for l := range uint32(32) {
			if ((l&and|or)^xor)/size != l/size {
				return false
			}
		}
		return true
	}
	mirrors := func(and, or, xor uint32) bool {
		for _, m := range []uint32{7, 8, 15} {
			same := true
			for l := range uint32(32) {
				same = same && (l&and|or)^xor == l^m
			}
			if same {
				return true
			}
		}
		return false
	}
	for masks := range uint32(1 << 15) {
		and, or, xor := masks&31, masks>>5&31, masks>>10
		want := isa.SwizzleMasked
		switch {
		case stay(and, or, xor, 4):
			want = isa.SwizzleQuad
		case mirrors(and, or, xor):
			want = isa.SwizzleMirror
		case stay(and, or, xor, 8):
			want = isa.SwizzleEight
		case stay(and, or, xor, 16), stay(and, or, xor^16, 16): // each half from one half, its own or the other
			want = isa.SwizzleSixteen
		}
		if got := maskedSwizzle(and, or, xor); got != want {
			t.Errorf("and %d, or %d, xor %d: %s, want %s", and, or, xor, isa.Table[got].Name, isa.Table[want].Name)
			return
		}
	}
}

package rmw

import (
	"math"
	"testing"

	"spvsim/isa"
)

// TestEveryAtomicHasARow: each atomic operation has a meaning on its types, and
// on no others.
func TestEveryAtomicHasARow(t *testing.T) {
	for op := isa.Op(0); op < isa.NumOps; op++ {
		for typ := isa.Void; typ <= isa.F64; typ++ {
			atomic := op >= isa.AtomicLoad && op <= isa.AtomicFMax
			float := op >= isa.AtomicFAdd && op <= isa.AtomicFMax
			moves := op >= isa.AtomicLoad && op <= isa.AtomicCompareExchange
			want := atomic && (float && typ.IsFloat() || !float && typ.IsInt() || moves && typ.IsFloat())
			if got := Lookup(op, typ) != nil; got != want {
				t.Errorf("op %d on %v: %v, want %v", op, typ, got, want)
			}
		}
	}
}

func TestHalfRoundTrip(t *testing.T) {
	for h := range 1 << 16 {
		v := HalfToFloat(uint16(h))
		got := FloatToHalf(float64(v))
		if v != v {
			if got&0x7C00 != 0x7C00 || got&0x3FF == 0 {
				t.Fatalf("NaN %#x became %#x", h, got)
			}
			continue
		}
		if got != uint16(h) {
			t.Fatalf("%#x = %v came back as %#x", h, v, got)
		}
	}
}

// TestHalfRounding: halfway between two neighbours goes to the even one, a
// little more or less to the nearer one.
func TestHalfRounding(t *testing.T) {
	for h := uint16(0); h < 0x7BFF; h++ {
		a, b := float64(HalfToFloat(h)), float64(HalfToFloat(h+1))
		mid := (a + b) / 2
		if got, want := FloatToHalf(mid), h+h&1; got != want {
			t.Fatalf("middle above %#x rounds to %#x, want %#x", h, got, want)
		}
		if got := FloatToHalf(math.Nextafter(mid, 0)); got != h {
			t.Fatalf("below the middle above %#x rounds to %#x", h, got)
		}
		if got := FloatToHalf(-math.Nextafter(mid, 1e9)); got != (h+1)|0x8000 {
			t.Fatalf("beyond the middle above %#x rounds to %#x", h, got)
		}
	}
	for v, want := range map[float64]uint16{65519: 0x7BFF, 65520: 0x7C00, 1e9: 0x7C00, math.Inf(-1): 0xFC00} {
		if got := FloatToHalf(v); got != want {
			t.Errorf("%v = %#x, want %#x", v, got, want)
		}
	}
}

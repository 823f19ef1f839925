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

// The floats of 10 and 11 bits without sign: each comes back, the middle between two neighbours goes to the even one, and a
// little more or less to the nearer one.
func TestUnsignedFloats(t *testing.T) {
	for _, man := range []uint{5, 6} {
		inf := uint32(31 << man)
		for h := range inf {
			a, b := UnsignedFloat(h, 5, man), UnsignedFloat(h+1, 5, man)
			if h == inf-1 {
				b = 65536
			}
			middle := (a + b) / 2
			for v, want := range map[float64]uint32{a: h, middle: h + h&1, math.Nextafter(middle, 0): h, math.Nextafter(middle, 1e9): h + 1, -b: 0} {
				if got := ToUnsignedFloat(v, 5, man); got != want {
					t.Fatalf("%g in %d bits = %#x, want %#x", v, man+5, got, want)
				}
			}
		}
		for v, want := range map[float64]uint32{1e9: inf, math.Inf(1): inf, math.Inf(-1): 0, math.NaN(): inf | 1<<(man-1)} {
			if got := ToUnsignedFloat(v, 5, man); got != want {
				t.Errorf("%g = %#x, want %#x", v, got, want)
			}
		}
		if x := UnsignedFloat(inf|1, 5, man); !math.IsNaN(x) {
			t.Errorf("%g: want NaN", x)
		}
	}
}

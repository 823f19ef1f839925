package opt

import (
	"math"
	"testing"

	"spvsim/isa"
	"spvsim/program/ir"
)

// Signs and magnitudes that an operation absorbs are those of its operands: any chain of them becomes the value's
// modifiers.
func TestSignsAreTakenIn(t *testing.T) {
	for chains := range 1 << 9 { // three operands of three steps: 1 a sign, 0 a magnitude
		f := &ir.Func{}
		f.NewBlock()
		var args, plain []*ir.Value
		want := [3]float64{}
		for k := range 3 {
			x := f.NewValue(isa.Mov, isa.F32, isa.F32)
			a, number := x, float64(k)-1.5
			for step := range (chains >> (3 * k) & 7) % 4 {
				op := isa.FAbs
				if chains>>(3*k+step)&1 != 0 {
					op = isa.FNeg
				}
				if a = f.NewValue(op, isa.F32, isa.F32, a); op == isa.FNeg {
					number = -number
				} else {
					number = math.Abs(number)
				}
			}
			args, plain, want[k] = append(args, a), append(plain, x), number
		}
		v := f.NewValue(isa.Fma, isa.F32, isa.F32, args...)
		takeSigns(v)
		for k := range 3 {
			got := float64(k) - 1.5
			if v.Mod.Abs>>k&1 != 0 {
				got = math.Abs(got)
			}
			if v.Mod.Neg>>k&1 != 0 {
				got = -got
			}
			if got != want[k] || v.Args[k] != plain[k] {
				t.Fatalf("chains %#o: operand %d of %g is read as %g, want %g", chains, k, float64(k)-1.5, got, want[k])
			}
		}
	}
}

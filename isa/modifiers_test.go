package isa

import (
	"math/rand/v2"
	"testing"
)

// An instruction with modifiers leaves what its signs, itself and the clamp one
// after the other would, to the bit, in every lane and under every mask.
func TestModifiersMeanTheirOperations(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 3000 {
		op := []Op{FAdd, FSub, FMul, Fma, FMin, FMax, Floor, FOrdLt}[r.IntN(8)]
		st := someState(r)
		in := Inst{Op: op, T: F32, Dst: V(8), ModRow: 9, Mod: Modifiers{Neg: uint8(r.IntN(8)), Abs: uint8(r.IntN(8)), Clamp: op != FOrdLt && r.IntN(2) == 0}}
		if op == FOrdLt {
			in.Dst = S(7)
		}
		for k := range NumSources(op) {
			in.Src[k] = place(r, st, F32, k, []RegKind{Vector, Vector, Scalar}[r.IntN(3)], false)
		}
		Resolve(&in)
		want := make([]uint64, st.Lanes)
		for l := range want {
			want[l] = get(st, in.Dst, ResultType(op, F32, Void), l, false)
			if st.Exec>>l&1 != 0 {
				want[l] = inSteps(&in, st, l)
			}
		}
		in.Exec(st, &in)
		for l := range want {
			if got := get(st, in.Dst, ResultType(op, F32, Void), l, false); got != want[l] && !(isNaN32(got) && isNaN32(want[l])) {
				t.Fatalf("%s: lane %d is %#x, want %#x", Disasm(&in), l, got, want[l])
			}
		}
	}
}

func isNaN32(x uint64) bool { f := float(uint32(x)); return f != f }

func inSteps(in *Inst, st *State, lane int) uint64 {
	var args []uint64
	for k := range NumSources(in.Op) {
		x := get(st, in.Src[k], F32, lane, false)
		if in.Mod.Abs>>k&1 != 0 {
			x = Eval(FAbs, F32, F32, 0, x)
		}
		if in.Mod.Neg>>k&1 != 0 {
			x = Eval(FNeg, F32, F32, 0, x)
		}
		args = append(args, x)
	}
	x := Eval(in.Op, F32, F32, 0, args...)
	if in.Mod.Clamp {
		x = Eval(FMin, F32, F32, 0, Eval(FMax, F32, F32, 0, x, 0), uint64(word32(1)))
	}
	return x
}

func TestModifiersInListings(t *testing.T) {
	in := Inst{Op: Fma, T: F32, Dst: V(0), Src: [4]Reg{V(1), V(2), V(3)}, Mod: Modifiers{Neg: 5, Abs: 4, Clamp: true}}
	if got, want := Disasm(&in), "v_fma.f32 v0, -v1, v2, -|v3| clamp"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

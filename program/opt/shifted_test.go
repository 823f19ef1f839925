package opt

import (
	"testing"

	"spvsim/isa"
	"spvsim/program/ir"
)

// Unsigned division by 1 << k needs no division, and gives what one gives for every shift, those past the width among them.
func TestDivisionByShiftedOne(t *testing.T) {
	for _, op := range []isa.Op{isa.UDiv, isa.UMod} {
		b := newBuilder(t)
		x, k := b.f.NewValue(isa.Load, isa.I32, isa.I32), b.f.NewValue(isa.Load, isa.I32, isa.I32)
		st := b.store(ir.Mem{Access: isa.Access{Space: isa.SpaceBuffer, Elem: isa.I32}}, b.c(0), b.op(op, isa.I32, x, b.op(isa.Shl, isa.I32, b.c(1), k)))
		b.ret()
		gatherConstants(b.f, Options{})
		fold(b.f, Options{})
		if n := count(b.f, op); n != 0 {
			t.Errorf("%v: %d divisions are left\n%s", op, n, printed(b.f))
		}
		e := &expansion{b.f, x, k, st.Args[1], make([]uint64, b.f.NumValues())}
		for _, n := range []uint64{0, 1, 7, 0x80000000, 0xffffffff} {
			for shift := range uint64(70) {
				d := isa.Eval(isa.Shl, isa.I32, isa.I32, 0, 1, shift)
				if got, want := e.eval(n, shift), isa.Eval(op, isa.I32, isa.I32, 0, n, d); got != want {
					t.Fatalf("%v %d by 1<<%d: %d, want %d", op, n, shift, got, want)
				}
			}
		}
	}
}

package isa

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Rows of sines and cosines have the bits of package math's: of all angles below 2^29, and where a lane has another one.
func TestSinesOfRows(t *testing.T) {
	if !wideRows {
		t.Skip("the processor has no AVX2")
	}
	r := rand.New(rand.NewPCG(31, 32))
	angle := func(most uint32) uint32 { return r.Uint32N(most) | r.Uint32()&(1<<31) }
	special := []uint32{0, 1 << 31, 1, 0x3f490fdb, 0x3fc90fdb, 0x40490fdb, 0x40c90fdb, 0x4dffffff, 0x4e000000, 0x7f800000, 0xff800000, 0x7fc00001, 0x7f7fffff}
	for round := range 20000 {
		st := NewState(32, 2, 0)
		for l := range st.Lanes {
			if st.V[l] = angle(0x4e000000); round%3 == 0 {
				st.V[l] = word32(float32(r.NormFloat64() * 20))
			}
		}
		if round%4 == 0 {
			st.V[r.IntN(32)] = special[round/4%len(special)]
		}
		for op, lane := range map[Op]func(float64) float64{Sin: math.Sin, Cos: math.Cos} {
			in := &Inst{Op: op, T: F32, Dst: V(1), Src: [4]Reg{V(0)}}
			Resolve(in)
			in.Exec(st, in)
			for l, x := range st.V[:32] {
				if got, want := st.V[32+l], word32(float32(lane(float64(float(x))))); got != want {
					t.Fatalf("%s of %g (%#x): %#x, want %#x", Table[op].Name, float(x), x, got, want)
				}
			}
		}
	}
}

package opt

import (
	"math/rand/v2"
	"slices"
	"testing"

	"spvsim/isa"
)

// A heap yields its elements in rising order, whatever is pushed in between.
func TestHeapsGiveTheLowest(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	for range 50 {
		var h heap
		var held []int
		for range 60 {
			if len(held) > 0 && r.IntN(3) == 0 {
				if got := h.pop(); got != held[0] {
					t.Fatalf("%d comes first of %v", got, held)
				}
				held = held[1:]
				continue
			}
			x := r.IntN(20)
			h.push(x)
			held = append(held, x)
			slices.Sort(held)
		}
		if len(h) != len(held) {
			t.Fatalf("%d are held, want %d", len(h), len(held))
		}
	}
}

// A reduction gives one number to all lanes where its clusters are no smaller than a wave.
func TestReductionsOfWavesAreUniform(t *testing.T) {
	for cluster, want := range map[int]bool{0: true, 16: false, 32: true, 64: true} {
		b := newBuilder(t)
		v := b.op(isa.Reduce, isa.I32, b.op(isa.LocalIndex, isa.I32))
		v.Imm = isa.GroupImm(isa.GroupIAdd, cluster)
		b.store(word(0), b.op(isa.LocalIndex, isa.I32), v)
		b.ret()
		setBlocks(b.f)
		divergence(b.f, Options{WaveSize: 32})
		if v.Uniform != want {
			t.Errorf("clusters of %d in waves of 32 lanes: uniform %t", cluster, v.Uniform)
		}
	}
}

// Values without a sign, and values that only look so.
func TestNumbersWithoutASign(t *testing.T) {
	for text, want := range map[string]bool{
		"x": false, "0": true, "5": true, "-5": false, "(local_index)": true, "(local_id_x)": true, "(local_id_y)": true, "(local_id_z)": true, "(lane_id)": true, "(subgroup_id)": true, "(workgroup_id_x)": false,
		"(and x 5)": true, "(and 5 x)": true, "(and x -5)": false, "(and x y)": false, "(or 5 (and x 3))": true, "(or 5 x)": false, "(or x 5)": false, "(xor 5 5)": false,
		"(shr x 1)": true, "(shr x 31)": true, "(shr x 32)": false, "(shr x 0)": false, "(shr x y)": false, "(shr 5 y)": true, "(sar x 1)": false, "(sar 5 y)": true, "(shl 5 1)": false,
		"(srem 5 x)": true, "(srem x 5)": false, "(umod 5 x)": true, "(umod x 5)": false, "(udiv 5 x)": true, "(udiv x 5)": false, "(smod x 5)": true, "(smod 5 x)": false, "(smod x -5)": false,
		"(sdiv 5 3)": true, "(sdiv x 3)": false, "(sdiv 5 x)": false, "(umin 5 3)": true, "(umin x 3)": false, "(umin 3 x)": false, "(smin 5 3)": true, "(smin x 3)": false, "(smin 3 x)": false, "(iadd 1 2)": false,
		"(uconvert.i32.i8 x)": true, "(uconvert.i32.i16 x)": true, "(uconvert.i32.i64 x)": false, "(sconvert.i32.i8 x)": false,
		"(and (and (and (and x y) y) y) 5)": true, "(umin (umin (umin (umin 5 6) 7) 8) 9)": true, "(umin (umin (umin (umin (umin 5 6) 7) 8) 9) 10)": false,
	} {
		if got := nonNegative(newExpr(t, text).read(isa.I32), 0); got != want {
			t.Errorf("%s has no sign: %t, want %t", text, got, want)
		}
	}
}

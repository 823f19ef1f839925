package mem

import (
	"testing"

	"spvsim/isa"
)

// Of the fragments of one pixel the last primitive's stays, or the nearest, in
// whatever order they come.
func TestTargetsDoNotDependOnTheOrderOfWaves(t *testing.T) {
	type fragment struct {
		order uint32
		z     float32
	}
	list := []fragment{{0, 0.5}, {1, 0.25}, {2, 0.75}, {3, 0.25}}
	for _, c := range []struct {
		depth bool
		want  uint32
	}{{false, 3}, {true, 1}} {
		for p := range 24 {
			target, last := NewTarget(1, 1, 1, c.depth), uint32(99)
			for _, i := range permutation(p) {
				f := &isa.Fragments{}
				f.Prims[0] = &isa.Primitive{Index: list[i].order}
				f.Coord[2][0] = list[i].z
				if target.passesOrder(f, 0, 0) {
					last = list[i].order
				}
			}
			if last != c.want {
				t.Errorf("depth %v, order %v: primitive %d stays, want %d", c.depth, permutation(p), last, c.want)
			}
		}
	}
}

// permutation is the n-th of the 24 orders of four things.
func permutation(n int) []int {
	left, out := []int{0, 1, 2, 3}, []int(nil)
	for k := 4; k > 0; k-- {
		i := n % k
		n /= k
		out = append(out, left[i])
		left = append(left[:i:i], left[i+1:]...)
	}
	return out
}

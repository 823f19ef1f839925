package gpu

import (
	"testing"

	"spvsim/isa"
	"spvsim/program"
)

// The loop that a wave goes round in is the shortest that a branch back closes around it, its first and last instruction included.
func TestInnermostLoop(t *testing.T) {
	p := &program.Program{}
	for _, target := range []int{-1, -1, -1, 2, -1, 1, 6, 0, -1, 9} { // of branches: 3 back to 2, 5 to 1, 6 to itself, 7 to 0, 9 to itself
		in := isa.Inst{Op: isa.IAdd}
		if target >= 0 {
			in = isa.Inst{Op: isa.Branch, Target: int32(target)}
		}
		p.Insts = append(p.Insts, in)
	}
	for pc, want := range [][2]int{{0, 7}, {1, 5}, {2, 3}, {2, 3}, {1, 5}, {1, 5}, {6, 6}, {0, 7}, {-1, -1}, {9, 9}} {
		l, ok := innermostLoop(p, pc)
		if ok != (want[0] >= 0) || ok && (l.from != want[0] || l.to != want[1]) {
			t.Errorf("at %d: %v from %d to %d, want %v", pc, ok, l.from, l.to, want)
		}
	}
}

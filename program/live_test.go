package program

import (
	"testing"

	"spvsim/isa"
)

// Values are live from their write to their last read, around loops and through the side of a branch that other lanes take.
func TestLiveRegisters(t *testing.T) {
	v := func(i uint16) isa.Reg { return isa.Reg{Kind: isa.Vector, Index: i} }
	s := func(i uint16) isa.Reg { return isa.Reg{Kind: isa.Scalar, Index: i} }
	add := func(to, a, b isa.Reg) isa.Inst {
		return isa.Inst{Op: isa.IAdd, T: isa.I32, Dst: to, Src: [4]isa.Reg{a, b}}
	}
	for _, of := range []struct {
		name   string
		insts  []isa.Inst
		vector []int
	}{
		{"a line", []isa.Inst{add(v(0), s(0), s(1)), add(v(1), v(0), s(1)), add(v(2), v(1), v(0)), add(v(0), v(2), v(2)), {Op: isa.End}}, []int{1, 2, 3, 2, 0}},
		{"a value that nothing reads", []isa.Inst{add(v(0), s(0), s(1)), add(v(1), s(0), s(0)), {Op: isa.End}}, []int{1, 1, 0}},
		// v0 is read in each round, v1 after the loop.
		{"a loop", []isa.Inst{add(v(0), s(0), s(1)), add(v(1), v(0), s(0)), {Op: isa.BranchTrue, Src: [4]isa.Reg{s(0)}, Target: 1}, add(v(2), v(1), s(0)), {Op: isa.End}}, []int{1, 2, 2, 2, 0}},
	} {
		p := &Program{VectorRows: 4, ScalarWords: 4, Insts: of.insts}
		for i := range p.Insts {
			p.Insts[i].SetDeps(p.VectorRows)
		}
		live := p.Live()
		for i := range live {
			if live[i].Vector != of.vector[i] {
				t.Errorf("%s: instruction %d: %d vector registers are live, want %d", of.name, i, live[i].Vector, of.vector[i])
			}
		}
	}
}

package simd

import (
	"slices"
	"testing"

	"spvsim/internal/suite"
	"spvsim/isa"
)

// A wave waits in a basic block once for each result that may come late, and never for those that are there when the next
// instruction may issue.
func TestWhatWavesWaitFor(t *testing.T) {
	add := func(to, a, b int) isa.Inst {
		return isa.Inst{Op: isa.IAdd, T: isa.I32, Class: isa.ClassVALU32, Dst: isa.V(to), Src: [4]isa.Reg{isa.V(a), isa.V(b)}}
	}
	for name, c := range map[string]struct {
		latency int
		waits   [][]uint16 // for which registers each instruction does
		enters  bool       // results are
	}{
		"late results":   {5, [][]uint16{{0, 1, 2}, {2, 3}, {4}, nil, {0, 2, 4}}, true},
		"prompt results": {1, make([][]uint16, 5), false},
	} {
		rules := testRules()
		rules.set(isa.ClassVALU32, "valu", 1, 1, c.latency)
		rules.set(isa.ClassBranch, "branch", 1, 1, 1)
		rules.set(isa.ClassBranchTaken, "branch", 1, 1, 8)
		// The branch back ends the block: what was waited for before counts no more.
		p := testProgram(32, add(2, 0, 1), add(3, 2, 0), add(4, 2, 0), isa.Inst{Op: isa.BranchTrue, Target: 4, Class: isa.ClassBranch}, add(4, 2, 0),
			add(0, 2, 4), add(1, 0, 0), isa.Inst{Op: isa.Branch, Target: 0, Class: isa.ClassBranch})
		p.VectorRows = 5
		for i := range p.Insts {
			p.Insts[i].SetDeps(p.VectorRows)
		}
		code := suite.Must(NewCode(p, rules, 0))(t)
		for i, want := range c.waits {
			if o := &code.ops[i]; !slices.Equal(o.deps, want) || o.writesScoreboard != (c.enters && i != 3) {
				t.Errorf("%s, instruction %d: waits for %v, want %v; enters its result: %v", name, i, o.deps, want, o.writesScoreboard)
			}
		}
	}
}

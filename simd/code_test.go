package simd

import (
	"errors"
	"strings"
	"testing"

	"spvsim/isa"
	"spvsim/program"
)

func testRules() *Rules {
	r := &Rules{WaveSize: 32}
	r.Classes[isa.ClassVALU32] = ClassCost{"valu", 1, 1, 5}
	r.Classes[isa.ClassTrans] = ClassCost{"trans", 1, 4, 10}
	r.Classes[isa.ClassSALU] = ClassCost{"salu", 1, 1, 2}
	r.Classes[isa.ClassEnd] = ClassCost{"internal", 1, 1, 1}
	return r
}

func testProgram(waveSize int, list ...isa.Inst) *program.Program {
	p := &program.Program{Name: "main", WaveSize: waveSize, Insts: append(list, isa.Inst{Op: isa.End})}
	for i := range p.Insts {
		isa.Resolve(&p.Insts[i])
	}
	return p
}

func TestCostsByWaveSize(t *testing.T) {
	exp := isa.Inst{Op: isa.Exp2, T: isa.F32, Class: isa.ClassTrans, Dst: isa.V(0), Src: [4]isa.Reg{isa.V(0)}}
	add := isa.Inst{Op: isa.IAdd, T: isa.I32, Class: isa.ClassVALU32, Dst: isa.V(0), Src: [4]isa.Reg{isa.V(0), isa.V(1)}}
	sadd := isa.Inst{Op: isa.IAdd, T: isa.I32, Class: isa.ClassSALU, Uniform: true, Dst: isa.S(0), Src: [4]isa.Reg{isa.S(0), isa.S(1)}}
	for _, c := range []struct {
		wave                 int
		inst                 isa.Inst
		issue, busy, latency uint32
	}{
		{32, add, 1, 1, 5}, {64, add, 2, 2, 5},
		{32, exp, 1, 4, 10}, {64, exp, 2, 8, 10},
		{32, sadd, 1, 1, 2}, {64, sadd, 1, 1, 2},
	} {
		code, err := NewCode(testProgram(c.wave, c.inst), testRules(), 0)
		if err != nil {
			t.Fatal(err)
		}
		if o := code.ops[0]; o.issue != c.issue || o.busy != c.busy || o.latency != c.latency {
			t.Errorf("wave%d %s: %d/%d/%d, want %d/%d/%d", c.wave, c.inst.Class, o.issue, o.busy, o.latency, c.issue, c.busy, c.latency)
		}
	}
}

func TestCodeIsChecked(t *testing.T) {
	rules := testRules()
	jump := func(target int32) isa.Inst { return isa.Inst{Op: isa.Branch, Target: target} }
	rules.Classes[isa.ClassBranch] = ClassCost{"branch", 1, 1, 1}
	rules.Classes[isa.ClassBranchTaken] = ClassCost{"branch", 1, 1, 8}
	open := testProgram(32)
	open.Insts = open.Insts[:0]
	for name, c := range map[string]struct {
		prog *program.Program
		want string
	}{
		"empty":         {open, "does not end"},
		"jump too far":  {testProgram(32, jump(2)), "branches to 2"},
		"jump before":   {testProgram(32, jump(-1)), "branches to -1"},
		"unknown class": {testProgram(32, isa.Inst{Op: isa.IMul, T: isa.I32, Class: isa.ClassIMul32, Dst: isa.V(0)}), `"imul32"`},
		"no meaning":    {testProgram(32, isa.Inst{Op: isa.Proj, Class: isa.ClassSALU}), "no meaning"},
	} {
		_, err := NewCode(c.prog, rules, 0)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, c.want)
		}
	}
	bad := testRules()
	bad.Classes[isa.ClassVALU32].Unit = "abacus"
	if _, err := NewCode(testProgram(32), bad, 0); !errors.Is(err, ErrTiming) {
		t.Errorf("an unknown unit: error %v", err)
	}
}

// A loop without any instruction that costs time would never let the clock go on.
func TestBackwardBranchesCost(t *testing.T) {
	rules := testRules()
	rules.Classes[isa.ClassBranch] = ClassCost{"branch", 1, 1, 1}
	rules.Classes[isa.ClassBranchTaken] = ClassCost{"branch", 1, 1, 8}
	p := testProgram(32, isa.Inst{Op: isa.Branch, Target: 0})
	p.Insts[0].Class = isa.ClassNone
	code, err := NewCode(p, rules, 0)
	if err != nil {
		t.Fatal(err)
	}
	if code.ops[0].free {
		t.Error("a branch to itself is free")
	}
}

func TestSpecIsChecked(t *testing.T) {
	good := Spec{Slots: 10, Cadence: 4, Policy: "oldest", Width: 1}
	if _, err := New(good, Place{Name: "SIMD"}); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*Spec){
		"policy":  func(s *Spec) { s.Policy = "newest" },
		"slots":   func(s *Spec) { s.Slots = 0 },
		"cadence": func(s *Spec) { s.Cadence = 0 },
		"width":   func(s *Spec) { s.Width = 0 },
	} {
		s := good
		change(&s)
		if _, err := New(s, Place{Name: "SIMD"}); !errors.Is(err, ErrSpec) {
			t.Errorf("%s: error %v, want %v", name, err, ErrSpec)
		}
	}
}

func TestClockMask(t *testing.T) {
	for bits, want := range map[int]uint64{64: ^uint64(0), 20: 1<<20 - 1, 0: ^uint64(0), 1: 1} {
		if got := clockMask(bits); got != want {
			t.Errorf("%d bits: mask %#x, want %#x", bits, got, want)
		}
	}
}

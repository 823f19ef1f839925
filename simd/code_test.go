package simd

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"spvsim/internal/spec"
	"spvsim/internal/suite"
	"spvsim/isa"
	"spvsim/program"
)

func testRules() *Rules {
	r := &Rules{Shape: &spec.Shape{WaveSize: 32, SIMDWidth: 32}, Timing: &Timing{Passes: 1, Classes: map[string]Class{}}}
	r.set(isa.ClassVALU32, "valu", 1, 1, 5)
	r.set(isa.ClassTrans, "trans", 1, 4, 10)
	r.set(isa.ClassSALU, "salu", 1, 1, 2)
	r.set(isa.ClassEnd, "internal", 1, 1, 1)
	return r
}

func (r *Rules) set(c isa.Class, unit string, issue, busy, latency int) {
	r.Timing.Classes[c.String()] = Class{Unit: unit, Issue: issue, Busy: busy, Latency: latency}
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
		code := suite.Must(NewCode(testProgram(c.wave, c.inst), testRules(), 0))(t)
		if o := code.ops[0]; o.issue != c.issue || o.busy != c.busy || o.latency != c.latency {
			t.Errorf("wave%d %s: %d/%d/%d, want %d/%d/%d", c.wave, c.inst.Class, o.issue, o.busy, o.latency, c.issue, c.busy, c.latency)
		}
	}
}

// Issue and busy of vector classes follow the passes through the SIMD: as GCN states them, for four, and as RDNA, for one.
func TestCostsByWidth(t *testing.T) {
	type row struct{ issue, busy, latency int }
	for _, c := range []struct {
		name                      string
		given, wave, lanes, width int
		issue, busy, latency      int
		unit                      string
		want                      row
	}{
		{"GCN", 4, 64, 64, 16, 4, 4, 4, "valu", row{4, 4, 4}},
		{"GCN, half as wide", 4, 64, 64, 8, 4, 4, 4, "valu", row{8, 8, 8}},
		{"GCN, twice as wide", 4, 64, 64, 32, 4, 4, 4, "valu", row{2, 2, 4}},
		{"GCN, four times as wide", 4, 64, 64, 64, 16, 16, 16, "valu", row{4, 4, 16}},
		{"RDNA", 1, 32, 32, 32, 1, 4, 10, "trans", row{1, 4, 10}},
		{"RDNA, wave64", 1, 32, 64, 32, 1, 4, 10, "trans", row{2, 8, 10}},
		{"RDNA, half as wide", 1, 32, 32, 16, 1, 4, 10, "trans", row{2, 8, 10}},
		{"RDNA, wave64, an eighth", 1, 32, 64, 8, 1, 4, 10, "trans", row{8, 32, 10}},
		{"RDNA, wave32 on twice as wide", 1, 32, 32, 64, 1, 4, 10, "trans", row{1, 4, 10}},
		{"RDNA, wave64 on twice as wide", 1, 32, 64, 64, 1, 4, 10, "trans", row{1, 4, 10}},
		{"parts of a pass count whole", 4, 64, 64, 32, 5, 7, 1, "valu", row{3, 4, 3}},
		{"never below a cycle", 8, 64, 16, 64, 1, 1, 1, "valu", row{1, 1, 1}},
		{"other units", 1, 32, 64, 8, 1, 1, 2, "salu", row{1, 1, 2}},
		{"nothing said", 0, 64, 64, 16, 4, 4, 4, "valu", row{4, 4, 4}},
		{"nothing said, other width", 0, 64, 64, 32, 4, 4, 4, "valu", row{4, 4, 4}},
		{"nothing said, larger wave", 0, 32, 64, 32, 1, 1, 5, "valu", row{2, 2, 5}},
	} {
		timing := &Timing{Passes: c.given, Classes: map[string]Class{"valu32": {Unit: c.unit, Issue: c.issue, Busy: c.busy, Latency: c.latency}}}
		got, ok := timing.Cost(isa.ClassVALU32, &spec.Shape{WaveSize: c.wave, SIMDWidth: c.width}, c.lanes)
		if g := (row{got.Issue, got.Busy, got.Latency}); !ok || g != c.want {
			t.Errorf("%s: %v, want %v", c.name, g, c.want)
		}
	}
}

func TestCodeIsChecked(t *testing.T) {
	rules := testRules()
	jump := func(target int32) isa.Inst { return isa.Inst{Op: isa.Branch, Target: target} }
	rules.set(isa.ClassBranch, "branch", 1, 1, 1)
	rules.set(isa.ClassBranchTaken, "branch", 1, 1, 8)
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
}

// A loop without any instruction that costs time would never let the clock go on.
func TestBackwardBranchesCost(t *testing.T) {
	rules := testRules()
	rules.set(isa.ClassBranch, "branch", 1, 1, 1)
	rules.set(isa.ClassBranchTaken, "branch", 1, 1, 8)
	p := testProgram(32, isa.Inst{Op: isa.Branch, Target: 0})
	p.Insts[0].Class = isa.ClassNone
	code := suite.Must(NewCode(p, rules, 0))(t)
	if code.ops[0].zeroCost {
		t.Error("a branch to itself is free")
	}
}

// A run ends where a branch enters, though what is there computes nothing: what follows computes again in each turn of the loop.
func TestRunsEndWhereBranchesEnter(t *testing.T) {
	rules := testRules()
	rules.set(isa.ClassBranch, "branch", 1, 1, 1)
	rules.set(isa.ClassBranchTaken, "branch", 1, 1, 8)
	add := isa.Inst{Op: isa.IAdd, T: isa.I32, Class: isa.ClassSALU, Uniform: true}
	p := testProgram(32, add, isa.Inst{Op: isa.Micro, Class: isa.ClassSALU}, add, add, isa.Inst{Op: isa.Branch, Target: 1, Class: isa.ClassBranch})
	p.Insts[5].Class = isa.ClassEnd
	code := suite.Must(NewCode(p, rules, 0))(t)
	for i, want := range []int{1, 0, 2, 0} {
		if got := len(code.ops[i].run); got != want {
			t.Errorf("instruction %d computes %d, want %d", i, got, want)
		}
	}
}

// What the tags allow is what the model has.
func TestTagsMatchTheModel(t *testing.T) {
	enum := func(of reflect.Type, name string) []string {
		for _, f := range spec.Fields(of) {
			if f.Name == name {
				return slices.Sorted(slices.Values(f.Enum))
			}
		}
		return nil
	}
	for name, got := range map[string][2][]string{
		"policy": {enum(reflect.TypeFor[IssueSpec](), "policy"), slices.Sorted(maps.Keys(Policies))},
		"unit":   {enum(reflect.TypeFor[Class](), "unit"), slices.Sorted(maps.Keys(units))},
	} {
		if !slices.Equal(got[0], got[1]) {
			t.Errorf("%s: the tag says %v, the model has %v", name, got[0], got[1])
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

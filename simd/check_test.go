package simd

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spvsim/account"
	"spvsim/internal/spec"
	"spvsim/internal/suite"
	"spvsim/isa"
	"spvsim/program"
)

// What may stand at a program's end, and what has a meaning.
func TestWhatProgramsMayHold(t *testing.T) {
	rules := testRules()
	rules.set(isa.ClassBranch, "branch", 1, 1, 1)
	rules.set(isa.ClassBranchTaken, "branch", 1, 1, 8)
	add := isa.Inst{Op: isa.IAdd, T: isa.I32, Class: isa.ClassVALU32, Dst: isa.V(0), Src: [4]isa.Reg{isa.V(0), isa.V(1)}}
	for name, c := range map[string]struct {
		insts []isa.Inst
		want  string
	}{
		"an end":               {[]isa.Inst{add, {Op: isa.End}}, ""},
		"a branch":             {[]isa.Inst{add, {Op: isa.Branch}}, ""},
		"an addition":          {[]isa.Inst{{Op: isa.Branch}, add}, "does not end"},
		"a branch that may go": {[]isa.Inst{add, {Op: isa.BranchExecZ}}, "does not end"},
		"nothing to do":        {[]isa.Inst{{Op: isa.Nop}, {Op: isa.End}}, ""},
		"a micro-operation":    {[]isa.Inst{{Op: isa.Micro, Class: isa.ClassVALU32}, {Op: isa.End}}, ""},
		"of the compiler only": {[]isa.Inst{{Op: isa.Phi}, {Op: isa.End}}, "no meaning"},
		"to the first":         {[]isa.Inst{{Op: isa.BranchExecZ, Target: 0}, {Op: isa.End}}, ""},
		"to the last":          {[]isa.Inst{{Op: isa.BranchExecZ, Target: 1}, {Op: isa.End}}, ""},
		"after the last":       {[]isa.Inst{{Op: isa.BranchExecZ, Target: 2}, {Op: isa.End}}, "branches to 2 of 2"},
	} {
		p := &program.Program{Name: "main", WaveSize: 32, Insts: c.insts}
		for i := range p.Insts {
			isa.Resolve(&p.Insts[i])
		}
		_, err := NewCode(p, rules, 0)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: error %v, want one with %q", name, err, c.want)
		}
	}
	// A meaning that the resolver took away, and one of the compiler that was given.
	bare := testProgram(32, add)
	bare.Insts[0].Exec = nil
	if _, err := NewCode(bare, rules, 0); err == nil {
		t.Error("an addition without a function is taken")
	}
	given := testProgram(32, isa.Inst{Op: isa.Phi})
	given.Insts[0].Exec = func(*isa.State, *isa.Inst) {}
	if _, err := NewCode(given, rules, 0); err == nil {
		t.Error("a phi with a function is taken")
	}
	delete(rules.Timing.Classes, isa.ClassBranchTaken.String())
	if _, err := NewCode(testProgram(32, isa.Inst{Op: isa.Branch, Target: 1}), rules, 0); !errors.Is(err, ErrTiming) {
		t.Errorf("no cost of a taken branch: %v", err)
	}
	if code, err := NewCode(testProgram(32, add), rules, 0); err != nil || code.taken != (cost{}) {
		t.Errorf("no cost of a taken branch, and no branch: %v", err)
	}
}

// A branch forward of no class is free; every other instruction that is no computation costs something.
func TestZeroCostInstructions(t *testing.T) {
	rules := testRules()
	rules.Matrix = &MatrixSpec{Width: 1}
	for class, name := range isa.ClassNames {
		if class > 0 {
			rules.Timing.Classes[name] = Class{Unit: "salu", Issue: 1, Busy: 1, Latency: 1}
		}
	}
	buffer := &isa.Mem{Access: isa.Access{Elem: isa.I32, Count: 1}}
	for name, c := range map[string]struct {
		inst isa.Inst
		at   int
		free bool
	}{
		"forward":        {isa.Inst{Op: isa.Branch, Target: 2}, 1, true},
		"to the next":    {isa.Inst{Op: isa.BranchTrue, Target: 1}, 0, true},
		"to itself":      {isa.Inst{Op: isa.Branch, Target: 1}, 1, false},
		"back":           {isa.Inst{Op: isa.Branch, Target: 0}, 1, false},
		"a computation":  {isa.Inst{Op: isa.IAdd, T: isa.I32}, 0, true},
		"a load":         {isa.Inst{Op: isa.Load, T: isa.I32, Mem: buffer}, 0, false},
		"a barrier":      {isa.Inst{Op: isa.Barrier}, 0, false},
		"an end":         {isa.Inst{Op: isa.End}, 2, false},
		"a print":        {isa.Inst{Op: isa.DebugPrint}, 0, false},
		"an allocation":  {isa.Inst{Op: isa.PayloadAlloc, T: isa.I64}, 0, false},
		"a memory fence": {isa.Inst{Op: isa.MemoryBarrier}, 0, false},
	} {
		p := testProgram(32, isa.Inst{Op: isa.Nop}, isa.Inst{Op: isa.Nop})
		p.Insts[c.at] = c.inst
		isa.Resolve(&p.Insts[c.at])
		p.Insts[c.at].Class = isa.ClassNone
		p.Insts = append(p.Insts, isa.Inst{Op: isa.End, Class: isa.ClassEnd})
		code, err := NewCode(p, rules, 0)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if code.ops[c.at].zeroCost != c.free {
			t.Errorf("%s: free %v, want %v", name, code.ops[c.at].zeroCost, c.free)
		}
	}
}

// Register memory goes from wave to wave of the same code, cleared; what code
// had that did not run between two Drops is let go of.
func TestPool(t *testing.T) {
	prog := testProgram(32)
	prog.VectorRows, prog.ScalarWords = 2, 3
	code := suite.Must(NewCode(prog, testRules(), 0))(t)
	for i, row := range NewShared(1, 64).tmp {
		if len(row) != 128 {
			t.Errorf("%d scratch words in row %d, want two for each of 64 lanes", len(row), i)
		}
	}
	p := &RegisterPool{}
	a, b := p.allocate(code), p.allocate(code)
	if len(a.v) != 64 || len(a.s) != 3 || len(a.scoreboard) != 5 {
		t.Fatalf("%d vector words, %d scalar, %d entries; want 64, 3, 5", len(a.v), len(a.s), len(a.scoreboard))
	}
	a.v[63], a.s[2], a.scoreboard[4] = 1, 1, 1
	p.release(code, b)
	if len(p.codes) != 1 {
		t.Errorf("%d codes have memory idle, want 1", len(p.codes))
	}
	p.release(code, a)
	if got := p.allocate(code); got != a {
		t.Error("not the memory that was used last")
	} else if got.v[63]|uint32(got.s[2]|got.scoreboard[4]) != 0 {
		t.Error("the memory is not cleared")
	}
	if len(p.codes) != 1 {
		t.Errorf("%d codes have memory idle, want 1", len(p.codes))
	}
	p.DropUnused()
	if len(code.freeRegisters) != 1 {
		t.Error("the memory of code that ran is gone")
	}
	if p.DropUnused(); code.freeRegisters != nil || len(p.codes) != 0 {
		t.Error("the memory of code that did not run is kept")
	}
}

// The SIMDs of a unit may go ahead in any order: the first instruction is that of the least cycle.
func TestGroupBegins(t *testing.T) {
	for _, order := range [][]uint64{{7, 8, 9}, {9, 8, 7}, {8, 7, 9}} {
		var g Workgroup
		for _, cycle := range order {
			g.NoteFirstIssue(cycle)
		}
		if g.FirstIssue != 7 {
			t.Errorf("waves begin in cycles %d, the group in cycle %d", order, g.FirstIssue)
		}
	}
}

// A group's waves keep their order as they end.
func TestGroupRemoves(t *testing.T) {
	a, b, c := &Wave{}, &Wave{}, &Wave{}
	g := &Workgroup{Waves: []*Wave{a, b, c}}
	g.Remove(b)
	g.Remove(&Wave{})
	if !slices.Equal(g.Waves, []*Wave{a, c}) {
		t.Errorf("%d waves stay", len(g.Waves))
	}
}

// No wave may be placed where no slot is free.
func TestNoFreeSlot(t *testing.T) {
	s := New(&IssueSpec{Cadence: 1, Policy: "oldest", Width: 1}, &spec.Shape{WaveSlots: 1, ClockMHz: 1}, SIMDParams{Name: "SIMD", Pool: &RegisterPool{}, Shared: NewShared(1, 32), MaxOutstanding: 1})
	code := suite.Must(NewCode(testProgram(32), testRules(), 0))(t)
	start := func() { s.Start(0, &Start{Code: code, Workgroup: &Workgroup{}}) }
	start()
	defer func() {
		if recover() == nil {
			t.Error("two waves in one slot")
		}
	}()
	start()
}

// A period of accounting starts from nothing, and slots are empty from there on.
func TestResetForgets(t *testing.T) {
	s := New(&IssueSpec{Cadence: 1, Policy: "oldest", Width: 1}, &spec.Shape{WaveSlots: 3, ClockMHz: 1}, SIMDParams{Name: "SIMD", Pool: &RegisterPool{}, Shared: NewShared(1, 32), MaxOutstanding: 1})
	s.ChargeEmpty(10, account.Empty)
	s.Reset(25)
	s.ChargeEmpty(30, account.Empty)
	if got := s.Cycles.Total(); got != 3*5 {
		t.Errorf("%d slot cycles, want 3 slots of 5", got)
	}
}

// fullTiming has a row for each class.
func fullTiming() Timing {
	t := Timing{Lowering: "dpp", Classes: map[string]Class{}, Operations: map[string]Operation{
		"reduce": {Use: []string{"6 dpp", "valu32"}, UseLDS: []string{"lds"}}, "ssign/i32/64": {Use: []string{"valu32"}},
		"sdiv/scalar": {Use: []string{"salu"}}}}
	for _, name := range ClassNames() {
		t.Classes[name] = Class{Unit: "valu", Issue: 2, Busy: 2, Latency: 2}
	}
	return t
}

// Every rule of the timing table at its boundary.
func TestTimingIsChecked(t *testing.T) {
	class := func(name string, issue, busy, latency int) func(*Timing) {
		return func(t *Timing) { t.Classes[name] = Class{Unit: "valu", Issue: issue, Busy: busy, Latency: latency} }
	}
	use := func(key string, use, lds []string) func(*Timing) {
		return func(t *Timing) { t.Operations[key] = Operation{Use: use, UseLDS: lds} }
	}
	one := []string{"valu32"}
	for _, c := range []struct {
		name string
		edit func(*Timing)
		want string // empty: nothing to say
	}{
		{"as it is", func(*Timing) {}, ""},
		{"packed classes may be absent", func(t *Timing) {
			for name := range optionalClasses {
				delete(t.Classes, name)
			}
		}, ""},
		{"others may not", func(t *Timing) { delete(t.Classes, "trans") }, "classes.trans: missing: want unit, issue, busy and latency of each class"},
		{"busy as issue", class("trans", 3, 3, 1), ""},
		{"busy below", class("trans", 3, 2, 9), "classes.trans.busy: found 2: want at least issue, 3"},
		{"a packed class is checked, too", class("packed16", 3, 2, 9), "classes.packed16.busy: found 2: want at least issue, 3"},
		{"no class", class("tranx", 1, 1, 1), `classes.tranx: found "tranx": want an instruction class (nearest: trans)`},
		{"a barrier's result", class("barrier", 1, 1, 2), "classes.barrier.latency: found 2: want at most issue, 1, as the class has no result that an instruction waits for"},
		{"no result", class("end", 3, 3, 3), ""},
		{"no operation", use("redcue", one, nil), `operations.redcue: found "redcue": want an operation (nearest: reduce)`},
		{"no key", use("reduce/i33", one, nil), "operations.reduce/i33: want op, op/type, op/wave or op/type/wave (reduce/i64/32), or op/scalar or op/type/scalar"},
		{"no list", use("reduce", nil, one), "operations.reduce.use: found an empty list: want class names"},
		{"most", use("reduce", []string{fmt.Sprint(maxMicros, " dpp")}, nil), ""},
		{"one more", use("reduce", []string{"dpp", fmt.Sprint(maxMicros+1, " dpp")}, nil), `operations.reduce.use[1]: found "4097 dpp": want a class name, or a count up to 4096 and a class name`},
		{"one", use("reduce", []string{"1 dpp"}, nil), ""},
		{"none", use("reduce", []string{"0 dpp"}, nil), `operations.reduce.use[0]: found "0 dpp": want a class name, or a count up to 4096 and a class name`},
		{"no count", use("reduce", []string{"x dpp"}, nil), `operations.reduce.use[0]: found "x dpp": want a class name, or a count up to 4096 and a class name`},
		{"three words", use("reduce", []string{"1 dpp dpp"}, nil), `operations.reduce.use[0]: found "1 dpp dpp": want a class name, or a count up to 4096 and a class name`},
		{"an unknown class", use("reduce", one, []string{"dppx"}), `operations.reduce.use_lds[0]: found "dppx": want an instruction class (nearest: dpp)`},
	} {
		timing := fullTiming()
		c.edit(&timing)
		var got []string
		for _, p := range timing.Check() {
			got = append(got, p.Error())
		}
		if strings.Join(got, "\n") != c.want {
			t.Errorf("%s: found\n%s\nwant\n%s", c.name, strings.Join(got, "\n"), c.want)
		}
	}
}

// The most specific row of an operation wins; the lowering picks its list where it has two.
func TestExpand(t *testing.T) {
	timing := fullTiming()
	for key, n := range map[string]int{"op": 1, "op/64": 2, "op/i32": 3, "op/i32/64": 4, "op/scalar": 5, "op/i32/scalar": 6} {
		timing.Operations[key] = Operation{Use: []string{fmt.Sprint(n, " dpp")}, Source: key}
	}
	for _, c := range []struct {
		typ    string
		wave   int
		source string
		n      int
	}{{"f32", 32, "op", 1}, {"f32", 64, "op/64", 2}, {"i32", 32, "op/i32", 3}, {"i32", 64, "op/i32/64", 4}} {
		if classes, source, ok := timing.Expand("op", c.typ, c.wave); !ok || source != c.source || len(classes) != c.n {
			t.Errorf("%s, %d lanes: %d of %s, %v", c.typ, c.wave, len(classes), source, ok)
		}
	}
	for typ, n := range map[string]int{"f32": 5, "i32": 6} {
		if classes, _, ok := timing.ExpandScalar("op", typ); !ok || len(classes) != n {
			t.Errorf("scalar %s: %d, want %d", typ, len(classes), n)
		}
	}
	if _, _, ok := timing.Expand("reverse", "i32", 32); ok {
		t.Error("an operation without a row has one")
	}
	if _, _, ok := timing.ExpandScalar("reduce", "i32"); ok {
		t.Error("an operation without a scalar row has one")
	}
	dpp := []string{"dpp", "dpp", "dpp", "dpp", "dpp", "dpp", "valu32"}
	for lowering, want := range map[string][]string{"dpp": dpp, "lds": {"lds"}} {
		timing.Lowering = lowering
		got, _, _ := timing.Expand("reduce", "i32", 32)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", lowering, diff)
		}
		if got, _, _ := timing.Expand("ssign", "i32", 64); len(got) != 1 {
			t.Errorf("%s: without a list for the LDS: %v", lowering, got)
		}
	}
}

// A class that is not given in full costs a cycle, and never less in one part than in another.
func TestCostsFillUp(t *testing.T) {
	timing := &Timing{Passes: 1, Classes: map[string]Class{"salu": {Unit: "salu"}, "branch": {Unit: "branch", Issue: 3, Busy: 1, Latency: 2}}}
	shape := &spec.Shape{WaveSize: 32, SIMDWidth: 32}
	for class, want := range map[isa.Class]Class{
		isa.ClassSALU:   {Unit: "salu", Issue: 1, Busy: 1, Latency: 1},
		isa.ClassBranch: {Unit: "branch", Issue: 3, Busy: 3, Latency: 3},
	} {
		if got, ok := timing.Cost(class, shape, 32); !ok || got != want {
			t.Errorf("%v: %+v, want %+v", class, got, want)
		}
	}
	if _, ok := timing.Cost(isa.ClassVMEM, shape, 32); ok {
		t.Error("a class that is absent has a cost")
	}
	if timing.Has("vmem") || !timing.Has("salu") {
		t.Error("what the table has")
	}
}

// An instruction cache has whole sets.
func TestFetchIsChecked(t *testing.T) {
	for _, c := range []struct {
		bytes, line, ways int
		ok                bool
	}{{512, 64, 4, true}, {544, 64, 4, false}, {256, 64, 4, true}, {128, 64, 4, false}, {0, 0, 0, true}, {100, 0, 4, true}} {
		f := FetchSpec{Bytes: c.bytes, LineBytes: c.line, Ways: c.ways}
		if ps := f.Check(); (len(ps) == 0) != c.ok {
			t.Errorf("%d bytes in lines of %d and %d ways: %v", c.bytes, c.line, c.ways, ps)
		}
	}
}

// A wave has as many accesses in flight as it may, whatever the wave before it in its slot left under way.
func TestSlotsForgetAccesses(t *testing.T) {
	rules := testRules()
	rules.set(isa.ClassVMEM, "vmem", 1, 1, 1)
	load := isa.Inst{Op: isa.Load, T: isa.I32, Mem: &isa.Mem{Access: isa.Access{Elem: isa.I32, Count: 1}, Index: isa.V(0)}}
	code := suite.Must(NewCode(testProgram(32, load), rules, 0))(t)
	s := New(&IssueSpec{Cadence: 1, Policy: "oldest", Width: 1}, &spec.Shape{WaveSlots: 1, ClockMHz: 1}, SIMDParams{Name: "SIMD", Pool: &RegisterPool{}, Shared: NewShared(1, 32), MaxOutstanding: 1})
	s.slots = newSlots(s)
	s.slots[0].returnCycles = []uint64{500}
	if w := s.Start(7, &Start{Code: code, Workgroup: &Workgroup{}}); w.Ready() != 7 {
		t.Errorf("the first access may issue in cycle %d, want 7", w.Ready())
	}
}

package sampled

import (
	"context"
	"testing"

	"spvsim/internal/suite"
	"spvsim/mem/hierarchy"

	"spvsim/account"
	"spvsim/config"
	"spvsim/cu"
	"spvsim/gpu/functional"
	"spvsim/gpu/machine"
	"spvsim/isa"
	"spvsim/mem"
	"spvsim/program"
	"spvsim/scheduler"
	"spvsim/simd"
)

// A testLaunch adds 7 to one word of each invocation. It runs functionally on one compute unit, and implements
// SampledLaunch and Functional.
type testLaunch struct {
	parts    *machine.Machine
	kernel   *cu.KernelLaunch
	cache    functional.Cache
	last     *functional.Counts
	executed uint64
}

func newTestLaunch(t *testing.T, workgroups int) *testLaunch {
	t.Helper()
	m := suite.Must(config.LoadMachine(config.Request{Machine: "rdna3-780m", Set: []string{"compute_units=1", "shader_array.shared_by=1"}}))(t)
	l := &testLaunch{parts: suite.Must(machine.New(m, nil))(t)}
	b, err := l.parts.Store.Alloc(4096, "words")
	if err != nil {
		t.Fatal(err)
	}
	move := func(op isa.Op, class isa.Class) isa.Inst {
		in := isa.Inst{Op: op, T: isa.I32, Class: class, Mem: &isa.Mem{Access: isa.Access{Space: isa.SpaceBuffer, Elem: isa.I32, Count: 1}, Index: isa.V(0)}}
		in.Mem.Dsts[0], in.Mem.Data[0] = isa.V(1), isa.V(1)
		return in
	}
	insts := []isa.Inst{
		{Op: isa.Shl, T: isa.I32, Dst: isa.V(0), Src: [4]isa.Reg{isa.V(0), isa.Lit(2)}, Class: isa.ClassVALU32},
		move(isa.Load, isa.ClassVMEM),
		{Op: isa.IAdd, T: isa.I32, Dst: isa.V(1), Src: [4]isa.Reg{isa.V(1), isa.Lit(7)}, Class: isa.ClassVALU32},
		move(isa.Store, isa.ClassVMEMStore),
		{Op: isa.End, Class: isa.ClassEnd},
	}
	for i := range insts {
		isa.Resolve(&insts[i])
	}
	p := &program.Program{Name: "test", WaveSize: 32, LocalSize: [3]uint32{64, 1, 1}, VectorRows: 4, ScalarWords: 8, Insts: insts}
	l.kernel = &cu.KernelLaunch{NumWorkgroups: [3]uint32{uint32(workgroups), 1, 1}, Bindings: &mem.Bindings{}}
	l.kernel.Bindings.Bind(mem.DescriptorOf(b))
	if l.kernel.Code, err = simd.NewCode(p, l.parts.Rules, 0); err != nil {
		t.Fatal(err)
	}
	if l.kernel.Resources, err = cu.NewResources(p, l.parts.Limits); err != nil {
		t.Fatal(err)
	}
	return l
}

// machine returns the launch's machine, with a tally in its first round.
func (l *testLaunch) machine() Machine {
	tally := &account.Tally{}
	tally.BeginRound()
	return Machine{Machine: l.parts, Tally: tally, Functional: l, FreeBytes: func() uint64 { return 1 << 30 }}
}

func (l *testLaunch) Step() string               { return "step" }
func (l *testLaunch) Kind() string               { return "" }
func (l *testLaunch) Number() int                { return 0 }
func (l *testLaunch) SoFar() *account.Counts     { return &account.Counts{Memory: l.parts.Levels()} }
func (l *testLaunch) ClassKey() string           { return "" }
func (l *testLaunch) Kernel() *cu.KernelLaunch   { return l.kernel }
func (l *testLaunch) Workgroups() (uint64, bool) { return cu.GridSize(l.kernel.NumWorkgroups), true }
func (l *testLaunch) Resources() cu.Resources    { return l.kernel.Resources }

func (l *testLaunch) Timed(scheduler.WorkgroupRange, bool) (*account.Counts, error) {
	panic("nothing of this is timed")
}

func (l *testLaunch) Functional(p scheduler.WorkgroupRange, warm bool) (c *account.Counts, err error) {
	o := functional.Options{Threads: 1, Cache: &l.cache}
	if fast := l.parts.Hierarchy.(*hierarchy.Analytic); warm {
		fast.ResetWarming()
		o.Warm, o.Unit = fast, func(*functional.Workgroup) int { return 0 }
	}
	k := &functional.Kernel{Program: l.kernel.Code.Program, Bindings: l.kernel.Bindings}
	l.last, err = functional.Run(context.Background(), l.parts.Store, &functional.Grid{Kernel: k, Groups: l.kernel.NumWorkgroups, First: p.First, End: p.End}, o)
	l.executed += l.last.Total()
	return &account.Counts{Workgroups: l.last.Workgroups, ByClass: l.last.Instructions, Functional: &account.FunctionalCounts{ByClass: l.last.Instructions}}, err
}

func (l *testLaunch) Executed() uint64                 { return l.executed }
func (l *testLaunch) CountLDS(bool)                    {}
func (l *testLaunch) LDSCycles() uint64                { return l.last.LDSUnit }
func (l *testLaunch) LongestWave() uint64              { return l.last.LongestWave }
func (l *testLaunch) DuringTimed(f func() error) error { return f() }

func (l *testLaunch) Uncounted(run func() error) (uint64, error) {
	before := l.executed
	err := run()
	return l.executed - before, err
}

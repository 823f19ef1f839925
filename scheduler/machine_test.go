package scheduler

import (
	"errors"
	"testing"

	"github.com/sarchlab/akita/v3/sim"

	"spvsim/account"
	"spvsim/cu"
	"spvsim/engine"
	"spvsim/internal/spec"
	"spvsim/internal/timing"
	"spvsim/isa"
	"spvsim/lds"
	"spvsim/mem"
	"spvsim/program"
	"spvsim/simd"
)

// A machine is everything that a test may choose.
type machine struct {
	shape  spec.Shape
	unit   cu.UnitSpec
	disp   DispatcherSpec
	timing simd.Timing

	maxOutstanding int
	memory         cu.Memory
	lds            func(e *engine.Engine, name string) cu.LDS
}

// newMachine is a small machine of one compute unit with one SIMD that issues every cycle.
func newMachine() *machine {
	m := &machine{
		shape: spec.Shape{ClockMHz: 1000, WaveSize: 64, ClockBits: 64, ShaderEngines: 1, ComputeUnits: 1, SIMDs: 1, SIMDWidth: 64, WaveSlots: 10},
		unit: cu.UnitSpec{
			Issue:     simd.IssueSpec{Cadence: 1, Policy: "oldest", Width: 1},
			Registers: cu.RegistersSpec{Vector: 256, VectorGranule: 4, VectorMax: 256, Scalar: 800, ScalarGranule: 16, ScalarMax: 104},
			LDS:       lds.DefaultSpec(), Barriers: 16,
		},
		timing: simd.Timing{Passes: 1, Classes: map[string]simd.Class{}},
		memory: &fixedMemory{fixed: fixed{50, 4}}, lds: fixedLDS(fixed{0, 4}), maxOutstanding: 63,
		disp: DispatcherSpec{WorkgroupsPerCycle: 1024, WavesPerCycle: 1024, ShaderArrays: 1},
	}
	for _, c := range []struct {
		class               isa.Class
		unit                string
		issue, busy, result int
	}{
		{isa.ClassVALU32, "valu", 1, 1, 5}, {isa.ClassTrans, "trans", 1, 4, 10}, {isa.ClassSALU, "salu", 1, 1, 2},
		{isa.ClassBranch, "branch", 1, 1, 1}, {isa.ClassBranchTaken, "branch", 1, 1, 8}, {isa.ClassLDS, "lds", 1, 1, 20},
		{isa.ClassVMEM, "vmem", 1, 1, 50}, {isa.ClassVMEMStore, "vmem", 1, 1, 50}, {isa.ClassBarrier, "internal", 1, 1, 1},
		{isa.ClassWaitcnt, "internal", 1, 1, 1}, {isa.ClassEnd, "internal", 1, 1, 1}, {isa.ClassMessage, "message", 1, 1, 1},
	} {
		m.timing.Classes[c.class.String()] = simd.Class{Unit: c.unit, Issue: c.issue, Busy: c.busy, Latency: c.result}
	}
	return m
}

func (m *machine) limits() *cu.Limits {
	return &cu.Limits{Machine: "test", Shape: &m.shape, UnitSpec: &m.unit}
}

func (m *machine) rules() *simd.Rules {
	return &simd.Rules{Shape: &m.shape, Timing: &m.timing, Fetch: &m.unit.Fetch}
}

// slots is the number of wave slots.
func (m *machine) slots() uint64 {
	return uint64(m.shape.Units() * m.shape.UnitSlots())
}

// fixed answers every access after a fixed time.
type fixed struct{ latency, busy uint64 }

func (f fixed) response(now uint64) timing.Response {
	return timing.Response{ReadyAt: now + f.latency, UnitFreeAt: now + f.busy}
}

type fixedMemory struct {
	fixed
	last timing.Response
}

func (*fixedMemory) Begin(int, *cu.Launch) {}

func (f *fixedMemory) Access(now uint64, _ *simd.Wave, _ *isa.Inst, _ int) *timing.Response {
	f.last = f.response(now)
	return &f.last
}

// A constantLDS answers every access after a fixed time.
type constantLDS struct {
	engine.Base
	fixed
	port    *engine.Port
	leaving []leave
	last    timing.Response
}

type leave struct {
	cycle  uint64
	answer engine.Message
	to     *engine.Port
}

func fixedLDS(f fixed) func(*engine.Engine, string) cu.LDS {
	return func(e *engine.Engine, name string) cu.LDS {
		d := &constantLDS{Base: engine.NewBase(e, name), fixed: f}
		d.port = engine.NewPort(&d.Base, d, "Unit")
		return d
	}
}

func (*constantLDS) Clear(uint32, uint32) {}

func (d *constantLDS) Port() *engine.Port { return d.port }

func (d *constantLDS) Handle(e sim.Event) error {
	r := e.(*lds.Request)
	free := r.Cycle + d.busy
	d.last = timing.Response{ReadyAt: r.Cycle + d.latency, UnitFreeAt: free, OwnUnitFreeAt: free, Completion: timing.ByCallback}
	r.Response = &d.last
	d.leaving = append(d.leaving, leave{max(r.Response.ReadyAt, r.Cycle+1), r.Answer, r.To})
	return nil
}

func (d *constantLDS) NextCompletion() uint64 {
	if len(d.leaving) == 0 {
		return engine.Never
	}
	return d.leaving[0].cycle
}

func (d *constantLDS) DeliverUntil(now uint64) {
	for d.NextCompletion() <= now {
		l := &d.leaving[0]
		d.port.Hand(l.answer, l.to, l.cycle)
		d.leaving = d.leaving[:copy(d.leaving, d.leaving[1:])]
	}
}

func (*constantLDS) Traced() bool { return false }

// rig is a machine with its engine, ready to launch.
type rig struct {
	follows    bool // launches after another one
	engine     *engine.Engine
	array      *cu.Array
	dispatcher *Dispatcher
	m          *machine
	prints     []uint64 // cycles of the DebugPrints
	onPrint    func(w *simd.Wave)
}

func newRig(t testing.TB, m *machine) *rig {
	t.Helper()
	r := &rig{engine: engine.New(1 * sim.GHz), m: m}
	r.array = cu.New(&m.unit, &m.shape, cu.Links{Engine: r.engine,
		Printer: func(now uint64, w *simd.Wave, _ *isa.Inst) {
			r.prints = append(r.prints, now)
			if r.onPrint != nil {
				r.onPrint(w)
			}
		},
		Parts: func(name string, _, _ int) cu.Parts {
			return cu.Parts{Memory: m.memory, LDS: m.lds(r.engine, name+".LDS"), MaxOutstanding: m.maxOutstanding}
		},
	})
	r.dispatcher = New(r.engine, &m.disp, m.limits(), r.array)
	return r
}

// outcome is what a run came to.
type outcome struct {
	cycles uint64
	slots  account.SlotCycles
	code   *simd.Code
	err    error
}

// run launches groups workgroups of prog and runs them to the end.
func (r *rig) run(t testing.TB, prog *program.Program, groups, maxCycles uint64) outcome {
	t.Helper()
	return r.runGrid(t, prog, [3]uint32{uint32(groups), 1, 1}, maxCycles)
}

func (r *rig) runGrid(t testing.TB, prog *program.Program, grid [3]uint32, maxCycles uint64) outcome {
	t.Helper()
	code, err := simd.NewCode(prog, r.m.rules(), 0)
	if err != nil {
		t.Fatal(err)
	}
	need, err := cu.NewNeed(prog, r.m.limits())
	if err != nil {
		t.Fatal(err)
	}
	r.engine.Limit(maxCycles, func(uint64) error { return nil })
	r.array.Begin(0)
	r.dispatcher.Launch(0, &cu.Launch{Code: code, Need: need, Bindings: &mem.Bindings{}, NumWorkgroups: grid}, r.follows)
	err = r.engine.Run()
	finished, done := r.dispatcher.Finished()
	if !finished && err == nil {
		err = errors.New("deadlock")
	}
	return outcome{cycles: done, slots: r.array.Settle(done), code: code, err: err}
}

// assemble makes a program of waves of 64 lanes from instructions; End is added.
func assemble(local uint32, list ...isa.Inst) *program.Program {
	return assembleFor(64, local, list...)
}

func assembleFor(waveSize int, local uint32, list ...isa.Inst) *program.Program {
	p := &program.Program{Name: "main", WaveSize: waveSize, LocalSize: [3]uint32{local, 1, 1},
		VectorRows: 32, ScalarWords: 16, VectorRegs: 24, ScalarRegs: 32}
	p.Insts = append(append([]isa.Inst(nil), list...), isa.Inst{Op: isa.End})
	for i := range p.Insts {
		isa.Resolve(&p.Insts[i])
		p.Insts[i].SetDeps(p.VectorRows)
	}
	return p
}

func add(dst, a, b int) isa.Inst {
	return isa.Inst{Op: isa.IAdd, T: isa.I32, Dst: isa.V(dst), Src: [4]isa.Reg{isa.V(a), isa.V(b)}}
}

// chain is k additions of which each needs the one before.
func chain(k int) (list []isa.Inst) {
	for range k {
		list = append(list, add(1, 1, 2))
	}
	return list
}

// independent is k additions, none of which needs another for a latency of at most 8 issues.
func independent(k int) (list []isa.Inst) {
	for i := range k {
		list = append(list, add(8+i%16, 1, 2))
	}
	return list
}

func (o outcome) check(t *testing.T, m *machine) {
	t.Helper()
	if o.err != nil {
		t.Fatal(o.err)
	}
	slots := m.slots()
	if got, want := o.slots.Total(), slots*o.cycles; got != want {
		t.Errorf("slot cycles %d, want %d slots x %d cycles = %d (%v)", got, slots, o.cycles, want, o.slots)
	}
}

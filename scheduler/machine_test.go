package scheduler

import (
	"errors"
	"testing"

	"github.com/sarchlab/akita/v3/sim"

	"spvsim/account"
	"spvsim/cu"
	"spvsim/engine"
	"spvsim/internal/spec"
	"spvsim/isa"
	"spvsim/lds"
	"spvsim/mem"
	"spvsim/program"
	"spvsim/simd"
)

// A machine is everything that a test may choose.
type machine struct {
	Shape  spec.Shape
	Unit   cu.UnitSpec
	disp   DispatcherSpec
	Timing simd.Timing

	MaxOutstanding int
	Memory         cu.Memory
	LDS            func(e *engine.Engine, name string) cu.LDS
}

// newMachine is a small machine of one compute unit with one SIMD that issues every cycle.
func newMachine() *machine {
	m := &machine{
		Shape: spec.Shape{ClockMHz: 1000, WaveSize: 64, ClockBits: 64, ShaderEngines: 1, ComputeUnits: 1, SIMDs: 1, SIMDWidth: 64, WaveSlots: 10},
		Unit: cu.UnitSpec{
			Issue:     simd.IssueSpec{Cadence: 1, Policy: "oldest", Width: 1},
			Registers: cu.RegistersSpec{Vector: 256, VectorGranule: 4, VectorMax: 256, Scalar: 800, ScalarGranule: 16, ScalarMax: 104},
			LDS:       lds.DefaultSpec(), Barriers: 16,
		},
		Timing: simd.Timing{Passes: 1, Classes: map[string]simd.Class{}},
		Memory: FixedMemory{Fixed{50, 4}}, LDS: FixedLDS(Fixed{0, 4}), MaxOutstanding: 63,
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
		m.Timing.Classes[c.class.String()] = simd.Class{Unit: c.unit, Issue: c.issue, Busy: c.busy, Latency: c.result}
	}
	return m
}

func (m *machine) Limits() *cu.Limits {
	return &cu.Limits{Machine: "test", Shape: &m.Shape, UnitSpec: &m.Unit}
}

func (m *machine) Rules() *simd.Rules {
	return &simd.Rules{Shape: &m.Shape, Timing: &m.Timing, Fetch: &m.Unit.Fetch}
}

// Slots is the number of wave slots.
func (m *machine) Slots() uint64 {
	return uint64(m.Shape.Units() * m.Shape.UnitSlots())
}

// Fixed answers every access after a fixed time.
type Fixed struct{ Latency, Busy uint64 }

func (f Fixed) Booking(now uint64) simd.Booking {
	return simd.Booking{Ready: now + f.Latency, Free: now + f.Busy}
}

type FixedMemory struct{ Fixed }

func (FixedMemory) Begin(int, *cu.Launch) {}

func (f FixedMemory) Access(now uint64, _ *simd.Wave, _ *isa.Inst, _ int, b *simd.Booking) {
	*b = f.Booking(now)
}

// A constantLDS answers every access after a fixed time.
type constantLDS struct {
	engine.Base
	Fixed
	port    *engine.Port
	leaving []leave
}

type leave struct {
	cycle  uint64
	answer engine.Message
	to     *engine.Port
}

func FixedLDS(f Fixed) func(*engine.Engine, string) cu.LDS {
	return func(e *engine.Engine, name string) cu.LDS {
		d := &constantLDS{Base: engine.NewBase(e, name), Fixed: f}
		d.port = engine.NewPort(&d.Base, d, "Unit")
		return d
	}
}

func (*constantLDS) Clear(uint32, uint32) {}

func (d *constantLDS) Port() *engine.Port { return d.port }

func (d *constantLDS) Handle(e sim.Event) error {
	r := e.(*lds.Request)
	r.Timing = lds.Timing{Ready: r.Cycle + d.Latency, Busy: d.Busy, Unit: d.Busy}
	d.leaving = append(d.leaving, leave{max(r.Timing.Ready, r.Cycle+1), r.Answer, r.To})
	return nil
}

func (d *constantLDS) Next() uint64 {
	if len(d.leaving) == 0 {
		return engine.Never
	}
	return d.leaving[0].cycle
}

func (d *constantLDS) Leave(now uint64) {
	for d.Next() <= now {
		l := &d.leaving[0]
		d.port.Hand(l.answer, l.to, l.cycle)
		d.leaving = d.leaving[:copy(d.leaving, d.leaving[1:])]
	}
}

func (*constantLDS) Watched() bool { return false }

// rig is a machine with its engine, ready to launch.
type rig struct {
	follows    bool // launches after another one
	Engine     *engine.Engine
	Array      *cu.Array
	dispatcher *Dispatcher
	m          *machine
	Prints     []uint64 // cycles of the DebugPrints
	OnPrint    func(w *simd.Wave)
}

func newRig(t testing.TB, m *machine) *rig {
	t.Helper()
	r := &rig{Engine: engine.New(1 * sim.GHz), m: m}
	r.Array = cu.New(&m.Unit, &m.Shape, cu.Links{Engine: r.Engine,
		Printer: func(now uint64, w *simd.Wave, _ *isa.Inst) {
			r.Prints = append(r.Prints, now)
			if r.OnPrint != nil {
				r.OnPrint(w)
			}
		},
		Parts: func(name string, _, _ int) cu.Parts {
			return cu.Parts{Memory: m.Memory, LDS: m.LDS(r.Engine, name+".LDS"), MaxOutstanding: m.MaxOutstanding}
		},
	})
	r.dispatcher = New(r.Engine, &m.disp, m.Limits(), r.Array)
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
	code, err := simd.NewCode(prog, r.m.Rules(), 0)
	if err != nil {
		t.Fatal(err)
	}
	need, err := cu.NewNeed(prog, r.m.Limits())
	if err != nil {
		t.Fatal(err)
	}
	r.Engine.Limit(maxCycles, func(uint64) error { return nil })
	r.Array.Begin(0)
	r.dispatcher.Launch(0, &cu.Launch{Code: code, Need: need, Bindings: &mem.Bindings{}, NumWorkgroups: grid}, r.follows)
	err = r.Engine.Run()
	finished, done := r.dispatcher.Finished()
	if !finished && err == nil {
		err = errors.New("deadlock")
	}
	return outcome{cycles: done, slots: r.Array.Settle(done), code: code, err: err}
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
	slots := m.Slots()
	if got, want := o.slots.Total(), slots*o.cycles; got != want {
		t.Errorf("slot cycles %d, want %d slots x %d cycles = %d (%v)", got, slots, o.cycles, want, o.slots)
	}
}

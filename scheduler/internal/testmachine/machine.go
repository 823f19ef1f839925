// Package testmachine builds small machines for the tests of dispatch: compute units with memory and LDS of constant latency.
package testmachine

import (
	"spvsim/internal/timing"
	"testing"

	"github.com/sarchlab/akita/v3/sim"

	"spvsim/cu"
	"spvsim/engine"
	"spvsim/internal/spec"
	"spvsim/isa"
	"spvsim/lds"
	"spvsim/mem"
	"spvsim/program"
	"spvsim/simd"
)

// A Machine is everything that a test may choose except the dispatcher.
type Machine struct {
	Shape  spec.Shape
	Unit   cu.UnitSpec
	Timing simd.Timing

	MaxOutstanding int
	Memory         cu.Memory
	LDS            func(e *engine.Engine, name string) cu.LDS
}

// New is a small machine of one compute unit with one SIMD that issues every cycle.
func New() *Machine {
	m := &Machine{
		Shape: spec.Shape{ClockMHz: 1000, WaveSize: 64, ClockBits: 64, ShaderEngines: 1, ComputeUnits: 1, SIMDs: 1, SIMDWidth: 64, WaveSlots: 10},
		Unit: cu.UnitSpec{
			Issue:     simd.IssueSpec{Cadence: 1, Policy: "oldest", Width: 1},
			Registers: cu.RegistersSpec{Vector: 256, VectorGranule: 4, VectorMax: 256, Scalar: 800, ScalarGranule: 16, ScalarMax: 104},
			LDS:       lds.DefaultSpec(), Barriers: 16,
		},
		Timing: simd.Timing{Passes: 1, Classes: map[string]simd.Class{}},
		Memory: &FixedMemory{FixedTiming: FixedTiming{50, 4}}, LDS: FixedLDS(FixedTiming{0, 4}), MaxOutstanding: 63,
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

func (m *Machine) Limits() *cu.Limits {
	return &cu.Limits{Machine: "test", Shape: &m.Shape, UnitSpec: &m.Unit}
}

func (m *Machine) Rules() *simd.Rules {
	return &simd.Rules{Shape: &m.Shape, Timing: &m.Timing, Fetch: &m.Unit.Fetch}
}

// Slots returns the number of wave slots.
func (m *Machine) Slots() uint64 {
	return uint64(m.Shape.Units() * m.Shape.UnitSlots())
}

// FixedTiming answers every access after a fixed time.
type FixedTiming struct{ Latency, Busy uint64 }

func (f FixedTiming) Response(now uint64) timing.Response {
	return timing.Response{ReadyAt: now + f.Latency, UnitFreeAt: now + f.Busy}
}

type FixedMemory struct {
	FixedTiming
	last timing.Response
}

func (*FixedMemory) BindSlot(int, *cu.KernelLaunch) {}

func (f *FixedMemory) Access(now uint64, _ *simd.Wave, _ *isa.Inst, _ int) *timing.Response {
	f.last = f.Response(now)
	return &f.last
}

// A constantLDS answers every access after a fixed time.
type constantLDS struct {
	engine.Base
	FixedTiming
	port    *engine.Port
	pending []pendingAnswer
	last    timing.Response
}

type pendingAnswer struct {
	cycle  uint64
	answer engine.Message
	to     *engine.Port
}

func FixedLDS(f FixedTiming) func(*engine.Engine, string) cu.LDS {
	return func(e *engine.Engine, name string) cu.LDS {
		d := &constantLDS{Base: engine.NewBase(e, name), FixedTiming: f}
		d.port = engine.NewPort(&d.Base, d, "Unit")
		return d
	}
}

func (*constantLDS) Clear(uint32, uint32) {}

func (d *constantLDS) Port() *engine.Port { return d.port }

func (d *constantLDS) Handle(e sim.Event) error {
	r := e.(*lds.Request)
	free := r.Cycle + d.Busy
	d.last = timing.Response{ReadyAt: r.Cycle + d.Latency, UnitFreeAt: free, OwnUnitFreeAt: free, Completion: timing.ByCallback}
	r.Response = &d.last
	d.pending = append(d.pending, pendingAnswer{max(r.Response.ReadyAt, r.Cycle+1), r.Answer, r.To})
	return nil
}

func (d *constantLDS) NextCompletion() uint64 {
	if len(d.pending) == 0 {
		return engine.Never
	}
	return d.pending[0].cycle
}

func (d *constantLDS) DeliverUntil(now uint64) {
	for d.NextCompletion() <= now {
		l := &d.pending[0]
		d.port.Deliver(l.answer, l.to, l.cycle)
		d.pending = d.pending[:copy(d.pending, d.pending[1:])]
	}
}

func (*constantLDS) Traced() bool { return false }

// A Rig is a machine with its engine, without a dispatcher.
type Rig struct {
	Engine  *engine.Engine
	Array   *cu.ComputeUnits
	Prints  []uint64 // cycles of the DebugPrints
	OnPrint func(w *simd.Wave)
}

// Build makes the compute units of the machine.
func (m *Machine) Build() *Rig {
	r := &Rig{Engine: engine.New(1 * sim.GHz)}
	r.Array = cu.New(&m.Unit, &m.Shape, cu.Links{Engine: r.Engine,
		Printer: func(now uint64, w *simd.Wave, _ *isa.Inst) {
			r.Prints = append(r.Prints, now)
			if r.OnPrint != nil {
				r.OnPrint(w)
			}
		},
		NewUnitParts: func(name string, _, _ int) cu.UnitParts {
			return cu.UnitParts{Memory: m.Memory, LDS: m.LDS(r.Engine, name+".LDS"), MaxOutstanding: m.MaxOutstanding}
		},
	})
	return r
}

// Launch makes the launch of a program, without its workgroups.
func (m *Machine) Launch(t testing.TB, prog *program.Program) *cu.KernelLaunch {
	t.Helper()
	code, err := simd.NewCode(prog, m.Rules(), 0)
	if err != nil {
		t.Fatal(err)
	}
	need, err := cu.NewResources(prog, m.Limits())
	if err != nil {
		t.Fatal(err)
	}
	return &cu.KernelLaunch{Code: code, Resources: need, Bindings: &mem.Bindings{}}
}

// Print is an instruction that notes its cycle in Rig.Prints.
var Print = isa.Inst{Op: isa.DebugPrint}

// Assemble makes a program of waves of 64 lanes from instructions; End is added.
func Assemble(local uint32, list ...isa.Inst) *program.Program {
	return AssembleFor(64, local, list...)
}

// AssembleFor is Assemble for waves of so many lanes.
func AssembleFor(waveSize int, local uint32, list ...isa.Inst) *program.Program {
	p := &program.Program{Name: "main", WaveSize: waveSize, LocalSize: [3]uint32{local, 1, 1},
		VectorRows: 32, ScalarWords: 16, VectorRegs: 24, ScalarRegs: 32}
	p.Insts = append(append([]isa.Inst(nil), list...), isa.Inst{Op: isa.End})
	for i := range p.Insts {
		isa.Resolve(&p.Insts[i])
		p.Insts[i].SetDeps(p.VectorRows)
	}
	return p
}

// An Event has a test do something in a cycle.
type Event struct {
	Cycle     uint64
	Engine    *engine.Engine
	Secondary bool // in its cycle as late as the compute units' turns
	Action    func(now uint64)
}

func (e *Event) Time() sim.VTimeInSec { return e.Engine.Seconds(e.Cycle) }

func (e *Event) Handler() sim.Handler { return e }

// IsSecondary implements sim.Event.
func (e *Event) IsSecondary() bool { return e.Secondary }

// Handle implements sim.Handler.
func (e *Event) Handle(sim.Event) error { e.Action(e.Cycle); return nil }

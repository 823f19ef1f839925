package scheduler

import (
	"errors"
	"testing"

	"github.com/sarchlab/akita/v3/sim"

	"spvsim/account"
	"spvsim/cu"
	"spvsim/engine"
	"spvsim/isa"
	"spvsim/lds"
	"spvsim/program"
	"spvsim/simd"
)

// A machine is everything that a test may choose.
type machine struct {
	cu    cu.Spec
	disp  Spec
	rules simd.Rules

	memory cu.Memory
	lds    func(e *engine.Engine, name string) (cu.LDS, error)
}

// newMachine is a small machine of one compute unit with one SIMD that issues every cycle.
func newMachine() *machine {
	m := &machine{
		cu: cu.Spec{
			Engines: 1, Units: 1,
			Limits: cu.Limits{
				Machine: "test", WaveSize: 64, SIMDs: 1, Slots: 10, Vector: 256, VectorGranule: 4, VectorMax: 256,
				Scalar: 800, ScalarGranule: 16, ScalarMax: 104, LDSBytes: 65536, LDSGranule: 512, LDSMax: 65536, Barriers: 16,
			},
			SIMD: simd.Spec{Slots: 10, Cadence: 1, Policy: "oldest", Width: 1, ClockMHz: 1000, ClockBits: 64, MaxOutstanding: 63},
		},
		memory: fixedMemory{fixed{50, 4}}, lds: fixedLDS(fixed{0, 4}),
		disp: Spec{Engines: 1, Units: 1, WorkgroupsPerCycle: 1024, WavesPerCycle: 1024},
	}
	c := &m.rules.Classes
	m.rules.WaveSize, m.rules.MaxOutstanding = 64, 63
	c[isa.ClassVALU32] = simd.ClassCost{Unit: "valu", Issue: 1, Busy: 1, Latency: 5}
	c[isa.ClassTrans] = simd.ClassCost{Unit: "trans", Issue: 1, Busy: 4, Latency: 10}
	c[isa.ClassSALU] = simd.ClassCost{Unit: "salu", Issue: 1, Busy: 1, Latency: 2}
	c[isa.ClassBranch] = simd.ClassCost{Unit: "branch", Issue: 1, Busy: 1, Latency: 1}
	c[isa.ClassBranchTaken] = simd.ClassCost{Unit: "branch", Issue: 1, Busy: 1, Latency: 8}
	c[isa.ClassLDS] = simd.ClassCost{Unit: "lds", Issue: 1, Busy: 1, Latency: 20}
	c[isa.ClassVMEM] = simd.ClassCost{Unit: "vmem", Issue: 1, Busy: 1, Latency: 50}
	c[isa.ClassVMEMStore] = simd.ClassCost{Unit: "vmem", Issue: 1, Busy: 1, Latency: 50}
	c[isa.ClassBarrier] = simd.ClassCost{Unit: "internal", Issue: 1, Busy: 1, Latency: 1}
	c[isa.ClassWaitcnt] = c[isa.ClassBarrier]
	c[isa.ClassEnd] = c[isa.ClassBarrier]
	c[isa.ClassMessage] = simd.ClassCost{Unit: "message", Issue: 1, Busy: 1, Latency: 1}
	return m
}

// slots is the number of wave slots.
func (m *machine) slots() uint64 {
	return uint64(m.cu.Engines * m.cu.Units * m.cu.Limits.SIMDs * m.cu.SIMD.Slots)
}

// fixed answers every access after a fixed time.
type fixed struct{ latency, busy uint64 }

func (f fixed) booking(now uint64) simd.Booking {
	return simd.Booking{Ready: now + f.latency, Free: now + f.busy}
}

type fixedMemory struct{ fixed }

func (fixedMemory) Begin(int, *cu.Launch) {}

func (f fixedMemory) Access(now uint64, _ *simd.Wave, _ *isa.Inst, _ int) simd.Booking {
	return f.booking(now)
}

// A constantLDS answers every access after a fixed time.
type constantLDS struct {
	engine.Base
	fixed
	port *engine.Port
}

func fixedLDS(f fixed) func(*engine.Engine, string) (cu.LDS, error) {
	return func(e *engine.Engine, name string) (cu.LDS, error) {
		d := &constantLDS{Base: engine.NewBase(e, name), fixed: f}
		d.port = engine.NewPort(&d.Base, d, "Unit")
		return d, nil
	}
}

func (*constantLDS) Clear(uint32, uint32) {}

func (d *constantLDS) Port() *engine.Port { return d.port }

func (d *constantLDS) Handle(e sim.Event) error {
	r, now := e.(*lds.Request), d.Engine.Now()
	r.Timing = lds.Timing{Ready: now + d.latency, Busy: d.busy, Unit: d.busy}
	d.port.Post(r.Answer, r.To, max(r.Timing.Ready, now+1))
	return nil
}

// rig is a machine with its engine, ready to launch.
type rig struct {
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
	a, err := cu.New(m.cu, cu.Links{Engine: r.engine,
		Printer: func(now uint64, w *simd.Wave, _ *isa.Inst) {
			r.prints = append(r.prints, now)
			if r.onPrint != nil {
				r.onPrint(w)
			}
		},
		Parts: func(name string, _, _ int) (cu.Parts, error) {
			d, err := m.lds(r.engine, name+".LDS")
			return cu.Parts{Memory: m.memory, LDS: d}, err
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	r.array = a
	m.disp.Limits = m.cu.Limits
	r.dispatcher = New(r.engine, m.disp, a)
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
	code, err := simd.NewCode(prog, &r.m.rules, 0)
	if err != nil {
		t.Fatal(err)
	}
	need, err := cu.NewNeed(prog, &r.m.cu.Limits)
	if err != nil {
		t.Fatal(err)
	}
	r.engine.Limit(maxCycles, func(uint64) error { return nil })
	r.array.Begin(0)
	r.dispatcher.Launch(0, &cu.Launch{Code: code, Need: need, NumWorkgroups: grid})
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

package scheduler

import (
	"context"
	"errors"
	"testing"

	"github.com/sarchlab/akita/v3/sim"

	"spvsim/config"
	"spvsim/cu"
	"spvsim/isa"
	"spvsim/program"
	"spvsim/simd"
)

// machine is a small machine of one compute unit whose costs a test can choose.
func machine() *config.Machine {
	class := func(unit string, issue, busy, latency int) config.Class {
		return config.Class{Unit: unit, Issue: issue, Busy: busy, Latency: latency}
	}
	return &config.Machine{
		Name: "test", ClockMHz: 1000, WaveSize: 64, ShaderEngines: 1, ComputeUnits: 1, SIMDs: 1, SIMDWidth: 16,
		WaveSlots: 10, Barriers: 16,
		Issue:        config.Issue{Cadence: 1, Policy: "oldest", Width: 1},
		Registers:    config.Registers{Vector: 256, VectorGranule: 4, VectorMax: 256, Scalar: 800, ScalarGranule: 16, ScalarMax: 104},
		LDS:          config.LDS{Bytes: 65536, GranuleBytes: 512, MaxWorkgroupBytes: 65536},
		VectorMemory: config.VectorMemory{MaxOutstanding: 63},
		Dispatcher:   config.Dispatcher{WorkgroupsPerCycle: 1024, WavesPerCycle: 1024},
		Timing: config.Timing{Classes: map[string]config.Class{
			"valu32": class("valu", 1, 1, 5), "salu": class("salu", 1, 1, 2), "trans": class("trans", 1, 4, 10),
			"branch": class("branch", 1, 1, 1), "branch_taken": class("branch", 1, 1, 8),
			"lds": class("lds", 1, 1, 20), "vmem": class("vmem", 1, 1, 100), "vmem_store": class("vmem", 1, 1, 100),
			"barrier": class("internal", 1, 1, 1), "waitcnt": class("internal", 1, 1, 1), "end": class("internal", 1, 1, 1),
		}},
	}
}

// fixed answers every access after a fixed time.
type fixed struct{ latency, busy uint64 }

func (f fixed) booking(now uint64) simd.Booking {
	return simd.Booking{Ready: now + f.latency, Free: now + f.busy}
}

type fixedMemory struct{ fixed }

func (f fixedMemory) Access(now uint64, _ *isa.State, _ *isa.Inst, _ int) simd.Booking {
	return f.booking(now)
}

type fixedLDS struct{ fixed }

func (f fixedLDS) Access(now uint64, _ *isa.State, _ *isa.Inst, _ []byte, _ uint32) simd.Booking {
	return f.booking(now)
}

// rig is a machine with its engine, ready to launch.
type rig struct {
	engine     *sim.SerialEngine
	cluster    *cu.Cluster
	dispatcher *Dispatcher
	m          *config.Machine
}

func newRig(t testing.TB, m *config.Machine) *rig {
	t.Helper()
	r := &rig{engine: sim.NewSerialEngine(), dispatcher: New(m), m: m}
	c, err := cu.New(cu.Spec{Machine: m, Engine: r.engine, Listener: r.dispatcher,
		Parts: func(int, int) (cu.Parts, error) {
			return cu.Parts{Memory: fixedMemory{fixed{100, 4}}, LDS: fixedLDS{fixed{20, 4}}}, nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	r.cluster = c
	r.dispatcher.Bind(r.engine, c)
	return r
}

// outcome is what a run came to.
type outcome struct {
	cycles uint64
	slots  simd.SlotCycles
	code   *simd.Code
	err    error
}

// run launches groups workgroups of prog and runs them to the end.
func (r *rig) run(t testing.TB, prog *program.Program, groups, maxCycles uint64) outcome {
	t.Helper()
	code, err := simd.NewCode(prog, r.m, 0)
	if err != nil {
		t.Fatal(err)
	}
	need, err := cu.NewNeed(prog, r.m)
	if err != nil {
		t.Fatal(err)
	}
	r.cluster.Begin(context.Background(), 0, maxCycles)
	r.dispatcher.Launch(0, &cu.Launch{Code: code, Need: need, NumWorkgroups: [3]uint32{uint32(groups), 1, 1}})
	if err := r.engine.Run(); err != nil {
		t.Fatal(err)
	}
	finished, done := r.dispatcher.Finished()
	err = r.cluster.Err()
	if !finished && err == nil {
		err = errors.New("deadlock")
	}
	return outcome{cycles: done, slots: r.cluster.Settle(done), code: code, err: err}
}

// assemble makes a program of waves of 64 lanes from instructions; End is added.
func assemble(local uint32, list ...isa.Inst) *program.Program {
	p := &program.Program{Name: "main", WaveSize: 64, LocalSize: [3]uint32{local, 1, 1},
		VectorRows: 32, ScalarWords: 16, VectorRegs: 24, ScalarRegs: 32}
	p.Insts = append(list, isa.Inst{Op: isa.End})
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

func (o outcome) check(t *testing.T, m *config.Machine) {
	t.Helper()
	if o.err != nil {
		t.Fatal(o.err)
	}
	slots := uint64(m.ShaderEngines * m.ComputeUnits * m.SIMDs * m.WaveSlots)
	if got, want := o.slots.Total(), slots*o.cycles; got != want {
		t.Errorf("slot cycles %d, want %d slots x %d cycles = %d (%v)", got, slots, o.cycles, want, o.slots)
	}
}

func TestChainTakesLatency(t *testing.T) {
	for _, k := range []int{1, 2, 10, 100} {
		m := machine()
		o := newRig(t, m).run(t, assemble(64, chain(k)...), 1, simd.Never)
		o.check(t, m)
		// The first may issue in cycle 1, End right after the last.
		want := uint64(1 + 5*(k-1) + 1 + 1)
		if o.cycles != want {
			t.Errorf("%d dependent additions take %d cycles, want %d", k, o.cycles, want)
		}
	}
}

func TestIndependentBoundByPort(t *testing.T) {
	const k = 200
	for waves := 1; waves <= 10; waves++ {
		m := machine()
		o := newRig(t, m).run(t, assemble(uint32(64*waves), independent(k)...), 1, simd.Never)
		o.check(t, m)
		want := uint64(1 + waves*(k+1))
		if o.cycles != want {
			t.Errorf("%d waves of %d additions take %d cycles, want %d", waves, k, o.cycles, want)
		}
	}
}

package scheduler

import (
	"errors"
	"testing"

	"spvsim/account"
	"spvsim/isa"
	"spvsim/program"
	"spvsim/scheduler/internal/testmachine"
	"spvsim/simd"
)

// A machine is everything that a test may choose.
type machine struct {
	*testmachine.Machine
	disp DispatcherSpec
}

// newMachine is a small machine of one compute unit with one SIMD that issues every cycle.
func newMachine() *machine {
	return &machine{testmachine.New(), DispatcherSpec{WorkgroupsPerCycle: 1024, WavesPerCycle: 1024, ShaderArrays: 1}}
}

// rig is a machine with its engine, ready to launch.
type rig struct {
	*testmachine.Rig
	follows    bool // launches after another one
	dispatcher *Dispatcher
	m          *machine
}

func newRig(t testing.TB, m *machine) *rig {
	t.Helper()
	r := &rig{Rig: m.Build(), m: m}
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
	l := r.m.Launch(t, prog)
	l.NumWorkgroups = grid
	r.Engine.Limit(maxCycles, func(uint64) error { return nil })
	r.Array.BeginPeriod(0)
	r.dispatcher.Launch(0, l, r.follows)
	err := r.Engine.Run()
	finished, done := r.dispatcher.Finished()
	if !finished && err == nil {
		err = errors.New("deadlock")
	}
	return outcome{cycles: done, slots: r.Array.ChargeEmpty(done), code: l.Code, err: err}
}

var (
	assemble    = testmachine.Assemble
	assembleFor = testmachine.AssembleFor
	mark        = testmachine.Print
)

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

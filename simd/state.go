package simd

import (
	"spvsim/isa"
	"spvsim/program"
)

// WritesExec reports whether an operation changes the execution mask.
func WritesExec(op isa.Op) bool { return writesExec[op] }

// ZeroCost reports whether the i-th instruction of a program issues with the one before it and costs nothing: it is not counted.
func ZeroCost(in *isa.Inst, i int) bool {
	return in.Class == isa.ClassNone && !costsSomething(PathOf(in), in, i)
}

// Registers are the memory of a wave's state.
type Registers struct {
	Vector []uint32
	Scalar []uint64
	Tmp    [4][]uint32
}

// Init makes the state of a wave that starts, and runs the prologue.
func (st *Start) Init(s *isa.State, prog *program.Program, r Registers, clockMask uint64) {
	*s = isa.State{
		Lanes: prog.WaveSize, Full: laneMask(prog.WaveSize), V: r.Vector, S: r.Scalar,
		Workgroup: st.Workgroup.ID, NumWorkgroups: st.NumWorkgroups, LocalSize: prog.LocalSize,
		WaveInGroup: st.WaveInGroup, WavesInGroup: st.WavesInGroup, Push: st.Push,
		ClockMask: clockMask, Tmp: r.Tmp,
		PayloadIn: st.Node.Input, RemainingRecursion: st.Node.Remaining, ShaderIndex: st.Node.Shader,
		MeshGroup: st.Node.MeshGroup, Payloads: st.Node.Payloads,
	}
	s.Exec = firstMask(prog.LocalSize, st.WaveInGroup, prog.WaveSize)
	if st.Node.Lanes > 0 {
		s.Exec = laneMask(st.Node.Lanes)
	}
	if q := st.Fragments; q != nil {
		s.Fragments, s.Exec, s.Helpers = q, q.Exec, q.Helpers
	}
	if g := st.Workgroup.Check; g != nil {
		s.Checks = g
	}
	for i := range prog.Prologue {
		in := &prog.Prologue[i]
		if in.Exec != nil {
			in.Exec(s, in)
		}
	}
}

package functional

import (
	"spvsim/isa"
	"spvsim/mem"
	"spvsim/program"
	"spvsim/simd"
)

// A step is an instruction that computes on registers alone.
type step struct {
	exec func(*isa.State, *isa.Inst)
	in   *isa.Inst
}

// A stretch is what runs from one instruction on: steps, then an instruction
// that does more than compute.
type stretch struct {
	first, end int32 // steps
	at         int32 // the instruction behind them
	count      int32 // instructions that count, the last one with them
	path       simd.Path
	in         *isa.Inst
	access     mem.Access // of PathMemory
}

// Code is a program cut into stretches, by the instruction at which they begin.
type code struct {
	*program.Program
	steps     []step
	stretches []stretch
	counted   []bool
}

// newCode cuts a program. Lowered programs end: their last instruction is an end or a branch.
func newCode(p *program.Program) *code {
	n := len(p.Insts)
	c := &code{Program: p, stretches: make([]stretch, n), counted: make([]bool, n)}
	firsts := make([]int32, n+1)
	for i := range p.Insts {
		firsts[i] = int32(len(c.steps))
		in := &p.Insts[i]
		c.counted[i] = !simd.Free(in, i)
		if in.Exec != nil && !stops(in) {
			c.steps = append(c.steps, step{in.Exec, in})
		}
	}
	for i := n - 1; i >= 0; i-- {
		in, s := &p.Insts[i], &c.stretches[i]
		if stops(in) {
			*s = stretch{first: firsts[i], end: firsts[i], at: int32(i), path: simd.PathOf(in), in: in, access: mem.AccessOf(in)}
		} else {
			*s = c.stretches[i+1]
			s.first = firsts[i]
		}
		if c.counted[i] {
			s.count++
		}
	}
	return c
}

func stops(in *isa.Inst) bool { return simd.PathOf(in) != simd.PathCompute }

// issues turns how often stretches were begun into how often each instruction
// that counts was executed.
func (c *code) issues(entries []uint64) []uint64 {
	out := make([]uint64, len(entries))
	running := uint64(0)
	for i, n := range entries {
		running += n
		if c.counted[i] {
			out[i] = running
		}
		if int(c.stretches[i].at) == i {
			running = 0
		}
	}
	return out
}

package functional

import (
	"spvsim/isa"
	"spvsim/lds"
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
	at         int32 // the instruction after them
	count      int32 // instructions that count, the last one with them
	path       simd.Path
	in         *isa.Inst
	access     mem.Access // of PathMemory
	local      *lds.Plain // of PathLDS; nil: it is none
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
	firsts := c.cut(entered(p))
	for i := n - 1; i >= 0; i-- {
		in, s := &p.Insts[i], &c.stretches[i]
		if stops(in) {
			*s = stretch{first: firsts[i], end: firsts[i], at: int32(i), path: simd.PathOf(in), in: in, access: mem.AccessOf(in)}
			if s.path == simd.PathLDS {
				s.local = lds.PlainOf(in)
			}
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

// cut puts the steps one after the other, those of a kind as one, and says for each
// instruction that stretches may begin at which is the first.
func (c *code) cut(enters []bool) (firsts []int32) {
	rows := isa.NewFuser(c.WaveSize, c.VectorRows)
	settle := func() {
		if exec := rows.Take(); exec != nil {
			c.steps = append(c.steps, step{exec: exec})
		}
	}
	firsts = make([]int32, len(c.Insts))
	for i := range c.Insts {
		in := &c.Insts[i]
		c.counted[i] = !simd.Free(in, i)
		if enters[i] || stops(in) {
			settle()
		}
		firsts[i] = int32(len(c.steps))
		if in.Exec == nil || stops(in) || rows.Add(in) {
			continue
		}
		settle()
		firsts[i] = int32(len(c.steps))
		if !rows.Add(in) {
			c.steps = append(c.steps, step{in.Exec, in})
		}
	}
	return firsts
}

// entered marks the instructions that stretches begin at: those that branches go
// to, and those after one that stops.
func entered(p *program.Program) []bool {
	list := make([]bool, len(p.Insts)+1)
	for i := range p.Insts {
		in := &p.Insts[i]
		list[i+1] = list[i+1] || stops(in)
		if simd.PathOf(in) == simd.PathBranch {
			list[in.Target] = true
		}
	}
	return list
}

// stops says of an instruction that it does more than compute on registers, or changes which lanes are active: those of a stretch
// are the same for all of it.
func stops(in *isa.Inst) bool { return simd.PathOf(in) != simd.PathCompute || simd.WritesExec(in.Op) }

// issues turns how often stretches were begun into how often each instruction
// that counts was executed.
func (c *code) issues(entries []Issued) []Issued {
	out := make([]Issued, len(entries))
	var running Issued
	for i := range entries {
		running.add(&entries[i])
		if c.counted[i] {
			out[i] = running
		}
		if int(c.stretches[i].at) == i {
			running = Issued{}
		}
	}
	return out
}

func (n *Issued) add(o *Issued) {
	n.Times += o.Times
	n.Idle += o.Idle
}

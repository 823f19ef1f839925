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
	steps  []step
	at     int32 // the instruction after them
	count  int32 // instructions that count, the last one with them
	path   simd.Path
	in     *isa.Inst
	access mem.Access // of PathMemory
	local  *lds.Plain // of PathLDS; nil: it is none
}

// Code is a program cut into stretches, by the instruction at which they begin.
type code struct {
	*program.Program
	stretches []stretch
	counted   []bool
	// skipped are loads of descriptors, which nothing is computed from: they are only counted.
	skipped []int
	warm    bool // lines are brought in: nothing is skipped
}

// newCode cuts a program. Lowered programs end: their last instruction is an end or a branch.
func newCode(p *program.Program, warm bool) *code {
	n := len(p.Insts)
	c := &code{Program: p, stretches: make([]stretch, n), counted: make([]bool, n), warm: warm}
	steps, firsts := c.cut(c.entered())
	var last int32 // steps before the end of the stretch
	for i := n - 1; i >= 0; i-- {
		in, s := &p.Insts[i], &c.stretches[i]
		if c.stops(in) {
			last = firsts[i]
			*s = stretch{at: int32(i), path: simd.PathOf(in), in: in, access: mem.AccessOf(in)}
			if s.path == simd.PathLDS {
				s.local = lds.PlainOf(in)
			}
		} else {
			*s = c.stretches[i+1]
			s.steps = steps[firsts[i]:last]
		}
		if c.counted[i] {
			s.count++
		}
	}
	return c
}

// cut puts the steps one after the other, those of a kind as one, and says for each
// instruction that stretches may begin at which is the first.
func (c *code) cut(enters []bool) (steps []step, firsts []int32) {
	rows := isa.NewFuser(c.WaveSize, c.VectorRows)
	settle := func() {
		if exec := rows.Take(); exec != nil {
			steps = append(steps, step{exec: exec})
		}
	}
	firsts = make([]int32, len(c.Insts))
	for i := range c.Insts {
		in := &c.Insts[i]
		c.counted[i] = !simd.Free(in, i)
		if enters[i] || c.stops(in) {
			settle()
		}
		firsts[i] = int32(len(steps))
		if c.skips(in) {
			c.skipped = append(c.skipped, i)
		}
		if in.Exec == nil || c.stops(in) || rows.Add(in) {
			continue
		}
		settle()
		firsts[i] = int32(len(steps))
		if !rows.Add(in) {
			steps = append(steps, step{in.Exec, in})
		}
	}
	return steps, firsts
}

// entered marks the instructions that stretches begin at: those that branches go
// to, and those after one that stops.
func (c *code) entered() []bool {
	list := make([]bool, len(c.Insts)+1)
	for i := range c.Insts {
		in := &c.Insts[i]
		list[i+1] = list[i+1] || c.stops(in)
		if simd.PathOf(in) == simd.PathBranch {
			list[in.Target] = true
		}
	}
	return list
}

// stops says of an instruction that it does more than compute on registers, or changes which lanes are active: those of a stretch
// are the same for all of it.
func (c *code) stops(in *isa.Inst) bool {
	return !c.skips(in) && (simd.PathOf(in) != simd.PathCompute || simd.WritesExec(in.Op))
}

// skips says of an instruction that it loads a descriptor, and need not be carried out.
func (c *code) skips(in *isa.Inst) bool {
	return !c.warm && in.Op == isa.Load && in.Mem.Space == isa.SpaceTable
}

// unread are the bytes of the loads that were skipped, as often as issues says.
func (c *code) unread(issues []Issued) (bytes uint64) {
	for _, i := range c.skipped {
		bytes += issues[i].Times * 4 * uint64(c.Insts[i].Mem.Count)
	}
	return bytes
}

// issues turns how often stretches were begun into how often each instruction
// that counts was executed.
func (c *code) issues(t *table) []Issued {
	var running Issued
	for i := range t.entries {
		running.add(&t.entries[i])
		if c.counted[i] {
			t.issues[i] = running
		}
		if int(c.stretches[i].at) == i {
			running = Issued{}
		}
	}
	return t.issues
}

func (n *Issued) add(o *Issued) {
	n.Times += o.Times
	n.Idle += o.Idle
}

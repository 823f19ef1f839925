package functional

import (
	"spvsim/isa"
	"spvsim/lds"
	"spvsim/mem"
	"spvsim/program"
	"spvsim/simd"
)

// A step is an instruction that computes on registers alone, or an access to memory that no other wave waits for.
type step struct {
	exec func(*isa.State, *isa.Inst) // nil: an access, or a loop
	in   *isa.Inst
	loop
	transfer
}

// A loop is all steps of a stretch that may begin again where it ends.
type loop struct {
	run   func(st *isa.State, most int) (times int)
	begin int32 // the stretch
}

// A transfer is how an access to memory is carried out.
type transfer struct {
	access mem.Access // of device memory
	local  *lds.Plain // of workgroups' memory; nil: it is none
}

// A stretch is what runs from one instruction on: steps, then an instruction
// that does more.
type stretch struct {
	steps  []step
	at     int32 // the instruction after them
	joined int32 // where it goes on after a branch that is always taken; -1: it has none
	count  int32 // instructions that count, the last one with them
	path   simd.Path
	in     *isa.Inst
	test   int32 // the scalar register of a branch that looks at one; -1: it is none such
	truth  bool  // whether that branch is taken where the register is not 0
	transfer
}

// ending is the stretch of the instruction at its end alone.
func (c *code) ending(at int32) stretch {
	in := &c.Insts[at]
	s := stretch{at: at, joined: -1, path: simd.PathOf(in), in: in, test: -1, truth: in.Op == isa.BranchTrue, transfer: transferOf(in)}
	if (s.truth || in.Op == isa.BranchFalse) && in.Src[0].Kind == isa.Scalar {
		s.test = int32(in.Src[0].Index)
	}
	return s
}

// takes says whether a wave takes the branch at the end.
func (s *stretch) takes(st *isa.State) bool {
	if s.test < 0 {
		return isa.TakesBranch(st, s.in)
	}
	return st.S[s.test] != 0 == s.truth
}

// Code is a program cut into stretches, by the instruction at which they begin.
type code struct {
	*program.Program
	stretches []stretch
	counted   []bool
	ends      []bool // by instruction: a stretch ends at it
	// skipped are loads of descriptors, which nothing is computed from: they are only counted.
	skipped []int
	tail    []uint32 // of a vector file after its rows, for the steps
	warm    bool     // lines are brought in and accesses measured: nothing is skipped
}

// newCode cuts a program. Lowered programs end: their last instruction is an end or a branch.
func newCode(p *program.Program, warm bool) *code {
	n := len(p.Insts)
	c := &code{Program: p, stretches: make([]stretch, n), counted: make([]bool, n), ends: make([]bool, n), warm: warm}
	for i := range p.Insts {
		c.counted[i], c.ends[i] = !simd.Free(&p.Insts[i], i), c.stops(&p.Insts[i])
		if c.skips(&p.Insts[i]) {
			c.skipped = append(c.skipped, i)
		}
	}
	order := c.order()
	steps, firsts := c.cut(order)
	var s stretch
	var last int32 // steps before the end of the stretch
	for i := len(order) - 1; i >= 0; i-- {
		at := order[i].at
		in := &p.Insts[at]
		switch {
		case order[i].joined:
			s.joined = in.Target
		case c.ends[at]:
			last, s = firsts[i], c.ending(at)
		}
		s.steps = steps[firsts[i]:last]
		if c.counted[at] {
			s.count++
		}
		if !order[i].copied {
			c.stretches[at] = s
		}
	}
	return c
}

func transferOf(in *isa.Inst) (m transfer) {
	switch simd.PathOf(in) {
	case simd.PathMemory:
		m.access = mem.AccessOf(in)
	case simd.PathLDS:
		m.local = lds.PlainOf(in)
	}
	return m
}

// A place is an instruction in the order in which stretches are cut.
type place struct {
	at     int32
	joined bool // a branch that the stretch goes on after
	copied bool // after such a branch: no stretch begins here
}

// maxCopied is how many instructions are copied after a branch that is always taken. Knob.
const maxCopied = 32

// order is that of the program, where each branch that is always taken has what
// comes after it behind itself, up to the end of that stretch.
func (c *code) order() (list []place) {
	list = make([]place, 0, len(c.Insts))
	for i := range c.Insts {
		b := len(list)
		list = append(list, place{at: int32(i)})
		if c.Insts[i].Op != isa.Branch {
			continue
		}
		for k := c.Insts[i].Target; len(list)-b <= maxCopied; k++ {
			list = append(list, place{at: k, copied: true})
			if c.ends[k] {
				list[b].joined = true
				break
			}
		}
		if !list[b].joined {
			list = list[:b+1]
		}
	}
	return list
}

// cut puts the steps one after the other, those of a kind as one, and says for each
// place that stretches may begin at which is the first.
func (c *code) cut(order []place) (steps []step, firsts []int32) {
	rows, enters := isa.NewFuser(c.WaveSize, c.VectorRows), c.entered()
	var uniform fills
	if rows.Wide() && !c.warm {
		uniform = c.fills(order, enters)
	}
	settle := func() {
		if exec := rows.Take(); exec != nil {
			steps = append(steps, step{exec: exec})
		}
	}
	firsts = make([]int32, len(order))
	var begin int32 // where the stretch begins
	var before int  // how many steps come before it
	for i, p := range order {
		in := &c.Insts[p.at]
		stops := !p.joined && c.ends[p.at]
		if again, loops := c.loops(p.at, begin); stops && loops && len(steps) == before && rows.Rows() > 0 {
			steps = append(steps, step{loop: loop{rows.TakeLoop(in.Src[0], again), begin}})
		}
		enters := enters[p.at] && !p.copied
		if enters || stops {
			settle()
		}
		if firsts[i] = int32(len(steps)); enters {
			begin, before = p.at, len(steps)
		}
		if p.joined || stops || c.idle(in) || uniform.before[i] {
			continue
		}
		add := func() bool { return in.Exec != nil && rows.Add(in) }
		if l, ok := uniform.loads[i]; ok {
			add = func() bool { return rows.AddFill(l) }
		}
		if add() {
			continue
		}
		settle()
		firsts[i] = int32(len(steps))
		if !add() {
			steps = append(steps, step{exec: in.Exec, in: in, transfer: transferOf(in)})
		}
	}
	c.tail = rows.Tail()
	return steps, firsts
}

// loops says of a branch at the end of a stretch that it may go on where the stretch begins, and whether that is where its register is not 0.
func (c *code) loops(at, begin int32) (again, loops bool) {
	in := &c.Insts[at]
	if in.Op != isa.BranchTrue && in.Op != isa.BranchFalse || in.Src[0].Kind != isa.Scalar {
		return false, false
	}
	taken := in.Target == begin
	return (in.Op == isa.BranchTrue) == taken, taken || at+1 == begin
}

// entered marks the instructions that stretches begin at: those that branches go
// to, and those after one that stops.
func (c *code) entered() []bool {
	list := make([]bool, len(c.Insts)+1)
	for i := range c.Insts {
		in := &c.Insts[i]
		list[i+1] = list[i+1] || c.ends[i]
		if simd.PathOf(in) == simd.PathBranch {
			list[in.Target] = true
		}
	}
	return list
}

// stops says of an instruction that a stretch ends at it: it does more than compute on registers and move words, or changes which
// lanes are active, who are the same for all of a stretch.
func (c *code) stops(in *isa.Inst) bool {
	switch simd.PathOf(in) {
	case simd.PathCompute:
		return simd.WritesExec(in.Op)
	case simd.PathMemory:
		return !c.skips(in) && (in.Mem.Payload || in.Mem.Coherent || isAtomic(in.Op))
	case simd.PathLDS:
		return lds.PlainOf(in) == nil
	}
	return true
}

// idle says of an instruction that it changes nothing.
func (c *code) idle(in *isa.Inst) bool { return in.Exec == nil && in.Mem == nil || c.skips(in) }

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

// local counts the accesses to workgroups' memory, and the bytes that lanes moved.
func (c *code) local(issues []Issued) (accesses, bytes uint64) {
	for i := range c.Insts {
		if in := &c.Insts[i]; simd.PathOf(in) == simd.PathLDS {
			accesses += issues[i].Times
			bytes += uint64(lds.Bytes(in)) * (issues[i].Times*uint64(c.WaveSize) - issues[i].Idle)
		}
	}
	return accesses, bytes
}

// issues turns how often stretches were begun into how often each instruction
// that counts was executed.
func (c *code) issues(t *table) []Issued {
	copy(t.issues, t.entries)
	for i := range t.entries {
		if to := c.stretches[i].joined; to >= 0 {
			t.issues[to].add(&t.entries[i])
		}
	}
	var running Issued
	for i := range t.issues {
		running.add(&t.issues[i])
		t.issues[i] = Issued{}
		if c.counted[i] {
			t.issues[i] = running
		}
		if c.ends[i] {
			running = Issued{}
		}
	}
	return t.issues
}

func (n *Issued) add(o *Issued) {
	n.Times += o.Times
	n.Idle += o.Idle
}

package functional

import (
	"spvsim/isa"
	"spvsim/lds"
	"spvsim/mem"
	"spvsim/program"
	"spvsim/simd"
)

// A exit is an instruction at which the flow of a program is left.
type exit struct {
	at   int32
	path simd.Path
	in   *isa.Inst
	transfer
}

// A transfer is how an access to memory is carried out.
type transfer struct {
	access mem.Access      // of device memory
	local  *lds.FastAccess // of workgroups' memory; nil: it is none
}

// A segment is what runs from one instruction on up to one that does more than compute on registers and move words.
type segment struct {
	joined int32 // where it goes on after a branch that is always taken; -1: it has none
	count  int32 // instructions that count, the last one with them
}

// Code is a program cut into stretches, by the instruction at which they begin.
type code struct {
	*program.Program
	stretches []segment
	flow      *isa.CompiledProgram
	leaves    []exit
	counted   []bool
	ends      []bool // by instruction: a stretch ends at it
	// skipped are loads of descriptors, which nothing is computed from: they are only counted.
	skipped []int
	warm    bool // lines are brought in and accesses measured: nothing is skipped
}

// newCode cuts a program. Lowered programs end: their last instruction is an end or a branch.
func newCode(p *program.Program, warm bool) *code {
	n := len(p.Insts)
	c := &code{Program: p, stretches: make([]segment, n), counted: make([]bool, n), ends: make([]bool, n), warm: warm}
	for i := range p.Insts {
		c.counted[i], c.ends[i] = !simd.ZeroCost(&p.Insts[i], i), c.stops(&p.Insts[i])
		if c.skips(&p.Insts[i]) {
			c.skipped = append(c.skipped, i)
		}
	}
	order := c.order()
	c.measure(order)
	c.layOutSegments(order)
	return c
}

// measure counts the instructions of stretches.
func (c *code) measure(order []entryPlace) {
	var s segment
	for i := len(order) - 1; i >= 0; i-- {
		at := order[i].at
		switch {
		case order[i].joined:
			s.joined = c.Insts[at].Target
		case c.ends[at]:
			s = segment{joined: -1}
		}
		if c.counted[at] {
			s.count++
		}
		if !order[i].copied {
			c.stretches[at] = s
		}
	}
}

func transferOf(in *isa.Inst) (m transfer) {
	switch simd.PathOf(in) {
	case simd.PathMemory:
		m.access = mem.AccessOf(in)
	case simd.PathLDS:
		m.local = lds.FastAccessOf(in)
	}
	return m
}

// A entryPlace is an instruction in the order in which stretches are cut.
type entryPlace struct {
	at     int32
	joined bool // a branch that the stretch goes on after
	copied bool // after such a branch: no stretch begins here
}

// maxCopied is how many instructions are copied after a branch that is always taken. Knob.
const maxCopied = 32

// order is that of the program, where each branch that is always taken has what
// comes after it behind itself, up to the end of that stretch.
func (c *code) order() (list []entryPlace) {
	list = make([]entryPlace, 0, len(c.Insts))
	for i := range c.Insts {
		b := len(list)
		list = append(list, entryPlace{at: int32(i)})
		if c.Insts[i].Op != isa.Branch {
			continue
		}
		for k := c.Insts[i].Target; len(list)-b <= maxCopied; k++ {
			list = append(list, entryPlace{at: k, copied: true})
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

// layOutSegments makes the flow.
func (c *code) layOutSegments(order []entryPlace) {
	c.flow = isa.NewCompiledProgram(c.WaveSize, c.VectorRows, len(c.Insts))
	enters := c.entryPoints()
	var uniform fills
	if c.flow.Wide() && !c.warm {
		uniform = c.fills(order, enters)
	}
	for i, p := range order {
		if enters[p.at] && !p.copied {
			c.flow.AddEntry(p.at, c.stretches[p.at].count)
		}
		switch in := &c.Insts[p.at]; {
		case p.joined:
		case c.ends[p.at]:
			c.end(p.at)
		case c.idle(in) || uniform.before[i]:
		default:
			if l, ok := uniform.loads[i]; !ok || !c.flow.AddFill(l) {
				c.emitInstruction(p.at)
			}
		}
	}
	c.flow.Done()
}

// emitInstruction puts an instruction into the flow at which no stretch ends.
func (c *code) emitInstruction(at int32) {
	if in := &c.Insts[at]; in.Exec != nil {
		c.flow.Add(in)
	} else {
		c.emitExit(at, false)
	}
}

// end puts the end of a stretch into the flow.
func (c *code) end(at int32) {
	in := &c.Insts[at]
	switch path := simd.PathOf(in); {
	case in.Op == isa.Branch:
		c.flow.Jump(in.Target)
	case path == simd.PathBranch && c.flow.Branch(in, at+1):
	case path == simd.PathCompute && c.flow.Mask(in, at+1):
	default:
		c.emitExit(at, true)
	}
}

func (c *code) emitExit(at int32, ends bool) {
	in := &c.Insts[at]
	c.flow.AddReturn(int32(len(c.leaves)), ends)
	c.leaves = append(c.leaves, exit{at, simd.PathOf(in), in, transferOf(in)})
}

// entryPoints marks the instructions that stretches begin at: those that branches go
// to, and those after one that stops.
func (c *code) entryPoints() []bool {
	list := make([]bool, len(c.Insts)+1)
	list[0] = true
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
		return !c.skips(in) && (in.Mem.Payload || in.Mem.Coherent || in.Op.Has(isa.FlagAtomic))
	case simd.PathLDS:
		return lds.FastAccessOf(in) == nil
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
			t.issues[to].Add(&t.entries[i])
		}
	}
	var running Issued
	for i := range t.issues {
		running.Add(&t.issues[i])
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

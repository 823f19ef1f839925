package functional

import (
	"spvsim/isa"
	"spvsim/lds"
	"spvsim/mem"
	"spvsim/program"
	"spvsim/simd"
)

// An exit is an instruction that the compiled flow returns at, for its worker to execute.
type exit struct {
	pc   int32
	path simd.Path
	in   *isa.Inst
	transfer
}

// A transfer executes a memory access.
type transfer struct {
	access mem.Access      // to device memory; nil: to the LDS
	local  *lds.FastAccess // nil: not to the LDS, or without a fast path
}

// A segment is a run of instructions that only compute on registers and move words, up to and including one that does
// more (see stops).
type segment struct {
	joinsAt int32 // target of an unconditional branch after which the segment continues; -1: none
	count   int32 // instructions that are not free (simd.ZeroCost), up to and including the last
}

// code is a program cut into segments, indexed by their first instruction.
type code struct {
	*program.Program
	segments    []segment
	flow        *isa.CompiledProgram
	exits       []exit
	counted     []bool
	segmentEnds []bool // by instruction: it is the last of a segment
	// skipped are loads of descriptors. Nothing is computed from their results, so they are only counted.
	skipped []int
	warm    bool // caches are warmed, or LDS accesses timed or checked: nothing is skipped
}

// newCode cuts a program into segments. The last instruction of a lowered program is an end or a branch.
func newCode(p *program.Program, warm bool) *code {
	n := len(p.Insts)
	c := &code{Program: p, segments: make([]segment, n), counted: make([]bool, n), segmentEnds: make([]bool, n), warm: warm}
	for i := range p.Insts {
		c.counted[i], c.segmentEnds[i] = !simd.ZeroCost(&p.Insts[i], i), c.endsSegment(&p.Insts[i])
		if c.skips(&p.Insts[i]) {
			c.skipped = append(c.skipped, i)
		}
	}
	order := c.order()
	c.measure(order)
	c.layOutSegments(order)
	return c
}

// measure counts the instructions of each segment, from the last one back.
func (c *code) measure(order []orderedInst) {
	var s segment
	for i := len(order) - 1; i >= 0; i-- {
		at := order[i].pc
		switch {
		case order[i].joins:
			s.joinsAt = c.Insts[at].Target
		case c.segmentEnds[at]:
			s = segment{joinsAt: -1}
		}
		if c.counted[at] {
			s.count++
		}
		if !order[i].copied {
			c.segments[at] = s
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

// An orderedInst is an instruction in the order in which segments are laid out.
type orderedInst struct {
	pc     int32
	joins  bool // unconditional branch after which the segment continues
	copied bool // copied behind such a branch: no segment begins here
}

// maxCopied bounds the instructions that are copied behind an unconditional branch. Knob.
const maxCopied = 32

// order returns the instructions in program order. Behind each unconditional branch it copies the instructions from the
// branch's target up to the end of their segment, if they are at most maxCopied.
func (c *code) order() (list []orderedInst) {
	list = make([]orderedInst, 0, len(c.Insts))
	for i := range c.Insts {
		b := len(list)
		list = append(list, orderedInst{pc: int32(i)})
		if c.Insts[i].Op != isa.Branch {
			continue
		}
		for k := c.Insts[i].Target; len(list)-b <= maxCopied; k++ {
			list = append(list, orderedInst{pc: k, copied: true})
			if c.segmentEnds[k] {
				list[b].joins = true
				break
			}
		}
		if !list[b].joins {
			list = list[:b+1]
		}
	}
	return list
}

// layOutSegments compiles the segments into the flow.
func (c *code) layOutSegments(order []orderedInst) {
	c.flow = isa.NewCompiledProgram(c.WaveSize, c.VectorRows, len(c.Insts))
	enters := c.entryPoints()
	var uniform fills
	if c.flow.Wide() && !c.warm {
		uniform = c.fills(order, enters)
	}
	for i, p := range order {
		if enters[p.pc] && !p.copied {
			c.flow.AddEntry(p.pc, c.segments[p.pc].count)
		}
		switch in := &c.Insts[p.pc]; {
		case p.joins:
		case c.segmentEnds[p.pc]:
			c.end(p.pc)
		case c.idle(in) || uniform.elided[i]:
		default:
			if l, ok := uniform.loads[i]; !ok || !c.flow.AddFill(l) {
				c.emitInstruction(p.pc)
			}
		}
	}
	c.flow.Done()
}

// emitInstruction appends an instruction that does not end a segment.
func (c *code) emitInstruction(at int32) {
	if in := &c.Insts[at]; in.Exec != nil {
		c.flow.Add(in)
	} else {
		c.emitExit(at, false)
	}
}

// end appends the last instruction of a segment.
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
	c.flow.AddReturn(int32(len(c.exits)), ends)
	c.exits = append(c.exits, exit{at, simd.PathOf(in), in, transferOf(in)})
}

// entryPoints marks the first instructions of segments: targets of branches, and
// successors of segments' last instructions.
func (c *code) entryPoints() []bool {
	list := make([]bool, len(c.Insts)+1)
	list[0] = true
	for i := range c.Insts {
		in := &c.Insts[i]
		list[i+1] = list[i+1] || c.segmentEnds[i]
		if simd.PathOf(in) == simd.PathBranch {
			list[in.Target] = true
		}
	}
	return list
}

// endsSegment reports whether an instruction ends a segment: it does more than compute on registers and move words, or it
// writes the execution mask, which is constant within a segment.
func (c *code) endsSegment(in *isa.Inst) bool {
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

// idle reports whether an instruction has no effect in a functional run.
func (c *code) idle(in *isa.Inst) bool { return in.Exec == nil && in.Mem == nil || c.skips(in) }

// skips reports whether an instruction loads a descriptor and need not be executed.
func (c *code) skips(in *isa.Inst) bool {
	return !c.warm && in.Op == isa.Load && in.Mem.Space == isa.SpaceTable
}

// unread returns the bytes of the skipped loads, given how often each was issued.
func (c *code) unread(issues []Issued) (bytes uint64) {
	for _, i := range c.skipped {
		bytes += issues[i].Times * 4 * uint64(c.Insts[i].Mem.Count)
	}
	return bytes
}

// local counts the LDS accesses of waves, and the bytes that their lanes accessed.
func (c *code) local(issues []Issued) (accesses, bytes uint64) {
	for i := range c.Insts {
		if in := &c.Insts[i]; simd.PathOf(in) == simd.PathLDS {
			accesses += issues[i].Times
			bytes += uint64(lds.Bytes(in)) * (issues[i].Times*uint64(c.WaveSize) - issues[i].Idle)
		}
	}
	return accesses, bytes
}

// issues computes the executions of each instruction that is not free from the
// entries of segments: an instruction runs as often as all segments are entered
// that contain it, so a running sum over each segment gives the count.
func (c *code) issues(t *table) []Issued {
	copy(t.issues, t.entries)
	for i := range t.entries {
		if to := c.segments[i].joinsAt; to >= 0 {
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
		if c.segmentEnds[i] {
			running = Issued{}
		}
	}
	return t.issues
}

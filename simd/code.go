package simd

import (
	"errors"
	"fmt"

	"spvsim/account"
	"spvsim/isa"
	"spvsim/program"
)

// ErrTiming says that the machine's timing table lacks something the program needs.
var ErrTiming = errors.New("simd: timing table")

// A unit is an execution unit, and the issue category of its instructions.
type unit uint8

// Units; numUnits bounds tables indexed by them.
const (
	unitVALU unit = iota
	unitTrans
	unitSALU
	unitLDS
	unitVMEM
	unitSMEM
	unitBranch
	unitMessage
	unitInternal
	numUnits
)

var unitNames = [numUnits]string{"valu", "trans", "salu", "lds", "vmem", "smem", "branch", "message", "internal"}

// A kind says which path an instruction takes through issue.
type kind uint8

const (
	kindCompute kind = iota
	kindBranch
	kindMemory
	kindLDS
	kindBarrier
	kindPrint
	kindPayload
	kindMemoryBarrier
	kindRelease // a payload operation that comes after all that the wave stored
	kindEnd
)

// waitsFor is what those wait for that need the result of a pending operation.
func (k kind) waitsFor() account.Reason {
	switch k {
	case kindLDS:
		return account.LDS
	case kindPayload, kindRelease:
		return account.Payload
	}
	return account.Memory
}

// kinds of the operations that the machine carries out itself; all others are kindCompute.
var kinds = map[isa.Op]kind{
	isa.Branch: kindBranch, isa.BranchTrue: kindBranch, isa.BranchFalse: kindBranch,
	isa.BranchExecZ: kindBranch, isa.BranchExecNZ: kindBranch,
	isa.Barrier: kindBarrier, isa.MemoryBarrier: kindMemoryBarrier,
	isa.DebugPrint: kindPrint, isa.End: kindEnd,
	isa.PayloadAlloc: kindPayload, isa.PayloadAllocLane: kindPayload,
	isa.PayloadEnqueue: kindRelease, isa.PayloadFinish: kindRelease,
}

// writesExec are the operations that change the execution mask.
var writesExec = map[isa.Op]bool{isa.MaskSplit: true, isa.MaskPark: true, isa.MaskJoin: true, isa.MaskKill: true}

// A cost is a row of the timing table, in cycles of one wave of the program's size.
type cost struct {
	unit                 unit
	issue, busy, latency uint32
}

// An op is one instruction with everything that issue needs, resolved once.
type op struct {
	in           *isa.Inst
	deps, writes []uint16
	exec         func(*isa.State, *isa.Inst)
	cost
	kind       kind
	free       bool // costs nothing: done with the instruction before it
	writesExec bool
	readsExec  bool
	limited    bool   // counts against the accesses in flight
	line       uint32 // line of the instruction cache, counted from 1; 0 without fetch
}

// A ClassCost is what an instruction of a timing class costs one wave, in cycles.
type ClassCost struct {
	Unit    string // that executes it, and the category it issues in; empty: the machine has no such class
	Issue   int    // the issue port is taken
	Busy    int    // the unit is taken
	Latency int    // until a dependent instruction may issue
}

// Rules are what the costs of a program depend on.
type Rules struct {
	// WaveSize is the wave size that vector costs are given for: larger waves
	// take several passes.
	WaveSize int
	Classes  [isa.NumClasses]ClassCost
	// MaxOutstanding is the most vector memory instructions of one wave in flight; 0: no limit.
	MaxOutstanding int
	// FetchLine and InstructionBytes are in bytes; 0: fetch takes no time.
	FetchLine, InstructionBytes int
}

// Code is a program made ready for one machine. Counts grow while it runs.
type Code struct {
	Program *program.Program
	Counts  []account.InstCount // by instruction

	ops    []op
	taken  cost
	boards int // scoreboard entries: vector rows, then scalar words

	free []*files // register memory of waves that ended
	used bool     // since the pool last dropped what lies idle
}

// NewCode resolves the costs of prog's instructions. Base is the address of
// the program in instruction memory, in bytes.
func NewCode(prog *program.Program, r *Rules, base int) (*Code, error) {
	costs, err := classCosts(r, prog.WaveSize)
	if err != nil {
		return nil, err
	}
	c := &Code{
		Program: prog,
		Counts:  make([]account.InstCount, len(prog.Insts)),
		ops:     make([]op, len(prog.Insts)),
		boards:  prog.VectorRows + prog.ScalarWords,
	}
	for i := range prog.Insts {
		if err := c.resolve(i, costs, r); err != nil {
			return nil, err
		}
		if r.FetchLine > 0 {
			c.ops[i].line = uint32((base+i*r.InstructionBytes)/r.FetchLine) + 1
		}
	}
	if taken := costs[isa.ClassBranchTaken]; taken != nil {
		c.taken = *taken
	}
	return c, c.check(costs)
}

func (c *Code) resolve(i int, costs *[isa.NumClasses]*cost, r *Rules) error {
	in := &c.Program.Insts[i]
	o := &c.ops[i]
	*o = op{in: in, deps: in.Deps, writes: in.Writes, exec: in.Exec, kind: kindOf(in)}
	o.writesExec = writesExec[in.Op]
	o.readsExec = o.writesExec || !in.Uniform && o.kind == kindCompute ||
		in.Op == isa.BranchExecZ || in.Op == isa.BranchExecNZ || o.kind == kindMemory || o.kind == kindLDS
	class := in.Class
	if class == isa.ClassNone && costsSomething(o.kind, in, i) {
		class = isa.ClassBranch
	}
	if class == isa.ClassNone {
		o.free = true
		return nil
	}
	row := costs[class]
	if row == nil {
		return fmt.Errorf("%w: no class %q, needed by instruction %d of %s", ErrTiming, class, i, c.Program.Name)
	}
	o.cost = *row
	o.limited = o.kind == kindMemory && o.unit == unitVMEM && r.MaxOutstanding > 0
	return nil
}

// costsSomething finds instructions that must take time whatever their class says, so that no loop is free.
func costsSomething(k kind, in *isa.Inst, i int) bool {
	return k == kindBranch && int(in.Target) <= i || k > kindBranch
}

func kindOf(in *isa.Inst) kind {
	if k, ok := kinds[in.Op]; ok {
		return k
	}
	switch {
	case in.Mem == nil:
		return kindCompute
	case in.Mem.Space == isa.SpaceLDS:
		return kindLDS
	}
	return kindMemory
}

// check refuses programs that could run off their end or jump out of it.
func (c *Code) check(costs *[isa.NumClasses]*cost) error {
	n := len(c.ops)
	if n == 0 || c.ops[n-1].kind != kindEnd && c.ops[n-1].in.Op != isa.Branch {
		return fmt.Errorf("simd: program %s does not end", c.Program.Name)
	}
	for i := range c.ops {
		o := &c.ops[i]
		if o.kind == kindBranch && (o.in.Target < 0 || int(o.in.Target) >= n) {
			return fmt.Errorf("simd: program %s: instruction %d branches to %d of %d", c.Program.Name, i, o.in.Target, n)
		}
		if o.kind == kindBranch && costs[isa.ClassBranchTaken] == nil {
			return fmt.Errorf("%w: no class %q", ErrTiming, isa.ClassBranchTaken)
		}
		if o.kind == kindCompute && (o.exec == nil && o.in.Op != isa.Micro && o.in.Op != isa.Nop || o.in.Op.Has(isa.FlagIROnly)) {
			return fmt.Errorf("simd: program %s: instruction %d (operation %d) has no meaning", c.Program.Name, i, o.in.Op)
		}
	}
	return nil
}

// classCosts turns the rules into rows by class; a class that they lack is nil.
func classCosts(r *Rules, waveSize int) (*[isa.NumClasses]*cost, error) {
	passes := uint32(1)
	if r.WaveSize > 0 && waveSize > r.WaveSize {
		passes = uint32(waveSize / r.WaveSize)
	}
	var rows [isa.NumClasses]*cost
	for class, row := range r.Classes {
		if row.Unit == "" {
			continue
		}
		u, err := unitByName(row.Unit)
		if err != nil {
			return nil, fmt.Errorf("%w: class %s: %w", ErrTiming, isa.Class(class), err)
		}
		rows[class] = newCost(u, row, passes)
	}
	return &rows, nil
}

// newCost scales a row to the passes that a wave takes through a vector unit.
// The passes of a dependent instruction follow those of its source, so the
// latency grows only where the passes take longer than it.
func newCost(u unit, row ClassCost, passes uint32) *cost {
	if u != unitVALU && u != unitTrans {
		passes = 1
	}
	issue := max(uint32(row.Issue), 1) * passes
	busy := max(uint32(row.Busy), uint32(row.Issue), 1) * passes
	return &cost{unit: u, issue: issue, busy: busy, latency: max(uint32(row.Latency), issue)}
}

func unitByName(name string) (unit, error) {
	for u, n := range unitNames {
		if n == name {
			return unit(u), nil
		}
	}
	return 0, fmt.Errorf("no unit %q", name)
}

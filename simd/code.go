package simd

import (
	"errors"
	"fmt"
	"slices"

	"spvsim/account"
	"spvsim/internal/spec"
	"spvsim/isa"
	"spvsim/program"
)

// ErrTiming reports that the machine's timing table lacks something that the program needs.
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
	unitMatrix // beside the vector unit, behind the same port
	numUnits
	// unitTable is the length of tables by unit, a power of two above numUnits.
	unitTable = 16
)

var unitNames = [numUnits]string{"valu", "trans", "salu", "lds", "vmem", "smem", "branch", "message", "internal", "matrix"}

// A Path is how an instruction is carried out: by the loop of its row, or by a part of the machine.
type Path uint8

// Paths. Those from PathFence on wait for all accesses of the wave.
const (
	PathCompute Path = iota
	PathClock        // reads the time
	PathBranch
	PathMemory
	PathLDS
	PathBarrier
	PathPrint
	PathPayload
	PathFence   // orders the wave's own accesses
	PathRelease // a payload operation that comes after all that the wave stored
	PathEnd

	pathFirst // only as issue path: the first instruction of an execution graph's program
)

// waitsFor returns the stall reason of an instruction that needs the result of a pending access of this path.
func (p Path) waitsFor() account.Reason {
	switch p {
	case PathLDS:
		return account.LDS
	case PathPayload, PathRelease:
		return account.Payload
	}
	return account.Memory
}

// paths of the operations that the machine carries out itself; all others are PathCompute.
var paths = [isa.NumOps]Path{
	isa.Clock: PathClock, isa.Realtime: PathClock,
	isa.Branch: PathBranch, isa.BranchTrue: PathBranch, isa.BranchFalse: PathBranch,
	isa.BranchExecZ: PathBranch, isa.BranchExecNZ: PathBranch,
	isa.Barrier: PathBarrier, isa.MemoryBarrier: PathFence,
	isa.DebugPrint: PathPrint, isa.End: PathEnd,
	isa.PayloadAlloc: PathPayload, isa.PayloadAllocLane: PathPayload,
	isa.PayloadEnqueue: PathRelease, isa.PayloadFinish: PathRelease,
}

// writesExec are the operations that change the execution mask.
var writesExec = [isa.NumOps]bool{isa.MaskSplit: true, isa.MaskPark: true, isa.MaskJoin: true, isa.MaskKill: true}

// A cost is a row of the timing table, in cycles of one wave of the program's size.
type cost struct {
	unit                 unit
	portPartner          unit // that issues through the same port
	issue, busy, latency uint32
}

// An op is one instruction with everything that issue needs, resolved once.
type op struct {
	issuePath         Path // that it takes through issue: its kind, or pathFirst
	path              Path
	zeroCost          bool // executes with the instruction before it
	compacted         bool // zeroCost, but for as many of its executions as its active lanes fill waves (IssueSpec.Compaction)
	unitOnly          bool // a wave that reaches it waits for its unit alone
	unitAndScoreboard bool // it waits for results, too
	issueState        issueState
	cost
	count *account.InstCount
	run   []step // its own computation, and those of the rest of its run
	flow

	in *isa.Inst
	entries
	result            account.Reason // stall reason of a wave that waits for its results, or fromMatrix
	last              account.Reason // stall reason of a wave that has ended except for it
	countsOutstanding bool           // counts against the vector memory accesses in flight
	returnsInOrder    bool           // returns after the ordered accesses before it
	line              uint32         // line of the instruction cache, counted from 1; 0 without fetch
}

// flow links an instruction with those that may follow.
type flow struct {
	next   *op // nil: it is the last
	target *op // of a branch
	pc     int32
}

// entries are the scoreboard entries that an instruction waits for and writes.
type entries struct {
	deps, writes     []uint16
	sum              []uint16 // rows that a product of matrices goes on with; not among deps
	earlyIssue       uint64   // how much before its results are ready such a product may issue, as an entry
	readsExec        bool
	writesExec       bool
	writesScoreboard bool // it writes some
}

// A step computes one instruction.
type step struct {
	exec func(*isa.State, *isa.Inst)
	in   *isa.Inst
}

// Rules returns the parameters that a program's costs depend on.
type Rules struct {
	Shape      *spec.Shape
	Timing     *Timing
	Fetch      *FetchSpec  // nil: fetch takes no time
	Matrix     *MatrixSpec // nil: no program has products of matrices
	Compaction bool        // IssueSpec.Compaction
	// Loads and Stores: the accesses to vector memory of one wave that return in the order of issue.
	Loads, Stores bool
}

// Code is a program made ready for one machine. Counts grow while it runs.
type Code struct {
	Program *program.Program
	Address int                   // in instruction memory, in bytes: programs of a machine lie one after the other
	Counts  []account.InstCount   // by instruction
	copies  [][]account.InstCount // further copies, until they are gathered
	// Launch is that which runs it beside others, for tracers; empty: it runs alone.
	Launch string

	ops            []op
	taken          cost
	scoreboardSize int      // scoreboard entries: vector rows, then scalar words
	fusedLiterals  []uint32 // after the vector rows, for fused steps
	// sharesPrivateUnits: an access takes a unit that is a SIMD's own otherwise, as the size of a buffer does the scalar unit.
	sharesPrivateUnits bool

	freeRegisters []*registerMemory // register memory of waves that ended
	used          bool              // since the last DropUnused
}

// NewCode resolves the costs of prog's instructions. Base is its Address.
func NewCode(prog *program.Program, r *Rules, base int) (*Code, error) {
	costs := classCosts(r, prog.WaveSize)
	c := &Code{
		Program:        prog,
		Address:        base,
		Counts:         make([]account.InstCount, len(prog.Insts)),
		ops:            make([]op, len(prog.Insts)),
		scoreboardSize: prog.VectorRows + prog.ScalarWords,
	}
	for i := range prog.Insts {
		if err := c.resolve(i, r, costs); err != nil {
			return nil, err
		}
		if f := r.Fetch; f != nil && f.Enabled {
			c.ops[i].line = uint32((base+i*f.InstructionBytes)/f.LineBytes) + 1
		}
	}
	if taken := costs[isa.ClassBranchTaken]; taken != nil {
		c.taken = *taken
	}
	c.gatherRuns()
	c.fuse()
	c.elideScoreboardWaits()
	c.packOperands()
	c.pinScalarLoads()
	if err := c.check(costs); err != nil {
		return nil, err
	}
	c.link()
	c.computePrivateCycles()
	return c, nil
}

// mayIssue reports whether the instruction has a cost of its own, at least now and then.
func (o *op) mayIssue() bool { return !o.zeroCost || o.compacted }

// link links each instruction with those that may follow it.
func (c *Code) link() {
	for i := range c.ops {
		o := &c.ops[i]
		if i+1 < len(c.ops) {
			o.next = &c.ops[i+1]
		}
		if o.path == PathBranch {
			o.target = &c.ops[o.in.Target]
		}
		o.writesScoreboard = o.writesExec || len(o.writes) > 0
		o.unitAndScoreboard = !o.zeroCost && o.path < PathFence && !o.countsOutstanding && o.line == 0 && !o.readsExec && len(o.sum) == 0
		o.unitOnly = o.unitAndScoreboard && len(o.deps) == 0
	}
}

func (c *Code) resolve(i int, r *Rules, costs *[isa.NumClasses]*cost) error {
	in := &c.Program.Insts[i]
	o := &c.ops[i]
	*o = op{in: in, flow: flow{pc: int32(i)}, count: &c.Counts[i], entries: entries{deps: in.Deps, writes: in.Writes}, path: PathOf(in)}
	if o.issuePath = o.path; i == 0 && c.Program.Node != nil {
		o.issuePath = pathFirst
	}
	o.writesExec = writesExec[in.Op]
	o.readsExec = o.writesExec || !in.Uniform && o.path <= PathClock ||
		in.Op == isa.BranchExecZ || in.Op == isa.BranchExecNZ || o.path == PathMemory || o.path == PathLDS
	class := in.Class
	if class == isa.ClassNone && costsSomething(o.path, in, i) {
		class = isa.ClassBranch
	}
	if class == isa.ClassNone {
		o.zeroCost = true
		return nil
	}
	row := costs[class]
	if row == nil {
		return fmt.Errorf("%w: no class %q, needed by instruction %d of %s", ErrTiming, class, i, c.Program.Name)
	}
	o.cost = *row
	if o.result = account.Operand; o.path == PathMemory || o.path == PathLDS {
		o.result = o.path.waitsFor()
	}
	o.last = waitsForLast(in.Class)
	if in.Op == isa.MatrixMulAdd {
		o.result, o.earlyIssue = fromMatrix, r.Matrix.earlyIssue(&o.cost)<<reasonBits
		o.splitSum()
	}
	o.countsOutstanding = o.path == PathMemory && o.unit == unitVMEM
	o.issueState = o.initialIssueState(o.path == PathMemory && in.Op == isa.Load)
	if r.Compaction && i > 0 && (o.path == PathCompute || o.path == PathBranch) && !o.readsPayloads() {
		o.zeroCost, o.compacted = true, true
	}
	o.returnsInOrder = o.countsOutstanding && (len(in.Writes) > 0 && r.Loads || len(in.Writes) == 0 && r.Stores)
	return nil
}

// pinScalarLoads lets no scalar load issue ahead (ComputeUnit.LoadAhead) where other instructions use the same unit: for how long a load
// occupies it is not known in time for those.
func (c *Code) pinScalarLoads() {
	if !slices.ContainsFunc(c.ops, func(o op) bool { return o.unit == unitSMEM && o.path != PathMemory && o.mayIssue() }) {
		return
	}
	for i := range c.ops {
		if o := &c.ops[i]; o.unit == unitSMEM && o.issueState.visibility() == visibleLoad {
			o.issueState = newIssueState(o.unit, visibleToMachine)
		}
	}
}

// SharesPrivateUnits reports whether its accesses use units that are otherwise private to a SIMD: all SIMDs of a unit must have caught up when a wave starts.
func (c *Code) SharesPrivateUnits() bool { return c.sharesPrivateUnits }

// Copies makes as many copies of the counts, Counts among them: SIMDs that count at the same time have one each (Shared.Copy).
func (c *Code) Copies(n int) {
	for len(c.copies) < n-1 {
		c.copies = append(c.copies, make([]account.InstCount, len(c.Counts)))
	}
}

// GatherCounts adds the other copies to Counts.
func (c *Code) GatherCounts() {
	for _, list := range c.copies {
		for i := range list {
			c.Counts[i].Add(&list[i])
		}
		clear(list)
	}
}

// LDS adds up the counts of its accesses to local data shares.
func (c *Code) LDS() (sum account.LDSCounts) {
	for i := range c.ops {
		if c.ops[i].path == PathLDS {
			counts := c.Counts[i].LDS()
			sum.Add(&counts)
		}
	}
	return sum
}

// branchTargets marks the instructions that a branch goes to.
func (c *Code) branchTargets() []bool {
	list := make([]bool, len(c.ops))
	for i := range c.ops {
		if o := &c.ops[i]; o.path == PathBranch && o.in.Target >= 0 && int(o.in.Target) < len(list) {
			list[o.in.Target] = true
		}
	}
	return list
}

// splitSum takes the rows in which the product adds to a sum in place out of its
// dependences, as it may go on with those of another product early.
func (o *op) splitSum() {
	written := map[uint16]bool{}
	for _, w := range o.writes {
		written[w] = true
	}
	read := o.in.SumRows()
	for _, r := range read {
		if !written[r] {
			return
		}
	}
	o.sum = read
	o.deps = slices.DeleteFunc(slices.Clone(o.deps), func(r uint16) bool { return slices.Contains(read, r) })
}

// costsSomething reports whether an instruction takes time whatever its class: no loop is without cost.
func costsSomething(p Path, in *isa.Inst, i int) bool {
	return p == PathBranch && int(in.Target) <= i || p > PathBranch
}

// PathOf returns the path of an instruction.
func PathOf(in *isa.Inst) Path {
	if p := paths[in.Op]; p != PathCompute {
		return p
	}
	switch {
	case in.Mem == nil:
		return PathCompute
	case in.Mem.Space == isa.SpaceLDS:
		return PathLDS
	}
	return PathMemory
}

// check refuses programs that could run off their end or jump out of it.
func (c *Code) check(costs *[isa.NumClasses]*cost) error {
	n := len(c.ops)
	if n == 0 || c.ops[n-1].path != PathEnd && c.ops[n-1].in.Op != isa.Branch {
		return fmt.Errorf("simd: program %s does not end", c.Program.Name)
	}
	for i := range c.ops {
		o := &c.ops[i]
		if o.path == PathBranch && (o.in.Target < 0 || int(o.in.Target) >= n) {
			return fmt.Errorf("simd: program %s: instruction %d branches to %d of %d", c.Program.Name, i, o.in.Target, n)
		}
		if o.path == PathBranch && costs[isa.ClassBranchTaken] == nil {
			return fmt.Errorf("%w: no class %q", ErrTiming, isa.ClassBranchTaken)
		}
		if o.path <= PathClock && (o.in.Exec == nil && o.in.Op != isa.Micro && o.in.Op != isa.Nop || o.in.Op.Has(isa.FlagIROnly)) {
			return fmt.Errorf("simd: program %s: instruction %d (operation %d) has no meaning", c.Program.Name, i, o.in.Op)
		}
	}
	return nil
}

// classCosts returns the rows of the timing table by class, for a wave size; nil for a class that the machine lacks.
func classCosts(r *Rules, waveSize int) *[isa.NumClasses]*cost {
	var rows [isa.NumClasses]*cost
	matrix := r.Timing.uses(unitMatrix)
	for class := isa.ClassNone + 1; class < isa.NumClasses; class++ {
		if row, ok := r.Timing.Cost(class, r.Shape, waveSize); ok {
			if class.Matrix() && r.Matrix != nil {
				row = r.Matrix.scale(row)
			}
			c := &cost{unit: units[row.Unit], portPartner: unitTable - 1, issue: uint32(row.Issue), busy: uint32(row.Busy), latency: uint32(row.Latency)}
			if matrix { // else nothing ever waits for what is beside
				c.portPartner = portPartners[c.unit]
			}
			rows[class] = c
		}
	}
	return &rows
}

// portPartners are the units behind one port in machines that have a port for each: a
// matrix unit takes its instructions from that of the vector unit. The others
// have none beside them.
var portPartners = func() (list [numUnits]unit) {
	for u := range list {
		list[u] = unitTable - 1
	}
	list[unitMatrix], list[unitVALU] = unitVALU, unitMatrix
	return list
}()

// units by name.
var units = func() map[string]unit {
	list := map[string]unit{}
	for u, name := range unitNames {
		list[name] = unit(u)
	}
	return list
}()

package isa

import (
	"math/bits"

	"spvsim/spirv"
)

// Control flow.
const (
	// Control flow of the lowered program. Masks are I64 words in scalar
	// registers.
	Branch       Op = endFragments + iota // to Target
	BranchTrue                            // a: uniform Bool
	BranchFalse                           // a: uniform Bool
	BranchExecZ                           // when no lane is active
	BranchExecNZ                          // when a lane is active
	MaskZero                              // Dst = 0
	MaskSplit                             // Dst |= exec &^ a; exec &= a (a: lane mask). Imm 1 inverts a: Dst |= exec & a; exec &^= a
	MaskPark                              // Dst |= exec; exec = 0
	MaskJoin                              // exec |= a; a's register = 0 (Dst is the same register)
	MaskKill                              // exec = 0; the lanes have ended
	End                                   // the wave ends

	// A timing-only micro-operation: the other steps of an operation that the
	// timing table expands. Writes nothing; the following step depends on it.
	Micro

	NumOps
)

var flowRows = []Row{
	{Branch, "branch", branch, none, flow, nil, core(spirv.OpBranch)},
	{BranchTrue, "branch_true", branch, onTruth, flow, nil, core(spirv.OpBranchConditional, spirv.OpSwitch)},
	{BranchFalse, "branch_false", branch, onTruth, flow, nil, core(spirv.OpBranchConditional, spirv.OpSwitch)},
	{BranchExecZ, "branch_execz", branch, none, flow, nil, core(spirv.OpBranchConditional, spirv.OpLoopMerge)},
	{BranchExecNZ, "branch_execnz", branch, none, flow, nil, core(spirv.OpBranchConditional, spirv.OpLoopMerge)},
	{MaskZero, "mask_zero", scalar, maskOnly, flow, nil, core(spirv.OpLoopMerge, spirv.OpSelectionMerge)},
	{MaskSplit, "mask_split", scalar, sig(OfI64, OfBool), flow, nil, core(spirv.OpBranchConditional, spirv.OpSwitch)},
	{MaskPark, "mask_park", scalar, maskOnly, flow, nil, core(spirv.OpBranch)},
	{MaskJoin, "mask_join", scalar, onMask, flow, nil, core(spirv.OpLoopMerge, spirv.OpSelectionMerge)},
	{MaskKill, "mask_kill", scalar, none, flow, nil, core(spirv.OpReturn, spirv.OpKill, spirv.OpTerminateInvocation)},
	{End, "end", sameClass(ClassEnd), none, flow, nil, core(spirv.OpReturn)},

	{Micro, "micro", alu, none, effect, nil, specNote("expansion of the timing table")},
}

// Issued counts the executions of an instruction, and the inactive lanes over all of them.
type Issued struct{ Times, Idle uint64 }

// Add adds the counts of o.
func (n *Issued) Add(o *Issued) {
	n.Times += o.Times
	n.Idle += o.Idle
}

// A CompiledProgram is a program compiled for execution without timing, as far as it computes on registers and branches on scalar
// registers. It is built in the order of the instructions, and is left at instructions that need more. On processors
// with wide instructions it runs in assembly (flow_amd64.go).
type CompiledProgram struct {
	steps   []compiledOp
	entries []int32 // by instruction: the step at which the flow is entered
	rows    *Fuser
	native  nativeProgram
}

// A compiledOp is a step of a flow.
type compiledOp struct {
	kind   compiledKind
	target int32 // the instruction that is entered or jumped to, or the number returned on leaving
	count  int32 // instructions
	in     *Inst
	fused  *fusion
}

type compiledKind uint8

const (
	opEnter     compiledKind = iota // a place that is entered
	opSkipEntry                     // skips the next step, which enters
	opExecute                       // an instruction
	opFused                         // several register operations
	opBranch                        // an instruction that may go elsewhere
	opMask                          // an instruction that changes the active lanes, then enters the next one
	opJump                          // always goes elsewhere
	opReturn
	opEnd // is left, and not gone on with
)

// OutOfBudget is returned by a flow when its budget of instructions is used up.
const OutOfBudget = -1

// A CompiledRun is the state of a wave that executes a flow. The kernels of steps access its fields.
type CompiledRun struct {
	stepRun
	Counts   []Issued // by instruction: how often the flow was entered there
	Budget   int      // budget of instructions and taken branches; at 0 no instruction is entered
	Executed uint64   // executed instructions
	ResumeAt int32    // the instruction to enter next, when the budget is used up
	next     int32    // the next step
	full     uint64   // all lanes of the wave
	idle     uint64   // number of inactive lanes
}

// NewCompiledProgram returns an empty flow for a program of n instructions. The vector file of its states is longer than its rows:
// see Tail.
func NewCompiledProgram(lanes, rows, n int) *CompiledProgram {
	return &CompiledProgram{rows: NewFuser(lanes, rows), entries: make([]int32, n)}
}

// Wide reports whether the flow takes loads.
func (f *CompiledProgram) Wide() bool { return f.rows.Wide() }

// Tail returns the words that follow the rows of a vector file.
func (f *CompiledProgram) Tail() []uint32 { return f.rows.Tail() }

// AddEntry makes the flow enterable at an instruction. count instructions follow until it ends or jumps.
func (f *CompiledProgram) AddEntry(at, count int32) {
	f.flushFused()
	switch n := len(f.steps); {
	case n == 0:
	case f.steps[n-1].goesOn():
		f.emit(compiledOp{kind: opSkipEntry})
	case f.steps[n-1] == compiledOp{kind: opJump, target: at}: // it is next anyway
		f.steps = f.steps[:n-1]
	}
	f.entries[at] = int32(len(f.steps))
	f.emit(compiledOp{kind: opEnter, target: at, count: count})
}

// goesOn reports whether the step falls through to the next one in the list, without entering it.
func (s *compiledOp) goesOn() bool {
	return s.kind < opBranch || s.kind == opReturn
}

func (f *CompiledProgram) emit(s compiledOp) { f.steps = append(f.steps, s) }

// flushFused appends the pending register operations as one step.
func (f *CompiledProgram) flushFused() {
	if fused := f.rows.fused(); fused != nil {
		f.emit(compiledOp{kind: opFused, fused: fused})
	}
}

// Add puts an instruction at the end that computes on registers.
func (f *CompiledProgram) Add(in *Inst) {
	if f.fuse(func() bool { return f.rows.Add(in) }) {
		return
	}
	f.emit(compiledOp{kind: opExecute, in: in})
}

// AddFill appends a load, or returns false if it can't.
func (f *CompiledProgram) AddFill(l Fill) bool {
	return f.fuse(func() bool { return f.rows.AddFill(l) })
}

func (f *CompiledProgram) fuse(add func() bool) bool {
	if add() {
		return true
	}
	f.flushFused()
	return add()
}

// Branch appends a branch, or returns false if it can't. If it is not taken, the flow continues at instruction next.
func (f *CompiledProgram) Branch(in *Inst, next int32) bool {
	if NumSources(in.Op) > 0 && in.Src[0].Kind != Scalar {
		return false
	}
	f.flushFused()
	f.emit(compiledOp{kind: opBranch, target: in.Target, in: in})
	f.jumpTo(next, 0)
	return true
}

// Mask appends an instruction that changes the active lanes, or returns false if it can't. The flow continues at
// instruction next.
func (f *CompiledProgram) Mask(in *Inst, next int32) bool {
	if in.Op == MaskSplit && in.Src[0].Kind != Scalar {
		return false
	}
	f.flushFused()
	f.emit(compiledOp{kind: opMask, target: next, in: in})
	return true
}

// Jump puts a branch at the end that is always taken.
func (f *CompiledProgram) Jump(to int32) {
	f.flushFused()
	f.jumpTo(to, 1)
}

func (f *CompiledProgram) jumpTo(to, count int32) {
	f.emit(compiledOp{kind: opJump, target: to, count: count})
}

// AddReturn makes the flow return number here. ends: the flow is entered elsewhere afterwards.
func (f *CompiledProgram) AddReturn(number int32, ends bool) {
	f.flushFused()
	s := compiledOp{kind: opReturn, target: number}
	if ends {
		s.kind = opEnd
	}
	f.emit(s)
}

// Done completes the flow.
func (f *CompiledProgram) Done() { f.assemble() }

// Start lets a wave enter the flow at an instruction.
func (f *CompiledProgram) Start(st *State, r *CompiledRun, at int32) {
	r.exec, r.full, r.next = st.Exec, st.Full, f.entries[at]
	r.count(st)
	f.startNative(st, r, at)
}

func (r *CompiledRun) count(st *State) { r.idle = uint64(bits.OnesCount64(st.Full &^ st.Exec)) }

// walk runs the flow until it is left, and returns the number.
func (f *CompiledProgram) walk(st *State, r *CompiledRun) int32 {
	for i := r.next; ; i++ {
		switch s := &f.steps[i]; s.kind {
		case opEnter:
			if r.Budget <= 0 {
				r.ResumeAt = s.target
				return OutOfBudget
			}
			r.Counts[s.target].Times++
			r.Counts[s.target].Idle += r.idle
			r.Budget -= int(s.count)
			r.Executed += uint64(s.count)
		case opSkipEntry:
			i++
		case opExecute:
			s.in.Exec(st, s.in)
		case opBranch:
			if TakesBranch(st, s.in) {
				r.Budget--
				i = f.entries[s.target] - 1
			}
		case opMask:
			s.in.Exec(st, s.in)
			r.count(st)
			i = f.entries[s.target] - 1
		case opJump:
			r.Budget -= int(s.count)
			i = f.entries[s.target] - 1
		case opReturn, opEnd:
			r.next = i + 1
			return s.target
		}
	}
}

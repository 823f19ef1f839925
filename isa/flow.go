package isa

import "math/bits"

// Issued counts the executions of an instruction, and the inactive lanes over all of them.
type Issued struct{ Times, Idle uint64 }

// Add adds the counts of o.
func (n *Issued) Add(o *Issued) {
	n.Times += o.Times
	n.Idle += o.Idle
}

// A Flow is a program compiled for execution without timing, as far as it computes on registers and branches on scalar
// registers. It is built in the order of the instructions, and is left at instructions that need more. On processors
// with wide instructions it runs in assembly (flow_amd64.go).
type Flow struct {
	steps  []flowStep
	begins []int32 // by instruction: the step at which the flow is entered
	rows   *Fuser
	native nativeFlow
}

// A flowStep is a step of a flow.
type flowStep struct {
	kind  flowKind
	at    int32 // the instruction that is entered or jumped to, or the number returned on leaving
	count int32 // instructions
	in    *Inst
	fused *fusion
}

type flowKind uint8

const (
	flowEnter  flowKind = iota // a place that is entered
	flowPass                   // skips the next step, which enters
	flowExec                   // an instruction
	flowFused                  // several register operations
	flowBranch                 // an instruction that may go elsewhere
	flowMask                   // an instruction that changes the active lanes, then enters the next one
	flowGo                     // always goes elsewhere
	flowLeave
	flowEnd // is left, and not gone on with
)

// Spent is returned by a flow when its budget of instructions is used up.
const Spent = -1

// A FlowRun is the state of a wave that executes a flow. The kernels of steps access its fields.
type FlowRun struct {
	stepRun
	Counts []Issued // by instruction: how often the flow was entered there
	Left   int      // budget of instructions and taken branches; at 0 no instruction is entered
	Did    uint64   // executed instructions
	At     int32    // the instruction to enter next, when the budget is used up
	next   int32    // the next step
	full   uint64   // all lanes of the wave
	idle   uint64   // number of inactive lanes
}

// NewFlow returns an empty flow for a program of n instructions. The vector file of its states is longer than its rows:
// see Tail.
func NewFlow(lanes, rows, n int) *Flow {
	return &Flow{rows: NewFuser(lanes, rows), begins: make([]int32, n)}
}

// Wide reports whether the flow takes loads.
func (f *Flow) Wide() bool { return f.rows.Wide() }

// Tail returns the words that follow the rows of a vector file.
func (f *Flow) Tail() []uint32 { return f.rows.Tail() }

// Enter makes the flow enterable at an instruction. count instructions follow until it ends or jumps.
func (f *Flow) Enter(at, count int32) {
	f.settle()
	switch n := len(f.steps); {
	case n == 0:
	case f.steps[n-1].goesOn():
		f.put(flowStep{kind: flowPass})
	case f.steps[n-1] == flowStep{kind: flowGo, at: at}: // it is next anyway
		f.steps = f.steps[:n-1]
	}
	f.begins[at] = int32(len(f.steps))
	f.put(flowStep{kind: flowEnter, at: at, count: count})
}

// goesOn reports whether the step falls through to the next one in the list, without entering it.
func (s *flowStep) goesOn() bool {
	return s.kind < flowBranch || s.kind == flowLeave
}

func (f *Flow) put(s flowStep) { f.steps = append(f.steps, s) }

// settle appends the pending register operations as one step.
func (f *Flow) settle() {
	if fused := f.rows.fused(); fused != nil {
		f.put(flowStep{kind: flowFused, fused: fused})
	}
}

// Add puts an instruction at the end that computes on registers.
func (f *Flow) Add(in *Inst) {
	if f.take(func() bool { return f.rows.Add(in) }) {
		return
	}
	f.put(flowStep{kind: flowExec, in: in})
}

// AddFill appends a load, or returns false if it can't.
func (f *Flow) AddFill(l Fill) bool { return f.take(func() bool { return f.rows.AddFill(l) }) }

func (f *Flow) take(add func() bool) bool {
	if add() {
		return true
	}
	f.settle()
	return add()
}

// Branch appends a branch, or returns false if it can't. If it is not taken, the flow continues at instruction next.
func (f *Flow) Branch(in *Inst, next int32) bool {
	if NumSources(in.Op) > 0 && in.Src[0].Kind != Scalar {
		return false
	}
	f.settle()
	f.put(flowStep{kind: flowBranch, at: in.Target, in: in})
	f.goTo(next, 0)
	return true
}

// Mask appends an instruction that changes the active lanes, or returns false if it can't. The flow continues at
// instruction next.
func (f *Flow) Mask(in *Inst, next int32) bool {
	if in.Op == MaskSplit && in.Src[0].Kind != Scalar {
		return false
	}
	f.settle()
	f.put(flowStep{kind: flowMask, at: next, in: in})
	return true
}

// Jump puts a branch at the end that is always taken.
func (f *Flow) Jump(to int32) {
	f.settle()
	f.goTo(to, 1)
}

func (f *Flow) goTo(to, count int32) { f.put(flowStep{kind: flowGo, at: to, count: count}) }

// Leave makes the flow return number here. ends: the flow is entered elsewhere afterwards.
func (f *Flow) Leave(number int32, ends bool) {
	f.settle()
	s := flowStep{kind: flowLeave, at: number}
	if ends {
		s.kind = flowEnd
	}
	f.put(s)
}

// Done completes the flow.
func (f *Flow) Done() { f.assemble() }

// Begin lets a wave enter the flow at an instruction.
func (f *Flow) Begin(st *State, r *FlowRun, at int32) {
	r.exec, r.full, r.next = st.Exec, st.Full, f.begins[at]
	r.count(st)
	f.begin(st, r, at)
}

func (r *FlowRun) count(st *State) { r.idle = uint64(bits.OnesCount64(st.Full &^ st.Exec)) }

// walk runs the flow until it is left, and returns the number.
func (f *Flow) walk(st *State, r *FlowRun) int32 {
	for i := r.next; ; i++ {
		switch s := &f.steps[i]; s.kind {
		case flowEnter:
			if r.Left <= 0 {
				r.At = s.at
				return Spent
			}
			r.Counts[s.at].Times++
			r.Counts[s.at].Idle += r.idle
			r.Left -= int(s.count)
			r.Did += uint64(s.count)
		case flowPass:
			i++
		case flowExec:
			s.in.Exec(st, s.in)
		case flowBranch:
			if TakesBranch(st, s.in) {
				r.Left--
				i = f.begins[s.at] - 1
			}
		case flowMask:
			s.in.Exec(st, s.in)
			r.count(st)
			i = f.begins[s.at] - 1
		case flowGo:
			r.Left -= int(s.count)
			i = f.begins[s.at] - 1
		case flowLeave, flowEnd:
			r.next = i + 1
			return s.at
		}
	}
}

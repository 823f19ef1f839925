package isa

import "math/bits"

// Issued is what is counted of an instruction: how often it was executed, and the lanes that were not active in all.
type Issued struct{ Times, Idle uint64 }

// Add adds what is counted elsewhere.
func (n *Issued) Add(o *Issued) {
	n.Times += o.Times
	n.Idle += o.Idle
}

// A Flow is a program that runs without time, by itself as far as it computes on registers and goes where scalar registers say. It is put
// together in the order of its instructions. It is left where there is more to do. Where the host's processor has wide instructions it is in
// assembly (flow_amd64.go).
type Flow struct {
	steps  []flowStep
	begins []int32 // by instruction: the step at which the flow is entered there
	rows   *Fuser
	native nativeFlow
}

// A flowStep is one of a flow.
type flowStep struct {
	kind  flowKind
	at    int32 // the instruction that is entered or gone to, or the number that it is left with
	count int32 // instructions
	in    *Inst
	fused *fusion
}

type flowKind uint8

const (
	flowEnter  flowKind = iota // a place that is entered
	flowPass                   // goes on after the step that comes next, which enters
	flowExec                   // an instruction
	flowFused                  // several of them
	flowBranch                 // an instruction that may go elsewhere
	flowMask                   // an instruction that changes which lanes are active, and what comes next is entered
	flowGo                     // always goes elsewhere
	flowLeave
	flowEnd // is left, and not gone on with
)

// Spent is the number with which a flow is left where no instructions are left to it.
const Spent = -1

// A FlowRun is a wave on its way. The kernels of steps know its fields.
type FlowRun struct {
	stepRun
	Counts []Issued // by instruction: how often the flow was entered there
	Left   int      // instructions, and branches taken, until it is spent: no more is entered then
	Did    uint64   // instructions
	At     int32    // where it is to be entered, when it is spent
	next   int32    // the step that comes next
	full   uint64   // the lanes of the wave
	idle   uint64   // how many are not active
}

// NewFlow begins a flow of a program of n instructions. The vector file of its states has more than its rows: Tail says what.
func NewFlow(lanes, rows, n int) *Flow {
	return &Flow{rows: NewFuser(lanes, rows), begins: make([]int32, n)}
}

// Wide says that it takes loads in.
func (f *Flow) Wide() bool { return f.rows.Wide() }

// Tail is what comes after the rows of a vector file.
func (f *Flow) Tail() []uint32 { return f.rows.Tail() }

// Enter says that the flow may be entered at an instruction, after which so many count until it ends or goes elsewhere.
func (f *Flow) Enter(at, count int32) {
	f.settle()
	switch n := len(f.steps); {
	case n == 0:
	case f.steps[n-1].goesOn():
		f.put(flowStep{kind: flowPass})
	case f.steps[n-1] == flowStep{kind: flowGo, at: at}: // it comes next anyway
		f.steps = f.steps[:n-1]
	}
	f.begins[at] = int32(len(f.steps))
	f.put(flowStep{kind: flowEnter, at: at, count: count})
}

// goesOn says whether the step that comes next in the list comes next, without being entered.
func (s *flowStep) goesOn() bool {
	return s.kind < flowBranch || s.kind == flowLeave
}

func (f *Flow) put(s flowStep) { f.steps = append(f.steps, s) }

// settle makes one step of those that were taken in.
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

// AddFill puts a load at the end; it is false where it can't.
func (f *Flow) AddFill(l Fill) bool { return f.take(func() bool { return f.rows.AddFill(l) }) }

func (f *Flow) take(add func() bool) bool {
	if add() {
		return true
	}
	f.settle()
	return add()
}

// Branch puts a branch at the end. If it is not taken, the flow goes on at the instruction next. It is false where it can't.
func (f *Flow) Branch(in *Inst, next int32) bool {
	if NumSources(in.Op) > 0 && in.Src[0].Kind != Scalar {
		return false
	}
	f.settle()
	f.put(flowStep{kind: flowBranch, at: in.Target, in: in})
	f.goTo(next, 0)
	return true
}

// Mask puts an instruction at the end that changes which lanes are active. The flow goes on at the instruction next. It is false where it can't.
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

// Leave says that there is more to do here, of a number; ends: the flow is entered elsewhere after it.
func (f *Flow) Leave(number int32, ends bool) {
	f.settle()
	s := flowStep{kind: flowLeave, at: number}
	if ends {
		s.kind = flowEnd
	}
	f.put(s)
}

// Done says that the flow is complete.
func (f *Flow) Done() { f.assemble() }

// Begin lets a wave enter the flow at an instruction.
func (f *Flow) Begin(st *State, r *FlowRun, at int32) {
	r.exec, r.full, r.next = st.Exec, st.Full, f.begins[at]
	r.count(st)
	f.begin(st, r, at)
}

func (r *FlowRun) count(st *State) { r.idle = uint64(bits.OnesCount64(st.Full &^ st.Exec)) }

// walk goes on until the flow is left, and says with what number.
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

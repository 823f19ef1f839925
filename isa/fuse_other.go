//go:build !amd64

package isa

// A Fuser takes no instruction in where the processor has no wide instructions.
type Fuser struct{}

type (
	fusion     struct{}
	stepRun    struct{ exec uint64 }
	nativeFlow struct{}
)

// NewFuser makes one.
func NewFuser(lanes, rows int) *Fuser { return &Fuser{} }

// Add is false: it can't.
func (*Fuser) Add(*Inst) bool { return false }

// AddFill is false as well.
func (*Fuser) AddFill(Fill) bool { return false }

// Tail is nil: there are no steps.
func (*Fuser) Tail() []uint32 { return nil }

// Rows is 0.
func (*Fuser) Rows() int { return 0 }

// Wide is false: it takes nothing in.
func (*Fuser) Wide() bool { return false }

// Take is nil: nothing was taken in.
func (*Fuser) Take() func(*State, *Inst) { return nil }

func (*Fuser) fused() *fusion { return nil }

func (f *Flow) assemble() {}

func (f *Flow) begin(*State, *FlowRun, int32) {}

// Run goes on until the flow is left, and says with what number.
func (f *Flow) Run(st *State, r *FlowRun) int32 { return f.walk(st, r) }

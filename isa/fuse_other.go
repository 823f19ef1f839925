//go:build !amd64

package isa

// A Fuser takes no instruction in where the processor has no wide instructions.
type Fuser struct{}

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

// TakeLoop is nil: nothing was taken in.
func (*Fuser) TakeLoop(Reg, bool) func(*State, int) int { return nil }

// Take is nil: nothing was taken in.
func (*Fuser) Take() func(*State, *Inst) { return nil }

//go:build !amd64

package isa

// A Fuser takes no instruction in where the processor has no wide instructions.
type Fuser struct{}

type (
	fusion        struct{}
	stepRun       struct{ exec uint64 }
	nativeProgram struct{}
)

func NewFuser(lanes, rows int) *Fuser { return &Fuser{} }

// Add returns false: this host can't fuse.
func (*Fuser) Add(*Inst) bool { return false }

// AddFill returns false.
func (*Fuser) AddFill(Fill) bool { return false }

// Tail returns nil: there are no steps.
func (*Fuser) Tail() []uint32 { return nil }

// Rows returns 0.
func (*Fuser) Rows() int { return 0 }

// Wide returns false: no instruction is added.
func (*Fuser) Wide() bool { return false }

// Build returns nil: no instruction was added.
func (*Fuser) Build() func(*State, *Inst) { return nil }

func (*Fuser) fused() *fusion { return nil }

func (f *CompiledProgram) assemble() {}

func (f *CompiledProgram) startNative(*State, *CompiledRun, int32) {}

// Run runs the flow until it is left, and returns the number.
func (f *CompiledProgram) Run(st *State, r *CompiledRun) int32 { return f.walk(st, r) }

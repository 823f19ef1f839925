package program

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"spvsim/isa"
	"spvsim/program/frontend"
	"spvsim/program/ir"
	"spvsim/program/opt"
	"spvsim/spirv/validate"
)

// A Target holds the properties of a machine that lowering depends on.
type Target struct {
	WaveSize int
	// WithoutHelpers: helpers of fragment shaders take no part in operations of subgroups, except for those of quads.
	WithoutHelpers bool
	// Expand returns the timing classes of the steps that an operation on a type lowers to; nil if it is a single
	// instruction of its own class.
	Expand func(op isa.Op, t isa.Type) []isa.Class
	// ExpandScalar is Expand for operations that the scalar unit computes.
	ExpandScalar func(op isa.Op, t isa.Type) []isa.Class
	Opt          opt.Options
	// Matrix holds how cooperative matrices are laid out in registers, and the machine's matrix instructions.
	Matrix MatrixTarget
	// Pairs holds the machine's instructions of two operations.
	Pairs Pairs
	// Descriptors: buffers and images have descriptors, which waves load.
	Descriptors bool
	// LoadsGrid: waves load the numbers of workgroups.
	LoadsGrid bool
	// LimitsLDS: a scalar register, which waves set, bounds accesses to the LDS.
	LimitsLDS bool
	// PackedIDs: the coordinates of an invocation in its workgroup are packed in one register, ten bits each.
	PackedIDs bool
	// VectorMax and ScalarMax are the most registers of a wave; 0: as many as it needs.
	VectorMax, ScalarMax int
	// LDSBytes is the LDS of a compute unit, SIMDs its number of SIMDs.
	LDSBytes, SIMDs int
	// PackThreads: nodes of an execution graph whose workgroups are one
	// invocation run one in each lane of a wave.
	PackThreads bool
	// Check: programs have what a check of their accesses needs (isa.LaneOrder).
	Check bool
}

// A MatrixTarget holds the properties of a machine that the lowering of cooperative matrices depends on.
type MatrixTarget = frontend.MatrixTarget

// A Kernel specializes a kernel to its launch.
type Kernel = frontend.Kernel

// Options select an entry point and specialize it.
type Options struct {
	Entry          string            // entry point; empty when the module has one only
	Specialization map[uint32]uint64 // SpecId -> bits of the value
	Strings        map[uint32]string // SpecId -> value of an OpSpecConstantStringAMDX
	// Nodes are the known nodes of the graph: see validate.Module.Inputs.
	Nodes []validate.GraphNode
	// Kernel holds what only the launch of a kernel determines.
	Kernel Kernel
	Target Target
}

// Lower compiles one entry point for a machine. Errors name the instruction
// that is not supported, with its place in the module.
func Lower(m *validate.Module, o Options) (*Program, error) {
	return LowerContext(context.Background(), m, o)
}

// LowerContext is Lower that stops with the context's cause when the context ends.
func LowerContext(ctx context.Context, m *validate.Module, o Options) (*Program, error) {
	p, err := lower(ctx, m, o, o.Target.Check)
	if err == nil && o.Target.Check && !slices.ContainsFunc(p.Insts, func(in isa.Inst) bool { return in.Op == isa.CheckWritten }) {
		return lower(ctx, m, o, false) // the same code as in a run that is not checked
	}
	return p, err
}

// lower compiles one entry point; variables: with checks that its variables are written before they are read.
func lower(ctx context.Context, m *validate.Module, o Options, variables bool) (*Program, error) {
	f, err := frontend.Build(m, frontend.Options{
		Entry: o.Entry, Specialization: o.Specialization, Strings: o.Strings, Nodes: o.Nodes, WaveSize: o.Target.WaveSize, Matrix: o.Target.Matrix,
		WithoutHelpers: o.Target.WithoutHelpers, Kernel: o.Kernel, Check: o.Target.Check, CheckVariables: variables,
		Stop: func() error { return context.Cause(ctx) },
	})
	if err != nil {
		return nil, err
	}
	packed := o.Target.PackThreads && pack(f)
	oo := o.Target.Opt
	oo.WaveSize = o.Target.WaveSize
	oo.Stop = func() bool { return ctx.Err() != nil }
	opt.Run(f, oo)
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	if err := frontend.CheckClusters(m, f, oo.WaveSize); err != nil {
		return nil, err
	}
	p, err := emit(ctx, f, &o.Target)
	if err != nil {
		return nil, fmt.Errorf("program: %s: %w", f.Name, err)
	}
	p.Packed, p.Source = packed, sourceOf(m, p.Insts)
	return p, nil
}

// sourceOf returns the source lines of instructions, where the module has their text.
func sourceOf(m *validate.Module, insts []isa.Inst) (list []validate.SourceLine) {
	lines := m.SourceLines()
	for i := range insts {
		if l, ok := lines[insts[i].Line]; ok {
			delete(lines, l.Line)
			list = append(list, l)
		}
	}
	slices.SortFunc(list, func(a, b validate.SourceLine) int { return cmp.Compare(a.Line, b.Line) })
	return list
}

// expand returns the steps of an instruction.
func (t Target) expand(in *isa.Inst) []isa.Class {
	table := t.Expand
	if in.Uniform && in.Op.Has(isa.FlagScalarUnit) {
		table = t.ExpandScalar
	}
	if table == nil {
		return nil
	}
	return table(in.Op, in.T)
}

// wavesOfLDS returns how many waves of a function a SIMD holds, as limited by the LDS.
func (t *Target) wavesOfLDS(f *ir.Func) int {
	if f.LDSBytes == 0 || t.SIMDs == 0 {
		return math.MaxInt
	}
	lanes := int(f.Invocations())
	groups := max(t.LDSBytes/int(f.LDSBytes), 1)
	return (groups*((lanes+t.WaveSize-1)/t.WaveSize) + t.SIMDs - 1) / t.SIMDs
}

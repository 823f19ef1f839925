package frontend

import (
	"fmt"

	"spvsim/internal/lists"
	"spvsim/isa"
	"spvsim/spirv"
	"spvsim/spirv/validate"
)

func chooseEntry(m *validate.Module, name string) (*validate.EntryPoint, error) {
	if name == "" && len(m.EntryPoints) == 1 {
		return &m.EntryPoints[0], nil
	}
	if e := m.EntryPoint(name); e != nil {
		return e, nil
	}
	names := lists.Map(m.EntryPoints, func(e validate.EntryPoint) string { return e.Name })
	return nil, fmt.Errorf("program: %w: found no entry point %q: want one of %q", validate.ErrInvalid, name, names)
}

// modes lists the execution modes that a compute shader may have: those without effect here, and those handled
// elsewhere.
var modes = map[spirv.ExecutionMode]bool{
	spirv.ExecutionModeLocalSize:                     true,
	spirv.ExecutionModeLocalSizeId:                   true,
	spirv.ExecutionModeRoundingModeRTE:               true, // the only supported rounding
	spirv.ExecutionModeDenormPreserve:                true, // nothing is flushed
	spirv.ExecutionModeSignedZeroInfNanPreserve:      true,
	spirv.ExecutionModeFPFastMathDefault:             true, // its other permissions are not used
	spirv.ExecutionModeMaximallyReconvergesKHR:       true,
	spirv.ExecutionModeSubgroupUniformControlFlowKHR: true,
	spirv.ExecutionModeDerivativeGroupQuadsKHR:       true,
	spirv.ExecutionModeDerivativeGroupLinearKHR:      true,
	spirv.ExecutionModeQuadDerivativesKHR:            true, // derivative groups are quads
}

// checkEntry refuses unsupported properties of the entry point.
func (b *builder) checkEntry() {
	e := b.entry
	at := &spirv.Instruction{Op: spirv.OpEntryPoint, Word: e.Word}
	b.in = at
	if e.Model != spirv.ExecutionModelGLCompute && e.Model != spirv.ExecutionModelMeshEXT && !b.isFragment() && !b.isKernel() {
		b.unsupported("entry point %q: execution model %s", e.Name, e.Model)
	}
	if e.Func == 0 || len(b.m.Function(e.Func).Params) > 0 && !b.isKernel() {
		b.invalid("entry point %q has parameters", e.Name)
	}
	for _, m := range e.Modes {
		if !modes[m.Kind] && b.nodes.nodeMode(m.Kind) == nil && !(b.isFragment() && fragmentModes[m.Kind]) && !(b.isKernel() && b.kernelMode(m)) {
			b.in = &spirv.Instruction{Op: spirv.OpExecutionMode, Word: m.Word}
			b.unsupported("execution mode %s", m.Kind)
		}
		b.fastMathDefault(m)
		if m.Kind == spirv.ExecutionModeSignedZeroInfNanPreserve {
			b.f.PreservedWidths |= m.Args[0]
		}
	}
	b.f.MaxReconverge = e.Mode(spirv.ExecutionModeMaximallyReconvergesKHR) != nil
	b.in = at
}

// fastMathDefault records floats whose operations are not fused unless their own decoration allows it
// (SPV_KHR_float_controls2).
func (b *builder) fastMathDefault(m validate.Mode) {
	if m.Kind != spirv.ExecutionModeFPFastMathDefault || len(m.Args) < 2 {
		return
	}
	if contracts(uint32(b.constBits(spirv.ID(m.Args[1])))) {
		return
	}
	if b.strict == nil {
		b.strict = map[isa.Type]bool{}
	}
	b.strict[b.scalar(b.typ(spirv.ID(m.Args[0])))] = true
}

// localSize returns the workgroup's size: the WorkgroupSize constant, otherwise the entry point's LocalSizeId or
// LocalSize.
func (b *builder) localSize() [3]uint32 {
	var size [3]uint32
	if b.isFragment() {
		return [3]uint32{uint32(b.opt.WaveSize), 1, 1}
	}
	if b.isKernel() && b.opt.Kernel.LocalSize != size {
		size = b.opt.Kernel.LocalSize
	} else if id := b.workgroupSizeConstant(); id != 0 {
		b.sized = []spirv.ID{id}
		for i, v := range b.leaves(id)[:3] {
			size[i] = uint32(v.Imm)
		}
	} else if m := b.entry.Mode(spirv.ExecutionModeLocalSizeId); m != nil {
		for i := range size {
			b.sized = append(b.sized, spirv.ID(m.Args[i]))
			size[i] = uint32(b.constBits(spirv.ID(m.Args[i])))
		}
	} else if m := b.entry.Mode(spirv.ExecutionModeLocalSize); m != nil {
		copy(size[:], m.Args)
	} else {
		b.invalid("the entry point has no local size")
	}
	if n := uint64(size[0]) * uint64(size[1]); size[0] > 1<<16 || size[1] > 1<<16 || n == 0 || n*uint64(size[2]) == 0 ||
		n > 1<<16 || n*uint64(size[2]) > 1<<16 {
		b.invalid("local size %d x %d x %d", size[0], size[1], size[2])
	}
	return size
}

func (b *builder) workgroupSizeConstant() spirv.ID {
	for i := range b.m.Raw.Instructions {
		in := &b.m.Raw.Instructions[i]
		if in.Op == spirv.OpFunction {
			break
		}
		if k, ok := b.m.Decoration(in.Result, spirv.DecorationBuiltIn); in.Result == 0 || !ok ||
			spirv.BuiltIn(k) != spirv.BuiltInWorkgroupSize || constantRows[in.Op] == nil {
			continue
		}
		if t := b.m.Type(in.Type); t != nil && t.Kind == validate.KindVector && t.Count == 3 {
			return in.Result
		}
	}
	return 0
}

package frontend

import (
	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/spirv"
	"spvsim/spirv/validate"
)

// constantRows has one row for each instruction that makes a constant.
var constantRows map[spirv.Op]func(b *builder)

func init() {
	constantRows = map[spirv.Op]func(b *builder){
		spirv.OpConstantTrue:          func(b *builder) { b.set(b.truth(true)) },
		spirv.OpConstantFalse:         func(b *builder) { b.set(b.truth(false)) },
		spirv.OpSpecConstantTrue:      func(b *builder) { b.specTruth(true) },
		spirv.OpSpecConstantFalse:     func(b *builder) { b.specTruth(false) },
		spirv.OpConstant:              func(b *builder) { b.set(b.cnst(b.comp(b.resultType()), b.literal())) },
		spirv.OpSpecConstant:          (*builder).specConstant,
		spirv.OpConstantComposite:     (*builder).compositeConstruct,
		spirv.OpSpecConstantComposite: (*builder).compositeConstruct,
		spirv.OpConstantNull:          (*builder).null,
		spirv.OpSpecConstantOp:        (*builder).specConstantOp,
		spirv.OpUndef:                 (*builder).undefined,
	}
}

// constant evaluates the module's constant with an id when it is first used.
func (b *builder) constant(id spirv.ID) bool {
	def := b.m.Def(id)
	if def == nil || constantRows[def.Op] == nil {
		return false
	}
	in, line, blk, fr := b.in, b.line, b.blk, b.fr
	b.in, b.line, b.blk, b.fr = def, 0, &ir.Block{}, nil
	if b.pending[id] {
		b.invalid("the constant depends on itself")
	}
	b.pending[id] = true
	constantRows[def.Op](b)
	delete(b.pending, id)
	b.in, b.line, b.blk, b.fr = in, line, blk, fr
	return true
}

// literal reads the current instruction's literal as bits.
func (b *builder) literal() uint64 {
	bits := uint64(b.arg(0))
	if len(b.in.Operands) > 1 {
		bits |= uint64(b.arg(1)) << 32
	}
	return bits
}

func (b *builder) special() (uint64, bool) {
	id, ok := b.m.Decoration(b.in.Result, spirv.DecorationSpecId)
	if !ok {
		return 0, false
	}
	bits, ok := b.opt.Specialization[id]
	return bits, ok
}

func (b *builder) specConstant() {
	bits, ok := b.special()
	if !ok {
		bits = b.literal()
	}
	b.set(b.cnst(b.comp(b.resultType()), bits))
}

func (b *builder) specTruth(x bool) {
	if bits, ok := b.special(); ok {
		x = bits != 0
	}
	b.set(b.truth(x))
}

// null gives the leaves of a zero value.
func (b *builder) null() {
	t := b.resultType()
	b.leafTypes(t) // the types are supported, and not too large
	b.set(b.nullLeaves(t)...)
}

// nullOffset is that of a null pointer to a buffer or to LDS: byte 0 is a place
// that other pointers point to, and no access to the last byte of 32 bits of
// address is in bounds.
const nullOffset = 1<<32 - 1

func (b *builder) nullLeaves(t *validate.Type) (out []*ir.Value) {
	switch t.Kind {
	case validate.KindVector, validate.KindMatrix, validate.KindArray:
		one := b.nullLeaves(t.Elem)
		for range b.count(t) {
			out = append(out, one...)
		}
		return out
	case validate.KindStruct:
		for _, m := range t.Members {
			out = append(out, b.nullLeaves(m)...)
		}
		return out
	}
	types := b.leafTypes(t)
	for _, l := range types {
		out = append(out, b.cnst(l, 0))
	}
	if last := len(types) - 1; t.Kind == validate.KindPointer && types[last] == isa.I32 {
		out[last] = b.cnst(isa.I32, nullOffset)
	}
	return out
}

func (b *builder) undefined() {
	types := b.leafTypes(b.resultType())
	out := make([]*ir.Value, len(types))
	for i, t := range types {
		out[i] = b.undef(t)
	}
	b.set(out...)
}

// specConstantOp translates the operation as if it stood in a function, and
// evaluates what comes out.
func (b *builder) specConstantOp() {
	outer := b.in
	op := spirv.Op(outer.Operands[0])
	row, ok := rows[op]
	if !ok || !row.constant {
		b.unsupported("operation %s on specialization constants", op)
	}
	b.in = &spirv.Instruction{Op: op, Type: outer.Type, Result: outer.Result, Operands: outer.Operands[1:], Word: outer.Word}
	row.do(b)
	b.in = outer
	v := b.globals[outer.Result]
	leaves := make([]*ir.Value, len(v.leaves))
	for i, leaf := range v.leaves {
		leaves[i] = b.fold(leaf)
	}
	b.globals[outer.Result] = val{leaves: leaves}
}

// fold evaluates a value whose sources are all constants. Undefined ones are
// zero.
func (b *builder) fold(v *ir.Value) *ir.Value {
	switch v.Op {
	case isa.Const:
		return v
	case isa.Undef:
		return b.cnst(v.R, 0)
	}
	if v.Mem != nil || len(v.Args) == 0 {
		b.invalid("the operation is not constant")
	}
	var args [4]uint64
	for i, a := range v.Args {
		args[i] = b.fold(a).Imm
	}
	return b.cnst(v.R, isa.Eval(v.Op, v.T, v.From, v.Imm, args[:len(v.Args)]...))
}

// localSize is the workgroup's size: the WorkgroupSize constant, else the
// entry point's LocalSizeId or LocalSize.
func (b *builder) localSize() [3]uint32 {
	var size [3]uint32
	if b.isFragment() {
		return [3]uint32{uint32(b.opt.WaveSize), 1, 1}
	}
	if id := b.workgroupSizeConstant(); id != 0 {
		for i, v := range b.leaves(id)[:3] {
			size[i] = uint32(v.Imm)
		}
	} else if m := b.entry.Mode(spirv.ExecutionModeLocalSizeId); m != nil {
		for i := range size {
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

// modes lists the execution modes that a compute shader may have here: those
// that ask for nothing beyond what happens anyway, and those handled elsewhere.
var modes = map[spirv.ExecutionMode]bool{
	spirv.ExecutionModeLocalSize:                     true,
	spirv.ExecutionModeLocalSizeId:                   true,
	spirv.ExecutionModeRoundingModeRTE:               true, // the only rounding there is
	spirv.ExecutionModeDenormPreserve:                true, // nothing is flushed
	spirv.ExecutionModeSignedZeroInfNanPreserve:      true,
	spirv.ExecutionModeMaximallyReconvergesKHR:       true,
	spirv.ExecutionModeSubgroupUniformControlFlowKHR: true,
	spirv.ExecutionModeDerivativeGroupQuadsKHR:       true,
	spirv.ExecutionModeDerivativeGroupLinearKHR:      true,
	spirv.ExecutionModeQuadDerivativesKHR:            true, // derivative groups are quads
}

// checkEntry refuses what the entry point asks for and does not get.
func (b *builder) checkEntry() {
	e := b.entry
	at := &spirv.Instruction{Op: spirv.OpEntryPoint, Word: e.Word}
	b.in = at
	if e.Model != spirv.ExecutionModelGLCompute && e.Model != spirv.ExecutionModelMeshEXT && !b.isFragment() {
		b.unsupported("entry point %q: execution model %s", e.Name, e.Model)
	}
	if e.Func == 0 || len(b.m.Function(e.Func).Params) > 0 {
		b.invalid("entry point %q has parameters", e.Name)
	}
	for _, m := range e.Modes {
		if !modes[m.Kind] && b.nodeMode(m.Kind) == nil && !(b.isFragment() && fragmentModes[m.Kind]) {
			b.in = &spirv.Instruction{Op: spirv.OpExecutionMode, Word: m.Word}
			b.unsupported("execution mode %s", m.Kind)
		}
	}
	b.f.MaxReconverge = e.Mode(spirv.ExecutionModeMaximallyReconvergesKHR) != nil
	b.in = at
}

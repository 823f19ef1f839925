package frontend

import (
	"spvsim/internal/lists"
	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/spirv"
	"spvsim/spirv/validate"
)

// constantRows has a row for each instruction that makes a constant.
var constantRows map[spirv.Op]func(b *values)

func init() {
	constantRows = map[spirv.Op]func(b *values){
		spirv.OpConstantTrue:                      func(b *values) { b.set(b.truth(true)) },
		spirv.OpConstantFalse:                     func(b *values) { b.set(b.truth(false)) },
		spirv.OpSpecConstantTrue:                  func(b *values) { b.specTruth(true) },
		spirv.OpSpecConstantFalse:                 func(b *values) { b.specTruth(false) },
		spirv.OpConstant:                          func(b *values) { b.set(b.constant(b.comp(b.resultType()), b.literal())) },
		spirv.OpSpecConstant:                      (*values).specConstant,
		spirv.OpConstantComposite:                 (*values).compositeConstruct,
		spirv.OpSpecConstantComposite:             (*values).compositeConstruct,
		spirv.OpConstantCompositeReplicateEXT:     (*values).replicate,
		spirv.OpSpecConstantCompositeReplicateEXT: (*values).replicate,
		spirv.OpConstantNull:                      (*values).null,
		spirv.OpSpecConstantOp:                    (*values).specConstantOp,
		spirv.OpUndef:                             (*values).undefined,
		spirv.OpConstantSampler: func(b *values) {
			p := b.constantSampler(b.in.Result)
			b.define(val{ptr: &p})
		},
	}
}

// globalConstant evaluates the module's constant with an id on its first use.
func (b *values) globalConstant(id spirv.ID) bool {
	def := b.m.Def(id)
	if def == nil || constantRows[def.Op] == nil {
		return false
	}
	in, line, blk, scope := b.in, b.line, b.blk, b.scope
	apart := &ir.Block{}
	b.in, b.line, b.blk, b.scope = def, 0, apart, nil
	if b.pending[id] {
		b.invalid("the constant depends on itself")
	}
	b.pending[id] = true
	constantRows[def.Op](b)
	delete(b.pending, id)
	b.in, b.line, b.blk, b.scope = in, line, blk, scope
	if b.isKernel() { // addresses are computed
		start := b.f.Blocks[0]
		for _, v := range apart.Code {
			v.Block = start
		}
		start.Code = append(start.Code, apart.Code...)
	}
	return true
}

// literal reads the current instruction's literal as bits.
func (b *values) literal() uint64 {
	bits := uint64(b.arg(0))
	if len(b.in.Operands) > 1 {
		bits |= uint64(b.arg(1)) << 32
	}
	return bits
}

func (b *values) special() (uint64, bool) {
	id, ok := b.m.Decoration(b.in.Result, spirv.DecorationSpecId)
	if !ok {
		return 0, false
	}
	bits, ok := b.opt.Specialization[id]
	return bits, ok
}

func (b *values) specConstant() {
	bits, ok := b.special()
	if !ok {
		bits = b.literal()
	}
	b.set(b.constant(b.comp(b.resultType()), bits))
}

func (b *values) specTruth(x bool) {
	if bits, ok := b.special(); ok {
		x = bits != 0
	}
	b.set(b.truth(x))
}

// null sets the result to the leaves of a zero value.
func (b *values) null() {
	t := b.resultType()
	b.leafTypes(t) // the types are supported, and not too large
	b.set(b.nullLeaves(t)...)
}

// nullOffset is the offset of a null pointer to a buffer or to LDS. Byte 0 is a valid target of other pointers, whereas
// no access at the last byte of a 32-bit address space is in bounds.
const nullOffset = 1<<32 - 1

func (b *values) nullLeaves(t *validate.Type) (out []*ir.Value) {
	if len(b.leafTypes(t)) == 0 {
		return nil // however many parts it has of nothing
	}
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
		out = append(out, b.constant(l, 0))
	}
	if last := len(types) - 1; t.Kind == validate.KindPointer && types[last] == isa.I32 && t.Storage != spirv.StorageClassCrossWorkgroup && t.Storage != spirv.StorageClassUniformConstant {
		out[last] = b.constant(isa.I32, nullOffset)
	}
	return out
}

func (b *values) undefined() {
	types := b.leafTypes(b.resultType())
	out := lists.Map(types, b.undef)
	b.set(out...)
}

// specConstantOp translates the operation as in a function, and evaluates the result.
func (b *values) specConstantOp() {
	outer := b.in
	op := spirv.Op(outer.Operands[0])
	do := b.operation(op)
	if do == nil {
		b.unsupported("operation %s on specialization constants", op)
	}
	b.in = &spirv.Instruction{Op: op, Type: outer.Type, Result: outer.Result, Operands: outer.Operands[1:], Word: outer.Word}
	do()
	b.in = outer
	v := b.globals[outer.Result]
	if b.isKernel() && len(b.in.Operands) > 1 && (v.ptr != nil || b.m.TypeOf(b.arg(1)).Kind == validate.KindPointer) {
		return // an address
	}
	leaves := lists.Map(v.leaves, b.fold)
	b.globals[outer.Result] = val{leaves: leaves}
}

// fold evaluates a value whose sources are all constants. Undefined ones count as zero.
func (b *values) fold(v *ir.Value) *ir.Value {
	switch v.Op {
	case isa.Const:
		return v
	case isa.Undef:
		return b.constant(v.R, 0)
	}
	if v.Mem != nil || len(v.Args) == 0 {
		b.invalid("the operation is not constant")
	}
	var args [4]uint64
	for i, a := range v.Args {
		args[i] = b.fold(a).Imm
	}
	return b.constant(v.R, isa.Eval(v.Op, v.T, v.From, v.Imm, args[:len(v.Args)]...))
}

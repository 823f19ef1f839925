package frontend

import (
	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/program/opencl"
	"spvsim/spirv"
	"spvsim/spirv/validate"
)

const openCLSet = "OpenCL.std"

// openCL carries out an instruction of OpenCL.std: its operands are values, or pointers to which further results are
// stored.
func (b *builder) openCL() {
	op := spirv.OpenCLstd(b.arg(1))
	if do := openCLMemory[op]; do != nil {
		do(b)
		return
	}
	row := opencl.Rows[op]
	if row == nil {
		b.unsupported("%s of OpenCL.std", op)
	}
	call := opencl.Call{Emitter: openCLEmitter{b}}
	if t := b.resultType(); t.Kind != validate.KindVoid {
		call.Result = b.comp(t)
	}
	var targets []pointer
	for i := 2; i < len(b.in.Operands); i++ {
		id := b.arg(i)
		if b.typeOf(id).Kind != validate.KindPointer {
			call.Args = append(call.Args, b.leaves(id))
		} else if row.Pointers > len(targets) {
			targets = append(targets, b.anyPtr(id))
		}
	}
	if len(targets) != row.Pointers {
		b.invalid("%d pointers as operands: want %d", len(targets), row.Pointers)
	}
	results, err := row.Emit(call)
	if err != nil {
		b.invalid("%s: %v", op, err)
	}
	if len(results) == 0 {
		return
	}
	for i, p := range targets {
		if n := len(b.leafTypes(p.typ)); n != len(results[1+i]) {
			b.invalid("%s: %d scalars stored to a type of %d", op, len(results[1+i]), n)
		}
		b.storeLeaves(p, results[1+i])
	}
	b.set(results[0]...)
}

// openCLEmitter appends operations to the current block.
type openCLEmitter struct{ b *builder }

func (e openCLEmitter) Emit(op isa.Op, t, from isa.Type, imm uint64, args ...*ir.Value) *ir.Value {
	v := e.b.emit(op, t, isa.ResultType(op, t, from), args...)
	v.From, v.Imm = from, imm
	return v
}

func (e openCLEmitter) Constant(t isa.Type, bits uint64) *ir.Value { return e.b.constant(t, bits) }

func (e openCLEmitter) IfElse(is *ir.Value, yes, no func() []*ir.Value) []*ir.Value {
	b, from, after := e.b, e.b.blk, e.b.newBlock()
	from.Merge = after
	side := func(compute func() []*ir.Value) (*ir.Block, []*ir.Value) {
		first := b.newBlock()
		first.Line, b.blk = b.line, first
		values := compute()
		b.blk.SetSuccs(ir.Jump, nil, after)
		return first, values
	}
	first, x := side(yes)
	second, y := side(no)
	from.SetSuccs(ir.Cond, is, first, second)
	after.Line, b.blk = b.line, after
	for i := range x {
		phi := b.phi(after, x[i].R)
		phi.Args = []*ir.Value{x[i], y[i]}
		x[i] = phi
	}
	return x
}

package frontend

import (
	"spvsim/internal/lists"
	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/spirv"
	"spvsim/spirv/validate"
)

func controlRows() map[spirv.Op]row[*builder] {
	return map[spirv.Op]row[*builder]{
		spirv.OpNop:                 {translate: noOp},
		spirv.OpLine:                {translate: noOp},
		spirv.OpNoLine:              {translate: noOp},
		spirv.OpPhi:                 {translate: (*builder).startPhi},
		spirv.OpSelectionMerge:      {translate: (*builder).selectionMerge},
		spirv.OpLoopMerge:           {translate: (*builder).loopMerge},
		spirv.OpBranch:              {translate: (*builder).branch},
		spirv.OpBranchConditional:   {translate: (*builder).branchConditional},
		spirv.OpSwitch:              {translate: (*builder).switchTo, splits: true},
		spirv.OpReturn:              {translate: (*builder).ret},
		spirv.OpReturnValue:         {translate: (*builder).retValue},
		spirv.OpUnreachable:         {translate: func(b *builder) { b.end(ir.Unreachable, nil) }},
		spirv.OpFunctionCall:        {translate: (*builder).call, splits: true},
		spirv.OpExtInst:             {translate: (*builder).extInst, constant: true},
		spirv.OpKill:                {translate: (*builder).kill},
		spirv.OpTerminateInvocation: {translate: (*builder).kill},
	}
}

func noOp(*builder) {}

func (b *builder) startPhi() {
	fr := b.fr
	types := b.leafTypes(b.resultType())
	values := lists.Map(types, func(t isa.Type) *ir.Value { return b.phi(b.blk, t) })
	fr.phis = append(fr.phis, pendingPhi{b.in, b.blk, values})
	b.define(val{leaves: values})
}

// A pendingPhi waits for the values of its predecessors.
type pendingPhi struct {
	in     *spirv.Instruction
	block  *ir.Block
	values []*ir.Value
}

// fillPhi sets the arguments of a phi, after all blocks were translated.
func (b *builder) fillPhi(p pendingPhi) {
	b.in = p.in
	from := map[spirv.ID]spirv.ID{}
	for i := 0; i+1 < len(p.in.Operands); i += 2 {
		from[spirv.ID(p.in.Operands[i+1])] = spirv.ID(p.in.Operands[i])
	}
	for _, pred := range p.block.Preds {
		label := b.fr.origin[pred]
		id := from[label]
		if id == 0 {
			b.invalid("no value for predecessor %%%d", label)
		}
		b.blk = pred
		leaves := b.leaves(id)
		if len(leaves) != len(p.values) {
			b.invalid("%%%d has %d scalars, the result %d", id, len(leaves), len(p.values))
		}
		for i, v := range p.values {
			v.Args = append(v.Args, b.coerce(leaves[i], v.R))
		}
	}
}

// end ends the current block.
func (b *builder) end(term ir.TermKind, cond *ir.Value, succs ...*ir.Block) {
	b.fr.origin[b.blk] = b.fr.cur.ID
	b.blk.SetSuccs(term, cond, succs...)
}

// target returns the block of a label.
func (b *builder) target(id spirv.ID) *ir.Block {
	blk := b.fr.blocks[id]
	if blk == nil {
		b.invalid("%%%d is not a block of the function", id)
	}
	return blk
}

// selectionMerge and loopMerge mark the header.
func (b *builder) selectionMerge() { b.blk.Merge = b.target(b.arg(0)) }

func (b *builder) loopMerge() {
	header := b.fr.blocks[b.fr.cur.ID]
	header.Merge, header.Continue = b.target(b.arg(0)), b.target(b.arg(1))
	control := spirv.LoopControl(b.arg(2))
	switch {
	case control&spirv.LoopControlUnroll != 0:
		header.Unroll = 1
	case control&spirv.LoopControlDontUnroll != 0:
		header.Unroll = 2
	}
}

func (b *builder) branch() { b.end(ir.Jump, nil, b.target(b.arg(0))) }

func (b *builder) branchConditional() {
	cond, yes, no := b.scalarOf(b.arg(0)), b.target(b.arg(1)), b.target(b.arg(2))
	if cond.R != isa.Bool {
		b.invalid("condition %%%d is not a boolean", b.arg(0))
	}
	if yes == no {
		b.end(ir.Jump, nil, yes)
		return
	}
	b.end(ir.Cond, cond, yes, no)
}

type switchCase struct {
	bits  uint64
	label spirv.ID
}

// switchCases reads the current OpSwitch.
func (b *builder) switchCases() (cases []switchCase, other spirv.ID) {
	t := b.typeOf(b.arg(0))
	if t.Kind != validate.KindInt {
		b.invalid("selector %%%d is not an integer", b.arg(0))
	}
	words := (t.Width + 31) / 32
	for i := 2; i+words < len(b.in.Operands); i += words + 1 {
		bits := uint64(b.in.Operands[i])
		if words == 2 {
			bits |= uint64(b.in.Operands[i+1]) << 32
		}
		cases = append(cases, switchCase{bits & b.scalar(t).Mask(), b.arg(i + words)})
	}
	return cases, b.arg(1)
}

// switchTo becomes a chain of compares, one for each target: its literals
// joined. The first block carries the merge.
func (b *builder) switchTo() {
	sel := b.scalarOf(b.arg(0))
	cases, other := b.switchCases()
	done := map[spirv.ID]bool{other: true}
	var order []spirv.ID
	for _, c := range cases {
		if !done[c.label] {
			done[c.label], order = true, append(order, c.label)
		}
	}
	for i, label := range order {
		next := b.target(other)
		if i+1 < len(order) {
			next = b.newBlock()
			next.Line = b.line
		}
		b.end(ir.Cond, b.anyCase(sel, cases, label), b.target(label), next)
		b.blk = next
	}
	if len(order) == 0 {
		b.end(ir.Jump, nil, b.target(other))
	}
}

func (b *builder) anyCase(sel *ir.Value, cases []switchCase, label spirv.ID) *ir.Value {
	var any *ir.Value
	for _, c := range cases {
		if c.label != label {
			continue
		}
		is := b.compare(isa.IEq, sel.R, sel, b.constant(sel.R, c.bits))
		if any != nil {
			is = b.op(isa.Or, isa.Bool, any, is)
		}
		any = is
	}
	return any
}

func (b *builder) ret() {
	if b.fr.cont == nil {
		b.end(ir.Return, nil)
		return
	}
	b.fr.rets = append(b.fr.rets, retSite{block: b.blk})
	b.end(ir.Jump, nil, b.fr.cont)
}

func (b *builder) retValue() {
	if b.fr.cont == nil {
		b.invalid("the entry point returns a value")
	}
	v := b.val(b.arg(0))
	if v.ptr != nil && b.returns() > 1 {
		v = val{leaves: b.leavesOf(v)}
	}
	if v.ptr == nil && len(v.leaves) != len(b.leafTypes(b.typ(b.fr.fn.Def.Type))) {
		b.invalid("%%%d is not of the function's type", b.arg(0))
	}
	b.fr.rets = append(b.fr.rets, retSite{b.blk, v})
	b.end(ir.Jump, nil, b.fr.cont)
}

// returns counts the returns of the current function.
func (b *builder) returns() int {
	n := 0
	for _, blk := range b.fr.fn.Blocks {
		if blk.Terminator().Op == spirv.OpReturnValue {
			n++
		}
	}
	return n
}

// kill ends the invocation, past the exports.
func (b *builder) kill() {
	b.needFragment()
	b.f.Fragment.Discards = true
	b.end(ir.Return, nil)
}

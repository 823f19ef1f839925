package frontend

import (
	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/spirv"
	"spvsim/spirv/validate"
)

// A frame is one function while it is inlined.
type frame struct {
	parent *frame
	depth  int
	fn     *validate.Function
	cur    *validate.Block

	vals   map[spirv.ID]val
	blocks map[spirv.ID]*ir.Block // the first block of each label
	// origin is the label whose code a block that branches away belongs to, by
	// which phis find their arguments.
	origin map[*ir.Block]spirv.ID
	phis   []pendingPhi
	rets   []retSite
	cont   *ir.Block // where returns go; nil in the entry point
}

// A pendingPhi waits for the values of its predecessors.
type pendingPhi struct {
	in     *spirv.Instruction
	block  *ir.Block
	values []*ir.Value
}

type retSite struct {
	block *ir.Block
	v     val
}

func (b *builder) inlineEntry(fn *validate.Function) {
	if b.isFragment() {
		b.inlineFragment(fn)
		return
	}
	b.push(fn, nil)
	b.body()
	b.enter(nil)
}

// push makes a frame and its blocks: those that control can reach, and the
// merge and continue targets that headers name.
func (b *builder) push(fn *validate.Function, args []val) {
	fr := &frame{
		parent: b.fr, fn: fn, vals: map[spirv.ID]val{},
		blocks: map[spirv.ID]*ir.Block{}, origin: map[*ir.Block]spirv.ID{},
	}
	if b.fr != nil {
		fr.depth = b.fr.depth + 1
	}
	for i, a := range args {
		fr.vals[fn.Params[i].Result] = a
	}
	b.enter(fr)
}

// enter makes a frame the current one; nil leaves the functions.
func (b *builder) enter(fr *frame) {
	b.fr, b.scope = fr, nil
	if fr != nil {
		b.scope = fr.vals
	}
}

// call carries out OpFunctionCall by inlining the function.
func (b *builder) call() {
	fn := b.m.Function(b.arg(0))
	if fn == nil {
		b.invalid("%%%d is no function", b.arg(0))
	}
	args := make([]val, len(fn.Params))
	if len(b.in.Operands) != 1+len(args) {
		b.invalid("%d arguments for %d parameters", len(b.in.Operands)-1, len(args))
	}
	for i := range args {
		args[i] = b.val(b.arg(i + 1))
	}
	v := b.inline(fn, args)
	if b.resultType().Kind != validate.KindVoid {
		b.define(v)
	}
}

func (b *builder) inline(fn *validate.Function, args []val) val {
	for fr := b.fr; fr != nil; fr = fr.parent {
		if fr.fn == fn {
			b.invalid("recursion: %%%d calls itself", fn.ID)
		}
	}
	if b.fr.depth >= maxDepth {
		b.unsupported("calls nested deeper than %d", maxDepth)
	}
	if len(fn.Blocks) == 0 {
		b.unsupported("%%%d is imported: it has no body", fn.ID)
	}
	in, line, from := b.in, b.line, b.blk
	b.push(fn, args)
	fr := b.fr
	fr.cont = b.newBlock()
	fr.cont.Line = line
	b.body()
	b.enter(fr.parent)
	b.in, b.line = in, line
	v := b.returned(fr, from)
	b.blk = fr.cont
	return v
}

// returned joins the values of a function's returns. Several returns, or one
// that may stand in a loop, make the call a construct of its own: lanes
// reconverge behind it.
func (b *builder) returned(fr *frame, from *ir.Block) val {
	if len(fr.rets) == 0 {
		types := b.leafTypes(b.typ(fr.fn.Def.Type))
		out := make([]*ir.Value, len(types))
		for i, t := range types {
			out[i] = b.undef(t)
		}
		return val{leaves: out}
	}
	if len(fr.rets) > 1 || hasLoop(fr.fn) {
		from.Merge = fr.cont
	}
	if len(fr.rets) == 1 {
		return fr.rets[0].v
	}
	types := b.leafTypes(b.typ(fr.fn.Def.Type))
	phis := make([]*ir.Value, len(types))
	for i, t := range types {
		phis[i] = b.phi(fr.cont, t)
	}
	for _, r := range fr.rets {
		b.blk = r.block
		for i := range phis {
			phis[i].Args = append(phis[i].Args, b.coerce(r.v.leaves[i], phis[i].R))
		}
	}
	return val{leaves: phis}
}

func hasLoop(fn *validate.Function) bool {
	for _, blk := range fn.Blocks {
		if m := blk.Merge(); m != nil && m.Op == spirv.OpLoopMerge {
			return true
		}
	}
	return false
}

func (b *builder) newBlock() *ir.Block {
	if b.f.NumBlocks() >= maxBlocks {
		b.unsupported("the inlined function has more than %d blocks", maxBlocks)
	}
	return b.f.NewBlock()
}

func (b *builder) phi(blk *ir.Block, t isa.Type) *ir.Value {
	v := b.make(isa.Phi, t, t)
	v.Block = blk
	blk.Phis = append(blk.Phis, v)
	return v
}

// body translates the blocks of the current frame, which starts where b.blk
// ends.
func (b *builder) body() {
	fr := b.fr
	fn := fr.fn
	reach := b.reachable(fn)
	for _, blk := range fn.Blocks {
		fr.blocks[blk.ID] = b.newBlock()
	}
	b.blk.SetSuccs(ir.Jump, nil, fr.blocks[fn.Blocks[0].ID])
	for _, blk := range fn.Blocks {
		if reach[blk.ID] {
			b.block(blk)
		} else {
			fr.blocks[blk.ID].Term = ir.Unreachable
		}
	}
	for _, p := range fr.phis {
		b.fillPhi(p)
	}
}

// reachable finds the blocks that control can reach.
func (b *builder) reachable(fn *validate.Function) map[spirv.ID]bool {
	reach := map[spirv.ID]bool{fn.Blocks[0].ID: true}
	for queue := []*validate.Block{fn.Blocks[0]}; len(queue) > 0; queue = queue[1:] {
		for _, id := range b.successors(queue[0]) {
			blk := fn.Block(id)
			if blk == nil {
				b.in = queue[0].Terminator()
				b.invalid("%%%d is no block of the function", id)
			}
			if !reach[id] {
				reach[id], queue = true, append(queue, blk)
			}
		}
	}
	return reach
}

// successors lists the labels of a block's terminator.
func (b *builder) successors(blk *validate.Block) []spirv.ID {
	t := blk.Terminator()
	switch t.Op {
	case spirv.OpBranch:
		return []spirv.ID{spirv.ID(t.Operands[0])}
	case spirv.OpBranchConditional:
		return []spirv.ID{spirv.ID(t.Operands[1]), spirv.ID(t.Operands[2])}
	case spirv.OpSwitch:
		b.in = t
		cases, other := b.switchCases()
		ids := []spirv.ID{other}
		for _, c := range cases {
			ids = append(ids, c.label)
		}
		return ids
	}
	return nil
}

func (b *builder) block(blk *validate.Block) {
	fr := b.fr
	fr.cur, b.blk = blk, fr.blocks[blk.ID]
	b.blk.Line = b.m.Lines[blk.First]
	split := blk.Merge() != nil && blk.Merge().Op == spirv.OpLoopMerge && splits(blk)
	for i := range blk.Code {
		b.in, b.line = &blk.Code[i], b.m.Lines[blk.First+i]
		if split && b.in.Op != spirv.OpPhi && !transparent[b.in.Op] {
			b.splitHeader()
			split = false
		}
		b.instruction()
	}
}

// transparent instructions may stand among the phis.
var transparent = map[spirv.Op]bool{spirv.OpLine: true, spirv.OpNoLine: true, spirv.OpExtInst: true}

// splits reports code that becomes more than one block. Such code can't stay
// in a loop's header, which must be the one block that back edges go to and
// that carries the loop's merge.
func splits(blk *validate.Block) bool {
	for i := range blk.Code {
		if rows[blk.Code[i].Op].splits {
			return true
		}
	}
	return false
}

// splitHeader ends a loop header after its phis.
func (b *builder) splitHeader() {
	next := b.newBlock()
	next.Line = b.line
	b.blk.SetSuccs(ir.Jump, nil, next)
	b.blk = next
}

// instruction translates the current instruction.
func (b *builder) instruction() {
	row, ok := rows[b.in.Op]
	if !ok {
		b.unsupported("no lowering for this operation in a %s shader", b.shaderName())
	}
	row.do(b)
}

// constantOperation is what carries out an opcode within OpSpecConstantOp.
func (b *builder) constantOperation(op spirv.Op) func() {
	if r := rows[op]; r.constant {
		return func() { r.do(b) }
	}
	return nil
}

func (b *builder) startPhi() {
	fr := b.fr
	types := b.leafTypes(b.resultType())
	values := make([]*ir.Value, len(types))
	for i, t := range types {
		values[i] = b.phi(b.blk, t)
	}
	fr.phis = append(fr.phis, pendingPhi{b.in, b.blk, values})
	b.define(val{leaves: values})
}

// fillPhi gives a phi its arguments, once all blocks are there.
func (b *builder) fillPhi(p pendingPhi) {
	b.in = p.in
	for _, pred := range p.block.Preds {
		label := b.fr.origin[pred]
		id := spirv.ID(0)
		for i := 0; i+1 < len(p.in.Operands); i += 2 {
			if spirv.ID(p.in.Operands[i+1]) == label {
				id = spirv.ID(p.in.Operands[i])
			}
		}
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

// target is the block of a label.
func (b *builder) target(id spirv.ID) *ir.Block {
	blk := b.fr.blocks[id]
	if blk == nil {
		b.invalid("%%%d is no block of the function", id)
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
	cond, yes, no := b.leaf(b.arg(0)), b.target(b.arg(1)), b.target(b.arg(2))
	if cond.R != isa.Bool {
		b.invalid("condition %%%d is no boolean", b.arg(0))
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
		b.invalid("selector %%%d is no integer", b.arg(0))
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
	sel := b.leaf(b.arg(0))
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
		is := b.cmp(isa.IEq, sel.R, sel, b.cnst(sel.R, c.bits))
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

// prune removes the blocks that control can't reach, with their edges. Those
// that are named as a merge or continue target stay, empty.
func prune(f *ir.Func) {
	live := map[*ir.Block]bool{f.Blocks[0]: true}
	order := []*ir.Block{f.Blocks[0]}
	for i := 0; i < len(order); i++ {
		for _, s := range order[i].Succs {
			if !live[s] {
				live[s], order = true, append(order, s)
			}
		}
	}
	named := map[*ir.Block]bool{}
	for _, blk := range order {
		named[blk.Merge], named[blk.Continue] = true, true
		dropPreds(blk, live)
	}
	kept := f.Blocks[:0]
	for _, blk := range f.Blocks {
		if !live[blk] && !named[blk] {
			continue
		}
		if !live[blk] {
			*blk = ir.Block{ID: blk.ID, Term: ir.Unreachable, Line: blk.Line}
		}
		kept = append(kept, blk)
	}
	f.Blocks = kept
}

// dropPreds removes the predecessors that are not live, and their phi
// arguments.
func dropPreds(blk *ir.Block, live map[*ir.Block]bool) {
	n := 0
	for i, p := range blk.Preds {
		if !live[p] {
			continue
		}
		blk.Preds[n] = p
		for _, phi := range blk.Phis {
			phi.Args[n] = phi.Args[i]
		}
		n++
	}
	blk.Preds = blk.Preds[:n]
	for _, phi := range blk.Phis {
		phi.Args = phi.Args[:n]
	}
}

func nothing(*builder) {}

func controlRows() map[spirv.Op]row[*builder] {
	return map[spirv.Op]row[*builder]{
		spirv.OpNop:                 {do: nothing},
		spirv.OpLine:                {do: nothing},
		spirv.OpNoLine:              {do: nothing},
		spirv.OpPhi:                 {do: (*builder).startPhi},
		spirv.OpSelectionMerge:      {do: (*builder).selectionMerge},
		spirv.OpLoopMerge:           {do: (*builder).loopMerge},
		spirv.OpBranch:              {do: (*builder).branch},
		spirv.OpBranchConditional:   {do: (*builder).branchConditional},
		spirv.OpSwitch:              {do: (*builder).switchTo, splits: true},
		spirv.OpReturn:              {do: (*builder).ret},
		spirv.OpReturnValue:         {do: (*builder).retValue},
		spirv.OpUnreachable:         {do: func(b *builder) { b.end(ir.Unreachable, nil) }},
		spirv.OpFunctionCall:        {do: (*builder).call, splits: true},
		spirv.OpExtInst:             {do: (*builder).extInst, constant: true},
		spirv.OpKill:                {do: (*builder).kill},
		spirv.OpTerminateInvocation: {do: (*builder).kill},
	}
}

// kill ends the invocation, past the exports.
func (b *builder) kill() {
	b.needFragment()
	b.f.Fragment.Discards = true
	b.end(ir.Return, nil)
}

// inlineFragment translates the entry point as a call, so that all its returns
// meet before the outputs are exported.
func (b *builder) inlineFragment(fn *validate.Function) {
	from := b.blk
	b.push(fn, nil)
	fr := b.fr
	fr.cont = b.newBlock()
	b.body()
	b.returned(fr, from)
	b.enter(nil)
	b.blk, b.in = fr.cont, nil
	b.fragments.exportAll()
	b.blk.SetSuccs(ir.Return, nil)
}

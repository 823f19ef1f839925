package frontend

import (
	"slices"

	"spvsim/internal/lists"
	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/spirv"
	"spvsim/spirv/validate"
)

// A frame is a function while it is inlined.
type frame struct {
	parent    *frame
	depth     int
	enclosing int // depth of constructs around the call and its callers
	fn        *validate.Function
	cur       *validate.Block

	vals   map[spirv.ID]val
	blocks map[spirv.ID]*ir.Block // the first block of each label
	// origin maps a block that branches away to the label whose code it belongs to, by which phis find their arguments.
	origin map[*ir.Block]spirv.ID
	phis   []pendingPhi
	rets   []retSite
	cont   *ir.Block // target of returns; nil in the entry point
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
	var args []val
	if b.isKernel() {
		args = b.kernelArguments(fn)
		b.endOutside()
	}
	b.push(fn, args)
	b.body()
	b.setFrame(nil)
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
	b.setFrame(nil)
	b.blk, b.in = fr.cont, nil
	b.fragments.exportAll()
	b.blk.SetSuccs(ir.Return, nil)
}

// push makes a frame and its blocks: those that control can reach, and the merge and continue targets that headers
// name.
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
	b.setFrame(fr)
}

// setFrame makes a frame the current one; nil leaves the functions.
func (b *builder) setFrame(fr *frame) {
	b.fr, b.scope = fr, nil
	if fr != nil {
		b.scope = fr.vals
	}
}

// call carries out OpFunctionCall by inlining the function.
func (b *builder) call() {
	fn := b.m.Function(b.arg(0))
	if fn == nil {
		b.invalid("%%%d is not a function", b.arg(0))
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
		b.unsupported("%%%d (%s) is imported: it has no body", fn.ID, b.m.Name(fn.ID))
	}
	around := b.fr.enclosing + b.m.Nesting(b.fr.fn, b.fr.cur.ID)
	if around+b.m.Deepest(fn) > validate.MaxNesting {
		b.unsupported("constructs nested deeper than %d, those around calls with them", validate.MaxNesting)
	}
	in, line, from := b.in, b.line, b.blk
	b.push(fn, args)
	fr := b.fr
	fr.enclosing = around
	fr.cont = b.newBlock()
	fr.cont.Line = line
	b.body()
	b.setFrame(fr.parent)
	b.in, b.line = in, line
	v := b.returned(fr, from)
	b.blk = fr.cont
	return v
}

// returned joins the values of a function's returns. Several returns, or one
// that may stand in a loop, make the call a construct of its own: lanes
// reconverge after it.
func (b *builder) returned(fr *frame, from *ir.Block) val {
	if len(fr.rets) == 0 {
		types := b.leafTypes(b.typ(fr.fn.Def.Type))
		out := lists.Map(types, b.undef)
		return val{leaves: out}
	}
	if len(fr.rets) > 1 || hasLoop(fr.fn) {
		from.Merge = fr.cont
	}
	if len(fr.rets) == 1 {
		return fr.rets[0].v
	}
	types := b.leafTypes(b.typ(fr.fn.Def.Type))
	phis := lists.Map(types, func(t isa.Type) *ir.Value { return b.phi(fr.cont, t) })
	for _, r := range fr.rets {
		b.blk = r.block
		for i := range phis {
			phis[i].Args = append(phis[i].Args, b.coerce(r.v.leaves[i], phis[i].R))
		}
	}
	return val{leaves: phis}
}

func hasLoop(fn *validate.Function) bool {
	return slices.ContainsFunc(fn.Blocks, func(blk *validate.Block) bool {
		m := blk.Merge()
		return m != nil && m.Op == spirv.OpLoopMerge
	})
}

func (b *builder) newBlock() *ir.Block {
	if b.f.NumBlocks() >= maxBlocks {
		b.unsupported("the inlined function has more than %d blocks", maxBlocks)
	}
	return b.f.NewBlock()
}

func (b *builder) phi(blk *ir.Block, t isa.Type) *ir.Value {
	v := b.newValue(isa.Phi, t, t)
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
				b.invalid("%%%d is not a block of the function", id)
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
	// Kernels find their loops when all is translated.
	split := !b.isKernel() && blk.Merge() != nil && blk.Merge().Op == spirv.OpLoopMerge && splits(blk)
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

// splits reports whether code becomes more than one block. Such code can't stay in a loop's header, which must be the
// one block that back edges go to and that carries the loop's merge.
func splits(blk *validate.Block) bool {
	for i := range blk.Code {
		if in := &blk.Code[i]; rows[in.Op].splits || partitioned(in) {
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
	if b.opt.Stop != nil {
		if err := b.opt.Stop(); err != nil {
			panic(abort{err})
		}
	}
	row, ok := rows[b.in.Op]
	if !ok {
		b.unsupported("no lowering for this operation in a %s shader", b.shaderName())
	}
	at, from := b.blk, len(b.blk.Code)
	if row.translate(b); b.opt.WithoutHelpers && b.isFragment() && b.blk == at {
		b.fragments.leaveHelpersOut(at.Code[from:])
	}
}

// constantOperation returns the translation of an opcode within OpSpecConstantOp; nil if there is none.
func (b *builder) constantOperation(op spirv.Op) func() {
	if r := rows[op]; r.constant {
		return func() { r.translate(b) }
	}
	return nil
}

// prune removes the blocks that control can't reach, with their edges. Merge and continue targets stay, empty.
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

package program

import (
	"slices"
	"spvsim/isa"
	"spvsim/program/ir"
)

// maxRotated bounds the values of a loop header that is repeated at the loop's
// end, as LLVM's loop rotation does (rotation-max-header-size).
const maxRotated = 16

// invertLoop continues from place i with the loop whose header is at place h: it repeats the header's instructions and
// branches to the body. An iteration then takes one branch instead of two. The header's own registers are used, so that
// both ways give the same state.
func (e *emitter) invertLoop(i, h int) bool {
	b := e.fl.Blocks[h]
	stay, leave := e.ways(b)
	if !e.mayInvert(h) || stay <= h || stay > i || leave <= i || e.waitsForReconvergence(h, stay) {
		return false
	}
	for _, v := range b.Code {
		e.value(v)
	}
	e.copies(e.lv.copies[b.ID], b)
	onFalse := stay == e.fl.Position[b.Succs[1].ID]
	if divergent(b) {
		e.roundWithSome(i, h, stay, leave, onFalse)
	} else {
		e.roundWithAll(i, h, stay, leave, onFalse)
	}
	return true
}

// breaks emits the mask instructions that Mesa's ACO adds to a divergent branch out of a loop: it keeps the lanes that
// stay in a mask, and makes that the active mask after the branch.
func (e *emitter) breaks(i, far int, b *ir.Block) {
	if e.invertLoops || !e.leavesLoop(i, far) {
		return
	}
	for range 2 {
		e.control(isa.Inst{Op: isa.Micro, T: isa.I64, Imm: uint64(isa.MaskSplit)}, b)
	}
}

// leavesLoop reports a loop around place i that ends before place far.
func (e *emitter) leavesLoop(i, far int) bool {
	loops, _ := e.fl.loops()
	return slices.ContainsFunc(loops, func(l backEdge) bool { return l.head <= i && i <= l.latch && l.latch < far })
}

// ways returns the places that a branch goes to, the nearer first.
func (e *emitter) ways(b *ir.Block) (near, far int) {
	if b.Term != ir.Cond {
		return -1, -1
	}
	t, f := e.fl.Position[b.Succs[0].ID], e.fl.Position[b.Succs[1].ID]
	return min(t, f), max(t, f)
}

// mayInvert reports whether a header may be repeated: it is short, has no effects other than accesses, and no lane waits
// for it.
func (e *emitter) mayInvert(h int) bool {
	if !e.invertLoops || e.fl.reconverges[h] || len(e.workgroupBarriers) > 0 || len(e.fl.Blocks[h].Code) > maxRotated {
		return false
	}
	return !slices.ContainsFunc(e.fl.Blocks[h].Code, func(v *ir.Value) bool { return v.Op.Has(isa.FlagEffect) && v.Mem == nil })
}

func (e *emitter) roundWithAll(i, h, stay, leave int, onFalse bool) {
	b, op := e.fl.Blocks[h], isa.BranchTrue
	if onFalse {
		op = isa.BranchFalse
	}
	e.branch(isa.Inst{Op: op, Src: src(e.operand(b.Cond, false))}, stay, b)
	if e.waitsForReconvergence(h, leave) {
		e.control(isa.Inst{Op: isa.MaskPark, T: isa.I64, Dst: e.mask(leave)}, b)
		leave = e.nextReconvergence(h)
	}
	e.fall(i, leave, b)
}

func (e *emitter) roundWithSome(i, h, stay, leave int, onFalse bool) {
	b, invert := e.fl.Blocks[h], uint64(0)
	if onFalse {
		invert = 1
	}
	e.control(isa.Inst{Op: isa.MaskSplit, T: isa.I64, Dst: e.mask(leave), Src: src(e.operand(b.Cond, true)), Imm: invert}, b)
	e.branch(isa.Inst{Op: isa.BranchExecNZ}, stay, b)
	e.fall(i, e.nextReconvergence(h), b)
}

// fall continues at place j from the end of place i.
func (e *emitter) fall(i, j int, b *ir.Block) {
	if j != i+1 {
		e.branch(isa.Inst{Op: isa.Branch}, j, b)
	}
}

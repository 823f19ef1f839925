package program

import (
	"slices"

	"spvsim/isa"
)

// maxUnskipped bounds the cost of the instructions that a wave without active lanes executes rather than branch over them, as
// RADV's listings show it for fiji, navi21 and gfx1100.
const maxUnskipped = 16

// dropSkips removes branches, taken if no lane is active, over a few instructions without accesses, as Mesa's ACO does.
// Inner branches go first.
func (e *emitter) dropSkips() {
	removed := make([]bool, len(e.insts))
	for i := len(e.insts) - 1; i >= 0; i-- {
		if in := &e.insts[i]; in.Op == isa.BranchExecZ && int(in.Target) > i {
			removed[i] = e.unskipped(e.insts[i+1:in.Target], removed[i+1:])
		}
	}
	place, kept := make([]int32, len(e.insts)+1), int32(0)
	for i := range e.insts {
		if place[i] = kept; !removed[i] {
			kept++
		}
	}
	place[len(e.insts)] = kept
	i := -1
	e.insts = slices.DeleteFunc(e.insts, func(isa.Inst) bool { i++; return removed[i] })
	for i := range e.insts {
		if in := &e.insts[i]; IsBranch(in.Op) {
			in.Target = place[in.Target]
		}
	}
}

// unskipped reports that a wave without active lanes executes these instructions; removed are those that are none any more.
func (e *emitter) unskipped(insts []isa.Inst, removed []bool) bool {
	cost := 0
	for i := range insts {
		if removed[i] {
			continue
		}
		if !runsWithoutLanes(&insts[i]) {
			return false
		}
		if cost += e.unskippedCost(&insts[i]); cost > maxUnskipped {
			return false
		}
	}
	return true
}

// runsWithoutLanes reports that an instruction has no effect if no lane is active, but for its time.
func runsWithoutLanes(in *isa.Inst) bool {
	switch in.Op {
	case isa.MaskSplit, isa.MaskPark, isa.MaskJoin, isa.Micro:
		return true
	}
	return in.Mem == nil && in.Op.Has(isa.FlagPure) && !in.Op.Has(isa.FlagCrossLane) && in.Op != isa.ToScalar && in.Op != isa.SaveLane
}

// unskippedCost returns the cost of an instruction: its issue cycles. From GFX10 on, vector instructions take one, scalar ones two,
// and vector instructions that write a mask both.
func (e *emitter) unskippedCost(in *isa.Inst) (cost int) {
	switch {
	case in.Class == isa.ClassNone:
		return 0
	case e.beforeGFX10:
		cost = 4
	case in.Class == isa.ClassSALU:
		cost = 2
	case in.Dst.Kind == isa.Scalar:
		cost = 3
	default:
		cost = 1
	}
	if in.Second != nil {
		cost *= 2
	}
	return cost
}

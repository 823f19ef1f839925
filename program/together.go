package program

import (
	"fmt"
	"sort"

	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/spirv/validate"
)

// Barriers with Imm 1 want every wave of the workgroup, active lanes or not: a
// wave does not jump over their blocks, but walks through them with no lane on.

// barrierPlaces lists the places of the blocks with such barriers, ascending.
type barrierPlaces []int

func (t barrierPlaces) anyIn(from, to int) bool {
	i := sort.SearchInts(t, from)
	return i < len(t) && t[i] < to
}

// findWorkgroupBarriers finds the blocks. It refuses barriers in loops that lanes leave in different iterations: waves would
// meet at barriers of different iterations.
func (e *emitter) findWorkgroupBarriers() error {
	for i, b := range e.fl.Blocks {
		for _, v := range b.Code {
			if v.Op != isa.Barrier || v.Imm != 1 || len(e.workgroupBarriers) > 0 && e.workgroupBarriers[len(e.workgroupBarriers)-1] == i {
				continue
			}
			if e.inRaggedLoop(i) {
				return fmt.Errorf("%w: %v: a group operation of scope Workgroup in a loop that invocations leave in different rounds",
					validate.ErrUnsupported, v.Origin)
			}
			e.workgroupBarriers = append(e.workgroupBarriers, i)
		}
	}
	return nil
}

// inRaggedLoop reports a loop around a place that has a divergent way out.
func (e *emitter) inRaggedLoop(at int) bool {
	for h, b := range e.fl.Blocks[:at+1] {
		end, isLoop := e.loopEnd(b)
		if !isLoop || at >= end {
			continue
		}
		for _, c := range e.fl.Blocks[h:end] {
			if divergent(c) && (e.isOutside(c.Succs[0], h, end) || e.isOutside(c.Succs[1], h, end)) {
				return true
			}
		}
	}
	return false
}

func (e *emitter) isOutside(b *ir.Block, h, end int) bool {
	to := e.fl.Position[b.ID]
	return to < h || to >= end
}

// loopEnd returns the place after the loop whose header is b.
func (e *emitter) loopEnd(b *ir.Block) (end int, ok bool) {
	if b.Continue == nil || b.Merge == nil {
		return 0, false
	}
	if end = e.fl.Position[b.Merge.ID]; end < 0 {
		end = len(e.fl.Blocks)
	}
	return end, true
}

// skipLoop jumps over a loop without such barriers when no lane is active: its exit test may need an active lane.
func (e *emitter) skipLoop(i int, b *ir.Block) {
	end, ok := e.loopEnd(b)
	if ok && len(e.workgroupBarriers) > 0 && !e.workgroupBarriers.anyIn(i, end) {
		e.branch(isa.Inst{Op: isa.BranchExecZ}, end, b)
	}
}

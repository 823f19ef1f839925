package program

import (
	"context"
	"slices"

	"spvsim/internal/lists"
	"spvsim/isa"
	"spvsim/program/ir"
)

// A copyTo assigns a phi its value at the end of a predecessor.
type copyTo struct{ phi, src *ir.Value }

// splitEdges puts a block on every edge whose phi copies can't be at the end of the predecessor, because a phi's
// register is still needed in the predecessor's other successor.
func splitEdges(ctx context.Context, f *ir.Func, pre []*ir.Value) {
	fl := newFlow(f)
	if !slices.ContainsFunc(fl.Blocks, func(b *ir.Block) bool { return len(b.Succs) == 2 && len(b.Succs[0].Phis)+len(b.Succs[1].Phis) > 0 }) {
		return
	}
	lv := newLiveness(ctx, f, fl, pre, nil)
	for _, b := range fl.Blocks {
		if len(b.Succs) < 2 {
			continue
		}
		if b.Succs[0] == b.Succs[1] {
			if len(b.Succs[0].Phis) > 0 {
				splitEdge(f, b, 0)
			}
			continue
		}
		var split [2]bool
		for i, s := range b.Succs {
			split[i] = len(s.Phis) > 0 && !hoistable(lv, b, s, b.Succs[1-i])
		}
		for i := range split {
			if split[i] {
				splitEdge(f, b, i)
			}
		}
	}
}

// hoistable reports that the phis of s may be written before b's branch.
func hoistable(lv *liveness, b, s, other *ir.Block) bool {
	for _, phi := range s.Phis {
		if phi == b.Cond || lv.in[other.ID].has(phi.ID) {
			return false
		}
		// Copies for the other edge would read the register that this one wrote.
		for _, p := range other.Phis {
			if p.Args[predIndex(other, b)] == phi {
				return false
			}
		}
	}
	return true
}

func splitEdge(f *ir.Func, b *ir.Block, i int) {
	s := b.Succs[i]
	e := f.NewBlock()
	e.Term, e.Succs, e.Preds, e.Line = ir.Jump, []*ir.Block{s}, []*ir.Block{b}, b.Line
	b.Succs[i] = e
	for k, p := range s.Preds {
		if p == b {
			s.Preds[k] = e
			return
		}
	}
}

// oneReturn lets all ways end in one block, where lanes that are done wait for the others.
func oneReturn(f *ir.Func) {
	ends := lists.Filter(f.Blocks, func(b *ir.Block) bool { return b.Term == ir.Return })
	if len(ends) < 2 {
		return
	}
	last := f.NewBlock()
	last.Term = ir.Return
	for _, b := range ends {
		if len(b.Code)+len(b.Phis) > 0 || b == f.Blocks[0] {
			b.SetSuccs(ir.Jump, nil, last)
			continue
		}
		for _, p := range b.Preds {
			for i, s := range p.Succs {
				if s == b {
					p.Succs[i], last.Preds = last, append(last.Preds, p)
				}
			}
		}
	}
	f.Blocks = slices.DeleteFunc(f.Blocks, func(b *ir.Block) bool { return b != last && b.Term == ir.Return })
	for _, b := range f.Blocks { // constructs that ended in one of them stay before it
		if b.Merge != nil && b.Merge != last && b.Merge.Term == ir.Return {
			b.Merge = last
		}
	}
}

// oneLatch gives every loop a single back edge: lanes of different iterations must not run side by side, or uniform
// values would not be uniform.
func oneLatch(f *ir.Func) {
	fl := newFlow(f)
	for i, h := range fl.Blocks {
		var back []int
		for k, p := range h.Preds {
			if pp := fl.Position[p.ID]; pp >= i {
				back = append(back, k)
			}
		}
		if len(back) > 1 {
			joinLatches(f, h, back)
		}
	}
}

func joinLatches(f *ir.Func, h *ir.Block, back []int) {
	latch := f.NewBlock()
	latch.Term, latch.Succs = ir.Jump, []*ir.Block{h}
	isBack := map[int]bool{}
	for _, k := range back {
		isBack[k] = true
		p := h.Preds[k]
		latch.Preds = append(latch.Preds, p)
		for i, s := range p.Succs {
			if s == h {
				p.Succs[i] = latch
				break
			}
		}
	}
	for _, phi := range h.Phis {
		join := f.NewValue(isa.Phi, phi.T, phi.R)
		join.Uniform, join.Block, join.SPIRV = phi.Uniform, latch, phi.SPIRV
		kept := phi.Args[:0:0]
		for k, a := range phi.Args {
			if isBack[k] {
				join.Args = append(join.Args, a)
			} else {
				kept = append(kept, a)
			}
		}
		phi.Args = append(kept, join)
		latch.Phis = append(latch.Phis, join)
	}
	preds := h.Preds[:0:0]
	for k, p := range h.Preds {
		if !isBack[k] {
			preds = append(preds, p)
		}
	}
	h.Preds = append(preds, latch)
	h.Continue = latch
}

// phiCopies lists, by block id, the copies at the end of each block.
func phiCopies(f *ir.Func, fl *flow) [][]copyTo {
	copies := make([][]copyTo, f.NumBlocks())
	for _, b := range fl.Blocks {
		for _, phi := range b.Phis {
			for i, p := range b.Preds {
				if src := phi.Args[i]; fl.Position[p.ID] >= 0 && src != phi {
					copies[p.ID] = append(copies[p.ID], copyTo{phi, src})
				}
			}
		}
	}
	return copies
}

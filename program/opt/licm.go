package opt

import (
	"slices"

	"spvsim/isa"
	"spvsim/program/ir"
)

// licm moves loop-invariant values before their loop, inner loops first, so that values rise as far as they can.
func licm(f *ir.Func, o Options) bool {
	if !o.SelectBuffers {
		return false
	}
	g := newGraph(f)
	changed := false
	for i := len(g.loops) - 1; i >= 0; i-- {
		changed = hoistLoop(g, g.loops[i]) || changed
	}
	return changed
}

// hoistLoop moves invariant values to the end of the block that dominates the
// header, unless that block is in another loop.
func hoistLoop(g *graph, l *loop) bool {
	p := g.Position[l.header.ID]
	if p == 0 {
		return false
	}
	to := g.Idom[p]
	if g.inLoop[to] != l.parent {
		return false
	}
	changed := false
	for b := range l.blocks {
		kept := b.Code[:0]
		for _, v := range b.Code {
			if invariant(g, l, v) && mayHoist(g, l, v) {
				g.Blocks[to].Append(v)
				changed = true
			} else {
				kept = append(kept, v)
			}
		}
		clear(b.Code[len(kept):])
		b.Code = kept
	}
	return changed
}

func invariant(g *graph, l *loop, v *ir.Value) bool {
	return !slices.ContainsFunc(v.Args, func(a *ir.Value) bool { return g.contains(l, a.Block) })
}

// mayHoist reports whether v may execute once before the loop, even if the loop does not reach it. Loads of bound
// buffers can't fault. Loads of every iteration are marked as speculative, because the loop may run no iteration.
func mayHoist(g *graph, l *loop, v *ir.Value) bool {
	switch {
	case pure(v):
		return true
	case v.Op != isa.Load || !immutable(v):
		return false
	case v.Block == l.header || v.Mem.Space == isa.SpacePush:
		return true
	}
	if v.Mem.Space != isa.SpaceBuffer || l.latch == nil || !g.dominates(v.Block, l.latch) {
		return false
	}
	v.Mem.Speculative = true
	return true
}

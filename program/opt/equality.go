package opt

import (
	"slices"

	"spvsim/isa"
	"spvsim/program/ir"
)

// equalities replaces a value by what a branch has found it to be equal to: a constant, or its own value in the first lane or
// reduced over the wave. In code that only executes where a == c, uses of a become uses of c, as Mesa does it (nir_opt_if,
// opt_if_rewrite_uniform_uses), so that what depends on a is the same in all lanes.
func equalities(f *ir.Func, _ Options) bool {
	g, u := newGraph(f), newUses(f)
	changed := false
	for _, b := range g.Blocks {
		if b.Term != ir.Cond {
			continue
		}
		for way, truth := range []bool{true, false} {
			if code, ok := g.guardedBy(b, way); ok {
				changed = code.learn(u, b.Cond, truth) || changed
			}
		}
	}
	return changed
}

// guarded is the code that executes only where a branch goes one way: the blocks that first dominates, without those that
// after dominates, unless it is nil.
type guarded struct {
	g            *graph
	first, after *ir.Block
}

// guardedBy returns the code that one way out of b guards: a side of a selection, or what follows it if the other side returns
// or goes on with the next iteration, because Mesa moves that into the selection (nir_lower_returns,
// opt_if_loop_last_continue). Mesa does so neither after a break nor after a return in a loop.
func (g *graph) guardedBy(b *ir.Block, way int) (code guarded, ok bool) {
	s, other := b.Succs[way], b.Succs[1-way]
	if s == other || slices.ContainsFunc(s.Preds, func(p *ir.Block) bool { return p != b && !g.dominates(s, p) }) {
		return guarded{}, false
	}
	i := g.inLoop[g.Position[b.ID]]
	if i < 0 {
		return guarded{g: g, first: s}, true
	}
	switch l := g.loops[i]; {
	case b.Merge != nil && b.Merge != l.merge && s != b.Merge:
		return guarded{g: g, first: s, after: b.Merge}, true
	default:
		sides := b.Merge == nil || b.Merge == l.merge
		return guarded{g: g, first: s, after: l.merge}, g.contains(l, s) && (sides || l.continues(other))
	}
}

// continues reports that b leads to the next iteration without a branch.
func (l *loop) continues(b *ir.Block) bool {
	for b != l.header.Continue {
		if b.Term != ir.Jump {
			return false
		}
		next := b.Succs[0]
		if l.g.Position[next.ID] <= l.g.Position[b.ID] {
			return next == l.header
		}
		b = next
	}
	return true
}

func (c guarded) has(b *ir.Block) bool {
	return c.g.dominates(c.first, b) && (c.after == nil || !c.g.dominates(c.after, b))
}

// learn uses that the condition is true, or false, in the code.
func (c guarded) learn(u *uses, condition *ir.Value, truth bool) bool {
	switch {
	case condition.Op == isa.Not:
		return c.learn(u, condition.Args[0], !truth)
	case condition.Op == isa.And && truth:
		x := c.learn(u, condition.Args[0], true)
		return c.learn(u, condition.Args[1], true) || x
	case condition.Op == isa.IEq && truth, condition.Op == isa.INe && !truth:
		x, y := condition.Args[0], condition.Args[1]
		switch {
		case known(x, y):
			return c.replace(u, x, y)
		case known(y, x):
			return c.replace(u, y, x)
		}
	}
	return false
}

// known reports that y, which x equals, is the same in all lanes by itself: a constant, or made of x by an operation over
// the whole wave.
func known(x, y *ir.Value) bool {
	switch y.Op {
	case isa.Const:
		return x.Op != isa.Const
	case isa.ReadFirstLane:
		return y.Args[0] == x
	case isa.Reduce:
		_, cluster := isa.SplitGroupImm(y.Imm)
		return y.Args[0] == x && cluster == 0
	}
	return false
}

// replace makes the code use y in place of x.
func (c guarded) replace(u *uses, x, y *ir.Value) bool {
	changed := false
	for _, w := range u.users(x) {
		if !c.has(w.Block) {
			continue
		}
		for i, a := range w.Args {
			if a == x {
				w.Args[i], changed = y, true
			}
		}
	}
	return changed
}

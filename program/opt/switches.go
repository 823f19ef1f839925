package opt

import (
	"slices"

	"spvsim/isa"
	"spvsim/program/ir"
)

// switches turns the chain of comparisons of a switch into branches that follow one another, as Mesa has them: after each case
// the next one is tested, too, and the lanes that fell through go into it.
func switches(f *ir.Func, o Options) bool {
	if o.SelectBuffers {
		return false
	}
	removeUnreachable(f)
	g := newGraph(f)
	p := newPool(f)
	changed := false
	ends := map[*ir.Block]int{} // how many constructs end at a block, or continue there
	for _, b := range g.Blocks {
		ends[b.Merge]++
		ends[b.Continue]++
	}
	for _, b := range g.Blocks { // outer ones first
		if s := g.switchAt(b); s != nil && ends[s.merge] == 1 && s.assignEdges(g) {
			s.rewrite(f, p)
			changed = true
		}
	}
	p.flush()
	removeUnreachable(f)
	return changed
}

// A switchChain is a chain of comparisons of one value with constants.
type switchChain struct {
	heads []*ir.Block   // the blocks that compare
	merge *ir.Block     // where the cases meet
	other *ir.Block     // the default
	cases []*switchCase // without those that only break, and with the default if it has code
}

type switchCase struct {
	block  *ir.Block
	head   int         // of the comparison; for the default, as many as there are comparisons
	breaks []*ir.Block // sources of edges to the merge block
	falls  []*ir.Block // sources of edges to the next case
}

// switchAt returns the switch that begins in a block; nil if none does.
func (g *graph) switchAt(b *ir.Block) *switchChain {
	if b.Continue != nil || !g.reachable(b.Merge) || !g.dominates(b, b.Merge) || b.Merge == b {
		return nil
	}
	s := &switchChain{merge: b.Merge}
	selector := (*ir.Value)(nil)
	seen := map[uint64]bool{}
	for n := b; ; n = s.other {
		if n.Term != ir.Cond || n != b && !linksChain(n) || !comparesWith(n.Cond, &selector, seen) {
			break
		}
		if n.Succs[0] != s.merge {
			s.cases = append(s.cases, &switchCase{block: n.Succs[0], head: len(s.heads)})
		}
		s.heads = append(s.heads, n)
		if s.other = n.Succs[1]; s.other == s.merge {
			break
		}
	}
	if len(s.heads) < 2 {
		return nil
	}
	if s.other != s.merge {
		s.cases = append(s.cases, &switchCase{block: s.other, head: len(s.heads)})
	}
	return s
}

// linksChain reports a block of a chain: it only compares.
func linksChain(b *ir.Block) bool {
	return len(b.Preds) == 1 && len(b.Phis) == 0 && b.Merge == nil && !slices.ContainsFunc(b.Code, func(v *ir.Value) bool { return v.Op != isa.IEq && v.Op != isa.Or })
}

// comparesWith reports a comparison of the selector with one or several constants that are not among those seen.
func comparesWith(c *ir.Value, selector **ir.Value, seen map[uint64]bool) bool {
	switch {
	case c.Op == isa.Or && c.R == isa.Bool:
		return comparesWith(c.Args[0], selector, seen) && comparesWith(c.Args[1], selector, seen)
	case c.Op != isa.IEq || c.Args[1].Op != isa.Const || *selector != nil && *selector != c.Args[0] || seen[c.Args[1].Imm]:
		return false
	}
	*selector = c.Args[0]
	seen[c.Args[1].Imm] = true
	return true
}

// assignEdges finds the edges out of each case, and reports whether all are such that the cases can follow one another. Nothing
// but the switch ends at its merge block.
func (s *switchChain) assignEdges(g *graph) bool {
	if len(s.cases) < 2 {
		return false
	}
	at := func(b *ir.Block) int {
		return slices.IndexFunc(s.cases, func(c *switchCase) bool { return g.dominates(c.block, b) })
	}
	for _, p := range s.merge.Preds {
		switch i := at(p); {
		case i >= 0:
			s.cases[i].breaks = append(s.cases[i].breaks, p)
		case !slices.Contains(s.heads, p), len(s.merge.Phis) > 0 && (p != s.last() || p.Succs[0] == s.merge):
			return false
		}
	}
	for i, c := range s.cases {
		for _, p := range c.block.Preds {
			switch j := at(p); {
			case slices.Contains(s.heads, p):
			case i == 0 || j != i-1 || slices.Contains(s.cases[j].breaks, p):
				return false
			default:
				s.cases[j].falls = append(s.cases[j].falls, p)
			}
		}
	}
	return true
}

func (s *switchChain) last() *ir.Block { return s.heads[len(s.heads)-1] }

// rewrite makes the branches of the cases follow one another: a head compares the selector, and the ways meet in a block
// that is the next head, or the merge block.
func (s *switchChain) rewrite(f *ir.Func, p *pool) {
	conds := make([]*ir.Value, len(s.heads))
	for h, n := range s.heads {
		conds[h] = n.Cond
	}
	starts := make([][]*ir.Value, len(s.cases)) // by case: what its phis have if it is reached by a comparison
	for i, c := range s.cases {
		starts[i] = argsFrom(c.block, s.heads[min(c.head, len(s.heads)-1)])
	}
	values := make([]*ir.Value, len(s.merge.Phis)) // of the merge block's phis, after the cases so far
	for k, phi := range s.merge.Phis {
		if values[k] = p.undef(phi.R); s.other == s.merge {
			values[k] = phi.Args[predOf(s.merge, s.last())]
		}
	}
	head, from := s.heads[0], 1
	var fell *ir.Value // lanes come from the case before
	for i, c := range s.cases {
		cond := s.compare(f, head, conds, from, c.head)
		from = c.head + 1
		if fell != nil {
			cond = head.Append(f.NewValue(isa.Or, isa.Bool, isa.Bool, fell, cond))
		}
		e := &caseEnd{f: f, p: p, switchCase: c, next: s.merge}
		if i+1 < len(s.cases) {
			e.next = f.NewBlock()
			e.next.Line = head.Line
		}
		e.mergeValues(s.merge, values)
		if fell = nil; len(c.falls) > 0 {
			fell = e.fallInto(s.cases[i+1].block, starts[i+1])
		}
		for _, b := range c.breaks {
			b.Succs = redirect(b.Succs, s.merge, e.next)
		}
		c.block.Preds, e.next.Preds = nil, slices.Concat(c.breaks, c.falls)
		for k, phi := range c.block.Phis {
			phi.Args = []*ir.Value{starts[i][k]}
		}
		head.SetSuccs(ir.Cond, cond, c.block, e.next)
		head.Merge, head = e.next, e.next
	}
}

// compare moves the comparisons up to one to the end of a head, and returns its condition: for the default that none holds.
func (s *switchChain) compare(f *ir.Func, head *ir.Block, conds []*ir.Value, from, to int) *ir.Value {
	for _, n := range s.heads[from:max(from, min(to+1, len(s.heads)))] {
		for _, v := range n.Code {
			head.Append(v)
		}
		n.Code, n.Term, n.Cond, n.Succs = nil, ir.Unreachable, nil, nil
	}
	if to < len(conds) {
		return conds[to]
	}
	any := conds[0]
	for _, is := range conds[1:] {
		any = head.Append(f.NewValue(isa.Or, isa.Bool, isa.Bool, any, is))
	}
	return head.Append(f.NewValue(isa.Not, isa.Bool, isa.Bool, any))
}

// A caseEnd makes the phis of the block after a case, whose predecessors are the case's breaks, its ways into the next case, and
// the head.
type caseEnd struct {
	*switchCase
	f    *ir.Func
	p    *pool
	next *ir.Block
}

// args lists a phi's arguments; ended and fell: nil where the value is not defined.
func (e *caseEnd) args(t isa.Type, ended, fell func(*ir.Block) *ir.Value, otherwise *ir.Value) (list []*ir.Value) {
	for _, way := range []struct {
		from []*ir.Block
		of   func(*ir.Block) *ir.Value
	}{{e.breaks, ended}, {e.falls, fell}} {
		for _, b := range way.from {
			if way.of == nil {
				list = append(list, e.p.undef(t))
			} else {
				list = append(list, way.of(b))
			}
		}
	}
	return append(list, otherwise)
}

func (e *caseEnd) phi(t isa.Type, args []*ir.Value) *ir.Value {
	v := e.f.NewValue(isa.Phi, t, t, args...)
	v.Block = e.next
	e.next.Phis = append(e.next.Phis, v)
	return v
}

// mergeValues carries the values of the merge block's phis past the case.
func (e *caseEnd) mergeValues(merge *ir.Block, values []*ir.Value) {
	for k, phi := range merge.Phis {
		args := e.args(phi.R, func(b *ir.Block) *ir.Value { return phi.Args[predOf(merge, b)] }, nil, values[k])
		if e.next == merge {
			phi.Args = args
		} else {
			values[k] = e.phi(phi.R, args)
		}
	}
}

// fallInto leads the ways into the next case past its comparison, and returns whether lanes take them. start has what
// the phis of the case begin with.
func (e *caseEnd) fallInto(after *ir.Block, start []*ir.Value) (fell *ir.Value) {
	truth := func(n uint64) func(*ir.Block) *ir.Value {
		return func(*ir.Block) *ir.Value { return e.p.constant(isa.Bool, n) }
	}
	fell = e.phi(isa.Bool, e.args(isa.Bool, truth(0), truth(1), e.p.constant(isa.Bool, 0)))
	for k, phi := range after.Phis {
		start[k] = e.phi(phi.R, e.args(phi.R, nil, func(b *ir.Block) *ir.Value { return phi.Args[predOf(after, b)] }, start[k]))
	}
	for _, b := range e.falls {
		b.Succs = redirect(b.Succs, after, e.next)
	}
	return fell
}

// argsFrom returns the arguments of a block's phis for the edge from pred.
func argsFrom(b, pred *ir.Block) (list []*ir.Value) {
	for _, phi := range b.Phis {
		list = append(list, phi.Args[predOf(b, pred)])
	}
	return list
}

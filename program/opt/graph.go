package opt

import (
	"slices"

	"spvsim/program/ir"
)

// A graph describes control flow as passes use it: an order, dominators, loops. It describes the function at the time
// when the graph was made.
type graph struct {
	*ir.Order
	// pre lists places in preorder of the dominator tree. A block at place p dominates pre[first[p]:last[p]].
	pre         []int
	first, last []int

	loops   []*loop // outer before inner
	inLoop  []int   // innermost loop by place; -1: none
	roundIn []int   // innermost loop by place that goes round through it; -1: none
}

func newGraph(f *ir.Func) *graph {
	g := &graph{Order: ir.NewOrder(f)}
	g.dominatorTree()
	g.findLoops()
	return g
}

// dominatorTree numbers the tree without child lists: sizes first, then places,
// as a parent comes before its children in reverse postorder.
func (g *graph) dominatorTree() {
	n := len(g.Blocks)
	g.pre, g.first, g.last = make([]int, n), make([]int, n), make([]int, n)
	size, used := make([]int, n), make([]int, n)
	for i := n - 1; i >= 0; i-- {
		size[i]++
		if i > 0 {
			size[g.Idom[i]] += size[i]
		}
	}
	for i := range n {
		if i > 0 {
			d := g.Idom[i]
			g.first[i] = g.first[d] + 1 + used[d]
			used[d] += size[i]
		}
		g.last[i] = g.first[i] + size[i]
		g.pre[g.first[i]] = i
	}
}

// dominates reports that every path to b goes through a; a block dominates itself.
func (g *graph) dominates(a, b *ir.Block) bool {
	if !g.reachable(a) || !g.reachable(b) {
		return false
	}
	p, q := g.Position[a.ID], g.Position[b.ID]
	return g.first[p] <= g.first[q] && g.first[q] < g.last[p]
}

func (g *graph) reachable(b *ir.Block) bool {
	return b != nil && b.ID < len(g.Position) && g.Position[b.ID] >= 0
}

// Destinations of the ways out of the blocks that a block dominates.
const (
	noExit    = -1
	manyExits = -2 // several, or a way may end or repeat a loop before
)

// shortcuts returns, by place, the one place to which all ways lead that leave the blocks dominated by a block; nowhere
// if there are several, or if a way may end or repeat a loop before. Ways from elsewhere reach dominated blocks only
// through the block, so none that parted outside meet among them.
func (g *graph) shortcuts() []int {
	to := slices.Repeat([]int{noExit}, len(g.Blocks))
	lead := func(q, t int) {
		switch {
		case t == manyExits:
			to[q] = manyExits
		case t == noExit || g.first[q] <= g.first[t] && g.first[t] < g.last[q] || to[q] == t:
		case to[q] == noExit:
			to[q] = t
		default:
			to[q] = manyExits
		}
	}
	for i := len(g.Blocks) - 1; i >= 0; i-- {
		b := g.Blocks[i]
		if _, backs := g.backEdge(b); len(b.Succs) == 0 || backs > 0 {
			to[i] = manyExits
		}
		for _, s := range b.Succs {
			if t := g.Position[s.ID]; t > i {
				lead(i, t)
			} else {
				to[i] = manyExits
			}
		}
		if i > 0 {
			lead(g.Idom[i], to[i])
		}
	}
	for i, t := range to {
		to[i] = max(t, noExit)
	}
	return to
}

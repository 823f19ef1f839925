package opt

import "spvsim/program/ir"

// A graph is what passes ask about control flow: an order, dominators, loops.
// It describes the function as it was when the graph was made.
type graph struct {
	*ir.Order
	// pre lists places in preorder of the dominator tree; a block dominates
	// those from first[p] up to last[p] in it.
	pre         []int
	first, last []int

	loops  []*loop // outer before inner
	inLoop []int   // innermost loop by place; -1: none
}

// A loop is the blocks on the ways from a header back to it, and the arms: the
// blocks on a way out that execute before the lanes go on after the loop.
type loop struct {
	header *ir.Block
	merge  *ir.Block // nil when unreachable
	latch  *ir.Block // the source of the back edge; nil when there are several
	parent int       // enclosing loop, -1: none
	depth  int       // 1 for the outermost
	blocks []*ir.Block
	// By place: round are the blocks from which the header is reached again,
	// members these and the arms.
	round, members []bool
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
	p, q := g.Place[a.ID], g.Place[b.ID]
	return g.first[p] <= g.first[q] && g.first[q] < g.last[p]
}

func (g *graph) reachable(b *ir.Block) bool {
	return b != nil && b.ID < len(g.Place) && g.Place[b.ID] >= 0
}

func (g *graph) findLoops() {
	g.inLoop = make([]int, len(g.Blocks))
	for i := range g.inLoop {
		g.inLoop[i] = -1
	}
	for p, b := range g.Blocks {
		backs := 0
		var latch *ir.Block
		for _, q := range b.Preds {
			if g.dominates(b, q) {
				backs++
				latch = q
			}
		}
		if backs == 0 {
			continue
		}
		if backs > 1 {
			latch = nil
		}
		g.addLoop(p, b, latch)
	}
}

func (g *graph) addLoop(p int, b, latch *ir.Block) {
	n := len(g.Blocks)
	l := &loop{header: b, latch: latch, parent: g.inLoop[p], depth: 1, round: make([]bool, n), members: make([]bool, n)}
	if l.parent >= 0 {
		l.depth = g.loops[l.parent].depth + 1
	}
	if g.reachable(b.Merge) && g.dominates(b, b.Merge) {
		l.merge = b.Merge
	}
	g.findRound(l, p)
	g.findArms(l, p)
	for q, in := range l.members {
		if in {
			l.blocks = append(l.blocks, g.Blocks[q])
			g.inLoop[q] = len(g.loops)
		}
	}
	g.loops = append(g.loops, l)
}

func (g *graph) findRound(l *loop, p int) {
	l.round[p] = true
	var work []*ir.Block
	for _, q := range l.header.Preds {
		if g.dominates(l.header, q) {
			work = append(work, q)
		}
	}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if q := g.Place[b.ID]; q >= 0 && !l.round[q] {
			l.round[q] = true
			work = append(work, b.Preds...)
		}
	}
	copy(l.members, l.round)
}

// findArms adds what hangs on a block of the loop, in front of its continue
// target, by one edge, up to the merge blocks of constructs around the loop:
// there lanes wait for the others.
func (g *graph) findArms(l *loop, p int) {
	if l.header.Continue == nil {
		return
	}
	named := g.namedOutside(l)
	for i := g.first[p] + 1; i < g.last[p]; i++ {
		q := g.pre[i]
		b, dom := g.Blocks[q], g.Idom[q]
		switch {
		case l.round[q]:
		case named[q]:
			i = g.last[q] - 1 // nothing below it either
		case l.round[dom]:
			l.members[q] = g.entries(b) == 1 && !g.dominates(l.header.Continue, g.Blocks[dom])
		default:
			l.members[q] = l.members[dom]
		}
	}
}

// entries counts the edges to b, but for those of a loop that b is the header of.
func (g *graph) entries(b *ir.Block) (n int) {
	for _, p := range b.Preds {
		if !g.dominates(b, p) {
			n++
		}
	}
	return n
}

// namedOutside marks the merge and continue blocks of the loop and of the
// constructs around it.
func (g *graph) namedOutside(l *loop) []bool {
	named := make([]bool, len(g.Blocks))
	for q, b := range g.Blocks {
		if l.round[q] && b != l.header {
			continue
		}
		for _, t := range []*ir.Block{b.Merge, b.Continue} {
			if g.reachable(t) && !l.round[g.Place[t.ID]] && (b == l.header || !g.dominates(l.header, b)) {
				named[g.Place[t.ID]] = true
			}
		}
	}
	return named
}

func (g *graph) loopOf(b *ir.Block) *loop {
	if i := g.inLoop[g.Place[b.ID]]; i >= 0 {
		return g.loops[i]
	}
	return nil
}

func (g *graph) depth(b *ir.Block) int {
	if l := g.loopOf(b); l != nil {
		return l.depth
	}
	return 0
}

// contains reports that b is part of the loop. Blocks made after the graph are
// part of no loop.
func (g *graph) contains(l *loop, b *ir.Block) bool {
	return g.reachable(b) && l.members[g.Place[b.ID]]
}

package opt

import (
	"slices"

	"spvsim/program/ir"
)

// A loop is the blocks on the ways from a header back to it, and the arms: the blocks on a way out that execute before
// the lanes continue after the loop.
type loop struct {
	g      *graph
	header *ir.Block
	merge  *ir.Block // nil when unreachable
	latch  *ir.Block // the source of the back edge; nil when there are several
	parent int       // enclosing loop, -1: none
	depth  int       // 1 for the outermost

	outer       int   // the loop that goes round through the header as well, -1: none
	first, last int   // position in preorder of the tree that outer makes, and the position after those inside
	arms        []int // places, in order
	end         int   // the last place of the loop
}

// findLoops lists the loops and the innermost loop of each block. Its work follows the edges of the function and the
// arms, not loops times blocks.
func (g *graph) findLoops() {
	n := len(g.Blocks)
	g.roundIn = slices.Repeat([]int{-1}, n)
	for p, b := range g.Blocks {
		if latch, backs := g.backEdge(b); backs > 0 {
			g.roundIn[p] = len(g.loops)
			l := &loop{g: g, header: b, latch: latch, outer: -1}
			if g.reachable(b.Merge) && g.dominates(b, b.Merge) {
				l.merge = b.Merge
			}
			g.loops = append(g.loops, l)
		}
	}
	if len(g.loops) == 0 {
		g.inLoop = g.roundIn
		return
	}
	g.findRounds()
	g.numberLoops()
	armOf := g.findArms()
	for _, l := range g.loops {
		if l.parent, l.depth = max(l.outer, armOf[g.Position[l.header.ID]]), 1; l.parent >= 0 {
			l.depth = g.loops[l.parent].depth + 1
		}
	}
	g.inLoop = armOf
	for q, i := range g.roundIn {
		g.inLoop[q] = max(g.inLoop[q], i)
	}
}

// backEdge counts the edges back to b; latch is the source of the only one.
func (g *graph) backEdge(b *ir.Block) (latch *ir.Block, backs int) {
	for _, q := range b.Preds {
		if g.dominates(b, q) {
			backs++
			latch = q
		}
	}
	if backs > 1 {
		latch = nil
	}
	return latch, backs
}

// findRounds goes against the edges from the sources of back edges, in inner loops first. A loop that has been found counts as one block, its
// header: top leads from a place to the header of the outermost loop around it so far.
func (g *graph) findRounds() {
	top := make([]int, len(g.Blocks))
	for q := range top {
		top[q] = q
	}
	find := func(q int) int {
		for top[q] != q {
			top[q] = top[top[q]]
			q = top[q]
		}
		return q
	}
	var work []*ir.Block
	for i := len(g.loops) - 1; i >= 0; i-- {
		header := g.loops[i].header
		p := g.Position[header.ID]
		for _, q := range header.Preds {
			if g.dominates(header, q) {
				work = append(work, q)
			}
		}
		for len(work) > 0 {
			b := work[len(work)-1]
			work = work[:len(work)-1]
			if !g.reachable(b) {
				continue
			}
			q := find(g.Position[b.ID])
			if q == p {
				continue
			}
			top[q] = p
			if inner := g.roundIn[q]; inner >= 0 {
				g.loops[inner].outer = i
			} else {
				g.roundIn[q] = i
			}
			work = append(work, g.Blocks[q].Preds...)
		}
	}
}

// numberLoops numbers the loops in preorder, sizes first, and finds the last place of each cycle.
func (g *graph) numberLoops() {
	for q, i := range g.roundIn {
		if i >= 0 {
			g.loops[i].end = q
		}
	}
	for i := len(g.loops) - 1; i >= 0; i-- {
		l := g.loops[i]
		if l.last++; l.outer >= 0 {
			o := g.loops[l.outer]
			o.last, o.end = o.last+l.last, max(o.end, l.end)
		}
	}
	used, all := make([]int, len(g.loops)), 0
	for _, l := range g.loops {
		size := l.last
		if l.outer < 0 {
			l.first = all
			all += size
		} else {
			l.first = g.loops[l.outer].first + 1 + used[l.outer]
			used[l.outer] += size
		}
		l.last = l.first + size
	}
}

// findArms adds to a loop the blocks that one edge from a block before its continue target reaches, up to the merge
// blocks of enclosing constructs, where lanes wait for the others. It returns by place the innermost loop whose arm the
// block is; -1 if none.
func (g *graph) findArms() (armOf []int) {
	armOf = slices.Repeat([]int{-1}, len(g.Blocks))
	named := g.namers()
	for q := 1; q < len(g.Blocks); q++ {
		d := g.Idom[q]
		if g.roundIn[d] < 0 || g.entries(g.Blocks[q]) != 1 {
			continue
		}
		for i := g.roundIn[d]; i >= 0 && !g.loops[i].goesRound(q); i = g.loops[i].outer {
			if c := g.loops[i].header.Continue; c != nil && !g.dominates(c, g.Blocks[d]) {
				g.addArms(i, q, named, armOf)
			}
		}
	}
	for _, l := range g.loops {
		if slices.Sort(l.arms); len(l.arms) > 0 {
			l.end = max(l.end, l.arms[len(l.arms)-1])
		}
	}
	return armOf
}

// addArms adds the block at a place and the blocks that it dominates, except for merge blocks and continue targets of
// enclosing constructs.
func (g *graph) addArms(i, q int, named [][]*ir.Block, armOf []int) {
	l := g.loops[i]
	around := func(b *ir.Block) bool { return b == l.header || !g.dominates(l.header, b) }
	for k := g.first[q]; k < g.last[q]; k++ {
		x := g.pre[k]
		if slices.ContainsFunc(named[x], around) {
			k = g.last[x] - 1 // nothing below it either
			continue
		}
		l.arms = append(l.arms, x)
		armOf[x] = max(armOf[x], i)
	}
}

// entries counts the edges to b, without back edges.
func (g *graph) entries(b *ir.Block) (n int) {
	for _, p := range b.Preds {
		if !g.dominates(b, p) {
			n++
		}
	}
	return n
}

// namers returns, by place, the headers of the constructs whose merge block or continue target a block is.
func (g *graph) namers() [][]*ir.Block {
	named := make([][]*ir.Block, len(g.Blocks))
	for _, b := range g.Blocks {
		for _, t := range []*ir.Block{b.Merge, b.Continue} {
			if g.reachable(t) {
				named[g.Position[t.ID]] = append(named[g.Position[t.ID]], b)
			}
		}
	}
	return named
}

// goesRound reports that the header is reached again from the block at a place.
func (l *loop) goesRound(place int) bool {
	i := l.g.roundIn[place]
	return i >= 0 && l.first <= l.g.loops[i].first && l.g.loops[i].first < l.last
}

// has reports that the block at a place is part of the loop.
func (l *loop) has(place int) bool {
	if l.goesRound(place) {
		return true
	}
	_, arm := slices.BinarySearch(l.arms, place)
	return arm
}

// blocks yields the blocks of the loop, in order.
func (l *loop) blocks(yield func(*ir.Block) bool) {
	for q := l.g.Position[l.header.ID]; q <= l.end; q++ {
		if l.has(q) && !yield(l.g.Blocks[q]) {
			return
		}
	}
}

func (g *graph) loopOf(b *ir.Block) *loop {
	if i := g.inLoop[g.Position[b.ID]]; i >= 0 {
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
	return g.reachable(b) && l.has(g.Position[b.ID])
}

package program

import "spvsim/program/ir"

// A flow is a function's control flow in the order in which a wave visits it.
//
// A wave walks the blocks in one linear order. Lanes that branch further ahead
// than the others wait in a mask of the block they wait for; when the walk
// reaches that block they join. With the blocks of a construct standing between
// its header and its merge block, every lane that left the header is back
// together at the merge: the reconvergence that SPV_KHR_maximal_reconvergence
// asks for.
type flow struct {
	order []*ir.Block
	pos   []int  // block id -> place in order, -1 when unreachable
	idom  []int  // place -> place of the immediate dominator
	pend  []bool // place -> lanes may wait for this block
	full  []bool // place -> every lane of the immediate dominator arrives here
}

func newFlow(f *ir.Func) *flow {
	fl := &flow{order: structuredOrder(f)}
	fl.pos = make([]int, f.NumBlocks())
	for i := range fl.pos {
		fl.pos[i] = -1
	}
	for i, b := range fl.order {
		fl.pos[b.ID] = i
	}
	fl.dominators()
	fl.findWaiting()
	fl.findFull()
	return fl
}

// structuredOrder is the reverse post-order of a walk that visits a header's
// merge block first, then its continue target, then the branch targets from
// last to first: so the first target stands next to the header, the continue
// target behind the body and the merge block behind the whole construct.
func structuredOrder(f *ir.Func) []*ir.Block {
	reach := reachable(f)
	seen := make([]bool, f.NumBlocks())
	var post []*ir.Block
	var visit func(b *ir.Block)
	visit = func(b *ir.Block) {
		if b == nil || seen[b.ID] || !reach[b.ID] {
			return
		}
		seen[b.ID] = true
		visit(b.Merge)
		visit(b.Continue)
		for i := len(b.Succs) - 1; i >= 0; i-- {
			visit(b.Succs[i])
		}
		post = append(post, b)
	}
	visit(f.Blocks[0])
	for i, j := 0, len(post)-1; i < j; i, j = i+1, j-1 {
		post[i], post[j] = post[j], post[i]
	}
	return post
}

func reachable(f *ir.Func) []bool {
	reach := make([]bool, f.NumBlocks())
	work := []*ir.Block{f.Blocks[0]}
	reach[f.Blocks[0].ID] = true
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		for _, s := range b.Succs {
			if !reach[s.ID] {
				reach[s.ID] = true
				work = append(work, s)
			}
		}
	}
	return reach
}

// dominators is the iterative algorithm of Cooper, Harvey and Kennedy, over the
// reverse post-order.
func (fl *flow) dominators() {
	fl.idom = make([]int, len(fl.order))
	for i := range fl.idom {
		fl.idom[i] = -1
	}
	fl.idom[0] = 0
	for changed := true; changed; {
		changed = false
		for i := 1; i < len(fl.order); i++ {
			d := -1
			for _, p := range fl.order[i].Preds {
				pp := fl.pos[p.ID]
				if pp < 0 || fl.idom[pp] < 0 {
					continue
				}
				if d < 0 {
					d = pp
				} else {
					d = fl.common(d, pp)
				}
			}
			if fl.idom[i] != d {
				fl.idom[i], changed = d, true
			}
		}
	}
}

func (fl *flow) common(a, b int) int {
	for a != b {
		for a > b {
			a = fl.idom[a]
		}
		for b > a {
			b = fl.idom[b]
		}
	}
	return a
}

// next is the first block after place i, up to place limit, for which lanes may
// already wait when the wave stands at i; -1 if there is none. Lanes wait for a
// block only once its immediate dominator has run.
func (fl *flow) next(i, limit int) int {
	for k := i + 1; k < limit; k++ {
		if fl.pend[k] && fl.idom[k] <= i {
			return k
		}
	}
	return -1
}

// findWaiting computes pend: a block is waited for when a divergent branch goes
// on elsewhere first, or when the way to it passes a block that is waited for.
func (fl *flow) findWaiting() {
	fl.pend = make([]bool, len(fl.order))
	for changed := true; changed; {
		changed = false
		mark := func(k int) {
			if !fl.pend[k] {
				fl.pend[k], changed = true, true
			}
		}
		for i, b := range fl.order {
			first := len(fl.order)
			for _, s := range b.Succs {
				first = min(first, fl.pos[s.ID])
			}
			for _, s := range b.Succs {
				j := fl.pos[s.ID]
				if j <= i {
					continue
				}
				if divergent(b) && j != first || fl.next(i, j) >= 0 {
					mark(j)
				}
			}
		}
	}
}

// divergent reports a branch that lanes may leave in two directions.
func divergent(b *ir.Block) bool {
	return b.Term == ir.Cond && !uniform(b.Cond) && b.Succs[0] != b.Succs[1]
}

// findFull marks the blocks at which all lanes of the immediate dominator have
// arrived, so that the mask can't be empty there.
func (fl *flow) findFull() {
	fl.full = make([]bool, len(fl.order))
	for x := 1; x < len(fl.order); x++ {
		fl.full[x] = fl.closed(fl.idom[x], x)
	}
}

// closed reports that control, once in [from, to), leaves it only to place to.
func (fl *flow) closed(from, to int) bool {
	for k := from; k < to; k++ {
		if !fl.dominates(from, k) {
			return false
		}
		b := fl.order[k]
		if len(b.Succs) == 0 {
			return false
		}
		for _, s := range b.Succs {
			if j := fl.pos[s.ID]; j > to || j < from {
				return false
			}
		}
	}
	return true
}

func (fl *flow) dominates(a, b int) bool {
	for b > a {
		b = fl.idom[b]
	}
	return a == b
}

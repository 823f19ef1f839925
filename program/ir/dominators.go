package ir

// An Order lists the blocks that control can reach, such that those of a construct are consecutive, with their
// dominators. It describes the function at the time when the order was made.
//
// It is the reverse post-order of a walk that visits a header's merge block
// first, then its continue target, then its successors from the last to the
// first: so the first successor is next to the header, the continue target
// after the loop's body, and the merge block after the whole construct.
type Order struct {
	Blocks   []*Block
	Position []int // block id -> place in Blocks, -1 when unreachable
	Idom     []int // place -> place of the immediate dominator; the entry's is itself

	preorder, postorder []int // place -> when a walk of the dominator tree enters it, and leaves it after the blocks below
}

// NewOrder orders the blocks of f.
func NewOrder(f *Func) *Order {
	o := &Order{Position: make([]int, f.NumBlocks())}
	for i := range o.Position {
		o.Position[i] = -1
	}
	o.walk(f)
	for i, b := range o.Blocks {
		o.Position[b.ID] = i
	}
	o.Idom = newSemiTree(o).dominators(o)
	o.number()
	return o
}

// walk lists the blocks without recursion: modules nest deep.
func (o *Order) walk(f *Func) {
	reach := reachable(f)
	seen := make([]bool, f.NumBlocks())
	type step struct {
		b    *Block
		next int // the next block to visit from b
	}
	seen[f.Blocks[0].ID] = true
	stack := []step{{b: f.Blocks[0]}}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		b, more := top.b.visit(top.next)
		top.next++
		switch {
		case !more:
			o.Blocks = append(o.Blocks, top.b)
			stack = stack[:len(stack)-1]
		case b != nil && reach[b.ID] && !seen[b.ID]:
			seen[b.ID] = true
			stack = append(stack, step{b: b})
		}
	}
	for i, j := 0, len(o.Blocks)-1; i < j; i, j = i+1, j-1 {
		o.Blocks[i], o.Blocks[j] = o.Blocks[j], o.Blocks[i]
	}
}

// visit returns the i-th block to visit from b (nil: none), and whether there is an i-th.
func (b *Block) visit(i int) (*Block, bool) {
	switch i {
	case 0:
		return b.Merge, true
	case 1:
		return b.Continue, true
	}
	if k := len(b.Succs) + 1 - i; k >= 0 {
		return b.Succs[k], true
	}
	return nil, false
}

func reachable(f *Func) []bool {
	reach := make([]bool, f.NumBlocks())
	reach[f.Blocks[0].ID] = true
	work := []*Block{f.Blocks[0]}
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

// number walks the dominator tree. A block is after its dominator, so that
// the walk needs no stack: how many stand below each comes first.
func (o *Order) number() {
	n := len(o.Blocks)
	o.preorder, o.postorder = make([]int, n), make([]int, n)
	below := make([]int, n) // with itself
	for i := n - 1; i >= 0; i-- {
		if below[i]++; i > 0 {
			below[o.Idom[i]] += below[i]
		}
	}
	free := make([]int, n) // place -> the next number below it
	for i := range n {
		if i > 0 {
			o.preorder[i] = free[o.Idom[i]]
			free[o.Idom[i]] += below[i]
		}
		free[i], o.postorder[i] = o.preorder[i]+1, o.preorder[i]+below[i]
	}
}

// Dominates reports that every way to place b passes place a.
func (o *Order) Dominates(a, b int) bool {
	return o.preorder[a] <= o.preorder[b] && o.preorder[b] < o.postorder[a]
}

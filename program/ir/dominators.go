package ir

// Dominators gives the immediate dominator of each block that control can
// reach; the entry block is its own. (Cooper, Harvey and Kennedy, "A Simple,
// Fast Dominance Algorithm".)
func Dominators(f *Func) map[*Block]*Block {
	order := ReversePostOrder(f)
	number := make(map[*Block]int, len(order))
	for i, b := range order {
		number[b] = i
	}
	idom := map[*Block]*Block{order[0]: order[0]}
	for changed := true; changed; {
		changed = false
		for _, b := range order[1:] {
			var d *Block
			for _, p := range b.Preds {
				if idom[p] == nil {
					continue
				}
				if d == nil {
					d = p
				} else {
					d = common(d, p, idom, number)
				}
			}
			if d != nil && idom[b] != d {
				idom[b], changed = d, true
			}
		}
	}
	return idom
}

func common(x, y *Block, idom map[*Block]*Block, number map[*Block]int) *Block {
	for x != y {
		for number[x] > number[y] {
			x = idom[x]
		}
		for number[y] > number[x] {
			y = idom[y]
		}
	}
	return x
}

// ReversePostOrder lists the blocks that control can reach in an order in
// which those of a construct stand together: its header first, and of the ways
// out of a block its merge target last, before it the continue target.
func ReversePostOrder(f *Func) []*Block {
	type step struct {
		b    *Block
		next []*Block
	}
	seen := map[*Block]bool{f.Blocks[0]: true}
	stack := []step{{f.Blocks[0], walkOrder(f.Blocks[0])}}
	var post []*Block
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if len(top.next) == 0 {
			post = append(post, top.b)
			stack = stack[:len(stack)-1]
			continue
		}
		b := top.next[0]
		top.next = top.next[1:]
		if !seen[b] {
			seen[b] = true
			stack = append(stack, step{b, walkOrder(b)})
		}
	}
	for i, j := 0, len(post)-1; i < j; i, j = i+1, j-1 {
		post[i], post[j] = post[j], post[i]
	}
	return post
}

// walkOrder lists what to visit from a block, those first that shall come last
// in the order: merge, continue target, then the successors from the last on.
// Merge and continue targets that only the construct's blocks lead to are
// visited from the header too, when control can reach them at all.
func walkOrder(b *Block) []*Block {
	var next []*Block
	for _, t := range []*Block{b.Merge, b.Continue} {
		if t != nil && len(t.Preds) > 0 {
			next = append(next, t)
		}
	}
	for i := len(b.Succs) - 1; i >= 0; i-- {
		next = append(next, b.Succs[i])
	}
	return next
}

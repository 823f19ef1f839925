package validate

// A domTree is the dominator tree of a graph whose nodes are numbered from 0,
// the entry. Nodes that the entry does not reach are in no tree.
type domTree struct {
	idom    []int32 // immediate dominator; -1 for the entry and for nodes that are not reached
	order   []int32 // nodes in depth-first order from the entry
	num     []int32 // position of a node in order, -1 if not reached
	last    []int32 // greatest position in order of a node below it in the search
	in, out []int32 // interval of the node in a walk of the dominator tree
}

func (t *domTree) reached(n int32) bool { return t.num[n] >= 0 }

// dominates reports whether every path from the entry to b leads through a. It is false for nodes that are not reached.
func (t *domTree) dominates(a, b int32) bool {
	return t.reached(a) && t.reached(b) && t.in[a] <= t.in[b] && t.out[b] <= t.out[a]
}

// isSearchAncestor reports whether a is an ancestor of b in the search, so that an edge
// from b to a leads back.
func (t *domTree) isSearchAncestor(a, b int32) bool {
	return t.num[a] <= t.num[b] && t.num[b] <= t.last[a]
}

// newDomTree uses the algorithm of Georgiadis ("Linear-Time Algorithms for
// Dominators and Related Problems", 2005: semi-NCA), near linear in practice.
func newDomTree(succ [][]int32) *domTree {
	n := len(succ)
	t := &domTree{idom: fill(n), num: fill(n), last: fill(n), in: make([]int32, n), out: make([]int32, n)}
	parent := t.search(succ)
	semi := t.semidominators(succ, parent)
	for i, v := range t.order {
		if i == 0 {
			continue
		}
		d := parent[i]
		for d > semi[i] {
			d = t.num[t.idom[t.order[d]]]
		}
		t.idom[v] = t.order[d]
	}
	t.intervals()
	return t
}

func fill(n int) []int32 {
	list := make([]int32, n)
	for i := range list {
		list[i] = -1
	}
	return list
}

// search numbers the nodes in depth-first order; it returns the parents, by
// number.
func (t *domTree) search(succ [][]int32) []int32 {
	type step struct{ node, next int32 }
	parent := make([]int32, 0, len(succ))
	visit := func(v, from int32) step {
		t.num[v] = int32(len(t.order))
		t.order, parent = append(t.order, v), append(parent, from)
		return step{node: v}
	}
	stack := []step{visit(0, 0)}
	for len(stack) > 0 {
		s := &stack[len(stack)-1]
		if int(s.next) == len(succ[s.node]) {
			t.last[s.node] = int32(len(t.order)) - 1
			stack = stack[:len(stack)-1]
			continue
		}
		w, from := succ[s.node][s.next], t.num[s.node]
		s.next++
		if t.num[w] < 0 {
			stack = append(stack, visit(w, from))
		}
	}
	return parent
}

// semidominators works on numbers of the search, not on nodes.
func (t *domTree) semidominators(succ [][]int32, parent []int32) []int32 {
	n := len(t.order)
	pred := make([][]int32, n)
	for _, v := range t.order {
		for _, w := range succ[v] {
			pred[t.num[w]] = append(pred[t.num[w]], t.num[v])
		}
	}
	f := forest{up: append([]int32(nil), parent...), semi: make([]int32, n), label: make([]int32, n)}
	for i := range f.semi {
		f.semi[i], f.label[i] = int32(i), int32(i)
	}
	for v := int32(n) - 1; v > 0; v-- {
		for _, u := range pred[v] {
			f.semi[v] = min(f.semi[v], f.semi[f.eval(u, v)])
		}
	}
	return f.semi
}

// forest holds the part of the search tree that is done, with its paths
// compressed.
type forest struct {
	up, semi, label []int32
	path            []int32
}

// eval returns the node of least semidominator on the path up from u, among those numbered above limit.
func (f *forest) eval(u, limit int32) int32 {
	if u <= limit {
		return u
	}
	f.path = f.path[:0]
	for ; f.up[u] > limit; u = f.up[u] {
		f.path = append(f.path, u)
	}
	best := f.label[u]
	if f.semi[best] > f.semi[u] {
		best = u
	}
	f.label[u] = best
	root := f.up[u]
	for i := len(f.path) - 1; i >= 0; i-- {
		v := f.path[i]
		if f.semi[f.label[v]] < f.semi[best] {
			best = f.label[v]
		}
		f.label[v], f.up[v] = best, root
	}
	return best
}

// intervals numbers the tree so that a node's interval contains those of the nodes that it dominates. A dominator
// precedes in the order of the search, so sizes add up backwards.
func (t *domTree) intervals() {
	size := make([]int32, len(t.idom))
	for i := len(t.order) - 1; i >= 0; i-- {
		v := t.order[i]
		size[v]++
		if i > 0 {
			size[t.idom[v]] += size[v]
		}
	}
	next := make([]int32, len(t.idom))
	for i, v := range t.order {
		if i > 0 {
			d := t.idom[v]
			t.in[v] = next[d]
			next[d] += size[v]
		}
		t.out[v] = t.in[v] + size[v] - 1
		next[v] = t.in[v] + 1
	}
}

package ir

// A semiTree is a depth-first walk of the control flow from which the algorithm SemiNCA (Georgiadis and Tarjan,
// "Finding dominators revisited", 2004) computes dominators: semidominators as in Lengauer and Tarjan, with path
// compression, and as dominator of each block its nearest ancestor that is not below its semidominator. Numbers are in
// the order of the walk; the entry is 0.
type semiTree struct {
	position []int // number -> place
	number   []int // place -> number
	parent   []int // number -> the number from which the walk came, later an ancestor to which the path is compressed
	semi     []int // number -> semidominator
	label    []int // number -> the number with the least semidominator on the compressed path
	way      []int // scratch of eval
}

func newSemiTree(o *Order) *semiTree {
	n := len(o.Blocks)
	s := &semiTree{position: make([]int, 0, n), number: make([]int, n), parent: make([]int, 0, n), semi: make([]int, n), label: make([]int, n)}
	for i := range n {
		s.number[i], s.semi[i], s.label[i] = -1, i, i
	}
	type edge struct{ place, from int }
	for stack := []edge{{}}; len(stack) > 0; {
		e := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if s.number[e.place] >= 0 {
			continue
		}
		at := len(s.position)
		s.number[e.place] = at
		s.position, s.parent = append(s.position, e.place), append(s.parent, e.from)
		for i := len(o.Blocks[e.place].Succs) - 1; i >= 0; i-- {
			stack = append(stack, edge{o.Position[o.Blocks[e.place].Succs[i].ID], at})
		}
	}
	return s
}

// dominators returns, by place, the place of the immediate dominator.
func (s *semiTree) dominators(o *Order) []int {
	n := len(s.position)
	dom := append([]int(nil), s.parent...) // by number
	for w := n - 1; w > 0; w-- {
		s.semi[w] = s.parent[w]
		for _, p := range o.Blocks[s.position[w]].Preds {
			if q := o.Position[p.ID]; q >= 0 {
				s.semi[w] = min(s.semi[w], s.semi[s.eval(s.number[q], w+1)])
			}
		}
	}
	places := make([]int, n)
	for w := 1; w < n; w++ {
		for dom[w] > s.semi[w] {
			dom[w] = dom[dom[w]]
		}
		places[s.position[w]] = s.position[dom[w]]
	}
	return places
}

// eval returns the number with the least semidominator on the path from v upwards, among those processed: from last on.
// It compresses the path, so that each is followed once.
func (s *semiTree) eval(v, last int) int {
	for s.way = s.way[:0]; s.parent[v] >= last; v = s.parent[v] {
		s.way = append(s.way, v)
	}
	for i := len(s.way) - 1; i >= 0; i-- {
		below := s.way[i]
		s.parent[below] = s.parent[v]
		if s.semi[s.label[v]] < s.semi[s.label[below]] {
			s.label[below] = s.label[v]
		}
		v = below
	}
	return s.label[v]
}

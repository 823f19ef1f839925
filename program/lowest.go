package program

import "math"

// A lowest holds numbers, many of them unset, and finds the first that is at most a bound. It is a binary tree of the
// minimum below each node: the root is node 1, and the children of node i are 2i and 2i+1.
type lowest struct {
	size int // number of leaves: a power of two
	tree []int
}

func newLowest(n int) lowest {
	l := lowest{size: 1}
	for l.size < n {
		l.size *= 2
	}
	l.tree = make([]int, 2*l.size)
	for i := range l.tree {
		l.tree[i] = math.MaxInt
	}
	return l
}

// set lowers number i to a value, which is at most its present one.
func (l *lowest) set(i, value int) {
	for i += l.size; i > 0; i /= 2 {
		l.tree[i] = min(l.tree[i], value)
	}
}

// first returns the index of the first number in [lo, hi) that is at most bound; -1 if none.
func (l *lowest) first(lo, hi, bound int) int {
	if lo >= hi {
		return -1
	}
	node := lo + l.size
	for l.tree[node] > bound { // on to the next subtree to the right
		for node&1 == 1 {
			if node /= 2; node <= 1 {
				return -1
			}
		}
		node++
	}
	for node < l.size {
		if node *= 2; l.tree[node] > bound {
			node++
		}
	}
	if i := node - l.size; i < hi {
		return i
	}
	return -1
}

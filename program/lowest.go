package program

import "math"

// A lowest is a list of numbers, of which many have no value, that finds the
// first one up to a bound: a binary tree of the least below each node. The root
// is node 1, and the children of node i are 2i and 2i+1.
type lowest struct {
	size int // of the leaves: a power of two
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

// set gives number i a value, no higher than the one that it has.
func (l *lowest) set(i, value int) {
	for i += l.size; i > 0; i /= 2 {
		l.tree[i] = min(l.tree[i], value)
	}
}

// first is the first of the numbers from lo to before hi that is bound at most; -1: none is.
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

package validate

import (
	"math/rand/v2"
	"testing"
)

// reaches returns the nodes that paths from the entry lead to which avoid a node; -1: none.
func reaches(succ [][]int32, without int32) []bool {
	found := make([]bool, len(succ))
	var walk func(v int32)
	walk = func(v int32) {
		if v == without || found[v] {
			return
		}
		found[v] = true
		for _, w := range succ[v] {
			walk(w)
		}
	}
	walk(0)
	return found
}

// searched returns the ancestors of each node in the search that follows edges in their order, itself among them.
func searched(succ [][]int32) []map[int32]bool {
	above := make([]map[int32]bool, len(succ))
	var walk func(v int32, path []int32)
	walk = func(v int32, path []int32) {
		path = append(path, v)
		above[v] = map[int32]bool{}
		for _, p := range path {
			above[v][p] = true
		}
		for _, w := range succ[v] {
			if above[w] == nil {
				walk(w, path)
			}
		}
	}
	walk(0, nil)
	return above
}

// A node dominates those that no path from the entry reaches without it, and is above those that the search finds below it.
func TestDominatorsByTheirDefinition(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 5))
		n := 1 + r.IntN(12)
		succ := make([][]int32, n)
		for i := range succ {
			for range r.IntN(4) {
				succ[i] = append(succ[i], r.Int32N(int32(n)))
			}
		}
		tree, all, above := newDomTree(succ), reaches(succ, -1), searched(succ)
		for a := range int32(n) {
			left := reaches(succ, a)
			if tree.reached(a) != all[a] {
				t.Fatalf("%v: node %d is reached: %t", succ, a, tree.reached(a))
			}
			for b := range int32(n) {
				if got, want := tree.dominates(a, b), all[a] && all[b] && !left[b]; got != want {
					t.Fatalf("%v: %d dominates %d: %t, want %t", succ, a, b, got, want)
				}
				if all[a] && all[b] && tree.isSearchAncestor(a, b) != above[b][a] {
					t.Fatalf("%v: %d is above %d: %t, want %t", succ, a, b, !above[b][a], above[b][a])
				}
			}
		}
	}
}

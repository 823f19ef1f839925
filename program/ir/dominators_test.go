package ir

import (
	"math/rand/v2"
	"testing"
)

// flowOf returns a function of the given edges, from block to block; the first block is the entry.
func flowOf(n int, edges [][2]int) *Func {
	f := &Func{Name: "f"}
	for range n {
		f.NewBlock()
	}
	for _, e := range edges {
		from, to := f.Blocks[e[0]], f.Blocks[e[1]]
		from.Succs, to.Preds = append(from.Succs, to), append(to.Preds, from)
	}
	return f
}

// reachesWithout returns the blocks that control reaches when it can't enter one.
func reachesWithout(f *Func, without int) []bool {
	reached := make([]bool, len(f.Blocks))
	if without == 0 {
		return reached
	}
	reached[0] = true
	for work := []*Block{f.Blocks[0]}; len(work) > 0; {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		for _, s := range b.Succs {
			if s.ID != without && !reached[s.ID] {
				reached[s.ID] = true
				work = append(work, s)
			}
		}
	}
	return reached
}

// A block dominates what control does not reach without it: any graph, loops of several entries among them.
func TestDominatorsOfAnyGraph(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 400 {
		n := 1 + r.IntN(14)
		var edges [][2]int
		for range r.IntN(3 * n) {
			edges = append(edges, [2]int{r.IntN(n), r.IntN(n)})
		}
		f := flowOf(n, edges)
		o, all := NewOrder(f), reachesWithout(f, -1)
		for a := range n {
			without := reachesWithout(f, a)
			for b := range n {
				if all[a] && all[b] && o.Dominates(o.Position[a], o.Position[b]) == without[b] {
					t.Fatalf("round %d, edges %v: block %d dominates %d: %v", round, edges, a, b, without[b])
				}
			}
		}
	}
}

package opt

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"spvsim/program/ir"
)

// plainLoop finds a loop by itself, in the simplest form: what reaches the header again, then the arms, down the dominator tree.
func plainLoop(g *graph, l *loop) (round, members []bool) {
	n, p := len(g.Blocks), g.Position[l.header.ID]
	round = make([]bool, n)
	round[p] = true
	for changed := true; changed; {
		changed = false
		for q, b := range g.Blocks {
			back := func(s *ir.Block) bool { return s == l.header || round[g.Position[s.ID]] }
			if !round[q] && g.dominates(l.header, b) && slices.ContainsFunc(b.Succs, back) {
				round[q], changed = true, true
			}
		}
	}
	members = slices.Clone(round)
	if l.header.Continue == nil {
		return round, members
	}
	named := make([]bool, n)
	for _, b := range g.Blocks {
		for _, t := range []*ir.Block{b.Merge, b.Continue} {
			if g.reachable(t) && (b == l.header || !g.dominates(l.header, b)) {
				named[g.Position[t.ID]] = true
			}
		}
	}
	for _, q := range g.pre {
		dom := g.Idom[q]
		switch {
		case round[q] || named[q] || !g.dominates(l.header, g.Blocks[q]):
		case round[dom]:
			members[q] = g.entries(g.Blocks[q]) == 1 && !g.dominates(l.header.Continue, g.Blocks[dom])
		default:
			members[q] = members[dom]
		}
	}
	return round, members
}

// failing is a test, or one draw of a test.
type failing interface {
	Helper()
	Fatalf(format string, args ...any)
}

// sameLoops compares the loops of a function with those found one by one.
func sameLoops(t failing, f *ir.Func) {
	t.Helper()
	g := newGraph(f)
	inner := slices.Repeat([]int{-1}, len(g.Blocks))
	for i, l := range g.loops {
		round, members := plainLoop(g, l)
		if p := g.Position[l.header.ID]; l.parent != inner[p] {
			t.Fatalf("loop %d is in %d, want %d", i, l.parent, inner[p])
		}
		var blocks []*ir.Block
		for q := range g.Blocks {
			if l.goesRound(q) != round[q] || l.has(q) != members[q] {
				t.Fatalf("loop %d, place %d: round %v, part %v; want %v, %v", i, q, l.goesRound(q), l.has(q), round[q], members[q])
			}
			if members[q] {
				inner[q], blocks = i, append(blocks, g.Blocks[q])
			}
		}
		if !slices.Equal(slices.Collect(l.blocks), blocks) {
			t.Fatalf("loop %d lists other blocks", i)
		}
	}
	if !slices.Equal(g.inLoop, inner) {
		t.Fatalf("innermost loops %v, want %v", g.inLoop, inner)
	}
}

// The loops of a graph are those that are found one by one, from its edges alone and where constructs have arms.
func TestLoopsAsFoundOneByOne(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for done := 0; done < 300; {
		if f := anyFlow(t, r); inOrder(f) {
			sameLoops(t, f)
			done++
		}
	}
	rapid.Check(t, func(r *rapid.T) { sameLoops(r, program(t, r)) })
}

// inOrder reports whether blocks come after their dominators, as they do if the construct of each merge block is
// outside of the inner loops.
func inOrder(f *ir.Func) bool {
	for i, d := range ir.NewOrder(f).Idom {
		if d > i {
			return false
		}
	}
	return true
}

// anyFlow has any edges, and names any blocks as merge blocks and continue targets.
func anyFlow(t *testing.T, r *rand.Rand) *ir.Func {
	b := newBuilder(t)
	blocks := append([]*ir.Block{b.b}, b.blocks(1+r.IntN(13))...)
	some := func() *ir.Block { return blocks[1+r.IntN(len(blocks)-1)] }
	cond := b.ct(0, 0)
	for _, block := range blocks {
		b.at(block)
		switch r.IntN(6) {
		case 0:
			b.ret()
		case 1, 2:
			b.jump(some())
		default:
			b.cond(cond, some(), some(), nil)
		}
		if r.IntN(2) == 0 {
			block.Merge = some()
		}
		if r.IntN(3) == 0 {
			block.Continue = some()
		}
	}
	return b.f
}

// Nested loops have no lists of blocks: their memory grows linearly.
func TestNestedLoopsKeepNoBlocks(t *testing.T) {
	b := newBuilder(t)
	const n = 3000
	cond := b.c(1)
	var headers, latches, merges []*ir.Block
	for range n {
		bs := b.blocks(3)
		headers, latches, merges = append(headers, bs[0]), append(latches, bs[1]), append(merges, bs[2])
		b.jump(bs[0])
		b.at(bs[0])
		bs[0].Merge, bs[0].Continue = bs[2], bs[1]
	}
	for i := n - 1; i >= 0; i-- {
		b.jump(latches[i])
		b.at(latches[i])
		b.cond(cond, headers[i], merges[i], nil)
		b.at(merges[i])
	}
	b.ret()
	g := newGraph(b.f)
	if deepest := g.loops[n-1]; len(g.loops) != n || deepest.depth != n {
		t.Fatalf("%d loops, the last %d deep: want %[3]d of both", len(g.loops), deepest.depth, n)
	}
	kept := 0
	for _, l := range g.loops {
		kept += len(l.arms)
	}
	if kept != 0 {
		t.Errorf("%d blocks are in lists of loops, want 0", kept)
	}
}

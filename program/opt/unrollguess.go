package opt

import (
	"iter"
	"slices"

	"spvsim/isa"
	"spvsim/program/ir"
)

// guessTrips returns the trips that Mesa guesses for a loop whose counter is compared with an unknown value
// (nir_loop_analyze, guess_loop_limit): the length of the shortest array that the counter indexes. So many copies, each
// with its test, come before the loop (partial_unroll). The plan is empty if there is no guess.
func guessTrips(g *graph, l *loop, most int) unrolling {
	exit := onlyExit(g, l)
	if exit == nil || len(exit.Cond.Args) != 2 {
		return unrolling{}
	}
	for i, phi := range exit.Cond.Args {
		limit := exit.Cond.Args[1-i]
		if phi.Op != isa.Phi || phi.Block != l.header || !addsTo(phi.Args[predOf(l.header, l.latch)], phi) {
			continue
		}
		if n := shortestIndexed(l, phi); n > 0 && n <= most {
			if trips := simulate(g, l, exit, n, map[*ir.Value]uint64{limit: uint64(n)}); trips > 0 {
				return unrolling{exit, trips, phi}
			}
		}
	}
	return unrolling{}
}

// onlyExit returns the one exit of the loop, if every iteration passes it.
func onlyExit(g *graph, l *loop) (exit *ir.Block) {
	for b := range l.blocks {
		if b.Term != ir.Cond || !l.goesRound(g.Position[b.ID]) || goesRound(g, l, b, 0) == goesRound(g, l, b, 1) {
			continue
		}
		if exit != nil || !g.dominates(b, l.latch) {
			return nil
		}
		exit = b
	}
	return exit
}

// shortestIndexed returns the length of the shortest array that the counter indexes in the loop, 0 if there is none.
func shortestIndexed(l *loop, counter *ir.Value) (shortest int) {
	for _, a := range indexedArrays(l, counter) {
		if n := int(a.Length); shortest == 0 || n < shortest {
			shortest = n
		}
	}
	return shortest
}

// dropOutside removes from the loop behind the copies of a guess the accesses to variables and the LDS that its counter indexes,
// which is past the array's length there (remove_out_of_bounds_induction_use). What they load is not defined. Mesa does so
// in buffers too, where this package leaves the access, so that it is reported.
func (c *copier) dropOutside() {
	gone := map[*ir.Value]bool{}
	for v, a := range indexedArrays(c.l, c.guess) {
		own := v.Mem.Space == isa.SpaceScratch || v.Mem.Space == isa.SpaceLDS
		if own && !v.Mem.Volatile && int(a.Length) <= c.last && risesFrom(v, c.guess) {
			gone[v] = true
		}
	}
	if len(gone) == 0 {
		return
	}
	names, constants := newRenaming(c.f), newPool(c.f)
	for b := range c.l.blocks {
		b.Code = slices.DeleteFunc(b.Code, func(v *ir.Value) bool { return gone[v] })
	}
	for v := range gone {
		if v.Op == isa.Load {
			names.set(v, constants.undef(v.R))
		}
	}
	constants.flush()
	names.apply(c.f)
}

// risesFrom reports that the address of an access adds nothing negative to its steps from the counter, so that it is not
// before the element that the counter names.
func risesFrom(v, counter *ir.Value) bool {
	_, index, _, _ := v.MemArgs()
	var rises func(v *ir.Value) bool
	rises = func(v *ir.Value) bool {
		switch {
		case v.Op == isa.Const:
			return int64(v.Imm<<(64-v.R.Bits())) >= 0
		case v.Op == isa.IAdd:
			return rises(v.Args[0]) && rises(v.Args[1])
		case v.Op == isa.Shl || v.Op == isa.IMul || v.Op == isa.UConvert || v.Op == isa.SConvert:
			return rises(v.Args[0])
		}
		return true
	}
	return int32(v.Mem.Offset) >= 0 && rises(index)
}

// indexedArrays yields the loads and stores of the loop with an array of known length that the counter indexes.
func indexedArrays(l *loop, counter *ir.Value) iter.Seq2[*ir.Value, ir.Array] {
	return func(yield func(*ir.Value, ir.Array) bool) {
		for b := range l.blocks {
			for _, v := range b.Code {
				if (v.Op != isa.Load && v.Op != isa.Store) || !v.Mem.HasIndex {
					continue
				}
				_, index, _, _ := v.MemArgs()
				for _, a := range v.Mem.Arrays {
					if a.Length > 0 && stepOf(index, counter, 1, 0) == a.Stride && !yield(v, a) {
						return
					}
				}
			}
		}
	}
}

// stepOf returns the increment of an address when a counter grows by one; 0 if it does not depend on the counter in a
// recognized way.
func stepOf(v, counter *ir.Value, scale uint32, depth int) uint32 {
	switch {
	case v == counter:
		return scale
	case depth > 6 || len(v.Args) == 0:
		return 0
	case v.Op == isa.Shl && v.Args[1].Op == isa.Const:
		return stepOf(v.Args[0], counter, scale<<v.Args[1].Imm, depth+1)
	case v.Op == isa.IMul && v.Args[1].Op == isa.Const:
		return stepOf(v.Args[0], counter, scale*uint32(v.Args[1].Imm), depth+1)
	case v.Op == isa.UConvert, v.Op == isa.SConvert:
		return stepOf(v.Args[0], counter, scale, depth+1)
	case v.Op == isa.IAdd:
		return max(stepOf(v.Args[0], counter, scale, depth+1), stepOf(v.Args[1], counter, scale, depth+1))
	}
	return 0
}

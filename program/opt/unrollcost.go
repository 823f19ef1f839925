package opt

import (
	"slices"

	"spvsim/isa"
	"spvsim/program/ir"
)

// Limits of the cost of an unrolled loop. Where buffers are descriptors, the compiler is Mesa's (nir_opt_loop_unroll,
// nir_loop_analyze): 26 instructions a trip for 32 trips, and four times both where one straight body loads from
// memory, so that the loads of several trips are in flight at once. Only counters that change by additions are
// recognized.
const (
	unrollTrips    = 32
	unrollPerTrip  = 26
	pipelineFactor = 4
	// hintedFactor is how much further LLVM unrolls a loop that the shader asks to unroll. Mesa has no limit for one;
	// hintedTrips and hintedValues only keep the time to compile in bounds.
	hintedFactor = 8
	hintedTrips  = 4096
	hintedValues = 1 << 16
	// keepLoop marks, as a header's Unroll, a loop that is not unrolled again.
	keepLoop = 2
)

// mayUnroll decides how a loop may be unrolled.
func mayUnroll(g *graph, l *loop, u *uses, o Options) unrolling {
	if !o.SelectBuffers {
		return mesaUnrolling(g, l, u, o)
	}
	trips, values := o.UnrollTrips, o.UnrollValues
	if l.header.Unroll == 1 {
		trips, values = trips*hintedFactor, values*hintedFactor
	}
	exit, n := tripCount(g, l, min(trips, values/max(loopSize(l), 1)))
	return unrolling{exit: exit, last: n}
}

// mesaUnrolling decides by Mesa's rules (check_unrolling_restrictions). A loop over a whole array in registers or scratch memory is unrolled whatever its
// body costs, so that the array's elements become values (force_unroll).
func mesaUnrolling(g *graph, l *loop, u *uses, o Options) unrolling {
	if o.UnrollTrips < 0 {
		return unrolling{}
	}
	cost, hinted := nirCost(l, u), l.header.Unroll == 1
	trips, values, most := o.UnrollTrips, o.UnrollValues, o.UnrollTrips
	switch {
	case hinted:
		trips, values = hintedTrips, hintedValues
	case pipelines(g, l):
		trips, values = trips*pipelineFactor, values*pipelineFactor
	}
	exit, n := tripCount(g, l, trips)
	if exit == nil {
		if !hinted {
			trips, values = o.UnrollTrips, o.UnrollValues
		}
		return guessTrips(g, l, min(trips, values/max(cost, 1)))
	}
	small := n*cost <= values || n <= most && indexesWhole(l, n)
	if !small || !plainExits(g, l) || !countedByAddition(l, exit) {
		return unrolling{}
	}
	return unrolling{exit: exit, last: n}
}

func loopSize(l *loop) int {
	n := 0
	for b := range l.blocks {
		for _, v := range b.Code {
			if !literal(v) {
				n++
			}
		}
	}
	return n
}

// nirCost counts as NIR does, where an access of several elements is one instruction and the steps of its address are none.
func nirCost(l *loop, u *uses) int {
	n := 0
	for b := range l.blocks {
		last := uint32(0)
		for _, v := range b.Code {
			switch {
			case literal(v), v.Op == isa.Proj, scalesAddress(v, u):
			case v.Mem != nil && v.SPIRV != 0 && v.SPIRV == last: // another element
			default:
				n++
			}
			if v.Mem != nil {
				last = v.SPIRV
			}
		}
	}
	return n
}

// scalesAddress reports whether v is a step from an index to an address, used by addresses only.
func scalesAddress(v *ir.Value, u *uses) bool {
	if v.Op != isa.IMul && v.Op != isa.Shl && v.Op != isa.IAdd || !hasConst(v) && !scaled(v) {
		return false
	}
	for _, w := range u.users(v) {
		address := w.Mem != nil && w.Mem.HasIndex && w.Args[0] == v
		if !address && (w.Op != isa.IAdd || !addressOnly(w, u)) {
			return false
		}
	}
	return true
}

func hasConst(v *ir.Value) bool { return v.Args[0].Op == isa.Const || v.Args[1].Op == isa.Const }

func scaled(v *ir.Value) bool {
	return slices.ContainsFunc(v.Args, func(a *ir.Value) bool { return (a.Op == isa.IMul || a.Op == isa.Shl) && hasConst(a) })
}

func addressOnly(v *ir.Value, u *uses) bool {
	return !slices.ContainsFunc(u.users(v), func(w *ir.Value) bool { return w.Mem == nil || !w.Mem.HasIndex || w.Args[0] != v })
}

// pipelines reports whether the loop has one exit, no other branch, and a load from memory at a computed address.
func pipelines(g *graph, l *loop) bool {
	exits, loads := 0, false
	for b := range l.blocks {
		if b.Term == ir.Cond {
			exits++
			if goesRound(g, l, b, 0) == goesRound(g, l, b, 1) {
				return false
			}
		}
		for _, v := range b.Code {
			buffer := v.Mem != nil && (v.Mem.Space == isa.SpaceBuffer || v.Mem.Space == isa.SpaceFlat)
			loads = loads || v.Op == isa.Load && buffer && v.Mem.HasIndex || v.Op.Has(isa.FlagSamples) && v.Op != isa.ImageQueryLod
		}
	}
	return exits == 1 && loads
}

// indexesWhole reports that a counter of the loop indexes a variable of as many elements as the loop has trips.
func indexesWhole(l *loop, trips int) bool {
	back := predOf(l.header, l.latch)
	for _, phi := range l.header.Phis {
		if !addsTo(phi.Args[back], phi) {
			continue
		}
		for v, a := range indexedArrays(l, phi) {
			if v.Mem.Space == isa.SpaceScratch && a.Length == uint32(trips) {
				return true
			}
		}
	}
	return false
}

// plainExits reports that the loop is left at one place or two, which every iteration passes.
func plainExits(g *graph, l *loop) bool {
	exits := 0
	for b := range l.blocks {
		if b.Term != ir.Cond || !l.goesRound(g.Position[b.ID]) || goesRound(g, l, b, 0) == goesRound(g, l, b, 1) {
			continue
		}
		if exits++; exits > 2 || !g.dominates(b, l.latch) {
			return false
		}
	}
	return true
}

// countedByAddition reports whether the operands of the exit's condition change by additions of constants alone.
func countedByAddition(l *loop, exit *ir.Block) bool {
	back := predOf(l.header, l.latch)
	var counts func(v *ir.Value, depth int) bool
	counts = func(v *ir.Value, depth int) bool {
		if v.Op == isa.Const || depth == 0 {
			return v.Op == isa.Const
		}
		if v.Op == isa.Phi {
			return v.Block != l.header || addsTo(v.Args[back], v)
		}
		for _, a := range v.Args {
			if !counts(a, depth-1) {
				return false
			}
		}
		return len(v.Args) > 0
	}
	return counts(exit.Cond, 4)
}

func addsTo(v, phi *ir.Value) bool {
	return (v.Op == isa.IAdd || v.Op == isa.ISub || v.Op == isa.FAdd) && hasConst(v) && (v.Args[0] == phi || v.Args[1] == phi)
}

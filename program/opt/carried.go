package opt

import (
	"slices"

	"spvsim/isa"
	"spvsim/program/ir"
)

// carryLoads lets a loop carry what it would load from the place at which its one store of an iteration wrote the value of
// the iteration before. Only the first is loaded, before the loop: LLVM's GVN, by partial redundancy elimination of loads.
func carryLoads(f *ir.Func, o Options) bool {
	if !o.SelectBuffers {
		return false
	}
	g, r := newGraph(f), newRenaming(f)
	for i, l := range g.loops {
		if !g.isInnermost(i) || l.latch == nil || len(l.header.Preds) != 2 {
			continue
		}
		store := onlyStore(g, l)
		if store == nil {
			continue
		}
		if load := loadBefore(g, l, store); load != nil {
			h, back := l.header, predOf(l.header, l.latch)
			first := f.NewValue(isa.Load, load.T, load.R, slices.Clone(load.Args)...)
			mem := *load.Mem
			mem.Speculative = true // the loop may run no iteration
			first.Mem, first.Origin = &mem, load.Origin
			h.Preds[1-back].Append(first)
			phi := f.NewValue(isa.Phi, load.R, load.R, first, first)
			phi.Args[back] = storedValue(store)
			phi.Block, phi.Origin = h, load.Origin
			h.Phis = append(h.Phis, phi)
			r.set(load, phi)
		}
	}
	return r.apply(f)
}

func storedValue(store *ir.Value) *ir.Value {
	_, _, _, data := store.MemArgs()
	return data[0]
}

// onlyStore returns the one operation of a loop that writes memory, if it stores to a buffer in every iteration and nothing
// lets other invocations write in between.
func onlyStore(g *graph, l *loop) (store *ir.Value) {
	for b := range l.blocks {
		for _, v := range b.Code {
			switch {
			case fence(v):
				return nil
			case !v.Op.Has(isa.FlagWrites):
			case store != nil || v.Op != isa.Store || v.Mem.Space != isa.SpaceBuffer || v.Mem.Coherent || !g.dominates(b, l.latch):
				return nil
			default:
				store = v
			}
		}
	}
	return store
}

// loadBefore returns a load that comes before the store in each iteration, from the same place in all.
func loadBefore(g *graph, l *loop, store *ir.Value) *ir.Value {
	for _, b := range g.Blocks {
		if !g.contains(l, b) || !g.dominates(b, store.Block) {
			continue
		}
		for _, v := range b.Code {
			if v == store {
				return nil
			}
			if v.Op == isa.Load && v.R == storedValue(store).R && !v.Mem.Coherent && sameAddress(v, store) && invariant(g, l, v) {
				return v
			}
		}
	}
	return nil
}

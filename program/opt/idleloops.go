package opt

import (
	"slices"

	"spvsim/isa"
	"spvsim/program/ir"
)

// removeIdleLoops removes stores of values that are not defined, as Mesa does (nir_opt_undef), then loops that change nothing and whose values nothing
// after them uses (nir_opt_dead_cf): lanes go on after them at once.
func removeIdleLoops(f *ir.Func) (changed bool) {
	for _, b := range f.Blocks {
		n := len(b.Code)
		b.Code = slices.DeleteFunc(b.Code, storesUndef)
		changed = changed || len(b.Code) < n
	}
	g := newGraph(f)
	if len(g.loops) == 0 {
		return changed
	}
	d := &divergenceAnalysis{f: f, g: g, u: newUses(f)}
	end := 0 // of the last loop removed, by place in preorder
	for _, l := range g.loops {
		if l.first < end {
			continue
		}
		if after := d.afterIdle(l); after != nil {
			removeLoop(l, after)
			end, changed = l.last, true
		}
	}
	if changed {
		removeUnreachable(f)
		trivialPhis(f)
	}
	return changed
}

func storesUndef(v *ir.Value) bool {
	if v.Op != isa.Store || v.Mem.Volatile {
		return false
	}
	_, _, _, data := v.MemArgs()
	return !slices.ContainsFunc(data, func(a *ir.Value) bool { return a.Op != isa.Undef })
}

// afterIdle returns the block that all exits of a loop lead to, if the loop has no effect and no value that is used after it.
func (d *divergenceAnalysis) afterIdle(l *loop) (after *ir.Block) {
	for b := range l.blocks {
		if b.Term != ir.Cond && b.Term != ir.Jump || slices.ContainsFunc(b.Code, hasSideEffect) || slices.ContainsFunc(b.Code, seesOthers) {
			return nil
		}
		for _, s := range b.Succs {
			if d.g.contains(l, s) || s == after {
				continue
			}
			if after != nil {
				return nil
			}
			after = s
		}
		for _, v := range slices.Concat(b.Phis, b.Code) {
			if d.exitOf(v, l) != staysInside {
				return nil
			}
		}
	}
	if after == nil || !d.sameFromLoop(l, after) {
		return nil
	}
	return after
}

// seesOthers reports a load of memory that other invocations may write, even if this shader does not: a loop may wait for what they write
// (nir_opt_dead_cf keeps loops with such loads).
func seesOthers(v *ir.Value) bool {
	return v.Mem != nil && !v.Mem.NonWritable && v.Mem.Space != isa.SpaceScratch && v.Mem.Space != isa.SpacePush && v.Mem.Space != isa.SpaceTable
}

// sameFromLoop reports that the phis of the block after a loop do not tell its exits apart.
func (d *divergenceAnalysis) sameFromLoop(l *loop, after *ir.Block) bool {
	for _, phi := range after.Phis {
		var first *ir.Value
		for k, p := range after.Preds {
			if !d.g.contains(l, p) {
				continue
			}
			if first != nil && phi.Args[k] != first || !literal(phi.Args[k]) && d.g.contains(l, phi.Args[k].Block) {
				return false
			}
			first = phi.Args[k]
		}
	}
	return true
}

// removeLoop leads from the header to the block after the loop. The other blocks are then unreachable.
func removeLoop(l *loop, after *ir.Block) {
	h := l.header
	args := make([]*ir.Value, len(after.Phis))
	for b := range l.blocks {
		for i, s := range b.Succs {
			if s == after {
				k := predOf(after, b)
				for n, phi := range after.Phis {
					args[n] = phi.Args[k]
				}
				dropEdge(b, i)
			}
		}
	}
	for i, s := range h.Succs {
		if s != after {
			dropEdge(h, i)
		}
	}
	h.Phis, h.Code, h.Merge, h.Continue, h.Unroll = nil, nil, nil, nil, 0
	h.Term, h.Cond, h.Succs = ir.Jump, nil, []*ir.Block{after}
	after.Preds = append(after.Preds, h)
	for n, phi := range after.Phis {
		phi.Args = append(phi.Args, args[n])
	}
}

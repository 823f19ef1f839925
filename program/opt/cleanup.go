package opt

import (
	"slices"

	"spvsim/isa"
	"spvsim/program/ir"
)

// cleanup removes unreachable blocks and unused values, and joins blocks that always follow each other.
func cleanup(f *ir.Func, _ Options) bool {
	changed := foldBranches(f)
	changed = removeUnreachable(f) || changed
	changed = trivialPhis(f) || changed
	changed = threadJumps(f) || changed
	changed = dropMerges(f) || changed
	changed = joinBlocks(f) || changed
	return removeDead(f) || changed
}

// foldBranches turns branches on constants, and branches with both edges to one block, into jumps.
func foldBranches(f *ir.Func) bool {
	changed := false
	for _, b := range f.Blocks {
		if b.Term != ir.Cond {
			continue
		}
		switch {
		case b.Succs[0] == b.Succs[1] && samePhiArgs(b):
			keepEdge(b, 0)
		case b.Cond.Op == isa.Const:
			keepEdge(b, int(1-b.Cond.Imm&1))
		case b.Cond.Op == isa.Undef:
			keepEdge(b, 1)
		default:
			continue
		}
		changed = true
	}
	return changed
}

// samePhiArgs reports that the phis of b's only successor do not tell b's two
// edges apart.
func samePhiArgs(b *ir.Block) bool {
	s := b.Succs[0]
	first := -1
	for k, p := range s.Preds {
		if p != b {
			continue
		}
		if first < 0 {
			first = k
			continue
		}
		for _, phi := range s.Phis {
			if phi.Args[k] != phi.Args[first] {
				return false
			}
		}
	}
	return true
}

func keepEdge(b *ir.Block, i int) {
	dropEdge(b, 1-i)
	b.Term, b.Cond, b.Succs = ir.Jump, nil, []*ir.Block{b.Succs[i]}
}

// removeUnreachable drops the blocks that no path from the entry reaches, and
// the constructs that named them.
func removeUnreachable(f *ir.Func) bool {
	live := make([]bool, f.NumBlocks())
	work := []*ir.Block{f.Blocks[0]}
	live[f.Blocks[0].ID] = true
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		for _, s := range b.Succs {
			if !live[s.ID] {
				live[s.ID] = true
				work = append(work, s)
			}
		}
	}
	before := len(f.Blocks)
	f.Blocks = slices.DeleteFunc(f.Blocks, func(b *ir.Block) bool { return !live[b.ID] })
	changed := len(f.Blocks) != before
	if changed {
		for _, b := range f.Blocks {
			dropDeadPreds(b, live)
		}
	}
	return changed
}

func dropDeadPreds(b *ir.Block, live []bool) {
	for k := len(b.Preds) - 1; k >= 0; k-- {
		if !live[b.Preds[k].ID] {
			dropPred(b, k)
		}
	}
	if b.Merge != nil && !live[b.Merge.ID] {
		b.Merge = nil
	}
	if b.Continue != nil && !live[b.Continue.ID] {
		b.Continue = nil
	}
}

// trivialPhis replaces phis whose arguments, other than the phi itself, are one value. Phis that use them may become
// trivial too.
func trivialPhis(f *ir.Func) bool {
	names := newRenaming(f)
	var work []*ir.Value
	for _, b := range f.Blocks {
		work = append(work, b.Phis...)
	}
	var users [][]*ir.Value // phis by the phi that they use; made when needed
	for i := 0; i < len(work); i++ {
		phi := work[i]
		if names.find(phi) != phi {
			continue
		}
		v := onlyArg(phi, names)
		if v == nil {
			continue
		}
		if users == nil {
			users = phiUsers(f)
		}
		names.set(phi, v)
		work = append(work, users[phi.ID]...)
		if v.Op == isa.Phi {
			users[v.ID] = append(users[v.ID], users[phi.ID]...)
		}
	}
	return names.apply(f)
}

func phiUsers(f *ir.Func) [][]*ir.Value {
	users := make([][]*ir.Value, f.NumValues())
	for _, b := range f.Blocks {
		for _, phi := range b.Phis {
			for _, a := range phi.Args {
				if a.Op == isa.Phi {
					users[a.ID] = append(users[a.ID], phi)
				}
			}
		}
	}
	return users
}

func onlyArg(phi *ir.Value, names *renaming) *ir.Value {
	var only *ir.Value
	for _, a := range phi.Args {
		a = names.find(a)
		if a == phi || a == only {
			continue
		}
		if only != nil {
			return nil
		}
		only = a
	}
	return only
}

// threadJumps skips empty blocks that one block leads to.
func threadJumps(f *ir.Func) bool {
	named := namedBlocks(f)
	gone := make([]bool, f.NumBlocks())
	changed := false
	for _, b := range f.Blocks[1:] {
		if b.Term != ir.Jump || len(b.Code)+len(b.Phis) > 0 || len(b.Preds) != 1 || named[b.ID] || b.Merge != nil {
			continue
		}
		p, s := b.Preds[0], b.Succs[0]
		if s == b || slices.Contains(s.Preds, p) {
			continue
		}
		p.Succs = redirect(p.Succs, b, s)
		replacePred(s, b, p)
		gone[b.ID], changed = true, true
	}
	if changed {
		f.Blocks = dropBlocks(f.Blocks, gone)
	}
	return changed
}

// namedBlocks marks the merge and continue blocks, by id.
func namedBlocks(f *ir.Func) []bool {
	named := make([]bool, f.NumBlocks())
	for _, b := range f.Blocks {
		for _, t := range []*ir.Block{b.Merge, b.Continue} {
			if t != nil {
				named[t.ID] = true
			}
		}
	}
	return named
}

// dropMerges forgets the merge block of a header that no longer branches, and
// at which no two paths meet. A merge block after a loop stays one: lanes that
// leave the loop in different iterations wait there.
func dropMerges(f *ir.Func) bool {
	var g *graph
	changed := false
	for _, b := range f.Blocks {
		if b.Merge == nil || b.Continue != nil || b.Term != ir.Jump || len(b.Merge.Preds) > 1 {
			continue
		}
		if g == nil {
			g = newGraph(f)
		}
		if len(b.Merge.Preds) == 0 || g.inLoop[g.Position[b.Merge.Preds[0].ID]] == g.inLoop[g.Position[b.ID]] {
			b.Merge, changed = nil, true
		}
	}
	return changed
}

// joinBlocks appends to a block its successor if no other block reaches it and no construct ends there. A continue
// target becomes a part of the body before it.
func joinBlocks(f *ir.Func) bool {
	named, headers := make([]bool, f.NumBlocks()), make([]*ir.Block, f.NumBlocks())
	for _, b := range f.Blocks {
		if b.Merge != nil {
			named[b.Merge.ID] = true
		}
		if b.Continue != nil {
			headers[b.Continue.ID] = b
		}
	}
	gone := make([]bool, f.NumBlocks())
	changed := false
	for _, b := range f.Blocks {
		for !gone[b.ID] && canJoin(b, named) {
			s := b.Succs[0]
			if h := headers[s.ID]; h == b {
				break
			} else if h != nil {
				h.Continue, headers[b.ID] = b, h
			}
			gone[s.ID] = true
			join(b, s)
			changed = true
		}
	}
	if changed {
		f.Blocks = dropBlocks(f.Blocks, gone)
	}
	return changed
}

func canJoin(b *ir.Block, named []bool) bool {
	if b.Term != ir.Jump {
		return false
	}
	s := b.Succs[0]
	return s != b && len(s.Preds) == 1 && !named[s.ID] && len(s.Phis) == 0 && (!isHeader(b) || !isHeader(s))
}

// isHeader reports whether b is the header of a construct. The merge block of some loops is unreachable.
func isHeader(b *ir.Block) bool { return b.Merge != nil || b.Continue != nil }

// join moves s, which follows b alone, into b.
func join(b, s *ir.Block) {
	for _, v := range s.Code {
		b.Append(v)
	}
	b.Term, b.Cond, b.Succs = s.Term, s.Cond, s.Succs
	if isHeader(s) {
		b.Merge, b.Continue, b.Unroll = s.Merge, s.Continue, s.Unroll
	}
	for _, t := range s.Succs {
		replacePred(t, s, b)
	}
}

func dropBlocks(blocks []*ir.Block, gone []bool) []*ir.Block {
	return slices.DeleteFunc(blocks, func(b *ir.Block) bool { return gone[b.ID] })
}

// removeDead removes the values that no effect depends on.
func removeDead(f *ir.Func) bool {
	live := make([]bool, f.NumValues())
	var work []*ir.Value
	need := func(v *ir.Value) {
		if !live[v.ID] {
			live[v.ID] = true
			work = append(work, v)
		}
	}
	for _, b := range f.Blocks {
		if b.Cond != nil {
			need(b.Cond)
		}
		for _, v := range b.Code {
			if hasSideEffect(v) {
				need(v)
			}
		}
	}
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		for _, a := range v.Args {
			need(a)
		}
	}
	changed := false
	for _, b := range f.Blocks {
		n := len(b.Phis) + len(b.Code)
		b.Phis, b.Code = onlyLive(b.Phis, live), onlyLive(b.Code, live)
		changed = changed || n != len(b.Phis)+len(b.Code)
	}
	return changed
}

func onlyLive(vs []*ir.Value, live []bool) []*ir.Value {
	return slices.DeleteFunc(vs, func(v *ir.Value) bool { return !live[v.ID] })
}

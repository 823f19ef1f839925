package opt

import (
	"spvsim/isa"
	"spvsim/program/ir"
)

// A renaming replaces values by others. Chains are followed, so a replacement
// may itself be replaced later.
type renaming struct {
	to  []*ir.Value
	any bool
}

func newRenaming(f *ir.Func) *renaming { return &renaming{to: make([]*ir.Value, f.NumValues())} }

func (r *renaming) set(from, to *ir.Value) {
	for from.ID >= len(r.to) {
		r.to = append(r.to, nil)
	}
	r.to[from.ID] = to
	r.any = true
}

// find returns the value that represents v now.
func (r *renaming) find(v *ir.Value) *ir.Value {
	if v.ID >= len(r.to) || r.to[v.ID] == nil {
		return v
	}
	end := r.to[v.ID]
	for end.ID < len(r.to) && r.to[end.ID] != nil {
		end = r.to[end.ID]
	}
	for v != end {
		v, r.to[v.ID] = r.to[v.ID], end
	}
	return end
}

func (r *renaming) args(v *ir.Value) {
	for i, a := range v.Args {
		v.Args[i] = r.find(a)
	}
}

// apply renames all uses and removes the renamed values from their blocks.
func (r *renaming) apply(f *ir.Func) bool {
	if !r.any {
		return false
	}
	for _, b := range f.Blocks {
		b.Phis, b.Code = r.list(b.Phis), r.list(b.Code)
		if b.Cond != nil {
			b.Cond = r.find(b.Cond)
		}
	}
	return true
}

func (r *renaming) list(vs []*ir.Value) []*ir.Value {
	kept := vs[:0]
	for _, v := range vs {
		if v.ID < len(r.to) && r.to[v.ID] != nil {
			continue
		}
		r.args(v)
		kept = append(kept, v)
	}
	clear(vs[len(kept):])
	return kept
}

type constKey struct {
	op   isa.Op
	t    isa.Type
	bits uint64
}

// A pool holds the constants of a function, one value each, at the head of the
// entry block, where they dominate every use.
type pool struct {
	f       *ir.Func
	have    map[constKey]*ir.Value
	created []*ir.Value
}

// newPool finds the constants that gatherConstants has put there.
func newPool(f *ir.Func) *pool {
	p := &pool{f: f, have: map[constKey]*ir.Value{}}
	for _, v := range f.Blocks[0].Code {
		if v.Op != isa.Const && v.Op != isa.Undef {
			break
		}
		p.have[constKey{v.Op, v.R, v.Imm}] = v
	}
	return p
}

func (p *pool) intern(op isa.Op, t isa.Type, bits uint64) *ir.Value {
	k := constKey{op, t, bits}
	if v := p.have[k]; v != nil {
		return v
	}
	v := p.f.NewValue(op, t, t)
	v.Imm, v.Block, v.Uniform = bits, p.f.Blocks[0], true
	p.have[k] = v
	p.created = append(p.created, v)
	return v
}

// constant returns the value of type t with the given bits.
func (p *pool) constant(t isa.Type, bits uint64) *ir.Value {
	return p.intern(isa.Const, t, bits&t.Mask())
}

func (p *pool) undef(t isa.Type) *ir.Value { return p.intern(isa.Undef, t, 0) }

// flush puts the constants made since into the entry block.
func (p *pool) flush() {
	if len(p.created) == 0 {
		return
	}
	b := p.f.Blocks[0]
	b.Code = append(p.created, b.Code...)
	p.created = nil
}

// gatherConstants moves all constants to the head of the entry block, one of
// each type and value.
func gatherConstants(f *ir.Func, _ Options) bool {
	p := &pool{f: f, have: map[constKey]*ir.Value{}}
	names := newRenaming(f)
	for _, b := range f.Blocks {
		for _, v := range b.Code {
			if v.Op == isa.Const || v.Op == isa.Undef {
				names.set(v, p.intern(v.Op, v.R, v.Imm))
			}
		}
	}
	changed := names.apply(f)
	p.flush()
	return changed
}

// dropEdge removes the edge from b to its i-th successor from the successor's
// predecessors and phis; b.Succs is left to the caller.
func dropEdge(b *ir.Block, i int) {
	s := b.Succs[i]
	for k, p := range s.Preds {
		if p == b {
			dropPred(s, k)
			return
		}
	}
}

func dropPred(s *ir.Block, k int) {
	s.Preds = append(s.Preds[:k], s.Preds[k+1:]...)
	for _, phi := range s.Phis {
		phi.Args = append(phi.Args[:k], phi.Args[k+1:]...)
	}
}

// replacePred changes the source of the edge from old to s to new.
func replacePred(s, old, new *ir.Block) {
	for i, p := range s.Preds {
		if p == old {
			s.Preds[i] = new
		}
	}
}

// splitBlock moves the code of b from position at on to a new block, to which b jumps.
func splitBlock(f *ir.Func, b *ir.Block, at int) *ir.Block {
	n := f.NewBlock()
	n.Line, n.Code = b.Line, b.Code[at:]
	b.Code = b.Code[:at:at]
	for _, v := range n.Code {
		v.Block = n
	}
	n.Term, n.Cond, n.Succs = b.Term, b.Cond, b.Succs
	for _, s := range n.Succs {
		replacePred(s, b, n)
	}
	if b.Continue == nil {
		n.Merge, b.Merge = b.Merge, nil
	}
	b.SetSuccs(ir.Jump, nil, n)
	return n
}

// uses lists the users of each value, phis included, in the order of the blocks.
type uses struct {
	start []int32
	list  []*ir.Value
	conds []int32       // by id: which list of on is the value's
	on    [][]*ir.Block // blocks that branch on one value; the first of the lists, that of most values, is empty
}

func newUses(f *ir.Func) *uses {
	n := f.NumValues()
	u := &uses{start: make([]int32, n+1), conds: make([]int32, n), on: make([][]*ir.Block, 1)}
	eachValue(f, func(v *ir.Value) {
		for _, a := range v.Args {
			u.start[a.ID+1]++
		}
	})
	for i := range n {
		u.start[i+1] += u.start[i]
	}
	u.list = make([]*ir.Value, u.start[n])
	fill := make([]int32, n)
	eachValue(f, func(v *ir.Value) {
		for _, a := range v.Args {
			u.list[u.start[a.ID]+fill[a.ID]] = v
			fill[a.ID]++
		}
	})
	for _, b := range f.Blocks {
		if b.Cond != nil {
			u.branch(b)
		}
	}
	return u
}

// branch adds b to the blocks that branch on its condition.
func (u *uses) branch(b *ir.Block) {
	at := &u.conds[b.Cond.ID]
	if *at == 0 {
		*at = int32(len(u.on))
		u.on = append(u.on, nil)
	}
	u.on[*at] = append(u.on[*at], b)
}

// branches returns the blocks that branch on a value.
func (u *uses) branches(v *ir.Value) []*ir.Block { return u.on[u.conds[v.ID]] }

func (u *uses) users(v *ir.Value) []*ir.Value { return u.list[u.start[v.ID]:u.start[v.ID+1]] }

// count returns the number of uses, branches included.
func (u *uses) count(v *ir.Value) int { return len(u.users(v)) + len(u.branches(v)) }

func eachValue(f *ir.Func, visit func(v *ir.Value)) {
	for _, b := range f.Blocks {
		for _, v := range b.Phis {
			visit(v)
		}
		for _, v := range b.Code {
			visit(v)
		}
	}
}

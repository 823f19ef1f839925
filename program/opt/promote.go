package opt

import (
	"slices"

	"spvsim/isa"
	"spvsim/program/ir"
)

// promote turns the slots of local variables into values, phis where paths
// meet. A slot stays in scratch memory when an access at a run-time index may
// touch it, or an access that does not match it in place or size.
func promote(f *ir.Func, _ Options) bool {
	p := newPromoter(f)
	if p.slots == 0 {
		return false
	}
	p.g = newGraph(f)
	p.pool = newPool(f)
	p.names = newRenaming(f)
	p.defs = make([][]*slotPage, f.NumBlocks())
	p.filled = make([]bool, f.NumBlocks())
	p.pending = make([][]pendingPhi, f.NumBlocks())
	for _, b := range p.g.Blocks {
		p.fill(b)
	}
	p.seal()
	p.names.apply(f)
	p.pool.flush()
	trivialPhis(f)
	if len(f.CheckedVariables) > 0 {
		alwaysWritten(f)
	}
	return true
}

// alwaysWritten replaces the phis that are 1 whichever way control takes, though they depend on each other, as loops within loops make
// them of the words that say what is written: those whose arguments are 1 or such phis.
func alwaysWritten(f *ir.Func) {
	one := map[*ir.Value]bool{}
	eachValue(f, func(v *ir.Value) {
		if v.Op == isa.Phi && v.R == isa.I32 {
			one[v] = true
		}
	})
	for more := true; more; {
		more = false
		for phi := range one {
			if slices.ContainsFunc(phi.Args, func(a *ir.Value) bool { return !one[a] && !isConst(a, 1) }) {
				delete(one, phi)
				more = true
			}
		}
	}
	pool, names := newPool(f), newRenaming(f)
	for _, b := range f.Blocks {
		for _, phi := range b.Phis {
			if one[phi] {
				names.set(phi, pool.constant(isa.I32, 1))
			}
		}
		b.Phis = slices.DeleteFunc(b.Phis, func(v *ir.Value) bool { return one[v] })
	}
	names.apply(f)
	pool.flush()
}

// A promoter builds static single assignment form as Braun and others do
// (Simple and Efficient Construction of SSA Form, 2013): definitions are looked
// up backwards from each use.
type promoter struct {
	f     *ir.Func
	g     *graph
	pool  *pool
	names *renaming

	base   []int      // first slot number by local id
	ok     []bool     // by slot number: it may be promoted
	number []int      // by slot number: its index among the promoted slots
	types  []isa.Type // of the promoted slots
	slots  int        // how many are promoted

	defs    [][]*slotPage  // current values by block id and slot number, in pages: most blocks know few slots
	filled  []bool         // by block id
	pending [][]pendingPhi // phis waiting for the block's other predecessors, by block id
}

// A slotPage holds the values of slots that follow each other.
type slotPage [16]*ir.Value

type pendingPhi struct {
	slot int
	phi  *ir.Value
}

func newPromoter(f *ir.Func) *promoter {
	p := &promoter{f: f}
	for _, l := range f.Locals {
		for l.ID >= len(p.base) {
			p.base = append(p.base, -1)
		}
		p.base[l.ID] = len(p.ok)
		for range l.Slots {
			p.ok = append(p.ok, true)
		}
	}
	used := make([]bool, len(p.ok))
	eachValue(f, func(v *ir.Value) { p.access(v, used) })
	p.number = make([]int, len(p.ok))
	for _, l := range f.Locals {
		for i, t := range l.Slots {
			n := p.base[l.ID] + i
			if p.ok[n] = p.ok[n] && used[n]; p.ok[n] {
				p.number[n] = p.slots
				p.types = append(p.types, t)
				p.slots++
			}
		}
	}
	return p
}

// access forbids the slots that v touches and that are no whole slot known now.
func (p *promoter) access(v *ir.Value, used []bool) {
	if v.Mem == nil || v.Mem.Space != isa.SpaceScratch || v.Mem.Local == nil {
		return
	}
	foldIndex(v)
	l := v.Mem.Local
	base := p.base[l.ID]
	if !constantAddress(v) {
		low, high := v.Mem.Low, v.Mem.High
		if high <= low {
			low, high = 0, uint32(len(l.Slots))*l.SlotWords
		}
		p.forbid(l, low, high)
		return
	}
	slot := int(v.Mem.Offset / l.SlotWords)
	if slot >= len(l.Slots) && (v.Op == isa.Load || v.Op == isa.Store) && v.Mem.Count == 1 {
		return // outside the variable: removed in fill
	}
	if !p.coversSlot(v, slot) {
		p.forbid(l, v.Mem.Offset, v.Mem.Offset+uint32(v.Mem.Count)*wordsOf(v.Mem.Elem))
		return
	}
	used[base+slot] = true
}

// coversSlot reports that v loads or stores exactly the slot.
func (p *promoter) coversSlot(v *ir.Value, slot int) bool {
	l := v.Mem.Local
	return (v.Op == isa.Load || v.Op == isa.Store) && v.Mem.Count == 1 && !v.Mem.Volatile &&
		v.Mem.Offset%l.SlotWords == 0 && slot < len(l.Slots) && v.Mem.Elem.Bits() == l.Slots[slot].Bits()
}

func (p *promoter) forbid(l *ir.Local, low, high uint32) {
	for s := low / l.SlotWords; s < uint32(len(l.Slots)) && s*l.SlotWords < high; s++ {
		p.ok[p.base[l.ID]+int(s)] = false
	}
}

func wordsOf(t isa.Type) uint32 {
	if t.Bits() == 64 {
		return 2
	}
	return 1
}

func constantAddress(v *ir.Value) bool { return !v.Mem.HasBase && !v.Mem.HasIndex }

// foldIndex moves a constant index into the offset.
func foldIndex(v *ir.Value) {
	if v.Mem.HasBase || !v.Mem.HasIndex || v.Args[0].Op != isa.Const {
		return
	}
	v.Mem.Offset += uint32(v.Args[0].Imm)
	v.Mem.HasIndex = false
	v.Args = append([]*ir.Value(nil), v.Args[1:]...)
}

// fill replaces the accesses of b. Its predecessors, except those of back edges, are filled.
func (p *promoter) fill(b *ir.Block) {
	code := b.Code[:0]
	for _, v := range b.Code {
		slot, ok := p.slotOf(v)
		switch {
		case !ok:
			code = append(code, v)
		case v.Op == isa.Load && slot < 0:
			p.names.set(v, p.pool.undef(v.R))
		case v.Op == isa.Load:
			if w := p.load(b, slot, v); w == v {
				code = append(code, v)
			} else {
				p.names.set(v, w)
			}
		case slot >= 0:
			p.write(b, slot, v.Args[0])
		}
	}
	clear(b.Code[len(code):])
	b.Code = code
	p.filled[b.ID] = true
}

// slotOf returns the promoted slot that v accesses; -1 if it is outside the variable.
func (p *promoter) slotOf(v *ir.Value) (slot int, ok bool) {
	if v.Mem == nil || v.Mem.Space != isa.SpaceScratch || v.Mem.Local == nil || !constantAddress(v) {
		return 0, false
	}
	l := v.Mem.Local
	slot = int(v.Mem.Offset / l.SlotWords)
	if slot >= len(l.Slots) {
		return -1, (v.Op == isa.Load || v.Op == isa.Store) && v.Mem.Count == 1
	}
	slot += p.base[l.ID]
	return p.number[slot], p.ok[slot]
}

// load returns the value of the slot at v. If the access has another type than the value, v becomes a move and is
// returned.
func (p *promoter) load(b *ir.Block, slot int, v *ir.Value) *ir.Value {
	w := p.names.find(p.read(b, slot))
	if w.R == v.R {
		return w
	}
	v.Op, v.T, v.From, v.Args, v.Mem = isa.Mov, v.R, w.R, []*ir.Value{w}, nil
	return v
}

func (p *promoter) write(b *ir.Block, slot int, v *ir.Value) {
	const page = len(slotPage{})
	if p.defs[b.ID] == nil {
		p.defs[b.ID] = make([]*slotPage, (len(p.types)+page-1)/page)
	}
	at := &p.defs[b.ID][slot/page]
	if *at == nil {
		*at = new(slotPage)
	}
	(*at)[slot%page] = v
}

// known returns the value that b has for the slot so far, nil if none.
func (p *promoter) known(b *ir.Block, slot int) *ir.Value {
	if d := p.defs[b.ID]; d != nil {
		if page := d[slot/len(slotPage{})]; page != nil {
			return page[slot%len(page)]
		}
	}
	return nil
}

// read returns the value of the slot at the end of the filled part of b.
func (p *promoter) read(b *ir.Block, slot int) *ir.Value {
	if v := p.known(b, slot); v != nil {
		return v
	}
	var v *ir.Value
	switch {
	case len(b.Preds) == 0:
		v = p.pool.undef(p.types[slot])
	case !p.predsFilled(b):
		v = p.newPhi(b, slot)
		p.pending[b.ID] = append(p.pending[b.ID], pendingPhi{slot, v})
	case len(b.Preds) == 1:
		v = p.read(b.Preds[0], slot)
	default:
		v = p.newPhi(b, slot)
		p.write(b, slot, v)
		p.arguments(b, slot, v)
		v = p.simplest(b, v)
	}
	p.write(b, slot, v)
	return v
}

// simplest returns the one value that a new phi represents, or the phi.
func (p *promoter) simplest(b *ir.Block, phi *ir.Value) *ir.Value {
	only := onlyArg(phi, p.names)
	if only == nil {
		return phi
	}
	p.names.set(phi, only)
	if last := len(b.Phis) - 1; b.Phis[last] == phi {
		b.Phis = b.Phis[:last]
	}
	return only
}

func (p *promoter) predsFilled(b *ir.Block) bool {
	return !slices.ContainsFunc(b.Preds, func(q *ir.Block) bool { return !p.filled[q.ID] })
}

func (p *promoter) newPhi(b *ir.Block, slot int) *ir.Value {
	phi := p.f.NewValue(isa.Phi, p.types[slot], p.types[slot])
	phi.Block, phi.Line = b, b.Line
	b.Phis = append(b.Phis, phi)
	return phi
}

func (p *promoter) arguments(b *ir.Block, slot int, phi *ir.Value) {
	phi.Args = make([]*ir.Value, len(b.Preds))
	for i, q := range b.Preds {
		a := p.names.find(p.read(q, slot))
		if a.R != phi.R {
			a = p.retype(q, a, phi.R)
		}
		phi.Args[i] = a
	}
}

// retype moves a, stored under another type of its size, at the end of q.
func (p *promoter) retype(q *ir.Block, a *ir.Value, t isa.Type) *ir.Value {
	if a.Op == isa.Undef {
		return p.pool.undef(t)
	}
	m := p.f.NewValue(isa.Mov, t, t, a)
	m.From, m.Origin = a.R, a.Origin
	return q.Append(m)
}

// seal sets the arguments of phis at loop headers, now that all blocks are filled. Reads may add phis to blocks that
// were handled already.
func (p *promoter) seal() {
	for more := true; more; {
		more = false
		for _, b := range p.g.Blocks {
			for len(p.pending[b.ID]) > 0 {
				q := p.pending[b.ID][0]
				p.pending[b.ID] = p.pending[b.ID][1:]
				p.arguments(b, q.slot, q.phi)
				more = true
			}
		}
	}
}

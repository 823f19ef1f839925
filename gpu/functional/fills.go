package functional

import (
	"slices"

	"spvsim/isa"
	"spvsim/lds"
	"spvsim/simd"
)

// fills are LDS loads whose address is the same in all lanes, because a move copied a scalar to all lanes of the index
// register; they are indexed by their place in the layout order. before marks moves that only such a load reads: the
// load writes their register itself.
type fills struct {
	loads  map[int]isa.Fill
	elided map[int]bool
}

// An addressSpread is a scalar that a move copied to all lanes of a row.
type addressSpread struct {
	row, from  int // registers, as in isa.Inst.Deps; from -1: a literal
	orderIndex int // place of the move in the layout order
	read       bool
}

// fills finds the loads. A copied scalar is known from its move to the next entry of a segment.
func (c *code) fills(order []orderedInst, enters []bool) fills {
	f := fills{map[int]isa.Fill{}, map[int]bool{}}
	var known []addressSpread
	for i, p := range order {
		in := &c.Insts[p.pc]
		if enters[p.pc] && !p.copied {
			known = known[:0]
		}
		if simd.PathOf(in) == simd.PathLDS {
			c.fill(&f, order, known, i)
		}
		known = c.spreadAfter(known, in, i)
	}
	return f
}

// fill records the LDS load at place i if its address is known to be uniform.
func (c *code) fill(f *fills, order []orderedInst, known []addressSpread, i int) {
	in := &c.Insts[order[i].pc]
	index := in.Mem.Index
	from := slices.IndexFunc(known, func(s addressSpread) bool { return index.Kind == isa.Vector && s.row == int(index.Index) })
	if from >= 0 {
		index = c.Insts[order[known[from].orderIndex].pc].Src[0]
	}
	l, ok := lds.FastAccessOf(in).BroadcastLoad(in, index)
	if !ok || index.Kind == isa.Vector {
		return
	}
	if from >= 0 && !known[from].read && slices.Contains(in.Writes, in.Mem.Index.Index) {
		l.LoadIndex = &c.Insts[order[known[from].orderIndex].pc]
		f.elided[known[from].orderIndex] = true
	}
	f.loads[i] = l
}

// spreadAfter returns the copied scalars that are known after the instruction at place i.
func (c *code) spreadAfter(known []addressSpread, in *isa.Inst, i int) []addressSpread {
	known = slices.DeleteFunc(known, func(s addressSpread) bool {
		return slices.ContainsFunc(in.Writes, func(r uint16) bool { return int(r) == s.row || int(r) == s.from })
	})
	for k := range known {
		known[k].read = known[k].read || slices.Contains(in.Deps, uint16(known[k].row))
	}
	if in.Op != isa.Mov || in.Uniform || in.T.Bits() != 32 || in.Dst.Kind != isa.Vector || in.Src[0].Kind == isa.Vector || in.Mod.Any() || in.Second != nil {
		return known
	}
	s := addressSpread{row: int(in.Dst.Index), from: -1, orderIndex: i}
	if in.Src[0].Kind == isa.Scalar {
		s.from = c.VectorRows + int(in.Src[0].Index)
	}
	return append(known, s)
}

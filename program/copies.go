package program

import (
	"slices"

	"spvsim/isa"
	"spvsim/program/ir"
)

// A registerMove is one register copy of a parallel set.
type registerMove struct {
	dst, src isa.Reg
	t        isa.Type
	uniform  bool
}

// copies writes the phis of a block's successors. The copies act in parallel, so the moves are ordered such that none
// overwrites a source that is still to be read; a cycle is broken with a spare register.
func (e *emitter) copies(list []copyTo, b *ir.Block) {
	var moves []registerMove
	for _, c := range list {
		if c.src.Op == isa.Undef {
			continue
		}
		m := registerMove{dst: e.reg(c.phi), src: e.operand(c.src, !c.phi.Uniform), t: c.phi.R, uniform: c.phi.Uniform}
		// Phis of two successors that share a register get one copy.
		if m.dst != m.src && !slices.ContainsFunc(moves, func(o registerMove) bool { return o.dst == m.dst && o.src == m.src }) {
			moves = append(moves, m)
		}
	}
	if len(moves) > 0 {
		e.order(moves, b)
	}
}

// order emits the moves, each before any move that overwrites its source.
func (e *emitter) order(moves []registerMove, b *ir.Block) {
	o := newOrdering(moves)
	for left, first := len(moves), 0; left > 0; {
		if len(o.free.list) == 0 {
			for o.done[first] || o.saved[first] {
				first++
			}
			o.release(first)
			o.saved[first] = true
			e.breakCycle(&moves[first], b)
			continue
		}
		i := o.free.pop()
		e.emitMove(moves[i], b)
		o.done[i] = true
		if o.saved[i] {
			e.releaseSpare(moves[i].src)
		}
		o.release(i)
		left--
	}
}

// An ordering knows of parallel moves which may be carried out.
type ordering struct {
	moves   []registerMove
	writers map[isa.Reg]int // the move that writes a row or word
	readers []int           // by move: pending moves that read its destination
	free    heap[int]       // moves without readers that are not done
	done    []bool
	saved   []bool // moves whose source was copied to a spare register
}

func newOrdering(moves []registerMove) *ordering {
	o := &ordering{moves: moves, writers: map[isa.Reg]int{}, readers: make([]int, len(moves)), done: make([]bool, len(moves)), saved: make([]bool, len(moves)),
		free: heap[int]{less: func(a, b int) bool { return a < b }}}
	for i, m := range moves {
		for k := range rowsMoved(m) {
			o.writers[row(m.dst, k)] = i
		}
	}
	for j := range moves {
		o.eachWriter(j, func(i int) { o.readers[i]++ })
	}
	for i, n := range o.readers {
		if n == 0 {
			o.free.push(i)
		}
	}
	return o
}

// rowsMoved returns how many rows or words a move writes.
func rowsMoved(m registerMove) int {
	if m.dst.Kind == isa.Vector {
		return m.t.Rows()
	}
	return 1
}

// row returns the k-th row of a register, as a key.
func row(r isa.Reg, k int) isa.Reg { return isa.Reg{Kind: r.Kind, Index: r.Index + uint16(k)} }

// eachWriter visits the other moves that write a source of move j, each once.
func (o *ordering) eachWriter(j int, visit func(i int)) {
	src, last := o.moves[j].src, -1
	if src.Kind != isa.Vector && src.Kind != isa.Scalar {
		return
	}
	n := 1
	if src.Kind == isa.Vector {
		n = o.moves[j].t.Rows()
	}
	for k := range n {
		if i, ok := o.writers[row(src, k)]; ok && i != j && i != last {
			visit(i)
			last = i
		}
	}
}

// release records that move j has read its source.
func (o *ordering) release(j int) {
	o.eachWriter(j, func(i int) {
		if o.readers[i]--; o.readers[i] == 0 && !o.done[i] {
			o.free.push(i)
		}
	})
}

// breakCycle saves a move's source, so that another move may overwrite it.
func (e *emitter) breakCycle(m *registerMove, b *ir.Block) {
	save := *m
	save.dst = e.spareRegister(m.src.Kind)
	e.emitMove(save, b)
	m.src = save.dst
}

// spareRegister returns a register that holds no value and no saved source; vector registers have two rows.
func (e *emitter) spareRegister(kind isa.RegKind) isa.Reg {
	if kind == isa.Vector {
		if len(e.spareRows) == 0 {
			e.spareRows = append(e.spareRows, e.vectorRows)
			e.vectorRows += 2
		}
		last := len(e.spareRows) - 1
		at := e.spareRows[last]
		e.spareRows = e.spareRows[:last]
		return isa.V(at)
	}
	e.scalarWords++
	return isa.S(e.scalarWords - 1)
}

// releaseSpare releases a register whose saved source was read.
func (e *emitter) releaseSpare(r isa.Reg) {
	if r.Kind == isa.Vector {
		e.spareRows = append(e.spareRows, int(r.Index))
	}
}

// maxSigned is the number of sources of an operation with the most signed sources.
const maxSigned = 3

// sourceRows reserves rows for sources with sign modifiers. Only the simulation needs them: on hardware the operand
// path applies signs.
func (e *emitter) sourceRows() uint16 {
	if e.modRow < 0 {
		e.modRow = e.vectorRows
		e.vectorRows += maxSigned
	}
	return uint16(e.modRow)
}

func (e *emitter) emitMove(m registerMove, b *ir.Block) {
	in := isa.Inst{Op: isa.Mov, T: m.t, Uniform: m.uniform, Dst: m.dst, Src: src(m.src), Origin: isa.Origin{Line: b.Line}}
	in.Class = isa.ClassOf(&in)
	e.add(in)
}

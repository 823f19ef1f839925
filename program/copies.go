package program

import (
	"spvsim/isa"
	"spvsim/program/ir"
)

// A move is one register copy of a parallel set.
type move struct {
	dst, src isa.Reg
	t        isa.Type
	uniform  bool
}

// copies writes the phis of a block's successors: all at once in meaning, so
// the moves are ordered such that none overwrites what another still reads; a
// cycle goes through a register of its own.
func (e *emitter) copies(list []copyTo, b *ir.Block) {
	var moves []move
	for _, c := range list {
		if c.src.Op == isa.Undef {
			continue
		}
		m := move{dst: e.reg(c.phi), src: e.operand(c.src, !c.phi.Uniform), t: c.phi.R, uniform: c.phi.Uniform}
		if m.dst != m.src {
			moves = append(moves, m)
		}
	}
	for len(moves) > 0 {
		i := freeMove(moves)
		if i < 0 {
			e.breakCycle(&moves[0], b)
			continue
		}
		e.move(moves[i], b)
		moves = append(moves[:i], moves[i+1:]...)
	}
}

// freeMove finds a move whose destination no other move reads.
func freeMove(moves []move) int {
	for i := range moves {
		free := true
		for j := range moves {
			if i != j && clash(moves[i].dst, moves[i].t, moves[j].src, moves[j].t) {
				free = false
			}
		}
		if free {
			return i
		}
	}
	return -1
}

// clash reports that two register operands share a row or word.
func clash(a isa.Reg, at isa.Type, b isa.Reg, bt isa.Type) bool {
	if a.Kind != b.Kind || a.Kind != isa.Vector && a.Kind != isa.Scalar {
		return false
	}
	an, bn := 1, 1
	if a.Kind == isa.Vector {
		an, bn = at.Rows(), bt.Rows()
	}
	return int(a.Index) < int(b.Index)+bn && int(b.Index) < int(a.Index)+an
}

// breakCycle saves a move's source, so that another move may overwrite it.
func (e *emitter) breakCycle(m *move, b *ir.Block) {
	save := *m
	save.dst = e.spare(m.src.Kind)
	e.move(save, b)
	m.src = save.dst
}

// spare is a register that no value lives in; vector ones have two rows.
func (e *emitter) spare(kind isa.RegKind) isa.Reg {
	if kind == isa.Vector {
		if e.spareRow < 0 {
			e.spareRow = e.vectorRows
			e.vectorRows += 2
		}
		return isa.V(e.spareRow)
	}
	e.scalarWords++
	return isa.S(e.scalarWords - 1)
}

// maxSigned is the most sources that an operation with signs has.
const maxSigned = 3

// sourceRows are rows of the simulation for sources with signs: on hardware the
// operand path has none.
func (e *emitter) sourceRows() uint16 {
	if e.modRow < 0 {
		e.modRow = e.vectorRows
		e.vectorRows += maxSigned
	}
	return uint16(e.modRow)
}

func (e *emitter) move(m move, b *ir.Block) {
	in := isa.Inst{Op: isa.Mov, T: m.t, Uniform: m.uniform, Dst: m.dst, Src: src(m.src), Line: b.Line}
	in.Class = isa.ClassOf(&in)
	e.add(in)
}

package program

import (
	"slices"
	"spvsim/isa"
	"spvsim/program/ir"

	"spvsim/internal/lists"
)

// matrixArgs splits the arguments of a product into the registers of A, of B
// and of C.
func matrixArgs(v *ir.Value, waveSize int) (a, b, c []*ir.Value) {
	n, _ := isa.MatrixOps[isa.SplitMatrixImm(v.Imm).Op].MatrixCounts(waveSize)
	return v.Args[:n], v.Args[n : 2*n], v.Args[2*n:]
}

// matrix names the registers of a product.
func (e *emitter) matrix(in *isa.Inst, v *ir.Value) {
	a, b, c := matrixArgs(v, e.waveSize)
	m := &isa.MatrixOperands{D: make([]isa.Reg, len(c))}
	m.A, m.B, m.C = e.matrixRegs(a), e.matrixRegs(b), e.matrixRegs(c)
	for _, p := range e.projs[v] {
		if e.uses[p.ID] > 0 {
			m.D[p.Imm] = e.reg(p)
		}
	}
	in.Matrix = m
	in.Class = isa.ClassOf(in)
}

func (e *emitter) matrixRegs(list []*ir.Value) []isa.Reg {
	return lists.Map(list, e.reg)
}

// findResults lists the results of each operation that has several, in the order of the block.
func findResults(f *ir.Func) map[*ir.Value][]*ir.Value {
	projs := map[*ir.Value][]*ir.Value{}
	for _, b := range f.Blocks {
		for _, v := range b.Code {
			if v.Op == isa.Proj {
				projs[v.Args[0]] = append(projs[v.Args[0]], v)
			}
		}
	}
	return projs
}

// toVectors copies the uniform operands of a product to vector registers: matrix instructions read no others, except
// for one constant as all of C.
func toVectors(f *ir.Func, v *ir.Value, waveSize int) (moves []*ir.Value) {
	_, _, c := matrixArgs(v, waveSize)
	from := len(v.Args)
	if oneConstant(c) {
		from -= len(c)
	}
	moved := map[*ir.Value]*ir.Value{}
	for i, a := range v.Args[:from] {
		if !uniform(a) || a.Op == isa.Undef {
			continue
		}
		m := moved[a]
		if m == nil {
			m = f.NewValue(isa.Mov, a.R, a.R, a)
			m.Block, m.Origin = v.Block, v.Origin
			moved[a] = m
			moves = append(moves, m)
		}
		v.Args[i] = m
	}
	return moves
}

func oneConstant(list []*ir.Value) bool {
	return !slices.ContainsFunc(list, func(v *ir.Value) bool { return v.Op != isa.Const || v.Imm != list[0].Imm })
}

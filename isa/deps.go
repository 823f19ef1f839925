package isa

import "slices"

// SetDeps fills Deps and Writes from the operands. A 64-bit value is two rows of vector registers, or one word of the
// scalar file, as all scalars.
func (in *Inst) SetDeps(vectorRows int) {
	d := depList{vectorRows: vectorRows}
	in.addSources(&d)
	sources := len(d.list)
	d.add(in.Dst, in.resultType())
	if in.Second != nil {
		d.add(in.Second.Dst, in.Second.resultType())
	}
	if in.Mem != nil {
		for _, r := range in.Mem.Dsts {
			d.add(r, in.Mem.Elem)
		}
	}
	if in.Matrix != nil {
		_, t := MatrixOps[SplitMatrixImm(in.Imm).Op].matrixTypes()
		for _, r := range in.Matrix.D {
			d.add(r, t)
		}
	}
	in.Writes = unique(d.list[sources:])
	in.VectorReads, in.VectorWrites = countVectorRows(unique(d.list[:sources]), vectorRows), countVectorRows(in.Writes, vectorRows)
	in.Deps = unique(d.list)
}

// Sources returns the registers that the instruction reads, counted as those of Deps.
func (in *Inst) Sources(vectorRows int) []uint16 {
	d := depList{vectorRows: vectorRows}
	in.addSources(&d)
	return unique(d.list)
}

func (in *Inst) addSources(d *depList) {
	for i, r := range in.Src {
		d.add(r, SourceType(in.Op, i, in.T, in.From)) // Void, of sampling: one row
	}
	if in.Mem != nil {
		d.addMem(in.Mem)
	}
	if in.Matrix != nil {
		d.addMatrix(in)
	}
	for _, a := range in.Print {
		d.add(a.Reg, a.T)
	}
	if in.Second != nil {
		for i, r := range in.Second.Src {
			d.add(r, SourceType(in.Second.Op, i, in.Second.T, in.Second.From))
		}
	}
}

// countVectorRows counts the rows of vector registers in a list.
func countVectorRows(list []uint16, vectorRows int) (n uint16) {
	for _, r := range list {
		if int(r) < vectorRows {
			n++
		}
	}
	return n
}

// MultiplyAdds returns the number of multiply-adds of a product of matrices.
func (in *Inst) MultiplyAdds() uint64 {
	return uint64(MatrixTile * MatrixTile * MatrixOps[SplitMatrixImm(in.Imm).Op].K)
}

// LaneWords returns how many words of four bytes a lane moves.
func (m *Mem) LaneWords() int {
	if m.Words > 0 {
		return int(m.Words)
	}
	return max(int(m.Count), 1) * int(max(m.Elem.Bits()/32, 1))
}

// Updates reports whether the operation reads and writes memory at once: it is atomic.
func (in *Inst) Updates() bool {
	return in.Mem != nil && Table[in.Op].Flags&(FlagReads|FlagWrites) == FlagReads|FlagWrites
}

// resultType returns the type of Dst: that of the element for memory operations.
func (in *Inst) resultType() Type {
	if t := ResultType(in.Op, in.T, in.From); t != Void || in.Mem == nil {
		return t
	}
	return in.Mem.Elem
}

type depList struct {
	vectorRows int
	list       []uint16
}

func (d *depList) add(r Reg, t Type) {
	switch r.Kind {
	case Vector:
		d.list = append(d.list, r.Index)
		if t.Rows() == 2 {
			d.list = append(d.list, r.Index+1)
		}
	case Scalar:
		d.list = append(d.list, uint16(d.vectorRows)+r.Index)
	}
}

func (d *depList) addMem(m *Mem) {
	address := I32
	if m.Space == SpaceFlat {
		address = I64
	}
	for _, r := range m.Descriptors {
		d.add(r, I32)
	}
	d.add(m.BindingIndex, I32)
	d.add(m.SamplerIndex, I32)
	d.add(m.Reference, F32)
	d.add(m.TexelOffset, I32)
	d.add(m.Base, address)
	d.add(m.Index, address)
	for _, r := range m.Coords {
		d.add(r, I32)
	}
	for _, r := range m.Data {
		d.add(r, m.Elem)
	}
}

func (d *depList) addMatrix(in *Inst) {
	ab, c := MatrixOps[SplitMatrixImm(in.Imm).Op].matrixTypes()
	for _, list := range [][]Reg{in.Matrix.A, in.Matrix.B} {
		for _, r := range list {
			d.add(r, ab)
		}
	}
	for _, r := range in.Matrix.C {
		d.add(r, c)
	}
}

// SumRows returns the rows of vector registers that a product of matrices has its
// C in.
func (in *Inst) SumRows() []uint16 {
	_, t := MatrixOps[SplitMatrixImm(in.Imm).Op].matrixTypes()
	var d depList
	for _, r := range in.Matrix.C {
		if r.Kind == Vector {
			d.add(r, t)
		}
	}
	return unique(d.list)
}

// unique sorts, drops repetitions and copies.
func unique(list []uint16) []uint16 {
	if len(list) == 0 {
		return nil
	}
	list = slices.Clone(list)
	slices.Sort(list)
	return slices.Compact(list)
}

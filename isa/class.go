package isa

// memoryClass holds the classes of accesses by space: loads, stores, atomics.
var memoryClass = [...][3]Class{
	SpaceBuffer:  {ClassVMEM, ClassVMEMStore, ClassVMEMAtomic},
	SpaceFlat:    {ClassVMEM, ClassVMEMStore, ClassVMEMAtomic},
	SpacePush:    {ClassSMEM, ClassSMEM, ClassSMEM},
	SpaceLDS:     {ClassLDS, ClassLDS, ClassLDS},
	SpaceScratch: {ClassScratch, ClassScratch, ClassScratch},
	SpaceImage:   {ClassImage, ClassImage, ClassImage},
	SpaceTable:   {ClassSMEM, ClassSMEM, ClassSMEM},
}

// ClassOf returns the timing class of an instruction: by its space for memory, of the scalar unit for uniform
// instructions that it supports, otherwise by its type. Conversions count by the wider of their types.
func ClassOf(in *Inst) Class {
	row := &Table[in.Op]
	switch {
	case in.Folded:
		return ClassNone
	case in.Mem != nil && row.Flags&(FlagReads|FlagWrites) != 0:
		return accessClass(in.Mem, row.Flags)
	case in.Uniform && row.Flags&FlagScalarUnit != 0 && row.Class.Int != ClassClock:
		return ClassSALU
	case in.Op == MatrixMulAdd:
		return MatrixOps[SplitMatrixImm(in.Imm).Op].Class
	}
	t := in.T
	if len(row.Sig.Src) > 0 && row.Sig.Src[0] == OfFrom && in.From.Bits() > t.Bits() {
		t = in.From
	}
	return row.Class.For(t)
}

func accessClass(m *Mem, f Flags) Class {
	if m.Scalar {
		return ClassSMEM
	}
	kind := 0
	switch {
	case f&(FlagReads|FlagWrites) == FlagReads|FlagWrites:
		kind = 2
	case f&FlagWrites != 0:
		kind = 1
	}
	return memoryClass[m.Space][kind]
}

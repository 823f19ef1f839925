package isa

// Local is the memory of a workgroup, for steps that load from it, and the general implementation of a load.
type Local struct {
	Bytes []byte
	Load  func(*State, *Inst)
}

// A Fill is a load of consecutive 32-bit words of the workgroup's memory to consecutive rows of vector registers: all
// lanes get the same words.
type Fill struct {
	In    *Inst
	Index Reg // the index, a scalar or literal that is the same in all lanes
	// LoadIndex copies the index to a register that the load writes and nothing reads before. Only loads that execute as
	// instructions need it. Nil if there is none.
	LoadIndex *Inst
}

// row returns the k-th row that is written.
func (l *Fill) row(k int) Reg {
	if r := l.In.Mem.Dsts[k]; r.Kind != None {
		return r
	}
	return l.In.Dst
}

// execute carries it out as an instruction.
func (l *Fill) execute(st *State) {
	if l.LoadIndex != nil {
		l.LoadIndex.Exec(st, l.LoadIndex)
	}
	st.Local.Load(st, l.In)
}

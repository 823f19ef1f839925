package isa

// Local is the memory of a workgroup, for steps that load from it, and what carries out a load in any case.
type Local struct {
	Bytes []byte
	Load  func(*State, *Inst)
}

// A Fill is a load of 32-bit words from the workgroup's memory, one after the other, to rows of vector registers that lie so too:
// all lanes get the same.
type Fill struct {
	In    *Inst
	Index Reg // the scalar or literal that the index is in all lanes
	// Before gives the load its index, in a register that the load writes and nothing reads before: only loads that are carried out as
	// instructions need it. Nil: there is none.
	Before *Inst
}

// row is the k-th row that is written.
func (l *Fill) row(k int) Reg {
	if r := l.In.Mem.Dsts[k]; r.Kind != None {
		return r
	}
	return l.In.Dst
}

// do carries it out as an instruction.
func (l *Fill) do(st *State) {
	if l.Before != nil {
		l.Before.Exec(st, l.Before)
	}
	st.Local.Load(st, l.In)
}

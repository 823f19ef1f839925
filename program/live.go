package program

import (
	"math/bits"

	"spvsim/isa"
)

// LiveRegisters are the registers that hold a value that is read later, or that an instruction writes.
type LiveRegisters struct{ Vector, Scalar int }

// Live returns the registers that are live at each instruction: backward over the branches of the program. A vector register that is
// written while lanes of the wave are inactive keeps their values, which stay live.
func (p *Program) Live() []LiveRegisters {
	n, words := len(p.Insts), (p.VectorRows+p.ScalarWords+63)/64
	var reads, writes [][]uint16
	for i := range p.Insts {
		reads, writes = append(reads, p.Insts[i].Sources(p.VectorRows)), append(writes, p.Insts[i].Writes)
	}
	partial := p.partialMasks()
	before := make([]uint64, n*words) // live before each instruction
	at := make([]uint64, words)
	liveAfter := func(i int) {
		clear(at)
		for _, next := range p.following(i) {
			for w, set := range before[next*words : (next+1)*words] {
				at[w] |= set
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for i := n - 1; i >= 0; i-- {
			liveAfter(i)
			for _, r := range writes[i] {
				if int(r) >= p.VectorRows || !partial[i] {
					at[r/64] &^= 1 << (r % 64)
				}
			}
			for _, r := range reads[i] {
				at[r/64] |= 1 << (r % 64)
			}
			for w := range at {
				if at[w] != before[i*words+w] {
					before[i*words+w], changed = at[w], true
				}
			}
		}
	}
	list := make([]LiveRegisters, n)
	for i := range list {
		liveAfter(i)
		for w := range at {
			at[w] |= before[i*words+w]
		}
		for _, r := range writes[i] {
			at[r/64] |= 1 << (r % 64)
		}
		for w, set := range at {
			for ; set != 0; set &= set - 1 {
				if w*64+bits.TrailingZeros64(set) < p.VectorRows {
					list[i].Vector++
				} else {
					list[i].Scalar++
				}
			}
		}
	}
	return list
}

// following returns the instructions that may follow one.
func (p *Program) following(i int) (list []int) {
	in := &p.Insts[i]
	if IsBranch(in.Op) {
		list = append(list, int(in.Target))
	}
	if in.Op != isa.Branch && in.Op != isa.End && i+1 < len(p.Insts) {
		list = append(list, i+1)
	}
	return list
}

// IsBranch reports whether an operation may jump to its Target.
func IsBranch(op isa.Op) bool {
	switch op {
	case isa.Branch, isa.BranchTrue, isa.BranchFalse, isa.BranchExecZ, isa.BranchExecNZ:
		return true
	}
	return false
}

// partialMasks reports for each instruction whether lanes of the wave may be inactive there that are active later: from where a mask is split
// to where the saved one is joined again, and in loops around such a place.
func (p *Program) partialMasks() []bool {
	partial := make([]bool, len(p.Insts))
	for i := range p.Insts {
		if op := p.Insts[i].Op; op != isa.MaskSplit && op != isa.MaskPark {
			continue
		}
		first, last := i, i
		for k := i + 1; k < len(p.Insts); k++ {
			if in := &p.Insts[k]; in.Op == isa.MaskJoin && sharesRegister(in.Sources(p.VectorRows), p.Insts[i].Writes) {
				last = k
			}
		}
		for changed := true; changed; {
			changed = false
			for k := first; k < len(p.Insts); k++ {
				if in := &p.Insts[k]; IsBranch(in.Op) && int(in.Target) < first && k <= last {
					first, changed = int(in.Target), true
				}
			}
		}
		for k := first; k <= last; k++ {
			partial[k] = true
		}
	}
	return partial
}

func sharesRegister(a, b []uint16) bool {
	for _, x := range a {
		for _, y := range b {
			if x == y {
				return true
			}
		}
	}
	return false
}

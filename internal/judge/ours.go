package judge

import (
	"fmt"
	"slices"

	"spvsim/account"
	"spvsim/cu"
	"spvsim/isa"
	"spvsim/program"
	"spvsim/simd"
)

// LoweredCode returns the code of a program of package program. counts has the issues of
// each instruction; nil: it has not run.
func LoweredCode(p *program.Program, counts []account.InstCount, m *cu.Limits) (*Code, error) {
	need, err := cu.NewResources(p, m)
	if err != nil {
		return nil, err
	}
	rows := max(p.WaveSize/m.WaveSize, 1)
	c := &Code{
		VectorRegs: need.VectorRegs / rows, ScalarRegs: need.ScalarRegs, Waves: wavesOf(need, m),
		LDSBytes: int(p.LDSBytes), ScratchBytes: int(p.ScratchWords) * 4,
	}
	c.Blocks = blocksOf(p, counts)
	return c, nil
}

// wavesOf returns the occupancy of a SIMD that registers and LDS allow, as RADV computes it (radv_get_max_waves): LDS of a
// unit / SIMDs, divided by LDS of a workgroup / its waves, rounded up. Whether whole workgroups fit does not matter.
func wavesOf(n cu.Resources, m *cu.Limits) int {
	waves := min(m.WaveSlots, m.Registers.Vector/n.VectorRegs, m.Registers.Scalar/n.ScalarRegs)
	if n.LDSBytes > 0 {
		each, all := max(n.LDSBytes/n.Waves, 1), m.LDS.Bytes/m.SIMDs
		waves = min(waves, (all+each-1)/each)
	}
	return waves
}

// blocksOf splits a program into blocks, at targets of branches and after branches.
func blocksOf(p *program.Program, counts []account.InstCount) []Block {
	starts := []int{0}
	for i := range p.Insts {
		if branches(&p.Insts[i]) {
			starts = append(starts, i+1, int(p.Insts[i].Target))
		}
	}
	slices.Sort(starts)
	starts = slices.DeleteFunc(slices.Compact(starts), func(i int) bool { return i >= len(p.Insts) })
	list := make([]Block, len(starts))
	for n, from := range starts {
		end := len(p.Insts)
		if n+1 < len(starts) {
			end = starts[n+1]
		}
		list[n] = blockOf(p, counts, from, end)
		list[n].Succs = succsOf(&p.Insts[end-1], n, starts)
	}
	return list
}

func blockOf(p *program.Program, counts []account.InstCount, from, end int) Block {
	b := Block{Name: fmt.Sprintf("L%d", from)}
	for i := from; i < end; i++ {
		in := &p.Insts[i]
		if counts != nil {
			b.Runs = max(b.Runs, float64(counts[i].Issues))
		}
		if simd.ZeroCost(in, i) {
			continue
		}
		b.addInstruction(isa.Disasm(in), kindOfInst(in), accessOfInst(in))
		if in.Class == isa.ClassDual { // Mesa's ACO forms no such pairs, so both halves count
			b.addInstruction("  "+isa.Disasm(in.Second), VALU, noAccess)
		}
	}
	return b
}

func kindOfInst(in *isa.Inst) Kind {
	if in.Class == isa.ClassNone { // not free and without a class: a branch (see simd.ZeroCost)
		return Branch
	}
	return kindOfClass[in.Class]
}

func branches(in *isa.Inst) bool {
	switch in.Op {
	case isa.Branch, isa.BranchTrue, isa.BranchFalse, isa.BranchExecZ, isa.BranchExecNZ:
		return true
	}
	return false
}

func succsOf(last *isa.Inst, n int, starts []int) (list []int) {
	if branches(last) {
		if to, ok := slices.BinarySearch(starts, int(last.Target)); ok {
			list = append(list, to)
		}
	}
	if n+1 < len(starts) && last.Op != isa.Branch {
		list = append(list, n+1)
	}
	return list
}

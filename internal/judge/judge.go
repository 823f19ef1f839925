// Package judge compares the code of package program with that of Mesa's driver
// RADV, which compiles a compute shader for the same chip; no GPU is needed
// where RADV_FORCE_FAMILY names one. The code of both is sorted into the same
// kinds of instructions, by block, and shown side by side: static, and weighted
// by how often each block runs.
//
// It needs a C compiler, the Vulkan loader and Mesa's driver. Where they are
// missing, its errors are ErrAbsent; nothing of the product asks for them.
package judge

import (
	"errors"

	"spvsim/isa"
)

// ErrAbsent says that the driver or what builds the program that asks it is not installed.
var ErrAbsent = errors.New("judge: Mesa's RADV is not installed")

// ErrRefused says that the driver does not compile the module.
var ErrRefused = errors.New("judge: the driver refuses the module")

// Families are the chips of the presets that RADV compiles for without a GPU, by the name of the preset.
var Families = map[string]string{"gcn3-r9nano": "fiji", "rdna2-rx6800xt": "navi21", "rdna3-rx7900xtx": "gfx1100"}

// A Kind is what an instruction is to the unit that takes it.
type Kind int

// Kinds of instructions.
const (
	VALU Kind = iota
	Trans
	SALU
	SMEM
	VMEM
	LDS
	Branch
	Wait
	Export
	Other // barriers, messages, the end
	NumKinds
)

// KindNames are the names of the kinds, by Kind.
var KindNames = [NumKinds]string{"VALU", "trans", "SALU", "SMEM", "VMEM", "LDS", "branch", "wait", "export", "other"}

func (k Kind) String() string { return KindNames[k] }

// kindOfClass are the kinds of the timing classes; those that are not listed are VALU.
var kindOfClass = map[isa.Class]Kind{
	isa.ClassTrans: Trans, isa.ClassF64Trans: Trans, isa.ClassSALU: SALU, isa.ClassSMEM: SMEM, isa.ClassClock: SMEM,
	isa.ClassBranch: Branch, isa.ClassBranchTaken: Branch, isa.ClassLDS: LDS, isa.ClassLDSSwizzle: LDS,
	isa.ClassVMEM: VMEM, isa.ClassVMEMStore: VMEM, isa.ClassVMEMAtomic: VMEM, isa.ClassImage: VMEM, isa.ClassScratch: VMEM,
	isa.ClassBarrier: Other, isa.ClassMessage: Other, isa.ClassEnd: Other, isa.ClassWaitcnt: Wait,
}

// Counts are numbers of instructions by kind.
type Counts [NumKinds]float64

// Total is the number of all instructions; waits, which carry out nothing, are left out.
func (c *Counts) Total() (n float64) {
	for k, x := range c {
		if Kind(k) != Wait {
			n += x
		}
	}
	return n
}

// A Block is a basic block of compiled code.
type Block struct {
	Name  string
	Text  []string // its instructions
	Kinds []Kind   // of each of them
	Succs []int    // blocks that it branches to or goes on with, by place
	Runs  float64  // how often waves run it, each counted

	accesses [numAccesses]int
}

// Code is what a compiler made of a shader.
type Code struct {
	Blocks []Block
	// VectorRegs are whole granules of the chip; Waves those of a SIMD that registers and LDS leave space for.
	VectorRegs, ScalarRegs, Waves int
	LDSBytes, ScratchBytes        int
}

// Static counts each instruction once.
func (c *Code) Static() (n Counts) {
	for i := range c.Blocks {
		for _, k := range c.Blocks[i].Kinds {
			n[k]++
		}
	}
	return n
}

// Weighted counts each instruction as often as waves run its block.
func (c *Code) Weighted() (n Counts) {
	for i := range c.Blocks {
		for _, k := range c.Blocks[i].Kinds {
			n[k] += c.Blocks[i].Runs
		}
	}
	return n
}

// Package judge compares the code of package program with the code that Mesa's
// driver RADV compiles from the same compute shader for the same chip. RADV needs
// no GPU if RADV_FORCE_FAMILY names a chip. The instructions of both are sorted
// into the same kinds, by block, and shown side by side: static counts, and counts
// weighted by the executions of each block.
//
// It needs a C compiler, the Vulkan loader and Mesa's driver. If they are missing,
// its errors wrap ErrAbsent. Only spvsim inspect and tests use it.
package judge

import (
	"errors"

	"spvsim/isa"
)

// ErrAbsent reports that the driver, or the compiler for driver/radv.c, is not installed.
var ErrAbsent = errors.New("judge: Mesa's RADV is not installed")

// ErrRefused reports a module that the driver does not compile.
var ErrRefused = errors.New("judge: the driver refuses the module")

// Families are RADV's names of the presets' chips for which it compiles without a GPU, by preset.
var Families = map[string]string{"gcn3-r9nano": "fiji", "rdna2-rx6800xt": "navi21", "rdna3-rx7900xtx": "gfx1100"}

// A Kind is a kind of instruction, mostly by the unit that executes it.
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
	OtherKind // barriers, messages, the end
	NumKinds
)

// KindNames are the names of the kinds, by Kind.
var KindNames = [NumKinds]string{"VALU", "trans", "SALU", "SMEM", "VMEM", "LDS", "branch", "wait", "export", "other"}

func (k Kind) String() string { return KindNames[k] }

// kindOfClass has the kinds of timing classes. Classes that are not listed are VALU.
var kindOfClass = map[isa.Class]Kind{
	isa.ClassTrans: Trans, isa.ClassF64Trans: Trans, isa.ClassSALU: SALU, isa.ClassSMEM: SMEM, isa.ClassClock: SMEM,
	isa.ClassBranch: Branch, isa.ClassBranchTaken: Branch, isa.ClassLDS: LDS, isa.ClassLDSSwizzle: LDS,
	isa.ClassVMEM: VMEM, isa.ClassVMEMStore: VMEM, isa.ClassVMEMAtomic: VMEM, isa.ClassImage: VMEM, isa.ClassScratch: VMEM,
	isa.ClassBarrier: OtherKind, isa.ClassMessage: OtherKind, isa.ClassEnd: OtherKind, isa.ClassWaitcnt: Wait,
}

// Counts are numbers of instructions by kind.
type Counts [NumKinds]float64

// Total returns the number of instructions without waits, which compute nothing.
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
	Kinds []Kind   // of each instruction
	Succs []int    // indices of its successors
	Runs  float64  // executions, summed over waves

	accesses [numAccesses]int
}

// Code is a compiled shader.
type Code struct {
	Blocks []Block
	// VectorRegs are rounded up to the chip's granule. Waves is the occupancy of a SIMD that registers and LDS allow.
	VectorRegs, ScalarRegs, Waves int
	LDSBytes, ScratchBytes        int
}

// Static counts the instructions by kind.
func (c *Code) Static() (n Counts) {
	for i := range c.Blocks {
		for _, k := range c.Blocks[i].Kinds {
			n[k]++
		}
	}
	return n
}

// Weighted counts the executed instructions by kind.
func (c *Code) Weighted() (n Counts) {
	for i := range c.Blocks {
		for _, k := range c.Blocks[i].Kinds {
			n[k] += c.Blocks[i].Runs
		}
	}
	return n
}

// Package program lowers one entry point of a validated module to a program of wave instructions. It is a small
// compiler, in the place of a driver's compiler.
//
//	validate.Module -> frontend -> ir.Func -> opt -> ir.Func -> emit -> Program
//
// It knows the machine's wave size and the expansions of its timing table; it does not know how long anything takes.
package program

import (
	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/spirv/validate"
)

// A Program is an entry point lowered for one wave size. It is read-only: any number of waves run it.
type Program struct {
	Name     string // entry point
	WaveSize int
	Insts    []isa.Inst
	// Prologue sets the registers that hardware presets when a wave starts
	// (invocation and workgroup ids); it takes no time.
	Prologue []isa.Inst

	LocalSize [3]uint32

	VectorRows  int // rows of the wave's vector file, WaveSize words each
	ScalarWords int // words of the wave's scalar file

	// VectorRegs and ScalarRegs are the registers as the hardware counts them
	// (32 bits each), for occupancy.
	VectorRegs, ScalarRegs int

	// Spills counts the values that did not fit the registers.
	Spills Spills

	LDSBytes         uint32
	LDSArguments     []ir.LDSArgument // the memory behind a kernel's Workgroup pointers
	LDSVariables     []ir.LDSVariable
	CheckedVariables []string // whose reads are checked: see isa.CheckWritten
	ScratchWords     uint32   // 4-byte words of private scratch a lane
	PushBytes        uint32
	TableBytes       uint32 // of the descriptors that it loads
	Bindings         []ir.Binding
	Strings          []string
	// Constants is the program's read-only data. Its descriptor follows that of the last binding.
	Constants []byte
	// Variables is what the variables of a kernel's module in device memory hold at first. Their address is a hidden argument.
	Variables []byte
	// Relocations lists the addresses in both.
	Relocations []ir.Relocation
	UsesBarrier bool
	Kernel      bool // of OpenCL: its push constants are its argument block

	// Fragment is the interface of a fragment shader to a draw; nil for other shaders.
	Fragment *ir.Fragment
	// Node is the entry point's interface to an execution graph; nil if it is no node.
	Node *Node
	// Packed: each lane of a wave runs a workgroup of one invocation. Lane i has element i of the input array as
	// payload.
	Packed bool
	// Source lists the source lines of the instructions, ascending, where the module has their text.
	Source []validate.SourceLine
}

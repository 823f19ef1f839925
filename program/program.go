// Package program lowers one entry point of a validated module to a program of
// wave instructions. It is a small compiler, in the place of a driver's
// compiler.
//
//	validate.Module -> frontend -> ir.Func -> opt -> ir.Func -> emit -> Program
//
// It knows the machine's wave size and what its timing table expands an
// operation to; it does not know how long anything takes.
package program

import (
	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/spirv/validate"
)

// A Program is an entry point lowered for one wave size. It is read-only once
// made: any number of waves run it.
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

	// Spills are the registers of which there were too few.
	Spills Spills

	LDSBytes     uint32
	ScratchWords uint32 // 4-byte words of private scratch a lane
	PushBytes    uint32
	TableBytes   uint32 // of the descriptors that it loads
	Bindings     []ir.Binding
	Strings      []string
	// Constants is read-only data of the program's own: its descriptor is that of the binding after the last one.
	Constants   []byte
	UsesBarrier bool

	// Fragment is what a draw must know of it; nil if it is no fragment shader.
	Fragment *ir.Fragment
	// Node is what the entry point asks of an execution graph; nil if nothing.
	Node *Node
	// Packed: each lane of a wave runs a workgroup of one invocation, with the
	// element of its number of the input array as payload.
	Packed bool
	// Source are the source lines that instructions come from, ascending, where the module has their text.
	Source []validate.SourceLine
}

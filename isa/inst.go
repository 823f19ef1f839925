package isa

import (
	"fmt"
	"strings"

	"spvsim/spirv"
)

// A RegKind is the kind of an operand: a register file, or a literal.
type RegKind uint8

// Operand kinds.
const (
	None   RegKind = iota
	Vector         // Index is the first row in the wave's vector file
	Scalar         // Index is the word in the wave's scalar file
	Imm            // Val is a literal, the same in every lane
)

// A Reg is one operand, resolved when the program is lowered. A Bool operand in a Scalar register is a lane mask, or
// 0/1 if the instruction is Uniform; a Bool literal is 0 or 1 for uniform instructions, all zeros or all ones for
// others.
type Reg struct {
	Kind  RegKind
	Index uint16
	Val   uint64
}

// V returns the vector register that starts at row i.
func V(i int) Reg { return Reg{Kind: Vector, Index: uint16(i)} }

// S returns the scalar register word i.
func S(i int) Reg { return Reg{Kind: Scalar, Index: uint16(i)} }

// Lit returns a literal operand.
func Lit(v uint64) Reg { return Reg{Kind: Imm, Val: v} }

// A Space is the kind of memory that an access goes to.
type Space uint8

// Memory spaces.
const (
	SpaceBuffer  Space = iota // a bound buffer: byte offset from its start, bounds-checked
	SpaceFlat                 // a 64-bit address (PhysicalStorageBuffer)
	SpacePush                 // push constants: byte offset; read-only, scalar
	SpaceLDS                  // byte offset in the workgroup's LDS
	SpaceScratch              // dword slot in the lane's private scratch
	SpaceImage                // a bound image or texel buffer: texel coordinates
	SpaceTable                // the table of descriptors: byte offset; its contents are not modelled
)

// An Access describes the memory that an operation touches, before and after register allocation.
type Access struct {
	Space   Space
	Binding int // index in the program's bindings; for SpaceBuffer and SpaceImage
	// Bindings chosen at run time (variable pointers): if Dynamic, the binding index is absolute, in the flattened
	// descriptor list (the bindings in order, each with its elements).
	Dynamic bool
	// Offset is the constant part of the address, in bytes; for SpaceScratch in
	// slots of 4 bytes.
	Offset uint32

	// Elem is the type of one element, Count the number of consecutive elements that a lane moves (1 to 4).
	Elem  Type
	Count uint8
	// PairStride, in LDS: the distance in bytes from the first half of the elements to the second; 0: all are consecutive.
	PairStride uint32

	// Coherent accesses bypass the caches that are not shared by the machine
	// (atomics, Coherent or Volatile variables).
	Coherent bool
	// Payload: the address comes from PayloadElem, and the access is checked against the payload pool.
	Payload bool
	// Speculative loads may execute where the shader would not: out of bounds they return zero, and are not counted.
	Speculative bool
	// Argument: the address is of the memory that an argument of the kernel points to, whose address is in the push constants, from this
	// word on, counted from 1. 0: it may be of any.
	Argument uint32
	// Part: the shader asks for a byte or a half of the word. What of the word is out of bounds is zero.
	Part bool

	Texture
}

// Runs returns the number of parts of an access whose elements are consecutive, two if PairStride is set, and the elements
// of each.
func (a *Access) Runs() (parts, elements int) {
	n := max(int(a.Count), 1)
	if a.PairStride > 0 {
		return 2, n / 2
	}
	return 1, n
}

// ElementOffset returns how many bytes after the first the k-th element of so many bytes begins.
func (a *Access) ElementOffset(k int, bytes uint32) uint32 {
	if _, n := a.Runs(); k >= n {
		return a.PairStride + uint32(k-n)*bytes
	}
	return uint32(k) * bytes
}

// A Texture holds the properties of accesses to images.
type Texture struct {
	ImageFormat uint32 // SPIR-V ImageFormat where the shader declares it, 0 unknown
	Dim         uint8  // SPIR-V Dim
	Arrayed     bool
	// The last coordinate is a level of detail (fetches), or a sample.
	Level, Multisampled bool

	// Of sampling: the binding of the sampler, and the shader's further operands.
	Sampler int
	Sample  SampleKind
}

// Channels returns how many components the declared format has, 4 if it is unknown.
func (t *Texture) Channels() int {
	name := spirv.ImageFormat(t.ImageFormat).String()
	switch {
	case t.ImageFormat == 0 || strings.HasPrefix(name, "Rgba") || strings.HasPrefix(name, "Rgb10"):
		return 4
	case strings.HasPrefix(name, "R11f"):
		return 3
	case strings.HasPrefix(name, "Rg"):
		return 2
	}
	return 1
}

// Mem describes a memory operation. The byte address of a lane is
//
//	Base + Index + Offset   (mod 2^32; for SpaceFlat, mod 2^64)
//
// where Base is a uniform part (Scalar, Imm or None), Index a part that differs
// by lane (Vector or None) and Offset a constant. SpaceScratch counts in 4-byte
// slots instead of bytes. For images Coords hold x, y, z/layer.
type Mem struct {
	Access

	// BindingIndex is added to the binding's array element unless it is None (arrays of descriptors); it may be Vector
	// (non-uniform indexing).
	BindingIndex Reg

	Base   Reg
	Index  Reg
	Coords [4]Reg

	// Loads write Dsts[0:Count]; stores read Data[0:Count]. Of sampling, Data[0]
	// holds the bias or the level, Data and Inst.Src the derivatives in x and in
	// y, and SamplerIndex is the sampler's element.
	Dsts         [4]Reg
	Data         [4]Reg
	SamplerIndex Reg

	// Scalar loads go through the scalar cache: uniform address, read-only
	// memory, Dsts are Scalar.
	Scalar bool

	// Words that a load from SpaceTable returns: a whole descriptor goes to Dsts[0]; fewer than four words, of values
	// that a wave has from its start, go to Dsts[1:], which keep their values.
	Words uint8
	// Descriptors that have to be loaded first: of the memory, and of a sampler.
	Descriptors [2]Reg

	// Reference is the value that depths are compared with; None: no comparison.
	Reference Reg
	// TexelOffset is added to the texel's position: signed bytes for x, y and z,
	// x in the lowest.
	TexelOffset Reg
}

// The Imm of ImageSize: a dimension, and from bit ImageLevelShift on the level of detail; or ImageLevels, for the
// number of levels.
const (
	ImageLevelShift = 8
	ImageLevels     = 0xff
)

// A SampleKind is the way in which a sampling instruction finds its level of detail.
type SampleKind uint8

// Kinds of sampling.
const (
	SampleImplicit SampleKind = iota // from the quad's coordinates
	SampleBias                       // the same and a bias
	SampleLod                        // given
	SampleGrad                       // from derivatives that are given
)

// An Inst is one wave instruction of a lowered program, ready to execute.
type Inst struct {
	Op      Op
	T, From Type
	Class   Class
	Uniform bool // executes on the scalar unit: one value for the wave
	Folded  bool // the instructions that read the result take it in, at no cost
	Dst     Reg
	Src     [4]Reg
	Imm     uint64
	Mem     *Mem
	Target  int32      // index of a branch's target
	Print   []PrintArg // of DebugPrint

	// Mod holds modifiers of vector instructions. Modified sources pass through the three rows from ModRow on, in which
	// no value lives.
	Mod    Modifiers
	ModRow uint16

	// Matrix holds the registers of a MatrixMulAdd; nil for other operations.
	Matrix *MatrixOperands

	// Second is the other half of a packed or dual-issued pair, executed right after this instruction and issued with
	// it. It reads no result of this one; the class is that of the pair.
	Second *Inst

	// Exec computes the instruction on the wave's registers under its execution
	// mask. Nil for memory, barrier, control and timing-only operations, which
	// the machine carries out. Set by Resolve.
	Exec func(st *State, in *Inst)

	// Deps lists the registers that must be ready before issue: sources, and destinations, against write after write.
	// Writes lists those that the result makes ready. Both count rows and words in one space: vector row r is r, scalar
	// word s is VectorRows+s of the program.
	Deps, Writes []uint16
	// VectorReads and VectorWrites count the words of vector registers that a lane reads and writes.
	VectorReads, VectorWrites uint16

	Origin
}

// An Origin is the SPIR-V instruction that an instruction was lowered from.
type Origin struct {
	SPIRV uint32              // result id, or the id nearest to it; 0 if none
	Line  uint32              // source line by OpLine or debug information; 0 if unknown
	Text  *spirv.TextPosition // position in the text of an assembled module; nil for a binary one
}

// String returns the origin as the shader's author knows it: the known ones of id, position in the text, and source
// line.
func (o Origin) String() string {
	var places []string
	if o.Text != nil {
		places = append(places, o.Text.String())
	}
	if o.Line != 0 {
		places = append(places, fmt.Sprint("line ", o.Line))
	}
	where := strings.Join(places, ", ")
	if o.SPIRV == 0 {
		return where
	}
	name := fmt.Sprintf("%%%d", o.SPIRV)
	if o.Text != nil {
		name = o.Text.Source.Name(spirv.ID(o.SPIRV))
	}
	if where == "" {
		return name
	}
	return fmt.Sprintf("%s (%s)", name, where)
}

// PrintArg is an argument of DebugPrint with its type.
type PrintArg struct {
	Reg Reg
	T   Type
}

// State is the architectural state of a wave that instructions read and write.
type State struct {
	Lanes int      // lanes of a wave: 32 or 64
	Full  uint64   // mask with all Lanes bits set
	Exec  uint64   // execution mask
	V     []uint32 // vector file: row r of lane l is V[r*Lanes+l]
	S     []uint64 // scalar file

	// Identity, constant over the wave's life.
	Workgroup     [3]uint32
	NumWorkgroups [3]uint32
	LocalSize     [3]uint32
	WaveInGroup   uint32 // SubgroupId
	WavesInGroup  uint32 // NumSubgroups
	Push          []byte // push constants

	Now         uint64 // cycle of issue, for Clock
	ClockMask   uint64 // width of the machine's cycle counter
	Nanoseconds uint64 // simulated time of issue, for Realtime

	// Node of an execution graph that the wave runs; Payloads is nil outside of
	// one, and then every handle names an empty array.
	PayloadIn          uint64 // handle of the input, 0: none
	RemainingRecursion uint32
	ShaderIndex        uint32
	MeshGroup          uint32
	Payloads           PayloadTable

	// Fragments holds the quads that a wave of a fragment shader starts with, nil for other waves; Helpers are the
	// lanes that are helpers now: they write no memory.
	Fragments *Fragments
	Helpers   uint64

	Local *Local // of waves that run without time

	Checks Checks // of a program that is checked; nil: it is not

	// Scratch rows for kernels: each Lanes words (two rows for 64-bit values).
	Tmp [4][]uint32
}

// Checks learns of the operations that programs have for checks alone.
type Checks interface {
	// OrderLanes: the active lanes are at a LaneOrder with these scopes.
	OrderLanes(st *State, scopes uint64)
	// Enqueued: the workgroup hands payloads over, or says that it has written a shared one; acquires: it is the last to say so.
	Enqueued(acquires bool)
	// NewPayload: a payload of so many bytes begins to exist.
	NewPayload(addr, bytes uint64)
	// MisusePayload: a lane at an instruction uses a payload that its workgroup may not use.
	MisusePayload(st *State, pc, lane int, m *PayloadMisuse)
	// ReadUnwritten: lanes use a value from a variable that is not written, at a CheckWritten.
	ReadUnwritten(st *State, in *Inst, lanes uint64)
}

// A PayloadMisuse is what is wrong with an access to a payload.
type PayloadMisuse struct {
	Kind         PayloadMisuseKind
	Node         string // that the payload is for
	Addr, Offset uint64 // in memory, and in the payload
	// Enqueue is the instruction that enqueued it; of a shared input, nothing.
	Enqueue EnqueuePoint
}

// A PayloadMisuseKind is why a workgroup may not use a payload.
type PayloadMisuseKind uint8

// Kinds of misuse.
const (
	AfterEnqueue PayloadMisuseKind = iota
	AfterRelease                   // its consumers have ended
	SharedInput                    // which nodes that share it only read
)

// An EnqueuePoint is the lane of a wave that enqueued a payload, and the index of the instruction.
type EnqueuePoint struct{ PC, Wave, Lane int32 }

// A Class is a timing class: a row of the machine's timing table.
type Class uint8

// Timing classes, with the names that the timing table uses.
const (
	ClassNone Class = iota
	ClassVALU32
	ClassPacked16
	ClassPacked32
	ClassDot
	ClassDual
	ClassFMA32
	ClassCvt
	ClassTrans
	ClassIMul32
	ClassShift64
	ClassInt64
	ClassF64Add
	ClassF64Mul
	ClassF64Trans
	ClassDPP
	ClassPermlane
	ClassReadLane
	ClassWriteLane
	ClassSALU
	ClassSMEM
	ClassBranch
	ClassBranchTaken
	ClassLDS
	ClassLDSSwizzle
	ClassVMEM
	ClassVMEMStore
	ClassVMEMAtomic
	ClassImage
	ClassScratch
	ClassBarrier
	ClassWaitcnt
	ClassClock
	ClassMessage
	ClassEnd
	ClassMatrixF16
	ClassMatrixBF16
	ClassMatrixF8
	ClassMatrixI8
	ClassMatrixF32
	ClassMatrixF64
	NumClasses
)

// ClassNames holds the names of the classes in the timing table, by Class.
var ClassNames = [NumClasses]string{
	"", "valu32", "packed16", "packed32", "dot", "dual", "fma32", "cvt", "trans", "imul32", "shift64", "int64", "f64add", "f64mul", "f64trans",
	"dpp", "permlane", "readlane", "writelane", "salu", "smem", "branch", "branch_taken", "lds", "lds_swizzle",
	"vmem", "vmem_store", "vmem_atomic", "image", "scratch", "barrier", "waitcnt", "clock", "message", "end",
	"matrix_f16", "matrix_bf16", "matrix_f8", "matrix_i8", "matrix_f32", "matrix_f64",
}

// Matrix reports a class of products of matrices.
func (c Class) Matrix() bool { return c >= ClassMatrixF16 && c <= ClassMatrixF64 }

func (c Class) String() string { return ClassNames[c] }

// A GroupOperator is the operation of a reduction or scan.
type GroupOperator uint8

// Group operators.
const (
	GroupIAdd GroupOperator = iota
	GroupIMul
	GroupFAdd
	GroupFMul
	GroupSMin
	GroupUMin
	GroupFMin
	GroupSMax
	GroupUMax
	GroupFMax
	GroupAnd
	GroupOr
	GroupXor
)

// GroupImm packs the operator of a Reduce or scan with its cluster size in
// lanes (0: the whole wave).
func GroupImm(op GroupOperator, cluster int) uint64 { return uint64(op) | uint64(cluster)<<8 }

// SplitGroupImm is the inverse of GroupImm.
func SplitGroupImm(imm uint64) (op GroupOperator, cluster int) {
	return GroupOperator(imm & 0xff), int(imm & (1<<helpersShift - 1) >> 8)
}

// HelpersImm, added to the Imm of an operation of a subgroup, excludes helpers from it. A demotion makes more helpers.
// The number of preceding demotions in the code, demotions, keeps two such operations from being merged.
func HelpersImm(demotions int) uint64 {
	return withoutHelpers | uint64(demotions)<<helpersShift&(withoutHelpers-1)
}

const (
	withoutHelpers = 1 << 63
	helpersShift   = 41 // after the operator and the largest cluster
)

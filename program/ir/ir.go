// Package ir is the compiler's intermediate form: scalar values in static
// single assignment over a structured control flow graph. The front end builds
// it from a validated module, the optimiser rewrites it, and the emitter turns
// it into wave instructions.
//
// Vectors, matrices, structures and arrays do not exist here: a composite is a
// list of scalar leaves. Pointers do not exist either: a memory access carries
// its space, its binding and a byte address.
//
// The package depends neither on SPIR-V's encoding nor on the machine's timing.
package ir

import (
	"fmt"

	"spvsim/isa"
)

// A Value is one operation and its result. Args are its sources; T and From have the meaning of isa.Inst; R is the type
// of the result (Void for stores, barriers and the like).
type Value struct {
	ID      int
	Op      isa.Op
	T, From isa.Type
	R       isa.Type
	Args    []*Value
	Imm     uint64
	Mem     *Mem
	Block   *Block

	// Uniform is set by the divergence analysis: the value is equal in all active lanes, and the scalar unit computes
	// it once.
	Uniform bool
	// InLanes: the value is in lanes of a vector register, not in a scalar one.
	InLanes bool
	// Mod holds the f32 modifiers, which the instruction encodes at no cost.
	Mod isa.Modifiers
	// Component is that of the instruction's vector which the value belongs to.
	Component uint8
	// NoContract forbids fusing (the NoContraction decoration).
	NoContract bool
	// Native forbids replacing the operation by a precise sequence: the source asks for the instruction.
	Native bool
	// Contracted: the source has a product and a sum in place of this multiply-add.
	Contracted bool
	// Folded: the instructions that read the value take the operation in, at no cost.
	Folded bool

	isa.Origin // the instruction lowered
}

// Mem describes a memory access. The byte address is base + index + Offset;
// the parts that exist are the leading arguments, in the order base, index,
// binding index, data (see MemArgs). The front end gives one address part, the
// index; the optimiser moves its uniform part to the base.
//
//	Load                   R = Elem when Count is 1; else use Proj for each result
//	Store                  data: Count values
//	Atomic*                data: value, or value and comparator; none for loads, IInc, IDec
//	ImageLoad              data: coordinates (x, y, z or layer); four results through Proj, of type Elem
//	ImageStore             data: coordinates, then four texel components of type Elem
//	Atomic* on SpaceImage  data: coordinates, then value, or value and comparator
//	BufferSize, ImageSize  no data
//	ImageSample*, Gather   data: coordinates, then Extra arguments; results as ImageLoad
//	ImageQueryLod          data: coordinates; two results through Proj
//	Export                 data: four components of type Elem
//
// Accesses with Payload overlap payload accesses only. A Speculative access out of bounds is no fault of the shader.
type Mem struct {
	isa.Access

	HasBase, HasIndex, HasBindex bool

	Coords uint8 // number of image coordinates

	// Object names the memory for alias questions: accesses with different
	// non-negative Objects in the same space never overlap; -1 overlaps all of
	// its space. (Buffer objects are numbered by set and binding, LDS and
	// scratch objects by variable. SpaceFlat overlaps SpaceBuffer.)
	Object int
	// ReadOnly: nothing in this shader writes the object, so loads may be moved,
	// merged and done by the scalar cache.
	ReadOnly bool
	// NonWritable: the module declares that nothing writes the object by the name that this access has.
	NonWritable bool
	// Unclobbered: nothing in the shader writes memory before this load of a kernel, so the scalar cache may serve it. It
	// keeps its order to later stores. (LLVM: noclobber)
	Unclobbered bool
	// Volatile accesses are neither moved nor merged nor removed, and are lowered as Coherent. Atomics are both.
	Volatile bool

	// Joined: the source accesses elements of this access by themselves, not all as one vector.
	Joined bool

	// Align is the known alignment in bytes of the address without Offset: at least the element size, 4 if nothing more
	// is known. Wide accesses need only element alignment.
	Align uint32

	// Arrays of known length that the index steps through, the innermost first;
	// entries of length 0 are none.
	Arrays [2]Array

	// Local is the variable of a SpaceScratch access; Offset and index count
	// 4-byte words in it. A dynamic access stays within words [Low, High).
	Local     *Local
	Low, High uint32

	// Sampling: Extra arguments follow the coordinates: the bias, the level or the derivatives, then, if present, the
	// reference of a comparison, the sampler's element, and the offsets in texels (see isa.Mem.TexelOffset).
	Sampling bool
	Extra    uint8
	Compare  bool
	// SamplerIndexed: the sampler is an element of a separate array.
	SamplerIndexed bool
	Offsets        bool
}

// An Array holds the number of elements and their distance, in the unit of the index.
type Array struct{ Length, Stride uint32 }

// MemArgs splits the arguments of a memory value; parts it does not have are nil.
func (v *Value) MemArgs() (base, index, bindex *Value, data []*Value) {
	a := v.Args
	if v.Mem.HasBase {
		base, a = a[0], a[1:]
	}
	if v.Mem.HasIndex {
		index, a = a[0], a[1:]
	}
	if v.Mem.HasBindex {
		bindex, a = a[0], a[1:]
	}
	return base, index, bindex, a
}

// A Local is a Function or Private variable: scalar slots that the optimiser
// turns into values where it can. Slot i is at word i*SlotWords.
type Local struct {
	ID        int
	Name      string
	Slots     []isa.Type
	SlotWords uint32 // 1, or 2 when a slot is 64 bits wide
	Variable  int    // of a local that says what of a variable is written: the variable's index in Func.CheckedVariables
}

// A TermKind is the way a block ends.
type TermKind uint8

// Terminators.
const (
	Jump        TermKind = iota // to Succs[0]
	Cond                        // Cond true: Succs[0], false: Succs[1]
	Return                      // the invocation ends
	Unreachable                 // never reached; lowered as Return
)

// A Block is a basic block. Phis come first; their Args follow Preds.
type Block struct {
	ID    int
	Phis  []*Value
	Code  []*Value
	Term  TermKind
	Cond  *Value
	Succs []*Block
	Preds []*Block

	// Merge and Continue are set on the header of a construct: where its lanes
	// reconverge, and for loops the continue target.
	Merge, Continue *Block
	// Unroll carries the loop control of the header: 0 none, 1 unroll, 2 don't.
	Unroll uint8
	Line   uint32
}

// A BindingKind is the kind of a descriptor.
type BindingKind uint8

// Descriptor kinds.
const (
	StorageBuffer BindingKind = iota
	UniformBuffer
	StorageImage
	TexelBuffer
	// MeshOutput: an output variable of a mesh shader, by name (see Node).
	MeshOutput
	// SampledImage is an image that is read through a sampler, Sampler the sampler. Those of a combined variable share
	// a set and a binding.
	SampledImage
	Sampler
	// ColorOutput is a colour attachment; Binding is a ColorBinding.
	ColorOutput
)

// ColorBinding packs the location of an output and the index of the source of its attachment.
func ColorBinding(location, index uint32) uint32 { return location | index<<31 }

// SplitColorBinding is the inverse of ColorBinding.
func SplitColorBinding(b uint32) (location, index uint32) { return b &^ (1 << 31), b >> 31 }

// A Binding is a descriptor, or an array of them, that the shader uses.
type Binding struct {
	Set, Binding uint32
	Kind         BindingKind
	Count        uint32 // elements; 1 when it is no array; 0: run-time sized
	Name         string
	Writes       bool // the shader writes or updates it
	Restrict     bool // no other binding is the same memory
	// Stride of a MeshOutput: bytes of each workgroup.
	Stride uint32
	// Samples: the sampler is used (that of a combined variable may not be).
	Samples bool
	// Compares: the sampler is used for comparisons.
	Compares bool
	// Fixed is a sampler that the program declares itself; nil: the launch binds one.
	Fixed *FixedSampler `json:",omitempty"`
	// Alias is a second name of a MeshOutput: "counts" for the vertex and
	// primitive counts, "indices" for those of the primitives.
	Alias string
}

// A FixedSampler reads the first level of images.
type FixedSampler struct {
	Wrap                 string // as the samplers of a job spell it
	Linear, Unnormalized bool
}

// An LDSView is a Workgroup variable with explicit layout. All views of an entry point start at byte 0 and overlap.
type LDSView struct {
	Name    string
	ID      uint32 // of the variable
	Bytes   uint32
	Members []LDSMember
}

// An LDSVariable is a Workgroup variable in its place. Those of explicit layout overlap.
type LDSVariable struct {
	Name          string // empty: the module has none
	ID            uint32
	Offset, Bytes uint32
	Zero          bool // it has an initializer, which is zero
}

// Label returns the variable's name, or its id.
func (v *LDSVariable) Label() string {
	if v.Name != "" {
		return v.Name
	}
	return fmt.Sprintf("%%%d", v.ID)
}

// An LDSMember is a member of such a block.
type LDSMember struct {
	Name          string
	Type          uint32 // id
	Offset, Bytes uint32
}

// An LDSArgument is the memory that an argument of a kernel points to.
type LDSArgument struct {
	Argument      int // index among the kernel's arguments
	Offset, Bytes uint32
}

// A Section is memory of a kernel whose address a launch knows.
type Section uint8

// Sections of a kernel.
const (
	ConstantData    Section = iota // Func.Constants
	DeviceVariables                // Func.Variables
)

// A Relocation is a place in a section that holds an address: the address of another section is added to it.
type Relocation struct {
	In, To    Section
	At, Bytes uint32
}

// A Func is one entry point with everything inlined.
type Func struct {
	Name     string
	Blocks   []*Block // the entry first
	Locals   []*Local
	Bindings []Binding
	Strings  []string // formats of DebugPrint
	// Constants holds the program's read-only data; accesses to it name the binding after the last one.
	Constants []byte
	// Variables holds what the variables of a kernel's module in device memory hold at first.
	Variables []byte
	// Relocations lists the addresses in both.
	Relocations []Relocation
	LocalSize   [3]uint32
	LDSBytes    uint32
	LDSViews    []LDSView
	// LDSVariables lists the Workgroup variables.
	LDSVariables []LDSVariable
	// CheckedVariables are the names of the variables whose reads are checked (isa.CheckWritten).
	CheckedVariables []string
	// LDSArguments lists the Workgroup pointers among a kernel's arguments. LDSBytes includes their memory.
	LDSArguments []LDSArgument
	PushBytes    uint32
	// Node is the entry point's interface to an execution graph; nil if it is no node.
	Node *Node
	// Fragment is set for fragment shaders.
	Fragment *Fragment
	// PreservedWidths is the sum of the widths of the floats (16, 32, 64 bits) whose signed zeros, infinities and NaNs the
	// entry point preserves.
	PreservedWidths uint32
	// MaxReconverge: the entry point declares maximal reconvergence.
	MaxReconverge bool
	// Kernel: the entry point is a kernel of OpenCL C. Operations on floats are as precise as that asks, whatever the
	// machine's settings, and loads are chosen as LLVM does.
	Kernel bool

	nextValue, nextBlock int
}

// Invocations returns the number of invocations of a workgroup.
func (f *Func) Invocations() uint64 {
	return uint64(f.LocalSize[0]) * uint64(f.LocalSize[1]) * uint64(f.LocalSize[2])
}

// NewBlock adds an empty block.
func (f *Func) NewBlock() *Block {
	b := &Block{ID: f.nextBlock}
	f.nextBlock++
	f.Blocks = append(f.Blocks, b)
	return b
}

// NewValue makes a value that is in no block yet.
func (f *Func) NewValue(op isa.Op, t, r isa.Type, args ...*Value) *Value {
	v := &Value{ID: f.nextValue, Op: op, T: t, R: r, Args: args}
	f.nextValue++
	return v
}

// Renumber gives values small ids, in the order that they had, so that tables by id are small. It does nothing where most ids are in use.
func (f *Func) Renumber() {
	byID, n := make([]*Value, f.nextValue), 0
	use := func(v *Value) {
		if byID[v.ID] == nil {
			byID[v.ID] = v
			n++
		}
	}
	for _, b := range f.Blocks {
		if b.Cond != nil {
			use(b.Cond)
		}
		for _, list := range [][]*Value{b.Phis, b.Code} {
			for _, v := range list {
				use(v)
				for _, a := range v.Args {
					use(a)
				}
			}
		}
	}
	if n > f.nextValue/2 {
		return
	}
	f.nextValue = 0
	for _, v := range byID {
		if v != nil {
			v.ID = f.nextValue
			f.nextValue++
		}
	}
}

// NumValues returns an upper bound of value ids, for tables indexed by them.
func (f *Func) NumValues() int { return f.nextValue }

// NumBlocks returns an upper bound of block ids.
func (f *Func) NumBlocks() int { return f.nextBlock }

// Append puts v at the end of b.
func (b *Block) Append(v *Value) *Value {
	v.Block = b
	b.Code = append(b.Code, v)
	return v
}

// SetSuccs sets the successors and registers b with them.
func (b *Block) SetSuccs(term TermKind, cond *Value, succs ...*Block) {
	b.Term, b.Cond, b.Succs = term, cond, succs
	for _, s := range succs {
		s.Preds = append(s.Preds, b)
	}
}

// Package frontend translates one entry point of a validated module to the
// compiler's intermediate form: it inlines functions, splits composites into
// scalars, resolves pointers to spaces, bindings and byte offsets, and applies
// specialization.
//
// It does not optimise: address arithmetic is not simplified, and variables are locals. It knows nothing of registers,
// instructions or time, and of the machine only the wave size, which shaders can observe.
//
// The builder consists of parts. Each has its own state and its own table of translations (rows), so that an operation
// is added in one file. A part embeds the part below it and knows nothing above; in the methods of a part, b is the
// builder up to that part. The chain, from below:
//
//	core      core.go: the module, the current instruction, emission, faults
//	values    value.go, constant.go: the meaning of ids; constants
//	maths     lanes.go, arithmetic.go, composite.go, geometry.go, glsl.go, intel.go,
//	          matrixvalue.go
//	layouts   layout.go: types in memory
//	pointers  pointer.go, payloadpointer.go, variables.go, memory.go
//	inputs    builtin.go, interpolate.go
//
// Kernels of OpenCL are in files of their own: their interface and pointers (kernel.go), private memory by bytes
// (kernelbytes.go), accesses, copies and prints (kernelmemory.go), images, built-ins, conversions, and OpenCL.std
// (opencl.go). Package structure finds their loops and merge blocks when all is translated.
//
// Extensions stand on a link of this chain:
//
//	on pointers  images (image.go) with samplers (sample.go) and atomics
//	             (atomic.go); payloads (payload.go) with nodes (node.go); meshes
//	             (mesh.go); fragments (fragment.go); gcn (gcn.go); cooperative
//	             matrices (matrix.go, matrixlanes.go)
//	on inputs    groups (group.go, ballot.go) with quads (quad.go) and
//	             workgroups (workgroup.go)
//
// The builder itself has the entry point (entry.go), the module's variables (globals.go), functions (function.go),
// blocks and branches (flow.go), the choice among extended instruction sets (extinst.go), and the table of opcodes
// (rows.go), which combines the parts' tables.
package frontend

import (
	"fmt"

	"spvsim/program/ir"
	"spvsim/spirv"
	"spvsim/spirv/validate"
)

// Options select an entry point and specialize it.
type Options struct {
	Entry string // name of the entry point; "" takes the only one
	// Specialization holds the bits of constants by SpecId.
	Specialization map[uint32]uint64
	// Strings holds string constants by SpecId.
	Strings map[uint32]string
	// Nodes lists the known nodes of the entry point's graph: they determine whose input a payload is.
	Nodes    []validate.GraphNode
	WaveSize int // lanes of a wave: SubgroupSize
	// WithoutHelpers: helpers of fragment shaders take no part in operations of subgroups, except for those of quads.
	WithoutHelpers bool
	// Check: barriers of the subgroup leave a LaneOrder.
	Check bool
	// CheckVariables: reads of variables leave a CheckWritten.
	CheckVariables bool
	Matrix         MatrixTarget
	Kernel         Kernel
	// Stop, unless nil, is called at each instruction; its error ends the translation.
	Stop func() error
}

// A Kernel specializes an entry point of execution model Kernel to its launch, as a driver does that compiles at the enqueue.
type Kernel struct {
	// LocalSize is the workgroup's size. Zero takes that of the entry point, which must have one.
	LocalSize [3]uint32
	// LocalBytes holds the bytes of the LDS that each argument of storage class Workgroup points to, by its index among
	// the arguments. Their places are in ir.Func.LDSArguments.
	LocalBytes map[int]uint32
	// Short: the last workgroups of the grid have fewer work-items than LocalSize. The others end at once.
	Short bool
}

// An Error names the instruction that can't be translated, and the reason. It wraps validate.ErrUnsupported or
// validate.ErrInvalid.
type Error struct {
	Word int
	Op   spirv.Op
	ID   spirv.ID
	Text string
	Err  error

	source *spirv.Source
}

func (e *Error) Error() string {
	return e.source.Fault("program", e.Word, e.Op, e.ID, fmt.Sprintf("%v: %s", e.Err, e.Text))
}

func (e *Error) Unwrap() error { return e.Err }

// Limits on the expansion of a module, far above real shaders, so that a small hostile module can't allocate unbounded
// memory.
const (
	maxLeaves = 1 << 16 // scalars of one composite value
	maxTotal  = 1 << 23 // scalars of all types together
	maxValues = 1 << 21 // values of the translated function
	maxBlocks = 1 << 17 // blocks of the translated function
	maxDepth  = 200     // nested calls
	maxLooped = 1 << 26 // loops times blocks of the translated function: analyses keep a table of both
)

// A builder translates one entry point: the module's variables, functions,
// blocks, calls and phis. The values within them are made by its parts, which
// form a chain from core up to inputs, and by the extensions that stand on a
// link of that chain.
type builder struct {
	*inputs
	images     *images
	samplers   *samplers
	atomics    *atomics
	groups     *groups
	quads      *quads
	workgroups *workgroups
	gcn        *gcn
	payloads   *payloads
	meshes     *meshes
	nodes      *nodes
	fragments  *fragments
	matrices   *matrices

	fr      *frame         // function being inlined
	strings map[string]int // formats of DebugPrintf, by their place in Func.Strings
}

func newBuilder(m *validate.Module, opt Options, entry *validate.EntryPoint) *builder {
	c := &core{m: m, opt: opt, entry: entry, f: &ir.Func{}, consts: map[constKey]*ir.Value{}, undefs: map[constKey]*ir.Value{}}
	v := &values{core: c, globals: map[spirv.ID]val{}, pending: map[spirv.ID]bool{}, leafs: map[spirv.ID]leafList{}, coops: map[spirv.ID]*coop{}}
	p := &pointers{layouts: &layouts{maths: &maths{v}, shapes: map[layoutKey]*shape{}, naturalOffsets: map[spirv.ID][]uint32{}}, writes: map[object]bool{}}
	b := &builder{inputs: &inputs{pointers: p, computed: map[spirv.BuiltIn][]*ir.Value{}}, strings: map[string]int{}}
	b.images = &images{p}
	b.samplers, b.atomics = &samplers{b.images}, &atomics{b.images}
	b.groups = &groups{b.inputs}
	b.quads, b.workgroups = &quads{b.groups}, &workgroups{groups: b.groups}
	b.gcn = &gcn{p}
	b.payloads, b.meshes = &payloads{pointers: p}, &meshes{p}
	b.nodes = &nodes{b.payloads, b.meshes}
	b.fragments = &fragments{pointers: p}
	b.matrices = &matrices{p}
	v.operation = b.constantOperation
	return b
}

// abort carries an error out of the translation of an instruction; Build
// returns it.
type abort struct{ err error }

// Build translates the entry point that opt names.
func Build(m *validate.Module, opt Options) (f *ir.Func, err error) {
	defer func() {
		if p := recover(); p != nil {
			stop, ok := p.(abort)
			if !ok {
				panic(p)
			}
			f, err = nil, stop.err
		}
	}()
	entry, err := chooseEntry(m, opt.Entry)
	if err != nil {
		return nil, err
	}
	if opt.WaveSize != 32 && opt.WaveSize != 64 {
		return nil, fmt.Errorf("program: wave size %d: want 32 or 64", opt.WaveSize)
	}
	b := newBuilder(m, opt, entry)
	b.translate()
	return b.f, checkLoops(b.f)
}

// checkLoops refuses functions for which analyses of loops would take too much memory.
func checkLoops(f *ir.Func) error {
	loops := 0
	for _, blk := range f.Blocks {
		if blk.Continue != nil {
			loops++
		}
	}
	if loops*len(f.Blocks) > maxLooped {
		return fmt.Errorf("program: %w: %s has %d loops and %d blocks: want at most %d as their product", validate.ErrUnsupported,
			f.Name, loops, len(f.Blocks), maxLooped)
	}
	return nil
}

func (b *builder) translate() {
	b.f.Name, b.f.Kernel = b.entry.Name, b.entry.Model == spirv.ExecutionModelKernel
	b.checkEntry()
	start := b.f.NewBlock()
	b.blk = start
	b.f.LocalSize = b.localSize()
	b.quads.derivativeGroup()
	b.fragments.declareFragment()
	b.kernelStart()
	b.reached = reachable(b.m, b.entry.Func)
	b.nodes.bind()
	b.bindVariables()
	for _, s := range b.private {
		b.in = s.in
		b.storeLeaves(s.to, s.leaves)
	}
	b.inlineEntry(b.m.Function(b.entry.Func))
	b.in = nil
	start.Code = append(b.head, start.Code...)
	for _, v := range b.head {
		v.Block = start
	}
	if b.isKernel() {
		b.structure()
	} else {
		prune(b.f)
	}
	b.checkWritten()
	b.placeTables()
	b.markWrites()
}

// Package frontend translates one entry point of a validated module to the
// compiler's intermediate form: functions inlined, composites split into
// scalars, pointers resolved to spaces, bindings and byte offsets,
// specialization applied.
//
// It does not optimise (address arithmetic comes out plain, variables as
// locals) and knows nothing of registers, instructions or time; of the machine
// it knows the wave size only, which shaders can observe.
package frontend

import (
	"fmt"

	"spvsim/program/ir"
	"spvsim/spirv"
	"spvsim/spirv/validate"
)

// Options choose what to translate.
type Options struct {
	Entry string // name of the entry point; "" takes the only one
	// Specialization holds the bits of constants by SpecId.
	Specialization map[uint32]uint64
	// Strings holds string constants by SpecId.
	Strings map[uint32]string
	// Nodes are those of the graph that the entry point is to be part of, as far
	// as they are known: they can tell whose input a payload is.
	Nodes    []validate.GraphNode
	WaveSize int // lanes of a wave: SubgroupSize
}

// An Error says which instruction can't be translated, and why. It wraps
// validate.ErrUnsupported or validate.ErrInvalid.
type Error struct {
	Word int
	Op   spirv.Op
	ID   spirv.ID
	Text string
	Err  error
}

func (e *Error) Error() string {
	id := ""
	if e.ID != 0 {
		id = fmt.Sprintf(" %%%d", e.ID)
	}
	return fmt.Sprintf("program: word %d (%s%s): %v: %s", e.Word, e.Op, id, e.Err, e.Text)
}

func (e *Error) Unwrap() error { return e.Err }

// Limits on what a module may expand to, far above real shaders, so that a
// small hostile module can't ask for unbounded memory.
const (
	maxLeaves = 1 << 16 // scalars of one composite value
	maxTotal  = 1 << 23 // scalars of all types together
	maxValues = 1 << 21 // values of the translated function
	maxBlocks = 1 << 17 // blocks of the translated function
	maxDepth  = 200     // nested calls
)

// builder translates one entry point.
type builder struct {
	m     *validate.Module
	opt   Options
	entry *validate.EntryPoint
	f     *ir.Func

	in   *spirv.Instruction // being translated
	line uint32
	blk  *ir.Block // where emitted values go
	fr   *frame    // function being inlined

	globals map[spirv.ID]val  // constants and module variables
	pending map[spirv.ID]bool // constants being evaluated
	consts  map[constKey]*ir.Value
	undefs  map[constKey]*ir.Value
	head    []*ir.Value // constants, then identity values: the start of the entry block
	inputs  map[spirv.BuiltIn][]*ir.Value
	layouts map[layoutKey]*shape
	total   int // scalars of the types flattened and laid out
	leafs   map[spirv.ID]leafList
	private []initStore

	writes    map[object]bool // objects written, by space and number
	strings   map[string]int
	groupLDS  uint32 // byte offset of the scratch of workgroup operations
	groupUsed bool
	graph     graph

	outputs []output // of a fragment shader

	derivatives, inQuads bool // the entry point has a derivative group; one of 2x2 in x and y
}

// bail carries an error out of the translation of an instruction; Build
// returns it.
type bail struct{ err error }

// fail stops the translation at the current instruction.
func (b *builder) fail(sentinel error, format string, args ...any) {
	e := &Error{Text: fmt.Sprintf(format, args...), Err: sentinel}
	if b.in != nil {
		e.Word, e.Op, e.ID = b.in.Word, b.in.Op, b.in.Result
	}
	panic(bail{e})
}

func (b *builder) unsupported(format string, args ...any) {
	b.fail(validate.ErrUnsupported, format, args...)
}

func (b *builder) invalid(format string, args ...any) { b.fail(validate.ErrInvalid, format, args...) }

// Build translates the entry point that opt names.
func Build(m *validate.Module, opt Options) (f *ir.Func, err error) {
	defer func() {
		if p := recover(); p != nil {
			stop, ok := p.(bail)
			if !ok {
				panic(p)
			}
			f, err = nil, stop.err
		}
	}()
	b := &builder{
		m: m, opt: opt, f: &ir.Func{},
		globals: map[spirv.ID]val{}, pending: map[spirv.ID]bool{}, consts: map[constKey]*ir.Value{}, undefs: map[constKey]*ir.Value{},
		inputs: map[spirv.BuiltIn][]*ir.Value{}, layouts: map[layoutKey]*shape{}, leafs: map[spirv.ID]leafList{},
		writes: map[object]bool{}, strings: map[string]int{},
	}
	if b.entry, err = chooseEntry(m, opt.Entry); err != nil {
		return nil, err
	}
	if opt.WaveSize != 32 && opt.WaveSize != 64 {
		return nil, fmt.Errorf("program: wave size %d: want 32 or 64", opt.WaveSize)
	}
	b.translate()
	return b.f, nil
}

func chooseEntry(m *validate.Module, name string) (*validate.EntryPoint, error) {
	if name == "" && len(m.EntryPoints) == 1 {
		return &m.EntryPoints[0], nil
	}
	if e := m.EntryPoint(name); e != nil {
		return e, nil
	}
	names := make([]string, len(m.EntryPoints))
	for i, e := range m.EntryPoints {
		names[i] = e.Name
	}
	return nil, fmt.Errorf("program: %w: no entry point %q: the module has %q", validate.ErrInvalid, name, names)
}

func (b *builder) translate() {
	b.f.Name = b.entry.Name
	b.checkEntry()
	start := b.f.NewBlock()
	b.blk = start
	b.f.LocalSize = b.localSize()
	b.derivativeGroup()
	b.beginFragment()
	b.bindNode()
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
	prune(b.f)
	b.markWrites()
}

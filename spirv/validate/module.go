// Package validate checks a decoded module and indexes it: types, decorations, functions and blocks by id. It tests the
// rules on which lowering relies. It does not evaluate constants (their values depend on the job's specialization). Of
// the compiler's features it knows the supported capabilities, extensions and instruction sets, and refuses others by
// name before any rule.
package validate

import (
	"spvsim/internal/lists"
	"spvsim/spirv"
)

// Module is the indexed view of a module that passed Check. It is read-only.
type Module struct {
	Raw         *spirv.Module
	EntryPoints []EntryPoint
	Functions   []*Function

	// Capabilities holds the declared ones, without those that they imply.
	Capabilities map[spirv.Capability]bool
	Extensions   map[string]bool
	Addressing   spirv.AddressingModel
	Memory       spirv.MemoryModel
	// Lines holds the source line of each instruction of Raw, 0 if unknown.
	Lines []uint32

	defs        []*spirv.Instruction // by id
	types       []*Type              // by id
	names       []string             // by id
	decorations [][]Decoration       // by id
	members     map[memberKey][]Decoration
	memberNames map[memberKey]string
	imports     map[spirv.ID]string
	strings     map[spirv.ID]string
	functions   map[spirv.ID]*Function
	graphs      map[spirv.ID]*graph       // control flow by function
	definitions []definition              // where each id is defined
	implied     map[spirv.Capability]bool // declared capabilities and what they imply

	// Warnings lists violations of the letter of a specification that do no harm.
	Warnings []Fault
}

type memberKey struct {
	id     spirv.ID
	member uint32
}

// A Decoration is one decoration of an id or a member. Args are its words after the decoration itself; ids for
// OpDecorateId.
type Decoration struct {
	Kind spirv.Decoration
	Args []uint32
}

// An EntryPoint is an OpEntryPoint with its execution modes.
type EntryPoint struct {
	Name      string
	Model     spirv.ExecutionModel
	Func      spirv.ID
	Interface []spirv.ID
	Modes     []Mode
	Word      int
}

// A Mode is an execution mode. Args are literals, or ids if IDs is set.
type Mode struct {
	Kind spirv.ExecutionMode
	Args []uint32
	IDs  bool
	Word int
}

// Mode returns the entry point's mode of a kind, or nil.
func (e *EntryPoint) Mode(kind spirv.ExecutionMode) *Mode {
	return lists.Find(e.Modes, func(m *Mode) bool { return m.Kind == kind })
}

// A Function is an OpFunction with its blocks in the order of the module.
type Function struct {
	ID     spirv.ID
	Type   *Type // KindFunction
	Def    *spirv.Instruction
	Params []spirv.Instruction
	Blocks []*Block
	byID   map[spirv.ID]*Block
}

// Block returns the block with a label, or nil.
func (f *Function) Block(label spirv.ID) *Block { return f.byID[label] }

// A Block is a basic block. Code holds its instructions without the label; merge instruction and terminator are
// included. First is the index of Code[0] in Raw.Instructions (for Lines).
type Block struct {
	ID    spirv.ID
	Code  []spirv.Instruction
	First int
}

// Terminator returns the last instruction of the block.
func (b *Block) Terminator() *spirv.Instruction { return &b.Code[len(b.Code)-1] }

// Merge returns the merge instruction before the terminator, or nil.
func (b *Block) Merge() *spirv.Instruction {
	if len(b.Code) < 2 {
		return nil
	}
	in := &b.Code[len(b.Code)-2]
	if in.Op == spirv.OpSelectionMerge || in.Op == spirv.OpLoopMerge {
		return in
	}
	return nil
}

// Def returns the instruction that defines an id, or nil.
func (m *Module) Def(id spirv.ID) *spirv.Instruction {
	if int(id) < len(m.defs) {
		return m.defs[id]
	}
	return nil
}

// Type returns the type that an id declares, or nil if it is no type.
func (m *Module) Type(id spirv.ID) *Type {
	if int(id) < len(m.types) {
		return m.types[id]
	}
	return nil
}

// TypeOf returns the type of the value that an id names, or nil.
func (m *Module) TypeOf(id spirv.ID) *Type {
	if in := m.Def(id); in != nil && in.Type != 0 {
		return m.Type(in.Type)
	}
	return nil
}

// Name returns the OpName of an id, or "".
func (m *Module) Name(id spirv.ID) string {
	if int(id) < len(m.names) {
		return m.names[id]
	}
	return ""
}

// MemberName returns the OpMemberName of a structure's member, or "".
func (m *Module) MemberName(id spirv.ID, member int) string {
	return m.memberNames[memberKey{id, uint32(member)}]
}

// Decorations returns the decorations of an id, groups resolved.
func (m *Module) Decorations(id spirv.ID) []Decoration {
	if int(id) < len(m.decorations) {
		return m.decorations[id]
	}
	return nil
}

// MemberDecorations returns the decorations of a structure's member.
func (m *Module) MemberDecorations(id spirv.ID, member int) []Decoration {
	return m.members[memberKey{id, uint32(member)}]
}

func (m *Module) Decorated(id spirv.ID, kind spirv.Decoration) bool {
	_, ok := find(m.Decorations(id), kind)
	return ok
}

// Decoration returns the first argument of an id's decoration.
func (m *Module) Decoration(id spirv.ID, kind spirv.Decoration) (uint32, bool) {
	return firstArg(m.Decorations(id), kind)
}

func (m *Module) MemberDecorated(id spirv.ID, member int, kind spirv.Decoration) bool {
	_, ok := find(m.MemberDecorations(id, member), kind)
	return ok
}

// MemberDecoration returns the first argument of a member's decoration.
func (m *Module) MemberDecoration(id spirv.ID, member int, kind spirv.Decoration) (uint32, bool) {
	return firstArg(m.MemberDecorations(id, member), kind)
}

func find(list []Decoration, kind spirv.Decoration) (Decoration, bool) {
	for _, d := range list {
		if d.Kind == kind {
			return d, true
		}
	}
	return Decoration{}, false
}

func firstArg(list []Decoration, kind spirv.Decoration) (uint32, bool) {
	d, ok := find(list, kind)
	if !ok || len(d.Args) == 0 {
		return 0, false
	}
	return d.Args[0], true
}

// Import returns the name of an imported extended instruction set, or "".
func (m *Module) Import(id spirv.ID) string { return m.imports[id] }

// String returns the text of an OpString, or "".
func (m *Module) String(id spirv.ID) string { return m.strings[id] }

// Function returns the function with an id, or nil.
func (m *Module) Function(id spirv.ID) *Function { return m.functions[id] }

// EntryPoint returns the entry point with a name, or nil. The first wins when
// entry points of different models share a name.
func (m *Module) EntryPoint(name string) *EntryPoint {
	return lists.Find(m.EntryPoints, func(e *EntryPoint) bool { return e.Name == name })
}

package spirv

import (
	"slices"
	"strings"
)

// Reach returns the part of a module that one entry point reaches: its function, the functions that this calls, and what these
// name, with the variables in device memory, which all kernels of a module have at the same places. Ids and places of
// instructions stay. The operands of the module need not be checked: those that do not follow the grammar reach nothing. A module
// without an entry point of the name, or with several, is returned as it is.
func Reach(m *Module, entry string) *Module {
	r := &reacher{m: m, context: NewContext(int(min(m.Bound, 1<<16))), place: make([]int32, m.Bound), kept: make([]bool, m.Bound), function: -1}
	var entries []int
	for i := range m.Instructions {
		in := &m.Instructions[i]
		r.index(i)
		if r.function >= 0 {
			continue // close notes it if it is reached
		}
		r.context.Note(in)
		switch in.Op {
		case OpEntryPoint:
			if name, _ := DecodeString(in.Operands[min(2, len(in.Operands)):]); name == entry {
				entries = append(entries, i)
			}
		case OpString:
			// what clang and llvm-spirv write of a kernel's arguments, and what nothing has as an operand
			if s, _ := DecodeString(in.Operands); strings.HasPrefix(s, "kernel_arg_type."+entry+".") {
				r.kept[in.Result] = true
			}
		case OpDecorationGroup:
			r.kept[in.Result] = true
		case OpDecorateId, OpSource:
			r.roots = append(r.roots, i)
		case OpVariable:
			if len(in.Operands) > 0 && StorageClass(in.Operands[0]) == StorageClassCrossWorkgroup {
				r.roots = append(r.roots, i)
			}
		}
	}
	if len(entries) != 1 {
		return m
	}
	r.entry = &m.Instructions[entries[0]]
	r.close(append(r.roots, entries[0]))
	out := *m
	out.Instructions = r.instructions()
	return &out
}

type reacher struct {
	m        *Module
	context  *Context
	entry    *Instruction
	function int     // index of the function that is open while places are recorded, else -1
	place    []int32 // by id: 1 + index of the instruction that defines it, of its function where it is within one
	kept     []bool  // by id
	roots    []int
	queue    []int
}

// index records the place of the id that instruction i defines.
func (r *reacher) index(i int) {
	in := &r.m.Instructions[i]
	if in.Op == OpFunction {
		r.function = i
	}
	if in.Result != 0 {
		r.place[in.Result] = int32(1 + i)
		if r.function >= 0 {
			r.place[in.Result] = int32(1 + r.function)
		}
	}
	if in.Op == OpFunctionEnd {
		r.function = -1
	}
}

// has reports an id that is kept.
func (r *reacher) has(id ID) bool { return int(id) < len(r.kept) && r.kept[id] }

// keep adds what defines an id to the queue.
func (r *reacher) keep(id ID) {
	if id == 0 || r.has(id) || int(id) >= len(r.kept) {
		return
	}
	r.kept[id] = true
	if at := int(r.place[id]) - 1; at >= 0 {
		if f := &r.m.Instructions[at]; f.Op == OpFunction && f.Result != id {
			r.keep(f.Result)
			return
		}
		r.queue = append(r.queue, at)
	}
}

// close keeps what the roots name, and what that names.
func (r *reacher) close(roots []int) {
	visit := func(_ int, id ID) error {
		r.keep(id)
		return nil
	}
	for r.queue = roots; len(r.queue) > 0; {
		at := r.queue[len(r.queue)-1]
		r.queue = r.queue[:len(r.queue)-1]
		for code := r.unit(at); len(code) > 0; code = code[1:] {
			in := &code[0]
			r.keep(in.Type)
			r.keep(in.Result)
			_ = WalkIDs(in, r.context, visit) // a fault ends the walk
		}
	}
}

// unit is instruction at, or the function that it begins, whose types it notes.
func (r *reacher) unit(at int) []Instruction {
	code := r.m.Instructions[at:]
	if code[0].Op != OpFunction {
		return code[:1]
	}
	for i := range code {
		r.context.Note(&code[i])
		if code[i].Op == OpFunctionEnd {
			return code[:i+1]
		}
	}
	return code
}

// instructions are those that define or describe what is kept, and those of the module as a whole.
func (r *reacher) instructions() []Instruction {
	var out []Instruction
	function := true // whether the function that is open is kept
	for i := range r.m.Instructions {
		in := &r.m.Instructions[i]
		if in.Op == OpFunction {
			function = r.kept[in.Result]
		}
		if function && r.describes(in) {
			out = append(out, *in)
			r.limitTargets(&out[len(out)-1])
		}
		function = function || in.Op == OpFunctionEnd
	}
	return out
}

// describes reports an instruction whose id or whose target is kept, or which has none.
func (r *reacher) describes(in *Instruction) bool {
	switch in.Op {
	case OpEntryPoint:
		return in == r.entry
	case OpExecutionMode, OpExecutionModeId:
		return len(in.Operands) > 0 && in.Operands[0] == r.entry.Operands[1]
	case OpName, OpMemberName, OpDecorate, OpDecorateId, OpDecorateString, OpMemberDecorate, OpMemberDecorateString, OpTypeForwardPointer:
		return len(in.Operands) > 0 && r.has(ID(in.Operands[0]))
	case OpExtInstImport:
		return true
	}
	return in.Result == 0 || r.kept[in.Result]
}

// limitTargets restricts a decoration group to what is kept.
func (r *reacher) limitTargets(in *Instruction) {
	step := 1
	switch in.Op {
	case OpGroupDecorate:
	case OpGroupMemberDecorate:
		step = 2
	default:
		return
	}
	first := min(1, len(in.Operands))
	list := in.Operands[:first:first]
	for target := range slices.Chunk(in.Operands[first:], step) {
		if r.has(ID(target[0])) {
			list = append(list, target...)
		}
	}
	in.Operands = list
}

package spirv

import (
	"encoding/binary"
	"slices"
	"strings"
)

// DecodePart is Decode of the part of a module that one entry point reaches: its function, the functions that this calls, and what
// these name, with the variables in device memory, which all kernels of a module have at the same places. Ids and places of
// instructions stay. Of other functions it reads the lengths of instructions alone, which costs a fraction of Decode for one kernel
// of many. Without an entry point of the name, or with several, it decodes the whole module.
func DecodePart(data []byte, entry string) (*Module, error) {
	words, order, err := toWords(data)
	if err != nil {
		return nil, err
	}
	return decodePart(words, order, entry)
}

// Reach is DecodePart of a decoded module.
func Reach(m *Module, entry string) (*Module, error) {
	part, err := decodePart(m.Words(), m.Order, entry)
	if err == nil {
		part.Source = m.Source
	}
	return part, err
}

func decodePart(words []uint32, order binary.ByteOrder, entry string) (*Module, error) {
	if entry == "" {
		return decode(words, order)
	}
	d, _, err := newDecoder(words, order)
	if err != nil {
		return nil, err
	}
	r := &reacher{decoder: d, place: make([]int32, d.m.Bound), kept: make([]bool, d.m.Bound)}
	if err := r.scan(entry); err != nil {
		return nil, err
	}
	if len(r.entries) != 1 {
		return decode(words, order)
	}
	r.keepRoots(entry)
	if err := r.close(); err != nil {
		return nil, err
	}
	if err := r.closeUnknown(); err != nil {
		return nil, err
	}
	return d.m, r.collect()
}

// reacher finds what an entry point reaches.
type reacher struct {
	*decoder
	globals   []Instruction // outside functions, without those that describe
	functions []function
	entries   []int   // indexes in globals of the entry points of the name
	place     []int32 // by id: 1 + index in globals of what defines it, -1 - index in functions, 0 if not read
	kept      []bool  // by id
	queue     []int32 // places of what is kept, until it is walked
	unknown   []ID    // kept, and without a place
}

// function is a function of the module, from one word to another.
type function struct {
	at, end int
	result  ID
	code    []Instruction // nil until it is read
}

// describes reports instructions that say something of their first operand, and are kept with it.
func describes(op Op) bool {
	switch op {
	case OpName, OpMemberName, OpDecorate, OpDecorateString, OpMemberDecorate, OpMemberDecorateString, OpExecutionMode, OpTypeForwardPointer:
		return true
	}
	return false
}

// scan reads what is outside functions, and finds the functions and the entry points of the name.
func (r *reacher) scan(entry string) error {
	for at := HeaderWords; at < len(r.words); {
		op := Op(r.words[at])
		if describes(op) {
			at = r.end(at)
			continue
		}
		r.globals = append(r.globals, Instruction{})
		in := &r.globals[len(r.globals)-1]
		end, err := r.head(in, at)
		if err != nil {
			return err
		}
		switch op {
		case OpFunction:
			end = r.functionEnd(end)
			r.functions = append(r.functions, function{at: at, end: end, result: in.Result})
			r.place[in.Result] = -int32(len(r.functions))
			r.globals = r.globals[:len(r.globals)-1]
		case OpEntryPoint:
			if name, _ := DecodeString(in.Operands[min(2, len(in.Operands)):]); name == entry {
				r.entries = append(r.entries, len(r.globals)-1)
			}
		default:
			r.c.Note(in)
			r.place[in.Result] = int32(len(r.globals))
		}
		at = end
	}
	return nil
}

// functionEnd returns the word after the function in which the instruction at a word is.
func (r *reacher) functionEnd(at int) int {
	for at < len(r.words) && Op(r.words[at]) != OpFunction {
		next := r.end(at)
		if Op(r.words[at]) == OpFunctionEnd {
			return next
		}
		at = next
	}
	return at
}

// keepRoots keeps what nothing names.
func (r *reacher) keepRoots(entry string) {
	for i := range r.globals {
		in := &r.globals[i]
		switch in.Op {
		case OpGroupDecorate, OpGroupMemberDecorate:
			continue
		case OpEntryPoint, OpExecutionModeId:
			if !r.isKept(in) {
				continue
			}
		case OpString:
			// what clang and llvm-spirv write of a kernel's arguments, and what nothing has as an operand
			if s, _ := DecodeString(in.Operands); !strings.HasPrefix(s, "kernel_arg_type."+entry+".") {
				continue
			}
		case OpVariable:
			if len(in.Operands) == 0 || StorageClass(in.Operands[0]) != StorageClassCrossWorkgroup {
				continue
			}
		case OpDecorationGroup, OpExtInstImport:
		default:
			if in.Result != 0 {
				continue
			}
		}
		if in.Result != 0 {
			r.keep(in.Result)
		} else {
			r.queue = append(r.queue, int32(1+i))
		}
	}
}

// keep adds what defines an id to the queue.
func (r *reacher) keep(id ID) {
	if id == 0 || r.kept[id] {
		return
	}
	r.kept[id] = true
	switch at := r.place[id]; {
	case at == 0:
		r.unknown = append(r.unknown, id)
	case at < 0 && r.functions[-1-at].result != id:
		r.keep(r.functions[-1-at].result)
	default:
		r.queue = append(r.queue, at)
	}
}

// close keeps what those in the queue name, and what that names.
func (r *reacher) close() error {
	visit := func(_ int, id ID) error {
		r.keep(id)
		return nil
	}
	for len(r.queue) > 0 {
		at := r.queue[len(r.queue)-1]
		r.queue = r.queue[:len(r.queue)-1]
		code, err := r.unit(at)
		if err != nil {
			return err
		}
		for i := range code {
			in := &code[i]
			r.keep(in.Type)
			r.keep(in.Result)
			if err := r.operands(in, visit); err != nil {
				return err
			}
		}
	}
	return nil
}

// unit returns the instruction or the function of a place.
func (r *reacher) unit(place int32) ([]Instruction, error) {
	if place > 0 {
		return r.globals[place-1 : place], nil
	}
	err := r.readFunction(int(-1 - place))
	return r.functions[-1-place].code, err
}

// readFunction decodes the instructions of a function but for their operands.
func (r *reacher) readFunction(i int) error {
	f := &r.functions[i]
	if f.code != nil {
		return nil
	}
	n := 0
	for at := f.at; at < f.end; at = r.end(at) {
		n++
	}
	f.code = make([]Instruction, n)
	at := f.at
	for k := range f.code {
		in := &f.code[k]
		var err error
		if at, err = r.head(in, at); err != nil {
			return err
		}
		r.c.Note(in)
		r.place[in.Result] = -1 - int32(i)
	}
	return nil
}

// closeUnknown keeps functions of which others name an id within. Such modules are invalid, and the rules name the fault.
func (r *reacher) closeUnknown() error {
	if len(r.unknown) == 0 {
		return nil
	}
	for i := range r.functions {
		if err := r.readFunction(i); err != nil {
			return err
		}
	}
	for _, id := range r.unknown {
		if r.place[id] != 0 {
			r.kept[id] = false
			r.keep(id)
		}
	}
	return r.close()
}

// collect makes the module of what is kept and what describes it.
func (r *reacher) collect() error {
	globals, functions := r.globals, r.functions
	out := make([]Instruction, 0, len(globals))
	for at := HeaderWords; at < len(r.words); {
		op, end := Op(r.words[at]), r.end(at)
		switch {
		case op == OpFunction:
			f := &functions[0]
			functions, end = functions[1:], f.end
			if r.kept[f.result] {
				out = append(out, f.code...)
			}
		case !describes(op):
			if r.isKept(&globals[0]) {
				out = append(out, globals[0])
			}
			globals = globals[1:]
		case end > at+1 && r.isTarget(op, r.words[at+1]):
			out = append(out, Instruction{Op: op, Operands: r.words[at+1 : end : end], Word: at})
		}
		at = end
	}
	r.m.Instructions = out
	return r.checkDescriptions()
}

func (r *reacher) isKept(in *Instruction) bool {
	switch in.Op {
	case OpEntryPoint:
		return in == &r.globals[r.entries[0]]
	case OpExecutionModeId:
		return len(in.Operands) > 0 && r.isTarget(in.Op, in.Operands[0])
	}
	return in.Result == 0 || r.kept[in.Result]
}

// isTarget reports whether what describes an id is kept.
func (r *reacher) isTarget(op Op, id uint32) bool {
	if op == OpExecutionMode || op == OpExecutionModeId {
		return id == r.globals[r.entries[0]].Operands[1]
	}
	return id < r.m.Bound && r.kept[id]
}

// checkDescriptions tests the operands that close does not visit, and restricts decoration groups to what is kept.
func (r *reacher) checkDescriptions() error {
	for i := range r.m.Instructions {
		in := &r.m.Instructions[i]
		group := in.Op == OpGroupDecorate || in.Op == OpGroupMemberDecorate
		if !group && !describes(in.Op) {
			continue
		}
		if err := r.operands(in, nil); err != nil {
			return err
		}
		if group {
			r.limitTargets(in)
		}
	}
	return nil
}

// limitTargets restricts a decoration group to what is kept.
func (r *reacher) limitTargets(in *Instruction) {
	step := 1
	if in.Op == OpGroupMemberDecorate {
		step = 2
	}
	list := in.Operands[:1:1]
	for target := range slices.Chunk(in.Operands[1:], step) {
		if r.kept[target[0]] {
			list = append(list, target...)
		}
	}
	in.Operands = list
}

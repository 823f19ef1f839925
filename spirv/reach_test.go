package spirv_test

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spvsim/spirv"
	"spvsim/spirv/asm"
	"spvsim/spirv/validate"
)

const kernels = `
OpCapability Kernel
OpCapability Addresses
OpCapability Int64
OpCapability Linkage
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %first "first" %id
OpEntryPoint Kernel %second "second"
OpExecutionMode %first LocalSizeHint 64 1 1
OpExecutionMode %second LocalSizeHint 32 1 1
OpName %called "called"
OpName %other "other"
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %group Constant
%group = OpDecorationGroup
OpGroupDecorate %group %used %unused
%void = OpTypeVoid
%i32 = OpTypeInt 32 0
%i64 = OpTypeInt 64 0
%f32 = OpTypeFloat 32
%v3 = OpTypeVector %i64 3
%input = OpTypePointer Input %v3
%device = OpTypePointer CrossWorkgroup %i32
%table = OpTypePointer UniformConstant %i32
%empty = OpTypeFunction %void
%i1 = OpConstant %i32 1
%i2 = OpConstant %i32 2
%id = OpVariable %input Input
%shared = OpVariable %device CrossWorkgroup %i2
%used = OpVariable %table UniformConstant %i1
%unused = OpVariable %table UniformConstant %i1
%other = OpFunction %void None %empty
%o = OpLabel
OpReturn
OpFunctionEnd
%called = OpFunction %void None %empty
%c = OpLabel
%x = OpLoad %i32 %used
OpReturn
OpFunctionEnd
%first = OpFunction %void None %empty
%f = OpLabel
%y = OpFunctionCall %void %called
OpReturn
OpFunctionEnd
%second = OpFunction %void None %empty
%s = OpLabel
%z = OpFunctionCall %void %other
OpReturn
OpFunctionEnd
`

// Reach keeps what an entry point reaches, with its names and decorations, and variables in device memory.
func TestReach(t *testing.T) {
	raw, err := asm.Assemble([]byte(kernels), "m.spvasm")
	if err != nil {
		t.Fatal(err)
	}
	whole, err := validate.Check(raw)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		entry                         string
		entries, functions, variables int
	}{{"first", 1, 2, 3}, {"second", 1, 2, 1}, {"third", 2, 4, 4}} {
		reached, err := spirv.Reach(raw, c.entry)
		if err != nil {
			t.Fatal(err)
		}
		part, err := validate.Check(reached)
		if err != nil {
			t.Fatalf("%s: %v", c.entry, err)
		}
		variables := 0
		for i := range part.Raw.Instructions {
			in := &part.Raw.Instructions[i]
			if in.Op == spirv.OpVariable {
				variables++
			}
			if in.Result != 0 && (in.Word != whole.Def(in.Result).Word || part.Name(in.Result) != whole.Name(in.Result) ||
				len(part.Decorations(in.Result)) != len(whole.Decorations(in.Result))) {
				t.Errorf("%s: %%%d is at word %d with name %q and %d decorations", c.entry, in.Result, in.Word, part.Name(in.Result), len(part.Decorations(in.Result)))
			}
		}
		if len(part.EntryPoints) != c.entries || len(part.Functions) != c.functions || variables != c.variables {
			t.Errorf("%s: %d entry points, %d functions, %d variables: want %d, %d, %d", c.entry, len(part.EntryPoints), len(part.Functions), variables,
				c.entries, c.functions, c.variables)
		}
		if e := part.EntryPoint(c.entry); e != nil && len(e.Modes) != 1 {
			t.Errorf("%s: %d modes", c.entry, len(e.Modes))
		}
	}
}

// DecodePart has what passes over the whole module find, also with any word changed that leaves it valid, and finds a fault in what
// the entry point reaches. What is not reached may be malformed or invalid.
func TestDecodePart(t *testing.T) {
	good, err := asm.Assemble([]byte(kernels), "m.spvasm")
	if err != nil {
		t.Fatal(err)
	}
	within := make([]bool, len(good.Words()))
	for _, in := range reached(good, "first") {
		for i := range in.Words() {
			// those that decide whether the instruction is reached
			decides := names(in.Op) && i < 2 || in.Op == spirv.OpVariable && i == 3
			within[in.Word+i] = !decides
		}
	}
	same, refused, more := 0, 0, 0
	for at, old := range good.Words()[spirv.HeaderWords:] {
		at += spirv.HeaderWords
		for _, w := range []uint32{old, 0, 1, 6, 0xFFFF, 1<<16 | uint32(spirv.OpNop), 3<<16 | uint32(spirv.OpEntryPoint), 1<<32 - 1} {
			data := good.Encode(binary.LittleEndian)
			binary.LittleEndian.PutUint32(data[4*at:], w)
			whole, err := checked(spirv.Decode(data))
			part, partErr := checked(spirv.DecodePart(data, "first"))
			switch {
			case err == nil && partErr != nil:
				t.Errorf("word %d as %#x: %v", at, w, partErr)
			case err == nil:
				same++
				if want := reached(whole, "first"); !slices.EqualFunc(part.Instructions, want, sameInstruction) {
					t.Errorf("word %d as %#x: %v", at, w, cmp.Diff(want, part.Instructions))
				}
			case partErr != nil:
				refused++
			case within[at]:
				t.Errorf("word %d as %#x: found no fault: want %v", at, w, err)
			default:
				more++
			}
		}
	}
	if same < 100 || refused < 100 || more < 100 {
		t.Errorf("%d modules are valid, %d invalid, %d in what is not reached alone", same, refused, more)
	}
}

func checked(m *spirv.Module, err error) (*spirv.Module, error) {
	if err == nil {
		_, err = validate.Check(m)
	}
	return m, err
}

// reached returns what DecodePart has of a module, by passes over all of it until one keeps nothing new.
func reached(m *spirv.Module, entry string) []spirv.Instruction {
	c := spirv.NewContext(int(m.Bound))
	var first []spirv.ID
	for i := range m.Instructions {
		in := &m.Instructions[i]
		c.Note(in)
		if in.Op == spirv.OpEntryPoint {
			if name, _ := spirv.DecodeString(in.Operands[2:]); name == entry {
				first = append(first, spirv.ID(in.Operands[1]))
			}
		}
	}
	if len(first) != 1 {
		return m.Instructions
	}
	kept := map[spirv.ID]bool{0: true}
	var out []spirv.Instruction
	for before := 0; before < len(kept); {
		before, out = len(kept), nil
		for _, code := range units(m) {
			for _, in := range partOf(code, kept, first[0]) {
				out = append(out, in)
				if in.Op == spirv.OpGroupDecorate || names(in.Op) {
					continue
				}
				kept[in.Type], kept[in.Result] = true, true
				_ = spirv.WalkIDs(&in, c, func(_ int, id spirv.ID) error {
					kept[id] = true
					return nil
				})
			}
		}
	}
	return out
}

// units divides a module into functions and what is outside them.
func units(m *spirv.Module) [][]spirv.Instruction {
	var list [][]spirv.Instruction
	open := false
	for i, in := range m.Instructions {
		if in.Op == spirv.OpFunction || !open {
			list = append(list, nil)
			open = in.Op == spirv.OpFunction
		}
		list[len(list)-1] = append(list[len(list)-1], m.Instructions[i])
		open = open && in.Op != spirv.OpFunctionEnd
	}
	return list
}

func names(op spirv.Op) bool {
	return op == spirv.OpName || op == spirv.OpDecorate || op == spirv.OpExecutionMode
}

// partOf returns what is kept of a unit.
func partOf(code []spirv.Instruction, kept map[spirv.ID]bool, entry spirv.ID) []spirv.Instruction {
	in := code[0]
	keep := kept[in.Result]
	switch in.Op {
	case spirv.OpFunction:
		keep = slices.ContainsFunc(code, func(in spirv.Instruction) bool { return in.Result != 0 && kept[in.Result] })
	case spirv.OpEntryPoint:
		keep = spirv.ID(in.Operands[1]) == entry
	case spirv.OpExecutionMode:
		keep = spirv.ID(in.Operands[0]) == entry
	case spirv.OpName, spirv.OpDecorate:
		keep = kept[spirv.ID(in.Operands[0])]
	case spirv.OpDecorationGroup, spirv.OpExtInstImport:
		keep = true
	case spirv.OpVariable:
		keep = keep || in.Operands[0] == uint32(spirv.StorageClassCrossWorkgroup)
	case spirv.OpGroupDecorate:
		targets := in.Operands
		in.Operands = targets[:1:1]
		for _, id := range targets[1:] {
			if kept[spirv.ID(id)] {
				in.Operands = append(in.Operands, id)
			}
		}
		return []spirv.Instruction{in}
	}
	if !keep {
		return nil
	}
	return code
}

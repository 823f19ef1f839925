package spirv_test

import (
	"encoding/binary"
	"reflect"
	"testing"

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
		part, err := validate.Check(spirv.Reach(raw, c.entry))
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

// DecodePart is Reach of what Decode returns, also of modules with any word changed that Decode still reads; what is not reached
// may be malformed.
func TestDecodePart(t *testing.T) {
	good, err := asm.Assemble([]byte(kernels), "m.spvasm")
	if err != nil {
		t.Fatal(err)
	}
	words := good.Words()
	same, more := 0, 0
	for at := range words[spirv.HeaderWords:] {
		for _, w := range []uint32{words[spirv.HeaderWords+at], 0, 1, 0xFFFF, 1<<16 | uint32(spirv.OpNop), 3<<16 | uint32(spirv.OpEntryPoint), 1<<32 - 1} {
			data := good.Encode(binary.LittleEndian)
			binary.LittleEndian.PutUint32(data[4*(spirv.HeaderWords+at):], w)
			part, partErr := spirv.DecodePart(data, "first")
			raw, err := spirv.Decode(data)
			if err == nil && (partErr != nil || !reflect.DeepEqual(part, spirv.Reach(raw, "first"))) {
				t.Errorf("word %d as %#x: %v", spirv.HeaderWords+at, w, partErr)
			}
			if err == nil {
				same++
			} else if partErr == nil {
				more++
			}
		}
	}
	if same < 100 || more < 100 {
		t.Errorf("%d modules are read by both, %d by DecodePart alone", same, more)
	}
}

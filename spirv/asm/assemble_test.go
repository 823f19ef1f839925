package asm_test

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"spvsim/internal/suite"
	"spvsim/spirv"
	"spvsim/spirv/asm"
)

const scalars = `%float = OpTypeFloat 32
%uint = OpTypeInt 32 0
%byte = OpTypeInt 8 1
%half = OpTypeFloat 16
%glsl = OpExtInstImport "GLSL.std.450"
%cl = OpExtInstImport "OpenCL.std.200"
`

func TestAssembleFaults(t *testing.T) {
	tests := []struct{ name, src, want string }{
		{"opcode", "OpNop\n  OpIAd", `x:2:3: unknown instruction "OpIAd"; the nearest is OpIAdd`},
		{"no opcode", "hello", `x:1:1: found "hello": want an instruction`},
		{"end", "%a =", `x:1:5: found the end: want an instruction`},
		{"lone id", "%a OpNop", `x:1:1: found "%a": want an instruction; an id starts one only before =`},
		{"no result", "%a = OpNop", `x:1:1: OpNop has no result`},
		{"result", "OpTypeVoid", `x:1:1: OpTypeVoid has a result: want %id = OpTypeVoid`},
		{"result type", "%a = OpUndef", `x:1:13: OpUndef: found the end: want the id of the result type`},
		{"missing", "OpStore %a\nOpNop", `x:2:1: OpStore: found "OpNop": want its operand Object`},
		{"too many", "OpReturn %a", `x:1:10: OpReturn: found "%a": want the next instruction`},
		{"enumerant", "OpCapability Shadr", `x:1:14: found "Shadr": want a Capability (Capability); the nearest is Shader`},
		{"mask", "OpStore %a %b Volatil|Aligned 4", `x:1:15: found "Volatil": want a mask of MemoryAccess (MemoryAccess); the nearest is Volatile`},
		{"id", "OpStore a %b", `x:1:9: found "a": want an id, as %name (Pointer)`},
		{"id name", "OpStore %a- %b", `x:1:9: "%a-": an id's name wants letters`},
		{"string", "OpExtension SPV", `x:1:13: found "SPV": want a string in quotes`},
		{"open string", "OpExtension \"SPV", `want a string in quotes`},
		{"integer", "OpName %a \"b\"\nOpLine %f 1.5 0", `x:2:11: found "1.5": want a number (Line): no integer`},
		{"negative", scalars + "%c = OpConstant %uint -1", `x:7:23: found "-1": want a number (Value): a negative number for an unsigned literal`},
		{"127", scalars + "%c = OpConstant %byte 128", `a number out of range for 8 bits`},
		{"-128", scalars + "%c = OpConstant %byte -129", `a number out of range for 8 bits`},
		{"large", scalars + "%c = OpConstant %uint 0x100000000", `a number out of range for 32 bits`},
		{"float", scalars + "%c = OpConstant %float 1e39", `a number too large for 32 bits`},
		{"half", scalars + "%c = OpConstant %half 65536", `a number too large for 16 bits`},
		{"no float", scalars + "%c = OpConstant %float x", `no floating-point number`},
		{"no exponent", scalars + "%c = OpConstant %float 0x3f800000", `a hexadecimal float wants an exponent`},
		{"unknown type", "%c = OpConstant %t 1", `x:1:20: OpConstant: the result type is not a number type defined before`},
		{"set", "%c = OpExtInst %f %s Sin %x", `found "Sin", but no OpExtInstImport before gives its set`},
		{"names of set", scalars + "%c = OpExtInst %f %cl sin %x", `want a number: the names of the set "OpenCL.std.200" are not known`},
		{"ext name", scalars + "%c = OpExtInst %f %glsl Sine %x", `want an instruction of GLSL.std.450; the nearest is Sin`},
		{"ext operand", scalars + "%c = OpExtInst %f %glsl Sin %x %y", `Sin: found "%y": want the next instruction`},
		{"spec op", scalars + "%c = OpSpecConstantOp %f IAd %x %y", `found "IAd": want an opcode without its Op; the nearest is OpIAdd`},
		{"spec store", scalars + "%c = OpSpecConstantOp %f Store %x %y", `OpStore can't be the operation of a constant`},
		{"escape", "OpNop !x", `found "!x": want ! and a number of 32 bits`},
		{"escaped form", "OpNop\nOpCapability !9999", `x:2:1: spirv: word 6 (OpCapability): operand 0 (Capability): 9999 is no Capability`},
		{"several", "OpFoo\nOpNop\nOpStore %a", "x:1:1: unknown instruction \"OpFoo\"\nx:3:11: OpStore: found the end: want its operand Object"},
	}
	for _, tt := range tests {
		_, err := asm.Assemble([]byte(tt.src), "x")
		if err == nil || !strings.Contains(err.Error(), tt.want) || !errors.Is(err, asm.ErrSyntax) {
			t.Errorf("%s: got %v\nwant %s", tt.name, err, tt.want)
		}
	}
	_, err := asm.Assemble([]byte(strings.Repeat("OpFoo\n", 50)), "x")
	if n := strings.Count(err.Error(), "\n") + 1; n != 10 {
		t.Errorf("%d faults reported at once, want 10", n)
	}
}

// words assembles a text and returns its words after the header.
func words(t *testing.T, src string, o asm.AssembleOptions) []uint32 {
	t.Helper()
	m, err := asm.AssembleWith([]byte(src), "x", o)
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	return m.Words()[spirv.HeaderWords:]
}

func TestAssembleForms(t *testing.T) {
	tests := []struct {
		name, a, b string // give the same words
	}{
		{"comments and space", "OpNop ; OpReturn\n\tOpReturn\r\n;end", "OpNop OpReturn"},
		{"alias", "OpDecorateStringGOOGLE %a UserSemantic \"x\"", "OpDecorateString %a UserSemantic \"x\""},
		{"enumerant alias", "OpCapability StorageUniformBufferBlock16", "OpCapability StorageBuffer16BitAccess"},
		{"mask order", "OpStore %a %b Aligned|Volatile 4", "OpStore %a %b Volatile|Aligned 4"},
		{"escaped operand", "OpCapability !1", "OpCapability Shader"},
		{"escaped rest", "OpStore %a !1 !3 16", "OpStore %a %a Volatile|Aligned 16"},
		{"escaped instruction", "!0x00020011 !1", "OpCapability Shader"},
		{"escaped string", "OpExtension !0x41414141 !0", `OpExtension "AAAA"`},
		{"string escapes", `OpExtension "a\b\"\\"`, `OpExtension "ab\"\\"`},
		{"hex and octal", "OpLine %a 0x10 010", "OpLine %a 16 8"},
		{"ext number", "%g = OpExtInstImport \"GLSL.std.450\" %s = OpExtInst %f %g 13 %x", "%g = OpExtInstImport \"GLSL.std.450\" %s = OpExtInst %f %g Sin %x"},
		{"printf name", "%g = OpExtInstImport \"NonSemantic.DebugPrintf\" %s = OpExtInst %f %g DebugPrintf %x", "%g = OpExtInstImport \"NonSemantic.DebugPrintf\" %s = OpExtInst %f %g 1 %x"},
	}
	for _, tt := range tests {
		a, b := words(t, tt.a, asm.AssembleOptions{}), words(t, tt.b, asm.AssembleOptions{})
		if !slices.Equal(a, b) {
			t.Errorf("%s: %x and %x", tt.name, a, b)
		}
	}
}

func TestIDs(t *testing.T) {
	src := "%7 = OpTypeVoid %x = OpTypeFunction %7 %2 = OpTypeFunction %x"
	for _, tt := range []struct {
		preserve bool
		want     []uint32
		bound    uint32
	}{
		{false, []uint32{1, 2, 1, 3, 2}, 4},
		{true, []uint32{7, 1, 7, 2, 1}, 8},
	} {
		m := suite.Must(asm.AssembleWith([]byte(src), "x", asm.AssembleOptions{PreserveNumericIDs: tt.preserve}))(t)
		w := m.Words()[spirv.HeaderWords:]
		if got := []uint32{w[1], w[3], w[4], w[6], w[7]}; !slices.Equal(got, tt.want) || m.Bound != tt.bound {
			t.Errorf("preserve %v: ids %d, bound %d; want %d, %d", tt.preserve, got, m.Bound, tt.want, tt.bound)
		}
	}
	for id, ok := range map[string]bool{"%0": false, "%1": true, "%4194302": true, "%4194303": false, "%99999999999": true} {
		// The last is too long for a number, so it is a name.
		_, err := asm.AssembleWith([]byte("OpReturnValue "+id), "x", asm.AssembleOptions{PreserveNumericIDs: true})
		if (err == nil) != ok {
			t.Errorf("%s: %v", id, err)
		}
	}
}

func TestVersion(t *testing.T) {
	for _, tt := range []struct {
		src  string
		o    asm.AssembleOptions
		want uint32
	}{
		{"OpNop", asm.AssembleOptions{}, 0x10600},
		{"; SPIR-V\n; Version: 1.3\nOpNop", asm.AssembleOptions{}, 0x10300},
		{"; Version: 1.3\nOpNop", asm.AssembleOptions{Version: 0x10500}, 0x10500},
		{"; Version: 2.9\nOpNop", asm.AssembleOptions{}, 0x10600},
		{"OpNop\n; Version: 1.3", asm.AssembleOptions{}, 0x10600},
	} {
		m, err := asm.AssembleWith([]byte(tt.src), "x", tt.o)
		if err != nil || m.Version != tt.want {
			t.Errorf("%q: version %#x, %v; want %#x", tt.src, m.Version, err, tt.want)
		}
	}
}

// enqueue is a node of an execution graph in revision 2 of
// SPV_AMDX_shader_enqueue.
const enqueue = `               OpCapability Shader
               OpCapability ShaderEnqueueAMDX
               OpExtension "SPV_AMDX_shader_enqueue"
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %main "main"
               OpExecutionModeId %main ShaderIndexAMDX %uint_4
               OpExecutionModeId %main IsApiEntryAMDX %true
               OpExecutionModeId %main MaxNumWorkgroupsAMDX %uint_4 %uint_1 %uint_1
               OpExecutionModeId %main SharesInputWithAMDX %name %uint_1
               OpExecutionMode %main CoalescingAMDX
               OpDecorateId %_payloadarr_uint PayloadNodeNameAMDX %name
               OpDecorate %_payloadarr_uint PayloadNodeSparseArrayAMDX
       %void = OpTypeVoid
       %bool = OpTypeBool
       %true = OpConstantTrue %bool
       %uint = OpTypeInt 32 0
     %uint_1 = OpConstant %uint 1
     %uint_4 = OpConstant %uint 4
       %name = OpConstantStringAMDX "other node"
       %spec = OpSpecConstantStringAMDX "third"
%_payloadarr_uint = OpTypeNodePayloadArrayAMDX %uint
%_ptr_NodePayloadAMDX__payloadarr_uint = OpTypePointer NodePayloadAMDX %_payloadarr_uint
         %fn = OpTypeFunction %void
       %main = OpFunction %void None %fn
         %12 = OpLabel
    %payload = OpAllocateNodePayloadsAMDX %_ptr_NodePayloadAMDX__payloadarr_uint %uint_1 %uint_4 %uint_1
     %length = OpNodePayloadArrayLengthAMDX %uint %payload
      %valid = OpIsNodePayloadValidAMDX %bool %_payloadarr_uint %uint_1
       %done = OpFinishWritingNodePayloadAMDX %bool %payload
               OpEnqueueNodePayloadsAMDX %payload
               OpReturn
               OpFunctionEnd
`

func TestEnqueue(t *testing.T) {
	m := suite.Must(asm.Assemble([]byte(enqueue), "enqueue"))(t)
	got := suite.Must(asm.Disassemble(m, asm.Options{NoHeader: true}))(t)
	again, err := asm.Assemble([]byte(got), "again")
	if err != nil || !slices.Equal(m.Words(), again.Words()) {
		t.Fatalf("%v\n%s", err, got)
	}
	for _, want := range []string{"SharesInputWithAMDX %", `OpConstantStringAMDX "other node"`, "OpTypeNodePayloadArrayAMDX %uint", "%_ptr_NodePayloadAMDX__payloadarr_uint = OpTypePointer NodePayloadAMDX"} {
		if !strings.Contains(got, want) {
			t.Errorf("want %s in\n%s", want, got)
		}
	}
}

// TestNamesBounded disassembles modules whose names would grow without bound:
// arrays of themselves, and many ids of one name.
func TestNamesBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString("%t0 = OpTypeInt 32 0\n")
	for i := range 64 {
		fmt.Fprintf(&b, "%%t%d = OpTypeArray %%t%d %%t%d\n", i+1, i, i)
	}
	for i := range 50000 {
		fmt.Fprintf(&b, "OpName %%n%d \"same\"\n", i)
	}
	m := suite.Must(asm.Assemble([]byte(b.String()), "x"))(t)
	text := suite.Must(asm.Disassemble(m, asm.Options{}))(t)
	if !strings.Contains(text, "OpName %same_49998 ") || len(text) > 4<<20 {
		t.Errorf("%d bytes of text", len(text))
	}
}

func FuzzAssemble(f *testing.F) {
	f.Add(enqueue)
	f.Add(scalars + "%c = OpConstant %half 0x1.8p-20 %d = OpConstant %float -1.5e3 OpStore %a !2 !3 \"x\\\"\"")
	if src, err := os.ReadFile("testdata/numbers.spvasm"); err == nil {
		f.Add(string(src))
	}
	f.Fuzz(func(t *testing.T, src string) {
		m, err := asm.AssembleWith([]byte(src), "fuzz", asm.AssembleOptions{PreserveNumericIDs: true})
		if err != nil {
			if !errors.Is(err, asm.ErrSyntax) {
				t.Fatalf("error without its sentinel: %v", err)
			}
			return
		}
		checkRoundTrip(t, m)
		checkNames(t, m)
	})
}

// large returns a text of many instructions, as compilers write them.
func large(b *testing.B) []byte {
	b.Helper()
	src, err := os.ReadFile("testdata/numbers.spvasm")
	if err != nil {
		b.Fatal(err)
	}
	head, tail, _ := strings.Cut(string(src), "         %sin")
	line := "%x = OpExtInst %float %ext Fma %f1 %f2 %f3 %y = OpFAdd %float %x %f1 OpStore %p %y Aligned 4 "
	return []byte(head + strings.Repeat(line, 1000) + "%sin" + tail)
}

func BenchmarkAssemble(b *testing.B) {
	src := large(b)
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := asm.Assemble(src, "large"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDisassemble(b *testing.B) {
	m, err := asm.Assemble(large(b), "large")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := asm.Disassemble(m, asm.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

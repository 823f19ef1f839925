package gpu

import (
	"context"
	"encoding/binary"
	"strings"
	"testing"
	"testing/fstest"

	"spvsim/config"
	"spvsim/mem"
)

// placeShader is a shader whose faults are to be found: CODE and INDEX are put in.
const placeShader = `; a comment
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %out %shared
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %array ArrayStride 4
OpMemberDecorate %block 0 Offset 0
OpDecorate %block Block
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 0
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%array = OpTypeRuntimeArray %uint
%block = OpTypeStruct %array
%p_block = OpTypePointer StorageBuffer %block
%p_uint = OpTypePointer StorageBuffer %uint
%zero = OpConstant %uint 0
%two = OpConstant %uint 2
%index = OpConstant %uint INDEX
%pair = OpTypeArray %uint %two
%p_pair = OpTypePointer Workgroup %pair
%p_local = OpTypePointer Workgroup %uint
%fn = OpTypeFunction %void
%out = OpVariable %p_block StorageBuffer
%shared = OpVariable %p_pair Workgroup
%main = OpFunction %void None %fn
%start = OpLabel
  CODE
OpReturn
OpFunctionEnd
`

const (
	storeOut   = "%there = OpAccessChain %p_uint %out %zero %index\n    OpStore %there %two"
	storeLocal = "%there = OpAccessChain %p_local %shared %index\n    OpStore %there %two" +
		"\n%first = OpAccessChain %p_local %shared %zero\n%read = OpLoad %uint %first\n%to = OpAccessChain %p_uint %out %zero %zero\nOpStore %to %read" // a store that nothing may read is dead
)

func placedText(code, index string) string {
	return strings.NewReplacer("CODE", code, "INDEX", index).Replace(placeShader)
}

func placedFiles(text string) fstest.MapFS {
	return fstest.MapFS{"place.spvasm": {Data: []byte(text)},
		"job.yaml": {Data: []byte("shader: place.spvasm\ndispatch: [1, 1, 1]\nbuffers: [{set: 0, binding: 0, name: out, data: {zero: 8}}]\n")}}
}

// TestFaultsOfATextHaveItsPlaces: at validation and when lowered, with the names of the text; those of the same module as words don't.
func TestFaultsOfATextHaveItsPlaces(t *testing.T) {
	for _, tt := range []struct{ name, code, want string }{
		{"rule", "%sum = OpFAdd %float %two %two", "place.spvasm:29:3: OpFAdd %sum: operand 0: %two is uint32: want a float scalar or vector (rule types)"},
		{"type", "%old = OpLoad %float %out", "place.spvasm:29:3: OpLoad %old: result type float32: the pointer is to struct %block (rule types)"},
		{"use", "%sum = OpIAdd %uint %two %sum", "place.spvasm:29:3: OpIAdd %sum: %sum is used before it is defined"},
		{"label", "OpBranch %nowhere", "place.spvasm:29:3: OpBranch: operand 0: %nowhere is not defined"},
		{"lowering", "%len = OpArrayLength %uint %out 0\n OpControlBarrier %index %two %zero", "place.spvasm:30:2: "},
	} {
		text := placedText(tt.code, "1") // scope Device
		_, err := Run(context.Background(), graphSetup(t, placedFiles(text), "rdna3-rx7900xtx"))
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) || strings.Contains(err.Error(), " (Op") {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
	raw, err := parse([]byte(placedText("%sum = OpFAdd %float %two %two", "0")), "place.spvasm", "")
	if err != nil {
		t.Fatal(err)
	}
	_, err = LoadModule(raw.Encode(binary.LittleEndian), "place.spv")
	if want := "place.spv: spirv: word "; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("as words: %v, want %q", err, want)
	}
}

// TestReportsOfARunHavePlacesOfTheText: accesses out of bounds, of buffers and of workgroup memory, and waves that don't end.
func TestReportsOfARunHavePlacesOfTheText(t *testing.T) {
	for _, tt := range []struct{ code, want string }{
		{storeOut, "store out of bounds: set 0, binding 0, buffer out, byte 36 of 8: %there (place.spvasm:30:5), workgroup"},
		{storeLocal, "workgroup memory access out of bounds: byte 36 of 8: %there (place.spvasm:30:5), workgroup"},
	} {
		r := mustRun(t, graphSetup(t, placedFiles(placedText(tt.code, "9")), "rdna3-rx7900xtx"))
		if all := strings.Join(r.Faults, "\n"); !strings.Contains(all, tt.want) {
			t.Errorf("%q, want %q", all, tt.want)
		}
	}
	loop := "OpBranch %round\n%round = OpLabel\n%n = OpAtomicIAdd %uint %there %two %zero %two\nOpLoopMerge %done %next None\nOpBranch %next\n%next = OpLabel\nOpBranch %round\n%done = OpLabel"
	s := graphSetup(t, placedFiles(placedText("%there = OpAccessChain %p_uint %out %zero %index\n"+loop, "0")), "rdna3-rx7900xtx")
	s.MaxCycles = 20000
	_, err := Run(context.Background(), s)
	if want := "%n (place.spvasm:32:1)"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}

// TestUndefinedBehaviourHasPlacesOfTheText: in graphs, with node and instruction.
func TestUndefinedBehaviourHasPlacesOfTheText(t *testing.T) {
	fs := files(t, jobText("recursion.spvasm", `
nodes: [{entry: halve}, {entry: sum}, {entry: watch}]
graph: [{node: halve, index: 3, payloads: [{u32: [0, 0x00010001, 32]}]}]`),
		"OpBranchConditional %more %hr %hl", "OpBranchConditional %yes %hr %hl", "%false = OpConstantFalse %bool", "%false = OpConstantFalse %bool\n%yes = OpConstantTrue %bool")
	_, err := Run(context.Background(), graphSetup(t, fs, "rdna4-like"))
	if err == nil || !strings.Contains(err.Error(), "%two (recursion.spvasm:") || !strings.Contains(err.Error(), "its recursion is spent") {
		t.Errorf("error %v", err)
	}
}

// TestSourcesSayHowToCompileThem: a shader in a language is no fault of syntax.
func TestSourcesSayHowToCompileThem(t *testing.T) {
	const glsl, hlsl = "#version 450\nvoid main() {}\n", "[numthreads(64, 1, 1)]\nvoid main(uint3 id : SV_DispatchThreadID) {}\n"
	for _, tt := range []struct{ name, text, want string }{
		{"a/x.comp", glsl, "GLSL source: want a module (.spv) or its text (.spvasm); compile it: glslangValidator -V --target-env vulkan1.3 -o a/x.spv a/x.comp"},
		{"x.glsl", glsl, "glslangValidator -V --target-env vulkan1.3 -S comp -o x.spv x.glsl"},
		{"x.spv", glsl, "glslangValidator -V"},
		{"standard input", glsl, "-S comp -o shader.spv shader"},
		{"x.hlsl", hlsl, "HLSL source: want a module (.spv) or its text (.spvasm); compile it: dxc -spirv -T cs_6_6 -E main -fspv-target-env=vulkan1.3 -Fo x.spv x.hlsl"},
		{"x.spvasm", hlsl, "dxc -spirv"},
		{"x.spvasm", "nothing at all", "x.spvasm:1:1: found"},
		{"x.comp", "; its text\nOpNop\nvoid main() {}", "x.comp:3:1"},
	} {
		if _, err := LoadModule([]byte(tt.text), tt.name); err == nil || !strings.HasPrefix(err.Error(), tt.name+":") || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

// A buffer that ends above 4 GB is refused where pointers have 32 bits.
func TestBuffersBeyondShortAddresses(t *testing.T) {
	for _, c := range []struct {
		size  uint64
		short bool
		want  string
	}{
		{16, true, ""},
		{17, true, "arguments: buffer a ends at address 0x100000001: want at most 4 GB for pointers of 32 bits"},
		{17, false, ""},
	} {
		r := &resources{job: &config.Job{Buffers: []config.Buffer{{Name: "a"}}}, buffers: []*mem.Buffer{{Addr: 1<<32 - 16, Size: c.size}}}
		got := ""
		if err := r.checkShort(&config.AddressFixup{Buffer: "a", Short: c.short}); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%d bytes, short %v: found %q, want %q", c.size, c.short, got, c.want)
		}
	}
}

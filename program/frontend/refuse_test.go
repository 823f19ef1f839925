package frontend

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"spvsim/internal/suite"
	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/spirv"
	"spvsim/spirv/asm"
	"spvsim/spirv/validate"
)

// The interface lists the global variables, as SPIR-V asks from 1.4 on.
var globalVariable = regexp.MustCompile(`(?m)^\s*(%\w+) = OpVariable %\w+ (?:Input|Output|StorageBuffer|Uniform|UniformConstant|Workgroup|Private|PushConstant|Image)\b`)

// A snippet is within the smallest compute shader. decls go before the
// functions, body into the main function.
func snippet(t testing.TB, caps, annotations, decls, body string) *spirv.Module {
	t.Helper()
	model := "GLSL450"
	if strings.Contains(caps, "VulkanMemoryModel") {
		model = "Vulkan"
	}
	interfaces := ""
	for _, v := range globalVariable.FindAllStringSubmatch(decls, -1) {
		interfaces += " " + v[1]
	}
	text := "OpCapability Shader\n" + caps + `
OpMemoryModel Logical ` + model + `
OpEntryPoint GLCompute %main "main"` + interfaces + `
` + annotations + `
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%int = OpTypeInt 32 1
%float = OpTypeFloat 32
%v2 = OpTypeVector %float 2
%v4 = OpTypeVector %float 4
%fn = OpTypeFunction %void
%u0 = OpConstant %uint 0
%u1 = OpConstant %uint 1
%u2 = OpConstant %uint 2
%u3 = OpConstant %uint 3
%f1 = OpConstant %float 1
%true = OpConstantTrue %bool
` + decls + `
%main = OpFunction %void None %fn
%start = OpLabel
` + body + `
OpReturn
OpFunctionEnd
`
	raw := suite.Must(asm.Assemble([]byte(text), "snippet"))(t)
	return raw
}

func module(t testing.TB, caps, annotations, decls, body string) *validate.Module {
	t.Helper()
	m := suite.Must(validate.Check(snippet(t, caps, annotations, decls, body)))(t)
	return m
}

const size1 = "OpExecutionMode %main LocalSize 1 1 1\n"

// TestRefusals: each fault is named, with its place, under the right sentinel.
func TestRefusals(t *testing.T) {
	tests := []struct {
		name, caps, annotations, decls, body string
		is                                   error
		text                                 string
	}{
		{"scope", "OpCapability GroupNonUniformRotateKHR\nOpExtension \"SPV_KHR_subgroup_rotate\"", size1, "",
			"%r = OpGroupNonUniformRotateKHR %uint %u2 %u1 %u1", validate.ErrUnsupported, "scope Workgroup"},
		{"mode", "OpCapability RoundingModeRTZ", "OpExecutionMode %main LocalSize 1 1 1\nOpExecutionMode %main RoundingModeRTZ 32", "", "",
			validate.ErrUnsupported, "execution mode RoundingModeRTZ"},
		{"ext set", "", size1, "", "", nil, ""},
		{"huge", "", size1, "%n = OpConstant %uint 100000\n%a = OpTypeArray %uint %n\n%p = OpTypePointer Function %a",
			"%v = OpVariable %p Function", validate.ErrUnsupported, "a value of more than 65536 scalars"},
		{"as many as may be", "", size1, arrays(maxTotal/maxLeaves - 1), variables(maxTotal/maxLeaves - 1), nil, ""},
		{"huge together", "", size1, arrays(maxTotal/maxLeaves + 1), variables(maxTotal/maxLeaves + 1), validate.ErrUnsupported, "types of more than 8388608 scalars together"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f, err := Build(module(t, tt.caps, tt.annotations, tt.decls, tt.body), Options{WaveSize: 32})
			if tt.is == nil {
				if err != nil {
					t.Fatal(err)
				}
				suite.OK(t, ir.Verify(f))
				return
			}
			if !errors.Is(err, tt.is) || !strings.Contains(err.Error(), tt.text) || !strings.HasPrefix(err.Error(), "snippet:") {
				t.Errorf("error %q, want %q and %q", err, tt.is, tt.text)
			}
		})
	}
}

// arrays returns n types, each of nearly as many scalars as a value may have.
func arrays(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%%n%d = OpConstant %%uint %d\n%%a%[1]d = OpTypeArray %%uint %%n%[1]d\n%%p%[1]d = OpTypePointer Function %%a%[1]d\n", i, maxLeaves-i)
	}
	return b.String()
}

// variables returns one of each of them.
func variables(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%%var%d = OpVariable %%p%[1]d Function\n", i)
	}
	return b.String()
}

// TestRecursionIsAnError: the rules or the translation refuse it.
func TestRecursionIsAnError(t *testing.T) {
	m, err := validate.Check(snippet(t, "", size1, `
%f = OpFunction %void None %fn
%fl = OpLabel
%fr = OpFunctionCall %void %f
OpReturn
OpFunctionEnd`, "%r = OpFunctionCall %void %f"))
	if err == nil {
		_, err = Build(m, Options{WaveSize: 32})
	}
	if !errors.Is(err, validate.ErrInvalid) || !strings.Contains(err.Error(), "recursi") {
		t.Errorf("error %v", err)
	}
}

// TestMatricesOfDefaultSizes: a module whose sizes are specialization constants is valid, and the error names the
// defaults that do not run.
func TestMatricesOfDefaultSizes(t *testing.T) {
	const text = `OpCapability Shader
OpCapability VulkanMemoryModel
OpCapability Float16
OpCapability CooperativeMatrixKHR
OpExtension "SPV_KHR_cooperative_matrix"
OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %main "main"
SIZE
OpDecorate %n SpecId 0
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%half = OpTypeFloat 16
%n = OpSpecConstant %uint 1
%u1 = OpConstant %uint 1
%u3 = OpConstant %uint 3
%u2 = OpConstant %uint 2
%h1 = OpConstant %half 1
%matrix = OpTypeCooperativeMatrixKHR %half %u3 %n %n %u2
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%start = OpLabel
%m = OpCompositeConstruct %matrix %h1
%sum = OpFAdd %matrix %m %m
OpReturn
OpFunctionEnd
`
	for size, want := range map[string]string{
		"OpExecutionMode %main LocalSize 32 1 1":       "of 1 x 1 f16, use accumulator, with these constants: unit",
		"OpExecutionModeId %main LocalSizeId %n %n %n": "in workgroups of 1 invocations, with these constants: they are not whole waves",
		"OpExecutionMode %main LocalSize 1 1 1":        "in workgroups of 1 invocations: they are not whole waves",
	} {
		raw := suite.Must(asm.Assemble([]byte(strings.Replace(text, "SIZE", size, 1)), "text"))(t)
		m, err := validate.Check(raw)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Build(m, Options{WaveSize: 32, Matrix: MatrixTarget{Unit: isa.RDNA3}})
		if !errors.Is(err, validate.ErrUnsupported) || errors.Is(err, validate.ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", size, err, want)
		}
	}
}

// TestCallsThatMultiplyAreBounded: 2^40 calls from 40 functions.
func TestCallsThatMultiplyAreBounded(t *testing.T) {
	decls := "%g0 = OpFunction %void None %fn\n%gl0 = OpLabel\nOpReturn\nOpFunctionEnd\n"
	for i := 1; i <= 40; i++ {
		n, before := string(rune('0'+i/10))+string(rune('0'+i%10)), "%g0"
		if i > 1 {
			before = "%h" + string(rune('0'+(i-1)/10)) + string(rune('0'+(i-1)%10))
		}
		decls += "%h" + n + " = OpFunction %void None %fn\n%hl" + n + " = OpLabel\n%x" + n + " = OpFunctionCall %void " + before +
			"\n%y" + n + " = OpFunctionCall %void " + before + "\nOpReturn\nOpFunctionEnd\n"
	}
	m := module(t, "", size1, decls, "%r = OpFunctionCall %void %h40")
	if _, err := Build(m, Options{WaveSize: 32}); !errors.Is(err, validate.ErrUnsupported) {
		t.Errorf("error %v", err)
	}
}

func TestChoiceOfEntryPoint(t *testing.T) {
	m := module(t, "", size1, "", "")
	if f, err := Build(m, Options{WaveSize: 64}); err != nil || f.Name != "main" {
		t.Errorf("the only entry point: %v", err)
	}
	_, err := Build(m, Options{Entry: "other", WaveSize: 64})
	if err == nil || !strings.Contains(err.Error(), `"main"`) {
		t.Errorf("error %v names no entry point", err)
	}
	if _, err := Build(m, Options{WaveSize: 16}); err == nil {
		t.Error("wave size 16 passes")
	}
}

// Loops times blocks are bounded, and the bound is taken as it is said.
func TestLoopsTimesBlocksAreBounded(t *testing.T) {
	f := &ir.Func{Name: "main"}
	for range 1 << 13 {
		b := f.NewBlock()
		b.Continue = b
	}
	if err := checkLoops(f); err != nil {
		t.Errorf("%d loops and as many blocks: %v", 1<<13, err)
	}
	f.NewBlock()
	if err := checkLoops(f); !errors.Is(err, validate.ErrUnsupported) || !strings.Contains(err.Error(), "8192 loops and 8193 blocks: want at most 67108864 as their product") {
		t.Errorf("one block more: %v", err)
	}
}

package validate

import (
	"errors"
	"strings"
	"testing"
)

// modern is a module of SPIR-V 1.6 with parts that a case inserts.
const modern = `OpCapability Shader
CAPS
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
MODES
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%int = OpTypeInt 32 1
%float = OpTypeFloat 32
%fn = OpTypeFunction %void
%true = OpConstantTrue %bool
%u0 = OpConstant %uint 0
%u1 = OpConstant %uint 1
%u4 = OpConstant %uint 4
%f1 = OpConstant %float 1
TYPES
%main = OpFunction %void None %fn
%start = OpLabel
VARS
CODE
OpReturn
OpFunctionEnd
FUNCTIONS
`

// withParts puts parts into the module: a section and its text, by turns.
func withParts(parts ...string) string {
	text := modern
	for i := 0; i+1 < len(parts); i += 2 {
		text = strings.Replace(text, parts[i]+"\n", parts[i+1]+"\n", 1)
	}
	for _, name := range []string{"CAPS", "MODES", "TYPES", "VARS", "CODE", "FUNCTIONS"} {
		text = strings.Replace(text, name+"\n", "", 1)
	}
	return text
}

// TestFastMathDefault: the mode takes a type and a constant, once for each type.
func TestFastMathDefault(t *testing.T) {
	caps := "OpCapability FloatControls2\nOpCapability Float64\nOpExtension \"SPV_KHR_float_controls2\""
	once := "OpExecutionModeId %main FPFastMathDefault %float %u0"
	for _, tt := range []struct{ modes, types, code, rule string }{
		{once, "", "", ""},
		{once + "\nOpExecutionModeId %main FPFastMathDefault %double %u1", "%double = OpTypeFloat 64", "", ""},
		{"OpExecutionModeId %main FPFastMathDefault %uint %u0", "", "", "execution modes"},
		{"OpExecutionModeId %main FPFastMathDefault %float %float", "", "", "execution modes"},
		{once + "\nOpDecorate %sum NoContraction", "", "%sum = OpFAdd %float %f1 %f1", "execution modes"},
		{once + "\nOpDecorate %sum FPFastMathMode Fast", "", "%sum = OpFAdd %float %f1 %f1", "execution modes"},
		{once + "\nOpDecorate %sum FPFastMathMode NSZ", "", "%sum = OpFAdd %float %f1 %f1", ""},
	} {
		_, err := Check(assemble(t, withParts("CAPS", caps, "MODES", tt.modes, "TYPES", tt.types, "CODE", tt.code)))
		if firstRule(err) != tt.rule || (err == nil) != (tt.rule == "") {
			t.Errorf("%s: %v, want rule %q", tt.modes, err, tt.rule)
		}
	}
}

// TestRecursionThatNothingReaches is no fault: the rule is of the call graphs of
// entry points.
func TestRecursionThatNothingReaches(t *testing.T) {
	const again = "%again = OpFunction %void None %fn\n%a0 = OpLabel\n%a1 = OpFunctionCall %void %again\nOpReturn\nOpFunctionEnd"
	if _, err := Check(assemble(t, withParts("FUNCTIONS", again))); err != nil {
		t.Error(err)
	}
	_, err := Check(assemble(t, withParts("FUNCTIONS", again, "CODE", "%c = OpFunctionCall %void %again")))
	if firstRule(err) != "functions" || !errors.Is(err, ErrInvalid) {
		t.Errorf("reached: %v", err)
	}
	_, err = Check(assemble(t, withParts("FUNCTIONS", strings.Replace(again, "OpFunctionCall %void %again", "OpFunctionCall %void %u0", 1))))
	if firstRule(err) != "functions" {
		t.Errorf("a call of a constant: %v", err)
	}
}

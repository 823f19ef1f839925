package validate

import (
	"errors"
	"strings"
	"testing"
)

// The operand of a replicated composite has the type of each of its parts, and is a constant if the composite is.
func TestReplicatedParts(t *testing.T) {
	frame := `OpCapability Shader
OpCapability ReplicatedCompositesEXT
OpCapability FMAKHR
OpExtension "SPV_EXT_replicated_composites"
OpExtension "SPV_KHR_fma"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%int = OpTypeInt 32 1
%float = OpTypeFloat 32
%v3 = OpTypeVector %uint 3
%mixed = OpTypeStruct %uint %int
%alike = OpTypeStruct %v3 %v3
%one = OpConstant %uint 1
%half = OpConstant %float 0.5
DECL
%main = OpFunction %void None %fn
%label = OpLabel
BODY
OpReturn
OpFunctionEnd
`
	for _, c := range []struct{ decl, body, want string }{
		{"%c = OpConstantCompositeReplicateEXT %v3 %one\n%d = OpConstantCompositeReplicateEXT %alike %c", "%x = OpCompositeConstructReplicateEXT %alike %c", ""},
		{"", "%x = OpFmaKHR %float %half %half %half", ""},
		{"%c = OpConstantCompositeReplicateEXT %v3 %half", "", "is not of the type of part 0"},
		{"%c = OpConstantCompositeReplicateEXT %mixed %one", "", "is not of the type of part 1"},
		{"%c = OpConstantCompositeReplicateEXT %uint %one", "", "want a composite"},
		{"", "%x = OpCompositeConstructReplicateEXT %v3 %half", "is not of the type of part 0"},
		{"", "%x = OpFmaKHR %float %half %one %half", "operand 1"},
		{"", "%x = OpFmaKHR %uint %one %one %one", "result type"},
	} {
		_, err := Check(assemble(t, strings.NewReplacer("DECL", c.decl, "BODY", c.body).Replace(frame)))
		if ok := err == nil; ok != (c.want == "") || !ok && (!errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s %s: error %v, want %q", c.decl, c.body, err, c.want)
		}
	}
}

// Long vectors have a constant number of components, are no columns, and do not go from stage to stage.
func TestLongVectors(t *testing.T) {
	frame := `OpCapability Shader
CAPS
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%none = OpConstant %uint 0
%six = OpConstant %uint 6
%half = OpConstant %float 0.5
DECL
%main = OpFunction %void None %fn
%label = OpLabel
OpReturn
OpFunctionEnd
`
	long := "OpCapability LongVectorEXT\nOpExtension \"SPV_EXT_long_vector\""
	for _, c := range []struct{ caps, decl, want string }{
		{long, "%v = OpTypeVector %float 5\n%w = OpTypeVectorIdEXT %float %six\n%p = OpTypePointer Private %w\n%x = OpVariable %p Private", ""},
		{"", "%v = OpTypeVector %float 5", "5 components: want 2 to 4"},
		{"", "%w = OpTypeVectorIdEXT %float %six", "LongVectorEXT"},
		{long, "%w = OpTypeVectorIdEXT %float %none", "0 components"},
		{long, "%w = OpTypeVectorIdEXT %float %half", "not a constant integer"},
		{long, "%v = OpTypeVector %float 5\n%w = OpTypeVectorIdEXT %v %six", "not a scalar type"},
		{long, "%v = OpTypeVector %float 5\n%m = OpTypeMatrix %v 2", "columns of 5 components"},
		{long, "%v = OpTypeVector %float 5\n%s = OpTypeStruct %v\n%p = OpTypePointer Output %s\n%x = OpVariable %p Output", "more than four components in Output"},
	} {
		_, err := Check(assemble(t, strings.NewReplacer("DECL", c.decl, "CAPS", c.caps).Replace(frame)))
		if ok := err == nil; ok != (c.want == "") || !ok && (!errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: error %v, want %q", c.decl, err, c.want)
		}
	}
}

package validate

import (
	"errors"
	"strings"
	"testing"
)

// What a composite is replicated from has the type of each of its parts, and is a constant where the composite is.
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

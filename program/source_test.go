package program

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"spvsim/internal/suite"
	"spvsim/spirv/asm"
	"spvsim/spirv/validate"
)

// A program has the source lines that its instructions come from, and no others.
func TestProgramHasItsSource(t *testing.T) {
	const text = `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %b
OpExecutionMode %main LocalSize 1 1 1
%file = OpString "a.comp"
OpSource GLSL 450 %file "one
two
three
four"
OpDecorate %s Block
OpMemberDecorate %s 0 Offset 0
OpDecorate %b DescriptorSet 0
OpDecorate %b Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%zero = OpConstant %uint 0
%s = OpTypeStruct %uint
%ps = OpTypePointer StorageBuffer %s
%pu = OpTypePointer StorageBuffer %uint
%b = OpVariable %ps StorageBuffer
%main = OpFunction %void None %fn
%l = OpLabel
OpLine %file 4 0
%p = OpAccessChain %pu %b %zero
%v = OpLoad %uint %p
OpLine %file 3 0
%unused = OpIAdd %uint %v %v
OpLine %file 2 0
OpStore %p %v
OpReturn
OpFunctionEnd
`
	raw := suite.Must(asm.Assemble([]byte(text), "a.spvasm"))(t)
	m := suite.Must(validate.Check(raw))(t)
	p := suite.Must(Lower(m, Options{Entry: "main", Target: Target{WaveSize: 32}}))(t)
	want := []validate.SourceLine{{File: "a.comp", Line: 2, Text: "two"}, {File: "a.comp", Line: 4, Text: "four"}}
	if diff := cmp.Diff(want, p.Source); diff != "" {
		t.Error(diff)
	}
}

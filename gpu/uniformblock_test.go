package gpu

import (
	"fmt"
	"testing"

	"spvsim/config"
	"spvsim/internal/suite"
	"spvsim/isa"
	"spvsim/program"
)

// uniformBlock reads a word of a block, and stores it through a pointer.
const uniformBlock = `OpCapability Shader
OpCapability Int64
OpCapability PhysicalStorageBufferAddresses
OpMemoryModel PhysicalStorageBuffer64 GLSL450
OpEntryPoint GLCompute %%main "main" %%in
OpExecutionMode %%main LocalSize 64 1 1
OpDecorate %%block Block
OpMemberDecorate %%block 0 Offset 0
OpMemberDecorate %%block 1 Offset 8
OpDecorate %%in DescriptorSet 0
OpDecorate %%in Binding 0
OpDecorate %%in Aliased
%%void = OpTypeVoid
%%fn = OpTypeFunction %%void
%%uint = OpTypeInt 32 0
%%ulong = OpTypeInt 64 0
%%zero = OpConstant %%uint 0
%%one = OpConstant %%uint 1
%%block = OpTypeStruct %%ulong %%uint
%%pointer = OpTypePointer %[1]s %%block
%%address = OpTypePointer %[1]s %%ulong
%%word = OpTypePointer %[1]s %%uint
%%far = OpTypePointer PhysicalStorageBuffer %%uint
%%in = OpVariable %%pointer %[1]s
%%main = OpFunction %%void None %%fn
%%start = OpLabel
%%a = OpAccessChain %%address %%in %%zero
%%b = OpAccessChain %%word %%in %%one
%%to = OpLoad %%ulong %%a
%%p = OpConvertUToPtr %%far %%to
OpStore %%p %%one Aligned 4
%%x = OpLoad %%uint %%b
OpStore %%p %%x Aligned 4
OpReturn
OpFunctionEnd
`

// A uniform block is read through the scalar cache also if it is Aliased and pointers write memory: Vulkan has no name
// that writes it. A storage buffer is not, as such a pointer may write it.
func TestUniformBlocksAreReadOnly(t *testing.T) {
	machine := suite.Must(config.LoadMachine(config.Request{Machine: "rdna3-rx7900xtx"}))(t)
	for storage, want := range map[string]int{"Uniform": 2, "StorageBuffer": 0} {
		m, err := LoadModule(fmt.Appendf(nil, uniformBlock, storage), storage+".spvasm")
		if err != nil {
			t.Fatal(err)
		}
		scalar := 0
		p, err := program.Lower(m, program.Options{Entry: "main", Target: Target(machine, 32)})
		if err != nil {
			t.Fatal(err)
		}
		for i := range p.Insts {
			if in := &p.Insts[i]; in.Op == isa.Load && in.Class == isa.ClassSMEM && in.Mem.Space == isa.SpaceBuffer {
				scalar++
			}
		}
		if scalar != want {
			t.Errorf("%s: %d scalar loads, want %d", storage, scalar, want)
		}
	}
}

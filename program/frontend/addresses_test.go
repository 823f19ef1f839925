package frontend

import (
	"fmt"
	"strings"
	"testing"

	"spvsim/internal/oracle"
	"spvsim/internal/suite"
	"spvsim/program/ir"
	"spvsim/spirv/asm"
	"spvsim/spirv/validate"
)

// farModule reads the word that two steps of constants lead to, from an address that it is given.
const farModule = `OpCapability Shader
OpCapability Int64
OpCapability PhysicalStorageBufferAddresses
OpExtension "SPV_KHR_physical_storage_buffer"
OpExtension "SPV_KHR_storage_buffer_storage_class"
OpMemoryModel PhysicalStorageBuffer64 GLSL450
OpEntryPoint GLCompute %main "main" %push %out
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %given Block
OpMemberDecorate %given 0 Offset 0
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %words ArrayStride 4
OpDecorate %to ArrayStride 4
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%int = OpTypeInt 32 1
%ulong = OpTypeInt 64 0
%long = OpTypeInt 64 1
%c0 = OpConstant %uint 0
%a = OpConstant %TYPE FIRST
%b = OpConstant %TYPE SECOND
%words = OpTypeRuntimeArray %uint
%given = OpTypeStruct %ulong
%block = OpTypeStruct %words
%to = OpTypePointer PhysicalStorageBuffer %uint
%pgiven = OpTypePointer PushConstant %given
%plong = OpTypePointer PushConstant %ulong
%pblock = OpTypePointer StorageBuffer %block
%pword = OpTypePointer StorageBuffer %uint
%push = OpVariable %pgiven PushConstant
%out = OpVariable %pblock StorageBuffer
%main = OpFunction %void None %fn
%start = OpLabel
%at = OpAccessChain %plong %push %c0
%address = OpLoad %ulong %at
%p = OpConvertUToPtr %to %address
%q = OpPtrAccessChain %to %p %a
%r = OpPtrAccessChain %to %q %b
%x = OpLoad %uint %r Aligned 4
%result = OpAccessChain %pword %out %c0 %c0
OpStore %result %x
OpReturn
OpFunctionEnd
`

// Steps of a pointer by constants add up modulo 2^64, whichever sign and size they have.
func TestConstantStepsOfAddresses(t *testing.T) {
	const region = 0x2_0000_0000
	for typ, steps := range map[string][]int64{
		"int":   {0, 1, 7, -1, -8, 1<<29 - 1, 1 << 29, 1<<30 + 1, 1<<31 - 1, -1 << 31},
		"ulong": {0, 1, 1<<29 - 1, 1 << 29, 1 << 30, 1<<32 + 3, 1<<62 + 1},
		"long":  {0, 7, -1, -8, -1 << 40, 1 << 30, 1<<31 + 5, 1<<62 + 1},
	} {
		for _, a := range steps {
			for _, b := range steps {
				text := strings.NewReplacer("TYPE", typ, "FIRST", fmt.Sprint(a), "SECOND", fmt.Sprint(b)).Replace(farModule)
				bound := map[uint32][]oracle.Descriptor{0: buffer(words(0))}
				f := built(t, text)
				d := oracle.Dispatch{Groups: [3]uint32{1, 1, 1}, WaveSize: 32, Push: pair64(region + 4 - 4*uint64(a) - 4*uint64(b)), Descriptors: arrange(t, f, bound),
					Regions: []oracle.Region{{Base: region, Data: words(11, 22, 33)}}}
				if _, err := oracle.Run(f, d); err != nil {
					t.Fatalf("%s %d, then %d: %v", typ, a, b, err)
				}
				if got := toWords(bound[0][0].Data)[0]; got != 22 {
					t.Errorf("%s %d, then %d: %d, want 22", typ, a, b, got)
				}
			}
		}
	}
}

// built returns the translation of a module as text.
func built(t *testing.T, text string) *ir.Func {
	t.Helper()
	raw := suite.Must(asm.Assemble([]byte(text), "text"))(t)
	m := suite.Must(validate.Check(raw))(t)
	f := suite.Must(Build(m, Options{WaveSize: 32}))(t)
	return f
}

package frontend

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"spvsim/internal/suite"
	"spvsim/spirv/asm"
)

const untypedModule = `OpCapability Shader
OpCapability VariablePointersStorageBuffer
OpCapability WorkgroupMemoryExplicitLayoutKHR
OpCapability UntypedPointersKHR
OpExtension "SPV_KHR_untyped_pointers"
OpExtension "SPV_KHR_workgroup_memory_explicit_layout"
OpExtension "SPV_KHR_variable_pointers"
OpExtension "SPV_KHR_storage_buffer_storage_class"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id
OpExecutionMode %main LocalSize 64 1 1
OpDecorate %id BuiltIn LocalInvocationIndex
OpDecorate %words ArrayStride 4
OpDecorate %eight ArrayStride 4
OpDecorate %any ArrayStride 4
OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %group 0 Offset 0
OpDecorate %block Block
OpDecorate %group Block
OpDecorate %in DescriptorSet 0
OpDecorate %in Binding 0
OpDecorate %typed DescriptorSet 0
OpDecorate %typed Binding 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%c0 = OpConstant %uint 0
%c1 = OpConstant %uint 1
%c8 = OpConstant %uint 8
%words = OpTypeRuntimeArray %uint
%eight = OpTypeArray %uint %c8
%block = OpTypeStruct %words
%group = OpTypeStruct %eight
%any = OpTypeUntypedPointerKHR StorageBuffer
%anyshared = OpTypeUntypedPointerKHR Workgroup
%in = OpUntypedVariableKHR %any StorageBuffer %block
%lds = OpUntypedVariableKHR %anyshared Workgroup %group
%pblock = OpTypePointer StorageBuffer %block
%pword = OpTypePointer StorageBuffer %uint
%typed = OpVariable %pblock StorageBuffer
%inword = OpTypePointer Input %uint
%id = OpVariable %inword Input
%taker = OpTypeFunction %uint %any
%take = OpFunction %uint None %taker
%given = OpFunctionParameter %any
%tl = OpLabel
%tv = OpLoad %uint %given
OpReturnValue %tv
OpFunctionEnd
%main = OpFunction %void None %fn
%entry = OpLabel
%t = OpLoad %uint %id
%odd = OpINotEqual %bool %t %c0
%p = OpUntypedAccessChainKHR %any %words %in %t
%f = OpLoad %float %p
%q = OpUntypedPtrAccessChainKHR %any %uint %p %c1
OpStore %q %f
%k = OpAccessChain %pword %typed %c0 %t
OpCopyMemory %q %k
OpCopyMemorySized %p %k %c8
%s = OpSelect %any %odd %p %q
%x = OpAtomicIAdd %uint %s %c1 %c0 %c1
%n = OpUntypedArrayLengthKHR %uint %block %in 0
%d = OpPtrDiff %uint %p %q
%e = OpPtrEqual %bool %p %q
%y = OpFunctionCall %uint %take %s
%l = OpUntypedInBoundsAccessChainKHR %anyshared %eight %lds %t
OpStore %l %y
OpReturn
OpFunctionEnd
`

// Spoilt modules with untyped pointers are translated or refused.
func TestUntypedMutations(t *testing.T) {
	m := suite.Must(asm.Assemble([]byte(untypedModule), "untyped"))(t)
	data := m.Encode(binary.LittleEndian)
	r := rand.New(rand.NewPCG(3, 1))
	suite.OK(t, tryMutant(data))
	for i := range 4 * mutations {
		if err := tryMutant(mutate(r, data)); err != nil {
			t.Errorf("mutant %d: %v", i, err)
		}
	}
}

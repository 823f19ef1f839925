package validate

import (
	"testing"

	"spvsim/internal/suite"
)

// untypedText has each instruction of untyped pointers once, and passes.
const untypedText = `; Version: 1.4
OpCapability Shader
OpCapability UntypedPointersKHR
OpCapability VariablePointersStorageBuffer
OpCapability WorkgroupMemoryExplicitLayoutKHR
OpExtension "SPV_KHR_untyped_pointers"
OpExtension "SPV_KHR_workgroup_memory_explicit_layout"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %in
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %words ArrayStride 4
OpDecorate %any ArrayStride 4
OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %block 1 Offset 4
OpDecorate %block Block
OpDecorate %in DescriptorSet 0
OpDecorate %in Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%int = OpTypeInt 32 1
%float = OpTypeFloat 32
%v2 = OpTypeVector %float 2
%m2 = OpTypeMatrix %v2 2
%c0 = OpConstant %uint 0
%c1 = OpConstant %uint 1
%f1 = OpConstant %float 1
%words = OpTypeRuntimeArray %uint
%block = OpTypeStruct %uint %words
%any = OpTypeUntypedPointerKHR StorageBuffer
%shared = OpTypeUntypedPointerKHR Workgroup
%puint = OpTypePointer StorageBuffer %uint
%pown = OpTypePointer Function %uint
%in = OpUntypedVariableKHR %any StorageBuffer %block
%main = OpFunction %void None %fn
%entry = OpLabel
%own = OpVariable %pown Function
%p = OpUntypedAccessChainKHR %any %block %in %c1 %c0
%q = OpUntypedPtrAccessChainKHR %any %words %p %c1 %c0
%n = OpUntypedArrayLengthKHR %uint %block %in 1
%x = OpLoad %uint %q
OpReturn
OpFunctionEnd
`

// TestUntypedRules breaks a module with untyped pointers, which passes.
func TestUntypedRules(t *testing.T) {
	suite.Must(Check(assemble(t, untypedText)))(t)
	const chain, element, length = "OpUntypedAccessChainKHR %any %block %in %c1 %c0", "OpUntypedPtrAccessChainKHR %any %words %p %c1 %c0", "OpUntypedArrayLengthKHR %uint %block %in 1"
	for _, c := range []ruleCase{
		{"types", chain, "OpUntypedAccessChainKHR %puint %block %in %c1 %c0"},
		{"types", chain, "OpUntypedAccessChainKHR %shared %block %in %c1 %c0"},
		{"types", chain, "OpUntypedAccessChainKHR %any %puint %in %c1 %c0"},
		{"types", chain, "OpUntypedAccessChainKHR %any %m2 %in %c1 %c0"},
		{"types", chain, "OpUntypedAccessChainKHR %any %block %c1 %c1 %c0"},
		{"types", element, "OpUntypedPtrAccessChainKHR %any %words %p %f1 %c0"},
		{"types", element, "OpUntypedPtrAccessChainKHR %any %words %c0 %c1 %c0"},
		{"types", "OpDecorate %any ArrayStride 4\n", ""},
		{"types", length, "OpUntypedArrayLengthKHR %int %block %in 1"},
		{"types", length, "OpUntypedArrayLengthKHR %float %block %in 1"},
		{"types", length, "OpUntypedArrayLengthKHR %uint %block %in 0"},
		{"types", length, "OpUntypedArrayLengthKHR %uint %words %in 1"},
		{"types", length, "OpUntypedArrayLengthKHR %uint %block %c0 1"},
		{"types", "%x = OpLoad %uint %q", "%x = OpLoad %m2 %q"},
		{"types", "%x = OpLoad %uint %q", "%x = OpAccessChain %puint %in %c1 %c0"},
		{"types", "%x = OpLoad %uint %q", "OpCopyMemory %p %q"},
		{"types", "%in = OpUntypedVariableKHR %any StorageBuffer %block", "%in = OpVariable %any StorageBuffer"},
	} {
		if _, err := Check(assemble(t, c.edit(t, untypedText))); firstRule(err) != c.rule {
			t.Errorf("%s: rule %q, want %q: %v", c.new, firstRule(err), c.rule, err)
		}
	}
}

package gpu

import (
	"strings"
	"testing"
)

// broken has what zink makes of OpenCL's kernels: atomic operations of another sign and of a float's bits, and casts to fewer bits.
const broken = `OpCapability Shader
OpCapability Int64
OpCapability Float64
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %out
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %block Block
OpDecorate %array ArrayStride 4
OpMemberDecorate %block 0 Offset 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%int = OpTypeInt 32 1
%ulong = OpTypeInt 64 0
%double = OpTypeFloat 64
%float = OpTypeFloat 32
%four = OpConstant %uint 4
%zero = OpConstant %uint 0
%one = OpConstant %uint 1
%two = OpConstant %uint 2
%minus = OpConstant %int -3
%half = OpConstant %float 0.5
%long = OpConstant %ulong 0x1122334455667788
%real = OpConstant %double 0x1.23456789abcdep+5
%array = OpTypeArray %uint %four
%block = OpTypeStruct %array
%pointer = OpTypePointer StorageBuffer %block
%element = OpTypePointer StorageBuffer %uint
%out = OpVariable %pointer StorageBuffer
%main = OpFunction %void None %fn
%start = OpLabel
%a = OpAccessChain %element %out %zero %zero
%b = OpAccessChain %element %out %zero %one
%c = OpAccessChain %element %out %zero %two
%old = OpAtomicIAdd %uint %a %one %zero %minus
%seen = OpAtomicCompareExchange %uint %a %one %zero %zero %half %four
%low = OpBitcast %uint %long
OpStore %b %low
%bits = OpBitcast %uint %real
OpStore %c %bits
OpReturn
OpFunctionEnd
`

// Modules of zink are refused as the rules say, and repaired where that is asked for; the repaired module obeys all
// rules.
func TestRepairs(t *testing.T) {
	_, err := LoadModule([]byte(broken), "broken.spvasm")
	if err == nil || !strings.Contains(err.Error(), "want the result's type") || !strings.Contains(err.Error(), "is float32: want a integer") || !strings.Contains(err.Error(), "from 64 bits to 32 bits") {
		t.Errorf("without repairs: %v", err)
	}
	m, err := LoadRepairedModule([]byte(broken), "broken.spvasm")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := LoadModule(m.Raw.Encode(m.Raw.Order), "repaired.spv"); err != nil {
		t.Errorf("the repaired module: %v", err)
	}
	// A fault that has no repair stays: no type has the bits of the double.
	without := strings.NewReplacer("%ulong = OpTypeInt 64 0\n", "", "%long = OpConstant %ulong 0x1122334455667788\n", "", "%low = OpBitcast %uint %long\n", "", "OpStore %b %low\n", "").Replace(broken)
	if _, err := LoadRepairedModule([]byte(without), "without.spvasm"); err == nil || !strings.Contains(err.Error(), "from 64 bits to 32 bits") {
		t.Errorf("a double without an integer of its width: %v", err)
	}
}

package program

import (
	"errors"
	"strings"
	"testing"

	"spvsim/internal/suite"
	"spvsim/spirv/asm"
	"spvsim/spirv/validate"
)

// A cluster of 64 lanes in a branch: WIDE is its operation, COND its condition.
const clustered = `; Version: 1.3
OpCapability Shader
OpCapability GroupNonUniformClustered
OpCapability GroupNonUniformArithmetic
OpCapability GroupNonUniformRotateKHR
OpExtension "SPV_KHR_subgroup_rotate"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %lane %wave
OpExecutionMode %main LocalSize 64 1 1
OpDecorate %lane BuiltIn LocalInvocationIndex
OpDecorate %wave BuiltIn SubgroupSize
OpDecorate %wide SpecId 0
OpDecorate %array ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%fn = OpTypeFunction %void
%u0 = OpConstant %uint 0
%u1 = OpConstant %uint 1
%u3 = OpConstant %uint 3
%u64 = OpConstant %uint 64
%true = OpConstantTrue %bool
%wide = OpSpecConstantFalse %bool
%array = OpTypeRuntimeArray %uint
%block = OpTypeStruct %array
%p_block = OpTypePointer StorageBuffer %block
%p_uint = OpTypePointer StorageBuffer %uint
%p_in = OpTypePointer Input %uint
%buffer = OpVariable %p_block StorageBuffer
%lane = OpVariable %p_in Input
%wave = OpVariable %p_in Input
%main = OpFunction %void None %fn
%start = OpLabel
%x = OpLoad %uint %lane
%size = OpLoad %uint %wave
%is64 = OpIEqual %bool %size %u64
%odd = OpBitwiseAnd %uint %x %u1
%isodd = OpIEqual %bool %odd %u1
%to = OpAccessChain %p_uint %buffer %u0 %x
OpStore %to %x
OpSelectionMerge %end None
OpBranchConditional COND %then %end
%then = OpLabel
%y = WIDE
OpStore %to %y
OpBranch %end
%end = OpLabel
OpReturn
OpFunctionEnd
`

// TestClusterSizeInDeadCode: a cluster above the wave's size is refused where
// it may be executed, and by the name of its instruction.
func TestClusterSizeInDeadCode(t *testing.T) {
	reduce := "OpGroupNonUniformIAdd %uint %u3 ClusteredReduce %x %u64"
	rotate := "OpGroupNonUniformRotateKHR %uint %u3 %x %u1 %u64"
	for _, tt := range []struct {
		cond, wide string
		wave       int
		special    map[uint32]uint64
		alive      bool
	}{
		{"%wide", reduce, 32, nil, false},
		{"%wide", rotate, 32, nil, false},
		{"%is64", reduce, 32, nil, false},
		{"%is64", rotate, 32, nil, false},
		{"%wide", reduce, 32, map[uint32]uint64{0: 1}, true},
		{"%wide", rotate, 32, map[uint32]uint64{0: 1}, true},
		{"%isodd", reduce, 32, nil, true},
		{"%isodd", rotate, 32, nil, true},
		{"%is64", reduce, 64, nil, false},
		{"%is64", rotate, 64, nil, false},
	} {
		raw := suite.Must(asm.Assemble([]byte(strings.NewReplacer("COND", tt.cond, "WIDE", tt.wide).Replace(clustered)), "text"))(t)
		m, err := validate.Check(raw)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Lower(m, Options{Specialization: tt.special, Target: Target{WaveSize: tt.wave}})
		if !tt.alive && err != nil {
			t.Errorf("%s, %s, wave %d: %v", tt.cond, tt.wide, tt.wave, err)
		}
		op := strings.Fields(tt.wide)[0]
		if tt.alive && (!errors.Is(err, validate.ErrInvalid) || !strings.Contains(err.Error(), "cluster size 64") || !strings.Contains(err.Error(), op)) {
			t.Errorf("%s, %s, wave %d: error %v", tt.cond, tt.wide, tt.wave, err)
		}
	}
}

package gpu

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"spvsim/internal/suite"
	"spvsim/isa"
)

// chainsText is a module whose invocations make multiply-adds on n sums of a type, each by itself, in a loop of as many rounds as
// a specialization constant says.
func chainsText(typ string, n int) string {
	var phis, body, total strings.Builder
	last := "%x0"
	for k := range n {
		fmt.Fprintf(&phis, "%%x%d = OpPhi %%t %%s%d %%start %%y%d %%cont\n", k, k, k)
		fmt.Fprintf(&body, "%%y%d = OpExtInst %%t %%ext Fma %%x%d %%m %%a\n", k, k)
		if k > 0 {
			fmt.Fprintf(&total, "%%z%d = OpFAdd %%t %s %%x%d\n", k, last, k)
			last = fmt.Sprintf("%%z%d", k)
		}
	}
	var start strings.Builder
	for k := range n {
		fmt.Fprintf(&start, "%%s%d = OpFMul %%t %%lane %%k%d\n", k, k)
	}
	var constants strings.Builder
	for k := range n {
		fmt.Fprintf(&constants, "%%k%d = OpConstant %%t %d\n", k, k+2)
	}
	return `; Version: 1.6
OpCapability Shader
OpCapability Float64
%ext = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %out %id
OpExecutionMode %main LocalSize 256 1 1
OpDecorate %id BuiltIn LocalInvocationIndex
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 0
OpDecorate %words ArrayStride 8
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %trips SpecId 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%u32 = OpTypeInt 32 0
%t = ` + typ + `
%words = OpTypeRuntimeArray %t
%block = OpTypeStruct %words
%p_block = OpTypePointer StorageBuffer %block
%p_word = OpTypePointer StorageBuffer %t
%p_in = OpTypePointer Input %u32
%out = OpVariable %p_block StorageBuffer
%id = OpVariable %p_in Input
%trips = OpSpecConstant %u32 1
%c0 = OpConstant %u32 0
%c1 = OpConstant %u32 1
%m = OpConstant %t 0.5
%a = OpConstant %t 1
` + constants.String() + `%main = OpFunction %void None %fn
%start = OpLabel
%i0 = OpLoad %u32 %id
%lane = OpConvertUToF %t %i0
` + start.String() + `OpBranch %head
%head = OpLabel
%i = OpPhi %u32 %c0 %start %next %cont
` + phis.String() + `` + loopText(body.String()) + total.String() + `%p = OpAccessChain %p_word %out %c0 %i0
OpStore %p ` + last + `
OpReturn
OpFunctionEnd
`
}

// On an MI300A a wave takes 36 cycles for an iteration of four multiply-adds of f32, each on a sum of its own (M: 1,048,576
// multiply-adds of each of 256 invocations in 4.53 ms at 2.1 GHz, sarchlab/mgpusim at 01399e0a): two packed operations, an
// addition and a comparison of 4 cycles each, and 20 of a branch that is taken (M: CLRX). Those of f64 are four instructions, and
// no moves.
func TestChainsOfMultiplyAdds(t *testing.T) {
	for _, c := range []struct {
		name, typ string
		want      uint64
	}{{"f32", "OpTypeFloat 32", 36}, {"f64", "OpTypeFloat 64", 44}} {
		run := func(trips int) *Result {
			files := fstest.MapFS{"m.spvasm": &fstest.MapFile{Data: []byte(chainsText(c.typ, 4))}}
			with := setupBeside(t, files, fmt.Sprintf("shader: m.spvasm\nspecialization: {1: %d}\nbuffers: [{set: 0, binding: 0, name: out, data: {zero: 2048}}]\ndispatch: [1]\n", trips), "cdna3-mi300a")
			return suite.Must(Run(context.Background(), with))(t)
		}
		few, many := run(100), run(300)
		if got := many.Stats.Cycles - few.Stats.Cycles; got != 200*c.want {
			t.Errorf("%s: %d cycles for 200 iterations, want %d each", c.name, got, c.want)
		}
		if c.name == "f32" {
			packed := many.Stats.ByClass[isa.ClassPacked32] - few.Stats.ByClass[isa.ClassPacked32]
			if want := uint64(200 * 2 * 4); uint64(packed) != want {
				t.Errorf("%d packed operations in 200 iterations of 4 waves, want %d", packed, want)
			}
		}
	}
}

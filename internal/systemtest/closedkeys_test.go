package systemtest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"spvsim/config"
	"spvsim/gpu"
	"spvsim/internal/suite"
)

// keyShader runs the body on one workgroup of 64 lanes: %id is the lane's number, %zero the address of the buffer's first
// word, %at that of the lane's own.
const keyShader = `; Version: 1.3
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %gid
OpExecutionMode %main LocalSize 64 1 1
OpDecorate %gid BuiltIn GlobalInvocationId
OpDecorate %words ArrayStride 4
OpMemberDecorate %A 0 Offset 0
OpDecorate %A BufferBlock
OpDecorate %a DescriptorSet 0
OpDecorate %a Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%v3uint = OpTypeVector %uint 3
%in_v3uint = OpTypePointer Input %v3uint
%gid = OpVariable %in_v3uint Input
%words = OpTypeRuntimeArray %uint
%A = OpTypeStruct %words
%to_A = OpTypePointer Uniform %A
%a = OpVariable %to_A Uniform
%to_uint = OpTypePointer Uniform %uint
%u0 = OpConstant %uint 0
%u1 = OpConstant %uint 1
%main = OpFunction %void None %fn
%begin = OpLabel
%gid3 = OpLoad %v3uint %gid
%id = OpCompositeExtract %uint %gid3 0
%zero = OpAccessChain %to_uint %a %u0 %u0
%at = OpAccessChain %to_uint %a %u0 %id
BODY
OpReturn
OpFunctionEnd
`

// keyCycles runs the body on one unit of a preset with settings, at the preset's largest wave size.
func keyCycles(t *testing.T, preset, body string, set ...string) int {
	t.Helper()
	const text = "shader: k.spvasm\nbuffers: [{set: 0, binding: 0, name: a, data: {zero: 256}}]\ndispatch: [1]\nwave_size: 64\n"
	job := suite.Must(config.ParseJob(fstest.MapFS{"k.spvasm": {Data: []byte(strings.Replace(keyShader, "BODY", body, 1))}}, "job.yaml", []byte(text)))(t)
	m := suite.Must(config.LoadMachine(config.Request{Machine: preset, Job: job, Set: append(set, "shader_engines=1", "compute_units=1", "fetch.enabled=false")}))(t)
	r := suite.Must(gpu.Run(context.Background(), gpu.Setup{Machine: m, Job: job}))(t)
	return int(r.Stats.Cycles)
}

// multiplies is a chain of n 32-bit products, each of the one before.
func multiplies(n int) string {
	var b strings.Builder
	before := "id"
	for i := range n {
		fmt.Fprintf(&b, "%%x%d = OpIMul %%uint %%%s %%%s\n", i, before, before)
		before = fmt.Sprintf("x%d", i)
	}
	fmt.Fprintf(&b, "OpStore %%at %%%s\n", before)
	return b.String()
}

// A product of the chain follows the one before after its latency (16 cycles on GCN, 8 on RDNA), or after its issue where that
// is longer: 16 cycles for the four passes of a wave64 through GCN's SIMD16, 4 for each pass through RDNA's SIMD32.
// Both chains last longer than the descriptor of the store comes from memory.
func TestSIMDWidthSetsThePasses(t *testing.T) {
	for preset, want := range map[string]map[int]int{
		"gcn3-r9nano":     {8: 32, 16: 16, 32: 16, 64: 16},
		"rdna3-rx7900xtx": {8: 32, 16: 16, 32: 8, 64: 8},
	} {
		for width, each := range want {
			set := fmt.Sprintf("simd_width=%d", width)
			long, short := keyCycles(t, preset, multiplies(440), set), keyCycles(t, preset, multiplies(400), set)
			if long-short != 40*each {
				t.Errorf("%s, %d lanes wide: 40 products take %d cycles, want %d each", preset, width, long-short, each)
			}
		}
	}
}

// The updates of one word by the lanes of a wave, which no compiler combines, follow each other at atomic_cycles, where the atomic is carried out.
func TestAtomicCyclesCount(t *testing.T) {
	const body = "%x = OpAtomicExchange %uint %zero %u1 %u0 %id\nOpStore %at %x\n"
	for _, model := range suite.MemoryModels() {
		run := func(cycles int) int {
			return keyCycles(t, "rdna3-rx7900xtx", body, "memory.model="+model, fmt.Sprintf("vector_memory.atomic_cycles=%d", cycles))
		}
		if none, ten, twenty := run(0), run(10), run(20); ten-none < 63*10-64 || twenty-ten != 63*10 {
			t.Errorf("%s: %d, %d and %d cycles at 0, 10 and 20 an update: want 630 more each", model, none, ten, twenty)
		}
	}
}

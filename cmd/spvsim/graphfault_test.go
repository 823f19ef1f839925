package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spvsim/internal/suite"
)

// faultModule is a node of 64 invocations with its target. The fault replaces BODY; %own is the buffer's value at the
// invocation's index, which is that index; %three and %nine are values of the buffer as well. So the fault can't be
// found before the run.
const faultModule = `
OpCapability Shader
OpCapability ShaderEnqueueAMDX
OpExtension "SPV_AMDX_shader_enqueue"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %root "root" %lane %data
OpEntryPoint GLCompute %leaf "leaf" %input %data
OpExecutionMode %root LocalSize 64 1 1
OpExecutionModeId %root StaticNumWorkgroupsAMDX %u1 %u1 %u1
OpExecutionMode %leaf LocalSize 1 1 1
OpExecutionModeId %leaf StaticNumWorkgroupsAMDX %u1 %u1 %u1
OpDecorate %lane BuiltIn LocalInvocationIndex
OpMemberDecorate %payload 0 Offset 0
OpDecorateId %payloads NodeMaxPayloadsAMDX %u8
OpDecorateId %payloads PayloadNodeNameAMDX %name
OpDecorateId %payloads PayloadNodeArraySizeAMDX %u8
OpDecorate %payloads PayloadNodeSparseArrayAMDX
OpDecorate %numbers ArrayStride 4
OpMemberDecorate %buffer 0 Offset 0
OpDecorate %buffer Block
OpDecorate %data DescriptorSet 0
OpDecorate %data Binding 0
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%fn = OpTypeFunction %void
%u0 = OpConstant %uint 0
%u1 = OpConstant %uint 1
%u2 = OpConstant %uint 2
%u3 = OpConstant %uint 3
%u4 = OpConstant %uint 4
%u8 = OpConstant %uint 8
%u9 = OpConstant %uint 9
%name = OpConstantStringAMDX "leaf"
%payload = OpTypeStruct %uint
%payloads = OpTypeNodePayloadArrayAMDX %payload
%p_payloads = OpTypePointer NodePayloadAMDX %payloads
%p_payload = OpTypePointer NodePayloadAMDX %payload
%p_word = OpTypePointer NodePayloadAMDX %uint
%numbers = OpTypeRuntimeArray %uint
%buffer = OpTypeStruct %numbers
%p_buffer = OpTypePointer StorageBuffer %buffer
%p_number = OpTypePointer StorageBuffer %uint
%p_in = OpTypePointer Input %uint
%lane = OpVariable %p_in Input
%input = OpVariable %p_payload NodePayloadAMDX
%data = OpVariable %p_buffer StorageBuffer
%root = OpFunction %void None %fn
%begin = OpLabel
%i = OpLoad %uint %lane
%p_own = OpAccessChain %p_number %data %u0 %i
%own = OpLoad %uint %p_own
%p3 = OpAccessChain %p_number %data %u0 %u3
%three = OpLoad %uint %p3
%p9 = OpAccessChain %p_number %data %u0 %u9
%nine = OpLoad %uint %p9
%few = OpULessThan %bool %own %u9
BODY
OpReturn
OpFunctionEnd
%leaf = OpFunction %void None %fn
%leaf_begin = OpLabel
%px = OpAccessChain %p_word %input %u0
%x = OpLoad %uint %px
%to = OpAccessChain %p_number %data %u0 %x
%was = OpAtomicIAdd %uint %to %u1 %u0 %u1
OpReturn
OpFunctionEnd
`

const faultJob = `
machine: rdna3-rx7900xtx
shader: fault.spvasm
nodes: [{entry: root}, {entry: leaf}, {entry: leaf, index: 1}]
buffers: [{set: 0, binding: 0, name: data, data: {iota: u32, count: 64}}]
graph: [{node: root}]
`

// allocated is an array of two payloads.
const allocated = "%out = OpAllocateNodePayloadsAMDX %p_payloads %u2 %u2 %u0\n"

// Each fault that can only be detected at run time ends the run with status 1, and one line with shader, id and wave.
func TestGraphFaultsEndTheRun(t *testing.T) {
	branch := func(body string) string {
		return "OpSelectionMerge %end None\nOpBranchConditional %few %then %end\n%then = OpLabel\n" + body + "OpBranch %end\n%end = OpLabel\n"
	}
	for _, c := range []struct{ name, body, want string }{
		{"more payloads than the maximum", "%out = OpAllocateNodePayloadsAMDX %p_payloads %u2 %nine %u0\n", "9 payloads are allocated, NodeMaxPayloadsAMDX is 8"},
		{"more payloads of one invocation", "%out = OpAllocateNodePayloadsAMDX %p_payloads %u4 %own %u0\n", "9 payloads are allocated, NodeMaxPayloadsAMDX is 8"},
		{"more payloads in several arrays", allocated + "%c = OpIAdd %uint %three %three\n%more = OpAllocateNodePayloadsAMDX %p_payloads %u2 %c %u0\n" +
			"%most = OpAllocateNodePayloadsAMDX %p_payloads %u2 %u1 %u0\n", "more than the 8 that NodeMaxPayloadsAMDX allows"},
		{"a count that differs", "%c = OpUMod %uint %own %u2\n%out = OpAllocateNodePayloadsAMDX %p_payloads %u2 %c %u0\n", "payload count or node index differs within the workgroup"},
		{"an index that differs", "%c = OpUMod %uint %own %u2\n%out = OpAllocateNodePayloadsAMDX %p_payloads %u2 %u1 %c\n", "payload count or node index differs within the workgroup"},
		{"allocation in divergent control flow", branch(allocated), "divergent control flow"},
		{"enqueue in divergent control flow", allocated + branch("OpEnqueueNodePayloadsAMDX %out\n"), "divergent control flow"},
		{"write after the enqueue", allocated + "OpEnqueueNodePayloadsAMDX %out\n%p = OpAccessChain %p_word %out %u0 %u0\nOpStore %p %u1\n", "used after it was enqueued"},
		{"read after the enqueue", allocated + "%p = OpAccessChain %p_word %out %u0 %u0\nOpStore %p %u1\nOpEnqueueNodePayloadsAMDX %out\n%y = OpLoad %uint %p\nOpStore %p_own %y\n", "used after it was enqueued"},
		{"a second enqueue", allocated + "OpEnqueueNodePayloadsAMDX %out\nOpEnqueueNodePayloadsAMDX %out\n", "enqueued a second time"},
		{"a missing node", "%out = OpAllocateNodePayloadsAMDX %p_payloads %u2 %u1 %three\n", "node leaf[3], which is not in the graph"},
		{"a missing node of one invocation", "%c = OpUMod %uint %own %three\n%out = OpAllocateNodePayloadsAMDX %p_payloads %u4 %u1 %c\n", "node leaf[2], which is not in the graph"},
		{"an element beyond the array", allocated + "%p = OpAccessChain %p_word %out %three %u0\nOpStore %p %u1\n", "beyond the array"},
	} {
		t.Run(c.name, func(t *testing.T) { wantFault(t, runFault(t, c.body), c.want) })
	}
}

func runFault(t *testing.T, body string) result {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"fault.spvasm": strings.Replace(faultModule, "BODY\n", body, 1), "fault.yaml": faultJob} {
		suite.OK(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	return spvsim("", "run", "--quiet", filepath.Join(dir, "fault.yaml"))
}

func wantFault(t *testing.T, r result, want string) {
	t.Helper()
	if r.status != exitFailed {
		t.Errorf("status %d, want %d", r.status, exitFailed)
	}
	if strings.Count(r.stderr, "\n") != 1 || !strings.HasPrefix(r.stderr, "spvsim: undefined behaviour: ") {
		t.Errorf("error %q: want one line", r.stderr)
	}
	suite.Contains(t, r.stderr, want, "fault.spvasm", "node root[0]", ": %", "wave ")
}

// The module without a fault runs: the cases above fail because of their additions.
func TestGraphFaultModuleRuns(t *testing.T) {
	body := allocated + "%c = OpUMod %uint %own %u2\n%p = OpAccessChain %p_word %out %c %u0\nOpStore %p %c\nOpEnqueueNodePayloadsAMDX %out\n"
	if r := runFault(t, body); r.status != exitDone || r.stderr != "" {
		t.Errorf("status %d, %q", r.status, r.stderr)
	}
}

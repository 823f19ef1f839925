package validate

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spvsim/internal/suite"
	"spvsim/spirv"
	"spvsim/spirv/asm"
)

// A ruleCase breaks one rule: the module of its extension in testdata/rules
// passes, and with old replaced by new it does not. Where that takes more than
// one edit, old and new hold as many lines.
type ruleCase struct{ rule, old, new string }

const mode = "OpExecutionModeId %send "

var ruleCases = map[string][]ruleCase{
	"enqueue": {
		{"enqueue-version", "", ""},
		{"extensions", "OpExtension \"SPV_AMDX_shader_enqueue\"", ""},
		{"capabilities", "OpCapability ShaderEnqueueAMDX", ""},
		{"payload-initializer", "%input = OpVariable %p_record NodePayloadAMDX", "%none = OpConstantNull %record|%input = OpVariable %p_record NodePayloadAMDX %none"},
		{"layout", "OpMemberDecorate %record 0 Offset 0", ""},
		{"coalescing-model", "OpEntryPoint GLCompute %gather", "OpEntryPoint TaskEXT %gather"},
		{"coalescing-alone", "OpExecutionMode %gather CoalescingAMDX", "OpExecutionMode %gather CoalescingAMDX|OpExecutionModeId %gather StaticNumWorkgroupsAMDX %u1 %u1 %u1"},
		{"static-alone", mode + "IsApi", mode + "StaticNumWorkgroupsAMDX %u1 %u1 %u1|" + mode + "IsApi"},
		{"recursion-constant", mode + "MaxNodeRecursionAMDX %u4", mode + "MaxNodeRecursionAMDX %f1"},
		{"api-entry-model", "OpEntryPoint GLCompute %send", "OpEntryPoint TaskEXT %send"},
		{"api-entry-bool", mode + "IsApiEntryAMDX %true", mode + "IsApiEntryAMDX %u1"},
		{"api-entry-shared", "%peer IsApiEntryAMDX %false", "%peer IsApiEntryAMDX %true"},
		{"api-entry-absent", "OpExecutionModeId %peer IsApiEntryAMDX %false", ""},
		{"static-model", "OpEntryPoint GLCompute %take", "OpEntryPoint TaskEXT %take"},
		{"static-sizes", "%take StaticNumWorkgroupsAMDX %u1 %u1", "%take StaticNumWorkgroupsAMDX %u1 %f1"},
		{"max-model", "OpEntryPoint GLCompute %send", "OpEntryPoint TaskEXT %send"},
		{"max-sizes", "%send MaxNumWorkgroupsAMDX %u4", "%send MaxNumWorkgroupsAMDX %true"},
		{"index-model", "OpEntryPoint GLCompute %send", "OpEntryPoint TaskEXT %send"},
		{"index-constant", mode + "ShaderIndexAMDX %u0", mode + "ShaderIndexAMDX %f1"},
		{"shares-index", "SharesInputWithAMDX %name %u0", "SharesInputWithAMDX %name %f1"},
		{"shares-index", "SharesInputWithAMDX %name %u0", "SharesInputWithAMDX %name %true"},
		{"shares-index", "SharesInputWithAMDX %name %u0", "SharesInputWithAMDX %name %lane"},
		{"shares-name", "SharesInputWithAMDX %name", "SharesInputWithAMDX %text"},
		{"max-payloads-target", "OpDecorateId %out NodeMaxPayloadsAMDX %u4", "OpDecorateId %out NodeMaxPayloadsAMDX %u4|OpDecorateId %record NodeMaxPayloadsAMDX %u4"},
		{"max-payloads", "OpDecorateId %coalesced NodeMaxPayloadsAMDX %u4", ""},
		{"max-payloads", "OpDecorateId %out NodeMaxPayloadsAMDX %u4", "OpDecorateId %out NodeMaxPayloadsAMDX %f1"},
		{"max-payloads", "OpDecorateId %coalesced NodeMaxPayloadsAMDX %u4", "OpDecorateId %coalesced NodeMaxPayloadsAMDX %u0"},
		{"shares-limits", "%some NodeSharesPayloadLimitsWithAMDX %out", "%some NodeSharesPayloadLimitsWithAMDX %some"},
		{"shares-limits", "%some NodeSharesPayloadLimitsWithAMDX %out", "%some NodeSharesPayloadLimitsWithAMDX %record"},
		{"shares-limits", "%some NodeSharesPayloadLimitsWithAMDX %out", "%record NodeSharesPayloadLimitsWithAMDX %out"},
		{"shares-limits", "OpDecorateId %out PayloadNodeNameAMDX %name", "OpDecorateId %out PayloadNodeNameAMDX %name|OpDecorateId %out NodeSharesPayloadLimitsWithAMDX %coalesced"},
		{"shares-limits-maximum", "OpDecorateId %some NodeMaxPayloadsAMDX %u4", "OpDecorateId %some NodeMaxPayloadsAMDX %u1"},
		{"node-name-target", "OpDecorateId %out PayloadNodeNameAMDX %name", "OpDecorateId %out PayloadNodeNameAMDX %name|OpDecorateId %record PayloadNodeNameAMDX %name"},
		{"node-name", "%out PayloadNodeNameAMDX %name", "%out PayloadNodeNameAMDX %text"},
		{"base-index-target", "%out PayloadNodeBaseIndexAMDX", "%record PayloadNodeBaseIndexAMDX"},
		{"sparse-target", "OpMemberDecorate %record 1 Offset 4", "OpMemberDecorate %record 1 Offset 4|OpMemberDecorate %record 0 PayloadNodeSparseArrayAMDX"},
		{"base-index-type", "%out PayloadNodeBaseIndexAMDX %u0", "%out PayloadNodeBaseIndexAMDX %f1"},
		{"base-index-type", "%out PayloadNodeBaseIndexAMDX %u0", "%out PayloadNodeBaseIndexAMDX %true"},
		{"base-index-type", "%out PayloadNodeBaseIndexAMDX %u0", "%out PayloadNodeBaseIndexAMDX %lane"},
		{"array-size-type", "%some PayloadNodeArraySizeAMDX %u4", "%some PayloadNodeArraySizeAMDX %f1"},
		{"array-size-type", "%some PayloadNodeArraySizeAMDX %u4", "%some PayloadNodeArraySizeAMDX %false"},
		{"sparse-target", "%some PayloadNodeSparseArrayAMDX", "%record PayloadNodeSparseArrayAMDX"},
		{"array-size-target", "%some PayloadNodeArraySizeAMDX", "%record PayloadNodeArraySizeAMDX"},
		{"array-size", "OpDecorateId %out PayloadNodeArraySizeAMDX %u1", ""},
		{"allocate-index", "OpDecorateId %out PayloadNodeArraySizeAMDX %u1", "OpDecorateId %out PayloadNodeArraySizeAMDX %u0"},
		{"allocate-index", "%out PayloadNodeBaseIndexAMDX %u0", "%out PayloadNodeBaseIndexAMDX %u1"},
		{"allocate-index", "%p_out %u2 %u4 %u0", "%p_out %u2 %u4 %u1"},
		{"finish-target", "%record TrackFinishWritingAMDX", "%out TrackFinishWritingAMDX"},
		{"finish-target", "OpDecorate %record TrackFinishWritingAMDX", "OpMemberDecorate %record 0 TrackFinishWritingAMDX"},
		{"payload-type", "%out = OpTypeNodePayloadArrayAMDX %record|%e = OpAccessChain %p_uint %a %u0 %u0|OpStore %e %u5", "%out = OpTypeNodePayloadArrayAMDX %void||"},
		{"node-built-ins", "%lane BuiltIn LocalInvocationIndex", "%input BuiltIn RemainingRecursionLevelsAMDX"},
		{"node-built-ins", "%lane BuiltIn LocalInvocationIndex|%p_in = OpTypePointer Input %uint|%li = OpLoad %uint %lane", "%lane BuiltIn RemainingRecursionLevelsAMDX|%p_in = OpTypePointer Input %float|%li = OpCopyObject %uint %u0"},
		{"node-built-ins", "%lane BuiltIn LocalInvocationIndex|%p_in = OpTypePointer Input %uint|%li = OpLoad %uint %lane", "%lane BuiltIn ShaderIndexAMDX|%p_in = OpTypePointer Input %bool|%li = OpCopyObject %uint %u0"},
		{"indirect-target", "OpMemberDecorate %record 1 PayloadDispatchIndirectAMDX", "OpDecorate %record PayloadDispatchIndirectAMDX"},
		{"indirect-type", "%record = OpTypeStruct %uint %uint", "%record = OpTypeStruct %uint %float"},
		{"indirect-type", "%record = OpTypeStruct %uint %uint|OpDecorate %record TrackFinishWritingAMDX", "%list = OpTypeArray %uint %u4\n%record = OpTypeStruct %uint %list|OpDecorate %record TrackFinishWritingAMDX\nOpDecorate %list ArrayStride 4"},
		{"indirect-array", "%record = OpTypeStruct %uint %uint|OpDecorate %record TrackFinishWritingAMDX", "%list = OpTypeArray %uint %u2\n%record = OpTypeStruct %uint %list|OpDecorate %record TrackFinishWritingAMDX\nOpDecorate %list ArrayStride 4"},
		{"indirect-absent", "OpExecutionModeId %take StaticNumWorkgroupsAMDX %u1 %u1 %u1|OpMemberDecorate %record 1 PayloadDispatchIndirectAMDX", "OpExecutionModeId %take MaxNumWorkgroupsAMDX %u1 %u1 %u1|"},
		{"allocate-type", "OpAllocateNodePayloadsAMDX %p_out|%e = OpAccessChain %p_uint %a %u0 %u0", "OpAllocateNodePayloadsAMDX %p_record|%e = OpAccessChain %p_uint %a %u0"},
		{"allocate-name", "OpDecorateId %out PayloadNodeNameAMDX %name", ""},
		{"allocate-count", "%p_out %u2 %u4 %u0", "%p_out %u2 %u5 %u0"},
		{"allocate-integers", "%p_out %u2 %u4 %u0", "%p_out %u2 %f1 %u0"},
		{"allocate-visibility", "%p_out %u2 %u4 %u0", "%p_out %u1 %u4 %u0"},
		{"allocate-uniform", "%p_out %u2 %u4 %u0", "%p_out %u2 %li %u0"},
		{"allocate-uniform", "%p_out %u2 %u4 %u0", "%p_out %u2 %u4 %li"},
		{"allocate-flow", "OpBranchConditional %same", "OpBranchConditional %first"},
		{"enqueue-array", "OpEnqueueNodePayloadsAMDX %a", "OpEnqueueNodePayloadsAMDX %e"},
		{"enqueue-array", "OpEnqueueNodePayloadsAMDX %a", "OpEnqueueNodePayloadsAMDX %u1"},
		{"enqueue-array", "OpEntryPoint GLCompute %send \"send\" %lane|OpEnqueueNodePayloadsAMDX %a", "OpEntryPoint GLCompute %send \"send\" %lane %many|OpEnqueueNodePayloadsAMDX %many"},
		{"enqueue-by-value", "OpEnqueueNodePayloadsAMDX %a", "OpEnqueueNodePayloadsAMDX %f_out"},
		{"enqueue-flow", "OpBranchConditional %same", "OpBranchConditional %first"},
		{"length-result", "%n = OpNodePayloadArrayLengthAMDX %uint", "%n = OpNodePayloadArrayLengthAMDX %float"},
		{"length-array", "%n = OpNodePayloadArrayLengthAMDX %uint %many", "%n = OpNodePayloadArrayLengthAMDX %uint %u1"},
		{"valid-result", "%ok = OpIsNodePayloadValidAMDX %bool", "%ok = OpIsNodePayloadValidAMDX %uint"},
		{"valid-type", "%bool %some %u1", "%bool %u1 %u1"},
		{"valid-variable", "%bool %some %u1", "%bool %f_some %u1"},
		{"valid-integer", "%bool %some %u1", "%bool %some %f1"},
		{"valid-integer", "%bool %some %u1", "%bool %some %true"},
		{"valid-index", "%bool %some %u1", "%bool %some %u4"},
		{"finish-result", "%last = OpFinishWritingNodePayloadAMDX %bool", "%last = OpFinishWritingNodePayloadAMDX %uint"},
		{"finish-payload", "OpEntryPoint GLCompute %take \"take\" %input|OpFinishWritingNodePayloadAMDX %bool %input", "OpEntryPoint GLCompute %take \"take\" %input %many|OpFinishWritingNodePayloadAMDX %bool %u1"},
		{"finish-parameter", "%last = OpFinishWritingNodePayloadAMDX %bool %input|%peer = OpFunction %void None %fn|%fn = OpTypeFunction %void|%p_record = OpTypePointer NodePayloadAMDX %record",
			"%call = OpFunctionCall %void %done %input|%done = OpFunction %void None %fn_record\n%input_of = OpFunctionParameter %p_record\n%d0 = OpLabel\n%last = OpFinishWritingNodePayloadAMDX %bool %input_of\nOpReturn\nOpFunctionEnd\n%peer = OpFunction %void None %fn|%fn = OpTypeFunction %void|" +
				"%p_record = OpTypePointer NodePayloadAMDX %record\n%fn_record = OpTypeFunction %void %p_record"},
		{"finish-track", "OpDecorate %record TrackFinishWritingAMDX", ""},
		{"finish-coalescing", "OpExecutionModeId %take StaticNumWorkgroupsAMDX %u1 %u1 %u1", "OpExecutionMode %take CoalescingAMDX"},
	},
	"workgroup": {
		{"workgroup-version", "", ""},
		{"layout", "OpDecorate %array ArrayStride 4", ""},
		{"layout", "%narrow = OpTypeStruct %byte %short", "%narrow = OpTypeStruct %bool %short"},
		{"workgroup-all-or-none", "\"main\" %a %b", "\"main\" %a %b %c"},
		{"workgroup-aliased", "OpDecorate %a Aliased", ""},
		{"workgroup-8-bit", "OpCapability Int8|OpCapability WorkgroupMemoryExplicitLayout8BitAccessKHR", "OpCapability StorageBuffer8BitAccess|"},
		{"workgroup-16-bit", "OpCapability Int16|OpCapability WorkgroupMemoryExplicitLayout16BitAccessKHR", "OpCapability StorageBuffer16BitAccess|"},
		{"workgroup-stride", "OpDecorate %p_array ArrayStride 4", ""},
	},
	"ballot": {
		{"capabilities", "OpCapability Groups", ""},
		{"extensions", "OpExtension \"SPV_AMD_shader_ballot\"", ""},
		{"ballot-result", "OpGroupIAddNonUniformAMD %uint %u3 Reduce %u1", "OpGroupIAddNonUniformAMD %float %u3 Reduce %f1"},
		{"ballot-result", "OpGroupFMinNonUniformAMD %float %u2 InclusiveScan %f1", "OpGroupFMinNonUniformAMD %uint %u2 InclusiveScan %u1"},
		{"ballot-scope", "%uint %u3 Reduce", "%uint %u1 Reduce"},
		{"ballot-operation", "%uint %u3 Reduce %u1|OpCapability Int64", "%uint %u3 ClusteredReduce %u1|OpCapability Int64\nOpCapability GroupNonUniformClustered"},
		{"ballot-x", "%uint %u3 Reduce %u1", "%uint %u3 Reduce %i1"},
		{"ballot-data", "%s1 = OpExtInst %uint %set SwizzleInvocationsAMD %u1", "%s1 = OpExtInst %pair %set SwizzleInvocationsAMD %pr"},
		{"ballot-data-type", "SwizzleInvocationsAMD %u1", "SwizzleInvocationsAMD %i1"},
		{"swizzle-offset", "SwizzleInvocationsAMD %u1 %offset", "SwizzleInvocationsAMD %u1 %mask"},
		{"swizzle-offset", "%u1 %u0 %u3 %u2", "%u1 %u0 %u4 %u2"},
		{"swizzle-mask", "SwizzleInvocationsMaskedAMD %u1 %mask", "SwizzleInvocationsMaskedAMD %u1 %offset"},
		{"swizzle-mask", "%u31 %u0 %u1", "%u32 %u0 %u1"},
		{"write-types", "WriteInvocationAMD %u1 %u2", "WriteInvocationAMD %u1 %i1"},
		{"write-index", "WriteInvocationAMD %u1 %u2 %u3", "WriteInvocationAMD %u1 %u2 %i1"},
		{"write-index", "WriteInvocationAMD %u1 %u2 %u3", "WriteInvocationAMD %u1 %u2 %u64"},
		{"mbcnt-types", "MbcntAMD %u1", "MbcntAMD %v2"},
		{"mbcnt-types", "%c1 = OpExtInst %uint", "%c1 = OpExtInst %long"},
	},
	"quad": {
		{"quad-version", "", ""},
		{"quad-reconvergence", "OpExtension \"SPV_KHR_maximal_reconvergence\"|OpExecutionMode %main MaximallyReconvergesKHR", "|"},
		{"capabilities", "OpCapability QuadControlKHR", ""},
		{"quad-full", "OpExecutionMode %other LocalSize 4 1 1", "OpExecutionMode %other LocalSize 4 1 1|OpExecutionMode %other RequireFullQuadsKHR"},
		{"quad-result", "%all = OpGroupNonUniformQuadAllKHR %bool", "%all = OpGroupNonUniformQuadAllKHR %uint"},
		{"quad-predicate", "%any = OpGroupNonUniformQuadAnyKHR %bool %true", "%any = OpGroupNonUniformQuadAnyKHR %bool %u1"},
	},
	"groups": {
		{"group-scope", "OpGroupNonUniformElect %bool %u3", "OpGroupNonUniformElect %bool %u2"},
		{"group-scope", "OpGroupNonUniformIAdd %uint %u3 Reduce", "OpGroupNonUniformIAdd %uint %u1 Reduce"},
		{"group-scope", "OpGroupNonUniformRotateKHR %uint %u3", "OpGroupNonUniformRotateKHR %uint %u1"},
		{"uniform-scope", "OpGroupAny %bool %u2", "OpGroupAny %bool %u1"},
		{"cluster-present", "ClusteredReduce %x %u4", "ClusteredReduce %x"},
		{"cluster-type", "ClusteredReduce %x %u4", "ClusteredReduce %x %i4"},
		{"cluster-type", "ClusteredReduce %x %u4", "ClusteredReduce %x %all"},
		{"cluster-type", "OpGroupNonUniformRotateKHR %uint %u3 %x %u1 %u4", "OpGroupNonUniformRotateKHR %uint %u3 %x %u1 %i4"},
		{"cluster-constant", "ClusteredReduce %x %u4", "ClusteredReduce %x %x"},
		{"cluster-power", "ClusteredReduce %x %u4", "ClusteredReduce %x %u3"},
		{"cluster-power", "ClusteredReduce %x %u4", "ClusteredReduce %x %u0"},
		{"cluster-power", "OpGroupNonUniformRotateKHR %uint %u3 %x %u1 %u4", "OpGroupNonUniformRotateKHR %uint %u3 %x %u1 %u3"},
		{"partition-ballot", "PartitionedReduceNV %x %parts", "PartitionedReduceNV %x"},
		{"partition-ballot", "PartitionedReduceNV %x %parts", "PartitionedReduceNV %x %two"},
		{"partition-ballot", "PartitionedReduceNV %x %parts", "PartitionedReduceNV %x %u4"},
		{"ballot-value", "OpGroupNonUniformInverseBallot %bool %u3 %mask", "OpGroupNonUniformInverseBallot %bool %u3 %two"},
		{"ballot-value", "OpGroupNonUniformBallotBitCount %uint %u3 Reduce %mask", "OpGroupNonUniformBallotBitCount %uint %u3 Reduce %x"},
		{"ballot-count", "OpGroupNonUniformBallotBitCount %uint %u3 Reduce", "OpGroupNonUniformBallotBitCount %uint %u3 ClusteredReduce"},
		{"group-value", "OpGroupNonUniformAllEqual %bool %u3 %x", "OpGroupNonUniformAllEqual %bool %u3 %pr"},
		{"group-value", "OpGroupNonUniformBroadcastFirst %uint %u3 %x", "OpGroupNonUniformBroadcastFirst %pair %u3 %pr"},
		{"group-lane", "OpGroupNonUniformBroadcast %uint %u3 %x %u4", "OpGroupNonUniformBroadcast %uint %u3 %x %x"},
		{"group-lane", "OpGroupNonUniformQuadBroadcast %uint %u3 %x %u2", "OpGroupNonUniformQuadBroadcast %uint %u3 %x %x"},
		{"group-index", "OpGroupNonUniformShuffle %uint %u3 %x %u4", "OpGroupNonUniformShuffle %uint %u3 %x %odd"},
		{"decorate-id-form", "OpDecorate %group Binding 2", "OpDecorate %group Binding 2|OpDecorate %u8 HlslCounterBufferGOOGLE %b8"},
		{"decorate-id-form", "OpDecorate %size SpecId 0", "OpDecorate %size SpecId 0|OpDecorateId %b16 Aliased"},
		{"decorate-id-target", "OpDecorateId %b16 HlslCounterBufferGOOGLE %b8", "OpDecorateId %group HlslCounterBufferGOOGLE %b8"},
		{"decorate-id-operands", "OpDecorateId %b16 HlslCounterBufferGOOGLE %b8", "OpDecorateId %same HlslCounterBufferGOOGLE %elect"},
		{"decorate-id-order", "OpDecorateId %b16 HlslCounterBufferGOOGLE %b8", "OpDecorateId %b8 HlslCounterBufferGOOGLE %b16"},
		{"stages", "OpReturn", "OpKill"},
		{"alignment", "%x = OpLoad %uint %lane", "%x = OpLoad %uint %lane Aligned 3"},
		{"held-pointers", "%fn = OpTypeFunction %void|%x = OpLoad %uint %lane", "%fn = OpTypeFunction %void\n%p_fn = OpTypePointer Function %uint\n%pp_fn = OpTypePointer Function %p_fn|%held = OpVariable %pp_fn Function\n%x = OpLoad %uint %lane"},
		{"nested-blocks", "OpDecorate %old BufferBlock|%old = OpTypeStruct %uint", "OpDecorate %old BufferBlock\nOpDecorate %inner Block\nOpMemberDecorate %inner 0 Offset 0|%inner = OpTypeStruct %uint\n%old = OpTypeStruct %inner"},
		{"decorations", "OpDecorate %b8 Binding 1", "OpDecorate %b8 Binding 1|OpDecorate %b8 Binding 2"},
		{"capabilities", "OpCapability GroupNonUniformClustered", ""},
		{"versions", "; Version: 1.3", "; Version: 1.4"},
		{"workgroup-block", "OpDecorate %size SpecId 0|%p_in = OpTypePointer Input %uint", "OpDecorate %size SpecId 0\nOpDecorate %view Block\nOpMemberDecorate %view 0 Offset 0|" +
			"%p_in = OpTypePointer Input %uint\n%view = OpTypeStruct %uint\n%p_view = OpTypePointer Workgroup %view\n%shared = OpVariable %p_view Workgroup"},
		{"storage-8-bit", "OpCapability StorageBuffer8BitAccess|OpCapability UniformAndStorageBuffer8BitAccess", "|"},
		{"storage-8-bit", "OpCapability UniformAndStorageBuffer8BitAccess", ""},
		{"storage-8-bit", "OpCapability StoragePushConstant8", ""},
		{"storage-16-bit", "OpCapability StorageBuffer16BitAccess|OpCapability UniformAndStorageBuffer16BitAccess", "|"},
		{"storage-16-bit", "OpCapability UniformAndStorageBuffer16BitAccess", ""},
		{"storage-16-bit", "OpCapability StoragePushConstant16", ""},
		{"storage-16-bit", "OpCapability StorageInputOutput16", ""},
	},
	"gcn": {
		{"cube-coord-operand", "CubeFaceCoordAMD %v3", "CubeFaceCoordAMD %v2"},
		{"cube-coord-result", "%c1 = OpExtInst %float2", "%c1 = OpExtInst %float3"},
		{"cube-index-operand", "CubeFaceIndexAMD %v3", "CubeFaceIndexAMD %p"},
		{"cube-index-result", "%i = OpExtInst %float ", "%i = OpExtInst %float2 "},
		{"extensions", "OpExtension \"SPV_AMD_gcn_shader\"", ""},
		{"capabilities", "OpCapability Int64", ""},
		{"time-result", "%t = OpExtInst %long", "%t = OpExtInst %uint"},
		{"gcn-model", "OpEmitMeshTasksEXT", "%k1 = OpExtInst %float %set CubeFaceIndexAMD %v3|OpEmitMeshTasksEXT"},
	},
}

// ruleFiles names the module of each extension's text.
var ruleFiles = map[string]string{
	"SPV_AMDX_shader_enqueue": "enqueue", "SPV_KHR_workgroup_memory_explicit_layout": "workgroup",
	"SPV_AMD_shader_ballot": "ballot", "SPV_KHR_quad_control": "quad", "SPV_AMD_gcn_shader": "gcn",
	"Group operations, narrow members, decorations by id": "groups", "Images": "images", "Memory semantics and atomic operations": "memory",
	"Types, variables, decorations and single instructions": "module", "Interfaces of stages": "stages",
}

func ruleText(t *testing.T, file string) string { return ruleFile(t, file) }

func ruleFile(t testing.TB, file string) string {
	t.Helper()
	text := suite.Must(os.ReadFile(filepath.Join("testdata", "rules", file+".spvasm")))(t)
	return string(text)
}

func assemble(t *testing.T, text string) *spirv.Module {
	t.Helper()
	raw := suite.Must(asm.Assemble([]byte(text), "text"))(t)
	return raw
}

// edit makes the edits of a case.
func (c *ruleCase) edit(t *testing.T, text string) string {
	t.Helper()
	olds, news := strings.Split(c.old, "|"), []string{strings.ReplaceAll(c.new, "|", "\n")}
	if len(olds) > 1 {
		news = strings.Split(c.new, "|")
	}
	for i, old := range olds {
		if !strings.Contains(text, old) {
			t.Fatalf("%q is not in the module", old)
		}
		text = strings.Replace(text, old, news[i], 1)
	}
	return strings.ReplaceAll(text, "¦", "|") // the bar of masks
}

func TestExtensionRules(t *testing.T) {
	for file, cases := range ruleCases {
		text := ruleText(t, file)
		m, err := Check(assemble(t, text))
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if len(m.Warnings) > 0 {
			t.Errorf("%s: warning %v", file, m.Warnings)
		}
		for i := range cases {
			t.Run(file+"/"+cases[i].rule, func(t *testing.T) { breaks(t, &cases[i], text, isWarning(file, cases[i].rule)) })
		}
	}
}

// TestBallotOperationsNeedTheirExtension: the group operations do, with no
// import of the extension's set.
func TestBallotOperationsNeedTheirExtension(t *testing.T) {
	const text = `OpCapability Shader
OpCapability Groups
OpExtension "SPV_AMD_shader_ballot"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 64 1 1
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%fn = OpTypeFunction %void
%u3 = OpConstant %uint 3
%main = OpFunction %void None %fn
%start = OpLabel
%sum = OpGroupIAddNonUniformAMD %uint %u3 Reduce %u3
OpReturn
OpFunctionEnd
`
	if _, err := Check(assemble(t, text)); err != nil {
		t.Error(err)
	}
	_, err := Check(assemble(t, strings.Replace(text, "OpExtension \"SPV_AMD_shader_ballot\"\n", "", 1)))
	if firstRule(err) != "extensions" {
		t.Errorf("without the extension: %v", err)
	}
}

func allTexts() []extensionText { return slices.Concat(extensionTexts, coreTexts) }

// isWarning reports the level of a rule, by the name of its extension's module.
func isWarning(file, name string) bool {
	for _, text := range allTexts() {
		for _, r := range text.rules {
			if ruleFiles[text.name] == file && r.name == name {
				return r.warning
			}
		}
	}
	return false
}

// breaks tests that a case has a fault under the rule's name, or a warning in a
// module that is valid all the same.
func breaks(t *testing.T, c *ruleCase, text string, warning bool) {
	var raw *spirv.Module
	if strings.HasSuffix(c.rule, "-version") {
		raw = assemble(t, text)
		raw.Version = 1<<16 | 2<<8
	} else {
		if strings.Contains(c.new, "TaskEXT") {
			text = strings.Replace(text, "OpExtension", "OpCapability MeshShadingEXT\nOpExtension \"SPV_EXT_mesh_shader\"\nOpExtension", 1)
		}
		raw = assemble(t, c.edit(t, text))
	}
	m, err := Check(raw)
	var found []Fault
	var faults Faults
	var one Fault
	switch {
	case errors.As(err, &faults):
		found = faults
	case errors.As(err, &one):
		found = []Fault{one}
	case err == nil:
		found = m.Warnings
	}
	if warning != (err == nil) {
		t.Errorf("rule %s, a warning: %v: error %v", c.rule, warning, err)
	}
	for _, f := range found {
		if f.Rule == c.rule {
			if strings.Contains(f.Error(), "\n") {
				t.Errorf("more than one line: %v", f)
			}
			return
		}
	}
	t.Errorf("no fault of rule %s: %v", c.rule, err)
}

var update = flag.Bool("update", false, "write docs/reference/spirv.md and testdata/mutants.txt")

// Each rule has a case, and docs/reference/spirv.md lists the rules of the tables.
func TestRulesAreDocumented(t *testing.T) {
	var b strings.Builder
	for i, text := range allTexts() {
		fmt.Fprintf(&b, "### %s\n\n", text.name)
		if i == len(extensionTexts) {
			b.WriteString("Here and in the next sections: sentences of the SPIR-V specification itself, and of the Vulkan specification (VUID), each with its own rule and test.\n\n")
		}
		b.WriteString("| rule | level | sentence | test |\n| --- | --- | --- | --- |\n")
		for _, r := range text.rules {
			fmt.Fprintf(&b, "| %s | %s | %s | `TestExtensionRules/%s/%s` |\n", r.name, levelOf(r), strings.ReplaceAll(r.sentence, "|", "\\|"), ruleFiles[text.name], r.name)
			if !hasCase(ruleFiles[text.name], r.name) {
				t.Errorf("%s: rule %s has no case", text.name, r.name)
			}
		}
		b.WriteString("\n")
	}
	b.WriteString("### Graphs of linked modules\n\nRules of a graph whose nodes may come from several modules. All of them are errors.\n\n| rule | sentence | test |\n| --- | --- | --- |\n")
	for _, r := range graphRules {
		fmt.Fprintf(&b, "| %s | %s | `TestGraphRules/%s` |\n", r.name, r.sentence, r.name)
	}
	holdSection(t, "rules", b.String())
}

func levelOf(r rule) string { return map[bool]string{true: "warning", false: "error"}[r.warning] }

func hasCase(file, rule string) bool {
	for _, c := range ruleCases[file] {
		if c.rule == rule {
			return true
		}
	}
	return false
}

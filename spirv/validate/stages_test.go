package validate

import (
	"strings"
	"testing"
)

// TestStages: the entry point determines the instructions allowed in its call graph.
func TestStages(t *testing.T) {
	const (
		called = "%f = OpFunction %void None %fn\n%f0 = OpLabel\nBODY\nOpFunctionEnd"
		call   = "%call = OpFunctionCall %void %f"
		other  = "OpReturn"
	)
	for _, tt := range []struct{ name, caps, modes, body, rule string }{
		{"kill", "", "", "OpKill", "stages"},
		{"demote", "OpCapability DemoteToHelperInvocation", "", "OpDemoteToHelperInvocation\nOpReturn", "stages"},
		{"vertex", "OpCapability Geometry", "", "OpEmitVertex\nOpReturn", "stages"},
		{"derivative", "", "", "%d = OpDPdx %float %f1\nOpReturn", ""},
		{"derivative without a group", "OpCapability ComputeDerivativeGroupQuadsKHR\nOpExtension \"SPV_KHR_compute_shader_derivatives\"", "", "%d = OpDPdx %float %f1\nOpReturn", "stages"},
		{"derivative in quads", "OpCapability ComputeDerivativeGroupQuadsKHR\nOpExtension \"SPV_KHR_compute_shader_derivatives\"",
			"OpExecutionMode %main DerivativeGroupQuadsKHR", "%d = OpDPdx %float %f1\nOpReturn", ""},
		{"nothing", "", "", other, ""},
	} {
		text := withParts("CAPS", tt.caps, "MODES", tt.modes, "CODE", call, "FUNCTIONS", strings.Replace(called, "BODY", tt.body, 1))
		text = strings.Replace(text, "LocalSize 1 1 1", "LocalSize 2 2 1", 1)
		if _, err := Check(assemble(t, text)); firstRule(err) != tt.rule || (err == nil) != (tt.rule == "") {
			t.Errorf("%s: %v, want rule %q", tt.name, err, tt.rule)
		}
		// A function that nothing reaches may hold it.
		if _, err := Check(assemble(t, strings.Replace(text, call, "", 1))); err != nil {
			t.Errorf("%s, not reached: %v", tt.name, err)
		}
	}
}

// TestAlignmentOfPhysicalAccesses: loads, stores and copies state it.
func TestAlignmentOfPhysicalAccesses(t *testing.T) {
	caps := "OpCapability PhysicalStorageBufferAddresses\nOpCapability Int64\nOpExtension \"SPV_KHR_physical_storage_buffer\""
	types := "%long = OpTypeInt 64 0\n%a = OpConstant %long 4096\n%p = OpTypePointer PhysicalStorageBuffer %uint\n%local = OpTypePointer Function %uint"
	for code, rule := range map[string]string{
		"%x = OpLoad %uint %q Aligned 4":          "",
		"%x = OpLoad %uint %q Volatile|Aligned 4": "",
		"%x = OpLoad %uint %q":                    "alignment",
		"%x = OpLoad %uint %q Aligned 6":          "alignment",
		"%x = OpLoad %uint %q Volatile":           "alignment",
		"OpStore %q %u1 Aligned 4":                "",
		"OpStore %q %u1":                          "alignment",
		"OpCopyMemory %v %q Aligned 4":            "",
		"OpCopyMemory %v %q":                      "alignment",
		"OpCopyMemory %v %q None Aligned 4":       "",
		"OpCopyMemory %v %q Aligned 4 None":       "alignment",
		"OpCopyMemory %q %v Aligned 4 None":       "",
		"OpStore %v %u1\n%y = OpLoad %uint %v":    "",
		"OpStore %v %u1 Aligned 3":                "alignment",
	} {
		text := withParts("CAPS", caps, "TYPES", types, "VARS", "%v = OpVariable %local Function", "CODE", "%q = OpConvertUToPtr %p %a\n"+code)
		text = strings.Replace(text, "Logical GLSL450", "PhysicalStorageBuffer64 GLSL450", 1)
		if _, err := Check(assemble(t, text)); firstRule(err) != rule || (err == nil) != (rule == "") {
			t.Errorf("%s: %v, want rule %q", code, err, rule)
		}
	}
}

// TestHeldPointers: variables may hold pointers, by themselves or in a structure, that a capability makes values, and only where a lane
// keeps them (section 2.16.1).
func TestHeldPointers(t *testing.T) {
	const none, buffers, all, wrong = "", "OpCapability VariablePointersStorageBuffer", "OpCapability VariablePointers", "held-pointers"
	for _, tt := range []struct{ caps, held, class, rule string }{
		{none, "Function", "Function", wrong},
		{none, "StorageBuffer", "Function", wrong},
		{none, "Workgroup", "Private", wrong},
		{buffers, "StorageBuffer", "Function", ""},
		{buffers, "StorageBuffer", "Private", ""},
		{buffers, "StorageBuffer", "Workgroup", wrong},
		{buffers, "Workgroup", "Function", wrong},
		{all, "StorageBuffer", "Function", ""},
		{all, "Workgroup", "Function", ""},
		{all, "Workgroup", "Private", ""},
		{all, "Workgroup", "Workgroup", wrong},
		{all, "Private", "Function", wrong},
	} {
		for _, holder := range []string{"%p", "%pair"} {
			types := "%p = OpTypePointer " + tt.held + " %uint\n%pair = OpTypeStruct %uint %p\n%pp = OpTypePointer " + tt.class + " " + holder
			variable := map[bool]string{}
			variable[tt.class == "Function"] = "\n%v = OpVariable %pp " + tt.class
			text := withParts("CAPS", tt.caps, "TYPES", types+variable[false], "VARS", strings.TrimSpace(variable[true]))
			if _, err := Check(assemble(t, text)); firstRule(err) != tt.rule || (err == nil) != (tt.rule == "") {
				t.Errorf("%+v, %s: %v", tt, holder, err)
			}
		}
	}
}

// TestExtensionsOfCoreCapabilities: an addition of an extension to a core capability needs the extension, up to the
// version that includes it.
func TestExtensionsOfCoreCapabilities(t *testing.T) {
	const terminates = `; Version: 1.5
OpCapability Shader
CAPS
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main"
OpExecutionMode %main OriginUpperLeft
%void = OpTypeVoid
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%start = OpLabel
OpTerminateInvocation
OpFunctionEnd
`
	terminate := "OpExtension \"SPV_KHR_terminate_invocation\""
	uniform := func(caps string) string {
		return withParts("CAPS", caps, "MODES", "OpExecutionMode %main SubgroupUniformControlFlowKHR")
	}
	for _, tt := range []struct{ name, text, rule string }{
		{"mode", uniform(""), "extensions"},
		{"mode with it", uniform("OpExtension \"SPV_KHR_subgroup_uniform_control_flow\""), ""},
		{"instruction", strings.Replace(terminates, "CAPS\n", "", 1), "extensions"},
		{"instruction with it", strings.Replace(terminates, "CAPS", terminate, 1), ""},
		{"instruction of a version", strings.NewReplacer("CAPS\n", "", "1.5", "1.6").Replace(terminates), ""},
	} {
		if _, err := Check(assemble(t, tt.text)); firstRule(err) != tt.rule || (err == nil) != (tt.rule == "") {
			t.Errorf("%s: %v, want rule %q", tt.name, err, tt.rule)
		}
	}
}

// TestSampledImagesHaveASampler: an image that is used without one can't be part of a sampled image.
func TestSampledImagesHaveASampler(t *testing.T) {
	for sampled, rule := range map[string]string{"0 Unknown": "image-sampled", "1 Unknown": "", "2 Rgba32f": "types"} {
		text := withParts("TYPES", "%image = OpTypeImage %float 2D 0 0 0 "+sampled+"\n%both = OpTypeSampledImage %image")
		if _, err := Check(assemble(t, text)); firstRule(err) != rule || (err == nil) != (rule == "") {
			t.Errorf("Sampled %s: %v, want rule %q", sampled, err, rule)
		}
	}
}

// TestCasesEndAtOthers: a case ends at the merge block or at the begin of another case, not in a block that several share (section 2.11).
func TestCasesEndAtOthers(t *testing.T) {
	const switched = `; Version: 1.3
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%bool = OpTypeBool
%yes = OpConstantTrue %bool
%fn = OpTypeFunction %void
%u0 = OpConstant %uint 0
%main = OpFunction %void None %fn
%start = OpLabel
OpSelectionMerge %merge None
OpSwitch %u0 %merge 0 %first 1 %second
%first = OpLabel
FIRST
%second = OpLabel
SECOND
%merge = OpLabel
OpReturn
OpFunctionEnd
`
	nested := "OpSelectionMerge %joined None\nOpBranchConditional %yes %then %joined\n%then = OpLabel\nOpBranch %joined\n%joined = OpLabel\nOpBranch %merge"
	for _, tt := range []struct{ name, first, second, rule string }{
		{"merge", "OpBranch %merge", "OpBranch %merge", ""},
		{"fall through", "OpBranch %second", "OpBranch %merge", ""},
		{"selection within a case", nested, "OpBranch %merge", ""},
		{"a block of its own", "OpBranch %tail\n%tail = OpLabel\nOpBranch %merge", "OpBranch %merge", ""},
		{"a shared block", "OpBranch %tail", "OpBranch %tail\n%tail = OpLabel\nOpBranch %merge", "control flow"},
	} {
		text := strings.NewReplacer("FIRST", tt.first, "SECOND", tt.second).Replace(switched)
		if _, err := Check(assemble(t, text)); firstRule(err) != tt.rule || (err == nil) != (tt.rule == "") {
			t.Errorf("%s: %v, want rule %q", tt.name, err, tt.rule)
		}
	}
}

// TestImageCoordinates: as many as the image has dimensions, and one for the layer.
func TestImageCoordinates(t *testing.T) {
	const read = `; Version: 1.3
OpCapability Shader
OpCapability StorageImageMultisample
OpCapability ImageMSArray
OpCapability Image1D
OpCapability StorageImageReadWithoutFormat
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %image DescriptorSet 0
OpDecorate %image Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%uint = OpTypeInt 32 0
%v4 = OpTypeVector %float 4
%u1 = OpConstant %uint 1
%v2u = OpTypeVector %uint 2
%v3u = OpTypeVector %uint 3
%c2 = OpConstantComposite %v2u %u1 %u1
%c3 = OpConstantComposite %v3u %u1 %u1 %u1
%type = OpTypeImage %float SHAPE 2 Unknown
%ptr = OpTypePointer UniformConstant %type
%image = OpVariable %ptr UniformConstant
%main = OpFunction %void None %fn
%start = OpLabel
%loaded = OpLoad %type %image
%texel = OpImageRead %v4 %loaded AT
OpReturn
OpFunctionEnd
`
	for _, tt := range []struct{ shape, at, rule string }{
		{"2D 2 0 0", "%c2", ""},
		{"2D 2 0 0", "%c3", ""},
		{"2D 2 0 0", "%u1", "image coordinates"},
		{"2D 2 1 0", "%c3", ""},
		{"2D 2 1 0", "%c2", "image coordinates"},
		{"2D 2 1 1", "%c2 Sample %u1", "image coordinates"},
		{"3D 2 0 0", "%c2", "image coordinates"},
		{"Cube 2 0 0", "%c3", ""},
		{"1D 2 0 0", "%u1", ""},
		{"1D 2 1 0", "%u1", "image coordinates"},
	} {
		text := strings.NewReplacer("SHAPE", tt.shape, "AT", tt.at).Replace(read)
		if _, err := Check(assemble(t, text)); firstRule(err) != tt.rule || (err == nil) != (tt.rule == "") {
			t.Errorf("%s at %s: %v, want rule %q", tt.shape, tt.at, err, tt.rule)
		}
	}
}

// TestBuiltInsAreMembersOfBlocks: a structure of built-ins in an interface is a block.
func TestBuiltInsAreMembersOfBlocks(t *testing.T) {
	const vertex = `; Version: 1.3
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main "main" %out
BLOCK
OpMemberDecorate %vertex 0 BuiltIn Position
%void = OpTypeVoid
%float = OpTypeFloat 32
%v4 = OpTypeVector %float 4
%vertex = OpTypeStruct %v4
%ptr = OpTypePointer Output %vertex
%out = OpVariable %ptr Output
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%start = OpLabel
OpReturn
OpFunctionEnd
`
	for block, rule := range map[string]string{"OpDecorate %vertex Block": "", "": "entry points"} {
		if _, err := Check(assemble(t, strings.Replace(vertex, "BLOCK", block, 1))); firstRule(err) != rule || (err == nil) != (rule == "") {
			t.Errorf("%q: %v, want rule %q", block, err, rule)
		}
	}
}

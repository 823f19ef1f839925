package validate

import (
	"errors"
	"strings"
	"testing"
)

// A sentence of the specification with a module that keeps to it and one that does not.
type sentence struct {
	name             string
	caps, modes      string // of the module
	types, vars      string
	good, bad        string // in the place of CODE, or of @ in any other
	rule             string
	physical, vulkan bool // memory models
	v13              bool // SPIR-V 1.3
}

const (
	glsl    = `%glsl = OpExtInstImport "GLSL.std.450"`
	doubles = "OpCapability Float64\nOpCapability Int64\nOpCapability Int16\nOpCapability Float16\n" + glsl
	numbers = `%half = OpTypeFloat 16
%double = OpTypeFloat 64
%short = OpTypeInt 16 0
%long = OpTypeInt 64 0
%v2 = OpTypeVector %float 2
%v3 = OpTypeVector %float 3
%i2 = OpTypeVector %uint 2
%i3 = OpTypeVector %uint 3
%m22 = OpTypeMatrix %v2 2
%m32 = OpTypeMatrix %v2 3
%pair = OpTypeStruct %float %float
%split = OpTypeStruct %float %int
%mixed = OpTypeStruct %float %uint %uint
%pf = OpTypePointer Function %float
%pi = OpTypePointer Function %int
%pi2 = OpTypePointer Function %i2
%h1 = OpConstant %half 1
%d1 = OpConstant %double 1
%s1 = OpConstant %short 1
%l1 = OpConstant %long 1
%f2 = OpConstantComposite %v2 %f1 %f1
%u2 = OpConstantComposite %i2 %u1 %u1
%u3 = OpConstantComposite %i3 %u1 %u1 %u1
%c22 = OpConstantComposite %m22 %f2 %f2
%c32 = OpConstantComposite %m32 %f2 %f2 %f2`
	aliased = "OpCapability PhysicalStorageBufferAddresses\nOpCapability Int64\nOpExtension \"SPV_KHR_physical_storage_buffer\""
)

// extended returns a case of GLSL.std.450 for each module that is bad.
func extended(name, good string, bad ...string) (list []sentence) {
	for _, b := range bad {
		list = append(list, sentence{name: name, caps: doubles, types: numbers, vars: "%vf = OpVariable %pf Function\n%vi = OpVariable %pi Function\n%vi2 = OpVariable %pi2 Function",
			good: "%x = OpExtInst " + good, bad: "%x = OpExtInst " + b, rule: "types"})
	}
	return list
}

func sentences() (list []sentence) {
	for _, rows := range [][]sentence{
		extended("FindUMsb", "%uint %glsl FindUMsb %u1", "%short %glsl FindUMsb %s1"),
		extended("FindSMsb", "%uint %glsl FindSMsb %u1", "%long %glsl FindSMsb %l1"),
		extended("Determinant", "%float %glsl Determinant %c22", "%double %glsl Determinant %c22", "%float %glsl Determinant %c32"),
		extended("MatrixInverse", "%m22 %glsl MatrixInverse %c22", "%m32 %glsl MatrixInverse %c32"),
		extended("Length", "%float %glsl Length %f2", "%double %glsl Length %f2"),
		extended("Distance", "%float %glsl Distance %f2 %f2", "%double %glsl Distance %f2 %f2"),
		extended("Modf", "%float %glsl Modf %f1 %vf", "%float %glsl Modf %f1 %vi"),
		extended("ModfStruct", "%pair %glsl ModfStruct %f1", "%split %glsl ModfStruct %f1", "%mixed %glsl ModfStruct %f1", "%pair %glsl ModfStruct %d1", "%float %glsl ModfStruct %f1"),
		extended("Frexp", "%float %glsl Frexp %f1 %vi", "%float %glsl Frexp %f1 %vf", "%float %glsl Frexp %f1 %vi2"),
		extended("FrexpStruct", "%split %glsl FrexpStruct %f1", "%pair %glsl FrexpStruct %f1", "%mixed %glsl FrexpStruct %f1", "%split %glsl FrexpStruct %d1"),
		extended("PackDouble2x32", "%double %glsl PackDouble2x32 %u2", "%float %glsl PackDouble2x32 %u2", "%double %glsl PackDouble2x32 %u3", "%double %glsl PackDouble2x32 %f2"),
		extended("UnpackDouble2x32", "%i2 %glsl UnpackDouble2x32 %d1", "%i2 %glsl UnpackDouble2x32 %f1", "%v2 %glsl UnpackDouble2x32 %d1", "%i3 %glsl UnpackDouble2x32 %d1"),
	} {
		list = append(list, rows...)
	}
	return append(list, coreSentences...)
}

const atomics = "%p = OpTypePointer Workgroup %float\n%pu = OpTypePointer Workgroup %uint\n%pl = OpTypePointer Function %uint\n%w = OpVariable %p Workgroup\n%wu = OpVariable %pu Workgroup\n%two = OpTypeStruct %uint %uint\n%itwo = OpTypeStruct %int %int\n%i1 = OpConstant %int 1\n%spec = OpSpecConstant %uint 1"

var coreSentences = []sentence{
	{name: "decorated twice", modes: "OpMemberDecorate %s 0 Offset 0\n@", types: "%s = OpTypeStruct %uint", bad: "OpMemberDecorate %s 0 Offset 4", rule: "decorations"},
	{name: "ArrayStride twice", modes: "OpDecorate %a ArrayStride 4\n@", types: "%a = OpTypeArray %uint %u4", bad: "OpDecorate %a ArrayStride 8", rule: "decorations"},
	{name: "both orders", modes: "OpMemberDecorate %s 0 RowMajor\n@", types: "%v = OpTypeVector %float 2\n%m = OpTypeMatrix %v 2\n%s = OpTypeStruct %m", bad: "OpMemberDecorate %s 0 ColMajor", rule: "decorations"},
	{name: "both blocks", modes: "OpDecorate %s Block\n@", types: "%s = OpTypeStruct %uint", bad: "OpDecorate %s BufferBlock", rule: "decorations", v13: true},
	{name: "aliased and not", modes: "OpDecorate %v Aliased\n@", types: "%p = OpTypePointer Private %uint\n%v = OpVariable %p Private", bad: "OpDecorate %v Restrict", rule: "decorations"},
	{name: "precision of a type", modes: "@", types: "%p = OpTypePointer Private %uint\n%v = OpVariable %p Private", good: "OpDecorate %v RelaxedPrecision", bad: "OpDecorate %uint RelaxedPrecision", rule: "decorations"},
	{name: "Uniform of a type", modes: "@", good: "OpDecorate %u1 Uniform", bad: "OpDecorate %uint Uniform", rule: "decorations"},
	{name: "UniformId's scope", modes: "@", good: "OpDecorateId %u1 UniformId %u1", bad: "OpDecorateId %u1 UniformId %f1", rule: "decorations"},
	{name: "a scope that is none", modes: "@", types: "%u99 = OpConstant %uint 99", good: "OpDecorateId %u1 UniformId %u1", bad: "OpDecorateId %u1 UniformId %u99", rule: "decorations"},
	{name: "component of private memory", modes: "@", types: "%p = OpTypePointer Private %uint\n%v = OpVariable %p Private", bad: "OpDecorate %v Component 0", rule: "decorations"},
	{name: "pointers in variables", caps: aliased, modes: "@", types: "%p = OpTypePointer PhysicalStorageBuffer %uint\n%pp = OpTypePointer Function %p", vars: "%v = OpVariable %pp Function", good: "OpDecorate %v AliasedPointer", rule: "decorations", physical: true},
	{name: "a pointer that is both", caps: aliased, modes: "OpDecorate %v AliasedPointer\n@", types: "%p = OpTypePointer PhysicalStorageBuffer %uint\n%pp = OpTypePointer Function %p", vars: "%v = OpVariable %pp Function", bad: "OpDecorate %v RestrictPointer", rule: "decorations", physical: true},
	{name: "variable in physical storage", caps: aliased, types: "%p = OpTypePointer PhysicalStorageBuffer %uint\n@", bad: "%v = OpVariable %p PhysicalStorageBuffer", rule: "types", physical: true},
	{name: "integer of a logical pointer", caps: aliased, types: "%long = OpTypeInt 64 0\n%p = OpTypePointer Workgroup %uint\n%w = OpVariable %p Workgroup", bad: "%x = OpConvertPtrToU %long %w", rule: "types", physical: true},
	{name: "initialized input", types: "%p = OpTypePointer Input %uint\n@", good: "%v = OpVariable %p Input", bad: "%v = OpVariable %p Input %u1", rule: "initializer-class"},
	{name: "variable after code", types: "%p = OpTypePointer Function %uint", good: "%v = OpVariable %p Function\n%x = OpIAdd %uint %u1 %u1", bad: "%x = OpIAdd %uint %u1 %u1\n%v = OpVariable %p Function", rule: "types"},
	{name: "undefined void", good: "%x = OpUndef %uint", bad: "%x = OpUndef %void", rule: "types"},
	{name: "signed from float", good: "%x = OpConvertFToU %uint %f1", bad: "%x = OpConvertFToU %int %f1", rule: "types"},
	{name: "signed carry", types: atomics, good: "%x = OpIAddCarry %two %u1 %u1", bad: "%x = OpIAddCarry %itwo %i1 %i1", rule: "types"},
	{name: "float atomics", caps: "OpCapability AtomicFloat32AddEXT\nOpCapability AtomicFloat64MinMaxEXT\nOpExtension \"SPV_EXT_shader_atomic_float_add\"\nOpExtension \"SPV_EXT_shader_atomic_float_min_max\"", types: atomics,
		good: "%x = OpAtomicFAddEXT %float %w %u1 %u0 %f1", bad: "%x = OpAtomicFMinEXT %float %w %u1 %u0 %f1", rule: "capabilities"},
	{name: "atomic on a local", types: atomics, vars: "%l = OpVariable %pl Function", good: "OpAtomicStore %wu %u1 %u0 %u1", bad: "OpAtomicStore %l %u1 %u0 %u1", rule: "atomic-class"},
	{name: "scope by specialization", types: atomics, good: "OpAtomicStore %wu %u1 %u0 %u1", bad: "OpAtomicStore %wu %spec %u0 %u1", rule: "types"},
	{name: "semantics of Vulkan", types: atomics + "\n%k = OpConstant %uint 8196", good: "OpAtomicStore %wu %u1 %u0 %u1", bad: "OpAtomicStore %wu %u1 %k %u1", rule: "capabilities"},
	{name: "scope of Vulkan", types: atomics + "\n%k = OpConstant %uint 5", good: "OpAtomicStore %wu %u1 %u0 %u1", bad: "OpAtomicStore %wu %k %u0 %u1", rule: "capabilities"},
	{name: "device scope", caps: "OpCapability VulkanMemoryModel", types: atomics + "\n%k = OpConstant %uint 2", good: "OpAtomicStore %wu %k %u0 %u1", bad: "OpAtomicStore %wu %u1 %u0 %u1", rule: "capabilities", vulkan: true},
	{name: "clock", caps: "OpCapability ShaderClockKHR\nOpCapability Int64\nOpExtension \"SPV_KHR_shader_clock\"", types: "%u3 = OpConstant %uint 3\n%long = OpTypeInt 64 0", good: "%x = OpReadClockKHR %long %u3", bad: "%x = OpReadClockKHR %uint %u3", rule: "types"},
	{name: "clock of a workgroup", caps: "OpCapability ShaderClockKHR\nOpCapability Int64\nOpExtension \"SPV_KHR_shader_clock\"", types: "%u2 = OpConstant %uint 2\n%long = OpTypeInt 64 0", good: "%x = OpReadClockKHR %long %u1", bad: "%x = OpReadClockKHR %long %u2", rule: "types"},
	{name: "chosen pointers", caps: "@", types: atomics, good: "OpCapability VariablePointers", rule: "types", vars: "%x = OpSelect %pu %true %wu %wu"},
	{name: "elements without stride", caps: "OpCapability VariablePointers", modes: "OpDecorate %s Block\nOpMemberDecorate %s 0 Offset 0\nOpDecorate %b DescriptorSet 0\nOpDecorate %b Binding 0\n@",
		types: "%s = OpTypeStruct %uint\n%ps = OpTypePointer StorageBuffer %s\n%pe = OpTypePointer StorageBuffer %uint\n%b = OpVariable %ps StorageBuffer", vars: "%e = OpAccessChain %pe %b %u0\n%x = OpPtrAccessChain %pe %e %u1", good: "OpDecorate %pe ArrayStride 4", rule: "types"},
	{name: "buffer of bfloat16", caps: "OpCapability BFloat16TypeKHR\nOpCapability StoragePushConstant16\nOpExtension \"SPV_KHR_bfloat16\"", modes: "OpDecorate %s Block\nOpMemberDecorate %s 0 Offset 0\nOpDecorate %b DescriptorSet 0\nOpDecorate %b Binding 0",
		types: "%h = OpTypeFloat 16@\n%s = OpTypeStruct %h\n%ps = OpTypePointer StorageBuffer %s\n%b = OpVariable %ps StorageBuffer", good: " BFloat16KHR", bad: " ", rule: "storage-16-bit"},
	{name: "elements in private memory", caps: "OpCapability VariablePointers", types: "%pe = OpTypePointer Workgroup %uint\n%w = OpVariable %pe Workgroup\n%po = OpTypePointer Function %uint", vars: "%o = OpVariable %po Function",
		good: "%x = OpPtrAccessChain %pe %w %u1", bad: "%x = OpPtrAccessChain %po %o %u1", rule: "types"},
	{name: "compared physical pointers", caps: "OpCapability VariablePointers\n" + aliased, types: "%long = OpTypeInt 64 0\n%l1 = OpConstant %long 1\n%p = OpTypePointer PhysicalStorageBuffer %uint", vars: "%q = OpConvertUToPtr %p %l1",
		bad: "%x = OpPtrEqual %bool %q %q", rule: "types", physical: true},
	{name: "returned pointer", caps: "@", types: atomics + "\n%fp = OpTypeFunction %pu", vars: "%c = OpFunctionCall %pu %f\nOpReturn\nOpFunctionEnd\n%f = OpFunction %pu None %fp\n%fl = OpLabel\nOpReturnValue %wu\nOpFunctionEnd\n%other = OpFunction %void None %fn\n%ol = OpLabel", good: "OpCapability VariablePointers", rule: "types"},
	{name: "phi after code", vars: "OpBranch %l\n%l = OpLabel", good: "%y = OpPhi %uint %u1 %start\n%x = OpIAdd %uint %u1 %u1", bad: "%x = OpIAdd %uint %u1 %u1\nOpNoLine\n%y = OpPhi %uint %u1 %start", rule: "types"},
	{name: "variable of void", types: "%p = OpTypePointer Private %void\n@", bad: "%v = OpVariable %p Private", rule: "types"},
	{name: "variable of a function", types: "%p = OpTypePointer Private %fn\n@", bad: "%v = OpVariable %p Private", rule: "types"},
	{name: "copy to what is read only", types: "%pp = OpTypePointer Private %uint\n%s = OpTypeStruct %uint\n%pi = OpTypePointer PushConstant %s\n%pu = OpTypePointer PushConstant %uint\n%w = OpVariable %pi PushConstant\n%b = OpVariable %pp Private",
		modes: "OpDecorate %s Block\nOpMemberDecorate %s 0 Offset 0", vars: "%e = OpAccessChain %pu %w %u0", good: "OpCopyMemory %b %e", bad: "OpCopyMemory %e %b", rule: "types"},
	{name: "store to what is read only", types: "%s = OpTypeStruct %uint\n%pi = OpTypePointer PushConstant %s\n%pu = OpTypePointer PushConstant %uint\n%w = OpVariable %pi PushConstant",
		modes: "OpDecorate %s Block\nOpMemberDecorate %s 0 Offset 0", vars: "%e = OpAccessChain %pu %w %u0", good: "%x = OpLoad %uint %e", bad: "OpStore %e %u1", rule: "types"},
	{name: "merge block that nothing reaches", vars: "OpSelectionMerge %m None\nOpBranchConditional %true %l %r\n%l = OpLabel\nOpReturn\n%r = OpLabel\nOpReturn\n%m = OpLabel",
		good: "OpSelectionMerge %n None\nOpBranchConditional %true %a %b\n%a = OpLabel\nOpBranch %n\n%b = OpLabel\nOpBranch %n\n%n = OpLabel",
		bad:  "OpBranchConditional %true %a %b\n%a = OpLabel\nOpBranch %n\n%b = OpLabel\nOpBranch %n\n%n = OpLabel", rule: "control flow"},
	{name: "continue target that nothing reaches", vars: "OpBranch %h\n%h = OpLabel\nOpLoopMerge %m %c None\nOpBranch %m\n%c = OpLabel\n@\n%m = OpLabel", good: "OpBranch %h", bad: "OpReturn", rule: "control flow"},
	{name: "phi in the first block", bad: "%y = OpPhi %uint", rule: "types"},
}

// assembled returns a sentence's module with a text in its place.
func (s *sentence) assembled(text string) string {
	code := text
	parts := []string{}
	for name, part := range map[string]string{"CAPS": s.caps, "MODES": s.modes, "TYPES": s.types, "VARS": s.vars} {
		if strings.Contains(part, "@") {
			part, code = strings.Replace(part, "@", text, 1), ""
		}
		parts = append(parts, name, part)
	}
	module := withParts(append(parts, "CODE", code)...)
	if s.physical {
		module = strings.Replace(module, "Logical GLSL450", "PhysicalStorageBuffer64 GLSL450", 1)
	}
	if s.vulkan {
		module = strings.Replace(module, "Logical GLSL450", "Logical Vulkan", 1)
	}
	for _, global := range []string{"%w", "%wu", "%b"} { // SPIR-V 1.4 lists all that is used
		if strings.Contains(s.types, global+" = OpVariable") {
			module = strings.Replace(module, `%main "main"`, `%main "main" `+global, 1)
		}
	}
	return module
}

// TestCoreSentences: each module passes with its good text and breaks the rule with its bad one.
func TestCoreSentences(t *testing.T) {
	for _, s := range sentences() {
		t.Run(s.name, func(t *testing.T) {
			for text, rule := range map[string]string{s.good: "", s.bad: s.rule} {
				raw := assemble(t, s.assembled(text))
				if s.v13 {
					raw.Version = 1<<16 | 3<<8
				}
				if _, err := Check(raw); firstRule(err) != rule || (err == nil) != (rule == "") {
					t.Errorf("%s: %v, want rule %q", text, err, rule)
				}
			}
		})
	}
}

// TestModesTogether: of some groups of modes an entry point has one.
func TestModesTogether(t *testing.T) {
	for _, tt := range []struct{ model, caps, modes, rule string }{
		{"Fragment", "", "OriginUpperLeft", ""},
		{"Fragment", "", "OriginUpperLeft OriginLowerLeft", "entry points"},
		{"Fragment", "", "OriginUpperLeft DepthReplacing DepthGreater", ""},
		{"Fragment", "", "OriginUpperLeft DepthReplacing DepthGreater DepthLess", "entry points"},
		{"Geometry", "OpCapability Geometry", "Triangles OutputPoints", ""},
		{"Geometry", "OpCapability Geometry", "Triangles", "entry points"},
		{"Geometry", "OpCapability Geometry", "OutputPoints", "entry points"},
		{"Geometry", "OpCapability Geometry", "Triangles InputLines OutputPoints", "entry points"},
		{"Geometry", "OpCapability Geometry", "Triangles OutputPoints OutputLineStrip", "entry points"},
		{"TessellationControl", "OpCapability Tessellation", "SpacingEqual VertexOrderCw", ""},
		{"TessellationControl", "OpCapability Tessellation", "SpacingEqual SpacingFractionalOdd", "entry points"},
		{"TessellationEvaluation", "OpCapability Tessellation", "VertexOrderCw VertexOrderCcw", "entry points"},
	} {
		text := withParts("CAPS", tt.caps)
		text = strings.Replace(text, "GLCompute", tt.model, 1)
		text = strings.Replace(text, "OpExecutionMode %main LocalSize 1 1 1", "OpExecutionMode %main "+strings.ReplaceAll(tt.modes, " ", "\nOpExecutionMode %main "), 1)
		_, err := Check(assemble(t, text))
		if got := firstRule(err); got != tt.rule && !(tt.rule == "" && strings.Contains(err.Error(), "not supported")) {
			t.Errorf("%s %s: %v, want rule %q", tt.model, tt.modes, err, tt.rule)
		}
	}
}

// TestInterpolations: they are of an input of the result's type.
func TestInterpolations(t *testing.T) {
	const half = "OpCapability Float16\nOpCapability StorageInputOutput16\nOpExtension \"SPV_AMD_gpu_shader_half_float\""
	for _, tt := range []struct{ caps, code, rule string }{
		{"", "%x = OpExtInst %float %glsl InterpolateAtCentroid %in", ""},
		{"", "%x = OpExtInst %float %glsl InterpolateAtSample %in %u1", ""},
		{"", "%x = OpExtInst %float %glsl InterpolateAtOffset %in %f2", ""},
		{"", "%x = OpExtInst %float %glsl InterpolateAtOffset %in %f3", "types"},
		{"", "%x = OpExtInst %float %glsl InterpolateAtOffset %in %f1", "types"},
		{"", "%x = OpExtInst %v2 %glsl InterpolateAtCentroid %in", "types"},
		{"", "%x = OpExtInst %float %glsl InterpolateAtCentroid %private", "types"},
		{half, "%x = OpExtInst %half %glsl InterpolateAtCentroid %hin", ""},
		{strings.Split(half, "\nOpExtension")[0], "%x = OpExtInst %half %glsl InterpolateAtCentroid %hin", "types"},
	} {
		types := "%v2 = OpTypeVector %float 2\n%v3 = OpTypeVector %float 3\n%f2 = OpConstantComposite %v2 %f1 %f1\n%f3 = OpConstantComposite %v3 %f1 %f1 %f1\n" +
			"%pin = OpTypePointer Input %float\n%pp = OpTypePointer Private %float\n%in = OpVariable %pin Input\n%private = OpVariable %pp Private"
		list := " %in %private"
		if strings.Contains(tt.code, "%hin") {
			types += "\n%half = OpTypeFloat 16\n%ph = OpTypePointer Input %half\n%hin = OpVariable %ph Input"
			list += " %hin"
		}
		places := "OpDecorate %in Location 0"
		if strings.Contains(list, "%hin") {
			places += "\nOpDecorate %hin Location 1"
		}
		text := withParts("CAPS", "OpCapability InterpolationFunction\n"+strings.TrimSuffix(tt.caps+"\n", "\n")+"\n"+glsl, "MODES", places, "TYPES", types, "CODE", tt.code)
		text = strings.NewReplacer("GLCompute", "Fragment", "LocalSize 1 1 1", "OriginUpperLeft", `%main "main"`, `%main "main"`+list, "\n\n", "\n").Replace(text)
		if _, err := Check(assemble(t, text)); firstRule(err) != tt.rule || (err == nil) != (tt.rule == "") {
			t.Errorf("%s: %v, want rule %q", tt.code, err, tt.rule)
		}
	}
}

// TestWhatOnlyTheSimulatorAsks is not supported where it isn't there, and not invalid.
func TestWhatOnlyTheSimulatorAsks(t *testing.T) {
	refract := withParts("CAPS", doubles, "TYPES", numbers, "CODE", "%x = OpExtInst %v2 %glsl Refract %f2 %f2 %d1")
	mesh := strings.NewReplacer("GLCompute", "TaskEXT", "OpExecutionMode %main LocalSize 1 1 1\n", "").
		Replace(withParts("CAPS", "OpCapability MeshShadingEXT\nOpExtension \"SPV_EXT_mesh_shader\""))
	for name, text := range map[string]string{"ratio of another width": refract, "task without a size": mesh} {
		if _, err := Check(assemble(t, text)); !errors.Is(err, ErrUnsupported) || errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestBuiltInBlocks: of the inputs, and of the outputs, one holds built-ins.
func TestBuiltInBlocks(t *testing.T) {
	types := "%s = OpTypeStruct %float\n%z = OpTypeStruct %float\n%po = OpTypePointer Output %s\n%pz = OpTypePointer CLASS %z\n%o = OpVariable %po Output\n%q = OpVariable %pz CLASS"
	for class, rule := range map[string]string{"Input": "", "Output": "entry points"} {
		text := withParts("CAPS", "OpCapability Geometry", "MODES", "OpExecutionMode %main Triangles\nOpExecutionMode %main OutputPoints\nOpDecorate %s Block\nOpDecorate %z Block\nOpMemberDecorate %s 0 BuiltIn PointSize\nOpMemberDecorate %z 0 BuiltIn PointSize",
			"TYPES", strings.ReplaceAll(types, "CLASS", class))
		text = strings.NewReplacer("GLCompute", "Geometry", "OpExecutionMode %main LocalSize 1 1 1\n", "", `%main "main"`, `%main "main" %o %q`).Replace(text)
		if _, err := Check(assemble(t, text)); firstRule(err) != rule && !(rule == "" && errors.Is(err, ErrUnsupported) && !errors.Is(err, ErrInvalid)) {
			t.Errorf("%s: %v, want rule %q", class, err, rule)
		}
	}
}

package validate

import (
	"cmp"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"spvsim/internal/suite"
)

// A declaredCase is a module that needs one of its declarations because of the types of operands.
type declaredCase struct {
	name, need, with   string // need is left out, a line; with stays
	modes, types, code string
	functions, model   string
	version, rule, env string // env is that of the public validator; Vulkan's where it is empty
	stricter           bool   // than the public validator that distributions carry
}

const (
	twoBuffers      = "OpDecorate %s Block\nOpMemberDecorate %s 0 Offset 0\nOpDecorate %a DescriptorSet 0\nOpDecorate %a Binding 0\nOpDecorate %b DescriptorSet 0\nOpDecorate %b Binding 1\nOpDecorate %ps ArrayStride 4"
	twoBufferTypes  = "%s = OpTypeStruct %uint\n%ps = OpTypePointer StorageBuffer %s\n%a = OpVariable %ps StorageBuffer\n%b = OpVariable %ps StorageBuffer"
	twoShared       = "%pw = OpTypePointer Workgroup %uint\n%a = OpVariable %pw Workgroup\n%b = OpVariable %pw Workgroup"
	sharedArray     = "%list = OpTypeArray %uint %u4\n%pl = OpTypePointer Workgroup %list\n%pw = OpTypePointer Workgroup %uint\n%a = OpVariable %pl Workgroup"
	pointerFunction = "\n%ff = OpTypeFunction %pw"
	anImage         = "OpDecorate %i DescriptorSet 0\nOpDecorate %i Binding 0"
	imageTypes      = "%v3 = OpTypeVector %uint 3\n%v4f = OpTypeVector %float 4\n%at3 = OpConstantComposite %v3 %u0 %u0 %u0\n" +
		"%vf = OpConstantComposite %v4f %f1 %f1 %f1 %f1\n%img = OpTypeImage %float KIND\n%pi = OpTypePointer UniformConstant %img\n%i = OpVariable %pi UniformConstant"
	dotTypes = "%byte = OpTypeInt 8 0\n%b4 = OpTypeVector %byte 4\n%b1 = OpConstant %byte 1\n%x4 = OpConstantComposite %b4 %b1 %b1 %b1 %b1"
	dots     = "OpCapability Int8\nOpCapability DotProduct\nOpExtension \"SPV_KHR_integer_dot_product\""
)

var declaredCases = []declaredCase{
	{name: "equal pointers to Workgroup", need: "OpCapability VariablePointers", with: "OpCapability VariablePointersStorageBuffer", types: twoShared, code: "%x = OpPtrEqual %bool %a %b", version: "1.4", rule: "types"},
	{name: "equal pointers to buffers", need: "OpCapability VariablePointersStorageBuffer", modes: twoBuffers, types: twoBufferTypes, code: "%x = OpPtrNotEqual %bool %a %b", version: "1.4", rule: "types"},
	{name: "distance in Workgroup", need: "OpCapability VariablePointers", with: "OpCapability VariablePointersStorageBuffer", types: twoShared, code: "%x = OpPtrDiff %uint %a %b", version: "1.4", rule: "types"},
	{name: "step in Workgroup", need: "OpCapability VariablePointers", with: "OpCapability VariablePointersStorageBuffer", types: sharedArray, code: "%e = OpAccessChain %pw %a %u0\n%x = OpPtrAccessChain %pw %e %u1", rule: "types"},
	{name: "choice in Workgroup", need: "OpCapability VariablePointers", with: "OpCapability VariablePointersStorageBuffer", types: twoShared, code: "%x = OpSelect %pw %true %a %b", rule: "types", stricter: true},
	{name: "returned pointer to Workgroup", need: "OpCapability VariablePointers", with: "OpCapability VariablePointersStorageBuffer", types: twoShared + pointerFunction, code: "%x = OpFunctionCall %pw %give",
		functions: "%give = OpFunction %pw None %ff\n%g0 = OpLabel\nOpReturnValue %a\nOpFunctionEnd\n", rule: "types", stricter: true},
	{name: "choice of buffers", need: "OpCapability VariablePointersStorageBuffer", modes: twoBuffers, types: twoBufferTypes, code: "%x = OpSelect %ps %true %a %b", rule: "types"},
	{name: "descriptors without length", need: "OpCapability RuntimeDescriptorArray", with: "OpExtension \"SPV_EXT_descriptor_indexing\"", modes: strings.ReplaceAll(anImage, "%i ", "%v ") + "\nOpDecorate %s Block\nOpMemberDecorate %s 0 Offset 0",
		types: "%s = OpTypeStruct %uint\n%rs = OpTypeRuntimeArray %s\n%p = OpTypePointer StorageBuffer %rs\n%v = OpVariable %p StorageBuffer", rule: "runtime-array"},
	{name: "array of cubes", need: "OpCapability ImageCubeArray", modes: anImage, types: strings.Replace(imageTypes, "KIND", "Cube 0 1 0 2 R32f", 1), code: "%l = OpLoad %img %i\nOpImageWrite %l %at3 %vf", rule: "image-storage"},
	{name: "storage of one dimension", need: "OpCapability Image1D", with: "OpCapability Sampled1D", modes: anImage, types: strings.Replace(imageTypes, "KIND", "1D 0 0 0 2 R32f", 1), code: "%l = OpLoad %img %i\nOpImageWrite %l %u0 %vf", rule: "image-storage"},
	{name: "scan of a group", need: "OpCapability GroupNonUniformArithmetic", with: "OpCapability Groups", types: "%u3 = OpConstant %uint 3", code: "%x = OpGroupIAdd %uint %u3 InclusiveScan %u1", rule: "capabilities", env: "spv1.3"},
	{name: "clustered reduction beside a ballot", need: "OpCapability GroupNonUniformClustered", with: "OpCapability Groups\nOpCapability GroupNonUniformArithmetic\nOpExtension \"SPV_AMD_shader_ballot\"", types: "%u3 = OpConstant %uint 3",
		code: "%x = OpGroupNonUniformIAdd %uint %u3 ClusteredReduce %u1 %u4", rule: "capabilities", env: "spv1.3"},
	{name: "a set without semantics", need: "OpExtension \"SPV_KHR_non_semantic_info\"", with: "%set = OpExtInstImport \"NonSemantic.DebugPrintf\"", rule: "extensions"},
	{name: "a constant of OpUConvert", need: "OpExtension \"SPV_AMD_gpu_shader_int16\"", with: "OpCapability Int16", types: "%short = OpTypeInt 16 0\n%s1 = OpConstant %short 1\n%x = OpSpecConstantOp %uint UConvert %s1", rule: "versions"},
	{name: "the built-in Layer", need: "OpCapability Geometry", modes: "OpDecorate %v BuiltIn Layer", types: "%p = OpTypePointer Output %uint\n%v = OpVariable %p Output", rule: "capabilities"},
	{name: "dot product of bytes", need: "OpCapability DotProductInput4x8Bit", with: dots, types: dotTypes, code: "%x = OpUDot %uint %x4 %x4", rule: "dot-product", stricter: true},
	{name: "packed dot product", need: "OpCapability DotProductInput4x8BitPacked", with: dots, types: dotTypes, code: "%x = OpUDot %uint %u1 %u1 PackedVectorFormat4x8Bit", rule: "dot-product", stricter: true},
	{name: "volatile semantics", need: "OpCapability VulkanMemoryModel", with: "OpExtension \"SPV_KHR_vulkan_memory_model\"", types: twoShared + "\n%u2 = OpConstant %uint 2\n%sem = OpConstant %uint 33032", code: "%x = OpAtomicIAdd %uint %a %u2 %sem %u1", model: "Vulkan", rule: "capabilities"},
}

func (c *declaredCase) module(need string) string {
	text := withParts("CAPS", strings.Trim(need+"\n"+c.with, "\n"), "MODES", c.modes, "TYPES", c.types, "CODE", c.code, "FUNCTIONS", c.functions)
	// Extensions stand behind the capabilities, and imports behind them.
	for _, first := range []string{"OpCapability", "OpExtension", "%set = OpExtInstImport"} {
		var front, rest []string
		for _, line := range strings.Split(text, "\n") {
			if strings.HasPrefix(line, first) {
				front = append(front, line)
			} else {
				rest = append(rest, line)
			}
		}
		if first == "OpCapability" {
			text = strings.Join(append(front, rest...), "\n")
			continue
		}
		at := strings.Index(strings.Join(rest, "\n"), "OpMemoryModel")
		all := strings.Join(rest, "\n")
		text = all[:at] + strings.Join(append(front, ""), "\n") + all[at:]
	}
	if c.model != "" {
		text = strings.Replace(text, "Logical GLSL450", "Logical "+c.model, 1)
	}
	version := cmp.Or(c.version, "1.3")
	if version == "1.4" { // the interface names all variables
		text = strings.Replace(text, "%main \"main\"", "%main \"main\" %a %b", 1)
	}
	return "; Version: " + version + "\n" + text
}

// The module's declarations decide which types operands may have: each case passes with its declaration, and is refused
// by name without it.
func TestTypesNeedWhatTheModuleDeclares(t *testing.T) {
	for _, c := range declaredCases {
		if _, err := Check(assemble(t, c.module(c.need))); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if _, err := Check(assemble(t, c.module(""))); firstRule(err) != c.rule {
			t.Errorf("%s without %s: %v, want rule %s", c.name, c.need, err, c.rule)
		}
	}
}

// The public validator, where it is installed, agrees on the cases.
func TestDeclaredCasesAgreeWithSpirvVal(t *testing.T) {
	tool, err := exec.LookPath("spirv-val")
	if err != nil {
		t.Skip("spirv-val is not installed")
	}
	path := filepath.Join(t.TempDir(), "m.spv")
	for _, c := range declaredCases {
		for _, need := range []string{c.need, ""} {
			suite.OK(t, os.WriteFile(path, assemble(t, c.module(need)).Encode(binary.LittleEndian), 0o600))
			env := cmp.Or(c.env, "vulkan1.1")
			if c.version == "1.4" {
				env = "vulkan1.1spv1.4"
			}
			out, err := exec.Command(tool, "--target-env", env, path).CombinedOutput()
			if (err == nil) != (need != "" || c.stricter) {
				t.Errorf("%s with %q: %s", c.name, need, out)
			}
		}
	}
}

// Under the Vulkan memory model, accesses replace decorations, and no operation is SequentiallyConsistent.
func TestVulkanMemoryModelReplacesDecorations(t *testing.T) {
	const vulkan = "OpCapability VulkanMemoryModel\nOpExtension \"SPV_KHR_vulkan_memory_model\""
	for _, c := range []struct{ modes, code string }{
		{"OpDecorate %a Coherent", ""}, {"OpDecorate %a Volatile", ""}, {"OpMemberDecorate %s 0 Coherent", ""}, {"", "OpMemoryBarrier %u1 %order"},
	} {
		text := "; Version: 1.3\n" + withParts("CAPS", vulkan, "MODES", twoBuffers+"\n"+c.modes, "TYPES", twoBufferTypes+"\n%order = OpConstant %uint 272", "CODE", c.code)
		for model, good := range map[string]bool{"GLSL450": true, "Vulkan": false} {
			edited := strings.Replace(text, "Logical GLSL450", "Logical "+model, 1)
			if good {
				edited = strings.Replace(edited, vulkan+"\n", "", 1)
			}
			if c.code != "" {
				edited = strings.Replace(edited, "%u1 %order", "%u4 %order", 1)
			}
			if _, err := Check(assemble(t, edited)); (err == nil) != good {
				t.Errorf("%s%s with %s: %v", c.modes, c.code, model, err)
			}
		}
	}
}

// Untyped pointers point to Workgroup only with explicit layouts; a copy of two accesses is of SPIR-V 1.4; only descriptors are arrays without length.
func TestOtherDeclarations(t *testing.T) {
	for _, c := range []struct{ version, caps, types, vars, code, rule string }{
		{"1.4", "OpCapability UntypedPointersKHR\nOpExtension \"SPV_KHR_untyped_pointers\"", "%p = OpTypeUntypedPointerKHR Workgroup", "", "", "capabilities"},
		{"1.4", "OpCapability UntypedPointersKHR\nOpCapability WorkgroupMemoryExplicitLayoutKHR\nOpExtension \"SPV_KHR_untyped_pointers\"\nOpExtension \"SPV_KHR_workgroup_memory_explicit_layout\"", "%p = OpTypeUntypedPointerKHR Workgroup", "", "", ""},
		{"1.3", "", "%p = OpTypePointer Function %uint", "%x = OpVariable %p Function\n%y = OpVariable %p Function", "OpCopyMemory %x %y Aligned 4 Aligned 4", "versions"},
		{"1.4", "", "%p = OpTypePointer Function %uint", "%x = OpVariable %p Function\n%y = OpVariable %p Function", "OpCopyMemory %x %y Aligned 4 Aligned 4", ""},
		{"1.3", "OpCapability RuntimeDescriptorArray\nOpExtension \"SPV_EXT_descriptor_indexing\"", "%r = OpTypeRuntimeArray %uint\n%p = OpTypePointer Private %r\n%x = OpVariable %p Private", "", "", "runtime-array"},
	} {
		text := "; Version: " + c.version + "\n" + withParts("CAPS", c.caps, "TYPES", c.types, "VARS", c.vars, "CODE", c.code)
		if _, err := Check(assemble(t, text)); firstRule(err) != c.rule {
			t.Errorf("%s %s: %v, want rule %q", c.types, c.code, err, c.rule)
		}
	}
}

// Floats with an encoding of their own need no 16-bit access in Workgroup blocks; half-precision floats do.
func TestWorkgroupBlockOfBFloat16(t *testing.T) {
	for float, rule := range map[string]string{"16 BFloat16KHR": "", "16": "workgroup-16-bit"} {
		text := "; Version: 1.4\n" + withParts("CAPS", "OpCapability StorageBuffer16BitAccess\nOpCapability BFloat16TypeKHR\nOpCapability WorkgroupMemoryExplicitLayoutKHR\n"+
			"OpExtension \"SPV_KHR_bfloat16\"\nOpExtension \"SPV_KHR_workgroup_memory_explicit_layout\"",
			"MODES", "OpDecorate %s Block\nOpMemberDecorate %s 0 Offset 0", "TYPES", "%f = OpTypeFloat "+float+"\n%s = OpTypeStruct %f\n%p = OpTypePointer Workgroup %s\n%w = OpVariable %p Workgroup")
		if _, err := Check(assemble(t, text)); firstRule(err) != rule {
			t.Errorf("%s: %v, want rule %q", float, err, rule)
		}
	}
}

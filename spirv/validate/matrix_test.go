package validate

import (
	"strings"
	"testing"

	"spvsim/internal/suite"
)

// TestMatrixRules breaks the module testdata/rules/matrix.spvasm, which passes.
func TestMatrixRules(t *testing.T) {
	text := ruleText(t, "matrix")
	suite.Must(Check(assemble(t, text)))(t)
	tests := []ruleCase{
		{"capabilities", "OpCapability CooperativeMatrixKHR\nOpCapability BFloat16CooperativeMatrixKHR\n", ""},
		{"capabilities", "OpCapability BFloat16TypeKHR\nOpCapability CooperativeMatrixKHR\nOpCapability BFloat16CooperativeMatrixKHR", "OpCapability CooperativeMatrixKHR"},
		{"types", "%A = OpTypeCooperativeMatrixKHR %half %u3 %u16 %u16 %u0", "%A = OpTypeCooperativeMatrixKHR %bool %u3 %u16 %u16 %u0"},
		{"types", "%A = OpTypeCooperativeMatrixKHR %half %u3 %u16 %u16 %u0", "%A = OpTypeCooperativeMatrixKHR %half %u3 %u16 %u16 %u3"},
		{"types", "%A = OpTypeCooperativeMatrixKHR %half %u3 %u16 %u16 %u0", "%A = OpTypeCooperativeMatrixKHR %half %u1 %u16 %u16 %u0"},
		{"types", "%A = OpTypeCooperativeMatrixKHR %half %u3 %u16 %u16 %u0", "%A = OpTypeCooperativeMatrixKHR %half %u3 %u0 %u16 %u0"},
		{"types", "%A = OpTypeCooperativeMatrixKHR %half %u3 %u16 %u16 %u0", "%A = OpTypeCooperativeMatrixKHR %half %u3 %f1 %u16 %u0"},
		{"types", "%brain = OpTypeFloat 16 BFloat16KHR", "%brain = OpTypeFloat 32 BFloat16KHR"},
		{"types", "%a = OpCooperativeMatrixLoadKHR %A %at %u0 %u16", "%a = OpCooperativeMatrixLoadKHR %A %at %u0"},
		{"types", "%a = OpCooperativeMatrixLoadKHR %A %at %u0 %u16", "%a = OpCooperativeMatrixLoadKHR %A %at %f1 %u16"},
		{"types", "%a = OpCooperativeMatrixLoadKHR %A %at %u0 %u16", "%a = OpCooperativeMatrixLoadKHR %A %at %u0 %f1"},
		{"types", "%a = OpCooperativeMatrixLoadKHR %A %at %u0 %u16", "%a = OpCooperativeMatrixLoadKHR %A %u1 %u0 %u16"},
		{"types", "%a = OpCooperativeMatrixLoadKHR %A %at %u0 %u16", "%a = OpCooperativeMatrixLoadKHR %A %var %u0 %u16"},
		{"types", "%a = OpCooperativeMatrixLoadKHR %A %at %u0 %u16", "%a = OpCooperativeMatrixLoadKHR %A %halves %u0 %u16"},
		{"types", "OpCooperativeMatrixStoreKHR %to %g %u0 %u16", "OpCooperativeMatrixStoreKHR %to %one %u0 %u16"},
		{"types", "OpCooperativeMatrixMulAddKHR %C %a %b %zero", "OpCooperativeMatrixMulAddKHR %C %b %a %zero"},
		{"types", "OpCooperativeMatrixMulAddKHR %C %a %b %zero", "OpCooperativeMatrixMulAddKHR %H %a %b %zero"},
		{"types", "OpCooperativeMatrixMulAddKHR %C %a %b %zero", "OpCooperativeMatrixMulAddKHR %C %a %f1 %zero"},
		{"types", "%B = OpTypeCooperativeMatrixKHR %half %u3 %u16 %u16 %u1", "%B = OpTypeCooperativeMatrixKHR %half %u3 %u8 %u16 %u1"},
		{"types", "%length = OpCooperativeMatrixLengthKHR %uint %C", "%length = OpCooperativeMatrixLengthKHR %uint %float"},
		{"types", "%d = OpFAdd %C %c %zero", "%d = OpFAdd %C %c %f1"},
		{"types", "%d = OpFAdd %C %c %zero", "%d = OpFRem %C %c %zero"},
		{"types", "%narrow = OpFConvert %H %e", "%narrow = OpFConvert %A %e"},
		{"types", "%narrow = OpFConvert %H %e", "%narrow = OpFConvert %half %e"},
		{"types", "%brain_m = OpFConvert %brains %e", "%brain_m = OpFConvert %brains %e\n%bad = OpFNegate %brains %brain_m"},
		{"types", "%brain_m = OpFConvert %brains %e", "%brain_m = OpFConvert %brains %e\n%bad = OpFAdd %brain %b1 %b1"},
		{"types", "%brain_m = OpFConvert %brains %e", "%brain_m = OpFConvert %brains %e\n%bad = OpFOrdEqual %bool %b1 %b1"},
		{"types", "%splat = OpCompositeConstruct %C %f1", "%splat = OpCompositeConstruct %C %f1 %f1"},
		{"types", "%zero = OpConstantComposite %C %f1", "%zero = OpConstantComposite %C %h1"},
		{"types", "%one = OpCompositeExtract %float %e 1", "%one = OpCompositeExtract %half %e 1"},
		{"types", "%p_C = OpTypePointer Function %C", "%p_C = OpTypePointer Function %C\n%p_w = OpTypePointer Workgroup %C\n%shared = OpVariable %p_w Workgroup"},
	}
	for i := range tests {
		tt := &tests[i]
		t.Run(tt.rule+" "+tt.new, func(t *testing.T) {
			_, err := Check(assemble(t, tt.edit(t, text)))
			if got := firstRule(err); got != tt.rule {
				t.Errorf("rule %q, want %q: %v", got, tt.rule, err)
			}
		})
	}
}

// Cooperative matrices are in variables of a lane alone, however deep in a type.
func TestMatricesInMemory(t *testing.T) {
	const caps = "OpCapability CooperativeMatrixKHR\nOpCapability VulkanMemoryModel\nOpExtension \"SPV_KHR_cooperative_matrix\""
	for class, allowed := range map[string]bool{"Private": true, "Function": true, "Workgroup": false} {
		for of, matrix := range map[string]bool{"%m": true, "%list": true, "%first": true, "%last": true, "%nested": true, "%uint": false, "%plain": false} {
			types := "%u3 = OpConstant %uint 3\n%u16 = OpConstant %uint 16\n%m = OpTypeCooperativeMatrixKHR %float %u3 %u16 %u16 %u0\n%list = OpTypeArray %m %u4\n%first = OpTypeStruct %m %uint\n" +
				"%last = OpTypeStruct %uint %float %m\n%plain = OpTypeStruct %uint %float\n%nested = OpTypeStruct %plain %last\n%p = OpTypePointer " + class + " " + of
			variable := "%v = OpVariable %p " + class
			text := withParts("CAPS", caps, "TYPES", types+"\n"+variable)
			if class == "Function" {
				text = withParts("CAPS", caps, "TYPES", types, "VARS", variable)
			}
			text = strings.NewReplacer("Logical GLSL450", "Logical Vulkan", "LocalSize 1 1 1", "LocalSize 32 1 1").Replace(text)
			if _, err := Check(assemble(t, text)); (err == nil) != (allowed || !matrix) {
				t.Errorf("%s in %s: %v, want it accepted: %t", of, class, err, allowed || !matrix)
			}
		}
	}
}

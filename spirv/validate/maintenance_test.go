package validate

import (
	"errors"
	"strings"
	"testing"
)

// Of SPV_EXT_cooperative_matrix_maintenance1, a module that declares all capabilities and uses none is valid, and each instruction is refused by the
// name of its capability.
func TestMatrixMaintenanceIsRefusedByName(t *testing.T) {
	for capability, use := range map[string]string{
		"":                                "",
		"CooperativeMatrixConversionsEXT": "%r = OpCooperativeMatrixConvertUseEXT %b %zero",
		"CooperativeMatrixReductionsEXT":  "%r = OpCooperativeMatrixReduceEXT %a %zero Row %sum",
		"CooperativeMatrixPerElementOperationsEXT": "%r = OpCooperativeMatrixPerElementOpEXT %a %zero %each",
		"CooperativeMatrixGetCoordinateEXT":        "%r = OpCooperativeMatrixGetCoordinateEXT %uint2 %zero %u0",
	} {
		text := `OpCapability Shader
OpCapability VulkanMemoryModel
OpCapability CooperativeMatrixKHR
OpCapability CooperativeMatrixConversionsEXT
OpCapability CooperativeMatrixReductionsEXT
OpCapability CooperativeMatrixPerElementOperationsEXT
OpCapability CooperativeMatrixGetCoordinateEXT
OpExtension "SPV_KHR_cooperative_matrix"
OpExtension "SPV_EXT_cooperative_matrix_maintenance1"
OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 32 1 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%uint2 = OpTypeVector %uint 2
%float = OpTypeFloat 32
%u0 = OpConstant %uint 0
%u1 = OpConstant %uint 1
%u3 = OpConstant %uint 3
%u16 = OpConstant %uint 16
%f1 = OpConstant %float 1
%a = OpTypeCooperativeMatrixKHR %float %u3 %u16 %u16 %u0
%b = OpTypeCooperativeMatrixKHR %float %u3 %u16 %u16 %u1
%zero = OpConstantComposite %a %f1
%fn_sum = OpTypeFunction %float %float %float
%fn_each = OpTypeFunction %float %uint %uint %float
%sum = OpFunction %float None %fn_sum
%x = OpFunctionParameter %float
%y = OpFunctionParameter %float
%sum_body = OpLabel
%xy = OpFAdd %float %x %y
OpReturnValue %xy
OpFunctionEnd
%each = OpFunction %float None %fn_each
%row = OpFunctionParameter %uint
%column = OpFunctionParameter %uint
%z = OpFunctionParameter %float
%each_body = OpLabel
OpReturnValue %z
OpFunctionEnd
%main = OpFunction %void None %fn
%start = OpLabel
` + use + `
OpReturn
OpFunctionEnd
`
		_, err := Check(assemble(t, text))
		switch {
		case use == "" && err != nil:
			t.Error(err)
		case use != "" && (!errors.Is(err, ErrUnsupported) || errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "capability "+capability+" ("+matrices+")")):
			t.Errorf("%s: %v", capability, err)
		}
	}
}

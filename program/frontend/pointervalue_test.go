package frontend

import (
	"errors"
	"strings"
	"testing"

	"spvsim/internal/suite"
	"spvsim/spirv/asm"
	"spvsim/spirv/validate"
)

// A pointer that is a value has its type alone: if only the member of a structure determines the layout of a matrix, it
// is refused by name, not read with its columns next to each other.
func TestPointersToMatricesAsValues(t *testing.T) {
	const module = `; Version: 1.3
OpCapability Shader
OpCapability VariablePointersStorageBuffer
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %s Block
OpMemberDecorate %s 0 Offset 0
OpMemberDecorate %s 0 ORDER
OpMemberDecorate %s 0 MatrixStride 16
OpDecorate %list ArrayStride 64
OpDecorate %a DescriptorSet 0
OpDecorate %a Binding 0
OpDecorate %b DescriptorSet 0
OpDecorate %b Binding 1
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%vector = OpTypeVector %float 3
%matrix = OpTypeMatrix %vector 3
%fn = OpTypeFunction %void
%u0 = OpConstant %uint 0
%u1 = OpConstant %uint 1
%u2 = OpConstant %uint 2
%true = OpConstantTrue %bool
%list = OpTypeArray %matrix %u2
%s = OpTypeStruct %list
%p_s = OpTypePointer StorageBuffer %s
%p_list = OpTypePointer StorageBuffer %list
%p_matrix = OpTypePointer StorageBuffer %matrix
%p_vector = OpTypePointer StorageBuffer %vector
%p_float = OpTypePointer StorageBuffer %float
%a = OpVariable %p_s StorageBuffer
%b = OpVariable %p_s StorageBuffer
%main = OpFunction %void None %fn
%start = OpLabel
%x = OpAccessChain %p_TYPE %a INDEXES
%y = OpAccessChain %p_TYPE %b INDEXES
%p = OpSelect %p_TYPE %true %x %y
%v = OpLoad %TYPE %p
OpReturn
OpFunctionEnd
`
	for _, c := range []struct {
		order, typ, indexes string
		good                bool
	}{
		{"ColMajor", "list", "%u0", false}, {"ColMajor", "matrix", "%u0 %u1", false}, {"RowMajor", "matrix", "%u0 %u1", false}, {"RowMajor", "vector", "%u0 %u1 %u2", false},
		{"ColMajor", "vector", "%u0 %u1 %u2", true}, {"ColMajor", "float", "%u0 %u1 %u2 %u0", true}, {"RowMajor", "float", "%u0 %u1 %u2 %u0", true},
	} {
		raw := suite.Must(asm.Assemble([]byte(strings.NewReplacer("ORDER", c.order, "TYPE", c.typ, "INDEXES", c.indexes).Replace(module)), "m"))(t)
		m, err := validate.Check(raw)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Build(m, Options{WaveSize: 64})
		if (err == nil) != c.good || !c.good && (!errors.Is(err, validate.ErrUnsupported) || !strings.Contains(err.Error(), "a pointer to a matrix")) {
			t.Errorf("%s, %s: %v", c.order, c.typ, err)
		}
	}
}

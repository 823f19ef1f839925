package validate

import (
	"fmt"
	"strings"
	"testing"
)

// wordedFaults are modules that break one sentence each; an empty text passes.
var wordedFaults = []struct {
	parts   []string // as withParts takes them
	version string   // of SPIR-V; empty: the newest
	text    string   // that the fault has
}{
	{[]string{"MODES", "OpExecutionModeId %main LocalSizeId %u1 %u0 %u1"}, "", "a local size of 0"},
	{[]string{"MODES", "OpExecutionModeId %main LocalSizeId %u1 %u4 %u1"}, "", ""},
	{[]string{"TYPES", "%s = OpTypeStruct %uint %void"}, "", "is void: want a type of values"},
	{[]string{"TYPES", "%takes = OpTypeFunction %void %void"}, "", "is void: want a type of values"},
	{[]string{"CODE", "%x = OpIAdd %uint %uint %u1"}, "", "is a type: want a value"},
	{[]string{"TYPES", "%p = OpTypePointer Function %uint", "VARS", "%v = OpVariable %p Function", "CODE", "%x = OpBitcast %uint %v"}, "", "of a pointer to Function: want one to PhysicalStorageBuffer"},
	{[]string{"TYPES", "%p = OpTypePointer Function %uint\n%pp = OpTypeFunction %p %p", "VARS", "%v = OpVariable %p Function", "CODE", "%x = OpFunctionCall %p %f %v",
		"FUNCTIONS", "%f = OpFunction %p None %pp\n%a = OpFunctionParameter %p\n%l = OpLabel\nOpReturnValue %a\nOpFunctionEnd"}, "", "the function returns a pointer to Function"},
	{[]string{"CAPS", "OpCapability Int64", "TYPES", "%list = OpTypeArray %uint %u4\n%p = OpTypePointer Function %list\n%pu = OpTypePointer Function %uint\n%i3 = OpConstant %int -3", "VARS", "%v = OpVariable %p Function", "CODE", "%x = OpAccessChain %pu %v %i3"}, "", "is -3: want none below 0"},
	{[]string{"MODES", "OpDecorate %r ArrayStride 4\nOpDecorate %s Block\nOpMemberDecorate %s 0 Offset 0\nOpMemberDecorate %s 1 Offset 0\nOpDecorate %b DescriptorSet 0\nOpDecorate %b Binding 0",
		"TYPES", "%r = OpTypeRuntimeArray %uint\n%s = OpTypeStruct %r %uint\n%p = OpTypePointer StorageBuffer %s\n%b = OpVariable %p StorageBuffer"}, "1.3", "member 0 is a runtime array, and not the last"},
	{[]string{"MODES", "OpDecorate %g Uniform\n%g = OpDecorationGroup\nOpGroupDecorate %g %g"}, "", "the group is its own target"},
	{[]string{"MODES", "OpDecorate %g Uniform\n%g = OpDecorationGroup\nOpGroupDecorate %g %x", "CODE", "%x = OpIAdd %uint %u1 %u1"}, "", ""},
	{[]string{"MODES", "OpDecorate %g Offset 2\n%g = OpDecorationGroup\nOpGroupMemberDecorate %g %s 0\nOpDecorate %s Block",
		"TYPES", "%s = OpTypeStruct %uint\n%p = OpTypePointer PushConstant %s\n%b = OpVariable %p PushConstant"}, "1.3", "Offset 2: want a multiple of 4"},
	{[]string{"TYPES", "%takes = OpTypeFunction %void %uint", "FUNCTIONS", "%f = OpFunction %void None %takes\n%l = OpLabel\nOpReturn\nOpFunctionEnd"}, "", "0 parameters: the type has 1"},
	{[]string{"TYPES", "%takes = OpTypeFunction %void %uint", "CODE", "%c = OpFunctionCall %void %f %u1", "FUNCTIONS", "%f = OpFunction %void None %takes\n%q = OpFunctionParameter %uint\n%l = OpLabel\nOpReturn\nOpFunctionEnd"}, "", ""},
	{[]string{"CODE", "%c = OpFunctionCall %void %f %u1", "FUNCTIONS", "%f = OpFunction %void None %fn\n%l = OpLabel\nOpReturn\nOpFunctionEnd"}, "", "1 arguments: the function has 0 parameters"},
	{[]string{"FUNCTIONS", "%f = OpFunction %void None %fn\n%l = OpLabel\n%c = OpFunctionCall %void %main\nOpReturn\nOpFunctionEnd"}, "", "calls the entry point"},
	{[]string{"TYPES", "%p = OpTypePointer Function %uint", "CODE", "OpBranch %n\n%n = OpLabel\n%v = OpVariable %p Function"}, "", "the variable is not in the first block of the function"},
	{[]string{"TYPES", "%p = OpTypePointer Private %uint\n%v = OpVariable %p Private %f1"}, "", "is not of the variable's type"},
	{[]string{"TYPES", "%p = OpTypePointer Private %uint\n%v = OpVariable %p Private %u1"}, "", ""},
	{[]string{"CODE", "OpLine %u1 1 1"}, "", "is no OpString"},
	{[]string{"MODES", "OpDecorate %s Offset 0", "TYPES", "%s = OpTypeStruct %uint"}, "", "want a member of a structure"},
	{[]string{"TYPES", "%s = OpTypeStruct %uint\n%c = OpConstantComposite %s %u1", "CODE", "%x = OpSelect %s %true %c %c"}, "1.3", "a composite result needs SPIR-V 1.4"},
	{[]string{"TYPES", "%s = OpTypeVector %uint 2\n%c = OpConstantComposite %s %u1 %u1", "CODE", "%x = OpSelect %s %true %c %c"}, "1.3", "a scalar condition for a vector needs SPIR-V 1.4"},
	{[]string{"TYPES", "%s = OpTypeStruct %uint\n%t = OpTypeVector %uint 2\n%c = OpConstantComposite %s %u1\n%d = OpConstantComposite %t %u1 %u1", "CODE", "%x = OpSelect %s %true %c %c\n%y = OpSelect %t %true %d %d"}, "1.4", ""},
	{[]string{"MODES", "OpDecorateId %u1 UniformId %u1"}, "1.3", "needs SPIR-V 1.4"},
	{[]string{"TYPES", "%x = OpConstantComposite %v %y %y\n%v = OpTypeVector %uint 2\n%y = OpConstant %uint 9"}, "", "before"},
	{[]string{"CODE", "%x = OpIAdd %u1 %u1 %u1"}, "", "is not a type"},
	{[]string{"TYPES", "%x = OpSpecConstantOp %float FAdd %f1 %f1"}, "", "FAdd"},
	{[]string{"CODE", "OpBranch %n\n%n = OpLabel\n%x = OpPhi %uint %y %start", "FUNCTIONS", "%f = OpFunction %void None %fn\n%l = OpLabel\n%y = OpIAdd %uint %u1 %u1\nOpReturn\nOpFunctionEnd"}, "", "is of another function"},
	{[]string{"CAPS", "OpCapability LongVectorEXT\nOpExtension \"SPV_EXT_long_vector\"", "TYPES", "%v = OpTypeVectorIdEXT %uint %n\n%n = OpConstant %uint 5"}, "", "is not defined before"},
	{[]string{"TYPES", "%v = OpTypeArray %uint %n\n%n = OpConstant %uint 5"}, "", "is not defined before"},
	{[]string{"TYPES", "%v = OpTypeArray %uint %u0"}, "", "array length is not between 1 and 2^32-1"},
	{[]string{"TYPES", "%v = OpTypeArray %uint %f1"}, "", "is not an integer constant"},
	{[]string{"CAPS", "OpCapability Int64", "TYPES", "%long = OpTypeInt 64 0\n%n = OpConstant %long 0x100000001\n%v = OpTypeArray %uint %n"}, "", "array length is not between 1 and 2^32-1"},
	{[]string{"CAPS", "OpCapability Int64", "TYPES", "%long = OpTypeInt 64 0\n%n = OpConstant %long 5\n%v = OpTypeArray %uint %n"}, "", ""},
	{[]string{"CAPS", "OpCapability Int64", "TYPES", "%long = OpTypeInt 64 0\n%n = OpConstant %long 5", "CODE", "OpSelectionMerge %m None\nOpSwitch %n %m 0x100000005 %a 6 %b\n%a = OpLabel\nOpBranch %m\n%b = OpLabel\nOpBranch %m\n%m = OpLabel"}, "", ""},
	{[]string{"CAPS", "OpCapability Int64", "TYPES", "%long = OpTypeInt 64 0\n%n = OpConstant %long 5", "CODE", "OpSelectionMerge %m None\nOpSwitch %n %m 5 %a 6 %u1\n%a = OpLabel\nOpBranch %m\n%m = OpLabel"}, "", "is not a block of the function"},
	{[]string{"TYPES", "%s = OpTypeStruct %uint\n%z = OpTypeStruct %uint\n%c = OpConstantComposite %s %u1", "CODE", "%x = OpCopyLogical %z %c"}, "1.3", "OpCopyLogical needs SPIR-V 1.4: the module is of 1.3"},
	{[]string{"TYPES", "%s = OpTypeStruct %uint\n%z = OpTypeStruct %uint\n%c = OpConstantComposite %s %u1", "CODE", "%x = OpCopyLogical %z %c"}, "1.4", ""},
	{[]string{"MODES", "OpDecorate %s BufferBlock", "TYPES", "%s = OpTypeStruct %uint"}, "1.4", "is not in SPIR-V after 1.3: the module is of 1.4"},
	{[]string{"MODES", "OpDecorate %s BufferBlock\nOpMemberDecorate %s 0 Offset 0", "TYPES", "%s = OpTypeStruct %uint"}, "1.3", ""},
	{[]string{"CODE", "OpBranch %n\n%n = OpLabel\n%x = OpPhi %uint %u1 %start %u1 %start"}, "", "2 pairs: 1 blocks branch here"},
	{[]string{"CODE", "OpBranch %n\n%n = OpLabel\n%x = OpPhi %uint %u1 %n"}, "", "is not a block that branches here"},
	{[]string{"CAPS", "OpExtension \"SPV_KHR_non_semantic_info\"\n%set = OpExtInstImport \"NonSemantic.Any\"", "TYPES", "%p = OpTypePointer Function %uint", "VARS", "%v = OpVariable %p Function\n%e = OpExtInst %void %set 1\n%w = OpVariable %p Function"}, "", ""},
	{[]string{"CAPS", "OpExtension \"SPV_KHR_non_semantic_info\"\n%set = OpExtInstImport \"NonSemantic.Any\"", "CODE", "OpBranch %n\n%n = OpLabel\n%e = OpExtInst %void %set 1\n%x = OpPhi %uint %u1 %start"}, "", "OpExtInst"},
}

// Each module breaks its sentence, and no other module does.
func TestFaultsByTheirWords(t *testing.T) {
	for _, c := range wordedFaults {
		text := withParts(c.parts...)
		if c.version != "" {
			text = "; Version: " + c.version + "\n" + text
		}
		_, err := Check(assemble(t, text))
		if (err == nil) != (c.text == "") || err != nil && !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s\n%v, want %q", strings.Join(c.parts, "\n"), err, c.text)
		}
	}
}

// Selections nest as deep as the specification asks for, and no deeper.
func TestNestingOfConstructs(t *testing.T) {
	for _, depth := range []int{1, 5, MaxNesting, MaxNesting + 1} {
		var begin, end strings.Builder
		for i := range depth {
			fmt.Fprintf(&begin, "OpSelectionMerge %%m%d None\nOpBranchConditional %%true %%a%[1]d %%m%[1]d\n%%a%[1]d = OpLabel\n", i)
			fmt.Fprintf(&end, "OpBranch %%m%d\n%%m%[1]d = OpLabel\n", depth-1-i)
		}
		m, err := Check(assemble(t, withParts("CODE", begin.String()+strings.TrimSuffix(end.String(), "\n"))))
		if (err == nil) != (depth <= MaxNesting) {
			t.Errorf("%d selections within each other: %v", depth, err)
		}
		if err != nil {
			continue
		}
		f := m.Function(m.EntryPoints[0].Func)
		if got := m.Deepest(f); got != depth {
			t.Errorf("%d selections within each other nest %d deep", depth, got)
		}
		for i, b := range f.Blocks[:depth] { // each heads a selection
			if got := m.Nesting(f, b.ID); got != i+1 {
				t.Errorf("block %d nests %d deep", i, got)
			}
		}
		if got := m.Nesting(f, f.Blocks[len(f.Blocks)-1].ID); got != 0 {
			t.Errorf("the last block nests %d deep", got)
		}
	}
}

package validate

import (
	"strings"
	"testing"
)

// A variable may hold pointers that a capability makes values, and only where a lane keeps it (section 2.16.1).
func TestVariablesThatHoldPointers(t *testing.T) {
	const text = `; Version: 1.3
OpCapability Shader
CAPABILITY
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%held = OpTypePointer HELD %uint
%holds = OpTypePointer KEPT %held
GLOBAL
%main = OpFunction %void None %fn
%start = OpLabel
LOCAL
OpReturn
OpFunctionEnd
`
	const none, buffers, all = "", "OpCapability VariablePointersStorageBuffer", "OpCapability VariablePointersStorageBuffer\nOpCapability VariablePointers"
	for _, c := range []struct{ capability, held, kept, rule string }{
		{buffers, "StorageBuffer", "Function", ""},
		{buffers, "StorageBuffer", "Private", ""},
		{buffers, "StorageBuffer", "Workgroup", "held-pointers"},
		{buffers, "Workgroup", "Function", "held-pointers"},
		{all, "Workgroup", "Function", ""},
		{all, "Workgroup", "Private", ""},
		{all, "Workgroup", "Workgroup", "held-pointers"},
		{all, "Private", "Function", "held-pointers"},
		{none, "StorageBuffer", "Function", "held-pointers"},
		{none, "Workgroup", "Private", "held-pointers"},
	} {
		places := map[bool]string{}
		places[c.kept == "Function"] = "%v = OpVariable %holds " + c.kept
		module := strings.NewReplacer("CAPABILITY", c.capability, "HELD", c.held, "KEPT", c.kept, "GLOBAL", places[false], "LOCAL", places[true]).Replace(text)
		if _, err := Check(assemble(t, module)); firstRule(err) != c.rule {
			t.Errorf("%s in %s, %q: rule %q, want %q: %v", c.held, c.kept, c.capability, firstRule(err), c.rule, err)
		}
	}
}

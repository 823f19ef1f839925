package validate

import (
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestLanesFromVersion15: a broadcast may choose its lane at run time from
// SPIR-V 1.5 on, the direction of a swap never.
func TestLanesFromVersion15(t *testing.T) {
	text := strings.NewReplacer("; Version: 1.3", "; Version: 1.5", "%old BufferBlock", "%old Block",
		"OpGroupNonUniformBroadcast %uint %u3 %x %u4", "OpGroupNonUniformBroadcast %uint %u3 %x %there0",
		"%one =", "%there0 = OpIAdd %uint %x %u1\n%one =").Replace(ruleText(t, "groups"))
	if _, err := Check(assemble(t, text)); err != nil {
		t.Error(err)
	}
	text = strings.Replace(text, "OpGroupNonUniformQuadSwap %uint %u3 %x %u1", "OpGroupNonUniformQuadSwap %uint %u3 %x %x", 1)
	if _, err := Check(assemble(t, text)); firstRule(err) != "group-lane" {
		t.Errorf("error %v", err)
	}
}

// looser are the rules that the public validator tests in later versions than
// the one that distributions carry, for Vulkan alone, or for some operations.
var looser = set("group-scope", "uniform-scope", "cluster-present", "cluster-type", "cluster-constant", "cluster-power", "partition-ballot",
	"ballot-value", "ballot-count", "group-value", "group-lane", "group-index", "decorate-id-form", "decorate-id-target",
	"decorate-id-operands", "decorate-id-order")

// TestGroupRulesAgreeWithSpirvVal holds the cases of the core rules against the
// public validator, where it is installed: the module passes, and the cases that
// it has a rule for don't.
func TestGroupRulesAgreeWithSpirvVal(t *testing.T) {
	tool, err := exec.LookPath("spirv-val")
	if err != nil {
		t.Skip("spirv-val is not installed")
	}
	path := filepath.Join(t.TempDir(), "m.spv")
	accepts := func(text, env string) (bool, string) {
		if err := os.WriteFile(path, assemble(t, text).Encode(binary.LittleEndian), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(tool, "--target-env", env, path).CombinedOutput()
		return err == nil, string(out)
	}
	text := ruleText(t, "groups")
	if ok, out := accepts(text, "spv1.3"); !ok {
		t.Fatal(out)
	}
	for _, c := range ruleCases["groups"] {
		if ok, _ := accepts(c.edit(t, text), "spv1.4"); ok && !looser[c.rule] {
			t.Errorf("%s, %q: passes there", c.rule, c.new)
		}
	}
}

// TestUntypedPointers: they may be compared with others of their storage class,
// and used by atomics; a distance needs one type.
func TestUntypedPointers(t *testing.T) {
	text := `; Version: 1.4
OpCapability Shader
OpCapability VariablePointers
OpCapability UntypedPointersKHR
OpExtension "SPV_KHR_untyped_pointers"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %typed %any %local
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %typed DescriptorSet 0
OpDecorate %typed Binding 0
OpDecorate %any DescriptorSet 0
OpDecorate %any Binding 1
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%u0 = OpConstant %uint 0
%u1 = OpConstant %uint 1
%block = OpTypeStruct %uint
%p_block = OpTypePointer StorageBuffer %block
%p_uint = OpTypePointer StorageBuffer %uint
%p_any = OpTypeUntypedPointerKHR StorageBuffer
%p_local = OpTypeUntypedPointerKHR Workgroup
%fn = OpTypeFunction %void
%typed = OpVariable %p_block StorageBuffer
%any = OpUntypedVariableKHR %p_any StorageBuffer %block
%local = OpUntypedVariableKHR %p_local Workgroup %uint
%main = OpFunction %void None %fn
%start = OpLabel
%x = OpAccessChain %p_uint %typed %u0
%y = OpUntypedAccessChainKHR %p_any %block %any %u0
%same = OpPtrEqual %bool %x %y
%other = OpPtrNotEqual %bool %y %y
%far = OpPtrDiff %uint %y %y
%old = OpAtomicIAdd %uint %y %u1 %u0 %u1
%now = OpAtomicLoad %uint %y %u1 %u0
OpAtomicStore %y %u1 %u0 %u1
OpReturn
OpFunctionEnd
`
	if _, err := Check(assemble(t, text)); err != nil {
		t.Fatal(err)
	}
	for old, new := range map[string]string{
		"OpPtrEqual %bool %x %y":            "OpPtrEqual %bool %x %local",
		"OpPtrDiff %uint %y %y":             "OpPtrDiff %uint %x %y",
		"OpAtomicIAdd %uint %y %u1 %u0 %u1": "OpAtomicIAdd %uint %u0 %u1 %u0 %u1",
		"OpAtomicStore %y %u1 %u0 %u1":      "OpAtomicStore %same %u1 %u0 %u1",
		"OpPtrNotEqual %bool %y %y":         "OpPtrNotEqual %bool %y %u1",
	} {
		if _, err := Check(assemble(t, strings.Replace(text, old, new, 1))); firstRule(err) != "types" {
			t.Errorf("%s: error %v", new, err)
		}
	}
}

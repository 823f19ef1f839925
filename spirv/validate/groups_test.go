package validate

import (
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"spvsim/internal/suite"
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
	"decorate-id-operands", "decorate-id-order", "alignment", "workgroup-block", "decorations")

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
		suite.OK(t, os.WriteFile(path, assemble(t, text).Encode(binary.LittleEndian), 0o600))
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

// A pointer without a pointee has a storage class with explicit layouts; others are refused by name.
func TestUntypedPointersHaveLayouts(t *testing.T) {
	text := strings.Replace(ruleText(t, "core"), "OpCapability Shader\n", "OpCapability Shader\nOpCapability UntypedPointersKHR\nOpCapability WorkgroupMemoryExplicitLayoutKHR\n", 1)
	text = strings.Replace(text, "%glsl = ", "OpExtension \"SPV_KHR_untyped_pointers\"\nOpExtension \"SPV_KHR_workgroup_memory_explicit_layout\"\n%glsl = ", 1)
	for class, refused := range map[string]bool{"StorageBuffer": false, "Workgroup": false, "Function": true, "Private": true, "Input": true} {
		text := strings.Replace(text, "%void = OpTypeVoid\n", "%void = OpTypeVoid\n%any = OpTypeUntypedPointerKHR "+class+"\n", 1)
		_, err := Check(assemble(t, text))
		if !refused && err != nil || refused && (!errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), "an untyped pointer to "+class)) {
			t.Errorf("%s: error %v", class, err)
		}
	}
}

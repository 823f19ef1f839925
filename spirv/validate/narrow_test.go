package validate

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A narrowPlace is the memory of a variable of narrow types: its storage class, the decoration of its structure, and
// the capabilities that allow 8 and 16 bits there without the full ones of the types (section 3.31, of each
// capability).
type narrowPlace struct {
	class, block string
	eight, wide  []string
	explicit     bool // the module declares explicit layouts of Workgroup
}

var narrowPlaces = []narrowPlace{
	{"StorageBuffer", "Block", []string{"StorageBuffer8BitAccess", "UniformAndStorageBuffer8BitAccess"}, []string{"StorageBuffer16BitAccess", "UniformAndStorageBuffer16BitAccess"}, false},
	{"Uniform", "Block", []string{"UniformAndStorageBuffer8BitAccess"}, []string{"UniformAndStorageBuffer16BitAccess"}, false},
	{"Uniform", "BufferBlock", []string{"StorageBuffer8BitAccess", "UniformAndStorageBuffer8BitAccess"}, []string{"StorageBuffer16BitAccess", "UniformAndStorageBuffer16BitAccess"}, false},
	{"PushConstant", "Block", []string{"StoragePushConstant8"}, []string{"StoragePushConstant16"}, false},
	{"Workgroup", "Block", []string{"WorkgroupMemoryExplicitLayout8BitAccessKHR"}, []string{"WorkgroupMemoryExplicitLayout16BitAccessKHR"}, true},
	{class: "Workgroup", block: "Block"},
	{class: "Workgroup", explicit: true},
	{class: "Workgroup"},
	{class: "Private"},
	{class: "Private", block: "Block"},
	{class: "Function"},
}

// narrowTypes are types with the capability that gives them everywhere.
var narrowTypes = []struct {
	text, full string
	bits       int
}{{"OpTypeInt 8 0", "Int8", 8}, {"OpTypeInt 16 0", "Int16", 16}, {"OpTypeFloat 16", "Float16", 16}}

// module has a variable of a structure of a type at a place, and declares a capability.
func (p *narrowPlace) module(typ, capability string) string {
	version, caps := "; Version: 1.3\n", "OpCapability "+capability+"\nOpExtension \"SPV_KHR_8bit_storage\""
	if p.explicit {
		version, caps = "; Version: 1.4\n", "OpCapability WorkgroupMemoryExplicitLayoutKHR\n"+caps+"\nOpExtension \"SPV_KHR_workgroup_memory_explicit_layout\""
	}
	modes := ""
	if p.block != "" {
		modes = "OpDecorate %s " + p.block + "\nOpMemberDecorate %s 0 Offset 0"
	}
	if p.class == "StorageBuffer" || p.class == "Uniform" {
		modes += "\nOpDecorate %v DescriptorSet 0\nOpDecorate %v Binding 0"
	}
	types, variable := "%n = "+typ+"\n%s = OpTypeStruct %n\n%p = OpTypePointer "+p.class+" %s", "%v = OpVariable %p "+p.class
	if p.class == "Function" {
		return version + withParts("CAPS", caps, "MODES", modes, "TYPES", types, "VARS", variable)
	}
	return version + withParts("CAPS", caps, "MODES", modes, "TYPES", types+"\n"+variable)
}

// Memory may hold narrow types with the capability of the storage class or that of the type, and not otherwise.
func TestNarrowTypesInMemory(t *testing.T) {
	offered := []string{"Shader", "Int8", "Int16", "Float16"}
	for _, p := range narrowPlaces {
		offered = append(append(offered, p.eight...), p.wide...)
	}
	slices.Sort(offered)
	offered = slices.Compact(offered)
	for _, p := range narrowPlaces {
		for _, n := range narrowTypes {
			allowed := append(slices.Clone(map[int][]string{8: p.eight, 16: p.wide}[n.bits]), n.full)
			for _, capability := range offered {
				if !p.explicit && strings.HasPrefix(capability, "Workgroup") {
					continue // of a later version
				}
				_, err := Check(assemble(t, p.module(n.text, capability)))
				if (err == nil) != slices.Contains(allowed, capability) {
					t.Errorf("%s in %s %s with %s: %v; want one of %s", n.text, p.class, p.block, capability, err, allowed)
				}
			}
		}
	}
}

// Operations on narrow types want the full capability of the type: what storage allows may only be loaded, stored, copied and converted.
func TestNarrowOperations(t *testing.T) {
	for _, n := range narrowTypes {
		p := narrowPlaces[0]
		storage := map[int]string{8: p.eight[0], 16: p.wide[0]}[n.bits]
		for operation, arithmetic := range map[string]bool{
			"%a = OpCopyObject %n %x": false, "OpStore %at %x": false, "%a = OpLoad %n2 %at2\nOpStore %at2 %a": false,
			"%a = " + map[string]string{"Int8": "OpUConvert %uint %x", "Int16": "OpSConvert %int %x", "Float16": "OpFConvert %float %x"}[n.full]: false,
			"%a = OpSelect %n %true %x %x": true, "%a = OpUndef %n": true, "%a = OpLoad %s %v": true, "%a = OpCompositeConstruct %n2 %x %x": true,
			"%b = OpLoad %n2 %at2\n%a = OpCompositeExtract %n %b 0": true, "%b = OpLoad %n2 %at2\n%a = OpVectorShuffle %n2 %b %b 0 1": true,
			"%b = OpLoad %n2 %at2\n%a = OpVectorExtractDynamic %n %b %u0": true, "OpBranch %on\n%on = OpLabel\n%a = OpPhi %n %x %start": true,
			"%a = OpFunctionCall %void %take %x": true,
			"%a = " + map[string]string{"Int8": "OpConvertUToF %float %x", "Int16": "OpIEqual %bool %x %x", "Float16": "OpIsNan %bool %x"}[n.full]:                  true,
			"%a = " + map[string]string{"Int8": "OpIAdd", "Int16": "OpIMul", "Float16": "OpFAdd"}[n.full] + " %n %x %x":                                             true,
			"%a = " + map[string]string{"Int8": "OpNot %n %x", "Int16": "OpBitwiseAnd %n %x %x", "Float16": "OpFNegate %n %x"}[n.full]:                              true,
			"%two = OpCompositeConstruct %n2 %x %x\n%a = " + map[string]string{"Int8": "OpIAdd", "Int16": "OpISub", "Float16": "OpFMul"}[n.full] + " %n2 %two %two": true,
		} {
			for _, full := range []bool{false, true} {
				caps := "OpCapability " + storage + "\n"
				if full {
					caps += "OpCapability " + n.full + "\n"
				}
				caps += "OpExtension \"SPV_KHR_8bit_storage\""
				text := "; Version: 1.3\n" + withParts("CAPS", caps, "MODES", "OpDecorate %s Block\nOpMemberDecorate %s 0 Offset 0\nOpMemberDecorate %s 1 Offset 4\nOpDecorate %v DescriptorSet 0\nOpDecorate %v Binding 0",
					"TYPES", "%n = "+n.text+"\n%n2 = OpTypeVector %n 2\n%s = OpTypeStruct %n %n2\n%p = OpTypePointer StorageBuffer %s\n%q = OpTypePointer StorageBuffer %n\n"+
						"%q2 = OpTypePointer StorageBuffer %n2\n%fnn = OpTypeFunction %void %n\n%v = OpVariable %p StorageBuffer",
					"CODE", "%at = OpAccessChain %q %v %u0\n%at2 = OpAccessChain %q2 %v %u1\n%x = OpLoad %n %at\n"+operation,
					"FUNCTIONS", "%take = OpFunction %void None %fnn\n%taken = OpFunctionParameter %n\n%t0 = OpLabel\nOpReturn\nOpFunctionEnd\n")
				_, err := Check(assemble(t, text))
				if want := full || !arithmetic; (err == nil) != want {
					t.Errorf("%s, %s with the full capability %t: %v, want it accepted: %t", n.text, operation, full, err, want)
				}
			}
		}
	}
}

// Vectors of more than four components are in memory of some storage classes, however deep in a type; a pointer to one may be anywhere.
func TestLongVectorsInMemory(t *testing.T) {
	const caps = "OpCapability LongVectorEXT\nOpCapability VariablePointers\nOpExtension \"SPV_EXT_long_vector\""
	for class, allowed := range map[string]bool{"Private": true, "Workgroup": true, "Function": true, "Output": false, "Input": false} {
		for of, long := range map[string]bool{"%five": true, "%list": true, "%first": true, "%last": true, "%nested": true, "%four": false, "%small": false} {
			types := "%u5 = OpConstant %uint 5\n%five = OpTypeVectorIdEXT %float %u5\n%four = OpTypeVector %float 4\n%list = OpTypeArray %five %u4\n%first = OpTypeStruct %five %uint\n" +
				"%last = OpTypeStruct %uint %four %five\n%small = OpTypeStruct %uint %four\n%nested = OpTypeStruct %small %last\n%p = OpTypePointer " + class + " " + of
			variable := "%v = OpVariable %p " + class
			text := withParts("CAPS", caps, "TYPES", types+"\n"+variable)
			if class == "Function" {
				text = withParts("CAPS", caps, "TYPES", types, "VARS", variable)
			}
			if _, err := Check(assemble(t, text)); (err == nil) != (allowed || !long) {
				t.Errorf("%s in %s: %v, want it accepted: %t", of, class, err, allowed || !long)
			}
		}
	}
}

// The contents of a type are examined once, however often they occur in it: structures of two of the preceding one are
// 2^200 scalars.
func TestTypesThatMultiply(t *testing.T) {
	types := "%s0 = OpTypeStruct %uint"
	for i := 1; i <= 200; i++ {
		types += fmt.Sprintf("\n%%s%d = OpTypeStruct %%s%d %%s%[2]d", i, i-1)
	}
	raw := assemble(t, withParts("TYPES", types+"\n%p = OpTypePointer Private %s200\n%v = OpVariable %p Private"))
	if _, err := Check(raw); err != nil && !errors.Is(err, ErrUnsupported) {
		t.Error(err)
	}
}

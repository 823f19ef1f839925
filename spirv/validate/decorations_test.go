package validate

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"spvsim/spirv"
	"spvsim/spirv/grammar"
)

// harmless are the decorations whose repetition is a warning: compilers in use write it.
var harmless = []string{"RelaxedPrecision", "NoContraction", "Restrict", "Coherent", "Flat", "Block", "NoSignedWrap", "NoUnsignedWrap", "PayloadNodeSparseArrayAMDX"}

// expectRepeated tests the result of a repeated decoration: a fault, or a warning where compilers repeat it.
func expectRepeated(t *testing.T, text, line, decoration string) {
	t.Helper()
	m, err := Check(assemble(t, text))
	var found []Fault
	switch warning := slices.Contains(harmless, decoration); {
	case warning && err == nil:
		found = m.Warnings
	case !warning:
		var faults Faults
		errors.As(err, &faults)
		found = faults
	}
	if !slices.ContainsFunc(found, func(f Fault) bool {
		return f.Rule == "decorations" && strings.Contains(f.Error(), " again on ") && strings.Contains(f.Error(), "want it once")
	}) {
		t.Errorf("%s twice: %v", line, err)
	}
}

// Every decoration of the rules' modules is refused when it is repeated, on the target itself or through a group,
// whatever its operands.
func TestDecorationsAreGivenOnce(t *testing.T) {
	seen := map[string]bool{}
	for _, file := range []string{"enqueue", "workgroup", "groups", "quad", "gcn", "ballot", "matrix"} {
		text := ruleText(t, file)
		for _, line := range strings.Split(text, "\n") {
			w := strings.Fields(line)
			if len(w) < 3 || !strings.Contains(w[0], "Decorate") || strings.HasPrefix(w[0], "OpGroup") || w[1] == "%group" {
				continue
			}
			at := map[bool]int{false: 2, true: 3}[strings.HasPrefix(w[0], "OpMember")]
			if key := w[0] + w[at]; !seen[key] {
				seen[key] = true
				expectRepeated(t, strings.Replace(text, line, line+"\n"+line, 1), line, w[at])
				if w[0] == "OpDecorateId" {
					continue // never of a group
				}
				grouped := "OpDecorate %more " + strings.Join(w[at:], " ") + "\n%more = OpDecorationGroup\n"
				if at == 3 {
					grouped += "OpGroupMemberDecorate %more " + w[1] + " " + w[2]
				} else {
					grouped += "OpGroupDecorate %more " + w[1]
				}
				expectRepeated(t, strings.Replace(text, line, line+"\n"+grouped, 1), line, w[at])
			}
		}
	}
	for _, want := range []string{"OpDecorateIdNodeMaxPayloadsAMDX", "OpDecorateIdPayloadNodeNameAMDX", "OpDecorateBinding", "OpMemberDecorateOffset", "OpDecorateBuiltIn", "OpDecorateAliased"} {
		if !seen[want] {
			t.Errorf("no module has %s", want)
		}
	}
}

// Decorations that are strings: a type of the user once, semantics of the user as often as wanted.
func TestRepeatedStringDecorations(t *testing.T) {
	const frame = "OpExtension \"SPV_GOOGLE_user_type\"\nOpExtension \"SPV_GOOGLE_hlsl_functionality1\"\n"
	for line, good := range map[string]bool{
		"OpDecorateString %v UserTypeGOOGLE \"a\"":         false,
		"OpMemberDecorateString %s 0 UserTypeGOOGLE \"a\"": false,
		"OpDecorateString %v UserSemantic \"a\"":           true,
	} {
		text := "; Version: 1.4\n" + withParts("CAPS", frame, "MODES", line+"\n"+line, "TYPES", "%s = OpTypeStruct %uint\n%p = OpTypePointer Private %s\n%v = OpVariable %p Private")
		if _, err := Check(assemble(t, text)); (err == nil) != good || !good && firstRule(err) != "decorations" {
			t.Errorf("%s twice: %v", line, err)
		}
	}
}

// Modes of float controls are given once for each width, and the default of fast math once for each type.
func TestModesOfOneWidthAreGivenOnce(t *testing.T) {
	const caps = "OpCapability Float16\nOpCapability DenormPreserve\nOpExtension \"SPV_KHR_float_controls\""
	for second, good := range map[string]bool{"16": true, "32": false} {
		text := withParts("CAPS", caps, "MODES", "OpExecutionMode %main DenormPreserve 32\nOpExecutionMode %main DenormPreserve "+second)
		if _, err := Check(assemble(t, text)); (err == nil) != good {
			t.Errorf("32 and %s: %v", second, err)
		}
	}
}

// The table of what compilers repeat names decorations without operands only: nothing in them can differ.
func TestRepeatedByCompilersHaveNoOperands(t *testing.T) {
	for d := range repeatedByCompilers {
		if e := grammar.KindDecoration.Lookup(uint32(d)); len(e.Parameters) > 0 || !slices.Contains(harmless, spirv.Decoration(d).String()) {
			t.Errorf("%s", d)
		}
	}
}

// A group's decorations count on their targets: on a wrong target, on a member that does not exist, and for the rules
// of the extension.
func TestGroupsDecorateTheirTargets(t *testing.T) {
	text := ruleText(t, "enqueue")
	for _, c := range []struct{ old, new, rule string }{
		{"OpDecorate %some PayloadNodeSparseArrayAMDX", "OpDecorate %more PayloadNodeSparseArrayAMDX\n%more = OpDecorationGroup\nOpGroupDecorate %more %some", ""},
		{"OpDecorate %some PayloadNodeSparseArrayAMDX", "OpDecorate %more PayloadNodeSparseArrayAMDX\n%more = OpDecorationGroup\nOpGroupDecorate %more %record", "sparse-target"},
		{"OpDecorate %record TrackFinishWritingAMDX", "OpDecorate %more TrackFinishWritingAMDX\n%more = OpDecorationGroup\nOpGroupDecorate %more %record", ""},
		{"OpDecorate %record TrackFinishWritingAMDX", "OpDecorate %more TrackFinishWritingAMDX\n%more = OpDecorationGroup\nOpGroupDecorate %more %out", "finish-target"},
		{"OpMemberDecorate %record 1 PayloadDispatchIndirectAMDX", "OpDecorate %more PayloadDispatchIndirectAMDX\n%more = OpDecorationGroup\nOpGroupMemberDecorate %more %record 1", ""},
		{"OpMemberDecorate %record 1 PayloadDispatchIndirectAMDX", "OpDecorate %more PayloadDispatchIndirectAMDX\n%more = OpDecorationGroup\nOpGroupMemberDecorate %more %record 2", "decorations"},
		{"OpMemberDecorate %record 1 PayloadDispatchIndirectAMDX", "OpDecorate %more PayloadDispatchIndirectAMDX\n%more = OpDecorationGroup\nOpGroupMemberDecorate %more %lane 0", "decorations"},
		{"OpDecorate %lane BuiltIn LocalInvocationIndex", "OpDecorate %more BuiltIn LocalInvocationIndex\n%more = OpDecorationGroup\nOpGroupDecorate %more %lane", ""},
		{"OpDecorate %lane BuiltIn LocalInvocationIndex", "OpDecorate %more BuiltIn LocalInvocationIndex\n%more = OpDecorationGroup\nOpGroupDecorate %more %record", "decorations"},
	} {
		edited := strings.Replace(text, c.old, c.new, 1)
		if edited == text {
			t.Fatalf("%q is not in the module", c.old)
		}
		if _, err := Check(assemble(t, edited)); (err == nil) != (c.rule == "") || c.rule != "" && firstRule(err) != c.rule {
			t.Errorf("%s: %v, want rule %q", c.new, err, c.rule)
		}
	}
}

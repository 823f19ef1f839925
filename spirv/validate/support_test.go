package validate

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"spvsim/internal/suite"
	"spvsim/spirv"
	"spvsim/spirv/grammar"
)

// TestUnsupportedIsNotInvalid: valid modules that rules made for other types would refuse are refused by the names of
// the features that they need.
func TestUnsupportedIsNotInvalid(t *testing.T) {
	shader := func(caps, decls, body string) string {
		return "OpCapability Shader\n" + caps + `
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%u1 = OpConstant %uint 1
%u3 = OpConstant %uint 3
%f1 = OpConstant %float 1
` + decls + `
%main = OpFunction %void None %fn
%start = OpLabel
` + body + `
OpReturn
OpFunctionEnd
`
	}
	tests := []struct {
		name, text string
		want       []string
	}{
		{"matrices", shader("OpCapability CooperativeMatrixNV\nOpExtension \"SPV_NV_cooperative_matrix\"",
			"%m = OpTypeCooperativeMatrixNV %float %u3 %u1 %u1\n%zero = OpConstantComposite %m %f1", "%sum = OpFAdd %m %zero %zero"),
			[]string{"capability CooperativeMatrixNV (" + matrices + ")"}},
		{"float6", shader("OpCapability Float6EXT\nOpCapability Float4EXT\nOpExtension \"SPV_EXT_ocp_microscaling_types\"",
			"%small = OpTypeFloat 6 Float6E2M3EXT\n%tiny = OpTypeFloat 4 Float4E2M1EXT", ""),
			[]string{"capability Float6EXT, capability Float4EXT (" + smallTypes + ")"}},
		{"long vector", shader("OpCapability LongVectorEXT\nOpExtension \"SPV_EXT_long_vector\"",
			"%u5 = OpSpecConstant %uint 5\n%v = OpTypeVectorIdEXT %float %u5", ""), []string{"a number of components", "that a job specializes"}},
		{"several", shader("OpCapability RayQueryKHR\nOpCapability InputAttachment\nOpCapability RayTracingKHR\nOpExtension \"SPV_KHR_ray_query\"\n"+
			"OpExtension \"SPV_KHR_ray_tracing\"\nOpExtension \"SPV_XYZ_unheard_of\"", "%ray = OpTypeAccelerationStructureKHR\n%pass = OpTypeImage %float SubpassData 0 0 0 2 Unknown", ""),
			[]string{"capability RayQueryKHR, capability RayTracingKHR (" + rays + ")", "capability InputAttachment (" + attachments + ")",
				"extension SPV_XYZ_unheard_of (" + unknownExtension.reason + ")"}},
		{"OpenCL", "OpCapability Addresses\nOpCapability Linkage\nOpCapability Kernel\nOpCapability Pipes\nOpMemoryModel Physical64 OpenCL\n%pipe = OpTypePipe ReadOnly\n",
			[]string{"capability Pipes (" + kernelQueues + ")"}},
		{"kernel's capabilities", shader("OpCapability Linkage\nOpCapability Kernel", "", ""), []string{"capability Linkage, capability Kernel (" + kernelsOnly + ")"}},
		{"instruction set", strings.Replace(shader("", "", "%x = OpExtInst %float %ext 1 %f1"), "OpMemoryModel", "%ext = OpExtInstImport \"Some.set\"\nOpMemoryModel", 1),
			[]string{"instruction set \"Some.set\" (" + unknownSet.reason + ")"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Check(assemble(t, tt.text))
			if !errors.Is(err, ErrUnsupported) || errors.Is(err, ErrInvalid) {
				t.Fatalf("error %v, want one of %v alone", err, ErrUnsupported)
			}
			if !strings.HasPrefix(err.Error(), "text:") || strings.ContainsAny(err.Error(), "\n") || strings.Contains(err.Error(), "(rule") {
				t.Errorf("error %q: want one line with a place, and no rule", err)
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q does not name %q", err, want)
				}
			}
		})
	}
}

// TestDeclaredAndUnusedIsNoFault: an extension brings nothing but what its
// capabilities declare, and an instruction set of the specifications that nothing uses nothing at all.
func TestDeclaredAndUnusedIsNoFault(t *testing.T) {
	text := strings.Replace(ruleText(t, "core"), "%glsl = ", "OpExtension \"SPV_KHR_ray_query\"\n%other = OpExtInstImport \"OpenCL.std\"\n%glsl = ", 1)
	if _, err := Check(assemble(t, text)); err != nil {
		t.Error(err)
	}
	if _, err := Check(assemble(t, strings.Replace(text, "OpenCL.std", "FLSL.std.450", 1))); !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), `"FLSL.std.450"`) {
		t.Errorf("a set of no specification: %v", err)
	}
	// Compilers that don't trim declare more than they use.
	text = strings.Replace(text, "OpCapability Int64", "OpCapability Int64\nOpCapability MinLod\nOpCapability FragmentShaderPixelInterlockEXT", 1)
	text = strings.Replace(text, "OpExtension", "OpExtension \"SPV_EXT_fragment_shader_interlock\"\nOpExtension", 1)
	if _, err := Check(assemble(t, text)); err != nil {
		t.Error(err)
	}
	// A capability declares those that it implies; that is no use of them.
	if _, err := Check(assemble(t, strings.Replace(text, "OpCapability Shader\n", "", 1))); err != nil {
		t.Error(err)
	}
	text = strings.Replace(text, "OpStore %p %sum", "OpBeginInvocationInterlockEXT\nOpStore %p %sum", 1)
	if _, err := Check(assemble(t, text)); !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), "FragmentShaderPixelInterlockEXT") || strings.Contains(err.Error(), "MinLod") {
		t.Error(err)
	}
}

// TestEveryCapabilityHasARow: the grammar and the table name the same capabilities, and rows that do not run have a
// reason.
func TestEveryCapabilityHasARow(t *testing.T) {
	listed := 0
	for _, row := range capabilitiesByFeature {
		listed += len(row.capabilities)
	}
	if listed != len(capabilityFeatures) {
		t.Errorf("%d capabilities are listed, %d of them once", listed, len(capabilityFeatures))
	}
	for _, e := range grammar.KindCapability.Info().Enumerants {
		c := spirv.Capability(e.Value)
		f := capabilityFeature(c)
		if _, ok := capabilityFeatures[c]; !ok && f == (feature{}) {
			t.Errorf("%s has no row", e.Name)
		}
		checkFeature(t, e.Name, f)
		for _, more := range e.Capabilities {
			if implied := spirv.Capability(more); f.level < refused && capabilityFeature(implied).level >= refused {
				t.Errorf("%s is not refused, but implies %s, which is", e.Name, implied)
			}
		}
	}
}

func checkFeature(t *testing.T, name string, f feature) {
	if (f.level == runs) != (f.reason == "") {
		t.Errorf("%s: a reason for what runs, or none for what does not: %+v", name, f)
	}
}

// TestEveryExtensionHasARow: an extension without one enables nothing but by
// its capabilities.
func TestEveryExtensionHasARow(t *testing.T) {
	alone := func(what string, caps []uint32, version grammar.Version, exts []string) {
		for _, name := range exts {
			if _, ok := extensionFeatures[name]; !ok && len(caps) == 0 && version == 0 {
				t.Errorf("%s enables %s without a capability, and has no row", name, what)
			}
			if extensionFeature(name) == unknownExtension {
				t.Errorf("%s has neither a row nor capabilities", name)
			}
		}
	}
	for _, op := range grammar.Ops {
		alone(op.Name, op.Capabilities, op.Version, op.Extensions)
	}
	for k := range grammar.Kinds {
		for _, e := range grammar.Kinds[k].Enumerants {
			if grammar.Kind(k) != grammar.KindCapability {
				alone(e.Name, e.Capabilities, e.Version, e.Extensions)
			}
		}
	}
	for name, f := range extensionFeatures {
		checkFeature(t, name, f)
	}
	for _, set := range grammar.Sets {
		if setFeature(set.Name) == unknownSet {
			t.Errorf("the set %s has no row", set.Name)
		}
	}
}

// TestUnsupportedIsDocumented: docs/reference/spirv.md holds the tables.
func TestUnsupportedIsDocumented(t *testing.T) {
	var b strings.Builder
	b.WriteString("### Capabilities\n\nA capability is refused in one of three places:\n\n- **where used**: where something in the module uses it;\n- **where declared**: where it is declared, if a use of it does not show in a module;\n- **when lowered**: when an entry point that reaches it is lowered, so that other entry points of the module may run.\n\n" +
		"| capability, and its extensions | refused | why, or what is refused |\n| --- | --- | --- |\n")
	var rows reasonRows
	for _, e := range grammar.KindCapability.Info().Enumerants {
		c := spirv.Capability(e.Value)
		f := capabilityFeature(c)
		if f.level == refused && !visible(c) {
			f.level = foreign
		}
		if f.level != runs {
			name := e.Name
			if len(e.Extensions) > 0 {
				name += " (" + strings.Join(e.Extensions, ", ") + ")"
			}
			rows.add(name, levelText[f.level]+" | "+f.reason)
		}
	}
	rows.write(&b)
	b.WriteString("\n### Extensions and instruction sets\n\nSupport of an extension that is not listed follows from the capabilities that need it. An extension that the grammar does not name is refused.\n" +
		"Instruction sets whose name begins with \"NonSemantic.\" are ignored, as the specification allows. Other unknown sets are refused where they are used.\n\n" +
		"| extension or set | refused | why, or what is refused |\n| --- | --- | --- |\n")
	rows = reasonRows{}
	featureRows(&rows, extensionFeatures)
	featureRows(&rows, setFeatures)
	rows.write(&b)
	holdSection(t, "validate", b.String())
}

var levelText = map[level]string{whenLowered: "when lowered", refused: "where used", foreign: "where declared"}

// reasonRows collects names by what is said of them, in the order in which they come.
type reasonRows struct {
	order []string
	names map[string][]string
}

func (r *reasonRows) add(name, reason string) {
	if r.names == nil {
		r.names = map[string][]string{}
	}
	if r.names[reason] == nil {
		r.order = append(r.order, reason)
	}
	r.names[reason] = append(r.names[reason], name)
}

// write writes a row of a table for each reason.
func (r *reasonRows) write(b *strings.Builder) {
	for _, reason := range r.order {
		fmt.Fprintf(b, "| %s | %s |\n", strings.Join(slices.Compact(r.names[reason]), ", "), reason)
	}
}

func featureRows(rows *reasonRows, table map[string]feature) {
	var names []string
	for name, f := range table {
		if f.level != runs {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	for _, name := range names {
		rows.add(name, levelText[table[name].level]+" | "+table[name].reason)
	}
}

// holdSection compares a section of docs/reference/spirv.md, which is between
// two marks, with what the tables say; under -update it writes it.
func holdSection(t *testing.T, name, want string) {
	t.Helper()
	path := filepath.Join("..", "..", "docs", "reference", "spirv.md")
	data := suite.Must(os.ReadFile(path))(t)
	start, end := "<!-- "+name+" -->\n", "<!-- end of "+name+" -->\n"
	before, rest, ok1 := strings.Cut(string(data), start)
	got, after, ok2 := strings.Cut(rest, end)
	if !ok1 || !ok2 {
		t.Fatalf("%s has no section %s", path, name)
	}
	if got == want {
		return
	}
	if !*update {
		t.Fatalf("%s is not what the tables say: run with -update", path)
	}
	suite.OK(t, os.WriteFile(path, []byte(before+start+want+end+after), 0o644))
}

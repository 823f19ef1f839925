package validate_test

import (
	"testing"

	"spvsim/internal/suite"
	"spvsim/spirv/asm"
	"spvsim/spirv/validate"
)

const sourceHead = `OpCapability Shader
%dbg = OpExtInstImport "NonSemantic.Shader.DebugInfo.100"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
%a = OpString "a.comp"
%b = OpString "b.comp"
%text = OpString "first of b
second of b"
`

const sourceTypes = `%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%two = OpConstant %uint 2
`

// linesOf returns the source lines of a module that is sourceHead, what declares its sources, its types, and a body.
func linesOf(t *testing.T, sources, debug, body string) map[uint32]validate.SourceLine {
	t.Helper()
	text := sourceHead + sources + sourceTypes + debug +
		"%main = OpFunction %void None %fn\n%l = OpLabel\n" + body + "OpReturn\nOpFunctionEnd\n"
	raw := suite.Must(asm.Assemble([]byte(text), "source.spvasm"))(t)
	m := suite.Must(validate.Check(raw))(t)
	return m.SourceLines()
}

func TestSourceLines(t *testing.T) {
	const source = "OpSource GLSL 450 %a \"one\r\ntwo\nthr\"\nOpSourceContinued \"ee\"\n"
	const debug = "%s = OpExtInst %void %dbg DebugSource %b %text\n"
	for _, tt := range []struct {
		name, sources, debug, body string
		want                       map[uint32]string
	}{
		{"OpSource", source, "", "OpLine %a 2 0\n", map[uint32]string{2: "a.comp: two"}},
		{"continued", source, "", "OpLine %a 3 0\n", map[uint32]string{3: "a.comp: three"}},
		{"past the end", source, "", "OpLine %a 4 0\n", nil},
		{"another file has no text", source, "", "OpLine %b 2 0\n", nil},
		{"DebugSource", "", debug, "%d = OpExtInst %void %dbg DebugLine %s %two %two %two %two\n", map[uint32]string{2: "b.comp: second of b"}},
		{"two files, different lines", source, debug, "OpLine %a 1 0\n%n = OpUndef %uint\nOpLine %b 2 0\n", map[uint32]string{1: "a.comp: one", 2: "b.comp: second of b"}},
		{"two files, one number", source, debug, "OpLine %a 2 0\n%n = OpUndef %uint\nOpLine %b 2 0\n", nil},
		{"no text", "", "", "OpLine %a 2 0\n", nil},
	} {
		got := linesOf(t, tt.sources, tt.debug, tt.body)
		if len(got) != len(tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
		for line, want := range tt.want {
			if l := got[line]; l.File+": "+l.Text != want || l.Line != line {
				t.Errorf("%s: line %d: %+v, want %q", tt.name, line, l, want)
			}
		}
	}
}

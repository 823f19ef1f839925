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
	"spvsim/spirv"
)

// firstRule returns the rule of the first fault, "" if there is none.
func firstRule(err error) string {
	var faults Faults
	var one Fault
	switch {
	case errors.As(err, &faults):
		return faults[0].Rule
	case errors.As(err, &one):
		return one.Rule
	}
	return ""
}

// TestCoreRules breaks the module testdata/rules/core.spvasm, which passes.
func TestCoreRules(t *testing.T) {
	text := ruleText(t, "core")
	suite.Must(Check(assemble(t, text)))(t)
	tests := []ruleCase{
		{"logical layout", "OpMemoryModel Logical GLSL450", ""},
		{"logical layout", "OpName %main \"main\"|%void = OpTypeVoid", "|%void = OpTypeVoid\nOpName %main \"main\""},
		{"capabilities", "OpCapability Int64", ""},
		{"capabilities", "OpCapability GroupNonUniformArithmetic", ""},
		{"capabilities", "OpCapability Int16", ""},
		{"extensions", "OpCapability Shader", "OpCapability Shader\nOpCapability ShaderClockKHR"},
		{"ids", "%sum = OpIAdd %uint %x %u1", "%sum = OpIAdd %uint %late %u1"},
		{"dominance", "%sum = OpIAdd %uint %x %u1", "%sum = OpIAdd %uint %then %u1"},
		{"dominance", "%then %yes", "%sum %yes"},
		{"types", "%sum = OpIAdd %uint %x %u1", "%sum = OpIAdd %uint %x %f1"},
		{"types", "%sum = OpIAdd %uint %x %u1", "%sum = OpFAdd %uint %x %u1"},
		{"types", "%sum = OpIAdd %uint %x %u1", "%sum = OpIAdd %uint %x %l1"},
		{"types", "OpStore %p %sum", "OpStore %p %f1"},
		{"types", "%p = OpAccessChain %p_uint %buffer %u0 %x", "%p = OpAccessChain %p_uint %buffer %u1 %x"},
		{"types", "%p = OpAccessChain %p_uint %buffer %u0 %x", "%p = OpAccessChain %p_uint %buffer %u0"},
		{"types", "%red = OpGroupNonUniformIAdd %uint %u3 Reduce %sum", "%red = OpGroupNonUniformIAdd %uint %sum Reduce %sum"},
		{"types", "%then %yes %x %start", "%then %yes %f1 %start"},
		{"types", "%then %yes %x %start", "%then %yes"},
		{"types", "%y = OpPhi", "%z = OpIAdd %uint %x %x\n%y = OpPhi"},
		{"types", "%int = OpTypeInt 32 1", "%int = OpTypeInt 32 0"},
		{"types", "OpBranchConditional %odd", "OpBranchConditional %x"},
		{"types", "%root = OpExtInst %float %glsl Sqrt %f1", "%root = OpExtInst %float %glsl Sqrt %u1"},
		{"types", "OpControlBarrier %u2 %u2 %u264", "OpControlBarrier %u2 %u2 %u6"},
		{"layout", "OpMemberDecorate %block 1 Offset 4", "OpMemberDecorate %block 1 Offset 6"},
		{"layout", "OpMemberDecorate %block 1 Offset 4", ""},
		{"layout", "OpMemberDecorate %head 1 Offset 4", "OpMemberDecorate %head 1 Offset 0"},
		{"layout", "OpDecorate %array ArrayStride 4", "OpDecorate %array ArrayStride 2"},
		{"control flow", "OpSelectionMerge %merge None", ""},
		{"control flow", "OpSelectionMerge %merge None", "OpSelectionMerge %yes None"},
		{"control flow", "OpLoopMerge %out %cont None", "OpLoopMerge %out %out None"},
		{"control flow", "OpLoopMerge %out %cont None", ""},
		{"control flow", "%cont = OpLabel\nOpBranch %loop", "%cont = OpLabel|OpBranch %body"},
		{"control flow", "%cont = OpLabel\nOpBranch %loop", "%cont = OpLabel|OpReturn"},
		{"control flow", "OpBranch %cont", "OpBranch %merge"},
		{"functions", "%h1 = OpLabel", "%h1 = OpLabel\n%hc = OpFunctionCall %void %helper"},
		{"types", "%call = OpFunctionCall %void %helper", "%call = OpFunctionCall %uint %helper"},
		{"entry points", "OpEntryPoint GLCompute %main \"main\" %buffer %lane", "OpEntryPoint GLCompute %main \"main\" %buffer"},
		{"entry points", "OpExecutionMode %main LocalSize 64 1 1", ""},
		{"execution modes", "OpExecutionMode %main LocalSize 64 1 1", "OpExecutionMode %main LocalSize 64 1 1\nOpExecutionMode %main OriginUpperLeft"},
		{"decorations", "OpDecorate %block Block", "OpDecorate %uint Block"},
	}
	for i := range tests {
		tt := &tests[i]
		t.Run(tt.rule+" "+strings.SplitN(tt.new, "\n", 2)[0], func(t *testing.T) {
			_, err := Check(assemble(t, tt.edit(t, text)))
			if got := firstRule(err); got != tt.rule {
				t.Errorf("rule %q, want %q: %v", got, tt.rule, err)
			}
			if !errors.Is(err, ErrInvalid) && !errors.Is(err, ErrUnsupported) {
				t.Errorf("%v is neither invalid nor unsupported", err)
			}
		})
	}
}

// TestFourErrors: what breaks a module differs, and each error is one line.
func TestFourErrors(t *testing.T) {
	text := ruleText(t, "core")
	words := assemble(t, text).Words()
	unknown := append(append([]uint32(nil), words...), 1<<16|9999)
	noCapability := strings.Replace(text, "OpCapability Int64\n", "", 1)
	noID := assemble(t, text)
	noID.Bound++
	for i := range noID.Instructions {
		if in := &noID.Instructions[i]; in.Op == spirv.OpIAdd {
			in.Operands[0] = noID.Bound - 1
		}
	}
	tests := []struct {
		name  string
		words []uint32
		cut   int
		is    error
		text  string
	}{
		{"opcode", unknown, 0, spirv.ErrMalformed, "unknown opcode 9999"},
		{"truncated", words, 2, spirv.ErrMalformed, "cut off"},
		{"capability", assemble(t, noCapability).Words(), 0, ErrInvalid, "Int64"},
		{"undefined", noID.Words(), 0, ErrInvalid, "not defined"},
	}
	for _, tt := range tests {
		var data []byte
		for _, w := range tt.words {
			data = binary.LittleEndian.AppendUint32(data, w)
		}
		raw, err := spirv.Decode(data[:len(data)-tt.cut])
		if err == nil {
			_, err = Check(raw)
		}
		if !errors.Is(err, tt.is) || !strings.Contains(err.Error(), tt.text) || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), "word ") {
			t.Errorf("%s: error %q", tt.name, err)
		}
	}
}

// TestFaultsAreBounded: a module full of faults reports MaxFaults of them.
func TestFaultsAreBounded(t *testing.T) {
	text := strings.Replace(ruleText(t, "core"), "OpStore %p %sum", strings.Repeat("OpStore %p %f1\n", 3*MaxFaults), 1)
	_, err := Check(assemble(t, text))
	if n := strings.Count(err.Error(), "\n") + 1; n != MaxFaults {
		t.Errorf("%d lines, want %d", n, MaxFaults)
	}
}

// stricter are the faults that the public validator does not report.
var stricter = []string{"has no local size", "has no ArrayStride"}

// TestAgreesWithSpirvVal breaks each line of core.spvasm in several ways, and
// compares with the public validator, where it is installed.
func TestAgreesWithSpirvVal(t *testing.T) {
	tool, err := exec.LookPath("spirv-val")
	if err != nil {
		t.Skip("spirv-val is not installed")
	}
	lines := strings.Split(ruleText(t, "core"), "\n")
	dir := t.TempDir()
	missed := 0
	for i := range lines {
		text := strings.Join(append(append([]string{}, lines[:i]...), lines[i+1:]...), "\n")
		raw, ok := assembles(text)
		if !ok {
			continue
		}
		path := filepath.Join(dir, "m.spv")
		suite.OK(t, os.WriteFile(path, raw.Encode(binary.LittleEndian), 0o600))
		out, theirs := exec.Command(tool, "--target-env", "vulkan1.3", path).CombinedOutput()
		_, ours := Check(raw)
		if theirs == nil && ours != nil && !isStricter(ours) {
			t.Errorf("without line %d, %q: false alarm: %v", i+1, lines[i], ours)
		}
		if theirs != nil && ours == nil {
			missed++
			t.Logf("without line %d, %q: passes here, there: %s", i+1, lines[i], out)
		}
	}
	if missed > 0 {
		t.Errorf("%d modules pass that the public validator refuses", missed)
	}
}

func isStricter(err error) bool {
	for _, s := range stricter {
		if strings.Contains(err.Error(), s) {
			return true
		}
	}
	return false
}

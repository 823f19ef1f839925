package validate

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"spvsim/internal/suite"
)

// graphOf returns the nodes of the module testdata/rules/enqueue.spvasm after
// edits, "take" and "peer" under the names that the module gives them.
func graphOf(t *testing.T, edits ...string) []GraphNode {
	t.Helper()
	text := ruleText(t, "enqueue")
	for i := 0; i+1 < len(edits); i += 2 {
		if !strings.Contains(text, edits[i]) {
			t.Fatalf("%q is not in the module", edits[i])
		}
		text = strings.Replace(text, edits[i], strings.ReplaceAll(edits[i+1], "|", "\n"), 1)
	}
	m := suite.Must(Check(assemble(t, text)))(t)
	var nodes []GraphNode
	for i := range m.EntryPoints {
		nodes = append(nodes, GraphNode{Name: m.EntryPoints[i].Name, Module: m, Entry: &m.EntryPoints[i]})
	}
	return nodes
}

var statementNumber = regexp.MustCompile(`^VUID-VkExecutionGraphPipelineCreateInfoAMDX-[A-Za-z]+-(0913[4-9]|10184)$`)

// A fault against a statement of Vulkan cites its number.
func TestGraphRulesCiteVulkan(t *testing.T) {
	nodes := graphOf(t)
	nodes[2].Name, nodes[2].Index = "take", 1
	err := CheckGraph(nodes)
	for _, want := range []string{"VUID-VkExecutionGraphPipelineCreateInfoAMDX-CoalescedInputCountAMDX-09137", "VUID-VkExecutionGraphPipelineCreateInfoAMDX-StaticNumWorkgroupsAMDX-09138"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: no %s", err, want)
		}
	}
}

func TestGraphRules(t *testing.T) {
	suite.OK(t, CheckGraph(graphOf(t)))
	// A structure for the input of "take" that is not that of the payloads.
	other := []string{"%record = OpTypeStruct %uint %uint", "%record = OpTypeStruct %uint %uint|%other = OpTypeStruct %uint %uint %uint",
		"%p_record = OpTypePointer NodePayloadAMDX %record", "%p_record = OpTypePointer NodePayloadAMDX %other",
		"OpDecorate %record TrackFinishWritingAMDX", "OpDecorate %record TrackFinishWritingAMDX|OpDecorate %other TrackFinishWritingAMDX|" +
			"OpMemberDecorate %other 0 Offset 0|OpMemberDecorate %other 1 Offset 4|OpMemberDecorate %other 2 Offset 8"}
	// A second node of the name with a larger payload.
	widePeer := []string{"%p_record = OpTypePointer NodePayloadAMDX %record", "%p_record = OpTypePointer NodePayloadAMDX %record|%p_other = OpTypePointer NodePayloadAMDX %other",
		other[0], other[1], other[4], other[5], "OpEntryPoint GLCompute %peer \"peer\" %input", "OpEntryPoint GLCompute %peer \"peer\" %wide",
		"%input = OpVariable %p_record NodePayloadAMDX", "%input = OpVariable %p_record NodePayloadAMDX|%wide = OpVariable %p_other NodePayloadAMDX",
		"%p0 = OpLabel", "%p0 = OpLabel|%w = OpLoad %other %wide", "OpExecutionModeId %peer SharesInputWithAMDX %name %u0", ""}
	noTrack := append([]string{"%last = OpFinishWritingNodePayloadAMDX %bool %input", "%last = OpLoad %other %input"}, other...)
	noTrack[len(noTrack)-1] = strings.Replace(noTrack[len(noTrack)-1], "OpDecorate %other TrackFinishWritingAMDX|", "", 1)
	self := []string{"OpConstantStringAMDX \"take\"", "OpConstantStringAMDX \"send\"", "OpExecutionModeId %send MaxNodeRecursionAMDX %u4", "",
		"OpExecutionModeId %peer SharesInputWithAMDX %name %u0", ""}
	tests := []struct {
		rule  string
		edits []string
		nodes func(n []GraphNode) []GraphNode
	}{
		{"graph-unique", nil, func(n []GraphNode) []GraphNode { return append(n, n[1]) }},
		{"graph-size", widePeer, func(n []GraphNode) []GraphNode { n[3].Name, n[3].Index = "take", 1; return n }},
		{"graph-model", []string{"OpCapability ShaderEnqueueAMDX", "OpCapability ShaderEnqueueAMDX|OpCapability MeshShadingEXT|OpExtension \"SPV_EXT_mesh_shader\"",
			"OpEntryPoint GLCompute %peer", "OpEntryPoint MeshEXT %peer", "OpExecutionMode %peer LocalSize 1 1 1", "OpExecutionMode %peer LocalSize 1 1 1|" +
				"OpExecutionMode %peer OutputVertices 3|OpExecutionMode %peer OutputPrimitivesEXT 1|OpExecutionMode %peer OutputTrianglesEXT"},
			func(n []GraphNode) []GraphNode { n[3].Name, n[3].Index = "take", 1; return n }},
		{"graph-coalescing", nil, func(n []GraphNode) []GraphNode { n[2].Name, n[2].Index = "take", 1; return n }},
		{"graph-static", nil, func(n []GraphNode) []GraphNode { n[2].Name, n[2].Index = "take", 1; return n }},
		{"graph-target", nil, func(n []GraphNode) []GraphNode { n[1].Index = 3; return n }},
		{"graph-target", []string{"%out PayloadNodeArraySizeAMDX %u1", "%out PayloadNodeArraySizeAMDX %u2"}, nil},
		{"graph-target", []string{"%out PayloadNodeArraySizeAMDX %u1", "%out PayloadNodeArraySizeAMDX %u2", "%out PayloadNodeBaseIndexAMDX %u0", "%out PayloadNodeBaseIndexAMDX %u1"},
			func(n []GraphNode) []GraphNode { n[1].Index = 1; return n }},
		{"graph-finish", noTrack, nil},
		{"graph-payload", other, nil},
		{"graph-shares", []string{"SharesInputWithAMDX %name %u0", "SharesInputWithAMDX %name %u5"}, nil},
		{"graph-cycle", self, nil},
	}
	for _, tt := range tests {
		t.Run(tt.rule, func(t *testing.T) {
			nodes := graphOf(t, tt.edits...)
			if tt.nodes != nil {
				nodes = tt.nodes(nodes)
			}
			err := CheckGraph(nodes)
			if err == nil || !strings.Contains(err.Error(), "(rule "+tt.rule+")") || !errors.Is(err, ErrInvalid) {
				t.Errorf("want a fault of rule %s: %v", tt.rule, err)
			}
		})
	}
	for _, r := range graphRules {
		if v := statement(r.sentence); v != "" && !statementNumber.MatchString(v) || strings.Contains(r.sentence, "VUID") != (v != "") {
			t.Errorf("rule %s: statement %q", r.name, v)
		}
		found := false
		for _, tt := range tests {
			found = found || tt.rule == r.name
		}
		if !found {
			t.Errorf("rule %s has no test", r.name)
		}
	}
}

// TestUniformFlowIsAccepted: what all invocations of a workgroup agree on does
// not make control flow divergent.
func TestUniformFlowIsAccepted(t *testing.T) {
	tests := map[string][]string{
		"one invocation":     {"LocalSize 8 1 1", "LocalSize 1 1 1", "OpBranchConditional %same", "OpBranchConditional %first"},
		"after the branch":   {"OpBranchConditional %same", "OpBranchConditional %first", "OpEnqueueNodePayloadsAMDX %a", "OpNop", "%a = OpAllocateNodePayloadsAMDX %p_out %u2 %u4 %u0|%e = OpAccessChain %p_uint %a %u0 %u0|OpStore %e %u5", "OpNop"},
		"per-lane count":     {"%p_out %u2 %u4 %u0", "%p_out %u4 %li %u0"},
		"value in a payload": {"OpStore %e %u5", "OpStore %e %li"},
	}
	for name, edits := range tests {
		text := ruleText(t, "enqueue")
		for i := 0; i < len(edits); i += 2 {
			text = strings.Replace(text, strings.ReplaceAll(edits[i], "|", "\n"), edits[i+1], 1)
		}
		if _, err := Check(assemble(t, text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func BenchmarkCheck(b *testing.B) {
	text := ruleFile(b, "core")
	body := "%sum = OpIAdd %uint %x %u1\n"
	var more strings.Builder
	more.WriteString(body)
	for i := range 5000 {
		more.WriteString(strings.ReplaceAll("%v# = OpIMul %uint %sum %u3\n", "#", string(rune('a'+i%26))+strings.Repeat("x", i/26)))
	}
	raw, ok := assembles(strings.Replace(text, body, more.String(), 1))
	if !ok {
		b.Fatal("the text does not assemble")
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Check(raw); err != nil {
			b.Fatal(err)
		}
	}
}

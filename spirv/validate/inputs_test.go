package validate

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"spvsim/internal/suite"
)

// An inputCase is a module of entry points and payload variables, in short: an
// entry point is name:launch, with :used-variable where its code uses one,
// :=node where it shares the input of one; a variable is name:structure. All
// entry points list all variables. sent are the payloads that code may
// allocate, node:structure.
type inputCase struct {
	entries, vars, sent string
	given               string // entry=input, as in jobs
	want                string // entry=variable
	wrong               string // the error of the entry point with ?
}

// Structures: g and k have the size of h, which has finish tracking; w is larger.
var inputCases = map[string]inputCase{
	"used":                  {entries: "a:static:v b:static:u", vars: "u:g v:g", want: "a=v b=u"},
	"the only lister":       {entries: "a:static", vars: "u:g", want: "a=u"},
	"the only target":       {entries: "a:coalescing b:dynamic", vars: "u:g", sent: "b:g", want: "a= b=u"},
	"who needs one":         {entries: "a:coalescing b:dynamic", vars: "u:g", want: "a= b=u"},
	"who shares":            {entries: "a:coalescing b:static:u c:static:=b", vars: "u:g v:g", sent: "b:g", want: "a= b=u c=v"},
	"by the size":           {entries: "a:static b:static", vars: "u:g v:w", sent: "a:w b:g", want: "a=v b=u"},
	"by finish tracking":    {entries: "a:static b:static", vars: "u:g v:h", sent: "a:h b:g", want: "a=v b=u"},
	"by the very type":      {entries: "a:static b:static", vars: "u:g v:k", sent: "a:k b:g", want: "a=v b=u"},
	"in order":              {entries: "e:coalescing a:dynamic b:dynamic", vars: "u:g v:g", sent: "a:g", want: "e= a=u b=v"},
	"before and after":      {entries: "a:static b:static:u c:static", vars: "u:g v:g", want: "a= b=u c=v"},
	"named by the job":      {entries: "a:static b:static", vars: "u:g", given: "a=u", want: "a=u b="},
	"none says the job":     {entries: "a:static b:static", vars: "u:g", given: "b=none", want: "a=u b="},
	"three counts":          {entries: "a:static:u b:dynamic", vars: "u:g", given: "b=none", want: "a=u b="},
	"either":                {entries: "a:static b:static", vars: "u:g", want: "a=? b=?", wrong: "it may be any of"},
	"counts or another's":   {entries: "a:static:u b:dynamic", vars: "u:g", want: "a=u b=?", wrong: "uses none of the payloads that it lists"},
	"out of order":          {entries: "a:static:v b:static c:static:u d:static", vars: "u:g v:g x:g", want: "a=v b=? c=u d=?", wrong: "it may be any of"},
	"no such variable":      {entries: "a:static", vars: "u:g", given: "a=z", want: "a=?", wrong: "no variable in NodePayloadAMDX has that name or id: there are"},
	"another one is used":   {entries: "a:static:u b:static", vars: "u:g v:g", given: "a=v", want: "a=? b=v", wrong: "its code uses"},
	"none, and one is used": {entries: "a:static:u", vars: "u:g", given: "a=none", want: "a=?", wrong: "its code uses"},
}

// module writes the case out.
func (c inputCase) module() string {
	var head, modes, names, decorations, constants, types, code strings.Builder
	fields := func(s string) [][]string {
		var list [][]string
		for _, f := range strings.Fields(s) {
			list = append(list, strings.Split(f, ":"))
		}
		return list
	}
	launch := map[string]string{"static": "OpExecutionModeId %%%s StaticNumWorkgroupsAMDX %%u1 %%u1 %%u1\n", "dynamic": "OpExecutionModeId %%%s MaxNumWorkgroupsAMDX %%u1 %%u1 %%u1\n",
		"coalescing": "OpExecutionMode %%%s CoalescingAMDX\n"}
	var listed string
	for _, v := range fields(c.vars) {
		listed += " %" + v[0]
		fmt.Fprintf(&names, "OpName %%%s \"%s\"\n", v[0], v[0])
		fmt.Fprintf(&decorations, "OpDecorateId %%arr_%s NodeMaxPayloadsAMDX %%u1\n", v[0])
		fmt.Fprintf(&types, "%%arr_%s = OpTypeNodePayloadArrayAMDX %%%s\n%%p_%s = OpTypePointer NodePayloadAMDX %%arr_%s\n%%%s = OpVariable %%p_%s NodePayloadAMDX\n", v[0], v[1], v[0], v[0], v[0], v[0])
	}
	for _, s := range fields(c.sent) {
		fmt.Fprintf(&decorations, "OpDecorateId %%to_%s NodeMaxPayloadsAMDX %%u1\nOpDecorateId %%to_%s PayloadNodeNameAMDX %%name_%s\n", s[0], s[0], s[0])
		fmt.Fprintf(&constants, "%%name_%s = OpConstantStringAMDX \"%s\"\n", s[0], s[0])
		fmt.Fprintf(&types, "%%to_%s = OpTypeNodePayloadArrayAMDX %%%s\n", s[0], s[1])
	}
	for _, e := range fields(c.entries) {
		fmt.Fprintf(&head, "OpEntryPoint GLCompute %%%s \"%s\"%s\n", e[0], e[0], listed)
		fmt.Fprintf(&modes, "OpExecutionMode %%%s LocalSize 1 1 1\n"+launch[e[1]], e[0], e[0])
		fmt.Fprintf(&code, "%%%s = OpFunction %%void None %%fn\n%%l_%s = OpLabel\n", e[0], e[0])
		if base, shares := strings.CutPrefix(e[len(e)-1], "="); shares {
			fmt.Fprintf(&modes, "OpExecutionModeId %%%s SharesInputWithAMDX %%name_%s %%u0\n", e[0], base)
		} else if len(e) > 2 {
			fmt.Fprintf(&code, "%%n_%s = OpNodePayloadArrayLengthAMDX %%uint %%%s\n", e[0], e[2])
		}
		code.WriteString("OpReturn\nOpFunctionEnd\n")
	}
	return "OpCapability Shader\nOpCapability ShaderEnqueueAMDX\nOpExtension \"SPV_AMDX_shader_enqueue\"\nOpMemoryModel Logical GLSL450\n" +
		head.String() + modes.String() + names.String() + "OpDecorate %h TrackFinishWritingAMDX\nOpMemberDecorate %g 0 Offset 0\n" +
		"OpMemberDecorate %h 0 Offset 0\nOpMemberDecorate %k 0 Offset 0\nOpMemberDecorate %w 0 Offset 0\nOpMemberDecorate %w 1 Offset 4\n" + decorations.String() +
		"%void = OpTypeVoid\n%uint = OpTypeInt 32 0\n%fn = OpTypeFunction %void\n%u0 = OpConstant %uint 0\n%u1 = OpConstant %uint 1\n" + constants.String() +
		"%g = OpTypeStruct %uint\n%h = OpTypeStruct %uint\n%k = OpTypeStruct %uint\n%w = OpTypeStruct %uint %uint\n" + types.String() + code.String()
}

// Inputs that no code touches are found by elimination, then by order, and
// refused by name where more than one could be.
func TestInputs(t *testing.T) {
	for name, c := range inputCases {
		t.Run(name, func(t *testing.T) {
			m, err := Check(assemble(t, c.module()))
			if err != nil {
				t.Fatalf("%v\n%s", err, c.module())
			}
			var nodes []GraphNode
			for _, g := range strings.Fields(c.given) {
				entry, input, _ := strings.Cut(g, "=")
				nodes = append(nodes, GraphNode{Name: entry, Module: m, Entry: m.EntryPoint(entry), Input: input})
			}
			var got []string
			for i, in := range m.Inputs(nodes) {
				text := m.EntryPoints[i].Name + "="
				switch {
				case in.Err != nil:
					text += "?"
					if c.wrong == "" || !strings.Contains(in.Err.Error(), c.wrong) || !strings.Contains(in.Err.Error(), m.EntryPoints[i].Name) && !errors.Is(in.Err, ErrInvalid) {
						t.Errorf("error %v, want %q", in.Err, c.wrong)
					}
				case in.Variable != 0:
					text += m.Name(in.Variable)
				}
				got = append(got, text)
			}
			if s := strings.Join(got, " "); s != c.want {
				t.Errorf("inputs %s, want %s", s, c.want)
			}
		})
	}
}

// The names that a job gives to nodes and strings determine the payloads that each is sent.
func TestInputsFollowTheNamesOfTheGraph(t *testing.T) {
	c := inputCase{entries: "a:static b:static", vars: "u:g", sent: "x:g"}
	m := suite.Must(Check(assemble(t, c.module())))(t)
	nodes := []GraphNode{{Name: "a", Module: m, Entry: m.EntryPoint("a")}, {Name: "x", Module: m, Entry: m.EntryPoint("b")}}
	got := m.Inputs(nodes)
	if got[0].Variable != 0 || got[0].Err != nil || m.Name(got[1].Variable) != "u" {
		t.Errorf("inputs %v: want that of b, which is node x", got)
	}
}

// A variable is named by its id too, where names are given twice.
func TestInputByID(t *testing.T) {
	c := inputCase{entries: "a:static b:static", vars: "u:g v:g"}
	m := suite.Must(Check(assemble(t, strings.Replace(c.module(), `OpName %v "v"`, `OpName %v "u"`, 1))))(t)
	second := m.EntryPoints[0].Interface[1]
	node := GraphNode{Name: "a", Module: m, Entry: m.EntryPoint("a"), Input: fmt.Sprint("%", second)}
	if got := m.Inputs([]GraphNode{node}); got[0].Variable != second || got[1].Variable != m.EntryPoints[0].Interface[0] {
		t.Errorf("inputs %v: want %%%d for a", got, second)
	}
	node.Input = "u"
	if got := m.Inputs([]GraphNode{node}); got[0].Err == nil || !strings.Contains(got[0].Err.Error(), "the name of several variables") {
		t.Errorf("input by a name given twice: %v", got[0].Err)
	}
}

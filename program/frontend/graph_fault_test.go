package frontend

import (
	"errors"
	"os"
	"strings"
	"testing"

	"spvsim/internal/oracle"
	"spvsim/internal/suite"
	"spvsim/spirv/validate"
)

// edit replaces text in a graph module, which must hold it.
func edit(t *testing.T, module string, pairs ...string) string {
	t.Helper()
	src := suite.Must(os.ReadFile("testdata/graph/" + module + ".spvasm"))(t)
	text := string(src)
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			t.Fatalf("%s has no %q", module, pairs[i])
		}
		text = strings.ReplaceAll(text, pairs[i], pairs[i+1])
	}
	return text
}

// runText interprets the nodes of a module under the names of their entry
// points.
func runText(t *testing.T, src string, places []place, records []oracle.Record) error {
	t.Helper()
	m, err := validate.Check(rawModule(t, src))
	if err != nil {
		return err
	}
	g := oracle.Graph{WaveSize: 32, MaxWorkgroups: 1000}
	for _, n := range places {
		f := node(t, m, Options{Entry: n.entry})
		p := oracle.NodeProgram{Name: n.name, Index: n.index, Func: f}
		for range f.Bindings {
			p.Descriptors = append(p.Descriptors, oracle.Descriptor{Data: make([]byte, 512)})
		}
		g.Nodes = append(g.Nodes, p)
	}
	_, err = oracle.RunGraph(g, records)
	return err
}

// beforeRun lists the faults that validation may find before anything runs.
var beforeRun = map[string]bool{"count differs": true, "index differs": true, "missing node": true,
	"divergent allocation": true, "divergent enqueue": true}

// Each rule of use that the specification leaves to run time is an error that
// names the node, and what went wrong.
func TestGraphFaults(t *testing.T) {
	const alloc = "%out = OpAllocateNodePayloadsAMDX %p_payloads %u2 %u4 %u0"
	minimal := []place{{"split", "split", 0}, {"square", "square", 0}}
	halve := []place{{"halve", "halve", 3}, {"sum", "sum", 0}, {"watch", "watch", 0}}
	for _, c := range []struct {
		name, module string
		edits        []string
		nodes        []place
		record       oracle.Record
		want         string
	}{
		{"more than the maximum", "minimal", []string{alloc, alloc + " %more = OpAllocateNodePayloadsAMDX %p_payloads %u2 %u1 %u0"}, minimal,
			oracle.Record{Node: "split", Count: 1}, `5 payloads for "square", at most 4 are declared`},
		{"count too large", "minimal", []string{alloc, "%e = OpIAdd %uint %u4 %u1 %out = OpAllocateNodePayloadsAMDX %p_payloads %u2 %e %u0"}, minimal,
			oracle.Record{Node: "split", Count: 1}, `5 payloads for "square", at most 4 are declared`},
		{"count differs", "minimal", []string{alloc, "%out = OpAllocateNodePayloadsAMDX %p_payloads %u2 %i %u0"}, minimal,
			oracle.Record{Node: "split", Count: 1}, "the payload count differs among the invocations"},
		{"index differs", "minimal", []string{alloc, "%out = OpAllocateNodePayloadsAMDX %p_payloads %u2 %u4 %i"}, minimal,
			oracle.Record{Node: "split", Count: 1}, "the node index differs among the invocations"},
		{"missing node", "minimal", []string{alloc, "%out = OpAllocateNodePayloadsAMDX %p_payloads %u2 %u4 %u2"}, minimal,
			oracle.Record{Node: "split", Count: 1}, `no node "square" index 2`},
		{"divergent allocation", "minimal", []string{alloc, "%d = OpULessThan %bool %i %u2 OpSelectionMerge %m None OpBranchConditional %d %y %m " +
			"%y = OpLabel %lost = OpAllocateNodePayloadsAMDX %p_payloads %u2 %u0 %u0 OpBranch %m %m = OpLabel " + alloc}, minimal,
			oracle.Record{Node: "split", Count: 1}, "an allocation in divergent control flow"},
		{"divergent enqueue", "minimal", []string{"OpEnqueueNodePayloadsAMDX %out", "%d = OpULessThan %bool %i %u2 OpSelectionMerge %m None " +
			"OpBranchConditional %d %y %m %y = OpLabel OpEnqueueNodePayloadsAMDX %out OpBranch %m %m = OpLabel"}, minimal,
			oracle.Record{Node: "split", Count: 1}, "an enqueue in divergent control flow"},
		{"store after enqueue", "minimal", []string{"OpEnqueueNodePayloadsAMDX %out", "OpEnqueueNodePayloadsAMDX %out OpStore %slot %i"}, minimal,
			oracle.Record{Node: "split", Count: 1}, "use of a payload after its enqueue"},
		{"second enqueue", "minimal", []string{"OpEnqueueNodePayloadsAMDX %out", "OpEnqueueNodePayloadsAMDX %out OpEnqueueNodePayloadsAMDX %out"}, minimal,
			oracle.Record{Node: "split", Count: 1}, "a second enqueue of a payload array"},
		{"no API entry", "minimal", nil, minimal,
			oracle.Record{Node: "square", Count: 1, Data: make([]byte, 4)}, `"square" index 0 is not a node that the host can dispatch`},
		{"too few bytes", "minimal", []string{"IsApiEntryAMDX %false", "ShaderIndexAMDX %u0"}, minimal,
			oracle.Record{Node: "square", Count: 3, Stride: 4, Data: make([]byte, 8)}, `payload 2 of node "square" index 0: bytes 8 to 12 of 8`},
		{"too many workgroups", "recursion", nil, halve,
			oracle.Record{Node: "halve", Index: 3, Count: 1, Data: payloadWords(0, 5|1<<16, 8)}, "asks for 5 workgroups in dimension 0, at most 4 are declared"},
		{"recursion spent", "recursion", []string{"%more = OpIsNodePayloadValidAMDX %bool %spans %u0", "%more = OpIEqual %bool %u0 %u0"}, halve,
			oracle.Record{Node: "halve", Index: 3, Count: 1, Data: payloadWords(0, 1|1<<16, 8)}, "has no recursion left"},
		{"finish of the host's payload", "recursion", []string{"OpExecutionModeId %sum IsApiEntryAMDX %false", ""}, halve,
			oracle.Record{Node: "sum", Count: 1, Data: payloadWords(0, 1, 0)}, "on a payload that the host dispatched"},
		{"shared input of no node", "recursion", []string{"SharesInputWithAMDX %n_sum %u0", "SharesInputWithAMDX %n_sum %u1"}, halve,
			oracle.Record{Node: "halve", Index: 3, Count: 1, Data: payloadWords(0, 1|1<<16, 8)}, `shares the input of "sum" index 1, which is not another node`},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := runText(t, edit(t, c.module, c.edits...), c.nodes, []oracle.Record{c.record})
			if beforeRun[c.name] && errors.Is(err, validate.ErrInvalid) {
				return
			}
			if !errors.Is(err, oracle.ErrGraph) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// A payload array that is not enqueued is dropped; a payload that a dispatch
// repeats by a stride of 0 is the same each time; counts of zero start nothing.
func TestGraphDispatch(t *testing.T) {
	m := assembleText(t, edit(t, "minimal", "OpExecutionModeId %square IsApiEntryAMDX %false", "", "OpEnqueueNodePayloadsAMDX %out", ""))
	g := oracle.Graph{WaveSize: 32}
	data := make([]byte, 64)
	for _, entry := range []string{"split", "square"} {
		f := node(t, m, Options{Entry: entry})
		p := oracle.NodeProgram{Name: entry, Func: f}
		for range f.Bindings {
			p.Descriptors = append(p.Descriptors, oracle.Descriptor{Data: data})
		}
		g.Nodes = append(g.Nodes, p)
	}
	stats := suite.Must(oracle.RunGraph(g, []oracle.Record{{Node: "split", Count: 2}, {Node: "square"}, {Node: "square", Count: 3, Data: payloadWords(5)}}))(t)
	if stats.Dropped != 2 || stats.Nodes[1].Workgroups != 3 || stats.Depth != 1 || data[16] != 25 {
		t.Errorf("%+v, word 4: %d", stats, data[16])
	}
}

// Modules that lowering can't take, each refused by name.
func TestGraphRefusals(t *testing.T) {
	for _, c := range []struct {
		name, module, entry string
		edits               []string
		want                string
	}{
		{"two launch kinds", "coalesce", "count", []string{"OpExecutionMode %count CoalescingAMDX", "OpExecutionMode %count CoalescingAMDX OpExecutionModeId %count StaticNumWorkgroupsAMDX %u1 %u1 %u1"},
			"two of CoalescingAMDX, StaticNumWorkgroupsAMDX and MaxNumWorkgroupsAMDX"},
		{"maximum of a coalescing node", "coalesce", "count", []string{"OpExecutionMode %count CoalescingAMDX", "OpExecutionMode %count CoalescingAMDX OpExecutionModeId %count MaxNumWorkgroupsAMDX %u1 %u1 %u1"},
			"MaxNumWorkgroupsAMDX in a coalescing node"},
		{"no workgroups", "minimal", "split", []string{"%split StaticNumWorkgroupsAMDX %u1", "%split StaticNumWorkgroupsAMDX %u0"}, "a number of workgroups of 0"},
		{"coalescing without array", "minimal", "square", []string{"OpExecutionModeId %square StaticNumWorkgroupsAMDX %u1 %u1 %u1", "OpExecutionMode %square CoalescingAMDX"},
			"the input of a coalescing node is not a payload array"},
		{"no maximum", "minimal", "split", []string{"OpDecorateId %payloads NodeMaxPayloadsAMDX %u4", ""}, "has no NodeMaxPayloadsAMDX"},
		{"no name", "minimal", "split", []string{"OpDecorateId %payloads PayloadNodeNameAMDX %name", ""}, "has no PayloadNodeNameAMDX"},
		{"two inputs", "minimal", "square", []string{"%pn = OpAccessChain", "%other = OpAccessChain %p_number %second %u0 %pn = OpAccessChain",
			"%result = OpVariable", "%second = OpVariable %p_payload NodePayloadAMDX %result = OpVariable"}, "has a second input payload"},
		{"visibility", "minimal", "split", []string{"%p_payloads %u2 %u4", "%p_payloads %u1 %u4"}, "visibility Device: want Workgroup or Invocation"},
		{"finish without tracking", "recursion", "sum", []string{"OpDecorate %job TrackFinishWritingAMDX", ""}, "the input payload has no TrackFinishWritingAMDX"},
		{"enqueue of a payload", "minimal", "split", []string{"OpEnqueueNodePayloadsAMDX %out", "OpEnqueueNodePayloadsAMDX %slot"}, "which is not a payload array"},
		{"indirect member", "recursion", "halve", []string{"OpMemberDecorate %span 1 PayloadDispatchIndirectAMDX", "OpMemberDecorate %span 1 PayloadDispatchIndirectAMDX OpMemberDecorate %span 2 PayloadDispatchIndirectAMDX"},
			"two members with PayloadDispatchIndirectAMDX"},
		{"no layout", "minimal", "square", []string{"OpMemberDecorate %payload 0 Offset 0", ""}, "member 0 of %"},
	} {
		t.Run(c.name, func(t *testing.T) {
			raw := rawModule(t, edit(t, c.module, c.edits...))
			m, err := validate.Check(raw)
			if err == nil {
				_, err = Build(m, Options{Entry: c.entry, WaveSize: 32})
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("%v, want %q", err, c.want)
				}
			}
			if !errors.Is(err, validate.ErrInvalid) && !errors.Is(err, validate.ErrUnsupported) {
				t.Errorf("%v wraps neither sentinel", err)
			}
		})
	}
}

// An input counts when the entry point uses it. One that is not used is that of
// the only entry point that lists it, or of the one that is sent payloads.
func TestWhichVariableIsTheInput(t *testing.T) {
	unused := []string{"%pn = OpAccessChain %p_number %input %u0", "", "%x = OpLoad %uint %pn", "%x = OpIAdd %uint %u1 %u1"}
	both := []string{`"split" %lane`, `"split" %lane %input`}
	for _, c := range []struct {
		name, entry string
		edits       []string
		want        bool
	}{
		{"used", "square", nil, true},
		{"used by the other", "split", both, false},
		{"used, listed by both", "square", both, true},
		{"unused, listed alone", "square", unused, true},
		{"unused, not listed", "split", unused, false},
		{"unused, listed by both", "square", append(both, unused...), true},
		{"unused, listed by both, sent to the other", "split", append(both, unused...), false},
	} {
		n := node(t, assembleText(t, edit(t, "minimal", c.edits...)), Options{Entry: c.entry}).Node
		if got := n.Input != nil; got != c.want {
			t.Errorf("%s: input %v, want %v", c.name, got, c.want)
		}
	}
}

package gpu

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"spvsim/config"
	"spvsim/internal/suite"
	"spvsim/scheduler/graph"
)

// silentJob is the job of silent.trim with a second buffer.
const silentJob = `
shader: silent.spvasm
nodes: [{entry: Entry}, {entry: Work MORE}]
buffers: [{name: buf, set: 0, binding: 0, data: {zero: 16}}, {name: own, unbound: true, data: {zero: 8}}]
graph: [{node: Entry}]
`

func silentSetup(t *testing.T, more string, edits ...string) Setup {
	t.Helper()
	data := suite.Must(os.ReadFile("testdata/dxc/silent.trim.spvasm"))(t)
	text := string(data)
	for i := 0; i+1 < len(edits); i += 2 {
		if !strings.Contains(text, edits[i]) {
			t.Fatalf("%q is not in the module", edits[i])
		}
		text = strings.ReplaceAll(text, edits[i], edits[i+1])
	}
	fs := fstest.MapFS{"silent.spvasm": {Data: []byte(text)}, "job.yaml": {Data: []byte(strings.Replace(silentJob, " MORE", more, 1))}}
	return graphSetup(t, fs, "rdna3-rx7900xtx")
}

// The dispatch grid may be an array, as compilers write one with the semantic, tightly packed or not.
func TestDispatchGridMayBeAnArray(t *testing.T) {
	for _, stride := range []string{"4", "8"} {
		s := silentSetup(t, "", "%v2uint = OpTypeVector %uint 2", "%v2uint = OpTypeArray %uint %uint_2",
			"OpMemberDecorate %G 1 PayloadDispatchIndirectAMDX", "OpMemberDecorate %G 1 PayloadDispatchIndirectAMDX\nOpDecorate %v2uint ArrayStride "+stride)
		if got := words(mustRun(t, s).Buffers[0].Bytes[:8]); !slices.Equal(got, []uint32{6, 7}) {
			t.Errorf("stride %s: %d, want [6 7]", stride, got)
		}
	}
}

// A node can find another buffer at a binding than the job's: nodes compiled with the same bindings work on their own.
func TestNodeBindings(t *testing.T) {
	r := mustRun(t, silentSetup(t, ", bindings: [{set: 0, binding: 0, buffer: own}]"))
	if shared, own := words(r.Buffers[0].Bytes[:8]), words(r.Buffers[1].Bytes); !slices.Equal(shared, []uint32{0, 0}) || !slices.Equal(own, []uint32{6, 7}) {
		t.Errorf("the job's buffer holds %d, the node's %d, want [0 0] and [6 7]", shared, own)
	}
}

// A node's shader is no plain compute shader: it is refused before anything runs.
func TestNodeIsNotDispatchedPlainly(t *testing.T) {
	for entry, module := range map[string]string{"root": "tree.spvasm", "leaf": "tree.spvasm", "halve": "recursion.spvasm"} {
		job := "shader: " + module + "\nentry: " + entry + "\ndispatch: [1]\nbuffers: [{set: 0, binding: 0, name: out, data: {zero: 128}}]\n"
		_, err := Run(context.Background(), graphSetup(t, files(t, job), "rdna3-rx7900xtx"))
		if !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), `entry point "`+entry+`" is a node of an execution graph`) {
			t.Errorf("%s: %v, want input refused, as it is a node", entry, err)
		}
	}
}

// A count above the maximum is no fault of the module; the run that comes to it ends, and says where.
func TestCountAboveTheMaximumEndsTheRun(t *testing.T) {
	s := silentSetup(t, "", "%_ptr_NodePayloadAMDX__payloadarr_G_0 %uint_4 %uint_1 %uint_0", "%_ptr_NodePayloadAMDX__payloadarr_G_0 %uint_4 %uint_2 %uint_0")
	_, err := Run(context.Background(), s)
	if !errors.Is(err, ErrRun) || !errors.Is(err, graph.ErrFault) {
		t.Fatalf("%v, want a failed run", err)
	}
	for _, want := range []string{"node Entry[0]", "OpAllocateNodePayloadsAMDX", "workgroup", "2 payloads are allocated, NodeMaxPayloadsAMDX is 1"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v: no %q", err, want)
		}
	}
	if strings.Contains(err.Error(), "line 0") {
		t.Errorf("%v names a line that there is not", err)
	}
}

// A type that shares the limits of another may have more payloads than its own NodeMaxPayloadsAMDX says, up to the other's.
func TestSharedLimitCounts(t *testing.T) {
	shared := func(most string) Setup {
		return silentSetup(t, "", "OpDecorateId %_payloadarr_G_0 NodeMaxPayloadsAMDX %uint_1",
			"OpDecorateId %_payloadarr_G_0 NodeMaxPayloadsAMDX %uint_1\nOpDecorateId %_payloadarr_G_0 NodeSharesPayloadLimitsWithAMDX %other\n"+
				"OpDecorateId %other NodeMaxPayloadsAMDX "+most+"\nOpDecorateId %other PayloadNodeNameAMDX %15",
			"%_payloadarr_G_0 = OpTypeNodePayloadArrayAMDX %G", "%_payloadarr_G_0 = OpTypeNodePayloadArrayAMDX %G\n%other = OpTypeNodePayloadArrayAMDX %G",
			"%_ptr_NodePayloadAMDX__payloadarr_G_0 %uint_4 %uint_1 %uint_0", "%_ptr_NodePayloadAMDX__payloadarr_G_0 %uint_4 %uint_2 %uint_0",
			"OpEnqueueNodePayloadsAMDX %43", "%second = OpAccessChain %_ptr_Function_v2uint %43 %uint_1 %int_1\nOpStore %second %22\nOpEnqueueNodePayloadsAMDX %43")
	}
	if got := words(mustRun(t, shared("%uint_2")).Buffers[0].Bytes[:8]); !slices.Equal(got, []uint32{12, 7}) {
		t.Errorf("%d, want [12 7]", got)
	}
	if _, err := Run(context.Background(), shared("%uint_1")); err == nil || !strings.Contains(err.Error(), "2 payloads are allocated, NodeMaxPayloadsAMDX is 1") {
		t.Errorf("%v, want the shared limit to count", err)
	}
}

// An input that could be either of several is refused by name; the job can name it.
func TestInputThatStaysOpenIsRefusedByName(t *testing.T) {
	open := []string{"OpExecutionModeId %Work MaxNumWorkgroupsAMDX %uint_8 %uint_8 %uint_8", "OpExecutionModeId %Work StaticNumWorkgroupsAMDX %uint_3 %uint_2 %uint_1",
		"OpEntryPoint GLCompute %Entry \"Entry\" ", "OpEntryPoint GLCompute %Entry \"Entry\" %in_var_i ", "OpConstantStringAMDX \"Work\"", "OpConstantStringAMDX \"Else\""}
	_, err := Run(context.Background(), silentSetup(t, "", open...))
	if !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), `entry point "Entry"`) || !strings.Contains(err.Error(), `"in.var.i"`) {
		t.Errorf("%v, want the input refused by name", err)
	}
	r := mustRun(t, silentSetup(t, ", input: in.var.i, name: Else", open...))
	if got := words(r.Buffers[0].Bytes[:8]); !slices.Equal(got, []uint32{6, 7}) {
		t.Errorf("%d, want [6 7]", got)
	}
}

// A report of waves that wait names their nodes.
func TestReportsNameTheNode(t *testing.T) {
	job := suite.Must(config.LoadJob(nil, "testdata/dxc/amp.O3.yaml"))(t)
	m, err := config.LoadMachine(config.Request{Job: job, Set: []string{"scheduler.firmware_dispatch_cycles=0"}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = Run(context.Background(), Setup{Machine: m, Job: job, MaxCycles: 20000})
	if !errors.Is(err, ErrLimit) || !strings.Contains(err.Error(), "  node Work[0], workgroup [") {
		t.Errorf("%v, want a report that names the node Work[0]", err)
	}
}

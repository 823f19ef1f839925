package gpu

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"spvsim/internal/suite"
	"spvsim/scheduler/graph"
)

// finishing is the module finish.spvasm with changes, in a job that sends its three payloads to the nodes.
func finishing(t *testing.T, nodes string, change ...string) fstest.MapFS {
	t.Helper()
	text := suite.Must(os.ReadFile("testdata/graph/finish.spvasm"))(t)
	return fstest.MapFS{"finish.spvasm": {Data: []byte(strings.NewReplacer(change...).Replace(string(text)))},
		"job.yaml": {Data: []byte(jobText("finish.spvasm", "\nnodes: ["+nodes+"]\ngraph: [{node: send}]"))}}
}

// OpFinishWritingNodePayloadAMDX is true once for a payload that all workgroups which can access it call it for, those of nodes that share
// it included, in whatever order they run; never where one does not call it. How many there are is what the payload said when it was enqueued.
func TestFinishWritingWithSharers(t *testing.T) {
	names := []string{"own", "near", "far"}
	for i, c := range []struct {
		own, near, far int    // resident workgroups
		nodes          string // of names, in the order of the job
		silent         string // that do not call
	}{
		{3, 2, 4, "own near far", ""}, {1, 1, 1, "far own near", ""}, {3, 2, 0, "own near far", ""}, {3, 2, 5, "near far own", ""}, {3, 2, 4, "own near", ""}, {3, 2, 4, "far own", ""},
		{3, 2, 4, "own", ""}, {3, 2, 4, "own near far", "near"}, {3, 2, 4, "own near far", "far"}, {3, 2, 4, "own near", "own"}, {3, 2, 0, "own far", "far"}, {1, 1, 1, "own far", "own far"},
	} {
		change := []string{"%n_own = OpConstant %uint 3", fmt.Sprintf("%%n_own = OpConstant %%uint %d", c.own), "%n_near = OpConstant %uint 2", fmt.Sprintf("%%n_near = OpConstant %%uint %d", c.near),
			"%grid = OpConstant %uint 4", fmt.Sprintf("%%grid = OpConstant %%uint %d", c.far)}
		for _, name := range strings.Fields(c.silent) {
			change = append(change, fmt.Sprintf("OpFinishWritingNodePayloadAMDX %%bool %%in_%s\n", name), "OpINotEqual %bool %u0 %u0\n")
		}
		nodes, groups, last, missing := "{entry: send}", []int{c.own, c.near, c.far}, uint32(3), false
		for k, name := range names {
			if !strings.Contains(c.nodes, name) {
				groups[k] = 0
			} else if groups[k] > 0 && strings.Contains(c.silent, name) {
				missing = true
			}
		}
		for _, name := range strings.Fields(c.nodes) {
			nodes += fmt.Sprintf(", {entry: %s}", name)
		}
		if missing {
			last = 0
		}
		fs := finishing(t, nodes, change...)
		for k, kind := range schedulerKinds {
			arbitration := []string{"depth-first", "round-robin"}[(i+k)%2]
			got := words(mustRun(t, graphSetup(t, fs, "rdna3-rx7900xtx", "scheduler.kind="+kind, "queue.arbitration="+arbitration)).Buffers[0].Bytes[:24])
			if sum := got[0] + got[1] + got[2]; sum != last {
				t.Errorf("%+v under %s: true %d times in three payloads, %v: want %d", c, kind, sum, got[:3], last)
			}
			for k := range names {
				if got[3+k] != uint32(3*groups[k]) {
					t.Errorf("%+v under %s: %d workgroups of %s, want %d", c, kind, got[3+k], names[k], 3*groups[k])
				}
			}
		}
	}
}

// RemainingRecursionLevelsAMDX is what is left to the node itself: of a recursive node with two levels left, and 0 in a node that shares its
// input, which is not recursive at all.
func TestRecursionLevelsOfSharers(t *testing.T) {
	fs := finishing(t, "{entry: send}, {entry: own}, {entry: near}, {entry: far}", " %lane %in_", " %lane %left %in_", "%own IsApiEntryAMDX %false", "%own IsApiEntryAMDX %false\nOpExecutionModeId %own MaxNodeRecursionAMDX %u2",
		"OpDecorate %lane BuiltIn", "OpDecorate %left BuiltIn RemainingRecursionLevelsAMDX\nOpDecorate %lane BuiltIn", "%lane = OpVariable %p_in Input", "%lane = OpVariable %p_in Input\n%left = OpVariable %p_in Input",
		"%a2 = OpAtomicIAdd %uint %to_3 %u1 %u0 %u1", "%levels = OpLoad %uint %left\n%a2 = OpAtomicIAdd %uint %to_3 %u1 %u0 %levels")
	for _, kind := range schedulerKinds {
		got := words(mustRun(t, graphSetup(t, fs, "rdna3-rx7900xtx", "scheduler.kind="+kind)).Buffers[0].Bytes[12:24])
		if want := []uint32{3 * 3 * 2, 0, 0}; !slices.Equal(got, want) {
			t.Errorf("%s: levels of own, near and far add up to %v, want %v", kind, got, want)
		}
	}
}

// A node that shares an input tracks writing as the payload does, or the graph is refused.
func TestSharersTrackFinishing(t *testing.T) {
	fs := finishing(t, "{entry: send}, {entry: own}, {entry: near}", "%in_near = OpVariable %p_item", "%in_near = OpVariable %p_plain", "     %p_word =", "%plain = OpTypeStruct %uint %uint\n%p_plain = OpTypePointer NodePayloadAMDX %plain\n     %p_word =",
		"OpMemberDecorate %item 1 Offset 4", "OpMemberDecorate %item 1 Offset 4\nOpMemberDecorate %plain 0 Offset 0\nOpMemberDecorate %plain 1 Offset 4", "%n0 = OpLabel", "%n0 = OpLabel\n%p_x = OpAccessChain %p_word %in_near %u1\n%x = OpLoad %uint %p_x", "OpFinishWritingNodePayloadAMDX %bool %in_near\n", "OpINotEqual %bool %x %u0\n")
	_, err := Run(context.Background(), graphSetup(t, fs, "rdna3-rx7900xtx"))
	if !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), `the input of "near" index 0, which shares it, has not (rule graph-finish)`) {
		t.Errorf("%v, want input refused by rule graph-finish", err)
	}
}

// Payloads that the host dispatched are not tracked: a call for one ends the run, by its node and by those that share it.
func TestFinishOfTheHostsPayload(t *testing.T) {
	fs := finishing(t, "{entry: send}, {entry: own}, {entry: near}", "               OpExecutionModeId %own IsApiEntryAMDX %false\n", "")
	fs["job.yaml"].Data = []byte(strings.Replace(string(fs["job.yaml"].Data), "{node: send}", "{node: own, payloads: [{u32: [4, 0]}]}", 1))
	for _, kind := range schedulerKinds {
		_, err := Run(context.Background(), graphSetup(t, fs, "rdna3-rx7900xtx", "scheduler.kind="+kind))
		if !errors.Is(err, graph.ErrFault) || !strings.Contains(err.Error(), "OpFinishWritingNodePayloadAMDX: workgroup [0 0 0], wave 0: it is called for a payload that the host dispatched") {
			t.Errorf("%s: %v, want a fault", kind, err)
		}
	}
}

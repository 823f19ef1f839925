package gpu

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/fstest"
)

// OpFinishWritingNodePayloadAMDX is true once for a payload that all workgroups which can access it call it for, those of nodes that share
// it included, in whatever order they run; never where one does not call it. How many there are is what the payload said when it was enqueued.
func TestFinishWritingWithSharers(t *testing.T) {
	text, err := os.ReadFile("testdata/graph/finish.spvasm")
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"own", "near", "far"}
	for i, c := range []struct {
		own, near, far int    // workgroups
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
		fs := fstest.MapFS{"finish.spvasm": {Data: []byte(strings.NewReplacer(change...).Replace(string(text)))},
			"job.yaml": {Data: []byte(jobText("finish.spvasm", "\nnodes: ["+nodes+"]\ngraph: [{node: send}]"))}}
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

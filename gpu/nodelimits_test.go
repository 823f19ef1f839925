package gpu

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"spvsim/internal/suite"
	"spvsim/scheduler/graph"
)

// producers is the module producers.spvasm with other numbers: each of lanes invocations of a workgroup, or with the scope Workgroup (2)
// the workgroup, allocates one payload of 64 bytes in each of rounds, of at most so many.
func producers(t testing.TB, lanes, rounds, most, scope int) fstest.MapFS {
	t.Helper()
	text := suite.Must(os.ReadFile("testdata/graph/producers.spvasm"))(t)
	module := strings.NewReplacer("%send LocalSize 64", fmt.Sprintf("%%send LocalSize %d", lanes), "%most = OpConstant %uint 64", fmt.Sprintf("%%most = OpConstant %%uint %d", most),
		"%rounds = OpConstant %uint 1", fmt.Sprintf("%%rounds = OpConstant %%uint %d", rounds), "%scope = OpConstant %uint 4", fmt.Sprintf("%%scope = OpConstant %%uint %d", scope)).Replace(string(text))
	job := jobText("producers.spvasm", "\nnodes: [{entry: send}, {entry: add}]\ngraph: [{node: send}]")
	return fstest.MapFS{"producers.spvasm": {Data: []byte(module)}, "job.yaml": {Data: []byte(job)}}
}

// NodeMaxPayloadsAMDX bounds what the workgroup, or each invocation of it, allocates, as the visibility says. The machine's limits of a
// workgroup bound the sum: what runs, what is reserved and what is printed is that.
func TestNodeMaxPayloadsCountByVisibility(t *testing.T) {
	for i, c := range []struct {
		lanes, rounds, most, scope int
		want                       string
	}{
		{32, 8, 256, 4, ""}, {64, 1, 64, 4, ""}, {64, 1, 1, 4, ""}, {1, 5, 5, 4, ""}, {33, 7, 7, 4, ""}, {128, 2, 2, 4, ""},
		{1, 6, 5, 4, "1 payloads after 5 are more than the 5 that NodeMaxPayloadsAMDX allows the workgroup"},
		{33, 7, 6, 4, "1 payloads after 6 are more than the 6 that NodeMaxPayloadsAMDX allows the invocation"},
		{128, 3, 3, 4, "1 payloads after 256 are more than the 256 of a workgroup (queue.max_payloads)"},
		{32, 9, 9, 4, "1 payloads after 256 are more than the 256 of a workgroup (queue.max_payloads)"},
		{32, 8, 8, 2, ""}, {128, 256, 256, 2, ""},
		{32, 9, 8, 2, "1 payloads after 8 are more than the 8 that NodeMaxPayloadsAMDX allows the workgroup"},
		{32, 8, 257, 4, "node send[0]: 257 payloads in one workgroup: want at most 256"}, {1, 1, 512, 2, "node send[0]: 512 payloads in one workgroup: want at most 256"},
	} {
		asked, allowed := c.rounds, c.most
		if c.scope == 4 {
			asked, allowed = asked*c.lanes, allowed*c.lanes
		}
		allowed = min(allowed, 256)
		name := fmt.Sprintf("%d invocations, %d rounds, scope %d, at most %d", c.lanes, c.rounds, c.scope, c.most)
		s := graphSetup(t, producers(t, c.lanes, c.rounds, c.most, c.scope), "rdna3-rx7900xtx", "queue.payload_bytes=0", "scheduler.kind="+schedulerKinds[i%len(schedulerKinds)])
		r, err := Run(context.Background(), s)
		switch {
		case c.want != "":
			if kind := graph.ErrFault; err == nil || !strings.Contains(err.Error(), c.want) || c.most <= 256 && !errors.Is(err, kind) {
				t.Errorf("%s: %v, want %q", name, err, c.want)
			}
		case err != nil:
			t.Errorf("%s: %v", name, err)
		default:
			if got := words(r.Buffers[0].Bytes[:8])[1]; got != uint32(asked) {
				t.Errorf("%s: %d payloads came, want %d", name, got, asked)
			}
		}
		if c.most > 256 {
			continue
		}
		var text bytes.Buffer
		suite.OK(t, DescribeGraph(&text, s, false))
		for _, want := range []string{fmt.Sprintf("a workgroup allocates at most %d payloads, %d bytes (%[2]d of payload memory)", allowed, 64*allowed),
			"limits of a workgroup: 256 outputs, 256 payloads, 32768 bytes", fmt.Sprintf("scratch memory: at least %d bytes", 64*allowed)} {
			if !strings.Contains(text.String(), want) {
				t.Errorf("%s: no %q in:\n%s", name, want, &text)
			}
		}
	}
}

// A workgroup reserves no more than the machine allows it, whatever its invocations declare: producers of 64 invocations that
// declare 64 payloads each are about as fast in 1 MB of scratch memory as in 16, and as those that declare one each.
func TestReservationIsTheLimitOfTheWorkgroup(t *testing.T) {
	cycles := func(most int, scratch string) uint64 {
		fs := producers(t, 64, 1, most, 4)
		fs["job.yaml"].Data = []byte(strings.Replace(string(fs["job.yaml"].Data), "{node: send}", "{node: send, count: 400}", 1))
		return mustRun(t, graphSetup(t, fs, "rdna3-rx7900xtx", "scheduler.kind=persistent", "dispatcher.kernel_launch_cycles=0", "queue.scratch_bytes="+scratch)).Stats.Cycles
	}
	large := cycles(64, "16777216")
	for _, most := range []int{1, 64} {
		if small := cycles(most, "1048576"); small*2 > large*3 {
			t.Errorf("of at most %d: %d cycles with 1 MB of scratch memory, %d with 16: want no more than a half more", most, small, large)
		}
	}
}

// A node's priority that decides nothing is named: under another arbitration, and under multipass, which goes by the order of its passes.
func TestIdlePrioritiesAreNamed(t *testing.T) {
	fs := producers(t, 64, 1, 64, 4)
	fs["job.yaml"].Data = []byte(strings.Replace(string(fs["job.yaml"].Data), "{entry: add}", "{entry: add, priority: 2}", 1))
	for _, kind := range schedulerKinds {
		for arbitration, want := range map[string]string{"priority": "", "round-robin": "node add[0]: its priority does nothing under queue.arbitration round-robin: it acts under priority"} {
			if (kind == "multipass" || kind == "generated") && arbitration == "priority" {
				want = "node add[0]: its priority does nothing under scheduler.kind " + kind
			}
			r := mustRun(t, graphSetup(t, fs, "rdna3-rx7900xtx", "scheduler.kind="+kind, "queue.arbitration="+arbitration))
			if got := strings.Join(r.Warnings, "; "); want == "" && got != "" || !strings.HasPrefix(got, want) {
				t.Errorf("%s, %s: warned of %q, want %q", kind, arbitration, got, want)
			}
		}
	}
}

// Counts and indexes of 64 bits are not cut to 32: what is beyond 32 bits exists nowhere. An enqueue of what was never allocated is a fault, in the first
// lane as in others.
func TestNodeNumbersOf64Bits(t *testing.T) {
	const alloc, store = "%p_items %scope %u1 %u0", "               OpStore %slot %i\n"
	for _, c := range []struct {
		change []string
		want   string // of the fault; empty: none, and no payload
	}{
		{[]string{alloc, "%p_items %scope %beyond1 %u0"}, "4294967295 payloads are allocated, NodeMaxPayloadsAMDX is 64"},
		{[]string{alloc, "%p_items %scope %u1 %beyond0"}, "payloads are allocated for node add[4294967295], whose index is not below PayloadNodeArraySizeAMDX 1"},
		{[]string{"%array %u0 %u0 %u0", "%array %beyond0 %u0 %u0"}, "its index is beyond the array"},
		{[]string{"      %array = OpAllocate", "%ok = OpIsNodePayloadValidAMDX %bool %items %beyond0\n%few = OpSelect %uint %ok %u1 %u0\n%array = OpAllocate", alloc, "%p_items %scope %few %u0", store, ""}, ""},
		{[]string{"OpEnqueueNodePayloadsAMDX %array", "OpEnqueueNodePayloadsAMDX %none"}, "lane 0: what is enqueued is not a payload array that this workgroup allocated"},
		{[]string{alloc, "%p_items %scope %u1 %rounds"}, "payloads are allocated for node add[1], whose index is not below PayloadNodeArraySizeAMDX 1"},
	} {
		fs := producers(t, 64, 1, 64, 4)
		text := strings.Replace(string(fs["producers.spvasm"].Data), "%lane = OpVariable", "%none = OpConstantNull %p_items\n%ulong = OpTypeInt 64 0\n"+
			"%beyond0 = OpConstant %ulong 0x100000000\n%beyond1 = OpConstant %ulong 0x100000001\n%lane = OpVariable", 1)
		text = strings.Replace(text, "OpCapability Shader\n", "OpCapability Shader\nOpCapability Int64\n", 1)
		for i := 0; i < len(c.change); i += 2 {
			text = strings.Replace(text, c.change[i], c.change[i+1], 1)
		}
		fs["producers.spvasm"].Data = []byte(text)
		r, err := Run(context.Background(), graphSetup(t, fs, "rdna3-rx7900xtx"))
		switch {
		case c.want != "" && (!errors.Is(err, graph.ErrFault) || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%q: %v, want %q", c.change, err, c.want)
		case c.want == "" && err != nil:
			t.Errorf("%q: %v", c.change, err)
		case c.want == "" && words(r.Buffers[0].Bytes[:8])[1] != 0:
			t.Errorf("%q: payloads came", c.change)
		}
	}
}

package gpu

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"spvsim/config"
	"spvsim/internal/suite"
	"spvsim/scheduler/graph"
	"spvsim/tracing"
)

var schedulerKinds = []string{"hardware", "firmware", "multipass", "lists", "generated", "persistent"}

// graphJobs are jobs over the modules of testdata/graph, with what they leave
// in their only buffer, worked out by hand.
var graphJobs = map[string]struct {
	module, rest string
	want         []uint32
}{
	// Each of n payloads p starts 64 invocations i, which send 100p+i to leaf
	// i mod 2, and through mid 100p+i+1 to leaf 1.
	"tree": {"tree.spvasm", `
nodes: [{entry: root}, {entry: mid}, {entry: leaf, index: 0}, {entry: leaf, index: 1}]
graph: [{node: root, data: {iota: u32, count: 4, step: 100}}]`,
		[]uint32{32*600 + 4*992, 32*600 + 4*1024 + 64*600 + 4*2080, 128, 384}},
	// Two levels of recursion quarter 0..32; each quarter's numbers are added by
	// one workgroup a number, and seen by as many that share the payload.
	"recursion": {"recursion.spvasm", `
nodes: [{entry: halve}, {entry: sum}, {entry: watch}]
graph: [{node: halve, index: 3, payloads: [{u32: [0, 0x00010001, 32]}]}]`,
		[]uint32{496, 4, 256, 7}},
	"late": {"tree.spvasm", `
set: {dispatcher.waves_per_cycle: 0.001}
nodes: [{entry: root}, {entry: mid}, {entry: leaf, index: 0}, {entry: leaf, index: 1}]
graph: [{node: root, payloads: [{u32: 0}]}]`, []uint32{992, 1024 + 2080, 32, 96}},
	// 5 payloads at a node without input, dispatched again three times.
	"repeat": {"tree.spvasm", `
graph_repeat: 3
nodes: [{entry: root}, {entry: mid}, {entry: leaf, index: 0}, {entry: leaf, index: 1}]
graph: [{node: root, count: 5, stride: 0, data: {values: [7]}}, {node: leaf, index: 1, count: 0, data: {zero: 0}}, {node: mid, payloads: [{u32: 1}]}]`,
		[]uint32{15 * (32*7 + 992), 15*(32*7+1024+64*7+2080) + 3*2, 480, 1440 + 3}},
}

// files holds the modules of testdata/graph, and the job.
func files(t testing.TB, job string, change ...string) fstest.MapFS {
	t.Helper()
	fs := fstest.MapFS{"job.yaml": {Data: []byte(job)}}
	for _, name := range []string{"tree.spvasm", "recursion.spvasm", "coalesce.spvasm"} {
		data := suite.Must(os.ReadFile("testdata/graph/" + name))(t)
		text := string(data)
		for i := 0; i < len(change); i += 2 {
			text = strings.ReplaceAll(text, change[i], change[i+1])
		}
		fs[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return fs
}

func graphSetup(t testing.TB, files fstest.MapFS, machine string, set ...string) Setup {
	t.Helper()
	job := suite.Must(config.LoadJob(files, "job.yaml"))(t)
	m := suite.Must(config.LoadMachine(config.Request{Job: job, Machine: machine, Set: set}))(t)
	return Setup{Machine: m, Job: job}
}

func jobText(module, rest string) string {
	return "shader: " + module + rest + "\nbuffers: [{set: 0, binding: 0, name: out, data: {zero: 128}}]\n"
}

func mustRun(t testing.TB, s Setup) *Result {
	t.Helper()
	r := suite.Must(Run(context.Background(), s))(t)
	return r
}

func TestGraphBuffersAreTheSameUnderAllSchedulers(t *testing.T) {
	for name, job := range graphJobs {
		for _, machine := range []string{"rdna4-like", "cdna3-mi300a"} {
			for _, kind := range schedulerKinds {
				t.Run(fmt.Sprintf("%s/%s/%s", name, machine, kind), func(t *testing.T) {
					r := mustRun(t, graphSetup(t, files(t, jobText(job.module, job.rest)), machine, "scheduler.kind="+kind, "compute_units=2"))
					if got := words(r.Buffers[0].Bytes)[:len(job.want)]; fmt.Sprint(got) != fmt.Sprint(job.want) {
						t.Errorf("got %v, want %v", got, job.want)
					}
					checkAccounts(t, r)
				})
			}
		}
	}
}

// TestRecursionOfNoLevels: a node whose MaxNodeRecursionAMDX is 0 may hold the code that enqueues to itself, which no level of it reaches.
func TestRecursionOfNoLevels(t *testing.T) {
	job := graphJobs["recursion"]
	fs := files(t, jobText(job.module, job.rest), "MaxNodeRecursionAMDX %u2", "MaxNodeRecursionAMDX %u0")
	for _, kind := range schedulerKinds {
		r := mustRun(t, graphSetup(t, fs, "rdna4-like", "scheduler.kind="+kind))
		// One sum of 0..31, whose 32 workgroups and those of the watcher see the 32 numbers.
		if got, want := words(r.Buffers[0].Bytes)[:4], []uint32{496, 1, 32 * 32, 1}; fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: got %v, want %v", kind, got, want)
		}
	}
}

// checkAccounts: every cycle of every slot has one reason, and payloads add up.
func checkAccounts(t *testing.T, r *Result) {
	t.Helper()
	slots := r.Stats.Slots.Total() / r.Stats.Cycles
	if r.Stats.Slots.Total() != slots*r.Stats.Cycles {
		t.Errorf("%d slot-cycles are no multiple of %d cycles", r.Stats.Slots.Total(), r.Stats.Cycles)
	}
	workgroups := uint64(0)
	for _, n := range r.Stats.Graph.Nodes {
		workgroups += n.Workgroups
		if uint64(len(n.Waits)) != n.Payloads {
			t.Errorf("%s: %d waits of %d payloads", n.Name, len(n.Waits), n.Payloads)
		}
	}
	if workgroups != r.Stats.Workgroups {
		t.Errorf("the nodes ran %d workgroups, the machine %d", workgroups, r.Stats.Workgroups)
	}
}

// A graph that is stopped counts what its nodes came to until then: what the machine ran is theirs, and no more than all of it.
func TestStoppedGraphHasItsCounts(t *testing.T) {
	job := jobText(graphJobs["tree"].module, graphJobs["tree"].rest)
	for _, kind := range schedulerKinds {
		s := graphSetup(t, files(t, job), "rdna4-like", "scheduler.kind="+kind, "compute_units=2")
		all := mustRun(t, s)
		s.MaxCycles = all.Stats.Cycles * 9 / 10
		r, err := Run(context.Background(), s)
		if !errors.Is(err, ErrLimit) || r == nil || r.Stats.Graph == nil {
			t.Fatalf("%s: %v", kind, err)
		}
		workgroups := uint64(0)
		for i, n := range r.Stats.Graph.Nodes {
			workgroups += n.Workgroups
			if whole := all.Stats.Graph.Nodes[i]; n.Name != whole.Name || n.Payloads > whole.Payloads || n.Workgroups > whole.Workgroups {
				t.Errorf("%s: %s has %d payloads and %d workgroups, of %d and %d", kind, n.Name, n.Payloads, n.Workgroups, whole.Payloads, whole.Workgroups)
			}
		}
		if root := r.Stats.Graph.Nodes[0]; root.Payloads != 4 || root.Workgroups != 4 {
			t.Errorf("%s: the root has %d payloads and %d workgroups, want 4 of each", kind, root.Payloads, root.Workgroups)
		}
		if ended := r.Stats.Workgroups; ended == 0 || ended > workgroups || ended >= all.Stats.Workgroups {
			t.Errorf("%s: %d workgroups ended of %d that began and %d in a whole run", kind, ended, workgroups, all.Stats.Workgroups)
		}
	}
}

// Without time, too: a graph that is interrupted counts what ran before.
func TestStoppedGraphWithoutTimeHasItsCounts(t *testing.T) {
	rest := strings.Replace(strings.Replace(graphJobs["tree"].rest, "\n", "\nmode: functional\n", 1), "count: 4", "count: 20000", 1)
	s := graphSetup(t, files(t, jobText("tree.spvasm", rest)), "rdna4-like")
	ctx, stop := context.WithCancel(context.Background())
	s.Progress = func(Progress) { stop() }
	r, err := Run(ctx, s)
	if err == nil || r == nil || r.Stats.Graph == nil {
		t.Fatalf("found %v", err)
	}
	workgroups := uint64(0)
	for _, n := range r.Stats.Graph.Nodes {
		workgroups += n.Workgroups
	}
	if root := r.Stats.Graph.Nodes[0]; root.Workgroups == 0 || root.Workgroups >= 20000 || workgroups != r.Stats.Workgroups {
		t.Errorf("the root ran %d workgroups of 20000; all nodes %d, the run %d", root.Workgroups, workgroups, r.Stats.Workgroups)
	}
}

func TestGraphCoalesces(t *testing.T) {
	job := jobText("coalesce.spvasm", `
nodes: [{entry: fill, strings: [{id: 7, value: count}]}, {entry: count, strings: [{id: 7, value: count}]}]
graph: [{node: fill}]`)
	for _, kind := range schedulerKinds {
		r := mustRun(t, graphSetup(t, files(t, job), "rdna3-rx7900xtx", "scheduler.kind="+kind))
		n := r.Stats.Graph.Nodes[1]
		if n.Payloads != 325 || n.Workgroups < 82 || n.Workgroups > 100 {
			t.Errorf("%s: %d payloads in %d workgroups, want 325 in about 82", kind, n.Payloads, n.Workgroups)
		}
		if got := words(r.Buffers[0].Bytes)[:2]; got[0] != 175 || got[1] != 10 {
			t.Errorf("%s: bins %v, want 175 and 10", kind, got)
		}
	}
}

// sweep runs a job with payload memory from the least to the most.
func sweep(t *testing.T, job, kind string, sizes int, check func(r *Result)) (cycles []uint64) {
	t.Helper()
	fs := files(t, job)
	s := graphSetup(t, fs, "rdna4-like", "scheduler.kind="+kind, "queue.payload_bytes=0")
	r := suite.Must(prepareRunner(context.Background(), s))(t)
	counts := map[*graph.Node]uint64{}
	for _, e := range r.graphs[0].entries {
		counts[e.Node] += e.Count
	}
	least, most := r.graphs[0].graph.MinimumScratch(0), r.graphs[0].graph.MaximumScratch(0, counts)
	if _, err := Run(context.Background(), graphSetup(t, fs, "rdna4-like", "scheduler.kind="+kind, "queue.payload_bytes=0", fmt.Sprintf("queue.scratch_bytes=%d", least-1))); !errors.Is(err, graph.ErrScratch) || !errors.Is(err, ErrInput) {
		t.Errorf("%s: %d bytes of scratch: %v, want %v", kind, least-1, err, graph.ErrScratch)
	}
	for i := range sizes {
		size := least + (most-least)*uint64(i*i)/uint64((sizes-1)*(sizes-1))
		r := mustRun(t, graphSetup(t, fs, "rdna4-like", "scheduler.kind="+kind, "queue.payload_bytes=0", fmt.Sprintf("queue.scratch_bytes=%d", size)))
		check(r)
		cycles = append(cycles, r.Stats.Cycles)
	}
	return cycles
}

func TestGraphFinishesWithAnyScratch(t *testing.T) {
	kinds := schedulerKinds
	if testing.Short() {
		kinds = kinds[:1]
	}
	for _, name := range []string{"tree", "recursion"} {
		job := graphJobs[name]
		for _, kind := range kinds {
			cycles := sweep(t, jobText(job.module, job.rest), kind, 7, func(r *Result) {
				if got := words(r.Buffers[0].Bytes)[:len(job.want)]; fmt.Sprint(got) != fmt.Sprint(job.want) {
					t.Errorf("%s, %s: got %v, want %v", name, kind, got, job.want)
				}
			})
			// More memory lets more workgroups run at once; they may meet in caches
			// and at the memory, but never lose more than a little by it.
			for i := 1; i < len(cycles); i++ {
				if cycles[i] > cycles[i-1]+cycles[i-1]/20 {
					t.Errorf("%s, %s: cycles %v grow with scratch memory", name, kind, cycles)
				}
			}
		}
	}
}

func TestGraphPacksThreads(t *testing.T) {
	job := graphJobs["tree"]
	for _, kind := range schedulerKinds {
		check := func(r *Result) {
			if got := words(r.Buffers[0].Bytes)[:len(job.want)]; fmt.Sprint(got) != fmt.Sprint(job.want) {
				t.Errorf("%s: got %v, want %v", kind, got, job.want)
			}
			checkAccounts(t, r)
		}
		fs := files(t, jobText(job.module, job.rest))
		r := mustRun(t, graphSetup(t, fs, "rdna3-rx7900xtx", "scheduler.kind="+kind, "queue.pack_threads=true"))
		check(r)
		// 4 workgroups of root have 2 waves each; at best 256 workgroups of mid and
		// 128 and 384 of the leaves take a lane of a wave of 32.
		if r.Stats.Workgroups != 772 || r.Stats.Waves < 8+24 || r.Stats.Waves > 100 {
			t.Errorf("%s: %d workgroups in %d waves, want 772 in little more than 32", kind, r.Stats.Workgroups, r.Stats.Waves)
		}
		// With the least memory, waves are cut to what can be reserved.
		least := graphSetup(t, fs, "rdna3-rx7900xtx", "scheduler.kind="+kind, "queue.pack_threads=true", "queue.payload_bytes=0", "queue.scratch_bytes=2064")
		check(mustRun(t, least))
	}
}

func TestGraphRunsTheSameTwice(t *testing.T) {
	for _, kind := range schedulerKinds {
		var stats [2]bytes.Buffer
		for i := range stats {
			r := mustRun(t, graphSetup(t, files(t, jobText(graphJobs["tree"].module, graphJobs["tree"].rest)), "rdna4-like", "scheduler.kind="+kind))
			r.Stats.Host = tracing.Host{}
			suite.OK(t, tracing.WriteJSON(&stats[i], r.Stats))
		}
		if !bytes.Equal(stats[0].Bytes(), stats[1].Bytes()) {
			t.Errorf("%s: two runs differ", kind)
		}
	}
}

// A hundred thousand payloads through three levels end; how long that takes is told, and decides nothing.
func TestGraphOfManyPayloads(t *testing.T) {
	if testing.Short() {
		t.Skip("runs for seconds")
	}
	job := strings.Replace(graphJobs["tree"].rest, "count: 4", "count: 521", 1)
	begin := time.Now()
	r := mustRun(t, graphSetup(t, files(t, jobText("tree.spvasm", job)), "rdna3-rx7900xtx"))
	payloads := uint64(0)
	for _, n := range r.Stats.Graph.Nodes {
		payloads += n.Payloads
	}
	t.Logf("%d payloads in %v", payloads, time.Since(begin))
	if payloads < 100_000 {
		t.Errorf("%d payloads, want 100000 at least", payloads)
	}
}

// late makes %seen of how many invocations came here, with this one's wave: 32
// in the first wave, 64 in the second, which starts long after it. The module
// alone does not show that they differ.
const (
	late = "%half = OpBitwiseAnd %uint %i %u32\n %both = OpIAdd %uint %half %u32\n %before = OpAtomicExchange %uint %p0 %u1 %u0 %both\n %seen = OpLoad %uint %p0\n "
	u64  = "%u4 = OpConstant %uint 4\n %u32 = OpConstant %uint 32\n %u64 = OpConstant %uint 64"
)

// faults are changes to modules, and what the run says of them.
var graphFaults = []struct {
	name, job string
	change    []string
	want      string
}{
	{"more payloads than the maximum", "tree", []string{"%a = OpAllocate", "%many = OpIAdd %uint %v0 %u2\n %a = OpAllocate", "%p_mids %u4 %u1 %u0", "%p_mids %u4 %many %u0"}, "payloads are allocated, NodeMaxPayloadsAMDX is 1"},
	{"missing node", "tree", []string{"%p_leaves %u4 %u1 %odd", "%p_leaves %u4 %u1 %i"}, "whose index is not below PayloadNodeArraySizeAMDX 2"},
	{"missing sparse node", "tree", []string{"%p_leaves %u4 %u1 %odd", "%p_leaves %u4 %u1 %i", "OpDecorateId %leaves PayloadNodeArraySizeAMDX %u2", "OpDecorate %leaves PayloadNodeSparseArrayAMDX"}, "which is not in the graph"},
	{"array of no indexes", "tree", []string{"%leaves PayloadNodeArraySizeAMDX %u2", "%leaves PayloadNodeArraySizeAMDX %u0"}, "payloads are allocated for node leaf[0], whose index is not below PayloadNodeArraySizeAMDX 0"},
	{"sparse array of no indexes", "tree", []string{"OpDecorateId %leaves PayloadNodeArraySizeAMDX %u2", "OpDecorateId %leaves PayloadNodeArraySizeAMDX %u0\n OpDecorate %leaves PayloadNodeSparseArrayAMDX"}, "payloads are allocated for node leaf[0], whose index is not below PayloadNodeArraySizeAMDX 0"},
	{"array specialized to no indexes", "tree", []string{"%leaves PayloadNodeArraySizeAMDX %u2", "%leaves PayloadNodeArraySizeAMDX %none\n OpDecorate %none SpecId 1", "%u4 = OpConstant %uint 4", "%u4 = OpConstant %uint 4\n %none = OpSpecConstant %uint 0"}, "payloads are allocated for node leaf[0], whose index is not below PayloadNodeArraySizeAMDX 0"},
	{"index past the array size", "tree", []string{"%leaves PayloadNodeArraySizeAMDX %u2", "%leaves PayloadNodeArraySizeAMDX %u1"}, "payloads are allocated for node leaf[1], whose index is not below PayloadNodeArraySizeAMDX 1"},
	{"base index past the array size", "tree", []string{"%leaves PayloadNodeArraySizeAMDX %u2", "%leaves PayloadNodeArraySizeAMDX %u2\n OpDecorateId %leaves PayloadNodeBaseIndexAMDX %u4"}, "payloads are allocated for node leaf[4], whose index is not below PayloadNodeArraySizeAMDX 2"},
	{"count differs", "late", []string{"%a = OpAllocate", late + "%a = OpAllocate", "%p_mids %u4 %u1 %u0", "%p_mids %u2 %seen %u0", "%mids NodeMaxPayloadsAMDX %u1", "%mids NodeMaxPayloadsAMDX %u64", "%u4 = OpConstant %uint 4", u64},
		"payload count or node index differs within the workgroup: 64 payloads for index 0 here, 32 for 0 in another wave"},
	{"use after enqueue", "tree", []string{"%odd = OpUMod", "OpStore %pa %i\n %odd = OpUMod"}, "a payload is used after it was enqueued"},
	{"enqueued twice", "tree", []string{"%odd = OpUMod", "OpEnqueueNodePayloadsAMDX %a\n %odd = OpUMod"}, "a payload array is enqueued a second time"},
	{"beyond the array", "tree", []string{"OpAccessChain %p_uint %one %u0 %u0", "OpAccessChain %p_uint %one %u2 %u0"}, "its index is beyond the array"},
	{"enqueue by some waves", "late", []string{
		"OpEnqueueNodePayloadsAMDX %b\n", late + "%few = OpULessThan %bool %seen %u64\n OpSelectionMerge %rz None\n OpBranchConditional %few %ry %rz\n %ry = OpLabel\n OpEnqueueNodePayloadsAMDX %b\n OpBranch %rz\n %rz = OpLabel\n",
		"%void = OpTypeVoid", "%void = OpTypeVoid\n %bool = OpTypeBool", "%u4 = OpConstant %uint 4", u64}, "not in uniform control flow: wave 1 did not take part"},
	{"too many workgroups", "recursion", []string{"%halve MaxNumWorkgroupsAMDX %u4 %u4 %u1", "%halve MaxNumWorkgroupsAMDX %u4 %u4 %u1", "%h1 = OpConstant %ushort 1", "%h1 = OpConstant %ushort 9"}, "MaxNumWorkgroupsAMDX is [4 4 1]"},
	{"spent recursion", "recursion", []string{"%more = OpIsNodePayloadValidAMDX %bool %spans %u0", "%more = OpIEqual %bool %u0 %u0"}, "its recursion is spent"},
	{"write of a shared input", "recursion", []string{"%wn = OpLoad %uint %pnum", "%wn = OpLoad %uint %pnum\n OpStore %pnum %u0"}, "a node writes the input that it shares"},
}

func TestGraphFaults(t *testing.T) {
	for _, c := range graphFaults {
		for _, kind := range schedulerKinds {
			t.Run(c.name+"/"+kind, func(t *testing.T) {
				job := graphJobs[c.job]
				s := graphSetup(t, files(t, jobText(job.module, job.rest), c.change...), "rdna3-rx7900xtx", "scheduler.kind="+kind)
				_, err := Run(context.Background(), s)
				if !errors.Is(err, ErrRun) || !errors.Is(err, graph.ErrFault) || !strings.Contains(err.Error(), c.want) {
					t.Fatalf("%v, want a fault with %q", err, c.want)
				}
				if text := err.Error(); strings.Contains(text, "\n") || !strings.Contains(text, job.module) || !strings.Contains(text, " wave ") || !strings.Contains(text, "%") {
					t.Errorf("%q: want one line with shader, id and wave", text)
				}
			})
		}
	}
}

// No node index is below an array size of 0: OpIsNodePayloadValidAMDX is false, and an array of no payloads needs no node. A size that a job specializes counts as well.
func TestPayloadArrayOfNoIndexesHasNoValidNode(t *testing.T) {
	valid := func(output, index string) string {
		return "%ok" + index + " = OpIsNodePayloadValidAMDX %bool %" + output + " %" + index + "\n %n" + index + " = OpSelect %uint %ok" + index + " %u1 %u0\n"
	}
	change := []string{
		"%void = OpTypeVoid", "%void = OpTypeVoid\n %bool = OpTypeBool",
		"%b = OpAllocateNodePayloadsAMDX %p_leaves %u4 %u1 %odd", valid("leaves", "odd") + "%b = OpAllocateNodePayloadsAMDX %p_leaves %u4 %nodd %odd",
		"%one = OpAllocateNodePayloadsAMDX %p_leaves %u2 %u1 %u1", valid("leaves", "u1") + "%one = OpAllocateNodePayloadsAMDX %p_leaves %u2 %nu1 %u1",
		"OpStore %pb %v\n", "\n", "OpStore %pc %y\n", "\n",
		"%leaves PayloadNodeArraySizeAMDX %u2", "%leaves PayloadNodeArraySizeAMDX %size\n OpDecorate %size SpecId 3",
		"%u4 = OpConstant %uint 4", "%u4 = OpConstant %uint 4\n %size = OpSpecConstant %uint 0",
	}
	job := graphJobs["late"]
	for size, want := range map[string][]uint32{"": {0, 0}, "specialization: {3: 1}": {32, 0}, "specialization: {3: 2}": {32, 96}} {
		for _, kind := range schedulerKinds {
			r := mustRun(t, graphSetup(t, files(t, jobText(job.module, job.rest+"\n"+size), change...), "rdna4-like", "scheduler.kind="+kind))
			if got := words(r.Buffers[0].Bytes)[2:4]; !slices.Equal(got, want) {
				t.Errorf("%s, %s: the leaves ran %d times, want %d", kind, size, got, want)
			}
		}
	}
}

func TestGraphUnusedPayloadsAreCounted(t *testing.T) {
	job := graphJobs["tree"]
	r := mustRun(t, graphSetup(t, files(t, jobText(job.module, job.rest), "OpEnqueueNodePayloadsAMDX %b\n", ""), "rdna4-like"))
	if r.Stats.Graph.Unused != 256 {
		t.Errorf("%d payloads unused, want 256", r.Stats.Graph.Unused)
	}
}

// graphRefusals are jobs that can't be used.
var graphRefusals = []struct {
	name, module, rest string
	change             []string
	want               string
}{
	{"no target", "tree.spvasm", "\nnodes: [{entry: root}, {entry: mid}, {entry: leaf, index: 0}]\ngraph: [{node: root, payloads: [{u32: 1}]}]", nil, `payloads may be for "leaf" index 1, which is not a node of the graph (rule graph-target)`},
	{"no node below the base index", "tree.spvasm", "\nnodes: [{entry: root}, {entry: mid}, {entry: leaf, index: 1}]\ngraph: [{node: root, payloads: [{u32: 1}]}]", []string{"%leaves PayloadNodeArraySizeAMDX %u2", "%leaves PayloadNodeArraySizeAMDX %u2\n OpDecorateId %leaves PayloadNodeBaseIndexAMDX %u1"}, `payloads may be for "leaf" index 0, which is not a node of the graph (rule graph-target)`},
	{"no node below a specialized base index", "tree.spvasm", "\nspecialization: {5: 2}\nnodes: [{entry: root}, {entry: mid}, {entry: leaf, index: 1}]\ngraph: [{node: root, payloads: [{u32: 1}]}]", []string{"%leaves PayloadNodeArraySizeAMDX %u2", "%leaves PayloadNodeArraySizeAMDX %size\n OpDecorateId %leaves PayloadNodeBaseIndexAMDX %u1\n OpDecorate %size SpecId 5", "%u4 = OpConstant %uint 4", "%u4 = OpConstant %uint 4\n %size = OpSpecConstant %uint 1"}, `enqueues to leaf[0], which is not in the graph`},
	{"no single node", "tree.spvasm", "\nnodes: [{entry: root}, {entry: mid}, {entry: leaf, index: 1}]\ngraph: [{node: root, payloads: [{u32: 1}]}]", []string{"OpDecorateId %leaves PayloadNodeArraySizeAMDX %u2\n", "\n"}, `payloads may be for "leaf" index 0, which is not a node of the graph (rule graph-target)`},
	{"no payloads in an array", "tree.spvasm", graphJobs["tree"].rest, []string{"%mids NodeMaxPayloadsAMDX %u1", "%mids NodeMaxPayloadsAMDX %most\n OpDecorate %most SpecId 5", "%u4 = OpConstant %uint 4", "%u4 = OpConstant %uint 4\n %most = OpSpecConstant %uint 0"}, "the NodeMaxPayloadsAMDX of payload array type"},
	{"host's node of a shared input", "recursion.spvasm", graphJobs["recursion"].rest, []string{"OpExecutionModeId %watch IsApiEntryAMDX %false", "OpExecutionModeId %watch IsApiEntryAMDX %host", "%u4 = OpConstant %uint 4", "%u4 = OpConstant %uint 4\n %host = OpSpecConstantTrue %bool"}, "IsApiEntryAMDX is true on \"watch\", which shares its input"},
	{"two of a name", "tree.spvasm", "\nnodes: [{entry: root}, {entry: mid}, {entry: leaf}, {entry: leaf, name: leaf}]\ngraph: [{node: root, payloads: [{u32: 1}]}]", nil, `node "leaf" index 0: another node has that name and index (rule graph-unique)`},
	{"no payload", "tree.spvasm", "\nnodes: [{entry: root}, {entry: mid}, {entry: leaf}, {entry: leaf, index: 1}]\ngraph: [{node: root}]", nil, "its payload has 4 bytes"},
	{"unknown entry", "tree.spvasm", "\nnodes: [{entry: root}, {entry: mid}, {entry: leaf}, {entry: leaf, index: 1}]\ngraph: [{node: leaf, index: 5, payloads: [{u32: 1}]}]", nil, "found leaf[5]: want the name and index of a node"},
	{"not for the host", "recursion.spvasm", "\nnodes: [{entry: halve}, {entry: sum}, {entry: watch}]\ngraph: [{node: sum, payloads: [{u32: [0, 1, 0]}]}]", nil, "IsApiEntryAMDX is false"},
	{"shares its input", "recursion.spvasm", "\nnodes: [{entry: halve}, {entry: sum}, {entry: watch}]\ngraph: [{node: watch, payloads: [{u32: [0, 1, 0]}]}]", nil, "shares the input of sum[0]"},
	{"too deep", "recursion.spvasm", graphJobs["recursion"].rest, []string{"MaxNodeRecursionAMDX %u2", "MaxNodeRecursionAMDX %u64"}, "want at most 32, recursion counted"},
	{"cycle", "tree.spvasm", "\nnodes: [{entry: root, name: mid}, {entry: mid, name: leaf}, {entry: leaf, name: leaf, index: 1}]\ngraph: [{node: mid, payloads: [{u32: 1}]}]", nil, "enqueues"},
}

func TestGraphRefusals(t *testing.T) {
	for _, c := range graphRefusals {
		t.Run(c.name, func(t *testing.T) {
			_, err := Run(context.Background(), graphSetup(t, files(t, jobText(c.module, c.rest), c.change...), "rdna3-rx7900xtx"))
			if !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want input refused with %q", err, c.want)
			}
		})
	}
}

// Components of the dispatch size that a payload lacks are 1; here it lacks all.
func TestGraphPayloadWithoutDispatchSizeStartsOneWorkgroup(t *testing.T) {
	job := graphJobs["recursion"]
	fs := files(t, jobText(job.module, job.rest), "OpMemberDecorate %job 1 PayloadDispatchIndirectAMDX\n", "\n")
	for _, kind := range schedulerKinds {
		r := mustRun(t, graphSetup(t, fs, "rdna4-like", "scheduler.kind="+kind))
		// The four quarters of 0..32 begin at 0, 8, 16 and 24.
		if got, want := words(r.Buffers[0].Bytes[:16]), []uint32{48, 4, 32, 7}; !slices.Equal(got, want) {
			t.Errorf("%s: %d, want %d", kind, got, want)
		}
	}
}

// What modules break only together is tested when they are linked.
func TestGraphOfModulesThatDisagreeIsRefused(t *testing.T) {
	nodes := "nodes: [{entry: halve}, {entry: sum, shader: untracked.spvasm}, {entry: watch, shader: untracked.spvasm}]\n"
	fs := files(t, "shader: recursion.spvasm\n"+nodes+
		"graph: [{node: halve, index: 3, payloads: [{u32: [0, 0x00010001, 32]}]}]\nbuffers: [{set: 0, binding: 0, name: out, data: {zero: 128}}]\n")
	text := string(fs["recursion.spvasm"].Data)
	text = strings.Replace(text, "OpDecorate %job TrackFinishWritingAMDX\n", "\n", 1)
	text = strings.NewReplacer("OpFinishWritingNodePayloadAMDX %bool %work", "OpIEqual %bool %u0 %u0", "OpFinishWritingNodePayloadAMDX %bool %peek", "OpIEqual %bool %u0 %u0").Replace(text)
	fs["untracked.spvasm"] = &fstest.MapFile{Data: []byte(text)}
	_, err := Run(context.Background(), graphSetup(t, fs, "rdna3-rx7900xtx"))
	if !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), "(rule graph-finish)") {
		t.Errorf("%v, want input refused by rule graph-finish", err)
	}
}

func TestGraphIsDescribed(t *testing.T) {
	s := graphSetup(t, files(t, jobText("recursion.spvasm", graphJobs["recursion"].rest)), "rdna4-like", "queue.payload_bytes=16")
	var text, dot bytes.Buffer
	suite.OK(t, errors.Join(DescribeGraph(&text, s, false), DescribeGraph(&dot, s, true)))
	// At worst a workgroup of halve has two payloads for itself and one for sum,
	// 16 bytes each, on two levels, and on the last level the one alone.
	for _, want := range []string{"depth 4 of at most 32", "at levels 1 to 3", "16 bytes on chip; scratch memory: at least 96 bytes"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in:\n%s", want, &text)
		}
	}
	for _, want := range []string{`"halve[3]" -> "halve[3]" [label="up to 2, 2 times"]`, `"halve[3]" -> "sum[0]"`, `"sum[0]" -> "watch[0]" [style=dashed`} {
		if !strings.Contains(dot.String(), want) {
			t.Errorf("no %q in:\n%s", want, &dot)
		}
	}
}

// Buffers that no instruction of the entry point names need not be bound, neither in a dispatch nor in a graph: not where it lists them in its interface, nor where a literal of its code is
// the number of such a variable (here of storage class Function, of an index and of an alignment).
func TestUnusedBuffersNeedNotBeBound(t *testing.T) {
	var interfaces, decorations, variables strings.Builder
	for i := range 48 { // ids 2 to 49
		fmt.Fprintf(&interfaces, " %%unused%d", i)
		fmt.Fprintf(&decorations, "OpDecorate %%unused%d DescriptorSet 0\nOpDecorate %%unused%[1]d Binding %d\n", i, i+1)
		fmt.Fprintf(&variables, "%%unused%d = OpVariable %%p_block StorageBuffer\n", i)
	}
	module := strings.NewReplacer("INTERFACE", interfaces.String(), "DECORATIONS\n", decorations.String(), "VARIABLES\n", variables.String()).Replace(`OpCapability Shader
EXTENSION
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"INTERFACE %out
OpExecutionMode %main LocalSize 1 1 1
MODE
DECORATIONS
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 0
OpDecorate %array ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%pair = OpTypeStruct %uint %uint %uint %uint
%u0 = OpConstant %uint 0
%u1 = OpConstant %uint 1
%u9 = OpConstant %uint 9
%pairs = OpConstantComposite %pair %u0 %u1 %u0 %u9
%array = OpTypeRuntimeArray %uint
%block = OpTypeStruct %array
%p_block = OpTypePointer StorageBuffer %block
%p_uint = OpTypePointer StorageBuffer %uint
%p_local = OpTypePointer Function %uint
VARIABLES
%out = OpVariable %p_block StorageBuffer
%main = OpFunction %void None %fn
%entry = OpLabel
%local = OpVariable %p_local Function
%nine = OpCompositeExtract %uint %pairs 3
OpStore %local %nine
%v = OpLoad %uint %local
%o = OpAccessChain %p_uint %out %u0 %u0
OpStore %o %v Aligned 4
OpReturn
OpFunctionEnd
`)
	for _, c := range []struct{ extension, mode, job string }{
		{"", "", "dispatch: [1]"},
		{"OpCapability ShaderEnqueueAMDX\nOpExtension \"SPV_AMDX_shader_enqueue\"", "OpExecutionModeId %main StaticNumWorkgroupsAMDX %u1 %u1 %u1", "nodes: [{entry: main}]\ngraph: [{node: main}]"},
	} {
		text := strings.NewReplacer("EXTENSION", c.extension, "MODE\n", c.mode+"\n").Replace(module)
		fs := fstest.MapFS{"m.spvasm": {Data: []byte(text)}, "job.yaml": {Data: []byte(jobText("m.spvasm", "\n"+c.job))}}
		if got := words(mustRun(t, graphSetup(t, fs, "rdna3-rx7900xtx")).Buffers[0].Bytes)[0]; got != 9 {
			t.Errorf("%s: stored %d, want 9", c.job, got)
		}
	}
}

package systemtest

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spvsim/gpu"
	"spvsim/internal/ledger"
	"spvsim/internal/suite"
)

// queueAlternatives are the designs that keys choose among, on a machine of two engines with queues small enough to fill.
var queueAlternatives = []struct {
	name string
	set  []string
}{
	{"central", []string{"scheduler.kind=hardware"}},
	{"engines", []string{"scheduler.kind=hardware", "queue.placement=engine", "queue.steal=4"}},
	{"units", []string{"scheduler.kind=hardware", "queue.placement=unit", "queue.steal=0"}},
	{"units that steal", []string{"scheduler.kind=hardware", "queue.placement=unit", "queue.steal=2"}},
	{"stall", []string{"scheduler.kind=hardware", "queue.full=stall"}},
	{"stall, not for long", []string{"scheduler.kind=hardware", "queue.full=stall", "queue.full_wait=10", "queue.latency=0"}},
	{"retry", []string{"scheduler.kind=hardware", "queue.full=retry", "queue.retry_cycles=30"}},
	{"refill late", []string{"scheduler.kind=hardware", "queue.refill_threshold=0", "queue.spill_lines=1"}},
	{"adaptive window", []string{"scheduler.kind=hardware", "queue.window=adaptive", "queue.coalescing_window=500", "queue.packing_window=500", "queue.pack_threads=true"}},
	{"payload cache", []string{"scheduler.kind=hardware", "queue.payload_memory=cache", "queue.payload_bytes=4096"}},
	{"breadth first", []string{"scheduler.kind=hardware", "queue.arbitration=breadth-first"}},
	{"in turn", []string{"scheduler.kind=hardware", "queue.arbitration=round-robin"}},
	{"priority", []string{"scheduler.kind=hardware", "queue.arbitration=priority"}},
	{"firmware", []string{"scheduler.kind=firmware", "queue.placement=unit"}},
	{"multipass", []string{"scheduler.kind=multipass", "queue.arbitration=priority"}},
	{"lists", []string{"scheduler.kind=lists"}},
	{"lists by node", []string{"scheduler.kind=lists", "scheduler.list_split=node", "scheduler.lists_in_flight=2", "scheduler.list_memory=memory", "front_end.fetch_cycles=100", "front_end.fetch_bytes=128"}},
	{"generated", []string{"scheduler.kind=generated", "scheduler.list_append=record", "scheduler.list_memory=memory", "front_end.open_per_pipe=2"}},
	{"lists without a barrier", []string{"scheduler.kind=lists", "scheduler.list_barrier=false", "scheduler.list_append=record"}},
	{"persistent", []string{"scheduler.kind=persistent", "queue.window=adaptive"}},
}

// smallQueue is the machine of all of them.
var smallQueue = []string{"shader_engines=2", "compute_units=2", "fetch.enabled=false", "queue.depth=8", "dispatcher.kernel_launch_cycles=0", "scheduler.firmware_dispatch_cycles=0"}

// Graphs of the library leave the same buffers whatever schedules them, under every alternative and on one thread or three.
func TestQueueAlternativesLeaveTheSameBuffers(t *testing.T) {
	jobs := []string{"bfs", "classify", "coalesced", "hlsl", "indirect", "koch", "lastsum", "mesh", "perlane", "shared", "sparse"}
	if testing.Short() {
		jobs = []string{"hlsl", "perlane"}
	}
	for _, name := range jobs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var first *gpu.Result
			for i, a := range queueAlternatives {
				r := run(t, name, append(a.set, smallQueue...), &gpu.Setup{Threads: 1 + i%2*2})
				if first == nil {
					first = r
				}
				for k, b := range r.Buffers {
					if !bytes.Equal(b.Bytes, first.Buffers[k].Bytes) {
						t.Errorf("%s: buffer %s is another than under %s", a.name, b.Name, queueAlternatives[0].name)
					}
				}
			}
		})
	}
}

// A graph takes the same cycles and counts the same on one thread and on three, and with each turn as an event, under every alternative.
func TestThreadsChangeNothingInGraphs(t *testing.T) {
	jobs := []string{"koch", "classify", "bfs"}
	if testing.Short() {
		jobs = jobs[:1]
	}
	for _, name := range jobs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, a := range queueAlternatives {
				set := append(a.set, smallQueue...)
				one, three := outcome(t, name, set, &gpu.Setup{Threads: 1}), outcome(t, name, set, &gpu.Setup{Threads: 3})
				if diff := cmp.Diff(one, three); diff != "" {
					t.Errorf("%s: one thread, and three:\n%s", a.name, diff)
				}
				events := outcome(t, name, set, &gpu.Setup{Attach: ledger.EachTurn})
				if diff := cmp.Diff(events, one); diff != "" {
					t.Errorf("%s: each turn as an event, and ahead:\n%s", a.name, diff)
				}
			}
		})
	}
}

// The least time that spvsim graph prints for the way through all levels is no more than what the critical path waits and starts, and
// under a hardware queue, with one payload, all but the cycles that ports take.
func TestLeastTimeOfThePath(t *testing.T) {
	for _, kind := range []string{"hardware", "firmware", "multipass", "lists", "generated", "persistent"} {
		setup := &gpu.Setup{}
		r := run(t, "lastsum", []string{"scheduler.kind=" + kind}, setup)
		var text bytes.Buffer
		suite.OK(t, gpu.DescribeGraph(&text, *setup, false))
		_, rest, _ := strings.Cut(text.String(), "under "+kind+": at least ")
		least, path := uint64(0), uint64(0)
		if _, err := fmt.Sscanf(rest, "%d cycles", &least); err != nil {
			t.Fatalf("%v in:\n%s", err, &text)
		}
		for i := range r.Stats.Graph.Nodes {
			p := &r.Stats.Graph.Nodes[i].Path
			path += p.Wait + p.Start
		}
		if path < least || kind == "hardware" && path > least+8 {
			t.Errorf("%s: the path waits and starts for %d cycles, %d at least", kind, path, least)
		}
	}
}

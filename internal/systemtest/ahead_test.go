package systemtest

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spvsim/config"
	"spvsim/experiments"
	"spvsim/gpu"
	"spvsim/internal/ledger"
	"spvsim/internal/suite"
	"spvsim/tracing"
)

// Compute units go ahead of the engine while no other part sees it. With a hook on the engine somebody can, and each turn is an event of its own:
// statistics and buffers are the same. Jobs have divergent loops, barriers, LDS, atomics, scratch memory and several launches.
func TestGoingAheadChangesNothing(t *testing.T) {
	for _, name := range []string{"reduce", "bitonic", "histogram", "nbody", "transpose-plain", "spmv", "mandelbrot", "matmul", "classify", "koch", "mariani", "rasteriser"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sameAhead(t, name, nil)
		})
	}
	// Its waves ask for sizes of buffers, for which the scalar units of all SIMDs are taken: one unit has enough of them side by side.
	t.Run("spmv on one unit", func(t *testing.T) {
		t.Parallel()
		sameAhead(t, "spmv", []string{"shader_engines=1", "compute_units=1", "fetch.enabled=false"})
	})
}

func sameAhead(t *testing.T, name string, set []string) {
	t.Helper()
	ahead, step := outcome(t, name, set, &gpu.Setup{}), outcome(t, name, set, &gpu.Setup{Attach: ledger.EachTurn})
	if diff := cmp.Diff(step, ahead); diff != "" {
		t.Errorf("each turn as an event, and ahead:\n%s", diff)
	}
}

// Which thread runs a compute unit ahead makes no difference: statistics, counts of each instruction
// and buffers are the same with any number of them, on every job of the library and on the machine of its own.
// With one, the components' events are those that the engine handled.
func TestThreadsChangeNothing(t *testing.T) {
	names := []string{"nbody", "bitonic", "bfs", "koch"}
	if !testing.Short() {
		names = experiments.Names()
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			one, three := outcome(t, name, whole, &gpu.Setup{Threads: 1, Components: true}), outcome(t, name, whole, &gpu.Setup{Threads: 3})
			if diff := cmp.Diff(one, three); diff != "" {
				t.Errorf("one thread, and three:\n%s", diff)
			}
		})
	}
}

var aheadLimits = []struct {
	name string
	set  []string
}{
	{"few miss entries", []string{"vector_l1.misses=2", "scalar_l1.misses=1"}},
	{"many", []string{"vector_l1.misses=0", "scalar_l1.misses=0"}},
	{"few entries", []string{"vector_l1.requests=2", "vector_l1.write_buffer=1", "vector_l1.atomics=1", "vector_l1.link_credits=1",
		"scalar_l1.requests=1", "scalar_l1.link_credits=1", "l2.requests=1", "l2.write_buffer=1", "l2.atomics=1", "memory.requests=1"}},
	{"no latency", []string{"vector_l1.latency_cycles=0", "scalar_l1.latency_cycles=0"}},
	{"shared", []string{"vector_l1.shared_by=2", "vector_l1.slices=2"}},
	{"round-robin", []string{"issue.policy=round-robin"}},
	{"greedy, three", []string{"issue.policy=greedy", "issue.width=3"}},
	{"one a turn", []string{"issue.per_category=false", "issue.width=1"}},
	{"one unit", []string{"shader_engines=1", "compute_units=1"}},
	{"translations", []string{"issue.cadence=1", "vector_memory.translation_cycles=4", "vector_memory.translation_entries=8", "vector_memory.translation_bytes=4096"}},
	{"second level", []string{"vector_memory.translation_entries=4", "translation.entries=8", "translation.latency_cycles=9", "translation.walk_cycles=200"}},
	{"walkers", []string{"vector_memory.translation_entries=4", "translation.entries=8", "translation.walkers=2", "translation.walk_cycles=200"}},
	{"latency FIFO", []string{"vector_memory.latency_fifo=48"}},
}

// The same where loads that issue ahead of the engine come to their limits: caches of few miss entries, of no latency or shared by
// units, SIMDs that do not take the oldest wave first or issue several, and one unit, for which the threads wait.
func TestThreadsChangeNothingAtLimits(t *testing.T) {
	for i, limit := range aheadLimits {
		for k, name := range []string{"matmul", "gemm", "spmv", "peer-convolution"} {
			if testing.Short() && name != "spmv" || !testing.Short() && !suite.AllCases() && (i+k)%2 != 0 {
				continue
			}
			t.Run(limit.name+", "+name, func(t *testing.T) {
				t.Parallel()
				one, two := outcome(t, name, limit.set, &gpu.Setup{Threads: 1, Components: true}), outcome(t, name, limit.set, &gpu.Setup{Threads: 2})
				if diff := cmp.Diff(one, two); diff != "" {
					t.Errorf("one thread, and two:\n%s", diff)
				}
			})
		}
	}
}

// Akita's caches and connections have events too, which no part of this project counts.
func TestEventsOfAkitasMemory(t *testing.T) {
	suite.NeedsAkita(t)
	if testing.Short() {
		t.Skip("runs a job on Akita's memory")
	}
	outcome(t, "reduce", []string{"shader_engines=1", "compute_units=2", "memory.model=akita"}, &gpu.Setup{Components: true})
}

// Asked for the work of its components, a run takes one thread and says so.
func TestComponentsAreCountedOnOneThread(t *testing.T) {
	var of []*gpu.Result
	for _, threads := range []int{1, 3} {
		r := run(t, "nbody", nil, &gpu.Setup{Threads: threads, Components: true})
		if r.WorkerTurns != 0 || len(r.Warnings) != threads/2 {
			t.Errorf("%d threads: workers had %d turns; warnings %q", threads, r.WorkerTurns, r.Warnings)
		}
		of = append(of, r)
	}
	if diff := cmp.Diff(of[0].Components, of[1].Components); diff != "" {
		t.Errorf("one thread, and three:\n%s", diff)
	}
}

// Threads beside the engine's run turns of compute units.
func TestThreadsWork(t *testing.T) {
	for threads, work := range map[int]bool{1: false, 2: true} {
		if r := run(t, "peer-matmul", whole, &gpu.Setup{Threads: threads}); (r.WorkerTurns > 0) != work {
			t.Errorf("%d threads: those beside the engine's had %d turns", threads, r.WorkerTurns)
		}
	}
}

// They do in execution graphs too.
func TestThreadsWorkInGraphs(t *testing.T) {
	for range 20 { // a run takes some milliseconds: other tests may have the host's processors for all of one
		r := run(t, "mariani", whole, &gpu.Setup{Threads: 3})
		if len(r.Warnings) > 0 {
			t.Fatalf("warnings %q", r.Warnings)
		}
		if r.WorkerTurns > 0 {
			return
		}
	}
	t.Error("threads beside the engine's had no turn in 20 runs")
}

// whole leaves a job's machine as it is; nil is two of its compute units, without instruction caches.
var whole = []string{}

// checkEvents compares the events of the components with the engine's own count.
func checkEvents(t *testing.T, r *gpu.Result) {
	t.Helper()
	sum := uint64(0)
	for _, c := range r.Components {
		sum += c.Events
	}
	if sum != r.Events || sum == 0 {
		t.Errorf("the components have %d events, the engine handled %d", sum, r.Events)
	}
}

// outcome is what a job of the library comes to on a machine with some keys set: its statistics, but for those of the host, counts and buffers.
func outcome(t *testing.T, name string, set []string, setup *gpu.Setup) map[string]any {
	t.Helper()
	r := run(t, name, set, setup)
	if setup.Components {
		checkEvents(t, r)
	}
	r.Stats.Host = tracing.Host{}
	data := suite.Must(json.Marshal(r.Stats))(t)
	out := map[string]any{}
	suite.OK(t, json.Unmarshal(data, &out))
	for _, l := range r.Listings {
		out["counts of "+l.Program.Name] = l.Counts
	}
	for _, b := range r.Buffers {
		out["buffer "+b.Name] = sha256.Sum256(b.Bytes)
	}
	return out
}

// run runs a job of the library on a machine with some keys set.
func run(t *testing.T, name string, set []string, setup *gpu.Setup) *gpu.Result {
	t.Helper()
	job := suite.Must(config.LoadJob(os.DirFS(filepath.FromSlash("../../experiments/library")), name+".yaml"))(t)
	if set == nil {
		set = []string{"shader_engines=1", "compute_units=2", "fetch.enabled=false"}
	}
	machine := suite.Must(config.LoadMachine(config.Request{Job: job, Set: set}))(t)
	setup.Machine, setup.Job = machine, job
	r := suite.Must(gpu.Run(context.Background(), *setup))(t)
	return r
}

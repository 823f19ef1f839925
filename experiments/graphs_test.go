package experiments

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"spvsim/config"
	"spvsim/gpu"
	"spvsim/internal/suite"
	"strings"
	"testing"
)

// graphJobs are the ready jobs that run an execution graph.
func graphJobs() []string {
	var names []string
	for _, r := range graphReferences {
		if !slices.Contains(names, r.job) {
			names = append(names, r.job)
		}
	}
	return names
}

var schedulers = []string{"hardware", "firmware", "multipass", "lists", "generated", "persistent"}

// A graph leaves the same buffers under every scheduler and on every machine: those of its reference.
func TestGraphsGiveTheSameBuffersUnderEveryScheduler(t *testing.T) {
	for _, name := range graphJobs() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			job := load(t, name)
			for m, machine := range []string{"gcn3-r9nano", "rdna3-rx7900xtx"} {
				for k, kind := range schedulers {
					if testing.Short() && (k/2 != m || k%2 != len(name)%2) || !suite.AllCases() && (k+m)%2 != 0 {
						continue // two schedulers on each machine, or one on one
					}
					sameAsReferences(t, name, execute(t, job, machine, "scheduler.kind="+kind))
					if t.Failed() {
						t.Fatalf("under %s on %s", kind, machine)
					}
				}
			}
		})
	}
}

// sameAsReferences compares all buffers of a graph: those without a reference must not change.
func sameAsReferences(t *testing.T, name string, got map[string][]byte) {
	t.Helper()
	job := load(t, name)
	before := contents(t, job)
	for buffer, data := range before {
		i := slices.IndexFunc(references, func(r reference) bool { return r.job == name && r.buffer == buffer })
		if i < 0 {
			if !bytes.Equal(got[buffer], data) {
				t.Errorf("buffer %s was written", buffer)
			}
			continue
		}
		compare(t, got[buffer], references[i].want(before), references[i].tolerance)
	}
}

// scratchSteps are the sizes of scratch memory from the least to the most that a graph can use, a factor of four apart.
func scratchSteps(t *testing.T, job *config.Job, machine string, set []string) []uint64 {
	t.Helper()
	m := suite.Must(config.LoadMachine(config.Request{Machine: machine, Job: job, Set: set}))(t)
	var text strings.Builder
	suite.OK(t, gpu.DescribeGraph(&text, gpu.Setup{Machine: m, Job: job}, false))
	least, most := scratchRange(text.String())
	if least == 0 || most <= least {
		t.Fatalf("scratch from %d to %d bytes: %s", least, most, text.String())
	}
	var steps []uint64
	for s := least; s < min(most, 1<<22); s *= 4 {
		steps = append(steps, s)
	}
	return append(steps, most)
}

// From the least scratch memory to the most, a graph finishes with the same buffers, and time falls or stays.
func TestMoreScratchMemoryIsNoSlower(t *testing.T) {
	kindsOn := map[string][]string{"gcn3-r9nano": schedulers, "rdna3-rx7900xtx": {"hardware"}}
	if testing.Short() {
		kindsOn = map[string][]string{"gcn3-r9nano": {"hardware"}}
	}
	for _, name := range []string{"mariani", "rasteriser"} {
		if testing.Short() && name != "rasteriser" {
			continue
		}
		for machine, kinds := range kindsOn {
			if !suite.AllCases() && name == "mariani" {
				kinds = kinds[:1]
			}
			for _, kind := range kinds {
				t.Run(name+"/"+machine+"/"+kind, func(t *testing.T) {
					t.Parallel()
					skipUnderRace(t, name)
					sweepScratch(t, name, machine, []string{"scheduler.kind=" + kind, "queue.payload_bytes=0"})
				})
			}
		}
	}
}

// scratchSlack is the divisor of the tolerated slowdown by more scratch memory. Workers and queues poll for work at
// intervals: the position of a payload's arrival within an interval is chance, worth up to a fiftieth. Persistent
// workers pop one word of memory, whose atomics are serialized: with more payloads at once, more workers wait for it,
// which was worth a ninth.
func scratchSlack(kind string) uint64 {
	if kind == "persistent" {
		return 8
	}
	return 50
}

func sweepScratch(t *testing.T, name, machine string, set []string) {
	t.Helper()
	job := load(t, name)
	least := uint64(math.MaxUint64 / 2)
	for _, bytes := range scratchSteps(t, job, machine, set) {
		m := suite.Must(config.LoadMachine(config.Request{Machine: machine, Job: job, Set: append(set, fmt.Sprintf("queue.scratch_bytes=%d", bytes))}))(t)
		r, err := gpu.Run(context.Background(), gpu.Setup{Machine: m, Job: job, MaxCycles: 1e8}) // checks the buffers
		if err != nil {
			t.Fatalf("%d bytes: %v", bytes, err)
		}
		if r.Stats.Cycles > least+least/scratchSlack(m.Scheduler.Kind) {
			t.Errorf("%d bytes of scratch memory: %d cycles, %d with less", bytes, r.Stats.Cycles, least)
		}
		least = min(least, r.Stats.Cycles)
	}
}

// A cycle limit ends a graph like a launch, even if memory has events of its own.
func TestGraphsKeepToTheCycleLimit(t *testing.T) {
	for _, model := range []string{"fast", "akita"} {
		job := load(t, "bfs")
		m := suite.Must(config.LoadMachine(config.Request{Job: job, Set: []string{"memory.model=" + model, "compute_units=1", "scheduler.kind=hardware"}}))(t)
		if _, err := gpu.Run(context.Background(), gpu.Setup{Machine: m, Job: job, MaxCycles: 20000}); !errors.Is(err, gpu.ErrLimit) {
			t.Errorf("memory %s: %v, want the limit", model, err)
		}
	}
}

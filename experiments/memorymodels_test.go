package experiments

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"spvsim/config"
	"spvsim/gpu"
	"spvsim/internal/suite"
)

// modelFactor bounds how far apart the cycles of the two memory models are for a job of the library.
const modelFactor = 1.4

// heavy are the jobs with so many memory accesses that a run with messages for each line takes seconds, and whose
// memory behaviour another job covers.
var heavy = []string{
	"deferred-quads", "environment", "helper-lanes", "micro-atomic", "micro-bandwidth", "micro-chase", "micro-gather", "micro-latency", "micro-launch", "micro-read", "micro-stream", "micro-stride", "micro-turns", "peer-atax", "peer-bitonic", "peer-convolution", "peer-fir", "peer-matmul",
	"qdot8", "saxpy", "stencil2d", "textured-triangle", "transpose-padded", "transpose-swizzled",
	"transpose-views", "vectoradd",
}

// slow are the jobs that take as long as all others, for the whole suite.
var slow = []string{"koch-queues", "mariani", "peer-transpose", "rasteriser"}

// Every job gives the same buffers with Akita's caches, and ends in about the same time.
func TestMemoryModelsAgreeOnEveryJob(t *testing.T) {
	if testing.Short() {
		t.Skip("runs most of the library twice")
	}
	suite.NeedsAkita(t)
	rows := readModelRows(t)
	for _, name := range Names() {
		if slices.Contains(heavy, name) || !suite.AllCases() && slices.Contains(slow, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			machine := "gcn3-r9nano"
			if name == "latency" {
				machine = "" // its results are the times of its own machine
			}
			rows.set(t, name, sameUnderBothModels(t, name, machine))
		})
	}
}

// Every preset can be built with Akita's caches, whatever its lines and levels.
func TestMemoryModelsAgreeOnEveryPreset(t *testing.T) {
	suite.NeedsAkita(t)
	jobs := []string{"lastsum", "bfs", "histogram", "reduce"}
	if testing.Short() {
		jobs = jobs[:1]
	}
	for i, machine := range config.Presets() {
		if testing.Short() && i%2 != 0 {
			continue
		}
		for k, name := range jobs {
			if n := presetJobs(len(jobs)); (i+k)%(len(jobs)/n) != 0 {
				continue
			}
			t.Run(machine+"/"+name, func(t *testing.T) {
				t.Parallel()
				sameUnderBothModels(t, name, machine)
			})
		}
	}
}

// presetJobs returns the number of jobs per preset.
func presetJobs(all int) int {
	if suite.AllCases() {
		return min(2, all)
	}
	return 1
}

// underScheduler sets each scheduler of execution graphs. Under akita a poll of a persistent worker keeps the bank that has
// the queue's counter for some four cycles; the polls of one worker for each compute unit still find it free.
var underScheduler = []string{"scheduler.kind=hardware", "scheduler.kind=firmware", "scheduler.kind=multipass",
	"scheduler.kind=persistent scheduler.persistent_groups=1"}

// Graphs end in about the same time under both models, whoever schedules them.
func TestMemoryModelsAgreeOnEveryScheduler(t *testing.T) {
	suite.NeedsAkita(t)
	for _, name := range []string{"bfs", "lastsum", "mariani"} {
		for _, kind := range underScheduler {
			if testing.Short() && name != "lastsum" || !suite.AllCases() && slices.Contains(slow, name) {
				continue
			}
			t.Run(name+"/"+kind, func(t *testing.T) {
				t.Parallel()
				sameUnderBothModels(t, name, "gcn3-r9nano", strings.Fields(kind)...)
			})
		}
	}
}

// A run whose work has ended does not reach a limit that follows directly, though parts of the machine still work; a
// run with work left at the limit does.
func TestCycleLimitAfterEnd(t *testing.T) {
	for i, kind := range underScheduler {
		for k, model := range suite.MemoryModels() {
			if testing.Short() && (i+k)%2 != 0 {
				continue
			}
			set := append(strings.Fields(kind), "memory.model="+model)
			job, m := settled(t, "lastsum", "gcn3-r9nano", set)
			free := suite.Must(gpu.Run(context.Background(), gpu.Setup{Machine: m, Job: job}))(t)
			end := free.Stats.Cycles
			r, err := gpu.Run(context.Background(), gpu.Setup{Machine: m, Job: job, MaxCycles: end + 1})
			if err != nil {
				t.Errorf("%v, limit %d: %v", set, end+1, err)
			} else if r.Stats.Cycles != end {
				t.Errorf("%v: %d cycles with a limit, %d without", set, r.Stats.Cycles, end)
			}
			if _, err := gpu.Run(context.Background(), gpu.Setup{Machine: m, Job: job, MaxCycles: end / 2}); !errors.Is(err, gpu.ErrLimit) {
				t.Errorf("%v, limit %d: %v, want that of the limit", set, end/2, err)
			}
		}
	}
}

func sameUnderBothModels(t *testing.T, name, machine string, set ...string) modelCycles {
	t.Helper()
	skipUnderRace(t, name)
	fast, akita := underModel(t, name, machine, "fast", set), underModel(t, name, machine, "akita", set)
	for i, b := range fast.Buffers {
		if !unordered[name+"/"+b.Name] && !bytes.Equal(b.Bytes, akita.Buffers[i].Bytes) {
			t.Errorf("buffer %s differs", b.Name)
		}
	}
	ratio := float64(akita.Stats.Cycles) / float64(fast.Stats.Cycles)
	t.Logf("fast %d cycles, akita %d: %.3f", fast.Stats.Cycles, akita.Stats.Cycles, ratio)
	if ratio > modelFactor || ratio < 1/modelFactor {
		t.Errorf("the models differ by more than %g", modelFactor)
	}
	return modelCycles{fast.Stats.Cycles, akita.Stats.Cycles}
}

func underModel(t *testing.T, name, machine, model string, set []string) *gpu.Result {
	t.Helper()
	job, m := settled(t, name, machine, append(set[:len(set):len(set)], "memory.model="+model), smaller[name]...)
	r, err := gpu.Run(context.Background(), gpu.Setup{Machine: m, Job: job, MaxCycles: 2e6})
	if err != nil && !isOfFullSize(name, err) {
		t.Fatalf("%s: %v", model, err)
	}
	return r
}

// settled is a job and a machine with settings.
func settled(t *testing.T, name, machine string, set []string, parameters ...string) (*config.Job, *config.Machine) {
	t.Helper()
	job := loadWith(t, name, parameters)
	m := suite.Must(config.LoadMachine(config.Request{Machine: machine, Job: job, Set: set}))(t)
	return job, m
}

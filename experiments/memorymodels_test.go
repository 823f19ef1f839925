package experiments

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"spvsim/config"
	"spvsim/gpu"
)

// modelFactor bounds how far apart the cycles of the two memory models are for a job of the library.
const modelFactor = 1.4

// heavy are the jobs that ask memory so often that a run with messages for each line takes seconds. The one of them that is
// not here is peer-transpose: its stores evict lines that are read again at once, in all slices of the L2.
var heavy = []string{
	"deferred-quads", "environment", "helper-lanes", "peer-atax", "peer-bitonic", "peer-convolution", "peer-fir", "peer-matmul",
	"qdot8", "saxpy", "stencil2d", "textured-triangle", "transpose-padded", "transpose-swizzled",
	"transpose-views", "vectoradd",
}

// Every job gives the same buffers when memory is made of Akita's caches, and ends in about the same time.
func TestMemoryModelsAgreeOnEveryJob(t *testing.T) {
	for _, name := range Names() {
		if slices.Contains(heavy, name) || testing.Short() && strings.HasPrefix(name, "peer-") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			machine := "gcn3-r9nano"
			if name == "latency" {
				machine = "" // its results are the times of its own
			}
			sameUnderBothModels(t, name, machine)
		})
	}
}

// Every preset can be built of Akita's caches, whatever its lines and levels.
func TestMemoryModelsAgreeOnEveryPreset(t *testing.T) {
	for _, machine := range config.Presets() {
		for _, name := range []string{"bfs", "histogram", "lastsum", "reduce"} {
			t.Run(machine+"/"+name, func(t *testing.T) {
				t.Parallel()
				sameUnderBothModels(t, name, machine)
			})
		}
	}
}

func sameUnderBothModels(t *testing.T, name, machine string) {
	t.Helper()
	skipUnderRace(t, name)
	fast, akita := underModel(t, name, machine, "fast"), underModel(t, name, machine, "akita")
	for i, b := range fast.Buffers {
		if !bytes.Equal(b.Bytes, akita.Buffers[i].Bytes) {
			t.Errorf("buffer %s differs", b.Name)
		}
	}
	ratio := float64(akita.Stats.Cycles) / float64(fast.Stats.Cycles)
	t.Logf("fast %d cycles, akita %d: %.3f", fast.Stats.Cycles, akita.Stats.Cycles, ratio)
	if ratio > modelFactor || ratio < 1/modelFactor {
		t.Errorf("the models differ by more than %g", modelFactor)
	}
}

func underModel(t *testing.T, name, machine, model string) *gpu.Result {
	t.Helper()
	job := load(t, name)
	m, err := config.LoadMachine(config.Request{Machine: machine, Job: job, Set: []string{"memory.model=" + model}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := gpu.Run(context.Background(), gpu.Setup{Machine: m, Job: job, MaxCycles: 2e6})
	if err != nil {
		t.Fatalf("%s: %v", model, err)
	}
	return r
}

package systemtest

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/sarchlab/akita/v3/sim"

	"spvsim/config"
	"spvsim/gpu"
	"spvsim/tracing"
)

// listener is a hook that hears of events and does nothing.
type listener struct{}

func (listener) Func(sim.HookCtx) {}

// Compute units go ahead of the engine while nobody can tell. With a hook on the engine somebody can, and each turn is an event of its own:
// statistics and buffers are the same. Jobs have divergent loops, barriers, LDS, atomics, scratch memory and several launches.
func TestGoingAheadChangesNothing(t *testing.T) {
	for _, name := range []string{"reduce", "bitonic", "histogram", "nbody", "transpose-plain", "spmv", "mandelbrot", "matmul"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ahead, step := outcome(t, name, nil), outcome(t, name, func(e sim.Engine, _ []sim.Component) error {
				e.AcceptHook(listener{})
				return nil
			})
			if diff := cmp.Diff(step, ahead); diff != "" {
				t.Errorf("each turn as an event, and ahead:\n%s", diff)
			}
		})
	}
}

// outcome is what a job of the library comes to on two compute units: its statistics, but for those of the host, and its buffers.
func outcome(t *testing.T, name string, attach func(sim.Engine, []sim.Component) error) map[string]any {
	t.Helper()
	job, err := config.LoadJob(os.DirFS(filepath.FromSlash("../experiments/library")), name+".yaml")
	if err != nil {
		t.Fatal(err)
	}
	machine, err := config.LoadMachine(config.Request{Job: job, Set: []string{"shader_engines=1", "compute_units=2", "fetch.enabled=false"}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := gpu.Run(context.Background(), gpu.Setup{Machine: machine, Job: job, Attach: attach})
	if err != nil {
		t.Fatal(err)
	}
	r.Stats.Host = tracing.Host{}
	data, err := json.Marshal(r.Stats)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]any{}
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	for _, b := range r.Buffers {
		out["buffer "+b.Name] = b.Bytes
	}
	return out
}

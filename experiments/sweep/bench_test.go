package sweep

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"spvsim/config"
)

// varied has 100 points of as many machines.
const varied = `job: reduce
axes:
  slots: {path: machine.wave_slots, values: [8, 10, 16, 20]}
  barrier: {path: machine.barrier_latency, from: 11, to: 35}
`

// variedPlan is the plan of varied.
func variedPlan(t testing.TB) *Plan {
	t.Helper()
	experiment := filepath.Join(t.TempDir(), "e.yaml")
	if err := os.WriteFile(experiment, []byte(varied), 0o644); err != nil {
		t.Fatal(err)
	}
	e, at, err := Choice{Name: experiment}.Load()
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewPlan(t.Context(), e, at, false, Limits{}, Identity{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// BenchmarkPointOverhead is the time of a point of a bundle beside its simulation, in a worker.
func BenchmarkPointOverhead(b *testing.B) {
	p := variedPlan(b)
	file := filepath.Join(b.TempDir(), BundleFile)
	if err := p.bundle(p.Specs, make([]float64, len(p.Specs))).write(file, 1); err != nil {
		b.Fatal(err)
	}
	var points, out bytes.Buffer
	for i := range b.N {
		text, err := json.Marshal(&p.Specs[i%len(p.Specs)])
		if err != nil {
			b.Fatal(err)
		}
		points.Write(append(text, '\n'))
	}
	from, err := OpenBundle(file)
	if err != nil {
		b.Fatal(err)
	}
	nothing := func(context.Context, *config.Run) (Output, error) { return Output{Stats: []byte("{}")}, nil }
	b.ResetTimer()
	if err := RunWorker(b.Context(), &points, &out, from, nothing, func() {}); err != nil {
		b.Fatal(err)
	}
	if done := bytes.Count(out.Bytes(), []byte(`"status":"done"`)); done != b.N {
		b.Fatalf("%d of %d points", done, b.N)
	}
}

package gpu

import (
	"context"
	"testing"

	"spvsim/config"
	"spvsim/experiments"
)

// BenchmarkRun runs whole jobs: preparation, simulation and checks. The rate counts wave instructions.
func BenchmarkRun(b *testing.B) {
	for _, name := range []string{"peer-fir", "peer-matmul", "peer-bitonic", "peer-convolution", "peer-transpose", "peer-atax"} {
		b.Run(name, func(b *testing.B) {
			files, file, _, err := experiments.Lookup(name)
			if err != nil {
				b.Fatal(err)
			}
			job, err := config.LoadJob(files, file)
			if err != nil {
				b.Fatal(err)
			}
			m, err := config.LoadMachine(config.Request{Job: job})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			var issued uint64
			for b.Loop() {
				r, err := Run(context.Background(), Setup{Machine: m, Job: job})
				if err != nil {
					b.Fatal(err)
				}
				issued += r.Stats.Instructions()
			}
			b.ReportMetric(float64(issued)/b.Elapsed().Seconds()/1e3, "kinst/s")
		})
	}
}

package gpu

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"spvsim/config"
)

// slowDXC are the jobs of which testing.Short runs one scheduler on one machine.
var slowDXC = map[string]bool{"amp": true, "types": true, "flow": true}

// Work graphs as DXC compiles them, optimised (O3), not (O0) and as its front end leaves them (fcgl), give the buffers that were
// computed apart from any simulator, under every scheduler and on two machines. The HLSL stands beside them.
func TestDXCWorkGraphs(t *testing.T) {
	jobs, err := filepath.Glob(filepath.Join("testdata", "dxc", "*.yaml"))
	if err != nil || len(jobs) < 20 {
		t.Fatalf("%d jobs: %v", len(jobs), err)
	}
	for _, file := range jobs {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, machine := range []string{"rdna3-rx7900xtx", "gcn3-r9nano"} {
				for _, kind := range []string{"hardware", "firmware", "multipass", "persistent"} {
					runDXC(t, file, machine, kind)
					base, _, _ := strings.Cut(name, ".")
					if t.Failed() || testing.Short() && slowDXC[base] {
						return
					}
				}
			}
		})
	}
}

func runDXC(t *testing.T, file, machine, kind string) {
	t.Helper()
	job, err := config.LoadJob(nil, file)
	if err != nil {
		t.Fatal(err)
	}
	m, err := config.LoadMachine(config.Request{Machine: machine, Job: job, Set: []string{"scheduler.kind=" + kind}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Run(context.Background(), Setup{Machine: m, Job: job}); err != nil {
		t.Errorf("%s under %s on %s: %v", file, kind, machine, err)
	}
}

package gpu

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"spvsim/config"
	"spvsim/internal/suite"
)

// Work graphs as DXC compiles them, optimised (O3), not (O0) and as its front end leaves them (fcgl), give the buffers that were
// computed apart from any simulator, under every scheduler, and on a second machine. The HLSL is beside them. Schedulers take turns, two for a job,
// but in the whole suite.
func TestDXCWorkGraphs(t *testing.T) {
	jobs, err := filepath.Glob(filepath.Join("testdata", "dxc", "*.yaml"))
	if err != nil || len(jobs) < 20 {
		t.Fatalf("%d jobs: %v", len(jobs), err)
	}
	for i, file := range jobs {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runDXC(t, file, "gcn3-r9nano", "hardware")
			if testing.Short() {
				return
			}
			for k, kind := range []string{"hardware", "firmware", "multipass", "lists", "generated", "persistent"} {
				if !suite.AllCases() && (i+k)%2 != 0 {
					continue
				}
				if runDXC(t, file, "rdna3-rx7900xtx", kind); t.Failed() {
					return
				}
			}
		})
	}
}

func runDXC(t *testing.T, file, machine, kind string) {
	t.Helper()
	job := suite.Must(config.LoadJob(nil, file))(t)
	m := suite.Must(config.LoadMachine(config.Request{Machine: machine, Job: job, Set: []string{"scheduler.kind=" + kind, "compute_units=2"}}))(t)
	if _, err := Run(context.Background(), Setup{Machine: m, Job: job}); err != nil {
		t.Errorf("%s under %s on %s: %v", file, kind, machine, err)
	}
}

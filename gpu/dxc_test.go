package gpu

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"spvsim/config"
	"spvsim/internal/suite"
	"spvsim/scheduler"
)

// Work graphs as DXC compiles them, optimised (O3), not (O0) and as its front end leaves them (fcgl), give the buffers that were
// computed apart from any simulator, under every scheduler, and on a second machine. The HLSL is beside them. Schedulers take turns, two for a job,
// but in the whole suite.
func TestDXCWorkGraphs(t *testing.T) {
	jobs, err := filepath.Glob(filepath.Join("testdata", "dxc", "*.yaml"))
	if err != nil || len(jobs) < 19 {
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
			for k, kind := range []string{"hardware", "firmware", "multipass", "persistent"} {
				if !suite.Whole() && (i+k)%2 != 0 {
					continue
				}
				if runDXC(t, file, "rdna3-rx7900xtx", kind); t.Failed() {
					return
				}
			}
		})
	}
}

// MaxRecords of HLSL, which DXC writes as NodeMaxPayloadsAMDX, bounds the records of a thread group. Eight threads of limit.hlsl allocate
// one each, of at most four: the run ends at the fifth.
func TestMaxRecordsBoundTheWorkgroup(t *testing.T) {
	module, err := os.ReadFile(filepath.Join("testdata", "dxc", "limit.spv"))
	if err != nil {
		t.Fatal(err)
	}
	job := "shader: limit.spv\nnodes: [{entry: Entry}, {entry: X}]\nbuffers: [{name: buf, set: 0, binding: 0, data: {zero: 16}}]\ngraph: [{node: Entry}]\n"
	fs := fstest.MapFS{"limit.spv": {Data: module}, "job.yaml": {Data: []byte(job)}}
	for _, kind := range schedulerKinds {
		_, err := Run(context.Background(), graphSetup(t, fs, "rdna3-rx7900xtx", "scheduler.kind="+kind))
		if want := "lane 4: 1 payloads after 4 are more than the 4 that NodeMaxPayloadsAMDX allows the workgroup"; !errors.Is(err, scheduler.ErrFault) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", kind, err, want)
		}
	}
}

func runDXC(t *testing.T, file, machine, kind string) {
	t.Helper()
	job, err := config.LoadJob(nil, file)
	if err != nil {
		t.Fatal(err)
	}
	m, err := config.LoadMachine(config.Request{Machine: machine, Job: job, Set: []string{"scheduler.kind=" + kind, "compute_units=2"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Run(context.Background(), Setup{Machine: m, Job: job}); err != nil {
		t.Errorf("%s under %s on %s: %v", file, kind, machine, err)
	}
}

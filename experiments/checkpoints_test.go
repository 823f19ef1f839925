package experiments

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"spvsim/config"
	"spvsim/gpu"
	"spvsim/internal/suite"
	"spvsim/tracing"
	"spvsim/tracing/profile"
)

// A recordedRun is how jobs run on a machine for a test of checkpoints.
type recordedRun struct {
	machine  string
	settings []string
	mode     string
	time     string
}

// record runs a job, and returns everything that is reported of it (statistics, profile, listings, warnings) and its buffers.
func (r *recordedRun) record(t *testing.T, name string, c *gpu.Checkpoints) (report []byte, buffers []gpu.Buffer) {
	t.Helper()
	job, m := settled(t, name, r.machine, r.settings, smaller[name]...)
	collector := profile.NewCollector()
	setup := gpu.Setup{Machine: m, Job: job, Tracer: collector, Checkpoints: c, Mode: r.mode, Threads: 1}
	if r.time != "" {
		setup.Time = suite.Must(config.ParseTime(r.time))(t)
	}
	result, err := gpu.Run(context.Background(), setup)
	if err != nil && !isOfFullSize(name, err) {
		t.Fatal(err)
	}
	result.Stats.Host = tracing.Host{}
	made := suite.Must(profile.New(job, collector, m, result.Stats, result.Listings))(t)
	report = suite.Must(json.MarshalIndent([]any{result.Stats, made, result.Remarks(), result.Events}, "", " "))(t)
	var listings bytes.Buffer
	for i := range result.Listings {
		suite.OK(t, tracing.WriteListing(&listings, &result.Listings[i]))
	}
	return append(report, listings.Bytes()...), result.Buffers
}

// launchCount returns how many launches a job makes in all its rounds. Those of queues are one a round.
func launchCount(t *testing.T, job *config.Job) int {
	t.Helper()
	rounds := suite.Must(job.Rounds())(t)
	if len(job.Queues) > 0 || len(job.Steps) == 0 && job.IsGraph() {
		return rounds
	}
	return len(suite.Must(job.Launches())(t)) * rounds
}

// A run that begins with the state that another one saved ends as a run without checkpoints does: to the byte and to the cycle, and with
// the same profile. All ready jobs of more than one launch are resumed after half of their launches.
func TestResumedRunsEqualUndisturbedOnes(t *testing.T) {
	several := map[string]int{}
	for _, name := range Names() {
		if n := launchCount(t, load(t, name)); n > 1 {
			several[name] = n
		}
	}
	if len(several) < 13 {
		t.Errorf("%d jobs have more than one launch", len(several))
	}
	for _, of := range []struct {
		name string
		recordedRun
		jobs []string // nil: all
	}{
		{"timed", recordedRun{}, nil},
		{"chiplets", recordedRun{machine: "cdna3-mi300a"}, []string{"cl-kmeans", "peer-bitonic", "hlsl"}},
		{"fetch", recordedRun{settings: []string{"fetch.enabled=true"}}, []string{"cl-radix", "hlsl"}},
		{"functional", recordedRun{mode: "functional"}, []string{"cl-bfs", "hlsl", "deferred-quads"}},
		{"sampled", recordedRun{mode: "sampled"}, []string{"peer-bitonic", "cl-lu", "hlsl"}},
		{"window", recordedRun{time: "first=1,workgroups=0..1"}, []string{"peer-bitonic", "cl-bfs"}},
	} {
		t.Run(of.name, func(t *testing.T) {
			for name, n := range several {
				if of.jobs == nil || slices.Contains(of.jobs, name) {
					t.Run(name, func(t *testing.T) { t.Parallel(); of.resume(t, name, n) })
				}
			}
		})
	}
}

// resume compares three runs of a job with n launches: without checkpoints, with one after half of the launches, and from there on.
func (r *recordedRun) resume(t *testing.T, name string, n int) {
	want, wantBuffers := r.record(t, name, nil)
	var state bytes.Buffer
	saving, _ := r.record(t, name, &gpu.Checkpoints{Every: n / 2, Save: func(write func(io.Writer) error) error {
		if state.Len() > 0 {
			return nil
		}
		return write(&state)
	}})
	if state.Len() == 0 {
		t.Fatalf("no state was saved after %d launches", n/2)
	}
	if !bytes.Equal(saving, want) {
		t.Errorf("saving its state changes the run: %s", firstDifference(saving, want))
	}
	got, buffers := r.record(t, name, &gpu.Checkpoints{Resume: &state})
	if !bytes.Equal(got, want) {
		t.Errorf("the resumed run differs: %s", firstDifference(got, want))
	}
	for i, b := range wantBuffers {
		if !bytes.Equal(buffers[i].Bytes, b.Bytes) {
			t.Errorf("buffer %s differs", b.Name)
		}
	}
}

// firstDifference words the first lines that differ.
func firstDifference(found, want []byte) string {
	a, b := bytes.Split(found, []byte("\n")), bytes.Split(want, []byte("\n"))
	for i := range min(len(a), len(b)) {
		if !bytes.Equal(a[i], b[i]) {
			return fmt.Sprintf("line %d: found %s: want %s", i+1, a[i], b[i])
		}
	}
	return fmt.Sprintf("found %d lines: want %d", len(a), len(b))
}

// A state is used by the run that saved it alone. An error names what differs.
func TestCheckpointsOfOtherRunsAreRefused(t *testing.T) {
	var state bytes.Buffer
	own := recordedRun{settings: []string{"lds.banks=32"}}
	own.record(t, "peer-atax", &gpu.Checkpoints{Build: "one", Every: 1, Save: func(write func(io.Writer) error) error { return write(&state) }})
	for _, of := range []struct {
		recordedRun
		job, build, want string
	}{
		{own, "peer-atax", "two", "found build one: want two"},
		{own, "peer-bitonic", "one", "found job peer-atax: want peer-bitonic"},
		{recordedRun{machine: "cdna3-mi300a"}, "peer-atax", "one", "found the machine with name gcn3-r9nano: want name cdna3-mi300a"},
		{recordedRun{settings: []string{"lds.banks=64"}}, "peer-atax", "one", "found the machine with lds.banks 32: want lds.banks 64"},
		{recordedRun{mode: "functional"}, "peer-atax", "one", "found the run with mode : want mode functional"},
		{recordedRun{settings: []string{"lds.banks=32"}, time: "first=1"}, "peer-atax", "one", "found the run with time all: want time"},
	} {
		job, m := settled(t, of.job, of.machine, of.settings, smaller[of.job]...)
		setup := gpu.Setup{Machine: m, Job: job, Tracer: profile.NewCollector(), Mode: of.mode, Checkpoints: &gpu.Checkpoints{Build: of.build, Resume: bytes.NewReader(state.Bytes())}}
		if of.time != "" {
			setup.Time = suite.Must(config.ParseTime(of.time))(t)
		}
		if _, err := gpu.Run(context.Background(), setup); !errors.Is(err, gpu.ErrCheckpoint) || !strings.Contains(err.Error(), of.want) {
			t.Errorf("%s: %v, want %s", of.job, err, of.want)
		}
	}
	// Other launches of a job with the same name and parameters, and a state that was cut off.
	job, m := settled(t, "peer-atax", "", own.settings, smaller["peer-atax"]...)
	c := &gpu.Checkpoints{Build: "one", Resume: bytes.NewReader(state.Bytes()[:state.Len()-9])}
	setup := gpu.Setup{Machine: m, Job: job, Tracer: profile.NewCollector(), Checkpoints: c}
	if _, err := gpu.Run(context.Background(), setup); !errors.Is(err, gpu.ErrCheckpoint) {
		t.Errorf("a state that was cut off: %v", err)
	}
	fsys, file, _, err := Lookup("peer-atax")
	suite.OK(t, err)
	folder := fstest.MapFS{}
	for _, name := range []string{file, path.Join(path.Dir(file), "ataxrows.spv"), path.Join(path.Dir(file), "ataxcolumns.spv")} {
		data := suite.Must(fs.ReadFile(fsys, name))(t)
		folder[name] = &fstest.MapFile{Data: bytes.Replace(data, []byte("seed: 1"), []byte("seed: 2"), 1)}
	}
	setup.Job, setup.Tracer = suite.Must(config.LoadJobWith(folder, file, smaller["peer-atax"]))(t), profile.NewCollector()
	c.Resume = bytes.NewReader(state.Bytes())
	if _, err := gpu.Run(context.Background(), setup); !errors.Is(err, gpu.ErrCheckpoint) || !strings.Contains(err.Error(), "other launches, shaders or contents of buffers") {
		t.Errorf("other contents of a buffer: %v", err)
	}
}

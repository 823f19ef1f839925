package experiments

import (
	"bytes"
	"encoding/binary"
	"testing"

	"spvsim/config"
	"spvsim/internal/suite"
)

// load reads a ready job.
func load(t *testing.T, name string) *config.Job {
	t.Helper()
	return loadWith(t, name, nil)
}

// loadWith reads a ready job with other values of its parameters.
func loadWith(t *testing.T, name string, parameters []string) *config.Job {
	t.Helper()
	files, file, _, err := Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	job := suite.Must(config.LoadJobWith(files, file, parameters))(t)
	return job
}

// contents generates a job's buffers.
func contents(t *testing.T, job *config.Job) initial {
	t.Helper()
	in := initial{}
	for i := range job.Buffers {
		data := suite.Must(job.Buffers[i].Bytes())(t)
		in[job.Buffers[i].Name] = data
	}
	return in
}

func TestEveryJobLoads(t *testing.T) {
	for _, name := range Names() {
		job := load(t, name)
		launches, err := job.Launches()
		if err != nil || len(launches) == 0 && !job.IsGraph() {
			t.Errorf("%s: %d launches, %v", name, len(launches), err)
		}
		if _, err := config.LoadMachine(config.Request{Job: job}); err != nil {
			t.Error(err)
		}
		if len(job.Expect) == 0 {
			t.Errorf("%s expects nothing", name)
		}
	}
}

func TestPeerBitonicLaunchesEveryPass(t *testing.T) {
	launches := suite.Must(load(t, "peer-bitonic").Launches())(t)
	if len(launches) != 105 || launches[0].Dispatch != [3]uint32{128, 1, 1} {
		t.Errorf("%d launches of %v, want 105 of 128", len(launches), launches[0].Dispatch)
	}
}

// A job file expects the results of its reference, so that jobs and references can't drift apart.
func TestExpectationsAgreeWithTheReferences(t *testing.T) {
	for _, r := range references {
		t.Run(r.job+"/"+r.buffer, func(t *testing.T) {
			job := load(t, r.job)
			var want bytes.Buffer
			suite.OK(t, binary.Write(&want, binary.LittleEndian, r.want(contents(t, job))))
			for i := range job.Expect {
				if e := &job.Expect[i]; e.Buffer == r.buffer {
					if err := e.Check(want.Bytes(), nil); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
}

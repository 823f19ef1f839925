package config

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"
)

// A file of another kind is named as what it is, with the command that takes it; a slip in a file of the right kind is still one.
func TestFilesOfAnotherKindAreNamed(t *testing.T) {
	const (
		job        = "machine: rdna3-rx7900xtx\nshader: s.spv\nbuffers: []\ndispatch: [1, 1, 1]\n"
		experiment = "job: reduce\nset: {expect: []}\naxes: {n: {path: parameters.n, values: [1]}}\nfigures: {}\n"
		machine    = "base: rdna3-rx7900xtx\nclock_mhz: 1000\nlds: {banks: 64}\n"
	)
	loadJob := func(fs fstest.MapFS, name string) error { _, err := LoadJob(fs, name); return err }
	loadExperiment := func(fs fstest.MapFS, name string) error { _, err := LoadExperiment(fs, name); return err }
	for _, tt := range []struct {
		file, text string
		load       func(fstest.MapFS, string) error
		want       string
	}{
		{"exp.yaml", experiment, loadJob, "exp.yaml:1: this is an experiment, not a job: spvsim sweep exp.yaml runs it"},
		{"my exp.yaml", experiment, loadJob, "spvsim sweep 'my exp.yaml' runs it"},
		{"job.yaml", job, loadExperiment, "job.yaml:1: this is a job, not an experiment: spvsim run job.yaml runs it, and spvsim sweep JOB --axis PATH=VALUES varies it"},
		{"m.yaml", machine, loadJob, "m.yaml:1: this is a machine, not a job: spvsim run JOB --machine m.yaml runs a job on it"},
		{"m.yaml", machine, loadExperiment, "this is a machine, not an experiment"},
		{"job.yaml", strings.Replace(job, "shader", "shadre", 1), loadJob, "shadre: unknown key (nearest: shader)"},
		{"exp.yaml", strings.Replace(experiment, "axes", "axis", 1), loadExperiment, "axis: unknown key (nearest: axes)"},
	} {
		err := tt.load(fstest.MapFS{tt.file: {Data: []byte(tt.text)}}, tt.file)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %s", tt.file, err, tt.want)
		}
		if e := (*Error)(nil); !errors.As(err, &e) {
			t.Errorf("%s: %T is no error of this package", tt.file, err)
		}
	}
}

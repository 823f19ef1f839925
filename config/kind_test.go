package config

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"
)

// A file of another kind is reported as that, with the command for it; a mistake in a file of the right kind is not
// taken for another kind.
func TestFilesOfAnotherKindAreNamed(t *testing.T) {
	const (
		job        = "machine: rdna3-rx7900xtx\nshader: s.spv\nbuffers: []\ndispatch: [1, 1, 1]\n"
		experiment = "job: reduce\nset: {expect: []}\naxes: {n: {path: parameters.n, values: [1]}}\nfigures: {}\n"
		machine    = "base: rdna3-rx7900xtx\nclock_mhz: 1000\nlds: {banks: 64}\n"
		figure     = "kind: line\nx: a\ny: b\nseries: c\n"
		module     = "\x03\x02\x23\x07\x00\x05\x01\x00"
	)
	loadJob := func(fs fstest.MapFS, name string) error { _, err := LoadJob(fs, name); return err }
	loadMachine := func(fs fstest.MapFS, name string) error {
		_, err := LoadMachine(Request{FS: fs, Machine: name, Set: []string{"lds.banks=64"}})
		return err
	}
	loadCluster := func(fs fstest.MapFS, name string) error { _, err := LoadCluster(fs, name); return err }
	checkFigure := func(fs fstest.MapFS, name string) error { return CheckFigure(fs, name) }
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
		{"m.yaml", "base: gcn3-r9nano\ntiming: {lowering: lds}\n", loadJob, "m.yaml:1: this is a machine, not a job"},
		{"f.yaml", figure, loadJob, "f.yaml:1: this is a figure, not a job: spvsim plot ROWS f.yaml draws it"},
		{"f.yaml", figure, loadExperiment, "this is a figure, not an experiment"},
		{"job.yaml", job, loadMachine, "job.yaml:1: this is a job, not a machine"},
		{"exp.yaml", experiment, loadMachine, "this is an experiment, not a machine"},
		{"job.yaml", job, loadCluster, "this is a job, not a cluster profile"},
		{"job.yaml", job, checkFigure, "job.yaml:1: this is a job, not a figure"},
		{"s.spv", module, loadJob, "s.spv: found a SPIR-V module: want a job: spvsim init s.spv -o job.yaml writes one for it"},
		{"s.spv", module, loadExperiment, "s.spv: found a SPIR-V module: want an experiment"},
		{"s.yaml", module, loadMachine, "s.yaml: found a SPIR-V module: want a machine"},
		{"job.yaml", "", loadJob, "job.yaml: found no keys: want a job (spvsim schema job lists the keys)"},
		{"job.yaml", "# later\n", loadJob, "job.yaml: found no keys: want a job"},
		{"exp.yaml", "", loadExperiment, "exp.yaml: found no keys: want an experiment"},
		{"m.yaml", "{}", loadMachine, "m.yaml: found no keys: want a machine"},
		{"m.yaml", "name: m\n", loadMachine, "config: m.yaml:1: clock_mhz: missing"}, // not --set's
		{"job.yaml", strings.Replace(job, "shader", "shadre", 1), loadJob, "shadre: unknown key (nearest: shader)"},
		{"exp.yaml", strings.Replace(experiment, "axes", "axis", 1), loadExperiment, "axis: unknown key (nearest: axes)"},
	} {
		err := tt.load(fstest.MapFS{tt.file: {Data: []byte(tt.text)}}, tt.file)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %s", tt.file, err, tt.want)
		}
		if e := (*Error)(nil); !errors.As(err, &e) {
			t.Errorf("%s: %T is not an error of this package", tt.file, err)
		}
	}
	for text, file := range map[string]string{figure: "f.yaml", "kind: [": "f.yaml", "": "f.yaml", job: "other.yaml"} { // package plots checks the figure itself
		if err := CheckFigure(fstest.MapFS{file: {Data: []byte(text)}}, "f.yaml"); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

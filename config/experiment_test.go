package config

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"spvsim/internal/suite"
)

const anyJob = `parameters: {n: 64}
shader: a.spv
specialization: {0: 1}
buffers:
  - {set: 0, binding: 0, name: x, data: {zero: 4 * n}}
dispatch: [n / 64]
`

func experimentFiles(text string) fstest.MapFS {
	return fstest.MapFS{
		"e.yaml": {Data: []byte(text)}, "j.yaml": {Data: []byte(anyJob)}, "a.spv": {Data: []byte("module")},
	}
}

// points lists the cells of each point as text.
func points(t *testing.T, text string, small bool) (list []string) {
	t.Helper()
	e := suite.Must(LoadExperiment(experimentFiles(text), "e.yaml"))(t)
	found := suite.Must(e.Points(small))(t)
	for _, p := range found {
		var cells, settings []string
		for _, c := range p.Cells {
			cells = append(cells, fmt.Sprintf("%s=%v", c.Name, c.Value))
		}
		for _, s := range p.Settings {
			settings = append(settings, s.Path+":"+s.Value.String())
		}
		list = append(list, strings.Join(cells, " ")+" | "+strings.Join(settings, " "))
	}
	return list
}

func TestAxesExpand(t *testing.T) {
	for _, c := range []struct {
		name, axes string
		want       []string
	}{
		{"list", `{parameters.n: [64, 128]}`, []string{"parameters.n=64 | parameters.n:64", "parameters.n=128 | parameters.n:128"}},
		{"named path", `{n: {path: parameters.n, values: [64]}}`, []string{"n=64 | parameters.n:64"}},
		{"powers of two", `{machine.lds.banks: {pow2: [4, 6]}}`, []string{
			"machine.lds.banks=16 | machine.lds.banks:16", "machine.lds.banks=32 | machine.lds.banks:32", "machine.lds.banks=64 | machine.lds.banks:64"}},
		{"range", `{parameters.n: {from: 10, to: 31, step: 10}}`, []string{"parameters.n=10 | parameters.n:10", "parameters.n=20 | parameters.n:20", "parameters.n=30 | parameters.n:30"}},
		{"range down, of one step", `{parameters.n: {from: 2, to: 1, step: -1}}`, []string{"parameters.n=2 | parameters.n:2", "parameters.n=1 | parameters.n:1"}},
		{"range of floats", `{parameters.n: {from: 0, to: 0.3, step: 0.1}}`, []string{
			"parameters.n=0 | parameters.n:0", "parameters.n=0.1 | parameters.n:0.1", "parameters.n=0.2 | parameters.n:0.2", "parameters.n=0.30000000000000004 | parameters.n:0.30000000000000004"}},
		{"last varies fastest", `{row.a: [1, 2], row.b: [x, y]}`, []string{"row.a=1 row.b=x | ", "row.a=1 row.b=y | ", "row.a=2 row.b=x | ", "row.a=2 row.b=y | "}},
		{"zip", `{z: {zip: {row.a: [1, 2], b: {path: parameters.n, pow2: [0, 1]}}}}`, []string{"row.a=1 b=1 | parameters.n:1", "row.a=2 b=2 | parameters.n:2"}},
		{"variants", `{v: {variants: {one: {job: other, machine: m.yaml}, two: {row.k: 3, "steps[1].dispatch": [4, 5]}}}}`, []string{
			"v=one | job:other machine:m.yaml", "v=two k=3 | steps[1].dispatch:[4, 5]"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, points(t, "job: j.yaml\naxes: "+c.axes, false)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestExclusionsAndSmall(t *testing.T) {
	text := `job: j.yaml
set: {parameters.n: 8}
axes:
  row.m: [a, b]
  n: {path: parameters.n, values: [1, 2, 3]}
exclude:
  - n % 2 == 0
  - {row.m: b, when: n > 2}
  - {row.m: [b, c], when: n > 9}
small:
  set: {parameters.n: 9}
  axes: {n: {path: parameters.n, values: [5]}}
`
	want := []string{"row.m=a n=1 | parameters.n:8 parameters.n:1", "row.m=a n=3 | parameters.n:8 parameters.n:3", "row.m=b n=1 | parameters.n:8 parameters.n:1"}
	if diff := cmp.Diff(want, points(t, text, false)); diff != "" {
		t.Error(diff)
	}
	small := []string{"row.m=a n=5 | parameters.n:8 parameters.n:9 parameters.n:5"}
	if diff := cmp.Diff(small, points(t, text, true)); diff != "" {
		t.Error(diff)
	}
}

func TestExperimentFaults(t *testing.T) {
	for _, c := range []struct {
		text, want string
		kind       error
	}{
		{"job: j.yaml\naxis: {}", "e.yaml:2: axis: unknown key (nearest: axes)", ErrUnknownKey},
		{"job: j.yaml\naxes:\n  n: {vaules: [1]}", "e.yaml:3: axes.n.vaules: unknown key", ErrUnknownKey},
		{"job: j.yaml\naxes:\n  n: {values: [1], pow2: [1, 2]}", "e.yaml:3: axes.n: found 2 of values", ErrRange},
		{"job: j.yaml\naxes:\n  n: {pow2: [1, 63]}", "e.yaml:3: axes.n", ErrRange},
		{"job: j.yaml\naxes:\n  n: {from: 1, to: 0}", "want a step that leads from the first to the last", ErrRange},
		{"job: j.yaml\naxes:\n  n: {from: 1}", "axes.n: found only one of from and to: want both", ErrRange},
		{"job: j.yaml\naxes:\n  n: []", "e.yaml:3: axes.n: found no values", ErrRange},
		{"job: j.yaml\naxes:\n  z: {zip: {a: [1, 2], b: [1]}}", "found 2 values of a and 1 of b", ErrRange},
		{"job: j.yaml\naxes:\n  'buffers[x]': [1]", "want an index in brackets", ErrSyntax},
		{"job: j.yaml\nsmall: {axes: {m: [1]}}\naxes: {n: [1]}", "e.yaml:2: small.axes.m: found \"m\": want the name of an axis", ErrReference},
		{"job: j.yaml\nexclude: ['n +']", "e.yaml:2: exclude[0]: expression", ErrExpr},
		{"job: j.yaml\nderived:\n  s: {off: cycles}", "e.yaml:3: derived.s.off: unknown key", ErrUnknownKey},
		{"job: j.yaml\nvalues: {v: {buffer: x, type: u33}}", "e.yaml:2: values.v.type: found u33", ErrRange},
		{"axes: {n: [1]}", "job: missing", ErrMissing},
		{"job: [", "e.yaml:1: not YAML", ErrSyntax},
	} {
		_, err := LoadExperiment(experimentFiles(c.text), "e.yaml")
		if err == nil || !strings.Contains(err.Error(), c.want) || !errors.Is(err, c.kind) {
			t.Errorf("%s:\n%v\nwant %q", c.text, err, c.want)
		}
	}
}

// load loads a point of settings.
func loadPoint(t *testing.T, files fstest.MapFS, settings ...string) (*Run, error) {
	t.Helper()
	f := &Files{FS: files, Job: func(string) (fs.FS, string, error) { return files, "j.yaml", nil }}
	var list []Setting
	for _, s := range settings {
		path, text, _ := strings.Cut(s, "=")
		v := suite.Must(ParseValue(text))(t)
		list = append(list, Setting{Path: path, Value: v})
	}
	return f.Load("j.yaml", list)
}

func TestSettingsReachMachineAndJob(t *testing.T) {
	run, err := loadPoint(t, experimentFiles(""), "machine=gcn3-r9nano", "machine.lds.banks=16", "parameters.n=128", "specialization.0=7",
		"specialization.1=2", "buffers[0].data.zero=512", "expect=[]", "wave_size=64")
	if err != nil {
		t.Fatal(err)
	}
	launches := suite.Must(run.Job.Launches())(t)
	data := suite.Must(run.Job.Buffers[0].Bytes())(t)
	got := []any{run.Machine.Name, run.Machine.LDS.Banks, launches[0].Dispatch[0], launches[0].Specialization, len(data), run.Job.WaveSize}
	want := []any{"gcn3-r9nano", 16, uint32(2), []SpecValue{{ID: 0, Value: Number{Int: 7}}, {ID: 1, Value: Number{Int: 2}}}, 512, 64}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestSettingsRefused(t *testing.T) {
	for setting, want := range map[string]string{
		"parameters.m=1":        `found "m": want a key that the job has`,
		"n=1":                   "want parameters.n",
		"parameter.n=1":         "unknown key (nearest: parameters)",
		"buffers[1].name=z":     "found index 1: want an item of a list",
		"shader.x=1":            "want a key of a mapping",
		"machine.lds.bank=1":    "unknown key (nearest: lds.banks)",
		"machine=gcn3-r9nan":    "nearest: gcn3-r9nano",
		"specialization=[1, 2]": "want a mapping",
	} {
		if _, err := loadPoint(t, experimentFiles(""), setting); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v: want %q", setting, err, want)
		}
	}
}

// Errors that a setting causes name its line in the experiment.
func TestExplainSettingErrors(t *testing.T) {
	files := experimentFiles("job: j.yaml\naxes:\n  machine.lds.bank: [1]\n  parameters.m:\n    - 2\n  'buffers[0].data.zeros': [1]")
	e := suite.Must(LoadExperiment(files, "e.yaml"))(t)
	list := suite.Must(e.Points(false))(t)
	for i, want := range []string{"e.yaml:3: machine.lds.bank: ", "e.yaml:5: parameters.m: ", `e.yaml:6: "buffers[0].data.zeros": `} {
		s := list[0].Settings[i : i+1]
		_, err := (&Files{FS: files}).Load("j.yaml", s)
		if got := e.Explain(err, s); got == nil || !strings.Contains(got.Error(), strings.ReplaceAll(want, `"`, "")) {
			t.Errorf("%v: want %q", got, want)
		}
	}
}

// The digest covers the inputs of a run: it changes with each of them, and with nothing else.
func TestDigestOfInputs(t *testing.T) {
	base := suite.Must(loadPoint(t, experimentFiles("")))(t)
	inputs := func(files fstest.MapFS, settings ...string) string {
		run := suite.Must(loadPoint(t, files, settings...))(t)
		return run.Inputs
	}
	other := experimentFiles("")
	other["a.spv"] = &fstest.MapFile{Data: []byte("another module")}
	for name, digest := range map[string]string{
		"machine": inputs(experimentFiles(""), "machine.memory.latency_cycles=7"), "job": inputs(experimentFiles(""), "parameters.n=128"), "shader": inputs(other),
	} {
		if digest == base.Inputs {
			t.Errorf("another %s has the same digest", name)
		}
	}
	for name, digest := range map[string]string{
		"again": inputs(experimentFiles("")), "description": inputs(experimentFiles(""), "description=text"), "machine by name": inputs(experimentFiles(""), "machine="+DefaultMachine),
	} {
		if digest != base.Inputs {
			t.Errorf("%s: the digest differs", name)
		}
	}
}

func TestExpressionsOverCells(t *testing.T) {
	cells := []Cell{{"a", int64(1)}, {"memory.l2.hits", 4.0}, {"text", "x"}}
	if v, err := Expr("1 / 2 * memory.l2.hits + a").EvalFloat(cells); err != nil || v != 3 {
		t.Errorf("%v, %v", v, err)
	}
	if v, err := Expr("a / 2").Eval(cells); err != nil || v.IsFloat || v.Int != 0 {
		t.Errorf("%v, %v", v, err)
	}
	if _, err := Expr("text + 1").Eval(cells); err == nil {
		t.Error("a text in arithmetic passes")
	}
	if v, err := Expr("text == 'x' && a < 2").Eval(cells); err != nil || v.Int != 1 {
		t.Errorf("%v, %v", v, err)
	}
	if _, err := Expr("nothing + 1").Eval(cells); err == nil || !strings.Contains(err.Error(), "found \"nothing\": want the name of a column") {
		t.Error(err)
	}
	cells[0].Value = math.NaN()
	if v, err := Expr("a == 1 || true").EvalFloat(cells); err != nil || !math.IsNaN(v) {
		t.Errorf("%v, %v: what a missing number touches is missing", v, err)
	}
	if diff := cmp.Diff([]string{"a", "b.c"}, Expr("a * (b.c - 1)").Names()); diff != "" {
		t.Error(diff)
	}
}

func TestClusterProfile(t *testing.T) {
	files := fstest.MapFS{"c.yaml": {Data: []byte("partition: short\nchunk: 8\nflags: [--qos=low]\n")}, "bad.yaml": {Data: []byte("\nchunks: 8")}, "range.yaml": {Data: []byte("chunk: 0")}}
	c, err := LoadCluster(files, "c.yaml")
	want := DefaultCluster()
	want.Partition, want.Chunk, want.Flags = "short", 8, []string{"--qos=low"}
	if diff := cmp.Diff(want, c); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	for name, want := range map[string]string{"bad.yaml": "bad.yaml:2: chunks: unknown key (nearest: chunk)", "range.yaml": "range.yaml:1: chunk: found 0"} {
		if _, err := LoadCluster(files, name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: want %q", err, want)
		}
	}
}

func FuzzExperiment(f *testing.F) {
	f.Add("job: j.yaml\naxes:\n  a: [1]\n  b: {pow2: [1, 3]}\n  z: {zip: {c: [1], d: {from: 1, to: 1}}}\nexclude: [a > 2, {b: 2}]")
	f.Add("job: x\nderived: {s: a / b, t: {of: s, where: {a: 1}}}\nfigures: {f: f.yaml, g: {kind: line}}\ncolumns: [cycles]\nsmall: {axes: {a: [1]}}")
	f.Add("job: &a j.yaml\naxes: {v: {variants: {x: {job: *a}}}}")
	f.Fuzz(func(t *testing.T, text string) {
		e, err := LoadExperiment(experimentFiles(text), "e.yaml")
		if err != nil {
			return
		}
		if list, err := e.Points(false); err == nil && len(list) < 100 {
			for i := range list {
				_, _ = (&Files{FS: experimentFiles(text), Job: func(string) (fs.FS, string, error) { return nil, "", ErrReference }}).Load(e.Job, list[i].Settings)
			}
		}
	})
}

func TestHugeAxisIsRefusedForItsSize(t *testing.T) {
	_, err := LoadExperiment(mapFS(map[string]string{"e.yaml": "job: j.yaml\naxes:\n  n: {from: 1, to: 4000000000}"}), "e.yaml")
	if err == nil || !strings.Contains(err.Error(), "e.yaml:3: axes.n: found 1 to 4e+09 by 1, 4000000000 values: want at most 1000000") {
		t.Error(err)
	}
}

// A file that an experiment names and that does not exist is reported with the experiment's file and line.
func TestMissingFilesOfAnExperimentHaveAPlace(t *testing.T) {
	const axes = "\naxes: {n: {path: parameters.n, values: [1]}}\n"
	for text, want := range map[string]string{
		"description: x\njob: nosuch.yaml" + axes:                      "e.yaml:2: job: nosuch.yaml: can't read",
		"description: x\njob: nosuch" + axes:                           "e.yaml:2: job: no such",
		"job: j.yaml\nset: {machine: nosuch}" + axes:                   "e.yaml:2: machine: found \"nosuch\": want a .yaml file",
		"job: j.yaml\nset:\n  machine: nosuch.yaml" + axes:             "e.yaml:3: machine: nosuch.yaml: can't read",
		"job: j.yaml\naxes:\n  m: {path: machine, values: [nosuch]}\n": "e.yaml:3: machine: found \"nosuch\"",
	} {
		fsys := experimentFiles(text)
		e := suite.Must(LoadExperiment(fsys, "e.yaml"))(t)
		points, err := e.Points(false)
		if err != nil {
			t.Fatal(err)
		}
		f := &Files{FS: fsys, Job: func(string) (fs.FS, string, error) { return nil, "", errors.New("no such job") }}
		_, err = f.Load(e.Job, points[0].Settings)
		if err = e.Explain(err, points[0].Settings); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\nfound %v\nwant %s", text, err, want)
		}
	}
}

func TestExperimentOfAnApplication(t *testing.T) {
	const rest = "\naxes: {machine: [gcn3-r9nano, rdna3-rx7900xtx]}\n"
	for text, want := range map[string]string{
		"app: {run: [./program, words], select: 'mul*:2', whole: true}": "",
		"app: {select: 'mul*:2'}":              "app.run: missing: want a program",
		"app: {run: [./program]}\njob: reduce": "found job and app",
		"app: {run: [./program], whole: 3}":    "app.whole",
		"description: nothing to run":          "want a job file, the name of a ready job, or app",
	} {
		_, err := LoadExperiment(fstest.MapFS{"e.yaml": {Data: []byte(text + rest)}}, "e.yaml")
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v: want %q", text, err, want)
		}
	}
}

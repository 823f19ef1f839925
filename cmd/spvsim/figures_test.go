package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spvsim/internal/fault"
	"spvsim/internal/suite"
)

// An interruption ends drawing, and no file is left.
func TestInterruptedDrawing(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"figure.yaml": "kind: line\nx: n\ny: cycles\n", "rows.csv": "n,cycles\n1,2\n2,3\n", "e.yaml": "job: reduce\nfigures: {f: figure.yaml}\n"} {
		suite.OK(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"plot", at("rows.csv"), at("figure.yaml"), "-o", at("out")}, "interrupted: nothing is written"},
		{[]string{"sweep", at("e.yaml"), "--draw", at("rows.csv"), "-o", at("out")}, "interrupted: the same command resumes"},
	} {
		ctx, interrupt := context.WithCancel(t.Context())
		interrupt()
		var out, errs bytes.Buffer
		if status := run(ctx, tt.args, strings.NewReader(""), &out, &errs); status != exitFailed || !strings.Contains(errs.String(), tt.want) {
			t.Errorf("%v: status %d: %s", tt.args, status, errs.String())
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "out", "*")); len(left) > 0 {
			t.Errorf("%v: left behind: %v", tt.args, left)
		}
		if status := run(t.Context(), tt.args, strings.NewReader(""), &out, &errs); status != exitDone {
			t.Errorf("%v without an interruption: status %d: %s", tt.args, status, errs.String())
		}
		suite.OK(t, os.RemoveAll(at("out")))
	}
}

// A figure that ignores an axis is refused before any point runs, with the axis' name, unless results determine its
// content.
func TestAmbiguousFiguresAreFoundBeforePointsRun(t *testing.T) {
	const experiment = `job: reduce
set: {expect: []}
axes:
  groups: {path: parameters.groups, values: [1, 2]}
  slots: {path: machine.wave_slots, values: [4, 8]}
  twin: {zip: {seed: {path: row.seed, values: [1, 2]}, name: {path: row.name, values: [a, b]}}}
derived: {work: groups * 64, speed: work / cycles}
figures:
  f: {kind: line, y: cycles, FIGURE}
`
	for figure, want := range map[string]string{
		"x: groups":                "4 rows at groups = 1, which differ in slots (4, 8), seed (1, 2), name (a, b): say band",
		"x: groups, series: slots": "2 rows at groups = 1, slots = 4, which differ in seed (1, 2), name (a, b): say band",
		"x: work, facets: slots":   "2 rows at work = 64, slots = 4, which differ in seed (1, 2), name (a, b): say band",
		"x: twice, series: name, columns: {twice: 2 * work}":                 "2 rows at twice = 128, name = a, which differ in slots (4, 8)",
		"x: groups, series: slots, filter: 'seed == 1 || groups == 2'":       "2 rows at groups = 2, slots = 4, which differ in seed (1, 2), name (a, b): say band",
		"x: groups, series: {column: slots, hide: [4]}":                      "2 rows at groups = 1, slots = 8, which differ in seed (1, 2), name (a, b): say band",
		"x: groups, series: slots, where: {name: b}":                         "",
		"x: groups, series: slots, facets: seed":                             "",
		"x: groups, combine: min":                                            "",
		"x: groups, band: {over: [slots, seed]}":                             "",
		"x: cycles":                                                          "",
		"x: groups, filter: cycles > 5":                                      "",
		"x: groups, series: slots, columns: {fast: speed > 2}, facets: fast": "",
	} {
		dir := t.TempDir()
		name := filepath.Join(dir, "e.yaml")
		suite.OK(t, os.WriteFile(name, []byte(strings.Replace(experiment, "FIGURE", figure, 1)), 0o666))
		r := spvsim("", "sweep", name, "--dry-run", "-o", filepath.Join(dir, "out"))
		if want == "" && r.status != exitDone || want != "" && (r.status != exitBadInput || !strings.Contains(r.stderr, want) || !strings.Contains(r.stderr, "e.yaml:9: x: ")) {
			t.Errorf("%s: status %d, %q, want %q", figure, r.status, r.stderr, want)
		}
	}
}

func TestSweepFirstFaultReported(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "e.yaml")
	text := "job: reduce\naxes: {groups: {path: parameters.groups, values: [8, 16, 32]}}\nset: {limits.cycles: 10}\n"
	suite.OK(t, os.WriteFile(name, []byte(text), 0o666))
	program := build(t)
	out, _ := command(t, program, "sweep", name, "-q", "-o", filepath.Join(dir, "out")).CombinedOutput()
	if want := "3 of 3 points failed; the column error of the rows says why\n  point 0 (groups = 8): "; !strings.Contains(string(out), want) || !strings.Contains(string(out), "10 cycles") {
		t.Errorf("%s\nwant %q with the limit", out, want)
	}
}

func TestCommandsNameFileKind(t *testing.T) {
	dir := t.TempDir()
	exp, job := filepath.Join(dir, "exp.yaml"), filepath.Join(dir, "job.yaml")
	for name, text := range map[string]string{exp: "job: reduce\naxes: {groups: {path: parameters.groups, values: [8]}}\n", job: "machine: rdna3-rx7900xtx\nshader: s.spv\ndispatch: [1, 1, 1]\n"} {
		suite.OK(t, os.WriteFile(name, []byte(text), 0o666))
	}
	wantRefused(t, spvsim("", "run", exp), "this is an experiment, not a job: spvsim sweep "+exp+" runs it")
	wantRefused(t, spvsim("", "sweep", job), "this is a job, not an experiment: spvsim run "+job+" runs it")
}

// A context that ends before the work does ends the command; the work's own panic is the command's.
func TestAtOnce(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	begun, release := make(chan bool), make(chan bool)
	defer close(release)
	go func() { <-begun; cancel() }()
	if _, err := atOnce(ctx, func() (int, error) { begun <- true; <-release; return 1, nil }); err != context.Canceled {
		t.Errorf("got %v, want that the context ended", err)
	}
	defer func() {
		if p, _ := recover().(*fault.Panic); p == nil || p.Value != "fault" {
			t.Errorf("recovered %v", p)
		}
	}()
	_, _ = atOnce(t.Context(), func() (int, error) { panic("fault") })
}

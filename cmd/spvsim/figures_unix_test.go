//go:build unix

package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// fifo is a file that is never read to its end.
func fifo(t *testing.T, name string) {
	t.Helper()
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Skipf("no FIFO can be made here: %v", err)
	}
}

// whenRead opens a FIFO for writing when a command that has not ended has opened it.
func whenRead(t *testing.T, name string, ended <-chan error) *os.File {
	t.Helper()
	for {
		if f, err := os.OpenFile(name, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
			return f
		}
		select {
		case err := <-ended:
			t.Fatalf("the command ended without reading %s: %v", name, err)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// Drawing ends when it is interrupted, wherever it is: here it waits for a file, which it has opened when the signal comes.
func TestInterruptedDrawing(t *testing.T) {
	program := build(t)
	dir := filepath.Dir(program)
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("figure.yaml", "kind: line\nx: n\ny: cycles\n")
	write("rows.csv", "n,cycles\n1,2\n")
	write("e.yaml", "job: reduce\nfigures: {f: figure.yaml}\n")
	fifo(t, filepath.Join(dir, "slow.csv"))
	fifo(t, filepath.Join(dir, "slow.yaml"))
	for _, tt := range []struct {
		args []string
		slow string
		want string
	}{
		{[]string{"plot", "slow.csv", "figure.yaml", "-o", "out"}, "slow.csv", "interrupted: nothing is written"},
		{[]string{"sweep", "e.yaml", "--draw", "slow.csv", "-o", "out"}, "slow.csv", "interrupted: the same command resumes"},
		{[]string{"plot", "rows.csv", "slow.yaml", "-o", "out"}, "slow.yaml", "interrupted: nothing is written"},
	} {
		for _, signal := range []os.Signal{syscall.SIGINT, syscall.SIGTERM} {
			c := command(t, program, tt.args...)
			var errs bytes.Buffer
			c.Stderr = &errs
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- c.Wait() }()
			end := whenRead(t, filepath.Join(dir, tt.slow), ended)
			if err := c.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			err := <-ended
			end.Close()
			if err == nil || c.ProcessState.ExitCode() != exitFailed || !strings.Contains(errs.String(), tt.want) {
				t.Errorf("%v, %v: %v: %s", tt.args, signal, err, errs.String())
			}
			if files, _ := filepath.Glob(filepath.Join(dir, "out", "*")); len(files) > 0 {
				t.Errorf("%v, %v: left behind: %v", tt.args, signal, files)
			}
		}
	}
}

// A figure that forgets an axis is refused before any point runs, by the axis, unless results decide what it shows.
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
		if err := os.WriteFile(name, []byte(strings.Replace(experiment, "FIGURE", figure, 1)), 0o666); err != nil {
			t.Fatal(err)
		}
		r := spvsim("", "sweep", name, "--dry-run", "-o", filepath.Join(dir, "out"))
		if want == "" && r.status != exitDone || want != "" && (r.status != exitBadInput || !strings.Contains(r.stderr, want) || !strings.Contains(r.stderr, "e.yaml:9: x: ")) {
			t.Errorf("%s: status %d, %q, want %q", figure, r.status, r.stderr, want)
		}
	}
}

func TestFailingSweepsSayTheFirstFault(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "e.yaml")
	text := "job: reduce\naxes: {groups: {path: parameters.groups, values: [8, 16, 32]}}\nset: {limits.cycles: 10}\n"
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	program := build(t)
	out, _ := command(t, program, "sweep", name, "-q", "-o", filepath.Join(dir, "out")).CombinedOutput()
	if want := "3 of 3 points failed; the column error of the rows says why\n  point 0 (groups = 8): "; !strings.Contains(string(out), want) || !strings.Contains(string(out), "10 cycles") {
		t.Errorf("%s\nwant %q with the limit", out, want)
	}
}

func TestCommandsSayWhatAFileIs(t *testing.T) {
	dir := t.TempDir()
	exp, job := filepath.Join(dir, "exp.yaml"), filepath.Join(dir, "job.yaml")
	for name, text := range map[string]string{exp: "job: reduce\naxes: {groups: {path: parameters.groups, values: [8]}}\n", job: "machine: rdna3-rx7900xtx\nshader: s.spv\ndispatch: [1, 1, 1]\n"} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
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
		if p := recover(); p != "fault" {
			t.Errorf("recovered %v", p)
		}
	}()
	_, _ = atOnce(t.Context(), func() (int, error) { panic("fault") })
}

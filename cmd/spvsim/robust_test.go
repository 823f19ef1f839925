package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"spvsim/internal/suite"
)

// full is an output that has no space.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// A command that can't write to standard output fails, whichever it is.
func TestFullStandardOutputFails(t *testing.T) {
	for _, args := range [][]string{
		{"run", "reduce"}, {"run", "reduce", "--stats", "-"}, {"run", "--list"}, {"schema", "job"}, {"machine"}, {"machine", "gcn3-r9nano"},
		{"sweep", "--list"}, {"sweep", "lds-stride", "--small", "--dry-run"}, {"graph", "bfs"}, {"version"}, {"--help"},
	} {
		var errs bytes.Buffer
		status := Main(args, strings.NewReader(""), full{}, &errs)
		if status != exitFailed || !strings.HasSuffix(errs.String(), "spvsim: standard output: no space left on device\n") {
			t.Errorf("%v: status %d, %q", args, status, errs.String())
		}
	}
}

// A remaining panic is reported as a fault of spvsim in one line, with the file for a bug report.
func TestOwnFaultExits3(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var errs bytes.Buffer
	status := guarded(&errs, func() int { panic("two\nlines") })
	if status != exitFault || strings.Count(errs.String(), "\n") != 1 || !strings.HasPrefix(errs.String(), "spvsim: a fault of spvsim itself (two lines): please report it with ") {
		t.Fatalf("status %d, %q", status, errs.String())
	}
	left, err := filepath.Glob(filepath.Join(os.TempDir(), "spvsim-fault-*.txt"))
	if err != nil || len(left) != 1 {
		t.Fatalf("reports %v, %v", left, err)
	}
	text, err := os.ReadFile(left[0])
	if err != nil || !strings.Contains(string(text), "two\nlines") || !strings.Contains(string(text), "robust_test.go") {
		t.Errorf("%v\n%s", err, text)
	}
}

// panicsInDrawing is a function to find in the report of a fault.
func panicsInDrawing() (int, error) { panic("no place for a point") }

// The report of a panic in another goroutine names the function that panicked, not the one that recovered.
func TestFaultReportNamesTheOrigin(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var errs bytes.Buffer
	status := guarded(&errs, func() int {
		_, _ = atOnce(t.Context(), panicsInDrawing)
		return exitDone
	})
	if status != exitFault || !strings.HasPrefix(errs.String(), "spvsim: a fault of spvsim itself (no place for a point): ") {
		t.Fatalf("status %d, %q", status, errs.String())
	}
	left, err := filepath.Glob(filepath.Join(os.TempDir(), "spvsim-fault-*.txt"))
	if err != nil || len(left) != 1 {
		t.Fatalf("reports %v, %v", left, err)
	}
	if text := read(t, left[0]); !bytes.Contains(text, []byte("panicsInDrawing")) {
		t.Errorf("the report does not name panicsInDrawing:\n%s", text)
	}
}

// endless writes a job that prints a line and never ends, next to the program.
func endless(t *testing.T, program string) {
	t.Helper()
	shader := suite.Must(os.ReadFile(filepath.Join("..", "..", "gpu", "testdata", "spin.spvasm")))(t)
	dir := filepath.Dir(program)
	shader = []byte(strings.NewReplacer(
		"%1 = OpExtInstImport", "OpExtension \"SPV_KHR_non_semantic_info\"\n%print = OpExtInstImport \"NonSemantic.DebugPrintf\"\n%1 = OpExtInstImport",
		"OpSource GLSL 450", "%text = OpString \"begun\"\nOpSource GLSL 450",
		"%5 = OpLabel", "%5 = OpLabel\n%said = OpExtInst %void %print 1 %text").Replace(string(shader)))
	job := "shader: spin.spvasm\nparameters: {n: 1}\nbuffers: [{set: 0, binding: 0, name: flag, data: {zero: 4}}]\ndispatch: [n]\n"
	suite.OK(t, errors.Join(os.WriteFile(filepath.Join(dir, "spin.spvasm"), shader, 0o644), os.WriteFile(filepath.Join(dir, "spin.yaml"), []byte(job), 0o644)))
}

// wantFailure runs a command line of the built program that must end with exit status 1, and returns its output.
func wantFailure(t *testing.T, program string, args ...string) string {
	t.Helper()
	out, err := command(t, program, args...).CombinedOutput()
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != exitFailed {
		t.Fatalf("%v: %v: want exit status %d\n%s", args, err, exitFailed, out)
	}
	return string(out)
}

// An interrupted run says so and writes its results so far.
func TestInterruptedRunWritesWhatItHas(t *testing.T) {
	program := build(t)
	endless(t, program)
	c := command(t, program, "run", "spin.yaml", "--stats", "stats.json", "--profile", "profile.json")
	printed, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c.Stderr = write
	suite.OK(t, errors.Join(c.Start(), write.Close()))
	reader := bufio.NewReader(printed)
	if line, err := reader.ReadString('\n'); err != nil || !strings.Contains(line, "begun") { // the shader prints it first
		t.Fatalf("%q, %v", line, err)
	}
	suite.OK(t, c.Process.Signal(os.Interrupt))
	var errs bytes.Buffer
	suite.Must(io.Copy(&errs, reader))(t)
	if err := c.Wait(); err == nil || c.ProcessState.ExitCode() != exitFailed || !strings.Contains(errs.String(), "spvsim: interrupted") {
		t.Errorf("%v: %s", err, errs.String())
	}
	text, err := os.ReadFile(filepath.Join(c.Dir, "stats.json"))
	var stats struct {
		Stopped string
		Cycles  uint64
	}
	if err = errors.Join(err, json.Unmarshal(text, &stats)); err != nil || stats.Stopped != "interrupted" || stats.Cycles == 0 {
		t.Errorf("%v: %s", err, text)
	}
	if _, err := os.Stat(filepath.Join(c.Dir, "profile.json")); err != nil {
		t.Error(err)
	}
}

// endlessPoints fail at the limits of their job, or of the command line.
const endlessPoints = "job: spin.yaml\naxes: {n: {path: parameters.n, values: [1, 2]}}\nset: {limits.cycles: 50000}\n"

// A point that reaches a limit is recorded as failed, and runs again only if the limits change.
func TestSweepLimitsPoints(t *testing.T) {
	program := build(t)
	endless(t, program)
	dir := filepath.Dir(program)
	suite.OK(t, os.WriteFile(filepath.Join(dir, "e.yaml"), []byte(endlessPoints), 0o644))
	rows := func(want int, texts ...string) {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(dir, "results", "e", "e.csv"))
		for _, x := range texts {
			if n := strings.Count(string(text), x); err != nil || n != want {
				t.Errorf("%q is in the rows %d times, not %d: %v\n%s", x, n, want, err, text)
			}
		}
	}
	if out := wantFailure(t, program, "sweep", "e.yaml", "-q"); !strings.Contains(out, "2 of 2 points failed") {
		t.Error(out)
	}
	rows(2, "failed", "cycle limit reached: 50000 cycles", "loop in main, instructions ")
	before := ages(t, filepath.Join(dir, "results", "e"))
	wantFailure(t, program, "sweep", "e.yaml", "-q")
	if ages(t, filepath.Join(dir, "results", "e")) != before {
		t.Error("points ran again with the same limits")
	}
	wantFailure(t, program, "sweep", "e.yaml", "-q", "--max-cycles", "70000")
	rows(2, "cycle limit reached: 70000 cycles")
	wantFailure(t, program, "sweep", "e.yaml", "-q", "--max-cycles", "1000000000000", "--max-seconds", "0.2")
	rows(2, "host-time limit reached: 0.2 seconds")
}

func ages(t *testing.T, out string) (text string) {
	t.Helper()
	list := suite.Must(filepath.Glob(filepath.Join(out, "points", "*.json")))(t)
	for _, name := range list {
		if info, err := os.Stat(name); err == nil {
			text += fmt.Sprintln(name, info.ModTime().UnixNano())
		}
	}
	return text
}

// Records that are cut off, changed, empty or something else are run again, neither counted nor fatal.
func TestDamagedRecordsRunAgain(t *testing.T) {
	if testing.Short() {
		t.Skip("runs sweeps for each kind of damage")
	}
	program := build(t)
	writeMany(t, program)
	want := sweepTo(t, program, "damaged")
	list, err := filepath.Glob(filepath.Join(filepath.Dir(program), "damaged", "points", "*.json"))
	if err != nil || len(list) < 6 {
		t.Fatalf("%d records, %v", len(list), err)
	}
	for i, damage := range []func([]byte) []byte{
		func(b []byte) []byte { return b[:len(b)/2] },
		func(b []byte) []byte { return b[:bytes.IndexByte(b, '\n')+1] }, // without its checksum
		func([]byte) []byte { return nil },
		func(b []byte) []byte { return bytes.Replace(b, []byte("{"), []byte("{ "), 1) }, // another byte, of a record that failed too
		func(b []byte) []byte { return append(b, "more\n"...) },
		func([]byte) []byte { return []byte("{}\n") },
	} {
		text, err := os.ReadFile(list[i])
		if err == nil {
			err = os.WriteFile(list[i], damage(text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	out, err := command(t, program, "sweep", "many.yaml", "-o", "damaged", "--status").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "6 to run") {
		t.Errorf("status %v: %s", err, out)
	}
	sameFiles(t, sweepTo(t, program, "damaged"), want)
}

// Two concurrent sweeps in one folder give the results of one.
func TestTwoSweepsInOneFolder(t *testing.T) {
	if testing.Short() {
		t.Skip("runs three sweeps")
	}
	program := build(t)
	writeMany(t, program)
	want := wantMany(t, program)
	other := command(t, program, "sweep", "many.yaml", "-o", "together", "-q")
	suite.OK(t, other.Start())
	got := sweepTo(t, program, "together")
	if err := other.Wait(); other.ProcessState.ExitCode() != exitFailed { // two points fail
		t.Error(err)
	}
	sameFiles(t, got, want)
	sameFiles(t, sweepTo(t, program, "together"), want)
	left, err := filepath.Glob(filepath.Join(filepath.Dir(program), "together", "*new-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// An interruption while the points are expanded ends the sweep.
func TestInterruptedPlanning(t *testing.T) {
	t.Chdir(t.TempDir())
	text := "job: reduce\naxes: {n: {path: parameters.groups, from: 1, to: 900000}}\n"
	suite.OK(t, os.WriteFile("huge.yaml", []byte(text), 0o644))
	ctx, interrupt := context.WithCancel(context.Background())
	interrupt()
	var out, errs bytes.Buffer
	status := run(ctx, []string{"sweep", "huge.yaml"}, strings.NewReader(""), &out, &errs)
	if status != exitFailed || !strings.Contains(errs.String(), "interrupted: the same command resumes") {
		t.Errorf("status %d: %s", status, errs.String())
	}
	if n := records(t, filepath.Join("results", "huge")); n != 0 {
		t.Errorf("%d points ran", n)
	}
}

// smallDisk returns a folder with little space, or skips the test if none can be created.
func smallDisk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("no disk of 128 KB can be made here: %v %s", err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", dir).CombinedOutput(); err != nil {
			t.Errorf("%v %s", err, out)
		}
	})
	return dir
}

// A full disk gives one clear line and exit status 1, and leaves no partial files.
func TestFullDisk(t *testing.T) {
	if testing.Short() {
		t.Skip("runs commands on a disk of its own")
	}
	program := build(t)
	writeMany(t, program)
	dir := smallDisk(t)
	for _, args := range [][]string{
		{"run", "reduce", "-q", "--daisen", filepath.Join(dir, "a.sqlite3")},
		{"run", "reduce", "-q", "--trace", filepath.Join(dir, "a.pftrace")},
		{"run", "reduce", "-q", "--dump", "input=" + filepath.Join(dir, "input.bin")},
	} {
		if slices.Contains(args, "--daisen") && !suite.Akita {
			continue
		}
		out := wantFailure(t, program, args...)
		out = strings.TrimPrefix(out, "Trace is Collected in Database: "+filepath.Join(dir, "a.sqlite3")+"\n") // printed by Akita
		if strings.Count(out, "\n") != 1 || !strings.Contains(out, "no space left on device") {
			t.Errorf("%v: %q: want one line", args, out)
		}
		left := suite.Must(filepath.Glob(filepath.Join(dir, "*")))(t)
		for _, name := range left {
			suite.OK(t, os.Remove(name))
		}
	}
	out := wantFailure(t, program, "sweep", "many.yaml", "-q", "-o", filepath.Join(dir, "out"))
	left, err := filepath.Glob(filepath.Join(dir, "out", "*new-*"))
	if !strings.Contains(out, "no space left on device") || err != nil || len(left) > 0 {
		t.Errorf("%q, left %v, %v", out, left, err)
	}
}

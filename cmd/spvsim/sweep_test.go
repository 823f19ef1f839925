package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"spvsim/config"
	"spvsim/internal/suite"
)

// asCommand makes the test program act as the command, for subprocesses.
const asCommand = "SPVSIM_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	status := 1
	if err := os.Setenv(asCommand, "1"); err == nil { // parallel tests can't set it
		status = m.Run()
	}
	stopSlurm()
	os.Exit(status)
}

// build puts the command into a folder of its own, as sweeps run their own executable.
func build(t *testing.T) string {
	t.Helper()
	self := suite.Must(os.Executable())(t)
	name := filepath.Join(t.TempDir(), "spvsim")
	suite.OK(t, os.Symlink(self, name))
	return name
}

// manyPoints has 12 runs of a ready job that take some tens of milliseconds each; two of them fail.
const manyPoints = `job: reduce
set: {expect: [], machine.shader_engines: 1, machine.compute_units: 4}
axes:
  machine: [gcn3-r9nano, rdna3-rx7900xtx]
  groups: {path: parameters.groups, values: [8, 32]}
  slots: {path: machine.wave_slots, values: [1, 4, 8]}
columns: {cycles: cycles, waiting: slot_cycles.by_reason.memory}
derived:
  base: {of: cycles, where: {slots: 8}}
  slowdown: cycles / base
figures:
  slots: {kind: line, x: slots, y: slowdown, series: groups, facets: machine}
`

// command is one command line of the built program, which may be killed.
func command(t *testing.T, program string, args ...string) *exec.Cmd {
	t.Helper()
	c := exec.CommandContext(t.Context(), program, args...)
	c.Dir = filepath.Dir(program)
	return c
}

// sweepTo runs the experiment to its end and returns its rows and figure.
func sweepTo(t *testing.T, program, out string, flags ...string) map[string][]byte {
	t.Helper()
	c := command(t, program, append([]string{"sweep", "many.yaml", "-o", out}, flags...)...)
	text, err := c.CombinedOutput()
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != exitFailed || !strings.Contains(string(text), "of 12 points failed") {
		t.Fatalf("%v\n%s\nwant exit status 1, as points fail", err, text)
	}
	files := map[string][]byte{}
	for _, name := range []string{"many.csv", "many.parquet", "slots.svg", "slots.pdf", "slots.png"} {
		data := suite.Must(os.ReadFile(filepath.Join(c.Dir, out, name)))(t)
		files[name] = data
	}
	return files
}

func sameFiles(t *testing.T, got, want map[string][]byte) {
	t.Helper()
	for name := range want {
		if !bytes.Equal(got[name], want[name]) {
			t.Errorf("%s differs", name)
		}
	}
}

func records(t *testing.T, dir string) int {
	t.Helper()
	list := suite.Must(filepath.Glob(filepath.Join(dir, "points", "*.json")))(t)
	return len(list)
}

// undisturbed holds the results of an undisturbed sweep: they are the same for all tests, so it runs once.
var undisturbed struct {
	once  sync.Once
	files map[string][]byte
}

func wantMany(t *testing.T, program string) map[string][]byte {
	t.Helper()
	undisturbed.once.Do(func() { undisturbed.files = sweepTo(t, program, "undisturbed") })
	if undisturbed.files == nil {
		t.Fatal("the undisturbed sweep failed in another test")
	}
	return undisturbed.files
}

// A sweep that is killed ten times, each time after one more result, and resumed, gives the results of an undisturbed
// one.
func TestKilledSweepResumes(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	program := build(t)
	writeMany(t, program)
	want := wantMany(t, program)
	have := 0
	for i := range 10 {
		c := command(t, program, "sweep", "many.yaml", "-o", "killed", "-q", "--workers", "1")
		suite.OK(t, c.Start())
		waitFor(t, func() bool { return records(t, filepath.Join(filepath.Dir(program), "killed")) > i })
		if err := c.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Fatal(err)
		}
		_ = c.Wait() // killed
		now := records(t, filepath.Join(filepath.Dir(program), "killed"))
		if now < have {
			t.Errorf("after kill %d there are %d results, before there were %d", i, now, have)
		}
		have = now
	}
	t.Logf("%d of 12 points had a result after the last kill", have)
	sameFiles(t, sweepTo(t, program, "killed"), want)
}

// waitFor polls until a condition holds.
func waitFor(t *testing.T, so func() bool) {
	t.Helper()
	for !so() {
		if t.Context().Err() != nil {
			t.Fatal("it never came to be")
		}
		time.Sleep(time.Millisecond)
	}
}

func writeMany(t *testing.T, program string) {
	t.Helper()
	suite.OK(t, os.WriteFile(filepath.Join(filepath.Dir(program), "many.yaml"), []byte(manyPoints), 0o644))
}

// Points with a result are not run again, unless forced; failed points have a row.
func TestSweepCacheAndFailures(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	program := build(t)
	writeMany(t, program)
	first := sweepTo(t, program, "a", "--workers", "1")
	sameFiles(t, first, wantMany(t, program)) // of two workers
	ages := func() string {
		list, _ := filepath.Glob(filepath.Join(filepath.Dir(program), "a", "points", "*.json")) // the pattern is well formed
		text := ""
		for _, name := range list {
			if info, err := os.Stat(name); err == nil {
				text += fmt.Sprintln(name, info.ModTime().UnixNano())
			}
		}
		return text
	}
	before := ages()
	sameFiles(t, sweepTo(t, program, "a"), first)
	if ages() != before {
		t.Error("points ran again")
	}
	sameFiles(t, sweepTo(t, program, "a", "--force"), first)
	if ages() == before {
		t.Error("--force ran nothing")
	}
	sameFiles(t, sweepTo(t, program, "b", "--cache", "a/points"), first)
	if n := records(t, filepath.Join(filepath.Dir(program), "b")); n != 0 {
		t.Errorf("%d points ran beside the cache", n)
	}
	rows := string(first["many.csv"])
	if strings.Count(rows, ",failed,") != 2 || strings.Count(rows, ",done,") != 10 || strings.Count(rows, "\n") != 13 {
		t.Errorf("rows:\n%s", rows)
	}
}

// The commands of a profile run the tasks: a command that ends when they have, like GNU parallel, or one that queues
// them, like PBS.
func TestCommandsGiveTheSameRows(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a process for each of many points")
	}
	program := build(t)
	writeMany(t, program)
	dir := filepath.Dir(program)
	tasks := `for i in $(seq 0 "$SPVSIM_LAST"); do sh "$SPVSIM_SCRIPT" $i || bad=1; done`
	for name, text := range map[string]string{
		"waits":  "poll_seconds: 0.1\nchunk: 5\nindex: $1\nsubmit: '" + tasks + "'\n",
		"queues": "poll_seconds: 0.1\nchunk: 5\nindex: $1\nsubmit: 'touch q-$SPVSIM_NAME; (" + tasks + "; rm q-$SPVSIM_NAME) >/dev/null 2>&1 & echo q-$SPVSIM_NAME'\nqueue: ls $SPVSIM_ID\n",
	} {
		suite.OK(t, os.WriteFile(filepath.Join(dir, name+".yaml"), []byte(text), 0o644))
		sameFiles(t, sweepTo(t, program, name, "--launcher", "command", "--profile", name+".yaml"), wantMany(t, program))
		status, err := command(t, program, "sweep", "many.yaml", "-o", name, "--status").CombinedOutput()
		if err != nil || !strings.Contains(string(status), "10 of 12 points done, 2 failed") || !strings.Contains(string(status), "3 tasks, all ended") {
			t.Errorf("%s: status: %v\n%s", name, err, status)
		}
	}
}

// The error about tasks without a result has their log, and the output of the submit command.
func TestCommandsThatFail(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	program := build(t)
	writeMany(t, program)
	dir := filepath.Dir(program)
	for _, c := range []struct{ profile, want string }{
		{"index: $1\nsubmit: sh $SPVSIM_SCRIPT 0; echo one task failed >&2; false\nsetup: ['echo no such module; exit 3']\n", "one task failed; log: "},
		{"index: $1\nsubmit: no-such-command\n", "no-such-command: not found; it left no log ("},
		{"index: $1\nsubmit: 'false'\nqueue: 'true'\n", "cluster: submit: exit status 1"},
		{"index: $1\nsubmit: 'true'\nqueue: no-such-queue\n", "no-such-queue: not found"},
		{"index: $1\n", "found a profile without submit or index"},
		{"index: $1\nsubmit: 'true'\npartition: p\n", "found partition, which is for --launcher slurm"},
	} {
		suite.OK(t, os.WriteFile(filepath.Join(dir, "never.yaml"), []byte("poll_seconds: 0.1\nchunk: 12\nattempts: 1\n"+c.profile), 0o644))
		out, err := command(t, program, "sweep", "many.yaml", "-q", "--force", "-o", "never", "--launcher", "command", "--profile", "never.yaml").CombinedOutput()
		if err == nil || !strings.Contains(string(out), c.want) {
			t.Errorf("%s: %v\n%s", c.profile, err, out)
		}
		if strings.Contains(c.want, "; log") {
			wantLog(t, dir, string(out))
		}
	}
}

// A sweep of a job with axes on the command line equals that of an experiment file with the same axes.
func TestSweepWithoutAFile(t *testing.T) {
	program := build(t)
	dir := filepath.Dir(program)
	text := "job: reduce\naxes: {lds.banks: {path: machine.lds.banks, values: [16, 32]}, parameters.groups: [8, 16]}\n"
	suite.OK(t, os.WriteFile(filepath.Join(dir, "file.yaml"), []byte(text), 0o644))
	var rows [2]string
	for i, args := range [][]string{{"file.yaml"}, {"reduce", "--axis", "lds.banks=16,32", "--axis", "parameters.groups=8,16"}} {
		out, err := command(t, program, append([]string{"sweep", "-q", "-o", fmt.Sprint("out", i)}, args...)...).CombinedOutput()
		list, _ := filepath.Glob(filepath.Join(dir, fmt.Sprint("out", i), "*.csv")) // the pattern is well formed
		if err != nil || len(list) != 1 {
			t.Fatalf("%v\n%s", err, out)
		}
		data := suite.Must(os.ReadFile(list[0]))(t)
		rows[i] = string(data)
	}
	if rows[0] != rows[1] || strings.Count(rows[0], ",done,") != 4 {
		t.Errorf("rows of the file\n%s\nof the command line\n%s", rows[0], rows[1])
	}
	if !exists(filepath.Join(dir, "out1", "cycles.svg")) {
		t.Error("no figure of cycles was drawn")
	}
}

func TestSweepRefusals(t *testing.T) {
	name := filepath.Join(t.TempDir(), "e.yaml")
	for _, c := range []struct {
		text string
		args []string
		want string
	}{
		{"job: reduce\naxes: {machine.lds.bank: [1]}", nil, "e.yaml:2: machine.lds.bank: "},
		{"job: reduce\naxis: {}", nil, "e.yaml:2: axis: unknown key (nearest: axes)"},
		{"job: redcue", nil, "did you mean reduce?"},
		{"job: reduce\naxes: {n: {path: row.n, values: [1]}}\nexclude: [n == 1]", nil, "found every point excluded"},
		{"job: reduce", []string{"--launcher", "pbs"}, "want local, slurm, condor or command"},
		{"job: reduce", []string{"--profile", "p.yaml"}, "--profile p.yaml: want --launcher slurm, condor or command with it"},
	} {
		suite.OK(t, os.WriteFile(name, []byte(c.text), 0o644))
		args := append([]string{"sweep", name, "-o", t.TempDir()}, c.args...)
		wantRefused(t, spvsim("", args...), c.want)
	}
	wantRefused(t, spvsim("", "sweep", "lds-strid"), "did you mean lds-stride?")
}

// TestAbsentConstantsFailAPoint: a row must not state a setting without effect.
func TestAbsentConstantsFailAPoint(t *testing.T) {
	files := fstest.MapFS{"saxpy.spv": {Data: ready(t, "saxpy", "saxpy.spv")}}
	job := suite.Must(config.ParseJob(files, "job.yaml", []byte(strings.NewReplacer("SHADER", "saxpy.spv\nspecialization: {7: 1}", "EIGHT", "8").Replace(doubler))))(t)
	machine := suite.Must(config.LoadMachine(config.Request{Job: job}))(t)
	if _, err := simulate(t.Context(), &config.Run{Machine: machine, Job: job}); err == nil || !strings.Contains(err.Error(), "specialization 7") {
		t.Errorf("error %v", err)
	}
}

func TestDryRun(t *testing.T) {
	out := filepath.Join(t.TempDir(), "none")
	r := spvsim("", "sweep", "transpose-layouts", "--small", "--dry-run", "-o", out)
	if r.status != exitDone || strings.Count(r.stdout, "to run\n") != 18 || !strings.Contains(r.stdout, "18 points, 18 to run: about ") {
		t.Errorf("status %d\n%s%s", r.status, r.stdout, r.stderr)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a dry run made the folder")
	}
}

// A sample of a dry run estimates the size of the results, and its points are not run again.
func TestDryRunWithASample(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	program := build(t)
	dir := filepath.Join(filepath.Dir(program), "out")
	estimate := func(flags ...string) (text string) {
		t.Helper()
		out, err := command(t, program, append([]string{"sweep", "lds-stride", "--small", "--dry-run", "-o", "out"}, flags...)...).Output()
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		return lines[len(lines)-1]
	}
	if text := estimate(); !strings.Contains(text, " core hours, ") || !strings.Contains(text, "nothing similar has run here (--sample 10 runs some)") {
		t.Errorf("without a sample: %s", text)
	}
	if exists(dir) {
		t.Error("a dry run without a sample ran something")
	}
	text := estimate("--sample", "3")
	ran := records(t, dir)
	_, size, _ := strings.Cut(text, " core hours, ")
	var kilobytes float64
	if _, err := fmt.Sscanf(size, "%f kB of results", &kilobytes); err != nil || ran != 3 || strings.Contains(text, "assumed") {
		t.Fatalf("%d points ran: %s: %v", ran, text, err)
	}
	sampled := suite.Must(filepath.Glob(filepath.Join(dir, "points", "*.json")))(t)
	before := bytesOf(t, sampled)
	if out, err := command(t, program, "sweep", "lds-stride", "--small", "-q", "-o", "out").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	all := suite.Must(filepath.Glob(filepath.Join(dir, "points", "*.json")))(t)
	if got := float64(bytesOf(t, all)-before) / 1000; got < kilobytes/1.3 || got > kilobytes*1.3 {
		t.Errorf("results of %g kB: %g are estimated", got, kilobytes)
	}
	for _, c := range []struct{ flags, want string }{{"--sample=3", "--sample: found no --dry-run"}, {"--tasks=2", "--tasks: found no --bundle"}, {"--bundle=b --dry-run", "--bundle: found --dry-run"}, {"--merge --small", "--merge: found a flag of an experiment"}} {
		wantRefused(t, spvsim("", append([]string{"sweep", "lds-stride"}, strings.Fields(c.flags)...)...), c.want)
	}
}

// bytesOf adds up the sizes of files.
func bytesOf(t *testing.T, names []string) (sum int64) {
	t.Helper()
	for _, name := range names {
		sum += suite.Must(os.Stat(name))(t).Size()
	}
	return sum
}

func TestListedExperimentsLoad(t *testing.T) {
	r := spvsim("", "sweep", "--list")
	r.prints(t, exitDone, "lds-stride ", "mi300a-validation ")
}

var update = flag.Bool("update", false, "draw the experiments' figures anew from their committed rows")

// The committed figures equal those drawn from the committed rows. With -update they are redrawn.
func TestCommittedFigures(t *testing.T) {
	dir := filepath.Join("..", "..", "experiments", "figures")
	rows, err := filepath.Glob(filepath.Join(dir, "*.csv"))
	if err != nil || len(rows) == 0 {
		t.Fatalf("no rows: %v", err)
	}
	out := t.TempDir()
	if *update {
		out = dir
	}
	if testing.Short() && !*update {
		rows = rows[:len(rows)/8]
	}
	for _, file := range rows {
		name := strings.TrimSuffix(filepath.Base(file), ".csv")
		if r := spvsim("", "sweep", name, "--draw", file, "-o", out); r.status != exitDone {
			t.Errorf("%s: %s", name, r.stderr)
		}
	}
	drawn, err := filepath.Glob(filepath.Join(out, "*.svg"))
	if err != nil || len(drawn) < len(rows) {
		t.Fatalf("%d figures of %d experiments: %v", len(drawn), len(rows), err)
	}
	for _, file := range drawn {
		got, err1 := os.ReadFile(file)
		want, err2 := os.ReadFile(filepath.Join(dir, filepath.Base(file)))
		if err := errors.Join(err1, err2); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what its rows give (%v): go test ./cmd/spvsim -run CommittedFigures -args -update", filepath.Base(file), err)
		}
	}
}

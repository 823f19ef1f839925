package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"spvsim/internal/suite"
)

// bundleOf writes the bundle of an experiment, and moves it elsewhere. It returns its folder.
func bundleOf(t *testing.T, program, experiment string, flags ...string) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("tasks start with a shell")
	}
	out, err := command(t, program, append([]string{"sweep", experiment, "--bundle", "made", "-o", "none"}, flags...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	dir := filepath.Join(t.TempDir(), "bundle of mine")
	suite.OK(t, os.Rename(filepath.Join(filepath.Dir(program), "made"), dir))
	return dir
}

// taskOf is the command of a task, in a folder of its own.
func taskOf(t *testing.T, bundle, folder string, task int) *exec.Cmd {
	t.Helper()
	suite.OK(t, os.MkdirAll(folder, 0o777))
	c := exec.CommandContext(t.Context(), "sh", filepath.Join(bundle, "task.sh"), fmt.Sprint(task))
	c.Dir = folder
	return c
}

// A bundle's tasks give the rows of the sweep, without the experiment's files. Rows of some tasks name the points that
// are missing, and those that fail; a sweep or another bundle continues from them.
func TestBundleGivesTheSameRows(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	program := build(t)
	writeMany(t, program)
	dir := filepath.Dir(program)
	for name, file := range map[string]string{"job.yaml": "reduce.yaml", "reduce.spv": "reduce.spv"} { // of the user's own
		suite.OK(t, os.WriteFile(filepath.Join(dir, name), ready(t, "reduce", file), 0o644))
	}
	suite.OK(t, os.WriteFile(filepath.Join(dir, "many.yaml"), []byte(strings.Replace(manyPoints, "job: reduce", "job: job.yaml", 1)), 0o644))
	want := sweepTo(t, program, "own")
	bundle := bundleOf(t, program, "many.yaml", "--tasks", "4")
	for _, name := range []string{"job.yaml", "reduce.spv", "many.yaml"} {
		suite.OK(t, os.Remove(filepath.Join(dir, name)))
	}
	rows := []string{"sweep", "--merge", "--bundle", bundle, "-o", "merged"}
	for _, task := range []int{3, 0, 2} {
		folder := filepath.Join(dir, fmt.Sprint("node", task))
		if out, err := taskOf(t, bundle, folder, task).CombinedOutput(); err != nil || len(out) > 0 {
			t.Fatalf("task %d: %v\n%s", task, err, out)
		}
		if left := suite.Must(os.ReadDir(folder))(t); len(left) != 1 {
			t.Errorf("task %d left %v, want one file", task, left)
		}
		rows = append(rows, filepath.Join(folder, fmt.Sprintf("rows-%d.jsonl", task)))
	}
	merge := func(args []string, wanted ...string) {
		t.Helper()
		out, err := command(t, program, args...).CombinedOutput()
		if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != exitFailed {
			t.Errorf("%v, want exit status 1", err)
		}
		for _, text := range wanted {
			if !strings.Contains(string(out), text) {
				t.Errorf("no %q in\n%s", text, out)
			}
		}
	}
	merge(rows, "points without a result: 4-5\ntasks to run again: 1\n", "2 of 12 points without a result", "2 of 12 points failed", "point 9 (machine = rdna3-rx7900xtx, groups = 32, slots = 1): ")
	suite.OK(t, os.RemoveAll(filepath.Join(dir, "none")))
	suite.OK(t, os.CopyFS(filepath.Join(dir, "none"), os.DirFS(filepath.Join(dir, "merged"))))

	node := filepath.Join(dir, "node1")
	if out, err := taskOf(t, bundle, node, 1).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	merge(append(rows, filepath.Join(node, "rows-1.jsonl"), rows[6]), "2 of 12 points failed") // one file twice
	merged := map[string][]byte{}
	for name := range want {
		merged[name] = suite.Must(os.ReadFile(filepath.Join(dir, "merged", name)))(t)
	}
	sameFiles(t, merged, want)

	// A second bundle has the rest, and its rows join the results that are there.
	for name, file := range map[string]string{"job.yaml": "reduce.yaml", "reduce.spv": "reduce.spv"} {
		suite.OK(t, os.WriteFile(filepath.Join(dir, name), ready(t, "reduce", file), 0o644))
	}
	suite.OK(t, os.WriteFile(filepath.Join(dir, "many.yaml"), []byte(strings.Replace(manyPoints, "job: reduce", "job: job.yaml", 1)), 0o644))
	rest := bundleOf(t, program, "many.yaml", "--tasks", "100")
	for task := range 2 {
		if out, err := taskOf(t, rest, filepath.Join(dir, "rest"), task).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	merge([]string{"sweep", "--merge", "--bundle", rest, "-o", "none", "rest/rows-1.jsonl", "rest/rows-0.jsonl"}, "2 of 12 points failed")
	for name := range want {
		merged[name] = suite.Must(os.ReadFile(filepath.Join(dir, "none", name)))(t)
	}
	sameFiles(t, merged, want)
}

// Bundles and rows that are damaged, or of something else, are refused by name, and so are two results of a point that
// differ.
func TestForeignAndDamagedBundles(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	program := build(t)
	writeMany(t, program)
	dir := filepath.Dir(program)
	bundle := bundleOf(t, program, "many.yaml", "--tasks", "2")
	for task := range 2 {
		if out, err := taskOf(t, bundle, dir, task).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	rows := read(t, filepath.Join(dir, "rows-0.jsonl"))
	archive := read(t, filepath.Join(bundle, "bundle.zip"))
	other := bundleOf(t, program, "many.yaml", "--tasks", "3")
	refused := func(name, want string, c *exec.Cmd) {
		t.Helper()
		out, err := c.CombinedOutput()
		if err == nil || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v, no %q in\n%s", name, err, want, out)
		}
	}
	merge := func(files ...string) *exec.Cmd {
		return command(t, program, append([]string{"sweep", "--merge", "--bundle", bundle, "-o", "out"}, files...)...)
	}
	write := func(name string, data []byte) string {
		suite.OK(t, os.WriteFile(filepath.Join(dir, name), data, 0o644))
		return name
	}
	lines := bytes.SplitAfter(rows, []byte("\n"))
	refused("other bundle", "rows-0.jsonl: found rows of the bundle ", command(t, program, "sweep", "--merge", "--bundle", other, "rows-0.jsonl"))
	refused("other version", "v.jsonl: found rows of another version of spvsim, ", merge(write("v.jsonl", resum(t, rows, `"build":"`, `"build":"x`))))
	refused("no rows", "many.yaml:1: found no header of a task's rows", merge("many.yaml"))
	refused("empty", "e.jsonl: found no header", merge(write("e.jsonl", nil)))
	refused("no file", "none.jsonl: ", merge("none.jsonl"))
	refused("other point", "p.jsonl:2: found a result of the point ", merge(write("p.jsonl", resum(t, rows, `{"key":"`, `{"key":"0`))))
	refused("double", "d.jsonl:2: found a second result of the point machine=gcn3-r9nano groups=8 slots=1 that differs", merge("rows-0.jsonl", write("d.jsonl", resum(t, rows, `"cycles":`, `"cycles":1`))))
	refused("damaged line", "l.jsonl:2: found a line that is no whole row", merge(write("l.jsonl", bytes.Replace(rows, lines[1], append([]byte("0"), lines[1]...), 1))))
	refused("no bundle", "--merge: ", command(t, program, "sweep", "--merge", "rows-0.jsonl"))
	refused("other task", "found rows of task 0: want those of task 1", exec.Command("sh", filepath.Join(bundle, "task.sh"), "1", filepath.Join(dir, "rows-0.jsonl")))
	refused("no task", "found task 2: want one of the 2, from 0 on", taskOf(t, bundle, dir, 2))
	refused("no number", "found no number: want a task from 0 to 1", exec.Command("sh", filepath.Join(bundle, "task.sh")))
	refused("rows in a folder", "found a folder: want a file", exec.Command("sh", filepath.Join(bundle, "task.sh"), "0", dir))
	refused("a folder with files", "found a folder with files", command(t, program, "sweep", "many.yaml", "--bundle", ".", "-o", "z"))

	// Damage in every part of the archive is found: by the script, and by the program that starts without it.
	r := rand.New(rand.NewPCG(55, 1))
	for range 12 {
		damaged := bytes.Clone(archive)
		damaged[r.IntN(len(damaged))] ^= byte(1 + r.IntN(255))
		suite.OK(t, os.WriteFile(filepath.Join(bundle, "bundle.zip"), damaged, 0o644))
		refused("damaged archive", "bundle.zip is damaged, or of another bundle: found the checksum ", taskOf(t, bundle, t.TempDir(), 0))
	}
	suite.OK(t, os.WriteFile(filepath.Join(bundle, "bundle.zip"), archive[:len(archive)/2], 0o644))
	refused("half an archive", "bundle.zip: ", command(t, program, "sweep-point", "--bundle", filepath.Join(bundle, "bundle.zip"), "--task", "0", "--rows", "h.jsonl"))
	suite.OK(t, os.WriteFile(filepath.Join(bundle, "bundle.zip"), archive, 0o644))
	code := read(t, filepath.Join(bundle, "spvsim"))
	code[len(code)-1] ^= 1
	suite.OK(t, os.WriteFile(filepath.Join(bundle, "spvsim"), code, 0o755))
	refused("damaged program", "spvsim is damaged, or of another bundle: found the checksum ", taskOf(t, bundle, t.TempDir(), 0))
	refused("another version", "found points of another version of spvsim, ", exec.Command(filepath.Join(bundle, "spvsim"), "sweep-point", "--bundle", filepath.Join(bundle, "bundle.zip"), "--task", "0", "--rows", filepath.Join(dir, "h.jsonl")))
}

var killedPoints = flag.Int("sweep.points", 1000, "points of the sweep whose tasks are killed, a multiple of 400")

// shortPoints has 40 points of some milliseconds for each launch latency; those of one in ten columns always fail.
const shortPoints = `job: saxpy
set: {expect: [], machine.shader_engines: 1, machine.compute_units: 1}
axes:
  n: {path: parameters.n, values: [256, 512, 768, 1024]}
  slots: {path: machine.wave_slots, values: [1, 8, 9, 10, 12, 16, 20, 24, 32, 40]}
  launch: {path: machine.dispatcher.launch_latency, from: 11, to: %d}
columns: {cycles: cycles}
`

// Of a thousand points in a hundred tasks, ten tasks are killed at random times, and then run again: the rows are those
// of an undisturbed sweep.
func TestSweepWithKilledTasks(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates two thousand points")
	}
	points, tasks := *killedPoints, *killedPoints/10
	program := build(t)
	dir := filepath.Dir(program)
	suite.OK(t, os.WriteFile(filepath.Join(dir, "many.yaml"), fmt.Appendf(nil, shortPoints, 10+points/40), 0o644))
	bundle := bundleOf(t, program, "many.yaml", "--tasks", fmt.Sprint(tasks))
	r := rand.New(rand.NewPCG(55, 2))
	killed := map[int]bool{}
	for _, task := range r.Perm(tasks)[:tasks/10] {
		killed[task] = true
	}
	args := []string{"sweep", "--merge", "--bundle", bundle, "-o", "merged"}
	whole := time.Duration(0) // time of a task that nothing disturbs
	partial := 0
	for task := range tasks {
		begin := time.Now()
		c := taskOf(t, bundle, dir, task)
		suite.OK(t, c.Start())
		if killed[task] {
			time.Sleep(time.Duration(r.Float64() * float64(whole)))
			_ = c.Process.Kill() // it may have ended
		}
		if err := c.Wait(); err != nil && !killed[task] {
			t.Fatalf("task %d: %v", task, err)
		} else if err == nil && !killed[task] {
			whole = time.Since(begin)
		}
		if name := fmt.Sprintf("rows-%d.jsonl", task); exists(filepath.Join(dir, name)) {
			if killed[task] {
				partial++
			}
			if len(read(t, filepath.Join(dir, name))) > 0 {
				args = append(args, name)
			}
		}
	}
	out, err := command(t, program, args...).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "points failed; the column error of the rows says why\n  point ") || !strings.Contains(string(out), "tasks to run again: ") {
		t.Errorf("%v\n%s", err, out)
	}
	for task := range killed {
		if out, err := taskOf(t, bundle, dir, task).CombinedOutput(); err != nil {
			t.Fatalf("task %d again: %v\n%s", task, err, out)
		}
		args = append(args, fmt.Sprintf("rows-%d.jsonl", task))
	}
	out, err = command(t, program, args...).CombinedOutput()
	if err == nil || strings.Contains(string(out), "without a result") {
		t.Errorf("%v\n%s", err, out)
	}
	_, _ = command(t, program, "sweep", "many.yaml", "-q", "-o", "undisturbed").CombinedOutput() // exit status 1: points fail
	got, want := read(t, filepath.Join(dir, "merged", "many.csv")), read(t, filepath.Join(dir, "undisturbed", "many.csv"))
	if !bytes.Equal(got, want) || bytes.Count(want, []byte("\n")) != points+1 || !bytes.Contains(want, []byte(",failed,")) {
		t.Errorf("%d rows, %d of an undisturbed sweep: they differ, or none failed", bytes.Count(got, []byte("\n")), bytes.Count(want, []byte("\n")))
	}
	t.Logf("%d of %d killed tasks had begun their file", partial, len(killed))
}

// resum replaces the first occurrence of a text in each line of a file of rows, and makes the lines' digests right.
func resum(t *testing.T, rows []byte, old, new string) []byte {
	t.Helper()
	var out bytes.Buffer
	for line := range bytes.Lines(rows) {
		_, text, _ := bytes.Cut(bytes.TrimSuffix(line, []byte("\n")), []byte(" "))
		text = bytes.Replace(text, []byte(old), []byte(new), 1)
		fmt.Fprintf(&out, "%x %s\n", sha256.Sum256(text), text)
	}
	return out.Bytes()
}

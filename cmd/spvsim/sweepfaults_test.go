//go:build unix

package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"spvsim/internal/suite"
)

// Entries of the folder of points that are no records stop no sweep: its rows are those of an undisturbed one. What
// was in a folder is kept.
func TestOddEntriesAmongThePoints(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	program := build(t)
	writeMany(t, program)
	want := wantMany(t, program)
	sameFiles(t, sweepTo(t, program, "odd"), want)
	points := filepath.Join(filepath.Dir(program), "odd", "points")
	list := suite.Must(filepath.Glob(filepath.Join(points, "*.json")))(t)
	kept := filepath.Join(t.TempDir(), "kept.json")
	entries := []struct {
		name string
		make func(name string) error
	}{
		{"pipe", func(name string) error { return syscall.Mkfifo(name, 0o666) }},
		{"folder with a file", func(name string) error {
			return errorsOf(os.Mkdir(name, 0o777), os.WriteFile(filepath.Join(name, "precious"), []byte("x"), 0o666))
		}},
		{"empty folder", func(name string) error { return os.Mkdir(name, 0o777) }},
		{"link to nothing", func(name string) error { return os.Symlink("nothing", name) }},
		{"link to itself", func(name string) error { return os.Symlink(name, name) }},
		{"link to a device", func(name string) error { return os.Symlink("/dev/zero", name) }},
		{"link to a folder", func(name string) error { return os.Symlink(t.TempDir(), name) }},
		{"link to a pipe", func(name string) error { return os.Symlink(filepath.Join(points, "unnamed"), name) }},
		{"empty file", func(name string) error { return os.WriteFile(name, nil, 0o666) }},
		{"long file", func(name string) error { return errorsOf(os.WriteFile(name, nil, 0o666), os.Truncate(name, 3<<30)) }},
		{"link to a record", func(name string) error { return os.Symlink(kept, name) }},
	}
	if len(list) < len(entries) {
		t.Fatalf("%d records, want %d", len(list), len(entries))
	}
	suite.OK(t, syscall.Mkfifo(filepath.Join(points, "unnamed"), 0o666))
	suite.OK(t, syscall.Mkfifo(filepath.Join(points, "unnamed.json"), 0o666)) // which an estimate looks at
	for _, again := range []string{"", "--force"} {
		for i, e := range entries {
			if e.name == "link to a record" {
				suite.OK(t, os.Rename(list[i], kept))
			} else {
				suite.OK(t, os.Remove(list[i]))
			}
			if err := e.make(list[i]); err != nil {
				t.Fatalf("%s: %v", e.name, err)
			}
		}
		for _, flag := range []string{"--status", "--dry-run"} {
			if out, err := command(t, program, "sweep", "many.yaml", "-o", "odd", flag).CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", flag, err, out)
			}
		}
		flags := []string{}
		if again != "" {
			flags = append(flags, again)
		}
		sameFiles(t, sweepTo(t, program, "odd", flags...), want)
	}
	precious := suite.Must(filepath.Glob(filepath.Join(points, "folder-*", "*", "precious")))(t)
	if len(precious) != 2 {
		t.Errorf("%d of 2 files in folders with names of records are kept", len(precious))
	}
}

func errorsOf(list ...error) error {
	for _, err := range list {
		if err != nil {
			return err
		}
	}
	return nil
}

// A task whose disk is full fails by name, and continues after the rows that it wrote when there is space again.
func TestTaskOnAFullDisk(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	program := build(t)
	writeMany(t, program)
	want := wantMany(t, program)
	dir := filepath.Dir(program)
	bundle := bundleOf(t, program, "many.yaml", "--tasks", "1")
	for _, bytes := range []int{512, 8192, 20480} { // within the header's line, or one of the rows
		c := command(t, program) // a shell that bounds files
		c.Path, c.Args = "/bin/sh", []string{"sh", "-c", fmt.Sprintf("ulimit -f %d; exec sh %q/task.sh 0", bytes/512, bundle)}
		out, err := c.CombinedOutput()
		if err == nil || !strings.Contains(string(out), "rows-0.jsonl: file too large") {
			t.Errorf("files of %d bytes: %v\n%s", bytes, err, out)
		}
		if got := len(read(t, filepath.Join(dir, "rows-0.jsonl"))); got > bytes {
			t.Errorf("%d bytes are written: want at most %d", got, bytes)
		}
	}
	if full, ok := fullDisk(t); ok {
		c := command(t, program)
		c.Path, c.Args = "/bin/sh", []string{"sh", filepath.Join(bundle, "task.sh"), "0", filepath.Join(full, "rows")}
		if out, err := c.CombinedOutput(); err == nil || !strings.Contains(string(out), "no space left on device") {
			t.Errorf("a full disk: %v\n%s", err, out)
		}
	}
	if out, err := taskOf(t, bundle, dir, 0).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := command(t, program, "sweep", "--merge", "rows-0.jsonl", "--bundle", bundle, "-o", "merged").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "2 of 12 points failed") || strings.Contains(string(out), "without a result") {
		t.Errorf("%v\n%s", err, out)
	}
	for _, name := range []string{"many.csv", "many.parquet"} {
		if !bytes.Equal(read(t, filepath.Join(dir, "merged", name)), want[name]) {
			t.Errorf("%s differs", name)
		}
	}
}

// Workers of a task that vanish leave points as crashed, which the task runs when it is started again.
func TestWorkersThatVanish(t *testing.T) {
	if testing.Short() || runtime.GOOS != "linux" {
		t.Skip("starts processes, and finds them in /proc")
	}
	program := build(t)
	writeMany(t, program)
	want := wantMany(t, program)
	dir := filepath.Dir(program)
	bundle := bundleOf(t, program, "many.yaml", "--tasks", "1")
	r := rand.New(rand.NewPCG(55, 3))
	kills := 0
	for range 4 {
		c := taskOf(t, bundle, dir, 0)
		suite.OK(t, c.Start())
		ended := make(chan error, 1)
		go func() { ended <- c.Wait() }()
		for running := true; running; {
			select {
			case err := <-ended:
				if err != nil {
					t.Errorf("the task ended with its workers: %v", err)
				}
				running = false
			case <-time.After(time.Duration(r.IntN(60)) * time.Millisecond):
				for _, pid := range childrenOf(c.Process.Pid) {
					line, _ := os.ReadFile("/proc/" + pid + "/cmdline") // none after its end
					if !strings.Contains(string(line), pointCommandName) {
						continue // a program of the script
					}
					if n, err := strconv.Atoi(pid); err == nil && syscall.Kill(n, syscall.SIGKILL) == nil {
						kills++
					}
				}
			}
		}
	}
	if out, err := taskOf(t, bundle, dir, 0).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if kills == 0 {
		t.Error("no worker was killed")
	}
	out, err := command(t, program, "sweep", "--merge", "rows-0.jsonl", "--bundle", bundle, "-o", "merged").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "2 of 12 points failed") {
		t.Errorf("%v\n%s", err, out)
	}
	if !bytes.Equal(read(t, filepath.Join(dir, "merged", "many.csv")), want["many.csv"]) {
		t.Error("many.csv differs")
	}
	t.Logf("%d workers were killed", kills)
}

// childrenOf lists the processes that a process started.
func childrenOf(pid int) (list []string) {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid)) // the pattern is well formed
	for _, name := range lists {
		text, _ := os.ReadFile(name) // none after its end
		list = append(list, strings.Fields(string(text))...)
	}
	return list
}

//go:build unix

package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"spvsim/internal/suite"
	"spvsim/spirv/asm"
)

// complete holds arguments with which a command ends quickly, for tests of its flags. A command that is missing here
// gets files.
var complete = map[string][]string{
	"run": {"saxpy", "--quiet"}, "graph": {"bfs"}, "inspect": {"saxpy"}, "validate": {"saxpy"}, "report": {"saxpy", "--out", "-"},
	"sweep": {"lds-stride", "--small", "--dry-run"}, "machine": {"gcn3-r9nano"}, "schema": {"job"}, "init": {"testdata/bounds/doubled-private.spvasm"},
	"asm": {"testdata/bounds/doubled-private.spvasm", "-o", "-"}, "plot": {"../../plots/testdata/schedulers.csv", "../../plots/testdata/line.yaml", "--format", "svg"},
	"stats": {}, "version": {}, "driver": {}, "app": {"--", "true"}, "sweep-point": {}, "measure": {"saxpy", "--repetitions", "1"},
}

// extensions are those by which commands distinguish files.
var extensions = []string{"", ".yaml", ".csv", ".parquet", ".json", ".spv", ".spvasm"}

// laughs is a document of a few lines with a billion values.
func laughs() []byte {
	var b strings.Builder
	b.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := range 9 {
		fmt.Fprintf(&b, "a%d: &a%d [%s]\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i), 10), ", "))
	}
	return []byte(b.String())
}

// hazards creates a folder of files that no command may read to their end: a device and a pipe with each extension,
// links to them, a loop of links, a folder; and small files that claim to be large. Data written to the pipe is
// discarded.
func hazards(t *testing.T) (dir string, names []string) {
	t.Helper()
	dir = t.TempDir()
	for _, ext := range extensions {
		for kind, make := range map[string]func(string) error{
			"zero": func(name string) error { return os.Symlink("/dev/zero", name) },
			"pipe": func(name string) error { return syscall.Mkfifo(name, 0o600) },
			"loop": func(name string) error { return os.Symlink(filepath.Base(name), name) },
			"fold": func(name string) error { return os.Mkdir(name, 0o700) },
		} {
			name := filepath.Join(dir, kind+ext)
			if err := make(name); err != nil {
				t.Skip(err)
			}
			names = append(names, name)
			if kind == "pipe" {
				drain(t, name)
			}
		}
	}
	small := map[string][]byte{"laughs.yaml": laughs(), "zeros.yaml": bytes.Repeat([]byte("["), 100_000), "quotes.csv": append([]byte("a,b\n"), bytes.Repeat([]byte{'"'}, 99_999)...)}
	for _, name := range []string{"doubled-private", "doubled-buffer", "payload"} {
		text := read(t, filepath.Join("testdata", "bounds", name+".spvasm"))
		m := suite.Must(asm.Assemble(text, name))(t)
		small[name+".spv"] = m.Encode(binary.LittleEndian)
	}
	small["counts.parquet"] = read(t, "../../plots/testdata/delta.parquet")
	for name, data := range small {
		name = filepath.Join(dir, name)
		suite.OK(t, os.WriteFile(name, data, 0o600))
		names = append(names, name)
	}
	slices.Sort(names)
	return dir, names
}

// drain opens a pipe for both directions, so that opening it does not block but reading it does, and discards data
// written to it.
func drain(t *testing.T, name string) {
	t.Helper()
	f := suite.Must(os.OpenFile(name, os.O_RDWR, 0))(t)
	t.Cleanup(func() { f.Close() })
	go func() { _, _ = io.Copy(io.Discard, f) }()
}

// mostAllocated bounds the total allocations of one command line, far below the claims of the hazards.
const mostAllocated = 2 << 30

// endsInBounds runs a command line, which must end, with a status that is not for faults of spvsim, and allocate little.
func endsInBounds(t *testing.T, args ...string) (r result) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	ended := make(chan result, 1)
	go func() { ended <- spvsim("", args...) }()
	select {
	case r = <-ended:
	case <-time.After(3 * time.Minute): // a hundred times the usual duration
		t.Fatalf("%q does not end", args)
	}
	runtime.ReadMemStats(&after)
	if r.status == exitFault {
		t.Errorf("%q: %s", args, r.stderr)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > mostAllocated {
		t.Errorf("%q allocates %d bytes: want at most %d", args, n, mostAllocated)
	}
	return r
}

// commands are all of the program's, by name, hidden ones and cobra's own too.
func commands(c *cobra.Command) map[string]*cobra.Command {
	list := map[string]*cobra.Command{}
	for _, sub := range c.Commands() {
		list[strings.TrimPrefix(sub.CommandPath(), "spvsim ")] = sub
		maps.Copy(list, commands(sub))
	}
	return list
}

// texts returns the flags of a command with a text value, which may be a file name.
func texts(c *cobra.Command) (list []*pflag.Flag) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if strings.HasPrefix(f.Value.Type(), "string") {
			list = append(list, f)
		}
	})
	return list
}

// aloneHere keeps a test away from the Vulkan driver, which would be built, and from the folders of the user.
func aloneHere(t *testing.T, dir string) {
	t.Helper()
	t.Setenv("PATH", "")
	t.Setenv("HOME", dir)
	t.Setenv("XDG_CACHE_HOME", dir)
	t.Setenv("TMPDIR", t.TempDir())
}

// Every command refuses, or does without, each hazard in the place of each of its arguments. Commands are found in the program itself.
func TestHazardsAsArguments(t *testing.T) {
	dir, names := hazards(t)
	aloneHere(t, dir)
	tried := 0
	for name, c := range commands(newRoot()) {
		for n := 1; n <= 2; n++ {
			for _, hazard := range names {
				args := slices.Repeat([]string{hazard}, n)
				if c.Name() == "help" || c.ValidateArgs(args) != nil {
					continue
				}
				tried++
				r := endsInBounds(t, append(strings.Fields(name), args...)...)
				if base := filepath.Base(hazard); r.status == exitDone && (strings.HasPrefix(base, "zero") && !strings.HasSuffix(base, "zeros.yaml") || strings.HasPrefix(base, "pipe") || strings.HasPrefix(base, "loop")) {
					t.Errorf("%s %q is done: want a regular file", name, args)
				}
			}
		}
	}
	if tried < 10*len(names) {
		t.Errorf("only %d command lines were tried: want some for each command that reads a file", tried)
	}
}

// Every flag with a text value gets each hazard.
func TestHazardsAsFlags(t *testing.T) {
	dir, names := hazards(t)
	aloneHere(t, dir)
	names = slices.DeleteFunc(names, func(name string) bool {
		base := filepath.Base(name)
		return testing.Short() && !slices.Contains([]string{"zero.yaml", "pipe.csv", "loop.json", "counts.parquet"}, base) ||
			strings.HasSuffix(base, ".spvasm") || strings.HasPrefix(base, "fold.") || strings.HasPrefix(base, "loop.") && base != "loop.json"
	})
	for name, c := range commands(newRoot()) {
		for _, f := range texts(c) {
			for _, hazard := range names {
				args := append(strings.Fields(name), "--"+f.Name+"="+hazard)
				endsInBounds(t, append(args, complete[c.Name()]...)...)
			}
		}
	}
}

// Files that a file names are read like those of the command line: a job's shader, data, machine and base; rows of a
// figure.
func TestHazardsInFiles(t *testing.T) {
	dir, _ := hazards(t)
	aloneHere(t, dir)
	shader := suite.Must(filepath.Abs("testdata/bounds/doubled-private.spvasm"))(t)
	job := "shader: " + shader + "\ndispatch: [1]\n"
	for i, c := range []struct{ command, text string }{
		{"run", "shader: HAZARD\ndispatch: [1]\n"}, {"run", job + "machine: HAZARD.yaml\n"}, {"run", job + "buffers: [{set: 0, binding: 0, name: a, data: {file: HAZARD}}]\n"},
		{"graph", "nodes: [{shader: HAZARD}]\ngraph: [{node: a}]\n"}, {"validate", "shader: HAZARD\ndispatch: [1]\n"}, {"inspect", "shader: HAZARD\ndispatch: [1]\n"},
		{"report", "shader: HAZARD\ndispatch: [1]\n"}, {"machine", "base: HAZARD.yaml\n"},
		{"plot", "rows: HAZARD.csv\nkind: bar\nx: x\ny: y\n"}, {"plot", "rows: HAZARD.parquet\nkind: bar\nx: x\ny: y\n"},
		{"sweep", "job: HAZARD.yaml\naxes: {n: {path: parameters.n, values: [1]}}\n"},
		{"sweep", "job: saxpy\nset: {machine: HAZARD.yaml}\naxes: {n: {path: parameters.n, values: [1]}}\n"},
		{"sweep", "job: saxpy\naxes: {n: {path: parameters.n, values: [1]}}\nreferences: [{file: HAZARD.csv, on: {status: status}, columns: {a: b}}]\n"},
		{"sweep", "job: saxpy\naxes: {n: {path: parameters.n, values: [1]}}\ncolumns: {cycles: cycles}\nfigures: {f: HAZARD.yaml}\n"},
	} {
		for _, kind := range []string{"zero", "pipe", "loop", "fold"} {
			name := filepath.Join(dir, fmt.Sprintf("%d-%s.yaml", i, kind))
			suite.OK(t, os.WriteFile(name, []byte(strings.ReplaceAll(c.text, "HAZARD", kind)), 0o600))
			args := []string{c.command, name}
			if c.command == "sweep" {
				args = append(args, "--dry-run")
			}
			want := map[string]string{"zero": "found a pipe, socket or device", "pipe": "found a pipe, socket or device", "loop": "too many levels of symbolic links", "fold": "found a folder"}[kind]
			if r := endsInBounds(t, args...); r.status != exitBadInput || !strings.Contains(r.stderr, want) {
				t.Errorf("%s with %q: status %d, %s; want %q", c.command, c.text, r.status, r.stderr, want)
			}
		}
	}
}

// fullDisk returns a folder without any space, which only root can create.
func fullDisk(t *testing.T) (dir string, ok bool) {
	t.Helper()
	dir = t.TempDir()
	if exec.Command("mount", "-t", "tmpfs", "-o", "size=8k", "tmpfs", dir).Run() != nil {
		return "", false
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	if err := os.WriteFile(filepath.Join(dir, "filler"), make([]byte, 64<<10), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("the disk is not full: %v", err)
	}
	return dir, true
}

// valued are flags whose file is a part of the value.
var valued = map[string]string{"dump": "x="}

// Results that can't be written are a failure of every command, in every flag that names a file or a folder for them.
func TestFullDiskOfEveryCommand(t *testing.T) {
	dir, ok := fullDisk(t)
	if _, err := os.Stat("/dev/full"); err != nil && !ok {
		t.Skip("this system has no full disk")
	}
	aloneHere(t, t.TempDir())
	tried := 0
	for name, c := range commands(newRoot()) {
		if name == "app" || strings.HasPrefix(name, "sweep") {
			continue // which run programs, and have tests of their own
		}
		for _, f := range texts(c) {
			folder := strings.Contains(f.Usage, "`folder`")
			if _, known := valued[f.Name]; !folder && !known && !strings.Contains(f.Usage, "to this `file`") || folder && !ok || f.Name == "daisen" {
				continue
			}
			to := "/dev/full"
			if ok {
				to = filepath.Join(dir, "file")
			}
			if folder {
				to = filepath.Join(dir, "folder")
			}
			args := append(strings.Fields(name), complete[c.Name()]...)
			if f.Name == "install" {
				args = strings.Fields(name)
			}
			if c.Name() == "disasm" {
				args = append(args, shaderFile(t))
			}
			tried++
			args = append(args, "--"+f.Name, valued[f.Name]+to)
			spvsim("", args...).says(t, exitFailed, "no space left on device")
		}
	}
	if ok {
		tried++
		if r := spvsim("", "man", filepath.Join(dir, "pages")); r.status != exitFailed {
			t.Errorf("man: status %d, %q", r.status, r.stderr)
		}
	}
	if tried < 8 {
		t.Errorf("only %d flags were tried", tried)
	}
}

// shaderFile is a module in a file.
func shaderFile(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "saxpy.spv")
	suite.OK(t, os.WriteFile(name, ready(t, "saxpy", "saxpy.spv"), 0o600))
	return name
}

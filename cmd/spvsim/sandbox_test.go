package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spvsim/internal/suite"
)

// sandboxed returns a folder with a shader; next to it is a folder with a file that must not be read, and links to
// both.
func sandboxed(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	folder := filepath.Join(dir, "given")
	for name, data := range map[string]string{"secret/words.bin": "12345678", "secret/job.yaml": "shader: saxpy.spv\n", "given/deep/words.bin": "12345678"} {
		name = filepath.Join(dir, name)
		suite.OK(t, os.MkdirAll(filepath.Dir(name), 0o755))
		suite.OK(t, os.WriteFile(name, []byte(data), 0o644))
	}
	for link, to := range map[string]string{"out.bin": "../secret/words.bin", "out": "../secret", "in.bin": "deep/words.bin"} {
		if err := os.Symlink(to, filepath.Join(folder, link)); err != nil {
			t.Skip(err)
		}
	}
	suite.OK(t, os.WriteFile(filepath.Join(folder, "saxpy.spv"), ready(t, "saxpy", "saxpy.spv"), 0o644))
	return folder
}

// saxpyOver is a job whose first buffer is a file.
func saxpyOver(file string) string {
	return "shader: saxpy.spv\nbuffers:\n  - {set: 0, binding: 0, name: x, data: {file: " + file + "}}\n  - {set: 0, binding: 1, name: y, data: {zero: 8}}\n" +
		"push_constants: [{f32: 2.0}, {u32: 2}]\ndispatch: [1]\n"
}

// A file outside of the job's folder is refused in a sandbox, however the job names it, and accepted without one.
func TestSandboxOfAJob(t *testing.T) {
	folder := sandboxed(t)
	job := filepath.Join(folder, "job.yaml")
	outside := filepath.Join(filepath.Dir(folder), "secret", "words.bin")
	for _, c := range []struct {
		file string
		want string // empty: it runs
	}{
		{"in.bin", ""}, {"deep/../in.bin", ""}, {"../given/in.bin", ""},
		{"../secret/words.bin", "outside of the sandbox"}, {outside, "outside of the sandbox"},
		{"out.bin", "escapes"}, {"out/words.bin", "escapes"}, {"deep/../../secret/words.bin", "outside of the sandbox"},
	} {
		suite.OK(t, os.WriteFile(job, []byte(saxpyOver(c.file)), 0o644))
		if r := spvsim("", "run", job, "--quiet"); r.status != exitDone {
			t.Errorf("%s: without a sandbox: status %d, %s", c.file, r.status, r.stderr)
		}
		r := spvsim("", "run", job, "--quiet", "--sandbox")
		if c.want == "" && r.status != exitDone {
			t.Errorf("%s: status %d, %s", c.file, r.status, r.stderr)
		}
		if c.want != "" && (r.status != exitBadInput || !strings.Contains(r.stderr, c.want) || !strings.Contains(r.stderr, "words.bin") && !strings.Contains(r.stderr, "out.bin")) {
			t.Errorf("%s: status %d, %s; want %q", c.file, r.status, r.stderr, c.want)
		}
	}
	if r := spvsim("", "run", "reduce", "--quiet", "--sandbox"); r.status != exitDone {
		t.Errorf("a ready job: %s", r.stderr)
	}
}

// An experiment in a sandbox can read its own files and no others: neither jobs, nor files that they name, nor columns;
// its program does not run.
func TestSandboxOfAnExperiment(t *testing.T) {
	program := build(t)
	folder := sandboxed(t)
	write := func(name, text string) string {
		name = filepath.Join(folder, name)
		suite.OK(t, os.WriteFile(name, []byte(text), 0o644))
		return name
	}
	write("inner.yaml", saxpyOver("in.bin"))
	write("outer.yaml", saxpyOver("out.bin"))
	for _, c := range []struct{ text, want string }{
		{"job: inner.yaml", ""},
		{"job: saxpy\nset: {parameters.n: 256, expect: []}", ""},
		{"job: ../secret/job.yaml", "outside of the sandbox"},
		{"job: outer.yaml", "escapes"},
		{"job: inner.yaml\nset: {machine: ../secret/m.yaml}", "outside of the sandbox"},
		{"job: inner.yaml\nreferences: [{file: out/words.bin, on: {status: status}, columns: {a: b}}]", "escapes"},
		{"app: {run: [touch, " + filepath.Join(folder, "ran") + "]}", "app: found a program: want an experiment without one under --sandbox"},
	} {
		file := write("e.yaml", c.text)
		out, err := command(t, program, "sweep", file, "--sandbox", "-q", "-o", filepath.Join(t.TempDir(), "out")).CombinedOutput()
		if ran := err == nil; ran != (c.want == "") || !strings.Contains(string(out), c.want) {
			t.Errorf("%s: %v\n%s\nwant %q", c.text, err, out, c.want)
		}
	}
	if exists(filepath.Join(folder, "ran")) {
		t.Error("the experiment's program ran")
	}
}

// A figure in a sandbox can read rows in its own folder and no others; rows of the command line may be anywhere.
func TestSandboxOfAFigure(t *testing.T) {
	folder := sandboxed(t)
	rows := "x,y\n1,2\n2,3\n"
	outside := filepath.Join(filepath.Dir(folder), "secret", "rows.csv")
	for _, name := range []string{filepath.Join(folder, "rows.csv"), outside} {
		suite.OK(t, os.WriteFile(name, []byte(rows), 0o600))
	}
	figure := filepath.Join(folder, "f.yaml")
	for _, c := range []struct {
		rows string
		want string // empty: it is drawn
	}{
		{"rows.csv", ""}, {"deep/../rows.csv", ""}, {"../secret/rows.csv", "outside of the sandbox"}, {outside, "outside of the sandbox"}, {"out/rows.csv", "escapes"},
	} {
		suite.OK(t, os.WriteFile(figure, []byte("rows: "+c.rows+"\nkind: line\nx: x\ny: y\n"), 0o600))
		if r := spvsim("", "plot", figure, "-o", t.TempDir(), "--format", "svg"); r.status != exitDone {
			t.Errorf("%s: without a sandbox: status %d, %s", c.rows, r.status, r.stderr)
		}
		r := spvsim("", "plot", figure, "--sandbox", "-o", t.TempDir(), "--format", "svg")
		if c.want == "" && r.status != exitDone || c.want != "" && (r.status != exitBadInput || !strings.Contains(r.stderr, c.want)) {
			t.Errorf("%s: status %d, %s; want %q", c.rows, r.status, r.stderr, c.want)
		}
	}
	if r := spvsim("", "plot", outside, figure, "--sandbox", "-o", t.TempDir(), "--format", "svg"); r.status != exitDone {
		t.Errorf("rows of the command line: status %d, %s", r.status, r.stderr)
	}
}

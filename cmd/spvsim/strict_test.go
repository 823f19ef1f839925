package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spvsim/internal/suite"
)

// surplus is a job with more push constants than its shader has, without expectations.
const surplus = `
shader: scale.spvasm
buffers: [{set: 0, binding: 0, name: a, data: {iota: u32, count: 256}}]
push_constants: [{u32: 7}, {u32: 1}]
dispatch: [4]
`

// --strict turns warnings of all commands that run jobs into errors. A job without expectations is no warning: its
// summary says so.
func TestStrict(t *testing.T) {
	dir := t.TempDir()
	job := filepath.Join(dir, "job.yaml")
	shader := suite.Must(os.ReadFile("../../gpu/testdata/scale.spvasm"))(t)
	write := func(file string, text []byte) {
		suite.OK(t, os.WriteFile(filepath.Join(dir, file), text, 0o666))
	}
	write("scale.spvasm", shader)
	write("job.yaml", []byte(surplus))
	const said = "job.yaml:4: push_constants: found 8 bytes: the block of scale.spvasm has 4"
	for name, args := range map[string][]string{
		"run": {"run", job}, "report": {"report", job, "-o", filepath.Join(dir, "r.html")},
		"sweep": {"sweep", job, "--axis", "lds.banks=16,32", "-o", filepath.Join(dir, "rows"), "-q"},
	} {
		r := spvsim("", args...)
		if r.status != exitDone || strings.Count(r.stderr, "spvsim: warning: ") != 1 || !strings.Contains(r.stderr, said) {
			t.Errorf("%s: status %d, %s", name, r.status, r.stderr)
		}
		if name == "run" && !strings.Contains(r.stdout, "expected: nothing (the job has no expect)") {
			t.Errorf("summary: %s", r.stdout)
		}
		r = spvsim("", append(args, "--strict")...)
		if r.status == exitDone || !strings.Contains(r.stderr, said) || !strings.Contains(r.stderr, "warnings are errors (strict)") {
			t.Errorf("%s --strict: status %d, %s", name, r.status, r.stderr)
		}
	}
	write("job.yaml", []byte(strings.Replace(surplus, ", {u32: 1}", "", 1)))
	if r := spvsim("", "run", job, "--strict"); r.status != exitDone || r.stderr != "" {
		t.Errorf("no warning: status %d, %s", r.status, r.stderr)
	}
}

package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spvsim/internal/judge"
	"spvsim/internal/suite"
)

// init writes a job that need not be in the module's folder, and that run accepts.
func TestInitWritesAJobThatRuns(t *testing.T) {
	job := filepath.Join(t.TempDir(), "job.yaml")
	r := spvsim("", "init", "../../gpu/testdata/dxc/flow.O3.spv", "-o", job)
	if r.status != exitDone || r.stdout != "" || !strings.Contains(r.stderr, `not known: node Sink[2] is guessed to be the entry point "Sink2"`) {
		t.Fatalf("status %d, %s%s", r.status, r.stdout, r.stderr)
	}
	if text, _ := os.ReadFile(job); !strings.HasPrefix(string(text), "# yaml-language-server: $schema=job.schema.json\n") {
		t.Errorf("no line for editors in\n%s", text)
	}
	if r := spvsim("", "run", "--quiet", job); r.status != exitDone {
		text, _ := os.ReadFile(job)
		t.Errorf("status %d, %s\n%s", r.status, r.stderr, text)
	}
}

// The schemas of all kinds of file are installed, each with the line that names it.
func TestSchemasAreInstalled(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "schemas")
	r := spvsim("", "schema", "--install", dir)
	for _, kind := range schemaKinds() {
		file := filepath.Join(dir, kind+".schema.json")
		installed, err := os.ReadFile(file)
		if printed := spvsim("", "schema", kind).stdout; err != nil || string(installed) != printed {
			t.Errorf("%s: %v", file, err)
		}
		if !strings.Contains(r.stdout, "# yaml-language-server: $schema="+file+"\n") {
			t.Errorf("no line for %s in\n%s%s", file, r.stdout, r.stderr)
		}
	}
	wantRefused(t, spvsim("", "schema", "--install", dir, "job"), "no kind of file")
}

func TestInitRefusals(t *testing.T) {
	wantRefused(t, spvsim("", "init"), "0 arguments")
	wantRefused(t, spvsim("", "init", "../../gpu/testdata/dxc/flow.O3.spv", "--entry", "Entri"), `no entry point "Entri"`, `"Entry"`)
	wantRefused(t, spvsim("", "init", "../../gpu/testdata/dxc/flow.hlsl"), "flow.hlsl")
}

// inspect accepts names of ready jobs, with the constants that they set, and constants of the command line.
func TestInspectTakesReadyJobsAndConstants(t *testing.T) {
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"reduce"}, []string{"entry point     main (GLCompute)", "push constants  {u32 n at 0}"}},
		{[]string{"deferred-quads"}, []string{"gbuffer.spv:\n", "lighting.spvasm:\n"}},
		{[]string{"hlsl", "--listing", "--entry", "walk_main"}, []string{"; walk_main: "}},
	} {
		r := spvsim("", append([]string{"inspect"}, c.args...)...)
		for _, text := range c.want {
			r.prints(t, exitDone, text)
		}
	}
	plain := spvsim("", "inspect", "../../gpu/testdata/scale.spvasm", "--listing").stdout
	set := spvsim("", "inspect", "../../gpu/testdata/scale.spvasm", "--listing", "--set-constant", "3=77").stdout
	if plain == set || !strings.Contains(set, "77") || strings.Contains(plain, "77") {
		t.Errorf("with 3=77:\n%s\nwithout:\n%s", set, plain)
	}
	static := spvsim("", "inspect", "reduce", "--machine", "gcn3-r9nano", "--set", "lds.bytes=2048", "--set", "lds.max_workgroup_bytes=2048").stdout
	suite.Contains(t, static, "program  main on gcn3-r9nano: wave64", "occupancy 4 of 40 waves of a compute unit (10%), 1 workgroup, limited by LDS", "instructions: valu32 ")
	wantRefused(t, spvsim("", "inspect", "reduce", "--set-constant", "9=1"), "the module has no such constant")
	wantRefused(t, spvsim("", "inspect", "reduce", "--set-constant", "9"), "want ID=VALUE")
}

// inspect --driver shows RADV's code next to ours if Mesa is installed; machines without a chip that Mesa knows are
// refused.
func TestInspectAsksTheDriver(t *testing.T) {
	if _, err := judge.Open(); errors.Is(err, judge.ErrAbsent) {
		wantRefused(t, spvsim("", "inspect", "saxpy", "--driver"), "RADV is not installed")
		t.Skip(err)
	}
	r := spvsim("", "inspect", "saxpy", "--driver", "--machine", "gcn3-r9nano")
	for _, text := range []string{"saxpy.spv: gcn3-r9nano, and RADV for fiji\n", "executed here", "all but waits"} {
		r.prints(t, exitDone, text)
	}
	if r := spvsim("", "inspect", "saxpy", "--driver", "--listing", "--machine", "rdna2-rx6800xt"); !strings.Contains(r.stdout, "s_endpgm") {
		t.Errorf("no listing in\n%s%s", r.stdout, r.stderr)
	}
	wantRefused(t, spvsim("", "inspect", "saxpy", "--driver", "--machine", "cdna3-mi300a"), "no chip for machine cdna3-mi300a", "rdna2-rx6800xt")
}

// Payloads that no node receives are reported, with --quiet too.
func TestLostPayloadsReported(t *testing.T) {
	r := runFault(t, allocated)
	if r.status != exitDone || r.stderr != "spvsim: warning: node root[0]: 2 payloads were allocated and never enqueued: no node received them\n" {
		t.Errorf("status %d, %q", r.status, r.stderr)
	}
}

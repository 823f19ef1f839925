package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spvsim/internal/suite"
)

// A parameter of the command line overrides the job's, in every command that reads a job.
func TestParameters(t *testing.T) {
	small := spvsim("", "run", "vectoradd", "--param", "n=1024")
	if small.status != exitDone || !strings.Contains(small.stdout, "expected: 1 of 1 met") {
		t.Fatalf("%+v", small)
	}
	suite.Contains(t, small.stdout, "4 workgroups,")
	spvsim("", "run", "saxpy", "--param", "n=1024", "-q").says(t, exitFailed, "for the values in its file")
	page := spvsim("", "report", "vectoradd", "--param", "n=2048", "--set", "lds.banks=16", "--out", "-")
	suite.Contains(t, page.stdout, versionText(), "lds.banks", "set on the command line", "parameters.n", "2048")
	if other := spvsim("", "report", "vectoradd", "--param", "n=1024", "--out", "-"); page.status != exitDone || page.stdout == other.stdout {
		t.Errorf("report: status %d, %s; or the same page for two values", page.status, page.stderr)
	}
	spvsim("", "graph", "classify", "--param", "q=1").says(t, exitBadInput, "--param q=1: found q: want a parameter of classify.yaml: it has width, height")
}

func TestParametersRefused(t *testing.T) {
	for text, want := range map[string]string{
		"nn=4":    "--param nn=4: found nn: want a parameter of saxpy.yaml (nearest: n)",
		"n":       "--param n: want name=value",
		"n=":      "want name=value",
		"=4":      "want name=value",
		"n=[1]":   "found a list: want a number or an expression",
		"n=q + 1": `found "q": want a number, a parameter or a loop variable`,
	} {
		wantRefused(t, spvsim("", "run", "saxpy", "--param", text), want)
	}
}

// A ready job's shaders are inspected under its name.
func TestReadyNamesEverywhere(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"inspect", "reduce"}, "version "},
		{[]string{"inspect", "saxpy", "--listing"}, "; main: wave32"},
		{[]string{"inspect", "peer-atax"}, "ataxcolumns.spv:\n"},
		{[]string{"validate", "peer-atax"}, "ataxrows.spv: valid\nataxcolumns.spv: valid\n"},
		{[]string{"validate", "mesh"}, "mesh.spvasm: valid\n"},
		{[]string{"graph", "mesh"}, "graph mesh"},
	} {
		spvsim("", c.args...).prints(t, exitDone, c.want)
	}
	for _, command := range []string{"run", "inspect", "validate", "graph", "report"} {
		wantRefused(t, spvsim("", command, "reduse"), `no such job: "reduse" (did you mean reduce?)`)
	}
	wantRefused(t, spvsim("", "sweep", "lds-strid"), `no such experiment: "lds-strid" (did you mean lds-stride?)`)
}

// A job reads of a module what its entry point reaches; validate reads all.
func TestValidateReadsAllOfAModule(t *testing.T) {
	const module = `OpCapability Kernel
OpCapability Addresses
OpCapability Linkage
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %good "good"
OpEntryPoint Kernel %bad "bad"
%void = OpTypeVoid
%empty = OpTypeFunction %void
%good = OpFunction %void None %empty
%g = OpLabel
OpReturn
OpFunctionEnd
%bad = OpFunction %void None %empty
%b = OpLabel
OpReturnValue %void
OpFunctionEnd
`
	dir := t.TempDir()
	job := filepath.Join(dir, "job.yaml")
	for path, text := range map[string]string{
		filepath.Join(dir, "two.spvasm"): module,
		job:                              "machine: rdna3-rx7900xtx\nshader: two.spvasm\nentry: good\nglobal: [64]\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	spvsim("", "run", job).prints(t, exitDone, "1 workgroups, ")
	for _, args := range [][]string{{"validate", job}, {"validate", filepath.Join(dir, "two.spvasm")}, {"run", job, "--set", "entry=bad"}} {
		wantRefused(t, spvsim("", args...), "two.spvasm:15:1: OpReturnValue: ")
	}
}

// A number with a unit is refused, with its value in the field's unit.
func TestUnitsAreNamed(t *testing.T) {
	for set, want := range map[string]string{
		"clock_mhz=2.5GHz": "clock_mhz: found \"2.5GHz\": want an integer, in MHz (2.5GHz is 2500)",
		"l2.bytes=4MB":     "want an integer, in bytes (4MB is 4194304)",
		"l2.bytes=many":    "found \"many\": want an integer, in bytes\n",
		"lds.banks=many":   "want an integer\n",
	} {
		wantRefused(t, spvsim("", "run", "reduce", "--set", set), want)
	}
}

// A shell queries the program itself, by cobra's hidden command.
func TestCompletion(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"run", "redu"}, "reduce\n"},
		{[]string{"sweep", "lds-s"}, "lds-stride\n"},
		{[]string{"machine", "cdna"}, "cdna3-mi300a\n"},
		{[]string{"schema", "fi"}, "figure\n"},
		{[]string{"run", "reduce", "--machine", "gcn"}, "gcn3-r9nano\n"},
		{[]string{"run", "reduce", "--set", "lds.ba"}, "lds.banks=\n"},
		{[]string{"run", "saxpy", "--param", ""}, "n=\n"},
		{[]string{"sweep", "lds-stride", "--launcher", "s"}, "slurm\n"},
	} {
		r := spvsim("", append([]string{"__complete"}, c.args...)...)
		if !strings.Contains(r.stdout, c.want) {
			t.Errorf("%v: %q, want %q", c.args, r.stdout, c.want)
		}
	}
	spvsim("", "completion", "bash").prints(t, exitDone, "__complete")
}

func TestSchemas(t *testing.T) {
	for _, kind := range []string{"job", "machine", "experiment", "cluster", "figure"} {
		spvsim("", "schema", kind).prints(t, exitDone, `"title": "spvsim `+kind+`"`)
	}
	version := spvsim("", "version").stdout
	for _, kind := range []string{"statistics", "profile", "listing", "rows", "columns"} {
		spvsim("", "schema", kind).prints(t, exitDone, `"title": "spvsim `+kind+`, version 1"`, `"$id": "urn:spvsim:`+kind+`:1"`)
		suite.Contains(t, version, kind+" 1")
	}
	wantRefused(t, spvsim("", "schema", "figures"), "(nearest: figure)")
}

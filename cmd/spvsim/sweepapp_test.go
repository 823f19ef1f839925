package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"spvsim/internal/suite"
)

// An experiment's program runs first, with the driver's variables set; its first capture is the job, and axes select
// others. A script replaces the program and the driver.
func TestSweepOfAnApplication(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no shell is there for a program")
	}
	folder := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(folder, name)
		suite.OK(t, os.WriteFile(path, []byte(text), 0o755))
		return path
	}
	t.Setenv("XDG_CACHE_HOME", folder)
	t.Setenv("SPVSIM_VULKAN_DRIVER", file("driver.so", ""))
	file("empty.spvasm", `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%type = OpTypeFunction %void
%main = OpFunction %void None %type
%label = OpLabel
OpReturn
OpFunctionEnd
`)
	program := file("program", `#!/bin/sh
test "$SPVSIM_MODE $SPVSIM_SELECT $SPVSIM_WHOLE $SPVSIM_MACHINE" = "functional some* 1 gcn3-r9nano" || exit 3
for n in 1 2; do
	echo "{machine: gcn3-r9nano, shader: `+filepath.Join(folder, "empty.spvasm")+`, dispatch: [$((n * 100))]}" >"$SPVSIM_CAPTURE/000$n.yaml"
done
`)
	experiment := func(app string) string {
		return file("experiment.yaml", "app: "+app+`
axes:
  work: {path: job, values: [0001.yaml, 0002.yaml]}
  clock: {path: machine.clock_mhz, values: [500, 1000]}
columns: {workgroups: workgroups, cycles: cycles}
`)
	}
	out := filepath.Join(folder, "results")
	e := experiment("{run: [" + program + "], select: 'some*', whole: true, machine: gcn3-r9nano}")
	text, err := command(t, build(t), "sweep", "-q", e, "-o", out).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	rows := suite.Must(os.ReadFile(filepath.Join(out, "experiment.csv")))(t)
	suite.Contains(t, string(rows), "0001.yaml,500,done,100,", "0001.yaml,1000,done,100,", "0002.yaml,500,done,200,", "0002.yaml,1000,done,200,")
	for app, want := range map[string]string{
		"{run: ['false']}":               "app: false: exit status 1",
		"{run: ['true']}":                "nothing was captured",
		"{run: ['true'], machine: gcn9}": "app.machine",
	} {
		if r := spvsim("", "sweep", experiment(app), "-o", out); r.status == exitDone || !strings.Contains(r.stderr, want) {
			t.Errorf("%s: status %d, %s: want %q", app, r.status, r.stderr, want)
		}
	}
}

// An experiment whose program lacks something is reported, in the list and when it should run.
func TestSweepMissingProgramReported(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	r := spvsim("", "sweep", "--list")
	if r.status != exitDone || strings.Contains(r.stdout, "vkfft-banks") || !strings.Contains(r.stderr, "do not run here: 1\nvkfft-banks  needs ") || !strings.Contains(r.stderr, ", gcc, g++") {
		t.Errorf("status %d\n%s%s", r.status, r.stdout, r.stderr)
	}
	wantRefused(t, spvsim("", "sweep", "vkfft-banks", "-o", t.TempDir()), "vkfft-banks: app: missing on this computer: ", ", gcc, g++")
	file := filepath.Join(t.TempDir(), "e.yaml")
	suite.OK(t, os.WriteFile(file, []byte("app: {run: [x], needs: [bin/y]}"), 0o644))
	wantRefused(t, spvsim("", "sweep", file), `e.yaml:1: app.needs: found "bin/y": want the name of a program, or a file from the root`)
}

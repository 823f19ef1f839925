package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"spvsim/internal/suite"
)

// The script that times ggml's operators ends the tests when the operator is captured, runs it once and warm on each machine, and captures nothing twice.
// Here a script represents ggml's tests and the driver.
func TestGgmlTimes(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed")
	}
	folder := t.TempDir()
	file := func(name, text string) {
		suite.OK(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o755))
	}
	for _, name := range []string{"ggml-time.py", "ggml_tests.py"} {
		text := suite.Must(os.ReadFile(filepath.Join("..", "..", "vulkan", "scripts", name)))(t)
		file(name, string(text))
	}
	file("driver.so", "")
	shader := suite.Must(filepath.Abs("../../experiments/library/vectoradd.spv"))(t)
	file("debian-root.sh", `#!/bin/sh
echo "$SPVSIM_MODE $SPVSIM_SELECT $SPVSIM_WHOLE $SPVSIM_MACHINE $*" >>`+folder+`/calls
case "$*" in *NONE*) echo "no such case"; exit 0 ;; esac
cat >"$SPVSIM_CAPTURE/0001.yaml" <<END
machine: "$SPVSIM_MACHINE"
shader: `+shader+`
buffers:
  - {set: 0, binding: 0, name: a, data: {zero: 16384}}
  - {set: 0, binding: 1, name: b, data: {iota: f32, count: 4096}}
  - {set: 0, binding: 2, name: c, data: {iota: f32, count: 4096}}
push_constants: [{u32: 4096}]
dispatch: [16]
expect:
  - {buffer: a, data: {iota: f32, count: 4096, step: 2}}
END
exec sleep 100
`)
	t.Setenv("XDG_CACHE_HOME", folder)
	t.Setenv("SPVSIM_VULKAN_DRIVER", filepath.Join(folder, "driver.so"))
	run := func(words ...string) (string, error) {
		flags := []string{filepath.Join(folder, "ggml-time.py"), "ROOT", "--out", filepath.Join(folder, "out"), "--spvsim", build(t), "--machines", "gcn3-r9nano,rdna3-rx7900xtx"}
		out, err := exec.Command("python3", append(flags, words...)...).CombinedOutput()
		return string(out), err
	}
	for range 2 {
		out, err := run("ADD(ne=[4096,1])")
		lines := strings.Split(strings.TrimSpace(out), "\n")
		for i, machine := range []string{"gcn3-r9nano", "rdna3-rx7900xtx"} {
			words := strings.Fields(lines[max(len(lines)-2+i, 0)])
			if err != nil || len(words) != 7 || words[0] != "ADD(ne=[4096,1])" || words[1] != machine || words[4] != "32.1" || words[6] != "0.0" {
				t.Fatalf("%v: want a row of %s that has 32.1 KB from DRAM first and then none\n%s", err, machine, out)
			}
			if first, warm := words[3], words[5]; len(warm) > len(first) || len(warm) == len(first) && warm >= first {
				t.Errorf("%s: %s us first and %s us warm", machine, first, warm)
			}
		}
	}
	calls := suite.Must(os.ReadFile(filepath.Join(folder, "calls")))(t)
	const want = "functional *:1 1 gcn3-r9nano run ROOT /usr/libexec/x86_64-linux-gnu/ggml/test-backend-ops perf -b Vulkan0 -o ADD(ne=[4096,1])\n"
	if string(calls) != want+strings.Replace(want, "gcn3-r9nano", "rdna3-rx7900xtx", 1) {
		t.Errorf("the tests were started as\n%s", calls)
	}
	if out, err := run("NONE(x=1)"); err == nil || !strings.Contains(out, "NONE(x=1) on gcn3-r9nano: no submission with a dispatch is captured") {
		t.Errorf("a case that is none: %v\n%s", err, out)
	}
	if out, err := run("--rounds", "1", "A(x=1)"); err == nil || !strings.Contains(out, "--rounds 1: want at least 2") {
		t.Errorf("one round: %v\n%s", err, out)
	}
}

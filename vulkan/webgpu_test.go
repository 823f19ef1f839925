package main_test

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"spvsim/internal/suite"
	"spvsim/tracing/report"
	"spvsim/vulkan/rows"
)

// webgpuFolder returns the folder of npm's packages deno (wgpu) and webgpu (Dawn): .ci/run installs them there.
func webgpuFolder() string {
	base, err := os.UserCacheDir()
	if err != nil {
		base = os.TempDir()
	}
	return cmp.Or(os.Getenv("SPVSIM_WEBGPU"), filepath.Join(base, "spvsim", "webgpu"))
}

// webgpus are implementations of WebGPU, each with the words that run a program on it.
var webgpus = []struct {
	name, packaged string
	words          []string
}{
	{"wgpu", "deno", []string{"node_modules/.bin/deno", "run", "--no-config", "-A", "--unstable-webgpu"}},
	{"dawn", "webgpu", []string{"node"}},
}

// TestWebGPU runs a matrix product and a sum through WebGPU on a device with the answers that its implementations need;
// drawing is refused by name.
func TestWebGPU(t *testing.T) {
	b := needLibrary(t)
	program := suite.Must(os.ReadFile("testdata/webgpu/compute.mjs"))(t)
	for _, g := range webgpus {
		t.Run(g.name, func(t *testing.T) {
			modules := filepath.Join(webgpuFolder(), "node_modules")
			if _, err := os.Stat(filepath.Join(modules, g.packaged)); err != nil {
				t.Skipf("npm's package %s is not installed: %v", g.packaged, err)
			}
			folder := t.TempDir()
			suite.OK(t, os.Symlink(modules, filepath.Join(folder, "node_modules")))
			suite.OK(t, os.WriteFile(filepath.Join(folder, "compute.mjs"), program, 0o666))
			record := filepath.Join(folder, "rows.csv")
			c := exec.Command(g.words[0], append(g.words[1:], "compute.mjs")...)
			c.Dir = folder
			c.Env = append(b.environment(""), "SPVSIM_ANSWERS=webgpu", "SPVSIM_RECORD="+record, "SPVSIM_PROFILE="+folder, "DENO_DIR="+folder)
			var said strings.Builder
			c.Stderr = &said
			out, err := c.Output()
			if err != nil || strings.Count(string(out), "ok ") != 3 || !strings.Contains(said.String(), "vkCreateRenderPass: the device does not support this command") {
				t.Fatalf("%v\n%s%s", err, tail(out), tail([]byte(said.String())))
			}
			checkWebGPURows(t, record)
		})
	}
}

// checkWebGPURows requires a timed row for each of the two dispatches, and a page of them.
func checkWebGPURows(t *testing.T, record string) {
	t.Helper()
	f, err := rows.Read(record)
	if err != nil {
		t.Fatal(err)
	}
	groups := map[[3]uint64]bool{}
	for i := range f.Rows {
		if r := &f.Rows[i]; r.Kind == "dispatch" && r.Cycles > 0 {
			groups[r.Groups] = true
		}
	}
	var page strings.Builder
	err = report.WritePrograms(&page, []*report.Program{f.Page("webgpu")}, nil)
	if err != nil || !groups[[3]uint64{8, 8, 1}] || !groups[[3]uint64{64, 1, 1}] || !strings.Contains(page.String(), "8 × 8 × 1") {
		t.Errorf("%v: timed dispatches of %v: want 8 x 8 and 64 workgroups, on the page too", err, groups)
	}
}

package main_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"spvsim/internal/suite"
)

// Programs whose extensions Debian's stable layers do not know run under those of a newer Debian, with core and
// synchronization validation, which finds a hazard between a dispatch that writes sequences and a copy. Layers of 1.4.363
// look at no accesses of generated commands themselves.
func TestProgramsUnderNewerLayers(t *testing.T) {
	t.Parallel()
	b := needLibrary(t)
	root := needRoot(t, "usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json")
	run := func(name string, words ...string) (string, error) {
		words = append([]string{"run", root, b.build(t, name), b.folder}, words...)
		c := exec.Command(suite.Must(filepath.Abs("scripts/debian-root.sh"))(t), words...)
		c.Dir = b.folder
		// By default the newer layers do not look at the accesses of shaders.
		c.Env = append(b.environment(layer), "VK_LAYER_SYNCVAL_SHADER_ACCESSES_HEURISTIC=1")
		out, err := c.CombinedOutput()
		return string(out), err
	}
	for _, name := range []string{"generated", "matrix"} {
		out, err := run(name)
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, tail([]byte(out)))
		}
		checkLines(t, out, "")
	}
	if out, err := run("generated", "unsynchronized"); err == nil || !strings.Contains(out, "hazard detected") {
		t.Errorf("a hazard: %v, and the layers say:\n%s", err, tail([]byte(out)))
	}
}

package suite

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// Root returns the folder of a newer Debian that has a file, for programs of a test, or skips.
func Root(t *testing.T, file string) string {
	t.Helper()
	root := os.Getenv("SPVSIM_OPENCL_ROOT")
	if root == "" {
		cache := Must(os.UserCacheDir())(t)
		root = filepath.Join(cache, "spvsim", "roots", "opencl")
	}
	if _, err := os.Stat(filepath.Join(root, file)); err != nil {
		t.Skipf("%v: vulkan/scripts/debian-root.sh make opencl %s makes the root", err, root)
	}
	if out, err := exec.Command("unshare", "--mount", "true").CombinedOutput(); err != nil {
		t.Skipf("no mounts of one's own here: %v %s", err, out)
	}
	return root
}

// AgainInRoot returns a command that runs tests of this package again, in a root and under Vulkan's validation layers, those of
// synchronization among them.
func AgainInRoot(t *testing.T, root, tests string, args ...string) *exec.Cmd {
	t.Helper()
	self := Must(os.Executable())(t)
	_, here, _, _ := runtime.Caller(0)
	script := filepath.Join(filepath.Dir(here), "../../vulkan/launch/root.sh")
	words := append([]string{script, root, self, "--", self, "-test.v", "-test.run", tests}, args...)
	c := exec.Command("sh", words...)
	c.Env = Layered()
	return c
}

// Layered is the environment of a program under Vulkan's validation layers. Newer ones look at the accesses of shaders only when they are told to.
func Layered() []string {
	return append(os.Environ(), "VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation",
		"VK_LAYER_ENABLES=VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT", "VK_LAYER_SYNCVAL_SHADER_ACCESSES_HEURISTIC=1")
}

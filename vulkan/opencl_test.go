package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spvsim/internal/suite"
)

// An openclBench has what OpenCL programs need: a root with Mesa's rusticl, spvsim, and programs.c, built in the root.
type openclBench struct {
	*bench
	spvsim, root string
}

func needOpenCL(t *testing.T) openclBench {
	t.Helper()
	b := openclBench{bench: needLibrary(t), root: needRoot(t, "usr/bin/clinfo")}
	b.spvsim = filepath.Join(b.folder, "spvsim")
	suite.OK(t, tool("go", "build", "-o", b.spvsim, "../cmd/spvsim"))
	for _, name := range []string{"results.h", "opencl/programs.c", "opencl/kernels.cl"} {
		text := suite.Must(os.ReadFile(filepath.Join("testdata", name)))(t)
		suite.OK(t, os.WriteFile(filepath.Join(b.folder, filepath.Base(name)), text, 0o666))
	}
	build := exec.Command(suite.Must(filepath.Abs("scripts/debian-root.sh"))(t), "run", b.root,
		"gcc", "-std=gnu11", "-O1", "-Wall", "-Wextra", "-Wno-deprecated-declarations", "-o", "opencl", "programs.c", "-lOpenCL", "-lm")
	build.Dir = b.folder
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return b
}

// needRoot returns the folder of a newer Debian that has a file, for programs of a test.
func needRoot(t *testing.T, file string) string {
	t.Helper()
	root := os.Getenv("SPVSIM_OPENCL_ROOT")
	if root == "" {
		cache := suite.Must(os.UserCacheDir())(t)
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

// app runs a program of the root, and returns what the program and spvsim print.
func (b openclBench) app(flags []string, program ...string) (string, error) {
	c := exec.Command(b.spvsim, slices.Concat([]string{"app", "--opencl", "--root", b.root}, flags, []string{"--"}, program)...)
	c.Dir = b.folder
	c.Env = append(os.Environ(), "SPVSIM_VULKAN_DRIVER="+filepath.Join(b.folder, "libspvsim_vulkan.so"), "SPVSIM_CACHE="+filepath.Join(b.folder, "cache"))
	out, err := c.CombinedOutput()
	return string(out), err
}

// TestOpenCL runs OpenCL programs through Mesa's rusticl and zink: clinfo, the tests of testdata/opencl on three machines,
// kernels that leave the same bytes as jobs, and programs whose kernels are refused or never end, which end with an error though OpenCL's calls give none.
func TestOpenCL(t *testing.T) {
	t.Parallel()
	b := needOpenCL(t)
	for _, machine := range []string{"rdna3-rx7900xtx", "cdna3-mi300a", "gcn3-r9nano"} {
		out, err := b.app([]string{"--machine", machine}, "clinfo", "-l")
		if err != nil || !strings.Contains(out, "spvsim "+machine) {
			t.Errorf("clinfo: %v, no device spvsim %s in\n%s", err, machine, out)
		}
		for _, mode := range []string{"timed", "functional"} {
			out, err := b.app([]string{"--machine", machine, "--mode", mode}, "./opencl", "kernels.cl")
			if err != nil {
				t.Errorf("%s, %s: %v\n%s", machine, mode, err, tail([]byte(out)))
			}
			checkLines(t, out, "")
		}
	}
	// A captured launch of the root is a job, with its result in memory.
	if out, err := b.app([]string{"--capture", "jobs"}, "./opencl", "kernels.cl", "reduction"); err != nil {
		t.Errorf("capture: %v\n%s", err, tail([]byte(out)))
	} else if err := tool(b.spvsim, "run", filepath.Join(b.folder, "jobs", "0001.yaml")); err != nil {
		t.Error(err)
	}
	b.sameByEveryWay(t)
	for _, c := range []struct {
		name  string
		flags []string
		want  []string
	}{
		{"greedy", nil, []string{"launch 0, finish 0", "not supported: a value of more than 65536 scalars", "the driver refused calls"}},
		{"endless", []string{"--max-instructions", "100000"}, []string{"the device is lost", "more than 100000 instructions", "the driver refused calls"}},
		{"unknown", nil, []string{"programs: there is no test unknown"}},
	} {
		out, err := b.app(c.flags, "./opencl", "kernels.cl", c.name)
		if err == nil {
			t.Errorf("%s: the exit status is 0", c.name)
		}
		for _, want := range c.want {
			if !strings.Contains(out, want) {
				t.Errorf("%s: no %q in\n%s", c.name, want, tail([]byte(out)))
			}
		}
	}
}

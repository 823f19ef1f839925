package main_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"spvsim/internal/suite"
	"spvsim/vulkan/rows"
)

// TestVulkaninfo runs Debian's vulkaninfo, on devices with each set of answers: it queries every property, feature and
// format.
func TestVulkaninfo(t *testing.T) {
	t.Parallel()
	for _, answers := range []string{"", "attachments", "webgpu"} {
		t.Run(answers, func(t *testing.T) { runVulkaninfo(t, answers) })
	}
}

func runVulkaninfo(t *testing.T, answers string) {
	b := needTools(t)
	if b.host != "" {
		t.Skip("vulkaninfo is a program, and no library that one hosts: see -driver.library")
	}
	if _, err := exec.LookPath("vulkaninfo"); err != nil {
		t.Skip("vulkaninfo (vulkan-tools) is not installed")
	}
	c := exec.Command("vulkaninfo")
	path := filepath.Join(t.TempDir(), "rows.csv")
	c.Env = append(b.environment(installedLayers()), "SPVSIM_RECORD="+path, "SPVSIM_ANSWERS="+answers)
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, tail(out))
	}
	if !bytes.Contains(out, []byte("spvsim")) && *driverManifest == "" {
		t.Errorf("no device of spvsim is listed:\n%s", tail(out))
	}
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "Validation Error") {
			t.Error(strings.TrimSpace(line))
		}
	}
	if *driverManifest != "" {
		return
	}
	if f, err := rows.Read(path); err != nil || len(f.Rows) != 0 || !f.HasDevice() {
		t.Errorf("a program without dispatches leaves %+v, %v: want a header without rows", f, err)
	}
}

// A program in another root file system gives the rows, profile, progress, captures and findings of one in this root.
func TestDriverOutputsInAnotherRoot(t *testing.T) {
	if out, err := exec.Command("unshare", "--mount", "true").CombinedOutput(); err != nil {
		t.Skipf("no mounts of one's own here: %v %s", err, out)
	}
	root, outside := t.TempDir(), t.TempDir()
	if err := plainRoot(root, "env", "sh"); err != nil {
		t.Skip(err)
	}
	folder := func(name string) string { return filepath.Join(outside, name) }
	for _, name := range []string{"rows", "profile", "jobs", "check", "trace", "refused"} {
		suite.OK(t, os.Mkdir(folder(name), 0o777))
	}
	suite.OK(t, os.WriteFile(folder("progress"), nil, 0o666))
	const program = `echo 1 > $SPVSIM_RECORD && echo 2 > $SPVSIM_PROFILE/p.json && echo 3 > $SPVSIM_PROGRESS && echo 4 > $SPVSIM_CAPTURE/j.yaml && ` +
		`echo 5 > $SPVSIM_CHECK/c.json && echo 6 > $SPVSIM_TRACE/t && echo 7 > $SPVSIM_REFUSED`
	c := exec.Command("scripts/debian-root.sh", "run", root, "/bin/sh", "-c", program)
	c.Env = append(os.Environ(), "SPVSIM_RECORD="+folder("rows/rows.csv"), "SPVSIM_PROFILE="+folder("profile"), "SPVSIM_PROGRESS="+folder("progress"), "SPVSIM_CAPTURE="+folder("jobs"),
		"SPVSIM_CHECK="+folder("check"), "SPVSIM_TRACE="+folder("trace"), "SPVSIM_REFUSED="+folder("refused/list"))
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for i, name := range []string{"rows/rows.csv", "profile/p.json", "progress", "jobs/j.yaml", "check/c.json", "trace/t", "refused/list"} {
		if text, err := os.ReadFile(folder(name)); err != nil || string(text) != fmt.Sprintln(i+1) {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
}

// plainRoot copies programs with the libraries that they load.
func plainRoot(root string, programs ...string) error {
	for _, name := range programs {
		path, err := exec.LookPath(name)
		if err != nil {
			return err
		}
		libraries, err := exec.Command("ldd", path).Output()
		if err != nil {
			return err
		}
		files := map[string]string{path: "/bin/" + name}
		for word := range strings.FieldsSeq(string(libraries)) {
			if strings.HasPrefix(word, "/") {
				files[word] = word
			}
		}
		for from, to := range files {
			if err := tool("install", "-D", from, root+to); err != nil {
				return err
			}
		}
	}
	return nil
}

// Programs that start at the same time find the driver.
func TestManyProgramsAtATime(t *testing.T) {
	b := needLibrary(t)
	if _, err := exec.LookPath("vulkaninfo"); err != nil {
		t.Skip("vulkaninfo (vulkan-tools) is not installed")
	}
	spvsim := filepath.Join(b.folder, "spvsim")
	suite.OK(t, tool("go", "build", "-o", spvsim, "../cmd/spvsim"))
	environment := append(os.Environ(), "SPVSIM_VULKAN_DRIVER="+filepath.Join(b.folder, "libspvsim_vulkan.so"), "XDG_CACHE_HOME="+t.TempDir())
	const runs, atATime = 200, 8
	free := make(chan bool, atATime)
	var all sync.WaitGroup
	for range runs {
		free <- true
		all.Go(func() {
			defer func() { <-free }()
			c := exec.Command(spvsim, "app", "--", "vulkaninfo", "--summary")
			c.Env = environment
			out, err := c.CombinedOutput()
			if err != nil || !bytes.Contains(out, []byte("driverName         = spvsim")) {
				t.Errorf("%v\n%s", err, tail(out))
			}
		})
	}
	all.Wait()
}

// fftLibraries are the linker flags of VkFFT, which compiles the GLSL that it writes with glslang.
var fftLibraries = strings.Fields("-lglslang -lMachineIndependent -lGenericCodeGen -lOSDependent -lOGLCompiler -lSPIRV -lglslang-default-resource-limits -lSPIRV-Tools-opt -lSPIRV-Tools -lstdc++")

// TestVkFFT compares transforms by VkFFT with direct sums: see testdata/vkfft.c.
func TestVkFFT(t *testing.T) {
	t.Parallel()
	b := needTools(t)
	if b.host != "" {
		t.Skip("building it takes longer than all other programs: see -driver.library")
	}
	header := filepath.Join(b.folder, "vkFFT.h")
	if err := fftHeader(header); err != nil {
		t.Skip(err)
	}
	if _, err := exec.LookPath("g++"); err != nil {
		t.Skip("g++ is not installed")
	}
	library := filepath.Join(b.folder, "vkfft_library.o")
	suite.OK(t, tool("g++", "-w", "-I", b.folder, "-c", "testdata/vkfft_library.cpp", "-o", library))
	program := b.build(t, "vkfft", append([]string{library}, fftLibraries...)...)
	checkLines(t, b.run(t, "", program), "")
	if *driverManifest != "" {
		return
	}
	// The library puts a barrier after each of its passes: overlap neither saves nor costs time.
	submitted, _ := recorded(t, b, "vkfft", false, []string{"long_transform"})
	none, _ := recorded(t, b, "vkfft", false, []string{"long_transform"}, "SPVSIM_OVERLAP=none")
	if got, want := cyclesOf(submitted), cyclesOf(none); got != want || len(submitted.Rows) != len(none.Rows) {
		t.Errorf("%d launches in %d cycles, one after the other %d in %d", len(submitted.Rows), got, len(none.Rows), want)
	}
}

// fftHeader copies the library's one header. That of Debian bookworm fills a structure of an older glslang than
// bookworm's, which has nine further limits of mesh shaders: they are inserted.
func fftHeader(to string) error {
	text, err := os.ReadFile("/usr/include/vkFFT.h")
	if err != nil {
		return err
	}
	limits, err := os.ReadFile("/usr/include/glslang/Include/glslang_c_interface.h")
	if err != nil {
		return err
	}
	const last = "/* .maxDualSourceDrawBuffersEXT = */ 1,"
	if bytes.Contains(limits, []byte("max_mesh_view_count_ext")) && !bytes.Contains(text, []byte("maxMeshViewCountEXT")) {
		text = bytes.ReplaceAll(text, []byte(last), []byte("256, 512, 32, 1, 1, 32, 1, 1, 4, {1},"))
	}
	return os.WriteFile(to, text, 0o644)
}

package main_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"spvsim/vulkan/launch"
)

// TestVulkaninfo runs Debian's vulkaninfo whole: it asks for every property, feature and format there is.
func TestVulkaninfo(t *testing.T) {
	t.Parallel()
	b := needTools(t)
	if b.host != "" {
		t.Skip("a driver under the race detector hosts libraries, and vulkaninfo is a program")
	}
	if _, err := exec.LookPath("vulkaninfo"); err != nil {
		t.Skip("vulkaninfo (vulkan-tools) is not installed")
	}
	c := exec.Command("vulkaninfo")
	c.Env = b.environment(installedLayers())
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
}

// Programs that start at the same time, each through the launcher, find the driver.
func TestManyProgramsAtATime(t *testing.T) {
	b := needTools(t)
	if b.host != "" || *driverManifest != "" {
		t.Skip("of the driver as it is built for use")
	}
	if _, err := exec.LookPath("vulkaninfo"); err != nil {
		t.Skip("vulkaninfo (vulkan-tools) is not installed")
	}
	t.Setenv("SPVSIM_VULKAN_DRIVER", filepath.Join(b.folder, "libspvsim_vulkan.so"))
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	const runs, atATime = 16, 8
	free := make(chan bool, atATime)
	var all sync.WaitGroup
	for range runs {
		free <- true
		all.Go(func() {
			defer func() { <-free }()
			var out bytes.Buffer
			manifest, err := launch.Driver(t.Context(), &out)
			if err == nil {
				err = (&launch.Program{Args: []string{"vulkaninfo", "--summary"}, Manifest: manifest, Stdout: &out, Stderr: &out}).Run(t.Context())
			}
			if err != nil || !strings.Contains(out.String(), "spvsim") {
				t.Errorf("%v\n%s", err, tail(out.Bytes()))
			}
		})
	}
	all.Wait()
}

// fftLibraries are what VkFFT needs: it compiles the GLSL that it writes with glslang.
var fftLibraries = strings.Fields("-lglslang -lMachineIndependent -lGenericCodeGen -lOSDependent -lOGLCompiler -lSPIRV -lglslang-default-resource-limits -lSPIRV-Tools-opt -lSPIRV-Tools -lstdc++")

// TestVkFFT compares transforms by VkFFT with direct sums: see testdata/vkfft.c.
func TestVkFFT(t *testing.T) {
	t.Parallel()
	b := needTools(t)
	header := filepath.Join(b.folder, "vkFFT.h")
	if err := fftHeader(header); err != nil {
		t.Skip(err)
	}
	if _, err := exec.LookPath("g++"); err != nil {
		t.Skip("g++ is not installed")
	}
	library := filepath.Join(b.folder, "vkfft_library.o")
	if err := tool("g++", "-w", "-I", b.folder, "-c", "testdata/vkfft_library.cpp", "-o", library); err != nil {
		t.Fatal(err)
	}
	program := b.build(t, "vkfft", append([]string{library}, fftLibraries...)...)
	checkLines(t, b.run(t, "", program), "")
}

// fftHeader copies the library's one header. That of Debian bookworm fills a
// structure of an older glslang than bookworm's, which has nine limits of mesh
// shaders more: they are put where they belong.
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

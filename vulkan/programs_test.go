package main_test

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"spvsim/internal/suite"
	"spvsim/spirv/asm"
	driver "spvsim/vulkan"
)

// hosting is the variable that turns the tests' program into the host of a C program, its first argument.
const hosting = "SPVSIM_TEST_HOST"

var (
	driverManifest = flag.String("driver", "", "manifest of another driver to run the programs on, to judge the programs themselves")
	overheadBound  = flag.Float64("driver.overhead", 0, "microseconds that half of the dispatches of one workgroup may take; 0: any")
	libraryDriver  = flag.Bool("driver.library", false, "build the driver as the library that programs load, and test what needs one; by default the tests' own program hosts the programs")
	raceDriver     = flag.Bool("driver.race", false, "build the driver with Go's race detector, as a program that hosts the programs; building takes minutes")
)

// programs are the C programs of testdata, each with the tests that a device may not skip.
var programs = []struct {
	name    string
	skipped string // tests that the simulated GPUs have no feature for, as the program names them
}{
	{name: "addresses"},
	{name: "clock"},
	{name: "counters"},
	{name: "descriptors"},
	{name: "dispatch"},
	{name: "dot"},
	{name: "errors"},
	{name: "extensions"},
	{name: "formats"},
	{name: "generated"},
	{name: "graph"},
	{name: "images"},
	{name: "matrix"},
	{name: "memory"},
	{name: "mistakes"},
	{name: "misuse"},
	{name: "names"},
	{name: "overlap"},
	{name: "pipelines"},
	{name: "queries"},
	{name: "random"},
	{name: "robust"},
	{name: "secondary"},
	{name: "subgroups"},
	{name: "sync"},
	{name: "transfer"},
	{name: "types"},
}

// unlayered programs run without the validation layers: misuse and mistakes would rightly be stopped; Debian's layers
// of 1.3.239 don't know the extensions of the others.
var unlayered = map[string]bool{"misuse": true, "mistakes": true, "extensions": true, "generated": true, "graph": true, "matrix": true}

const layer = "VK_LAYER_KHRONOS_validation"

// A bench has the modules of the programs, and the driver. With a host, programs are libraries that it loads.
type bench struct {
	folder, manifest, host string
	built                  sync.Map // by the name of a program, a func() error that compiles it once
}

var (
	theBench    = sync.OnceValues(makeBench)
	benchFolder string
)

func makeBench() (*bench, error) {
	folder, err := os.MkdirTemp("", "spvsim-programs")
	if err != nil {
		return nil, err
	}
	benchFolder = folder
	b := &bench{folder: folder, manifest: *driverManifest}
	shaders := make(chan error, 1)
	go func() { shaders <- b.compileShaders() }()
	if b.manifest == "" {
		err = b.buildDriver()
	}
	return b, cmp.Or(<-shaders, err)
}

func TestMain(m *testing.M) {
	if os.Getenv(hosting) != "" {
		driver.Host()
	}
	status := m.Run()
	if benchFolder != "" {
		os.RemoveAll(benchFolder)
	}
	os.Exit(status)
}

// compileShaders writes NAME.spv to the bench for each shader of testdata.
func (b *bench) compileShaders() error {
	sources, err := filepath.Glob("testdata/shaders/*")
	if err != nil {
		return err
	}
	for _, source := range sources {
		ext := filepath.Ext(source)
		module := filepath.Join(b.folder, strings.TrimSuffix(filepath.Base(source), ext)+".spv")
		if ext == ".spvasm" {
			err = assemble(source, module)
		} else {
			err = tool("glslangValidator", "-V", "--target-env", "vulkan1.3", "-o", module, source)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func assemble(source, module string) error {
	text, err := os.ReadFile(source)
	if err != nil {
		return err
	}
	m, err := asm.Assemble(text, source)
	if err != nil {
		return err
	}
	return os.WriteFile(module, m.Encode(binary.LittleEndian), 0o644)
}

// buildDriver builds the driver, or the library that leads the loader to it where a program hosts, and writes its manifest.
func (b *bench) buildDriver() error {
	library := filepath.Join(b.folder, "libspvsim_vulkan.so")
	if err := b.buildLibrary(library); err != nil {
		return err
	}
	b.manifest = filepath.Join(b.folder, "spvsim_icd.json")
	text := fmt.Sprintf(`{"file_format_version": "1.0.0", "ICD": {"library_path": %q, "api_version": "1.3.0"}}`, library)
	return os.WriteFile(b.manifest, []byte(text), 0o644)
}

func (b *bench) buildLibrary(library string) (err error) {
	switch {
	case *libraryDriver:
		return tool("go", "build", "-buildmode=c-shared", "-o", library, ".")
	case *raceDriver:
		b.host = filepath.Join(b.folder, "host")
		err = tool("go", "build", "-race", "-o", b.host, ".")
	default:
		b.host, err = os.Executable()
	}
	return cmp.Or(err, tool("gcc", "-shared", "-fPIC", "-o", library, "testdata/host_icd.c", "-ldl"))
}

// needLibrary skips a test of programs that start by themselves, which need the driver as a library.
func needLibrary(t *testing.T) *bench {
	t.Helper()
	if !*libraryDriver || *driverManifest != "" {
		t.Skip("of the driver as it is built for use, with -driver.library")
	}
	return needTools(t)
}

func tool(name string, args ...string) error {
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return nil
}

// needTools skips a test where the C compiler, the shader compiler or the loader's headers are missing.
func needTools(t *testing.T) *bench {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the driver and C programs")
	}
	if runtime.GOOS != "linux" {
		t.Skip("the programs are for Linux")
	}
	for _, name := range []string{"gcc", "glslangValidator"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip(name + " is not installed")
		}
	}
	if err := exec.Command("gcc", "-fsyntax-only", "-include", "vulkan/vulkan.h", "-x", "c", "/dev/null").Run(); err != nil {
		t.Skip("the Vulkan headers (libvulkan-dev) are not installed")
	}
	b := suite.Must(theBench())(t)
	return b
}

// build compiles a program of testdata, with further parts; tests with the same program share it.
func (b *bench) build(t *testing.T, name string, parts ...string) string {
	t.Helper()
	program := filepath.Join(b.folder, name)
	args := append([]string{"-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-o", program, "testdata/" + name + ".c"}, parts...)
	if b.host != "" {
		args = append(args, "-shared", "-fPIC")
	}
	compile, _ := b.built.LoadOrStore(name, sync.OnceValue(func() error {
		return tool("gcc", append(args, "-lvulkan", "-lpthread", "-lm")...)
	}))
	suite.OK(t, compile.(func() error)())
	return program
}

// environment makes the loader find this driver alone.
func (b *bench) environment(layers string) []string {
	return append(os.Environ(), "VK_DRIVER_FILES="+b.manifest, "VK_ICD_FILENAMES="+b.manifest, "VK_INSTANCE_LAYERS="+layers,
		"VK_LAYER_ENABLES=VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT",
		"SPVSIM_CACHE="+filepath.Join(b.folder, "cache"), hosting+"=1")
}

// command starts a program, or its host with it.
func (b *bench) command(program string, args ...string) *exec.Cmd {
	words := append([]string{program, b.folder}, args...)
	if b.host != "" {
		words = append([]string{b.host}, words...)
	}
	return exec.Command(words[0], words[1:]...)
}

// run returns the output of a program; it fails the test if the program fails.
func (b *bench) run(t *testing.T, layers string, program string, args ...string) string {
	t.Helper()
	c := b.command(program, args...)
	c.Env = b.environment(layers)
	var errors bytes.Buffer
	c.Stderr = &errors
	out, err := c.Output()
	if err != nil {
		t.Errorf("%v\n%s%s", err, tail(out), tail(errors.Bytes()))
	}
	return string(out)
}

// tail returns the end of a program's output: enough to see the error.
func tail(said []byte) []byte { return said[max(0, len(said)-8000):] }

// TestPrograms runs each program on the driver, under the validation layers where they are installed.
func TestPrograms(t *testing.T) {
	t.Parallel()
	b := needTools(t)
	layers := installedLayers()
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			own := layers
			if unlayered[p.name] {
				own = ""
			}
			program := b.build(t, p.name)
			if p.name == "misuse" && b.host != "" {
				b.hostMisuses(t, program)
				return
			}
			checkLines(t, b.run(t, own, program), p.skipped)
		})
	}
}

// hostMisuses runs each misuse in its own host, which can't fork: it may end in any way except a race or a panic.
func (b *bench) hostMisuses(t *testing.T, program string) {
	for name := range strings.FieldsSeq(b.run(t, "", program, "list")) {
		c := b.command(program, name, "here")
		c.Env = b.environment("")
		out, _ := c.CombinedOutput()
		for _, word := range []string{"DATA RACE", "panic: ", "fatal error: "} {
			if bytes.Contains(out, []byte(word)) {
				t.Errorf("%s: it said:\n%s", name, tail(out))
			}
		}
	}
}

// checkLines reports faults, and skipped tests whose requirements the device should meet.
func checkLines(t *testing.T, out, mayskip string) {
	ok := 0
	for line := range strings.Lines(out) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		name, _, _ := strings.Cut(rest, ":")
		switch {
		case word == "ok":
			ok++
		case word == "skip" && (*driverManifest != "" || strings.Contains(" "+mayskip+" ", " "+name+" ")):
			t.Log(strings.TrimSpace(line))
		case word == "skip" || word == "FAIL":
			t.Error(strings.TrimSpace(line))
		}
	}
	if ok == 0 && *driverManifest == "" {
		t.Error("no test of the program passed")
	}
}

func installedLayers() string {
	for _, folder := range []string{"/usr/share/vulkan/explicit_layer.d", "/usr/local/share/vulkan/explicit_layer.d"} {
		if _, err := os.Stat(filepath.Join(folder, "VkLayer_khronos_validation.json")); err == nil {
			return layer
		}
	}
	return ""
}

// TestEveryProgramIsRun finds a program of testdata that no test runs.
func TestEveryProgramIsRun(t *testing.T) {
	sources := suite.Must(filepath.Glob("testdata/*.c"))(t)
	listed := map[string]bool{"vkfft": true, "crash": true, "host_icd": true, "overhead": true, "endless": true, "times": true, "worknodes": true, "instrumented": true, "unordered": true, "outside": true} // these have tests of their own, or are not tests
	for _, p := range programs {
		listed[p.name] = true
	}
	for _, source := range sources {
		name := strings.TrimSuffix(filepath.Base(source), ".c")
		if !listed[name] {
			t.Errorf("%s is not in the list of programs", source)
		}
	}
}

// TestOverhead runs many dispatches of one workgroup in functional mode, alone and together. The host time of each is
// logged, and bounded by the flag only: the host has other work, so its time varies. TestDispatchAllocations of package
// gpu bounds the countable part.
func TestOverhead(t *testing.T) {
	b := needLibrary(t)
	c := b.command(b.build(t, "overhead"), strconv.FormatFloat(*overheadBound, 'g', -1, 64))
	c.Env = append(b.environment(""), "SPVSIM_MODE=functional")
	out, err := c.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, tail(out))
	}
	t.Logf("%s", out)
	checkLines(t, string(out), "")
}

// A dispatch that never ends loses the device at its limit, and the message names the shader with its lines; a forked
// process gets errors.
func TestEndlessDispatch(t *testing.T) {
	t.Parallel()
	b := needTools(t)
	if *driverManifest != "" {
		t.Skip("limits are this driver's")
	}
	program := b.build(t, "endless")
	for _, c := range []struct {
		name, variable, mode string
		want                 []string
	}{
		{"instructions", "SPVSIM_MAX_INSTRUCTIONS=100000", "timed", []string{"the device is lost: main ", "more than 100000 instructions", "lines 7 to 8"}},
		{"instructions", "SPVSIM_MAX_INSTRUCTIONS=100000", "functional", []string{"the device is lost: main ", "more than 100000 instructions", "lines 7 to 8"}},
		{"seconds", "SPVSIM_MAX_SECONDS=0.2", "timed", []string{"the device is lost: main ", "0.2 seconds", "lines 7 to 8"}},
		{"fork", "", "timed", []string{"this process was forked"}},
	} {
		if c.name == "fork" && b.host != "" {
			continue // a host can't fork
		}
		run := b.command(program, c.name)
		run.Env = append(b.environment(""), "SPVSIM_MODE="+c.mode, c.variable)
		out, err := run.CombinedOutput()
		if err != nil {
			t.Errorf("%s, %s: %v\n%s", c.name, c.mode, err, tail(out))
		}
		for _, want := range c.want {
			if !bytes.Contains(out, []byte(want)) {
				t.Errorf("%s, %s: no %q in\n%s", c.name, c.mode, want, tail(out))
			}
		}
	}
}

// With SPVSIM_CLOCK the device's clock continues with the host's, and with SPVSIM_TIMEOUTS timeouts are of simulated
// time.
func TestDeviceClockAndTimeouts(t *testing.T) {
	t.Parallel()
	b := needTools(t)
	if *driverManifest != "" {
		t.Skip("the settings are this driver's")
	}
	program := b.build(t, "times")
	for word, variable := range map[string]string{"latency": "SPVSIM_CLOCK=host", "timeouts": "SPVSIM_TIMEOUTS=simulated"} {
		c := b.command(program, word)
		c.Env = append(b.environment(""), variable)
		out, err := c.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", word, err, tail(out))
		}
		checkLines(t, string(out), "")
	}
}

package gpu

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"spvsim/config"
	"spvsim/internal/suite"
	"spvsim/spirv/kernel"
)

var onPocl = flag.Bool("pocl", false, "run the kernels of testdata/cl on PoCL too, which takes minutes")

// poclVendor names PoCL, an OpenCL device of the processor, to the loader of OpenCL.
const poclVendor = "/etc/OpenCL/vendors/pocl.icd"

// poclFaults are kernels that PoCL 3.1 does not run right: it leaves zeros where a kernel has a barrier, and calls that are not inlined; and it scales
// and wraps the layer of an array as if it were a coordinate.
var poclFaults = map[string]bool{"calls.cl calls": true, "images.cl filtered_layer": true}

// Kernels leave on PoCL what their cases compute in Go: the cases agree with another implementation. PoCL 3.1 has no halves, compiles no OpenCL C 2.0,
// and has no short workgroups.
func TestKernelsOnPocl(t *testing.T) {
	if !*onPocl {
		t.Skip("-pocl is not given")
	}
	if _, err := os.Stat(poclVendor); err != nil {
		t.Fatal("PoCL is not installed (Debian: pocl-opencl-icd, ocl-icd-opencl-dev)")
	}
	host := filepath.Join(t.TempDir(), "host")
	if out, err := exec.Command("gcc", "-O1", "-Wall", "-o", host, "testdata/cl/host.c", "-lOpenCL").CombinedOutput(); err != nil {
		t.Fatalf("gcc, or OpenCL's headers and loader, are not installed: %s", out)
	}
	ran, skipped, cache := 0, 0, t.TempDir()
	eachKernel(t, func(t *testing.T, source string, c *kernelCase) {
		if poclFaults[filepath.Base(source)+" "+c.entry] || c.refused != "" {
			return
		}
		why := c.onPocl(t, host, source, cache)
		if ran++; why != "" {
			ran, skipped = ran-1, skipped+1
			t.Log(why)
		}
	})
	if ran < 60 {
		t.Errorf("%d kernels ran on PoCL, and %d did not", ran, skipped)
	}
}

// onPocl runs the case on PoCL, and compares what it leaves; why: PoCL can't run it.
func (c *kernelCase) onPocl(t *testing.T, host, source, cache string) (why string) {
	t.Helper()
	module := suite.Must(os.ReadFile(strings.TrimSuffix(source, ".cl") + ".spv"))(t)
	files := fstest.MapFS{"k.spv": &fstest.MapFile{Data: module}}
	job := suite.Must(config.ParseJob(files, "job.yaml", []byte(c.job(t, files, "k.spv"))))(t)
	shaders := suite.Must(Shaders(job))(t)
	face := suite.Must(kernel.InterfaceOf(shaders[0].Module, shaders[0].Module.EntryPoint(c.entry)))(t)
	launch := &shaders[0].Uses[0]
	folder := t.TempDir()
	var in bytes.Buffer
	if filepath.Base(source) == "halves.cl" {
		in.WriteString("needs cl_khr_fp16\n")
	}
	fmt.Fprintf(&in, "source %s\noptions %s\nentry %s\n", source, optionsOf(t, source), c.entry)
	for i := range face.Arguments {
		switch a := &face.Arguments[i]; a.Kind {
		case kernel.Value:
			fmt.Fprintf(&in, "value %s\n", hex.EncodeToString(launch.Push.Bytes[a.Offset:a.Offset+a.Size]))
		case kernel.Local:
			fmt.Fprintf(&in, "memory %d\n", launch.Kernel.LocalBytes[i])
		case kernel.Sampler:
			s := launch.Samplers[slices.IndexFunc(launch.Samplers, func(s config.Sampler) bool { return s.Binding == uint32(i) })]
			fmt.Fprintf(&in, "sampler %d %x %x\n", oneIf(!s.Texels, 1), clWraps[s.Wrap[0]], clFilters[s.Filter])
		case kernel.Image:
			path := filepath.Join(folder, fmt.Sprint(i))
			m := c.arguments[i].(image)
			suite.OK(t, os.WriteFile(path, before(m.left), 0o600))
			fmt.Fprintf(&in, "image %x %s %s\n", clChannels[m.format], clShapes[m.size], path)
		default:
			path := filepath.Join(folder, fmt.Sprint(i))
			suite.OK(t, os.WriteFile(path, before(c.arguments[i]), 0o600))
			fmt.Fprintf(&in, "buffer %s\n", path)
		}
	}
	local := c.local
	if n := face.RequiredSize; local == nil && n[0] > 0 { // PoCL 3.1 runs nothing without it
		local = []int{int(n[0]), int(n[1]), int(n[2])}[:len(c.global)]
	}
	for word, list := range map[string][]int{"global": c.global, "local": local, "offset": c.offset} {
		if list != nil {
			fmt.Fprintf(&in, "%s %s\n", word, strings.Trim(fmt.Sprint(list), "[]"))
		}
	}
	run := exec.Command(host)
	run.Stdin, run.Env = &in, append(os.Environ(), "OCL_ICD_VENDORS="+poclVendor, "POCL_CACHE_DIR="+cache)
	var messages bytes.Buffer
	run.Stderr = &messages
	out, err := run.Output()
	if text, skips := strings.CutPrefix(string(out), "skip "); skips {
		return text
	}
	if err != nil {
		t.Errorf("%v: %s", err, messages.Bytes())
		return ""
	}
	for i, a := range c.arguments {
		if m, ok := a.(image); ok && m.want != nil {
			a = m.left
		}
		if l, ok := a.(left); ok {
			l.compare(t, fmt.Sprintf("argument %d", i), suite.Must(os.ReadFile(filepath.Join(folder, fmt.Sprint(i))))(t))
		}
	}
	return ""
}

// Numbers of OpenCL's header cl.h, by words of jobs.
var (
	clWraps    = map[string]int{"clamp": 0x1131, "border": 0x1132, "repeat": 0x1133, "mirror": 0x1134}
	clFilters  = map[string]int{"nearest": 0x1140, "linear": 0x1141}
	clChannels = map[string]int{"Rgba32f": 0x10de, "Rgba8i": 0x10d7, "Rgba16i": 0x10d8, "Rgba8ui": 0x10da, "Rgba16ui": 0x10db}
	clShapes   = map[string]string{"": "10f1 8 4 1 0", "width: 32": "10f4 32 1 1 0", "width: 4, height: 2, depth: 4": "10f2 4 2 4 0", "width: 4, height: 2, layers: 4": "10f3 4 2 1 4"}
)

// before are the bytes of a buffer before the launch.
func before(argument any) []byte {
	l, ok := argument.(left)
	switch {
	case !ok:
		return le(argument)
	case l.from != nil || l.want == nil:
		return le(l.from)
	}
	return make([]byte, binary.Size(l.want))
}

// optionsOf returns the options of a source: those of its first line, or the standard of OpenCL C 1.2.
func optionsOf(t *testing.T, source string) string {
	t.Helper()
	if base := filepath.Base(source); base == "newer.cl" || base == "variables.cl" {
		return "-cl-std=CL2.0"
	}
	return "-cl-std=CL1.2"
}

package launch_test

import (
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spvsim/internal/suite"
	"spvsim/spirv"
	"spvsim/vulkan/launch"
)

// linked is a module that imports or exports functions.
func linked(kind spirv.LinkageType, names ...string) []byte {
	words := []uint32{spirv.Magic, 0x10000, 0, 100, 0}
	for i, name := range names {
		text := append([]byte(name), make([]byte, 4-len(name)%4)...)
		words = append(words, uint32(len(text)/4+4)<<16|uint32(spirv.OpDecorate), uint32(i+1), uint32(spirv.DecorationLinkageAttributes))
		for ; len(text) > 0; text = text[4:] {
			words = append(words, binary.LittleEndian.Uint32(text))
		}
		words = append(words, uint32(kind))
	}
	var out []byte
	for _, w := range words {
		out = binary.LittleEndian.AppendUint32(out, w)
	}
	return out
}

// A root without what OpenCL programs need is refused by the packages that have it, a library of functions that lacks
// one as well.
func TestOpenCLNeedsItsPackages(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	root := t.TempDir()
	put := func(path string, data []byte) {
		suite.OK(t, os.MkdirAll(filepath.Join(root, filepath.Dir(path)), 0o777))
		suite.OK(t, os.WriteFile(filepath.Join(root, path), data, 0o666))
	}
	refused := func(want ...string) {
		t.Helper()
		_, err := launch.FindOpenCL(context.Background(), root)
		if err == nil {
			t.Fatalf("passed: want %q", want)
		}
		for _, text := range want {
			if !strings.Contains(err.Error(), text) {
				t.Errorf("%v: want %q", err, text)
			}
		}
	}
	refused("package ocl-icd-libopencl1", "package mesa-opencl-icd", "package libvulkan1", "package libclc-21", root)
	for _, name := range []string{"libOpenCL.so.1", "libRusticlOpenCL.so.1", "libvulkan.so.1"} {
		put("usr/lib/x86_64-linux-gnu/"+name, nil)
	}
	refused("rusticl.icd")
	put("etc/OpenCL/vendors/rusticl.icd", nil)
	const installed, extracted = "usr/lib/clc/spirv64-mesa3d-.spv", "usr/local/lib/clc/spirv64-mesa3d-.spv"
	whole := linked(spirv.LinkageTypeExport, "_Z3sinf", "_Z3cosf")
	put(installed, linked(spirv.LinkageTypeImport, "__spirv_BuiltInWorkgroupSize", "_Z5flushf"))
	refused("lacks the function _Z5flushf", "/usr/local/lib/clc", "libclc-21")
	put(installed, whole[:len(whole)-4])
	refused("cut off")
	put(installed, []byte("no SPIR-V"))
	refused("found no SPIR-V")
	put(extracted, whole)
	if _, err := launch.FindOpenCL(context.Background(), root); err != nil {
		t.Error(err)
	}
	t.Setenv("PATH", t.TempDir()) // the library was built, so that no compiler is needed
	if _, err := launch.FindOpenCL(context.Background(), root); err != nil {
		t.Error(err)
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	refused("found no C compiler", "gcc and libc6-dev")
}

// The preloaded library shows the render nodes of as many devices as there are, with the numbers of Linux's, and opens the named library of functions.
func TestRenderNodesAreShown(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	folder := t.TempDir()
	root := filepath.Join(folder, "root")
	suite.OK(t, os.MkdirAll(filepath.Join(root, "usr/lib/clc"), 0o777))
	suite.OK(t, os.MkdirAll(filepath.Join(root, "etc/OpenCL/vendors"), 0o777))
	for _, name := range []string{"usr/lib/libOpenCL.so.1", "usr/lib/libRusticlOpenCL.so.1", "usr/lib/libvulkan.so.1", "etc/OpenCL/vendors/rusticl.icd"} {
		suite.OK(t, os.WriteFile(filepath.Join(root, name), nil, 0o666))
	}
	suite.OK(t, os.WriteFile(filepath.Join(root, "usr/lib/clc/spirv64-mesa3d-.spv"), linked(spirv.LinkageTypeExport, "_Z3sinf"), 0o666))
	found := suite.Must(launch.FindOpenCL(context.Background(), root))(t)
	manifest := filepath.Join(folder, "icd.json")
	suite.OK(t, os.WriteFile(manifest, []byte(`{"ICD":{"library_path":"/none"}}`), 0o666))
	out := filepath.Join(folder, "out")
	to := suite.Must(os.Create(out))(t)
	p := launch.Program{OpenCL: found, Machines: []string{"a", "b"}, Manifest: manifest, Stdout: to,
		Args: []string{"python3", "-c", `
import os
for n in (127, 128, 129, 130):
    path = "/dev/dri/renderD%d" % n
    try:
        s = os.stat(path)
        fd = os.open(path, os.O_RDWR)
        print(n, os.major(s.st_rdev), os.minor(s.st_rdev), os.read(fd, 1))
    except FileNotFoundError:
        print(n, "none")
print(os.environ["SPVSIM_LIBCLC"])`}}
	suite.OK(t, p.Run(context.Background()))
	to.Close()
	got := string(suite.Must(os.ReadFile(out))(t))
	const want = "127 none\n128 226 128 b''\n129 226 129 b''\n130 none\n/usr/lib/clc/spirv64-mesa3d-.spv\n"
	if _, err := os.Stat("/dev/dri"); err != nil && got != want {
		t.Errorf("found %q, want %q", got, want)
	}
}

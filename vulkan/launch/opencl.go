package launch

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"spvsim/internal/files"
	"spvsim/spirv"
)

// OpenCL programs run through Mesa: rusticl compiles their kernels, and zink runs them on Vulkan. A preloaded library
// shows rusticl the render node that it looks for.

//go:embed preload/rendernode.c
var renderNodeSource []byte

//go:embed root.sh
var rootScript []byte

// A needed is a file that OpenCL programs need, and the package of Debian that has it.
type needed struct{ file, pack string }

// libraries are patterns below the root; a multiarch folder is between.
var libraries = []needed{
	{"libOpenCL.so.1", "ocl-icd-libopencl1"}, {"libRusticlOpenCL.so.1", "mesa-opencl-icd"}, {"libvulkan.so.1", "libvulkan1"},
}

// Places of the manifest of rusticl, and of the SPIR-V of OpenCL's functions, which rusticl links kernels with. The first is
// for a file that was extracted from its package, as the packages of several versions exclude each other.
const rusticlManifest = "/etc/OpenCL/vendors/rusticl.icd"

var functionPlaces = []string{"/usr/local/lib/clc/spirv64-mesa3d-.spv", "/usr/lib/clc/spirv64-mesa3d-.spv"}

// An OpenCL names the files that OpenCL programs need besides the driver.
type OpenCL struct {
	preload   string // the library for render nodes, on this system
	functions string // the SPIR-V of OpenCL's functions, in the root
}

// FindOpenCL finds what OpenCL programs need in a root (empty: this system), and builds the library for render nodes.
// What is missing is an error that names its package of Debian.
func FindOpenCL(ctx context.Context, root string) (*OpenCL, error) {
	var errs []error
	for _, l := range libraries {
		if !hasLibrary(root, l.file) {
			errs = append(errs, fmt.Errorf("found no %s in %s: want Debian's package %s", l.file, rootName(root), l.pack))
		}
	}
	if _, err := os.Stat(filepath.Join(root, rusticlManifest)); err != nil {
		errs = append(errs, fmt.Errorf("found no %s in %s: want Debian's package mesa-opencl-icd (24 or newer)", rusticlManifest, rootName(root)))
	}
	o := &OpenCL{}
	var err error
	if o.functions, err = findFunctions(root); err != nil {
		errs = append(errs, err)
	}
	if len(errs) > 0 {
		return nil, fmt.Errorf("--opencl: %w", errors.Join(errs...))
	}
	o.preload, err = buildRenderNode(ctx)
	return o, err
}

func rootName(root string) string {
	return cmp.Or(root, "this system")
}

// hasLibrary looks for a library in the folders of Debian and in those of other distributions.
func hasLibrary(root, name string) bool {
	for _, folder := range []string{"/usr/lib/*-linux-gnu", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/local/lib/*-linux-gnu"} {
		if list, _ := filepath.Glob(filepath.Join(root, folder, name)); len(list) > 0 {
			return true
		}
	}
	return false
}

// findFunctions returns the first file of OpenCL's functions that is whole.
func findFunctions(root string) (string, error) {
	reason := "found no " + functionPlaces[1]
	for _, place := range functionPlaces {
		data, err := files.Read(filepath.Join(root, place), files.MaxJSON)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		missing, err := missingFunction(data)
		switch {
		case err != nil:
			reason = fmt.Sprintf("%s: %v", place, err)
		case missing == "":
			return place, nil
		default: // Debian's libclc-22 has none of the functions that sin, cos and fma call
			reason = fmt.Sprintf("%s lacks the function %s that others call", place, missing)
		}
	}
	return "", fmt.Errorf("%s in %s: want the file of Debian's package libclc-21 or libclc-19, there or as %s (apt-get download libclc-21; dpkg-deb --fsys-tarfile libclc-21_*.deb | tar -x --strip-components=4 -C /usr/local/lib/clc ./usr/lib/clc/spirv64-mesa3d-.spv)",
		reason, rootName(root), functionPlaces[0])
}

// missingFunction returns a function that a module imports; its built-in variables are not functions. It reads the words
// itself: libclc has 350,000 instructions, which take 60 ms to decode and 1 ms to skip.
func missingFunction(data []byte) (string, error) {
	if len(data)%4 != 0 || len(data) < 4*spirv.HeaderWords || binary.LittleEndian.Uint32(data) != spirv.Magic {
		return "", fmt.Errorf("found no SPIR-V")
	}
	for rest := data[4*spirv.HeaderWords:]; len(rest) > 0; {
		head := binary.LittleEndian.Uint32(rest)
		size := 4 * int(head>>16)
		if size == 0 || size > len(rest) {
			return "", fmt.Errorf("found SPIR-V that is cut off")
		}
		in := rest[:size]
		rest = rest[size:]
		if spirv.Op(head&0xFFFF) != spirv.OpDecorate || size < 20 || binary.LittleEndian.Uint32(in[8:]) != uint32(spirv.DecorationLinkageAttributes) ||
			binary.LittleEndian.Uint32(in[size-4:]) != uint32(spirv.LinkageTypeImport) {
			continue
		}
		name, _, _ := bytes.Cut(in[12:], []byte{0})
		if !bytes.HasPrefix(name, []byte("__spirv_BuiltIn")) {
			return string(name), nil
		}
	}
	return "", nil
}

// buildRenderNode compiles the library for render nodes, once for each source.
func buildRenderNode(ctx context.Context) (string, error) {
	folder, err := cacheFolder()
	if err != nil {
		return "", err
	}
	source, err := storeFile(folder, "rendernode-", ".c", renderNodeSource)
	if err != nil {
		return "", err
	}
	library := strings.TrimSuffix(source, ".c") + ".so"
	if now := time.Now(); os.Chtimes(library, now, now) == nil {
		return library, nil
	}
	compiler, err := exec.LookPath("cc")
	if err != nil {
		return "", fmt.Errorf("--opencl: found no C compiler (cc): want Debian's packages gcc and libc6-dev")
	}
	made := fmt.Sprintf("%s.%d", library, os.Getpid())
	c := exec.CommandContext(ctx, compiler, "-std=gnu11", "-O1", "-shared", "-fPIC", "-o", made, source, "-ldl")
	if said, err := c.CombinedOutput(); err != nil {
		return "", fmt.Errorf("--opencl: %s: %w: %s", c, err, bytes.TrimSpace(said))
	}
	return library, os.Rename(made, library)
}

// variables returns the environment of OpenCL programs on a number of machines.
func (o *OpenCL) variables(machines int) []string {
	return []string{
		"RUSTICL_ENABLE=zink", "RUSTICL_FEATURES=fp64", "OCL_ICD_VENDORS=" + rusticlManifest,
		"SPVSIM_RENDER_NODES=" + strconv.Itoa(machines), "SPVSIM_LIBCLC=" + o.functions,
	}
}

// insideRoot returns the command that runs a program in its root, with the folders and files that the driver needs. done
// removes the empty places that these were mounted on.
func (p *Program) insideRoot(progress string) (args []string, done func(), err error) {
	if os.Geteuid() != 0 {
		return nil, nil, fmt.Errorf("--root %s: want root's rights, for mounts and chroot", p.Root)
	}
	for _, name := range []string{"unshare", "chroot", "mount"} {
		if _, err := exec.LookPath(name); err != nil {
			return nil, nil, fmt.Errorf("--root %s: %w (Debian's packages util-linux, coreutils and mount)", p.Root, err)
		}
	}
	folder, err := cacheFolder()
	if err != nil {
		return nil, nil, err
	}
	script, err := storeFile(folder, "root-", ".sh", rootScript)
	if err != nil {
		return nil, nil, err
	}
	library, err := libraryOf(p.Manifest)
	if err != nil {
		return nil, nil, err
	}
	list := []string{p.Manifest, library}
	if p.Capture != "" {
		if err := os.MkdirAll(p.Capture, 0o777); err != nil { // only what is there can be mounted
			return nil, nil, err
		}
	}
	for _, place := range []string{filepath.Dir(p.Record), p.Profile, p.Waves.Folder, p.Capture, p.Check, progress} {
		if place == "" || place == "." {
			continue
		}
		if place, err = filepath.Abs(place); err != nil {
			return nil, nil, err
		}
		list = append(list, place)
	}
	if p.Refused != "" {
		list = append(list, filepath.Dir(p.Refused))
	}
	if p.OpenCL != nil {
		list = append(list, p.OpenCL.preload)
	}
	var added []string
	for _, place := range list {
		if at := filepath.Join(p.Root, place); !exists(at) {
			added = append(added, at)
		}
	}
	args = append(append([]string{"sh", script, p.Root}, list...), "--")
	return append(args, p.Args...), func() {
		for _, at := range added {
			if i, err := os.Stat(at); err == nil && (i.IsDir() || i.Size() == 0) {
				os.Remove(at) // a folder that has files by now stays
			}
		}
	}, nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// libraryOf returns the library that a manifest names.
func libraryOf(path string) (string, error) {
	text, err := files.Read(path, files.MaxList)
	if err != nil {
		return "", err
	}
	var m manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return m.ICD.Library, nil
}

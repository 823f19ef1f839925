package main_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"spvsim/internal/suite"
)

// waysOf are the names of the kernels of testdata/opencl/ways.cl.
var waysOf = regexp.MustCompile(`(?m)^WAY\((\w+)\)`)

// waysItems are the work-items of each: a buffer has a word for each.
const waysItems = 512

// sameByEveryWay compares what kernels leave through Mesa (rusticl and zink, on the Vulkan driver), as OpenCL C in a job and
// as GLSL in a job, byte by byte. PoCL has a part in none of them.
func (b openclBench) sameByEveryWay(t *testing.T) {
	text := suite.Must(os.ReadFile("testdata/opencl/ways.cl"))(t)
	suite.OK(t, os.WriteFile(filepath.Join(b.folder, "ways.cl"), text, 0o666))
	suite.OK(t, os.WriteFile(filepath.Join(b.folder, "host.c"), suite.Must(os.ReadFile("../gpu/testdata/cl/host.c"))(t), 0o666))
	build := exec.Command(suite.Must(filepath.Abs("scripts/debian-root.sh"))(t), "run", b.root, "gcc", "-O1", "-o", "host", "host.c", "-lOpenCL")
	build.Dir = b.folder
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	random := rand.New(rand.NewPCG(47, 1))
	for _, name := range []string{"a", "b"} {
		words := make([]uint32, waysItems)
		for i := range words {
			words[i] = random.Uint32()
		}
		suite.OK(t, os.WriteFile(filepath.Join(b.folder, name+".bin"), suite.Must(binary.Append(nil, binary.LittleEndian, words))(t), 0o666))
	}
	ways := waysOf.FindAllSubmatch(text, -1)
	if len(ways) < 12 {
		t.Fatalf("%d kernels, want a dozen", len(ways))
	}
	zeros := make([]byte, 4*waysItems)
	for _, way := range ways {
		name := string(way[1])
		suite.OK(t, os.WriteFile(filepath.Join(b.folder, name+".bin"), zeros, 0o666))
		description := fmt.Sprintf("source ways.cl\noptions -cl-std=CL1.2\nentry %s\nbuffer a.bin\nbuffer b.bin\nbuffer %s.bin\nglobal %d\nlocal 64\n", name, name, waysItems)
		suite.OK(t, os.WriteFile(filepath.Join(b.folder, name+".way"), []byte(description), 0o666))
		suite.OK(t, tool("glslangValidator", "-V", "--target-env", "vulkan1.3", "-DWAY="+name, "-o", filepath.Join(b.folder, name+".way.spv"), "testdata/opencl/ways.comp"))
		suite.OK(t, os.WriteFile(filepath.Join(b.folder, name+".kernel.yaml"), fmt.Appendf(nil, `shader: ways.cl
entry: %s
buffers: [{name: a, data: {file: a.bin}}, {name: b, data: {file: b.bin}}, {name: out, data: {zero: %d}}]
global: [%d]
arguments: [a, b, out]
`, name, len(zeros), waysItems), 0o666))
		suite.OK(t, os.WriteFile(filepath.Join(b.folder, name+".glsl.yaml"), fmt.Appendf(nil, `shader: %s.way.spv
buffers: [{name: a, binding: 0, data: {file: a.bin}}, {name: b, binding: 1, data: {file: b.bin}}, {name: out, binding: 2, data: {zero: %d}}]
dispatch: [%d]
`, name, len(zeros), waysItems/64), 0o666))
	}
	for _, machine := range []string{"rdna3-rx7900xtx", "cdna3-mi300a"} {
		if out, err := b.app([]string{"--machine", machine, "--mode", "functional"}, "sh", "-c", "for i in *.way; do ./host <$i || exit 1; done"); err != nil {
			t.Errorf("%s: %v\n%s", machine, err, tail([]byte(out)))
			return
		}
		for _, way := range ways {
			name := string(way[1])
			through := filepath.Join(b.folder, name+".bin")
			want := suite.Must(os.ReadFile(through))(t)
			if bytes.Equal(want, zeros) {
				t.Errorf("%s, %s: nothing but zeros through Mesa", machine, name)
			}
			for _, form := range []string{"kernel", "glsl"} {
				left := filepath.Join(b.folder, "left.bin")
				suite.OK(t, tool(b.spvsim, "run", filepath.Join(b.folder, name+"."+form+".yaml"), "--machine", machine, "--mode", "functional", "-q", "--dump", "out="+left))
				if !bytes.Equal(suite.Must(os.ReadFile(left))(t), want) {
					t.Errorf("%s, %s: the job's bytes (%s) are not those through Mesa", machine, name, form)
				}
			}
			suite.OK(t, os.WriteFile(through, zeros, 0o666))
		}
	}
}

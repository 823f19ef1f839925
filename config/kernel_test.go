package config

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"spvsim/internal/suite"
)

// kernelJob is a job with some lines after its buffers.
func kernelJob(lines string) (*Job, error) {
	return ParseJob(nil, "job.yaml", []byte("shader: k.spv\nparameters: {n: 100}\nbuffers: [{name: x, data: {zero: 4}}, {name: y, data: {zero: 4}}]\n"+lines))
}

// A launch has the grid in work-items, workgroups that cover it, and arguments that are evaluated in each way they can be meant.
func TestKernelCall(t *testing.T) {
	j := suite.Must(kernelJob("global: [n, 3]\nlocal: [64, 2]\nglobal_offset: [0, 5]\narguments: {p: x, k: n * 2, v: [1, 2.5], tile: {local: 4 * n}, s: {f32: [1]}, z: null}"))(t)
	l := suite.Must(j.Launches())(t)[0]
	k := l.Kernel
	if l.Dispatch != [3]uint32{2, 2, 1} || k.Global != [3]uint32{100, 3, 1} || k.Local != [3]uint32{64, 2, 1} || k.Offset != [3]uint64{0, 5, 0} || k.Dims != 2 {
		t.Errorf("%v %+v", l.Dispatch, k)
	}
	a := k.Arguments.Members
	if len(a) != 6 || a[0].Text != "x" || a[0].Err == nil || a[1].Number.Int != 200 || a[2].List[1].Number.Float != 2.5 ||
		a[3].Members[0].Number.Int != 400 || string(a[4].Bytes) != "\x00\x00\x80\x3f" || !a[5].Null {
		t.Errorf("%+v", a)
	}
	if !j.Buffers[0].Unbound || !j.Buffers[1].Unbound {
		t.Error("buffers without a binding are bound")
	}
}

// Arguments in a loop follow its variable, and those of the job are for steps without their own.
func TestKernelArgumentsInLoops(t *testing.T) {
	j := suite.Must(kernelJob("arguments: [x, n]\nsteps: [{for: {i: 0..1}, global: [n], arguments: [x, i]}, {global: [n >> 1]}]"))(t)
	var got []int64
	for _, l := range suite.Must(j.Launches())(t) {
		got = append(got, l.Kernel.Arguments.List[1].Number.Int)
	}
	if len(got) != 3 || got[0] != 0 || got[1] != 1 || got[2] != 100 {
		t.Error(got)
	}
}

func TestKernelKeysAreChecked(t *testing.T) {
	for lines, want := range map[string]string{
		"global: [n]\nlocal: [8, 8]":         "job.yaml:5: local: found 2 dimensions: want 1, as global has",
		"dispatch: [1]\nlocal: [8]":          "local: found without global",
		"dispatch: [1]\nglobal: [8]":         "global: found another way to start work",
		"global: [n]\nlocal: [0]":            "local[0]: found 0",
		"global: [n]\nbase: [1]":             "base: found base for a kernel: want global_offset",
		"global: [n]\narguments: 3":          "arguments: found",
		"steps: [{global: [1], copy: {}}]":   "found 2 ways to start work",
		"global: [n]\ncompile: {defines: 3}": "compile.defines: found",
	} {
		if _, err := kernelJob(lines); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", lines, err, want)
		}
	}
}

// The files that a kernel includes, directly or not, from its folder and those of -I, count for the digest of a run.
func TestIncludedFilesAreInputs(t *testing.T) {
	files := func(change string) fstest.MapFS {
		out := fstest.MapFS{"job.yaml": {Data: []byte("shader: src/k.cl\ncompile: {options: -I lib -w}\nbuffers: [{name: x, data: {zero: 4}}]\nglobal: [1]\narguments: [x]")},
			"src/k.cl": {Data: []byte("#include \"one.h\"\n  # include <two.h>\n// #include \"four.h\"\n#include \"none.h\"\n")}, "src/one.h": {Data: []byte("#include \"sub/three.h\"\n#include \"one.h\"\n")},
			"src/sub/three.h": {}, "lib/two.h": {}, "src/two.h": {}, "src/four.h": {}}
		if change != "" {
			out[change] = &fstest.MapFile{Data: []byte("// other")}
		}
		return out
	}
	j := suite.Must(LoadJob(files(""), "job.yaml"))(t)
	var names []string
	for _, f := range suite.Must(j.Included("src/k.cl", files("")["src/k.cl"].Data))(t) {
		names = append(names, f.Name)
	}
	if want := []string{"src/one.h", "src/sub/three.h", "lib/two.h"}; !slices.Equal(names, want) {
		t.Errorf("%s, want %s", names, want)
	}
	inputs := func(change string) string {
		return suite.Must((&Files{FS: files(change)}).Load("job.yaml", nil))(t).Inputs
	}
	for file, counts := range map[string]bool{"src/one.h": true, "src/sub/three.h": true, "lib/two.h": true, "src/two.h": false, "src/four.h": false} {
		if (inputs(file) != inputs("")) != counts {
			t.Errorf("%s: that it counts is %t", file, !counts)
		}
	}
	for text, want := range map[string]string{
		"#include NAME":       "k.cl: found #include: want the name of a file",
		"#include \"/etc/x\"": "k.cl: found #include \"/etc/x\": want the name of a file",
	} {
		if _, err := j.Included("k.cl", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

package config

import (
	"strings"
	"testing"

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

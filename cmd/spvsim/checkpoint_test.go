package main

import (
	"os"
	"path/filepath"
	"testing"

	"spvsim/internal/suite"
)

// A run that was saved and resumed writes what an undisturbed one does.
func TestCheckpointAndResume(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	state := filepath.Join(folder, "state")
	job := []string{"run", "peer-bitonic", "--param", "log2n=8", "--param", "n=256", "--set", "expect=[]", "-q"}
	written := func(name string, flags ...string) string {
		series, listing := filepath.Join(folder, name+"-series"), filepath.Join(folder, name+"-listing")
		if r := spvsim("", append(append(job[:len(job):len(job)], "--series", series, "--listing", listing), flags...)...); r.status != exitDone || r.stderr != "" {
			t.Fatalf("%v: %d %s", flags, r.status, r.stderr)
		}
		return string(suite.Must(os.ReadFile(series))(t)) + string(suite.Must(os.ReadFile(listing))(t))
	}
	want := written("plain")
	if got := written("saved", "--checkpoint", state, "--every", "20"); got != want {
		t.Error("a run that saves its state writes something else")
	}
	if got := written("resumed", "--resume", state); got != want {
		t.Error("a resumed run writes something else")
	}
	for _, of := range []struct {
		flags []string
		want  string
	}{
		{[]string{"--resume", state}, "found the run with records *profile.Collector: want records <nil>"},
		{[]string{"--resume", state, "--series", "-", "--param", "n=512"}, "the checkpoint can't be used: found the job with parameters.n 256: want parameters.n 512"},
		{[]string{"--resume", state, "--series", "-", "--machine", "cdna3-mi300a"}, "found the machine with name gcn3-r9nano: want name cdna3-mi300a"},
		{[]string{"--every", "2"}, "--every: want --checkpoint with it"},
		{[]string{"--checkpoint", state, "--trace", "-"}, "--trace: want no --checkpoint"},
		{[]string{"--checkpoint", state, "--what-if", "all"}, "--what-if: want no --checkpoint"},
		{[]string{"--checkpoint", state, "--threads", "2"}, "found 2 threads: want 1"},
		{[]string{"--checkpoint", state, "--set", "memory.model=akita"}, "found memory.model akita: want "},
		{[]string{"--resume", filepath.Join(folder, "none")}, "no such file"},
		{[]string{"--resume", filepath.Join(folder, "plain-series")}, "its first line is"},
	} {
		wantRefused(t, spvsim("", append(job[:len(job):len(job)], of.flags...)...), of.want)
	}
	// A job of one launch has nothing to save.
	if r := spvsim("", "run", "vectoradd", "-q", "--checkpoint", filepath.Join(folder, "one")); r.status != exitDone || r.stderr == "" {
		t.Errorf("status %d, %q: want a note", r.status, r.stderr)
	}
}

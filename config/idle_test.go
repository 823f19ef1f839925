package config

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"spvsim/internal/suite"
)

// Keys without effect under the chosen scheduler are reported with their origin: the command line, a job or a machine
// file, but not a preset.
func TestIdleKeys(t *testing.T) {
	files := fstest.MapFS{
		"mine.yaml": {Data: []byte("base: rdna3-rx7900xtx\nqueue: {depth: 64, latency: 20}\n")},
		"job.yaml":  {Data: []byte("machine: mine.yaml\nset: {queue.ports: 2}\nshader: a.spv\ndispatch: [1]\n")},
	}
	job := suite.Must(LoadJob(files, "job.yaml"))(t)
	for kind, want := range map[string][]string{
		"hardware":   {"scheduler.poll_interval"},
		"firmware":   {"scheduler.poll_interval", "queue.depth", "queue.ports"},
		"multipass":  {"scheduler.poll_interval", "queue.depth", "queue.ports", "queue.latency", "queue.arbitration"},
		"persistent": {"queue.depth", "queue.ports", "queue.latency"},
	} {
		m := suite.Must(LoadMachine(Request{FS: files, Job: job, Set: []string{"scheduler.kind=" + kind, "scheduler.poll_interval=100", "queue.arbitration=breadth-first"}}))(t)
		var got []string
		for _, text := range m.Idle() {
			key, rest, _ := strings.Cut(text, " ")
			got = append(got, key)
			by := map[string]string{"queue.depth": "mine.yaml", "queue.latency": "mine.yaml", "queue.ports": "set by the job job.yaml", "scheduler.poll_interval": "set on the command line", "queue.arbitration": "set on the command line"}[key]
			if !strings.HasPrefix(rest, "does nothing under scheduler.kind "+kind+": it acts under ") || !strings.HasSuffix(rest, "("+by+")") {
				t.Errorf("%s: %s", kind, text)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v do nothing, want %v", kind, got, want)
		}
	}
	if m, _ := Preset("rdna3-rx7900xtx"); len(m.Idle()) > 0 {
		t.Errorf("a preset's own: %v", m.Idle())
	}
}

// Given lists the fields that differ in origin from the preset, with their value and last origin: a file, the job, the
// command line.
func TestGivenFields(t *testing.T) {
	files := fstest.MapFS{
		"mine.yaml": {Data: []byte("base: rdna3-rx7900xtx\nqueue: {depth: 64}\nlds: {banks: 16}\n")},
		"job.yaml":  {Data: []byte("machine: mine.yaml\nset: {queue.ports: 2}\nshader: a.spv\ndispatch: [1]\n")},
	}
	job := suite.Must(LoadJob(files, "job.yaml"))(t)
	m := suite.Must(LoadMachine(Request{Job: job, Set: []string{"lds.banks=64"}, FS: files}))(t)
	got := map[string]string{}
	for _, leaf := range m.Overrides() {
		got[leaf.Path] = leaf.Value + " " + leaf.By
	}
	for path, want := range map[string]string{"queue.depth": "64 ", "queue.ports": "2 ", "lds.banks": "64 "} {
		if !strings.HasPrefix(got[path], want) || len(got[path]) == len(want) {
			t.Errorf("%s: %q, want %q and who set it", path, got[path], want)
		}
	}
	if len(got) != 3 {
		t.Errorf("%v: want three fields", got)
	}
}

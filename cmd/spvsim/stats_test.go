package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spvsim/account"
	"spvsim/config"
	"spvsim/internal/suite"
	"spvsim/tracing"
)

// leaves collects the paths of a JSON value's members; members of a step are under its name, those of a hardware queue
// are not.
func leaves(path string, v any, found map[string]bool) {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			leaves(strings.TrimPrefix(path+"."+name, "."), member, found)
		}
	case []any:
		for _, member := range v {
			if strings.Contains("."+path, ".estimate.") {
				found[path] = true // described as a whole
				continue
			}
			if strings.HasPrefix(path, "queues") {
				if path != "queues" {
					found[path] = true
				}
				leaves(path, member, found)
				continue
			}
			step := member.(map[string]any)
			name := step["name"].(string)
			delete(step, "name")
			found["steps.name"] = true
			leaves(path+"."+name, step, found)
		}
	default:
		found[path] = true
	}
}

// queuesJob writes a job with two queues on one pipe, one of which waits for the other.
func queuesJob(t *testing.T) string {
	t.Helper()
	shader, err := filepath.Abs("../../experiments/figures/jobs/sidebyside.spv")
	name := filepath.Join(t.TempDir(), "queues.yaml")
	text := "machine: rdna3-rx7900xtx\nshader: " + shader + `
buffers: [{set: 0, binding: 0, name: words, data: {zero: 65536}}]
queues:
  - {name: a, pipe: 0, steps: [{name: first, push_constants: [{u32: 0}, {u32: 64}, {u32: 9}], dispatch: [1]}]}
  - {name: b, pipe: 0, steps: [{name: next, after: [first], push_constants: [{u32: 128}, {u32: 192}, {u32: 9}], dispatch: [1]}]}
  - {name: c, pipe: 0, steps: [{name: other, push_constants: [{u32: 256}, {u32: 320}, {u32: 9}], dispatch: [1]}]}
`
	suite.OK(t, errors.Join(err, os.WriteFile(name, []byte(text), 0o600)))
	return name
}

// Every statistic of runs of all kinds has a description, and every description belongs to a statistic of some run.
func TestEveryStatisticIsDescribed(t *testing.T) {
	found := map[string]bool{}
	for _, args := range [][]string{
		{"reduce"}, {"koch"}, {"helper-lanes"}, {"reduce", "--mode", "functional"}, {"reduce", "--max-cycles", "5000"},
		{"transpose-plain", "--what-if", "conflicts"}, {queuesJob(t)},
	} {
		r := spvsim("", append([]string{"run", "--stats", "-", "-q"}, args...)...)
		var s map[string]any
		if err := json.Unmarshal([]byte(r.stdout), &s); err != nil {
			t.Fatalf("%v: %v: %s", args, err, r.stderr)
		}
		leaves("", s, found)
	}
	m := suite.Must(config.Preset("rdna3-rx7900xtx"))(t)
	sampled := tracing.Stats{Mode: "sampled", ClockMHz: 1000} // a run that is long enough for sampling takes seconds
	sampled.Estimate, sampled.Energies = &account.Estimate{NotSampled: []account.NotSampled{{}}, Halves: []account.Half{{Name: "unit_cycles", Half: 1}}, Units: make([]account.SampledUnit, 1)}, m.Energies()
	sampled.WhatIf = []tracing.Counterfactual{{Name: "conflicts", Low: 1, High: 2}}
	sampled.Steps = []account.StepCounts{{Counts: sampled.Counts}}
	text, err := json.Marshal(&sampled)
	var s map[string]any
	suite.OK(t, errors.Join(err, json.Unmarshal(text, &s)))
	leaves("", s, found)
	seen := map[string]bool{}
	for path := range found {
		s, err := tracing.Describe(path)
		if err != nil {
			t.Error(err)
		}
		if s.Meaning == "" {
			t.Errorf("%s has no meaning", path)
		}
		seen[s.Path] = true
	}
	for _, s := range tracing.Statistics() {
		if !seen[s.Path] {
			t.Errorf("%s: no run has it", s.Path)
		}
	}
}

func TestDescribe(t *testing.T) {
	for path, want := range map[string]string{
		"memory.l2.hits":                       "memory.*.hits",
		"steps.a.spv.cycles":                   "cycles",
		"steps.x.memory.l2.bytes":              "memory.*.bytes",
		"graph.nodes.write[0].wait_cycles.p95": "graph.nodes.*.wait_cycles.p95",
	} {
		if s, err := tracing.Describe(path); err != nil || s.Path != want {
			t.Errorf("%s: found %q, %v; want %q", path, s.Path, err, want)
		}
	}
	spvsim("", "stats", "--describe", "ocupancy").says(t, exitBadInput, "occupancy")
	if r := spvsim("", "stats", "--describe", "cycles"); !strings.Contains(r.stdout, "simulated time") {
		t.Errorf("found %q", r.stdout)
	}
}

package main

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"spvsim/account"
	"spvsim/tracing"
)

// leaves are the paths of a JSON value's members; those of a step are under its name.
func leaves(path string, v any, found map[string]bool) {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			leaves(strings.TrimPrefix(path+"."+name, "."), member, found)
		}
	case []any:
		for _, member := range v {
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

// Every statistic of runs of all kinds has a description with a meaning, and every description is of one that some run has.
func TestEveryStatisticIsDescribed(t *testing.T) {
	found := map[string]bool{}
	for _, args := range [][]string{
		{"reduce"}, {"koch"}, {"helper-lanes"}, {"reduce", "--mode", "functional"}, {"reduce", "--max-cycles", "5000"},
	} {
		r := spvsim("", append([]string{"run", "--stats", "-", "-q"}, args...)...)
		var s map[string]any
		if err := json.Unmarshal([]byte(r.stdout), &s); err != nil {
			t.Fatalf("%v: %v: %s", args, err, r.stderr)
		}
		leaves("", s, found)
	}
	sampled := tracing.Stats{Mode: "sampled", ClockMHz: 1000} // a run that is long enough to be sampled takes seconds
	sampled.Estimate = &account.Estimate{}
	text, err := json.Marshal(&sampled)
	var s map[string]any
	if err := errors.Join(err, json.Unmarshal(text, &s)); err != nil {
		t.Fatal(err)
	}
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
	if r := spvsim("", "stats", "--describe", "ocupancy"); r.status != exitBadInput || !strings.Contains(r.stderr, "occupancy") {
		t.Errorf("status %d: %s", r.status, r.stderr)
	}
	if r := spvsim("", "stats", "--describe", "cycles"); !strings.Contains(r.stdout, "simulated time") {
		t.Errorf("found %q", r.stdout)
	}
}

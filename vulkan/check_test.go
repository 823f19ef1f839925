package main_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"spvsim/check"
	"spvsim/internal/suite"
)

// checked runs a program of testdata with its dispatches checked, and returns what was found.
func checked(t *testing.T, b *bench, name, mode string) (all []check.Finding) {
	t.Helper()
	folder := t.TempDir()
	c := b.command(b.build(t, name))
	c.Env = append(b.environment(""), "SPVSIM_CHECK="+folder, "SPVSIM_MODE="+mode)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, tail(out))
	}
	for _, file := range suite.Must(filepath.Glob(filepath.Join(folder, "*.json")))(t) {
		var r check.Report
		suite.OK(t, json.Unmarshal(suite.Must(os.ReadFile(file))(t), &r))
		all = append(all, r.Findings...)
	}
	return all
}

// The driver reports what its dispatches do that no shader may do, with time and without; and nothing of programs that are right.
func TestDispatchesAreChecked(t *testing.T) {
	t.Parallel()
	b := needTools(t)
	for _, mode := range []string{"timed", "functional"} {
		var kinds []string
		for _, f := range checked(t, b, "unordered", mode) {
			kinds = append(kinds, string(f.Kind))
		}
		slices.Sort(kinds)
		want := []string{"race between waves", "race between workgroups"}
		if kinds = slices.Compact(kinds); !slices.Equal(kinds, want) {
			t.Errorf("%s: found %q, want %q", mode, kinds, want)
		}
		if list := checked(t, b, "subgroups", mode); len(list) > 0 {
			t.Errorf("%s: in a program that is right, found %v", mode, &list[0])
		}
	}
}

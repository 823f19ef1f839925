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

// checked runs processes of a program of testdata with its dispatches checked, and returns what was found.
func checked(t *testing.T, b *bench, name, mode string, processes int) (all check.Report) {
	t.Helper()
	folder := t.TempDir()
	for range processes {
		c := b.command(b.build(t, name))
		c.Env = append(b.environment(""), "SPVSIM_CHECK="+folder, "SPVSIM_MODE="+mode)
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, tail(out))
		}
	}
	reports := suite.Must(filepath.Glob(filepath.Join(folder, "*.json")))(t)
	for _, file := range reports {
		var r check.Report
		suite.OK(t, json.Unmarshal(suite.Must(os.ReadFile(file))(t), &r))
		all.Add(&r)
	}
	if len(reports) < processes {
		t.Fatalf("%s: %d reports, want one of each of %d processes", name, len(reports), processes)
	}
	return all
}

// The driver reports what its dispatches do that no shader may do, with time and without; and nothing of programs that are right.
func TestDispatchesAreChecked(t *testing.T) {
	t.Parallel()
	b := needTools(t)
	for _, mode := range []string{"timed", "functional"} {
		var kinds []string
		for _, f := range checked(t, b, "unordered", mode, 1).Findings {
			kinds = append(kinds, string(f.Kind))
		}
		slices.Sort(kinds)
		want := []string{"race between waves", "race between workgroups"}
		if kinds = slices.Compact(kinds); !slices.Equal(kinds, want) {
			t.Errorf("%s: found %q, want %q", mode, kinds, want)
		}
		if list := checked(t, b, "subgroups", mode, 1).Findings; len(list) > 0 {
			t.Errorf("%s: in a program that is right, found %v", mode, &list[0])
		}
	}
}

// Processes of a program have a report each, and what they find at the same instructions is added up.
func TestProcessesAreChecked(t *testing.T) {
	t.Parallel()
	b := needTools(t)
	one, two := checked(t, b, "unordered", "functional", 1).Findings, checked(t, b, "unordered", "functional", 2).Findings
	if len(one) == 0 || len(one) != len(two) {
		t.Fatalf("one process has %d findings, two have %d: want as many", len(one), len(two))
	}
	for i := range one {
		if two[i].Count != 2*one[i].Count {
			t.Errorf("%s: counted %d times in two processes and %d in one, want twice as many", two[i].Short(), two[i].Count, one[i].Count)
		}
	}
}

// Accesses out of bounds by a device with robustBufferAccess, which defines them, are counted apart from those that make a run fail.
func TestRobustAccessesAreCounted(t *testing.T) {
	t.Parallel()
	b := needTools(t)
	for _, mode := range []string{"timed", "functional"} {
		for name, want := range map[string][2]uint64{"outside": {5, 0}, "robust": {0, 8}} { // robust: a row of the uniform buffer too, and a load and a store through a null descriptor
			r := checked(t, b, name, mode, 1)
			if got := [2]uint64{r.OutOfBounds, r.RobustOutOfBounds}; got != want || len(r.Findings) > 0 {
				t.Errorf("%s, %s: %v out of bounds, without the feature and with it, and %d findings: want %v and none", name, mode, got, len(r.Findings), want)
			}
		}
	}
}

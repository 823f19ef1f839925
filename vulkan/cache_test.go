package main_test

import (
	"io/fs"
	"path/filepath"
	"slices"
	"testing"
)

// A second start finds each program that the first one lowered, and computes the same results; without a store, no
// program is kept.
func TestProgramsAreKeptBetweenRuns(t *testing.T) {
	t.Parallel()
	b := needTools(t)
	folder := t.TempDir()
	for _, name := range []string{"dispatch", "descriptors", "subgroups", "types", "images", "graph"} {
		program := b.build(t, name)
		var before []string
		for round, cache := range []string{"off", folder, folder} {
			c := b.command(program)
			c.Env = append(b.environment(""), "SPVSIM_CACHE="+cache)
			if out, err := c.CombinedOutput(); err != nil {
				t.Errorf("%s, round %d: %v\n%s", name, round, err, tail(out))
			}
			now := filesIn(t, folder)
			switch same := slices.Equal(before, now); {
			case round == 0 && *driverManifest == "":
				before = now
			case round == 1 && same && *driverManifest == "":
				t.Errorf("%s: nothing was kept", name)
			case round == 2 && !same:
				t.Errorf("%s: %d programs were kept, then %d: they were not found", name, len(before), len(now))
			}
			before = now
		}
	}
}

func filesIn(t *testing.T, folder string) (list []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			list = append(list, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

package main_test

import (
	"context"
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"spvsim/config"
	"spvsim/gpu"
)

// Captured dispatches of programs, run again as jobs, leave the same bytes and take the same cycles as in the program.
func TestCapturedDispatchesRepeat(t *testing.T) {
	b := needTools(t)
	checked := 0
	for _, name := range []string{"dispatch", "addresses", "descriptors"} {
		folder := t.TempDir()
		rows := filepath.Join(folder, "rows.csv")
		c := b.command(b.build(t, name))
		c.Env = append(os.Environ(), "VK_DRIVER_FILES="+b.manifest, "VK_ICD_FILENAMES="+b.manifest,
			"SPVSIM_RECORD="+rows, "SPVSIM_CAPTURE="+folder, "SPVSIM_SELECT=main *:4")
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, tail(out))
		}
		for file, cycles := range capturedRows(t, rows) {
			checked++
			replay(t, filepath.Join(folder, file), cycles)
		}
	}
	if checked < 10 {
		t.Errorf("%d dispatches were captured, want at least 10", checked)
	}
}

// capturedRows are the cycles of rows by the file that they were captured to.
func capturedRows(t *testing.T, path string) map[string]uint64 {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	list, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]uint64{}
	file, cycles := slices.Index(list[0], "captured"), slices.Index(list[0], "cycles")
	for _, row := range list[1:] {
		if row[file] != "" {
			if found[row[file]], err = strconv.ParseUint(row[cycles], 10, 64); err != nil {
				t.Fatal(err)
			}
		}
	}
	return found
}

// replay runs a captured job, whose expectations are the program's results.
func replay(t *testing.T, file string, cycles uint64) {
	t.Helper()
	job, err := config.LoadJob(nil, file)
	if err != nil {
		t.Fatal(err)
	}
	m, err := config.LoadMachine(config.Request{Job: job})
	if err != nil {
		t.Fatal(err)
	}
	result, err := gpu.Run(context.Background(), gpu.Setup{Machine: m, Job: job})
	if err != nil {
		t.Fatalf("%s: %v", filepath.Base(file), err)
	}
	if got := result.Stats.Counts.Cycles; got != cycles || len(job.Expect) == 0 {
		t.Errorf("%s: %d cycles, in the program %d; %d expectations", filepath.Base(file), got, cycles, len(job.Expect))
	}
}

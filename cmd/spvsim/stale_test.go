package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spvsim/internal/suite"
)

// staleRuns are six runs of some tens of milliseconds.
const staleRuns = "job: reduce\naxes: {groups: {path: parameters.groups, values: [8, 16, 32]}, slots: {path: machine.wave_slots, values: [8, 16]}}\ncolumns: {passes: lds.passes}\nset: {expect: []}\n"

// Stale rows are detected by changed inputs, and by the changed result of one point.
func TestStaleRows(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	program := build(t)
	dir := t.TempDir()
	experiment := filepath.Join(dir, "few.yaml")
	suite.OK(t, os.WriteFile(experiment, []byte(staleRuns), 0o644))
	if out, err := command(t, program, "sweep", experiment, "-q", "-o", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	rows := suite.Must(os.ReadFile(filepath.Join(dir, "few.csv")))(t)
	lines := strings.SplitAfter(string(rows), "\n")
	column := func(name string) int {
		for i, have := range strings.Split(strings.TrimSpace(lines[0]), ",") {
			if have == name {
				return i
			}
		}
		t.Fatalf("no column %s", name)
		return 0
	}
	// with one cell of every row changed, as a row that is run again is not known here
	with := func(name, value string) string {
		var b strings.Builder
		b.WriteString(lines[0])
		for _, line := range lines[1 : len(lines)-1] {
			cells := strings.Split(strings.TrimSuffix(line, "\n"), ",")
			cells[column(name)] = value
			b.WriteString(strings.Join(cells, ",") + "\n")
		}
		return b.String()
	}
	for _, c := range []struct{ text, want string }{
		{with("inputs", "0123"), "rows with other inputs now: 6 of 6 (the first is point 0)"},
		{strings.Join(append(lines[:1:1], lines[2:]...), ""), "points without a row: 1"},
		{string(rows) + "99999" + strings.Repeat(",", strings.Count(lines[0], ",")) + "\n", "rows of no point: 1"},
		{with("passes", "123456"), "gives other results now: passes is "},
	} {
		file := filepath.Join(t.TempDir(), "rows.csv")
		suite.OK(t, os.WriteFile(file, []byte(c.text), 0o644))
		out, err := command(t, program, "sweep", experiment, "--stale", file).CombinedOutput()
		if err == nil || !strings.Contains(string(out), c.want) || !strings.Contains(string(out), "rows are out of date") {
			t.Errorf("%v, %s: want %s", err, out, c.want)
		}
	}
	wantRefused(t, spvsim("", "sweep", "--stale", filepath.FromSlash("../../experiments/figures/lds-stride.csv")), "want the name of the experiment")
	wantRefused(t, spvsim("", "sweep", "lds-stride", "--stale", "main.go"), "not rows of the experiment")
}

// In a folder of rows, an experiment whose program needs something that this computer lacks is listed as not checked,
// and the others are checked.
func TestStaleRowsWithoutTheProgram(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	for _, name := range []string{"lds-stride", "vkfft-banks"} {
		data := suite.Must(os.ReadFile(filepath.FromSlash("../../experiments/figures/" + name + ".csv")))(t)
		suite.OK(t, os.WriteFile(filepath.Join(dir, name+".csv"), data, 0o644))
	}
	c := command(t, build(t), "sweep", "--stale", dir)
	out, err := c.CombinedOutput()
	if text := string(out); err != nil || !strings.Contains(text, "lds-stride           current\n") || !strings.Contains(text, "vkfft-banks          not checked: vkfft-banks: app: missing on this computer: ") {
		t.Errorf("%v, %s: want one current and one not checked", err, out)
	}
}

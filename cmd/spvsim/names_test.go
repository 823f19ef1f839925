package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spvsim/internal/suite"
)

const namesHead = "job: reduce\nset: {expect: []}\naxes: {slots: {path: machine.wave_slots, values: [4, 8]}}\n"

// Names of columns are checked before anything runs.
func TestNamesAreCheckedFirst(t *testing.T) {
	for text, want := range map[string]string{
		"derived: {x: cycle / 2}":                                        "derived: x: the rows have no column cycle (nearest: cycles)",
		"derived: {x: {of: cycels, where: {slots: 8}}}":                  "no column cycels (nearest: cycles)",
		"derived: {x: {of: cycles, where: {slot: 8}}}":                   "slot",
		"columns: {a: instructions.totals}":                              "want the path of a statistic (nearest: instructions.total)",
		"derived: {a: b, b: cycles}":                                     "the rows have no column b",
		"columns: {a: cycles}\nderived: {x: cycles}":                     "no column cycles",
		"columns: {slots: cycles}":                                       "two columns are named slots",
		"figures: {f: {kind: line, x: slot, y: cycles}}":                 `found no column "slot" (nearest: slots)`,
		"figures: {f: {kind: line, x: slots, y: [cycles, seconde]}}":     `"seconde" (nearest: seconds)`,
		"figures: {f: {kind: line, x: slots, y: cycles, where: {q: 1}}}": `where.q: the experiment's rows: found no column "q"`,
		"figures: {f: {kind: line, x: slots, y: cycles, filter: q > 1}}": "filter",
		"figures: {f: {kind: line, x: slots, y: u, columns: {u: v}}}":    "columns.u",
		"figures: {f: {kind: lime, x: slots, y: cycles}}":                "lime",
	} {
		file := filepath.Join(t.TempDir(), "e.yaml")
		suite.OK(t, os.WriteFile(file, []byte(namesHead+text), 0o644))
		for _, flag := range []string{"--dry-run", "-q"} {
			spvsim("", "sweep", file, flag, "-o", filepath.Join(t.TempDir(), "out")).says(t, exitBadInput, want)
		}
	}
}

// A path that no point's statistics have, like one of a level that the machine lacks, is reported after the first
// point, and the other columns are written.
func TestRowsAreWrittenAnyway(t *testing.T) {
	program := build(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "e.yaml")
	text := namesHead + "columns: {cycles: cycles, hits: memory.l9.hits}\nfigures: {f: {kind: line, x: slots, y: cycles}}\n"
	suite.OK(t, os.WriteFile(file, []byte(text), 0o644))
	out, err := command(t, program, "sweep", file, "-q", "-o", filepath.Join(dir, "out")).CombinedOutput()
	if err == nil || strings.Count(string(out), "memory.l9.hits") != 2 || !strings.Contains(string(out), "warning: columns: memory.l9.hits: the first point's statistics have no such value (nearest: ") {
		t.Errorf("%v, %s", err, out)
	}
	rows, err := os.ReadFile(filepath.Join(dir, "out", "e.csv"))
	if err != nil || !strings.HasPrefix(string(rows), "point,slots,status,cycles,hits,") || strings.Count(string(rows), "done") != 2 {
		t.Errorf("%v\n%s", err, rows)
	}
	if _, err := os.Stat(filepath.Join(dir, "out", "f.svg")); err != nil {
		t.Error(err)
	}
}

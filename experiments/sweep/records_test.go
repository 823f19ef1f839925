package sweep

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spvsim/internal/suite"
)

// recordCases are possible contents of a store for a point: whether each is a record, a result, and forgotten before
// the point runs.
var recordCases = []struct {
	name            string
	record          *Record
	is, result, out bool
}{
	{"nothing", nil, false, false, false},
	{"done", &Record{Inputs: "in", Status: Done, Values: []string{"1"}, Stats: json.RawMessage("{}")}, true, true, false},
	{"failed", &Record{Inputs: "in", Status: Failed}, true, true, false},
	{"crashed", &Record{Inputs: "in", Status: Crashed}, true, false, true},
	{"of other inputs", &Record{Inputs: "other", Status: Done, Values: []string{"1"}, Stats: json.RawMessage("{}")}, false, false, false},
	{"of other elements", &Record{Inputs: "in", Status: Done, Values: []string{"1", "2"}, Stats: json.RawMessage("{}")}, false, false, false},
	{"stopped by the limit that it has", &Record{Inputs: "in", Status: Failed, Stopped: &Limits{Cycles: 5}}, true, true, false},
	{"stopped by another limit", &Record{Inputs: "in", Status: Failed, Stopped: &Limits{Cycles: 4}}, false, false, false},
	{"done without statistics", &Record{Inputs: "in", Status: Done, Values: []string{"1"}}, false, false, false},
	{"of no status", &Record{Inputs: "in", Status: "odd"}, false, false, false},
}

// storeOf has all cases, a point each.
func storeOf(t *testing.T) (*Store, []Spec) {
	t.Helper()
	s := suite.Must(OpenStore(t.TempDir()))(t)
	var specs []Spec
	for i, c := range recordCases {
		spec := Spec{Key: strings.Repeat("k", i+1), Inputs: "in", Values: make([]Element, 1), Limits: Limits{Cycles: 5}}
		if specs = append(specs, spec); c.record != nil {
			suite.OK(t, s.Save(spec.Key, c.record))
		}
	}
	return s, specs
}

// A record of a store counts if it is whole and has the point's inputs, elements and limits; points that crashed run
// again, and their records are removed.
func TestRecordsOfPoints(t *testing.T) {
	s, specs := storeOf(t)
	missing := suite.Must((&Plan{Specs: specs}).Missing(s))(t)
	taken := map[string]bool{}
	dir := t.TempDir()
	array := &submission{Name: "a", Bundle: "b", Tasks: 2}
	rows := suite.Must(os.Create(rowsName(filepath.Join(dir, "a"), "1")))(t)
	suite.Must(rows.Write(suite.Must(summed(taskHeader{Bundle: "b"}))(t)))(t)
	for i, c := range recordCases {
		if c.record != nil {
			suite.Must(rows.Write(suite.Must(summed(taskRow{specs[i].Key, c.record}))(t)))(t)
		}
	}
	suite.OK(t, rows.Close())
	w := &arrayWatch{array: &Array{ArraySetup: ArraySetup{Store: s, dir: dir}}, open: slices.Clone(specs), rows: map[int]*rowsReader{}, onRecord: func(r *Record) { taken[string(r.Status)] = true }}
	suite.OK(t, w.removeCrashed())
	for i, c := range recordCases {
		if _, err := os.Stat(s.path(specs[i].Key)); (err == nil) != (c.record != nil && !c.out) {
			t.Errorf("%s: its file: %v", c.name, err)
		}
	}
	suite.OK(t, w.collect(array))
	open := map[string]bool{}
	for _, spec := range w.open {
		open[spec.Key] = true
	}
	for i, c := range recordCases {
		if got := slices.Contains(missing, i); got == c.result {
			t.Errorf("%s: the point is missing: %t", c.name, got)
		}
		if open[specs[i].Key] == c.is {
			t.Errorf("%s: a watch waits for it: %t", c.name, open[specs[i].Key])
		}
	}
	if !taken[string(Done)] || !taken[string(Failed)] || !taken[string(Crashed)] {
		t.Errorf("records taken: %v", taken)
	}
	if r, err := os.ReadFile(s.path(specs[1].Key)); err != nil || decode(r) == nil || decode(r[:len(r)-2]) != nil || decode(bytes.Replace(r, []byte("in"), []byte("on"), 1)) != nil {
		t.Errorf("a record that is cut or changed is one: %v", err)
	}
}

// The last array of an experiment is the last that was noted as a whole.
func TestLastSubmission(t *testing.T) {
	l := &Array{ArraySetup: ArraySetup{dir: t.TempDir()}}
	if s, err := l.last(); s != nil || err != nil {
		t.Errorf("none was noted: %v, %v", s, err)
	}
	for _, name := range []string{"a", "b"} {
		suite.OK(t, l.note(&submission{Name: name, Tasks: 3}))
		if s, err := l.last(); err != nil || s == nil || s.Name != name || s.Tasks != 3 {
			t.Errorf("after %s: %+v, %v", name, s, err)
		}
	}
	file := filepath.Join(l.dir, submissionFile)
	text := suite.Must(os.ReadFile(file))(t)
	suite.OK(t, os.WriteFile(file, text[:len(text)-4], 0o666))
	if s, err := l.last(); s != nil || err != nil {
		t.Errorf("one that is written by half: %v, %v", s, err)
	}
}

// The point that runs again is drawn from the middle third, by cycles, of the finished points with unchanged inputs.
func TestProbeOfSavedRows(t *testing.T) {
	s := &Saved{plan: &Plan{}, lines: map[int][]string{}, names: []string{"inputs", "status", "cycles"}}
	for i, line := range [][]string{{"in", "done", "500"}, {"in", "done", "40"}, {"in", "failed", "3"}, {"old", "done", "4"}, nil, {"in", "done", "40"}, {"in", "done", ""}} {
		s.plan.Specs = append(s.plan.Specs, Spec{Inputs: "in"})
		if line != nil {
			s.lines[i] = line
		}
	}
	drawn := map[int]int{}
	for seed := range uint64(50) {
		drawn[s.probe(seed)]++
		if a, b := s.probe(seed), s.probe(seed); a != b {
			t.Errorf("seed %d: points %d and %d, want one", seed, a, b)
		}
	}
	if len(drawn) != 2 || drawn[1] == 0 || drawn[5] == 0 {
		t.Errorf("drawn %v, want the points 1 and 5 of middle cost", drawn)
	}
	delete(s.lines, 0)
	delete(s.lines, 1)
	delete(s.lines, 5)
	if got := s.probe(1); got != 6 {
		t.Errorf("point %d, want the only one that is done", got)
	}
	delete(s.lines, 6)
	if got := s.probe(1); got != -1 {
		t.Errorf("point %d of none", got)
	}
}

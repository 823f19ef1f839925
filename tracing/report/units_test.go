package report

import (
	"strings"
	"testing"

	"spvsim/tracing/profile"
)

// Each timed unit of the statistics is a mark with its stratum's shape at its predicted and timed cost; a run without units has no figure.
func TestUnitsOfTheSample(t *testing.T) {
	p := &profile.Profile{Stats: []byte(`{"cycles": 9000, "estimate": {"units": [
		{"stratum": "a windows 1", "launch": 2, "workgroup": 64, "weight": 4, "instructions": 500, "predicted": 100, "timed": 1000},
		{"stratum": "a windows 1", "launch": 2, "workgroup": 256, "weight": 8, "instructions": 500, "predicted": 1000, "timed": 10000},
		{"stratum": "b launches 1", "launch": 3, "workgroup": 0, "weight": 1, "instructions": 500, "predicted": 10, "timed": 100},
		{"stratum": "b launches 2", "launch": 4, "workgroup": 0, "weight": 1, "instructions": 0, "predicted": 0, "timed": 100}]}}`)}
	f := sampleFigure(unitsOf(p))
	if f == nil {
		t.Fatal("no figure")
	}
	text := string(f.Wide)
	if strings.Count(text, "l0 mark") != 2 || strings.Count(text, "l1 mark") != 1 || len(f.Keys) != 2 || f.Keys[1].Name != "b launches 1" {
		t.Errorf("keys %+v in %s", f.Keys, text)
	}
	pl := newPlot(wide, min(wide*0.62, 430), "")
	for place, title := range map[[2]float64]string{ // shares of the axes, of 10 to 1000 and of 100 to 10000
		{0.5, 0.5}: "a windows 1: launch 2, workgroup 64, of 4 units; 100 cycles predicted, 1k timed",
		{0, 0}:     "b launches 1: launch 3, workgroup 0, of 1 units; 10 cycles predicted, 100 timed",
	} {
		at := "translate(" + num(pl.x(place[0])) + " " + num(pl.y(place[1])) + ")"
		if from, _, found := strings.Cut(text, title); !found || !strings.Contains(from[strings.LastIndex(from, "<path"):], at) {
			t.Errorf("%q is not at %s: %s", title, at, text)
		}
	}
	for _, stats := range []string{`{"cycles": 9000}`, `{"estimate": {"cycles": 3}}`, ``} {
		if f := sampleFigure(unitsOf(&profile.Profile{Stats: []byte(stats)})); f != nil {
			t.Errorf("%q: %s", stats, f.Title)
		}
	}
}

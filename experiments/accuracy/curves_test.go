package main

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"spvsim/config"
	"spvsim/internal/suite"
)

// Both runs of each series load, and the second does more work.
func TestCurvesLoad(t *testing.T) {
	for _, c := range suite.Must(readTable[[]*curve]("curves.yaml"))(t) {
		x := 64.0
		if len(c.At) > 0 {
			x = c.At[0]
		}
		for series := range c.Series {
			p := suite.Must(c.point(series, x, "1"))(t)
			_, few, err := p.pair.load(p.job, slices.Concat(p.settings, p.pair.few))
			suite.OK(t, err)
			_, many, err := p.pair.load(p.job, slices.Concat(p.settings, p.pair.many))
			suite.OK(t, err)
			if !(few >= 0) || !(many > few) {
				t.Errorf("%s: %v and %v of work", p.name(), few, many)
			}
		}
	}
}

// A row that ends early is left out, columns are found by name, and a value in the first cache is the latency of the machine's description.
func TestCurvePoints(t *testing.T) {
	dir := t.TempDir()
	c := curve{File: "chase", X: "kb", At: []float64{4, 8}, Unit: "cycles", Job: "micro-chase", Work: "256 * rounds",
		Set:    map[string]string{"machine": "rdna2-rx6900xt", "parameters.bytes": "x * 1024", "parameters.before": "96"},
		Few:    map[string]string{"parameters.rounds": "0"},
		Many:   map[string]string{"parameters.rounds": "1"},
		Series: map[string]map[string]string{"cycles": {}}}
	write := func(text string) {
		suite.OK(t, os.WriteFile(filepath.Join(dir, "chase.csv"), []byte(text), 0o644))
	}
	write("cycles,kb\n100,2\n200,4\n8\n")
	points := suite.Must(c.points(dir))(t)
	if len(points) != 1 || points[0].name() != "chase cycles 4" || points[0].microseconds != 200 {
		t.Fatalf("%+v", points)
	}
	r := simulate(t.Context(), &points[0], nil, time.Minute)
	m := suite.Must(config.Preset("rdna2-rx6900xt"))(t)
	want := float64(m.Timing.Classes["vmem"].Latency + m.VectorL1.LatencyCycles)
	if r.err != nil || math.Abs(r.simulated-want) > 8 || r.ratio() != r.simulated/200 {
		t.Errorf("%v cycles, %v: want %v", r.simulated, r.err, want)
	}
	for _, text := range []string{"", "kb,ns\n4,1\n", "kb,cycles\n4,none\n"} {
		write(text)
		if _, err := c.points(dir); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}

// Two windows of a stream begin at the same workgroup, and differ by what is between their ends.
func TestWindow(t *testing.T) {
	w := window{From: 1000, Few: 64, Many: 320}
	few, many := w.of(w.Few, 32), w.of(w.Many, 32)
	if got := few["time"] + many["time"] + few["parameters.groups"] + many["parameters.groups"]; got != "{workgroups: [31, 32]}{workgroups: [31, 40]}3341" {
		t.Error(got)
	}
}

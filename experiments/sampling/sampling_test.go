package main

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"spvsim/internal/suite"
)

// A seed determines a workload, and all kinds are drawn.
func TestWorkloadSeedDeterminism(t *testing.T) {
	for seed := range uint64(len(forms)) {
		a, b := newWorkload(seed), newWorkload(seed)
		if a.kind != forms[seed].name || a.text() != b.text() || a.graphText != b.graphText {
			t.Errorf("seed %d: %s, or another the second time", seed, a.kind)
		}
		if _, err := a.job(); err != nil {
			t.Errorf("seed %d (%s): %v", seed, a.kind, err)
		}
	}
}

// Sampling keys apply to the job, including one with a graph, and invalid ones are refused.
func TestSamplingKeys(t *testing.T) {
	for _, seed := range []uint64{0, uint64(len(forms) - 1)} {
		w := newWorkload(seed)
		w.sampling = "pieces: 96, seed: 7"
		if j, err := w.job(); err != nil || j.Sampling.Pieces != 96 || j.Sampling.Seed != 7 {
			t.Errorf("%s: %v", w.kind, err)
		}
	}
	if err := run([]string{"-n", "1", "-sampling", "parts: 3"}, new(bytes.Buffer)); err == nil || !strings.Contains(err.Error(), "parts") {
		t.Error(err)
	}
}

// If a few of many launches are hot, the interval of a sampled run contains the true time, and a second run gives the
// same interval.
func TestSamplingHotLaunches(t *testing.T) {
	w := &workload{kind: "hot", machine: "rdna3-780m"}
	plain := behaviour{rounds: 2, arithmetic: 8, loads: 1, span: 4095, stride: 1, atomics: 1, bins: 65535, bank: 1}
	hot := plain
	hot.bins = 0
	w.behaviourOf = []uint32{w.row(plain), w.row(hot)}
	for i := range 48 {
		first := 0
		if i%16 == 5 {
			first = 1
		}
		w.list = append(w.list, workloadLaunch{40, first, 0})
	}
	r := suite.Must(measure(context.Background(), w, nil, false))(t)
	again := suite.Must(measure(context.Background(), w, &r, false))(t)
	if !r.covers() || r.half() > 0.1 || r.timedShare > 0.5 {
		t.Error(r.text(false))
	}
	if r.estimate != again.estimate || r.low != again.low || r.high != again.high {
		t.Errorf("once %g to %g, then %g to %g", r.low, r.high, again.low, again.high)
	}
}

// Rows are read as they were written, and invalid ones are refused.
func TestRowsRoundTrip(t *testing.T) {
	r := row{seed: 3, kind: "skew", instructions: 10, cycles: 100, seconds: 1.5, estimate: 98, low: 90, high: 110, timedShare: 0.25, sampled: 0.5}
	seed, got, err := parseRow(r.record())
	if err != nil || seed != 3 || got != r || !got.covers() {
		t.Errorf("%+v, %v", got, err)
	}
	timed := pair{seed: 4, kind: "saxpy", ratio: 1.25, seconds: 2.5}
	if seed, got, err := parsePair(timed.record()); err != nil || seed != 4 || got != timed {
		t.Errorf("%+v, %v", got, err)
	}
	if _, _, err := parsePair(r.record()); err == nil || !strings.Contains(err.Error(), "13 columns: want 11") {
		t.Error(err)
	}
	record := r.record()
	record[3] = "many"
	if _, _, err := parseRow(record); err == nil || !strings.Contains(err.Error(), `cycles: found "many"`) {
		t.Error(err)
	}
	var b bytes.Buffer
	if err := run([]string{"-n", "0"}, &b); err != nil || b.String() != "no workload was sampled\n" {
		t.Errorf("%q, %v", &b, err)
	}
	if got := summaryOf([]row{{seconds: 1.5}, {seconds: 2}}, true); got != "2 timed, 3.5 s of the host's processor" {
		t.Error(got)
	}
	if got := r.text(true); strings.Contains(got, "OUTSIDE") || strings.Contains(got, "ratio") {
		t.Error(got)
	}
}

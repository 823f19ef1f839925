package main

import (
	"bytes"
	"strings"
	"testing"
)

// The table and the statistics are equal for any number of runs at a time.
func TestWhatIfThreads(t *testing.T) {
	var first string
	for _, threads := range []string{"1", "3"} {
		var out, stderr bytes.Buffer
		args := []string{"run", "transpose-plain", "--what-if", "all", "--what-if", "{wide: {lds.banks: 64}}", "--what-if", "wide+launches", "--threads", threads, "--stats", "-", "--stats-host=false"}
		if status := Main(args, nil, &out, &stderr); status != exitDone {
			t.Fatalf("exit %d: %s", status, stderr.String())
		}
		if first == "" {
			first = out.String()
		}
		if out.String() != first {
			t.Errorf("%s threads: other statistics", threads)
		}
	}
	for _, want := range []string{`"what_if"`, `"wide+launches"`, `"settings": "lds.conflict_cycles=0"`} {
		if !strings.Contains(first, want) {
			t.Errorf("the statistics have no %s", want)
		}
	}
}

// A setting that a machine refuses, a wrong name and a functional run are refused before the run.
func TestWhatIfRefusals(t *testing.T) {
	for _, c := range []struct{ text, mode, want string }{
		{"{a: {lds.bank: 3}}", "timed", "a: "},
		{"conflict", "timed", "nearest: conflicts"},
		{"conflicts", "functional", "want mode timed or sampled"},
	} {
		var out, stderr bytes.Buffer
		if status := Main([]string{"run", "saxpy", "--mode", c.mode, "--what-if", c.text}, nil, &out, &stderr); status != exitBadInput || !strings.Contains(stderr.String(), c.want) || out.Len() > 0 {
			t.Errorf("%s: exit %d, %q, printed %d bytes: want 2 and %q", c.text, status, stderr.String(), out.Len(), c.want)
		}
	}
}

// A report of a job has the machines at its head; a saved profile is not run again.
func TestWhatIfReport(t *testing.T) {
	var out, stderr bytes.Buffer
	if status := Main([]string{"report", "transpose-plain", "--what-if", "conflicts,launches", "--out", "-"}, nil, &out, &stderr); status != exitDone {
		t.Fatalf("exit %d: %s", status, stderr.String())
	}
	for _, want := range []string{"What if", "lds.conflict_cycles=0 (1)", "passes over the LDS are for bank conflicts", "Gains do not add up", "Percent of peak"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if status := Main([]string{"report", "old.json", "--what-if", "all"}, nil, &out, &stderr); status != exitBadInput || !strings.Contains(stderr.String(), "not run again") {
		t.Errorf("exit %d: %s", status, stderr.String())
	}
}

// A machine on which the run fails is named, and the exit status is 1: here it takes more cycles than the command allows. The others have their results.
func TestWhatIfFailure(t *testing.T) {
	var out, stderr bytes.Buffer
	args := []string{"run", "saxpy", "--max-cycles", "20000", "--what-if", "{slow: {memory.latency_cycles: 90000}}", "--what-if", "latency"}
	if status := Main(args, nil, &out, &stderr); status != exitFailed || !strings.Contains(stderr.String(), "what-if slow: cycle limit reached") {
		t.Errorf("exit %d: %s", status, stderr.String())
	}
	if strings.Contains(out.String(), "slow") || !strings.Contains(out.String(), "\nlatency ") {
		t.Errorf("the table has the machine that failed, or not the other:\n%s", out.String())
	}
}

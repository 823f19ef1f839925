package main_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"spvsim/config"
	"spvsim/gpu"
	"spvsim/internal/suite"
)

// captures are programs whose dispatches are captured: alone, or in whole submissions.
var captures = []struct {
	program, choice string
	whole           bool
	least           int    // rows that name a job
	not             string // the driver's message for work that can't be captured
}{
	{program: "dispatch", choice: "*", least: 10},
	{program: "dispatch", choice: "*", whole: true, least: 10},
	{program: "addresses", choice: "*", least: 1},
	{program: "descriptors", choice: "*:4", least: 8},
	{program: "descriptors", choice: "main*:4", whole: true, least: 8},
	{program: "images", choice: "*", least: 4, not: "a job has images only as they are in memory"},
	{program: "images", choice: "*", whole: true, least: 6, not: "a job has images only as they are in memory"},
	{program: "graph", choice: "*", least: 4, not: "nothing is handed to it"},
	{program: "graph", choice: "*", whole: true, least: 4, not: "a job has"},
	{program: "queries", choice: "*", whole: true, least: 2, not: "a job has no queries"},
	{program: "secondary", choice: "*", whole: true, least: 4},
}

// Captured work runs again as jobs with the same bytes and cycles as in the program, which continues with the jobs'
// results.
func TestCapturedWorkRepeats(t *testing.T) {
	t.Parallel()
	b := needTools(t)
	for _, one := range captures {
		t.Run(fmt.Sprintf("%s whole=%v", one.program, one.whole), func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			rows := filepath.Join(folder, "rows.csv")
			c := b.command(b.build(t, one.program))
			c.Env = append(b.environment(""), "SPVSIM_RECORD="+rows, "SPVSIM_CAPTURE="+folder, "SPVSIM_SELECT="+one.choice)
			if one.whole {
				c.Env = append(c.Env, "SPVSIM_WHOLE=1")
			}
			out, err := c.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, tail(out))
			}
			for line := range strings.Lines(string(out)) {
				if strings.Contains(line, "not captured") && (one.not == "" || !strings.Contains(line, one.not)) {
					t.Error(strings.TrimSpace(line))
				}
			}
			files, count := capturedRows(t, rows)
			if count < one.least {
				t.Errorf("%d rows name a job, want at least %d", count, one.least)
			}
			for file, cycles := range files {
				replay(t, filepath.Join(folder, file), cycles)
			}
		})
	}
}

// capturedRows adds up the cycles of rows by the file that they were captured to, and counts these rows.
func capturedRows(t *testing.T, path string) (files map[string]uint64, count int) {
	t.Helper()
	columns, rows := suite.Rows(t, path)
	files = map[string]uint64{}
	file, cycles := slices.Index(columns, "captured"), slices.Index(columns, "cycles")
	for _, row := range rows {
		if row[file] == "" {
			continue
		}
		n := suite.Must(strconv.ParseUint(row[cycles], 10, 64))(t)
		files[row[file]] += n
		count++
	}
	return files, count
}

// runJob runs a job, whose expectations are to hold.
func runJob(t *testing.T, file string) (*config.Job, *gpu.Result) {
	t.Helper()
	job := suite.Must(config.LoadJob(nil, file))(t)
	m := suite.Must(config.LoadMachine(config.Request{Job: job}))(t)
	result, err := gpu.Run(context.Background(), gpu.Setup{Machine: m, Job: job})
	if err != nil {
		t.Fatalf("%s: %v", filepath.Base(file), err)
	}
	return job, result
}

// replay runs a captured job, whose expectations are the program's results.
func replay(t *testing.T, file string, cycles uint64) {
	t.Helper()
	job, result := runJob(t, file)
	if got := result.Stats.Counts.Cycles; got != cycles || len(job.Expect) == 0 {
		t.Errorf("%s: %d cycles, in the program %d; %d expectations", filepath.Base(file), got, cycles, len(job.Expect))
	}
}

// An experiment can have a captured submission as its base: its points run the program's work on other machines.
func TestAnExperimentOverACapture(t *testing.T) {
	t.Parallel()
	b := needTools(t)
	folder := t.TempDir()
	c := b.command(b.build(t, "dispatch"), "in_order")
	c.Env = append(b.environment(""), "SPVSIM_CAPTURE="+folder, "SPVSIM_WHOLE=1", "SPVSIM_MODE=functional")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, tail(out))
	}
	const text = "job: 0001.yaml\naxes:\n  machine: [rdna3-rx7900xtx, rdna2-rx6800xt]\n  clock: {path: machine.clock_mhz, values: [1000, 2000]}\n"
	file := filepath.Join(folder, "experiment.yaml")
	suite.OK(t, os.WriteFile(file, []byte(text), 0o666))
	e := suite.Must(config.LoadExperiment(nil, file))(t)
	points, err := e.Points(false)
	if err != nil || len(points) != 4 {
		t.Fatalf("%d points, %v", len(points), err)
	}
	files := &config.Files{Dir: folder}
	var digests []string
	for i := range points {
		run := suite.Must(files.Load(e.Job, points[i].Settings))(t)
		result := suite.Must(gpu.Run(context.Background(), gpu.Setup{Machine: run.Machine, Job: run.Job}))(t)
		if len(result.Stats.Steps) < 2 || result.Stats.Counts.Cycles == 0 {
			t.Errorf("point %d: %d steps, %d cycles", i, len(result.Stats.Steps), result.Stats.Counts.Cycles)
		}
		digests = append(digests, run.Inputs)
	}
	if slices.Sort(digests); len(slices.Compact(digests)) != 4 {
		t.Error("points of different machines are one")
	}
}

package docs_test

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"spvsim/internal/suite"
)

// A sampledJob is a row of the comparison of sampled runs with full ones.
type sampledJob struct {
	job                                  string
	instructions, cycles, seconds        float64
	estimate, low, high, share, hostTime float64
}

func (s *sampledJob) err() float64  { return s.estimate/s.cycles - 1 }
func (s *sampledJob) inside() bool  { return s.low <= s.cycles && s.cycles <= s.high }
func (s *sampledJob) half() float64 { return (s.high - s.low) / 2 / s.estimate }

func (s *sampledJob) row() string {
	inside := "yes"
	if !s.inside() {
		inside = "no"
	}
	return fmt.Sprintf("| `%s` | %.1f M | %.2f %% | %.1f %% | %s | %.1f %% | %.1f | %.1f | %.2f |", s.job, s.instructions/1e6, 100*s.err(),
		100*s.half(), inside, 100*s.share, s.seconds, s.hostTime, s.hostTime/s.seconds)
}

// sampledRows are the rows of a committed table, without its names.
func sampledRows(t *testing.T, name string) [][]string {
	t.Helper()
	_, rows := suite.Rows(t, "../experiments/sampling/"+name)
	return rows
}

func sampledJobs(t *testing.T) (jobs []sampledJob) {
	t.Helper()
	for _, row := range sampledRows(t, "results.csv") {
		var n [8]float64
		for i := range n {
			var err error
			if n[i], err = strconv.ParseFloat(row[i+1], 64); err != nil {
				t.Fatal(err)
			}
		}
		jobs = append(jobs, sampledJob{row[0], n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7]})
	}
	return jobs
}

// summed is how many jobs the sum counts: not the last two, a graph whose order decides what there is to do and a single large launch.
const summed = 12

// The page's table of sampled runs is that of the committed figures, and what it says of them together follows from them.
func TestSampledFigures(t *testing.T) {
	page, err := os.ReadFile("modes.md")
	if err != nil {
		t.Fatal(err)
	}
	var table []string
	var sum, worst, ratio, sampled, full, most float64
	inside, jobs := 0, sampledJobs(t)
	for i := range jobs {
		s := &jobs[i]
		table = append(table, s.row())
		if i >= summed {
			continue
		}
		sum, worst, ratio = sum+math.Abs(s.err()), max(worst, math.Abs(s.err())), ratio+math.Log(s.hostTime/s.seconds)
		sampled, full, most = sampled+s.hostTime, full+s.seconds, max(most, s.hostTime/s.seconds)
		if s.inside() {
			inside++
		}
	}
	n := float64(summed)
	for _, want := range []string{strings.Join(table, "\n"), fmt.Sprintf("The error of the first twelve is %.2f %% in the mean and %.2f %% at worst, the true time inside the interval in %d of %d, "+
		"and the host's time %.3f of the full run's (geometric mean; %.3f of all twelve together, %.3f at most).", 100*sum/n, 100*worst, inside, summed, math.Exp(ratio/n), sampled/full, most)} {
		if !strings.Contains(string(page), want) {
			t.Errorf("modes.md has not:\n%s", want)
		}
	}
}

// What the page says of the random workloads is what their rows come to.
func TestCoverage(t *testing.T) {
	page, err := os.ReadFile("modes.md")
	if err != nil {
		t.Fatal(err)
	}
	inside, logs, worst := 0, 0.0, 0.0
	var halves []float64
	for _, row := range sampledRows(t, "coverage.csv") {
		var n [7]float64 // cycles to sampled_seconds
		for i := range n {
			if n[i], err = strconv.ParseFloat(row[i+3], 64); err != nil {
				t.Fatal(err)
			}
		}
		if n[3] <= n[0] && n[0] <= n[4] {
			inside++
		}
		halves = append(halves, (n[4]-n[3])/2/n[2])
		logs, worst = logs+math.Log(n[6]/n[1]), max(worst, n[6]/n[1])
	}
	slices.Sort(halves)
	all := len(halves)
	want := fmt.Sprintf("Of %d random workloads, the true time was in the interval of %d (%.0f %%).\nHalf the interval is %.1f %% in the median.\nThe host's time was %.2f of the full run's (geometric mean; %.2f at most).",
		all, inside, 100*float64(inside)/float64(all), 100*halves[all/2], math.Exp(logs/float64(all)), worst)
	if !strings.Contains(string(page), want) {
		t.Errorf("modes.md has not:\n%s", want)
	}
}

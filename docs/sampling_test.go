package docs_test

import (
	"fmt"
	"maps"
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
	page := suite.Must(os.ReadFile("guide/modes.md"))(t)
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
	for _, want := range []string{strings.Join(table, "\n"), fmt.Sprintf("The first twelve: mean error %.2f %%, max %.2f %%; true time inside the interval in %d of %d; "+
		"host time %.3f of the full run (geometric mean; %.3f of all twelve together, max %.3f).", 100*sum/n, 100*worst, inside, summed, math.Exp(ratio/n), sampled/full, most)} {
		if !strings.Contains(string(page), want) {
			t.Errorf("guide/modes.md has not:\n%s", want)
		}
	}
}

// A coverageRow is one random workload, timed and sampled.
type coverageRow struct {
	seed                                            int
	kind                                            string
	cycles, seconds, estimate, low, high, hostRatio float64
}

func (r *coverageRow) inside() bool  { return r.low <= r.cycles && r.cycles <= r.high }
func (r *coverageRow) half() float64 { return (r.high - r.low) / 2 / r.estimate }
func (r *coverageRow) err() float64  { return r.estimate/r.cycles - 1 }

func coverageRows(t *testing.T, name string) (list []coverageRow) {
	t.Helper()
	for _, row := range sampledRows(t, name) {
		var n [7]float64 // cycles to sampled_seconds
		for i := range n {
			var err error
			if n[i], err = strconv.ParseFloat(row[i+3], 64); err != nil {
				t.Fatal(err)
			}
		}
		seed := suite.Must(strconv.Atoi(row[0]))(t)
		list = append(list, coverageRow{seed, row[1], n[0], n[1], n[2], n[3], n[4], n[6] / n[1]})
	}
	return list
}

// quantile returns the value below which a share of the rows lies.
func quantile(rows []coverageRow, share float64, of func(*coverageRow) float64) float64 {
	var list []float64
	for i := range rows {
		list = append(list, of(&rows[i]))
	}
	slices.Sort(list)
	return list[int(share*float64(len(list)))]
}

// counted returns how many rows there are, how many of them have the true time inside, and the percentage.
func counted(rows []coverageRow) (all, inside int, percent float64) {
	for i := range rows {
		if rows[i].inside() {
			inside++
		}
	}
	return len(rows), inside, 100 * float64(inside) / float64(len(rows))
}

// What the page says of the random workloads is computed from their rows.
func TestCoverage(t *testing.T) {
	page := suite.Must(os.ReadFile("guide/modes.md"))(t)
	rows := coverageRows(t, "coverage.csv")
	logs, worst := 0.0, 0.0
	kinds := map[string][]coverageRow{}
	var deciding, others []coverageRow
	for _, r := range rows {
		logs, worst = logs+math.Log(r.hostRatio), max(worst, r.hostRatio)
		kinds[r.kind] = append(kinds[r.kind], r)
		if r.seed < 3000 {
			deciding = append(deciding, r)
		} else {
			others = append(others, r)
		}
	}
	size := func(r *coverageRow) float64 { return 100 * math.Abs(r.err()) }
	half := func(r *coverageRow) float64 { return 100 * r.half() }
	table := "| kind | workloads | half-width | outside, with the error of the estimate |\n| --- | --- | --- | --- |\n"
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		var outside []string
		for _, r := range kinds[kind] {
			if !r.inside() {
				outside = append(outside, fmt.Sprintf("%+.1f %%", 100*r.err()))
			}
		}
		table += fmt.Sprintf("| %s | %d | %.1f %% | %s |\n", kind, len(kinds[kind]), quantile(kinds[kind], 0.5, half), strings.Join(outside, ", "))
	}
	all, inside, percent := counted(rows)
	dAll, dInside, dPercent := counted(deciding)
	oAll, oInside, oPercent := counted(others)
	for _, want := range []string{
		fmt.Sprintf("Of %d random workloads, %d (%.0f %%) had the true time in their interval.\nThe half-width is %.1f %% (median).\nHost time is %.2f of the full run (geometric mean; max %.2f).",
			all, inside, percent, quantile(rows, 0.5, half), math.Exp(logs/float64(all)), worst),
		fmt.Sprintf("The error of the estimate: median %.1f %%, p75 %.1f %%, p90 %.1f %%.", quantile(rows, 0.5, size), quantile(rows, 0.75, size), quantile(rows, 0.9, size)),
		fmt.Sprintf("Of these %d workloads, %d (%.0f %%) had the true time in their interval.", dAll, dInside, dPercent),
		fmt.Sprintf("The other %d decided little: 47 were inspected once, in an earlier version. Of them, %d (%.0f %%) had it.", oAll, oInside, oPercent),
		table,
	} {
		if !strings.Contains(string(page), want) {
			t.Errorf("guide/modes.md has not:\n%s", want)
		}
	}
}

// What the page of the estimator says of drawn jobs of the library follows from the committed rows.
func TestSampledLibraryJobs(t *testing.T) {
	page := string(suite.Must(os.ReadFile("model/sampling.md"))(t))
	all := coverageRows(t, "library.csv")
	var rows []coverageRow
	energies, counters, inside := 0, 0, 0
	for i, row := range sampledRows(t, "library.csv") {
		if share := suite.Must(strconv.ParseFloat(row[8], 64))(t); share >= 0.5 {
			continue
		}
		rows = append(rows, all[i])
		if row[10] == "inside" {
			energies++
		}
		counters, inside = counters+suite.Must(strconv.Atoi(row[11]))(t), inside+suite.Must(strconv.Atoi(row[12]))(t)
	}
	n, held, percent := counted(rows)
	share := func(r *coverageRow) float64 { return math.Abs(r.err()) / r.half() * r.cycles / r.estimate }
	for _, want := range []string{
		fmt.Sprintf("Of %d drawn jobs, less than half was timed in %d.", len(all), n),
		fmt.Sprintf("The interval of cycles holds in %d of them (%.0f %%), that of energy in %d, and %d of %d of counters (%.0f %%).", held, percent, energies, inside, counters,
			100*float64(inside)/float64(counters)),
		fmt.Sprintf("The half-width is %.1f %% (median), the error over half-width %.2f, %.2f and %.2f (p50, p75, p90)", 100*quantile(rows, 0.5, (*coverageRow).half), quantile(rows, 0.5, share),
			quantile(rows, 0.75, share), quantile(rows, 0.9, share)),
	} {
		if !strings.Contains(page, want) {
			t.Errorf("model/sampling.md: want %q", want)
		}
	}
}

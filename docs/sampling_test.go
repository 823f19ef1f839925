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

// sampledRows are the rows of a committed table, without its names.
func sampledRows(t *testing.T, name string) [][]string {
	t.Helper()
	_, rows := suite.Rows(t, "../experiments/sampling/"+name)
	return rows
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

// What the page of the estimator says of drawn jobs of the library follows from the committed rows.
func TestSampledLibraryJobs(t *testing.T) {
	page := string(suite.Must(os.ReadFile("guide/modes.md"))(t))
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
	logs := 0.0
	for i := range rows {
		logs += math.Log(rows[i].hostRatio)
	}
	for _, want := range []string{
		fmt.Sprintf("Host time is %.2f of the timed run (geometric mean; max %.2f).", math.Exp(logs/float64(n)), quantile(rows, 0.9999, func(r *coverageRow) float64 { return r.hostRatio })),
		fmt.Sprintf("Of %d drawn jobs, less than half was timed in %d.", len(all), n),
		fmt.Sprintf("The interval of cycles holds in %d of them (%.0f %%), that of energy in %d, and %d of %d of counters (%.0f %%).", held, percent, energies, inside, counters,
			100*float64(inside)/float64(counters)),
		fmt.Sprintf("The half-width is %.1f %% (median), the error over half-width %.2f, %.2f and %.2f (p50, p75, p90)", 100*quantile(rows, 0.5, (*coverageRow).half), quantile(rows, 0.5, share),
			quantile(rows, 0.75, share), quantile(rows, 0.9, share)),
	} {
		if !strings.Contains(page, want) {
			t.Errorf("guide/modes.md: want %q", want)
		}
	}
}

// What the page says of pairs of machines follows from the committed rows.
func TestSampledPairs(t *testing.T) {
	page := string(suite.Must(os.ReadFile("guide/modes.md"))(t))
	rows := sampledRows(t, "pairs.csv")
	n, inside, wrong := 0, 0, 0
	var narrowing []float64
	for _, row := range rows {
		var x [7]float64 // ratio, estimate, low, high, half_width, other_half_width, timed_share
		for i := range x {
			x[i] = suite.Must(strconv.ParseFloat(row[i+2], 64))(t)
		}
		if x[6] >= 0.5 || min(x[4], x[5]) == 0 {
			continue
		}
		n++
		if x[2] <= x[0] && x[0] <= x[3] {
			inside++
		}
		if x[2] > 1 && x[0] < 1 || x[3] < 1 && x[0] > 1 {
			wrong++
		}
		narrowing = append(narrowing, math.Log(x[3]/x[2])/2/min(x[4], x[5]))
	}
	slices.Sort(narrowing)
	want := fmt.Sprintf("Of %d drawn pairs of machines that differ in one key, less than half was timed in %d. The interval of the ratio holds in %d of them, and %d have the wrong sign; its half-width is %.2f of the smaller one of the two machines' (median).",
		len(rows), n, inside, wrong, narrowing[n/2])
	if !strings.Contains(page, want) {
		t.Errorf("guide/modes.md: want %q", want)
	}
}

package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"spvsim/account"
	"spvsim/config"
	"spvsim/gpu"
	"spvsim/internal/bounds"
)

// A row is a workload with its timed and its sampled run.
type row struct {
	seed                uint64
	kind                string
	instructions        uint64
	cycles              uint64
	seconds             float64 // of the host's processor
	estimate, low, high float64 // cycles
	timedShare          float64 // of the instructions that were timed
	sampled             float64 // seconds
	energy              string  // inside or outside of its interval; empty: there is none
	counters, held      int     // that have an interval, and of which it holds the true number
}

var columns = []string{"seed", "kind", "instructions", "cycles", "seconds", "estimate", "low", "high", "timed_share", "sampled_seconds", "energy", "counters", "counters_inside"}

func (r *row) covers() bool   { return r.low <= float64(r.cycles) && float64(r.cycles) <= r.high }
func (r *row) err() float64   { return r.estimate/float64(r.cycles) - 1 }
func (r *row) half() float64  { return (r.high - r.low) / 2 / r.estimate }
func (r *row) ratio() float64 { return r.sampled / r.seconds }

// text formats the row for a reader; only: it was only run timed.
func (r *row) text(only bool) string {
	if only {
		return fmt.Sprintf("%4d %-18s %8.2f M %10d cycles %6.2f s", r.seed, r.kind, float64(r.instructions)/1e6, r.cycles, r.seconds)
	}
	mark := ""
	if !r.covers() {
		mark = "  OUTSIDE"
	}
	return fmt.Sprintf("%4d %-18s %8.2f M %10d cycles %7.2f %% +- %5.2f %% timed %5.1f %% %6.2f s ratio %.3f%s", r.seed, r.kind, float64(r.instructions)/1e6, r.cycles, 100*r.err(),
		100*r.half(), 100*r.timedShare, r.seconds, r.ratio(), mark)
}

func (r *row) record() []string {
	return []string{fmt.Sprint(r.seed), r.kind, fmt.Sprint(r.instructions), fmt.Sprint(r.cycles), fmt.Sprintf("%.3f", r.seconds), fmt.Sprintf("%.0f", r.estimate),
		fmt.Sprintf("%.0f", r.low), fmt.Sprintf("%.0f", r.high), fmt.Sprintf("%.4f", r.timedShare), fmt.Sprintf("%.3f", r.sampled), r.energy,
		fmt.Sprint(r.counters), fmt.Sprint(r.held)}
}

// numberOf parses a value of a column.
func numberOf(column, text string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, fmt.Errorf("%s: found %q: want a number", column, text)
	}
	return x, nil
}

func parseRow(record []string) (seed uint64, r row, err error) {
	if len(record) != len(columns) {
		return 0, r, fmt.Errorf("%d columns: want %d", len(record), len(columns))
	}
	number := func(i int) (x float64) {
		if err == nil {
			x, err = numberOf(columns[i], record[i])
		}
		return x
	}
	r = row{seed: uint64(number(0)), kind: record[1], instructions: uint64(number(2)), cycles: uint64(number(3)), seconds: number(4),
		estimate: number(5), low: number(6), high: number(7), timedShare: number(8), sampled: number(9), energy: record[10], counters: int(number(11)), held: int(number(12))}
	return r.seed, r, err
}

// measure runs a workload in both modes; known, if not nil, has its timed run, without its counters. only: run it timed only. A sampled run
// that timed everything is not run again.
func measure(ctx context.Context, w *workload, known *row, only bool) (r row, err error) {
	r.seed, r.kind = w.seed, w.kind
	var c *account.Counts
	var m *config.Machine
	if !only {
		if c, m, r.sampled, err = runIn(ctx, w, config.ModeSampled); err != nil {
			return r, err
		}
		r.estimate, r.timedShare = float64(c.Cycles), c.TimedShare()
		r.low, r.high = c.Interval()
	}
	switch timed := c; {
	case known != nil:
		r.instructions, r.cycles, r.seconds = known.instructions, known.cycles, known.seconds
	case c != nil && c.Estimate == nil:
		r.instructions, r.cycles, r.seconds = c.Instructions(), c.Cycles, r.sampled
	default:
		if timed, _, r.seconds, err = runIn(ctx, w, config.ModeTimed); err != nil {
			return r, err
		}
		if r.instructions, r.cycles = timed.Instructions(), timed.Cycles; !only {
			r.compare(c, timed, m)
		}
	}
	return r, nil
}

// compare counts the intervals of counters, and of energy, that hold what the timed run has.
func (r *row) compare(c, timed *account.Counts, m *config.Machine) {
	var truth []float64
	timed.EachTimed(func(_ string, n *uint64) { truth = append(truth, float64(*n)) })
	i := 0
	c.EachTimed(func(_ string, n *uint64) {
		if truth[i] > 0 {
			if r.counters++; math.Abs(float64(*n)-truth[i]) <= c.Estimate.Halves[i].Half+0.5 {
				r.held++
			}
		}
		i++
	})
	if e := m.Energies(); e.HasTable() {
		if r.energy = "outside"; math.Abs(e.Compute(c).Total()-e.Compute(timed).Total()) <= c.Estimate.JoulesHalf {
			r.energy = "inside"
		}
	}
}

// runIn runs a workload, and returns what it counted, its machine and the processor time that it took, including its start.
func runIn(ctx context.Context, w *workload, mode string) (*account.Counts, *config.Machine, float64, error) {
	begin := bounds.Processor()
	job, err := w.job()
	if err != nil {
		return nil, nil, 0, err
	}
	machine, err := config.LoadMachine(config.Request{Job: job, Set: w.set})
	if err != nil {
		return nil, nil, 0, err
	}
	out, err := gpu.Run(ctx, gpu.Setup{Machine: machine, Job: job, Mode: mode, Threads: 1})
	if err != nil {
		return nil, nil, 0, err
	}
	return &out.Stats.Counts, machine, (bounds.Processor() - begin).Seconds(), nil
}

// longRun is the host time of timed runs whose savings are reported, in seconds.
const longRun = 5

// summaryOf reports, of runs of which less than half was timed, how often intervals contain the true values, their widths, the distribution of
// the error over the half-width beside that of a normal law, and the savings; for rows with time alone, the time.
func summaryOf(rows []row, only bool) string {
	var seconds float64
	var inside, energies, energiesInside, counters, countersInside int
	var halves, errors, ratios, long []float64
	for i := range rows {
		r := &rows[i]
		seconds += r.seconds
		if only || r.timedShare >= 0.5 {
			continue
		}
		halves, errors, ratios = append(halves, r.half()), append(errors, math.Abs(r.err()*float64(r.cycles))/(r.half()*r.estimate)), append(ratios, r.ratio())
		if r.seconds >= longRun {
			long = append(long, r.ratio())
		}
		if r.covers() {
			inside++
		}
		if r.energy != "" {
			energies++
		}
		if r.energy == "inside" {
			energiesInside++
		}
		counters, countersInside = counters+r.counters, countersInside+r.held
	}
	n := len(halves)
	switch {
	case only:
		return fmt.Sprintf("%d timed, %.1f s of the host's processor", len(rows), seconds)
	case n == 0:
		return "no workload was sampled"
	}
	slices.Sort(halves)
	slices.Sort(errors)
	return fmt.Sprintf("%d of %d timed by less than half: %d inside (%.1f %%), energy %d of %d, counters %d of %d (%.1f %%); half-width %.2f %% (median), error over half-width %.2f, %.2f and %.2f (p50, p75, p90; of a normal law 0.34, 0.59, 0.84)\n%s\n%s of timed runs of %d s and more",
		n, len(rows), inside, 100*float64(inside)/float64(n), energiesInside, energies, countersInside, counters, 100*float64(countersInside)/float64(max(counters, 1)),
		100*halves[n/2], errors[n/2], errors[n*3/4], errors[n*9/10], hostTimes(ratios), hostTimes(long), longRun)
}

// hostTimes words shares of the host time of timed runs.
func hostTimes(ratios []float64) string {
	if len(ratios) == 0 {
		return "no host time"
	}
	logs := 0.0
	for _, r := range ratios {
		logs += math.Log(r)
	}
	return fmt.Sprintf("host time %.2f (geometric mean of %d), %.2f at most", math.Exp(logs/float64(len(ratios))), len(ratios), slices.Max(ratios))
}

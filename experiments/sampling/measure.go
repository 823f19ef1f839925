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

func parseRow(record []string) (r row, err error) {
	if len(record) != len(columns) {
		return r, fmt.Errorf("%d columns: want %d", len(record), len(columns))
	}
	number := func(i int) (x float64) {
		if err == nil {
			if x, err = strconv.ParseFloat(record[i], 64); err != nil {
				err = fmt.Errorf("%s: found %q: want a number", columns[i], record[i])
			}
		}
		return x
	}
	r = row{seed: uint64(number(0)), kind: record[1], instructions: uint64(number(2)), cycles: uint64(number(3)), seconds: number(4),
		estimate: number(5), low: number(6), high: number(7), timedShare: number(8), sampled: number(9), energy: record[10], counters: int(number(11)), held: int(number(12))}
	return r, err
}

// measure runs a workload in both modes; known, if not nil, has its timed run, without its counters. only: run it timed only.
func measure(ctx context.Context, w *workload, known *row, only bool) (r row, err error) {
	r.seed, r.kind = w.seed, w.kind
	var timed *account.Counts
	if known != nil {
		r.instructions, r.cycles, r.seconds = known.instructions, known.cycles, known.seconds
	} else {
		if timed, _, r.seconds, err = runIn(ctx, w, config.ModeTimed); err != nil {
			return r, err
		}
		r.instructions, r.cycles = timed.Instructions(), timed.Cycles
	}
	if only {
		return r, nil
	}
	c, m, seconds, err := runIn(ctx, w, config.ModeSampled)
	if err != nil {
		return r, err
	}
	r.estimate, r.sampled, r.timedShare = float64(c.Cycles), seconds, c.TimedShare()
	if r.low, r.high = c.Interval(); timed != nil && c.Estimate != nil {
		r.compare(c, timed, m)
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

// summaryOf reports how often intervals contain the true value, their widths, and the savings; for rows with time
// alone, the time.
func summaryOf(rows []row, only bool) string {
	inside, logs, worst, seconds := 0, 0.0, 0.0, 0.0
	var halves []float64
	for i := range rows {
		r := &rows[i]
		if r.covers() {
			inside++
		}
		halves = append(halves, r.half())
		seconds += r.seconds
		logs, worst = logs+math.Log(r.ratio()), max(worst, r.ratio())
	}
	slices.Sort(halves)
	n := float64(max(len(rows), 1))
	switch {
	case len(rows) == 0:
		return "no workloads"
	case only:
		return fmt.Sprintf("%d timed, %.1f s of the host's processor", len(rows), seconds)
	}
	return fmt.Sprintf("%d of %d inside (%.1f %%), median half-width %.2f %%, host time %.3f (geometric mean), %.2f at most", inside, len(rows), 100*float64(inside)/n,
		100*halves[len(halves)/2], math.Exp(logs/n), worst)
}

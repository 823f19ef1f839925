package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	"spvsim/account"
	"spvsim/config"
)

// A pair is the ratio of the cycles of a job on two machines, timed and sampled.
type pair struct {
	seed             uint64
	kind             string
	ratio            float64 // of the timed runs
	estimate         float64
	low, high        float64
	half, otherHalf  float64 // of the cycles on each machine, as a share
	share            float64 // timed of both
	seconds, sampled float64
}

var pairColumns = []string{"seed", "kind", "ratio", "estimate", "low", "high", "half_width", "other_half_width", "timed_share", "seconds", "sampled_seconds"}

func (p *pair) record() []string {
	return []string{fmt.Sprint(p.seed), p.kind, fmt.Sprintf("%.5f", p.ratio), fmt.Sprintf("%.5f", p.estimate), fmt.Sprintf("%.5f", p.low), fmt.Sprintf("%.5f", p.high),
		fmt.Sprintf("%.5f", p.half), fmt.Sprintf("%.5f", p.otherHalf), fmt.Sprintf("%.4f", p.share), fmt.Sprintf("%.3f", p.seconds), fmt.Sprintf("%.3f", p.sampled)}
}

func (p *pair) covers() bool { return p.low <= p.ratio && p.ratio <= p.high }

// wrongSign: the interval says which machine is faster, and it is the other one.
func (p *pair) wrongSign() bool { return p.low > 1 && p.ratio < 1 || p.high < 1 && p.ratio > 1 }

// narrowing is the half-width of the ratio over the smaller one of the two machines'.
func (p *pair) narrowing() float64 {
	return math.Log(p.high/p.low) / 2 / math.Min(p.half, p.otherHalf)
}

// measurePairs runs jobs of the library on two machines each; timed, if not empty, is a file of rows that have their timed runs.
func measurePairs(first, n uint64, timed, out string, to io.Writer) error {
	known, err := readBySeed(timed, parsePair)
	if err != nil {
		return err
	}
	file, err := newRowsFile(out, pairColumns)
	if err != nil {
		return err
	}
	var list []pair
	for seed := first; seed < first+n; seed++ {
		p, err := measurePair(context.Background(), seed, known[seed])
		if err != nil {
			return fmt.Errorf("seed %d: %w", seed, err)
		}
		list = append(list, p)
		fmt.Fprintf(to, "%4d %s: %.4f, estimated %.4f (%.4f to %.4f) inside %t, half-widths %.4f %.4f, timed %.2f\n", p.seed, p.kind, p.ratio, p.estimate, p.low, p.high,
			p.covers(), p.half, p.otherHalf, p.share)
		if err := file.write(p.record()); err != nil {
			return err
		}
	}
	fmt.Fprintln(to, summaryOfPairs(list))
	return file.Close()
}

// parsePair reads what a row has of the timed runs.
func parsePair(record []string) (seed uint64, p pair, err error) {
	if len(record) != len(pairColumns) {
		return 0, p, fmt.Errorf("%d columns: want %d", len(record), len(pairColumns))
	}
	number := func(i int) (x float64) {
		if err == nil {
			x, err = numberOf(pairColumns[i], record[i])
		}
		return x
	}
	p = pair{seed: uint64(number(0)), kind: record[1], ratio: number(2), seconds: number(9)}
	return p.seed, p, err
}

func measurePair(ctx context.Context, seed uint64, known *pair) (p pair, err error) {
	w := newLibraryWorkload(seed, false)
	other := w.changedMachine()
	p.seed, p.kind = seed, other.kind
	var counts [4]*account.Counts
	for i, run := range []struct {
		w    *workload
		mode string
	}{{w, config.ModeTimed}, {other, config.ModeTimed}, {w, config.ModeSampled}, {other, config.ModeSampled}} {
		var seconds float64
		if i < 2 && known != nil {
			continue
		}
		if counts[i], _, seconds, err = runIn(ctx, run.w, run.mode); err != nil {
			return p, err
		}
		if i < 2 {
			p.seconds += seconds
		} else {
			p.sampled += seconds
		}
	}
	if known != nil {
		p.ratio, p.seconds = known.ratio, known.seconds
	} else {
		p.ratio = float64(counts[1].Cycles) / float64(counts[0].Cycles)
	}
	p.estimate, p.low, p.high = counts[3].Ratio(counts[2])
	p.half, p.otherHalf = relativeHalf(counts[2]), relativeHalf(counts[3])
	p.share = (counts[2].TimedShare() + counts[3].TimedShare()) / 2
	return p, nil
}

func relativeHalf(c *account.Counts) float64 {
	if c.Estimate == nil {
		return 0
	}
	return c.Estimate.Half / float64(c.Cycles)
}

// summaryOfPairs counts those of which less than half was timed.
func summaryOfPairs(list []pair) string {
	inside, wrong, n := 0, 0, 0
	var narrowing []float64
	for i := range list {
		p := &list[i]
		if p.share >= 0.5 || p.half == 0 || p.otherHalf == 0 {
			continue
		}
		n++
		if p.covers() {
			inside++
		}
		if p.wrongSign() {
			wrong++
		}
		narrowing = append(narrowing, p.narrowing())
	}
	if n == 0 {
		return "no pair was sampled"
	}
	slices.Sort(narrowing)
	return fmt.Sprintf("%d of %d ratios inside, %d of the wrong sign; half-width %.2f of the smaller one of either machine (median)", inside, n, wrong, narrowing[n/2])
}

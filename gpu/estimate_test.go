package gpu

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"spvsim/account"
	"spvsim/config"
	"spvsim/isa"
	"spvsim/simd"
)

// The interval of a mean is Student's: of 1 to 5, 3 +- 2.776 * sqrt(2.5 / 5).
func TestIntervals(t *testing.T) {
	for _, c := range []struct {
		samples    []float64
		mean, half float64
	}{
		{[]float64{7}, 7, 7},
		{[]float64{1, 3}, 2, 12.706},
		{[]float64{1, 2, 3, 4, 5}, 3, 2.776 * math.Sqrt(0.5)},
		{[]float64{4, 4, 4}, 4, 0},
	} {
		mean, half := interval(c.samples)
		if math.Abs(mean-c.mean) > 1e-9 || math.Abs(half-c.half) > 1e-3 {
			t.Errorf("%v: %g +- %g, want %g +- %g", c.samples, mean, half, c.mean, c.half)
		}
	}
}

func TestMixes(t *testing.T) {
	a := mixOf(&[isa.NumClasses]uint64{1: 60, 2: 40})
	b := mixOf(&[isa.NumClasses]uint64{1: 50, 2: 30, 3: 20})
	if d := a.distance(&b); math.Abs(d-0.2) > 1e-12 {
		t.Errorf("%g of the instructions are others, want 0.2", d)
	}
	if d := a.distance(&a); d != 0 {
		t.Error(d)
	}
	k := &kind{like: []*alike{{mix: a}, {mix: b}}}
	if best, d := k.nearest(&b); best != k.like[1] || d != 0 {
		t.Errorf("%v, %g", best, d)
	}
}

// whichAreTimed writes a t for each launch that a sample is taken of, a b for one
// that is timed for the next one's sake, a w for one in front of a timed one, and a
// dot for another. Each launch takes the cycles that it is given.
func whichAreTimed(n int, due int, cycles func(i int) float64) string {
	return whichAreTimedBy(config.DefaultSampling(), n, due, cycles)
}

func whichAreTimedBy(by *config.Sampling, n int, due int, cycles func(i int) float64) string {
	k, got := &kind{Sampling: by}, ""
	for i := range n {
		k.due = i == due
		switch now, sample, then := k.timedNext(); {
		case sample:
			k.timed(mix{1: 1}, cycles(i), 1)
			got += "t"
		case now:
			got += "b"
		case then:
			k.like[0].rest[0]++
			got += "w"
		default:
			k.like[0].rest[0]++
			got += "."
		}
	}
	return got
}

// The first of a kind are timed, and others after them: each time twice as far
// while they agree, not as far where they do not, and one after another mix.
func TestWhichOfAKindAreTimed(t *testing.T) {
	steady := func(int) float64 { return 2 }
	for _, c := range []struct {
		due    int
		cycles func(int) float64
		want   string
	}{
		{-1, steady, "ttt......wt..............................wt..."},
		{5, steady, "ttt..t..............................wt....."},
		{-1, func(i int) float64 { return float64(1 + i*i%7) }, "ttt......wbt......wbt......"},
		{-1, func(i int) float64 { return float64(2 + 5*(1-min(i, 1))) }, "ttt......wbt.............."}, // that begins with nothing to wait for
	} {
		if got := whichAreTimed(len(c.want), c.due, c.cycles); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
	if got := strings.Count(whichAreTimed(1000, -1, steady), "t"); got != 9 {
		t.Errorf("%d of 1000 are timed", got)
	}
}

// A mix whose rate is not known keeps launches from being far apart as far as there is much of it.
func TestHowMuchOfAKindIsSure(t *testing.T) {
	for _, c := range []struct {
		rare uint64
		want bool
	}{{0, true}, {50, true}, {5000, false}} {
		sampling := config.DefaultSampling()
		k := &kind{Sampling: sampling, like: []*alike{
			{Sampling: sampling, samples: []sample{{2000, 1000}, {2000, 1000}, {2000, 1000}}, rest: map[int]uint64{0: 90000, 1: 4000}},
			{Sampling: sampling, samples: []sample{{100, 100}, {900, 100}}, rest: map[int]uint64{0: c.rare}},
		}}
		if got := k.open() <= k.Agreed; got != c.want {
			t.Errorf("%d instructions of a rare mix: %v, want %v", c.rare, got, c.want)
		}
	}
}

// A graph that does other work without time costs what its launches cost, and is not sure of it.
func TestOtherWorkWithoutTime(t *testing.T) {
	k := &kind{Sampling: config.DefaultSampling()}
	for range 4 {
		k.timed(mix{1: 1}, 200, 100)
	}
	a := k.like[0]
	a.count[0] = 10
	for _, c := range []struct {
		rest         uint64
		graph        bool
		cycles, half float64
	}{{1000, true, 2000, 40}, {3000, false, 6000, 120}, {3000, true, 2000, 4040}, {1050, true, 2100, 42}} {
		a.rest[0] = c.rest
		if cycles, half := a.untimed(0, c.graph); math.Abs(cycles-c.cycles) > 1e-6 || math.Abs(half-c.half) > 1e-6 {
			t.Errorf("%+v: %g +- %g", c, cycles, half)
		}
	}
}

// The first launch of a kind does not say what the others cost, where there are enough.
func TestTheFirstLaunchIsCold(t *testing.T) {
	for _, c := range []struct {
		samples []float64
		mean    float64
	}{{[]float64{9}, 9}, {[]float64{9, 1}, 5}, {[]float64{9, 1, 3}, 2}} {
		k := &kind{Sampling: config.DefaultSampling()}
		for _, x := range c.samples {
			k.timed(mix{1: 1}, x, 1)
		}
		if got, _ := k.like[0].cost(1, 1); got != c.mean {
			t.Errorf("%v: %g, want %g", c.samples, got, c.mean)
		}
	}
}

// A rate settles from the end of the first generation on; what issues before does not count.
func TestSettling(t *testing.T) {
	s := setup(t, scale, "")
	r, err := newRunner(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	code := r.launches[0].work.(*kernel).Code
	x := &settler{Sampling: r.sampler.Sampling, codes: []*simd.Code{code}, resident: 100, batch: 25}
	for ended := uint64(1); ended < 1000; ended++ {
		code.Counts[0].Issues += 10
		if x.enough(30*ended, ended) {
			if ended != 100+6*25 || len(x.batches) != 6 || x.batches[0] != 3 {
				t.Errorf("settled when %d had ended: %v", ended, x.batches)
			}
			return
		}
	}
	t.Error("a steady rate does not settle")
}

// A rate that represents a part of what is left need only be as sure as that: of cycles for a batch that differ by a third, the fewest are enough.
func TestARateIsAsSureAsWhatItStandsFor(t *testing.T) {
	s := setup(t, scale, "")
	r, err := newRunner(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	code := r.launches[0].work.(*kernel).Code
	for _, c := range []struct {
		share   float64
		batches int
	}{{1, 40}, {0.05, 6}} {
		x := &settler{Sampling: r.sampler.Sampling, codes: []*simd.Code{code}, resident: 100, batch: 25, standsFor: func(uint64) float64 { return c.share }}
		now, ended, n := uint64(0), uint64(0), 0
		for settled := false; !settled; ended += 25 {
			settled = x.enough(now, ended)
			code.Counts[0].Issues += 1000
			n++
			now += 1000 + 500*uint64(n*n%7)
		}
		if len(x.batches) != c.batches {
			t.Errorf("a share of %g: %d batches, want %d", c.share, len(x.batches), c.batches)
		}
	}
}

func TestAWindowMustChooseSomething(t *testing.T) {
	s := setup(t, scale, "")
	s.Time = &config.Time{Steps: []string{"none"}}
	if _, err := Run(t.Context(), s); !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), "time: no launch is chosen (there are scale.spvasm)") {
		t.Error(err)
	}
}

// A functional run stops at its limits and when it is told to, and says what it had done.
func TestFunctionalRunsKeepToLimits(t *testing.T) {
	s := setup(t, spin, "gcn3-r9nano")
	s.Mode, s.MaxHostSeconds = "functional", 0.2
	r, err := Run(t.Context(), s)
	if !errors.Is(err, ErrHostTime) || !errors.Is(err, ErrRun) || !strings.Contains(err.Error(), "0 of 2 workgroups ended, 2 have begun") {
		t.Errorf("%v", err)
	}
	if r.Stats.Stopped != ErrHostTime.Error() || r.Stats.Instructions() == 0 || r.Stats.Cycles != 0 {
		t.Errorf("stopped %q after %d instructions, %d cycles", r.Stats.Stopped, r.Stats.Instructions(), r.Stats.Cycles)
	}
	ctx, stop := context.WithCancel(t.Context())
	s.MaxHostSeconds, s.StallAfter = 0, time.Millisecond
	told := ""
	s.Stalled = func(report string) { told = report; stop() }
	if _, err = Run(ctx, s); !errors.Is(err, ErrInterrupted) || !strings.HasPrefix(err.Error(), "interrupted after ") {
		t.Errorf("%v", err)
	}
	if !strings.Contains(told, "no workgroup has ended for") || !strings.Contains(told, "0 of 2 workgroups ended") {
		t.Errorf("the watchdog said %q", told)
	}
}

// settles says how many batches a row of rates takes to settle.
func settles(by *config.Sampling, rates func(i int) float64) int {
	x := &settler{Sampling: by, resident: 1, batch: 1, next: 1}
	for i := 0; ; i++ {
		x.batches = append(x.batches, rates(i))
		if x.enough(0, uint64(i+2)) {
			return len(x.batches)
		}
	}
}

// Each key of sampling decides something: launches that are timed, when a rate has settled, what an estimate comes to.
func TestSamplingKeys(t *testing.T) {
	noisy := func(i int) float64 { return 100 + float64(i*i%7) }
	wild := func(i int) float64 { return float64(1 + i*i%7) }
	same := func(int) float64 { return 2 }
	costOf := func(by *config.Sampling, samples ...sample) string {
		a := &alike{Sampling: by, samples: samples, count: map[int]uint64{0: 10}, rest: map[int]uint64{0: 10000}}
		cycles, half := a.untimed(0, false)
		return fmt.Sprintf("%.0f +- %.0f", cycles, half)
	}
	for _, c := range []struct {
		name       string
		set        func(*config.Sampling)
		what       func(*config.Sampling) string
		want, then string
	}{
		{"first", func(s *config.Sampling) { s.First = 5 }, func(s *config.Sampling) string { return whichAreTimedBy(s, 8, -1, same) }, "ttt.....", "ttttt..."},
		{"near", func(s *config.Sampling) { s.Near = 3 }, func(s *config.Sampling) string { return whichAreTimedBy(s, 8, -1, same) }, "ttt.....", "ttt.wt.."},
		{"far", func(s *config.Sampling) { s.Far = 8 }, func(s *config.Sampling) string { return whichAreTimedBy(s, 20, -1, same) }, "ttt......wt.........", "ttt......wt......wt."},
		{"agreed", func(s *config.Sampling) { s.Agreed = 2 }, func(s *config.Sampling) string { return whichAreTimedBy(s, 28, 99, wild) }, "ttt......wbt......wbt......w", "ttt......wbt..............wb"},
		{"steady", func(s *config.Sampling) { s.Steady = -1 }, func(s *config.Sampling) string { return whichAreTimedBy(s, 28, -1, same) }, "ttt......wt.................", "ttt......wt..............wt."},
		{"warmer", func(s *config.Sampling) { s.Warmer = 9 }, func(s *config.Sampling) string { return whichAreTimedBy(s, 12, -1, wild) }, "ttt......wbt", "ttt......wt."},
		{"fewest_batches", func(s *config.Sampling) { s.FewestBatches = 9 }, func(s *config.Sampling) string { return fmt.Sprint(settles(s, same)) }, "6", "9"},
		{"most_batches", func(s *config.Sampling) { s.MostBatches = 20 }, func(s *config.Sampling) string { return fmt.Sprint(settles(s, wild)) }, "40", "20"},
		{"settled", func(s *config.Sampling) { s.Settled = 0.009 }, func(s *config.Sampling) string { return fmt.Sprint(settles(s, noisy) > 8) }, "false", "true"},
		{"groups", func(s *config.Sampling) { s.Groups = 2 }, func(s *config.Sampling) string {
			mean, half := intervalOfRow([]float64{1, 3, 1, 3, 1, 3, 1, 3}, s.Groups)
			return fmt.Sprintf("%.0f %t", mean, half > 0)
		}, "2 true", "2 false"},
		{"least", func(s *config.Sampling) { s.Least = 0.5 }, func(s *config.Sampling) string { return costOf(s, sample{2000, 1000}, sample{2000, 1000}) }, "20000 +- 400", "20000 +- 10000"},
		{"on_line", func(s *config.Sampling) { s.OnLine = 3 }, func(s *config.Sampling) string {
			return costOf(s, sample{1100, 1000}, sample{1200, 2000}, sample{1400, 4000})[:5]
		}, "6833 ", "11000"},
		{"other_mix", func(s *config.Sampling) { s.OtherMix = 1 }, func(s *config.Sampling) string {
			k := &kind{Sampling: s}
			k.timed(mix{1: 1}, 1, 1)
			k.timed(mix{1: 0.5, 2: 0.5}, 1, 1)
			return fmt.Sprint(len(k.like))
		}, "2", "1"},
		{"late", func(s *config.Sampling) { s.Late = 1 }, func(s *config.Sampling) string {
			x := sampler{Sampling: s, executor: &executor{tally: &tally{}}}
			x.tally.begin()
			x.tally.add("", &account.Counts{})
			x.widen(&emptyStretch{2, 100}, "", &rate{cycles: 3})
			return fmt.Sprint(x.tally.steps[0].Estimate.Half)
		}, "10", "100"},
	} {
		by := config.DefaultSampling()
		if got := c.what(by); got != c.want {
			t.Errorf("%s: %s by default, want %s", c.name, got, c.want)
		}
		c.set(by)
		if got := c.what(by); got != c.then {
			t.Errorf("%s: %s with the key, want %s", c.name, got, c.then)
		}
	}
}

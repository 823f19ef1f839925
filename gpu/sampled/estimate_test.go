package sampled

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"spvsim/config"
	"spvsim/gpu/machine"
	"spvsim/isa"
	"spvsim/scheduler"
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
	k := &strata{Sampling: config.DefaultSampling(), list: []*alike{{like: signature{mix: a}}, {like: signature{mix: b}}}}
	if best, d := k.nearest(&signature{mix: b}, false); best != k.list[1] || d != 0 {
		t.Errorf("%v, %g", best, d)
	}
}

// What an instruction asks of parts of the machine is compared by the busiest part: what asks little of one may ask twice as much of it.
func TestDemands(t *testing.T) {
	at := func(issue, memory float64) *demand { return &demand{demandIssue: issue, demandMemory: memory} }
	for _, c := range []struct {
		a, b *demand
		want float64
	}{{at(1, 0), at(1, 0), 0}, {at(1, 0.01), at(1, 0.02), 0.01}, {at(1, 4), at(1, 8), 0.5}, {at(0, 0), at(0, 0), 0}} {
		if d := c.a.distance(c.b); math.Abs(d-c.want) > 1e-12 || d != c.b.distance(c.a) {
			t.Errorf("%v and %v: %g, want %g", c.a, c.b, d, c.want)
		}
	}
}

// whichAreTimed writes a t for each launch that a sample is taken of, a b for one
// that is timed for the next one's sake, a w for one in front of a timed one, and a
// dot for another. Each launch takes the cycles that it is given.
func whichAreTimed(n int, due int, cycles func(i int) float64) string {
	return whichAreTimedBy(config.DefaultSampling(), n, due, cycles)
}

func whichAreTimedBy(by *config.Sampling, n int, due int, cycles func(i int) float64) string {
	k, got := newKind(by), ""
	for i := range n {
		k.due = i == due
		switch now, sample, then := k.timedNext(); {
		case sample:
			k.timed(&signature{mix: mix{1: 1}}, cycles(i), 1)
			got += "t"
		case now:
			got += "b"
		case then:
			k.launches.list[0].rest[0]++
			got += "w"
		default:
			k.launches.list[0].rest[0]++
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
		k := &strata{Sampling: sampling, list: []*alike{
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
	by := config.DefaultSampling()
	by.Spread, by.Least = 0, 0.02
	k := newKind(by)
	for range 4 {
		k.timed(&signature{mix: mix{1: 1}}, 200, 100)
	}
	a := k.launches.list[0]
	a.count[0] = 10
	for _, c := range []struct {
		rest         uint64
		graph        bool
		cycles, half float64
	}{{1000, true, 2000, 0}, {3000, false, 6000, 0}, {3000, true, 2000, 4040}, {1050, true, 2100, 0}} {
		a.rest[0], k.graph = c.rest, c.graph
		if cycles, half := k.untimedOf(a, 0); math.Abs(cycles-c.cycles) > 1e-6 || math.Abs(half-c.half) > 1e-6 {
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
		k := newKind(config.DefaultSampling())
		for _, x := range c.samples {
			k.timed(&signature{mix: mix{1: 1}}, x, 1)
		}
		if got, _ := k.launches.list[0].cost(1, 1); got != c.mean {
			t.Errorf("%v: %g, want %g", c.samples, got, c.mean)
		}
	}
}

// Few samples of a stratum take their spread from those of all, and all from what is expected: each pair is 1 % apart, so that the pooled
// variance of five is 2e-4, and what is expected counts for as many degrees of freedom as its weight.
func TestFewSamplesTakeTheSpreadOfAll(t *testing.T) {
	by := config.DefaultSampling()
	s := &strata{Sampling: by, spread: 0.02}
	for i := range 5 {
		var m mix
		m[i] = 1
		a := s.of(&signature{mix: m})
		a.samples = []sample{{99, 100}, {101, 100}}
	}
	w := float64(by.Weight)
	all := (w*4e-4 + 5*2e-4) / (w + 5)
	want := quantile(by.Weight+1) * math.Sqrt((w*all+2e-4)/(w+1)/2)
	if _, half := s.list[0].cost(1, 100); math.Abs(half/100-want) > 1e-6 {
		t.Errorf("half the interval is %g, want %g", half/100, want)
	}
	alone := s.of(&signature{mix: mix{7: 1}})
	alone.samples = []sample{{100, 100}}
	if _, half := alone.cost(1, 100); math.Abs(half/100-quantile(by.Weight)*math.Sqrt(all)) > 1e-6 {
		t.Errorf("of one sample: %g", half)
	}
}

// Launches that differ in size are compared with what those a little smaller and a little larger take, and not with the rate of all.
func TestSpreadOfSizes(t *testing.T) {
	s := &strata{Sampling: config.DefaultSampling()}
	a := s.of(&signature{size: 100})
	for _, n := range []float64{100, 120, 140, 160} {
		a.samples = append(a.samples, sample{1000 + n, n})
	}
	if d := a.dispersion(); d.degrees != 2 || d.squares > 1e-20 {
		t.Errorf("%+v of samples on a line: want the two in between, and no spread", d)
	}
	if took, open, within, ok := s.bySize(a, 130, nil); !ok || open != 0 || !within || math.Abs(took-1130) > 1e-9 {
		t.Errorf("130 instructions take %g (%v, %v)", took, within, ok)
	}
	if took, open, within, ok := s.bySize(a, 200, nil); !ok || open != 0 || within || math.Abs(took-1200) > 1e-9 {
		t.Errorf("200 instructions take %g (%v, %v): want what the two nearest say, beyond all that was timed", took, within, ok)
	}
	a.samples[1].cycles *= 1.1
	if d := a.dispersion(); d.squares < 0.005 || d.squares > 0.02 {
		t.Errorf("%+v where one takes a tenth more", d)
	}
}

// Where the border of two strata is anywhere among some instructions, half count as of each, and the interval holds both twice over: what
// comes after a border costs more at first.
func TestBorders(t *testing.T) {
	by := config.DefaultSampling()
	by.LeastRows, by.SpreadRows = 0, 0
	r := &newKind(by).rows
	a, b := r.of(&signature{mix: mix{1: 1}}), r.of(&signature{mix: mix{2: 1}})
	for range 4 {
		a.samples, b.samples = append(a.samples, sample{100, 100}), append(b.samples, sample{300, 100})
	}
	a.rest[0], b.rest[0] = 1000, 1000
	r.crossed(0, border{a, b, 400})
	cycles, half := 0.0, 0.0
	r.untimed(0, func(took, width float64) { cycles, half = cycles+took, half+width })
	if want := 800*1.0 + 1200*3.0; cycles != want || math.Abs(half-0.95*400*2) > 1e-9 {
		t.Errorf("%g +- %g, want %g +- 760", cycles, half, want)
	}
}

// A stratum that takes a large part gets a second sample, however narrow its interval is taken to be, and one that does not matters little.
func TestASecondSample(t *testing.T) {
	for _, c := range []struct {
		rest  uint64
		share float64
		want  bool
	}{{100000, 0, true}, {100000, 0.09, true}, {100000, 0.11, false}, {100, 0, false}} {
		s := &strata{Sampling: config.DefaultSampling(), first: 2, near: 1, far: 100, share: c.share, second: 0.1}
		a, b := s.of(&signature{mix: mix{1: 1}}), s.of(&signature{mix: mix{2: 1}})
		a.samples, b.samples = []sample{{100, 100}}, []sample{{100, 100}, {100, 100}}
		a.rest[0], b.rest[0] = c.rest, 100000
		if got := s.wants(a, 0); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// The first sample of launches that found the caches as others left them does not count if it is furthest off, unless it differs in size.
func TestTheFirstOfAStratumIsCold(t *testing.T) {
	for _, c := range []struct {
		first sample
		want  int
	}{{sample{150, 100}, 3}, {sample{101, 100}, 4}, {sample{80, 50}, 4}} {
		k := newKind(config.DefaultSampling())
		a := k.launches.of(&signature{size: 100})
		a.samples = []sample{c.first, {100, 100}, {104, 100}, {98, 100}}
		if got := len(a.warm()); got != c.want {
			t.Errorf("%v before three others: %d count, want %d", c.first, got, c.want)
		}
	}
}

// blurred is a signature that four parts show, two of each share of a class.
func blurred(by *config.Sampling, shares ...float64) *signature {
	var list []signature
	sum := signature{}
	for _, share := range append(shares, shares...) {
		list = append(list, signature{mix: mix{1: share, 2: 1 - share}})
		sum.blend(&list[len(list)-1], float64(len(list)))
	}
	sum.blur = blurOf(list, &sum, by)
	return &sum
}

// Where workgroups differ by chance, so do the few that show a signature: it is off by its standard error, and those that are no further apart
// are of one stratum, whose signature is their mean.
func TestBlurredSignatures(t *testing.T) {
	by := config.DefaultSampling()
	x, y := blurred(by, 0.2, 0.6), blurred(by, 0.4, 0.8)
	if want := 3 * 2 / math.Sqrt(3); math.Abs(x.blur.mix-want) > 1e-9 || x.blur.demand != 0 { // each is 0.2 off, twice other_mix
		t.Errorf("blurred by %+v, want %g of the mix", x.blur, want)
	}
	if sharp := blurred(by, 0.4, 0.4); sharp.blur.mix > 1e-9 || sharp.blur.any() {
		t.Errorf("%+v of parts that are the same", sharp)
	}
	x.blend(y, 2)
	if math.Abs(x.mix[1]-0.5) > 1e-9 || math.Abs(x.blur.mix-y.blur.mix) > 1e-9 {
		t.Errorf("the mean is %v, blurred by %+v", x.mix, x.blur)
	}
	a := &alike{Sampling: by, like: *x, pieces: asked{3, 1}, windows: asked{1, 1}}
	if a.drift() != 0 {
		t.Error("what differs by chance drifts")
	}
}

// Where most windows of a stratum gave no sample, the interval is as wide as if each sample counted for as many of them less.
func TestWindowsWithoutSamples(t *testing.T) {
	a := newKind(config.DefaultSampling()).rows.of(&signature{})
	a.samples = []sample{{100, 100}}
	one := a.width(a.samples)
	a.windows.n = 4
	if four := a.width(a.samples); math.Abs(four-2*one) > 1e-9 {
		t.Errorf("half-widths of %g, with one sample of four windows %g", one, four)
	}
}

// What retires much faster than memory moves what it asks, and was only timed beside others, may take as long as memory does.
func TestFasterThanMemory(t *testing.T) {
	for _, c := range []struct {
		memory       float64
		whole        bool
		cycles, half float64
	}{{4, false, 300, 100}, {4, true, 300, 100}, {2.9, true, 200, 0}, {2.9, false, 245, 45}, {2.3, false, 200, 0}, {0, false, 200, 0}} {
		a := &alike{Sampling: config.DefaultSampling(), like: signature{demand: demand{demandMemory: c.memory}}, whole: c.whole}
		if cycles, half := a.drained(200, 0, 100); math.Abs(cycles-c.cycles) > 1e-9 || math.Abs(half-c.half) > 1e-9 {
			t.Errorf("%+v: %g +- %g", c, cycles, half)
		}
	}
}

// What was never timed costs what is nearest to it, by what is asked of the busiest part; how far off that is makes the interval.
func TestUnsampled(t *testing.T) {
	s := &strata{Sampling: config.DefaultSampling()}
	if cycles, half := s.unsampled(&signature{}, 100); cycles != 0 || half != 0 {
		t.Errorf("%g +- %g of nothing", cycles, half)
	}
	s.of(&signature{demand: demand{demandMemory: 1}}).samples = []sample{{200, 100}, {200, 100}, {200, 100}, {200, 100}}
	if cycles, half := s.unsampled(&signature{demand: demand{demandMemory: 2}}, 100); cycles != 300 || math.Abs(half-150) > 1e-9 {
		t.Errorf("%g +- %g: want what is between as much and twice as much", cycles, half)
	}
}

// peekOf says what a few workgroups come to after others that did nothing like them.
func peekOf(t *testing.T, by *config.Sampling) string {
	t.Helper()
	d := divided200(t, by, 1)
	d.end, d.last = d.all, d.rows.of(&d.like)
	switch to, other := d.peek(0); {
	case other:
		return fmt.Sprint("other after ", to)
	case d.ran > 0:
		return "what was seen is not known"
	default:
		return fmt.Sprint("the same after ", to)
	}
}

// waits is at which member of a stratum a sample is taken.
func waits(s *strata, a *alike) int {
	n := 1
	for !s.wants(a, 0) {
		n++
	}
	return n
}

// seenParts is how many parts of a launch show what they ask of memory.
func seenParts(s *config.Sampling) string {
	n := 0
	for _, p := range lookedAt(16384, s) {
		if p.seen {
			n++
		}
	}
	return fmt.Sprint(n)
}

// seenOf is how many of a block of workgroups show what they ask of memory.
func seenOf(s *config.Sampling) string {
	first := lookedAt(16384, s)[0]
	return fmt.Sprint(first.End - first.First)
}

func firstDrawn(seed uint64) string {
	return fmt.Sprint(rand.New(rand.NewPCG(seed, 0)).IntN(1000))
}

// settles says how many batches a window has when its rate has settled, of those that take some cycles each.
func settles(by *config.Sampling, cycles func(i int) float64) int {
	w := &window{Sampling: by, issued: func() (n uint64, by [isa.NumClasses]uint64) { return }, batch: 1, batches: by.Batches}
	w.open(&alike{}, 1)
	for i := 1; ; i++ {
		w.see(&scheduler.WorkgroupEnd{EndedWorkgroups: uint64(i), Now: w.now.done + uint64(1000*cycles(i))})
		if w.over() {
			return i - 1
		}
	}
}

// inPart is of how many generations on the first launches of a kind, and later ones, are timed in part.
func inPart(by *config.Sampling) string {
	k := newKind(by)
	first := k.inPartFrom()
	k.seen = 10
	return fmt.Sprintf("%d, later %d", first, k.inPartFrom())
}

// quantized is how much of what launches take is seen to go by whole generations, by which all of it goes.
func quantized(by *config.Sampling) string {
	s, _ := sizedLaunches(by, func(generations float64) float64 { return 1000 + 50*math.Ceil(generations-1e-9) })
	return fmt.Sprint(s.list[0].quantized)
}

// Where all pieces of a stratum ask less than those that were timed, it is taken to cost less, by half as much, and the interval holds both.
func TestDrift(t *testing.T) {
	by := config.DefaultSampling()
	by.SpreadRows, by.LeastRows = 0, 0
	r := &newKind(by).rows
	a := r.of(&signature{demand: demand{demandMemory: 1}})
	if a.samples = []sample{{100, 100}, {100, 100}}; a.drift() != 0 {
		t.Errorf("%g without pieces", a.drift())
	}
	a.windows.add(&a.like, a)
	for _, asks := range []float64{1, 0.9, 0.86, 0.2} { // the last one is another behaviour
		a.pieces.add(&signature{demand: demand{demandMemory: asks}}, a)
	}
	a.rest[0] = 1000
	cycles, half := 0.0, 0.0
	r.untimed(0, func(took, width float64) { cycles, half = cycles+took, half+width })
	if math.Abs(cycles-960) > 1e-9 || math.Abs(half-38.4) > 1e-9 {
		t.Errorf("%g +- %g cycles: want 4 %% less than the windows', and 4 %% of that", cycles, half)
	}
}

// Each key of sampling decides something: launches that are timed, when a rate has settled, what an estimate comes to.
func TestSamplingKeys(t *testing.T) {
	wild := func(i int) float64 { return float64(1 + i*i%7) }
	same := func(int) float64 { return 2 }
	growing := func(i int) float64 { return math.Pow(1.2, float64(i)) }
	costOf := func(by *config.Sampling, samples ...sample) string {
		a := &alike{Sampling: by, samples: samples, count: map[int]uint64{0: 10}, rest: map[int]uint64{0: 10000}}
		k := newKind(by)
		cycles, half := k.untimedOf(a, 0)
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
		{"batches", func(s *config.Sampling) { s.Batches = 20 }, func(s *config.Sampling) string { return fmt.Sprint(settles(s, same)) }, "4", "20"},
		{"most_batches", func(s *config.Sampling) { s.MostBatches = 16 }, func(s *config.Sampling) string { return fmt.Sprint(settles(s, growing)) }, "28", "20"},
		{"settled", func(s *config.Sampling) { s.Settled = 0.9 }, func(s *config.Sampling) string { return fmt.Sprint(settles(s, growing)) }, "28", "4"},
		{"spread", func(s *config.Sampling) { s.Spread = 0.5 }, func(s *config.Sampling) string { return fmt.Sprint(newKind(s).launches.spread) }, "0.01", "0.5"},
		{"spread_rows", func(s *config.Sampling) { s.SpreadRows = 0.5 }, func(s *config.Sampling) string { return fmt.Sprint(newKind(s).rows.spread) }, "0.0125", "0.5"},
		{"weight", func(s *config.Sampling) { s.Weight = 1 }, func(s *config.Sampling) string {
			a := newKind(s).launches.of(&signature{})
			a.samples = []sample{{100, 100}}
			return fmt.Sprintf("%.3f", a.width(a.samples))
		}, "0.028", "0.127"},
		{"burn_in", func(s *config.Sampling) { s.BurnIn = 9 }, func(s *config.Sampling) string {
			a := newKind(s).rows.of(&signature{})
			a.samples = []sample{{9, 1}, {2, 1}, {3, 1}, {2, 1}}
			return fmt.Sprint(len(a.warm()))
		}, "3", "4"},
		{"from_piece", func(s *config.Sampling) { s.FromPiece = 5 }, func(s *config.Sampling) string {
			x := &newKind(s).rows.strata
			return fmt.Sprint(waits(x, x.of(&signature{})))
		}, "2", "5"},
		{"most_share", func(s *config.Sampling) { s.MostShare = 0.9 }, func(s *config.Sampling) string {
			x := &strata{Sampling: s, share: 0.5, spread: 0.1}
			near := x.of(&signature{demand: demand{1: 1}})
			near.samples = []sample{{1, 1}}
			a := x.of(&signature{demand: demand{1: 0.7}})
			a.rest[0] = 100
			return fmt.Sprint(x.wants(a, 0))
		}, "false", "true"},
		{"light", func(s *config.Sampling) { s.Light = 0.1 }, func(s *config.Sampling) string {
			return fmt.Sprint((&demand{demandIssue: 1, demandMemory: 0.3}).light(0.3, s))
		}, "true", "false"},
		{"near_size", func(s *config.Sampling) { s.NearSize = 1.2 }, func(s *config.Sampling) string {
			x := &newKind(s).launches
			a := x.of(&signature{size: 100})
			a.samples, a.since = []sample{{100, 100}, {100, 100}}, 0
			return fmt.Sprint(x.wants(a, 140))
		}, "false", "true"},
		{"window_share", func(s *config.Sampling) { s.WindowShare = 0.05 }, windowOf, "6 batches after 16", "32 batches after 16"},
		{"long_batches", func(s *config.Sampling) { s.LongBatches = 5 }, windowOf, "6 batches after 16", "5 batches after 16"},
		{"settle", func(s *config.Sampling) { s.Settle = 3 }, windowOf, "6 batches after 16", "6 batches after 24"},
		{"settle_share", func(s *config.Sampling) { s.SettleShare = 0 }, windowOf, "6 batches after 16", "6 batches after 8"},
		{"refill_pieces", func(s *config.Sampling) { s.RefillPieces = 1 }, func(s *config.Sampling) string { return refillOf(t, s) }, "refilled to 16", "refilled to 4"},
		{"missed", func(s *config.Sampling) { s.Missed = 0 }, func(s *config.Sampling) string { return othersIn(t, s) }, "ends after 16", "goes on to 16"},
		{"least_part", func(s *config.Sampling) { s.LeastPart = 0.3 }, func(s *config.Sampling) string { return fmt.Sprint(len(partsOf(s, 4, 1))) }, "2", "1"},
		{"twice", func(s *config.Sampling) { s.Twice = 0.001 }, func(s *config.Sampling) string {
			x := &strata{Sampling: s}
			a, b := x.of(&signature{mix: mix{1: 1}}), x.of(&signature{mix: mix{2: 1}})
			a.samples, b.samples = []sample{{100, 100}}, []sample{{100, 100}}
			a.rest[0], b.rest[0] = 2000, 98000
			return fmt.Sprint(x.large(a))
		}, "false", "true"},
		{"least_rows", func(s *config.Sampling) { s.LeastRows = 0.5 }, leastOf, "0.015", "0.5"},
		{"waiting", func(s *config.Sampling) { s.Waiting = 0.5 }, func(s *config.Sampling) string {
			s.Spread = 0
			k := newKind(s)
			for _, d := range []demand{{demandMemory: 0.5}, {demandMemory: 0.1}} { // of which only the second takes ten times as long
				a := k.launches.of(&signature{demand: d})
				a.samples, a.rest[0], a.count[0] = []sample{{100, 100}, {100, 100}}, 1000, 10
			}
			cycles, half := k.untimed(0)
			return fmt.Sprintf("%.0f +- %.0f", cycles, half)
		}, "2000 +- 30", "2000 +- 500"},
		{"peeked", func(s *config.Sampling) { s.Peeked = 64 }, func(s *config.Sampling) string { return peekOf(t, s) }, "other after 8", "other after 64"},
		{"aside", func(s *config.Sampling) { s.Aside = 65536 }, func(s *config.Sampling) string { return peekOf(t, s) }, "other after 8", "the same after 8"},
		{"apart", func(s *config.Sampling) { s.Apart = 0 }, func(s *config.Sampling) string {
			d := division{Sampler: &Sampler{Sampling: s}, generation: 64, window: window{align: 1}}
			return fmt.Sprint(d.begins(100))
		}, "148", "100"},
		{"align", func(s *config.Sampling) { s.Align = 40 }, func(s *config.Sampling) string {
			d := division{Sampler: &Sampler{Sampling: s}, generation: 64}
			d.sizes()
			return fmt.Sprint(d.begins(100))
		}, "192", "160"},
		{"max_kept", func(s *config.Sampling) { s.MaxKept = 10 }, func(s *config.Sampling) string { return fmt.Sprint(mayKeep(s, 2000, 100)) }, "true", "false"},
		{"same_work", func(s *config.Sampling) { s.SameWork = 0.1 }, func(s *config.Sampling) string { return fmt.Sprint(sameWork(s, 1050, 1000)) }, "false", "true"},
		{"least_looked", func(s *config.Sampling) { s.LeastLooked = 64 }, seenParts, "4", "2"},
		{"fewer", func(s *config.Sampling) { s.Fewer = 1 }, seenOf, "32", "128"},
		{"other_demand", func(s *config.Sampling) { s.OtherDemand = 1 }, func(s *config.Sampling) string {
			x := &strata{Sampling: s}
			return fmt.Sprint(x.of(&signature{demand: demand{1: 1}}) == x.of(&signature{demand: demand{1: 0.5}}))
		}, "false", "true"},
		{"other_size", func(s *config.Sampling) { s.OtherSize = 3 }, func(s *config.Sampling) string {
			x := &strata{Sampling: s}
			return fmt.Sprint(x.of(&signature{size: 100}) == x.of(&signature{size: 250}))
		}, "false", "true"},
		{"share", func(s *config.Sampling) { s.Share = 1 }, func(s *config.Sampling) string {
			x := &strata{Sampling: s, share: 0.5}
			x.of(&signature{demand: demand{1: 1}}).samples = []sample{{1, 1}}
			return fmt.Sprint(x.wants(x.of(&signature{demand: demand{1: 0.7}}), 0))
		}, "false", "true"},
		{"near_rows", func(s *config.Sampling) { s.NearRows = 2 }, func(s *config.Sampling) string {
			x := &newKind(s).rows.strata
			a := x.of(&signature{})
			a.samples = []sample{{1, 1}, {1, 1}, {1, 1}}
			a.rest[0] = 100
			x.spread = 0.5
			return fmt.Sprint(waits(x, a))
		}, "16", "2"},
		{"worth_timing", func(s *config.Sampling) { s.WorthTiming = 0.001 }, func(s *config.Sampling) string {
			x := &newKind(s).rows.strata
			near, a := x.of(&signature{demand: demand{1: 1}}), x.of(&signature{demand: demand{1: 0.7}})
			near.samples, near.rest[0], a.rest[0], a.since = []sample{{1, 1}, {1, 1}}, 100000, 1000, 9
			return fmt.Sprint(x.wants(a, 0))
		}, "false", "true"},
		{"blurred", func(s *config.Sampling) { s.Blurred = 0.5 }, func(s *config.Sampling) string {
			r := &newKind(s).rows
			return fmt.Sprint(r.of(blurred(s, 0.2, 0.6)) == r.of(blurred(s, 0.4, 0.8)))
		}, "true", "false"},
		{"repeated_generations", func(s *config.Sampling) { s.Repeated = 20 }, inPart, "10, later 40", "10, later 20"},
		{"repeated_from", func(s *config.Sampling) { s.RepeatedFrom = 100 }, inPart, "10, later 40", "10, later 10"},
		{"sizes_apart", func(s *config.Sampling) { s.SizesApart = 0.6 }, func(s *config.Sampling) string {
			a := newKind(s).launches.of(&signature{size: 100})
			return fmt.Sprint(a.differ([]sample{{100, 100}, {150, 200}}))
		}, "true", "false"},
		{"least_quantized", func(s *config.Sampling) { s.LeastQuantized = 70 }, quantized, "1", "0"},
		{"most_quantized", func(s *config.Sampling) { s.MostQuantized = 0 }, quantized, "1", "0"},
		{"better_quantized", func(s *config.Sampling) { s.BetterQuantized = 0 }, quantized, "1", "0"},
		{"contended", func(s *config.Sampling) { s.Contended = 0.5 }, func(s *config.Sampling) string {
			s.SpreadRows, s.LeastRows = 0, 0
			r := &newKind(s).rows
			a := r.of(&signature{demand: demand{demandUpdates: 1}})
			a.samples, a.rest[0] = []sample{{100, 100}, {100, 100}}, 1000
			cycles, half := 0.0, 0.0
			r.untimed(0, func(took, width float64) { cycles, half = cycles+took, half+width })
			return fmt.Sprintf("%.0f +- %.0f", cycles, half)
		}, "1000 +- 100", "1000 +- 500"},
		{"worth_saying", func(s *config.Sampling) { s.WorthSaying = 0.5 }, func(s *config.Sampling) string {
			r := &newKind(s).rows
			a, b := r.of(&signature{demand: demand{demandMemory: 1}}), r.of(&signature{demand: demand{demandMemory: 2}})
			a.samples, a.rest[0], b.rest[0] = []sample{{100, 100}}, 1000, 500
			return fmt.Sprint(len(r.notSampled(0, 2000)))
		}, "1", "0"},
		{"detail", func(s *config.Sampling) { s.Detail = 2 }, seenOf, "32", "512"},
		{"seed", func(s *config.Sampling) { s.Seed = 2 }, func(s *config.Sampling) string {
			x := New(Machine{Machine: &machine.Machine{Spec: &config.Machine{}}}, s)
			return fmt.Sprint(x.draw.IntN(1000))
		}, firstDrawn(1), firstDrawn(2)},
		{"on_line", func(s *config.Sampling) { s.OnLine = 3 }, func(s *config.Sampling) string {
			return costOf(s, sample{1100, 1000}, sample{1200, 2000}, sample{1400, 4000})[:5]
		}, "5286 ", "11000"},
		{"other_mix", func(s *config.Sampling) { s.OtherMix = 1 }, func(s *config.Sampling) string {
			k := newKind(s)
			k.timed(&signature{mix: mix{1: 1}}, 1, 1)
			k.timed(&signature{mix: mix{1: 0.5, 2: 0.5}}, 1, 1)
			return fmt.Sprint(len(k.launches.list))
		}, "2", "1"},
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

// What is unlike all that was timed is said to be not sampled, with what it asks for that the rest does not.
func TestNotSampledBecause(t *testing.T) {
	r := &newKind(config.DefaultSampling()).rows
	a, b := r.of(&signature{demand: demand{demandMemory: 1}}), r.of(&signature{demand: demand{demandMemory: 2}})
	a.samples, a.rest[0], b.rest[0] = []sample{{100, 100}}, 1000, 500
	got := r.notSampled(0, 1750)
	if len(got) != 1 || got[0].Instructions != 500 || got[0].Reason != "each asks 2 cycles of memory, in what was timed 1; they are too few to hold a window" {
		t.Errorf("%+v", got)
	}
	r.share = 0.25
	if got := r.notSampled(0, 1750); len(got) != 1 || !strings.HasSuffix(got[0].Reason, "; 25 % of the workgroups were timed already (sampling.share is 0.04)") {
		t.Errorf("%+v", got)
	}
	if got := r.notSampled(0, 1e6); len(got) != 0 {
		t.Errorf("of a thousandth of the cycles: %+v", got)
	}
}

// A workgroup may wait for another one with what brings it values that others change: coherent loads and atomics that give something back, in
// memory that workgroups share.
func TestInstructionsThatMayWait(t *testing.T) {
	in := func(op isa.Op, space isa.Space, coherent bool, dst isa.Reg) *isa.Inst {
		return &isa.Inst{Op: op, T: isa.I32, Dst: dst, Mem: &isa.Mem{Access: isa.Access{Space: space, Coherent: coherent, Elem: isa.I32, Count: 1}}}
	}
	for _, c := range []struct {
		name string
		in   *isa.Inst
		want bool
	}{
		{"arithmetic", &isa.Inst{Op: isa.IAdd, T: isa.I32, Dst: isa.V(0)}, false},
		{"a load", in(isa.Load, isa.SpaceBuffer, false, isa.V(0)), false},
		{"a coherent load", in(isa.Load, isa.SpaceBuffer, true, isa.V(0)), true},
		{"a coherent load from LDS", in(isa.Load, isa.SpaceLDS, true, isa.V(0)), false},
		{"a coherent load from scratch", in(isa.Load, isa.SpaceScratch, true, isa.V(0)), false},
		{"an atomic whose result is used", in(isa.AtomicIAdd, isa.SpaceBuffer, false, isa.V(0)), true},
		{"an atomic whose result is not", in(isa.AtomicIAdd, isa.SpaceBuffer, true, isa.Reg{}), false},
		{"an atomic of LDS", in(isa.AtomicIAdd, isa.SpaceLDS, true, isa.V(0)), false},
	} {
		if got := mayWait(c.in); got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}
	}
}

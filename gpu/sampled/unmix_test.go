package sampled

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"spvsim/account"
	"spvsim/config"
	"spvsim/isa"
	"spvsim/mem/hierarchy"
)

// partsOf are those of a window that begins with generations of one stratum and ends with others, of which instructions take twice as long.
func partsOf(by *config.Sampling, first, then int) []timed {
	r := &newKind(by).rows
	a := r.of(&signature{mix: mix{1: 1}, demand: demand{demandIssue: 1}})
	r.of(&signature{mix: mix{2: 1}, demand: demand{demandIssue: 2}})
	w := &window{Sampling: by, stratum: a, marks: []mark{{}}}
	for i := range batchesOfGeneration * (first + then) {
		m := w.marks[i]
		m.issued += 100
		if m.done += 100; i >= batchesOfGeneration*first {
			m.done += 100
			m.by[2] += 100
		} else {
			m.by[1] += 100
		}
		w.marks = append(w.marks, m)
	}
	return r.parts(w)
}

// What a window is of shows in what was issued: a part of it may be of another stratum than that for which it began.
func TestPartsOfAWindow(t *testing.T) {
	by := config.DefaultSampling()
	for _, c := range []struct {
		first, then int
		want        string
	}{{3, 0, "{1200 1200}"}, {2, 2, "{800 800} {1600 800}"}, {0, 2, "{1600 800}"}, {9, 1, "{3600 3600}"}} {
		var got []string
		for _, p := range partsOf(by, c.first, c.then) {
			got = append(got, fmt.Sprint(p.sample))
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%d generations and %d others: %s, want %s", c.first, c.then, s, c.want)
		}
	}
}

// Workgroups of two strata that run side by side share the cycles by what each is expected to take: both together are what was timed.
func TestTwoStrataShareCycles(t *testing.T) {
	r := &newKind(config.DefaultSampling()).rows
	a := r.of(&signature{mix: mix{1: 1}, demand: demand{demandIssue: 1}})
	b := r.of(&signature{mix: mix{2: 1}, demand: demand{demandIssue: 3}})
	list := r.divide(nil, a, &mix{1: 0.25, 2: 0.75}, sample{1000, 400})
	if len(list) != 2 || list[0] != (timed{a, sample{100, 100}, true}) || list[1] != (timed{b, sample{900, 300}, true}) {
		t.Errorf("by what is asked: %v", list)
	}
	a.samples = []sample{{300, 100}} // three times what it asks: so is the other one taken to
	if x, y := r.expected(a), r.expected(b); x != 3 || math.Abs(y-9) > 1e-9 {
		t.Errorf("%g and %g cycles are expected", x, y)
	}
	b.samples = []sample{{300, 100}}
	if list = r.divide(list[:0], a, &mix{1: 0.25, 2: 0.75}, sample{1000, 400}); list[0].cycles != 250 {
		t.Errorf("by what was timed: %v", list)
	}
	if list = r.divide(nil, a, &mix{3: 1}, sample{1000, 400}); list != nil {
		t.Errorf("of none: %v", list)
	}
}

// Where the classes of instructions tell what comes next from a part, it counts; where they do not, only the first of a stratum does.
func TestPartsThatCount(t *testing.T) {
	for _, c := range []struct {
		next signature
		want int
	}{{signature{mix: mix{1: 1}, demand: demand{1: 1}}, 2}, {signature{mix: mix{2: 1}}, 2}, {signature{mix: mix{1: 1}, demand: demand{2: 1}}, 1}} {
		d := division{Sampler: &Sampler{Sampling: config.DefaultSampling()}}
		d.BeginRound()
		d.rows = &newKind(d.Sampling).rows
		a := d.rows.of(&signature{mix: mix{1: 1}, demand: demand{1: 1}})
		next := d.rows.of(&c.next)
		for range 2 {
			d.taken = []timed{{a, sample{100, 100}, false}}
			d.take(next)
		}
		if len(a.samples) != c.want || d.taken != nil {
			t.Errorf("%v follows: %d samples, want %d", c.next, len(a.samples), c.want)
		}
	}
}

// divided200 is a launch of 200 workgroups on one compute unit, with warm caches.
func divided200(t *testing.T, by *config.Sampling, generation uint64) *division {
	t.Helper()
	l := newTestLaunch(t, 200)
	d := newDivision(New(l.machine(), by), l, l.kernel, &newKind(by).rows, generation)
	d.warmth.enough, d.sparse = true, true
	return d
}

// refillOf is up to where workgroups bring their lines in before a window, in a launch that asks too little for the last level to fill.
func refillOf(t *testing.T, by *config.Sampling) string {
	d := divided200(t, by, 4)
	a, at := d.look0(), uint64(0)
	if d.refill(a, &at) != a {
		return "no window"
	}
	return fmt.Sprint("refilled to ", at)
}

// look0 is a stratum of what the launch does.
func (d *division) look0() *alike {
	c := d.without(0, 4, true)
	return d.rows.of(&signature{mix: mixOf(&c.ByClass)})
}

// othersIn says what becomes of a window of a stratum where others come.
func othersIn(t *testing.T, by *config.Sampling) string {
	d := divided200(t, by, 4)
	a, at := d.rows.of(&signature{mix: mix{1: 1}}), uint64(0)
	if d.refill(a, &at) == nil {
		return fmt.Sprint("ends after ", at)
	}
	return fmt.Sprint("goes on to ", at)
}

// Workgroups of another stratum that turn up before a window count as of that, and the piece ends there.
func TestOthersBeforeAWindow(t *testing.T) {
	d := divided200(t, config.DefaultSampling(), 4)
	own, other, at := d.look0(), d.rows.of(&signature{mix: mix{1: 1}}), uint64(0)
	if got := d.refill(other, &at); got != nil || d.end != at || other.missed != 1 {
		t.Errorf("a window of %v after %d workgroups, piece ends at %d", got, at, d.end)
	}
	if step := d.machine.Tally.Number(d.launch.Step()); own.rest[step] == 0 || other.rest[step] != 0 {
		t.Errorf("%d instructions count as of their own, %d as of the others", own.rest[step], other.rest[step])
	}
}

// What asks little of memory begins its windows at once, and so does a launch of which all workgroups brought their lines in.
func TestWindowsThatNeedNoRefill(t *testing.T) {
	for _, set := range []func(d *division){func(d *division) { d.light = true }, func(d *division) { d.sparse = false }} {
		d := divided200(t, config.DefaultSampling(), 4)
		a, at := d.look0(), uint64(7)
		if set(d); d.refill(a, &at) != a || at != 7 {
			t.Errorf("%d", at)
		}
	}
}

// Workgroups that do something else count as what they are also where a window goes on to them: they would cost what the stratum of the window costs.
func TestOthersThatAWindowComesTo(t *testing.T) {
	by := config.DefaultSampling()
	by.Missed = 0
	d := divided200(t, by, 4)
	own, other, at := d.look0(), d.rows.of(&signature{mix: mix{1: 1}}), uint64(0)
	d.refill(other, &at)
	if step := d.machine.Tally.Number(d.launch.Step()); at == 0 || own.rest[step] == 0 || other.rest[step] != 0 {
		t.Errorf("after %d workgroups %d instructions count as of their own, %d as of the others", at, own.rest[step], other.rest[step])
	}
}

// What was brought in since behaviour changed counts for a window: only the rest has to be.
func TestARefillGoesOn(t *testing.T) {
	refilled := func(bytes float64) uint64 {
		d := divided200(t, config.DefaultSampling(), 4)
		a, at := d.look0(), uint64(0)
		d.warmth.enough, d.warmth.bytes = false, bytes*d.warmth.capacity
		d.refill(a, &at)
		return at
	}
	if none, all := refilled(0), refilled(1.2); none == 0 || all != 0 {
		t.Errorf("refilled by %d workgroups where nothing had come, by %d where all had", none, all)
	}
}

// The last level holds nothing of before when a fifth more than there is space for has come, or twice that was asked for.
func TestTurnedOver(t *testing.T) {
	for _, c := range []struct {
		came, looks uint64
		runs        int
	}{{1, 1, 12}, {0, 1, 24}, {1, 3, 8}} {
		w := warmth{Sampling: config.DefaultSampling(), capacity: 1000, line: 100}
		n := 0
		for !w.turned() {
			w.brought(&hierarchy.WarmingStats{Fills: []uint64{c.came}, Lookups: []uint64{c.looks}})
			n++
		}
		if n != c.runs {
			t.Errorf("%+v: %d runs", c, n)
		}
	}
}

// Where nothing was timed of a stratum that shows as another one when caches hold what they should, it is that one from then on.
func TestAStratumThatIsAnother(t *testing.T) {
	s := &strata{Sampling: config.DefaultSampling(), near: 5, far: 9, first: 2}
	a := s.of(&signature{mix: mix{1: 1}, demand: demand{demandIssue: 1, demandMemory: 2}})
	b := s.of(&signature{mix: mix{1: 1}, demand: demand{demandIssue: 1}})
	x := signature{mix: mix{1: 1}, demand: demand{demandIssue: 1, demandMemory: 1.9}}
	if s.another(b, &x) != b {
		t.Error("of nothing that was timed")
	}
	a.samples, b.rest[0] = []sample{{100, 100}}, 50
	if got := s.another(b, &x); got != nil || a.rest[0] != 50 || b.rest[0] != 0 || s.of(&b.like) != a {
		t.Errorf("%v, %d and %d", got, a.rest[0], b.rest[0])
	}
	c := s.of(&signature{mix: mix{2: 1}})
	if s.another(c, &x) != c || s.another(a, &x) != a {
		t.Error("one of other classes, or one that was timed, is another")
	}
}

// Counts of workgroups among which some of another stratum are go to both by their parts.
func TestCountsThatAreSplit(t *testing.T) {
	d := divided200(t, config.DefaultSampling(), 4)
	a, b := d.rows.of(&signature{mix: mix{1: 1}}), d.rows.of(&signature{mix: mix{2: 1}})
	if d.split(a, &account.Counts{ByClass: [isa.NumClasses]uint64{1: 96, 2: 4}}) || d.split(a, &account.Counts{ByClass: [isa.NumClasses]uint64{3: 100}}) {
		t.Error("what is of one stratum, and what is of none, is split")
	}
	if !d.split(a, &account.Counts{ByClass: [isa.NumClasses]uint64{1: 30, 2: 70}}) {
		t.Error("what is of two is not")
	}
	step := d.machine.Tally.Number(d.launch.Step())
	if got := []uint64{a.rest[step], b.rest[step]}; !slices.Equal(got, []uint64{30, 70}) || d.last != b {
		t.Errorf("%v", got)
	}
}

// windowOf is how long windows of a launch of 400 generations are.
func windowOf(by *config.Sampling) string {
	d := division{Sampler: &Sampler{Sampling: by}, generation: 8, all: 3200}
	d.sizes()
	return fmt.Sprintf("%d batches after %d", d.window.batches, d.settle)
}

// leastOf is the floor of windows' intervals.
func leastOf(by *config.Sampling) string { return fmt.Sprint(newKind(by).rows.least) }

package gpu

import (
	"cmp"
	"math"

	"spvsim/account"
	"spvsim/config"
	"spvsim/mem"
	"spvsim/scheduler"
)

// A division is a large launch, of which windows are timed. Between two of them the machine stops as it is, with workgroups half done and
// full queues, and others run without time; then it goes on with those that come next. So it fills once and runs out once, as without
// sampling, and what is in caches and queues when a window begins is what the machine left there.
type division struct {
	*sampler
	*launch
	kernel          *kernel
	rows            *rows
	generation, all uint64 // workgroups that the machine holds, and those of the launch
	drains          bool   // workgroups may wait for each other: none is left half done while others run

	piece    uint64    // workgroups, in the mean
	end      uint64    // of the piece at hand
	like     signature // of the piece at hand
	last     *alike    // stratum of what ran last without time, if it was one
	ran      uint64    // instructions of that
	warmth   warmth
	each     float64 // instructions of a workgroup, of those that ran last without time
	window   window
	resident *alike // stratum of what is on the machine; nil: it fills
	taken    timed  // the last window, whose sample has not been taken
	timed    uint64 // workgroups
	empty    emptied
	err      error
}

// An emptied is when the machine began to run empty last, nil if it did not, and for how many cycles it ran empty and filled again, which without
// sampling it does not.
type emptied struct {
	since  *mark
	cycles uint64
}

// A timed window was of a stratum.
type timed struct {
	*alike
	window sample
	ended  uint64  // workgroups
	before float64 // instructions of a workgroup before the window
	after  float64 // and after it; 0: not known yet
}

func newDivision(s *sampler, l *launch, k *kernel, r *rows, generation uint64) *division {
	d := &division{sampler: s, launch: l, kernel: k, rows: r, generation: generation, all: groups(k.NumWorkgroups)}
	d.piece = max(d.all/uint64(s.Pieces), generation, 1)
	r.near = min(s.NearRows, int(d.all/d.piece/4)) // of few pieces as well, more than one may be timed
	d.warmth.Sampling = s.Sampling
	d.warmth.capacity, d.warmth.line = s.capacities.last()
	d.window = window{Sampling: s.Sampling, issued: d.issued, batch: max(generation/4, 1)}
	insts := k.Code.Program.Insts
	for i := range insts {
		d.drains = d.drains || mayWait(&insts[i])
	}
	return d
}

// issued is how many instructions waves of the launch issued before the cycle at hand.
func (d *division) issued() (n uint64) {
	m := d.timing.machine
	n -= m.array.IssuedFrom(m.engine.Now())
	for _, issues := range issues(d.kernel.codes()) {
		n += issues
	}
	return n
}

// run runs the launch.
func (d *division) run(follows bool) error {
	d.timing.machine.array.Watch(true)
	defer d.timing.machine.array.Watch(false)
	err := d.untimed.during(func() error {
		return d.clocked(d.launch, scheduler.Part{End: d.all, Next: d.next}, follows)
	})
	if err = cmp.Or(d.err, err); err == nil {
		d.atEnd()
	}
	d.tally.step(d.step).Cycles -= d.empty.cycles
	return err
}

// atEnd takes the sample of a window in which the launch ended. If there is none at all, the time of the launch says what the few cost that
// were looked at.
func (d *division) atEnd() {
	if d.window.stratum != nil && len(d.window.marks) > 1 {
		d.close()
		d.take(d.taken.alike)
	}
	step := d.tally.step(d.step)
	if a, _ := d.rows.nearest(&d.like, true); a == nil && len(d.rows.list) > 0 {
		d.rows.sampled(d.rows.list[0], sample{float64(step.Cycles), float64(max(step.Instructions(), 1))}, d.draw)
	}
}

// next says which workgroups come next on the machine, when one has ended.
func (d *division) next(p scheduler.Progress) (leave uint64, hold bool) {
	d.timed++
	d.window.see(&p)
	switch {
	case p.Next == d.all || !d.window.over():
		return 0, false
	case d.drains && p.Running > 0:
		return 0, true
	}
	if d.window.stratum != nil {
		d.close()
	}
	return d.leap(p.Next) - p.Next, false
}

// close ends a window. If the machine ran empty before it and filled again, what issued meanwhile counts as if it had not been timed.
func (d *division) close() {
	w := &d.window
	first, last := w.marks[0], w.marks[len(w.marks)-1]
	d.taken = timed{w.stratum, between(first, last), last.ended - first.ended, d.each, 0}
	if d.empty.since != nil {
		x := between(*d.empty.since, w.first)
		d.empty.cycles += uint64(x.cycles)
		w.stratum.rest[d.tally.number(d.step)] += uint64(x.instructions)
	}
	if d.resident = w.stratum; d.drains {
		d.empty.since, d.resident = &last, nil
	}
	w.stratum = nil
}

// take takes the sample of the last window when what comes next is of its stratum: else it may have gone from one behaviour to another.
// The first one of a stratum counts in any case.
func (d *division) take(next *alike) {
	t := d.taken
	if d.taken = (timed{}); t.alike == nil || t.alike != next && len(t.samples) > 0 {
		return
	}
	d.rows.sampled(t.alike, t.sample(), d.draw)
}

// sample is what a window came to. Where all workgroups have the same work, that is what has ended: workgroups that began together go on
// in step, and what has issued depends on when in their life the window begins and ends.
func (t *timed) sample() sample {
	if math.Abs(t.before-t.after) <= t.SameEach*t.before {
		return sample{t.window.cycles, float64(t.ended) * t.before}
	}
	return t.window
}

// leap runs workgroups without time, from one on, up to where a window begins or to the last one.
func (d *division) leap(at uint64) uint64 {
	d.timing.machine.array.Ahead.Join()
	d.rows.share = float64(d.timed) / float64(d.all)
	for d.err == nil {
		if at = d.rest(at); at == d.all || d.err != nil {
			break
		}
		a := d.look(&at)
		d.take(a)
		if a != nil && d.all > d.begins(at)+d.generation/2 && d.rows.wants(a) {
			return d.open(a, at)
		}
	}
	d.take(d.taken.alike)
	return d.all
}

// begins is with which workgroup a window begins after those that were looked at: those a generation before it would have ended.
func (d *division) begins(at uint64) uint64 { return at + min(uint64(d.Apart), d.generation) }

// open begins a window, with workgroups whose lines those before them have not brought in: on the machine they would have begun at the
// same time. What is on the machine of another stratum ends first.
func (d *division) open(a *alike, at uint64) uint64 {
	begin := d.begins(at)
	if at < begin {
		if c := d.without(at, begin, false); c != nil {
			d.count(a, c)
		}
	}
	settle := uint64(0)
	if d.resident != a {
		settle = d.generation
	}
	d.window.open(a, settle)
	return begin
}

// rest runs what is left of the piece at hand without time, up to where other behaviour begins.
func (d *division) rest(at uint64) uint64 {
	size := max(d.piece/4, 64)
	for first := true; at < d.end; first = false {
		warm := !d.warmth.enough
		if !warm && !first {
			var other bool
			if at, other = d.peek(at); other || at == d.end {
				return at
			}
		}
		to := min(at+size, d.end)
		c := d.without(at, to, warm)
		if c == nil {
			return at
		}
		at = to
		x := d.like
		if x.mix = mixOf(&c.ByClass); warm {
			x.demand = d.demand(c, d.kernel)
		}
		a := d.rows.of(&x)
		d.count(a, c)
		if d.last != a {
			d.last, d.ran = a, 0
		}
		if d.ran += c.Instructions(); x.distance(&d.like, d.Sampling) > 1 {
			break
		}
	}
	return at
}

// peek has a few workgroups bring their lines into the caches, and says whether they ask for something else than those before them: so it is
// known where in a piece behaviour changes.
func (d *division) peek(at uint64) (to uint64, other bool) {
	to = min(at+uint64(d.Peeked), d.end)
	c := d.without(at, to, true)
	if c == nil {
		return at, true
	}
	x := signature{mix: mixOf(&c.ByClass), demand: d.demand(c, d.kernel)}
	d.count(d.last, c)
	if d.ran += c.Instructions(); x.distance(&d.like, d.Sampling) > d.Aside {
		return to, true
	}
	d.ran = 0
	return to, false
}

// look runs the first workgroups of a piece without time, with their lines brought into the caches, and says of which stratum they are.
func (d *division) look(at *uint64) *alike {
	d.end = d.ending(*at)
	to := min(*at+max(d.piece/uint64(d.Detail), min(d.generation, 32)), d.end)
	c := d.without(*at, to, true)
	if c == nil {
		return nil
	}
	*at = to
	d.like = signature{mix: mixOf(&c.ByClass), demand: d.demand(c, d.kernel)}
	a := d.rows.of(&d.like)
	d.count(a, c)
	if d.last != nil && d.last != a {
		d.rows.crossed(d.tally.number(d.step), border{d.last, a, float64(d.ran)})
		if len(a.samples) == 0 {
			d.warmth.begin()
		}
	}
	if fast, ok := d.timing.machine.hierarchy.(*mem.Fast); ok {
		d.warmth.asked(&d.like.demand, d.capacities.missed(c, fast.Warmed()))
	}
	d.last, d.ran = nil, 0
	return a
}

// ending is where a piece ends that begins at a workgroup. Its length is drawn, so that pieces meet no period.
func (d *division) ending(at uint64) uint64 {
	end := at + d.piece*3/4 + d.draw.Uint64N(d.piece/2+1)
	if end+d.piece/2 > d.all {
		return d.all
	}
	return end
}

// without runs some workgroups without time; nil: that failed.
func (d *division) without(at, end uint64, warm bool) *account.Counts {
	c, err := d.untimed.run(d.work, scheduler.Part{First: at, End: end}, warm)
	if err != nil {
		if d.err = err; c != nil {
			d.tally.add(d.step, c)
		}
		return nil
	}
	if fast, ok := d.timing.machine.hierarchy.(*mem.Fast); ok && warm {
		d.warmth.brought(fast.Warmed())
	}
	d.each = float64(c.Instructions()) / float64(max(c.Workgroups, 1))
	if d.taken.after == 0 {
		d.taken.after = d.each
	}
	return c
}

// count counts workgroups of a stratum that ran without time.
func (d *division) count(a *alike, c *account.Counts) {
	c.Estimate = &account.Estimate{} // follows when all is known
	a.rest[d.tally.add(d.step, c)] += c.Instructions()
}

// A warmth says whether the last level of the caches holds what it would if all had been timed.
type warmth struct {
	*config.Sampling
	capacity float64 // bytes
	line     float64 // bytes
	bytes    float64 // that came since behaviour changed
	enough   bool
}

// begin: what comes behaves in another way.
func (w *warmth) begin() { w.bytes, w.enough = 0, false }

// asked takes down what is asked of the machine, and what memory would be if nothing were found in the last level: where that is little, it
// matters little what the caches hold. Stores ask nothing of memory until the last level is full of them.
func (w *warmth) asked(d *demand, missed float64) {
	w.enough = w.enough || max(missed, d[demandMemory], d[demandLatency]) < w.Light*d[d.busiest()]
}

// brought takes down what workgroups brought in: when that is as much as there is space, nothing of before is left, and when it is hardly
// anything of what they asked for, that is there.
func (w *warmth) brought(by *mem.Warmed) {
	last := len(by.Came) - 1
	if last < 0 {
		return
	}
	bytes := float64(by.Came[last]) * w.line
	w.bytes += bytes
	w.enough = w.enough || bytes <= w.Filling*float64(by.Looks[last])*w.line || w.bytes >= w.Full*w.capacity
}

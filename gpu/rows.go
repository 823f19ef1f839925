package gpu

import (
	"math"

	"spvsim/account"
	"spvsim/config"
	"spvsim/scheduler"
	"spvsim/simd"
)

// Rows are those of workgroups, of all large launches of a kind, that are timed while others run without time.
type rows struct {
	strata
	beyond   []float64         // cycles that timed rows took beyond their rates and the cost of a launch: filling the machine, and running out
	begins   []float64         // of them, those at the beginning of a launch
	ends     []float64         // and the last ones of launches
	launches map[int]launching // by step
	borders  map[int][]border  // by step
	exact    map[int]float64   // by step: cycles of rows of two strata
}

// A border is somewhere among instructions that ran without time: workgroups before them were of another stratum than those after them.
type border struct {
	from, to     *alike
	instructions float64
}

// crossed takes a border down: half of the instructions count as of the one stratum, half as of the other.
func (r *rows) crossed(step int, b border) {
	if r.borders == nil {
		r.borders = map[int][]border{}
	}
	r.borders[step] = append(r.borders[step], b)
	half := uint64(b.instructions / 2)
	b.from.rest[step] -= half
	b.to.rest[step] += half
}

// across counts the cycles of a row that was of two strata.
func (r *rows) across(step int, cycles float64) {
	if r.exact == nil {
		r.exact = map[int]float64{}
	}
	r.exact[step] += cycles
}

// open is what a border leaves open: it may be anywhere.
func (r *rows) open(b border) float64 {
	x, _ := r.rate(b.from)
	y, _ := r.rate(b.to)
	return account.Confidence / 2 * b.instructions * math.Abs(x-y)
}

// rate is that of a stratum, or what it is taken to be.
func (r *rows) rate(a *alike) (rate, half float64) {
	if len(a.samples) == 0 {
		return r.unsampled(&a.like, 1)
	}
	return a.cost(0, 1)
}

// A launching is launches of a step, and the sum of their costs in cycles.
type launching struct{ n, cost float64 }

// launched counts a launch.
func (r *rows) launched(step int, cost float64) {
	if r.launches == nil {
		r.launches = map[int]launching{}
	}
	l := r.launches[step]
	r.launches[step] = launching{l.n + 1, l.cost + cost}
}

// untimed hands on what the launches of a step are taken to cost, by stratum, and half the widths of the intervals.
func (r *rows) untimed(step int, add func(took, half float64)) {
	all, apart := 0.0, 0.0 // apart: of strata that were never timed: what they are taken to be may err in one direction
	for _, a := range r.list {
		n := float64(a.rest[step])
		rate, _ := r.rate(a)
		all += rate * n
		switch {
		case n == 0:
		case len(a.samples) == 0:
			took, half := r.unsampled(&a.like, n)
			add(took, 0)
			apart += half
		default:
			took, half := a.cost(0, n)
			var of uint64
			for _, m := range a.rest {
				of += m
			}
			add(took, half*math.Sqrt(max(1-float64(a.timed)/float64(max(of, 1)), 0))) // what was timed is certain
		}
	}
	add(r.exact[step], 0)
	add(0, apart)
	for _, b := range r.borders[step] {
		add(0, r.open(b))
	}
	add(0, r.LeastRows*all)
	if l := r.launches[step]; l.n > 0 {
		mean, differ := r.border()
		add(l.cost+l.n*mean, math.Sqrt(l.n)*r.apart(mean)+l.n*differ)
	}
}

// border is what a launch takes beyond its rates, half of it where it begins and half where it ends, and half of what those differ.
func (r *rows) border() (mean, differ float64) {
	if len(r.begins) == 0 || len(r.ends) == 0 {
		mean, _ = interval(r.beyond)
		return mean, 0
	}
	x, _ := interval(r.begins)
	y, _ := interval(r.ends)
	return (x + y) / 2, math.Abs(x-y) / 2
}

// apart is how far what a launch takes beyond its rates may be from the mean.
func (r *rows) apart(mean float64) float64 {
	if len(r.beyond) < 2 {
		return math.Abs(mean)
	}
	squares := 0.0
	for _, x := range r.beyond {
		squares += (x - mean) * (x - mean)
	}
	n := float64(len(r.beyond))
	return 2 * math.Sqrt(squares/(n-1)*(1+1/n))
}

// unsampled is what instructions are taken to cost of a signature that was never timed: something between as much as those of the
// one nearest to it, and as much longer as what bounds them works for an instruction. The interval holds both, and more the further signatures are apart.
func (s *strata) unsampled(x *signature, instructions float64) (cycles, half float64) {
	a, distance := s.nearest(x, true)
	if a == nil {
		return 0, 0
	}
	mean, half := a.cost(0, instructions)
	other := mean
	longest := func(d *demand) (m float64) {
		for _, v := range d {
			m = max(m, v)
		}
		return m
	}
	if was := longest(&a.like.demand); was > 0 {
		other = mean * longest(&x.demand) / was
	}
	return (mean + other) / 2, math.Hypot(half, math.Abs(other-mean)/2+mean*min(s.OtherDemand*distance, 1)/2)
}

// A division is a large launch, which runs piece by piece.
type division struct {
	*sampler
	*launch
	resident
	rows            *rows
	all, generation uint64 // workgroups of the launch, and those that the machine holds
	timed           uint64 // workgroups
	follows         bool

	piece  uint64  // workgroups, in the mean
	filled float64 // share of the last level's lines that held something when it was looked at last
	full   bool
	last   *alike  // stratum of what ran last without time, if it was one
	ran    uint64  // instructions of that
	beyond float64 // cycles that the last row took beyond its rate
	any    bool    // there was one
}

// run runs the launch. Each piece begins with workgroups that show what they ask of memory, after which a row may be timed.
func (d *division) run() error {
	d.piece = max(d.all/uint64(d.Pieces), 3*d.generation)
	d.full = d.cachesFull()
	d.rows.launched(d.tally.number(d.step), d.cost())
	for at := uint64(0); at < d.all; {
		end := d.end(at)
		x, next, err := d.look(at, end)
		if err != nil {
			return err
		}
		a := d.rows.of(&x)
		d.cross(a)
		if d.rows.wants(a) && d.all-next >= 3*d.generation {
			if next, err = d.timedRow(a, next); err != nil {
				return err
			}
		}
		if at, err = d.rest(&x, next, max(end, next)); err != nil {
			return err
		}
	}
	if d.any {
		d.rows.ends = append(d.rows.ends, d.beyond)
	}
	return nil
}

// cross looks whether a piece is of another stratum than what ran last without time.
func (d *division) cross(a *alike) {
	if d.last != nil && d.last != a && d.ran > 0 {
		d.rows.crossed(d.tally.number(d.step), border{d.last, a, float64(d.ran)})
	}
	d.last, d.ran = nil, 0
}

// end is where a piece ends that begins at a workgroup. Its length is drawn, so that pieces meet no period.
func (d *division) end(at uint64) uint64 {
	end := at + d.piece*3/4 + d.draw.Uint64N(d.piece/2+1)
	if end+d.piece/2 > d.all {
		return d.all
	}
	return end
}

// cost is that of the launch for the command processor.
func (d *division) cost() float64 {
	spec := &d.timing.guard.setup.Machine.Dispatcher
	if d.follows {
		return float64(spec.FollowingLaunch)
	}
	return float64(max(spec.KernelLaunchCycles, spec.LaunchFloor))
}

// look runs the first workgroups of a piece without time, with their lines brought into the caches, and says what they are like.
func (d *division) look(at, end uint64) (x signature, next uint64, err error) {
	next = min(at+max(d.piece/uint64(d.Detail), min(d.generation, 64)), end)
	c, err := d.without(at, next, true)
	if err != nil {
		return x, next, err
	}
	x = signature{mix: mixOf(&c.ByClass), demand: d.demand(c, d.resident)}
	d.count(d.rows.of(&x), c)
	return x, next, nil
}

// without runs some workgroups without time; with an error, what they did is counted.
func (d *division) without(at, end uint64, warm bool) (*account.Counts, error) {
	c, err := d.untimed.run(d.launch.work, scheduler.Part{First: at, End: end}, warm)
	if err != nil && c != nil {
		d.tally.add(d.step, c)
	}
	return c, err
}

// count counts workgroups of a stratum that ran without time.
func (d *division) count(a *alike, c *account.Counts) {
	c.Estimate = &account.Estimate{} // follows when all is known
	a.rest[d.tally.add(d.step, c)] += c.Instructions()
}

// rest runs what is left of a piece without time, up to where another mix of instructions begins. While the last level
// of the caches fills up, what runs brings its lines in: from when on it is full, memory has more to do.
func (d *division) rest(x *signature, at, end uint64) (uint64, error) {
	size := max(d.piece/4, 64)
	for at < end {
		to := min(at+size, end)
		c, err := d.without(at, to, !d.full)
		if err != nil {
			return at, err
		}
		at = to
		y := *x
		y.mix = mixOf(&c.ByClass)
		b := d.rows.of(&y)
		d.count(b, c)
		if d.last, d.ran = b, d.ran+c.Instructions(); b != d.rows.of(x) {
			d.ran = c.Instructions()
		}
		if d.fill() || y.distance(x, d.Sampling) > 1 {
			break
		}
	}
	return at, nil
}

// fill looks whether the last level of the caches is full by now, or as full as what runs makes it.
func (d *division) fill() (now bool) {
	if d.full {
		return false
	}
	before := d.filled
	d.filled = d.sampler.filled()
	d.full = d.filled >= d.Full || d.filled < before+d.Filling
	return d.full
}

// timedRow times workgroups from one on until their rate has settled.
func (d *division) timedRow(a *alike, at uint64) (next uint64, err error) {
	x := &settler{Sampling: d.Sampling, codes: d.codes(), resident: 2 * d.generation, batch: max(d.generation/4, 8)}
	before := d.tally.soFarOf(d.step)
	if err := d.clocked(d.launch, scheduler.Part{First: at, End: d.all, Enough: x.enough, Ended: x.ended}, d.follows); err != nil {
		return at, err
	}
	after := d.tally.soFarOf(d.step)
	step := d.tally.number(d.step)
	d.tally.steps[step].Cycles = before.cycles
	placed, _, _ := d.progress()
	n := after.instructions() - before.instructions()
	d.timed += placed
	d.rows.share = float64(d.timed) / float64(d.all)
	took := float64(after.cycles-before.cycles) - d.cost()
	x.rowOf(took, float64(n))
	if -x.beyond > x.sample.cycles/4 { // it went from one behaviour to another: its time is that of no stratum
		d.rows.across(step, took)
		return at + placed, nil
	}
	if a.rest[step] += n; len(x.batches) > 1 {
		if at < d.piece {
			d.rows.begins = append(d.rows.begins, x.beyond)
		}
		d.rows.beyond, d.beyond, d.any = append(d.rows.beyond, x.beyond), x.beyond, true
		d.rows.sampled(a, x.sample, d.draw)
	}
	return at + placed, nil
}

// A settler looks at the rate at which instructions issue, batch of workgroups
// by batch, from the end of the second generation on: workgroups that began together go on in step for a while.
type settler struct {
	*config.Sampling
	codes           []*simd.Code
	resident, batch uint64
	next            uint64 // workgroups that have ended when the batch is over
	at, issued      uint64 // when it began
	began, before   uint64 // when the first batch began
	batches         []float64
	halfway         [2]uint64 // cycle and instructions when the second half of the batches began
	dropped         int       // batches before those
	last, drained   uint64    // when the last workgroup ended, and when memory had done what all asked

	// What the row came to.
	sample sample
	beyond float64 // cycles that it took beyond its rate
}

// enough says that the rate has settled.
func (s *settler) enough(now, ended uint64) bool {
	if ended < max(s.next, s.resident) {
		return false
	}
	n := uint64(0)
	for _, k := range issues(s.codes) {
		n += k
	}
	if s.next == 0 {
		s.began, s.before = now, n
	} else if n > s.issued {
		s.batches = append(s.batches, float64(now-s.at)/float64(n-s.issued))
	}
	s.next, s.at, s.issued = ended+s.batch, now, n
	if len(s.batches) == s.Batches/2 && s.dropped == 0 {
		s.halfway = [2]uint64{now, n}
	}
	return len(s.batches) >= s.Batches && s.steady()
}

// ended is called when a workgroup has ended.
func (s *settler) ended(now, done uint64) { s.last, s.drained = now, max(s.drained, done) }

// steady says whether the second half of the batches is like the first. Where workgroups of much work and of little run side by side,
// those of little end first, and it takes long until as many of each begin as end: then the first half goes.
func (s *settler) steady() bool {
	half := len(s.batches) / 2
	x, _ := interval(s.batches[:half])
	y, _ := interval(s.batches[half:])
	if s.dropped += half; math.Abs(x-y) <= s.Settled*y || s.dropped > s.MostBatches {
		return true
	}
	s.batches = append(s.batches[:0], s.batches[half:]...)
	s.began, s.before = s.halfway[0], s.halfway[1]
	s.halfway = [2]uint64{s.at, s.issued}
	return false
}

// rowOf works out what a row came to that took some cycles for its instructions.
func (s *settler) rowOf(took, instructions float64) {
	measured := float64(s.issued - s.before)
	if measured == 0 {
		return
	}
	s.sample = sample{float64(s.at - s.began), measured}
	s.beyond = took - instructions*s.sample.rate()
	if s.drains() > s.sample.cycles/2 { // workgroups ended faster than memory did what they asked: its rate is that of the whole row
		s.sample, s.beyond = sample{took, instructions}, 0
	}
}

// drains is how long memory worked on when the last workgroup had ended.
func (s *settler) drains() float64 { return float64(s.drained - min(s.last, s.drained)) }

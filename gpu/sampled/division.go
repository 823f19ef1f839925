package sampled

import (
	"cmp"
	"spvsim/mem/hierarchy"

	"spvsim/account"
	"spvsim/config"
	"spvsim/cu"
	"spvsim/isa"
	"spvsim/scheduler"
	"spvsim/simd"
)

// A division is a large launch, of which windows are timed. Between two of them the machine stops as it is, with workgroups half done and
// full queues, and others run without time; then it goes on with those that come next. So it fills once and runs out once, as without
// sampling, and what is in caches and queues when a window begins is what the machine left there.
type division struct {
	*Sampler
	launch          SampledLaunch
	kernel          *cu.KernelLaunch
	rows            *rows
	generation, all uint64 // workgroups that the machine holds, and those of the launch
	drains          bool   // workgroups may wait for each other: none is left half done while others run

	piece uint64 // workgroups, in the mean
	atHand
	untimedParts
	warmth warmth
	sparse bool   // workgroups ran that did not bring their lines into the caches
	start  uint64 // workgroups that end at the beginning before others run without time
	settle uint64 // those that end before what the machine does is what it goes on with, in each window
	window window
	taken  []timed // parts of the last window, of which no samples have been taken
	timed  uint64  // resident workgroups
	empty  emptied
	err    error
}

// atHand is the piece at hand.
type atHand struct {
	end   uint64
	like  signature
	light bool // it matters little what caches hold
}

// untimedParts are what ran without time.
type untimedParts struct {
	parts   ran
	longest uint64  // instructions of the wave that has most, since the last part
	held    uint64  // of that of the part before the last window: waves like it end when no others are left
	last    *alike  // stratum of what ran last, if it was one
	ran     float64 // instructions of that
}

// An emptied is when the machine began to run empty last, nil if it did not, and for how many cycles it ran empty and filled again, which without
// sampling it does not.
type emptied struct {
	since  *mark
	cycles uint64
}

// A timed part of a window is of a stratum. divided: the window has others, and which cycles are of which is not known for sure.
type timed struct {
	*alike
	sample
	divided bool
}

func newDivision(s *Sampler, l SampledLaunch, k *cu.KernelLaunch, r *rows, generation uint64) *division {
	d := &division{Sampler: s, launch: l, kernel: k, rows: r, generation: generation, all: cu.GridSize(k.NumWorkgroups)}
	d.piece = max(d.all/uint64(s.Pieces), generation, 1)
	r.near = min(s.NearRows, int(d.all/d.piece/3)) // of few pieces as well, more than one may be timed
	d.warmth.Sampling = s.Sampling
	d.warmth.capacity, d.warmth.line = s.capacities.last()
	d.window = window{Sampling: s.Sampling, issued: d.issued}
	d.sizes()
	if d.start = d.settle; r.known() { // what comes behaves as it did, and its windows settle by themselves
		d.start = min(d.settle, generation)
	}
	insts := k.Code.Program.Insts
	for i := range insts {
		d.drains = d.drains || mayWait(&insts[i])
	}
	if r.second = 4 * s.MostShare; d.drains {
		r.second = 2 * s.MostShare // each window empties the machine
	}
	return d
}

// sizes are those of windows, and of what comes before them.
func (d *division) sizes() {
	w, s := &d.window, d.Sampling
	for w.align = uint64(s.Align); w.align > d.generation+d.generation/2; {
		w.align = (w.align + 1) / 2
	}
	d.settle = portion(d.all, s.SettleShare, d.generation, uint64(s.Settle)*d.generation)
	w.batch = max(d.generation/batchesOfGeneration, 1)
	w.batches = int(portion(d.all, s.WindowShare, uint64(s.Batches)*w.batch, uint64(s.LongBatches)*w.batch) / w.batch)
}

// portion is a share of all workgroups, from least to most.
func portion(all uint64, share float64, least, most uint64) uint64 {
	return max(min(uint64(share*float64(all)), most), least)
}

// issued is how many instructions waves of the launch issued before the cycle at hand, and those of each class.
func (d *division) issued() (n uint64, by [isa.NumClasses]uint64) {
	m := d.machine
	ahead := m.Array.IssuedFrom(m.Engine.Now()) // how far units go ahead is the host's matter
	by = simd.IssuedByClass([]*simd.Code{d.kernel.Code})
	for class := range by {
		by[class] -= ahead[class]
		n += by[class]
	}
	return n, by
}

// run runs the launch.
func (d *division) run(follows bool) error {
	d.machine.Array.TrackRecent(true)
	defer d.machine.Array.TrackRecent(false)
	err := d.machine.Functional.DuringTimed(func() error {
		return d.clocked(d.launch, scheduler.WorkgroupRange{End: d.all, OnWorkgroupEnd: d.next}, follows)
	})
	if err = cmp.Or(d.err, err); err == nil {
		d.atEnd()
	}
	d.machine.Tally.Step(d.launch.Step()).Cycles -= d.empty.cycles
	return err
}

// atEnd takes the sample of a window in which the launch ended. If there is none at all, the time of the launch says what the few cost that
// were looked at.
func (d *division) atEnd() {
	if d.window.stratum != nil && len(d.window.marks) > 1 {
		a := d.window.stratum
		d.close()
		d.take(a)
	}
	d.rows.ended(d.machine.Tally.Number(d.launch.Step()), d.parts, float64(d.generation)*float64(d.kernel.Resources.Waves), float64(d.held))
	step := d.machine.Tally.Step(d.launch.Step())
	if a, _ := d.rows.nearest(&d.like, true); a == nil && len(d.rows.list) > 0 {
		timed := step.Instructions()
		if f := step.Functional; f != nil {
			timed -= f.Instructions()
		}
		d.rows.sampled(d.rows.list[0], sample{float64(step.Cycles), float64(max(timed, 1))}, d.draw)
	}
}

// next says which workgroups come next on the machine, when one has ended.
func (d *division) next(p scheduler.WorkgroupEnd) (leave uint64, hold bool) {
	d.timed++
	if fast, ok := d.machine.Hierarchy.(*hierarchy.Analytic); ok {
		p.Done = max(p.Done, fast.Booked()) // stores have ended long before write buffers that fill have sent what they hold
	}
	d.window.see(&p)
	switch {
	case p.NextIndex == d.all || !d.window.over() || p.EndedWorkgroups < d.start:
		return 0, false
	case d.drains && p.ResidentWorkgroups > 0:
		return 0, true
	case !d.drains && p.NextIndex%d.window.align != 0:
		return 0, false
	}
	if d.window.stratum != nil {
		if !d.drains {
			d.window.end()
		}
		d.close()
	}
	return d.leap(p.NextIndex) - p.NextIndex, false
}

// close ends a window. If the machine ran empty before it and filled again, what issued meanwhile counts as if it had not been timed.
func (d *division) close() {
	w := &d.window
	last := w.marks[len(w.marks)-1]
	d.taken = d.rows.parts(w)
	if d.empty.since != nil {
		x := between(*d.empty.since, w.first)
		d.empty.cycles += uint64(x.cycles)
		w.stratum.rest[d.machine.Tally.Number(d.launch.Step())] += uint64(x.instructions)
	}
	if d.drains {
		d.empty.since = &last
	}
	w.stratum = nil
}

// take takes samples of the parts of the last window. Where the classes of instructions do not tell what comes next from the stratum of a part, it
// may have gone from one behaviour to another, and only the first one of a stratum counts.
func (d *division) take(next *alike) {
	list := d.taken
	d.taken = nil
	for _, t := range list {
		told := next != nil && next.like.mix.distance(&t.like.mix) > d.OtherMix/2
		if t.alike == next || told || len(t.samples) == 0 {
			d.rows.sampled(t.alike, t.sample, d.draw)
			t.whole = t.whole || !t.divided
		} else {
			t.since = 0 // another window is likely to come to as little
			d.rows.eitherOf(t.alike, next, t.sample)
		}
	}
}

// leap runs workgroups without time, from one on, up to where a window begins or to the last one.
func (d *division) leap(at uint64) uint64 {
	d.machine.Array.Ahead.Join()
	d.rows.share = float64(d.timed) / float64(d.all)
	for d.err == nil {
		if at = d.rest(at); at == d.all || d.err != nil {
			break
		}
		a := d.look(&at)
		d.take(a)
		if a == nil || !d.holds(at) || !d.rows.wants(a, 0) {
			continue
		}
		if a = d.refill(a, &at); a != nil && d.holds(at) {
			return d.open(a, at)
		}
	}
	d.take(nil)
	return d.all
}

// begins is with which workgroup a window begins after those that were looked at: those a generation before it would have ended.
func (d *division) begins(at uint64) uint64 {
	align := d.window.align
	return (at + min(uint64(d.Apart), d.generation) + align - 1) / align * align
}

// holds says whether there is space for a window after a workgroup.
func (d *division) holds(at uint64) bool { return d.all > d.begins(at)+d.settle+d.generation/2 }

// open begins a window. Those before it bring all of their lines in: where a launch goes around in somewhat more memory than a cache holds, lines
// that they left out would not be evicted, and be found again and again. What is on the machine ends first, and some of what comes then: what was
// left half done finds its lines gone, and waves that came in step of each other go on so for some generations.
func (d *division) open(a *alike, at uint64) uint64 {
	begin := d.begins(at)
	if at < begin {
		if c := d.without(at, begin, true); c != nil {
			d.count(a, c)
		}
	}
	if n := len(d.parts); n > 0 {
		d.held = d.parts[n-1].longest
	}
	a.windows.add(&d.like, a)
	d.window.open(a, d.settle)
	return begin
}

// refill has workgroups bring their lines into the caches before a window, until the last level holds nothing of before, or has been asked for
// so much that it makes no difference: of workgroups in between only some have brought theirs, so that lines are there that would be gone. It says
// of which stratum a window is now, nil of none: where workgroups come that do something else, the piece ends, and what they ask of memory may be
// what others did that have been timed, as it did not show in what the caches had held.
func (d *division) refill(a *alike, at *uint64) *alike {
	if !d.sparse || d.light {
		return a
	}
	w := d.warmth
	if w.enough {
		w.begin()
	}
	var x signature
	size := max(d.piece/8, 16)
	for last := min(*at+uint64(d.RefillPieces)*d.piece, d.all); *at < last && !w.turned(); {
		to := min(*at+size, last)
		c := d.without(*at, to, true)
		if c == nil {
			return nil
		}
		*at, d.end = to, max(d.end, to)
		if fast, ok := d.machine.Hierarchy.(*hierarchy.Analytic); ok {
			w.brought(fast.WarmingStats())
		}
		x = d.shown(c)
		is := a
		if x.mix.distance(&a.like.mix) > d.OtherMix*max(1, a.like.blur.mix) {
			is = d.rows.of(&x)
		}
		if !d.split(a, c) {
			if d.count(is, c); is == a {
				continue
			}
		}
		if a.missed++; a.missed <= d.Missed {
			d.end = to
			return nil
		}
	}
	return d.rows.another(a, &x)
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
			x.demand = d.demand(c, d.launch)
		}
		if !warm && d.split(d.rows.of(&d.like), c) {
			break
		}
		a := d.rows.of(&x)
		d.count(a, c)
		if d.last != a {
			d.last, d.ran = a, 0
		}
		if d.ran += float64(c.Instructions()); x.distance(&d.like, d.Sampling) > 1 {
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
	x := d.shown(c)
	d.count(d.last, c)
	if d.ran += float64(c.Instructions()); x.distance(&d.like, d.Sampling) > d.aside() {
		return to, true
	}
	d.ran = 0
	return to, false
}

// aside is how far a few workgroups may be from the signature of a piece: they are a quarter of those that show it, so that chance counts twice.
func (d *division) aside() float64 {
	if d.like.blur.any() {
		return max(d.Aside, 2)
	}
	return d.Aside
}

// shown is the signature of workgroups that brought their lines into the caches.
func (d *division) shown(c *account.Counts) signature {
	return signature{mix: mixOf(&c.ByClass), demand: d.demand(c, d.launch)}
}

// look runs the first workgroups of a piece without time, with their lines brought into the caches, and says of which stratum they are.
func (d *division) look(at *uint64) *alike {
	d.end = d.ending(*at)
	to := min(*at+max(d.piece/uint64(d.Detail), min(d.generation, 32)), d.end)
	c, missed := d.show(*at, to)
	if c == nil {
		return nil
	}
	*at = to
	a := d.rows.of(&d.like)
	a.pieces.add(&d.like, a)
	if d.like.blur.any() && a.pieces.n > 0 {
		a.like.blend(&d.like, a.pieces.n)
	}
	d.count(a, c)
	if d.last != nil && d.last != a {
		d.rows.crossed(d.machine.Tally.Number(d.launch.Step()), border{d.last, a, d.ran})
		if len(a.samples) == 0 {
			d.warmth.begin()
		}
	}
	d.light = d.like.demand.light(missed, d.Sampling)
	d.warmth.enough = d.warmth.enough || d.light
	d.last, d.ran = nil, 0
	return a
}

// shownParts are the parts of those workgroups that show the signature of a piece: by how much they differ, it may be off.
const shownParts = 4

// show runs the first workgroups of a piece without time, which show its signature, and says for how long memory would work for an
// instruction if the last level held nothing. Nil: that failed.
func (d *division) show(at, end uint64) (sum *account.Counts, missed float64) {
	sum = new(account.Counts)
	var parts [shownParts]signature
	all := signature{}
	for i := range parts {
		from, to := at+(end-at)*uint64(i)/shownParts, at+(end-at)*uint64(i+1)/shownParts
		if from == to {
			continue
		}
		c := d.without(from, to, true)
		if c == nil {
			return nil, 0
		}
		sum.Add(c)
		parts[i] = d.shown(c)
		n := float64(c.Instructions())
		all.demand.add(&parts[i].demand, n)
		missed += n * d.missed(c)
	}
	n := float64(max(sum.Instructions(), 1))
	all.mix = mixOf(&sum.ByClass)
	all.demand.scale(1 / n)
	if end-at >= shownParts {
		all.blur = blurOf(parts[:], &all, d.Sampling)
	}
	d.like = all
	return sum, missed / n
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
	c, err := d.launch.Functional(scheduler.WorkgroupRange{First: at, End: end}, warm)
	if err != nil {
		if d.err = err; c != nil {
			d.machine.Tally.Add(d.launch.Step(), c)
		}
		return nil
	}
	if fast, ok := d.machine.Hierarchy.(*hierarchy.Analytic); ok && warm {
		d.warmth.brought(fast.WarmingStats())
	}
	d.sparse = d.sparse || !warm
	d.longest = max(d.longest, d.machine.Functional.LongestWave())
	return c
}

// count counts workgroups of a stratum that ran without time.
func (d *division) count(a *alike, c *account.Counts) {
	c.Estimate = &account.Estimate{} // follows when all is known
	a.rest[d.machine.Tally.Add(d.launch.Step(), c)] += c.Instructions()
	d.part(a, c)
}

// part takes down workgroups that ran without time.
func (d *division) part(a *alike, c *account.Counts) {
	if len(d.parts) == 0 {
		d.held = d.longest
	}
	d.parts = append(d.parts, ranPart{a, float64(c.Instructions()), d.longest})
	d.longest = 0
}

// split counts workgroups that ran without time, after others of a stratum, where the classes of their instructions say that some of them are of
// another: of each as much as makes up the mix. It says whether they do.
func (d *division) split(like *alike, c *account.Counts) bool {
	m := mixOf(&c.ByClass)
	if m.distance(&like.like.mix) <= d.OtherMix/2*max(1, like.like.blur.mix) {
		return false
	}
	a, b, f := d.rows.unmix(like, &m)
	if a == nil {
		return false
	}
	n := c.Instructions()
	c.Estimate = &account.Estimate{} // follows when all is known
	step, first := d.machine.Tally.Add(d.launch.Step(), c), uint64(f*float64(n))
	a.rest[step] += first
	b.rest[step] += n - first
	d.part(a, c)
	d.last, d.ran = b, 0
	return true
}

// A warmth says whether the last level of the caches holds what it would if all had been timed.
type warmth struct {
	*config.Sampling
	capacity float64 // bytes
	line     float64 // bytes
	bytes    float64 // that came since behaviour changed
	asked    float64 // bytes
	enough   bool
}

// begin: what comes behaves in another way.
func (w *warmth) begin() { w.bytes, w.asked, w.enough = 0, 0, false }

// turned says whether nothing is left of what the last level held, or hardly any of it would be by now if it were not asked for again and again.
func (w *warmth) turned() bool {
	return w.bytes >= w.Full*w.capacity || w.asked >= 2*w.Full*w.capacity
}

// brought takes down what workgroups brought in: when that is as much as there is space, nothing of before is left, and when it is hardly
// anything of what they asked for, that is there.
func (w *warmth) brought(by *hierarchy.WarmingStats) {
	last := len(by.Fills) - 1
	if last < 0 {
		return
	}
	bytes := float64(by.Fills[last]) * w.line
	w.bytes, w.asked = w.bytes+bytes, w.asked+float64(by.Lookups[last])*w.line
	w.enough = w.enough || bytes <= w.Filling*float64(by.Lookups[last])*w.line || w.turned()
}

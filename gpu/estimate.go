package gpu

import (
	"cmp"
	"math"

	"spvsim/account"
	"spvsim/config"
	"spvsim/isa"
	"spvsim/mem"
	"spvsim/scheduler"
	"spvsim/simd"
)

// A sampler runs launches of which a part is timed. Of launches of a kind the first few are timed and others after
// them, ever further apart while they agree; of a launch of many generations of workgroups the first ones, until
// the rate at which the machine issues instructions has settled. The rest runs
// without time, and is taken to cost as many cycles for an instruction.
type sampler struct {
	*executor
	*config.Sampling
	kinds kinds // of launches of the round, so far
}

// A rate is the cycles that an instruction takes of the whole machine, and how sure that is.
type rate struct {
	mix    mix
	cycles float64 // of an instruction
	half   float64 // of the interval
	size   float64 // instructions of a workgroup
}

// A mix is the share of each class of instructions.
type mix [isa.NumClasses]float64

func mixOf(by *[isa.NumClasses]uint64) (m mix) {
	var sum uint64
	for _, n := range by {
		sum += n
	}
	for i, n := range by {
		m[i] = float64(n) / float64(max(sum, 1))
	}
	return m
}

// distance is the share of instructions that would have to be of another class.
func (m *mix) distance(o *mix) (d float64) {
	for i := range m {
		d += math.Abs(m[i]-o[i]) / 2
	}
	return d
}

// A kind is launches of one program and size, by their mix.
type kind struct {
	*config.Sampling
	seen int
	due  bool // the next one is timed
	last int  // the number of the last one of which a sample was taken
	gap  int  // from there to the next one; 0: sampling.near
	// carries: a launch takes another time after a timed one, which leaves memory
	// busy, than at the beginning. ran is the number after the last timed one.
	carries bool
	ran     int
	graph   bool
	like    []*alike
}

// Alike are launches of a kind with one mix.
type alike struct {
	*config.Sampling
	mix     mix
	samples []sample       // of launches that were timed
	cold    bool           // the first sample is the kind's first launch, which finds nothing in caches
	rest    map[int]uint64 // instructions that were not timed, by step
	count   map[int]uint64 // launches that were not timed, by step
}

// untimed are the cycles that the launches of a step are taken to cost which were
// not timed, and half the width of their interval. Of a graph whose order decides
// what there is to do, a run without time may do much more or less than a timed
// one: then a launch costs what launches cost, and the interval holds what its
// instructions would.
func (a *alike) untimed(step int, graph bool) (cycles, half float64) {
	n, rest := float64(a.count[step]), float64(a.rest[step])
	cycles, half = a.cost(n, rest)
	half = max(half, a.Least*cycles)
	did := 0.0 // instructions of a launch that was timed
	for _, s := range a.samples {
		did += s.instructions / float64(len(a.samples))
	}
	if !graph || math.Abs(rest-did*n) <= a.OtherMix*did*n {
		return cycles, half
	}
	mean, width := interval(eachOf(a.warm(), func(s sample) float64 { return s.cycles }))
	return mean * n, math.Abs(mean*n-cycles) + max(width, a.Least*mean)*n
}

// cost is what n launches of so many instructions in all take, and half the
// width of its interval: in proportion to their instructions, or, where that is
// nearer to what was timed, so much for a launch and so much for an instruction.
func (a *alike) cost(n, instructions float64) (cycles, half float64) {
	list := a.warm()
	ratios := eachOf(list, sample.rate)
	mean, width := interval(ratios)
	if l, ok := lineThrough(list, a.OnLine); ok && l.off < offRate(list, mean) {
		return l.cost(n, instructions)
	}
	return mean * instructions, width * instructions
}

// warm are the samples that say what a launch that was not timed takes. None of them
// is the first, which counts only where there are not two others.
func (a *alike) warm() []sample {
	if a.cold && len(a.samples) > 2 {
		return a.samples[1:]
	}
	return a.samples
}

// nearest is what is most like a mix, and how far off that is.
func (k *kind) nearest(m *mix) (best *alike, distance float64) {
	distance = math.Inf(1)
	for _, a := range k.like {
		if d := a.mix.distance(m); d < distance {
			best, distance = a, d
		}
	}
	return best, distance
}

// kinds are those of a round.
type kinds struct {
	*config.Sampling
	byKey map[string]*kind
	order []*kind
}

// of is the kind of a launch.
func (s *kinds) of(l *launch, w resident) *kind {
	key := cmp.Or(l.kind, l.step) + " " + w.like()
	k := s.byKey[key]
	if k == nil {
		k = &kind{Sampling: s.Sampling}
		if s.byKey == nil {
			s.byKey = map[string]*kind{}
		}
		s.byKey[key], s.order = k, append(s.order, k)
	}
	return k
}

// settle forgets what was estimated: it has been added to its steps.
func (s *kinds) settle() {
	for _, k := range s.order {
		for _, a := range k.like {
			clear(a.rest)
			clear(a.count)
		}
	}
}

// timedNext says whether the next launch of the kind is timed, whether a sample is
// taken of it, and whether the one after it is timed.
func (k *kind) timedNext() (now, sample, then bool) {
	gap := max(k.gap, k.Near)
	pick := func(n int) bool { return n < k.First || n-k.last >= gap }
	n := k.seen
	now = k.due || len(k.like) == 0 || pick(n)
	sample = now && (!k.carries || k.ran == n)
	if now {
		k.due, k.ran = !sample, n+1
	}
	if sample {
		k.last = n
	}
	k.seen++
	return now, sample, k.due || pick(k.seen)
}

// timed takes a sample of a launch with that mix. While samples agree, the next
// one is twice as far, and half as far where they don't.
func (k *kind) timed(m mix, cycles, instructions float64) {
	a, d := k.nearest(&m)
	if d > k.OtherMix {
		a = &alike{Sampling: k.Sampling, mix: m, rest: map[int]uint64{}, count: map[int]uint64{}, cold: len(k.like) == 0}
		k.like = append(k.like, a)
	}
	a.samples = append(a.samples, sample{cycles, instructions})
	if a.cold && len(a.samples) == k.First {
		mean, _ := interval(eachOf(a.warm(), sample.rate))
		k.carries = math.Abs(a.samples[0].rate()-mean) > k.Warmer*mean
	}
	if len(a.samples) <= k.First {
		return
	}
	k.gap = max(k.gap, k.Near)
	switch open := k.open(); {
	case open <= k.Steady:
		k.gap = min(4*k.gap, k.Far)
	case open <= k.Agreed:
		k.gap = min(2*k.gap, k.Far)
	default:
		k.gap = max(k.gap/2, k.Near)
	}
}

// open is what the samples so far leave open of what all launches of the kind took, as a part of it: where
// a mix is rare, how sure its rate is matters little.
func (k *kind) open() float64 {
	var cycles, half float64
	for _, a := range k.like {
		var n, rest uint64
		for step := range a.rest {
			n, rest = n+a.count[step], rest+a.rest[step]
		}
		took, width := a.cost(float64(n), float64(rest))
		cycles, half = cycles+took, half+width
		for _, s := range a.samples {
			cycles += s.cycles
		}
	}
	return half / cycles
}

// run runs a launch of which a part is timed, or none if it is like others.
func (s *sampler) run(l *launch, w resident, follows bool) error {
	k := s.kinds.of(l, w)
	now, sample, then := k.timedNext()
	if !now {
		return s.likeOthers(k, l, w, then)
	}
	before := s.tally.soFarOf(l.step)
	if err := s.groups(l, w, follows); err != nil {
		return err
	}
	after := s.tally.soFarOf(l.step)
	if done := after.instructions() - before.instructions(); done > 0 && sample {
		k.timed(after.mixSince(&before), float64(after.cycles-before.cycles), float64(done))
	}
	return nil
}

// likeOthers runs a launch without time; warm: it leaves its lines to the next one.
func (s *sampler) likeOthers(k *kind, l *launch, w resident, warm bool) error {
	c, err := s.unclocked(l, whole(w), warm)
	if c == nil {
		return err
	}
	c.Estimate = &account.Estimate{} // follows when all is known
	m := mixOf(&c.ByClass)
	a, d := k.nearest(&m)
	k.due = d > s.OtherMix
	step := s.tally.add(l.step, c)
	a.rest[step] += c.Instructions()
	a.count[step]++
	_, known := w.workgroups()
	k.graph = !known
	return err
}

// estimate adds to the steps of a round what their launches take that were not timed.
func (s *sampler) estimate() {
	steps := s.tally.steps
	for _, k := range s.kinds.order {
		for _, a := range k.like {
			for step := range steps {
				if a.count[step] > 0 {
					cycles, half := a.untimed(step, k.graph)
					c := &account.Counts{Cycles: uint64(math.Round(cycles))}
					c.Estimate = &account.Estimate{Cycles: c.Cycles, Half: half}
					steps[step].Add(c)
				}
			}
		}
	}
}

// estimated are the cycles of n instructions at a rate.
func (s *sampler) estimated(n uint64, mean, half float64) *account.Counts {
	c := &account.Counts{Cycles: uint64(math.Round(mean * float64(n)))}
	c.Estimate = &account.Estimate{Cycles: c.Cycles, Half: max(half, s.Least*mean) * float64(n)}
	return c
}

// A division is a launch that is timed in part.
type division struct {
	*launch
	resident
	all, generation uint64 // workgroups of the launch, and those that the machine holds
}

// groups times the first workgroups of a launch, and others where the mix
// changes; a launch of few generations, and one whose workgroups are not known before, as a whole.
func (s *sampler) groups(l *launch, w resident, follows bool) error {
	all, known := w.workgroups()
	if !known {
		return s.clocked(l, whole(w), follows)
	}
	need := w.need()
	generation := uint64(max(need.Occupancy(s.timing.machine.limits), 1) * s.timing.guard.setup.Machine.Units())
	if all < uint64(s.Generations)*generation {
		return s.clocked(l, whole(w), follows)
	}
	d := &division{l, w, all, generation}
	var rates []rate
	var empty *emptyStretch
	for at := uint64(0); at < all; {
		got, placed, err := s.settle(d, follows, scheduler.Part{First: at, End: all})
		if err != nil {
			return err
		}
		s.widen(empty, l.step, &got)
		rates, empty = append(rates, got), nil
		wasFull, from := s.cachesFull(), s.tally.issued
		if at, err = s.forward(d, rates, at+placed); err != nil {
			return err
		}
		if !wasFull && s.cachesFull() {
			rates, empty = nil, &emptyStretch{got.cycles, s.tally.issued - from}
		}
	}
	return nil
}

// An emptyStretch ran without time while the last level of the caches filled up:
// it took stores in that it had nothing to write back for.
type emptyStretch struct {
	cycles       float64 // that an instruction is taken to cost
	instructions uint64
}

// widen makes the interval hold that, when the rate after the stretch is known.
func (s *sampler) widen(e *emptyStretch, step string, behind *rate) {
	if e == nil {
		return
	}
	half := s.Late * math.Abs(behind.cycles-e.cycles) * float64(e.instructions)
	s.tally.steps[s.tally.stepOf[step]].Add(&account.Counts{Estimate: &account.Estimate{Half: half}})
}

// cachesFull says that the last level of the caches has space for nothing more;
// of a memory of Akita's is not known.
func (s *sampler) cachesFull() bool {
	fast, ok := s.timing.machine.hierarchy.(*mem.Fast)
	return !ok || fast.Filled() >= s.Full
}

// settle times workgroups of a launch until the rate has settled. Of later parts
// only the rate counts: that they begin and run out is not part of the launch.
func (s *sampler) settle(d *division, follows bool, part scheduler.Part) (got rate, placed uint64, err error) {
	x := &settler{Sampling: s.Sampling, codes: d.codes(), resident: d.generation, batch: max(d.generation/4, 8), standsFor: s.standsFor(part)}
	part.Enough = x.enough
	before := s.tally.soFarOf(d.step)
	if err := s.clocked(d.launch, part, follows); err != nil {
		return got, 0, err
	}
	after := s.tally.soFarOf(d.step)
	got.mix = after.mixSince(&before)
	n := after.instructions() - before.instructions()
	got.cycles, got.half = intervalOfRow(x.batches, s.Groups)
	if len(x.batches) < 2 { // it came to the launch's end before
		got.cycles = float64(after.cycles-before.cycles) / float64(max(n, 1))
	}
	placed, _, _ = d.progress()
	got.size = float64(n) / float64(max(placed, 1))
	if part.First > 0 {
		step := &s.tally.steps[s.tally.stepOf[d.step]]
		step.Cycles = before.cycles
		step.Add(s.estimated(n, got.cycles, got.half))
	}
	return got, placed, nil
}

// forward runs workgroups of a launch without time, piece by piece, until their
// mix is another than that of all parts that were timed, or until the caches are
// full, into which they bring their lines up to then: from there on, memory has
// more to do. It says from where on workgroups are left.
//
// Workgroups that are larger than those that were timed may run on while nothing
// is left to fill the machine with: the interval holds the time that they take
// among as many as the machine holds.
func (s *sampler) forward(d *division, rates []rate, at uint64) (uint64, error) {
	size, longest := max((d.all-at)/uint64(s.Pieces), 64), 0.0
	for full := s.cachesFull(); at < d.all; {
		end := min(at+size, d.all)
		c, err := s.unclocked(d.launch, scheduler.Part{First: at, End: end}, !full)
		if err != nil {
			s.tally.add(d.step, c)
			return at, err
		}
		m := mixOf(&c.ByClass)
		best, distance := nearestRate(rates, &m)
		c.Add(s.estimated(c.Instructions(), best.cycles, best.half))
		i := s.tally.add(d.step, c)
		longer := float64(c.Instructions())/float64(end-at) - best.size
		if late := longer * float64(d.generation) * best.cycles; late > longest {
			s.tally.steps[i].Estimate.Half += late - longest
			longest = late
		}
		if at = end; distance > s.OtherMix || !full && s.cachesFull() {
			break
		}
	}
	return at, nil
}

func nearestRate(rates []rate, m *mix) (best rate, distance float64) {
	distance = math.Inf(1)
	for _, x := range rates {
		if d := x.mix.distance(m); d < distance {
			best, distance = x, d
		}
	}
	return best, distance
}

// A settler looks at the rate at which instructions issue, batch of workgroups
// by batch, from the end of the first generation on.
type settler struct {
	*config.Sampling
	codes           []*simd.Code
	resident, batch uint64
	next            uint64 // workgroups that have ended when the batch is over
	at, issued      uint64 // when it began
	batches         []float64
	standsFor       func(ended uint64) float64 // the share of what is left of the launch that will be taken to go at this rate; nil: all
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
	if s.next > 0 && n > s.issued {
		s.batches = append(s.batches, float64(now-s.at)/float64(n-s.issued))
	}
	s.next, s.at, s.issued = ended+s.batch, now, n
	if len(s.batches) < s.FewestBatches {
		return false
	}
	mean, half := intervalOfRow(s.batches, s.Groups)
	if s.standsFor != nil {
		half *= s.standsFor(ended)
	}
	return half <= s.Settled*mean || len(s.batches) >= s.MostBatches
}

// standsFor says for which share of a part of a launch its first rate will stand:
// where the last level of the caches fills up, up to then; from there on there
// will be another. What an inexact rate of few workgroups does to all is little.
func (s *sampler) standsFor(part scheduler.Part) func(ended uint64) float64 {
	fast, ok := s.timing.machine.hierarchy.(*mem.Fast)
	if !ok {
		return nil
	}
	began := fast.Filled()
	return func(ended uint64) float64 {
		now := fast.Filled()
		if began >= s.Full || now >= s.Full || now <= began {
			return 1
		}
		left := (s.Full - now) / (now - began) * float64(ended)
		return min(left/float64(part.End-part.First), 1)
	}
}

// student has the quantiles of Student's distribution for 95 % on two sides, by degrees of freedom from 1 on.
var student = []float64{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
	2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042}

// interval is the mean of samples and half the width of the interval in which the
// true mean is with account.Confidence. One sample alone may be off by all of it.
func interval(samples []float64) (mean, half float64) {
	n := float64(len(samples))
	for _, x := range samples {
		mean += x / n
	}
	if len(samples) < 2 {
		return mean, mean
	}
	squares := 0.0
	for _, x := range samples {
		squares += (x - mean) * (x - mean)
	}
	return mean, student[min(len(samples)-2, len(student)-1)] * math.Sqrt(squares/(n-1)/n)
}

// intervalOfRow is interval of samples that follow each other: those of a long row
// are joined to as few groups as their spread can be told from, as what one sample has too much the next
// one lacks (the method of batch means).
func intervalOfRow(samples []float64, groups int) (mean, half float64) {
	size := max(len(samples)/groups, 1)
	joined := make([]float64, len(samples)/size)
	first := len(samples) - len(joined)*size
	for i, x := range samples[first:] {
		joined[i/size] += x / float64(size)
	}
	return interval(joined)
}

package gpu

import (
	"cmp"
	"fmt"
	"math"

	"spvsim/account"
	"spvsim/isa"
	"spvsim/mem"
	"spvsim/scheduler"
	"spvsim/simd"
)

// Sampled runs. Of launches of a kind the first few are timed and others after
// them, ever further apart while they agree; of a launch of many generations of workgroups the first ones, until
// the rate at which the machine issues instructions has settled. The rest runs
// without time, and is taken to cost as many cycles for an instruction. Knobs:
const (
	firstOfKind = 3    // launches of each kind that are timed
	nearGap     = 8    // launches from a timed one to the next behind them
	farGap      = 256  // the same, where all agree
	minRounds   = 6    // generations of workgroups from which on a launch is sampled
	minBatches  = 6    // of workgroups, from which a rate is taken
	maxBatches  = 40   // after which it is taken as it is
	settled     = 0.03 // half the width of the interval of a rate that has settled
	warmer      = 0.02 // part by which a kind's first launch takes another time than those behind it, up to which it takes the same
	agreed      = 0.04 // half the width of the interval of what a kind took, up to which samples of it agree
	steady      = 0.01 // the same, up to which the next one is four times as far
	otherMix    = 0.1  // share of the instructions that are of other classes, from which on a mix is another
	chunks      = 32   // pieces in which what is left of a launch is looked at
	// least is the part of what is estimated that an interval is wide at least, to
	// each side: what samples can't show, such as how a launch runs out.
	least = 0.02
)

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
	seen int
	due  bool // the next one is timed
	last int  // the number of the last one of which a sample was taken
	gap  int  // from there to the next one; 0: nearGap
	// carries: a launch takes another time behind a timed one, which leaves memory
	// busy, than at the beginning. ran is the number behind the last timed one.
	carries bool
	ran     int
	graph   bool
	like    []*alike
}

// Alike are launches of a kind with one mix.
type alike struct {
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
	half = max(half, least*cycles)
	did := 0.0 // instructions of a launch that was timed
	for _, s := range a.samples {
		did += s.instructions / float64(len(a.samples))
	}
	if !graph || math.Abs(rest-did*n) <= otherMix*did*n {
		return cycles, half
	}
	mean, width := interval(eachOf(a.warm(), func(s sample) float64 { return s.cycles }))
	return mean * n, math.Abs(mean*n-cycles) + max(width, least*mean)*n
}

// cost is what n launches of so many instructions in all take, and half the
// width of its interval: in proportion to their instructions, or, where that is
// nearer to what was timed, so much for a launch and so much for an instruction.
func (a *alike) cost(n, instructions float64) (cycles, half float64) {
	list := a.warm()
	ratios := eachOf(list, sample.rate)
	mean, width := interval(ratios)
	if l, ok := lineThrough(list); ok && l.off < offRate(list, mean) {
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
	byKey map[string]*kind
	order []*kind
}

// of is the kind of a launch.
func (s *kinds) of(l *launch) *kind {
	key := fmt.Sprintf("%s %p %v", cmp.Or(l.kind, l.step), l.Code, l.NumWorkgroups)
	for i := range l.graph {
		key += fmt.Sprintf(" %p %d", l.graph[i].Node, l.graph[i].Count)
	}
	k := s.byKey[key]
	if k == nil {
		k = &kind{}
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
	gap := max(k.gap, nearGap)
	pick := func(n int) bool { return n < firstOfKind || n-k.last >= gap }
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
	if d > otherMix {
		a = &alike{mix: m, rest: map[int]uint64{}, count: map[int]uint64{}, cold: len(k.like) == 0}
		k.like = append(k.like, a)
	}
	a.samples = append(a.samples, sample{cycles, instructions})
	if a.cold && len(a.samples) == firstOfKind {
		mean, _ := interval(eachOf(a.warm(), sample.rate))
		k.carries = math.Abs(a.samples[0].rate()-mean) > warmer*mean
	}
	if len(a.samples) <= firstOfKind {
		return
	}
	k.gap = max(k.gap, nearGap)
	switch open := k.open(); {
	case open <= steady:
		k.gap = min(4*k.gap, farGap)
	case open <= agreed:
		k.gap = min(2*k.gap, farGap)
	default:
		k.gap = max(k.gap/2, nearGap)
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

// sampled runs a launch of which a part is timed, or none if it is like others.
func (r *runner) sampled(l *launch, follows bool) error {
	k := r.kinds.of(l)
	now, sample, then := k.timedNext()
	if !now {
		return r.likeOthers(k, l, then)
	}
	before := r.soFarOf(l.step)
	if err := r.sampleGroups(l, follows); err != nil {
		return err
	}
	after := r.soFarOf(l.step)
	if done := after.instructions() - before.instructions(); done > 0 && sample {
		k.timed(after.mixSince(&before), float64(after.cycles-before.cycles), float64(done))
	}
	return nil
}

// likeOthers runs a launch without time; warm: it leaves its lines to the next one.
func (r *runner) likeOthers(k *kind, l *launch, warm bool) error {
	c, err := r.untimedPart(l, scheduler.Part{End: groups(l.NumWorkgroups)}, warm)
	if c == nil {
		return err
	}
	c.Estimate = &account.Estimate{} // follows when all is known
	m := mixOf(&c.ByClass)
	a, d := k.nearest(&m)
	k.due = d > otherMix
	step := r.add(l.step, c)
	a.rest[step] += c.Instructions()
	a.count[step]++
	k.graph = l.graph != nil
	return err
}

// A stepSoFar is what a step did so far.
type stepSoFar struct {
	cycles  uint64
	byClass [isa.NumClasses]uint64
}

func (r *runner) soFarOf(step string) (s stepSoFar) {
	if i, ok := r.stepOf[step]; ok {
		s.cycles, s.byClass = r.steps[i].Cycles, r.steps[i].ByClass
	}
	return s
}

func (s *stepSoFar) instructions() (sum uint64) {
	for _, n := range s.byClass {
		sum += n
	}
	return sum
}

func (s *stepSoFar) mixSince(o *stepSoFar) mix {
	by := s.byClass
	for i, n := range o.byClass {
		by[i] -= n
	}
	return mixOf(&by)
}

// estimate adds to the steps of a round what their launches take that were not timed.
func (r *runner) estimate() {
	for _, k := range r.kinds.order {
		for _, a := range k.like {
			for step := range r.steps {
				if a.count[step] > 0 {
					cycles, half := a.untimed(step, k.graph)
					c := &account.Counts{Cycles: uint64(math.Round(cycles))}
					c.Estimate = &account.Estimate{Cycles: c.Cycles, Half: half}
					r.steps[step].Add(c)
				}
			}
		}
	}
}

// estimated are the cycles of n instructions at a rate.
func estimated(n uint64, mean, half float64) *account.Counts {
	c := &account.Counts{Cycles: uint64(math.Round(mean * float64(n)))}
	c.Estimate = &account.Estimate{Cycles: c.Cycles, Half: max(half, least*mean) * float64(n)}
	return c
}

// sampleGroups times the first workgroups of a launch, and others where the mix
// changes; a launch of few generations, and one of a graph, as a whole.
func (r *runner) sampleGroups(l *launch, follows bool) error {
	if l.graph != nil {
		return r.dispatchOnce(l.step, l.graph)
	}
	all := groups(l.NumWorkgroups)
	resident := uint64(max(l.Need.Occupancy(r.machine.limits), 1) * r.setup.Machine.Units())
	if all < minRounds*resident {
		return r.timed(l, follows, scheduler.Part{End: all})
	}
	var rates []rate
	var empty *emptyStretch
	for at := uint64(0); at < all; {
		got, placed, err := r.settle(l, follows, scheduler.Part{First: at, End: all}, resident)
		if err != nil {
			return err
		}
		empty.widen(r, l.step, &got)
		rates, empty = append(rates, got), nil
		wasFull, from := r.cachesFull(), r.issued
		if at, err = r.forward(l, rates, at+placed, all, resident); err != nil {
			return err
		}
		if !wasFull && r.cachesFull() {
			rates, empty = nil, &emptyStretch{got.cycles, r.issued - from}
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

// lateShare of an empty stretch may have been at the rate behind it. Knob.
const lateShare = 0.1

// widen makes the interval hold that, when the rate behind the stretch is known.
func (e *emptyStretch) widen(r *runner, step string, behind *rate) {
	if e == nil {
		return
	}
	half := lateShare * math.Abs(behind.cycles-e.cycles) * float64(e.instructions)
	r.steps[r.stepOf[step]].Add(&account.Counts{Estimate: &account.Estimate{Half: half}})
}

// fullShare of the last level's lines hold something when it is taken for full.
const fullShare = 0.98

// cachesFull says that the last level of the caches has room for nothing more;
// of a memory of Akita's nobody knows.
func (r *runner) cachesFull() bool {
	fast, ok := r.machine.hierarchy.(*mem.Fast)
	return !ok || fast.Filled() >= fullShare
}

// settle times workgroups of a launch until the rate has settled. Of later parts
// only the rate counts: that they begin and run out is not part of the launch.
func (r *runner) settle(l *launch, follows bool, part scheduler.Part, resident uint64) (got rate, placed uint64, err error) {
	s := &settler{code: l.Code, resident: resident, batch: max(resident/4, 8), standsFor: r.standsFor(part)}
	part.Enough = s.enough
	before := r.soFarOf(l.step)
	if err := r.timed(l, follows, part); err != nil {
		return got, 0, err
	}
	after := r.soFarOf(l.step)
	got.mix = after.mixSince(&before)
	n := after.instructions() - before.instructions()
	got.cycles, got.half = intervalOfRow(s.batches)
	if len(s.batches) < 2 { // it came to the launch's end before
		got.cycles = float64(after.cycles-before.cycles) / float64(max(n, 1))
	}
	got.size = float64(n) / float64(max(r.machine.dispatcher.Placed(), 1))
	if part.First > 0 {
		step := &r.steps[r.stepOf[l.step]]
		step.Cycles = before.cycles
		step.Add(estimated(n, got.cycles, got.half))
	}
	return got, r.machine.dispatcher.Placed(), nil
}

// forward runs workgroups of a launch without time, piece by piece, until their
// mix is another than that of all parts that were timed, or until the caches are
// full, into which they bring their lines up to then: from there on, memory has
// more to do. It says from where on workgroups are left.
//
// Workgroups that are larger than those that were timed may run on while nothing
// is left to fill the machine with: the interval holds the time that they take
// among as many as the machine holds.
func (r *runner) forward(l *launch, rates []rate, at, all, resident uint64) (uint64, error) {
	size, longest := max((all-at)/chunks, 64), 0.0
	for full := r.cachesFull(); at < all; {
		end := min(at+size, all)
		c, err := r.untimedPart(l, scheduler.Part{First: at, End: end}, !full)
		if err != nil {
			r.add(l.step, c)
			return at, err
		}
		m := mixOf(&c.ByClass)
		best, distance := nearestRate(rates, &m)
		e := estimated(c.Instructions(), best.cycles, best.half)
		c.Add(e)
		i := r.add(l.step, c)
		longer := float64(c.Instructions())/float64(end-at) - best.size
		if late := longer * float64(resident) * best.cycles; late > longest {
			r.steps[i].Estimate.Half += late - longest
			longest = late
		}
		if at = end; distance > otherMix || !full && r.cachesFull() {
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
	code            *simd.Code
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
	for _, k := range issues([]*simd.Code{s.code}) {
		n += k
	}
	if s.next > 0 && n > s.issued {
		s.batches = append(s.batches, float64(now-s.at)/float64(n-s.issued))
	}
	s.next, s.at, s.issued = ended+s.batch, now, n
	if len(s.batches) < minBatches {
		return false
	}
	mean, half := intervalOfRow(s.batches)
	if s.standsFor != nil {
		half *= s.standsFor(ended)
	}
	return half <= settled*mean || len(s.batches) >= maxBatches
}

// standsFor says for which share of a part of a launch its first rate will stand:
// where the last level of the caches fills up, up to then; from there on there
// will be another. What an inexact rate of few workgroups does to all is little.
func (r *runner) standsFor(part scheduler.Part) func(ended uint64) float64 {
	fast, ok := r.machine.hierarchy.(*mem.Fast)
	if !ok {
		return nil
	}
	began := fast.Filled()
	return func(ended uint64) float64 {
		now := fast.Filled()
		if began >= fullShare || now >= fullShare || now <= began {
			return 1
		}
		left := (fullShare - now) / (now - began) * float64(ended)
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

// rowGroups is how many groups of neighbours a row of samples is looked at in, at least. Knob.
const rowGroups = 8

// intervalOfRow is interval of samples that follow each other: those of a long row
// are joined to as few groups as their spread can be told from, as what one sample has too much the next
// one lacks (the method of batch means).
func intervalOfRow(samples []float64) (mean, half float64) {
	size := max(len(samples)/rowGroups, 1)
	groups := make([]float64, len(samples)/size)
	first := len(samples) - len(groups)*size
	for i, x := range samples[first:] {
		groups[i/size] += x / float64(size)
	}
	return interval(groups)
}

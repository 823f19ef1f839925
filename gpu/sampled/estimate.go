package sampled

import (
	"cmp"
	"math"
	"math/rand/v2"
	"strconv"

	"spvsim/account"
	"spvsim/config"
	"spvsim/cu"
)

// A Sampler runs launches of which a part is timed. Everything runs without time first, as far as it may, and leaves a signature.
// Of launches with one signature some are run once more with time; of a launch of many generations of workgroups,
// some rows of workgroups in between are. The rest is taken to cost as many cycles for an instruction.
type Sampler struct {
	*config.Sampling
	machine    Machine
	kinds      kinds // of launches of the round, so far
	capacities *capacities
	draw       *rand.Rand
	kept       keeper // memory that is put back after a second run
	history    history
}

// New is the sampler of a job; its seed decides what is drawn.
func New(m Machine, by *config.Sampling) *Sampler {
	s := &Sampler{machine: m, Sampling: by, capacities: newCapacities(m.Spec)}
	s.BeginRound()
	return s
}

// BeginRound starts a round.
func (s *Sampler) BeginRound() {
	s.kinds = kinds{Sampling: s.Sampling}
	s.history = history{}
	s.draw = rand.New(rand.NewPCG(uint64(s.Seed), 0))
}

// A kind is launches of one program, or of one program and size where they are not run twice.
type kind struct {
	*config.Sampling
	seen   int
	parted int  // launches that were timed in part
	due    bool // the next one is timed
	last   int  // the number of the last one of which a sample was taken
	gap    int  // from there to the next one; 0: sampling.near
	// carries: a launch takes another time after a timed one, which leaves memory
	// busy, than at the beginning. ran is the number after the last timed one.
	carries  bool
	ran      int
	graph    bool
	inTurn   bool    // they may not run twice
	each     float64 // instructions of a workgroup of the first one
	launches strata
	rows     rows
}

func newKind(by *config.Sampling) *kind {
	k := &kind{Sampling: by, launches: strata{Sampling: by, first: 2, from: 1, near: by.Near, least: by.Near, far: by.Far, spread: by.Spread, second: 2 * by.MostShare}}
	k.rows.strata = strata{Sampling: by, first: 2, from: by.FromPiece, near: by.NearRows, least: 1, far: max(by.Pieces, by.NearRows), spread: by.SpreadRows, worth: by.WorthTiming}
	k.rows.least = by.LeastRows
	return k
}

// kinds are those of a round.
type kinds struct {
	*config.Sampling
	byKey map[string]*kind
	order []*kind
}

// of is the kind of launches of a step that have a name in common.
func (s *kinds) of(l SampledLaunch, like string) *kind {
	key := cmp.Or(l.Kind(), l.Step()) + " " + like
	k := s.byKey[key]
	if k == nil {
		k = newKind(s.Sampling)
		if s.byKey == nil {
			s.byKey = map[string]*kind{}
		}
		s.byKey[key], s.order = k, append(s.order, k)
	}
	return k
}

// Settle forgets what was estimated: it has been added to its steps.
func (s *Sampler) Settle() {
	for _, k := range s.kinds.order {
		for _, a := range append(k.launches.list, k.rows.list...) {
			a.settle()
		}
		k.rows.borders, k.rows.late = nil, nil
	}
}

// timedNext says whether the next launch of the kind is timed, whether a sample is
// taken of it, and whether the one after it is timed.
func (k *kind) timedNext() (now, sample, then bool) {
	gap := max(k.gap, k.Near)
	pick := func(n int) bool { return n < k.First || n-k.last >= gap }
	n := k.seen
	now = k.due || len(k.launches.list) == 0 || pick(n)
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

// timed takes a sample of a launch with that signature. While samples agree, the next
// one is twice as far, and half as far where they don't.
func (k *kind) timed(x *signature, cycles, instructions float64) {
	a := k.launches.of(x)
	a.cold = a.cold || len(k.launches.list) == 1 && len(a.samples) == 0
	a.samples = append(a.samples, sample{cycles, instructions})
	if a.cold && len(a.samples) == k.First {
		mean, _ := interval(eachOf(a.warm(), sample.rate))
		k.carries = math.Abs(a.samples[0].rate()-mean) > k.Warmer*mean
	}
	if len(a.samples) <= k.First {
		return
	}
	k.gap = min(max(k.launches.further(max(k.gap, k.Near)), k.Near), k.Far)
}

// Run runs a launch of which a part is timed, or none if it is like others.
func (s *Sampler) Run(l SampledLaunch, follows bool) error {
	before := s.history
	s.history = history{} // what others leave in the caches is not known
	if kern := l.Kernel(); kern != nil {
		k := s.kinds.of(l, strconv.Itoa(kern.Code.Address))
		all := cu.GridSize(kern.NumWorkgroups)
		if all == 0 {
			return s.clocked(l, whole(l), follows) // it takes what a launch takes
		}
		if generation := s.generation(l); all >= k.inPartFrom()*generation {
			k.parted++
			return runAfter(before, newDivision(s, l, kern, &k.rows, generation), follows)
		}
		if k.inTurn = k.inTurn || !s.mayRunTwice(kern); !k.inTurn {
			s.history = before
			return s.runLooked(k, l, kern, follows)
		}
	}
	return s.runInTurn(s.kinds.of(l, l.ClassKey()), l, follows)
}

// runAfter runs a large launch after those of a history.
func runAfter(before history, d *division, follows bool) error {
	s := d.Sampler
	if s.history = before; !s.mayRunTwice(d.kernel) {
		s.history = history{again: before.again}
		return d.run(follows)
	}
	err := s.bringBack(d.kernel)
	if err == nil {
		err = d.run(follows)
	}
	size := d.parts.instructions() * float64(d.all) / float64(max(d.all-d.timed, 1))
	like := signature{mix: d.like.mix, demand: d.like.demand, size: size} // as the last piece shows it
	s.history.ran(preceding{launch: d.launch, kernel: d.kernel, like: like, held: !d.sparse})
	return err
}

// inPartFrom is of how many generations on the next launch is timed in part.
func (k *kind) inPartFrom() uint64 {
	if k.seen+k.parted >= k.RepeatedFrom {
		return uint64(max(k.Generations, k.Repeated))
	}
	return uint64(k.Generations)
}

// generation is how many workgroups the machine holds.
func (s *Sampler) generation(l SampledLaunch) uint64 {
	need := l.Resources()
	return uint64(max(need.Occupancy(s.machine.Limits), 1) * s.machine.Spec.Units())
}

// runInTurn times a launch if its turn has come.
func (s *Sampler) runInTurn(k *kind, l SampledLaunch, follows bool) error {
	now, sample, then := k.timedNext()
	if !now {
		return s.likeOthers(k, l, then || l.Kernel() != nil)
	}
	before := soFarOf(s.machine.Tally, l.Step())
	if err := s.clocked(l, whole(l), follows); err != nil {
		return err
	}
	after := soFarOf(s.machine.Tally, l.Step())
	if done := after.instructions() - before.instructions(); done > 0 && sample {
		k.timed(&signature{mix: after.mixSince(&before)}, float64(after.cycles-before.cycles), float64(done))
	}
	return nil
}

// likeOthers runs a launch without time; warm: it leaves its lines to the next one.
func (s *Sampler) likeOthers(k *kind, l SampledLaunch, warm bool) error {
	c, err := l.Functional(whole(l), warm)
	if c == nil {
		return err
	}
	x := signature{mix: mixOf(&c.ByClass)}
	a, d := k.launches.nearest(&x, false)
	k.due = d > 1
	s.untimedMember(a, l, c, 0)
	_, known := l.Workgroups()
	k.graph = !known
	return err
}

// untimedMember counts a member of a stratum that was not timed, of so many generations; 0: unknown.
func (s *Sampler) untimedMember(a *alike, l SampledLaunch, c *account.Counts, generations int) {
	c.Estimate = &account.Estimate{} // follows when all is known
	step := s.machine.Tally.Add(l.Step(), c)
	a.rest[step] += c.Instructions()
	a.count[step]++
	if generations > 0 {
		a.byGenerations.add(step, generations, c.Instructions())
	}
}

// Estimate adds to the steps of a round what their launches take that were not timed.
func (s *Sampler) Estimate() {
	for step := range s.machine.Tally.Steps {
		cycles, half := 0.0, 0.0
		var without []account.NotSampled
		for _, k := range s.kinds.order {
			took, width := k.untimed(step)
			cycles, half = cycles+took, half+width
			without = append(without, k.rows.notSampled(step, took)...)
		}
		if cycles > 0 {
			c := &account.Counts{Cycles: uint64(math.Round(cycles))}
			c.Estimate = &account.Estimate{Cycles: c.Cycles, Half: math.Hypot(half, s.Least*cycles), NotSampled: without}
			s.machine.Tally.Steps[step].Add(c)
		}
	}
}

// untimed are the cycles that the launches of a step are taken to cost which were
// not timed, and half the width of their interval. Strata were sampled each by itself: their errors do not add up, but their squares.
func (k *kind) untimed(step int) (cycles, half float64) {
	squares := 0.0
	add := func(took, width float64) { cycles, squares = cycles+took, squares+width*width }
	waited := 0.0
	for _, a := range k.launches.list {
		if a.count[step] > 0 {
			took, width := k.untimedOf(a, step)
			if add(took, width); a.waits() {
				waited += took
			}
		}
	}
	add(0, k.Waiting*waited)
	k.rows.untimed(step, add)
	return cycles, math.Sqrt(squares)
}

// untimedOf is untimed of a stratum. Of a graph whose order decides
// what there is to do, a run without time may do much more or less than a timed
// one: then a launch costs what launches cost, and the interval holds what its
// instructions would.
func (k *kind) untimedOf(a *alike, step int) (cycles, half float64) {
	n, rest := float64(a.count[step]), float64(a.rest[step])
	if len(a.samples) == 0 {
		return k.launches.unsampled(&a.like, rest)
	}
	cycles, half = a.costOf(step)
	did := 0.0 // instructions of a launch that was timed
	for _, s := range a.samples {
		did += s.instructions / float64(len(a.samples))
	}
	if !k.graph || math.Abs(rest-did*n) <= a.OtherMix*did*n {
		return cycles, half
	}
	mean, width := interval(eachOf(a.warm(), func(s sample) float64 { return s.cycles }))
	return mean * n, math.Abs(mean*n-cycles) + max(width, a.Least*mean)*n
}

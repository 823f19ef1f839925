package sampled

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"spvsim/account"
	"spvsim/config"
	"spvsim/cu"
	"spvsim/isa"
)

// A Sampler runs launches of which a part is timed: docs/model/sampling.md has the method.
type Sampler struct {
	*config.Sampling
	machine      Machine
	byKey        map[string]*kind
	kinds        []*kind // of the round, so far
	capacities   *capacities
	beforeLaunch memoryCopy // memory as it was before the launch at hand
	beforeReplay memoryCopy // memory that is put back after a launch runs once more for its lines
	history      history
	overlaps     []overlap
}

// An overlap is by how much the launches of a step take longer than the sum of their parts, and half the width of the interval of that.
type overlap struct {
	step              int
	cycles, halfWidth float64
}

// A kind is launches of one program, or of one program and size where they do not run twice.
type kind struct {
	undivided             int
	divided               int     // launches that were timed in part
	wholeOnly             bool    // they do not run twice
	workgroupInstructions float64 // instructions of a workgroup of the first one
	launches              strata
	windows               strata
}

// New returns the sampler of a job; its seed decides what is drawn.
func New(m Machine, options *config.Sampling) *Sampler {
	s := &Sampler{machine: m, Sampling: options, capacities: newCapacities(m.Spec)}
	s.BeginRound()
	return s
}

// BeginRound starts a round.
func (s *Sampler) BeginRound() {
	s.byKey, s.kinds, s.history, s.overlaps = map[string]*kind{}, nil, history{}, nil
}

// kind returns the kind of launches that have a name in common.
func (s *Sampler) kind(l SampledLaunch, class string) *kind {
	key := cmp.Or(l.Kind(), l.Step()) + " " + class
	k := s.byKey[key]
	if k == nil {
		k = &kind{launches: strata{Sampling: s.Sampling, name: l.Step() + " launches", kindNumber: len(s.kinds), maxBlock: maxLaunchBlock, launches: true},
			windows: strata{Sampling: s.Sampling, name: l.Step() + " windows", kindNumber: len(s.kinds)}}
		s.byKey[key], s.kinds = k, append(s.kinds, k)
	}
	return k
}

// mostLaunches are the launches of a block at most, so that a kind is timed again and again.
const maxLaunchBlock = 64

// settled is the step of samples of earlier dispatches of a driver.
const earlierDispatch = -1

// Settle forgets what was estimated: it has been added to its steps.
func (s *Sampler) ForgetEstimates() {
	for _, k := range s.kinds {
		for _, h := range append(k.launches.list, k.windows.list...) {
			clear(h.untimedByStep)
			for i := range h.samples {
				h.samples[i].step = earlierDispatch
			}
		}
	}
	s.overlaps = nil
}

// Run runs a launch of which a part is timed, or none if it is drawn not to be.
func (s *Sampler) Run(l SampledLaunch, follows bool) error {
	before := s.history
	s.history = history{} // what others leave in the caches is not known
	kern := l.Kernel()
	if kern == nil {
		return s.runWhole(s.kind(l, l.ClassKey()), l, follows)
	}
	k := s.kind(l, fmt.Sprint(kern.Code.Address))
	all, generation := cu.GridSize(kern.NumWorkgroups), s.generation(l)
	if all == 0 {
		return s.runTimed(l, wholeLaunch(l), follows) // it takes what a launch takes
	}
	if k.wholeOnly = k.wholeOnly || !s.mayRunTwice(kern); all >= s.largeFrom(k, kern)*generation {
		k.divided++
		return runAfter(before, newDivision(s, l, kern, k, generation), follows)
	}
	if k.wholeOnly {
		return s.runWhole(s.kind(l, l.ClassKey()), l, follows)
	}
	s.history = before
	return s.runProfiled(k, l, kern, follows)
}

// largeFrom is of how many generations on a launch is timed in windows: where others like it were, twice as many, as it may be timed as a whole or not.
// Where workgroups may wait for each other, each window fills and empties the machine, which pays in longer launches only.
func (s *Sampler) largeFrom(k *kind, kern *cu.KernelLaunch) uint64 {
	if slices.ContainsFunc(kern.Code.Program.Insts, func(in isa.Inst) bool { return mayWait(&in) }) {
		return uint64(4 * s.Generations)
	}
	if k.undivided+k.divided >= repeatedFrom && !k.wholeOnly {
		return uint64(2 * s.Generations)
	}
	return uint64(s.Generations)
}

// repeatedFrom is the number of launches of a kind that are timed in windows, if there are more of them.
const repeatedFrom = 4

// generation is how many workgroups the machine holds.
func (s *Sampler) generation(l SampledLaunch) uint64 {
	need := l.Resources()
	return uint64(max(need.Occupancy(s.machine.Limits), 1) * s.machine.Spec.Units())
}

// runAfter runs a large launch after those of a history.
func runAfter(before history, d *division, follows bool) error {
	s := d.Sampler
	if s.history = before; !s.mayRunTwice(d.kernel) {
		s.history = history{replayed: before.replayed}
		return d.run(follows)
	}
	err := s.replayPreceding(d.kernel)
	if err == nil {
		err = d.run(follows)
	}
	last := signature{mix: d.signature.mix, demand: d.signature.demand, size: d.instructions} // as the last piece shows it
	s.history.record(preceding{launch: d.launch, kernel: d.kernel, signature: last, cached: !d.sparse})
	return err
}

// runInTurn runs a launch that does not run twice: with time if it is drawn. Nothing is known of it before, so that all of its kind are of one stratum.
func (s *Sampler) runWhole(k *kind, l SampledLaunch, follows bool) error {
	r := &k.launches
	if len(r.list) == 0 {
		r.stratumOf(&signature{})
	}
	h := r.list[0]
	if !r.draw(h, 1) {
		c, err := l.Functional(wholeLaunch(l), s.drawnSoon())
		if c != nil && err == nil {
			s.untimedLaunch(h, l, c, 1)
		}
		return err
	}
	c, err := l.Timed(wholeLaunch(l), follows)
	if c != nil {
		s.machine.Tally.Add(l.Step(), c)
	}
	if err == nil {
		r.add(h, s.newSample(l, 0, s.vector(c), float64(c.Instructions()), 1), 1)
	}
	return err
}

// drawnSoon reports whether one of the next launches may be timed, which finds what this one leaves in the caches.
func (s *Sampler) drawnSoon() bool {
	return slices.ContainsFunc(s.kinds, func(k *kind) bool {
		r := &k.launches
		return k.undivided+k.divided > 0 || len(r.list) > 0 && r.unitsAhead(r.list[0]) < warmedLaunches
	})
}

// warmedLaunches are those before a drawn one that bring in lines, of launches that do not run twice: two, as sweeps that alternate between two buffers.
const warmedLaunches = 2

// newSample is a sample of a unit of a launch that begins with a workgroup.
func (s *Sampler) newSample(l SampledLaunch, first uint64, counted []float64, instructions, cost float64) sample {
	return sample{counted: counted, instructions: instructions, size: cost, step: s.machine.Tally.Number(l.Step()),
		unit: account.SampledUnit{Launch: l.Number(), First: first, Instructions: uint64(instructions), Predicted: cost, Timed: counted[cyclesAt]}}
}

// untimedLaunch counts a launch that was not timed.
func (s *Sampler) untimedLaunch(h *stratum, l SampledLaunch, c *account.Counts, cost float64) {
	n := float64(c.Instructions())
	step := s.machine.Tally.Add(l.Step(), estimatedLater(c))
	h.untimedByStep[step] = h.untimedByStep[step].plus(total{1, cost, n})
}

// estimatedLater marks counts of a part whose cycles are estimated when all is known.
func estimatedLater(c *account.Counts) *account.Counts {
	c.Estimate = &account.Estimate{}
	return c
}

// Estimate adds to the steps of a round what was not timed.
func (s *Sampler) Estimate() {
	if len(s.kinds) == 0 {
		return
	}
	for step := range s.machine.Tally.Steps {
		s.estimateStep(step)
	}
}

func (s *Sampler) estimateStep(step int) {
	to := &s.machine.Tally.Steps[step].Counts
	sums := make([]sum, len(s.vector(&account.Counts{Memory: s.machine.Levels()})))
	var unsampled []account.NotSampled
	var units []account.SampledUnit
	for _, k := range s.kinds {
		for _, r := range []*strata{&k.launches, &k.windows} {
			for _, h := range r.list {
				t := h.untimedByStep[step]
				for at := range sums {
					sums[at].add(r.estimateOf(h, t, at))
				}
				for i := range h.samples {
					if x := &h.samples[i]; x.step == step || x.step == earlierDispatch && t.units > 0 {
						x.unit.Weight = x.blockUnits
						x.unit.Stratum = fmt.Sprintf("%s %d", r.name, h.number)
						units = append(units, x.unit)
					}
				}
				if len(h.samples) == 0 && t.units > 0 {
					unsampled = append(unsampled, r.notSampled(h, t))
				}
			}
		}
	}
	s.addOverlaps(step, sums)
	if sums[cyclesAt].value == 0 {
		return
	}
	c := &account.Counts{Memory: s.machine.Levels()}
	e := &account.Estimate{NotSampled: unsampled, Units: units, Common: s.Bias * math.Abs(sums[cyclesAt].value)}
	at := cyclesAt
	c.EachTimed(func(name string, n *uint64) {
		*n = uint64(math.Round(max(sums[at].value, 0)))
		e.Halves = append(e.Halves, account.Half{Name: name, Half: sums[at].halfWidth(s.Bias)})
		at++
	})
	joules := sums[joulesAt]
	joules.addScaled(&sums[cyclesAt], s.joulesOfTime(c)/sums[cyclesAt].value)
	e.JoulesHalf = joules.halfWidth(s.Bias)
	if less := sums[cyclesAt].value; less < 0 {
		to.Cycles -= min(uint64(-less), to.Cycles)
	}
	e.Cycles, e.Half = c.Cycles, e.Halves[0].Half
	c.Estimate = e
	to.Add(c)
}

// addOverlaps adds the overlaps of a step to its cycles, and to the times of the machine's parts.
func (s *Sampler) addOverlaps(step int, sums []sum) {
	var o overlap
	for _, x := range s.overlaps {
		if x.step == step {
			o.cycles, o.halfWidth = o.cycles+x.cycles, o.halfWidth+x.halfWidth
		}
	}
	if o == (overlap{}) {
		return
	}
	rates := s.vector(&s.machine.Tally.Steps[step].Counts)
	for at := range rates {
		rates[at] += sums[at].value
	}
	if rates[cyclesAt] == 0 {
		return
	}
	for at := cyclesAt; at < cyclesAt+account.Durations; at++ {
		r := rates[at] / rates[cyclesAt]
		sums[at].add(estimate{value: o.cycles * r, unsampled: o.halfWidth * r})
	}
}

// notSampled describes a stratum without samples.
func (s *strata) notSampled(h *stratum, t total) account.NotSampled {
	why := "no launch or piece like them was drawn"
	if near, _ := s.nearest(&h.signature, true); near != nil {
		why = h.difference(near, s.Mix)
	}
	return account.NotSampled{Instructions: uint64(t.instructions), Reason: why}
}

// unlike says what a signature has that the one nearest to it has not.
func (h *stratum) difference(near *stratum, other float64) string {
	if d := h.signature.mix.distance(&near.signature.mix); d > other {
		return fmt.Sprintf("%.0f %% of them are of other classes than in what was timed", 100*d)
	}
	x, y := &h.signature.demand, &near.signature.demand
	part := x.largestDifference(y)
	return fmt.Sprintf("each asks %.3g cycles of %s, in what was timed %.3g", x[part], demandName(part), y[part])
}

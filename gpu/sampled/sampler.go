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
	"spvsim/mem/hierarchy"
)

// A Sampler times a sample of a job's launches and estimates the others. docs/model/sampling.md describes the method.
type Sampler struct {
	*config.Sampling
	machine      Machine
	byKey        map[string]*kind
	kinds        []*kind // of the current round, in order of their first launch
	capacities   *capacities
	beforeLaunch memoryCopy // memory before the current launch, restored before its timed run
	beforeReplay memoryCopy // memory before a replay, restored after it
	history      history
	recent       hierarchy.RecentLines // of the current fast-forward
	overlaps     []overlap
}

// An overlap corrects a step: its launches take cycles more than the sum of their timed and estimated parts (less if
// negative), known to ± halfWidth cycles.
type overlap struct {
	step              int
	cycles, halfWidth float64
}

// A kind is a population: the launches of one program, or of one program and ClassKey if they run as wholes.
type kind struct {
	name                  string
	undivided             int     // launches of runProfiled
	divided               int     // launches of which windows were timed
	wholeOnly             bool    // launches cannot run twice
	workgroupInstructions float64 // instructions a workgroup, of the first launch
	launches              strata
	windows               strata
}

// New returns the sampler of a job. options.Seed seeds the drawing.
func New(m Machine, options *config.Sampling) *Sampler {
	s := &Sampler{machine: m, Sampling: options, capacities: newCapacities(m.Spec)}
	s.BeginRound()
	return s
}

// BeginRound drops all samples and estimates of the last round.
func (s *Sampler) BeginRound() {
	s.byKey, s.kinds, s.history, s.overlaps = map[string]*kind{}, nil, history{}, nil
}

// kind returns the kind of a launch and a class, and creates it at its first launch.
func (s *Sampler) kind(l SampledLaunch, class string) *kind {
	key := cmp.Or(l.Kind(), l.Step()) + " " + class
	k := s.byKey[key]
	if k == nil {
		name := l.Step()
		for n := 2; slices.ContainsFunc(s.kinds, func(o *kind) bool { return o.name == name }); n++ {
			name = fmt.Sprintf("%s (%d)", l.Step(), n) // another program or class of the step
		}
		k = &kind{name: name, launches: strata{Sampling: s.Sampling, name: name + " launches", kindNumber: len(s.kinds), maxBlock: maxLaunchBlock, launches: true},
			windows: strata{Sampling: s.Sampling, name: name + " windows", kindNumber: len(s.kinds)}}
		s.byKey[key], s.kinds = k, append(s.kinds, k)
	}
	return k
}

// maxLaunchBlock is the maximum block length in launches: at least one launch in 64 is timed.
const maxLaunchBlock = 64

// earlierDispatch replaces the step of samples from earlier dispatches of a driver.
const earlierDispatch = -1

// ForgetEstimates clears the untimed units after Estimate has added them to their steps. The samples remain, for later
// dispatches.
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

// Run runs a launch: timed, functionally, or divided into pieces of which windows are timed.
func (s *Sampler) Run(l SampledLaunch, follows bool) error {
	previous := s.history
	s.history = history{} // the caches' contents are unknown after a launch that runs as a whole
	kern := l.Kernel()
	if kern == nil {
		return s.runWhole(s.kind(l, l.ClassKey()), l, follows)
	}
	k := s.kind(l, fmt.Sprint(kern.Code.Address))
	all, generation := cu.GridSize(kern.NumWorkgroups), s.generation(l)
	if all == 0 {
		return s.runTimed(l, wholeLaunch(l), follows) // an empty grid costs the launch overhead
	}
	if k.wholeOnly = k.wholeOnly || !s.mayRunTwice(kern); all >= s.largeFrom(k, kern)*generation {
		k.divided++
		return runAfter(previous, newDivision(s, l, kern, k, generation), follows)
	}
	if k.wholeOnly {
		return s.runWhole(s.kind(l, l.ClassKey()), l, follows)
	}
	s.history = previous
	return s.runProfiled(k, l, kern, follows)
}

// largeFrom returns the number of generations from which a launch is divided: `generations`, or twice as many from the
// fourth launch on of a kind whose launches run twice, because these may be sampled as wholes. If workgroups may wait for
// each other, every window fills and drains the machine, so that division pays only from 4 × `generations` on.
func (s *Sampler) largeFrom(k *kind, kern *cu.KernelLaunch) uint64 {
	if slices.ContainsFunc(kern.Code.Program.Insts, func(in isa.Inst) bool { return mayWait(&in) }) {
		return uint64(4 * s.Generations)
	}
	if k.undivided+k.divided >= repeatedFrom && !k.wholeOnly {
		return uint64(2 * s.Generations)
	}
	return uint64(s.Generations)
}

// repeatedFrom is the number of launches of a kind from which the limit of division is doubled.
const repeatedFrom = 4

// generation returns how many workgroups the machine holds at once: occupancy × compute units.
func (s *Sampler) generation(l SampledLaunch) uint64 {
	need := l.Resources()
	return uint64(max(need.Occupancy(s.machine.Limits), 1) * s.machine.Spec.Units())
}

// runAfter runs a divided launch, after a replay of the preceding launches if it may itself be replayed.
func runAfter(previous history, d *division, follows bool) error {
	s := d.Sampler
	if s.history = previous; !s.mayRunTwice(d.kernel) {
		s.history = history{replayed: previous.replayed}
		return d.run(follows)
	}
	err := s.replayPreceding(d.kernel)
	if err == nil {
		err = d.run(follows)
	}
	last := signature{mix: d.signature.mix, demand: d.signature.demand, size: d.instructions} // signature of the last piece, size of the launch
	s.history.record(preceding{launch: d.launch, kernel: d.kernel, signature: last, cached: !d.sparse})
	return err
}

// runWhole runs a launch that cannot run twice: with timing if it is drawn, else functionally. Its signature is unknown
// when it is drawn, so one stratum holds all launches of the kind, each with size 1.
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

// drawnSoon reports whether a launch that may be timed follows within warmedLaunches, so that this one must warm the
// caches. Launches of kinds that run twice or are divided may follow at any time.
func (s *Sampler) drawnSoon() bool {
	return slices.ContainsFunc(s.kinds, func(k *kind) bool {
		r := &k.launches
		return k.undivided+k.divided > 0 || len(r.list) > 0 && r.unitsAhead(r.list[0]) < warmedLaunches
	})
}

// warmedLaunches is the number of launches before a drawn one that warm the caches. Two cover sweeps that alternate
// between two buffers.
const warmedLaunches = 2

// newSample returns the sample of a unit whose first workgroup is first. cost is the predicted cost, and the sample's
// size.
func (s *Sampler) newSample(l SampledLaunch, first uint64, counted []float64, instructions, cost float64) sample {
	return sample{counted: counted, instructions: instructions, size: cost, step: s.machine.Tally.Number(l.Step()),
		unit: account.SampledUnit{Launch: l.Number(), First: first, Instructions: uint64(instructions), Predicted: cost, Timed: counted[cyclesAt]}}
}

// untimedLaunch records a launch that ran without timing, in its stratum and its step.
func (s *Sampler) untimedLaunch(h *stratum, l SampledLaunch, c *account.Counts, cost float64) {
	n := float64(c.Instructions())
	step := s.machine.Tally.Add(l.Step(), estimatedLater(c))
	h.untimedByStep[step] = h.untimedByStep[step].plus(total{1, cost, n})
}

// estimatedLater marks counts of a functional run: Estimate adds their cycles at the end of the round.
func estimatedLater(c *account.Counts) *account.Counts {
	c.Estimate = &account.Estimate{}
	return c
}

// Estimate adds the estimate of untimed units to every step of a round.
func (s *Sampler) Estimate() {
	if len(s.kinds) == 0 {
		return
	}
	for step := range s.machine.Tally.Steps {
		s.estimateStep(step)
	}
}

// estimateStep sums the strata's estimates for the untimed units of a step, and adds values and half-widths to its
// counts.
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
						x.unit.Weight, x.unit.Residual = x.blockUnits, h.residual(i)
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
	e := &account.Estimate{NotSampled: unsampled, Units: units, Common: s.Bias * math.Abs(sums[cyclesAt].value), Degrees: sums[cyclesAt].degrees()}
	at := cyclesAt
	c.EachTimed(func(name string, n *uint64) {
		*n = uint64(math.Round(max(sums[at].value, 0)))
		e.Halves = append(e.Halves, account.Half{Name: name, Half: sums[at].halfWidth(s.Bias)})
		at++
	})
	joules := sums[joulesAt]
	joules.addScaled(&sums[cyclesAt], s.machine.joulesOfTime(c)/sums[cyclesAt].value)
	e.JoulesHalf = joules.halfWidth(s.Bias)
	if less := sums[cyclesAt].value; less < 0 {
		to.Cycles -= min(uint64(-less), to.Cycles)
	}
	e.Cycles, e.Half = c.Cycles, e.Halves[0].Half
	c.Estimate = e
	to.Add(c)
}

// addOverlaps adds the overlaps of a step to its cycles. Durations of the machine's parts change in proportion:
// duration d of a step of c cycles changes by overlap × d/c.
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

// notSampled describes the untimed units of a stratum without samples, for the report.
func (s *strata) notSampled(h *stratum, t total) account.NotSampled {
	why := "no launch or piece like them was drawn"
	if near, _ := s.nearest(&h.signature, true); near != nil {
		why = h.difference(near, s.Mix)
	}
	return account.NotSampled{Instructions: uint64(t.instructions), Reason: why}
}

// difference names the component in which a signature differs most from the nearest one with samples: the mix, if it
// differs by more than mixLimit, or a part's demand.
func (h *stratum) difference(near *stratum, mixLimit float64) string {
	if d := h.signature.mix.distance(&near.signature.mix); d > mixLimit {
		return fmt.Sprintf("%.0f %% of them are of other classes than in what was timed", 100*d)
	}
	x, y := &h.signature.demand, &near.signature.demand
	part := x.largestDifference(y)
	return fmt.Sprintf("each asks %.3g cycles of %s, in what was timed %.3g", x[part], demandName(part), y[part])
}

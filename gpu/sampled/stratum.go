package sampled

import (
	"math"
	"math/rand/v2"
	"slices"

	"spvsim/account"
	"spvsim/config"
)

// A sample is a unit that was timed: what it counted, its size, and the units of the block that it was drawn from.
type sample struct {
	counted      []float64 // as vector orders it
	instructions float64
	size         float64 // predicted cost of a launch, instructions of a window
	blockUnits   float64
	certain      bool // the first one of its stratum
	step         int
	unit         account.SampledUnit
}

// A stratum has units with one signature.
type stratum struct {
	signature     signature
	base          *stratum // the first one of its signature, whatever ran before
	samples       []sample
	untimedByStep map[int]total // by step: what was not timed
	block         block
	rng           *rand.Rand
	number        int
	profiled      float64 // pieces that were blended into its signature
}

// A total is a number of units, their predicted cost and their instructions.
type total struct{ units, cost, instructions float64 }

func (t total) plus(o total) total {
	return total{t.units + o.units, t.cost + o.cost, t.instructions + o.instructions}
}

// A block is consecutive units of a stratum, of which one is drawn.
type block struct {
	length, next, pick int
	timed              bool // the drawn one is the last sample
}

// Strata are those of launches, or of pieces of large launches, of one kind.
type strata struct {
	*config.Sampling
	name        string
	list        []*stratum
	firstLaunch sample // a launch that was timed before anything was known of its kind; no instructions: none
	kindNumber  int    // number of the kind, from 0
	maxBlock    int    // units of a block
	launches    bool   // of launches
	timedCost   float64
	totalCost   float64 // predicted costs, of what was timed and of everything
}

// nearest returns the stratum with the most similar signature, and its distance; timed: of those with samples. Nil: there is none.
func (s *strata) nearest(x *signature, timed bool) (best *stratum, distance float64) {
	distance = math.Inf(1)
	for _, h := range s.list {
		if timed && len(h.samples) == 0 {
			continue
		}
		if d := h.signature.distance(x, s.Sampling); d < distance {
			best, distance = h, d
		}
	}
	return best, distance
}

// of returns the stratum of a signature, a new one if it is similar to none.
func (s *strata) stratumOf(x *signature) *stratum {
	if h, d := s.nearest(x, false); d <= 1 {
		return h
	}
	h := &stratum{signature: *x, untimedByStep: map[int]total{}, number: len(s.list) + 1}
	// A sequence of its own for each stratum: on another machine the same units are drawn, even if more are in another stratum.
	h.rng = rand.New(rand.NewPCG(uint64(s.Seed), uint64(s.kindNumber)<<32|uint64(h.number)))
	h.base = h
	for _, b := range s.list {
		if x.sameBehaviour(&b.signature, s.Sampling) {
			h.base = b.base
			break
		}
	}
	s.list = append(s.list, h)
	return h
}

// draws adds a unit to the stratum's block, and reports whether it is the drawn one.
func (s *strata) draw(h *stratum, cost float64) bool {
	b := s.currentBlock(h)
	s.totalCost += cost
	drawn := b.next == b.pick
	if b.next++; b.timed {
		h.samples[len(h.samples)-1].blockUnits++
	}
	return drawn
}

// block returns the stratum's block that is not over.
func (s *strata) currentBlock(h *stratum) *block {
	b := &h.block
	if b.next == b.length {
		*b = block{length: s.blockLength(h)}
		b.pick = h.rng.IntN(b.length)
	}
	return b
}

// ahead returns how many units of a stratum come before the next one that may be drawn.
func (s *strata) unitsAhead(h *stratum) int {
	b := s.currentBlock(h)
	if b.next <= b.pick {
		return b.pick - b.next
	}
	return b.length - b.next
}

// blockLength returns the length of a stratum's next block. The first unit is one of its own: it finds what others left in the caches.
func (s *strata) blockLength(h *stratum) int {
	n, last := len(h.samples), max(h.block.length, 1)
	if h.block.length == 0 {
		return 1
	}
	if n < leastSamples {
		return min(2*last, s.maxBlock)
	}
	switch half := s.halfWidthShare(h); {
	case s.timedCost > s.Budget*s.totalCost || half <= s.Target/2:
		return min(4*last, s.maxBlock)
	case half <= s.Target:
		return min(2*last, s.maxBlock)
	case half > 2*s.Target:
		return max(last/2, 1)
	}
	return last
}

// openShare returns the half-width of what a stratum costs as a share of what all cost.
func (s *strata) halfWidthShare(h *stratum) float64 {
	all, half := 0.0, 0.0
	for _, o := range s.list {
		t := o.untimed()
		for _, x := range o.samples {
			all += x.counted[cyclesAt]
		}
		e := s.estimateOf(o, t, cyclesAt)
		if all += e.value; o == h {
			half = quantile(e.degrees) * math.Sqrt(e.variance)
		}
	}
	if all == 0 {
		return 1
	}
	return half / all
}

func (h *stratum) untimed() (t total) {
	for _, r := range h.untimedByStep {
		t = t.plus(r)
	}
	return t
}

// missed makes the next unit of the block the drawn one, as this one could not be timed.
func (h *stratum) redraw() {
	b := &h.block
	if b.pick++; b.pick >= b.length {
		b.length = b.pick + 1
	}
}

// add adds a sample of the unit that was drawn. Its time cost so much of the budget.
func (s *strata) add(h *stratum, x sample, cost float64) {
	s.timedCost += cost
	if b := &h.block; b.timed || b.next == 0 { // a window that turned out to be of this stratum
		x.blockUnits = 1
		at := 0
		if len(h.samples) > 0 && h.samples[0].certain {
			at = 1
		}
		h.samples = slices.Insert(h.samples, at, x)
	} else {
		x.blockUnits, x.certain, b.timed = float64(b.next), b.length == 1 && len(h.samples) == 0, true
		h.samples = append(h.samples, x)
	}
}

// leastSamples are those of each stratum that matters.
const leastSamples = 2

// random are the samples that stand for others: without the certain one, which finds what others left in the caches, if enough were drawn.
func (h *stratum) ratioSamples() []sample {
	if len(h.samples) > leastSamples && h.samples[0].certain {
		return h.samples[1:]
	}
	return h.samples
}

package sampled

import (
	"math"
	"math/rand/v2"
	"slices"

	"spvsim/account"
	"spvsim/config"
)

// A sample is a timed unit.
type sample struct {
	counted      []float64 // y_i: timed counts, as vector orders them
	instructions float64
	size         float64 // n_i: predicted cost of a launch, instructions of a window
	blockUnits   float64 // L_i: units of the block that the sample was drawn from
	certain      bool    // the stratum's first unit, timed with probability 1
	step         int
	unit         account.SampledUnit // record for the statistics
}

// A stratum holds units with similar signatures. The ratio of its samples estimates its untimed units.
type stratum struct {
	signature     signature
	base          *stratum // first stratum of this behaviour, whatever launch preceded
	samples       []sample
	untimedByStep map[int]total // untimed units by step
	block         block         // current block
	rng           *rand.Rand
	number        int     // from 1, in order of creation
	profiled      float64 // pieces averaged into the signature, after the first
}

// A total sums units: their number, predicted cost in cycles and instructions.
type total struct{ units, cost, instructions float64 }

func (t total) plus(o total) total {
	return total{t.units + o.units, t.cost + o.cost, t.instructions + o.instructions}
}

// A block is a run of length consecutive units of a stratum, of which unit pick is drawn with equal probability. next
// is the index of the next unit, and the number of units so far.
type block struct {
	length, next, pick int
	timed              bool // the block's drawn unit is the stratum's last sample
}

// Strata are the strata of one kind: of its launches, or of the pieces of its divided launches.
type strata struct {
	*config.Sampling
	name        string
	list        []*stratum
	firstLaunch sample  // fallback while no stratum has samples; instructions 0: none
	kindNumber  int     // from 0; with the stratum's number it seeds the drawing
	maxBlock    int     // maximum block length in units
	launches    bool    // units are launches: sizes are predicted costs, not instructions
	timedCost   float64 // predicted cost of timed units, settling included
	totalCost   float64 // predicted cost of all units
}

// nearest returns the stratum with the smallest distance to a signature, and the distance; nil if there is none.
// sampled: only strata with samples count.
func (s *strata) nearest(x *signature, sampled bool) (best *stratum, distance float64) {
	distance = math.Inf(1)
	for _, h := range s.list {
		if sampled && len(h.samples) == 0 {
			continue
		}
		if d := h.signature.distance(x, s.Sampling); d < distance {
			best, distance = h, d
		}
	}
	return best, distance
}

// stratumOf returns the nearest stratum within distance 1 of a signature, or a new one.
func (s *strata) stratumOf(x *signature) *stratum {
	if h, d := s.nearest(x, false); d <= 1 {
		return h
	}
	h := &stratum{signature: *x, untimedByStep: map[int]total{}, number: len(s.list) + 1}
	// Each stratum has its own random sequence: runs on two machines draw the same units (common random numbers), even
	// if their other strata differ.
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

// draw appends a unit to the stratum's block, and reports whether the unit is drawn, i.e. to be timed. After the drawn
// unit was timed, each further unit of the block raises its weight.
func (s *strata) draw(h *stratum, cost float64) bool {
	b := s.currentBlock(h)
	s.totalCost += cost
	drawn := b.next == b.pick
	if b.next++; b.timed {
		h.samples[len(h.samples)-1].blockUnits++
	}
	return drawn
}

// currentBlock returns the block in progress, and starts the next one when the last is complete.
func (s *strata) currentBlock(h *stratum) *block {
	b := &h.block
	if b.next == b.length {
		*b = block{length: s.blockLength(h)}
		b.pick = h.rng.IntN(b.length)
	}
	return b
}

// unitsAhead returns the number of units before the next one that may be drawn: the drawn unit of this block, or the
// first one of the next block.
func (s *strata) unitsAhead(h *stratum) int {
	b := s.currentBlock(h)
	if b.next <= b.pick {
		return b.pick - b.next
	}
	return b.length - b.next
}

// blockLength returns the length of the next block (docs/model/sampling.md, Allocation). The first block has one unit,
// as this finds the caches of other work. With h the half-width as a share of the cycles:
//
//	fewer than 2 samples          2 × last
//	over budget, h <= target/2    4 × last
//	h <= target                   2 × last
//	h > 2 × target                last / 2
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

// halfWidthShare returns the half-width of a stratum's untimed cycles as a share of the cycles of all strata, 1 if
// these are 0.
func (s *strata) halfWidthShare(h *stratum) float64 {
	all, half := 0.0, 0.0
	for _, o := range s.list {
		t := o.untimed()
		for _, x := range o.samples {
			all += x.counted[cyclesAt]
		}
		e := s.estimateOf(o, t, cyclesAt)
		if all += e.value; o == h {
			half = account.Quantile(e.degrees) * math.Sqrt(e.variance)
		}
	}
	if all == 0 {
		return 1
	}
	return half / all
}

// untimed sums the untimed units of all steps.
func (h *stratum) untimed() (t total) {
	for _, r := range h.untimedByStep {
		t = t.plus(r)
	}
	return t
}

// redraw draws the next unit of the block in place of one that could not be timed, and extends the block if it was the
// last.
func (h *stratum) redraw() {
	b := &h.block
	if b.pick++; b.pick >= b.length {
		b.length = b.pick + 1
	}
}

// add records the sample of a drawn unit of the stratum's block. cost is the predicted cost of all that was timed for
// it, settling included; the budget limits it.
func (s *strata) add(h *stratum, x sample, cost float64) {
	s.timedCost += cost
	b := &h.block
	x.blockUnits, x.certain, b.timed = float64(b.next), b.length == 1 && len(h.samples) == 0, true
	h.samples = append(h.samples, x)
}

// addMoved records a window that was drawn in another stratum. It represents itself alone, whatever the progress of this
// stratum's block, whose own drawn unit remains to be timed or stays the last sample.
func (s *strata) addMoved(h *stratum, x sample, cost float64) {
	s.timedCost += cost
	x.blockUnits = 1
	at := 0
	if len(h.samples) > 0 && h.samples[0].certain {
		at = 1
	}
	h.samples = slices.Insert(h.samples, at, x)
}

// leastSamples is the number of samples from which a stratum's variance decides its block length.
const leastSamples = 2

// ratioSamples returns the samples of the ratio estimator. It excludes the certain one, whose caches other work filled,
// once two others were drawn.
func (h *stratum) ratioSamples() []sample {
	if len(h.samples) > leastSamples && h.samples[0].certain {
		return h.samples[1:]
	}
	return h.samples
}

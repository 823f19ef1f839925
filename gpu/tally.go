package gpu

import (
	"spvsim/account"
	"spvsim/energy"
	"spvsim/isa"
)

// A tally is what the steps of a round came to so far.
type tally struct {
	steps  []account.StepCounts
	stepOf map[string]int
	whole  *account.Counts // of all steps, where they overlap; nil: their sum
	issued uint64          // instructions over all rounds

	energies *energy.Model
}

// begin starts a round.
func (t *tally) begin() { t.steps, t.stepOf, t.whole = nil, map[string]int{}, nil }

// add adds the counts of a launch to those of its step, whose number it returns.
func (t *tally) add(step string, c *account.Counts) int {
	t.issued += c.Instructions()
	i := t.number(step)
	t.steps[i].Add(c)
	if t.energies.Known() && !c.Untimed() && c.Estimate == nil {
		t.steps[i].PeakWatts = max(t.steps[i].PeakWatts, t.energies.Watts(t.energies.Of(c).Total(), c.Cycles))
	}
	return i
}

// all takes the counts of launches that overlapped, whose steps are counted already.
func (t *tally) all(c *account.Counts) {
	t.issued += c.Instructions()
	t.whole = c
}

// step is the counts of a step.
func (t *tally) step(step string) *account.Counts { return &t.steps[t.number(step)].Counts }

func (t *tally) number(step string) int {
	i, ok := t.stepOf[step]
	if !ok {
		i = len(t.steps)
		t.stepOf[step] = i
		t.steps = append(t.steps, account.StepCounts{Name: step})
	}
	return i
}

// A stepSoFar is what a step did so far.
type stepSoFar struct {
	cycles  uint64
	byClass [isa.NumClasses]uint64
}

func (t *tally) soFarOf(step string) (s stepSoFar) {
	if i, ok := t.stepOf[step]; ok {
		s.cycles, s.byClass = t.steps[i].Cycles, t.steps[i].ByClass
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

package sampled

import (
	"spvsim/account"
	"spvsim/isa"
)

// A stepSoFar is what a step did so far.
type stepSoFar struct {
	cycles  uint64
	byClass [isa.NumClasses]uint64
}

func soFarOf(t *account.Tally, step string) (s stepSoFar) {
	if c := t.Find(step); c != nil {
		s.cycles, s.byClass = c.Cycles, c.ByClass
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

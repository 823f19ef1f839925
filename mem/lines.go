package mem

import (
	"spvsim/mem/hierarchy"
)

// Request returns what the last instruction asked the hierarchy for, since its lines were last set to nil. It is valid until the next instruction.
func (p *Port) Request() *hierarchy.Request { return &p.lanes.w.request }

// RecordLevels makes the hierarchy record the farthest level of each line, where it knows it at once.
func (p *Port) RecordLevels() {
	if f, ok := p.h.(*hierarchy.Analytic); ok {
		f.RecordLevels()
	}
}

// LineLevels returns the farthest level that each line of Request reached, if that is recorded: its place among the hierarchy's Counters;
// -1: none.
func (p *Port) LineLevels() []int8 {
	if f, ok := p.h.(*hierarchy.Analytic); ok {
		return f.LineLevels()
	}
	return nil
}

package mem

import (
	"spvsim/mem/hierarchy"
)

// Lines returns the lines that the last instruction asked for, since ForgetLines. They are valid until the next
// instruction.
func (p *Port) Lines() []hierarchy.Line { return p.lanes.w.request.Lines }

// ForgetLines clears Lines before an instruction that may ask for none.
func (p *Port) ForgetLines() { p.lanes.w.request.Lines = nil }

// Asked appends the lines asked of each level so far, in the order of Counters.
// It appends nothing where the hierarchy does not know at once.
func (p *Port) Asked(list []uint64) []uint64 {
	if f, ok := p.h.(*hierarchy.Analytic); ok {
		return f.LevelAccesses(list)
	}
	return list
}

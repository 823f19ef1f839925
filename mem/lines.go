package mem

import (
	"math/bits"

	"spvsim/mem/hierarchy"
)

// Request returns what the last instruction asked the hierarchy for, since its lines were last set to nil. It is valid until the next instruction.
func (p *Port) Request() *hierarchy.Request { return &p.lanes.w.request }

// RecordLines makes the port record the sectors that lanes touch in each line, and the hierarchy the farthest level of each line,
// where it knows it at once.
func (p *Port) RecordLines() {
	p.lanes.w.sectors = make([]sectorMask, tableSize)
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

// Sectors returns the number of sectors of 32 bytes that lanes touch in a line of Request, by its index, if that is recorded. A
// shorter line counts as one.
func (p *Port) Sectors(line int) (n int) {
	for _, m := range p.lanes.w.sectors[line] {
		n += bits.OnesCount64(m)
	}
	return n
}

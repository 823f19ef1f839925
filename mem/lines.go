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

// RecordedLevels returns the farthest level that each line of Request reached, as its place among the hierarchy's Counters (-1: not known);
// nil: none is known.
func (p *Port) RecordedLevels() []int8 {
	if f, ok := p.h.(*hierarchy.Analytic); ok {
		return f.LineLevels()
	}
	return nil
}

// RecordedSectors returns the number of sectors of 32 bytes that lanes touch in a line of Request, by its index. A shorter line counts as one.
func (p *Port) RecordedSectors(i int) int {
	m := &p.lanes.w.sectors[i]
	return bits.OnesCount64(m[0]) + bits.OnesCount64(m[1])
}

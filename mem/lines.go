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
	p.lanes.w.sectors = make([]SectorMask, tableSize)
	if f, ok := p.h.(*hierarchy.Analytic); ok {
		f.RecordLevels()
	}
}

// RecordedLines returns what is recorded of each line of Request: the farthest level that it reached, as its place among the hierarchy's
// Counters (-1: not known; of no line: none is), and the sectors that lanes touch.
func (p *Port) RecordedLines() (levels []int8, sectors []SectorMask) {
	if f, ok := p.h.(*hierarchy.Analytic); ok {
		levels = f.LineLevels()
	}
	return levels, p.lanes.w.sectors
}

// Count returns the number of sectors of 32 bytes. A line that is shorter counts as one.
func (m *SectorMask) Count() int { return bits.OnesCount64(m[0]) + bits.OnesCount64(m[1]) }

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

// RecordedLine returns what is recorded of a line of Request, by its index: the farthest level that it reached, as its place among the
// hierarchy's Counters (-1: not known), and the number of sectors of 32 bytes that lanes touch. A shorter line counts as one.
func (p *Port) RecordedLine(i int) (level int8, sectors int) {
	level = -1
	if f, ok := p.h.(*hierarchy.Analytic); ok && i < len(f.LineLevels()) {
		level = f.LineLevels()[i]
	}
	for _, m := range p.lanes.w.sectors[i] {
		sectors += bits.OnesCount64(m)
	}
	return level, sectors
}

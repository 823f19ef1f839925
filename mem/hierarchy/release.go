package hierarchy

import "math/bits"

// writeBackDirty writes all dirty lines to the next level from cycle at on, and returns the cycle of the last
// acknowledgement. Instances and slices work in parallel: one set of each after another.
func (l *level) writeBackDirty(at uint64) uint64 {
	ready := at
	for set := range l.sets.N {
		l.each(func(c *cache) {
			c.eachDirty(set, func(s *slice, l *line, addr, words uint64) { ready = max(ready, c.clean(s, at, l, addr, words)) })
		})
	}
	return ready
}

// clean writes a dirty line to the next level, and returns the cycle of the acknowledgement.
func (c *cache) clean(s *slice, at uint64, l *line, addr, words uint64) uint64 {
	c.counter.Writebacks++
	ready, _ := s.writeToNext(c, at, 0, addr, l.pieces(), words)
	*l &^= dirtyLine
	c.invalidateCopies(addr)
	return ready
}

// eachDirty calls do for each dirty line of a set in all slices, with its address and its valid words.
func (c *cache) eachDirty(set uint64, do func(s *slice, l *line, addr, words uint64)) {
	for i := range c.slices {
		if !c.slices[i].dirtySets.has(set) {
			continue
		}
		p := setLookup{slice: &c.slices[i], set: set, first: int(set) * c.Ways}
		left := false
		for way := range p.lru.ways {
			if l := p.line(way); l.dirty() {
				do(p.slice, l, c.address(p, *p.tagOf(way)), c.valid(p.slice, p.first+way))
				left = left || l.dirty()
			}
		}
		if !left {
			p.dirtySets.unmark(set)
		}
	}
}

// invalidateCopies drops the clean copies of a line in the other instances. A dirty copy is dropped when its own
// instance releases it.
func (c *cache) invalidateCopies(addr uint64) {
	for _, o := range c.caches {
		if o == nil || o == c {
			continue
		}
		p := o.locate(addr)
		if way := p.find(); way >= 0 && !p.line(way).dirty() {
			p.invalidate(way)
		}
	}
}

// invalidate drops all lines. Dirty ones count as written back.
func (c *cache) invalidate() {
	for i := range c.slices {
		s := &c.slices[i]
		for w, sets := range s.validSets {
			for ; sets != 0; sets &= sets - 1 {
				c.counter.Writebacks += s.invalidateSet(w*64+bits.TrailingZeros64(sets), c.Ways)
			}
		}
		clear(s.validSets)
		clear(s.dirtySets)
		s.randomDraws = 0
	}
}

// invalidateSet drops the lines of a set, and returns how many were dirty.
func (s *slice) invalidateSet(set, ways int) (dirty uint64) {
	lines := s.lines[set*ways:][:ways]
	if s.dirtySets.has(uint64(set)) {
		for _, l := range lines {
			if l.dirty() {
				dirty++
			}
		}
	}
	clear(lines)
	clear(s.tags[set*ways:][:ways])
	s.lru.reset(set)
	return dirty
}

// dropAtAcquire drops all lines. Lines left dirty by functional launches, which release nothing, go to the next level.
func (c *cache) dropAtAcquire() {
	for set := range c.sets.N {
		c.eachDirty(set, func(s *slice, l *line, addr, words uint64) { s.warmSend(c, addr, l.pieces(), words) })
	}
	c.invalidate()
}

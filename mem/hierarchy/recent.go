package hierarchy

import (
	"math/bits"
	"slices"
)

// RecentLines are lines of caches that came since a cycle, the least recently used of each set first.
type RecentLines struct{ list []recentLine }

type recentLine struct {
	cache  *cache
	lookup setLookup
	line   line
	words  uint64 // valid ones of a line that is not full
}

// Recent lists the lines that came into the caches since a cycle, with time, in place of those that r lists.
func (f *Analytic) Recent(r *RecentLines, since uint64) {
	r.list = r.list[:0]
	for _, l := range f.levels {
		for _, c := range l.caches {
			if c == nil {
				continue // not used yet
			}
			for i := range c.slices {
				r.add(c, &c.slices[i], since)
			}
		}
	}
}

func (r *RecentLines) add(c *cache, s *slice, since uint64) {
	for word, held := range s.validSets {
		for ; held != 0; held &= held - 1 {
			set := word*64 + bits.TrailingZeros64(held)
			p := setLookup{slice: s, set: uint64(set), first: set * s.lru.ways}
			from := len(r.list)
			if !slices.ContainsFunc(s.lines[p.first:p.first+s.lru.ways], func(l line) bool { return l.ready() >= since }) {
				continue
			}
			for way := range s.lru.newestFirst(set) {
				if p.tag = *p.tagOf(way); p.tag != 0 && p.line(way).ready() >= since {
					r.list = append(r.list, recentLine{c, p, *p.line(way), c.valid(s, p.first+way)})
				}
			}
			slices.Reverse(r.list[from:])
		}
	}
}

// Reinsert brings lines into the caches as they were, and makes them the most recently used.
func (r *RecentLines) Reinsert() {
	for i := range r.list {
		x := &r.list[i]
		p := x.lookup
		if way := p.find(); way >= 0 {
			p.lru.touch(int(p.set), way)
			continue
		}
		way := x.cache.evict(p)
		if !x.line.full() {
			p.mark(p.first+way, x.words)
		}
		*p.line(way) = x.line
		if x.line.dirty() {
			p.dirtySets.mark(p.set)
		}
	}
}

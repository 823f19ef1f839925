package hierarchy

import "spvsim/mem/lane"

// What is here is for the host's speed: lookups of the next level for the lines that follow in a request, made early so that the host
// fetches their tags meanwhile.
//
// Law: find returns what locate would, so that no result depends on whether a level prefetches.
// Test: TestLinesLookedForAheadAreThoseAskedFor.

// lookupPrefetcher is where the next level has the lines that the request at hand asks for next: what is kept of them comes into the host's caches
// meanwhile. It is for levels of more lines than those caches hold.
type lookupPrefetcher struct {
	targets     [prefetchDistance]prefetchedLookup
	line        int    // of the request, the one at hand
	nextLevelAt uint64 // cycle in which the next level was last asked, or would have been
	bytes       uint64 // from the begin of a line on, that are in one line of the next level as well
}

// A prefetchedLookup is where the next level has a line.
type prefetchedLookup struct {
	from uint64 // its address at this level
	addr uint64 // and there
	setLookup
}

const (
	minPrefetchLines = 1 << 16 // of all instances of a level, beyond the host's caches: 12 bytes are kept of each, and more
	prefetchDistance = 4       // take the host longer than its memory does
)

func newLookupPrefetcher(l, next *level) *lookupPrefetcher {
	s := &lookupPrefetcher{bytes: uint64(min(l.LineBytes, next.LineBytes))}
	for i := range s.targets {
		s.targets[i].from = 1 << 63 // no address
	}
	return s
}

// start is called with the lines of a request that leave the unit in so many cycles from now on. It looks for the first of them, and says whether
// it is worth it to look for the others.
func (s *lookupPrefetcher) start(c *cache, lines []Line, cycles uint64) bool {
	if s == nil || len(lines) <= prefetchDistance || c.counter.Hits > c.counter.Misses {
		return false
	}
	if s.nextLevelAt = *c.now + c.latency; len(c.slices) == 1 {
		c.slices[0].prefetch(len(lines))
		c.slices[0].Calendar.Prefetch(*c.now, cycles)
		c.link[Read].Prefetch(s.nextLevelAt, cycles)
	}
	for i := range prefetchDistance - 1 {
		s.prefetchLine(c, i, lines[i].Addr)
	}
	return true
}

// advance looks for one more line when another one is at hand.
func (s *lookupPrefetcher) advance(c *cache, line int, lines []Line) {
	s.line = line
	if line += prefetchDistance - 1; line < len(lines) {
		s.prefetchLine(c, line, lines[line].Addr)
	}
}

// prefetchLine finds where the next level has a line, and has the host fetch what is kept of it and of when its slice is busy.
func (s *lookupPrefetcher) prefetchLine(c *cache, line int, addr uint64) {
	t := &s.targets[line%prefetchDistance]
	t.from, t.addr = addr, c.pageTable.physical(addr)
	t.setLookup = c.next.locate(t.addr)
	t.prefetch()
	t.Calendar.Prefetch(s.nextLevelAt, 0)
}

// find is where the level after a cache, which is asked in a cycle, has an address, and its address there.
func (s *lookupPrefetcher) find(c *cache, cycle, addr uint64) (setLookup, uint64) {
	if s != nil {
		s.nextLevelAt = cycle
		t := &s.targets[s.line%prefetchDistance]
		if in := addr - t.from; in < s.bytes {
			return t.setLookup, t.addr + in
		}
	}
	addr = c.pageTable.physical(addr)
	return c.next.locate(addr), addr
}

// prefetch has the host fetch what is kept of the set of a line.
func (p setLookup) prefetch() {
	if p.lru.ways <= wordWays {
		lane.Prefetch(p.tags, p.lines, p.first, p.lru.ways)
	}
}

// prefetch has the host fetch what is kept of all lines of a slice that so many requests come to, if they look at much of that.
func (s *slice) prefetch(requests int) {
	if len(s.lines) > wordWays*requests {
		return
	}
	lane.PrefetchList(s.tags)
	lane.PrefetchList(s.lines)
	lane.PrefetchList(s.words)
	lane.PrefetchList(s.lru.rings)
}

package hierarchy

import "spvsim/mem/lane"

// What is here is for the host's speed: lookups of the next level for the lines that follow in a request, made early so that the host
// fetches their tags meanwhile.
//
// Law: find returns what locate would, so that no result depends on whether a level prefetches.
// Test: TestLinesLookedForAheadAreThoseAskedFor.

// A lookupPrefetcher looks up the next level early for the lines that follow in a request, so that the host has their
// tags in its cache when the request asks for them. It serves levels with more lines than those caches hold.
type lookupPrefetcher struct {
	targets     [prefetchDistance]prefetchedLookup
	line        int    // index of the current line in the request
	nextLevelAt uint64 // cycle in which the next level was last asked, hit or miss
	bytes       uint64 // from the start of a line that are in one line of the next level
}

// A prefetchedLookup is a lookup of a line in the next level.
type prefetchedLookup struct {
	from uint64 // its address at this level
	addr uint64 // and there
	setLookup
}

const (
	minPrefetchLines = 1 << 16 // of all instances of a level: with 12 bytes and more of each, more than the host's caches hold
	prefetchDistance = 4       // lines whose lookups take the host as long as a miss in its caches
)

func newLookupPrefetcher(l, next *level) *lookupPrefetcher {
	s := &lookupPrefetcher{bytes: uint64(min(l.LineBytes, next.LineBytes))}
	for i := range s.targets {
		s.targets[i].from = 1 << 63 // no address
	}
	return s
}

// start begins a request, whose lines leave the unit in a number of cycles from now on. It looks the first ones up, and
// reports whether the others are worth it.
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

// advance looks one more line up when the request comes to another.
func (s *lookupPrefetcher) advance(c *cache, line int, lines []Line) {
	s.line = line
	if line += prefetchDistance - 1; line < len(lines) {
		s.prefetchLine(c, line, lines[line].Addr)
	}
}

// prefetchLine looks a line up in the next level, and prefetches its tags and its slice's calendar.
func (s *lookupPrefetcher) prefetchLine(c *cache, line int, addr uint64) {
	t := &s.targets[uint(line)%prefetchDistance]
	t.from, t.addr = addr, c.pageTable.physical(addr)
	t.setLookup = c.next.locate(t.addr)
	t.prefetch()
	t.Calendar.PrefetchSlot(s.nextLevelAt)
}

// find returns the lookup of an address in the level after a cache, which is asked in a cycle, and the address there.
func (s *lookupPrefetcher) find(c *cache, cycle, addr uint64) (setLookup, uint64) {
	if s != nil {
		s.nextLevelAt = cycle
		t := &s.targets[uint(s.line)%prefetchDistance]
		if in := addr - t.from; in < s.bytes {
			return t.setLookup, t.addr + in
		}
	}
	addr = c.pageTable.physical(addr)
	return c.next.locate(addr), addr
}

// prefetch fetches the set's tags and lines into the host's cache.
func (p setLookup) prefetch() {
	if p.lru.ways <= wordWays {
		lane.Prefetch(p.tags, p.lines, p.first, p.lru.ways)
	}
}

// prefetch fetches what a slice keeps of all its lines into the host's cache, if a number of requests read much of it.
func (s *slice) prefetch(requests int) {
	if len(s.lines) > wordWays*requests {
		return
	}
	lane.PrefetchList(s.tags)
	lane.PrefetchList(s.lines)
	lane.PrefetchList(s.words)
	lane.PrefetchList(s.lru.rings)
}

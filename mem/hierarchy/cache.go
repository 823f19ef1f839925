package hierarchy

import (
	"spvsim/internal/spec"
	"spvsim/mem/contention"
	"spvsim/mem/fixed"
)

// A level is what the instances of a cache have in common.
type level struct {
	NamedCache
	geometry
	counter Counter
	now     *uint64 // cycle of the access at hand
	levelWarming
	snapshot            *cacheSnapshot // nil: accesses without time change the caches for good
	component           *Component     // nil: not among the parts of a machine
	writeBack           bool           // stores, until evicted
	eagerWriteBack      bool           // lines that stores have written whole go to the next level before they are evicted
	deviceCoherent      bool           // keeps stores, and one instance serves the whole machine
	random              bool           // any line of a full set is replaced
	latency             uint64
	cost                uint64
	linkCost            [3]uint64 // fixed-point time of a byte on the link to the next level, by direction and of both; 0: none
	atomic              uint64    // cycles of an update of one element
	writeBuffersEmptyAt uint64    // cycle in which the last line of a write buffer is where it goes
	caches              []*cache
	next                *level
	pageTable           *pageTable // where pages lie for the levels behind this one; nil: as for this one
}

// A geometry is where in a level a line can be.
type geometry struct {
	lineShift uint
	bytes     uint32 // of a line
	pow2      bool   // there are powers of two of slices and of sets
	perUnit   uint   // log2 of the lines of an interleave unit
	inUnit    uint64 // mask of the number of a line in its unit
	spread    fixed.Interleave
	sets      fixed.Divider
	fold      uint64 // mask of the tag bits that are folded into the set's index
	sector    uint64 // bytes that are fetched together; 0: lines
	word      uint   // log2 of the bytes of a word of a mask
	whole     uint64 // mask of all words of a line; 0: a line is less than a word
	piece     uint   // log2 of the bytes that go to the next level where something in them is dirty
	allPieces line   // mask of all pieces of a line
}

// A cache is one instance. next is nil when memory is behind it.
type cache struct {
	*level
	slices     []slice
	next       *cache
	prefetcher *lookupPrefetcher // nil: where the next level has a line is looked for when it is asked for
	mem        memory
	link       [3]contention.Calendar // to the next level, by direction, and what both share
	credit     contention.Queue       // requests on the link that the next level has not taken
	stall      uint64                 // cycle until which the request at hand waits for a free entry
}

func newLevel(c NamedCache, s *Spec, shape *spec.Shape, next *level, now *uint64) *level {
	l := &level{NamedCache: c, geometry: newGeometry(&c.CacheSpec, s.WordShift()), writeBack: c.WritesBack(), eagerWriteBack: c.Write == WriteEager, next: next, now: now,
		latency: uint64(c.LatencyCycles), cost: fixed.PerByte(c.BytesPerCycle), atomic: uint64(s.VectorMemory.AtomicCycles)}
	l.counter.Level = c.Name
	for way, bytes := range [...]float64{Read: c.LinkRead, Write: c.LinkWrite, bothDirections: c.LinkShared} {
		if bytes > 0 {
			l.linkCost[way] = fixed.PerByte(bytes)
		}
	}
	l.random = c.Replacement == ReplaceRandom
	instances, _ := shape.Instances(c.SharedBy)
	l.deviceCoherent = c.DeviceCoherent(shape)
	l.caches = make([]*cache, instances)
	return l
}

func newGeometry(c *CacheSpec, word uint) geometry {
	unit := max(c.InterleaveBytes, c.LineBytes)
	g := geometry{lineShift: fixed.Log2(c.LineBytes), perUnit: fixed.Log2(unit / c.LineBytes), spread: c.Slicing(),
		sets: fixed.NewDivider(c.SetsPerSlice()), word: word, sector: uint64(c.SectorBytes), whole: WordMask(0, uint64(c.LineBytes)>>word)}
	g.bytes, g.inUnit, g.pow2 = uint32(c.LineBytes), 1<<g.perUnit-1, g.spread.Units.Pow2 && g.sets.Pow2
	g.piece = fixed.Log2(c.LineBytes)
	if c.WriteBytes > 0 {
		g.piece = fixed.Log2(c.WriteBytes)
	}
	g.allPieces = 1<<(uint(c.LineBytes)>>g.piece) - 1
	if c.HashSets && g.sets.Pow2 {
		g.fold = g.sets.N - 1
	}
	return g
}

func newCache(l *level, next *cache, mem memory) *cache {
	c := &cache{level: l, slices: make([]slice, l.Slices), next: next, mem: mem, credit: contention.NewQueue(l.LinkCredits, l.now)}
	for i := range c.slices {
		s := &c.slices[i]
		s.index = uint64(i)
		s.requests, s.misses = contention.NewQueue(l.Requests, l.now), contention.NewQueue(l.Misses, l.now)
		s.writes, s.atomics = contention.NewQueue(l.WriteBuffer, l.now), contention.NewQueue(l.Atomics, l.now)
	}
	if next != nil && next.Bytes/next.LineBytes*len(next.caches) >= minPrefetchLines {
		c.prefetcher = newLookupPrefetcher(l, next.level)
	}
	return c
}

// bookSlice books the slice and counts the request.
func (c *cache) bookSlice(s *slice, at, delay uint64, bytes uint32) uint64 {
	c.counter.Accesses++
	c.counter.Bytes += uint64(bytes)
	return s.Reserve(at, delay, uint64(bytes)*c.cost, c.Requests > 0)
}

// read returns the cycle in which bytes of one line leave this level, and that in which it has taken the request. at is the
// cycle in which the request would arrive if nothing waited, and delay what it
// has waited for so far; moved are the bytes that leave, those of each lane where lanes ask. Queues in a row overlap, so the longest one counts.
// Booking at unhindered times keeps each level's bookings in the order of issue
// and a level from idling for requests that are not there yet.
func (c *cache) read(p setLookup, at, delay, addr uint64, bytes, moved uint32) (ready, taken uint64) {
	delay = c.acquireStallingSender(&p.requests, at, delay)
	arrives := at
	taken = at + delay
	delay = c.bookSlice(p.slice, at, delay, moved)
	c.component.notifyAccess(at, delay, addr, moved)
	at += c.latency
	if way := p.find(); way >= 0 {
		p.lru.touch(int(p.set), way)
		ready, delay = p.readPresent(c, way, at, delay, addr, bytes)
	} else {
		way, delay = c.replace(p, at, delay)
		ready, delay = c.miss(p, way, at, delay, addr, bytes)
	}
	p.requests.HoldUntil(arrives + delay)
	return ready, taken
}

// readPresent is when bytes of a line that is held leave, and what the request has waited for then: the bytes are valid, or on their way, or are
// fetched. Sectors of a line of which another one is on its way share that one's entry.
func (p setLookup) readPresent(c *cache, way int, at, delay, addr uint64, bytes uint32) (ready, waited uint64) {
	l := p.line(way)
	switch {
	case l.full() || c.hasWords(p.slice, p.first+way, addr, bytes):
		return c.counter.hit(l, at+delay), delay
	case c.sector > 0 && l.ready() > at+delay:
		return p.fetch(c, way, at, delay, addr, bytes), delay
	}
	return c.miss(p, way, at, delay, addr, bytes)
}

// hit counts one, and is when bytes that are valid, or on their way, leave in a cycle at the earliest.
func (n *Counter) hit(l *line, cycle uint64) (ready uint64) {
	n.Hits++
	if l.ready() > cycle {
		n.InFlight++
	}
	return max(cycle, l.ready())
}

// miss fetches into a line, for which it holds an entry; it has waited for the delay when it leaves.
func (c *cache) miss(p setLookup, way int, at, delay, addr uint64, bytes uint32) (ready, waited uint64) {
	waited = c.acquireFrom(&p.misses, at, delay)
	ready = p.fetch(c, way, at, waited, addr, bytes)
	p.misses.HoldUntil(ready)
	return ready, waited
}

// fetch fills a line from below, or those of its sectors that bytes are read of.
func (p setLookup) fetch(c *cache, way int, at, delay, addr uint64, bytes uint32) (ready uint64) {
	c.counter.Misses++
	from, size := c.sectors(addr, bytes)
	ready = c.fetch(at, delay, from, size)
	c.fill(p.slice, p.first+way, ready, from, size)
	return ready
}

// acquire waits within this level for a free entry of a queue.
func (c *cache) acquire(q *contention.Queue, at, delay uint64) uint64 {
	if q.TryAcquire(at + delay) {
		return delay
	}
	return q.Acquire(at, delay, &c.counter.QueueFullCycles)
}

// acquireStallingSender waits for a free entry before this level has the request: who sends it waits as well.
func (c *cache) acquireStallingSender(q *contention.Queue, at, delay uint64) uint64 {
	if q.TryAcquire(at + delay) {
		return delay
	}
	waited := q.Acquire(at, delay, &c.counter.QueueFullCycles)
	if waited > delay {
		c.stall = max(c.stall, at+waited)
	}
	return waited
}

// acquireFrom waits for a free entry of a queue that a request goes to from that of requests; without a limit to those, who sends
// it waits as well.
func (c *cache) acquireFrom(q *contention.Queue, at, delay uint64) uint64 {
	if c.Requests > 0 {
		return c.acquire(q, at, delay)
	}
	return c.acquireStallingSender(q, at, delay)
}

// bothDirections is the place of what the two directions of a link share, after those of Read and Write.
const bothDirections = Write + 1

// sendOnLink takes a credit for the link to the next level, and books the direction that the bytes take, what is read from there,
// what is stored and the operands of atomics to there, or what both share.
func (c *cache) sendOnLink(at, delay uint64, bytes uint32, kind Kind) uint64 {
	if !c.credit.TryAcquire(at + delay) {
		delay = c.credit.Acquire(at, delay, &c.counter.QueueFullCycles)
	}
	way := min(kind, Write)
	if c.linkCost[bothDirections] > 0 {
		way = bothDirections
	}
	if c.linkCost[way] == 0 {
		return delay
	}
	delay = c.link[way].Reserve(at, delay, uint64(bytes)*c.linkCost[way], c.LinkCredits > 0)
	c.component.notifyLink(at, delay, bytes, kind)
	return delay
}

// fetch reads a line of this level from the next, whose lines may be smaller.
func (c *cache) fetch(at, delay, addr uint64, bytes uint32) (ready uint64) {
	delay = c.sendOnLink(at, delay, bytes, Read)
	if c.next == nil {
		ready, taken := c.mem.transfer(at, delay, c.pageTable.physical(addr), bytes, Read)
		c.credit.HoldUntil(taken)
		return ready
	}
	p, addr := c.prefetcher.find(c, at+delay, addr)
	step := min(bytes, uint32(c.next.LineBytes))
	ready, last := c.next.read(p, at, delay, addr, step, step)
	for done := step; done < bytes; done += step {
		r, taken := c.next.read(c.next.locate(addr+uint64(done)), at, delay, addr+uint64(done), step, step)
		ready, last = max(ready, r), max(last, taken)
	}
	c.credit.HoldUntil(last)
	return ready
}

// replace makes space for p's line: a dirty victim goes to the next level, and holds an entry of the write buffer until that
// takes it. It returns what the request has waited for then.
func (c *cache) replace(p setLookup, at, delay uint64) (way int, waited uint64) {
	way = p.chooseVictim(c.random)
	if l := p.line(way); c.writeBack && l.dirty() { // the host need not wait for the line of one that keeps nothing
		delay = c.writeOut(p.slice, at, delay, c.address(p, *p.tagOf(way)), l.pieces(), c.valid(p.slice, p.first+way))
	}
	c.replaceTag(p, way)
	return way, delay
}

// writeOut sends what is dirty of a line to the next level by way of the write buffer. It returns what the request has waited for
// when that has the line.
func (c *cache) writeOut(s *slice, at, delay, addr uint64, pieces line, words uint64) (waited uint64) {
	c.counter.Writebacks++
	victim := uint64(0) // without a limit it goes at once
	if c.WriteBuffer > 0 {
		delay = c.acquire(&s.writes, at, delay)
		victim = delay
	}
	ready, taken := s.writeToNext(c, at, victim, addr, pieces, words)
	c.releaseWriteBuffer(s, ready, taken)
	return delay
}

// releaseWriteBuffer gives the entry of a line in the write buffer back when the next level takes the line.
func (c *cache) releaseWriteBuffer(s *slice, ready, taken uint64) {
	if c.WriteBuffer > 0 {
		s.writes.HoldUntil(taken)
		c.level.writeBuffersEmptyAt = max(c.level.writeBuffersEmptyAt, ready)
	}
}

// writeToNext writes to the next level and returns the cycles of the acknowledgement and of when that takes the last byte.
func (c *cache) writeToNext(at, delay, addr uint64, bytes uint32, w storedWords) (ready, taken uint64) {
	delay, addr = c.sendOnLink(at, delay, bytes, Write), c.pageTable.physical(addr)
	if c.next == nil {
		ready, taken = c.mem.transfer(at, delay, addr, bytes, Write)
		c.credit.HoldUntil(taken)
		return ready, taken
	}
	step := min(bytes, uint32(c.next.LineBytes))
	for done := uint32(0); done < bytes; done += step {
		r, t := c.next.write(at, delay, addr+uint64(done), step, w.down(uint64(done>>c.word)))
		ready, taken = max(ready, r), max(taken, t)
	}
	c.credit.HoldUntil(taken)
	return ready, taken
}

// write stores bytes of one line, from addr on. Lines have masks of words: one that is allocated by a store is not fetched
// until something reads it before it was all written.
func (c *cache) write(at, delay, addr uint64, bytes uint32, w storedWords) (ready, taken uint64) {
	p := c.locate(addr)
	delay = c.acquireStallingSender(&p.requests, at, delay)
	arrives := at
	taken = at + delay
	delay = c.bookSlice(p.slice, at, delay, bytes)
	c.counter.Written += uint64(bytes)
	c.component.notifyAccess(at, delay, addr, bytes)
	at += c.latency
	held, delay := c.store(p, at, delay, w.up(c.wordIn(addr)))
	if ready = at + delay; !held {
		ready, delay = c.writeThrough(p.slice, at, delay, addr, bytes, w)
	}
	p.requests.HoldUntil(arrives + delay)
	return ready, taken
}

// store puts words into their line, if there is one or one is allocated, and says whether they stay here.
func (c *cache) store(p setLookup, at, delay uint64, w storedWords) (held bool, waited uint64) {
	way := p.find()
	if way >= 0 {
		c.counter.Hits++
		p.lru.touch(int(p.set), way)
	} else {
		c.counter.Misses++
		if !c.WriteAllocate {
			return false, delay
		}
		way, delay = c.replace(p, at, delay)
		*p.line(way) = newLine(at + delay)
	}
	whole := c.markStored(p.slice, p.first+way, w.whole)
	if c.writeBack {
		p.makeDirty(way, c.pieces(w.some))
	}
	if c.eagerWriteBack && whole {
		if way = p.eagerVictim(way, c.DirtyWays); way >= 0 {
			delay = c.writeBackEagerly(p, way, at, delay)
		}
	}
	return c.writeBack, delay
}

// eagerVictim is which line of a set goes to the next level when stores have written all of one, where so many wait; -1: none.
func (p setLookup) eagerVictim(way, waiting int) int {
	if waiting == 0 {
		return way
	}
	oldest, n := -1, 0
	for way := range p.lru.newestFirst(int(p.set)) {
		if l := p.line(way); l.dirty() && l.full() {
			oldest = way
			n++
		}
	}
	if n <= waiting {
		return -1
	}
	return oldest
}

// writeBackEagerly sends a line that stores have written whole to the next level, and keeps it. It returns what the store has waited for then.
func (c *cache) writeBackEagerly(p setLookup, way int, at, delay uint64) (waited uint64) {
	addr := c.address(p, *p.tagOf(way))
	waited = c.writeOut(p.slice, at, delay, addr, p.line(way).pieces(), c.whole)
	*p.line(way) &^= dirtyLine
	if !c.AcquireAtStart { // which drops the others' copies as well
		c.invalidateCopies(addr)
	}
	return waited
}

// wordIn is which word of its line an address lies in.
func (l *level) wordIn(addr uint64) uint64 { return addr & uint64(l.LineBytes-1) >> l.word }

// writeThrough passes a store on; it holds a miss entry until it is acknowledged, and one of the write buffer until the next level
// takes it.
func (c *cache) writeThrough(s *slice, at, delay, addr uint64, bytes uint32, w storedWords) (ready, waited uint64) {
	delay = c.acquireFrom(&s.writes, at, c.acquireFrom(&s.misses, at, delay))
	ready, taken := c.writeToNext(at, delay, addr, bytes, w)
	s.misses.HoldUntil(ready)
	c.releaseWriteBuffer(s, ready, taken)
	return ready, delay
}

// coherent carries out reads, writes and atomics at the first level that the
// whole machine shares: levels before it only pass the bytes on.
func (c *cache) coherent(at, delay, addr uint64, kind Kind, l *Line, bytes uint32) (ready, taken uint64) {
	switch {
	case !c.deviceCoherent:
		return c.bypass(at, delay, addr, kind, l, bytes)
	case kind == Read:
		return c.read(c.locate(addr), at, delay, addr, bytes, bytes)
	case kind == Write:
		return c.write(at, delay, addr, bytes, c.storedBy(l))
	}
	return c.updateLine(at, delay, addr, uint64(l.Serial), bytes)
}

// bypass hands a coherent request on. It holds its entry here, a store that of the write buffer as well, until the next level
// takes it, and an atomic one of its own until it is done.
func (c *cache) bypass(at, delay, addr uint64, kind Kind, l *Line, bytes uint32) (ready, taken uint64) {
	_, index := c.spread.Split(addr)
	s := &c.slices[index]
	delay = c.acquireForBypass(s, at, delay, kind)
	taken = at + delay
	delay = s.Reserve(at, delay, uint64(bytes)*c.cost, c.Requests > 0)
	at += c.latency
	delay, addr = c.sendOnLink(at, delay, bytes, kind), c.pageTable.physical(addr)
	var accepted uint64
	if c.next == nil {
		ready, accepted = c.mem.transfer(at, delay, addr, bytes, kind)
	} else {
		ready, accepted = c.next.coherent(at, delay, addr, kind, l, bytes)
	}
	c.credit.HoldUntil(accepted)
	s.requests.HoldUntil(accepted)
	switch kind {
	case Write:
		s.writes.HoldUntil(accepted)
	case Atomic:
		s.atomics.HoldUntil(ready)
	}
	return ready, taken
}

// acquireForBypass waits for the entries that a request of a kind holds where it is passed on.
func (c *cache) acquireForBypass(s *slice, at, delay uint64, kind Kind) uint64 {
	delay = c.acquireStallingSender(&s.requests, at, delay)
	switch kind {
	case Write:
		return c.acquireStallingSender(&s.writes, at, delay)
	case Atomic:
		return c.acquireStallingSender(&s.atomics, at, delay)
	}
	return delay
}

// updateLine carries out the atomics of one line. Updates of one element follow each
// other, and so do those of one line by several requests: the next one finds the
// line when the last update is done.
func (c *cache) updateLine(at, delay, addr, serial uint64, bytes uint32) (ready, taken uint64) {
	p := c.locate(addr)
	ready, taken = c.read(p, at, c.acquireStallingSender(&p.atomics, at, delay), addr, bytes, bytes)
	serial *= c.atomic
	p.lockUntil(p.find(), ready+serial+c.atomic, c.allPieces)
	p.atomics.HoldUntil(ready + serial)
	return ready + serial, taken
}

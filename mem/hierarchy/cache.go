package hierarchy

import (
	"spvsim/internal/spec"
	"spvsim/mem/contention"
	"spvsim/mem/fixed"
)

// A level holds what all instances of a cache have in common.
type level struct {
	NamedCache
	geometry
	counter Counter
	now     *uint64 // cycle of the current access
	levelWarming
	snapshot            *cacheSnapshot // nil: functional accesses are not undone
	component           *Component     // nil: not a component of a machine
	writeBack           bool           // stores stay here until evicted
	eagerWriteBack      bool           // fully written lines go to the next level before their eviction
	deviceCoherent      bool           // write-back, with one instance for the whole machine
	random              bool           // any line of a full set is replaced
	latency             uint64
	cost                uint64    // fixed-point time of a byte
	writeCost           uint64    // of a byte that is written
	linkCost            [3]uint64 // fixed-point time of a byte on the link to the next level, by direction and of both; 0: none
	atomic              uint64    // cycles of an update of one element
	atomicSlice         uint64    // fixed-point time that an atomic takes its slice at least
	writeBuffersEmptyAt uint64    // cycle in which the last line of the write buffers is acknowledged
	caches              []*cache
	next                *level
	pageTable           *pageTable // translates addresses for the levels behind; nil: they use the same
}

// A geometry maps an address to a slice, a set and a tag, and a range of bytes to words, sectors and pieces of a line.
type geometry struct {
	lineShift  uint
	bytes      uint32 // of a line
	pow2       bool   // slices and sets are powers of two
	perUnit    uint   // log2 of the lines of an interleave unit
	inUnit     uint64 // mask of the number of a line in its unit
	interleave fixed.Interleave
	sets       fixed.Divider
	fold       uint64 // mask of the tag bits that are folded into the set's index
	sector     uint64 // bytes that are fetched together; 0: lines
	word       uint   // log2 of the bytes of a word of a mask
	whole      uint64 // mask of all words of a line; 0: a line is less than a word
	piece      uint   // log2 of the bytes that go to the next level where something in them is dirty
	allPieces  line   // mask of all pieces of a line
}

// A cache is one instance of a level. Behind it is next or, where next is nil, device memory.
type cache struct {
	*level
	slices     []slice
	firstPart  int // the number of its first slice among those of all instances
	next       *cache
	prefetcher *lookupPrefetcher // nil: the next level is looked up when a line misses
	mem        memory
	link       [3]contention.Calendar // to the next level, by direction, and what both share
	credit     contention.Queue       // requests on the link that the next level has not taken
	stall      uint64                 // cycle until which the current request stalls its sender
}

func newLevel(c NamedCache, s *Spec, shape *spec.Shape, next *level, now *uint64) *level {
	t := NewLevelTiming(&c.CacheSpec, shape.ClockMHz)
	l := &level{NamedCache: c, geometry: newGeometry(&c, s.WordShift()), writeBack: c.WritesBack(), eagerWriteBack: c.Write == WriteEager, next: next, now: now,
		latency: t.Latency, cost: t.ByteTime, writeCost: t.WrittenByteTime, atomic: uint64(s.VectorMemory.AtomicCycles)}
	l.counter.Level = c.Name
	for way, bytes := range linkBandwidths(&c, shape.ClockMHz) {
		if bytes > 0 {
			l.linkCost[way] = fixed.PerByte(bytes)
		}
	}
	l.random = c.Replacement == ReplaceRandom
	l.atomicSlice = uint64(s.VectorMemory.AtomicSliceCycles) << fixed.Shift
	instances, _ := shape.Instances(c.SharedBy)
	l.deviceCoherent = c.DeviceCoherent(shape)
	l.caches = make([]*cache, instances)
	return l
}

func newGeometry(c *NamedCache, word uint) geometry {
	unit := max(c.InterleaveBytes, c.LineBytes)
	g := geometry{lineShift: fixed.Log2(c.LineBytes), perUnit: fixed.Log2(unit / c.LineBytes), interleave: c.Slicing(),
		sets: fixed.NewDivider(c.SetsPerSlice()), word: word, sector: uint64(c.SectorBytes), whole: WordMask(0, uint64(c.LineBytes)>>word)}
	g.bytes, g.inUnit, g.pow2 = uint32(c.LineBytes), 1<<g.perUnit-1, g.interleave.Units.Pow2 && g.sets.Pow2
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

func newCache(l *level, instance int, next *cache, mem memory) *cache {
	c := &cache{level: l, slices: make([]slice, l.Slices), firstPart: instance * l.Slices, next: next, mem: mem, credit: contention.NewQueue(l.LinkCredits, l.now)}
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

// bookSlice counts the request, books the slice for the cost of its bytes, and returns the cycles waited so far.
func (c *cache) bookSlice(s *slice, at, delay uint64, bytes uint32, cost uint64) uint64 {
	c.counter.Accesses++
	c.counter.Bytes += uint64(bytes)
	return s.Reserve(at, delay, uint64(bytes)*cost, c.Requests > 0)
}

// read returns the cycle in which bytes of one line leave this level, and the cycle in which the level has taken the
// request.
//
// at is the cycle of arrival if nothing had to wait, and delay the cycles waited so far: the request arrives in
// at+delay. moved counts the bytes of each lane, where lanes ask. Waits overlap along the path, so the longest counts.
// Bookings at unhindered times keep each level's bookings in the order of issue, and a level from idling for requests
// that have not arrived.
func (c *cache) read(p setLookup, at, delay, addr uint64, bytes, moved uint32) (ready, taken uint64) {
	delay = c.acquireStallingSender(&p.requests, at, delay)
	arrives := at
	taken = at + delay
	delay = c.bookSlice(p.slice, at, delay, moved, c.cost)
	if c.component.isObserved() {
		c.component.recordAccess(c.firstPart+int(p.slice.index), at, delay, addr, moved)
	}
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

// readPresent returns when bytes of a present line leave, and the cycles waited by then. The bytes are valid, on their
// way, or fetched as a sector. A sector of a line with another sector on its way shares the MSHR of that one.
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

// hit counts a hit, and returns the first cycle from the given one on in which the bytes are there.
func (n *Counter) hit(l *line, cycle uint64) (ready uint64) {
	n.Hits++
	if l.ready() > cycle {
		n.InFlight++
	}
	return max(cycle, l.ready())
}

// miss fetches into a line, and holds an MSHR, if these are limited, until the fill. It returns the cycle of the fill and the cycles waited
// when the fetch leaves.
func (c *cache) miss(p setLookup, way int, at, delay, addr uint64, bytes uint32) (ready, waited uint64) {
	if c.Misses == 0 { // no limit
		return p.fetch(c, way, at, delay, addr, bytes), delay
	}
	waited = c.acquireFrom(&p.misses, at, delay)
	ready = p.fetch(c, way, at, waited, addr, bytes)
	p.misses.HoldUntil(ready)
	return ready, waited
}

// fetch fills a line from the next level, or those of its sectors in which bytes are read.
func (p setLookup) fetch(c *cache, way int, at, delay, addr uint64, bytes uint32) (ready uint64) {
	c.counter.Misses++
	from, size := c.sectors(addr, bytes)
	ready = c.fetch(at, delay, from, size)
	c.fill(p.slice, p.first+way, ready, from, size)
	return ready
}

// acquire waits for a free entry of a queue inside this level: the sender does not wait.
func (c *cache) acquire(q *contention.Queue, at, delay uint64) uint64 {
	return q.Acquire(at, delay, &c.counter.QueueFullCycles)
}

// acquireStallingSender waits for a free entry at the entrance of this level: the sender, in the end the address path,
// stalls meanwhile.
func (c *cache) acquireStallingSender(q *contention.Queue, at, delay uint64) uint64 {
	waited := q.Acquire(at, delay, &c.counter.QueueFullCycles)
	if waited > delay {
		c.stall = max(c.stall, at+waited)
	}
	return waited
}

// acquireFrom waits for a free entry of a queue behind the requests queue. The sender stalls too where the requests
// queue has no limit.
func (c *cache) acquireFrom(q *contention.Queue, at, delay uint64) uint64 {
	if c.Requests > 0 {
		return c.acquire(q, at, delay)
	}
	return c.acquireStallingSender(q, at, delay)
}

// BothDirections is the index of a link that both directions share, after Read and Write.
const BothDirections = Write + 1

// sendOnLink takes a credit and books the link to the next level: the read direction for reads, the write direction for
// stores and operands of atomics, or the link that both share. It returns the cycles waited.
func (c *cache) sendOnLink(at, delay uint64, bytes uint32, kind Kind) uint64 {
	delay = c.credit.Acquire(at, delay, &c.counter.QueueFullCycles)
	way := min(kind, Write)
	if way == Read {
		c.counter.LinkRead += uint64(bytes)
	} else {
		c.counter.LinkWritten += uint64(bytes)
	}
	if c.linkCost[BothDirections] > 0 {
		way = BothDirections
	}
	if c.linkCost[way] == 0 {
		return delay
	}
	delay = c.link[way].Reserve(at, delay, uint64(bytes)*c.linkCost[way], c.LinkCredits > 0)
	if c.component.isObserved() {
		c.component.notifyLink(at, delay, bytes, kind)
	}
	return delay
}

// fetch reads bytes of a line from the next level, line by line where that has smaller ones.
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

// replace evicts a line for the one looked up. A dirty victim goes to the next level by way of the write buffer. It
// returns the way, and the cycles waited.
func (c *cache) replace(p setLookup, at, delay uint64) (way int, waited uint64) {
	way = p.chooseVictim(c.random)
	if l := p.line(way); c.writeBack && l.dirty() { // the host need not wait for the line of one that keeps nothing
		delay = c.writeOut(p.slice, at, delay, c.address(p, *p.tagOf(way)), l.pieces(), c.valid(p.slice, p.first+way))
	}
	c.replaceTag(p, way)
	return way, delay
}

// writeOut sends the dirty pieces of a line to the next level by way of the write buffer. It returns the cycles waited
// when the write buffer has the line.
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

// releaseWriteBuffer gives an entry of the write buffer back in the cycle in which the next level takes the line.
func (c *cache) releaseWriteBuffer(s *slice, ready, taken uint64) {
	if c.WriteBuffer > 0 {
		s.writes.HoldUntil(taken)
		c.level.writeBuffersEmptyAt = max(c.level.writeBuffersEmptyAt, ready)
	}
}

// writeToNext stores bytes in the next level. It returns the cycle of the acknowledgement, and the cycle in which the
// last byte is taken.
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

// write stores bytes of one line from addr on. Lines have masks of valid words, so a line that a store allocates is
// fetched only if a read comes before stores have written all of it.
func (c *cache) write(at, delay, addr uint64, bytes uint32, w storedWords) (ready, taken uint64) {
	p := c.locate(addr)
	delay = c.acquireStallingSender(&p.requests, at, delay)
	arrives := at
	taken = at + delay
	delay = c.bookSlice(p.slice, at, delay, bytes, c.writeCost)
	c.counter.Written += uint64(bytes)
	if c.component.isObserved() {
		c.component.recordAccess(c.firstPart+int(p.slice.index), at, delay, addr, bytes)
	}
	at += c.latency
	held, delay := c.store(p, at, delay, w.up(c.wordIn(addr)))
	if ready = at + delay; !held {
		ready, delay = c.writeThrough(p.slice, at, delay, addr, bytes, w)
	}
	p.requests.HoldUntil(arrives + delay)
	return ready, taken
}

// store marks words in their line, if the line is present or is allocated. It reports whether the store stays in this
// level, and returns the cycles waited.
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
	if c.eagerWriteBack && whole && !p.writes.IsFull(at+delay) { // early only where nothing waits for it
		if way = p.eagerVictim(way, c.DirtyWays); way >= 0 {
			delay = c.writeBackEagerly(p, way, at, delay)
		}
	}
	return c.writeBack, delay
}

// eagerVictim picks the fully written line to write back early: this one or, with a limit of waiting lines, the least
// recently used of the fully written dirty lines once there are more. -1: none.
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

// writeBackEagerly sends a fully written line to the next level, and keeps it clean. It returns the cycles that the
// store has waited.
func (c *cache) writeBackEagerly(p setLookup, way int, at, delay uint64) (waited uint64) {
	addr := c.address(p, *p.tagOf(way))
	waited = c.writeOut(p.slice, at, delay, addr, p.line(way).pieces(), c.whole)
	*p.line(way) &^= dirtyLine
	if !c.AcquireAtStart { // which drops the others' copies as well
		c.invalidateCopies(addr)
	}
	return waited
}

// wordIn returns the index of an address's word in its line.
func (l *level) wordIn(addr uint64) uint64 { return addr & uint64(l.LineBytes-1) >> l.word }

// writeThrough sends a store on. The store holds an MSHR until the acknowledgement, and an entry of the write buffer
// until the next level takes it.
func (c *cache) writeThrough(s *slice, at, delay, addr uint64, bytes uint32, w storedWords) (ready, waited uint64) {
	delay = c.acquireFrom(&s.writes, at, c.acquireFrom(&s.misses, at, delay))
	ready, taken := c.writeToNext(at, delay, addr, bytes, w)
	s.misses.HoldUntil(ready)
	c.releaseWriteBuffer(s, ready, taken)
	return ready, delay
}

// coherent carries out reads, writes and atomics at the first level that is coherent for the device. Levels before it
// only pass the bytes on, and so does the L2 where the request is not cached.
func (c *cache) coherent(at, delay, addr uint64, r *Request, l *Line, bytes uint32) (ready, taken uint64) {
	switch {
	case !c.deviceCoherent, r.Uncached && c.Name == "l2":
		return c.bypass(at, delay, addr, r, l, bytes)
	case r.Kind == Read:
		return c.read(c.locate(addr), at, delay, addr, bytes, bytes)
	case r.Kind == Write:
		return c.write(at, delay, addr, bytes, c.storedBy(l))
	}
	return c.updateLine(at, delay, addr, uint64(l.Serial), bytes)
}

// bypass sends a coherent request past this level. Until the next level takes it, the request holds an entry of the
// requests queue and, if it is a store, of the write buffer. An atomic holds an entry of the atomics queue until it is
// done.
func (c *cache) bypass(at, delay, addr uint64, r *Request, l *Line, bytes uint32) (ready, taken uint64) {
	kind := r.Kind
	_, index := c.interleave.Split(addr)
	s := &c.slices[index]
	delay = c.acquireForBypass(s, at, delay, kind)
	taken = at + delay
	cost := c.cost
	if kind == Write {
		cost = c.writeCost
	}
	delay = s.Reserve(at, delay, uint64(bytes)*cost, c.Requests > 0)
	at += c.latency
	delay, addr = c.sendOnLink(at, delay, bytes, kind), c.pageTable.physical(addr)
	var accepted uint64
	if c.next == nil {
		ready, accepted = c.mem.transfer(at, delay, addr, bytes, kind)
	} else {
		ready, accepted = c.next.coherent(at, delay, addr, r, l, bytes)
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

// acquireForBypass waits for the entries that a request holds while it bypasses this level.
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

// updateLine carries out the atomics of one line. Updates of one element are serial, atomic cycles apart, and so are
// requests to one line: the next finds the line when the last update is done. With 4 cycles for each, an instruction
// whose 64 lanes add to one element is done 63*4 = 252 cycles after its line is there. What an atomic takes of its slice
// beyond a read of its bytes keeps only those behind it waiting.
func (c *cache) updateLine(at, delay, addr, serial uint64, bytes uint32) (ready, taken uint64) {
	p := c.locate(addr)
	delay = c.acquireStallingSender(&p.atomics, at, delay)
	ready, taken = c.read(p, at, delay, addr, bytes, bytes)
	if read := uint64(bytes) * c.cost; read < c.atomicSlice {
		p.Reserve(at, delay, c.atomicSlice-read, c.Requests > 0)
	}
	serial *= c.atomic
	p.lockUntil(p.find(), ready+serial+c.atomic, c.allPieces)
	p.atomics.HoldUntil(ready + serial)
	return ready + serial, taken
}

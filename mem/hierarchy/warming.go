package hierarchy

// Warm is functional warming (SMARTS, Wunderlich et al., ISCA 2003): it brings the lines of a request into the caches
// as an access would, without time. No bandwidth is taken, no counter changes, and lines are there at once.
func (f *Analytic) Warm(r *Request) {
	f.l2TLB.warm(r)
	c := f.front(r)
	past := r.Coherent || r.Kind == Atomic
	f.warmingStats.Requests++
	if r.Kind == Atomic {
		f.warmingStats.updates(r.Lines)
	}
	var crossed *pageTable
	for ; past && c != nil && !c.deviceCoherent; c = c.next {
		if c.pageTable != nil {
			crossed = c.pageTable
		}
	}
	for i := range r.Lines {
		if c == nil {
			return // memory alone
		}
		l := &r.Lines[i]
		from, bytes := l.Addr, l.Bytes
		if r.Kind == Read {
			from, bytes = c.readRange(l)
			c.requestedBytes += uint64(l.Bytes) - uint64(bytes) // those of each lane, as a read counts them
		}
		c.warm(r.Kind != Read, crossed.physical(from), min(bytes, uint32(c.LineBytes)), c.storedBy(l))
	}
}

// warm looks a line up, and fills it from the next level after a miss. A store makes the line dirty where the cache is
// write-back, and goes on where it is not.
func (c *cache) warm(store bool, addr uint64, bytes uint32, w storedWords) {
	c.lookups++
	c.requestedBytes += uint64(bytes)
	p := c.locate(addr)
	if c.snapshot != nil {
		c.snapshot.save(p)
	}
	way := p.find()
	if way < 0 && store && !c.WriteAllocate {
		c.warmNext(store, addr, bytes, w)
		return
	}
	if way < 0 {
		way = c.evict(p)
		c.fills++
		if !store {
			c.warmFill(p, way, addr, bytes)
		}
	} else {
		p.lru.touch(int(p.set), way)
		if !store && !p.line(way).full() && !c.hasWords(p.slice, p.first+way, addr, bytes) {
			c.warmFill(p, way, addr, bytes)
		}
	}
	if !store {
		return
	}
	whole := c.markStored(p.slice, p.first+way, w.whole<<c.wordIn(addr))
	if !c.writeBack {
		c.warmNext(store, addr, bytes, w)
		return
	}
	p.makeDirty(way, c.pieces(w.some<<c.wordIn(addr)))
	if c.eagerWriteBack && whole {
		c.warmEagerWriteBack(p, p.eagerVictim(way, c.DirtyWays))
	}
}

// warmEagerWriteBack sends a line to the next level before its eviction; way -1: none.
func (c *cache) warmEagerWriteBack(p setLookup, way int) {
	if way < 0 {
		return
	}
	p.warmSend(c, c.address(p, *p.tagOf(way)), p.line(way).pieces(), c.whole)
	*p.line(way) &^= dirtyLine
}

// warmFill fetches what a read of bytes needs.
func (c *cache) warmFill(p setLookup, way int, addr uint64, bytes uint32) {
	from, size := c.sectors(addr, bytes)
	c.warmNext(false, from, size, storedWords{})
	c.fill(p.slice, p.first+way, 0, from, size)
}

// evict replaces a line by the one looked up, and sends a dirty victim to the next level.
func (c *cache) evict(p setLookup) int {
	way := p.chooseVictim(c.random)
	if p.line(way).dirty() {
		p.warmSend(c, c.address(p, *p.tagOf(way)), p.line(way).pieces(), c.valid(p.slice, p.first+way))
	}
	c.replaceTag(p, way)
	return way
}

// warmSend is writeToNext without time.
func (s *slice) warmSend(c *cache, addr uint64, pieces line, words uint64) {
	c.eachPiece(pieces, func(from uint64, bytes uint32) {
		c.warmNext(true, addr+from, bytes, c.writtenBy(words, from, bytes))
	})
}

// warmNext passes an access to the next level, line by line.
func (c *cache) warmNext(store bool, addr uint64, bytes uint32, w storedWords) {
	c.nextLevelBytes += uint64(bytes)
	if c.next == nil {
		return
	}
	addr = c.pageTable.physical(addr)
	step := min(bytes, uint32(c.next.LineBytes))
	for done := uint32(0); done < bytes; done += step {
		c.next.warm(store, addr+uint64(done), step, w.down(uint64(done>>c.word)))
	}
}

// levelWarming counts the functional accesses of a level.
type levelWarming struct {
	lookups        uint64
	requestedBytes uint64 // bytes that lookups ask for
	nextLevelBytes uint64 // bytes to and from the next level
	fills          uint64 // lines that missed
}

// WarmingStats counts functional accesses.
type WarmingStats struct {
	Requests       uint64
	Lookups        []uint64 // by level, nearest first
	RequestedBytes []uint64 // bytes that lookups ask for, by level
	NextLevelBytes []uint64 // bytes to and from the next level, by level
	Fills          []uint64 // lines that missed, by level
	MaxLineUpdates uint64   // updates of the line with the most, by atomics

	hot [hotLines]struct{ addr, updates uint64 }
}

// hotLines bounds the lines whose updates are counted; of two at one place the one with more is kept. Knob.
const hotLines = 256

const hotShift = 6 // log2 of the bytes of the shortest line among them

// updates counts the updates of lines by atomics.
func (w *WarmingStats) updates(lines []Line) {
	for i := range lines {
		l := &lines[i]
		h, n := &w.hot[l.Addr>>hotShift*0x9e3779b97f4a7c15>>56], uint64(l.Serial)+1
		switch {
		case h.addr == l.Addr:
			h.updates += n
			w.MaxLineUpdates = max(w.MaxLineUpdates, h.updates)
		case h.updates <= n:
			h.addr, h.updates = l.Addr, n
			w.MaxLineUpdates = max(w.MaxLineUpdates, n)
		default:
			h.updates -= n
		}
	}
}

// ResetWarming clears the counts.
func (f *Analytic) ResetWarming() {
	f.warmingStats = WarmingStats{}
	for _, l := range f.levels {
		l.levelWarming = levelWarming{}
	}
}

// WarmingStats returns the counts since ResetWarming.
func (f *Analytic) WarmingStats() *WarmingStats {
	w := f.warmingStats
	for _, l := range f.levels {
		w.Lookups, w.RequestedBytes = append(w.Lookups, l.lookups), append(w.RequestedBytes, l.requestedBytes)
		w.NextLevelBytes, w.Fills = append(w.NextLevelBytes, l.nextLevelBytes), append(w.Fills, l.fills)
	}
	return &w
}

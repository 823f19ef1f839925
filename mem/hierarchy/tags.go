package hierarchy

import (
	"math/bits"

	"spvsim/mem/contention"
	"spvsim/mem/fixed"
	"spvsim/mem/lane"
)

// A slice serves the requests of its addresses. Its tags are allocated at its first use: most runs touch little of a
// large machine.
type slice struct {
	contention.Calendar
	tags        []uint32 // of each set: its ways' tags; 0: invalid
	lines       []line   // of each set: its ways
	lru         lru      // of the ways of each set
	words       []uint64 // of lines that are not full: masks of their valid words; nil: none yet
	index       uint64   // among the slices of its cache
	randomDraws uint32   // of lines to replace at random
	validSets   setBits  // sets that hold lines
	dirtySets   setBits  // sets that may have dirty lines
	savedSets   *setBits // sets that the snapshot has; nil: none yet

	_ [8]byte // aligns the queues to lines of the host's cache

	requests contention.Queue // that wait for the tags
	misses   contention.Queue // MSHRs: lines being fetched, and stores passed on until they are acknowledged
	writes   contention.Queue // write buffer: lines and stores until the next level takes them
	atomics  contention.Queue // until they are done
}

// A line packs the cycle from which the line is there, a bit for all of it being valid, and a dirty bit for each piece.
type line uint64

const (
	maxPieces  = 16
	dirtyLine  = 1<<maxPieces - 1
	fullLine   = 1 << maxPieces
	readyShift = maxPieces + 1
)

func newLine(ready uint64) line { return line(ready << readyShift) }

func (l line) ready() uint64 { return uint64(l >> readyShift) }
func (l line) full() bool    { return l&fullLine != 0 }
func (l line) dirty() bool   { return l&dirtyLine != 0 }
func (l line) pieces() line  { return l & dirtyLine }

// setBits has a bit for each set of a slice.
type setBits []uint64

func (b setBits) mark(set uint64)     { b[set/64] |= 1 << (set % 64) }
func (b setBits) unmark(set uint64)   { b[set/64] &^= 1 << (set % 64) }
func (b setBits) has(set uint64) bool { return b != nil && b[set/64]>>(set%64)&1 != 0 }

// set marks a set, or unmarks it.
func (b setBits) set(set uint64, to bool) {
	if b.unmark(set); to {
		b.mark(set)
	}
}

// make allocates the tags of a slice.
func (s *slice) make(l *level) {
	sets := int(l.sets.N)
	s.tags, s.lines, s.lru = make([]uint32, sets*l.Ways), make([]line, sets*l.Ways), newLRU(sets, l.Ways)
	s.validSets, s.dirtySets = make(setBits, sets/64+1), make(setBits, sets/64+1)
}

// A setLookup is the set that may hold a line, with the tag that is looked up.
type setLookup struct {
	*slice
	set   uint64
	first int // of the set's ways among the slice's lines
	tag   uint32
}

// setTags returns the tags of the set, by way.
func (p setLookup) setTags() []uint32     { return p.tags[p.first : p.first+p.lru.ways] }
func (p setLookup) tagOf(way int) *uint32 { return &p.tags[p.first+way] }
func (p setLookup) line(way int) *line    { return &p.lines[p.first+way] }

func (c *cache) locate(addr uint64) setLookup {
	l := c.level
	index, set, tag := l.split(addr)
	s := &c.slices[index]
	if s.tags == nil {
		s.make(l)
	}
	return setLookup{slice: s, set: set, first: int(set) * s.lru.ways, tag: uint32(tag) + 1}
}

// split returns the slice of an address, its set in the slice and its tag in the set.
func (g *geometry) split(addr uint64) (index, set, tag uint64) {
	if !g.pow2 {
		return g.divide(addr)
	}
	number := addr >> (g.lineShift & fixed.ShiftMask)
	if g.interleave.Units.N > 1 {
		unit := addr >> (g.interleave.UnitShift & fixed.ShiftMask)
		quotient := unit >> (g.interleave.Units.Shift & fixed.ShiftMask)
		index = g.interleave.Fold(quotient, unit)
		number = quotient<<(g.perUnit&fixed.ShiftMask) | number&g.inUnit
	}
	tag = number >> (g.sets.Shift & fixed.ShiftMask)
	return index, number&(g.sets.N-1) ^ g.folded(tag), tag
}

// divide is split for numbers of slices and sets that are no powers of two.
func (g *geometry) divide(addr uint64) (index, set, tag uint64) {
	quotient, index := g.interleave.Split(addr)
	tag, set = g.sets.Split(quotient<<g.perUnit | addr>>g.lineShift&g.inUnit)
	return index, set ^ g.folded(tag), tag
}

// folded returns the bits of a tag that are folded into the set's index, so that strides of a power of two do not camp
// on few sets.
func (g *geometry) folded(tag uint64) uint64 {
	return (tag ^ tag>>(g.sets.Shift&fixed.ShiftMask)) & g.fold
}

// address returns the address of the line with a tag: the inverse of locate.
func (g *geometry) address(p setLookup, tag uint32) uint64 {
	key := uint64(tag-1)*g.sets.N + (p.set ^ g.folded(uint64(tag-1)))
	unit := g.interleave.Join(key>>g.perUnit, p.index)
	return unit | key&g.inUnit<<g.lineShift
}

// find returns the way that holds the line, or -1.
func (p setLookup) find() int { return lane.Find(p.tags, p.first, p.lru.ways, p.tag) }

// mix hashes a number: two rounds of shifted sums and odd factors (lowbias32 by Chris Wellons).
func mix(n uint32) uint32 {
	n = (n ^ n>>16) * 0x7feb352d
	n = (n ^ n>>15) * 0x846ca68b
	return n ^ n>>16
}

// chooseVictim picks the way to replace, the least recently used or a random one, and makes it the most recently used.
func (p setLookup) chooseVictim(random bool) int {
	if random {
		return p.randomVictim()
	}
	return p.lru.evictOldest(int(p.set))
}

// randomVictim picks an invalid way or, in a full set, a random one, and makes it the most recently used.
func (p setLookup) randomVictim() int {
	way := p.lru.oldest(int(p.set))
	if *p.tagOf(way) != 0 {
		p.randomDraws++
		way = int(uint64(mix(p.randomDraws)) * uint64(p.lru.ways) >> 32)
	}
	p.lru.touch(int(p.set), way)
	return way
}

// makeDirty marks pieces of a line as newer than in the next level.
func (p setLookup) makeDirty(way int, pieces line) {
	*p.line(way) |= pieces
	p.dirtySets.mark(p.set)
}

// lockUntil makes pieces of a line dirty, and delays other requests to the line until a cycle.
func (p setLookup) lockUntil(way int, until uint64, all line) {
	l := p.line(way)
	*l = newLine(until) | *l&fullLine
	p.makeDirty(way, all)
}

// invalidate makes a way invalid, and the first to be replaced.
func (p setLookup) invalidate(way int) {
	*p.line(way), *p.tagOf(way) = 0, 0
	p.lru.demoteInvalid(int(p.set), p.setTags())
}

// replaceTag gives the way to the line that is looked up, with no valid words.
func (c *cache) replaceTag(p setLookup, way int) {
	label := p.tagOf(way)
	if *label == 0 {
		p.validSets.mark(p.set)
	}
	*p.line(way), *label = 0, p.tag
	if p.words != nil {
		p.words[p.first+way] = 0
	}
}

// valid returns the mask of the valid words of a line.
func (g *geometry) valid(s *slice, i int) uint64 {
	switch {
	case s.lines[i].full():
		return g.whole
	case s.words == nil:
		return 0
	}
	return s.words[i]
}

// markStored marks words of a line as valid, and reports whether stores have now written all of it.
func (g *geometry) markStored(s *slice, i int, words uint64) (whole bool) {
	l := &s.lines[i]
	words &= g.whole
	if whole = words == g.whole && words != 0; whole {
		*l |= fullLine
	}
	if l.full() {
		return whole
	}
	if s.mark(i, words) == g.whole && g.whole != 0 {
		*l |= fullLine
	}
	return l.full()
}

// mark adds valid words to a line, and returns all that it has.
func (s *slice) mark(i int, words uint64) uint64 {
	if s.words == nil {
		s.words = make([]uint64, len(s.lines))
	}
	words |= s.words[i]
	s.words[i] = words
	return words
}

// sectors returns the range that a read of bytes fetches: whole sectors, or the line.
func (g *geometry) sectors(addr uint64, bytes uint32) (from uint64, size uint32) {
	if g.sector == 0 {
		return addr &^ uint64(g.bytes-1), g.bytes
	}
	from = addr &^ (g.sector - 1)
	end := min(addr+uint64(bytes)+g.sector-1, from|uint64(g.bytes-1)+1) &^ (g.sector - 1)
	return from, uint32(end - from)
}

// readRange returns the bytes of a line from the first to the last that lanes read. Without sectors it is the whole
// line.
func (g *geometry) readRange(l *Line) (from uint64, bytes uint32) {
	if g.sector == 0 || l.Words == 0 {
		return l.Addr, l.Bytes
	}
	first := bits.TrailingZeros64(l.Words)
	return l.Addr + uint64(first)<<g.word, uint32(bits.Len64(l.Words)-first) << g.word
}

// hasWords reports whether the sectors of some bytes are valid in a line that is not full.
func (g *geometry) hasWords(s *slice, i int, addr uint64, bytes uint32) bool {
	if g.sector == 0 || s.words == nil {
		return false
	}
	words := g.wordsOf(g.sectors(addr, bytes))
	return s.words[i]&words == words
}

// fill makes bytes of a line valid from a cycle on.
func (g *geometry) fill(s *slice, i int, ready, from uint64, size uint32) {
	l := &s.lines[i]
	*l = newLine(ready) | *l&dirtyLine
	if size == g.bytes || s.mark(i, g.wordsOf(from, size)) == g.whole {
		*l |= fullLine
	}
}

// wordsOf returns the mask of the words of some bytes of a line.
func (g *geometry) wordsOf(from uint64, size uint32) uint64 {
	first := from & uint64(g.bytes-1) >> g.word
	return WordMask(first, first+uint64(size)>>g.word)
}

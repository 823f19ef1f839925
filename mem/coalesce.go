package mem

import (
	"math/bits"

	"spvsim/mem/fixed"
	"spvsim/mem/hierarchy"
	"spvsim/mem/lane"
)

// tableSize bounds the lines of one instruction: 64 lanes of 32 bytes touch at
// most 3 lines of 16 bytes each.
const tableSize = 256

type tableEntry struct {
	number uint64
	age    uint32
	index  int32
}

// A sentBlock is the block sent last, with the byte range of the last lane that it served.
type sentBlock struct {
	block      uint64 // its number, plus 1
	start, end uint64 // of the last lane's bytes
	cycle      uint64 // of the instruction, in which the address path takes the lane
	lanes      int    // that go in this cycle so far
	banks      uint64 // mask of the banks of their first words
}

// A scatterRule bounds which lanes of a load go in one cycle though their bytes do not follow each other.
type scatterRule struct {
	lanes int    // at most; 0: as many as are in one half of a block
	banks uint64 // of words, a power of two; 0: lanes never conflict
}

// bank is the mask bit of the bank of a word.
func (s *scatterRule) bank(addr uint64) uint64 {
	if s.banks == 0 {
		return 0
	}
	return 1 << (addr / 4 & (s.banks - 1) & fixed.ShiftMask)
}

// wordMarking selects what an instruction marks in its lines: the words that it stores whole, or those that it reads in; and
// for a tracer the sectors that it touches.
type wordMarking uint8

const (
	noWords     wordMarking = 0
	storedWords wordMarking = 1 << (iota - 1)
	readWords
	touchedSectors
)

// sectorShift is log2 of the bytes of a sector, in which profilers count accesses.
const sectorShift = 5

// A SectorMask has the sectors of the longest line, of 4096 bytes.
type SectorMask [2]uint64

// A coalescer collects the distinct lines of one instruction, in the order in which lanes, from the lowest on, touch
// them first. The whole wave is coalesced at once, wide accesses too. That hardware handles these by quarter-waves
// shows in the time of the address path, not in the lines.
type coalescer struct {
	lines        []hierarchy.Line
	shift        uint
	last         uint64 // number of the line added last, plus 1
	lastIndex    int    // its index
	age          uint32 // entries of another age are empty
	noCoalescing bool   // functional: only bytes are counted
	movedBytes   uint64 // counted without coalescing
	// Blocks that the address path sends: neighbouring lanes of a cycle may share one.
	words         wordMarking  // that are marked
	sectors       []SectorMask // by line: those that lanes touch; nil: they are not recorded
	firstLanes    uint64       // lanes at computed addresses whose sector is not that of the active lane before
	word          uint         // log2 of the bytes of a word
	rangeStart    uint64
	rangeEnd      uint64 // the range that the last lanes stored one after another
	blocks        int
	blockShift    uint          // 0: not counted
	wideFrom      uint64        // bytes of a lane from which an access is not sent by blocks
	lanesPerCycle fixed.Divider // lanes of a cycle
	scatter       scatterRule
	lastBlock     sentBlock
	table         [tableSize]tableEntry
}

func (c *coalescer) reset(shift uint) {
	clear(c.sectors[:min(len(c.lines), len(c.sectors))])
	c.lines, c.shift, c.last = c.lines[:0], shift, 0
	c.blocks, c.lastBlock = 0, sentBlock{}
	c.rangeStart, c.rangeEnd = 0, 0
	if c.age++; c.age == 0 {
		clear(c.table[:])
		c.age = 1
	}
}

// add collects the bytes of a lane from addr on.
func (c *coalescer) add(l int, addr uint64, bytes uint32) {
	if c.noCoalescing {
		c.movedBytes += uint64(bytes)
		return
	}
	if c.blockShift > 0 {
		c.countBlocks(addr, uint64(bytes), c.cycle(l))
	}
	first, last := addr>>c.shift, (addr+uint64(bytes)-1)>>c.shift
	if first == last {
		c.addToLine(first, bytes)
		c.markWords(addr, addr+uint64(bytes))
		return
	}
	for n := first; n <= last; n++ {
		end := min(addr+uint64(bytes), (n+1)<<c.shift)
		start := max(addr, n<<c.shift)
		c.addToLine(n, uint32(end-start))
		c.markWords(start, end)
	}
}

// markWords marks the words of the current line that a load reads in, or a store writes whole. Lanes that store one
// after another count as one store, so their bytes make up words together.
func (c *coalescer) markWords(start, end uint64) {
	if c.words == noWords {
		return
	}
	l := &c.lines[c.lastIndex]
	if c.words&touchedSectors != 0 {
		c.markSectors(start-l.Addr, end-l.Addr)
	}
	if c.words&^touchedSectors == noWords {
		return
	}
	if c.words&readWords != 0 {
		l.Words |= hierarchy.WordMask((start-l.Addr)>>c.word, (end-l.Addr+1<<c.word-1)>>c.word)
		return
	}
	if start != c.rangeEnd {
		c.rangeStart = start
	}
	c.rangeEnd = end
	from := max(c.rangeStart, l.Addr) - l.Addr
	first, last := (from+1<<c.word-1)>>c.word, (end-l.Addr)>>c.word
	if first < last {
		l.Words |= hierarchy.WordMask(first, last)
	}
}

// markSectors marks the sectors of a range of the current line.
func (c *coalescer) markSectors(start, end uint64) {
	m := &c.sectors[c.lastIndex]
	for s := start >> sectorShift; s <= (end-1)>>sectorShift; s++ {
		m[s/64] |= 1 << (s % 64)
	}
}

// countBlocks counts the blocks of one lane's bytes, except for the block sent last, if the lane goes with it: the
// address path takes both lanes in one cycle, and their bytes follow each other or the lanes scatter as it allows.
func (c *coalescer) countBlocks(addr, bytes, cycle uint64) {
	shift, bank := c.blockShift&fixed.ShiftMask, c.scatter.bank(addr)
	first, last := addr>>shift, (addr+bytes-1)>>shift
	r := &c.lastBlock
	if cycle == r.cycle && r.lanes > 0 && c.joins(addr, first+1 == r.block, bank) {
		first++
		r.lanes++
		r.banks |= bank
	} else {
		r.cycle, r.lanes, r.banks = cycle, 1, bank
	}
	r.block, r.start, r.end = last+1, addr, addr+bytes
	c.blocks += int(last + 1 - first)
}

// joins reports whether a lane goes with the block sent last, which has its first byte or not.
func (c *coalescer) joins(addr uint64, here bool, bank uint64) bool {
	r := &c.lastBlock
	if here {
		switch half := (addr^r.start)>>((c.blockShift-1)&fixed.ShiftMask) == 0; {
		case addr == r.end || addr == r.start:
			return true
		case half && (c.scatter.lanes == 0 || r.lanes < c.scatter.lanes):
			return true
		}
	}
	return r.lanes < c.scatter.lanes && r.banks&bank == 0
}

// cycle returns the cycle, counted from the start of the instruction, in which the address path takes a lane.
func (c *coalescer) cycle(l int) uint64 {
	cycle, _ := c.lanesPerCycle.Split(uint64(l))
	return cycle
}

// countBlocksOfLanes counts the blocks of lanes at computed addresses.
func (c *coalescer) countBlocksOfLanes(addr uint64, w *lane.Addresses, lanes, bytes uint64) {
	for ; lanes != 0; lanes &= lanes - 1 {
		l := bits.TrailingZeros64(lanes) & 63
		c.countBlocks(addr+uint64(w.Offsets[l]), bytes, c.cycle(l))
	}
}

// countBlocksOfSpan counts the blocks of contiguous lanes, of bytes each.
func (c *coalescer) countBlocksOfSpan(addr, end, bytes uint64) {
	for step := bytes * c.lanesPerCycle.N; addr < end; addr += step {
		last := min(addr+step, end) - 1
		c.blocks += int(last>>c.blockShift-addr>>c.blockShift) + 1
	}
}

func (c *coalescer) addToLine(number uint64, bytes uint32) {
	if number+1 == c.last {
		c.lines[c.lastIndex].Bytes += bytes
		return
	}
	c.last, c.lastIndex = number+1, c.find(number)
	c.lines[c.lastIndex].Bytes += bytes
}

// addLanes collects the bytes of lanes at computed addresses, of which none is in two lines. Neighbours in one line are
// added at once.
func (c *coalescer) addLanes(addr uint64, w *lane.Addresses, exec uint64, bytes uint32) {
	if c.blockShift > 0 && uint64(bytes) < c.wideFrom {
		c.countBlocksOfLanes(addr, w, exec, uint64(bytes))
	}
	for starts := w.LineStarts; starts != 0; {
		here := exec &^ (starts&-starts - 1)
		starts &= starts - 1
		if here &= starts&-starts - 1; here == 0 {
			continue
		}
		l := bits.TrailingZeros64(here) & 63
		c.addToLine((addr+uint64(w.Offsets[l]))>>(c.shift&fixed.ShiftMask), uint32(bits.OnesCount64(here))*bytes)
		c.markWordsOfLanes(addr, w, here, uint64(bytes))
	}
}

// markWordsOfLanes marks the words of lanes that are all in the current line.
func (c *coalescer) markWordsOfLanes(addr uint64, w *lane.Addresses, lanes, bytes uint64) {
	if c.words == noWords {
		return
	}
	word := c.word & fixed.ShiftMask
	kinds := c.words
	if kinds&touchedSectors != 0 && bytes <= 1<<sectorShift && c.shift <= sectorShift+6 {
		c.markSectorsOfLanes(addr, w, lanes&(c.firstLanes|-lanes))
		if kinds &^= touchedSectors; kinds == noWords {
			return
		}
	}
	if bytes>>word == 0 || kinds&touchedSectors != 0 {
		for ; lanes != 0; lanes &= lanes - 1 {
			start := addr + uint64(w.Offsets[bits.TrailingZeros64(lanes)&63])
			c.markWords(start, start+bytes)
		}
		return
	}
	l := &c.lines[c.lastIndex] // whole words: lanes are aligned to their bytes
	whole, from, words := hierarchy.WordMask(0, bytes>>word), addr-l.Addr, l.Words
	for ; lanes != 0; lanes &= lanes - 1 {
		words |= whole << ((from + uint64(w.Offsets[bits.TrailingZeros64(lanes)&63])) >> word & fixed.ShiftMask)
	}
	l.Words = words
}

// markSectorsOfLanes marks the sector that each of some lanes touches in the current line, which has at most 64. Lanes are aligned to their
// bytes.
func (c *coalescer) markSectorsOfLanes(addr uint64, w *lane.Addresses, lanes uint64) {
	from, touched := addr-c.lines[c.lastIndex].Addr, uint64(0)
	for ; lanes != 0; lanes &= lanes - 1 {
		start := from + uint64(w.Offsets[bits.TrailingZeros64(lanes)&63])
		touched |= 1 << (start >> sectorShift & 63)
	}
	c.sectors[c.lastIndex][0] |= touched
}

// find returns the index of a line, and appends the line if it is new.
func (c *coalescer) find(number uint64) int {
	for h := number * 0x9E3779B97F4A7C15 >> 40; ; h++ {
		e := &c.table[h%tableSize]
		if e.age != c.age {
			*e = tableEntry{number, c.age, int32(len(c.lines))}
			c.lines = append(c.lines, hierarchy.Line{Addr: number << (c.shift & fixed.ShiftMask)})
			return int(e.index)
		}
		if e.number == number {
			return int(e.index)
		}
	}
}

// addSpan collects a contiguous range of lanes, each with lane bytes. Nothing may be collected before it.
func (c *coalescer) addSpan(addr, bytes, lane uint64) {
	if c.noCoalescing {
		c.movedBytes += bytes
		return
	}
	if c.blockShift > 0 && lane < c.wideFrom {
		c.countBlocksOfSpan(addr, addr+bytes, lane)
	}
	size := uint64(1) << c.shift
	for end := addr + bytes; addr < end; {
		next := min(end, (addr+size)&^(size-1))
		c.lines = append(c.lines, hierarchy.Line{Addr: addr &^ (size - 1), Bytes: uint32(next - addr)})
		c.lastIndex = len(c.lines) - 1
		c.markWords(addr, next)
		addr = next
	}
}

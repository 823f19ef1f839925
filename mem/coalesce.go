package mem

import (
	"math/bits"

	"spvsim/mem/lane"
)

// tableSize bounds the lines of one instruction: 64 lanes of 32 bytes touch at
// most 3 lines of 16 bytes each.
const tableSize = 512

type tableEntry struct {
	number uint64
	age    uint32
	index  int32
}

// A coalescer collects the distinct lines of one instruction, in the order in
// which lanes, taken from the lowest, touch them first. The whole wave is
// coalesced together, wide accesses too: the quarter-waves in which hardware
// handles those show in the time of the address path, not in the lines.
type coalescer struct {
	lines []Line
	shift uint
	last  uint64 // number of the line added last, plus 1
	at    int    // its index
	age   uint32 // entries of another age are empty
	deaf  bool   // nobody asks for lines, only for bytes
	moved uint64 // bytes, counted while deaf
	// Blocks that the address path sends: one for neighbouring lanes in the same.
	blocks     int
	blockShift uint   // 0: not counted
	lastBlock  uint64 // number of the block sent last, plus 1
	table      [tableSize]tableEntry
}

func (c *coalescer) reset(shift uint) {
	c.lines, c.shift, c.last = c.lines[:0], shift, 0
	c.blocks, c.lastBlock = 0, 0
	if c.age++; c.age == 0 {
		clear(c.table[:])
		c.age = 1
	}
}

// add takes bytes from addr on.
func (c *coalescer) add(addr uint64, bytes uint32) {
	if c.deaf {
		c.moved += uint64(bytes)
		return
	}
	if c.blockShift > 0 {
		c.send(addr>>c.blockShift, (addr+uint64(bytes)-1)>>c.blockShift)
	}
	first, last := addr>>c.shift, (addr+uint64(bytes)-1)>>c.shift
	if first == last {
		c.touch(first, bytes)
		return
	}
	for n := first; n <= last; n++ {
		end := min(addr+uint64(bytes), (n+1)<<c.shift)
		start := max(addr, n<<c.shift)
		c.touch(n, uint32(end-start))
	}
}

// send counts the blocks from first to last, but for one that is on its way.
func (c *coalescer) send(first, last uint64) {
	if first+1 == c.lastBlock {
		first++
	}
	if first <= last {
		c.blocks += int(last-first) + 1
		c.lastBlock = last + 1
	}
}

// sendLanes counts the blocks of lanes of a walk, none of which lie in two.
func (c *coalescer) sendLanes(addr uint64, w *lane.Walk, lanes uint64) {
	for ; lanes != 0; lanes &= lanes - 1 {
		block := (addr + uint64(w.Offsets[bits.TrailingZeros64(lanes)&63])) >> c.blockShift
		c.send(block, block)
	}
}

func (c *coalescer) touch(number uint64, bytes uint32) {
	if number+1 == c.last {
		c.lines[c.at].Bytes += bytes
		return
	}
	c.last, c.at = number+1, c.find(number)
	c.lines[c.at].Bytes += bytes
}

// runs takes bytes of each active lane of a walk from addr on, none of which lie
// in two lines: those of neighbours in one line together.
func (c *coalescer) runs(addr uint64, w *lane.Walk, exec uint64, bytes uint32) {
	for starts := w.Starts; starts != 0; {
		here := exec &^ (starts&-starts - 1)
		starts &= starts - 1
		if here &= starts&-starts - 1; here == 0 {
			continue
		}
		l := bits.TrailingZeros64(here) & 63
		if c.blockShift > 0 {
			c.sendLanes(addr, w, here)
		}
		c.touch((addr+uint64(w.Offsets[l]))>>c.shift, uint32(bits.OnesCount64(here))*bytes)
	}
}

// find is the index of a line, which it appends when it is new.
func (c *coalescer) find(number uint64) int {
	h := uint32(number*0x9E3779B97F4A7C15>>40) % tableSize
	for {
		e := &c.table[h]
		if e.age != c.age {
			*e = tableEntry{number, c.age, int32(len(c.lines))}
			c.lines = append(c.lines, Line{Addr: number << c.shift})
			return int(e.index)
		}
		if e.number == number {
			return int(e.index)
		}
		h = (h + 1) % tableSize
	}
}

// span takes a contiguous range; it must be the first thing added.
func (c *coalescer) span(addr, bytes uint64) {
	if c.deaf {
		c.moved += bytes
		return
	}
	if c.blockShift > 0 {
		c.send(addr>>c.blockShift, (addr+bytes-1)>>c.blockShift)
	}
	size := uint64(1) << c.shift
	for end := addr + bytes; addr < end; {
		next := min(end, (addr+size)&^(size-1))
		c.lines = append(c.lines, Line{Addr: addr &^ (size - 1), Bytes: uint32(next - addr)})
		addr = next
	}
}

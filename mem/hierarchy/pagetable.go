package hierarchy

import (
	"math/bits"

	"spvsim/mem/fixed"
)

// pageTable say where in memory the pages of a program lie: at random, and as each other time.
// The L2 and what is behind it, the channels of memory among it, go by these addresses; caches nearer to the compute units
// see the program's, of which they use bits within a page.
type pageTable struct {
	shift uint   // log2 of the bytes of a page
	half  uint   // of the bits of a frame's number
	mask  uint64 // of a frame's number
}

// newPageTable is nil where addresses in memory are those of the program.
func newPageTable(s *MemorySpec) *pageTable {
	if s.PageBytes == 0 {
		return nil
	}
	n := uint(bits.Len64(uint64(s.Bytes-1) / uint64(s.PageBytes)))
	return &pageTable{shift: fixed.Log2(s.PageBytes), half: (n + 1) / 2, mask: 1<<n - 1}
}

// physical is where a byte of the program lies.
func (f *pageTable) physical(addr uint64) uint64 {
	if f == nil {
		return addr
	}
	page := addr >> (f.shift & fixed.ShiftMask)
	return f.frameOf(page)<<(f.shift&fixed.ShiftMask) | addr&(1<<(f.shift&fixed.ShiftMask)-1)
}

// frameOf is the frame of a page. Each step of the mixing can be undone within the bits of a frame's number
// (shifted sums, odd factors), so that no two pages share a frame.
func (f *pageTable) frameOf(page uint64) uint64 {
	n := page & f.mask
	n = (n ^ n>>f.half) * 0x9e3779b97f4a7c15 & f.mask // golden ratio
	n = (n ^ n>>f.half) * 0xbf58476d1ce4e5b9 & f.mask // a factor of splitmix64
	n ^= n >> f.half
	return page&^f.mask | n
}

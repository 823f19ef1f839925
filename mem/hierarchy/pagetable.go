package hierarchy

import (
	"math/bits"

	"spvsim/mem/fixed"
)

// A pageTable maps the pages of a program to frames of memory, at random but the same in each run. Slices behind the
// L2's entrance and channels of memory go by these addresses. Caches nearer to the compute units go by the program's,
// of which they use bits within a page.
type pageTable struct {
	shift uint   // log2 of the bytes of a page
	half  uint   // of the bits of a frame's number
	mask  uint64 // of a frame's number
}

// newPageTable returns nil where addresses in memory are the program's.
func newPageTable(s *MemorySpec) *pageTable {
	if s.PageBytes == 0 {
		return nil
	}
	n := uint(bits.Len64(uint64(s.Bytes-1) / uint64(s.PageBytes)))
	return &pageTable{shift: fixed.Log2(s.PageBytes), half: (n + 1) / 2, mask: 1<<n - 1}
}

// physical translates an address of the program.
func (f *pageTable) physical(addr uint64) uint64 {
	if f == nil {
		return addr
	}
	page := addr >> (f.shift & fixed.ShiftMask)
	return f.frameOf(page)<<(f.shift&fixed.ShiftMask) | addr&(1<<(f.shift&fixed.ShiftMask)-1)
}

// frameOf returns the frame of a page. Each step of the mixing (shifted sums, odd factors) is a bijection on the bits
// of a frame's number, so no two pages share a frame.
func (f *pageTable) frameOf(page uint64) uint64 {
	n, half := page&f.mask, f.half&fixed.ShiftMask
	n = (n ^ n>>half) * 0x9e3779b97f4a7c15 & f.mask // golden ratio
	n = (n ^ n>>half) * 0xbf58476d1ce4e5b9 & f.mask // a factor of splitmix64
	n ^= n >> half
	return page&^f.mask | n
}

package hierarchy

import (
	"math/bits"

	"spvsim/mem/fixed"
)

// frames say where in memory the pages of a program lie: at random, and as each other time.
// The L2 and what is behind it, the channels of memory among it, go by these addresses; caches nearer to the compute units
// see the program's, of which they use bits within a page.
type frames struct {
	shift uint   // log2 of the bytes of a page
	half  uint   // of the bits of a frame's number
	mask  uint64 // of a frame's number
}

// newFrames is nil where addresses in memory are those of the program.
func newFrames(s *MemorySpec) *frames {
	if s.PageBytes == 0 {
		return nil
	}
	n := uint(bits.Len64(uint64(s.Bytes-1) / uint64(s.PageBytes)))
	return &frames{shift: fixed.Log2(s.PageBytes), half: (n + 1) / 2, mask: 1<<n - 1}
}

// place is where a byte of the program lies.
func (f *frames) place(addr uint64) uint64 {
	if f == nil {
		return addr
	}
	page := addr >> (f.shift & fixed.ShiftMask)
	return f.of(page)<<(f.shift&fixed.ShiftMask) | addr&(1<<(f.shift&fixed.ShiftMask)-1)
}

// of is the frame of a page. Each step of the mixing can be undone within the bits of a frame's number
// (shifted sums, odd factors), so that no two pages share a frame.
func (f *frames) of(page uint64) uint64 {
	n := page & f.mask
	n = (n ^ n>>f.half) * 0x9e3779b97f4a7c15 & f.mask // golden ratio
	n = (n ^ n>>f.half) * 0xbf58476d1ce4e5b9 & f.mask // a factor of splitmix64
	n ^= n >> f.half
	return page&^f.mask | n
}

package lane

import "golang.org/x/sys/cpu"

// wide says that the processor has the instructions of walk_amd64.s.
var wide = cpu.X86.HasAVX2

// walkAVX is Walk.slow for a multiple of eight lanes: a tenth of its time.
// differ is not 0 where the offsets do not follow each other by the stride.
//
//go:noescape
func walkAVX(off, index *uint32, lanes int, s *Step) (last, bits, differ uint32, starts uint64)

// gatherAVX is Walk.gatherSlow for a multiple of eight lanes and offsets below 2^31.
//
//go:noescape
func gatherAVX(row *uint32, b *byte, off *uint32, lanes int, exec uint64)

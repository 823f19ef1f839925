package config

import "syscall"

// leastLarge is how many bytes are worth a request: several pages of the largest size (2 MB on x86).
const leastLarge = 1 << 23

// largePages asks for large pages below bytes that are about to be written: faults of small ones take several times as long, and so
// do accesses at random later. A system without them leaves small ones.
func largePages(b []byte) {
	if len(b) >= leastLarge {
		_ = syscall.Madvise(b, syscall.MADV_HUGEPAGE)
	}
}

package config

import "syscall"

// leastLarge is the least size in bytes that is worth a request: several pages of the largest size (2 MB on x86).
const leastLarge = 1 << 23

// largePages requests large pages for bytes that are about to be written: page faults of small pages take several times
// as long, and so do later random accesses. A system without large pages ignores the request.
func largePages(b []byte) {
	if len(b) >= leastLarge {
		_ = syscall.Madvise(b, syscall.MADV_HUGEPAGE)
	}
}

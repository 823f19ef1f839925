//go:build unix

package fuzz

import (
	"os"
	"runtime"
	"syscall"
)

// mostHeld is the most memory that a process had, in bytes (getrusage(2): kilobytes, on macOS bytes).
func mostHeld(s *os.ProcessState) int64 {
	u, ok := s.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return int64(u.Maxrss)
	}
	return int64(u.Maxrss) << 10
}

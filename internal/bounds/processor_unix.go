//go:build unix

package bounds

import (
	"syscall"
	"time"
)

// Processor returns the processor time of this process, user and system.
func Processor() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

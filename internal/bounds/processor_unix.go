//go:build unix

package bounds

import (
	"syscall"
	"time"
)

// Processor is the time that the processor has worked for this process, in user code and in the system.
func Processor() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

package main

import (
	"syscall"
	"time"
)

// processor is the user time of the process.
func processor() time.Duration {
	self, err := syscall.GetCurrentProcess()
	if err != nil {
		return 0
	}
	var created, ended, kernel, user syscall.Filetime
	if err := syscall.GetProcessTimes(self, &created, &ended, &kernel, &user); err != nil {
		return 0
	}
	return time.Duration(uint64(user.HighDateTime)<<32|uint64(user.LowDateTime)) * 100 // ns, of steps of 100 ns
}

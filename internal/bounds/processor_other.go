//go:build !unix

package bounds

import "time"

var started = time.Now()

// Processor returns the time since the process began, as this system's processor time is not known. On one thread it is an upper bound.
func Processor() time.Duration { return time.Since(started) }

//go:build !unix

package bounds

import "time"

var started = time.Now()

// Processor is the time since the process began: it is not less than that of the processor on one thread.
func Processor() time.Duration { return time.Since(started) }

//go:build !unix

package bounds

import "time"

var started = time.Now()

// processor is the time since the process began: it is not less than that of the processor on one thread.
func processor() time.Duration { return time.Since(started) }

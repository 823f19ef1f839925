package main

import (
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"spvsim/gpu"
)

// endTimeout is the time that a run has to end by itself. A run checks its limits often, but some steps of lowering, and the
// filling of buffers, take long without a check.
const endTimeout = 5 * time.Second

// backstop ends the process if a run does not end by itself soon after an interruption, or after its time limit. Call
// ended when the run has ended.
func backstop(c *cobra.Command, seconds float64) (ended func()) {
	done := make(chan struct{})
	var late <-chan time.Time // never, without a limit
	if seconds > 0 {
		late = time.After(time.Duration(seconds*float64(time.Second)) + endTimeout)
	}
	go func() {
		why := gpu.ErrHostTime
		select {
		case <-done:
			return
		case <-late:
		case <-c.Context().Done():
			why = gpu.ErrInterrupted
			select {
			case <-done:
				return
			case <-time.After(endTimeout):
			}
		}
		fmt.Fprintf(c.ErrOrStderr(), "spvsim: %v before the first cycle\n", why)
		os.Exit(exitFailed)
	}()
	return func() { close(done) }
}

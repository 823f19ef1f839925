// Package monitor serves Akita's live monitor during a run: time, parts and their state, progress; pause and continue.
// The page is Akita's; its requests are answered here, on the loopback interface, with the engine paused while state is
// read. Only builds with the tag akita have it.
//
// The package does not know the content of the run.
package monitor

import "errors"

// Errors of New.
var (
	// ErrPort means that a port can't be used.
	ErrPort = errors.New("monitor: want port 0 (any) or one from 1001 to 65535, as Akita's monitor does")
	// ErrBuild means that this build has no monitor.
	ErrBuild = errors.New("monitor: this spvsim was built without Akita's tools: go install -tags akita ./cmd/spvsim")
)

// Package monitor serves Akita's live monitor during a run: time, parts and
// their state, progress; pause and continue. The page is Akita's; its requests
// are answered here, on the loopback interface, with the engine paused where
// state is read. Builds with the tag akitatools have it.
//
// The package does not know what runs.
package monitor

import "errors"

// Errors of New.
var (
	// ErrPort says that a port can't be used.
	ErrPort = errors.New("monitor: want port 0 (any) or one from 1001 to 65535, as Akita's monitor does")
	// ErrBuild says that there is no monitor.
	ErrBuild = errors.New("monitor: this spvsim was built without Akita's tools: go install -tags akitatools ./cmd/spvsim")
)

// Package daisen writes the activity of a machine to an SQLite database,
// through Akita's own tracer, for Akita's viewer Daisen: a task for the
// simulation, each launch, workgroup, wave and instruction, each the parent of
// the next.
//
// The package does not know how a machine works. The tracer brings a driver of the database that is C, so only
// builds with the tag akita have it; without it, New says so.
package daisen

import "errors"

// Suffix ends the names of databases: Akita's writer appends it.
const Suffix = ".sqlite3"

// Errors of New.
var (
	ErrBuild = errors.New("daisen: this spvsim was built without Akita's tools: go install -tags akita ./cmd/spvsim")
	ErrName  = errors.New("daisen: Akita's databases have names that end in " + Suffix)
	ErrFile  = errors.New("daisen: the file exists and is no SQLite database")
	// ErrWrite means that the database could not be written.
	ErrWrite = errors.New("daisen: can't be written")
)

// Package akita times memory requests by the caches and memory controllers of Akita, as an independent model to compare with.
//
// Akita's caches import its tracer, and that the drivers of two databases, one of them in C. So only builds with the tag
// akita have them.
package akita

import "errors"

// ErrBuild is the error of New in builds without the tag akita.
var ErrBuild = errors.New("found memory.model akita: want memory.model fast, as this spvsim was built without Akita's caches; with a C compiler, go install -tags akita ./cmd/spvsim has them")

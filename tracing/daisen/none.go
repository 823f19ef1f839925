//go:build !akita

package daisen

import "spvsim/tracing/probe"

// A Writer can't be created in builds without Akita's tracer.
type Writer struct{ probe.NopTracer }

// New returns ErrBuild.
func New(string, uint64, uint64, func(int) bool) (*Writer, error) { return nil, ErrBuild }

// Close ends the database.
func (*Writer) Close() error { return nil }

//go:build akita

package main

// Errors of the flags for wrong values.
const (
	daisenRefuses  = "names that end in .sqlite3"
	monitorRefuses = "want port 0 (any) or one from 1001"
)

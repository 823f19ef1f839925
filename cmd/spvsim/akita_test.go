//go:build akitatools

package main

// akitaTools: the build has Akita's monitor and a driver for its databases.
const akitaTools = true

// Errors of the flags for wrong values.
const (
	daisenRefuses  = "names that end in .sqlite3"
	monitorRefuses = "want port 0 (any) or one from 1001"
)

//go:build akitatools

package main

// akitaTools: the build has Akita's monitor and a driver for its databases.
const akitaTools = true

// What the flags say of a wrong value.
const (
	daisenRefuses  = "names that end in .sqlite3"
	monitorRefuses = "want port 0 (any) or one from 1001"
)

//go:build !akitatools

package main

// akitaTools: the build has Akita's monitor and a driver for its databases.
const akitaTools = false

// Errors of the flags for wrong values.
const (
	daisenRefuses  = "--daisen: daisen: this spvsim was built without Akita's tools: go install -tags akitatools"
	monitorRefuses = "--monitor: monitor: this spvsim was built without Akita's tools: go install -tags akitatools"
)

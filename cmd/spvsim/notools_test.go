//go:build !akitatools

package main

// akitaTools: the build has Akita's monitor and a driver for its databases.
const akitaTools = false

// What the flags say of a wrong value.
const (
	daisenRefuses  = "--daisen: daisen: this spvsim was built without Akita's tools: go install -tags akitatools"
	monitorRefuses = "--monitor: monitor: this spvsim was built without Akita's tools: go install -tags akitatools"
)

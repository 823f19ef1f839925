//go:build !akita

package main

// Errors of the flags for wrong values.
const (
	daisenRefuses  = "--daisen: daisen: this spvsim was built without Akita's tools: go install -tags akita"
	monitorRefuses = "--monitor: monitor: this spvsim was built without Akita's tools: go install -tags akita"
)

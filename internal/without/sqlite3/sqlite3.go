// Package sqlite3 is where Akita's packages import a driver written in C, for
// the databases of its tracers. No part of spvsim opens one through it: package
// tracing/daisen brings a driver in Go, where the build asks for it.
package sqlite3
